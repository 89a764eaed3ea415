"""The pages of the workbench, as HTML.

`routes` says which page has which data: most take the answer of a JSON call, their twin, so that a page never shows
something that a script could not get. `rendering` fills a template of `templates/` with that data and with words in the
reader's language, and serves the scripts that were built from `frontend/`. All text is escaped.
"""
