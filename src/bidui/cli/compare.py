"""`bidui compare`: accuracy by linking function, from stored scores."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

USUAL = ("lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm")


def compare(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or of several.")],
    link: Annotated[list[str] | None, typer.Option("--link", help="A linking function; may be repeated.")] = None,
    unit: Annotated[
        Literal["tokens", "characters", "bytes"], typer.Option(help="What lengths are counted in.")
    ] = "tokens",
    unigrams: Annotated[Path | None, typer.Option(help="Unigram counts of the model's tokenizer.")] = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Added to every unigram count.")] = 1.0,
) -> None:
    """Accuracy over all pairs, on pairs of equal length (D=), with the good side shorter (D<) and longer (D>).

    delta is the mean distance of D< and D> from D=: 0 means that length plays no part. Ties count one half.
    """
    # here, since polars takes a third of a second to load and other commands do without
    from bidui.scores.choices import choose, length_split
    from bidui.scores.links import parse_link
    from bidui.scores.run import read_scores, score_folders
    from bidui.scores.unigrams import read_unigrams

    model = Column("model", overflow="fold")  # two checkpoints may differ at the end of a long name
    table = Table(model, "link", "pairs", "accuracy", "D=", "D<", "D>", "delta", "ties", box=None)
    for folder in score_folders(results):
        manifest, scores = read_scores(folder)
        known = None
        if unigrams is not None:
            wanted = str(manifest.declared.get("tokenizer", ""))
            known = read_unigrams(unigrams, tokenizer=wanted).logprobs(smoothing=smoothing)
        for name in link or USUAL:
            choices = choose(scores, parse_link(name), unit=unit, unigrams=known)
            split = length_split(choices)
            numbers = (choices.worth.mean(), split.equal, split.good_shorter, split.good_longer, split.delta)
            shown = [f"{100 * number:.2f}" for number in numbers]
            table.add_row(escape(manifest.model), choices.link, f"{len(choices.good):,}", *shown, str(choices.ties))
    Console().print(table)
