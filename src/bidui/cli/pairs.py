"""`bidui generate`: pairs from a project or a shipped benchmark."""

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

from bidui.benchmarks import project_folder
from bidui.cli.scores import pairs_of
from bidui.grammar.generate import each_paradigm
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, chosen, load_project
from bidui.pairs import (
    Json,
    Pairs,
    Written,
    check_new_folder,
    lm_eval_files,
    measure_diversity,
    plan_folder,
    read_pairs,
    write_folder,
    write_new_folder,
)


def generate(
    project: Annotated[str, typer.Argument(help="A shipped benchmark (zhoblimp) or a project folder.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Pairs for each paradigm.")] = 300,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for one file a paradigm, and manifest.json.")] = Path(
        "pairs"
    ),
    draw: Annotated[
        Literal["even", "uniform"],
        typer.Option(help="even: words take turns; uniform: every distinct pair is equally likely."),
    ] = "even",
    format: Annotated[Literal["jsonl", "csv", "parquet"], typer.Option(help="The kind of file.")] = "jsonl",
    only: Annotated[list[str] | None, typer.Option(help="Only these uids; globs work; may be repeated.")] = None,
    include_excluded: Annotated[bool, typer.Option("--include-excluded", help="Also the excluded paradigms.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes to use; the bytes are the same.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Write over the pairs of another run.")] = False,
) -> None:
    """Make minimal pairs from a project or a shipped benchmark.

    Exit code 1 if a paradigm has fewer pairs than asked for: what there is is written, with the reason.
    """
    gc.disable()  # what is made lives until the end; collecting would take a fifth of the time
    console = Console(stderr=True, soft_wrap=True, emoji=False)
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
        console.print(f"{escape(str(out))}: nothing to do, these pairs are there already")
        _show(console, Written("unchanged", plan.folder, plan.manifest), n)
        raise typer.Exit(1 if plan.manifest.short else 0)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("generating", total=len(selected))

        def ticking() -> Iterator[Pairs]:
            for made in _made(opened, folder, selected, n=n, seed=seed, draw=draw, workers=workers):
                yield made
                progress.advance(task)

        written = write_folder(plan, ticking())
    gc.freeze()  # or the interpreter would look through it all once more as it exits
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
    if workers == 1 or len(selected) < 2:
        yield from each_paradigm(opened, selected, n=n, seed=seed, draw=draw)
        return
    uids = [paradigm.uid for paradigm in selected]
    shares = [uids[start::workers] for start in range(min(workers, len(uids)))]
    work = partial(_share, folder, n=n, seed=seed, draw=draw)
    with ProcessPoolExecutor(len(shares)) as pool:
        by_uid = dict(pair for share in pool.map(work, shares) for pair in share)
    yield from (by_uid[uid] for uid in uids)


def _share(
    folder: Path, uids: list[str], *, n: int, seed: int, draw: Literal["even", "uniform"]
) -> list[tuple[str, Pairs]]:
    opened = load_project(folder)
    paradigms = [opened.paradigm(uid) for uid in uids]
    return list(zip(uids, each_paradigm(opened, paradigms, n=n, seed=seed, draw=draw), strict=True))


def _show(console: Console, written: Written, n: int) -> None:
    files = written.manifest.files
    pairs = sum(file.pairs for file in files.values())
    console.print(f"{pairs:,} pairs of {len(files)} paradigms in {escape(str(written.folder))}")
    for short in written.manifest.short:
        console.print(f"[yellow]{escape(short.uid)}: {short.given} of {short.asked} pairs[/]", highlight=False)
        console.print(escape(short.reason), highlight=False)


# `bidui diversity`: how varied the words and sentences of pairs are.


def diversity(pairs: Annotated[Path, typer.Argument(help="A file or folder of pairs.")]) -> None:
    """Count character n-grams, word types, words of the lexicon, and length groups."""
    found = measure_diversity(read_pairs(pairs))
    table = Table(show_header=False, box=None)
    rows = [
        ("pairs", f"{found.pairs:,}"),
        ("sentences, distinct", f"{found.sentences:,}, {found.distinct_sentences:,}"),
        *((f"character {n}-gram types", f"{count:,}") for n, count in enumerate(found.ngrams, start=1)),
        ("word types (jieba)", f"{found.jieba_words:,}"),
        ("lexicon words used", f"{found.lexicon_words:,}"),
        ("length, mean and median", f"{found.mean_length:.1f}, {found.median_length:g}"),
        ("D= (equal length)", f"{found.equal:,} ({found.shares.equal:.0%})"),
        ("D< (good shorter)", f"{found.good_shorter:,} ({found.shares.good_shorter:.0%})"),
        ("D> (good longer)", f"{found.good_longer:,} ({found.shares.good_longer:.0%})"),
    ]
    for name, value in rows:
        table.add_row(name, value)
    Console().print(table)


# `bidui export-lm-eval`: pairs as a folder of tasks for lm-evaluation-harness.


def export_lm_eval(
    what: Annotated[str, typer.Argument(help="A shipped benchmark, a project folder, or a file or folder of pairs.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A new folder, for --include_path of the harness.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Pairs for each paradigm, where they are generated.")] = 300,
    seed: Annotated[int, typer.Option(help="Of the pairs, where they are generated.")] = 0,
    name: Annotated[
        str | None, typer.Option(help="The group of all tasks, and how each begins; bidui_ and the pairs' name.")
    ] = None,
) -> None:
    """Write pairs as tasks of lm-evaluation-harness 0.4.13: one a paradigm, groups by phenomenon and of all.

    Its accuracy is that of `bidui compare --link lp`, except that it counts ties as right: see the README.md there.
    """
    check_new_folder(out)
    pairs = pairs_of(what, n=n, seed=seed)
    path = Path(what).resolve()
    group = name or f"bidui_{path.stem if path.is_file() else path.name}"
    write_new_folder(out, lm_eval_files(pairs, name=group))
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    console.print(
        f"{escape(str(out))}: {len(pairs):,} pairs of {len(pairs.by_uid())} paradigms; see README.md there",
        highlight=False,
    )
    for short in pairs.short:
        console.print(f"[yellow]{escape(short.uid)}: {short.given} of {short.asked} pairs[/]", highlight=False)
