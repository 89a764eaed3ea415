"""Wilcoxon's test against what R and scipy print, values worked out by hand, and the tables of SLING."""

import warnings
from math import erfc, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from bidui.analysis.significance import Alternative, Rule, signed_rank, signed_rank_counts
from bidui.errors import InputError
from bidui.reports.published import columns, read_published

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
        ([1, nan], [1, 2], "value number 2 is nan"),
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
