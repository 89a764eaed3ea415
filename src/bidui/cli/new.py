"""`bidui new`: a small project that works, to start from."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from bidui.grammar.starter import write_starter


def new(
    folder: Annotated[Path, typer.Argument(help="The project's folder; it must not exist or be empty.")],
    lang: Annotated[Literal["zh", "en"], typer.Option(help="The language of the sentences.")] = "zh",
) -> None:
    """Make a small project that works: a lexicon, phrases and paradigms to change."""
    write_starter(folder, lang=lang)
    Console(stderr=True, soft_wrap=True, emoji=False).print(
        f"{escape(str(folder))} is ready; next: bidui check {escape(str(folder))}", highlight=False
    )
