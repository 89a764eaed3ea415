"""`bidui generate`, `diversity` and `export-lm-eval`: make pairs, measure them, and pass them on."""

import gc
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

import bidui
from bidui.cli import AsFormat, Bad, Format, Good, OnOption, Paradigm, Phenomenon, count, messages, show_notes


def generate(
    project: Annotated[str, typer.Argument(help="Name of a benchmark (zhoblimp, sling), or a project folder or zip.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of pairs per paradigm.")] = 300,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same bytes.")] = 0,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Output folder: one file per paradigm, and manifest.json.")
    ] = Path("pairs"),
    draw: Annotated[
        Literal["even", "uniform"],
        typer.Option(help="Sampling method. even: words take turns; uniform: every distinct pair is equally likely."),
    ] = "even",
    format: Annotated[Literal["jsonl", "csv", "parquet"], typer.Option(help="File format of the pairs.")] = "jsonl",
    only: Annotated[
        list[str] | None, typer.Option(help="Generate only this uid; accepts globs; may be repeated.")
    ] = None,
    include_excluded: Annotated[
        bool, typer.Option("--include-excluded", help="Include the paradigms the authors excluded.")
    ] = False,
    on: OnOption = "local",
    force: Annotated[bool, typer.Option("--force", help="Overwrite pairs made with different settings.")] = False,
    trees: Annotated[
        list[str] | None,
        typer.Option(
            help="Treebank file, folder or glob whose phrases replace those that the project takes from trees; may be "
            "repeated."
        ),
    ] = None,
) -> None:
    """Generate minimal pairs from a project or a benchmark.

    The exit code is 1 if a paradigm has fewer pairs than requested: the pairs that exist are still written, and the
    reason is shown.
    """
    gc.disable()  # everything made lives until the end; collection would take a fifth of the time
    console = messages()
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("generating", total=None)
        written = bidui.generate_folder(
            _with_trees(console, project, trees) if trees else project,
            out=out,
            n=n,
            seed=seed,
            draw=draw,
            only=only or (),
            include_excluded=include_excluded,
            format=format,
            on=on,
            force=force,
            on_paradigm=lambda done, total: progress.update(task, completed=done, total=total),
        )
    gc.freeze()  # otherwise the interpreter would scan it all again at exit
    if written.outcome == "unchanged":
        console.print(f"{escape(str(out))}: nothing to do, these pairs already exist")
    _show(console, written)
    raise typer.Exit(1 if written.manifest.short else 0)


def _with_trees(console: Console, project: str, trees: list[str]) -> bidui.Project:
    """Open a project with other trees, and say what could not be used of them."""
    opened = bidui.open_project(project, trees=trees)
    for problem in opened.problems:
        console.print(escape(str(problem)), style="yellow", highlight=False)
    return opened


def _show(console: Console, written: bidui.Written) -> None:
    files = written.manifest.files
    pairs = sum(file.pairs for file in files.values())
    summary = f"{count(pairs, 'pair')} in {count(len(files), 'paradigm')}"
    console.print(f"{escape(str(written.folder))}: {summary}", highlight=False)
    for short in written.manifest.short:
        console.print(f"[yellow]{escape(short.uid)}: {short.given} of {short.asked} pairs[/]", highlight=False)
        console.print(escape(short.reason), highlight=False)


# `bidui diversity`: measure how varied the words and sentences of pairs are.


def diversity(
    what: Annotated[
        list[str],
        typer.Argument(
            help="A file, archive or folder of pairs, the name of a benchmark, or a project; several to compare them."
        ),
    ],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of pairs to generate per paradigm.")] = 300,
    seed: Annotated[int, typer.Option(help="Random seed for generating pairs, and for samples of sentences.")] = 0,
    sentences: Annotated[
        int | None,
        typer.Option(min=1, help="Number of sentences in the samples that are compared. Default: the smallest set."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Folder for the comparison as diversity.csv, .md and .tex."),
    ] = None,
    good: Good = None,
    bad: Bad = None,
    paradigm: Paradigm = None,
    phenomenon: Phenomenon = None,
    lang: Annotated[
        str | None,
        typer.Option(help="Language of the sentences, a BCP 47 tag; default: recognized by blanks and characters."),
    ] = None,
    format: AsFormat = "table",
) -> None:
    """Count n-grams, word types, lexicon words and length groups in pairs.

    Lengths and n-grams are counted in words where blanks separate them, as in English, and otherwise in characters.
    Several sets of pairs are compared as wholes and, since more sentences have more types, in samples of the same
    number of sentences, as in Table 6 of SLING.
    """
    columns = {"good": good, "bad": bad, "paradigm": paradigm, "phenomenon": phenomenon}
    sets = {name: bidui.find_pairs(one, n=n, seed=seed, **columns) for one, name in _names(what).items()}
    for pairs in sets.values():
        show_notes(pairs)
    if len(sets) > 1 or sentences or out:
        _show_comparison(bidui.compare_diversity(sets, sentences=sentences, seed=seed, lang=lang), out, format)
        return
    [[name, pairs]] = sets.items()
    measured = bidui.measure_diversity(pairs, lang=lang)
    words = "-" if measured.word_types is None else f"{measured.word_types:,}"
    if format in ("csv", "json"):
        [fields] = measured.frame.to_dicts()
        text = bidui.table_text([fields], "csv") if format == "csv" else f"{json.dumps(fields, indent=1)}\n"
        typer.echo(text, nl=False)
        return
    rows = [
        ("pairs", f"{measured.pairs:,}"),
        ("sentences, distinct", f"{measured.sentences:,}, {measured.distinct_sentences:,}"),
        *(
            (f"{measured.unit.removesuffix('s')} {n}-gram types", f"{count:,}")
            for n, count in enumerate(measured.ngrams, start=1)
        ),
        (f"word types ({measured.segmenter or 'no segmenter for this language'})", words),
        ("lexicon words used", f"{measured.lexicon_words:,}"),
        (f"length in {measured.unit}, mean and median", f"{measured.mean_length:.1f}, {measured.median_length:g}"),
        ("D= (equal length)", f"{measured.equal:,} ({measured.shares.equal:.0%})"),
        ("D< (good shorter)", f"{measured.good_shorter:,} ({measured.shares.good_shorter:.0%})"),
        ("D> (good longer)", f"{measured.good_longer:,} ({measured.shares.good_longer:.0%})"),
    ]
    if format == "latex":
        lines = [{"measure": name, "value": value} for name, value in rows]
        typer.echo(bidui.table_text(lines, "latex", name="diversity", title=f"Diversity of {name}"), nl=False)
        return
    table = Table(show_header=False, box=None)
    for name, value in rows:
        table.add_row(name, value)
    Console().print(table)


def _names(what: Sequence[str]) -> dict[str, str]:
    """Return short names for sets of pairs, by what was given; the whole path where two would have the same."""
    short = {
        one: re.sub(r"(\.(zip|tar|gz|xz|bz2|zst|jsonl|csv|tsv|parquet|txt))+$", "", Path(one).name) for one in what
    }
    return {one: name if list(short.values()).count(name) == 1 else one for one, name in short.items()}


def _show_comparison(table: bidui.DiversityTable, out: Path | None, format: Format) -> None:
    """Print a comparison, or write it in three formats."""
    named = {"name": "diversity", "title": "Types in sets of pairs, and in samples"}
    if out is not None:
        files = ", ".join(file.name for file in bidui.write_table(table.rows, out, **named))
        messages().print(f"{escape(str(out))}: {files}", highlight=False)
    elif format != "table":
        typer.echo(bidui.table_text(table.rows, format, **named), nl=False)
    else:
        shown = Table(box=None)
        for number, head in enumerate(table.rows[0]):
            shown.add_column(head, justify="right" if number else "left")
        for row in table.rows:
            shown.add_row(
                *("-" if cell is None else cell if isinstance(cell, str) else f"{cell:,}" for cell in row.values())
            )
        Console().print(shown)


# `bidui export-lm-eval`: write pairs as a folder of tasks for lm-evaluation-harness.


def export_lm_eval(
    what: Annotated[
        str,
        typer.Argument(help="Name of a benchmark, a project, or a file, archive or folder of pairs."),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="New output folder, to pass to the harness as --include_path.")
    ],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of pairs to generate per paradigm.")] = 300,
    seed: Annotated[int, typer.Option(help="Random seed for generating the pairs.")] = 0,
    name: Annotated[
        str | None,
        typer.Option(
            help="Name of the group of all tasks, and prefix of each; default: bidui_ plus the name of the pairs."
        ),
    ] = None,
    good: Good = None,
    bad: Bad = None,
    paradigm: Paradigm = None,
    phenomenon: Phenomenon = None,
) -> None:
    """Write pairs as tasks for lm-evaluation-harness 0.4.13: one per paradigm, grouped by phenomenon and all together.

    The harness reports the accuracy of `bidui compare --link lp`, except that it counts ties as correct; see the
    README.md in the output folder.
    """
    bidui.check_new_folder(out)
    pairs = bidui.find_pairs(what, n=n, seed=seed, good=good, bad=bad, paradigm=paradigm, phenomenon=phenomenon)
    show_notes(pairs)
    path = Path(what).resolve()
    group = name or f"bidui_{path.stem if path.is_file() else path.name}"
    bidui.export_lm_eval(pairs, out=out, name=group)
    console = messages()
    summary = f"{count(len(pairs), 'pair')} in {count(len(pairs.by_uid()), 'paradigm')}"
    console.print(f"{escape(str(out))}: {summary}; see its README.md", highlight=False)
    for short in pairs.short:
        console.print(f"[yellow]{escape(short.uid)}: {short.given} of {short.asked} pairs[/]", highlight=False)
