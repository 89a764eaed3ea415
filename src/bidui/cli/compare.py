"""`bidui compare`: accuracy by linking function, from stored scores."""

from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from bidui.benchmarks import shipped
from bidui.benchmarks.human import PUBLISHED_PAIRS, human_agreement, pooled
from bidui.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bidui.scores.choices import Choices
    from bidui.scores.links import Link
    from bidui.scores.run import ScoreManifest
    from bidui.scores.totals import PairTotals

Unit = Literal["tokens", "characters", "bytes"]
USUAL = ("lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm")
FITTED = "* beta and gamma fitted to one half of each paradigm's pairs and used on the other half, both ways"


def compare(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or of several.")],
    link: Annotated[list[str] | None, typer.Option("--link", help="A linking function; may be repeated.")] = None,
    unit: Annotated[Unit, typer.Option(help="What linking functions count lengths in.")] = "tokens",
    groups: Annotated[Unit, typer.Option(help="What D=, D< and D> count lengths in.")] = "tokens",
    unigrams: Annotated[
        Path | None,
        typer.Option(help="Unigram counts of the model's tokenizer; else those beside the scores."),
    ] = None,
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
    from bidui.scores.links import parse_link
    from bidui.scores.run import score_folders

    if by != "overall":
        chosen = parse_link((link or ["slln:0.5"])[0])
        _by_group(score_folders(results), chosen, by, unit=unit, unigrams=unigrams, smoothing=smoothing)
        return
    links = [parse_link(name) for name in link or USUAL]
    needed = not link or any(one.needs_unigrams for one in links)
    model = Column("model", overflow="fold")  # two checkpoints may differ at the end of a long name
    heads = (model, "link", "pairs", "accuracy", "D=", "D<", "D>", "delta", "ties", "near")
    table = Table(*heads, box=None, padding=(0, 2, 0, 0))
    notes = []
    for manifest, totals in _stored(score_folders(results), unigrams, smoothing, needed=needed):
        found, note = _choices(totals, links, usual=not link, unit=unit, groups=groups)
        notes += [note] if note in ("", FITTED) else [f"{manifest.model}: {note}"]
        for choices in found:
            table.add_row(escape(manifest.model), choices.link, *_shown(choices))
    Console().print(table)
    for note in dict.fromkeys(filter(None, notes)):
        typer.echo(note)


def _choices(
    totals: "PairTotals", links: "Sequence[Link]", *, usual: bool, unit: Unit, groups: Unit
) -> "tuple[list[Choices], str]":
    """The choices by each linking function; SLOR and MORCELA join the usual ones if unigrams are known, with a note."""
    from bidui.scores.choices import choose_from
    from bidui.scores.links import slor

    found = [choose_from(totals, link, unit=unit, groups=groups) for link in links]
    if not usual or totals.unigram is None:
        return found, ""
    from bidui.analysis.morcela import held_out_morcela

    found.append(choose_from(totals, slor(), unit=unit, groups=groups))
    try:
        fitted = held_out_morcela(totals, seed=0, unit=unit, groups=groups).choices
    except InputError as error:  # as for a model that has learnt nothing yet
        return found, str(error)
    return [*found, replace(fitted, link="morcela*")], FITTED


def _shown(choices: "Choices") -> tuple[str, ...]:
    from bidui.scores.choices import length_split

    split = length_split(choices)
    numbers = (choices.worth.mean(), split.equal, split.good_shorter, split.good_longer, split.delta)
    shown = ["–" if isnan(number) else f"{100 * number:.2f}" for number in numbers]  # a group may have no pairs
    return (f"{len(choices.good):,}", *shown, str(choices.ties), str(choices.near_ties))


def _stored(
    folders: "Sequence[Path]", unigrams: Path | None, smoothing: float, *, needed: bool
) -> "Iterator[tuple[ScoreManifest, PairTotals]]":
    """The totals of every model; with unigrams that were asked for, or that stand beside the scores and are needed."""
    from bidui.scores.run import read_totals
    from bidui.scores.unigrams import UNIGRAMS

    for folder in folders:
        own = folder / UNIGRAMS
        known = unigrams or (own if needed and own.is_file() else None)
        yield read_totals(folder, unigrams=known, smoothing=smoothing)


def _by_group(
    folders: "Sequence[Path]",
    link: "Link",
    by: Literal["phenomenon", "paradigm"],
    *,
    unit: Unit,
    unigrams: Path | None,
    smoothing: float,
) -> None:
    """A row a paradigm or phenomenon, a column a model; people beside them where published figures are known."""
    from bidui.analysis.accuracy import accuracy
    from bidui.scores.choices import choose_from

    found: dict[str, dict[str, float]] = {}
    groups: dict[str, set[str]] = {}
    for manifest, totals in _stored(folders, unigrams, smoothing, needed=link.needs_unigrams):
        choices = choose_from(totals, link, unit=unit)
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
    typer.echo(f"accuracy in per cent, linking function {link.name}")
    if people:
        typer.echo(f"* how often people chose the good sentence of the {PUBLISHED_PAIRS}, pooled from published counts")


def _people(groups: "Mapping[str, set[str]]") -> dict[str, str]:
    """Published human agreement with each group of paradigms, if it is known for all of them."""
    counts = {a.name: a for a in human_agreement(shipped()["zhoblimp"]) if a.level == "paradigm"}
    if not groups or not groups["all"] <= counts.keys():
        return {}
    return {name: f"{pooled(counts[uid] for uid in uids):.2f}" for name, uids in groups.items()}
