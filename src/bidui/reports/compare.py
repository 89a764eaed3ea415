"""Accuracies of stored scores as a data frame: one row per model and linking function, or one column per model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from bidui.analysis.accuracy import accuracy
from bidui.benchmarks import judged_benchmarks
from bidui.reports.results import ALL, HELD_OUT, MAIN, USUAL, stored_unigrams, unigram_choices
from bidui.scores.choices import Choices, PairTotals, choose_from, length_split
from bidui.scores.links import Link, parse_link
from bidui.scores.run import read_totals
from bidui.scores.table import LengthUnit, score_folders

HUMANS = "humans"  # the column of published human figures


@dataclass(frozen=True, slots=True, repr=False)
class AccuracyTable:
    """Accuracies as shares, from 0 to 1, in a polars data frame; and notes that belong below it.

    `fitted` says whether there are rows of MORCELA fitted on one half of each paradigm's pairs and applied to the other
    half, both ways; `humans` whether there is a column of human figures, pooled from published counts.
    """

    frame: pl.DataFrame
    link: str = ""  # the linking function of a table by phenomenon or paradigm
    fitted: bool = False
    humans: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return repr(self.frame)

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()


def compare(
    results: str | Path,
    *,
    links: Sequence[str | Link] = (),
    by: Literal["overall", "phenomenon", "paradigm"] = "overall",
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
    unigrams: str | Path | None = None,
    smoothing: float = 1.0,
) -> AccuracyTable:
    """Return the accuracies of stored scores by linking function, or by phenomenon or paradigm.

    `results` is a folder of scores, or of several. By phenomenon or paradigm, the first of the `links` is used. `unit`
    is the unit of length for linking functions, `groups` that for D=, D< and D>. Unigram counts are those of the file
    given, or those stored with the scores; `smoothing` is added to every count.
    """
    chosen = [parse_link(link) if isinstance(link, str) else link for link in links or USUAL]
    if by != "overall":
        main = chosen[0] if links else parse_link(MAIN)
        models = _stored(Path(results), unigrams, smoothing, needed=main.needs_unigrams)
        return _by_group({name: choose_from(totals, main, unit=unit) for name, totals in models}, main.name, by)
    needed = not links or any(link.needs_unigrams for link in chosen)
    rows: list[dict[str, object]] = []
    notes: list[str] = []
    for name, totals in _stored(Path(results), unigrams, smoothing, needed=needed):
        choices = [choose_from(totals, link, unit=unit, groups=groups) for link in chosen]
        if not links:
            more, problems = unigram_choices(totals, unit=unit, groups=groups)
            choices += more
            notes += [f"{name}: {problem}" for problem in problems]
        rows += [_row(name, one) for one in choices]
    fitted = any(row["link"] == HELD_OUT for row in rows)
    return AccuracyTable(pl.DataFrame(rows, infer_schema_length=None), fitted=fitted, notes=tuple(notes))


def _row(name: str, choices: Choices) -> dict[str, object]:
    split = length_split(choices)
    return {
        "model": name,
        "link": choices.link,
        "pairs": len(choices.good),
        "accuracy": float(choices.worth.mean()),
        "D=": split.equal,
        "D<": split.good_shorter,
        "D>": split.good_longer,
        "delta": split.delta,
        "ties": choices.ties,
        "near_ties": choices.near_ties,
    }


def _stored(
    results: Path, unigrams: str | Path | None, smoothing: float, *, needed: bool
) -> Iterator[tuple[str, PairTotals]]:
    """Yield the totals of every model, with the unigrams given, or those stored with the scores if needed."""
    for folder in score_folders(results):
        file = Path(unigrams) if unigrams else stored_unigrams(folder) if needed else None
        manifest, totals = read_totals(folder, unigrams=file, smoothing=smoothing)
        yield manifest.model, totals


def _by_group(models: dict[str, Choices], link: str, by: Literal["phenomenon", "paradigm"]) -> AccuracyTable:
    """Return one row per paradigm or phenomenon and one column per model, with published human figures if known."""
    values: dict[str, dict[str, float]] = {}
    members: dict[str, set[str]] = {}
    for name, choices in models.items():
        accuracies = {**accuracy(choices, by=by), **accuracy(choices)}
        values[name] = {group: one.value for group, one in accuracies.items()}
        groups = choices.uids if by == "paradigm" else choices.phenomena
        for group, uid in zip(groups.tolist(), choices.uids.tolist(), strict=True):
            members.setdefault(group, set()).add(uid)
            members.setdefault(ALL, set()).add(uid)
    humans = _humans(members)
    names = [*sorted(members.keys() - {ALL}), ALL]
    columns = {name: [own.get(group) for group in names] for name, own in (values | humans).items()}
    frame = pl.DataFrame({by: names, **columns}, schema_overrides=dict.fromkeys(columns, pl.Float64))
    return AccuracyTable(frame, link, humans=bool(humans))


def _humans(members: dict[str, set[str]]) -> dict[str, dict[str, float]]:
    """Return the published human accuracy on each group of paradigms, if it is known for all of them."""
    for benchmark in judged_benchmarks():
        if members and members[ALL] <= benchmark.people.keys():
            counts = {group: [benchmark.people[uid] for uid in uids] for group, uids in members.items()}
            shares = {
                group: sum(right for right, _ in own) / sum(judgements for _, judgements in own)
                for group, own in counts.items()
            }
            return {HUMANS: shares}
    return {}
