"""The command line: one file per group of commands, each command a typed function over the public API.

`main.py` lists all commands and turns errors into messages and exit codes; open it first. The groups are projects
(`new`, `check`, `import-classic`, `export-classic`), pairs (`generate`, `diversity`, `export-lm-eval`), scores
(`score`, `compare`, `show`, `export-scores`), `trees`, `study`, `report`, corpora (`corpus`, `tokenizer`, `ngram`),
`train` and `push`, `suite` and `serve`. A command parses options, shows progress, calls one function and prints a
summary, with what is below. `reference.py` writes docs/cli.md and docs/api.md from the code itself.
"""

from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

import bidui

# The columns of a table of pairs whose layout is not known
Good = Annotated[str | None, typer.Option("--good", help="Column of the good sentences, for tables in another layout.")]
Bad = Annotated[str | None, typer.Option("--bad", help="Column of the bad sentences.")]
Paradigm = Annotated[
    str | None, typer.Option("--paradigm", help="Column of the paradigm's name. Default: the file name.")
]
Phenomenon = Annotated[str | None, typer.Option("--phenomenon", help="Column of the phenomenon's name.")]


# How a command writes its table
Format = Literal["table", "csv", "json", "latex"]
AsFormat = Annotated[
    Format, typer.Option("--format", help="Output format: a table to read, CSV, JSON, or a table for LaTeX.")
]


# Where a command runs
OnOption = Annotated[
    str,
    typer.Option(
        "--on",
        help="Where to run: local (this process), processes:N (of this machine), or ray[:ADDRESS] (a Ray cluster). The "
        "output is the same.",
    ),
]


def messages() -> Console:
    """Return a console on stderr that neither breaks lines nor turns `:X:` into a picture."""
    return Console(stderr=True, soft_wrap=True, emoji=False)


def show_notes(pairs: bidui.Pairs | bidui.StoredPairs) -> None:
    """Say which layouts were recognised in files of pairs, and what could not be read."""
    for note in pairs.notes:
        messages().print(escape(str(note)), style="yellow", highlight=False)


def show_hint(console: Console, spec: str) -> None:
    """Say, before a model is loaded, that it will be slow to read, and what to do about it."""
    if note := bidui.model_hint(spec):
        console.print(escape(str(note)), style="yellow", highlight=False)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 pair`, `2,000 pairs`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
