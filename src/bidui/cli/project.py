"""`bidui new`, `check`, `import-classic` and `export-classic`: create, check and convert projects."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

import bidui
from bidui.cli import count, messages


def new(
    folder: Annotated[Path, typer.Argument(help="Folder of the new project; must be empty or not exist.")],
    lang: Annotated[
        str | None,
        typer.Option(
            help="Language of the sentences, a BCP 47 tag: zh and en have a starter with words, any other a sketch. "
            "Default: zh."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Benchmark or project whose lexicon, relations and phrases to copy, instead of the small project: a "
            "name, a folder or a zip file.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Copy all paradigms of --from, too.")] = False,
    phenomenon: Annotated[
        list[str] | None, typer.Option(help="Copy the paradigms of this phenomenon of --from; may be repeated.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Copy this paradigm of --from; accepts globs; may be repeated.")
    ] = None,
) -> None:
    """Create a small working project: a lexicon, phrases and paradigms to adapt.

    With --from, it has the words of a benchmark instead, and those of its paradigms that you choose.
    """
    name = escape(str(folder))
    if source is None:
        if option := next(filter(None, (every and "--all", phenomenon and "--phenomenon", only and "--only")), None):
            raise bidui.InputError([bidui.Problem("new-needs-from", values={"option": option})])
        bidui.new_project(folder, lang=lang or "zh")
        messages().print(f"{name} is ready; next: bidui check {name}", highlight=False)
        return
    if lang is not None:
        raise bidui.InputError([bidui.Problem("new-from-lang")])
    copied = bidui.derive_project(source, out=folder, only="*" if every else only or (), phenomena=phenomenon or ())
    summary = f"the words of {escape(source)}, {count(len(copied), 'paradigm')}"
    step = f"bidui check {name}" if copied else f"write a paradigm in {name}/paradigms, or run bidui serve {name}"
    messages().print(f"{name}: {summary}; next: {step}", highlight=False)


# `bidui check`: list every problem of a project, with its place.

SEVERITIES = {"error": "错误", "warning": "警告"}


def check(
    project: Annotated[str, typer.Argument(help="Name of a benchmark (zhoblimp), or a project folder or zip.")],
    only: Annotated[list[str] | None, typer.Option(help="Check only this uid; accepts globs; may be repeated.")] = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the messages.")] = "en",
    seconds: Annotated[
        float,
        typer.Option(
            min=0,
            help="Effort for the checks across paradigms, as seconds of an ordinary machine. Steps are counted, so "
            "that every machine gives the same answer; 0 skips these checks.",
        ),
    ] = 100,
) -> None:
    """Report every problem in the files of a project and in the pairs they produce.

    The exit code is 2 if there are errors, and 0 if there are only warnings.
    """
    console = Console(soft_wrap=True, emoji=False)
    with Progress(console=messages(), transient=True) as progress:
        task = progress.add_task("reading", total=None)
        problems = bidui.check(
            project,
            only=only or (),
            seconds=seconds,
            on_progress=lambda stage, done, total: progress.update(
                task, description=f"checking {stage}", completed=done, total=total
            ),
        )
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


# `bidui import-classic`: convert a project in the papers' format to a bidui project.


def import_classic(
    templates: Annotated[Path, typer.Argument(help="Folder of JSON templates.")],
    vocabulary: Annotated[Path, typer.Option(help="Vocabulary file (TSV).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the new project.")],
    phrases: Annotated[Path | None, typer.Option(help="Phrase file (JSON).")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show every problem instead of the first three of each kind.")
    ] = False,
) -> None:
    """Convert templates, vocabulary and phrases in the papers' format to a bidui project."""
    console = messages()
    try:
        converted = bidui.import_classic(templates, vocabulary=vocabulary, phrases=phrases, out=out)
    except bidui.InputError as error:
        _print_folded(error.problems, "[red]error[/]", every=every)
        raise typer.Exit(2) from None
    warnings = len(converted.problems)
    noted = f"; {count(warnings, 'warning')}" if warnings else ""
    console.print(f"{escape(str(out))}: {count(len(converted.paradigms), 'paradigm')}{noted}", highlight=False)
    _print_folded(converted.problems, "[yellow]warning[/]", every=every)


SHOWN = 3  # problems of each kind


def _print_folded(problems: Sequence[bidui.Problem], label: str, *, every: bool) -> None:
    """Print problems; where there are many of a kind, the first ones and how many there are more."""
    console = messages()
    kinds: Counter[str] = Counter()
    for problem in problems:
        kinds[problem.kind] += 1
        if every or kinds[problem.kind] <= SHOWN:
            console.print(f"{label}: {escape(str(problem))}", highlight=False)
    folded = {kind: n - SHOWN for kind, n in kinds.items() if n > SHOWN}
    if folded and not every:
        named = ", ".join(f"{kind}: {n}" for kind, n in folded.items())
        console.print(f"and {sum(folded.values())} more like these ({named}); --all shows them", highlight=False)


# `bidui export-classic`: write paradigms as the papers' JSON templates.


def export_classic(
    project: Annotated[str, typer.Argument(help="Name of a benchmark (zhoblimp), or a project folder or zip.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder for templates, vocabulary and phrases.")],
    only: Annotated[
        list[str] | None, typer.Option(help="Export only this uid; accepts globs; may be repeated.")
    ] = None,
) -> None:
    """Write paradigms as JSON templates in the papers' format.

    A paradigm that uses features the format lacks is skipped with a reason, and the exit code is 1.
    """
    console = messages()
    export = bidui.export_classic(bidui.open_project(project), out=out, only=only or ())
    for problem in export.problems:
        console.print(f"[yellow]skipped[/]: {escape(str(problem))}", highlight=False)
    console.print(f"{escape(str(out))}: {count(len(export.uids), 'template')}", highlight=False)
    raise typer.Exit(1 if export.problems else 0)
