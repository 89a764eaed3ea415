"""Learning curves: their values at common checkpoints, their mean over runs, and the fit of a U-shape.

Whether a curve really has a dip is for `bidui.analysis.dips` to say: a U-shape can be fitted to any curve.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bidui.analysis.least_squares import Estimate, Parameter, check_points, fit_curve, weighted_starts
from bidui.analysis.scaling import (
    BETA,
    FINAL,
    START,
    estimate,
    exponential,
    in_alpha,
    remaining,
    scale_range,
)
from bidui.errors import fail
from bidui.scores.links import Floats

NAMES = ("final", "start", "scale", "beta", "depth", "turn", "width")


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The accuracies of one run (a size, a seed) at its checkpoints, which are steps, tokens or FLOPs, and rise.

    The untrained model may stand first, at 0. A logarithmic axis has no place for it, so nothing is interpolated
    between it and the next.
    """

    run: str
    at: Floats
    accuracies: Floats

    def __post_init__(self) -> None:
        if self.at.ndim != 1 or self.at.shape != self.accuracies.shape:
            found = {"run": self.run, "at": self.at.size, "accuracies": self.accuracies.size}
            raise fail("curve-lengths", None, found)
        if not (self.at > 0).any() or not (np.isfinite(self.at) & (self.at >= 0)).all():
            raise fail("curve-not-positive", None, {"run": self.run, "at": self.at.tolist()})
        if falls := np.flatnonzero(np.diff(self.at) <= 0).tolist():
            first, second = self.at[falls[0] : falls[0] + 2]
            raise fail("curve-order", None, {"run": self.run, "first": f"{first:g}", "second": f"{second:g}"})


@dataclass(frozen=True, slots=True)
class MeanCurve:
    """Accuracy over runs at common checkpoints: mean, standard deviation (n − 1; NaN of one run), number of runs."""

    at: Floats
    mean: Floats
    deviation: Floats
    runs: int


@dataclass(frozen=True, slots=True)
class UShapeFit:
    """F(n) = P∞ − (P∞ − P0)·exp(−α·n^β) + k·F_u((n − n0) / s), F_u(x) = −x / (1 + x²), with intervals.

    `depth` is k, `turn` n0, `width` s. With k above 0 the extra term lifts the curve before n0 and lowers it after,
    most at n0 + s, by k / 2; with k below 0, the other way round. P0 is where the exponential starts, not the curve.
    """

    final: Estimate
    start: Estimate
    alpha: Estimate
    beta: Estimate
    scale: Estimate
    depth: Estimate
    turn: Estimate
    width: Estimate
    deviation: float  # of the points about the curve
    points: int
    confidence: float

    def at(self, n: ArrayLike) -> Floats:
        """The curve at every n."""
        logs = (np.log(one.value) for one in (self.scale, self.beta))
        last = (self.depth.value, np.log(self.turn.value), np.log(self.width.value))
        return u_shape(np.log(np.asarray(n, np.float64)), np.array([self.final.value, self.start.value, *logs, *last]))


def common_checkpoints(curves: Sequence[LearningCurve]) -> Floats:
    """The checkpoints of any curve within the stretch that all of them cover, and 0 where all have it."""
    if not curves:
        raise fail("curves-none", None, {})
    first = max(float(curve.at[curve.at > 0][0]) for curve in curves)
    last = min(float(curve.at[-1]) for curve in curves)
    if first > last:
        raise fail("curves-apart", None, {"first": f"{first:g}", "last": f"{last:g}"})
    every = np.unique(np.concatenate([curve.at for curve in curves]))
    untrained = all(curve.at[0] == 0 for curve in curves)
    shared = ((every >= first) & (every <= last)) | ((every == 0) & untrained)
    return np.asarray(every[shared])


def interpolate(curve: LearningCurve, *, at: ArrayLike) -> LearningCurve:
    """The curve at other checkpoints, on straight lines over the logarithm of the axis; not beyond its ends."""
    wanted, known = np.asarray(at, np.float64), curve.at > 0
    first, last = curve.at[known][0], curve.at[-1]
    untrained = (wanted == 0) & (curve.at[0] == 0)
    inside = (wanted >= first) & (wanted <= last)
    if not (inside | untrained).all():
        value = wanted[~(inside | untrained)][0]
        found = {"run": curve.run, "value": f"{value:g}", "first": f"{first:g}", "last": f"{last:g}"}
        raise fail("curve-outside", None, found)
    logs = np.log(np.where(untrained, first, wanted))
    values = np.interp(logs, np.log(curve.at[known]), curve.accuracies[known])
    return LearningCurve(curve.run, wanted, np.where(untrained, curve.accuracies[0], values))


def mean_curve(curves: Sequence[LearningCurve], *, at: ArrayLike | None = None) -> MeanCurve:
    """The mean over runs (seeds, sizes, or both), at the given checkpoints or else at the common ones."""
    where = common_checkpoints(curves) if at is None else np.asarray(at, np.float64)
    if not curves:
        raise fail("curves-none", None, {})
    rows = np.stack([interpolate(curve, at=where).accuracies for curve in curves])
    deviation = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.full(len(where), np.nan)
    return MeanCurve(where, rows.mean(axis=0), deviation, len(rows))


def fit_u_shape(n: ArrayLike, accuracies: ArrayLike, *, confidence: float = 0.95) -> UShapeFit:
    """The curve of Figure 5 (Liu et al., first version, section 5.4) through accuracies at n tokens.

    The paper does not say whether the extra term is over n or its logarithm; as printed, it is over n. Simulated curves
    of 30 and 47 points had their parameters within the intervals in 93 to 97 of 100; but in as few as 84 where k is
    no more than six times the scatter of the points, since such a term also follows the scatter.
    """
    sizes, observed = np.asarray(n, np.float64), np.asarray(accuracies, np.float64)
    check_points(sizes, observed, parameters=len(NAMES))
    logs = np.log(sizes)
    fit = fit_curve(
        lambda values: u_shape(logs, values),
        observed,
        parameters=(FINAL, START, scale_range(logs), BETA, *_dip_ranges(logs)),
        starts=_starts(logs, observed),
    )
    final, start, scale, beta, depth, turn, width = (estimate(fit, name, confidence) for name in NAMES)
    alpha = estimate(in_alpha(fit), "alpha", confidence)
    deviation = float(np.sqrt(fit.variance))
    return UShapeFit(final, start, alpha, beta, scale, depth, turn, width, deviation, len(observed), confidence)


def _dip_ranges(logs: Floats) -> tuple[Parameter, Parameter, Parameter]:
    """Where depth, turn and width are looked for: around the points."""
    low, high = float(logs.min()), float(logs.max())
    turn = Parameter("turn", low - np.log(10), high + np.log(10))
    return Parameter("depth", -2, 2, closed=True), turn, Parameter("width", low - np.log(100), high + np.log(100))


def _starts(logs: Floats, observed: Floats) -> list[Floats]:
    """For each of nine places of the turn, the best of many curves."""
    low, high = float(logs.min()), float(logs.max())
    axes = np.meshgrid(
        np.linspace(low, high + 1, 9),  # scale
        np.log([0.3, 0.6, 1, 2, 4]),  # beta
        np.linspace(low, high, 11)[1:-1],  # turn
        np.log([0.1, 0.3, 1, 3]),  # width, as a part of the turn
    )
    grid = np.stack([axis.ravel() for axis in axes], axis=1)
    grid[:, 3] += grid[:, 2]
    left = remaining(logs, grid[:, :1], grid[:, 1:2])
    shapes = np.stack([1 - left, left, _dip(logs, grid[:, 2:3], grid[:, 3:])], axis=2)
    best = weighted_starts(shapes, observed, apart=grid[:, 2], most=9)
    return [np.array([*weights[:2], *grid[g, :2], weights[2], *grid[g, 2:]]) for g, weights in best]


def u_shape(logs: Floats, values: Floats) -> Floats:
    """F at the logarithms of n; after the values of `exponential` come k and the logarithms of n0 and s."""
    return np.asarray(exponential(logs, values[:4]) + values[4] * _dip(logs, values[5], values[6]))


def _dip(logs: Floats, log_turn: Floats | float, log_width: Floats | float) -> Floats:
    """F_u((n − n0) / s)."""
    x = np.exp(np.minimum(logs - log_width, 50)) - np.exp(np.minimum(log_turn - log_width, 50))
    return np.asarray(-x / (1 + x * x))
