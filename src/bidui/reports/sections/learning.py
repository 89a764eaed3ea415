"""Training: accuracy against FLOPs and against the tokens seen, fitted curves, difficulty classes, and dips."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

import numpy as np

from bidui.analysis.accuracy import accuracy
from bidui.analysis.curves import Dip, LearningCurve, MeanCurve, UShapeFit, find_dip, fit_u_shape, mean_curve
from bidui.analysis.difficulty import ENOUGH_SIZES, Difficulty, Level, chance_of_rho, difficulty
from bidui.analysis.estimate import crossed_estimate
from bidui.analysis.scaling import ScalingFit, fit_scaling
from bidui.analysis.significance import correct
from bidui.errors import InputError
from bidui.files import natural
from bidui.intervals import Estimate
from bidui.reports.figures import Drawing, Line, learning_curves, scaling
from bidui.reports.results import (
    ALL,
    EndPoint,
    Results,
    ScoredRun,
    Series,
    comparable,
    counted_choices,
    end_point,
    groups_of,
    last_accuracies,
    learning_curve,
    series_of,
    untrained,
)
from bidui.reports.section import Absent, Item, Rows, Settings, absent, attempt, file_name, joined, picture, reasons
from bidui.reports.sections.overview import main_accuracy, unfinished_note
from bidui.reports.sections.people import group_name, people_counts
from bidui.reports.tables import NOTHING, Column, Table, Unit, Value, at_floor, without_blank

LEVEL = 0.05  # of the tests for dips, after correction
SMOOTH = 200  # points of a fitted curve
SLACK = 2  # standard deviations of the scatter: this far beyond the points, a parameter still belongs to them
LEVELS = get_args(Level)

Fitted = UShapeFit | ScalingFit | InputError  # a fit, or why there is none
Test = tuple[str, Series, Dip | InputError]  # group, series, and the dip


def scaling_section(results: Results, settings: Settings) -> Iterator[Item]:
    """Yield series of runs, the figure against FLOPs, the fits, and the classes of difficulty."""
    say = settings.say
    usable, problems = comparable(results.runs, settings.main)
    if not usable:
        yield from (Absent(say(key), problems) for key in ("series", "figure-scaling", "scaling-fits", "difficulty"))
        return
    if problems:
        yield Absent(say("left-out"), problems, here=True)
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
        rows.append((end.series.name, *facts, _series_accuracy(end.series, settings), deviation))
    columns = (
        *settings.columns("series=series-head parameters:count tokens:amount=tokens-seen flops:number='FLOPs"),
        *settings.columns("runs:count=seeds"),
        main_accuracy(settings),
        *settings.columns("deviation:percent"),
    )
    return settings.table("series", columns, rows, note=joined(settings.say("note-series"), unfinished))


def _series_accuracy(series: Series, settings: Settings) -> Estimate:
    """Return the accuracy over all pairs at the ends of the runs: for runs like these, where there are several."""
    values, pairs = last_accuracies(series, settings.main)
    crossed = crossed_estimate(values, pairs)
    if crossed.kind:
        return crossed
    mean = accuracy(counted_choices(series.runs[0], settings.main))["all"].estimate
    return mean if len(values) == 1 else crossed


def _scaling_figure(ends: Sequence[EndPoint], groups: Sequence[str], settings: Settings) -> Drawing:
    sizes: dict[str, list[EndPoint]] = {}
    for end in sorted(ends, key=lambda end: (end.series.parameters, end.flops)):
        sizes.setdefault(end.series.size, []).append(end)
    panels = {
        group_name(group, settings): [_scaling_line(size, own, group) for size, own in sizes.items()]
        for group in groups
    }
    return scaling(panels, references=_people_lines(ends[0].series, settings), language=settings.language)


def _scaling_line(size: str, ends: Sequence[EndPoint], group: str) -> Line:
    """Return the means of a size with one standard deviation over seeds, and the number of seeds in its name."""
    counts = sorted({len(end.accuracies[group]) for end in ends})
    flops, mean = np.array([end.flops for end in ends]), np.array([end.mean(group) for end in ends])
    name = f"{size}, n = {'–'.join(map(str, dict.fromkeys((counts[0], counts[-1]))))}"
    if counts[0] < 2:
        return Line(name, flops, mean)
    deviation = np.array([end.accuracies[group].std(ddof=1) for end in ends])
    return Line(name, flops, mean, mean - deviation, mean + deviation)


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
        flops, values = [end.flops for end in ends], [end.mean(group) for end in ends]
        start = untrained([run for end in ends for run in end.series.runs], settings.main, group)
        rows.append((group_name(group, settings), len(values), *_fit_cells(flops, values, settings, start=start)))
    columns = (*settings.columns("group points:count"), *_fit_columns(settings, "number"))
    note = joined(settings.say("note-fits"), unfinished)
    return without_blank(settings.table("scaling-fits", columns, rows, note=note))


def _fit_columns(settings: Settings, unit: Unit) -> tuple[Column, ...]:
    """Return the columns of a fitted curve; the unit is that of n."""
    return settings.columns(
        f"final:percent='P∞ start:percent='P₀ scale:{unit} alpha:number='α beta:number='β"
        " deviation:percent=scatter remark"
    )


def _fit_cells(
    n: Sequence[float], values: Sequence[float], settings: Settings, *, start: float | None, series: bool = False
) -> tuple[Value, ...]:
    """Return the values of a fitted curve that the points bear out; or, where no curve can be fitted, why."""
    try:
        fit = fit_scaling(n, values, start=start, series=series)
    except InputError as error:
        return (*(None for _ in range(6)), reasons(error, settings.language))
    return _borne_out(fit, n, values, settings, measured=start is not None)


def _borne_out(
    fit: ScalingFit, n: Sequence[float], values: Sequence[float], settings: Settings, *, measured: bool
) -> tuple[Value, ...]:
    """Return P∞, P₀, scale, α, β and scatter; what lies beyond the points is no finding, and is named instead."""
    slack = SLACK * fit.deviation
    low, high = min(values) - slack, max(values) + slack
    beyond = {
        "P∞": not low <= fit.final.value <= high,
        "P₀": not measured and not low <= fit.start.value <= high,
        "scale": not min(n) <= fit.scale.value <= max(n),
    }
    lost = [settings.say("scale") if name == "scale" else name for name, far in beyond.items() if far]
    remark = settings.say("beyond-points").format(parameters=", ".join(lost)) if lost else ""
    final, start, scale = (
        None if far else one for one, far in zip((fit.final, fit.start, fit.scale), beyond.values(), strict=True)
    )
    return (final, start, scale, fit.alpha if scale else None, fit.beta, fit.deviation, remark)


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
        sizes = {data: len({one.parameters for one in series if one.data == data}) for data in by_data}
        few = [
            say("note-few-sizes").format(data=data, sizes=count, share=f"{100 * chance_of_rho(count):.0f}")
            for data, count in sizes.items()
            if count < ENOUGH_SIZES
        ]
        yield settings.table("difficulty", columns, rows, note=joined(say("note-difficulty"), *few, unfinished))
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
    yield from _fitted_figure(series, groups, settings)
    tests = _tests(series, groups, settings)
    corrected = correct([dip.p if isinstance(dip, Dip) else float("nan") for *_, dip in tests], by="holm")
    yield _dips(tests, corrected, settings)
    yield from _means(series, groups, settings)


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
    names = {one.name: f"{one.size if sizes[one.size] == 1 else one.name}, n = {len(one.runs)}" for one in series}
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
            start = untrained(one.runs, settings.main, group)
            cells = _fit_cells(mean.at.tolist(), mean.mean.tolist(), settings, start=start, series=True)
            rows.append((group_name(group, settings), one.name, len(mean.at), *cells))
    columns = (*settings.columns("group series=series-head points:count"), *_fit_columns(settings, "amount"))
    note = settings.say("note-learning-fits")
    return without_blank(settings.table("learning-fits", columns, rows, note=note))


def _fitted_figure(series: Sequence[Series], groups: Sequence[str], settings: Settings) -> Iterator[Item]:
    """Draw accuracy against tokens with a fitted curve for each size (Liu et al., first version, Figure 2b)."""

    def draw() -> Drawing:
        panels: dict[str, list[Line]] = {}
        fits: dict[str, list[Line]] = {}
        for group in groups:
            name = group_name(group, settings)
            for one in series:
                mean = _mean(one.runs, group, settings)
                panels.setdefault(name, []).append(_line(one.size, mean))
                fit = _fit(mean, u_shape=False, start=untrained(one.runs, settings.main, group))
                if not isinstance(fit, InputError):
                    at = np.geomspace(mean.at[0], mean.at[-1], SMOOTH)
                    fits.setdefault(name, []).append(Line(settings.say("fitted"), at, fit.at(at)))
        return learning_curves(panels, fits=fits, language=settings.language)

    title = settings.say("figure-fits")
    yield picture("learning-curves-fitted", title, draw, note=settings.say("note-figure-fits"))


def _tests(series: Sequence[Series], groups: Sequence[str], settings: Settings) -> list[Test]:
    """Test every series for dips; with that many resamples, the smallest p is half of the level after correction."""
    cases = [(group, one) for group in groups for one in series]
    curves = [[learning_curve(run, settings.main, group) for run in one.runs] for group, one in cases]
    test = partial(find_dip, seed=settings.seed, resamples=max(1999, round(2 * len(cases) / LEVEL)))
    return [(*case, dip) for case, dip in zip(cases, settings.each(test, curves), strict=True)]


def _dips(tests: Sequence[Test], corrected: Sequence[float], settings: Settings) -> Table:
    say = settings.say
    rows: Rows = []
    for (group, series, dip), p in zip(tests, corrected, strict=True):
        head = (group_name(group, settings), series.name)
        if isinstance(dip, InputError):
            rows.append((*head, *(None for _ in range(8)), reasons(dip, settings.language)))
            continue
        there = dip.size > 0
        at = (dip.before, dip.bottom, dip.after) if there else (None, None, None)
        ps = (at_floor(dip.p, floor=dip.floor), at_floor(p, floor=dip.floor, times=p / dip.p))
        runs = say("runs-of").format(count=dip.runs_with, runs=dip.runs)
        found = "dip-none"
        if p <= LEVEL and dip.in_majority:
            found = "dip-real" if dip.runs > 1 else "dip-this-run"
        size = (dip.size, dip.width) if there else (None, None)
        rows.append((*head, *at, *size, runs if there else NOTHING, *ps, say(found)))
    columns = (
        "group series=series-head before:amount=dip-before bottom:amount=dip-bottom after:amount=dip-after"
        " size:percent=dip-size width:number=dip-width runs_with=dip-runs p:p='p p_holm:p remark"
    )
    return without_blank(settings.table("dips", columns, rows, note=say("note-dips")))


# Learning curves over all sizes and seeds, with the curves fitted to them (Liu et al., first version, Figure 5)


def _means(series: Sequence[Series], groups: Sequence[str], settings: Settings) -> Iterator[Item]:
    """Return the figure of all groups, and the table of U-shapes, fitted to the groups whose mean itself dips."""
    say, runs = settings.say, _runs(series)
    try:
        means = {group: _mean_of_sizes(series, group, settings) for group in groups}
    except InputError as error:  # runs that share no range
        yield from (Absent(say(key), error.problems) for key in ("learning-mean", "u-shape"))
        return
    dips = [group for group, p in _mean_dips(means, settings).items() if p <= LEVEL]
    starts = {group: untrained(runs, settings.main, group) for group in groups}
    fits = {group: _fit(mean, u_shape=group in dips, start=starts[group]) for group, mean in means.items()}
    unfinished = unfinished_note(runs, settings)
    yield picture(
        "learning-curves-mean",
        say("learning-mean"),
        lambda: _mean_figure(series, means, fits, settings),
        note=joined(say("note-learning-mean"), unfinished),
    )
    note = joined(say("note-u-shape").format(runs=len(runs)), unfinished)
    yield _u_shapes({group: (fits[group], means[group]) for group in dips}, note, settings)


def _mean_of_sizes(series: Sequence[Series], group: str, settings: Settings) -> MeanCurve:
    """Average the seeds of each size first, so that a size with more seeds does not weigh more."""
    means = [(one.name, _mean(one.runs, group, settings)) for one in series]
    return mean_curve([LearningCurve(name, mean.at, mean.mean) for name, mean in means])


def _mean_dips(means: Mapping[str, MeanCurve], settings: Settings) -> dict[str, float]:
    """Return the corrected p of the test of each mean for a dip; NaN where it cannot be tested."""
    found: dict[str, float] = {}
    resamples = max(1999, round(2 * len(means) / LEVEL))
    for group, mean in means.items():
        try:
            curve = LearningCurve(group, mean.at, mean.mean)
            found[group] = find_dip([curve], seed=settings.seed, resamples=resamples).p
        except InputError:
            found[group] = float("nan")
    return dict(zip(found, correct(list(found.values()), by="holm"), strict=True))


def _fit(mean: MeanCurve, *, u_shape: bool, start: float | None) -> Fitted:
    try:
        if u_shape:
            return fit_u_shape(mean.at, mean.mean)
        return fit_scaling(mean.at, mean.mean, start=start, series=True)
    except InputError as error:
        return error


def _mean_figure(
    series: Sequence[Series], means: Mapping[str, MeanCurve], fits: Mapping[str, Fitted], settings: Settings
) -> Drawing:
    """Draw the mean with its deviation over all runs, and the fitted curve where there is one."""
    name = settings.say("mean-of-sizes").format(sizes=len(series), runs=len(_runs(series)))
    panels = {group_name(group, settings): [_line(name, mean)] for group, mean in means.items()}
    curves: dict[str, list[Line]] = {}
    for group, mean in means.items():
        fit = fits[group]
        if not isinstance(fit, InputError):
            at = np.geomspace(mean.at[0], mean.at[-1], SMOOTH)
            curves[group_name(group, settings)] = [Line(settings.say("fitted"), at, fit.at(at))]
    references = _people_lines(series[0], settings)
    return learning_curves(panels, fits=curves, references=references, language=settings.language)


def _u_shapes(fits: Mapping[str, tuple[Fitted, MeanCurve]], note: str, settings: Settings) -> Item:
    """Return one row per group whose mean dips: the fit with the extra term, or why there is none."""
    if not fits:
        return absent(settings.say("u-shape"), "report-no-dips")
    rows: Rows = []
    for group, (fit, mean) in fits.items():
        name = group_name(group, settings)
        if isinstance(fit, UShapeFit):
            at, values = mean.at.tolist(), mean.mean.tolist()
            final, start, _, alpha, beta, _, remark = _borne_out(fit.trend, at, values, settings, measured=False)
            outside = {
                "n₀": not at[0] <= fit.turn.value <= at[-1],
                "s": not fit.width.value <= at[-1],
                "k": abs(fit.depth.value) / 2 > max(values) - min(values),
            }
            lost = [one for one, far in outside.items() if far]
            beyond = settings.say("beyond-points").format(parameters=", ".join(lost)) if lost else ""
            depth, turn, width = (
                None if outside[one] else value for one, value in (("k", fit.depth), ("n₀", fit.turn), ("s", fit.width))
            )
            rows.append((name, final, start, alpha, beta, depth, turn, width, joined(str(remark), beyond)))
        elif isinstance(fit, InputError):
            rows.append((name, *(None for _ in range(7)), reasons(fit, settings.language)))
    columns = (
        "group final:percent='P∞ start:percent='P₀ alpha:number='α beta:number='β depth:number='k turn:amount='n₀"
        " width:amount='s remark"
    )
    return without_blank(settings.table("u-shape", columns, rows, note=note))
