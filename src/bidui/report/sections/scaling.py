"""Scaling: accuracy against training FLOPs, its fit, and the difficulty of paradigms for models of several sizes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

import numpy as np

from bidui.analysis.difficulty import Difficulty, Level, difficulty
from bidui.analysis.scaling import fit_scaling
from bidui.errors import InputError
from bidui.report.results import Results
from bidui.report.runs import Series, series_of
from bidui.report.section import Absent, Asked, Item, Picture, Section, attempt
from bidui.report.sections.overview import unfinished_note
from bidui.report.sections.people import people_counts
from bidui.report.tables import Column, Ranged, Table, Unit, Value, without_blank
from bidui.report.training import ALL, EndPoint, comparable, end_point, groups_of


def scaling_section(results: Results, asked: Asked) -> Section:
    """Series of runs, the figure against FLOPs, the fits, and the classes of difficulty."""
    return Section("scaling", asked.say("scaling"), asked.say("about-scaling"), tuple(_items(results, asked)))


def _items(results: Results, asked: Asked) -> Iterator[Item]:
    say = asked.say
    usable, reasons = comparable(results.runs, asked.main)
    if not usable:
        yield from (Absent(say(key), reasons) for key in ("series", "figure-scaling", "scaling-fits", "difficulty"))
        return
    if reasons:
        yield Absent(say("left-out"), reasons)
    groups, series = groups_of(usable), series_of(usable)
    ends = [end_point(one, asked.main, groups) for one in series]
    note = unfinished_note(usable, asked)
    yield _series(ends, asked, note)
    yield attempt(say("figure-scaling"), lambda: _figure(ends, groups, asked, note))
    yield _fits(ends, groups, asked, note)
    yield from _difficulties(series, asked, note)


def _series(ends: Sequence[EndPoint], asked: Asked, note: str) -> Table:
    say = asked.say
    columns = (
        Column("series", say("series-head")),
        Column("parameters", say("parameters"), "count"),
        Column("tokens", say("tokens-seen"), "amount"),
        Column("flops", "FLOPs", "number"),
        Column("runs", say("seeds"), "count"),
        Column("accuracy", say("accuracy-main").format(link=asked.main), "percent"),
        Column("deviation", say("deviation"), "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for end in ends:
        found = end.accuracies[ALL]
        deviation = float(found.std(ddof=1)) if len(found) > 1 else None
        known = (end.series.parameters, int(end.tokens), end.flops, len(found))
        rows.append((end.series.name, *known, float(found.mean()), deviation))
    return Table("series", say("series"), columns, tuple(rows), f"{say('note-series')} {note}".strip())


def _figure(ends: Sequence[EndPoint], groups: Sequence[str], asked: Asked, note: str) -> Picture:
    from bidui.report.figures import Line, scaling

    sizes: dict[str, list[EndPoint]] = {}
    for end in sorted(ends, key=lambda one: (one.series.parameters, one.flops)):
        sizes.setdefault(end.series.size, []).append(end)
    panels = {
        shown(group, asked): [
            Line(size, np.array([end.flops for end in own]), np.array([end.mean(group) for end in own]))
            for size, own in sizes.items()
        ]
        for group in groups
    }
    drawing = scaling(panels, references=people_lines(ends[0].series, asked), language=asked.language)
    return Picture("scaling", asked.say("figure-scaling"), drawing, f"{asked.say('note-scaling')} {note}".strip())


def shown(group: str, asked: Asked) -> str:
    """A group as readers see it."""
    return asked.say("all-pairs") if group == ALL else group


def people_lines(series: Series, asked: Asked) -> Mapping[str, Mapping[str, float]]:
    """The accuracy of people by group, where the benchmark is known; else nothing."""
    run = series.runs[0]
    benchmark = asked.benchmark(run.uids)
    if benchmark is None:
        return {}
    counts = people_counts(benchmark, dict(zip(run.uids, run.phenomena, strict=True)))
    return {asked.say("people-head"): {shown(group, asked): right / n for group, (right, n) in counts.items()}}


def _fits(ends: Sequence[EndPoint], groups: Sequence[str], asked: Asked, note: str) -> Item:
    say = asked.say
    columns = (Column("group", say("group")), Column("points", say("points"), "count"), *fit_columns(asked, "number"))
    rows: list[tuple[Value, ...]] = []
    for group in groups:
        flops = [end.flops for end in ends for _ in end.accuracies[group]]
        values = [value for end in ends for value in end.accuracies[group].tolist()]
        rows.append((shown(group, asked), len(values), *fit_cells(flops, values, asked)))
    note = f"{say('note-fits')} {note}".strip()
    return without_blank(Table("scaling-fits", say("scaling-fits"), columns, tuple(rows), note))


def fit_columns(asked: Asked, unit: Unit) -> tuple[Column, ...]:
    """The columns of a fitted curve; the unit is that of n."""
    return (
        Column("final", "P∞", "percent"),
        Column("start", "P₀", "percent"),
        Column("scale", asked.say("scale"), unit),
        Column("alpha", "α", "number"),
        Column("beta", "β", "number"),
        Column("deviation", asked.say("scatter"), "percent"),
        Column("remark", asked.say("remark")),
    )


def fit_cells(n: Sequence[float], values: Sequence[float], asked: Asked) -> tuple[Value, ...]:
    """The values of a fitted curve; or, where no curve can be fitted, why."""
    try:
        fit = fit_scaling(n, values)
    except InputError as error:
        return (*(None for _ in range(6)), " ".join(problem.text(asked.language) for problem in error.problems))
    parts = [Ranged(one.value, one.low, one.high) for one in (fit.final, fit.start, fit.scale, fit.alpha, fit.beta)]
    return (*parts, fit.deviation, "")


def _difficulties(series: Sequence[Series], asked: Asked, note: str) -> Iterator[Item]:
    """Classes for every amount of training data that models of several sizes share."""
    say = asked.say
    found: dict[str, Mapping[str, Difficulty]] = {}
    refused: list[Absent] = []
    for data in dict.fromkeys(one.data for one in series):
        own = [one for one in series if one.data == data]
        try:
            found[data] = _classes(own, asked.main)
        except InputError as error:
            refused.append(Absent(f"{say('difficulty')}, {data}", error.problems))
    if found:
        yield _class_counts(found, asked, note)
        homes = dict(zip(series[0].runs[0].uids, series[0].runs[0].phenomena, strict=True))
        yield _class_table(found, homes, asked)
    yield from refused


def _classes(series: Sequence[Series], link: str) -> Mapping[str, Difficulty]:
    runs = [run for one in series for run in one.runs]
    shared = [uid for uid in runs[0].uids if all(uid in run.uids for run in runs)]
    last = {run.name: dict(zip(run.uids, (run.right[link][-1] / run.pairs).tolist(), strict=True)) for run in runs}
    parameters = [run.parameters for run in runs]
    return difficulty({uid: [last[run.name][uid] for run in runs] for uid in shared}, parameters=parameters)


def _class_counts(found: Mapping[str, Mapping[str, Difficulty]], asked: Asked, note: str) -> Table:
    say = asked.say
    levels = get_args(Level)
    columns = (Column("data", say("data")), *(Column(level, say(f"level-{level}"), "count") for level in levels))
    rows: list[tuple[Value, ...]] = []
    for data, classes in found.items():
        counts = Counter(one.level for one in classes.values())
        rows.append((data, *(counts[level] for level in levels)))
    return Table("difficulty", say("difficulty"), columns, tuple(rows), f"{say('note-difficulty')} {note}".strip())


def _class_table(found: Mapping[str, Mapping[str, Difficulty]], homes: Mapping[str, str], asked: Asked) -> Table:
    say = asked.say
    columns = [Column("paradigm", say("paradigm")), Column("phenomenon", say("phenomenon"))]
    for data in found:
        columns += [
            Column(f"class_{data}", f"{say('class')}, {data}"),
            Column(f"best_{data}", f"{say('best-accuracy')}, {data}", "percent"),
            Column(f"rho_{data}", f"ρ, {data}", "number"),
        ]
    uids = dict.fromkeys(uid for classes in found.values() for uid in classes)
    rows: list[tuple[Value, ...]] = []
    for uid in sorted(uids, key=lambda one: (homes.get(one, ""), one)):
        cells: list[Value] = []
        for classes in found.values():
            one = classes.get(uid)
            cells += [say(f"level-{one.level}"), one.best, one.rho] if one else [None, None, None]
        rows.append((uid, homes.get(uid, ""), *cells))
    return Table("difficulty-paradigms", say("difficulty-paradigms"), tuple(columns), tuple(rows))
