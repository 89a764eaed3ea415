"""Intervals by formula against published examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.estimate import newcombe, wilson


def test_wilson_is_as_newcombe_prints_it() -> None:
    """Newcombe 1998 (two-sided intervals for the single proportion), method 3: 81 of 263, and 0 of 20."""
    assert wilson(81 / 263, pairs=263).interval == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, pairs=20).interval == pytest.approx((0, 0.1611), abs=5e-5)


@given(st.integers(1, 1000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_value_and_stays_between_0_and_1(counts: tuple[int, int]) -> None:
    low, high = wilson(counts[0] / counts[1], pairs=counts[1]).interval
    assert 0 <= low <= counts[0] / counts[1] <= high <= 1


def test_the_difference_is_as_newcombe_prints_it() -> None:
    """Newcombe 1998 (the difference between independent proportions), method 10: 56 of 70 less 48 of 80."""
    one, other = wilson(56 / 70, pairs=70), wilson(48 / 80, pairs=80)
    assert newcombe(one, other).interval == pytest.approx((0.0524, 0.3339), abs=5e-5)
