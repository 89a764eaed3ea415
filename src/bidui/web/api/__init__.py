"""The JSON calls of the workbench, each with its shapes."""
