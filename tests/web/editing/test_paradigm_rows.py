"""A paradigm as rows says what its text says, and which row stands where."""

import pytest

from bidui.errors import InputError
from bidui.web.editing.paradigm import read_rows
from bidui.web.editing.pieces import items_of, pieces_of
from tests.web.editing.small import CLASSIFIER, GENDER

Row = tuple[str, str, str]


def fates(text: str, wording: int = 0) -> list[Row]:
    """Of each row the good item, what the bad side does, and the bad item."""
    found = read_rows(text).wordings[wording]
    good = found.good.items if found.good else ()
    bad = found.bad.items if found.bad else good
    return [
        ("" if row.good is None else good[row.good].text, row.fate, "" if row.bad is None else bad[row.bad].text)
        for row in found.rows
    ]


def lines(good: str, bad: str | None, slots: str = "{a: x, b: y, c: z}") -> str:
    return f"slots: {slots}\ngood: {good}\n" + (f"bad: {bad}\n" if bad is not None else "")


def test_fields_slots_and_lines_become_rows() -> None:
    rows = read_rows(GENDER)
    fields = {field.name: field.value for field in rows.fields}
    assert (fields["uid"], fields["edit"], fields["source"]) == ("gender", "agreement", "")
    assert fields["about.zh"] == "“他自己”与主语的性别一致。"
    (wording,) = rows.wordings
    assert [(slot.name, slot.rule) for slot in wording.slots] == [
        ("who", "pos:NR"),
        ("right", "pos:PN mPos:who mPro:gender"),
        ("wrong", "pos:PN mmPos:who mmPro:gender"),
    ]
    assert rows.slots == ()
    assert wording.good is not None
    assert [item.text for item in wording.good.items] == ["who", "总是责怪", "right", "自己", "。"]
    assert fates(GENDER)[2] == ("right", "agree", "wrong")


def test_rows_know_their_text() -> None:
    rows = read_rows(GENDER)
    for slot in rows.wordings[0].slots:
        assert GENDER[slot.name_span.start : slot.name_span.end] == slot.name
        assert GENDER[slot.rule_span.start : slot.rule_span.end].strip("'") == slot.rule
    for field in rows.fields:
        assert field.span is None or GENDER[field.span.start : field.span.end] == field.value


def test_variants_share_slots_and_have_their_own() -> None:
    rows = read_rows(CLASSIFIER)
    assert [slot.name for slot in rows.slots] == ["thing", "verb"]
    assert [(w.name, [slot.name for slot in w.slots], dict(w.options)) for w in rows.wordings] == [
        ("plain", ["right", "wrong"], {}),
        ("of somebody", ["who", "right", "wrong"], {"weight": "2"}),
    ]
    assert list(rows.in_scope(rows.wordings[1])) == ["thing", "verb", "who", "right", "wrong"]


@pytest.mark.parametrize(
    ("good", "bad", "expected"),
    [
        ("a b", None, [("a", "same", "a"), ("b", "same", "b")]),
        ("a b", "a", [("a", "same", "a"), ("b", "drop", "")]),
        ("a", "a b", [("a", "same", "a"), ("", "add", "b")]),
        ("a b", "a c", [("a", "same", "a"), ("b", "replace", "c")]),
        ("a b", "a a b", [("a", "same", "a"), ("", "copy", "a"), ("b", "same", "b")]),
        ("a 把 b", "把 b a", [("a", "move", ""), ("把", "same", "把"), ("b", "same", "b"), ("", "move", "a")]),
        ('a "的" b', "a 的 b", [("a", "same", "a"), ('"的"', "same", "的"), ("b", "same", "b")]),
        ("a.head b@x", "b@x", [("a.head", "drop", ""), ("b@x", "same", "b@x")]),
    ],
)
def test_the_bad_side_is_shown_by_what_it_does(
    good: str, bad: str | None, expected: list[tuple[str, str, str]]
) -> None:
    """Same as good until changed; moved, copied, dropped, added, replaced."""
    assert fates(lines(good, bad)) == expected


def test_a_moved_item_knows_where_it_went() -> None:
    rows = read_rows(lines("a 把 b", "把 b a")).wordings[0].rows
    assert (rows[0].partner, rows[3].partner) == (3, 0)


def test_a_mismatched_rule_makes_agreement_of_a_replacement() -> None:
    text = lines("a b", "a c", '{a: x, b: y, c: "pos:N mmPos:a mmPro:g"}')
    assert fates(text)[1] == ("b", "agree", "c")


def test_items_name_slots_parts_and_columns() -> None:
    found = items_of('who who.head verb@first np.head@x "the" 了。 other', slots=("who", "verb", "np"))
    assert [(item.slot, item.part, item.column) for item in found] == [
        ("who", "", ""),
        ("who", "head", ""),
        ("verb", "", "first"),
        ("np", "head", "x"),
        ("", "", ""),
        ("", "", ""),
        ("", "", ""),
    ]


@pytest.mark.parametrize("text", ["slots: x\n", "variants: x\n", "good: [a]\nbad: {a: b}\n", "about: [x]\n", "a: b\n"])
def test_what_is_not_shaped_as_a_paradigm_is_left_to_the_plain_text(text: str) -> None:
    rows = read_rows(text)
    assert all(wording.slots == () and wording.rows == () for wording in rows.wordings)


def test_a_text_that_is_not_yaml_has_no_rows() -> None:
    with pytest.raises(InputError):
        read_rows("slots: [")


def test_the_pieces_of_a_rule_are_named_by_what_they_are() -> None:
    rule = "2* pos:NR gender:!male/x | phrase:NP head:<mPos:who.head mPro:takes=class#1> y:<rel:fills(a, _)>"
    assert [(p.kind, p.text, p.of, p.inside, p.alternative) for p in pieces_of(rule)] == [
        ("feature", "pos", "", (), 0),
        ("value", "NR", "pos", (), 0),
        ("feature", "gender", "", (), 0),
        ("value", "male", "gender", (), 0),
        ("value", "x", "gender", (), 0),
        ("keyword", "phrase", "", (), 1),
        ("phrase", "NP", "", (), 1),
        ("part", "head", "", (), 1),
        ("keyword", "mPos", "", ("head",), 1),
        ("slot", "who.head", "mPos", ("head",), 1),
        ("keyword", "mPro", "", ("head",), 1),
        ("feature", "takes", "mPro", ("head",), 1),
        ("theirs", "class", "mPro", ("head",), 1),
        ("share", "1", "mPro", ("head",), 1),
        ("part", "y", "", (), 1),
        ("keyword", "rel", "", ("y",), 1),
        ("relation", "fills", "", ("y",), 1),
        ("slot", "a", "fills", ("y",), 1),
        ("slot", "_", "fills", ("y",), 1),
    ]
    for piece in pieces_of(rule):
        assert rule[piece.start : piece.end] == piece.text
