"""The bootstrap: pairs drawn anew within each paradigm, for every model the same ones.

Drawing pairs with replacement is drawing how often each pattern of worths occurs (which models are right, wrong or
tied), and a paradigm has few patterns; so counts of patterns are drawn, not pairs. The law is the same.
"""

import numpy as np

from bidui.analysis.strata import Strata
from bidui.errors import fail
from bidui.scores.links import Floats

INTERVAL = (0.025, 0.975)  # percentiles, for 95 per cent
LEAST = 100  # resamples, below which the percentiles mean nothing


def resampled_sums(worths: Floats, strata: Strata, *, resamples: int, seed: int) -> Floats:
    """The sums of worth by resample, model and stratum, from a row a pair and a column a model."""
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, worths.shape[1], len(strata.sizes)))
    rows = np.split(worths[np.argsort(strata.codes, kind="stable")], np.cumsum(strata.sizes[:-1]).astype(np.intp))
    for stratum, mine in enumerate(rows):
        patterns, counts = np.unique(mine, axis=0, return_counts=True)
        drawn = rng.multinomial(len(mine), counts / len(mine), size=resamples)
        # not @, whose threads take longer to wake than these small products do
        sums[:, :, stratum] = np.einsum("rp,pm->rm", drawn.astype(np.float64), patterns)
    return sums


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
