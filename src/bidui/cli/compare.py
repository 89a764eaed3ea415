"""`bidui compare`: accuracy by linking function, from stored scores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from bidui.benchmarks import shipped
from bidui.benchmarks.human import PUBLISHED_PAIRS, human_agreement, pooled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bidui.scores.links import Floats
    from bidui.scores.run import ScoreManifest

USUAL = ("lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm")


def compare(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or of several.")],
    link: Annotated[list[str] | None, typer.Option("--link", help="A linking function; may be repeated.")] = None,
    unit: Annotated[
        Literal["tokens", "characters", "bytes"], typer.Option(help="What lengths are counted in.")
    ] = "tokens",
    unigrams: Annotated[Path | None, typer.Option(help="Unigram counts of the model's tokenizer.")] = None,
    by: Annotated[
        Literal["overall", "phenomenon", "paradigm"],
        typer.Option(help="Accuracy of each, with the first linking function (slln:0.5 unless given)."),
    ] = "overall",
    smoothing: Annotated[float, typer.Option(min=0, help="Added to every unigram count.")] = 1.0,
) -> None:
    """Accuracy over all pairs, on pairs of equal length (D=), with the good side shorter (D<) and longer (D>).

    delta is the mean distance of D< and D> from D=: 0 means that length plays no part. Ties count one half; near
    ties, which rounding could turn, are counted too.
    """
    # here, since polars takes a third of a second to load and other commands do without
    from bidui.scores.choices import choose, length_split
    from bidui.scores.links import parse_link
    from bidui.scores.run import read_scores, score_folders

    if by != "overall":
        _by_group(score_folders(results), (link or ["slln:0.5"])[0], by, unit, unigrams, smoothing)
        return
    model = Column("model", overflow="fold")  # two checkpoints may differ at the end of a long name
    table = Table(model, "link", "pairs", "accuracy", "D=", "D<", "D>", "delta", "ties", "near", box=None)
    for folder in score_folders(results):
        manifest, scores = read_scores(folder)
        known = _known(manifest, unigrams, smoothing)
        for name in link or USUAL:
            choices = choose(scores, parse_link(name), unit=unit, unigrams=known)
            split = length_split(choices)
            numbers = (choices.worth.mean(), split.equal, split.good_shorter, split.good_longer, split.delta)
            shown = [f"{100 * number:.2f}" for number in numbers]
            pairs, ties = f"{len(choices.good):,}", (str(choices.ties), str(choices.near_ties))
            table.add_row(escape(manifest.model), choices.link, pairs, *shown, *ties)
    Console().print(table)


def _known(manifest: "ScoreManifest", unigrams: Path | None, smoothing: float) -> "Floats | None":
    from bidui.scores.unigrams import read_unigrams

    if unigrams is None:
        return None
    wanted = str(manifest.declared.get("tokenizer", ""))
    return read_unigrams(unigrams, tokenizer=wanted).logprobs(smoothing=smoothing)


def _by_group(
    folders: "Sequence[Path]",
    link: str,
    by: Literal["phenomenon", "paradigm"],
    unit: Literal["tokens", "characters", "bytes"],
    unigrams: Path | None,
    smoothing: float,
) -> None:
    """A row a paradigm or phenomenon, a column a model; people beside them where published figures are known."""
    from bidui.analysis.accuracy import accuracy
    from bidui.scores.choices import choose
    from bidui.scores.links import parse_link
    from bidui.scores.run import read_scores

    found: dict[str, dict[str, float]] = {}
    groups: dict[str, set[str]] = {}
    for folder in folders:
        manifest, scores = read_scores(folder)
        known = _known(manifest, unigrams, smoothing)
        choices = choose(scores, parse_link(link), unit=unit, unigrams=known)
        numbers = {**accuracy(choices, by=by), **accuracy(choices)}
        found[manifest.model] = {name: number.value for name, number in numbers.items()}
        names = choices.uids if by == "paradigm" else choices.phenomena
        for name, uid in zip(names.tolist(), choices.uids.tolist(), strict=True):
            groups.setdefault(name, set()).add(uid)
            groups.setdefault("all", set()).add(uid)
    people = _people(groups)
    heads = [Column(escape(model), overflow="fold", justify="right") for model in found]
    table = Table(by, *heads, *(["people*"] if people else []), box=None)
    for name in [*sorted(groups.keys() - {"all"}), "all"]:
        cells = [f"{100 * numbers[name]:.2f}" if name in numbers else "" for numbers in found.values()]
        table.add_row(escape(name), *cells, *([people.get(name, "")] if people else []))
    Console().print(table)
    typer.echo(f"accuracy in per cent, linking function {link}")
    if people:
        typer.echo(f"* how often people chose the good sentence of the {PUBLISHED_PAIRS}, pooled from published counts")


def _people(groups: "Mapping[str, set[str]]") -> dict[str, str]:
    """Published human agreement with each group of paradigms, if it is known for all of them."""
    counts = {a.name: a for a in human_agreement(shipped()["zhoblimp"]) if a.level == "paradigm"}
    if not groups or not groups["all"] <= counts.keys():
        return {}
    return {name: f"{pooled(counts[uid] for uid in uids):.2f}" for name, uids in groups.items()}
