"""`bidui export-lm-eval`: pairs as a folder of tasks for lm-evaluation-harness."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from bidui.cli.score import pairs_of
from bidui.pairs import check_new_folder, lm_eval_files, write_new_folder


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
