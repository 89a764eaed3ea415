"""FLOPs by hand; and the scaling curve, which finds the parameters of curves that were made from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidui.analysis.scaling import ScalingFit, fit_scaling, training_flops
from bidui.errors import InputError
from bidui.intervals import Estimate
from bidui.scores.links import Floats

TOKENS = np.geomspace(1e6, 3e9, 12)
NAMES = ("final", "start", "alpha", "beta", "scale")


def curve(n: Floats, final: float, start: float, alpha: float, beta: float) -> Floats:
    """As the paper prints it, not as the fit has it."""
    return np.asarray(final - (final - start) * np.exp(-alpha * n**beta))


def held(fit: ScalingFit, **truth: float) -> dict[str, bool]:
    found: dict[str, Estimate] = {name: getattr(fit, name) for name in truth}
    return {name: found[name].low <= value <= found[name].high for name, value in truth.items()}


def test_training_takes_six_flops_a_parameter_and_token() -> None:
    """By hand: 6 x 70 x 10^9 x 1.4 x 10^12 = 588 x 10^21, Chinchilla's budget as Hoffmann et al. give it."""
    assert training_flops(70e9, 1.4e12) == pytest.approx(5.88e23)


@pytest.mark.parametrize(
    ("parameters", "tokens"), [(0, 1e6), (1e6, 0), (-1, 1e6), (float("nan"), 1), (1, float("inf"))]
)
def test_flops_need_a_model_and_training(parameters: float, tokens: float) -> None:
    with pytest.raises(InputError, match="training FLOPs cannot be computed"):
        training_flops(parameters, tokens)


def test_points_on_a_curve_give_back_its_parameters() -> None:
    fit = fit_scaling(TOKENS, curve(TOKENS, 0.85, 0.5, 4e-7, 0.8))
    assert (fit.final.value, fit.start.value) == pytest.approx((0.85, 0.5), abs=1e-6)
    assert (fit.alpha.value, fit.beta.value) == pytest.approx((4e-7, 0.8), rel=1e-4)
    assert fit.at([1e8, 1e9]) == pytest.approx(curve(np.array([1e8, 1e9]), 0.85, 0.5, 4e-7, 0.8), abs=1e-6)


def test_at_the_scale_all_but_one_eth_of_the_way_is_gone() -> None:
    fit = fit_scaling(TOKENS, curve(TOKENS, 0.9, 0.4, 1e-4, 0.5))
    assert fit.scale.value == pytest.approx(1e8, rel=1e-4)  # (10^-4)^(-1 / 0.5)
    assert fit.at(fit.scale.value) == pytest.approx(0.9 - 0.5 / np.e)


def test_a_measured_start_is_p0_and_has_no_interval() -> None:
    """The untrained model was measured, so its accuracy is not for the fit to find."""
    fit = fit_scaling(TOKENS, curve(TOKENS, 0.85, 0.5, 4e-7, 0.8), start=0.5)
    assert fit.start.value == 0.5 and np.isnan(fit.start.low)
    assert (fit.final.value, fit.beta.value) == (pytest.approx(0.85, abs=1e-5), pytest.approx(0.8, rel=1e-3))


def test_a_fit_that_ends_at_a_bound_is_refused() -> None:
    """All points on a curve towards 1, the most there can be, and slightly above it: P∞ ends at the bound."""
    n = np.geomspace(1e6, 1e9, 8)
    observed = np.minimum(curve(n, 1.15, 0.5, 1e8**-0.5, 0.5), 1)
    with pytest.raises(InputError, match="its P∞ at the limit 1, so these 8 points do not determine it"):
        fit_scaling(n, observed, start=0.5)


def test_points_of_a_series_have_wider_intervals() -> None:
    """Neighbours that stray together tell less than their number: with a correlation of 0.7, by about half."""
    rng = np.random.default_rng(0)
    n = np.geomspace(1e5, 8e7, 32)
    strays = rng.standard_normal(32)
    for now in range(1, 32):
        strays[now] = 0.7 * strays[now - 1] + np.sqrt(1 - 0.7**2) * strays[now]
    observed = curve(n, 0.8, 0.5, 1e7**-0.8, 0.8) + 0.01 * strays
    plain, series = (fit_scaling(n, observed, start=0.5, series=flag).final for flag in (False, True))
    assert series.high - series.low > 1.3 * (plain.high - plain.low)
    assert series.low <= 0.8 <= series.high


def test_a_curve_may_fall() -> None:
    """Accuracy on quantifiers goes down with scale; P∞ is then the lower one."""
    fit = fit_scaling(TOKENS, curve(TOKENS, 0.4, 0.6, 4e-7, 0.8))
    assert (fit.final.value, fit.start.value) == pytest.approx((0.4, 0.6), abs=1e-6)


@pytest.mark.slow
def test_intervals_of_95_per_cent_hold_the_truth_in_90_of_100_noisy_curves_or_more() -> None:
    """An interval that does not is worse than none. All five numbers, with the scatter of some 2,000 pairs."""
    rng = np.random.default_rng(6)
    truth = {"final": 0.85, "start": 0.5, "alpha": 1e8**-0.8, "beta": 0.8, "scale": 1e8}
    exact = curve(TOKENS, 0.85, 0.5, 1e8**-0.8, 0.8)
    found = [held(fit_scaling(TOKENS, exact + rng.normal(0, 0.01, 12)), **truth) for _ in range(100)]
    for name in NAMES:
        assert 90 <= sum(one[name] for one in found) <= 99, name


def test_where_the_points_end_before_the_curve_levels_off_the_interval_says_so() -> None:
    """The delta method gives a narrow interval there, and is wrong in one case of eight."""
    n = np.geomspace(1e6, 3e8, 10)
    noise = np.random.default_rng(0).normal(0, 0.01, 10)
    fit = fit_scaling(n, curve(n, 0.9, 0.5, 2e8**-0.8, 0.8) + noise)
    assert fit.final.high == 1
    assert fit.final.low < 0.9


@settings(max_examples=15)
@given(st.floats(-9, 9), st.integers(0, 100))
def test_the_unit_of_n_changes_only_what_has_that_unit(power: float, seed: int) -> None:
    """In millions of tokens or in FLOPs, the same points make the same curve: only the scale and alpha are renamed."""
    observed = curve(TOKENS, 0.85, 0.5, 1e8**-0.8, 0.8) + np.random.default_rng(seed).normal(0, 0.01, 12)
    one, other = fit_scaling(TOKENS, observed), fit_scaling(TOKENS * 10**power, observed)
    for name in ("final", "start", "beta"):
        mine, yours = getattr(one, name), getattr(other, name)
        assert (yours.value, yours.low, yours.high) == pytest.approx((mine.value, mine.low, mine.high), rel=0.02)
    assert other.scale.value == pytest.approx(one.scale.value * 10**power, rel=0.01)
    assert other.alpha.value == pytest.approx(other.scale.value**-other.beta.value, rel=1e-6)
    assert other.alpha.low < other.alpha.value < other.alpha.high


def test_no_more_points_than_parameters_are_refused() -> None:
    """Figure 2b has four points a model: any such four lie on some curve, which proves nothing."""
    with pytest.raises(InputError, match="4 points at 4 values of n are too few for a curve with 4 parameters"):
        fit_scaling([1e7, 1e8, 1e9, 3e9], [0.6, 0.74, 0.8, 0.82])


def test_three_seeds_at_four_sizes_are_enough_but_at_three_sizes_are_not() -> None:
    noise = np.random.default_rng(0).normal(0, 0.01, 12)
    n = np.repeat([1e7, 1e8, 1e9, 3e9], 3)
    assert fit_scaling(n, curve(n, 0.84, 0.5, 1e8**-0.6, 0.6) + noise).deviation < 0.02
    n = np.repeat([1e7, 1e8, 1e9], 4)
    with pytest.raises(InputError, match="12 points at 3 values of n are too few"):
        fit_scaling(n, curve(n, 0.84, 0.5, 1e8**-0.6, 0.6) + noise)


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf")])
def test_n_must_be_positive(wrong: float) -> None:
    with pytest.raises(InputError, match="n must be positive, but 1 value is not"):
        fit_scaling([wrong, 1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize("wrong", [50, -0.1, float("nan")])
def test_per_cent_are_refused(wrong: float) -> None:
    with pytest.raises(InputError, match="divide percentages by 100"):
        fit_scaling([1, 2, 3, 4, 5], [wrong, 0.2, 0.3, 0.4, 0.5])


def test_as_many_accuracies_as_n() -> None:
    with pytest.raises(InputError, match="5 values of n but 4 accuracies"):
        fit_scaling([1, 2, 3, 4, 5], [0.2, 0.3, 0.4, 0.5])


def test_a_flat_line_is_no_curve() -> None:
    with pytest.raises(InputError, match=r"all 12 points have the accuracy 0\.5"):
        fit_scaling(TOKENS, np.full(12, 0.5))


def test_a_fit_that_runs_away_is_refused_and_says_which_parameter() -> None:
    """A saw has no bend: a jump between two neighbours fits it best, the steeper the better."""
    with pytest.raises(InputError, match=r"its β passes 50.*add points"):
        fit_scaling(TOKENS, np.tile([0.0, 1.0], 6))
