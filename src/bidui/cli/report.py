"""`bidui report`: every table and figure of a folder of results, and a page that ties them together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bidui.benchmarks import open_project, shipped
from bidui.benchmarks.human import human_agreement
from bidui.cli.scores import USUAL
from bidui.errors import fail
from bidui.pairs import read_pairs, sha256

if TYPE_CHECKING:  # numpy, polars and matplotlib take a second to load, and other commands do without
    from collections.abc import Iterable

    from bidui.reports.results import Results
    from bidui.reports.section import Benchmark, Given

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
    pairs: Annotated[
        Path | None, typer.Option(help="The pairs that were scored, a file or a folder: where in them good ones lead.")
    ] = None,
    region: Annotated[
        list[str] | None,
        typer.Option("--region", help="A region of one's own, NAME=slot,slot; may be repeated. Needs --pairs."),
    ] = None,
    ratings: Annotated[
        Path | None, typer.Option(help="Graded ratings of the sentences: rater, uid, pair, side, rating.")
    ] = None,
    frequencies: Annotated[
        Path | None, typer.Option(help="A list of words with their counts in a corpus, a word a line. Needs --pairs.")
    ] = None,
) -> None:
    """Write every table (Markdown, LaTeX, CSV) and figure (SVG, PDF, PNG, CSV), and a page that opens offline.

    What cannot be made of the results is named on the page, with the reason. A second run replaces the report of the
    first, but nothing else.
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
            say=texts("report", lang).__getitem__,
            language=lang,
            benchmarks=known_benchmarks(_uids(found)),
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
    """What stands in the files that were given beside the results; all of it is read before the long work."""
    from bidui.analysis.frequencies import read_frequencies
    from bidui.analysis.rating_files import read_ratings
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
    """Of a file; of a folder, of the hashes of all its files by name."""
    if path.is_file():
        return sha256(path.read_bytes())
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return sha256(
        "".join(f"{file.relative_to(path).as_posix()} {sha256(file.read_bytes())}\n" for file in files).encode()
    )


def known_benchmarks(uids: "Iterable[str]") -> "tuple[Benchmark, ...]":
    """What is known of the shipped benchmarks that have these paradigms; the others need not be opened."""
    from bidui.reports.section import Benchmark

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
