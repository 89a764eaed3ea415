"""Accuracy by group, with ties worth one half and an interval worked out by hand."""

import numpy as np
import pytest

from bidui.analysis import accuracy
from bidui.analysis.accuracy import Interval
from bidui.analysis.estimate import Level
from bidui.errors import InputError
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
    assert (found.pairs, found.ties, found.interval) == (5, 1, "bootstrap")


def test_of_one_pair_accuracy_is_the_worth_of_its_choice() -> None:
    """By hand for one right of one: the interval begins at 1 / (1 + 1.96^2) = 0.2065."""
    found = accuracy(MADE, by="pair")
    assert {name: pair.value for name, pair in found.items()} == {"a/0": 1, "a/1": 0, "b/2": 0.5, "c/3": 1, "c/4": 1}
    assert [pair.ties for pair in found.values()] == [0, 0, 1, 0, 0]
    assert (found["a/0"].low, found["a/0"].high) == (pytest.approx(0.2065, abs=1e-4), 1)


def test_resampling_stays_within_the_paradigm() -> None:
    """Every pair of `a` is right and every pair of `b` wrong: no sample of 5 and 5 has another accuracy than 0.5.

    Wilson's interval, which takes the ten as drawn from one urn, is 0.24 to 0.76.
    """
    made = choices(*[("a", "x", -1.0, -2.0)] * 5, *[("b", "x", -2.0, -1.0)] * 5)
    found = accuracy(made, interval="bootstrap")["all"]
    assert (found.low, found.value, found.high, found.interval) == (0.5, 0.5, 0.5, "bootstrap")
    assert accuracy(made)["all"].low == pytest.approx(0.2366, abs=1e-4)


def test_the_bootstrap_interval_is_that_of_the_binomial() -> None:
    """700 right of 1,000 in one paradigm: 2.5 per cent of a binomial are below 672 and above 728."""
    made = choices(*[("a", "x", -1.0, -2.0)] * 700, *[("a", "x", -2.0, -1.0)] * 300)
    found = accuracy(made, by="paradigm", interval="bootstrap", resamples=20000)["a"]
    assert (found.low, found.high) == pytest.approx((0.672, 0.728), abs=0.0015)


def test_the_same_seed_gives_the_same_interval() -> None:
    made = choices(*[("a", "x", -1.0, -2.0)] * 700, *[("a", "x", -2.0, -1.0)] * 301)
    first, second, third = (accuracy(made, by="overall", interval="bootstrap", seed=seed) for seed in (1, 1, 2))
    assert first == second != third


def test_paradigms_need_not_stand_together() -> None:
    """Pairs in any order have the same accuracies, and the names stay in the order they first come."""
    mixed = choices(("c", "y", -1.0, -3.0), ("a", "x", -2.0, -1.0), ("c", "y", -1.0, -3.0), ("a", "x", -1.0, -2.0))
    assert [(name, found.value) for name, found in accuracy(mixed, by="paradigm").items()] == [("c", 1), ("a", 0.5)]


def test_one_paradigm_in_two_phenomena_is_counted_in_both() -> None:
    made = choices(("a", "x", -1.0, -2.0), ("a", "y", -2.0, -1.0), ("a", "y", -2.0, -1.0))
    assert {name: found.value for name, found in accuracy(made, by="phenomenon").items()} == {"x": 1, "y": 0}
    assert accuracy(made, by="paradigm")["a"].value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("level", "interval", "other"), [("pair", "bootstrap", "wilson"), ("macro_phenomenon", "wilson", "bootstrap")]
)
def test_an_interval_that_means_nothing_is_refused(level: Level, interval: Interval, other: str) -> None:
    """A mean of accuracies is no proportion, and one pair drawn anew is always itself."""
    with pytest.raises(InputError, match=f"no {interval} interval for {level}; use {other}"):
        accuracy(MADE, by=level, interval=interval)


def test_no_pairs_and_no_resamples_are_refused() -> None:
    empty = Choices("lp", *(np.array([], kind) for kind in (object, object, np.int32, float, float, np.int8)))
    with pytest.raises(InputError, match="no pairs to analyse"):
        accuracy(empty)
    with pytest.raises(InputError, match="3 resamples are too few here; use at least 100"):
        accuracy(MADE, interval="bootstrap", resamples=3)


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
