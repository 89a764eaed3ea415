"""`bidui report`: write all tables and figures of a results folder, and a page that shows them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bidui.benchmarks import judged_benchmarks
from bidui.cli.console import messages
from bidui.cli.scores import USUAL
from bidui.errors import fail
from bidui.files import sha256
from bidui.pairs import read_pairs

if TYPE_CHECKING:  # numpy, polars and matplotlib take a second to load, and other commands do not need them
    from bidui.reports.results import Results
    from bidui.reports.section import Given

MAIN = "slln:0.5"  # the linking function of details, unless --link is given


def report(
    results: Annotated[Path, typer.Argument(help="Folder that contains score folders, training runs, or both.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder for the page, the tables and the figures.")],
    link: Annotated[
        list[str] | None,
        typer.Option("--link", help="Linking function; may be repeated. The first one is used for details."),
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
) -> None:
    """Write all tables (Markdown, LaTeX, CSV) and figures (SVG, PDF, PNG, CSV), and a page that works offline.

    The page also lists what could not be computed, with the reason. Running the command again replaces the report
    and leaves other files in the folder alone.
    """
    from bidui.reports.results import collect
    from bidui.reports.section import Asked
    from bidui.reports.site import check_place, contents, write_report
    from bidui.scores.links import parse_link
    from bidui.words import texts

    links = tuple(parse_link(name) for name in link or USUAL)
    check_place(out)
    given = read_given(pairs=pairs, regions=region or [], ratings=ratings, frequencies=frequencies)
    files = {"--pairs": pairs, "--ratings": ratings, "--frequencies": frequencies}
    console = messages()
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
            say=texts("report", lang).__getitem__,
            language=lang,
            benchmarks=judged_benchmarks(_uids(found)),
            published=published,
            given=given,
        )
        sections = list(contents(found, asked, on_section=show))
        written = write_report(
            sections,
            out=out,
            title=asked.say("title").format(name=results.resolve().name),
            language=lang,
            asked={
                "links": [one.name for one in links],
                "lang": lang,
                "published": published,
                "regions": {name: list(slots) for name, slots in given.regions.items()},
            },
            inputs={**found.inputs, **{option: _hash(path) for option, path in files.items() if path}},
            on_file=show,
        )
    for text in (*map(str, found.problems), *(problem.text() for problem in written.problems)):
        console.print(f"[yellow]{escape(text)}[/]", highlight=False)
    counts = f"models: {len(found.models)}, training runs: {len(found.runs)}"
    typer.echo(f"{written.index} and {written.files - 1} other files; {counts}")


def read_given(*, pairs: Path | None, regions: list[str], ratings: Path | None, frequencies: Path | None) -> "Given":
    """Read the files given in addition to the results, before the long work starts."""
    from bidui.analysis.frequencies import read_frequencies
    from bidui.people.ratings import read_ratings
    from bidui.reports.section import Given
    from bidui.reports.sections.regions import parse_regions

    for option, there in (("--region", bool(regions)), ("--frequencies", frequencies is not None)):
        if there and pairs is None:
            raise fail("report-needs-pairs", None, {"option": option})
    return Given(
        tuple(read_pairs(pairs)) if pairs else None,
        parse_regions(regions),
        read_ratings(ratings) if ratings else None,
        read_frequencies(frequencies) if frequencies else None,
    )


def _hash(path: Path) -> str:
    """Return the hash of a file, or of the names and hashes of all files in a folder."""
    if path.is_file():
        return sha256(path.read_bytes())
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return sha256(
        "".join(f"{file.relative_to(path).as_posix()} {sha256(file.read_bytes())}\n" for file in files).encode()
    )


def _uids(results: "Results") -> set[str]:
    scored = {uid for model in results.models for uid in model.manifest.shards}
    return scored | {uid for run in results.runs for uid in run.uids}
