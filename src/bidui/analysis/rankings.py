"""Rankings: how far two benchmarks, or two measures, put the same models in the same order."""

from collections.abc import Sequence
from math import nan, sqrt

import numpy as np

from bidui.analysis.values import in_twos
from bidui.scores.links import Floats


def kendall_tau_b(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float:
    """Kendall's tau-b: pairs of models in the same order less those in the other, ties allowed for.

    1 is the same order, -1 the reverse; NaN where one list has equal values only. Without ties it is tau-a.
    """
    left, right = in_twos(first, second, at_least=2)
    upper = np.triu_indices(len(left), k=1)
    x, y = (np.sign(values[upper[0]] - values[upper[1]]) for values in (left, right))
    untied = sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    return float((x * y).sum()) / untied if untied else nan
