"""Two versions side by side, and three merged: rows are the units, because people edit rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.web.store import RowChange, merge, merged_text, row_changes, unified

LEXICON = "expression\tpos\n猫\tNN\n狗\tNN\n吃\tVV\n"


def test_a_unified_diff_is_as_git_has_it() -> None:
    assert unified("a\nb\nc\n", "a\nB\nc\n", name="x.yaml") == (
        "--- a/x.yaml\n+++ b/x.yaml\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_a_changed_row_is_found_by_its_word_though_others_came_and_went_around_it() -> None:
    new = "expression\tpos\n鸟\tNN\n狗\tNR\n"
    assert row_changes(LEXICON, new, name="lexicon.tsv") == (
        RowChange("removed", 2, 0, ("猫", "NN"), ()),
        RowChange("removed", 4, 0, ("吃", "VV"), ()),
        RowChange("added", 0, 2, (), ("鸟", "NN")),
        RowChange("changed", 3, 3, ("狗", "NN"), ("狗", "NR")),
    )


def test_the_word_need_not_stand_in_the_first_column() -> None:
    old = "pos\texpression\nNN\t猫\nNN\t狗\n"
    new = "pos\texpression\nNR\t狗\nNN\t鱼\nVV\t吃\n"
    kinds = {(change.kind, change.old, change.new) for change in row_changes(old, new, name="lexicon.tsv")}
    assert ("changed", ("NN", "狗"), ("NR", "狗")) in kinds


def test_one_row_in_place_of_one_is_a_row_changed() -> None:
    """The word itself was corrected."""
    new = LEXICON.replace("狗\t", "犬\t")
    assert row_changes(LEXICON, new, name="lexicon.tsv") == (RowChange("changed", 3, 3, ("狗", "NN"), ("犬", "NN")),)


def test_the_rows_of_a_paradigm_are_its_slots_and_keys() -> None:
    old = "slots:\n  who: pos:NR\n  what: pos:NN\ngood: who what\n"
    new = "slots:\n  who: pos:NR gender:male\n  what: pos:NN\n  then: 了\ngood: who what then\n"
    assert row_changes(old, new, name="x.yaml") == (
        RowChange("changed", 2, 2, ("who", "pos:NR"), ("who", "pos:NR gender:male")),
        RowChange("added", 0, 4, (), ("then", "了")),
        RowChange("changed", 4, 5, ("good", "who what"), ("good", "who what then")),
    )


def test_changes_of_neighbouring_rows_do_not_contradict() -> None:
    """Line-based merging calls this a conflict; two people correcting two words of a list meet it daily."""
    pieces = merge(LEXICON, theirs=LEXICON.replace("猫\tNN", "猫\tNR"), yours=LEXICON.replace("狗\tNN", "狗\tNR"))
    assert merged_text(pieces) == "expression\tpos\n猫\tNR\n狗\tNR\n吃\tVV\n"
    assert [piece.kind for piece in pieces] == ["same", "theirs", "yours", "same"]


def test_a_row_that_both_changed_is_left_to_them_and_the_rest_is_merged() -> None:
    theirs = LEXICON.replace("狗\tNN", "狗\tNR") + "他\tPN\n"
    yours = LEXICON.replace("狗\tNN", "狗\tVV")
    pieces = merge(LEXICON, theirs=theirs, yours=yours)
    assert merged_text(pieces) is None
    (conflict,) = [piece for piece in pieces if piece.kind == "conflict"]
    assert (conflict.base, conflict.theirs, conflict.yours) == (("狗\tNN",), ("狗\tNR",), ("狗\tVV",))
    assert pieces[-1].kind == "theirs" and pieces[-1].merged == ("他\tPN",)


@pytest.mark.parametrize(
    ("theirs", "yours", "merged"),
    [
        ("a\nb\nc\nd\n", "a\nc\n", "a\nc\nd\n"),  # one adds at the end, one removes in the middle
        ("a\nb\nX\nc\n", "a\nb\nX\nc\n", "a\nb\nX\nc\n"),  # both do the same
        ("", "a\nb\nc\n", ""),  # one empties the file
    ],
)
def test_merges_by_hand(theirs: str, yours: str, merged: str) -> None:
    assert merged_text(merge("a\nb\nc\n", theirs=theirs, yours=yours)) == merged


texts = st.lists(st.sampled_from("abcd"), max_size=8).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(texts, texts)
def test_who_changed_nothing_gets_what_the_other_made(base: str, other: str) -> None:
    assert merged_text(merge(base, theirs=other, yours=base)) == other
    assert merged_text(merge(base, theirs=base, yours=other)) == other
    assert merged_text(merge(base, theirs=other, yours=other)) == other


@given(texts, texts, texts)
def test_a_merge_holds_every_line_of_all_three_in_order(base: str, theirs: str, yours: str) -> None:
    """Nothing may be lost between the pieces, whoever decides about them in the end."""
    pieces = merge(base, theirs=theirs, yours=yours)
    for name, text in (("base", base), ("theirs", theirs), ("yours", yours)):
        assert "".join(f"{line}\n" for piece in pieces for line in getattr(piece, name)) == text


@given(texts, texts)
def test_row_changes_account_for_every_line(old: str, new: str) -> None:
    changes = row_changes(old, new, name="x.tsv")
    came = sum(change.kind == "added" for change in changes)
    went = sum(change.kind == "removed" for change in changes)
    assert new.count("\n") - old.count("\n") == came - went
    assert (old == new) <= (changes == ())
