"""Accuracy by group, with ties worth one half and an interval worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from bidui.analysis import accuracy
from bidui.analysis.accuracy import CLIMP_KINDS, kind_accuracy, kind_difference
from bidui.analysis.estimate import Level
from bidui.errors import InputError
from bidui.intervals import newcombe, wilson
from bidui.reports.published import columns, read_published
from bidui.scores.choices import Choices


def choices(*rows: tuple[str, str, float, float]) -> Choices:
    uids, phenomena, good, bad = zip(*rows, strict=True)
    return Choices(
        "lp",
        np.array(uids, object),
        np.array(phenomena, object),
        np.arange(len(rows), dtype=np.int32),
        np.array(good, np.float64),
        np.array(bad, np.float64),
        np.zeros(len(rows), np.int8),
    )


MADE = choices(
    ("a", "x", -1.0, -2.0),
    ("a", "x", -2.0, -1.0),
    ("b", "x", -1.0, -1.0),
    ("c", "y", -1.0, -3.0),
    ("c", "y", -1.0, -3.0),
)


def test_accuracy_by_paradigm_phenomenon_and_over_all() -> None:
    assert {name: found.value for name, found in accuracy(MADE, by="paradigm").items()} == {
        "a": 0.5,
        "b": 0.5,
        "c": 1.0,
    }
    assert {name: found.value for name, found in accuracy(MADE, by="phenomenon").items()} == {"x": 0.5, "y": 1.0}
    found = accuracy(MADE)["all"]
    assert (found.value, found.pairs, found.ties) == (0.7, 5, 1)  # 1 + 0 + 0.5 + 1 + 1 of 5


def test_the_interval_is_wilsons() -> None:
    """By hand for 7 of 10, z = 1.96: centre (0.7 + 0.19207) / 1.38415 = 0.64449, half width 0.24789."""
    found = accuracy(choices(*[("a", "x", -1.0, -2.0)] * 7, *[("a", "x", -2.0, -1.0)] * 3))["all"]
    assert (found.low, found.high) == pytest.approx((0.3968, 0.8922), abs=2e-4)


def test_the_three_averages_weigh_pairs_paradigms_and_phenomena() -> None:
    """Pairs: 3.5 of 5. Paradigms a, b, c: (0.5 + 0.5 + 1) / 3. Phenomena x, y: (0.5 + 1) / 2."""
    levels: tuple[Level, ...] = ("overall", "macro_paradigm", "macro_phenomenon")
    assert [found.value for level in levels for found in accuracy(MADE, by=level).values()] == pytest.approx(
        [3.5 / 5, 2 / 3, 1.5 / 2]
    )
    found = accuracy(MADE, by="macro_paradigm")["macro_paradigm"]
    assert (found.pairs, found.ties, found.estimate.kind) == (5, 1, "pairs")


def test_of_one_pair_accuracy_is_the_worth_of_its_choice() -> None:
    """By hand for one right of one: the interval begins at 1 / (1 + 1.96^2) = 0.2065."""
    found = accuracy(MADE, by="pair")
    assert {name: pair.value for name, pair in found.items()} == {"a/0": 1, "a/1": 0, "b/2": 0.5, "c/3": 1, "c/4": 1}
    assert [pair.ties for pair in found.values()] == [0, 0, 1, 0, 0]
    assert (found["a/0"].low, found["a/0"].high) == (pytest.approx(0.2065, abs=1e-4), 1)


def paradigms(*right: int, pairs: int = 10) -> Choices:
    """As many paradigms as numbers, named by letters, each with so many of its pairs right."""
    rows = [(chr(97 + n), "x", float(k < own), 0.5) for n, own in enumerate(right) for k in range(pairs)]
    return choices(*rows)


def test_for_these_paradigms_the_variances_within_them_add_up() -> None:
    """90 of 100 and 10 of 100: (0.0903 + 0.0903) / 4 / 100 is 0.000451, as of 554 pairs, so 0.5 ± 0.0415.

    Wilson's interval of the 200 as one sample would be 0.5 ± 0.0687. By hand: 90.5 / 101 = 0.896, times 0.104 = 0.0932;
    two of them, a quarter of each, over 100: 0.000466; 0.25 / 0.000466 = 536 pairs; 1.96 · √(0.25 / 540) = 0.0422.
    """
    found = accuracy(paradigms(90, 10, pairs=100))["all"]
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.4578, 0.5422), abs=2e-4)
    assert found.estimate.kind == "pairs"


def test_for_paradigms_like_these_the_variance_between_them_counts() -> None:
    """By hand for 3, 4, …, 8 of 10: mean 0.55, variance 0.035, of the mean 0.035 / 6 = 0.005833.

    That is as of 0.55 · 0.45 / 0.005833 = 42.43 pairs (smoothed: 0.5455 · 0.4545 / 0.005833 = 42.50). A beta
    distribution with the mean 0.5455 and the variance 0.035 has parameters 3.318 and 2.765 and the excess kurtosis
    -0.6412, so there are 2 / (2 / 5 - 0.6412 / 6) = 6.823 degrees of freedom, and t = 2.3772. With t² / n = 0.13297,
    the centre is (0.55 + 0.06648) / 1.13297 = 0.54413 and the half width 2.3772 / 1.13297 · √(0.2475 / 42.5 + 0.13297 /
    170) = 0.17052.
    """
    found = accuracy(paradigms(3, 4, 5, 6, 7, 8))
    assert found.interval == found["all"].estimate.kind == "paradigms"
    assert (found["all"].low, found["all"].high) == pytest.approx((0.3736, 0.7147), abs=2e-4)
    narrow = accuracy(paradigms(3, 4, 5, 6, 7, 8), interval="pairs")["all"]
    assert found["all"].low < narrow.low and narrow.high < found["all"].high
    assert "for paradigms like these" in repr(found)


def test_paradigms_that_are_all_alike_have_an_interval_nevertheless() -> None:
    """Six paradigms without a mistake: the pairs, not their agreement, limit what can be said.

    Where 46% of all paradigms are difficult, six have none with a probability of 0.54⁶ = 0.025. Little is known then.
    """
    found = accuracy(paradigms(10, 10, 10, 10, 10, 10))["all"]
    assert found.value == found.high == 1 and 0.3 < found.low < 0.54
    assert accuracy(paradigms(*[10] * 60))["all"].low > 0.98


@pytest.mark.parametrize("by", ["overall", "macro_paradigm", "macro_phenomenon"])
def test_few_paradigms_have_intervals_for_these_paradigms_only(by: Level) -> None:
    """Five say nothing about a sixth: the default is the other interval, and asking for this one is refused."""
    assert {one.estimate.kind for one in accuracy(paradigms(3, 4, 5, 6, 7), by=by).values()} == {"pairs"}
    with pytest.raises(InputError, match="needs at least 6 paradigms, and there are fewer in"):
        accuracy(paradigms(3, 4, 5, 6, 7), by=by, interval="paradigms")


def test_a_table_has_intervals_of_one_kind() -> None:
    """Where one phenomenon has too few paradigms, all have intervals for these paradigms."""
    many = paradigms(3, 4, 5, 6, 7, 8, 9)
    apart = replace(many, phenomena=np.where(many.uids == "a", "small", "large"))
    found = accuracy(apart, by="phenomenon")
    assert found.interval == "pairs" and {one.estimate.kind for one in found.values()} == {"pairs"}
    assert accuracy(apart)["all"].estimate.kind == "paradigms"


def test_paradigms_need_not_stand_together() -> None:
    """Pairs in any order have the same accuracies, and the names stay in the order they first come."""
    mixed = choices(("c", "y", -1.0, -3.0), ("a", "x", -2.0, -1.0), ("c", "y", -1.0, -3.0), ("a", "x", -1.0, -2.0))
    assert [(name, found.value) for name, found in accuracy(mixed, by="paradigm").items()] == [("c", 1), ("a", 0.5)]


def test_one_paradigm_in_two_phenomena_is_counted_in_both() -> None:
    made = choices(("a", "x", -1.0, -2.0), ("a", "y", -2.0, -1.0), ("a", "y", -2.0, -1.0))
    assert {name: found.value for name, found in accuracy(made, by="phenomenon").items()} == {"x": 1, "y": 0}
    assert accuracy(made, by="paradigm")["a"].value == pytest.approx(1 / 3)


def test_an_interval_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="no interval bootstrap; choose one of: pairs, paradigms"):
        accuracy(MADE, interval="bootstrap")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="needs at least 6 paradigms"):
        accuracy(MADE, by="pair", interval="paradigms")


def test_no_pairs_are_refused() -> None:
    empty = Choices("lp", *(np.array([], kind) for kind in (object, object, np.int32, float, float, np.int8)))
    with pytest.raises(InputError, match="no pairs to analyse"):
        accuracy(empty)


def test_the_average_of_sling_is_macro_over_phenomena() -> None:
    """Table 5 prints 75.5 for lstm: the mean of its nine phenomena, made of pairs as many right as the cells say.

    Alternative questions, the worst by far, have one paradigm in thirty but are a phenomenon in nine.
    """
    table = read_published("sling-5")
    cells = columns(table, link="mean_lp", level="phenomenon")["lstm"]
    rows = [row for name, cell in cells.items() for row in thousand(name, name, round(10 * cell))]
    found = accuracy(choices(*rows), by="macro_phenomenon")["macro_phenomenon"]
    assert round(100 * found.value, 1) == columns(table, link="mean_lp", level="overall")["lstm"]["all"] == 75.5


def thousand(uid: str, phenomenon: str, right: int) -> list[tuple[str, str, float, float]]:
    return [(uid, phenomenon, -1.0, -2.0)] * right + [(uid, phenomenon, -2.0, -1.0)] * (1000 - right)


def test_accuracies_are_a_mapping_and_a_data_frame() -> None:
    """The frame has a row per group, and a notebook shows a table; names cannot break out of its HTML."""
    found = accuracy(choices(("a", "<x>", -1.0, -2.0), ("b", "y", -1.0, -1.0)), by="phenomenon")
    assert list(found) == ["<x>", "y"] and len(found) == 2
    assert found.frame.columns == ["phenomenon", "accuracy", "low", "high", "pairs", "ties"]
    assert found.frame["accuracy"].to_list() == [1.0, 0.5] and found.frame["ties"].to_list() == [0, 1]
    heading = "accuracy by phenomenon (lp), with 95% intervals for these paradigms\n"
    assert repr(found).startswith(heading) and "0.206549" in repr(found)
    assert "&lt;x&gt;" in found._repr_html_() and "<x>" not in found._repr_html_()


# Kinds of paradigms.


def scored_pairs(*rows: tuple[str, int, float, float]) -> Choices:
    uids, pairs, good, bad = zip(*rows, strict=True)
    names = np.array(uids, object)
    scores = np.array(good, np.float64), np.array(bad, np.float64)
    return Choices("lp", names, names, np.array(pairs, np.int32), *scores, np.zeros(len(rows), np.int8))


# kinds of paradigms


def of_paradigms(**right: tuple[int, int]) -> Choices:
    """Pairs of each paradigm, so many of them right of so many."""
    return scored_pairs(*[(uid, n, float(n < good), 0.5) for uid, (good, pairs) in right.items() for n in range(pairs)])


def test_included_and_excluded_paradigms_side_by_side() -> None:
    """Included: 9 of 10 and 1 of 2, a mean of 0.7; excluded: 1 of 4."""
    kinds = {"a": "included", "b": "included", "c": "excluded"}
    scored = of_paradigms(a=(9, 10), b=(1, 2), c=(1, 4))
    found = kind_accuracy(scored, kinds)
    assert list(found) == ["included", "excluded"]
    included, excluded = found["included"], found["excluded"]
    assert included.paradigms == 2
    assert included.mean.value == pytest.approx(0.7)
    assert (excluded.paradigms, excluded.mean) == (1, wilson(0.25, pairs=4, kind="pairs"))
    difference = kind_difference(scored, kinds, first="included", second="excluded")
    assert difference == newcombe(included.mean, excluded.mean) and difference.value == pytest.approx(0.45)
    many = dict.fromkeys("abcdef", "x") | dict.fromkeys("ghijkl", "y")
    by_kind = kind_accuracy(paradigms(3, 4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 9), many)
    assert {one.mean.kind for one in by_kind.values()} == {"paradigms"}


def test_a_paradigm_of_no_kind_is_refused_and_not_dropped() -> None:
    with pytest.raises(InputError, match="no kind is given for b"):
        kind_accuracy(of_paradigms(a=(1, 1), b=(1, 1)), {"a": "x"})
    with pytest.raises(InputError, match="of the kind z"):
        kind_difference(of_paradigms(a=(1, 1)), {"a": "x"}, first="x", second="z")


def test_climp_has_eight_local_and_three_hierarchical_paradigms() -> None:
    """Classifiers and verb complements; the ba construction, binding and filler-gap: section 5 of the paper."""
    kinds = list(CLIMP_KINDS.values())
    assert [kinds.count(kind) for kind in ("local", "hierarchical", "other")] == [8, 3, 5]


# A 2 × 2 design: right, wrong; tie, right; and one pair without conditions
DESIGN = replace(
    MADE,
    columns={
        "number": np.array(["sg", "pl", "sg", "pl", ""], object),
        "pairs": np.array(["near", "near", "far", "far", ""], object),  # a name that the table has, too
    },
)


def test_accuracy_by_columns_of_ones_own_and_by_their_combinations() -> None:
    """sg has 1 and 0.5, pl 0 and 1; the last pair has neither, and counts under the empty name."""
    by = accuracy(DESIGN, by="number")
    assert {name: (one.value, one.pairs, one.ties) for name, one in by.items()} == {
        "sg": (0.75, 2, 1),
        "pl": (0.5, 2, 0),
        "": (1.0, 1, 0),
    }
    crossed = accuracy(DESIGN, by=["number", "pairs"])
    assert {name: one.value for name, one in crossed.items()} == {
        "sg × near": 1.0,
        "pl × near": 0.0,
        "sg × far": 0.5,
        "pl × far": 1.0,
        " × ": 1.0,
    }
    assert crossed.frame.columns[0] == "number × pairs" and accuracy(DESIGN, by="pairs").frame.columns[0] == "pairs_"
    within = accuracy(DESIGN, by=["paradigm", "number"])
    assert list(within) == ["a × sg", "a × pl", "b × sg", "c × pl", "c × "]
    assert accuracy(DESIGN, by=[]) == accuracy(DESIGN)


def test_a_column_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(InputError, match="no column numbr; the scored pairs have: paradigm, phenomenon, number, pairs"):
        accuracy(DESIGN, by="numbr")


def test_pairs_of_one_number_are_all_there() -> None:
    """A table may number all its pairs 0; the second used to take the place of the first."""
    same = replace(MADE, pairs=np.zeros(5, np.int32))
    assert list(accuracy(same, by="pair")) == ["a/0", "a/0 (2)", "b/0", "c/0", "c/0 (2)"]
