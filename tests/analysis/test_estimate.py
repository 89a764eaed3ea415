"""Intervals by formula against published examples."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.estimate import (
    Strata,
    beta_freedom,
    box,
    cluster_estimate,
    crossed_difference,
    crossed_estimate,
    deviation,
    resampled_sums,
    stratified_estimate,
    summarise,
    two_sided_p,
)
from bidui.errors import InputError
from bidui.intervals import newcombe, percentile_estimate, wilson
from bidui.reports.published import columns, read_published


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


# The bootstrap draws what drawing pairs would draw.


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
    with pytest.raises(InputError, match="0 resamples are too few; use at least 100"):
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


# Descriptive statistics by hand, and those that SLING prints.


CLIMP_PHENOMENA = (  # as SLING has them: anaphor agreement and binding are one
    ("anaphor_agreement_gender", "binding_gender"),
    ("ba_construction",),
    ("classifier", "classifier_adj", "classifier_clause"),
    ("coverb_instrument", "coverb_with"),
    ("filler_gap_dependency",),
    ("head_final_clause",),
    ("passive_formal",),
    tuple(f"verb_complement_{kind}" for kind in ("direction", "duration", "frequency", "res_adj", "res_verb")),
)


def test_quartiles_lie_between_order_statistics() -> None:
    """R's summary(1:4) prints 1.75, 2.5 and 3.25; the variance of 1 to 4 is 5 / 3."""
    found = summarise([4, 2, 1, 3])
    assert (found.count, found.minimum, found.maximum, found.mean) == (4, 1, 4, 2.5)
    assert (found.first_quartile, found.median, found.third_quartile) == (1.75, 2.5, 3.25)
    assert found.deviation == pytest.approx((5 / 3) ** 0.5)


def test_whiskers_end_at_values_and_outliers_lie_beyond() -> None:
    """Of 1 to 9 and 30 the quartiles are 3.25 and 7.75, so a whisker reaches to 7.75 + 6.75 = 14.5."""
    found = box([*range(1, 10), 30])
    assert (found.low_whisker, found.high_whisker, found.outliers) == (1, 9, (30.0,))


def test_one_value_has_no_deviation_and_none_no_summary() -> None:
    assert isnan(deviation([3.0]))
    with pytest.raises(InputError, match="0 values are too few"):
        summarise([])


@pytest.mark.parametrize("name", ["sling-11", "sling-12"])
def test_tables_11_and_12_of_sling_come_out(name: str) -> None:
    """To the digits printed, but for compound nouns, whose figures are of accuracies before they were rounded.

    There the printed minimum 45.58 is 45.6 in Table 8, and the median 79.13 is 79.15: all within half of 0.1.
    """
    table = read_published(name)
    models = columns(read_published("sling-8"), link="mean_lp", level="paradigm")
    for paradigm in dict.fromkeys(cell.name for cell in table.cells if cell.level == "paradigm"):
        found = summarise([cells[paradigm] for model, cells in models.items() if model != "human"])
        printed = {cell.measure: cell.value for cell in table.cells if cell.name == paradigm}
        tolerance = 0.05 if "comp_noun" in paradigm else 0.0051
        ours = (found.minimum, found.median, found.mean, found.maximum, found.deviation)
        assert ours == pytest.approx([printed[m] for m in ("min", "median", "mean", "max", "sd")], abs=tolerance)


def test_the_deviation_over_phenomena_is_that_of_a_sample() -> None:
    """Table 7 of SLING prints it for CLiMP below each of 18 models; divided by n, that of lstm would be 10.6."""
    table = read_published("sling-7")
    printed = columns(table, link="mean_lp", level="overall", measure="sd")
    for model, cells in columns(table, link="mean_lp", level="paradigm").items():
        means = [sum(cells[uid] for uid in uids) / len(uids) for uids in CLIMP_PHENOMENA]
        assert deviation(means) == pytest.approx(printed[model]["all"], abs=0.051)


def test_models_vary_more_over_the_phenomena_of_sling_than_of_climp() -> None:
    """Section 5.6 prints a mean of 24.1 for SLING, which comes out, and of 13.2 for CLiMP, where we get 13.1."""
    phenomena = columns(read_published("sling-5"), link="mean_lp")
    sling = [deviation(list(cells.values())) for model, cells in phenomena.items() if model != "human"]
    climp = columns(read_published("sling-7"), link="mean_lp", level="overall", measure="sd")
    assert round(summarise(sling).mean, 1) == 24.1
    assert round(summarise([cells["all"] for cells in climp.values()]).mean, 1) == 13.1


# Coverage: a cheap version of bench/coverage.py, whose figures docs/analysis.md quotes.


def paradigms_of(count: int, *, pairs: int = 300) -> Strata:
    names = tuple(map(str, range(count)))
    return Strata(names, names, np.full(count, float(pairs)), np.repeat(np.arange(count), pairs))


def test_the_two_intervals_hold_the_truth_in_93_to_97_of_100_samples() -> None:
    """Paradigms with a mean of 0.75 and a deviation of 0.19, 30 of them: of 1,000 samples, 930 to 970 hold it.

    For these paradigms, the truth is their own mean; for paradigms like these, that of all that could be drawn. The
    narrow interval holds the latter far too seldom.
    """
    rng, made = np.random.default_rng(2), paradigms_of(30)
    held = np.zeros(3)
    for _ in range(1000):
        shares = rng.beta(3, 1, 30)
        right = rng.binomial(300, shares).astype(np.float64)
        near, wide = stratified_estimate(right, made, made.sizes), cluster_estimate(right, made, made.sizes)
        held += (near.low <= shares.mean() <= near.high, wide.low <= 0.75 <= wide.high, near.low <= 0.75 <= near.high)
    assert 930 <= held[0] <= 970 and 930 <= held[1] <= 970
    assert held[2] < 500


def test_the_freedom_of_a_variance_is_that_of_the_beta_distribution() -> None:
    """By hand for ten: uniform accuracies (mean 1/2, variance 1/12) have the excess kurtosis -6/5: 2 / (2/9 - 6/50).

    Accuracies of 0 and 1 only, a tenth of them 0, have that of a Bernoulli distribution, (1 - 6 · 0.09) / 0.09 = 46/9.
    A beta distribution with parameters 1 and 3 has kurtosis 0.0952 (2/21).
    """
    assert beta_freedom(1 / 2, 1 / 12, paradigms=10) == pytest.approx(2 / (2 / 9 - 6 / 50))
    assert beta_freedom(0.9, 0.09, paradigms=10) == pytest.approx(2 / (2 / 9 + 46 / 90))
    assert beta_freedom(1 / 4, 3 / 80, paradigms=10) == pytest.approx(2 / (2 / 9 + 2 / 210))
    assert beta_freedom(0.99, 0.0099, paradigms=6) == 1


def test_few_uneven_paradigms_have_intervals_that_are_wide_enough() -> None:
    """Six paradigms with a mean of 0.795 and a deviation of 0.25: 91.5% with five degrees of freedom.

    And macro over phenomena of CLiMP, six of which have one paradigm: 91% where each counts by its own deviation.
    """
    rng, held = np.random.default_rng(2), np.zeros(2)
    sizes = (1, 1, 1, 1, 1, 1, 2, 3, 5)
    uneven = np.concatenate([np.full(size, 1 / size) for size in sizes])
    for number, weights in enumerate((np.ones(6), uneven)):
        made = paradigms_of(len(weights))
        for _ in range(500):
            shares = rng.beta(1.278, 0.3296, len(weights))
            one = cluster_estimate(rng.binomial(300, shares).astype(np.float64), made, weights)
            held[number] += one.low <= 0.795 <= one.high
    assert (held >= 465).all() and (held <= 490).all()  # 93 to 98% of 500


@pytest.mark.parametrize("of_runs", [0.0, 0.02])
def test_with_several_runs_the_interval_holds_the_truth_of_other_runs_too(of_runs: float) -> None:
    """Three runs, which move all paradigms together by 2 points or not at all, and each by 5 points for itself."""
    rng, held = np.random.default_rng(4), np.zeros(2)
    for _ in range(400):
        shares = 0.6 + rng.normal(0, 0.1, 40)
        first, second = (shares + rng.normal(0, of_runs, (3, 1)) + rng.normal(0, 0.05, (3, 40)) for _ in range(2))
        mean, difference = crossed_estimate(first), crossed_difference(first, second)
        assert mean.kind == difference.kind == "runs"
        held += (mean.low <= 0.6 <= mean.high, difference.low <= 0 <= difference.high)
    assert 372 <= held[0] <= 392 and 372 <= held[1] <= 396  # of 400


def test_the_variances_of_paradigms_and_runs_by_hand() -> None:
    """Six paradigms, two runs; the second is 0.02 higher throughout, so nothing is left over.

    Paradigms 0.3 to 0.8 (means 0.31 to 0.81): variance 0.035 / 6, and as a beta distribution with the mean 0.56 and the
    variance 0.035, whose excess kurtosis is -0.6297, 2 / (2 / 5 - 0.6297 / 6) = 6.779 degrees of freedom. Runs: 0.0001
    (0.0002 / 2). Together 0.0059333, with 0.0059333² / (0.0058333² / 6.779 + 0.0001² / 1) = 7.00 of them: t = 2.3647.
    That is as of 0.2464 / 0.0059333 = 41.53 pairs; t² / n = 0.13465, the centre is (0.56 + 0.06733) / 1.13465 = 0.55288
    and the half width 2.3647 / 1.13465 · √(0.0059333 + 0.13465 / 166.1) = 0.17115.
    """
    values = np.arange(3, 9) / 10 + np.array([[0.0], [0.02]])
    found = crossed_estimate(values)
    assert (found.value, *found.interval) == pytest.approx((0.56, 0.3817, 0.7240), abs=1e-4)
    assert crossed_estimate(values[:1]).kind == "" and crossed_difference(values[:1], values).kind == "paradigms"
