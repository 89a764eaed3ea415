"""Learning curves: accuracy against the tokens seen, the curve's fit, and tests for dips."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np

from bidui.analysis.curves import Dip, MeanCurve, UShapeFit, find_dip, fit_u_shape, mean_curve
from bidui.analysis.difficulty import Difficulty, Level, difficulty
from bidui.analysis.scaling import ScalingFit, fit_scaling
from bidui.analysis.significance import correct
from bidui.errors import InputError, Problem
from bidui.reports.results import (
    ALL,
    EndPoint,
    Results,
    Series,
    comparable,
    end_point,
    groups_of,
    learning_curve,
    series_of,
    worth_of_counts,
)
from bidui.reports.section import Absent, Asked, Item, Picture, Section, absent, attempt, file_name
from bidui.reports.sections.overview import unfinished_note
from bidui.reports.sections.people import people_counts
from bidui.reports.tables import Column, Table, Unit, Value, without_blank
from bidui.scores.links import Floats

# Scaling: accuracy against training FLOPs, its fit, and the difficulty of paradigms for models of several sizes.


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
    from bidui.reports.figures import Line, scaling

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
    return (fit.final, fit.start, fit.scale, fit.alpha, fit.beta, fit.deviation, "")


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


# Learning curves over all sizes and seeds, with the curves fitted to them (Liu et al., first version, Figure 5).

SMOOTH = 200  # points of a fitted curve

Fitted = UShapeFit | ScalingFit | InputError  # a fit, or why there is none


def mean_items(series: Sequence[Series], groups: Sequence[str], *, dips: Sequence[str], asked: Asked) -> Iterator[Item]:
    """The figure of all groups, and the table of U-shapes, which are fitted to the groups with a dip."""
    title = asked.say("learning-mean")
    runs = [run for one in series for run in one.runs]
    try:
        means = {group: mean_curve([learning_curve(run, asked.main, group) for run in runs]) for group in groups}
    except InputError as error:  # runs that share no stretch
        yield from (Absent(one, error.problems) for one in (title, asked.say("u-shape")))
        return
    fits = {group: _fit(mean, u_shape=group in dips) for group, mean in means.items()}
    yield attempt(title, partial(_mean_figure, series, means, fits, title, asked))
    yield _u_shapes(series, {group: fits[group] for group in dips}, asked)


def _fit(mean: MeanCurve, *, u_shape: bool) -> Fitted:
    try:
        return fit_u_shape(mean.at, mean.mean) if u_shape else fit_scaling(mean.at, mean.mean)
    except InputError as error:
        return error


def _mean_figure(
    series: Sequence[Series], means: Mapping[str, MeanCurve], fits: Mapping[str, Fitted], title: str, asked: Asked
) -> Picture:
    """The mean with its deviation over all runs, and the fitted curve where there is one."""
    from bidui.reports.figures import Line, learning_curves

    runs = tuple(run for one in series for run in one.runs)
    name = asked.say("mean-of-runs").format(runs=len(runs))
    panels: dict[str, list[Line]] = {}
    curves: dict[str, list[Line]] = {}
    for group, mean in means.items():
        band = (mean.mean - mean.deviation, mean.mean + mean.deviation) if mean.runs > 1 else (None, None)
        panels[shown(group, asked)] = [Line(name, mean.at, mean.mean, *band)]
        fit = fits[group]
        if not isinstance(fit, InputError):
            at = np.geomspace(mean.at[0], mean.at[-1], SMOOTH)
            curves[shown(group, asked)] = [Line(asked.say("fitted"), at, fit.at(at))]
    drawing = learning_curves(panels, fits=curves, references=people_lines(series[0], asked), language=asked.language)
    note = f"{asked.say('note-learning-mean')} {unfinished_note(runs, asked)}".strip()
    return Picture("learning-curves-mean", title, drawing, note)


def _u_shapes(series: Sequence[Series], fits: Mapping[str, Fitted], asked: Asked) -> Item:
    """A row a group in which a series has a dip: the fit with the extra term, or why there is none."""
    say = asked.say
    if not fits:
        return absent(say("u-shape"), "report-no-dips")
    columns = (
        Column("group", say("group")),
        Column("final", "P∞", "percent"),
        Column("start", "P₀", "percent"),
        Column("alpha", "α", "number"),
        Column("beta", "β", "number"),
        Column("depth", "k", "number"),
        Column("turn", "n₀", "amount"),
        Column("width", "s", "amount"),
        Column("remark", say("remark")),
    )
    rows: list[tuple[Value, ...]] = []
    for group, fit in fits.items():
        if isinstance(fit, UShapeFit):
            parts = (fit.final, fit.start, fit.alpha, fit.beta, fit.depth, fit.turn, fit.width)
            rows.append((shown(group, asked), *parts, ""))
        elif isinstance(fit, InputError):
            reason = " ".join(problem.text(asked.language) for problem in fit.problems)
            rows.append((shown(group, asked), *(None for _ in range(7)), reason))
    runs = tuple(run for one in series for run in one.runs)
    note = f"{say('note-u-shape').format(runs=len(runs))} {unfinished_note(runs, asked)}".strip()
    return without_blank(Table("u-shape", say("u-shape"), columns, tuple(rows), note))


LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Tested:
    """A learning curve of one group and series with its dip; or why it could not be tested."""

    group: str
    series: Series
    tokens: Floats
    dip: Dip | None
    problems: tuple[Problem, ...] = ()


def learning_section(results: Results, asked: Asked) -> Section:
    """The figure of every amount of training data; fits and dips of the largest."""
    return Section("learning", asked.say("learning"), asked.say("about-learning"), tuple(_curve_items(results, asked)))


def _curve_items(results: Results, asked: Asked) -> Iterator[Item]:
    say = asked.say
    usable, reasons = comparable(results.runs, asked.main)
    if not usable:
        keys = ("learning", "learning-fits", "dips", "learning-mean", "u-shape")
        yield from (Absent(say(key), reasons) for key in keys)
        return

    def budget(one: Series) -> int:
        return one.runs[0].budget

    groups, series = groups_of(usable), series_of(usable)
    for data in dict.fromkeys(one.data for one in sorted(series, key=budget, reverse=True)):
        own = [one for one in series if one.data == data]
        title = say("figure-learning").format(data=data)
        yield attempt(title, partial(_curve_figure, own, groups, title, asked))
    most = max(series, key=budget).data
    own = [one for one in series if one.data == most]
    yield attempt(say("learning-fits"), partial(_curve_fits, own, groups, asked))
    count = len(groups) * len(own)
    tested = [_test(one, group, asked, of=count) for group in groups for one in own]
    corrected = correct([one.dip.p if one.dip else float("nan") for one in tested], by="holm")
    yield _dips(tested, corrected, asked)
    real = [one.group for one, p in zip(tested, corrected, strict=True) if p <= LEVEL]
    yield from mean_items(own, groups, dips=[group for group in groups if group in real], asked=asked)


def _curve_figure(series: Sequence[Series], groups: Sequence[str], title: str, asked: Asked) -> Picture:
    from bidui.reports.figures import Line, learning_curves

    sizes = [one.size for one in series]
    names = [one.size if sizes.count(one.size) == 1 else one.name for one in series]
    panels: dict[str, list[Line]] = {}
    for group in groups:
        lines = panels[shown(group, asked)] = []
        for one, label in zip(series, names, strict=True):
            mean = mean_curve([learning_curve(run, asked.main, group) for run in one.runs])
            band = (mean.mean - mean.deviation, mean.mean + mean.deviation) if mean.runs > 1 else (None, None)
            lines.append(Line(label, mean.at, mean.mean, *band))
    drawing = learning_curves(panels, references=people_lines(series[0], asked), language=asked.language)
    runs = tuple(run for one in series for run in one.runs)
    note = f"{asked.say('note-learning')} {unfinished_note(runs, asked)}".strip()
    name = f"learning-curves-{file_name(series[0].data)}"
    return Picture(name, title, drawing, note)


def _curve_fits(series: Sequence[Series], groups: Sequence[str], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("group", say("group")),
        Column("series", say("series-head")),
        Column("points", say("points"), "count"),
        *fit_columns(asked, "amount"),
    )
    rows: list[tuple[Value, ...]] = []
    for group in groups:
        for one in series:
            mean = mean_curve([learning_curve(run, asked.main, group) for run in one.runs])
            cells = fit_cells(mean.at.tolist(), mean.mean.tolist(), asked)
            rows.append((shown(group, asked), one.name, len(mean.at), *cells))
    return without_blank(Table("learning-fits", say("learning-fits"), columns, tuple(rows), say("note-learning-fits")))


def _test(series: Series, group: str, asked: Asked, *, of: int) -> Tested:
    """One of so many tests; with that many resamples, the smallest p is half of the level after correction."""
    resamples = max(1999, round(2 * of / LEVEL))
    tokens, worth = worth_of_counts(series, asked.main, group, seed=asked.seed)
    try:
        return Tested(group, series, tokens, find_dip(worth, seed=asked.seed, alpha=LEVEL, resamples=resamples))
    except InputError as error:
        return Tested(group, series, tokens, None, error.problems)


def _dips(tested: Sequence[Tested], corrected: Sequence[float], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("group", say("group")),
        Column("series", say("series-head")),
        Column("before", say("dip-before"), "amount"),
        Column("bottom", say("dip-bottom"), "amount"),
        Column("after", say("dip-after"), "amount"),
        Column("drop", say("drop"), "percent"),
        Column("rise", say("rise"), "percent"),
        Column("p", "p", "p"),
        Column("p_holm", say("p-holm"), "p"),
        Column("remark", say("remark")),
    )
    rows: list[tuple[Value, ...]] = []
    for one, p in zip(tested, corrected, strict=True):
        head = (shown(one.group, asked), one.series.name)
        if one.dip is None:
            reason = " ".join(problem.text(asked.language) for problem in one.problems)
            rows.append((*head, None, None, None, None, None, None, None, reason))
            continue
        at = [float(one.tokens[number]) for number in (one.dip.before, one.dip.bottom, one.dip.after)]
        verdict = say("dip-real" if p <= LEVEL else "dip-none")
        rows.append((*head, *at, one.dip.drop, one.dip.rise, one.dip.p, p, verdict))
    return without_blank(Table("dips", say("dips"), columns, tuple(rows), say("note-dips")))
