"""Least squares for curves: many starts, and intervals from the profile of the squared error.

An interval holds every value of a parameter at which the best curve with this value is not significantly worse than the
best curve of all (Bates and Watts 1988, chapter 6), given the scatter of the points about it. In simulations with 8 to
47 points these intervals held the truth in 92 to 99 of 100 curves; those of the usual delta method in as few as 88,
where the points end before the curve has levelled off. The scatter is assumed to be of one size, and independent from
point to point, unless the points are a series: checkpoints of one run stray together, so their correlation is estimated
and taken out (Prais and Winsten 1954) before the profile is made. How strong it is remains uncertain, so Student's t
counts only as many points as would say as much without it. What all points share, such as the choice of the pairs, is
not in the intervals.

The descent is MINPACK's, from scipy. Bounds and profiles are written here for two reasons. `least_squares`, scipy's
bounded method, runs in Python and takes six times as long, and one U-shape needs hundreds of descents. And an
interval must reach over every valley that a start ended in, and say where the points set no limit; lmfit's
`conf_interval` starts from a single minimum.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import leastsq
from scipy.stats import t as student

from bidui.analysis.estimate import check_accuracies
from bidui.errors import fail
from bidui.scores.links import Floats

CLOSE = 0.01  # standard errors: the precision of an end of an interval
LEAST_VARIANCE = 1e-14  # MINPACK gets no closer to points that lie on the curve
VALLEYS = 10  # of a first fit, from which the second, that allows for correlation, starts
AT_THE_END = 1e-3  # of its range: this close to the end, a parameter has hit it
MOST_CORRELATION = 0.9  # of neighbouring points; with more, nothing could be told
OFF_THE_END = 0.04  # how far inside its range a bounded parameter starts, as a share of the range


SYMBOLS = {"final": "P∞", "start": "P₀", "alpha": "α", "beta": "β", "depth": "k", "turn": "n₀", "width": "s"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter and the range that is searched.

    It can take the values at the ends of a closed range, such as 0 and 1; those of an open range only limit the search.
    `means` turns the fitted number, such as a logarithm, into the reported one.
    """

    name: str
    low: float
    high: float
    closed: bool = False
    means: Callable[[float], float] = float

    @property
    def symbol(self) -> str:
        """The parameter as formulas of docs and reports write it."""
        return SYMBOLS.get(self.name, self.name)


@dataclass(frozen=True, slots=True)
class Fit:
    """The curve that comes closest to the observed points, and its sum of squared errors."""

    predict: Callable[[Floats], Floats]
    observed: Floats
    parameters: tuple[Parameter, ...]
    values: Floats
    squares: float
    ends: tuple[Floats, ...]  # where the starts ended; the best is among them
    correlation: float = 0.0  # of neighbouring points, which `predict` and `observed` no longer have

    @property
    def freedom(self) -> float:
        """The degrees of freedom for intervals: points less parameters, but no more than independent points.

        The mean of n points whose neighbours have the correlation r is worth that of n (1 − r) / (1 + r) independent
        ones (Bayley and Hammersley 1946).
        """
        points = len(self.observed)
        independent = points * (1 - self.correlation) / (1 + self.correlation)
        return max(1.0, min(points - len(self.parameters), independent))

    @property
    def variance(self) -> float:
        """The variance of the points about the curve."""
        return max(self.squares / (len(self.observed) - len(self.parameters)), LEAST_VARIANCE)


def check_points(n: Floats, observed: Floats, *, parameters: int) -> None:
    """Refuse points that a curve with so many parameters cannot be fitted to, or that are not accuracies."""
    if n.ndim != 1 or n.shape != observed.shape:
        raise fail("fit-lengths", None, {"n": n.size, "accuracies": observed.size})
    if wrong := [value for value in n.tolist() if not 0 < value < np.inf]:
        raise fail("fit-not-positive", None, {"value": f"{wrong[0]:g}", "count": len(wrong)})
    check_accuracies(observed)
    if len(n) <= parameters or len(np.unique(n)) < parameters:
        values = {"points": len(n), "distinct": len(np.unique(n)), "parameters": parameters}
        raise fail("fit-too-few", None, values)
    if np.ptp(observed) == 0:
        raise fail("fit-flat", None, {"value": f"{observed[0]:g}", "points": len(n)})


def weighted_starts(shapes: Floats, observed: Floats, *, apart: NDArray[Any], most: int) -> list[tuple[int, Floats]]:
    """Return the best of many curves that are weighted sums of shapes: the index of each, and its weights.

    `shapes` has the axes curve, point, shape. Neighbours on a grid lead to the same place, so only the best of the
    curves with the same value in `apart` is taken.
    """
    products = np.einsum("gmi,gmj->gij", shapes, shapes) + 1e-9 * np.eye(shapes.shape[2])
    weights = np.linalg.solve(products, np.einsum("gmi,m->gi", shapes, observed)[..., None])[..., 0]
    errors = np.square(np.einsum("gmi,gi->gm", shapes, weights) - observed).sum(axis=1)
    order = np.argsort(errors)
    firsts = np.sort(np.unique(apart[order], return_index=True)[1])[:most]
    return [(int(g), weights[g]) for g in order[firsts]]


def fit_curve(
    predict: Callable[[Floats], Floats],
    observed: Floats,
    *,
    parameters: Sequence[Parameter],
    starts: Sequence[Floats],
    possible: Callable[[Floats], bool] = lambda values: True,
    series: bool = False,
) -> Fit:
    """Return the closest possible curve that any start leads to; refuse where no descent converges.

    Points of a `series` are in order, and neighbours stray from the curve together; the fit allows for it.
    """
    if series:
        plain = fit_curve(predict, observed, parameters=parameters, starts=starts, possible=possible)
        correlation = _correlation(observed - predict(plain.values), len(plain.parameters))
        if correlation <= 0:
            return plain
        fit = fit_curve(
            lambda values: whiten(predict(values), correlation),
            whiten(observed, correlation),
            parameters=parameters,
            starts=sorted(plain.ends, key=lambda values: _squares(plain, values))[:VALLEYS],
            possible=possible,
        )
        return replace(fit, correlation=correlation)
    ranges = tuple(parameters)
    descents = [_closest(predict, observed, ranges, start) for start in starts]
    converged = [descent for descent in descents if not descent.trouble]
    if not converged:
        raise fail("fit-not-settled", None, {"starts": len(starts), "reason": descents[0].trouble})
    converged = [descent for descent in converged if possible(descent.values)]
    if not converged:
        raise fail("fit-impossible", None, {"points": len(observed)})
    best = min(converged, key=lambda descent: descent.squares)
    for parameter, value in zip(ranges, best.values.tolist(), strict=True):
        if not parameter.low <= value <= parameter.high:
            limit = parameter.low if value < parameter.low else parameter.high
            values = {"parameter": parameter.symbol, "limit": f"{parameter.means(limit):.3g}", "points": len(observed)}
            raise fail("fit-runs-away", None, values)
    return Fit(predict, observed, ranges, best.values, best.squares, tuple(descent.values for descent in converged))


def refuse_bounds(fit: Fit, names: Sequence[str]) -> None:
    """Refuse a fit whose parameter lies at an end of its closed range: it is not what the points say."""
    for parameter, value in zip(fit.parameters, fit.values.tolist(), strict=True):
        reach = AT_THE_END * (parameter.high - parameter.low)
        if parameter.name in names and not parameter.low + reach < value < parameter.high - reach:
            limit = f"{parameter.means(parameter.low if value < parameter.low + reach * 2 else parameter.high):.3g}"
            values = {"parameter": parameter.symbol, "limit": limit, "points": len(fit.observed)}
            raise fail("fit-at-bound", None, values)


def whiten(columns: Floats, correlation: float) -> Floats:
    """Return rows whose noise is independent, and as large, where that of neighbours has this correlation."""
    fresh = columns[1:] - correlation * columns[:-1]
    return np.concatenate([columns[:1], fresh / np.sqrt(1 - correlation**2)])


def _correlation(left: Floats, parameters: int) -> float:
    """Return the correlation of neighbours, on the high side: intervals that are a little wide do less harm.

    A curve that follows the scatter hides part of the correlation, which is added, with half its standard error.
    """
    found, count = float(left[1:] @ left[:-1]) / max(float(left @ left), 1e-300), len(left)
    hidden = (parameters * (1 + found) + 3 * max(found, 0.0)) / count
    return min(MOST_CORRELATION, found + hidden + 0.5 * float(np.sqrt((1 - found**2) / count)))


def profile_interval(fit: Fit, name: str, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of one parameter, in the fitted unit."""
    held = [parameter.name for parameter in fit.parameters].index(name)
    threshold = float(student.ppf((1 + confidence) / 2, fit.freedom))
    return _end(fit, held, threshold, up=False), _end(fit, held, threshold, up=True)


def _end(fit: Fit, held: int, threshold: float, *, up: bool) -> float:
    """Return where the profile rises above the threshold: step outwards, then search between the last two steps."""
    parameter, sign = fit.parameters[held], 1 if up else -1
    limit = parameter.high if up else parameter.low
    # an interval reaches over all places below the threshold where starts ended, whatever lies between
    near = [end for end in fit.ends if _above(fit, _squares(fit, end), threshold) <= 0]
    path = max(near, key=lambda values: sign * values[held])
    inside = float(path[held])
    if sign * (inside - limit) >= 0:
        return limit if parameter.closed else sign * np.inf
    below = _above(fit, _squares(fit, path), threshold)
    step = threshold * _standard_error(fit, held)
    while True:
        outside = min(inside + step, limit) if up else max(inside - step, limit)
        above, curve = _height(fit, held, outside, path, threshold)
        if above > 0:
            break
        if outside == limit:
            return limit if parameter.closed else sign * np.inf
        inside, below, path, step = outside, above, curve, 1.6 * step
    for _ in range(12):
        share = min(max(below / (below - above), 0.1), 0.9)
        middle = inside + share * (outside - inside)
        height, curve = _height(fit, held, middle, path, threshold)
        if height > 0:
            outside, above = middle, height
        else:
            inside, below, path = middle, height, curve
        if abs(height) < CLOSE:
            break
    return middle


def _height(fit: Fit, held: int, value: float, path: Floats, threshold: float) -> tuple[float, Floats]:
    """Return how far above the threshold the best curve with this value lies, in standard errors; and that curve.

    The search starts at the previous curve; if it ends above the threshold, it also starts at the best of all.
    """

    def closest(start: Floats) -> _Descent:
        moved = np.where(np.arange(len(start)) == held, value, start)
        return _closest(fit.predict, fit.observed, fit.parameters, moved, held=held)

    best = closest(path)
    if _above(fit, best.squares, threshold) > 0:
        best = min(best, closest(fit.values), key=lambda descent: descent.squares)
    return _above(fit, best.squares, threshold), best.values


def _above(fit: Fit, squares: float, threshold: float) -> float:
    return float(np.sqrt(max(squares - fit.squares, 0.0) / fit.variance)) - threshold


def _squares(fit: Fit, values: Floats) -> float:
    return float(np.square(fit.predict(values) - fit.observed).sum())


def _standard_error(fit: Fit, held: int) -> float:
    """Return the standard error by the delta method: good enough for the length of a first step."""
    ranges = np.array([parameter.high - parameter.low for parameter in fit.parameters])
    moved = fit.values + np.diag(1e-5 * ranges)
    slopes = (np.array([fit.predict(row) for row in moved]) - fit.predict(fit.values)) / (1e-5 * ranges[:, None])
    variance = np.linalg.pinv(slopes @ slopes.T)[held, held] * fit.variance
    return float(np.clip(np.sqrt(max(variance, 0.0)), 1e-4 * ranges[held], 0.1 * ranges[held]))


@dataclass(frozen=True, slots=True)
class _Descent:
    """Where a descent ended, its squared error, and MINPACK's complaint if it did not converge."""

    values: Floats
    squares: float
    trouble: str


def _closest(
    predict: Callable[[Floats], Floats],
    observed: Floats,
    parameters: tuple[Parameter, ...],
    start: Floats,
    *,
    held: int | None = None,
) -> _Descent:
    """Return the nearest curve downhill from a start; the parameter `held` stays where it is.

    MINPACK knows no bounds, so a bounded parameter is the sine of what MINPACK moves. At its ends the sine is flat and
    nothing would move away from there, so the start is kept a little inside.
    """
    bounded = np.array([i for i, one in enumerate(parameters) if one.closed and i != held], np.intp)
    free = np.array([i for i in range(len(parameters)) if i != held], np.intp)
    is_bounded = np.isin(free, bounded)
    low = np.array([parameters[i].low for i in bounded])
    width = np.array([parameters[i].high for i in bounded]) - low

    def values_of(moved: Floats) -> Floats:
        values = start.copy()
        values[free] = moved
        values[bounded] = low + width * (1 + np.sin(moved[is_bounded])) / 2
        return values

    begin = start[free]
    begin[is_bounded] = np.arcsin(2 * np.clip((start[bounded] - low) / width, OFF_THE_END, 1 - OFF_THE_END) - 1)
    most = 100 * (len(free) + 1)
    moved, _, info, message, status = leastsq(
        lambda x: predict(values_of(x)) - observed, begin, full_output=True, maxfev=most
    )
    trouble = "" if status in (1, 2, 3, 4) else " ".join(message.split())
    return _Descent(values_of(moved), float(np.square(info["fvec"]).sum()), trouble)
