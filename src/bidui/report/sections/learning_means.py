"""Learning curves over all sizes and seeds, with the curves fitted to them (Liu et al., first version, Figure 5)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from bidui.analysis.curves import MeanCurve, UShapeFit, fit_u_shape, mean_curve
from bidui.analysis.scaling import ScalingFit, fit_scaling
from bidui.errors import InputError
from bidui.report.runs import Series
from bidui.report.section import Absent, Asked, Item, Picture, absent, attempt
from bidui.report.sections.overview import unfinished_note
from bidui.report.sections.scaling import people_lines, shown
from bidui.report.tables import Column, Ranged, Table, Value, without_blank
from bidui.report.training import learning_curve

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
    yield attempt(title, partial(_figure, series, means, fits, title, asked))
    yield _u_shapes(series, {group: fits[group] for group in dips}, asked)


def _fit(mean: MeanCurve, *, u_shape: bool) -> Fitted:
    try:
        return fit_u_shape(mean.at, mean.mean) if u_shape else fit_scaling(mean.at, mean.mean)
    except InputError as error:
        return error


def _figure(
    series: Sequence[Series], means: Mapping[str, MeanCurve], fits: Mapping[str, Fitted], title: str, asked: Asked
) -> Picture:
    """The mean with its deviation over all runs, and the fitted curve where there is one."""
    from bidui.report.figures import Line, learning_curves

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
            rows.append((shown(group, asked), *(Ranged(one.value, one.low, one.high) for one in parts), ""))
        elif isinstance(fit, InputError):
            reason = " ".join(problem.text(asked.language) for problem in fit.problems)
            rows.append((shown(group, asked), *(None for _ in range(7)), reason))
    runs = tuple(run for one in series for run in one.runs)
    note = f"{say('note-u-shape').format(runs=len(runs))} {unfinished_note(runs, asked)}".strip()
    return without_blank(Table("u-shape", say("u-shape"), columns, tuple(rows), note))
