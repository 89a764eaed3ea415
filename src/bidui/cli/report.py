"""`bidui report`: every table and figure of a folder of results, and a page that ties them together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bidui.benchmarks import open_project, shipped
from bidui.benchmarks.human import human_agreement
from bidui.cli.compare import USUAL

if TYPE_CHECKING:  # numpy, polars and matplotlib take a second to load, and other commands do without
    from collections.abc import Iterable

    from bidui.report.results import Results
    from bidui.report.section import Benchmark

MAIN = "slln:0.5"  # the linking function of what is shown by one, unless others are asked for


def report(
    results: Annotated[Path, typer.Argument(help="A folder with folders of scores, of training runs, or of both.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the page, the tables and the figures.")],
    link: Annotated[
        list[str] | None,
        typer.Option("--link", help="A linking function; may be repeated. The first is that of the details."),
    ] = None,
    unigrams: Annotated[
        Path | None, typer.Option(help="Unigram counts of the models' tokenizer; else those beside the scores.")
    ] = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="The language of the page, tables and figures.")] = "en",
    published: Annotated[
        bool, typer.Option("--published/--no-published", help="Whether published results stand beside yours.")
    ] = True,
) -> None:
    """Write every table (Markdown, LaTeX, CSV) and figure (SVG, PDF, PNG, CSV), and a page that opens offline.

    What cannot be made of the results is named on the page, with the reason. A second run replaces the report of the
    first, but nothing else.
    """
    from bidui.report.contents import contents
    from bidui.report.results import collect
    from bidui.report.section import Asked
    from bidui.report.words import words
    from bidui.report.write import check_place, write_report
    from bidui.scores.links import parse_link

    links = tuple(parse_link(name) for name in link or USUAL)
    check_place(out)
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*bar, console=console, transient=True) as progress:
        task = progress.add_task("reading", total=None)

        def show(name: str, count: int) -> None:
            same = progress.tasks[task].total == count
            done = progress.tasks[task].completed + 1 if same else 0
            progress.update(task, description=escape(name), total=count, completed=done)

        found = collect(results, unigrams=unigrams, on_folder=lambda folder: show(folder.name, 0))
        asked = Asked(
            links,
            main=links[0].name if link else MAIN,
            usual=not link,
            say=words(lang),
            language=lang,
            benchmarks=known_benchmarks(_uids(found)),
            published=published,
        )
        sections = list(contents(found, asked, on_section=show))
        written = write_report(
            sections,
            out=out,
            title=asked.say("title").format(name=results.resolve().name),
            language=lang,
            asked={"links": [one.name for one in links], "lang": lang, "published": published},
            inputs=found.inputs,
            on_file=show,
        )
    for text in (*map(str, found.problems), *(problem.text() for problem in written.problems)):
        console.print(f"[yellow]{escape(text)}[/]", highlight=False)
    counts = f"models: {len(found.models)}, training runs: {len(found.runs)}"
    typer.echo(f"{written.index} and {written.files - 1} other files; {counts}")


def known_benchmarks(uids: "Iterable[str]") -> "tuple[Benchmark, ...]":
    """What is known of the shipped benchmarks that have these paradigms; the others need not be opened."""
    from bidui.report.section import Benchmark

    wanted, found = set(uids), []
    for name, folder in shipped().items():
        if not (folder / "human.tsv").is_file():
            continue
        people = {
            one.name: (one.correct, one.judgements)
            for one in human_agreement(folder)
            if one.level == "paradigm" and one.correct is not None and one.judgements is not None
        }
        kinds = {one.uid: one.status for one in open_project(name).paradigms} if wanted <= people.keys() else {}
        found.append(Benchmark(name, kinds, people))
    return tuple(found)


def _uids(results: "Results") -> set[str]:
    scored = {uid for model in results.models for uid in model.manifest.shards}
    return scored | {uid for run in results.runs for uid in run.uids}
