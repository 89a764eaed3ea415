"""`bidui report`: write all tables and figures of a results folder, and a page that shows them."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

import bidui
from bidui.cli import Bad, Good, OnOption, Paradigm, Phenomenon, messages, show_notes
from bidui.cli.scores import LINK


def report(
    results: Annotated[Path, typer.Argument(help="Folder that contains score folders, training runs, or both.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder for the page, the tables and the figures.")],
    link: Annotated[
        list[str] | None,
        typer.Option("--link", help=f"{LINK}; may be repeated. The first one is used for details."),
    ] = None,
    unigrams: Annotated[
        Path | None,
        typer.Option(
            help="File of unigram counts for the models' tokenizer. Default: the counts stored with the scores."
        ),
    ] = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the page, tables and figures.")] = "en",
    published: Annotated[
        bool, typer.Option("--published/--no-published", help="Show published results next to yours.")
    ] = True,
    pairs: Annotated[
        Path | None, typer.Option(help="File or folder of the scored pairs; adds an analysis by region.")
    ] = None,
    good: Good = None,
    bad: Bad = None,
    paradigm: Paradigm = None,
    phenomenon: Phenomenon = None,
    region: Annotated[
        list[str] | None,
        typer.Option("--region", help="Custom region, NAME=slot,slot; may be repeated. Requires --pairs."),
    ] = None,
    ratings: Annotated[
        Path | None, typer.Option(help="Table of graded ratings with columns rater, uid, pair, side, rating.")
    ] = None,
    frequencies: Annotated[
        Path | None, typer.Option(help="Corpus word list: one word and its count per line. Requires --pairs.")
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(help="Folder of a study: show its people beside the models, on the pairs that they judged."),
    ] = None,
    on: OnOption = "local",
) -> None:
    """Write all tables (Markdown, LaTeX, CSV) and figures (SVG, PDF, PNG, CSV), and a page that works offline.

    The page also lists what could not be computed, with the reason. Running the command again replaces the
    earlier report; a folder that holds anything else is refused.
    """
    console = messages()
    columns = {"good": good, "bad": bad, "paradigm": paradigm, "phenomenon": phenomenon}
    if pairs is None and (named := [f"--{name}" for name, column in columns.items() if column is not None]):
        raise bidui.InputError([bidui.Problem("report-needs-pairs", values={"option": named[0]})])
    scored = bidui.read_pairs(pairs, **columns) if pairs is not None and any(columns.values()) else pairs
    if isinstance(scored, bidui.Pairs):
        show_notes(scored)
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*bar, console=console, transient=True) as progress:
        task = progress.add_task("reading", total=None)

        def show(name: str, count: int) -> None:
            same = progress.tasks[task].total == count
            done = progress.tasks[task].completed + 1 if same else 0
            progress.update(task, description=escape(name), total=count, completed=done)

        site = bidui.report(
            results,
            out=out,
            links=link or (),
            unigrams=unigrams,
            language=lang,
            published=published,
            pairs=scored,
            regions=region or (),
            ratings=ratings,
            frequencies=frequencies,
            study=study,
            on=on,
            on_step=show,
        )
    for problem in site.problems:
        console.print(f"[yellow]{escape(str(problem))}[/]", highlight=False)
    counts = f"models: {site.models}, training runs: {site.runs}"
    typer.echo(f"{site.index} and {site.files - 1} other files; {counts}")
