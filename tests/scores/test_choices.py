"""Which sentence is preferred, what ties are worth, and what length has to do with it: by hand."""

from math import isnan

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.scores.choices import NEAR_TIE, Choices, choose, length_split
from bidui.scores.links import Link, lp, mean_lp, parse_link, slor

from .small import table_of


def choices(good: list[float], bad: list[float], signs: list[int]) -> Choices:
    count = len(good)
    uids = np.array(["u"] * count, object)
    numbers = np.arange(count, dtype=np.int32)
    return Choices("lp", uids, uids, numbers, np.array(good), np.array(bad), np.array(signs, np.int8))


# LP: 甲乙 -3 and 乙乙 -4; 丙 -3 and 甲甲甲 -3; 丁甲 -5 and 丙 -3.
TABLE = table_of(("甲乙", "乙乙"), ("丙", "甲甲甲"), ("丁甲", "丙"))


@pytest.mark.parametrize(
    ("link", "good", "bad", "worth"),
    [
        (lp(), [-3, -3, -5], [-4, -3, -3], [1, 0.5, 0]),
        # -1.5 and -2; -3 and -1; -2.5 and -3
        (mean_lp(), [-1.5, -3, -2.5], [-2, -1, -3], [1, 0, 1]),
    ],
)
def test_the_higher_score_is_preferred_and_a_tie_is_worth_one_half(
    link: Link, good: list[float], bad: list[float], worth: list[float]
) -> None:
    found = choose(TABLE, link)
    assert (found.good.tolist(), found.bad.tolist()) == (good, bad)
    assert found.worth.tolist() == worth
    assert found.link == link.name
    assert (found.uids.tolist(), found.pairs.tolist()) == (["u", "u", "u"], [0, 1, 2])


def test_lengths_are_compared_in_characters_whatever_the_unit_of_the_link() -> None:
    """Which side is longer is a property of the pair; with the link's unit it would change with the tokenizer."""
    for unit in ("tokens", "characters", "bytes"):
        assert choose(TABLE, mean_lp(), unit=unit).length_sign.tolist() == [0, -1, 1]  # type: ignore[arg-type]


def test_the_unit_of_length_changes_the_choice() -> None:
    """甲甲 -2 over 2 characters, 6 bytes; xx -18 over 2 characters, 2 bytes: by bytes -1/3 and -9, by tokens -1, -9."""
    table = table_of(("甲甲", "xx"))
    assert choose(table, mean_lp(), unit="tokens").good.tolist() == [-1]
    assert choose(table, mean_lp(), unit="bytes").good == pytest.approx([-1 / 3])
    assert choose(table, mean_lp(), unit="bytes").bad.tolist() == [-9]


def test_slor_subtracts_the_unigrams() -> None:
    """With U of 甲 -1, 乙 -4, 丙 -3, 丁 -9: (-3 + 5)/2, (-4 + 8)/2; 0, 0; (-5 + 10)/2, 0."""
    unigrams = np.array([0.0, -1, -4, -3, -9, 0])
    found = choose(TABLE, slor(), unigrams=unigrams)
    assert (found.good.tolist(), found.bad.tolist()) == ([1, 0, 2.5], [2, 0, 0])
    assert found.worth.tolist() == [0, 0.5, 1]
    with pytest.raises(InputError, match="--unigrams"):
        choose(TABLE, slor())


def test_unigrams_do_not_disturb_a_link_without() -> None:
    """They may be too few for the ids; nobody looks at them."""
    assert choose(TABLE, lp(), unigrams=np.zeros(1)).good.tolist() == [-3, -3, -5]


@pytest.mark.parametrize("name", ["lp", "mean_lp", "pen_lp", "slor", "morcela:0.6,18", "slln:0.5", "log_norm"])
def test_sides_that_look_the_same_to_the_model_tie_by_every_link(name: str) -> None:
    """x and y are both unknown: the same ids, so the same numbers, and no link may make a choice of that."""
    table = table_of(*[("甲乙丙丁x", "甲乙丙丁y")] * 50)
    unigrams = np.log(np.array([0.1, 0.3, 0.07, 0.2, 0.11, 0.22]))
    assert choose(table, parse_link(name), unigrams=unigrams).ties == 50


def test_near_ties_are_those_that_a_rounding_error_could_turn() -> None:
    near, far = NEAR_TIE / 2, NEAR_TIE * 2
    found = choices([-1, -1, -1, -1, -1], [-1, -1 - near, -1 + near, -1 - far, -1 + far], [0] * 5)
    assert (found.ties, found.near_ties) == (1, 2)
    assert found.worth.tolist() == [0.5, 1, 0, 1, 0]


def test_delta_is_the_mean_distance_from_pairs_of_equal_length() -> None:
    """D= 1, 1, 0.5, 0: 0.625; D< 1, 1: 1; D> 0, 0.5, 0, 1: 0.375. Delta (0.375 + 0.25) / 2 = 0.3125."""
    good = [2, 2, 1, 0, 2, 2, 0, 1, 0, 2]
    signs = [0, 0, 0, 0, -1, -1, 1, 1, 1, 1]
    split = length_split(choices(good, [1.0] * 10, signs))
    assert (split.equal, split.good_shorter, split.good_longer) == (0.625, 1.0, 0.375)
    assert split.delta == 0.3125


def test_distances_on_the_same_side_do_not_cancel() -> None:
    """D= 0, D< 1, D> 1: a delta of 1; and D= 0.5, D< 1, D> 0: a delta of 0.5, not 0."""
    assert length_split(choices([0, 2, 2], [1, 1, 1], [0, -1, 1])).delta == 1
    assert length_split(choices([1, 2, 0], [1, 1, 1], [0, -1, 1])).delta == 0.5


@pytest.mark.parametrize(("signs", "part"), [([0, 0], "good_longer"), ([-1, 1], "equal"), ([0, 1], "good_shorter")])
def test_where_no_pair_is_of_a_kind_there_is_no_accuracy_and_no_delta(signs: list[int], part: str) -> None:
    """Zero would be read as a model that is always wrong."""
    split = length_split(choices([2, 2], [1, 1], signs))
    assert isnan(getattr(split, part))
    assert isnan(split.delta)
