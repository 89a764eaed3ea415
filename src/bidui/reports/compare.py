"""Accuracies of stored scores as a data frame: one row per model and linking function, or one column per model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from bidui.analysis.accuracy import FOR, Accuracy, Interval, accuracy
from bidui.analysis.people import HUMANS, StudyPeople, read_people, study_accuracy
from bidui.benchmarks import judged_benchmarks, shipped
from bidui.errors import Place, Problem, fail
from bidui.files import natural
from bidui.intervals import Estimate
from bidui.notebooks import to_pandas
from bidui.people.agreement import human_agreement
from bidui.reports.results import (
    ALL,
    HELD_OUT,
    MAIN,
    USUAL,
    Results,
    ScoredModel,
    model_names,
    on_study,
    pair_sets,
    read_model,
    stored_unigrams,
    unfinished,
    unigram_choices,
)
from bidui.reports.tables import Column, Table, Unit, csv_text, latex
from bidui.scale.storage import fetched
from bidui.scores.choices import BASELINES, Choices, LengthSplit, choose_from, length_split
from bidui.scores.links import AnyLink, Link, as_link, as_links
from bidui.scores.table import LengthUnit, score_folders

if TYPE_CHECKING:
    import pandas

OVERALL = "overall"
SET = "set"  # the column that names the set of pairs, where there are several
Group = tuple[str, ...]  # the values that the pairs of a row share
CompareCell = str | int | float | Estimate | None


@dataclass(frozen=True, slots=True, repr=False)
class AccuracyTable:
    """Accuracies as shares, from 0 to 1, in a polars data frame; and notes that belong below it.

    `fitted` says whether there are rows of MORCELA fitted on some paradigms and applied to the others; `humans` whether
    there are human figures, pooled from published counts or those of a `study`. A table by groups also has, for each
    row of `frame`, the number of pairs (None where models have different numbers of them) and the accuracies of each
    model with their intervals.
    """

    frame: pl.DataFrame
    link: str = ""  # the linking function of a table by groups
    by: tuple[str, ...] = ()  # the columns that name the groups
    fitted: bool = False
    humans: bool = False
    study: str = ""  # of the people, who then judged the same pairs
    notes: tuple[str, ...] = ()
    pairs: tuple[int | None, ...] = ()
    estimates: Mapping[str, tuple[Estimate | None, ...]] = field(default_factory=dict)  # by column
    intervals: str = ""  # what the intervals allow for

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
            rows = [dict(_json_fields(self.names, row)) for row in self.rows()]
            link = {"link": self.link} if self.link else {}
            intervals = {"intervals": self.intervals} if self.intervals else {}
            value = {**link, "unit": "percent", **intervals, "rows": rows, "notes": [*self.notes]}
            return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        kinds: dict[type[pl.DataType], Unit] = {pl.Float64: "percent", pl.Int64: "count"}
        columns = tuple(
            Column(name, "near ties" if name == "near_ties" else name, kinds.get(kind, "text"))
            for name, kind in ((name, type(self.frame.schema.get(name, pl.Int64()))) for name in self.names)
        )
        title = f"Accuracy in %{f', linking function {self.link}; {self.intervals}' if self.link else ''}"
        table = Table("accuracy", title, columns, tuple(self.rows()), whole=bool(self.link))
        return csv_text(table) if format == "csv" else latex(table)

    @property
    def names(self) -> list[str]:
        """The columns of the table as it is printed: those of `frame` and, for groups, the number of pairs."""
        names = list(self.frame.columns)
        count = next(name for name in ("pairs", "n", "pairs_") if name not in names) if self.pairs else ""
        return [*names[: len(self.by)], count, *names[len(self.by) :]] if count else names

    def rows(self) -> list[tuple[CompareCell, ...]]:
        """Return the rows as they are printed: accuracies of groups have their intervals."""
        if not self.pairs:
            return list(self.frame.rows())
        columns: list[Sequence[CompareCell]] = [self.estimates.get(one.name, one.to_list()) for one in self.frame]
        return list(zip(*columns[: len(self.by)], self.pairs, *columns[len(self.by) :], strict=True))


def _json_fields(names: Sequence[str], row: Sequence[CompareCell]) -> Iterator[tuple[str, str | int | float | None]]:
    """Yield the fields of a row; an interval has its ends in fields of their own, as in CSV."""
    for name, value in zip(names, row, strict=True):
        if isinstance(value, Estimate):
            ends = {"": value.value, "_low": value.low, "_high": value.high}
            yield from ((f"{name}{end}", _json_value(number)) for end, number in ends.items())
        else:
            yield name, _json_value(value)


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
    study: str | Path | None = None,
) -> AccuracyTable:
    """Return the accuracies of stored scores by linking function, or by groups of pairs.

    `results` is a folder of scores, or of several. `by` is `phenomenon`, `paradigm`, `variant` or any further column of
    the pairs; several are crossed, and have one row for each combination of values. For groups, the first of the
    `links` is used, and a note names the others. `unit` is the unit of length for linking functions, `groups` that for
    D=, D< and D>. Unigram counts
    are those of the file given, or those stored with the scores; `smoothing` is added to every count, and `unseen` is
    the probability of tokens that a published file of probabilities lacks. Models scored on different benchmarks or
    pairs are in different sets, named in the column `set`. The notes say which runs are not finished, which pairs are
    baselines, and how far unigrams without a tokenizer fit. With the folder of a `study`, models are shown on the pairs
    that its people judged, beside them: how often they agreed with the gold labels and, where there are no groups, how
    often the majority did.
    """
    people = read_people(study) if study else None
    by_names = tuple(dict.fromkeys((by,) if isinstance(by, str) else by or (OVERALL,)))
    if OVERALL in by_names and len(by_names) > 1:
        raise fail("compare-overall", Place(), {"by": [name for name in by_names if name != OVERALL]})
    by_group = by_names != (OVERALL,)
    chosen = as_links(links or USUAL)
    main = chosen[0] if links else as_link(MAIN)
    needed = main.needs_unigrams if by_group else not links or any(link.needs_unigrams for link in chosen)
    results = fetched(results)
    folders = model_names(score_folders(results), inside=results)
    models = []
    for folder, name in folders.items():
        file = Path(unigrams) if unigrams else stored_unigrams(folder) if needed else None
        models.append(read_model(folder, name, unigrams=file, smoothing=smoothing, unseen=unseen))
    notes = [note for model in models for note in _notes(model, by_names)]
    read = Results(tuple(models), ())
    if people is not None:
        read = on_study(read, people)
        notes += map(str, read.problems)
    sets = pair_sets(read)
    tables: list[AccuracyTable] = []
    for one in sets:
        if by_group:
            table = group_table(one.results.models, main, by_names, unit=unit, people=people)
        else:
            table = _by_link(one.results.models, chosen, usual=not links, unit=unit, groups=groups, people=people)
        tables.append(table)
    if by_group and links and (left := [link.name for link in chosen[1:]]):
        notes.append(str(Problem("compare-links-left", values={"link": main.name, "left": left})))
    if len(tables) > 1:
        notes = [str(Problem("compare-sets", values={"sets": [one.name for one in sets]})), *notes]
    frames = [
        table.frame if len(tables) == 1 else table.frame.select(pl.lit(one.name).alias(SET), pl.all())
        for table, one in zip(tables, sets, strict=True)
    ]
    return AccuracyTable(
        pl.concat(frames, how="diagonal_relaxed"),
        tables[0].link,
        (*((SET,) if len(tables) > 1 and by_group else ()), *tables[0].by),
        fitted=any(table.fitted for table in tables),
        humans=any(table.humans for table in tables),
        study=people.study if people else "",
        notes=tuple(dict.fromkeys((*(note for table in tables for note in table.notes), *notes))),
        pairs=tuple(count for table in tables for count in table.pairs),
        estimates=_joined_estimates(tables),
        intervals="; ".join(dict.fromkeys(table.intervals for table in tables)),
    )


def _joined_estimates(tables: Sequence[AccuracyTable]) -> dict[str, tuple[Estimate | None, ...]]:
    """Return the estimates of several tables, one below the other; a model that a table lacks has none there."""
    names = dict.fromkeys(name for table in tables for name in table.estimates)
    return {
        name: tuple(one for table in tables for one in table.estimates.get(name, (None,) * len(table.frame)))
        for name in names
    }


def _notes(model: ScoredModel, by: Sequence[str]) -> Iterator[str]:
    """Say what a reader must know of a model's scores: notes on unigrams, baselines left out, an interrupted run."""
    for note in model.totals.notes:
        yield f"{model.name}: {note}"
    if model.baselines is not None and len(model.totals):
        kind = "compare-baselines-apart" if "paradigm" in by else "compare-baselines"
        yield f"{model.name}: {Problem(kind, values={'count': len(model.baselines)})}"
    if model.manifest.left:
        yield str(unfinished(model.folder, model.manifest))


def _by_link(
    models: Sequence[ScoredModel],
    links: Sequence[Link],
    *,
    usual: bool,
    unit: LengthUnit,
    groups: LengthUnit,
    people: StudyPeople | None = None,
) -> AccuracyTable:
    """Return one row per model and linking function; and two for the people of a study."""
    rows: list[dict[str, object]] = []
    notes: list[str] = []
    for model in models:
        totals = model.totals if len(model.totals) else model.baselines or model.totals
        choices = [choose_from(totals, link, unit=unit, groups=groups) for link in links]
        if usual:
            more, problems = unigram_choices(totals, unit=unit, groups=groups)
            choices += more
            notes += [f"{model.name}: {problem}" for problem in problems]
        rows += [link_row(model.name, one) for one in choices]
        undecided = [one.link for one in choices if one.undecided]
        if undecided:
            values = {"model": model.name, "links": undecided, "count": len(totals)}
            notes.append(str(Problem("compare-undecided", values=values)))
    if people is not None:
        rows += _people_rows(people, {row["model"] for row in rows})
    fitted = any(row["link"] == HELD_OUT for row in rows)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return AccuracyTable(frame, fitted=fitted, humans=people is not None, notes=tuple(notes))


def _people_rows(people: StudyPeople, taken: set[object]) -> list[dict[str, object]]:
    """Return the agreement of all judgements, and that of the majority; lengths in tokens mean nothing to people."""
    right, judgements = (sum(part) for part in zip(*people.counts.values(), strict=True))
    majority = people.choices()
    name = f"{HUMANS} ({people.study})" if HUMANS in taken else HUMANS
    shares = {"judgements": right / judgements, "majority": float(majority.worth.mean())}
    lengths = dict.fromkeys(("D=", "D<", "D>", "delta"), float("nan"))
    ties = {"judgements": 0, "majority": majority.ties}
    return [
        {
            **{"model": name, "link": link, "pairs": len(people.pairs), "accuracy": share},
            **{**lengths, "ties": ties[link], "near_ties": 0},
        }
        for link, share in shares.items()
    ]


def link_row(name: str, choices: Choices) -> dict[str, object]:
    """Return the row of a model and a linking function; what cannot be said is NaN."""
    split = LengthSplit(nan, nan, nan, nan) if choices.undecided else length_split(choices)
    return {
        "model": name,
        "link": choices.link,
        "pairs": len(choices.good),
        "accuracy": nan if choices.undecided or not len(choices.good) else float(choices.worth.mean()),
        "D=": split.equal,
        "D<": split.good_shorter,
        "D>": split.good_longer,
        "delta": split.delta,
        "ties": choices.ties,
        "near_ties": choices.near_ties,
    }


def group_table(
    models: Sequence[ScoredModel],
    link: Link,
    by: tuple[str, ...],
    *,
    unit: LengthUnit,
    people: StudyPeople | None = None,
) -> AccuracyTable:
    """Return one row per group and one column per model, with published human figures if known.

    Baselines, where paradigms are shown, have rows of their own and no part in the last row.
    """
    columns: dict[str, Choices] = {}
    baselines: dict[str, Choices] = {}
    for model in models:
        if len(model.totals):
            columns[model.name] = choose_from(model.totals, link, unit=unit)
        if model.baselines is not None and ("paradigm" in by or not len(model.totals)):
            baselines[model.name] = choose_from(model.baselines, link, unit=unit)
    every = [*columns.values(), *baselines.values()]
    known = list(dict.fromkeys(["phenomenon", "paradigm", *(name for one in every for name in one.columns)]))
    if missing := [name for name in by if name not in known]:
        raise fail("column-unknown", Place(), {"column": missing[0], "known": known})
    notes: dict[str, None] = {}
    values: dict[str, dict[Group, Accuracy]] = {}
    members: dict[Group, set[str]] = {}
    whole: Group = ()  # not the word for it, which may be a value, too
    parts: list[tuple[str, Choices]] = []
    for name, choices in (*columns.items(), *baselines.items()):
        if lacking := [column for column in by if column not in ("phenomenon", "paradigm", *choices.columns)]:
            notes[str(Problem("compare-no-column", values={"model": name, "columns": lacking}))] = None
            empty = dict.fromkeys(lacking, np.full(len(choices.uids), "", object))
            choices = replace(choices, columns={**choices.columns, **empty})
        parts.append((name, choices))
    kinds = {accuracy(choices, by=by).interval for _, choices in parts}
    interval: Interval = "paradigms" if kinds == {"paradigms"} else "pairs"  # one kind, which every group can have
    for name, choices in parts:
        groups = list(zip(*(choices.groups(column).tolist() for column in by), strict=True))
        of_pair = dict(zip(groups, choices.groups(*by).tolist(), strict=True))
        accuracies = accuracy(choices, by=by, interval=interval)
        own = values.setdefault(name, {})
        own |= {group: accuracies[crossed] for group, crossed in of_pair.items()}
        own.setdefault(whole, accuracy(choices)["all"])  # test paradigms come first
        for group, uid in zip(groups, choices.uids.tolist(), strict=True):
            members.setdefault(group, set()).add(uid)
            if uid not in BASELINES:
                members.setdefault(whole, set()).add(uid)
    sure: dict[Group, Estimate] = {}
    if people is not None:
        first = next(iter(columns.values()))
        humans, sure = _judged(people, first, by, whole), _judged_estimates(people, first, by, whole, interval)
    else:
        humans = _humans(members, whole) if by in (("phenomenon",), ("paradigm",)) else {}
        if not humans and by == ("phenomenon",):
            humans = _printed_humans(members, whole)
    rows = [*sorted(members.keys() - {whole}, key=lambda group: [natural(value) for value in group]), whole]
    taken = {*by, *humans}  # a model may have such a name, too
    by_column = {f"{name} (model)" if name in taken else name: own for name, own in values.items()}
    cells = {name: [own.get(group) for group in rows] for name, own in by_column.items()}
    shares = {name: [one.value if one else None for one in own] for name, own in cells.items()}
    shares |= {name: [own.get(group) for group in rows] for name, own in humans.items()}
    counts = [{own[group].pairs for own in values.values() if group in own} for group in rows]
    named = [*rows[:-1], (ALL, *[""] * (len(by) - 1))]
    names = {column: [group[number] for group in named] for number, column in enumerate(by)}
    frame = pl.DataFrame({**names, **shares}, schema_overrides=dict.fromkeys(shares, pl.Float64))
    estimates = {name: tuple(one.estimate if one else None for one in own) for name, own in cells.items()}
    if sure:
        estimates[HUMANS] = tuple(sure.get(group) for group in rows)
    for_last = FOR["paradigms"] if any(own[whole].estimate.kind == "paradigms" for own in values.values()) else ""
    said = f" (last row: {for_last})" if for_last and interval == "pairs" else ""
    return AccuracyTable(
        frame,
        link.name,
        by,
        humans=bool(humans),
        notes=tuple(notes),
        pairs=tuple(next(iter(own)) if len(own) == 1 else None for own in counts),
        estimates=estimates,
        intervals=f"95% intervals {FOR[interval]}{said}",
    )


def _judged(people: StudyPeople, choices: Choices, by: tuple[str, ...], whole: Group) -> dict[str, dict[Group, float]]:
    """Return how often the people of a study agreed with the gold labels in each group of pairs."""
    keys = list(zip(choices.uids.tolist(), choices.pairs.tolist(), strict=True))
    groups: list[Group] = list(zip(*(choices.groups(column).tolist() for column in by), strict=True))
    shares = people.agreement(dict(zip(keys, groups, strict=True)))
    return {HUMANS: {**shares, **people.agreement(dict.fromkeys(keys, whole))}}


def _judged_estimates(
    people: StudyPeople, choices: Choices, by: tuple[str, ...], whole: Group, interval: Interval
) -> dict[Group, Estimate]:
    """Return the same with intervals of the kind that models have, for groups that consist of paradigms."""
    if by not in (("phenomenon",), ("paradigm",)):
        return {}
    groups = dict(zip(choices.uids.tolist(), choices.groups(*by).tolist(), strict=True))
    found = study_accuracy(people, groups, interval=interval)
    every = study_accuracy(people, dict.fromkeys(groups, ALL))
    return {**{(name,): one for name, one in found.items()}, whole: every[ALL]}


def _humans(members: dict[Group, set[str]], whole: Group) -> dict[str, dict[Group, float]]:
    """Return the published human accuracy on each group of paradigms, if it is known for all of them."""
    for benchmark in judged_benchmarks():
        if members.get(whole) and members[whole] <= benchmark.people.keys():
            judged = {group: uids & benchmark.people.keys() for group, uids in members.items()}
            counts = {group: [benchmark.people[uid] for uid in uids] for group, uids in judged.items() if uids}
            shares = {
                group: sum(right for right, _ in own) / sum(judgements for _, judgements in own)
                for group, own in counts.items()
            }
            return {HUMANS: shares}
    return {}


def _printed_humans(members: dict[Group, set[str]], whole: Group) -> dict[str, dict[Group, float]]:
    """Return the human accuracy that a paper prints for each phenomenon, if all of its paradigms were scored."""
    for folder in shipped().values():
        uids: dict[Group, set[str]] = {}
        for file in (folder / "paradigms").glob("*/*.yaml"):  # by phenomenon, each named by its uid
            uids.setdefault((file.parent.name,), set()).add(file.stem)
            uids.setdefault(whole, set()).add(file.stem)
        if not members.get(whole) or not members[whole] <= uids[whole]:
            continue
        rows = [row for row in human_agreement(folder) if row.level in ("phenomenon", "overall")]
        printed = {(row.name,) if row.level == "phenomenon" else whole: row.accuracy for row in rows}
        shares = {group: printed[group] / 100 for group in printed if members.get(group) == uids.get(group)}
        return {HUMANS: shares} if shares else {}
    return {}
