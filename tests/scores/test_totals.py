"""Totals of pairs: what linking functions need of both sides, by hand."""

import numpy as np
import pytest

from bidui.scores.choices import pair_totals, sides
from bidui.scores.links import Floats
from bidui.scores.run import score_pairs

from .small import Counting, paradigms, table_of

# Of <unk>, 甲, 乙, 丙, 丁, 戊.
UNIGRAMS: Floats = np.array([-10.0, -0.5, -1.25, -2.0, -4.0, -8.0])


def test_two_rows_a_pair_hold_lp_lengths_and_unigrams() -> None:
    """甲乙 -3 and 乙x -11; 丙 -3 and 甲甲 -2: 2, 2, 1, 2 tokens; x is one byte, the others three each."""
    table = table_of(("甲乙", "乙x"), ("丙", "甲甲"))
    found = pair_totals(table, unigrams=UNIGRAMS)
    assert len(found) == 2
    assert (found.uids.tolist(), found.phenomena.tolist(), found.pairs.tolist()) == (["u", "u"], ["p", "p"], [0, 1])
    assert found.logprob.tolist() == [-3, -11, -3, -2]
    assert {unit: lengths.tolist() for unit, lengths in found.lengths.items()} == {
        "tokens": [2, 2, 1, 2],
        "characters": [2, 2, 1, 2],
        "bytes": [6, 4, 3, 6],
    }
    assert found.unigram == pytest.approx([-1.75, -11.25, -2, -1])
    assert pair_totals(table).unigram is None
    good, bad = sides(found.logprob)
    assert (good.tolist(), bad.tolist()) == ([-3, -3], [-11, -2])


def test_the_sign_says_which_side_is_longer() -> None:
    found = pair_totals(table_of(("甲乙", "乙x"), ("丙", "甲甲"), ("甲甲", "丙")))
    assert found.length_sign().tolist() == [0, -1, 1]
    assert found.length_sign("bytes").tolist() == [1, -1, 1]


def test_links_are_given_lengths_in_the_unit_asked_for() -> None:
    found = pair_totals(table_of(("甲乙", "乙x")), unigrams=UNIGRAMS)
    assert found.totals("bytes").length.tolist() == [6, 4]
    assert found.totals().length.tolist() == [2, 2]
    assert found.totals().logprob is found.logprob


def test_no_pairs_have_totals_without_rows() -> None:
    found = pair_totals(table_of(), unigrams=UNIGRAMS)
    assert (len(found), len(found.logprob), found.length_sign().tolist()) == (0, 0, [])


def test_pairs_are_in_the_order_of_the_table() -> None:
    found = pair_totals(score_pairs(paradigms(2), Counting()))
    assert found.uids.tolist() == ["a"] * 3 + ["b"] * 3
    assert found.pairs.tolist() == [1, 2, 3, 1, 2, 3]
    assert found.logprob.tolist()[:4] == [-12, -15, -14, -17]  # 甲a乙 is -1 - 9 - 2, and 丙 after it -3 more
