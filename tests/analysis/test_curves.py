"""Learning curves at common checkpoints, by hand; and the U-shape, which finds the parameters it was made from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.curves import LearningCurve, common_checkpoints, fit_u_shape, interpolate, mean_curve
from bidui.errors import InputError
from bidui.scores.links import Floats

TOKENS = np.geomspace(1e6, 3e9, 30)
TRUTH = {"final": 0.9, "start": 0.5, "scale": 5e8, "beta": 1.5, "depth": 0.2, "turn": 5e7, "width": 3e7}


def curve(run: str, points: dict[float, float]) -> LearningCurve:
    return LearningCurve(run, np.array(list(points)), np.array(list(points.values())))


def u_shape(n: Floats, *, depth: float = 0.2) -> Floats:
    """As the paper prints it, with the numbers of TRUTH."""
    x = (n - 5e7) / 3e7
    return np.asarray(0.9 - (0.9 - 0.5) * np.exp(-(5e8**-1.5) * n**1.5) + depth * -x / (1 + x * x))


def test_between_checkpoints_the_logarithm_counts() -> None:
    """Halfway from 1 to 100 is 10, not 50: the axis of every learning curve is logarithmic."""
    found = interpolate(curve("a", {1: 0.2, 100: 0.6, 1000: 0.9}), at=[1, 10, 100, 1000])
    assert found.accuracies == pytest.approx([0.2, 0.4, 0.6, 0.9])
    assert found.at.tolist() == [1, 10, 100, 1000]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_at_its_own_checkpoints_a_curve_is_itself(values: list[float]) -> None:
    own = LearningCurve("a", np.array([0.0, *np.geomspace(1, 1e9, len(values) - 1)]), np.array(values))
    assert interpolate(own, at=own.at).accuracies == pytest.approx(own.accuracies)


@pytest.mark.parametrize("at", [0.5, 2000, 0, -1, float("nan")])
def test_nothing_is_made_up_beyond_the_ends(at: float) -> None:
    """Nor at 0, which a logarithmic axis does not have."""
    with pytest.raises(InputError, match="a was measured from 1 to 1000"):
        interpolate(curve("a", {1: 0.2, 1000: 0.6}), at=[10, at])


def test_the_untrained_model_keeps_its_place_but_nothing_lies_between_it_and_the_next() -> None:
    untrained = curve("a", {0: 0.5, 10: 0.4, 1000: 0.8})
    assert interpolate(untrained, at=[0, 100]).accuracies == pytest.approx([0.5, 0.6])
    with pytest.raises(InputError, match="a was measured from 10 to 1000, and 5 lies outside"):
        interpolate(untrained, at=[5])


def test_mean_and_deviation_over_runs_by_hand() -> None:
    """0.4, 0.5 and 0.9 have the mean 0.6; the squares 0.04, 0.01 and 0.09 make 0.14, over 2 runs 0.07."""
    runs = [curve(name, {0: 0.5, 10: value, 100: 0.9}) for name, value in (("a", 0.4), ("b", 0.5), ("c", 0.9))]
    found = mean_curve(runs)
    assert found.at.tolist() == [0, 10, 100]
    assert found.mean == pytest.approx([0.5, 0.6, 0.9])
    assert found.deviation == pytest.approx([0, 0.07**0.5, 0])
    assert found.runs == 3


def test_one_run_has_no_deviation() -> None:
    """Zero would read as perfect agreement."""
    assert np.isnan(mean_curve([curve("a", {1: 0.5, 10: 0.6})]).deviation).all()


def test_runs_with_other_checkpoints_meet_where_all_were_measured() -> None:
    """One from 1 to 100, one from 10 to 1000: 10 and 100, and 31.6 of the second, halfway. 0 only one of them has."""
    first = curve("a", {0: 0.5, 1: 0.2, 100: 0.6})
    second = curve("b", {10: 0.4, 10**1.5: 0.7, 1000: 0.9})
    assert common_checkpoints([first, second]).tolist() == [10, 10**1.5, 100]
    # at 31.6 the first is three quarters of the way from 0.2 to 0.6; at 100 the second a third from 0.7 to 0.9
    assert mean_curve([first, second]).mean == pytest.approx(
        [(0.4 + 0.4) / 2, (0.5 + 0.7) / 2, (0.6 + 0.7 + 0.2 / 3) / 2]
    )


def test_runs_without_a_common_stretch_are_refused() -> None:
    with pytest.raises(InputError, match="one ends at 10, another begins at 100"):
        mean_curve([curve("a", {1: 0.5, 10: 0.6}), curve("b", {100: 0.5, 1000: 0.6})])


def test_no_runs_are_refused() -> None:
    with pytest.raises(InputError, match="there are no learning curves"):
        mean_curve([], at=[1, 2])


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ([1, 3, 2], "the checkpoints of a must rise, and 2 follows 3"),
        ([1, 1, 2], "must rise, and 1 follows 1"),
        ([-1, 1, 2], "must be numbers above 0"),
        ([1, 2, float("nan")], "must be numbers above 0"),
        ([1, 2], "a has 2 checkpoints and 3 accuracies"),
    ],
)
def test_broken_curves_are_refused(at: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LearningCurve("a", np.array(at), np.array([0.1, 0.2, 0.3]))


def test_a_curve_in_per_cent_is_refused() -> None:
    with pytest.raises(InputError, match="and 2 are not, such as 55; divide per cent by 100"):
        curve("a", {1: 55, 10: 60})


def test_points_on_a_u_shape_give_back_its_parameters() -> None:
    fit = fit_u_shape(TOKENS, u_shape(TOKENS))
    for name, value in TRUTH.items():
        assert getattr(fit, name).value == pytest.approx(value, rel=1e-3), name
    assert fit.at(TOKENS) == pytest.approx(u_shape(TOKENS), abs=1e-6)


def test_the_extra_term_takes_half_its_depth_at_one_width_after_the_turn() -> None:
    """F_u(0) = 0 and F_u(1) = -1/2: what the three numbers of the extra term mean."""
    fit = fit_u_shape(TOKENS, u_shape(TOKENS))
    trend = u_shape(np.array([5e7, 8e7]), depth=0)
    assert fit.at([5e7, 8e7]) == pytest.approx(trend - [0, 0.1], abs=1e-5)


def test_a_dip_of_either_sign_can_be_fitted() -> None:
    """With k below 0 the curve is lowered before the turn."""
    assert fit_u_shape(TOKENS, u_shape(TOKENS, depth=-0.2)).depth.value == pytest.approx(-0.2, rel=1e-3)


def test_the_extra_term_does_not_become_a_spike_between_two_points() -> None:
    """One point too high and the next too low: a spike from -0.4 to 1.6 between them fits best, and means nothing."""
    n = np.geomspace(1e4, 1e8, 24)
    observed = 0.8 - 0.3 * np.exp(-((n / 1e7) ** 0.8))
    observed[14] += 0.06
    observed[15] -= 0.06
    fit = fit_u_shape(n, observed)
    between = fit.at(np.geomspace(1e4, 1e8, 5000))
    assert between.min() > 0.4 and between.max() < 0.9
    assert fit.width.value > n[15] - n[14]


@pytest.mark.slow
def test_intervals_of_95_per_cent_hold_nine_in_ten_of_the_numbers_of_noisy_u_shapes() -> None:
    """Eight numbers of each of fifteen curves; the docstring of the fit has what longer runs found for each number."""
    rng = np.random.default_rng(3)
    truth = {**TRUTH, "alpha": 5e8**-1.5}
    exact = u_shape(TOKENS)
    fits = [fit_u_shape(TOKENS, exact + rng.normal(0, 0.005, len(exact))) for _ in range(15)]
    found = [(getattr(fit, name), value) for fit in fits for name, value in truth.items()]
    assert sum(one.low <= value <= one.high for one, value in found) >= 0.9 * len(found)


def test_a_dip_from_the_start_has_its_turn_at_zero() -> None:
    """With n0 = 0 the extra term only lowers; as a logarithm n0 would run away, and no such curve could be fitted."""
    x = TOKENS / 1e8
    noise = np.random.default_rng(0).normal(0, 0.002, len(TOKENS))
    fit = fit_u_shape(TOKENS, 0.9 - 0.3 * np.exp(-((TOKENS / 5e8) ** 1.5)) - 0.3 * x / (1 + x * x) + noise)
    assert fit.turn.low == fit.turn.value == 0
    assert fit.turn.high < 1e7
    assert fit.depth.low < 0.3 < fit.depth.high


def test_a_u_shape_needs_more_than_seven_points() -> None:
    with pytest.raises(InputError, match="7 points at 7 values of n are too few for a curve with 7 parameters"):
        fit_u_shape(TOKENS[:7], u_shape(TOKENS[:7]))
