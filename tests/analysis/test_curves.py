"""Learning curves at common checkpoints, by hand; and the U-shape, which finds the parameters it was made from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.curves import (
    LearningCurve,
    UShapeFit,
    common_checkpoints,
    find_dip,
    fit_u_shape,
    interpolate,
    mean_curve,
)
from bidui.errors import InputError
from bidui.intervals import Estimate
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
    with pytest.raises(InputError, match="range of a, which was measured from 1 to 1000"):
        interpolate(curve("a", {1: 0.2, 1000: 0.6}), at=[10, at])


def test_the_untrained_model_keeps_its_place_but_nothing_lies_between_it_and_the_next() -> None:
    untrained = curve("a", {0: 0.5, 10: 0.4, 1000: 0.8})
    assert interpolate(untrained, at=[0, 100]).accuracies == pytest.approx([0.5, 0.6])
    with pytest.raises(InputError, match="5 is outside the range of a, which was measured from 10 to 1000"):
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
        mean_curve([])


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ([1, 3, 2], "the checkpoints of a must increase, but 3 is followed by 2"),
        ([1, 1, 2], "must increase, but 1 is followed by 1"),
        ([-1, 1, 2], "must be above 0"),
        ([1, 2, float("nan")], "must be above 0"),
        ([1, 2], "a has 2 checkpoints but 3 accuracies"),
    ],
)
def test_broken_curves_are_refused(at: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LearningCurve("a", np.array(at), np.array([0.1, 0.2, 0.3]))


def test_a_curve_in_per_cent_is_refused() -> None:
    with pytest.raises(InputError, match="but 2 are not, such as 55; divide percentages by 100"):
        curve("a", {1: 55, 10: 60})


def parameter(fit: UShapeFit, name: str) -> Estimate:
    found = getattr(fit if name in ("depth", "turn", "width") else fit.trend, name)
    assert isinstance(found, Estimate)
    return found


def test_points_on_a_u_shape_give_back_its_parameters() -> None:
    fit = fit_u_shape(TOKENS, u_shape(TOKENS))
    for name, value in TRUTH.items():
        assert parameter(fit, name).value == pytest.approx(value, rel=1e-3), name
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
    assert fit.width.value > (n[15] - n[14]) / 2


@pytest.mark.slow
def test_intervals_of_95_per_cent_hold_nine_in_ten_of_the_numbers_of_noisy_u_shapes() -> None:
    """Eight numbers of each of fifteen curves; the docstring of the fit has what longer runs found for each number."""
    rng = np.random.default_rng(3)
    truth = {**TRUTH, "alpha": 5e8**-1.5}
    exact = u_shape(TOKENS)
    fits = [fit_u_shape(TOKENS, exact + rng.normal(0, 0.005, len(exact))) for _ in range(15)]
    found = [(parameter(fit, name), value) for fit in fits for name, value in truth.items()]
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


# The test for a dip: its sizes by hand, its false alarms at most as stated, and its power where a dip is plain.


ALPHA = 0.05
CHECKPOINTS = np.geomspace(1e6, 1e8, 12)


def trained(course: Floats, rng: np.random.Generator, *, noise: float, memory: float, runs: int) -> list[LearningCurve]:
    """Runs about one course: a checkpoint that strays is followed by one that strays in the same direction."""
    strays = rng.standard_normal((runs, len(course)))
    for now in range(1, len(course)):
        strays[:, now] = memory * strays[:, now - 1] + np.sqrt(1 - memory**2) * strays[:, now]
    rows = np.clip(course + noise * strays, 0, 1)
    return [LearningCurve(str(number), CHECKPOINTS[: len(course)], row) for number, row in enumerate(rows)]


def alarms(course: Floats, *, noise: float, memory: float = 0.5, runs: int = 3, simulations: int = 60) -> int:
    rng = np.random.default_rng(1)
    found = (trained(course, rng, noise=noise, memory=memory, runs=runs) for _ in range(simulations))
    return sum(find_dip(curves, seed=n, resamples=199).p <= ALPHA for n, curves in enumerate(found))


def test_size_width_and_runs_of_a_dip_by_hand() -> None:
    """Means 60, 40, 70 at 1, 10 and 100: size 20, half-way at 50: from the middle of 1 and 10 to a third of 10 to 100.

    So the width is 10^(1/2 + 1/3). The third run has no dip at all; the others dip by 30 and more.
    """
    runs = [curve("a", {1: 0.7, 10: 0.3, 100: 0.7}), curve("b", {1: 0.7, 10: 0.4, 100: 0.7})]
    runs.append(curve("c", {1: 0.4, 10: 0.5, 100: 0.7}))
    dip = find_dip(runs, seed=0)
    assert (dip.before, dip.bottom, dip.after) == (1, 10, 100)
    assert (dip.drop, dip.rise, dip.size) == pytest.approx((0.2, 0.3, 0.2))
    assert dip.width == pytest.approx(10 ** (1 / 2 + 1 / 3))
    assert (dip.runs, dip.runs_with, dip.in_majority) == (3, 2, True)
    assert dip.floor == 1 / 2000 and dip.p >= dip.floor


@pytest.mark.parametrize("course", [(20, 40, 60, 80), (80, 60, 40, 20), (20, 80, 80, 20)])
def test_without_both_a_drop_and_a_later_rise_there_is_no_dip(course: tuple[int, ...]) -> None:
    runs = [curve(name, {10.0**n: (v + k) / 100 for n, v in enumerate(course)}) for k, name in enumerate("ab")]
    dip = find_dip(runs, seed=0)
    assert dip.size <= 0 and dip.p == 1 and dip.runs_with == 0 and np.isnan(dip.width)


@pytest.mark.parametrize("noise", [0.02, 0.04])
@pytest.mark.parametrize(
    "course",
    [
        pytest.param(np.full(12, 0.6), id="flat"),
        pytest.param(np.array([0.95] + [0.5] * 11), id="drop, then flat"),
        pytest.param(np.array([0.5] * 11 + [0.95]), id="flat, then rise"),
    ],
)
def test_training_noise_of_2_and_4_points_is_not_taken_for_a_dip(course: Floats, noise: float) -> None:
    """Half of a dip is certain in the last two, the least favourable curves; `bench/coverage.py` has more of them.

    Of 60 at 5%, more than 8 would come once in 400 such tests.
    """
    assert alarms(course, noise=noise) <= 8
    assert alarms(course, noise=noise, runs=1, simulations=30) <= 4


def test_a_plain_u_shape_is_found_in_several_runs() -> None:
    """15 points down and 25 up, with training noise of 2 points."""
    course = np.concatenate((np.linspace(0.65, 0.5, 6), np.linspace(0.5, 0.75, 7)[1:]))
    assert alarms(course, noise=0.02, simulations=20) >= 19


def test_a_dip_of_one_run_among_three_is_in_no_majority() -> None:
    flat = {float(n): 0.6 for n in CHECKPOINTS}
    deep = flat | {float(CHECKPOINTS[6]): 0.1}
    dip = find_dip([curve("a", deep), curve("b", flat), curve("c", flat)], seed=0)
    assert (dip.runs_with, dip.in_majority) == (1, False) and dip.p > ALPHA


def test_the_noise_is_found_from_runs_and_from_one() -> None:
    """4 points with a correlation of 0.5 between neighbours, over 200 checkpoints."""
    rng = np.random.default_rng(5)
    at = np.geomspace(1e6, 1e8, 200)
    for runs in (1, 4):
        strays = trained(np.full(12, 0.6), rng, noise=0, memory=0, runs=runs)
        rows = rng.standard_normal((runs, 200))
        for now in range(1, 200):
            rows[:, now] = 0.5 * rows[:, now - 1] + np.sqrt(0.75) * rows[:, now]
        made = [LearningCurve(one.run, at, 0.6 + 0.04 * row) for one, row in zip(strays, rows, strict=True)]
        dip = find_dip(made, seed=0, resamples=100)
        assert (dip.noise, dip.correlation) == (pytest.approx(0.04, rel=0.2), pytest.approx(0.5, abs=0.15))


def test_what_cannot_be_tested_for_a_dip_is_refused() -> None:
    two = curve("a", {1: 0.5, 10: 0.6})
    with pytest.raises(InputError, match="2 checkpoints of 2 runs are too few to test for a dip; at least 3"):
        find_dip([two, two], seed=0)
    with pytest.raises(InputError, match="3 checkpoints of 1 run are too few to test for a dip; at least 8"):
        find_dip([curve("a", {1: 0.5, 10: 0.6, 100: 0.6})], seed=0)
    with pytest.raises(InputError, match="99 resamples are too few; use at least 100"):
        find_dip([curve("a", {1: 0.5, 10: 0.6, 100: 0.6})] * 2, seed=0, resamples=99)
