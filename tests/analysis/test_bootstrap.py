"""The bootstrap draws what drawing pairs would draw."""

import numpy as np
import pytest

from bidui.analysis.estimate import Strata, percentile_estimate, resampled_sums, two_sided_p
from bidui.errors import InputError

ONE = Strata(("a",), ("x",), np.array([4.0]), np.zeros(4, np.intp))


def test_sums_have_the_law_of_pairs_drawn_with_replacement() -> None:
    """Of four pairs three are right: a sum is binomial with 4 and 3/4. 40,000 draws are within 0.01 of it."""
    sums = resampled_sums(np.array([[1.0], [0.0], [1.0], [1.0]]), ONE, resamples=40000, seed=1)
    drawn = np.bincount(sums[:, 0, 0].astype(int), minlength=5) / 40000
    assert drawn == pytest.approx(np.array([1, 12, 54, 108, 81]) / 256, abs=0.01)


def test_models_are_drawn_together() -> None:
    """The second model is right where the first is wrong, so that together they are right four times, always."""
    worths = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    sums = resampled_sums(worths, ONE, resamples=100, seed=1)
    assert set(sums.sum(axis=1).ravel().tolist()) == {4.0}


def test_strata_are_drawn_apart_whatever_the_order_of_the_pairs() -> None:
    """All pairs of the first are right and all of the second wrong, and they alternate."""
    strata = Strata(("a", "b"), ("x", "x"), np.array([2.0, 2.0]), np.array([0, 1, 0, 1], np.intp))
    sums = resampled_sums(np.array([[1.0], [0.0], [1.0], [0.0]]), strata, resamples=100, seed=1)
    assert (sums[:, 0] == [2, 0]).all()


def test_the_interval_is_of_percentiles_and_p_of_the_part_beyond_zero() -> None:
    """-2 to 97: the interval leaves 2.5 of 100 out on each side. Of 100, 3 are 0 or less: p = 2 * 4 / 101."""
    draws = np.arange(-2, 98).astype(float)
    assert percentile_estimate(0, draws).interval == pytest.approx((-2 + 0.025 * 99, -2 + 0.975 * 99))
    assert two_sided_p(draws) == pytest.approx(8 / 101)
    assert two_sided_p(draws + 10) == pytest.approx(2 / 101)
    assert two_sided_p(0 * draws) == 1


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(InputError, match="0 resamples are too few here; use at least 100"):
        resampled_sums(np.ones((4, 1)), ONE, resamples=0, seed=1)


def test_patterns_are_drawn_in_the_order_in_which_numpy_sorts_rows() -> None:
    """So that reports of earlier versions come out to the last digit; 60 columns are more than one number holds."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, size=50)
    worths = rng.integers(0, 3, size=(50, 60)) / 2
    worths[::2] = worths[0]  # many rows are equal
    strata = Strata(("a", "b", "c"), ("x",) * 3, np.bincount(codes).astype(np.float64), codes.astype(np.intp))
    draw = np.random.default_rng(7)
    for stratum, sums in enumerate(np.moveaxis(resampled_sums(worths, strata, resamples=100, seed=7), 2, 0)):
        patterns, counts = np.unique(worths[codes == stratum], axis=0, return_counts=True)
        drawn = draw.multinomial(counts.sum(), counts / counts.sum(), size=100)
        assert (sums == drawn @ patterns).all()
