"""Models beside people: gaps and correlations with z-scored ratings, with values worked out by hand."""

from math import atanh, log, sqrt, tanh

import numpy as np
import pytest

from bidui.analysis.people import (
    Gap,
    StudyPeople,
    beside_people,
    gaps,
    judged_accuracy,
    study_accuracy,
)
from bidui.analysis.ratings import Coefficient, correlate, correlation
from bidui.analysis.significance import compare_models
from bidui.errors import InputError
from bidui.pairs import Pair, Side
from bidui.people.ratings import Acceptability
from bidui.people.responses import Response
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


def judged() -> StudyPeople:
    """Pair 0: two for the good sentence, one for the bad; pair 1: one each; pair 2 of v: all three for the bad one."""

    def answer(who: str, uid: str, pair: int, right: bool) -> Response:
        shown = ("good-bad", "rows", 1 if right else 2)
        return Response("s", "v", who, 1, 1, 1, "choice", f"{uid}/{pair}", "test", uid, "p", pair, *shown)  # type: ignore[arg-type]

    votes = {("u", 0): (2, 1), ("u", 1): (1, 1), ("v", 2): (0, 3)}
    rows = [answer(f"r{n}", *key, n < good) for key, (good, bad) in votes.items() for n in range(good + bad)]
    return StudyPeople("s", tuple(Pair("好好", "坏", uid, "p", pair) for uid, pair in votes), tuple(rows))


def test_people_of_a_study_are_counted_by_paradigm_and_vote_by_pair() -> None:
    people = judged()
    assert people.counts == {"u": (3, 5), "v": (0, 3)}
    majority = people.choices()
    assert majority.worth.tolist() == [1, 0.5, 0] and majority.ties == 1
    found = study_accuracy(people, {"u": "p", "v": "p"})["p"]
    plain = judged_accuracy(people.counts, {"u": "p", "v": "p"})["p"]
    assert (found.value, found.kind) == (pytest.approx(3 / 8), "pairs")
    assert found.low <= plain.low and found.high >= plain.high  # people may be others, too
    assert study_accuracy(people, {"u": "p", "v": "p"})["p"] is found


def test_people_who_differ_make_the_interval_of_a_study_wider() -> None:
    """Six paradigms of four pairs: half of ten people are always right, the others never; paradigms do not differ."""
    uids = [f"u{n}" for n in range(6)]
    shown = ("good-bad", "rows")
    rows = [
        Response("s", "v", f"r{who}", 1, 1, 1, "choice", f"{uid}/{pair}", "test", uid, "p", pair, *shown, 1 + who % 2)  # type: ignore[arg-type]
        for uid in uids
        for pair in range(4)
        for who in range(10)
    ]
    people = StudyPeople("s", tuple(Pair("好", "坏", uid, "p", n) for uid in uids for n in range(4)), tuple(rows))
    plain = judged_accuracy(people.counts, dict.fromkeys(uids, "p"))["p"]
    found = study_accuracy(people, dict.fromkeys(uids, "p"))["p"]
    assert (found.value, found.kind, plain.kind) == (0.5, "paradigms", "paradigms")
    # ten people of whom each is right or wrong: the middle 95% of a binomial of 10 at 0.5 is 2 to 8
    assert found.interval == pytest.approx((0.2, 0.8)) and plain.high - plain.low < 0.3


def test_models_are_set_beside_people_on_the_pairs_that_they_judged() -> None:
    """By hand: of the three pairs judged the model has two right, the majority one and a half; pair 7 is not one."""
    model = choices(("u", 7, -9.0, -1.0), ("v", 2, -1.0, -2.0), ("u", 0, -1.0, -2.0), ("u", 1, -3.0, -2.0))
    together = beside_people({"m": model}, judged())
    assert together["m"].worth.tolist() == [1, 0, 1] and together["humans"].worth.tolist() == [1, 0.5, 0]
    (found,) = compare_models({"m": model}, study=judged(), test="mcnemar")
    assert (found.first, found.second, found.first_better, found.second_better) == ("m", "humans", 1, 1)
    assert found.difference.value == pytest.approx(0.5 / 3)
    with pytest.raises(InputError, match="lacks 1 of the 3 pairs that people judged, such as v/2"):
        beside_people({"m": choices(("u", 0, -1.0, -2.0), ("u", 1, -3.0, -2.0))}, judged())


def test_a_model_without_a_figure_for_a_group_does_not_take_part() -> None:
    found = gaps({"a": {"x": 1.0}, "b": {"x": 2.0, "y": 3.0}}, people={"x": 5.0, "y": 5.0})
    assert {name: gap.model for name, gap in found.items()} == {"x": "b", "y": "b"}


def test_a_group_without_people_is_refused_and_not_dropped() -> None:
    with pytest.raises(InputError, match="no human result for y"):
        gaps({"a": {"x": 1.0, "y": 2.0}}, people={"x": 5.0})


def test_humans_have_intervals_of_the_same_kinds_as_models() -> None:
    """One paradigm has Wilson's interval: 81 of 263, as Newcombe (1998) prints it. Variances of two add up.

    By hand for 8 of 10 and 2 of 10: each has the smoothed share 8.5 / 11 or 2.5 / 11, so the mean has the variance
    2 · 0.25 · 0.1756 / 10 = 0.00878, as of 0.25 / 0.00878 = 28.5 pairs; Wilson: 0.5 ± 0.1723.
    """
    one = judged_accuracy({"u": (81, 263)}, {"u": "x", "unjudged": "x"})["x"]
    assert (*one.interval, one.kind) == (pytest.approx(0.2553, abs=5e-5), pytest.approx(0.3662, abs=5e-5), "pairs")
    both = judged_accuracy({"a": (8, 10), "b": (2, 10)}, {"a": "x", "b": "x"})["x"]
    assert (both.value, *both.interval) == pytest.approx((0.5, 0.3277, 0.6723), abs=5e-4)
    many = judged_accuracy({str(n): (8 - n, 10) for n in range(6)}, {str(n): "x" for n in range(6)})["x"]
    assert many.kind == "paradigms" and judged_accuracy({}, {"a": "x"}) == {}


# correlations


@pytest.mark.parametrize(
    ("method", "x", "y", "expected"),
    [
        ("pearson", [1, 2, 3, 4], [1, 3, 2, 4], 0.8),  # deviations ±1.5, ±0.5: 4 / 5
        ("pearson", [1, 2, 3], [1, 2, 9], 8 / sqrt(2 * 38)),  # (-1 0 1)·(-3 -2 5) = 8; 2 and 9 + 4 + 25
        ("spearman", [1, 2, 3, 4], [1, 2, 4, 3], 0.8),  # 1 - 6 * 2 / (4 * 15)
        ("spearman", [1, 2, 3, 4], [5, 5, 7, 9], 4.5 / sqrt(5 * 4.5)),  # ranks 1.5 1.5 3 4: products 4.5, squares 4.5
    ],
)
def test_correlations_by_hand(method: Coefficient, x: list[float], y: list[float], expected: float) -> None:
    found = correlation(np.array(x, float), np.array(y, float), method=method)
    assert found.estimate.value == pytest.approx(expected) and found.items == len(x)


def test_the_interval_of_a_correlation_by_hand() -> None:
    """1 2 3 4 beside 1 3 2 4: r is 0.8, which is ln 3 on Fisher's scale.

    Left out one by one, the items leave 2 3 4 beside 3 2 4 (r 1/2) or 1 3 4 beside 1 2 4 (products 13/3, squares 14/3),
    each twice: ½ ln 3 and ½ ln 27. Both are ½ ln 3 from their mean, so the standard error is √3 / 2 · ln 3.
    """
    found = correlation(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])).estimate
    half = 3.18245 * sqrt(3) / 2  # Student's t with 3 degrees of freedom
    assert found.interval == pytest.approx((tanh(log(3) * (1 - half)), tanh(log(3) * (1 + half))), abs=1e-5)


def test_a_correlation_that_hangs_on_one_item_has_no_interval() -> None:
    """Without the last item the second list does not vary; and on a line, every r is 1, which says nothing of noise."""
    for second in ([0.0, 0, 0, 1], [1.0, 2, 3, 4]):
        found = correlation(np.arange(4.0), np.array(second)).estimate
        assert found.value > 0.7 and np.isnan(found.interval).all()


def test_the_jackknife_agrees_with_fishers_interval_where_that_holds() -> None:
    """Normal values: tanh(atanh(r) ± 1.96 / √(n - 3)), another way to the same interval."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=500)
    y = 0.6 * x + 0.8 * rng.normal(size=500)
    found = correlation(x, y).estimate
    fisher = [tanh(atanh(found.value) + sign * 1.96 / sqrt(497)) for sign in (-1, 1)]
    assert [found.low, found.high] == pytest.approx(fisher, abs=0.015)


def test_items_of_a_cluster_are_left_out_together() -> None:
    """Every item ten times over is no new evidence: the interval stays, and would be √10 narrower if it counted."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    once = correlation(x, y).estimate
    copies = np.repeat(np.arange(60), 10)
    together = correlation(x[copies], y[copies], clusters=copies).estimate
    apart = correlation(x[copies], y[copies]).estimate
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
    found = correlate(scored, table)
    assert found.pointwise.estimate.value == pytest.approx(10 / sqrt(28 * 16 / 3))
    assert found.pairwise.estimate.value == pytest.approx(1.0)
    assert (found.pointwise.items, found.pairwise.items) == (6, 3)
    assert np.isnan(found.pairwise.estimate.interval).all()


@pytest.mark.parametrize(("paradigms", "kind"), [(5, "pairs"), (6, "paradigms")])
def test_correlations_are_for_paradigms_like_these_from_six_on(paradigms: int, kind: str) -> None:
    """The sentences of a paradigm are left out together; with five paradigms, those of a pair are."""
    rng, sides = np.random.default_rng(7), ("good", "bad")
    names = [(f"u{n}", pair) for n in range(paradigms) for pair in range(3)]
    scored = choices(*((uid, pair, *rng.normal(size=2)) for uid, pair in names))
    ratings = [(uid, pair, side, rng.normal()) for uid, pair in names for side in sides]
    found = correlate(scored, rated(*ratings))  # type: ignore[arg-type]
    clusters = np.array([int(uid[1:]) if kind == "paradigms" else 3 * int(uid[1:]) + pair for uid, pair in names])
    scores = np.stack([scored.good, scored.bad], axis=1).ravel()
    values = np.array([value for *_, value in ratings])
    expected = correlation(scores, values, clusters=np.repeat(clusters, 2))
    assert found.pointwise.estimate.kind == found.pairwise.estimate.kind == kind
    assert found.pointwise.estimate.interval == pytest.approx(expected.estimate.interval)


def test_what_was_rated_and_could_not_take_part_is_counted() -> None:
    scored = choices(("u", 0, -1, -3), ("u", 1, -2, -6), ("u", 2, -5, -6), ("u", 3, -1, -9))
    sides: list[tuple[int, Side]] = [(n, side) for n in range(3) for side in ("good", "bad")]  # type: ignore[misc]
    values = [3.0, 1.0, 2.0, -3.0, 0.0, -1.0]
    whole = [("u", n, side, value) for (n, side), value in zip(sides, values, strict=True)]
    found = correlate(scored, rated(*whole, ("u", 3, "good", 0.5), ("w", 0, "good", 1.0)))
    assert (found.unscored, found.unpaired) == (1, 1)
    assert (found.pointwise.items, found.pairwise.items) == (7, 3)


def test_what_cannot_be_correlated_is_refused() -> None:
    with pytest.raises(InputError, match="same value 3 times"):
        correlation(np.ones(3), np.arange(3.0))
    with pytest.raises(InputError, match="too few"):
        correlation(np.arange(2.0), np.arange(2.0))
