"""Learning curves at common checkpoints, by hand; and the U-shape, which finds the parameters it was made from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, norm

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
    assert fit.width.value > n[15] - n[14]


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


# The test for a dip: its statistic by hand, its false alarms as stated, and its power where a dip is plain.


SIMULATIONS = 400
ALPHA = 0.05
MOST = int(binom.ppf(0.999, SIMULATIONS, ALPHA))  # false alarms, of a test that keeps its rate


def choices(curve: Floats, rng: np.random.Generator, *, pairs: int = 100, memory: float = 0.8) -> Floats:
    """Choices on the same pairs at every checkpoint: a pair that was right is likely to stay so, as in training."""
    noise = rng.standard_normal((len(curve), pairs))
    for now in range(1, len(curve)):
        noise[now] = memory * noise[now - 1] + np.sqrt(1 - memory**2) * noise[now]
    return (noise < norm.ppf(curve)[:, None]).T.astype(np.float64)


def alarms(curve: Floats | list[float], *, memory: float = 0.8, pairs: int = 100) -> int:
    rng = np.random.default_rng(1)
    tables = (choices(np.array(curve), rng, pairs=pairs, memory=memory) for _ in range(SIMULATIONS))
    return sum(find_dip(table, seed=n, alpha=ALPHA, resamples=399).p <= ALPHA for n, table in enumerate(tables))


def nested(*right: int, pairs: int = 100) -> NDArray[np.float64]:
    """Checkpoints that are right on the first so many pairs."""
    return (np.arange(pairs)[:, None] < np.array(right)).astype(np.float64)


def test_drop_and_rise_by_hand() -> None:
    """60, 40 and 70 of 100 right: 20 pairs change one way and 30 the other, so McNemar's 20/√20 and 30/√30."""
    dip = find_dip(nested(60, 40, 70), seed=0)
    assert (dip.before, dip.bottom, dip.after) == (0, 1, 2)
    assert (dip.drop, dip.rise) == pytest.approx((0.2, 0.3))
    assert dip.statistic == pytest.approx(20**0.5)
    assert dip.p <= 0.05


def test_the_clearest_dip_of_a_longer_curve_is_found() -> None:
    dip = find_dip(nested(50, 55, 70, 60, 30, 35, 90, 80), seed=0)
    assert (dip.before, dip.bottom, dip.after) == (2, 4, 6)
    assert (dip.drop, dip.rise) == pytest.approx((0.4, 0.6))


@pytest.mark.parametrize("right", [(20, 40, 60, 80), (80, 60, 40, 20), (20, 80, 80, 20), (50, 50, 50, 50)])
def test_without_both_a_drop_and_a_later_rise_there_is_no_dip(right: tuple[int, ...]) -> None:
    """Each of these changes is significant in itself."""
    dip = find_dip(nested(*right), seed=0)
    assert min(dip.drop, dip.rise) <= 0
    assert dip.p == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "curve",
    [
        pytest.param(np.full(8, 0.5), id="flat at chance"),
        pytest.param(np.full(8, 0.97), id="flat at the top"),
        pytest.param(np.linspace(0.4, 0.9, 8), id="rising"),
        pytest.param(np.linspace(0.9, 0.4, 8), id="falling"),
        pytest.param(np.array([0.3, 0.5, 0.7, 0.9, 0.9, 0.7, 0.5, 0.3]), id="a peak"),
    ],
)
@pytest.mark.parametrize("memory", [0.0, 0.95])
def test_false_alarms_on_curves_without_a_dip_are_at_most_as_stated(curve: Floats, memory: float) -> None:
    """Far below, as the module says: both halves of the dip would have to come from noise."""
    assert alarms(curve, memory=memory) <= SIMULATIONS * ALPHA / 10 + 4


@pytest.mark.parametrize("pairs", [100, 300])
@pytest.mark.parametrize(
    "curve",
    [pytest.param([0.95] + [0.5] * 7, id="drop, then flat"), pytest.param([0.5] * 7 + [0.95], id="flat, then rise")],
)
def test_false_alarms_on_the_least_favourable_curves_come_near_the_stated_rate(curve: list[float], pairs: int) -> None:
    """Half of a dip is certain here, and noise has only to make the other: a test made for flat curves would fail."""
    assert 5 <= alarms(curve, pairs=pairs) <= MOST


def test_a_plain_u_shape_is_found() -> None:
    """20 points down and 30 up on 300 pairs."""
    curve = np.concatenate((np.linspace(0.7, 0.5, 6), np.linspace(0.5, 0.8, 7)[1:]))
    assert alarms(curve, pairs=300) >= 0.95 * SIMULATIONS


def test_the_order_of_the_pairs_does_not_matter_and_the_seed_decides() -> None:
    rng = np.random.default_rng(0)
    table = choices(np.array([0.6, 0.5, 0.5, 0.6]), rng)
    assert find_dip(table, seed=4).p == pytest.approx(find_dip(table[rng.permutation(100)], seed=4).p, abs=2e-3)
    assert find_dip(table, seed=4) == find_dip(table, seed=4)


def test_memory_is_bounded_for_many_checkpoints() -> None:
    """154 checkpoints, as Pythia has, are drawn in blocks; the blocks change nothing but the memory."""
    table = choices(np.full(154, 0.5), np.random.default_rng(0), pairs=40)
    assert find_dip(table, seed=0, resamples=399).p > ALPHA


def test_ties_count_one_half() -> None:
    """Two ties that turn wrong are a drop of one pair, with McNemar's statistic 2 x 0.5 / √(2 x 0.25) = √2."""
    table = nested(50, 50, 50)
    table[[10, 11], 0] = 0.5
    table[[10, 11], 1] = 0
    dip = find_dip(table, seed=0)
    assert dip.drop == pytest.approx(0.01)
    assert dip.statistic == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((100, 2)), "2 checkpoints of 100 pairs"),
        (np.ones((29, 5)), "5 checkpoints of 29 pairs"),
        (np.ones(100), "0 checkpoints of 0 pairs"),
        (np.full((100, 3), 50.0), "an accuracy must be between 0 and 1, but 300 are not"),
        (np.full((100, 3), np.nan), "an accuracy must be between 0 and 1"),
    ],
)
def test_what_cannot_be_tested_is_refused(table: Floats, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_dip(table, seed=0)


def test_alpha_is_a_rate_and_needs_resamples() -> None:
    """With 99 resamples, p could not be told from 0.05 well enough."""
    with pytest.raises(InputError, match="the false alarm rate must be between 0 and 1"):
        find_dip(nested(60, 40, 70), seed=0, alpha=5)
    with pytest.raises(InputError, match="99 resamples are too few; use at least 399"):
        find_dip(nested(60, 40, 70), seed=0, resamples=99)
