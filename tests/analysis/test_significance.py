"""Models compared on the same pairs: tests with published values, corrections by hand, and what is refused."""

import warnings
from collections.abc import Sequence
from math import erfc, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.significance import (
    Alternative,
    Comparison,
    Correction,
    Rule,
    bias,
    compare_models,
    correct,
    kendall_estimate,
    kendall_tau_b,
    read_against,
    same_pairs,
    sign_test,
    signed_rank,
    signed_rank_counts,
    without,
)
from bidui.errors import InputError
from bidui.intervals import Estimate, wilson
from bidui.reports.published import columns, read_published
from bidui.scores.choices import Choices


def choices(worths: list[float], *, uids: Sequence[str] = "", pairs: list[int] | None = None, sign: int = 0) -> Choices:
    """Choices worth so much; paradigms are letters, and their phenomena the capitals."""
    names = list(uids or "a" * len(worths))
    return Choices(
        "lp",
        np.array(names, object),
        np.array([name.upper() for name in names], object),
        np.array(pairs or range(len(worths)), np.int32),
        np.array(worths),
        np.full(len(worths), 0.5),
        np.full(len(worths), sign, np.int8),
    )


@pytest.mark.parametrize(
    ("more", "fewer", "exact", "mid_p"),
    [
        (7, 1, 0.0703, 0.0391),  # 2 * (1 + 8) / 2^8, and less 8 / 2^8
        (16, 6, 0.0525, 0.0347),  # 2 * 110,056 / 2^22, and less 74,613 / 2^22
    ],
)
def test_the_sign_test_is_mcnemars_as_published(more: int, fewer: int, exact: float, mid_p: float) -> None:
    """The two examples of Fagerland, Lydersen and Laake 2013."""
    assert sign_test(more, fewer) == pytest.approx(exact, abs=5e-5)
    assert sign_test(fewer, more, rule="mid_p") == pytest.approx(mid_p, abs=5e-5)


def test_no_signs_or_as_many_each_way_show_nothing() -> None:
    for n in (0, 1, 17700):
        assert sign_test(n, n) == pytest.approx(1)
        assert sign_test(n, n, rule="mid_p") == pytest.approx(1)


@given(st.integers(0, 20000), st.integers(0, 20000))
def test_the_exact_test_is_the_binomial_one(more: int, fewer: int) -> None:
    """Also for the thousands of pairs of a whole benchmark, where factorials overflow."""
    if more + fewer:
        expected = stats.binomtest(more, more + fewer).pvalue
        assert sign_test(more, fewer) == pytest.approx(float(expected), rel=1e-7, abs=1e-300)


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("none", [0.01, 0.04, 0.03, 0.005]),
        ("holm", [0.03, 0.06, 0.06, 0.02]),  # 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 raised to the one before
        ("benjamini_hochberg", [0.02, 0.04, 0.04, 0.02]),  # 0.005 * 4, 0.01 * 2, 0.03 * 4/3, 0.04
    ],
)
def test_corrections_are_as_worked_out_by_hand(correction: Correction, expected: list[float]) -> None:
    assert correct([0.01, 0.04, 0.03, 0.005], by=correction) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrected_p_values_keep_their_order_and_never_fall(p_values: list[float]) -> None:
    """Benjamini and Hochberg's is also scipy's."""
    bh, holm = correct(p_values, by="benjamini_hochberg"), correct(p_values, by="holm")
    assert bh == pytest.approx(stats.false_discovery_control(p_values).tolist())
    for p, middle, high in zip(p_values, bh, holm, strict=True):
        assert p <= middle + 1e-12 and middle <= high + 1e-12 and high <= 1


def test_what_was_not_tested_is_not_counted() -> None:
    """A test without data has no p; the other two are corrected as two."""
    first, second, third = correct([0.01, nan, 0.5], by="holm")
    assert (first, third) == (0.02, 0.5) and isnan(second)
    assert correct([], by="holm") == []


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(InputError, match=r"1\.5 is not a p-value"):
        correct([0.5, 1.5], by="holm")


def test_two_models_are_compared_on_the_pairs_they_choose_differently() -> None:
    """The first is better on 8 pairs (one by a half) and worse on 1: 2 * (1 + 9) / 2^9 = 0.0390625."""
    first = choices([1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0.5])
    second = choices([0, 0, 0, 0, 0, 0, 0, 0.5, 1, 1, 0.5])
    (found,) = compare_models({"one": first, "two": second})
    assert (found.first, found.second, found.first_better, found.second_better) == ("one", "two", 8, 1)
    assert found.difference.value == pytest.approx((7 + 0.5 - 1) / 11)
    assert found.p == found.corrected == pytest.approx(0.0390625)
    assert found.difference.low <= found.difference.value <= found.difference.high


def test_the_p_values_of_all_couples_are_corrected_together() -> None:
    """Three models, three couples: 8 to 0 gives 2 / 2^8, twice; the third is of equals. Holm: times 3, times 2, 1."""
    right, wrong = choices([1] * 8), choices([0] * 8)
    found = compare_models({"a": right, "b": wrong, "c": wrong})
    assert [(c.first, c.second, c.p) for c in found] == [
        ("a", "b", pytest.approx(1 / 128)),
        ("a", "c", pytest.approx(1 / 128)),
        ("b", "c", 1),
    ]
    assert [c.corrected for c in found] == pytest.approx([3 / 128, 3 / 128, 1])
    found = compare_models({"a": right, "b": wrong, "c": wrong}, correction="benjamini_hochberg")
    assert [c.corrected for c in found] == pytest.approx([1.5 / 128, 1.5 / 128, 1])


def test_mid_p_is_less_cautious() -> None:
    """7 to 1 as above: 0.0703 and 0.0391."""
    models = {"a": choices([1] * 7 + [0]), "b": choices([0] * 7 + [1])}
    p = [compare_models(models, test=test)[0].p for test in ("mcnemar", "mcnemar_mid_p")]
    assert p == pytest.approx([18 / 256, 10 / 256])


def test_a_difference_that_never_varies_within_a_paradigm_has_no_width() -> None:
    """The first wins all of `a` and loses all of `b`: whatever is drawn within each, the difference stays.

    Over pairs it is (3 - 1) / 4; over paradigms, and here over phenomena, (1 - 1) / 2.
    """
    models = {"one": choices([1, 1, 1, 0], uids="aaab"), "two": choices([0, 0, 0, 1], uids="aaab")}
    (found,) = compare_models(models, test="pairs")
    assert found.difference == Estimate(0.5, 0.5, 0.5, "pairs")
    for average in ("macro_paradigm", "macro_phenomenon"):
        (found,) = compare_models(models, test="pairs", average=average)
        assert (found.difference, found.p) == (Estimate(0, 0, 0, "pairs"), 1)


def test_the_bootstrap_interval_has_the_width_of_theory() -> None:
    """Of 900 pairs 90 go one way and 30 the other: the variance of a difference is (120 - 60^2 / 900) / 900."""
    first, second = [1] * 90 + [0] * 30 + [1] * 780, [0] * 90 + [1] * 30 + [1] * 780
    (found,) = compare_models({"a": choices(first), "b": choices(second)}, test="pairs", resamples=5000)
    half = 1.96 * ((120 - 4) / 900 / 900) ** 0.5
    assert found.difference.interval == pytest.approx((60 / 900 - half, 60 / 900 + half), abs=0.1 * half)
    assert found.p == pytest.approx(2 / 5001)


def test_the_bootstrap_is_decided_by_its_seed() -> None:
    models = {"a": choices([1] * 9 + [0] * 8), "b": choices([0] * 8 + [1] * 9)}
    first, second, third = (compare_models(models, test="pairs", seed=seed) for seed in (1, 1, 2))
    assert first == second != third


def test_pairs_in_another_order_are_put_in_the_same() -> None:
    models = {"a": choices([1, 0, 1], pairs=[1, 2, 3]), "b": choices([0, 0.5, 1], pairs=[3, 2, 1])}
    assert same_pairs(models).tolist() == [[1, 1], [0, 0.5], [1, 0]]


@pytest.mark.parametrize(
    ("other", "counts"),
    [
        (choices([1, 1], pairs=[1, 2]), "2 pairs are shared, 1 and 0 are not"),
        (choices([1, 1, 1], pairs=[1, 2, 4]), "2 pairs are shared, 1 and 1 are not"),
        (choices([1, 1, 1], uids="aab", pairs=[1, 2, 3]), "2 pairs are shared, 1 and 1 are not"),
        (choices([1, 1, 1], pairs=[1, 2, 3], sign=1), "0 pairs are shared, 3 and 3 are not"),  # other sentences, then
    ],
)
def test_models_scored_on_other_pairs_are_refused(other: Choices, counts: str) -> None:
    """A difference between models must not be one between pairs."""
    with pytest.raises(InputError, match=f"one and two were not scored on the same pairs: {counts}"):
        compare_models({"one": choices([1, 0, 1], pairs=[1, 2, 3]), "two": other})


def test_what_cannot_be_compared_is_refused() -> None:
    right = choices([1] * 8)
    with pytest.raises(InputError, match="1 model was given; give two or more"):
        compare_models({"a": right})
    with pytest.raises(InputError, match="mcnemar compares pairs, not the average macro_paradigm"):
        compare_models({"a": right, "b": right}, average="macro_paradigm", test="mcnemar")


def test_resamples_too_few_for_the_correction_are_refused() -> None:
    """Ten models make 45 couples; with 1,000 resamples no p can be below 45 * 2 / 1001 = 0.09."""
    models = {str(n): choices([1] * 8) for n in range(10)}
    with pytest.raises(InputError, match="1000 resamples are too few; use at least 1800"):
        compare_models(models, test="pairs", resamples=1000)
    assert len(compare_models(models, test="pairs", correction="none", resamples=1000)) == 45
    assert compare_models(models, test="pairs")[0].floor == 2 / 3601  # as many as needed, twice


def test_the_p_of_a_difference_over_paradigms_hardly_hangs_on_the_seed() -> None:
    """With 2,000 resamples, one difference had p 0.032 by one seed and 0.050 by another."""
    rng = np.random.default_rng(3)
    right = rng.integers(0, 41, 118)
    better = np.clip(right + rng.integers(-9, 12, 118), 0, 40)
    models = {"a": made_of(better, pairs=40), "b": made_of(right, pairs=40)}
    found = [compare_models(models, seed=seed)[0].p for seed in range(4)]
    exact = stats.ttest_1samp(better - right, 0).pvalue
    assert found == pytest.approx([exact] * 4, abs=0.012) and 0.01 < exact < 0.2


# Paradigms as the units of a comparison.


def made_of(right: Sequence[int], *, pairs: int = 20) -> Choices:
    """As many paradigms as numbers, each with so many of its pairs right."""
    worth = np.arange(pairs) < np.array(right)[:, None]
    return choices(
        worth.ravel().astype(float).tolist(), uids=np.repeat(np.arange(len(right)), pairs).astype(str).tolist()
    )


def test_from_six_paradigms_on_a_comparison_is_about_paradigms_like_these() -> None:
    """One paradigm decides: 20 pairs better there and none elsewhere. McNemar's test is certain, paradigms are not.

    The mean difference is 1/6; a resample of six paradigms leaves the one out with probability (5/6)^6 = 0.335.
    """
    first, second = made_of([20, *[10] * 5]), made_of([0, *[10] * 5])
    (found,) = compare_models({"a": first, "b": second})
    assert (found.test, found.difference.kind, found.difference.value) == (
        "paradigms",
        "paradigms",
        pytest.approx(1 / 6),
    )
    assert found.p > 0.3 and found.difference.low == 0
    assert compare_models({"a": first, "b": second}, test="mcnemar")[0].p < 1e-5
    assert found.wilcoxon == 1  # one difference that is not zero: both signs are equally likely
    with pytest.raises(InputError, match="no test bootstrap; choose one of: paradigms, pairs, mcnemar, mcnemar_mid_p"):
        compare_models({"a": first, "b": second}, test="bootstrap")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="needs at least 6 paradigms"):
        compare_models({"a": made_of([1]), "b": made_of([2])}, test="paradigms")


def test_seeds_of_one_recipe_seldom_differ() -> None:
    """60 paradigms of 40 pairs; each seed moves each paradigm by chance. At most 5% of couples may be significant.

    McNemar's test, which takes pairs as independent, finds more: it is about these very pairs and these two runs.
    `bench/coverage.py` has the same with 118 paradigms of 300 pairs, and thousands of couples.
    """
    rng = np.random.default_rng(1)
    means = rng.beta(3, 1, 60)
    found: list[Comparison] = []
    for _ in range(100):
        right = rng.binomial(40, np.clip(means + rng.normal(0, 0.15, (2, 60)), 0, 1))
        found += compare_models({"a": made_of(right[0], pairs=40), "b": made_of(right[1], pairs=40)}, resamples=400)
    assert sum(one.p <= 0.05 for one in found) <= 5
    assert sum(one.wilcoxon <= 0.05 for one in found) <= 5
    assert sum(sign_test(one.first_better, one.second_better) <= 0.05 for one in found) > 15


# Wilcoxon's test against what R and scipy print, values worked out by hand, and the tables of SLING.


ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
RULES: tuple[Rule, ...] = ("r", "scipy")

# The example of R's help page: depression scores of nine patients at two visits (Hollander and Wolfe 1973).
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

# The example of scipy's documentation: Darwin's fifteen differences in height.
DARWIN = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]

# R's data set `sleep`: hours gained with two drugs. One patient slept as long with both, and two differences tie.
FIRST_DRUG = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND_DRUG = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_choices_of_ranks_are_counted_by_their_sum() -> None:
    """Of 1, 2, 3 the sums 0 to 6 are made by {}, {1}, {2}, {3} and {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}."""
    assert signed_rank_counts([2, 4, 6])[::2].tolist() == [1, 1, 1, 2, 1, 1, 1]
    assert signed_rank_counts([3, 3]).tolist() == [1, 0, 0, 2, 0, 0, 1]  # two that share the ranks 1 and 2


@pytest.mark.parametrize("rule", RULES)
def test_without_ties_p_is_exact(rule: Rule) -> None:
    """R prints V = 40, p = 0.01953. By hand: 5 is lost of 45, and 10 of 512 choices of ranks lose 5 or less."""
    found = signed_rank(BEFORE, AFTER, alternative="greater", rule=rule)
    assert (found.method, found.statistic, found.used, found.zeros, found.ties) == ("exact", 40, 9, 0, 0)
    assert found.p == 10 / 512
    assert signed_rank(BEFORE, AFTER, rule=rule).p == 20 / 512


def test_scipys_statistic_is_the_smaller_sum_when_two_sided() -> None:
    """scipy's documentation prints 24 and 0.041259765625, and 96 and 0.0206298828125 when one-sided."""
    zeros = [0] * len(DARWIN)
    two, one = (signed_rank(DARWIN, zeros, rule="scipy", alternative=a) for a in ("two-sided", "greater"))
    assert (two.statistic, two.p) == (24, 0.041259765625)
    assert (one.statistic, one.p) == (96, 0.0206298828125)
    assert signed_rank(DARWIN, zeros, rule="r").statistic == 96


def test_with_ties_or_zeros_r_approximates_and_corrects() -> None:
    """R prints V = 0, p-value = 0.009091, and two warnings. By hand: z = -22 / sqrt(71.25 - 6 / 48) = -2.6086."""
    found = signed_rank(FIRST_DRUG, SECOND_DRUG)
    assert (found.method, found.statistic, found.used, found.zeros, found.ties) == ("normal corrected", 0, 9, 1, 2)
    assert found.p == pytest.approx(0.009091, abs=5e-7)


def test_with_few_ties_scipy_goes_through_all_signs() -> None:
    """All nine differences are negative, which 1 of 512 choices of signs does, and 1 the other way."""
    found = signed_rank(FIRST_DRUG, SECOND_DRUG, rule="scipy")
    assert (found.method, found.p) == ("exact", 2 / 512)


@pytest.mark.parametrize(("n", "r", "scipy"), [(49, "exact", "exact"), (50, "normal corrected", "exact")])
def test_r_approximates_from_fifty_and_scipy_from_fifty_one(n: int, r: str, scipy: str) -> None:
    values = np.arange(1, n + 1)
    assert signed_rank(values, 0 * values).method == r
    assert signed_rank(values, 0 * values, rule="scipy").method == scipy
    more = np.arange(1, n + 3)
    assert signed_rank(more, 0 * more, rule="scipy").method == "normal"


def test_the_correction_moves_half_a_rank_towards_the_mean() -> None:
    """Of the ranks 1 to 50 all are positive: V is 1275, its mean 637.5, its variance 50 * 51 * 101 / 24."""
    values = np.arange(1, 51)
    sigma = sqrt(50 * 51 * 101 / 24)
    for alternative, away in (("two-sided", 637), ("greater", 637), ("less", 638)):
        tail = erfc(away / sigma / sqrt(2)) / 2
        expected = {"two-sided": 2 * tail, "greater": tail, "less": 1 - tail}[alternative]
        assert signed_rank(values, 0 * values, alternative=alternative).p == pytest.approx(expected, rel=1e-12)


FEW, MANY = ((2, 6), (14, 60))  # between them scipy goes through thousands of signs, slowly


@given(
    st.sampled_from([FEW, MANY]).flatmap(lambda n: st.lists(st.integers(-9, 9), min_size=n[0], max_size=n[1])),
    st.sampled_from(ALTERNATIVES),
)
@settings(max_examples=50)
@example([1, 2, 2, 3, 0, 5, -1, -2, 4, 4, 6, 7, -8], "greater")  # 13, the most that it goes through
@example([1, 2, 2, 3, 0, 5, -1, -2, 4, 4, 6, 7, -8, 9], "greater")
def test_scipys_rule_is_scipys(values: list[int], alternative: Alternative) -> None:
    """Whoever reads `scipy` in a table must be able to get the same number from scipy itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy divides by zero where all differences are zero
        theirs = stats.wilcoxon(values, alternative=alternative)
    ours = signed_rank(values, [0] * len(values), alternative=alternative, rule="scipy")
    assert ours.statistic == theirs.statistic
    assert ours.p == pytest.approx(float(theirs.pvalue), nan_ok=True, rel=1e-9)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=60), st.sampled_from(RULES))
def test_sides_swapped_greater_is_less(values: list[float], rule: Rule) -> None:
    zeros = [0.0] * len(values)
    greater = signed_rank(values, zeros, alternative="greater", rule=rule)
    less = signed_rank(zeros, values, alternative="less", rule=rule)
    assert greater.p == pytest.approx(less.p, nan_ok=True)
    assert greater.method == less.method


def test_what_ties_on_paper_ties_only_if_digits_say_so() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, and R ranks them apart unless it has digits.rank."""
    assert signed_rank([0.3, 0.2], [0.2, 0.1]).ties == 0
    assert signed_rank([0.3, 0.2], [0.2, 0.1], digits=9).ties == 2


def test_of_equal_lists_r_has_no_p() -> None:
    """As R prints NA: there is nothing to rank. Over all signs of nothing every outcome is as extreme."""
    found = signed_rank([1, 2], [1, 2])
    assert (found.used, found.zeros) == (0, 2) and isnan(found.p)
    assert signed_rank([1, 2], [1, 2], rule="scipy").p == 1


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1, 2], [1], "2 values on one side and 1 on the other"),
        ([], [], "0 values are too few"),
        ([1, nan], [1, 2], "value 2 is nan"),
    ],
)
def test_values_without_a_partner_are_refused(first: list[float], second: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        signed_rank(first, second)


def sling(*, baselines: bool) -> dict[str, dict[str, float]]:
    """The accuracies of Table 8 by model and paradigm."""
    table = read_published("sling-8")
    models = {name: dict(cells) for name, cells in columns(table, link="mean_lp", level="paradigm").items()}
    if baselines:
        for name, cells in columns(table, link="mean_lp", level="paradigm", measure="bias").items():
            models[name] |= cells
    del models["human"]
    return models


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ("lstm", "gpt2-zh", {"two-sided": 0.617}),
        ("mengzi-base", "mengzi-base-fin", {"two-sided": 0.004, "greater": 0.002, "less": 0.998}),
        ("xlm-R-base", "xlm-R-large", {"two-sided": 0.913}),
        ("mt5-small", "mt5-large", {"two-sided": 0.293}),
        ("byt5-small", "byt5-large", {"two-sided": 0.277}),
    ],
)
def test_table_9_of_sling_comes_out(first: str, second: str, p: dict[Alternative, float]) -> None:
    """Over 38 paradigms, baselines among them, by R's rule, per cents subtracted as the machine does."""
    models = sling(baselines=True)
    for alternative, printed in p.items():
        found = signed_rank(*couple(models, first, second), alternative=alternative)
        assert found.method == "normal corrected"
        assert round(found.p, 3) == printed


def test_one_row_of_table_9_does_not_come_out() -> None:
    """pert-base and pert-large: printed 0.009, 0.005 and 0.996; the cells give 0.010, 0.005 and 0.995.

    One difference is zero, and of the 37 ranks the positive ones add up to 523: z = (523 - 351.5 - 0.5) / 66.28 = 2.58.
    The printed figures need a sum from 524.5 to 526, so some cell must have been another.
    """
    couples = couple(sling(baselines=True), "pert-base", "pert-large")
    found = {a: signed_rank(*couples, alternative=a) for a in ALTERNATIVES}
    assert (found["two-sided"].statistic, found["two-sided"].used, found["two-sided"].zeros) == (523, 37, 1)
    assert [round(found[a].p, 3) for a in ALTERNATIVES] == [0.010, 0.005, 0.995]


def test_the_bits_of_the_machine_show_in_table_9() -> None:
    """xlm-R: 0.913 was printed; with differences that tie on paper counted as ties it would have been 0.908."""
    models = sling(baselines=True)
    assert round(signed_rank(*couple(models, "xlm-R-base", "xlm-R-large"), digits=9).p, 3) == 0.908


@pytest.mark.parametrize(
    ("first", "second", "method", "p"),
    [
        ("self_male", "pp_male", "exact", 0.002),  # Table 11
        ("self_female", "pp_female", "normal corrected", 0.008),
        ("cl_simple_noun", "cl_comp_noun_v2", "exact", 0.000),  # Table 12
        ("cl_adj_simple_noun", "cl_adj_comp_noun_v2", "exact", 0.000),
        ("cl_comp_noun_v2", "cl_adj_comp_noun_v2", "normal corrected", 1),  # Table 10
    ],
)
def test_tables_10_to_12_of_sling_come_out(first: str, second: str, method: str, p: float) -> None:
    """Two-sided, over the 18 models. Exact where nothing ties, so that the rule is seen to be R's."""
    found = signed_rank(*couple(by_paradigm(), first, second))
    assert found.method == method
    assert round(found.p, 3) == p


def test_the_first_row_of_table_10_is_below_a_thousandth() -> None:
    """Printed 0.000***, 0.000*** and 1.000; we get 0.0009, 0.0005 and 0.9996.

    So the first is no rounding of the p by R's rule but says "below 0.001"; two ties of two forbid the exact p, which
    would be 66 / 2^18 = 0.0003.
    """
    couples = couple(by_paradigm(), "cl_simple_noun", "cl_adj_simple_noun")
    found = {a: signed_rank(*couples, alternative=a) for a in ALTERNATIVES}
    assert (found["two-sided"].statistic, found["two-sided"].ties) == (162, 4)
    assert 0.0005 < found["two-sided"].p < 0.001
    assert [round(found[a].p, 3) for a in ("greater", "less")] == [0.000, 1.000]


def by_paradigm() -> dict[str, dict[str, float]]:
    models = sling(baselines=False)
    return {uid: {model: models[model][uid] for model in models} for uid in models["lstm"]}


def couple(rows: dict[str, dict[str, float]], first: str, second: str) -> tuple[list[float], list[float]]:
    return list(rows[first].values()), [rows[second][name] for name in rows[first]]


# Kendall's tau-b by hand, beside scipy's, and as SLING prints it.


def test_tau_counts_pairs_in_the_same_order() -> None:
    """1 2 3 4 beside 1 3 2 4: five of six pairs agree and one does not."""
    assert kendall_tau_b([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)
    assert kendall_tau_b([1, 2, 3], [3, 2, 1]) == -1


def test_ties_are_taken_out_of_what_could_agree() -> None:
    """1 1 2 beside 1 2 3: of three pairs one ties on the left, and two agree: 2 / sqrt(2 * 3)."""
    assert kendall_tau_b([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / 6**0.5)
    assert isnan(kendall_tau_b([1, 1], [1, 2]))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=20))
def test_tau_b_is_scipys(couples: list[tuple[int, int]]) -> None:
    x, y = zip(*couples, strict=True)
    assert kendall_tau_b(x, y) == pytest.approx(float(stats.kendalltau(x, y).statistic), nan_ok=True)


def test_one_model_has_no_ranking() -> None:
    with pytest.raises(InputError, match="1 value is too few"):
        kendall_tau_b([1], [1])


def test_tau_has_an_interval_from_five_models_on() -> None:
    """Each resample is worked out by scipy, one by one."""
    assert kendall_estimate([1, 2, 3, 4], [1, 3, 2, 4], seed=0).interval == pytest.approx((nan, nan), nan_ok=True)
    first, second = [1, 2, 3, 4, 5, 6], [2, 1, 3, 3, 6, 4]
    rows = np.random.default_rng(7).integers(0, 6, (300, 6))
    draws = [kendall_tau_b([first[n] for n in row], [second[n] for n in row]) for row in rows.tolist()]
    ends = np.nanquantile(draws, [0.025, 0.975])
    found = kendall_estimate(first, second, seed=7, resamples=300)
    assert found.interval == pytest.approx(tuple(ends)) and found.value == pytest.approx(kendall_tau_b(first, second))


def test_the_same_ranking_of_few_models_is_not_certain() -> None:
    """Every resample of five models in one order has that order, and [1, 1] would hold the truth in 3 of 4 cases.

    Of 11 pairs, one of them undecided, τ is 10/11: ½ ln 21 = 1.5223 on Fisher's scale, less 1.96 · √0.437 = 1.2957.
    """
    same = kendall_estimate([1, 2, 3, 4, 5], [2, 4, 6, 8, 9], seed=0)
    assert (same.value, *same.interval) == pytest.approx((1, 0.2228, 1), abs=5e-4)
    reverse = kendall_estimate([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], seed=0)
    assert (reverse.value, *reverse.interval) == pytest.approx((-1, -1, -0.2228), abs=5e-4)


@pytest.mark.parametrize("table", ["sling-8", "sling-5"])
def test_footnote_18_of_sling_comes_out(table: str) -> None:
    """0.42 between the orders of 10 monolingual models on CLiMP and SLING, 0.79 of 8 multilingual ones.

    Tables 5 and 8 print other averages for xlm-R-large and gpt3, but the same order.
    """
    climp = columns(read_published("sling-7"), link="mean_lp", level="overall")
    sling = columns(read_published(table), link="mean_lp", level="overall")
    models = list(climp)
    tau = [
        kendall_tau_b([climp[model]["all"] for model in some], [sling[model]["all"] for model in some])
        for some in (models[:10], models[10:])
    ]
    assert [round(number, 2) for number in tau] == [0.42, 0.79]


# Baselines show bias, not knowledge: values by hand, and what SLING says of its models.


MONOLINGUAL = 10  # the first columns of the tables


def of(percent: float, *, pairs: int = 1000) -> Accuracy:
    return Accuracy(wilson(percent / 100, pairs=pairs), pairs, 0)


def test_fifty_per_cent_is_neutral_and_the_sign_is_the_direction() -> None:
    """8 of 10: 0.8 - 0.2 = 0.6 towards the good side, and 2 * (1 + 10 + 45) / 2^10 = 0.109. 2 of 10: the other way."""
    assert (bias(of(50)).estimate.value, bias(of(50)).p) == (0, 1)
    found = [bias(of(percent, pairs=10)) for percent in (80, 20)]
    assert [b.estimate.value for b in found] == pytest.approx([0.6, -0.6])
    assert [b.p for b in found] == pytest.approx([0.109375, 0.109375])
    assert found[0].estimate.low == pytest.approx(-found[1].estimate.high)


def test_ties_lean_to_neither_side() -> None:
    """Of 10 pairs 4 tie and 6 go one way: 6 + 4 / 2 = 8 of 10, and 2 / 2^6 for the six."""
    found = bias(Accuracy(wilson(0.8, pairs=10), 10, 4))
    assert (found.estimate.value, found.p) == pytest.approx((0.6, 2 / 64))


def test_a_test_paradigm_counts_by_how_far_it_rises_above_its_baseline() -> None:
    """Newcombe's example again: 56 of 70 less 48 of 80 is 0.2, from 0.0524 to 0.3339."""
    found = read_against(of(80, pairs=70), of(60, pairs=80))
    assert (found.gain.value, *found.gain.interval) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_paradigms_are_read_against_their_baselines() -> None:
    paradigms = accuracy(made(), by="paradigm")
    found = read_against(paradigms["test"], paradigms["base"])
    assert (found.test.value, found.baseline.value, found.gain.value, found.bias.estimate.value) == (
        1,
        0.25,
        0.75,
        -0.5,
    )
    assert not found.favoured


def made() -> Choices:
    """Four pairs of a baseline, of which one is right, and four of a test, all right."""
    names = np.array(["base"] * 4 + ["test"] * 4, object)
    good = np.array([1, 0, 0, 0, 1, 1, 1, 1], np.float64)
    return Choices("lp", names, names, np.arange(8, dtype=np.int32), good, 1 - good, np.zeros(8, np.int8))


def test_averages_do_without_baselines() -> None:
    assert accuracy(made())["all"].value == 5 / 8
    assert accuracy(without(made(), uids=["base"]))["all"].value == 1
    assert accuracy(without(made(), uids=[]))["all"].value == 5 / 8


def test_four_models_of_sling_are_neutral_with_a_male_subject() -> None:
    """Section 5.4: "only four monolingual LMs (gpt2-zh, CPM, pert-base, and ernie) are gender neutral".

    The paper gives no test. These four come out at the level of 0.01; CPM, with 541 of 1,000, is at 0.0104.
    """
    assert neutral("baseline_male") == ["gpt2-zh", "CPM", "pert-base", "ernie"]
    assert 0.01 < bias(of(54.1)).p < 0.011


def test_with_a_female_subject_not_all_models_lean_to_the_female() -> None:
    """Section 5.4 says that all are biased towards a female object; the cells say so of 14 of 18.

    byt5-large, with 480 of 1,000, is neutral; mt5-large, byt5-small and gpt3 lean to the male.
    """
    cells = columns(read_published("sling-8"), link="mean_lp", level="paradigm", measure="bias")
    assert neutral("baseline_female") == ["byt5-large"]
    found = {model: bias(of(values["baseline_female"])) for model, values in cells.items()}
    assert [model for model, b in found.items() if b.estimate.high < 0] == ["mt5-large", "byt5-small", "gpt3"]
    assert sum(b.estimate.low > 0 for b in found.values()) == 14


def test_a_strong_bias_answers_the_test_by_itself() -> None:
    """PanGu-α is always right with a male reflexive, and as often in the baseline: it may know nothing.

    bert-base-zh rises from 42.7 to 92.6, against its bias. xlm-R-large rises by 35.2 to 61.9, though the paper finds a
    "meaningful accuracy increase" among multilingual models in gpt3 only, which rises by 24.1 to 91.6. Of monolingual
    models "most were able to use ziji as a hint": eight of ten rise by more than noise.
    """
    table = read_published("sling-8")
    tests = columns(table, link="mean_lp", level="paradigm")
    bases = columns(table, link="mean_lp", level="paradigm", measure="bias")
    found = {m: read_against(of(tests[m]["self_male"]), of(bases[m]["baseline_male"])) for m in bases}
    assert found["PanGu-α"].favoured and found["PanGu-α"].gain.value == 0
    assert not found["bert-base-zh"].favoured
    assert {m: round(100 * found[m].gain.value, 1) for m in ("bert-base-zh", "xlm-R-large", "gpt3")} == {
        "bert-base-zh": 49.9,
        "xlm-R-large": 35.2,
        "gpt3": 24.1,
    }
    monolingual = list(found)[:MONOLINGUAL]
    assert [m for m in monolingual if found[m].gain.low <= 0] == ["CPM", "PanGu-α"]  # by 3.6, within 1.96 * 2.2, and 0


def neutral(uid: str) -> list[str]:
    cells = columns(read_published("sling-8"), link="mean_lp", level="paradigm", measure="bias")
    return [model for model, values in cells.items() if bias(of(values[uid])).p > 0.01]


def test_models_are_compared_within_groups_and_corrected_over_all_of_them() -> None:
    """In `near`, the first model alone is right on 6 of 8 pairs: by McNemar's test, p is 2 / 2^6 = 1 / 32.

    In `far` both are right on the same pairs, so p is 1. Holm's correction doubles the smaller of the two.
    """
    uids = np.array(["u"] * 16, object)
    columns = {"distance": np.array(["near"] * 8 + ["far"] * 8, object)}
    numbers, same = np.arange(16, dtype=np.int32), np.zeros(16, np.int8)

    def model(right: list[int]) -> Choices:
        return Choices("lp", uids, uids, numbers, np.array(right, float), 1 - np.array(right, float), same, columns)

    models = {"a": model([1] * 8 + [1] * 4 + [0] * 4), "b": model([0] * 6 + [1] * 2 + [1] * 4 + [0] * 4)}
    near, far = compare_models(models, by="distance")
    assert (near.group, near.first_better, near.second_better, near.test) == ("near", 6, 0, "mcnemar")
    assert (near.p, near.corrected, near.difference.value) == pytest.approx((1 / 32, 1 / 16, 0.75))
    assert (far.group, far.p, far.corrected, far.difference.value) == ("far", 1.0, 1.0, 0.0)
    with pytest.raises(InputError, match="no column nope"):
        compare_models(models, by="nope")
    with pytest.raises(InputError, match="at least 80"):
        compare_models(models, by="distance", test="pairs", resamples=79)
