"""Learning curves: their values at common checkpoints, their mean over runs, the fit of a U-shape, and dips.

A U-shape can be fitted to any curve; `find_dip` says whether a curve really has a dip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from bidui.analysis.estimate import check_accuracies
from bidui.analysis.fits import Parameter, check_points, fit_curve, weighted_starts
from bidui.analysis.scaling import (
    BETA,
    FINAL,
    START,
    ScalingFit,
    estimate,
    exponential,
    remaining,
    scale_range,
    trend_of,
)
from bidui.errors import fail
from bidui.intervals import Estimate
from bidui.scores.links import Floats

BETWEEN = 200  # places at which a curve is checked
SLACK = 0.02  # how far a curve may lie beyond 0 or 1: this much is scatter


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The accuracies of one run (a size, a seed) at its checkpoints: steps, tokens or FLOPs, in rising order.

    The untrained model may come first, at 0. A logarithmic axis has no place for it, so nothing is interpolated between
    it and the next checkpoint.
    """

    run: str
    at: Floats
    accuracies: Floats

    def __post_init__(self) -> None:
        if self.at.ndim != 1 or self.at.shape != self.accuracies.shape:
            sizes = {"run": self.run, "at": self.at.size, "accuracies": self.accuracies.size}
            raise fail("curve-lengths", None, sizes)
        if not (self.at > 0).any() or not (np.isfinite(self.at) & (self.at >= 0)).all():
            raise fail("curve-not-positive", None, {"run": self.run, "at": self.at.tolist()})
        if falls := np.flatnonzero(np.diff(self.at) <= 0).tolist():
            first, second = self.at[falls[0] : falls[0] + 2]
            raise fail("curve-order", None, {"run": self.run, "first": f"{first:g}", "second": f"{second:g}"})
        check_accuracies(self.accuracies)


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

    `depth` is k, `turn` n0, `width` s. With k above 0 the extra term raises the curve before n0 and lowers it after,
    most at n0 + s, by k / 2; with k below 0, the other way round. With n0 = 0 it only lowers (or only raises). P0 is
    where the exponential starts, not the curve.
    """

    trend: ScalingFit  # the exponential
    depth: Estimate
    turn: Estimate
    width: Estimate

    def at(self, n: ArrayLike) -> Floats:
        """Return the curve at every n."""
        dip = _dip(np.asarray(n, np.float64), self.turn.value, self.width.value)
        return np.asarray(self.trend.at(n) + self.depth.value * dip)


def common_checkpoints(curves: Sequence[LearningCurve]) -> Floats:
    """Return the checkpoints of any curve within the range that all of them cover, and 0 where all have it."""
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
    """Return the curve at other checkpoints, linear in the logarithm of the axis; not beyond its ends."""
    wanted, trained = np.asarray(at, np.float64), curve.at > 0
    first, last = curve.at[trained][0], curve.at[-1]
    untrained = (wanted == 0) & (curve.at[0] == 0)
    inside = (wanted >= first) & (wanted <= last)
    if not (inside | untrained).all():
        value = wanted[~(inside | untrained)][0]
        values = {"run": curve.run, "value": f"{value:g}", "first": f"{first:g}", "last": f"{last:g}"}
        raise fail("curve-outside", None, values)
    logs = np.log(np.where(untrained, first, wanted))
    between = np.interp(logs, np.log(curve.at[trained]), curve.accuracies[trained])
    return LearningCurve(curve.run, wanted, np.where(untrained, curve.accuracies[0], between))


def mean_curve(curves: Sequence[LearningCurve]) -> MeanCurve:
    """Average runs (seeds, sizes, or both) at their common checkpoints."""
    where = common_checkpoints(curves)
    rows = np.stack([interpolate(curve, at=where).accuracies for curve in curves])
    deviation = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.full(len(where), np.nan)
    return MeanCurve(where, rows.mean(axis=0), deviation, len(rows))


def fit_u_shape(n: ArrayLike, accuracies: ArrayLike) -> UShapeFit:
    """Fit the curve of Figure 5 (Liu et al., first version, section 5.4) to accuracies at n tokens.

    The paper does not say whether the extra term is over n or its logarithm; as printed, it is over n. Of simulated
    curves with 30 and 47 points, 90 to 97 of 100 had each parameter within its interval; as few as 87 where k was at
    most six times the scatter of the points, since such a term also follows the scatter.
    """
    sizes, observed = np.asarray(n, np.float64), np.asarray(accuracies, np.float64)
    check_points(sizes, observed, parameters=7)
    logs = np.log(sizes)

    def predict(values: Floats) -> Floats:
        turn, width = np.exp(np.clip(values[5:], -300, 300))
        return np.asarray(exponential(logs, values[:4]) + values[4] * _dip(sizes, turn, width))

    fit = fit_curve(
        predict,
        observed,
        parameters=(FINAL, START, scale_range(logs), BETA, *_dip_ranges(logs)),
        starts=_starts(sizes, observed),
        possible=partial(_stays_inside, sizes),
    )
    return UShapeFit(trend_of(fit), *(estimate(fit, name) for name in ("depth", "turn", "width")))


def _stays_inside(sizes: Floats, values: Floats) -> bool:
    """Return whether a curve stays between 0 and 1 from the first point to the last.

    One that does not has its extra term as a spike between two points, where no data hold it.
    """
    turn, width = np.exp(np.clip(values[5:], -300, 300))
    low, high = sizes.min(), sizes.max()
    at = np.clip([*np.geomspace(low, high, BETWEEN), turn - width, turn + width], low, high)
    curve = exponential(np.log(at), values[:4]) + values[4] * _dip(at, turn, width)
    return bool((curve > -SLACK).all() and (curve < 1 + SLACK).all())


def _dip_ranges(logs: Floats) -> tuple[Parameter, Parameter, Parameter]:
    """Return the ranges of k and the logarithms of n0 and s; the lowest n0 means 0, the highest any beyond."""
    first, last = float(logs.min()) - np.log(1000), float(logs.max()) + np.log(10)

    def place(log: float) -> float:
        return 0.0 if log < first + 0.01 else np.inf if log > last - 0.01 else float(np.exp(log))

    turn = Parameter("turn", first, last, closed=True, means=place)
    width = Parameter("width", float(logs.min()) - np.log(100), float(logs.max()) + np.log(100), means=np.exp)
    return Parameter("depth", -2, 2, closed=True), turn, width


def _starts(sizes: Floats, observed: Floats) -> list[Floats]:
    """Return the best of many curves for each of 45 regions of scale, turn and width: each may hold a valley."""
    logs = np.log(sizes)
    low, high = float(logs.min()), float(logs.max())
    axes = (
        np.linspace(low, high + 1, 9),  # scale
        np.log([0.3, 0.6, 1, 2, 4]),  # beta
        np.array([low - np.log(100), *np.linspace(low, high, 11)[1:-1]]),  # turn; the first is hardly above 0
        np.linspace(low, high, 9),  # width
    )
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 4)
    scale, _, turn, width = (index.ravel() for index in np.indices([len(axis) for axis in axes]))
    left = remaining(logs, grid[:, :1], grid[:, 1:2])
    shapes = np.stack([1 - left, left, _dip(sizes, np.exp(grid[:, 2:3]), np.exp(grid[:, 3:]))], axis=2)
    regions = np.ravel_multi_index((scale // 3, turn // 2, width // 3), (3, 5, 3))
    best = weighted_starts(shapes, observed, apart=regions, most=45)
    return [np.array([*weights[:2], *grid[g, :2], weights[2], *grid[g, 2:]]) for g, weights in best]


def _dip(sizes: Floats, turn: Floats | float, width: Floats | float) -> Floats:
    """Return F_u((n − n0) / s)."""
    x = np.clip((sizes - turn) / width, -1e100, 1e100)
    return np.asarray(-x / (1 + x * x))


# Dips: whether a learning curve really drops and then rises, beyond the noise of the pairs it was measured on.
#
# The null hypothesis is that the curve has no dip: that it rises, falls, stays level, or rises and then falls. A dip
# at a checkpoint needs a drop from an earlier one and a rise to a later one. Each is judged by McNemar's statistic on
# the same pairs; the smaller of the two counts, and the largest over all checkpoints is the statistic of the curve.
#
# Of the curves without a dip, the least favourable ones drop for certain and then stay level, or stay level and then
# rise for certain: there only one of the two has to come from noise. So p is how often pure noise drops before a
# peak, or rises after it, by as much, wherever the peak is put. The noise is normal, with the covariance of the
# checkpoints over the pairs: it is correlated because every checkpoint is scored on the same pairs. No library has
# this test.
#
# The rate of false alarms is at most alpha for every curve without a dip. In 3,000 simulations each, with alpha 0.05,
# it was 0.026 to 0.039 on the least favourable curves, and 0.002 or less on flat ones.

LEAST_PAIRS = 30  # with fewer, the normal distribution is no substitute for McNemar's
BLOCK = 2_000_000  # differences between checkpoints held in memory at a time


@dataclass(frozen=True, slots=True)
class Dip:
    """The clearest drop and rise of a curve: at which checkpoints (counted from 0), by how much, and its p.

    Where the curve never drops, or never rises afterwards, `drop` or `rise` is 0 or less.
    """

    before: int
    bottom: int
    after: int
    drop: float
    rise: float
    statistic: float
    p: float


def find_dip(worth: ArrayLike, *, seed: int, alpha: float = 0.05, resamples: int = 1999) -> Dip:
    """Test one learning curve, given the worth of its choices: one row per pair, one column per checkpoint, in order.

    `same_pairs` of the choices at every checkpoint gives such a table; the mean over several runs works too. Pairs of
    several paradigms count as one sample, so differences between paradigms count as noise and the test is more
    conservative. Pairs cannot say whether another training run would dip: look at each run. For many curves, correct
    the p-values.
    """
    values = np.asarray(worth, np.float64)
    pairs, checkpoints = values.shape if values.ndim == 2 else (0, 0)
    if checkpoints < 3 or pairs < LEAST_PAIRS:
        raise fail("dip-too-few", None, {"checkpoints": checkpoints, "pairs": pairs, "least": LEAST_PAIRS})
    check_accuracies(values)
    if not 0 < alpha < 1:
        raise fail("dip-alpha", None, {"value": f"{alpha:g}"})
    if resamples < (needed := int(np.ceil(20 / alpha)) - 1):
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": needed})
    sums, means = values.sum(axis=0), values.mean(axis=0)
    above = _ratio(sums[:, None] - sums, _of_differences(values.T @ values))
    earlier, later = _largest(above)
    bottom = int(np.minimum(earlier, later).argmax())  # never the first or the last
    before = int(above[:bottom, bottom].argmax())
    after = bottom + 1 + int(above[bottom + 1 :, bottom].argmax())
    drop, rise = float(means[before] - means[bottom]), float(means[after] - means[bottom])
    statistic = float(min(earlier[bottom], later[bottom]))
    p = _p(statistic, np.cov(values.T), resamples=resamples, seed=seed)
    return Dip(before, bottom, after, drop, rise, statistic, p)


def _p(statistic: float, covariance: Floats, *, resamples: int, seed: int) -> float:
    """Return how often noise alone reaches the statistic, with the peak of the curve where that is most likely.

    Checkpoints up to the peak cannot truly have dropped, and later ones cannot truly rise, so their drops, and the
    others' rises, are noise. The curve itself counts as one of the resamples.
    """
    rng = np.random.default_rng(seed)
    checkpoints = len(covariance)
    values, vectors = np.linalg.eigh(covariance)
    roots = vectors * np.sqrt(np.maximum(values, 0))
    variances = _of_differences(covariance)
    reached = np.zeros(checkpoints + 1, np.int64)  # with the peak before the first checkpoint, at the first, …
    block = max(1, BLOCK // checkpoints**2)
    for done in range(0, resamples, block):
        noise = rng.standard_normal((min(block, resamples - done), checkpoints)) @ roots.T
        drops, rises = _largest(_ratio(noise[:, :, None] - noise[:, None, :], variances))
        dropped = np.logical_or.accumulate(drops >= statistic, axis=1)
        risen = np.logical_or.accumulate((rises >= statistic)[:, ::-1], axis=1)[:, ::-1]
        reached[:-1] += risen.sum(axis=0)
        reached[1:] += dropped.sum(axis=0)
        reached[1:-1] -= (dropped[:, :-1] & risen[:, 1:]).sum(axis=0)
    return float(reached.max() + 1) / (resamples + 1)


def _largest(above: Floats) -> tuple[Floats, Floats]:
    """Return how far each checkpoint is below the highest earlier one, and below the highest later one."""
    earlier = np.triu(np.ones(above.shape[-2:], np.bool_), 1)
    return np.where(earlier, above, -np.inf).max(axis=-2), np.where(earlier.T, above, -np.inf).max(axis=-2)


def _of_differences(products: Floats) -> Floats:
    """Return the sums of squares (variances) of the differences between rows, from their products (covariances)."""
    squares = np.diag(products)
    return np.maximum(squares[:, None] + squares - 2 * products, 0)


def _ratio(differences: Floats, squares: Floats) -> Floats:
    """Divide differences by the roots; 0 where two checkpoints made the same choices, up to rounding."""
    same = squares <= 1e-12 * squares.max(initial=1.0)
    return np.where(same, 0.0, differences / np.sqrt(np.where(same, 1.0, squares)))
