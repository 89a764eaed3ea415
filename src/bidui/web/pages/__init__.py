"""The pages of the workbench, as HTML."""
