"""The bootstrap over clusters: things that belong together, as the sentences of a pair, are drawn together."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.bootstrap import LEAST
from bidui.errors import Place, fail


def cluster_draws(clusters: NDArray[np.intp], *, resamples: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """The items of each resample: as many clusters as there are, drawn with replacement; the n-th item is in the n-th.

    Where every item is a cluster of its own (`np.arange(n)`), this is the plain bootstrap.
    """
    if resamples < LEAST:
        raise fail("too-few-resamples", Place(), {"resamples": resamples, "needed": LEAST})
    _, member = np.unique(clusters, return_inverse=True)
    count, items = int(member.max()) + 1, np.arange(len(member))
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        yield np.repeat(items, times[member])
