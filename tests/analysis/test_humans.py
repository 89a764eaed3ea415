"""Models beside people: gaps, z-scored ratings, correlations and kinds of paradigms, with values worked out by hand."""

from math import atanh, sqrt, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.accuracy import CLIMP_KINDS, Accuracy, kind_accuracy, kind_difference
from bidui.analysis.estimate import Estimate
from bidui.analysis.people import Coefficient, Gap, behind, correlate, correlation, gaps
from bidui.errors import InputError
from bidui.pairs import Side
from bidui.people.ratings import Acceptability, Rating, acceptability
from bidui.scores.choices import Choices


def choices(*rows: tuple[str, int, float, float]) -> Choices:
    uids, pairs, good, bad = zip(*rows, strict=True)
    names = np.array(uids, object)
    scores = np.array(good, np.float64), np.array(bad, np.float64)
    return Choices("lp", names, names, np.array(pairs, np.int32), *scores, np.zeros(len(rows), np.int8))


def rated(*rows: tuple[str, int, Side, float]) -> Acceptability:
    """Sentences with a rating, as if one rater with this mean and deviation had given it."""
    uids, pairs, sides, values = zip(*rows, strict=True)
    good = np.array([side == "good" for side in sides])
    counts = np.ones(len(rows), np.int64)
    return Acceptability(np.array(uids, object), np.array(pairs, np.int32), good, np.array(values), counts, (), 0, 0)


# people beside models


def test_the_gap_is_people_less_the_best_model() -> None:
    models = {"small": {"x": 70.0, "y": 95.0}, "large": {"x": 80.0, "y": 90.0}}
    found = gaps(models, people={"x": 90.0, "y": 92.0, "all": 91.0})
    assert found == {"x": Gap(90.0, 80.0, "large", 10.0), "y": Gap(92.0, 95.0, "small", -3.0)}


def test_a_model_without_a_figure_for_a_group_does_not_take_part() -> None:
    found = gaps({"a": {"x": 1.0}, "b": {"x": 2.0, "y": 3.0}}, people={"x": 5.0, "y": 5.0})
    assert {name: gap.model for name, gap in found.items()} == {"x": "b", "y": "b"}


def test_a_group_without_people_is_refused_and_not_dropped() -> None:
    with pytest.raises(InputError, match="no figure for people on y"):
        gaps({"a": {"x": 1.0, "y": 2.0}}, people={"x": 5.0})


def test_the_interval_of_a_gap_is_newcombes() -> None:
    """56 of 70 against 48 of 80 is example (a) of Newcombe (1998): 0.2000, and 0.0524 to 0.3339 by his method 10."""
    found = behind(Accuracy(Estimate(0.6, 0.0, 1.0), 80, 0), correct=56, judgements=70)
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    with pytest.raises(InputError, match="3 right of 2"):
        behind(Accuracy(Estimate(0.6, 0.0, 1.0), 80, 0), correct=3, judgements=2)


# ratings


def test_ratings_are_scaled_by_rater_and_averaged_by_sentence() -> None:
    """甲 gives 1 2 3 (mean 2, deviation 1: -1 0 1), 乙 4 7 4 (mean 5, deviation √3: -1/√3, 2/√3, -1/√3)."""
    sentences: list[tuple[int, Side]] = [(0, "good"), (0, "bad"), (1, "good")]
    given = {"甲": (1, 2, 3), "乙": (4, 7, 4)}
    found = acceptability(
        Rating(who, "u", *s, v) for who, vs in given.items() for s, v in zip(sentences, vs, strict=True)
    )
    third = 1 / sqrt(3)
    assert found.values == pytest.approx([(-1 - third) / 2, third, (1 - third) / 2])
    assert list(zip(found.pairs.tolist(), found.good.tolist(), strict=True)) == [(0, True), (0, False), (1, True)]
    assert found.counts.tolist() == [2, 2, 2]
    assert (found.constant, found.ratings_lost, found.sentences_lost) == ((), 0, 0)


def test_raters_without_variance_are_named_and_leave_no_nan() -> None:
    """丙 gives 4 to everything and 丁 rated once; nobody else rated pair 1."""
    rows = [("甲", 0, "good", 5.0), ("甲", 0, "bad", 1.0), ("丙", 0, "good", 4.0), ("丙", 1, "good", 4.0)]
    found = acceptability(Rating(who, "u", pair, side, v) for who, pair, side, v in [*rows, ("丁", 0, "bad", 2.0)])  # type: ignore[arg-type]
    assert found.constant == ("丁", "丙")
    assert (found.ratings_lost, found.sentences_lost) == (3, 1)
    assert found.values == pytest.approx([1 / sqrt(2), -1 / sqrt(2)])  # 5 and 1: mean 3, deviation √8
    assert found.counts.tolist() == [1, 1]


def test_equal_ratings_are_no_variance_whatever_their_binary_fractions() -> None:
    """The mean of three times 0.1 is not 0.1, and a deviation of 1e-17 would make z-scores of nothing."""
    found = acceptability([Rating("甲", "u", n, "good", 0.1) for n in range(3)])
    assert found.constant == ("甲",) and len(found.values) == 0


@given(
    st.lists(st.integers(1, 7), min_size=2, max_size=8).filter(lambda v: len(set(v)) > 1),
    st.floats(0.1, 10),
    st.floats(-50, 50),
)
def test_the_scale_a_rater_uses_does_not_matter(values: list[int], stretch: float, shift: float) -> None:
    """Seven points or a hundred, kind or strict: the z-scores are the same."""

    def z(moved: list[float]) -> list[float]:
        return acceptability(Rating("甲", "u", n, "good", v) for n, v in enumerate(moved)).values.tolist()

    assert z([stretch * v + shift for v in values]) == pytest.approx(z([float(v) for v in values]), abs=1e-6)


def test_a_rating_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="number 2 is nan"):
        acceptability([Rating("甲", "u", 0, "good", 1.0), Rating("甲", "u", 0, "bad", float("nan"))])


# correlations


@pytest.mark.parametrize(
    ("method", "x", "y", "expected"),
    [
        ("pearson", [1, 2, 3, 4], [1, 3, 2, 4], 0.8),  # deviations ±1.5, ±0.5: 4 / 5
        ("pearson", [1, 2, 3], [1, 2, 9], 8 / sqrt(2 * 38)),  # (-1 0 1)·(-3 -2 5) = 8; 2 and 9 + 4 + 25
        ("spearman", [1, 2, 3], [1, 2, 9], 1.0),
        ("spearman", [1, 2, 3, 4], [5, 5, 7, 9], 4.5 / sqrt(5 * 4.5)),  # ranks 1.5 1.5 3 4: products 4.5, squares 4.5
    ],
)
def test_correlations_by_hand(method: Coefficient, x: list[float], y: list[float], expected: float) -> None:
    found = correlation(np.array(x, float), np.array(y, float), method=method, resamples=100)
    assert found.estimate.value == pytest.approx(expected)
    assert found.estimate.low <= found.estimate.value <= found.estimate.high and found.items == len(x)


def test_the_bootstrap_agrees_with_fishers_interval_where_that_holds() -> None:
    """Normal values: tanh(atanh(r) ± 1.96 / √(n - 3)), another way to the same interval."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=500)
    y = 0.6 * x + 0.8 * rng.normal(size=500)
    found = correlation(x, y).estimate
    fisher = [tanh(atanh(found.value) + sign * 1.96 / sqrt(497)) for sign in (-1, 1)]
    assert [found.low, found.high] == pytest.approx(fisher, abs=0.015)


def test_items_of_a_cluster_are_drawn_together() -> None:
    """Every item ten times over is no new evidence: the interval stays, and would be √10 narrower if it counted."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    once = correlation(x, y, seed=1).estimate
    copies = np.repeat(np.arange(60), 10)
    together = correlation(x[copies], y[copies], clusters=copies, seed=1).estimate
    apart = correlation(x[copies], y[copies], seed=1).estimate
    assert (together.low, together.high) == pytest.approx((once.low, once.high))
    assert apart.high - apart.low == pytest.approx((once.high - once.low) / sqrt(10), rel=0.2)


def test_pointwise_is_over_sentences_and_pairwise_over_differences_within_pairs() -> None:
    """Pointwise (scores; ratings): -1 -3 -2 -6 -5 -7; 1 0 2 0 0 -1. Pairwise: 2 4 2; 1 2 1, all on one line.

    Deviations from the means -4 and 1/3: 3 1 2 -2 -1 -3 and 2/3 -1/3 5/3 -1/3 -1/3 -4/3. Products 2 - 1/3 + 10/3 + 2/3
    + 1/3 + 4 = 10; squares 28 and (4 + 1 + 25 + 1 + 1 + 16) / 9 = 16/3.
    """
    scored = choices(("u", 0, -1, -3), ("u", 1, -2, -6), ("v", 0, -5, -7))
    table = rated(
        *[("u", 0, "good", 1.0), ("u", 0, "bad", 0.0), ("u", 1, "bad", 0.0), ("u", 1, "good", 2.0)],
        *[("v", 0, "good", 0.0), ("v", 0, "bad", -1.0)],
    )
    found = correlate(scored, table, resamples=100)
    assert found.pointwise.estimate.value == pytest.approx(10 / sqrt(28 * 16 / 3))
    assert found.pairwise.estimate.value == pytest.approx(1.0)
    assert (found.pointwise.items, found.pairwise.items) == (6, 3)
    assert found.pairwise.undefined > 0  # resamples with equal differences only; they are counted, and not NaN
    assert found.pairwise.estimate.interval == pytest.approx((1.0, 1.0))


def test_what_was_rated_and_could_not_take_part_is_counted() -> None:
    scored = choices(("u", 0, -1, -3), ("u", 1, -2, -6), ("u", 2, -5, -6), ("u", 3, -1, -9))
    sides: list[tuple[int, Side]] = [(n, side) for n in range(3) for side in ("good", "bad")]  # type: ignore[misc]
    values = [3.0, 1.0, 2.0, -3.0, 0.0, -1.0]
    whole = [("u", n, side, value) for (n, side), value in zip(sides, values, strict=True)]
    found = correlate(scored, rated(*whole, ("u", 3, "good", 0.5), ("w", 0, "good", 1.0)), resamples=100)
    assert (found.unscored, found.unpaired) == (1, 1)
    assert (found.pointwise.items, found.pairwise.items) == (7, 3)


def test_what_cannot_be_correlated_is_refused() -> None:
    with pytest.raises(InputError, match="same value 3 times"):
        correlation(np.ones(3), np.arange(3.0))
    with pytest.raises(InputError, match="too few"):
        correlation(np.arange(2.0), np.arange(2.0))
    with pytest.raises(InputError, match="at least 100"):
        correlation(np.arange(9.0), np.arange(9.0), resamples=0)


# kinds of paradigms


def of_paradigms(**right: tuple[int, int]) -> Choices:
    """Pairs of each paradigm, so many of them right of so many."""
    return choices(*[(uid, n, float(n < good), 0.5) for uid, (good, pairs) in right.items() for n in range(pairs)])


def test_included_and_excluded_paradigms_side_by_side() -> None:
    """Included: 9 of 10 and 1 of 2, so 10 of 12 pairs and a mean of 0.7; excluded: 1 of 4."""
    kinds = {"a": "included", "b": "included", "c": "excluded"}
    scored = of_paradigms(a=(9, 10), b=(1, 2), c=(1, 4))
    found = kind_accuracy(scored, kinds, resamples=100)
    assert list(found) == ["included", "excluded"]
    included, excluded = found["included"], found["excluded"]
    assert (included.paradigms, included.pairs.pairs, included.pairs.value) == (2, 12, pytest.approx(10 / 12))
    assert included.mean.value == pytest.approx(0.7)
    assert included.mean.interval == pytest.approx((0.5, 0.9))  # twice the one, twice the other
    assert (excluded.paradigms, excluded.mean) == (1, Estimate(0.25, 0.25, 0.25))
    difference = kind_difference(scored, kinds, first="included", second="excluded", resamples=100)
    assert (difference.value, difference.low, difference.high) == pytest.approx((0.45, 0.25, 0.65))


def test_kinds_of_equal_size_are_drawn_apart() -> None:
    """Drawn alike, two kinds with the same accuracies would seem to differ by 0 for certain."""
    kinds = {"a": "x", "b": "x", "c": "y", "d": "y"}
    found = kind_difference(of_paradigms(a=(0, 1), b=(1, 1), c=(0, 1), d=(1, 1)), kinds, first="x", second="y")
    assert (found.value, found.low, found.high) == (0.0, -1.0, 1.0)


def test_a_paradigm_of_no_kind_is_refused_and_not_dropped() -> None:
    with pytest.raises(InputError, match="no kind is given for b"):
        kind_accuracy(of_paradigms(a=(1, 1), b=(1, 1)), {"a": "x"})
    with pytest.raises(InputError, match="of the kind z"):
        kind_difference(of_paradigms(a=(1, 1)), {"a": "x"}, first="x", second="z")


def test_climp_has_eight_local_and_three_hierarchical_paradigms() -> None:
    """Classifiers and verb complements; the ba construction, binding and filler-gap: section 5 of the paper."""
    kinds = list(CLIMP_KINDS.values())
    assert [kinds.count(kind) for kind in ("local", "hierarchical", "other")] == [8, 3, 5]
