"""The bootstrap: pairs drawn anew within each paradigm, for every model the same ones.

Drawing pairs with replacement is drawing how often each pattern of worths occurs (which models are right, wrong or
tied), and a paradigm has few patterns; so counts of patterns are drawn, not pairs. The law is the same.
"""

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.strata import Strata
from bidui.errors import fail
from bidui.scores.links import Floats

INTERVAL = (0.025, 0.975)  # percentiles, for 95 per cent
LEAST = 100  # resamples, below which the percentiles mean nothing
DIGITS = 3  # what a choice can be worth: nothing, a half, one


def resampled_sums(worths: Floats, strata: Strata, *, resamples: int, seed: int) -> Floats:
    """The sums of worth by resample, model and stratum, from a row a pair and a column a model."""
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, worths.shape[1], len(strata.sizes)))
    _, rows, counts = np.unique(_patterns(worths, strata), return_index=True, return_counts=True)
    ends = np.searchsorted(strata.codes[rows], np.arange(1, len(strata.sizes)))
    own = zip(np.split(worths[rows], ends), np.split(counts, ends), strict=True)
    for stratum, (patterns, times) in enumerate(own):
        drawn = rng.multinomial(times.sum(), times / times.sum(), size=resamples)
        # not @, whose threads take longer to wake than these small products do
        sums[:, :, stratum] = np.einsum("rp,pm->rm", drawn.astype(np.float64), patterns)
    return sums


def _patterns(worths: Floats, strata: Strata) -> NDArray[np.int64]:
    """A number a pair, the same where stratum and worths are, and in the order of strata and of worths.

    Numbers are sorted many times faster than rows are. A worth is a digit: 0, 1 or 2 halves.
    """
    halves = (2 * worths).astype(np.int64)
    assert (halves == 2 * worths).all() and halves.min() >= 0 and halves.max() < DIGITS, "worths are 0, a half or 1"
    found, most = strata.codes.astype(np.int64), len(strata.sizes)
    for digits in halves.T:
        if most > np.iinfo(np.int64).max // DIGITS:  # those that occur, numbered anew, are few
            known, found = np.unique(found, return_inverse=True)
            most = len(known)
        found, most = found * DIGITS + digits, most * DIGITS
    return found


def percentile_interval(draws: Floats) -> tuple[float, float]:
    """The 95 per cent in the middle of what was drawn."""
    low, high = np.quantile(draws, INTERVAL)
    return float(low), float(high)


def two_sided_p(differences: Floats) -> float:
    """How easily a resampled difference falls on the other side of zero, doubled; it fits the percentile interval.

    The real sample counts as one of the resamples, so that p is never 0: the smallest is 2 / (resamples + 1).
    """
    below, above = int((differences <= 0).sum()), int((differences >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))
