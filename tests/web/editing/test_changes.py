"""An edit changes what it says it changes, can be undone, and can be told to a browser."""

from hypothesis import given
from hypothesis import strategies as st

from bidui.web.editing.text import Change, Utf16, apply_edit, difference, inverse, make_edit

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
    assert difference(old, new) == (Change(8, 9, "9"), Change(18, 18, "4"))


def test_long_stretches_are_compared_only_at_their_ends() -> None:
    """Comparing ten thousand equal lines with ten thousand others would take minutes."""
    (change,) = difference("x" + "a\n" * 10_000 + "b\n" * 10_000, "x" + "b\n" * 10_000 + "a\n" * 10_000)
    assert change.start == 1


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
