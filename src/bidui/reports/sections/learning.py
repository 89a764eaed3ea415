"""Training: accuracy against FLOPs and against the tokens seen, fitted curves, difficulty classes, and dips."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

import numpy as np

from bidui.analysis.curves import Dip, MeanCurve, UShapeFit, find_dip, fit_u_shape, mean_curve
from bidui.analysis.difficulty import Difficulty, Level, difficulty
from bidui.analysis.scaling import ScalingFit, fit_scaling
from bidui.analysis.significance import correct
from bidui.errors import InputError
from bidui.files import natural
from bidui.reports.figures import Drawing, Line, learning_curves, scaling
from bidui.reports.results import (
    ALL,
    EndPoint,
    Results,
    ScoredRun,
    Series,
    comparable,
    end_point,
    groups_of,
    learning_curve,
    series_of,
    worth_of_counts,
)
from bidui.reports.section import Absent, Item, Rows, Settings, absent, attempt, file_name, joined, picture, reasons
from bidui.reports.sections.overview import main_accuracy, unfinished_note
from bidui.reports.sections.people import group_name, people_counts
from bidui.reports.tables import Column, Table, Unit, Value, without_blank
from bidui.scores.links import Floats

LEVEL = 0.05  # of the tests for dips, after correction
SMOOTH = 200  # points of a fitted curve
LEVELS = get_args(Level)

Fitted = UShapeFit | ScalingFit | InputError  # a fit, or why there is none
Test = tuple[str, Series, Floats, Dip | InputError]  # group, series, tokens of its checkpoints, and the dip


def scaling_section(results: Results, settings: Settings) -> Iterator[Item]:
    """Yield series of runs, the figure against FLOPs, the fits, and the classes of difficulty."""
    say = settings.say
    usable, problems = comparable(results.runs, settings.main)
    if not usable:
        yield from (Absent(say(key), problems) for key in ("series", "figure-scaling", "scaling-fits", "difficulty"))
        return
    if problems:
        yield Absent(say("left-out"), problems)
    groups, series = groups_of(usable), series_of(usable)
    ends = [end_point(one, settings.main, groups) for one in series]
    unfinished = unfinished_note(usable, settings)
    yield _series(ends, settings, unfinished)
    yield picture(
        "scaling",
        say("figure-scaling"),
        lambda: _scaling_figure(ends, groups, settings),
        note=joined(say("note-scaling"), unfinished),
    )
    yield _scaling_fits(ends, groups, settings, unfinished)
    yield from _difficulties(series, settings, unfinished)


def _series(ends: Sequence[EndPoint], settings: Settings, unfinished: str) -> Table:
    rows: Rows = []
    for end in ends:
        values = end.accuracies[ALL]
        deviation = float(values.std(ddof=1)) if len(values) > 1 else None
        facts = (end.series.parameters, int(end.tokens), end.flops, len(values))
        rows.append((end.series.name, *facts, float(values.mean()), deviation))
    columns = (
        *settings.columns("series=series-head parameters:count tokens:amount=tokens-seen flops:number='FLOPs"),
        *settings.columns("runs:count=seeds"),
        main_accuracy(settings),
        *settings.columns("deviation:percent"),
    )
    return settings.table("series", columns, rows, note=joined(settings.say("note-series"), unfinished))


def _scaling_figure(ends: Sequence[EndPoint], groups: Sequence[str], settings: Settings) -> Drawing:
    sizes: dict[str, list[EndPoint]] = {}
    for end in sorted(ends, key=lambda end: (end.series.parameters, end.flops)):
        sizes.setdefault(end.series.size, []).append(end)
    panels = {
        group_name(group, settings): [
            Line(size, np.array([end.flops for end in own]), np.array([end.mean(group) for end in own]))
            for size, own in sizes.items()
        ]
        for group in groups
    }
    return scaling(panels, references=_people_lines(ends[0].series, settings), language=settings.language)


def _people_lines(series: Series, settings: Settings) -> Mapping[str, Mapping[str, float]]:
    """Return the accuracy of humans by group, where the benchmark is known."""
    run = series.runs[0]
    benchmark = settings.benchmark(run.uids)
    if benchmark is None:
        return {}
    counts = people_counts(benchmark, dict(zip(run.uids, run.phenomena, strict=True)))
    shares = {group_name(group, settings): right / judgements for group, (right, judgements) in counts.items()}
    return {settings.say("people-head"): shares}


def _scaling_fits(ends: Sequence[EndPoint], groups: Sequence[str], settings: Settings, unfinished: str) -> Table:
    rows: Rows = []
    for group in groups:
        flops = [end.flops for end in ends for _ in end.accuracies[group]]
        values = [value for end in ends for value in end.accuracies[group].tolist()]
        rows.append((group_name(group, settings), len(values), *_fit_cells(flops, values, settings)))
    columns = (*settings.columns("group points:count"), *_fit_columns(settings, "number"))
    note = joined(settings.say("note-fits"), unfinished)
    return without_blank(settings.table("scaling-fits", columns, rows, note=note))


def _fit_columns(settings: Settings, unit: Unit) -> tuple[Column, ...]:
    """Return the columns of a fitted curve; the unit is that of n."""
    return settings.columns(
        f"final:percent='P∞ start:percent='P₀ scale:{unit} alpha:number='α beta:number='β"
        " deviation:percent=scatter remark"
    )


def _fit_cells(n: Sequence[float], values: Sequence[float], settings: Settings) -> tuple[Value, ...]:
    """Return the values of a fitted curve; or, where no curve can be fitted, why."""
    try:
        fit = fit_scaling(n, values)
    except InputError as error:
        return (*(None for _ in range(6)), reasons(error, settings.language))
    return (fit.final, fit.start, fit.scale, fit.alpha, fit.beta, fit.deviation, "")


def _difficulties(series: Sequence[Series], settings: Settings, unfinished: str) -> Iterator[Item]:
    """Return classes for every amount of training data that models of several sizes share."""
    say = settings.say
    by_data: dict[str, Mapping[str, Difficulty]] = {}
    refused: list[Absent] = []
    for data in dict.fromkeys(one.data for one in series):
        try:
            by_data[data] = _classes([run for one in series if one.data == data for run in one.runs], settings.main)
        except InputError as error:
            refused.append(Absent(f"{say('difficulty')}, {data}", error.problems))
    if by_data:
        rows: Rows = []
        for data, classes in by_data.items():
            counts = Counter(one.level for one in classes.values())
            rows.append((data, *(counts[level] for level in LEVELS)))
        columns = settings.columns(" ".join(["data", *(f"{level}:count=level-{level}" for level in LEVELS)]))
        yield settings.table("difficulty", columns, rows, note=joined(say("note-difficulty"), unfinished))
        run = series[0].runs[0]
        yield _class_table(by_data, dict(zip(run.uids, run.phenomena, strict=True)), settings)
    yield from refused


def _classes(runs: Sequence[ScoredRun], link: str) -> Mapping[str, Difficulty]:
    shared = [uid for uid in runs[0].uids if all(uid in run.uids for run in runs)]
    last = [dict(zip(run.uids, (run.right[link][-1] / run.pairs).tolist(), strict=True)) for run in runs]
    parameters = [run.parameters for run in runs]
    return difficulty({uid: [own[uid] for own in last] for uid in shared}, parameters=parameters)


def _class_table(
    by_data: Mapping[str, Mapping[str, Difficulty]], phenomena: Mapping[str, str], settings: Settings
) -> Table:
    say = settings.say
    columns = [*settings.columns("paradigm phenomenon")]
    for data in by_data:
        columns += [
            Column(f"class_{data}", f"{say('class')}, {data}"),
            Column(f"best_{data}", f"{say('best-accuracy')}, {data}", "percent"),
            Column(f"rho_{data}", f"ρ, {data}", "number"),
        ]
    uids = dict.fromkeys(uid for classes in by_data.values() for uid in classes)
    rows: Rows = []
    for uid in sorted(uids, key=lambda uid: (phenomena.get(uid, ""), natural(uid))):
        cells: list[Value] = []
        for classes in by_data.values():
            one = classes.get(uid)
            cells += [say(f"level-{one.level}"), one.best, one.rho] if one else [None, None, None]
        rows.append((uid, phenomena.get(uid, ""), *cells))
    return settings.table("difficulty-paradigms", columns, rows)


# Learning curves


def learning_section(results: Results, settings: Settings) -> Iterator[Item]:
    """Yield one figure per amount of training data, and fits and dips of the largest."""
    say = settings.say
    usable, problems = comparable(results.runs, settings.main)
    if not usable:
        keys = ("learning", "learning-fits", "dips", "learning-mean", "u-shape")
        yield from (Absent(say(key), problems) for key in keys)
        return
    groups = groups_of(usable)
    by_data: dict[str, list[Series]] = {}
    for one in series_of(usable):
        by_data.setdefault(one.data, []).append(one)
    budgets = {data: max(one.runs[0].budget for one in series) for data, series in by_data.items()}
    for data in sorted(by_data, key=budgets.__getitem__, reverse=True):
        series = by_data[data]
        yield picture(
            f"learning-curves-{file_name(data)}",
            say("figure-learning").format(data=data),
            partial(_learning_figure, series, groups, settings),
            note=joined(say("note-learning"), unfinished_note(_runs(series), settings)),
        )
    series = by_data[max(by_data, key=budgets.__getitem__)]
    yield attempt(say("learning-fits"), lambda: _learning_fits(series, groups, settings))
    tests = _tests(series, groups, settings)
    corrected = correct([dip.p if isinstance(dip, Dip) else float("nan") for *_, dip in tests], by="holm")
    yield _dips(tests, corrected, settings)
    real = {test[0] for test, p in zip(tests, corrected, strict=True) if p <= LEVEL}
    yield from _means(series, groups, dips=[group for group in groups if group in real], settings=settings)


def _runs(series: Sequence[Series]) -> tuple[ScoredRun, ...]:
    return tuple(run for one in series for run in one.runs)


def _mean(runs: Sequence[ScoredRun], group: str, settings: Settings) -> MeanCurve:
    return mean_curve([learning_curve(run, settings.main, group) for run in runs])


def _line(name: str, mean: MeanCurve) -> Line:
    """Return a mean curve with its deviation as a band, where there are several runs."""
    band = (mean.mean - mean.deviation, mean.mean + mean.deviation) if mean.runs > 1 else (None, None)
    return Line(name, mean.at, mean.mean, *band)


def _learning_figure(series: Sequence[Series], groups: Sequence[str], settings: Settings) -> Drawing:
    sizes = Counter(one.size for one in series)
    names = {one.name: one.size if sizes[one.size] == 1 else one.name for one in series}
    panels = {
        group_name(group, settings): [_line(names[one.name], _mean(one.runs, group, settings)) for one in series]
        for group in groups
    }
    return learning_curves(panels, references=_people_lines(series[0], settings), language=settings.language)


def _learning_fits(series: Sequence[Series], groups: Sequence[str], settings: Settings) -> Table:
    rows: Rows = []
    for group in groups:
        for one in series:
            mean = _mean(one.runs, group, settings)
            cells = _fit_cells(mean.at.tolist(), mean.mean.tolist(), settings)
            rows.append((group_name(group, settings), one.name, len(mean.at), *cells))
    columns = (*settings.columns("group series=series-head points:count"), *_fit_columns(settings, "amount"))
    note = settings.say("note-learning-fits")
    return without_blank(settings.table("learning-fits", columns, rows, note=note))


def _tests(series: Sequence[Series], groups: Sequence[str], settings: Settings) -> list[Test]:
    """Test every series for dips; with that many resamples, the smallest p is half of the level after correction."""
    cases = [(group, one) for group in groups for one in series]
    counts = [worth_of_counts(one, settings.main, group, seed=settings.seed) for group, one in cases]
    test = partial(_dip, seed=settings.seed, resamples=max(1999, round(2 * len(cases) / LEVEL)))
    dips = settings.each(test, [worth for _, worth in counts])
    return [(*case, tokens, dip) for case, (tokens, _), dip in zip(cases, counts, dips, strict=True)]


def _dip(worth: Floats, *, seed: int, resamples: int) -> Dip:
    return find_dip(worth, seed=seed, alpha=LEVEL, resamples=resamples)


def _dips(tests: Sequence[Test], corrected: Sequence[float], settings: Settings) -> Table:
    say = settings.say
    rows: Rows = []
    for (group, series, tokens, dip), p in zip(tests, corrected, strict=True):
        head = (group_name(group, settings), series.name)
        if isinstance(dip, InputError):
            rows.append((*head, *(None for _ in range(7)), reasons(dip, settings.language)))
            continue
        at = [float(tokens[number]) for number in (dip.before, dip.bottom, dip.after)]
        rows.append((*head, *at, dip.drop, dip.rise, dip.p, p, say("dip-real" if p <= LEVEL else "dip-none")))
    columns = (
        "group series=series-head before:amount=dip-before bottom:amount=dip-bottom after:amount=dip-after"
        " drop:percent rise:percent p:p='p p_holm:p remark"
    )
    return without_blank(settings.table("dips", columns, rows, note=say("note-dips")))


# Learning curves over all sizes and seeds, with the curves fitted to them (Liu et al., first version, Figure 5)


def _means(
    series: Sequence[Series], groups: Sequence[str], *, dips: Sequence[str], settings: Settings
) -> Iterator[Item]:
    """Return the figure of all groups, and the table of U-shapes, which are fitted to the groups with a dip."""
    say, runs = settings.say, _runs(series)
    try:
        means = {group: _mean(runs, group, settings) for group in groups}
    except InputError as error:  # runs that share no range
        yield from (Absent(say(key), error.problems) for key in ("learning-mean", "u-shape"))
        return
    fits = {group: _fit(mean, u_shape=group in dips) for group, mean in means.items()}
    unfinished = unfinished_note(runs, settings)
    yield picture(
        "learning-curves-mean",
        say("learning-mean"),
        lambda: _mean_figure(series, means, fits, settings),
        note=joined(say("note-learning-mean"), unfinished),
    )
    note = joined(say("note-u-shape").format(runs=len(runs)), unfinished)
    yield _u_shapes({group: fits[group] for group in dips}, note, settings)


def _fit(mean: MeanCurve, *, u_shape: bool) -> Fitted:
    try:
        return fit_u_shape(mean.at, mean.mean) if u_shape else fit_scaling(mean.at, mean.mean)
    except InputError as error:
        return error


def _mean_figure(
    series: Sequence[Series], means: Mapping[str, MeanCurve], fits: Mapping[str, Fitted], settings: Settings
) -> Drawing:
    """Draw the mean with its deviation over all runs, and the fitted curve where there is one."""
    name = settings.say("mean-of-runs").format(runs=len(_runs(series)))
    panels = {group_name(group, settings): [_line(name, mean)] for group, mean in means.items()}
    curves: dict[str, list[Line]] = {}
    for group, mean in means.items():
        fit = fits[group]
        if not isinstance(fit, InputError):
            at = np.geomspace(mean.at[0], mean.at[-1], SMOOTH)
            curves[group_name(group, settings)] = [Line(settings.say("fitted"), at, fit.at(at))]
    references = _people_lines(series[0], settings)
    return learning_curves(panels, fits=curves, references=references, language=settings.language)


def _u_shapes(fits: Mapping[str, Fitted], note: str, settings: Settings) -> Item:
    """Return one row per group in which a series has a dip: the fit with the extra term, or why there is none."""
    if not fits:
        return absent(settings.say("u-shape"), "report-no-dips")
    rows: Rows = []
    for group, fit in fits.items():
        name = group_name(group, settings)
        if isinstance(fit, UShapeFit):
            trend = fit.trend
            rows.append((name, trend.final, trend.start, trend.alpha, trend.beta, fit.depth, fit.turn, fit.width, ""))
        elif isinstance(fit, InputError):
            rows.append((name, *(None for _ in range(7)), reasons(fit, settings.language)))
    columns = (
        "group final:percent='P∞ start:percent='P₀ alpha:number='α beta:number='β depth:number='k turn:amount='n₀"
        " width:amount='s remark"
    )
    return without_blank(settings.table("u-shape", columns, rows, note=note))
