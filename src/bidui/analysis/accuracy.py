"""Accuracy: how often the good sentence of a pair is preferred, by paradigm, by phenomenon, and over all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.scores.choices import Choices
from bidui.scores.links import Floats

Level = Literal["paradigm", "phenomenon", "overall"]
QUANTILE = 1.959963984540054  # of the normal distribution, for 95 per cent


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The part of pairs chosen right, ties counting one half, with a Wilson interval of 95 per cent."""

    value: float
    pairs: int
    ties: int
    low: float
    high: float


def accuracy(choices: Choices, *, by: Level = "overall") -> Mapping[str, Accuracy]:
    """Accuracy of every paradigm or phenomenon in the order of the pairs, or of all pairs together (micro)."""
    names = {"paradigm": choices.uids, "phenomenon": choices.phenomena}.get(by)
    worth, tied = choices.worth, choices.good == choices.bad
    if names is None:
        return {"all": _accuracy(worth, tied)}
    groups = dict.fromkeys(names.tolist())
    return {name: _accuracy(worth[names == name], tied[names == name]) for name in groups}


def _accuracy(worth: Floats, tied: NDArray[np.bool_]) -> Accuracy:
    n, value, z = len(worth), float(worth.mean()), QUANTILE
    centre = (value + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(value * (1 - value) / n + z * z / (4 * n * n)))
    return Accuracy(value, n, int(tied.sum()), centre - half, centre + half)
