"""The schema's history, one module a step; a step that has been released is never changed."""
