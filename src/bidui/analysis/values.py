"""Values: numbers given for analysis, finite and enough of them, or refused."""

from collections.abc import Sequence

import numpy as np

from bidui.errors import fail
from bidui.scores.links import Floats


def finite(values: Sequence[float] | Floats, *, at_least: int = 1) -> Floats:
    """The values as an array; refused if there are too few, or one is NaN or infinite."""
    array = np.asarray(values, np.float64)
    if len(array) < at_least:
        raise fail("too-few-values", None, {"count": len(array), "needed": at_least})
    if not np.isfinite(array).all():
        number = int(np.flatnonzero(~np.isfinite(array))[0])
        raise fail("value-not-finite", None, {"number": number + 1, "value": float(array[number])})
    return array


def in_twos(
    first: Sequence[float] | Floats, second: Sequence[float] | Floats, *, at_least: int = 1
) -> tuple[Floats, Floats]:
    """Two lists of values, the n-th of one belonging to the n-th of the other."""
    left, right = finite(first, at_least=at_least), finite(second, at_least=at_least)
    if len(left) != len(right):
        raise fail("not-in-twos", None, {"first": len(left), "second": len(right)})
    return left, right
