"""`bidui import-classic`: a ZhoBLiMP project as published, made into a project of ours."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from bidui.grammar.classic import losses, read_classic, write_import
from bidui.grammar.project import load_project


def import_classic(
    templates: Annotated[Path, typer.Argument(help="The folder of JSON templates.")],
    vocabulary: Annotated[Path, typer.Option(help="The vocabulary TSV.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder of the new project.")],
    phrases: Annotated[Path | None, typer.Option(help="The phrase JSON.")] = None,
) -> None:
    """Read templates, vocabulary and phrases in the papers' own format, and write them as a project."""
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    read = read_classic(templates, vocabulary=vocabulary, phrases=phrases)
    for problem in read.problems:
        if problem.severity == "warning":
            console.print(f"[yellow]warning[/]: {escape(str(problem))}", highlight=False)
    write_import(read, out)
    for problem in losses(load_project(out)):
        console.print(f"[yellow]warning[/]: {escape(str(problem))}", highlight=False)
    console.print(f"{len(read.paradigms)} paradigms in {escape(str(out))}", highlight=False)
