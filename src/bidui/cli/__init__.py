"""The command line: one file per group of commands, each command a typed function over the public API.

`main.py` lists all commands and turns errors into messages and exit codes; open it first. The groups are projects
(`new`, `check`, `import-classic`, `export-classic`), pairs (`generate`, `diversity`, `export-lm-eval`), scores
(`score`, `compare`, `export-scores`), `report`, corpora (`corpus`, `tokenizer`, `ngram`), `train`, `suite` and `serve`.
A command parses options, shows progress, calls one function and prints a summary; `console.py` holds what all use.
`reference.py` writes docs/cli.md from the commands themselves.
"""
