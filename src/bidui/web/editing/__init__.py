"""Editing: paradigms, phrases and lexicons as rows over their texts, with diagnostics, completion and previews.

Everything here is a function of texts and an opened project; files, the database and HTTP are others' business. An
edit is a value: the changes of a text (`apply_edit`), which can be undone (`inverse`). Places count characters from 0,
as Python does; `to_utf16` and `from_utf16` translate for browsers.
"""
