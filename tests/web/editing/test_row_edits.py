"""The two lines as rows: what is done to a row is done to the sentences, and the bad side follows until it differs."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.web.editing.paradigm import (
    add_row,
    copy_bad,
    delete_row,
    drop_bad,
    move_bad,
    move_row,
    read_rows,
    same_again,
    set_bad,
    set_good,
)
from bidui.web.editing.text import Edit, apply_edit
from tests.web.editing.small import CLASSIFIER, GENDER

BASE = "uid: x\nslots: {a: x, b: y, c: z}\ngood: a 把 b c 。\n"


def after(text: str, edit: Callable[[str], Edit]) -> str:
    return apply_edit(text, edit(text))


def sides(text: str, wording: int = 0) -> tuple[str, str | None]:
    found = read_rows(text).wordings[wording]
    return (found.good.text if found.good else ""), (found.bad.text if found.bad else None)


@pytest.mark.parametrize(
    ("edit", "good", "bad"),
    [
        (lambda text: move_bad(text, row=0, to=2), "a 把 b c 。", "把 b a c 。"),
        (lambda text: move_bad(text, row=3, to=0), "a 把 b c 。", "c a 把 b 。"),
        (lambda text: copy_bad(text, row=0, to=4), "a 把 b c 。", "a 把 b c a 。"),
        (lambda text: drop_bad(text, row=1), "a 把 b c 。", "a b c 。"),
        (lambda text: set_bad(text, row=3, item="b"), "a 把 b c 。", "a 把 b b 。"),
        (lambda text: add_row(text, at=4, item="了", side="bad"), "a 把 b c 。", "a 把 b c 了 。"),
        (lambda text: add_row(text, at=0, item="了", side="good"), "了 a 把 b c 。", "a 把 b c 。"),
    ],
    ids=["move right", "move left", "copy", "drop", "replace", "add", "add to good"],
)
def test_the_bad_line_is_written_with_the_first_thing_it_does(edit: Callable[[str], Edit], good: str, bad: str) -> None:
    new = after(BASE, edit)
    assert sides(new) == (good, bad)
    assert new.splitlines()[:2] == BASE.splitlines()[:2]


@pytest.mark.parametrize(
    ("edit", "good"),
    [
        (lambda text: set_good(text, row=1, item="被"), "a 被 b c 。"),
        (lambda text: add_row(text, at=5, item="吗"), "a 把 b c 。 吗"),
        (lambda text: delete_row(text, row=0), "把 b c 。"),
        (lambda text: move_row(text, row=0, to=3), "把 b c a 。"),
    ],
    ids=["set", "add", "delete", "move"],
)
def test_until_then_it_is_the_same_as_the_good_one(edit: Callable[[str], Edit], good: str) -> None:
    assert sides(after(BASE, edit)) == (good, None)


def test_the_bad_side_follows_where_it_is_the_same() -> None:
    """Whoever changes a word of the sentence does not mean to change the contrast."""
    moved = after(BASE, lambda text: move_bad(text, row=0, to=2))
    assert sides(after(moved, lambda text: set_good(text, row=1, item="被"))) == ("a 被 b c 。", "被 b a c 。")
    assert sides(after(moved, lambda text: set_good(text, row=0, item="c"))) == ("c 把 b c 。", "把 b c c 。")
    replaced = after(BASE, lambda text: set_bad(text, row=3, item="b"))
    assert sides(after(replaced, lambda text: set_good(text, row=3, item="a"))) == ("a 把 b a 。", "a 把 b b 。")


def test_a_row_is_the_same_again() -> None:
    for edit, row in (
        (lambda text: move_bad(text, row=0, to=2), 0),
        (lambda text: move_bad(text, row=0, to=2), 3),
        (lambda text: drop_bad(text, row=1), 1),
        (lambda text: set_bad(text, row=3, item="被"), 3),
        (lambda text: copy_bad(text, row=0, to=4), 4),
    ):
        changed = after(BASE, edit)
        assert sides(changed)[1] not in (None, "a 把 b c 。")
        assert sides(after(changed, lambda text, row=row: same_again(text, row=row)))[1] == "a 把 b c 。"  # type: ignore[misc]
        assert sides(after(changed, lambda text: same_again(text)))[1] is None


def test_other_variants_are_not_touched() -> None:
    new = after(CLASSIFIER, lambda text: drop_bad(text, row=0, variant=1))
    assert sides(new, 1)[1] == "verb 了一 wrong thing 。"
    assert new.replace("bad: verb 了一", "bad: who verb 了一") == CLASSIFIER


@pytest.mark.parametrize("row", [-1, 99])
def test_a_row_that_is_not_there_is_refused(row: int) -> None:
    for edit in (lambda: set_good(GENDER, row=row, item="x"), lambda: drop_bad(GENDER, row=row)):
        with pytest.raises(InputError, match="no longer exists"):
            edit()
    with pytest.raises(InputError, match="no longer exists"):
        drop_bad(GENDER, row=0, variant=7)


@given(st.data())
def test_any_sequence_of_edits_leaves_a_paradigm(data: st.DataObject) -> None:
    """However rows are dragged about: what was not touched stays, and what is shown is what is written."""
    text = data.draw(st.sampled_from([BASE, GENDER]))
    rest = [line for line in text.splitlines() if not line.startswith(("good:", "bad:"))]
    for _ in range(data.draw(st.integers(1, 5))):
        count = len(read_rows(text).wordings[0].rows)
        row, to = data.draw(st.integers(0, max(0, count - 1))), data.draw(st.integers(0, count))
        edit = data.draw(
            st.sampled_from(
                [
                    lambda t, r, to: move_bad(t, row=r, to=to),
                    lambda t, r, to: move_row(t, row=r, to=to),
                    lambda t, r, to: copy_bad(t, row=r, to=to),
                    lambda t, r, to: drop_bad(t, row=r),
                    lambda t, r, to: set_bad(t, row=r, item="c"),
                    lambda t, r, to: add_row(t, at=to, item="了"),
                    lambda t, r, to: same_again(t, row=r),
                ]
            )
        )
        try:
            text = apply_edit(text, edit(text, row, to))
        except InputError as refused:
            assert refused.problems[0].kind == "row-missing"  # the bad side has nothing in that row
    wording = read_rows(text).wordings[0]
    assert [line for line in text.splitlines() if not line.startswith(("good:", "bad:"))] == rest
    assert [row.good for row in wording.rows if row.good is not None] == list(range(len(wording.good.items)))  # type: ignore[union-attr]
