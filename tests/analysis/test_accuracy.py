"""Accuracy by group, with ties worth one half and an interval worked out by hand."""

import numpy as np
import pytest

from bidui.analysis import accuracy
from bidui.scores.choices import Choices


def choices(*rows: tuple[str, str, float, float]) -> Choices:
    uids, phenomena, good, bad = zip(*rows, strict=True)
    return Choices(
        "lp",
        np.array(uids, object),
        np.array(phenomena, object),
        np.arange(len(rows), dtype=np.int32),
        np.array(good, np.float64),
        np.array(bad, np.float64),
        np.zeros(len(rows), np.int8),
    )


MADE = choices(
    ("a", "x", -1.0, -2.0),
    ("a", "x", -2.0, -1.0),
    ("b", "x", -1.0, -1.0),
    ("c", "y", -1.0, -3.0),
    ("c", "y", -1.0, -3.0),
)


def test_accuracy_by_paradigm_phenomenon_and_over_all() -> None:
    assert {name: found.value for name, found in accuracy(MADE, by="paradigm").items()} == {
        "a": 0.5,
        "b": 0.5,
        "c": 1.0,
    }
    assert {name: found.value for name, found in accuracy(MADE, by="phenomenon").items()} == {"x": 0.5, "y": 1.0}
    found = accuracy(MADE)["all"]
    assert (found.value, found.pairs, found.ties) == (0.7, 5, 1)  # 1 + 0 + 0.5 + 1 + 1 of 5


def test_the_interval_is_wilsons() -> None:
    """By hand for 7 of 10, z = 1.96: centre (0.7 + 0.19207) / 1.38415 = 0.64449, half width 0.24789."""
    found = accuracy(choices(*[("a", "x", -1.0, -2.0)] * 7, *[("a", "x", -2.0, -1.0)] * 3))["all"]
    assert (found.low, found.high) == pytest.approx((0.3968, 0.8922), abs=2e-4)
