"""Treebanks: trees read from files, searched by patterns, and turned into tables that paradigms draw from.

    trees     bracketed trees (Penn Chinese Treebank) and dependency trees (CoNLL-U), as one kind of value
    search    patterns over trees: labels, function tags, words, daughters, heads
    extract   what SLING takes from trees: noun phrases with classifiers, verb-object phrases, compounds
    tables    the extractions as tables of a project's lexicon, and a project with the tables of other trees

Files flow in; tables of words flow out, with the columns of a lexicon. The grammar knows nothing of trees, so this room
stands to its right. Open `trees.py` first.
"""
