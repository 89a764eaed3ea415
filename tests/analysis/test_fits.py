"""Least squares where the answer is known otherwise: on straight lines, profiles are the textbook's t intervals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress
from scipy.stats import t as student

from bidui.analysis.fits import Fit, Parameter, fit_curve, profile_interval
from bidui.errors import InputError
from bidui.scores.links import Floats

X = np.arange(8.0)
LINE = (Parameter("height", -100, 100), Parameter("slope", -100, 100))


def line(values: Floats) -> Floats:
    return np.asarray(values[0] + values[1] * X)


def fitted(observed: Floats, *, parameters: tuple[Parameter, ...] = LINE) -> Fit:
    return fit_curve(line, observed, parameters=parameters, starts=[np.array([0.5, 0.1])])


@given(st.integers(0, 10_000), st.sampled_from([0.5, 0.9, 0.95]))
def test_on_a_straight_line_the_profile_is_the_t_interval(seed: int, confidence: float) -> None:
    """The squared error of a line is a parabola, so both ends are known in closed form."""
    observed = 1 + 0.3 * X + np.random.default_rng(seed).normal(size=8)
    known = linregress(X, observed)
    half = student.ppf((1 + confidence) / 2, 6) * known.stderr
    low, high = profile_interval(fitted(observed), "slope", confidence=confidence)
    assert (low, high) == pytest.approx((known.slope - half, known.slope + half), abs=0.02 * half)


def test_points_that_stray_together_count_as_fewer() -> None:
    """Of 32 points with a correlation of 0.6, 32 · 0.4 / 1.6 = 8 are independent; with 0, 32 - 2 are free."""
    fit = replace(fitted(1 + 0.3 * X), observed=np.zeros(32))
    assert [replace(fit, correlation=r).freedom for r in (0, 0.6, 0.95)] == pytest.approx([30, 8, 1])


def test_a_closed_range_is_never_left_and_its_ends_are_reached() -> None:
    """The best height is 1.2; with heights up to 1 the best is 1, and the interval ends there."""
    ranges = (Parameter("height", 0, 1, closed=True), LINE[1])
    fit = fitted(1.2 + 0.1 * X + 0.01 * (-1) ** X, parameters=ranges)
    assert fit.values[0] == pytest.approx(1, abs=1e-6)
    assert profile_interval(fit, "height", confidence=0.95)[1] == 1


def test_an_open_range_that_points_do_not_limit_has_no_end() -> None:
    """A slope in steps that no point shows: any value does, and the interval says so instead of inventing an end."""
    fit = fit_curve(
        lambda values: np.asarray(values[0] + 0 * values[1] * X),
        (-1.0) ** X,
        parameters=LINE,
        starts=[np.array([0.5, 0.1])],
    )
    assert profile_interval(fit, "slope", confidence=0.95) == (-np.inf, np.inf)


def test_another_valley_as_deep_belongs_to_the_interval() -> None:
    """Heights 2 and -2 are equally good where only the square shows; a walk from one would never see the other."""
    fit = fit_curve(
        lambda values: np.full(8, values[0] ** 2) + values[1],
        4 + 0.1 * (-1) ** X,
        parameters=(LINE[0], Parameter("shift", -0.01, 0.01, closed=True)),
        starts=[np.array([1.0, 0.0]), np.array([-1.0, 0.0])],
    )
    low, high = profile_interval(fit, "height", confidence=0.95)
    assert low < -2 < 2 < high


def test_a_fit_that_never_settles_is_refused_with_the_reason() -> None:
    """exp(-height) comes closer to zero with every step upwards, by the same factor each time: there is no closest."""
    with pytest.raises(
        InputError, match=r"did not converge from any of 1 starting point \(Number of calls to function"
    ):
        fit_curve(
            lambda values: np.exp(-values[0]) * np.ones(8) + 0 * values[1],
            np.zeros(8),
            parameters=LINE,
            starts=[np.array([1.0, 1.0])],
        )
