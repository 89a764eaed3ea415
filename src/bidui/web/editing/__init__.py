"""Editing: paradigms, phrases and lexicons as rows over their texts, with diagnostics, completion and previews.

Texts and an open project flow in; rows, diagnostics, options, previews and edits flow out, as values that the API sends
as they are. Files, the database and HTTP are the business of other rooms. An edit is a tuple of changes of a text
(`text.apply_edit`) that can be undone (`text.inverse`); positions count characters from 0, as Python does, until
`preview.as_browsers_count` translates them. Open `preview.py` first: it shows all that happens at a pause in typing. A
text is read into one YAML tree (`grammar/yaml.py`), which `paradigm.py` and `phrases.py` show as rows and change by
batches of `edits.py`; `pieces.py` scans half-typed rules and lines, `fitting.py` finds the words that fit them, and
`diagnostics.py` puts problems under the characters that caused them. `merging.py` combines what two people wrote,
`tables.py` edits the lexicon, and `workers.py` keeps slow paradigms out of the server.
"""
