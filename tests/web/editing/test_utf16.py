"""Places as browsers count them agree with UTF-16 itself, however rare the characters are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.web.editing.text import Change, Range, Span, Utf16, apply_edit, inverse, line_difference

TEXTS = st.text(st.sampled_from("a国𠮷😀\n"), max_size=12)
TABLES = st.lists(st.sampled_from(["a\tb", "国", "𠮷\t", "", "x\r"]), max_size=8).map("\n".join)


@given(TEXTS, st.data())
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
    edit = line_difference(old, new)
    assert apply_edit(old, edit) == new
    assert apply_edit(new, inverse(old, edit)) == old


def test_cells_changed_far_apart_are_separate_changes() -> None:
    """One change from the first to the last would send the whole lexicon over the wire."""
    old = "".join(f"{n}\tx\n" for n in range(1_000))
    new = old.replace("5\tx\n", "5\ty\n", 1).replace("\n990\tx", "\n990\tz")
    assert [(change.end - change.start, change.text) for change in line_difference(old, new)] == [(1, "y"), (1, "z")]
