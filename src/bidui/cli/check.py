"""`bidui check`: every problem of a project, with its place."""

from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from bidui.benchmarks import project_folder
from bidui.grammar.checks import check_project
from bidui.grammar.project import read_project

SEVERITIES = {"error": "错误", "warning": "警告"}


def check(
    project: Annotated[str, typer.Argument(help="A shipped benchmark or a project folder.")],
    only: Annotated[list[str] | None, typer.Option(help="Only these uids; globs work; may be repeated.")] = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the messages.")] = "en",
    seconds: Annotated[
        float, typer.Option(min=0, help="Time for the checks across paradigms; 0 leaves them out.")
    ] = 100,
) -> None:
    """Report every problem of every file, and of the pairs that follow from them.

    Exit code 2 if there is an error; warnings alone leave it at 0.
    """
    console = Console(soft_wrap=True, emoji=False)
    problems = check_project(read_project(project_folder(project)), only=only or (), seconds=seconds)
    for problem in problems:
        where = f"{escape(problem.place.text(lang))}: " if str(problem.place) else ""
        colour = "red" if problem.severity == "error" else "yellow"
        severity = SEVERITIES[problem.severity] if lang == "zh" else problem.severity
        console.print(f"{where}[{colour}]{severity}[/]: {escape(problem.text(lang))}", highlight=False)
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    if lang == "zh":
        console.print(f"{errors} 个错误，{warnings} 个警告")
    else:
        console.print(f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}")
    raise typer.Exit(2 if errors else 0)
