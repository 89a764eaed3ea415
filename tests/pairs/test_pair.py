"""Pairs behave as a sequence that knows what fell short."""

import dataclasses

import pytest

from bidui.pairs import Pair, Pairs, Region, Short

A0 = Pair("好甲", "坏甲", "a", "x", 0)
A1 = Pair("好乙", "坏乙", "a", "x", 1)
B0 = Pair("好丙", "坏丙", "b", "y", 0)
SHORT = Short(asked=3, given=2, uid="a", reason="only 2 pairs exist")


def test_pairs_are_a_sequence() -> None:
    pairs = Pairs((A0, B0, A1), (SHORT,))
    assert (len(pairs), pairs[1], pairs[-1], list(pairs)) == (3, B0, A1, [A0, B0, A1])
    assert B0 in pairs
    assert pairs.index(A1) == 2
    assert not Pairs()


def test_a_slice_is_pairs_without_what_fell_short() -> None:
    """What fell short was said of the whole; of a part it would be false."""
    assert Pairs((A0, B0, A1), (SHORT,))[:2] == Pairs((A0, B0))


def test_by_uid_keeps_the_order_of_first_appearance() -> None:
    assert list(Pairs((B0, A0, A1)).by_uid().items()) == [("b", (B0,)), ("a", (A0, A1))]


def test_pairs_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Pairs((A0,)).short = (SHORT,)  # type: ignore[misc]


def test_a_frame_has_a_row_per_pair_that_joins_with_scores() -> None:
    pair = Pair(
        "甲乙", "乙", "a", "x", 7, "v", "deletion", (Region("good", 0, 1, "who", "drop"),), (("who", "甲"),), ("甲",)
    )
    [row] = Pairs((pair,)).frame.to_dicts()
    assert row == {
        **{"uid": "a", "phenomenon": "x", "pair": 7, "variant": "v", "edit": "deletion", "good": "甲乙", "bad": "乙"},
        "regions": [{"side": "good", "start": 0, "end": 1, "slot": "who", "edit": "drop"}],
        "slots": [{"slot": "who", "form": "甲"}],
        "words": ["甲"],
    }
    assert Pairs().frame.columns == list(row)
    assert Pairs((dataclasses.replace(pair, pair_id=2**40),)).frame["pair"].to_list() == [2**40]


def test_pairs_say_in_a_line_what_they_are() -> None:
    """Printing 35,400 pairs by mistake should not fill the screen."""
    assert repr(Pairs((A0, A1, B0), (SHORT,))) == "<Pairs: 3 pairs, 2 paradigms, 2 phenomena, 1 paradigm short>"
    assert repr(Pairs((A0,))) == "<Pairs: 1 pair, 1 paradigm, 1 phenomenon>"
    assert repr(Pairs()) == "<Pairs: 0 pairs, 0 paradigms>"


def test_a_notebook_shows_ten_pairs_with_their_regions_marked() -> None:
    pair = Pair(
        "a<b", "ab", "u&v", "x", 0, regions=(Region("good", 1, 2, "s", "drop"), Region("bad", 1, 1, "s", "drop"))
    )
    html = Pairs((pair,) * 12)._repr_html_()
    assert html.count("<td>u&amp;v</td>") == 10 and "<p>… and 2 more</p>" in html
    assert "<td>a<mark>&lt;</mark>b</td><td>ab</td>" in html
