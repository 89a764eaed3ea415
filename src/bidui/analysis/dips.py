"""Dips: whether a learning curve really drops and then rises, beyond the noise of the pairs it was measured on.

The null hypothesis is that the curve has no dip: that it rises, falls, stays, or rises and then falls. A dip at a
checkpoint needs a drop from an earlier one and a rise to a later one. Each is judged by McNemar's statistic on the same
pairs; the smaller of the two counts, and the largest over all checkpoints is the statistic of the curve.

Of curves without a dip, the least favourable drop for certain and then stay, or stay and then rise for certain: there
only one of the two has to come from noise. So p is how often pure noise drops before a peak, or rises after it, by as
much, wherever the peak is put. The noise is normal, with the covariance of the checkpoints over the pairs: that they
are the same pairs at every checkpoint makes it correlated.

The rate of false alarms is at most alpha for every curve without a dip. In 3,000 simulations each, with alpha 0.05, it
was 0.026 to 0.039 on the least favourable curves, and 0.002 or less on flat ones.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bidui.errors import fail
from bidui.scores.links import Floats

LEAST_PAIRS = 30  # with fewer, the normal distribution no longer stands in for McNemar's
BLOCK = 2_000_000  # differences between checkpoints that are held in memory at a time


@dataclass(frozen=True, slots=True)
class Dip:
    """The clearest drop and rise of a curve: at which checkpoints (counted from 0), by how much, and its p.

    Where the curve never drops, or never rises after it has, one of the two is 0 or less.
    """

    before: int
    bottom: int
    after: int
    drop: float
    rise: float
    statistic: float
    p: float
    alpha: float
    pairs: int

    @property
    def real(self) -> bool:
        """Whether there is a dip, at a rate of false alarms of alpha."""
        return self.p <= self.alpha


def find_dip(worth: ArrayLike, *, seed: int, alpha: float = 0.05, resamples: int = 1999) -> Dip:
    """The dip of one learning curve, from the worth of its choices: a row a pair, a column a checkpoint, in order.

    `same_pairs` of the choices at every checkpoint gives such a table; the mean of those of several runs may be given
    too. Pairs of several paradigms count as one sample, so what the paradigms differ in counts as noise: the test is
    more careful then. Whether another training would dip is not for pairs to say: look at each run. For many curves,
    correct the p-values.
    """
    values = np.asarray(worth, np.float64)
    _check(values, alpha=alpha, resamples=resamples)
    sums, means = values.sum(axis=0), values.mean(axis=0)
    above = _ratio(sums[:, None] - sums, _of_differences(values.T @ values))
    earlier, later = _largest(above)
    bottom = int(np.minimum(earlier, later).argmax())  # never the first or the last
    before = int(above[:bottom, bottom].argmax())
    after = bottom + 1 + int(above[bottom + 1 :, bottom].argmax())
    statistic = float(min(earlier[bottom], later[bottom]))
    return Dip(
        before,
        bottom,
        after,
        float(means[before] - means[bottom]),
        float(means[after] - means[bottom]),
        statistic,
        _p(statistic, np.cov(values.T), resamples=resamples, seed=seed),
        alpha,
        len(values),
    )


def _p(statistic: float, covariance: Floats, *, resamples: int, seed: int) -> float:
    """How often noise alone reaches the statistic, with the peak of the curve where that is most likely.

    Checkpoints up to the peak cannot truly have dropped, and later ones cannot truly rise: so their drops, and the
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
    """By how much each checkpoint stands below the highest earlier one, and below the highest later one."""
    earlier = np.triu(np.ones(above.shape[-2:], np.bool_), 1)
    return np.where(earlier, above, -np.inf).max(axis=-2), np.where(earlier.T, above, -np.inf).max(axis=-2)


def _of_differences(products: Floats) -> Floats:
    """The sums of squares (or variances) of the differences of all two rows, from their products (or covariances)."""
    own = np.diag(products)
    return np.maximum(own[:, None] + own - 2 * products, 0)


def _ratio(differences: Floats, squares: Floats) -> Floats:
    """Differences over the roots; 0 where two checkpoints made the same choices, but for rounding."""
    same = squares <= 1e-12 * squares.max(initial=1.0)
    return np.where(same, 0.0, differences / np.sqrt(np.where(same, 1.0, squares)))


def _check(values: Floats, *, alpha: float, resamples: int) -> None:
    shape = values.shape if values.ndim == 2 else (0, 0)
    if shape[1] < 3 or shape[0] < LEAST_PAIRS:
        found = {"checkpoints": shape[1], "pairs": shape[0], "least": LEAST_PAIRS}
        raise fail("dip-too-few", None, found)
    if wrong := values[~((values >= 0) & (values <= 1))].tolist():
        raise fail("not-an-accuracy", None, {"value": f"{wrong[0]:g}", "count": len(wrong)})
    if not 0 < alpha < 1:
        raise fail("dip-alpha", None, {"value": f"{alpha:g}"})
    if resamples < (needed := int(np.ceil(20 / alpha)) - 1):
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": needed})
