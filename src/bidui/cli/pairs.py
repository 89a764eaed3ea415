"""`bidui generate`, `diversity` and `export-lm-eval`: make pairs, measure them, and pass them on."""

import gc
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from bidui.benchmarks import find_pairs, project_folder
from bidui.cli.console import count, messages
from bidui.files import Json, check_new_folder, write_new_folder
from bidui.grammar.generate import ProjectSource
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, chosen, load_project
from bidui.pairs import Pairs, Written, lm_eval_files, measure_diversity, plan_folder, read_pairs, write_folder


def generate(
    project: Annotated[str, typer.Argument(help="Name of a shipped benchmark (zhoblimp), or a project folder.")],
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
    workers: Annotated[int, typer.Option(min=1, help="Number of processes; does not change the output.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Overwrite pairs made with different settings.")] = False,
) -> None:
    """Generate minimal pairs from a project or a shipped benchmark.

    The exit code is 1 if a paradigm has fewer pairs than requested: the pairs that exist are still written, and the
    reason is shown.
    """
    gc.disable()  # everything made lives until the end; collection would take a fifth of the time
    console = messages()
    folder = project_folder(project)
    opened = load_project(folder)
    selected = chosen(opened.paradigms, only=only or (), excluded=include_excluded)
    asked: dict[str, Json] = {
        "project": opened.settings.name,
        "n": n,
        "seed": seed,
        "draw": draw,
        "only": [*sorted(only or ())],
        "include_excluded": include_excluded,
    }
    plan = plan_folder(out, asked=asked, inputs=opened.inputs, format=format, force=force)
    if plan.unchanged:
        console.print(f"{escape(str(out))}: nothing to do, these pairs already exist")
        _show(console, Written("unchanged", plan.folder, plan.manifest), n)
        raise typer.Exit(1 if plan.manifest.short else 0)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("generating", total=len(selected))

        def ticking() -> Iterator[Pairs]:
            for made in _made(opened, folder, selected, n=n, seed=seed, draw=draw, workers=workers):
                yield made
                progress.advance(task)

        written = write_folder(plan, ticking())
    gc.freeze()  # otherwise the interpreter would scan it all again at exit
    _show(console, written, n)
    raise typer.Exit(1 if written.manifest.short else 0)


def _made(
    opened: Project,
    folder: Path,
    selected: tuple[Paradigm, ...],
    *,
    n: int,
    seed: int,
    draw: Literal["even", "uniform"],
    workers: int,
) -> Iterator[Pairs]:
    uids = [paradigm.uid for paradigm in selected]
    if workers == 1 or len(uids) < 2:
        yield from ProjectSource(opened).pairs(uids, n=n, seed=seed, draw=draw)
        return
    shares = [uids[start::workers] for start in range(min(workers, len(uids)))]
    work = partial(_share, folder, n=n, seed=seed, draw=draw)
    with ProcessPoolExecutor(len(shares)) as pool:
        by_uid = dict(pair for share in pool.map(work, shares) for pair in share)
    yield from (by_uid[uid] for uid in uids)


def _share(
    folder: Path, uids: list[str], *, n: int, seed: int, draw: Literal["even", "uniform"]
) -> list[tuple[str, Pairs]]:
    opened = load_project(folder)
    return list(zip(uids, ProjectSource(opened).pairs(uids, n=n, seed=seed, draw=draw), strict=True))


def _show(console: Console, written: Written, n: int) -> None:
    files = written.manifest.files
    pairs = sum(file.pairs for file in files.values())
    summary = f"{count(pairs, 'pair')} in {count(len(files), 'paradigm')}"
    console.print(f"{escape(str(written.folder))}: {summary}", highlight=False)
    for short in written.manifest.short:
        console.print(f"[yellow]{escape(short.uid)}: {short.given} of {short.asked} pairs[/]", highlight=False)
        console.print(escape(short.reason), highlight=False)


# `bidui diversity`: measure how varied the words and sentences of pairs are.


def diversity(pairs: Annotated[Path, typer.Argument(help="A file or folder of pairs.")]) -> None:
    """Count character n-grams, word types, lexicon words and length groups in pairs."""
    measured = measure_diversity(read_pairs(pairs))
    table = Table(show_header=False, box=None)
    rows = [
        ("pairs", f"{measured.pairs:,}"),
        ("sentences, distinct", f"{measured.sentences:,}, {measured.distinct_sentences:,}"),
        *((f"character {n}-gram types", f"{count:,}") for n, count in enumerate(measured.ngrams, start=1)),
        ("word types (jieba)", f"{measured.jieba_words:,}"),
        ("lexicon words used", f"{measured.lexicon_words:,}"),
        ("length, mean and median", f"{measured.mean_length:.1f}, {measured.median_length:g}"),
        ("D= (equal length)", f"{measured.equal:,} ({measured.shares.equal:.0%})"),
        ("D< (good shorter)", f"{measured.good_shorter:,} ({measured.shares.good_shorter:.0%})"),
        ("D> (good longer)", f"{measured.good_longer:,} ({measured.shares.good_longer:.0%})"),
    ]
    for name, value in rows:
        table.add_row(name, value)
    Console().print(table)


# `bidui export-lm-eval`: write pairs as a folder of tasks for lm-evaluation-harness.


def export_lm_eval(
    what: Annotated[
        str, typer.Argument(help="Name of a shipped benchmark, a project folder, or a file or folder of pairs.")
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
) -> None:
    """Write pairs as tasks for lm-evaluation-harness 0.4.13: one per paradigm, grouped by phenomenon and all together.

    The harness reports the accuracy of `bidui compare --link lp`, except that it counts ties as correct; see the
    README.md in the output folder.
    """
    check_new_folder(out)
    pairs = find_pairs(what, n=n, seed=seed)
    path = Path(what).resolve()
    group = name or f"bidui_{path.stem if path.is_file() else path.name}"
    write_new_folder(out, lm_eval_files(pairs, name=group))
    console = messages()
    summary = f"{count(len(pairs), 'pair')} in {count(len(pairs.by_uid()), 'paradigm')}"
    console.print(f"{escape(str(out))}: {summary}; see its README.md", highlight=False)
    for short in pairs.short:
        console.print(f"[yellow]{escape(short.uid)}: {short.given} of {short.asked} pairs[/]", highlight=False)
