"""Positions and changes of a text: nothing is lost on the way to a browser and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.web.editing.text import (
    Change,
    Range,
    Span,
    Utf16,
    apply_edit,
    difference,
    inverse,
    make_edit,
)

TEXTS = st.text(alphabet="ab中𠀀\n", max_size=30)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, tuple[Change, ...]]:
    text = draw(TEXTS)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return text, make_edit(Change(a, b, draw(st.text(alphabet="xy𠀀\n", max_size=4))) for a, b in pairs)


def test_changes_are_applied_all_at_once() -> None:
    """Each counts from the text as it was, so that the order in which they were made does not matter."""
    edit = make_edit([Change(4, 5, ""), Change(0, 1, "AA"), Change(2, 2, "!")])
    assert apply_edit("abcde", edit) == "AAb!cd"


@given(edits())
def test_an_edit_and_its_inverse_leave_nothing_behind(case: tuple[str, tuple[Change, ...]]) -> None:
    """Undo is the inverse operation."""
    text, edit = case
    assert apply_edit(apply_edit(text, edit), inverse(text, edit)) == text


@given(TEXTS, TEXTS)
def test_the_difference_makes_one_text_of_the_other(old: str, new: str) -> None:
    assert apply_edit(old, difference(old, new)) == new


def test_the_difference_leaves_lines_alone_that_are_the_same() -> None:
    """An editor's cursor must not jump because somewhere else a line was changed."""
    old, new = "a: 1\nb: 2\nc: 3\nd: 4\n", "a: 1\nb: 9\nc: 3\nd: 44\n"
    assert difference(old, new) == (Change(8, 9, "9"), Change(19, 19, "4"))


def test_browsers_count_rare_characters_twice() -> None:
    """𠀀 lies outside of the basic plane: two units of UTF-16."""
    places = Utf16("a𠀀b")
    assert [places.offset(n) for n in range(4)] == [0, 1, 3, 4]
    assert [places.character(n) for n in (0, 1, 3, 4, 99, -1)] == [0, 1, 2, 3, 3, 0]
    assert places.edit((Change(2, 3, "c"),)) == (Change(3, 4, "c"),)


@given(TEXTS, st.integers(0, 30))
def test_places_survive_the_way_to_the_browser_and_back(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    places = Utf16(text)
    assert places.character(places.offset(offset)) == offset


RARE_TEXTS = st.text(st.sampled_from("a国𠮷😀\n"), max_size=12)
TABLES = st.lists(st.sampled_from(["a\tb", "国", "𠮷\t", "", "x\r"]), max_size=8).map("\n".join)


@given(RARE_TEXTS, st.data())
def test_every_character_is_where_utf16_has_it(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    places = Utf16(text)
    seen = len(text[:at].encode("utf-16-le")) // 2
    assert places.offset(at) == seen and places.character(seen) == at


def test_the_middle_of_a_character_counts_as_its_end_and_outside_as_the_edge() -> None:
    places = Utf16("a𠮷b")
    assert [places.character(seen) for seen in (-3, 0, 1, 2, 3, 4, 99, 10**30)] == [0, 0, 1, 2, 2, 3, 3, 3]


def test_columns_stay_as_people_count_them() -> None:
    places = Utf16("𠮷x")
    assert places.range(Range(1, 2, 1, 2, 1, 3)) == Range(2, 3, 1, 2, 1, 3)
    assert places.span(Span(0, 1)) == Span(0, 2)


def test_changes_of_a_browser_are_changes_of_the_text() -> None:
    places = Utf16("𠮷野家")
    assert places.changes([Change(2, 3, "村")]) == (Change(1, 2, "村"),)
    assert places.edit((Change(1, 2, "村"),)) == (Change(2, 3, "村"),)
    for broken in ([Change(3, 1, "")], [Change(0, 3, ""), Change(2, 4, "")]):
        with pytest.raises(InputError):
            places.changes(broken)


@given(TABLES, TABLES)
def test_the_difference_of_two_tables_leads_from_one_to_the_other(old: str, new: str) -> None:
    edit = difference(old, new)
    assert apply_edit(old, edit) == new
    assert apply_edit(new, inverse(old, edit)) == old


def test_cells_changed_far_apart_are_separate_changes() -> None:
    """One change from the first to the last would send the whole lexicon over the wire."""
    old = "".join(f"{n}\tx\n" for n in range(1_000))
    new = old.replace("5\tx\n", "5\ty\n", 1).replace("\n990\tx", "\n990\tz")
    assert [(change.end - change.start, change.text) for change in difference(old, new)] == [(1, "y"), (1, "z")]
