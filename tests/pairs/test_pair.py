"""Pairs behave as a sequence that knows what fell short."""

import dataclasses

import pytest

from bidui.pairs import Pair, Pairs, Short

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
