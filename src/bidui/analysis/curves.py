"""Learning curves: their values at common checkpoints, their mean over runs, the fit of a U-shape, and dips.

A U-shape can be fitted to any curve; `find_dip` says whether a curve really has a dip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidui.analysis.estimate import check_accuracies
from bidui.analysis.fits import Parameter, check_points, fit_curve, refuse_bounds, weighted_starts, whiten
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
from bidui.intervals import LEAST, Estimate
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
    """Fit the curve of Figure 5 (Liu et al., first version, section 5.4) to a series of accuracies at n tokens.

    Neighbouring points may stray together. Fits that end at a bound of P∞ or k are refused.

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
        series=True,
    )
    refuse_bounds(fit, ("final", "start", "depth"))
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


# Dips: whether a learning curve really drops and then rises, beyond what varies from run to run and over checkpoints.
#
# The null hypothesis is that the curve has no dip: that it rises, falls, stays level, or rises and then falls. A dip
# at a checkpoint needs a drop from an earlier one and a rise to a later one. Each is divided by its standard error; the
# smaller of the two counts, and the largest over all checkpoints is the statistic of the curve.
#
# Of the curves without a dip, the least favourable ones drop for certain and then stay level, or stay level and then
# rise for certain: there only one of the two has to come from noise. So p is how often pure noise drops before a
# peak, or rises after it, by as much, wherever the peak is put.
#
# The noise is that of training: neighbouring checkpoints of a run stray in the same direction (AR(1)). With several
# runs of a recipe it is how far they stray from each other; with one, how far it strays from a smooth curve that may
# itself dip (a polynomial of the logarithm of the tokens). Variance and correlation are estimated together by
# restricted likelihood, and their own uncertainty is part of the resampled noise. No library has this test.
#
# `bench/coverage.py` simulates curves without a dip: with training noise of 2 and of 4 points and a correlation of up
# to 0.8, about 5% of the least favourable ones raise a false alarm, and hardly any of the others.

CORRELATIONS = np.arange(0, 0.96, 0.05)  # between neighbouring checkpoints; a run never strays for good
DEGREE = 10  # of the polynomial at most: enough for a narrow dip
LEAST_CHECKPOINTS = 8  # of a single run; with several runs three are enough
SAME_PLACE = 2.0  # dips within this factor in tokens are at about the same place
BLOCK = 2_000_000  # differences between checkpoints held in memory at a time


@dataclass(frozen=True, slots=True)
class Dip:
    """The clearest drop and rise of the mean of runs: at which tokens, by how much, how wide, and how likely by chance.

    Where the curve never drops, or never rises afterwards, `drop` or `rise` is 0 or less.
    """

    before: float
    bottom: float
    after: float
    drop: float
    rise: float
    width: float  # factor in tokens from where the curve is half-way down to where it is half-way up; NaN without a dip
    statistic: float
    p: float
    floor: float  # the smallest p that so many resamples can give
    runs: int
    runs_with: int  # those that drop and rise at about the same tokens, by at least half as much
    noise: float  # standard deviation of a run's checkpoints about its course, in accuracy
    correlation: float  # of the noise of neighbouring checkpoints

    @property
    def size(self) -> float:
        """The smaller of drop and rise."""
        return min(self.drop, self.rise)

    @property
    def in_majority(self) -> bool:
        """Whether more than half of the runs dip there."""
        return 2 * self.runs_with > self.runs


def find_dip(curves: Sequence[LearningCurve], *, seed: int, resamples: int = 1999) -> Dip:
    """Test the mean of the learning curves of one recipe, which differ in their seeds, or a single curve.

    With several runs, p says whether the mean of other runs would dip, too; `runs_with` says how many of these do. With
    one, it says whether this run dips beyond the noise between its checkpoints, and nothing about other runs. For many
    curves, correct the p-values. Untrained models, at 0, are left out.
    """
    at = common_checkpoints(curves)
    at = at[at > 0]
    rows = np.stack([interpolate(curve, at=at).accuracies for curve in curves])
    runs, checkpoints = rows.shape
    least = 3 if runs > 1 else LEAST_CHECKPOINTS
    if checkpoints < least:
        raise fail("dip-too-few", None, {"checkpoints": checkpoints, "runs": runs, "least": least})
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    noise, means = _run_noise(rows, np.log(at)), rows.mean(axis=0)
    above = _ratio(means[:, None] - means, noise.of_differences(checkpoints, runs))
    earlier, later = _largest(above)
    bottom = int(np.minimum(earlier, later).argmax())  # never the first or the last
    before = int(above[:bottom, bottom].argmax())
    after = bottom + 1 + int(above[bottom + 1 :, bottom].argmax())
    drop, rise = float(means[before] - means[bottom]), float(means[after] - means[bottom])
    statistic = float(min(earlier[bottom], later[bottom]))
    p = _p(statistic, noise, checkpoints, runs, resamples=resamples, seed=seed)
    near = (at >= at[bottom] / SAME_PLACE) & (at <= at[bottom] * SAME_PLACE)
    size = min(drop, rise)
    with_dip = sum(_dip_size(row, near) >= size / 2 for row in rows) if size > 0 else 0
    return Dip(
        before=float(at[before]),
        bottom=float(at[bottom]),
        after=float(at[after]),
        drop=drop,
        rise=rise,
        width=_width(at, means, bottom, size) if size > 0 else np.nan,
        statistic=statistic,
        p=p,
        floor=1 / (resamples + 1),
        runs=runs,
        runs_with=with_dip,
        noise=float(np.sqrt(noise.variance)),
        correlation=noise.correlation,
    )


def _dip_size(row: Floats, near: NDArray[np.bool_]) -> float:
    """Return the deepest dip of one run whose bottom is at one of the checkpoints given."""
    before, after = np.maximum.accumulate(row), np.maximum.accumulate(row[::-1])[::-1]
    return float((np.minimum(before, after) - row)[near].max())


def _width(at: Floats, means: Floats, bottom: int, size: float) -> float:
    """Return the factor in tokens between the places where the curve is half-way down, and up again."""
    height = means[bottom] + size / 2

    def crossing(order: range) -> float:
        for inside, outside in pairwise(order):
            if means[outside] >= height:
                share = (height - means[inside]) / (means[outside] - means[inside])
                return float(np.log(at[inside]) + share * (np.log(at[outside]) - np.log(at[inside])))
        return float(np.log(at[order[-1]]))

    return float(np.exp(crossing(range(bottom, len(at))) - crossing(range(bottom, -1, -1))))


@dataclass(frozen=True, slots=True)
class _Noise:
    """The noise of a run's checkpoints: likely correlations of neighbours, and the sum of squares for each."""

    correlations: Floats
    weights: Floats  # how likely each is; they add up to 1
    squares: Floats
    freedom: int

    @property
    def correlation(self) -> float:
        """The mean correlation."""
        return float(self.correlations @ self.weights)

    @property
    def variance(self) -> float:
        """The mean variance."""
        return float(self.squares @ self.weights) / self.freedom

    def of_differences(self, checkpoints: int, runs: int) -> Floats:
        """Return the variances of the differences between checkpoints of the mean of so many runs."""
        apart = np.abs(np.subtract.outer(np.arange(checkpoints), np.arange(checkpoints)))
        powers = self.correlations[:, None, None] ** apart
        shares = self.weights * self.squares / self.freedom
        return np.asarray(2 * np.einsum("r,rij->ij", shares, 1 - powers) / runs)

    def draw(self, rng: np.random.Generator, count: int, checkpoints: int, runs: int) -> Floats:
        """Draw noise of the mean of so many runs, one row each, with a variance and a correlation drawn as well."""
        which = rng.choice(len(self.weights), size=count, p=self.weights)
        correlation, squares = self.correlations[which], self.squares[which]
        steps = rng.standard_normal((count, checkpoints))
        noise = np.empty_like(steps)
        noise[:, 0] = steps[:, 0]
        fresh = np.sqrt(1 - correlation**2)
        for number in range(1, checkpoints):
            noise[:, number] = correlation * noise[:, number - 1] + fresh * steps[:, number]
        variance = squares / rng.chisquare(self.freedom, count) / runs
        return np.asarray(noise * np.sqrt(variance)[:, None])


def _run_noise(rows: Floats, logs: Floats) -> _Noise:
    """Estimate the noise from what differs between runs, or else from how one run strays from a smooth curve."""
    runs, checkpoints = rows.shape
    if runs > 1:  # contrasts between runs, in which their common course cancels out; each run may be higher throughout
        series = np.linalg.qr(np.eye(runs) - 1 / runs)[0][:, : runs - 1].T @ rows
        shapes = np.ones((checkpoints, 1))
    else:
        series = rows
        degree = min(DEGREE, (checkpoints - 2) // 2)
        shapes = np.polynomial.chebyshev.chebvander(2 * (logs - logs[0]) / (logs[-1] - logs[0]) - 1, degree)
    if checkpoints - shapes.shape[1] < 2:  # three checkpoints of several runs: no correlation can be seen
        shapes = shapes[:, :0]
    likelihoods, squares = [], []
    freedom = len(series) * (checkpoints - shapes.shape[1])
    for correlation in CORRELATIONS:
        whitened, shaped = (whiten(columns, correlation) for columns in (series.T, shapes))
        q, r = np.linalg.qr(shaped)
        left = whitened - q @ (q.T @ whitened)
        square = max(float((left**2).sum()), 1e-12)
        size = (checkpoints - 1) * np.log(1 - correlation**2) / 2 + np.log(np.abs(np.diag(r))).sum()
        likelihoods.append(-len(series) * size - freedom / 2 * np.log(square))
        squares.append(square)
    weights = np.exp(np.array(likelihoods) - max(likelihoods))
    return _Noise(CORRELATIONS, weights / weights.sum(), np.array(squares), freedom)


def _p(statistic: float, noise: _Noise, checkpoints: int, runs: int, *, resamples: int, seed: int) -> float:
    """Return how often noise alone reaches the statistic, with the peak of the curve where that is most likely.

    Checkpoints up to the peak cannot truly have dropped, and later ones cannot truly rise, so their drops, and the
    others' rises, are noise. The curve itself counts as one of the resamples.
    """
    rng = np.random.default_rng(seed)
    variances = noise.of_differences(checkpoints, runs)
    reached = np.zeros(checkpoints + 1, np.int64)  # with the peak before the first checkpoint, at the first, …
    block = max(1, BLOCK // checkpoints**2)
    for done in range(0, resamples, block):
        drawn = noise.draw(rng, min(block, resamples - done), checkpoints, runs)
        drops, rises = _largest(_ratio(drawn[:, :, None] - drawn[:, None, :], variances))
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


def _ratio(differences: Floats, squares: Floats) -> Floats:
    """Divide differences by the roots; 0 on the diagonal."""
    same = squares <= 0
    return np.where(same, 0.0, differences / np.sqrt(np.where(same, 1.0, squares)))
