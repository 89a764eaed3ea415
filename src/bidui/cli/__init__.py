"""The command line: one file per group of commands, each command a typed function over the public API.

`main.py` lists all commands and turns errors into messages and exit codes; open it first. The groups are projects
(`new`, `check`, `import-classic`, `export-classic`), pairs (`generate`, `diversity`, `export-lm-eval`), scores
(`score`, `compare`, `export-scores`), `report`, corpora (`corpus`, `tokenizer`, `ngram`), `train`, `suite` and `serve`.
A command parses options, shows progress, calls one function and prints a summary, with what is below.
`reference.py` writes docs/cli.md and docs/api.md from the code itself.
"""

from rich.console import Console


def messages() -> Console:
    """Return a console on stderr that neither breaks lines nor turns `:X:` into a picture."""
    return Console(stderr=True, soft_wrap=True, emoji=False)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 pair`, `2,000 pairs`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
