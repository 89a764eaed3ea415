"""Accuracies of stored scores as a data frame: one row per model and linking function, or one column per model."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from bidui.analysis.accuracy import accuracy
from bidui.benchmarks import judged_benchmarks
from bidui.errors import Place, Problem, fail
from bidui.files import natural
from bidui.frames import to_pandas
from bidui.reports.results import (
    ALL,
    HELD_OUT,
    MAIN,
    USUAL,
    model_names,
    split_baselines,
    stored_unigrams,
    unfinished,
    unigram_choices,
)
from bidui.reports.tables import Column, Table, Unit, csv_text, latex
from bidui.scores.choices import Choices, choose_from, length_split
from bidui.scores.links import AnyLink, as_link, as_links
from bidui.scores.run import read_totals
from bidui.scores.table import LengthUnit, ScoreManifest, score_folders

if TYPE_CHECKING:
    import pandas

HUMANS = "humans"  # the column of published human figures
OVERALL = "overall"
Group = tuple[str, ...]  # the values that the pairs of a row share


@dataclass(frozen=True, slots=True, repr=False)
class AccuracyTable:
    """Accuracies as shares, from 0 to 1, in a polars data frame; and notes that belong below it.

    `fitted` says whether there are rows of MORCELA fitted on one half of each paradigm's pairs and applied to the other
    half, both ways; `humans` whether there is a column of human figures, pooled from published counts.
    """

    frame: pl.DataFrame
    link: str = ""  # the linking function of a table by groups
    by: tuple[str, ...] = ()  # the columns that name the groups
    fitted: bool = False
    humans: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return repr(self.frame)

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def write(self, format: Literal["csv", "json", "latex"]) -> str:
        """Return the table as text: shares in percent, unrounded but in LaTeX; notes only in JSON."""
        if format == "json":
            rows = [{name: _json_value(value) for name, value in row.items()} for row in self.frame.to_dicts()]
            link = {"link": self.link} if self.link else {}
            value = {**link, "unit": "percent", "rows": rows, "notes": [*self.notes]}
            return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        kinds: dict[type[pl.DataType], Unit] = {pl.Float64: "percent", pl.Int64: "count"}
        columns = tuple(
            Column(name, "near ties" if name == "near_ties" else name, kinds.get(type(kind), "text"))
            for name, kind in self.frame.schema.items()
        )
        title = f"Accuracy in %{f', linking function {self.link}' if self.link else ''}"
        table = Table("accuracy", title, columns, tuple(self.frame.rows()), whole=bool(self.link))
        return csv_text(table) if format == "csv" else latex(table)


def _json_value(value: str | int | float | None) -> str | int | float | None:
    if not isinstance(value, float):
        return value
    return None if isnan(value) else float(f"{100 * value:.10g}")  # as in CSV


def compare(
    results: str | Path,
    *,
    links: AnyLink | Sequence[AnyLink] = (),
    by: str | Sequence[str] = "overall",
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
    unigrams: str | Path | None = None,
    smoothing: float = 1.0,
    unseen: float | None = None,
) -> AccuracyTable:
    """Return the accuracies of stored scores by linking function, or by groups of pairs.

    `results` is a folder of scores, or of several. `by` is `phenomenon`, `paradigm`, `variant` or any further column of
    the pairs; several are crossed, and have one row for each combination of values. For groups, the first of the
    `links` is used. `unit` is the unit of length for linking functions, `groups` that for D=, D< and D>. Unigram counts
    are those of the file given, or those stored with the scores; `smoothing` is added to every count, and `unseen` is
    the probability of tokens that a published file of probabilities lacks. The notes say which runs are not finished,
    whether models were scored on different pairs, and how far unigrams without a tokenizer fit.
    """
    by_names = tuple(dict.fromkeys((by,) if isinstance(by, str) else by or (OVERALL,)))
    if OVERALL in by_names and len(by_names) > 1:
        raise fail("compare-overall", Place(), {"by": [name for name in by_names if name != OVERALL]})
    by_group = by_names != (OVERALL,)
    chosen = as_links(links or USUAL)
    main = chosen[0] if links else as_link(MAIN)
    needed = main.needs_unigrams if by_group else not links or any(link.needs_unigrams for link in chosen)
    rows: list[dict[str, object]] = []
    columns: dict[str, Choices] = {}
    manifests: dict[str, ScoreManifest] = {}
    notes: list[str] = []
    folders = score_folders(Path(results))
    for folder, name in model_names(folders, inside=Path(results)).items():
        file = Path(unigrams) if unigrams else stored_unigrams(folder) if needed else None
        manifests[name], totals = read_totals(folder, unigrams=file, smoothing=smoothing, unseen=unseen)
        notes += [f"{name}: {note}" for note in totals.notes]
        tests, baselines = split_baselines(totals)
        if baselines is not None and len(tests) and "paradigm" not in by_names:
            totals = tests
            notes.append(f"{name}: {Problem('compare-baselines', values={'count': len(baselines)})}")
        if manifests[name].left:
            notes.append(str(unfinished(folder, manifests[name])))
        if by_group:
            columns[name] = choose_from(totals, main, unit=unit)
            continue
        choices = [choose_from(totals, link, unit=unit, groups=groups) for link in chosen]
        if not links:
            more, problems = unigram_choices(totals, unit=unit, groups=groups)
            choices += more
            notes += [f"{name}: {problem}" for problem in problems]
        rows += [_row(name, one) for one in choices]
    notes = [*_other_pairs(manifests), *notes]
    if by_group:
        table = _by_group(columns, main.name, by_names)
        return replace(table, notes=(*table.notes, *notes))
    fitted = any(row["link"] == HELD_OUT for row in rows)
    return AccuracyTable(pl.DataFrame(rows, infer_schema_length=None), fitted=fitted, notes=tuple(notes))


def _other_pairs(manifests: Mapping[str, ScoreManifest]) -> list[str]:
    """Say which models were scored on other pairs than the first: their accuracies cannot be compared."""
    pairs = {name: {(uid, shard.pairs) for uid, shard in one.shards.items()} for name, one in manifests.items()}
    first = next(iter(pairs), "")
    others = [name for name, own in pairs.items() if own != pairs[first]]
    return [str(Problem("compare-other-pairs", values={"others": others, "first": first}))] if others else []


def _row(name: str, choices: Choices) -> dict[str, object]:
    split = length_split(choices)
    return {
        "model": name,
        "link": choices.link,
        "pairs": len(choices.good),
        "accuracy": float(choices.worth.mean()) if len(choices.good) else float("nan"),
        "D=": split.equal,
        "D<": split.good_shorter,
        "D>": split.good_longer,
        "delta": split.delta,
        "ties": choices.ties,
        "near_ties": choices.near_ties,
    }


def _by_group(models: dict[str, Choices], link: str, by: tuple[str, ...]) -> AccuracyTable:
    """Return one row per group and one column per model, with published human figures if known."""
    known = list(dict.fromkeys(["phenomenon", "paradigm", *(name for one in models.values() for name in one.columns)]))
    if missing := [name for name in by if name not in known]:
        raise fail("column-unknown", Place(), {"column": missing[0], "known": known})
    notes: list[str] = []
    values: dict[str, dict[Group, float]] = {}
    members: dict[Group, set[str]] = {}
    whole: Group = ()  # not the word for it, which may be a value, too
    for name, choices in models.items():
        if lacking := [column for column in by if column not in ("phenomenon", "paradigm", *choices.columns)]:
            notes.append(str(Problem("compare-no-column", values={"model": name, "columns": lacking})))
            empty = dict.fromkeys(lacking, np.full(len(choices.uids), "", object))
            choices = replace(choices, columns={**choices.columns, **empty})
        groups = list(zip(*(choices.groups(column).tolist() for column in by), strict=True))
        of_pair = dict(zip(groups, choices.groups(*by).tolist(), strict=True))
        accuracies = accuracy(choices, by=by)
        values[name] = {group: accuracies[crossed].value for group, crossed in of_pair.items()}
        values[name][whole] = accuracy(choices)["all"].value
        for group, uid in zip(groups, choices.uids.tolist(), strict=True):
            members.setdefault(group, set()).add(uid)
            members.setdefault(whole, set()).add(uid)
    humans = _humans(members, whole) if by in (("phenomenon",), ("paradigm",)) else {}
    rows = [*sorted(members.keys() - {whole}, key=lambda group: [natural(value) for value in group]), whole]
    taken = {*by, *humans}  # a model may have such a name, too
    by_column = {f"{name} (model)" if name in taken else name: own for name, own in values.items()}
    shares = {name: [own.get(group) for group in rows] for name, own in (by_column | humans).items()}
    named = [*rows[:-1], (ALL, *[""] * (len(by) - 1))]
    names = {column: [group[number] for group in named] for number, column in enumerate(by)}
    frame = pl.DataFrame({**names, **shares}, schema_overrides=dict.fromkeys(shares, pl.Float64))
    return AccuracyTable(frame, link, by, humans=bool(humans), notes=tuple(notes))


def _humans(members: dict[Group, set[str]], whole: Group) -> dict[str, dict[Group, float]]:
    """Return the published human accuracy on each group of paradigms, if it is known for all of them."""
    for benchmark in judged_benchmarks():
        if members and members[whole] <= benchmark.people.keys():
            counts = {group: [benchmark.people[uid] for uid in uids] for group, uids in members.items()}
            shares = {
                group: sum(right for right, _ in own) / sum(judgements for _, judgements in own)
                for group, own in counts.items()
            }
            return {HUMANS: shares}
    return {}
