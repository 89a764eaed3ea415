"""The order of rows: a pure function of their number, the seed and the step, so that there is no loader to resume."""

import numpy as np
from numpy.typing import NDArray


def steps_of(rows: int, *, batch: int, epochs: int = 1) -> int:
    """How many steps there are; rows that fill no whole step are left out of each epoch."""
    return rows // batch * epochs


def epoch_order(rows: int, *, seed: int, epoch: int) -> NDArray[np.int64]:
    """All rows, shuffled anew in every epoch.

    RandomState, since numpy promises that its streams never change (NEP 19), and promises nothing of the newer ones.
    """
    found: NDArray[np.int64] = np.random.RandomState([seed, epoch]).permutation(rows)
    return found


def rows_of(order: NDArray[np.int64], step: int, *, batch: int, rank: int = 0, world: int = 1) -> NDArray[np.int64]:
    """The rows of a step of an epoch, or one process's part of them: the data do not depend on how many there are."""
    part = batch // world
    start = step * batch + rank * part
    return order[start : start + part]
