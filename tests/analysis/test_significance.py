"""Models compared on the same pairs: tests with published values, corrections by hand, and what is refused."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bidui.analysis.estimate import Estimate
from bidui.analysis.significance import Correction, compare_models, correct, same_pairs, sign_test
from bidui.errors import InputError
from bidui.scores.choices import Choices


def choices(worths: list[float], *, uids: str = "", pairs: list[int] | None = None, sign: int = 0) -> Choices:
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
    with pytest.raises(InputError, match=r"1\.5 is no p-value"):
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
    (found,) = compare_models(models, test="bootstrap")
    assert found.difference == Estimate(0.5, 0.5, 0.5)
    for average in ("macro_paradigm", "macro_phenomenon"):
        (found,) = compare_models(models, test="bootstrap", average=average)
        assert (found.difference, found.p) == (Estimate(0, 0, 0), 1)


def test_the_bootstrap_interval_has_the_width_of_theory() -> None:
    """Of 900 pairs 90 go one way and 30 the other: the variance of a difference is (120 - 60^2 / 900) / 900."""
    first, second = [1] * 90 + [0] * 30 + [1] * 780, [0] * 90 + [1] * 30 + [1] * 780
    (found,) = compare_models({"a": choices(first), "b": choices(second)}, test="bootstrap", resamples=5000)
    half = 1.96 * ((120 - 4) / 900 / 900) ** 0.5
    assert found.difference.interval == pytest.approx((60 / 900 - half, 60 / 900 + half), abs=0.1 * half)
    assert found.p == pytest.approx(2 / 5001)


def test_the_bootstrap_is_decided_by_its_seed() -> None:
    models = {"a": choices([1] * 9 + [0] * 8), "b": choices([0] * 8 + [1] * 9)}
    first, second, third = (compare_models(models, test="bootstrap", seed=seed) for seed in (1, 1, 2))
    assert first == second != third


def test_pairs_in_another_order_are_put_in_the_same() -> None:
    models = {"a": choices([1, 0, 1], pairs=[1, 2, 3]), "b": choices([0, 0.5, 1], pairs=[3, 2, 1])}
    assert same_pairs(models).tolist() == [[1, 1], [0, 0.5], [1, 0]]


@pytest.mark.parametrize(
    ("other", "counts"),
    [
        (choices([1, 1], pairs=[1, 2]), "2 are shared, 1 and 0 are not"),
        (choices([1, 1, 1], pairs=[1, 2, 4]), "2 are shared, 1 and 1 are not"),
        (choices([1, 1, 1], uids="aab", pairs=[1, 2, 3]), "2 are shared, 1 and 1 are not"),
        (choices([1, 1, 1], pairs=[1, 2, 3], sign=1), "0 are shared, 3 and 3 are not"),  # other sentences, then
    ],
)
def test_models_scored_on_other_pairs_are_refused(other: Choices, counts: str) -> None:
    """A difference between models must not be one between pairs."""
    with pytest.raises(InputError, match=f"one and two were not scored on the same pairs: {counts}"):
        compare_models({"one": choices([1, 0, 1], pairs=[1, 2, 3]), "two": other})


def test_what_cannot_be_compared_is_refused() -> None:
    right = choices([1] * 8)
    with pytest.raises(InputError, match="there are 1; give two or more"):
        compare_models({"a": right})
    with pytest.raises(InputError, match="mcnemar compares pairs, not the average macro_paradigm"):
        compare_models({"a": right, "b": right}, average="macro_paradigm")


def test_resamples_too_few_for_the_correction_are_refused() -> None:
    """Ten models make 45 couples; with 1,000 resamples no p can be below 45 * 2 / 1001 = 0.09."""
    models = {str(n): choices([1] * 8) for n in range(10)}
    with pytest.raises(InputError, match="1000 resamples are too few here; use at least 1800"):
        compare_models(models, test="bootstrap")
    assert len(compare_models(models, test="bootstrap", correction="none")) == 45
