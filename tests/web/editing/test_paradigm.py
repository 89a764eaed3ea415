"""A paradigm as rows, and edits of fields, slots, lines and variants: the rest of the file is kept."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.web.editing.paradigm import (
    add_slot,
    add_variant,
    copy_bad,
    delete_row,
    delete_slot,
    delete_variant,
    drop_bad,
    move_bad,
    move_row,
    move_slot,
    move_variant,
    read_rows,
    rename_phrase,
    rename_slot,
    same_again,
    set_field,
    set_group,
    set_line,
    set_option,
    set_rule,
)
from bidui.web.editing.pieces import items_of, pieces_of
from bidui.web.editing.text import Edit, apply_edit
from tests.web.editing.small import CLASSIFIER, GENDER, PHRASES

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


def after(text: str, edit: Callable[[str], Edit]) -> str:
    return apply_edit(text, edit(text))


def test_a_rule_is_changed_in_its_place() -> None:
    new = after(GENDER, lambda text: set_rule(text, slot="wrong", rule="pos:PN | 'x'"))
    assert new == GENDER.replace("'pos:PN mmPos:who mmPro:gender'", "'pos:PN | ''x'''")


@pytest.mark.parametrize("rule", ["", "pos:", "| ", "a: b", "#", "[", "'", '"x" | ""', "mPos:who mPro:", "\t", "好"])
def test_half_typed_rules_leave_the_file_yaml(rule: str) -> None:
    """While somebody types, the other rows must stay rows."""
    new = after(GENDER, lambda text: set_rule(text, slot="who", rule=rule))
    assert read_rows(new).wordings[0].slots[0].rule == rule
    assert new.splitlines()[10:] == GENDER.splitlines()[10:]


def test_a_slot_of_a_variant_is_another_than_the_same_name_elsewhere() -> None:
    new = after(CLASSIFIER, lambda text: set_rule(text, slot="right", rule="X", variant=1))
    rules = [[slot.rule for slot in wording.slots if slot.name == "right"] for wording in read_rows(new).wordings]
    assert rules == [["pos:M mPos:thing mPro:expression=classifier"], ["X"]]


@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("edit", "order", "edit: agreement", "edit: order"),
        ("edit", "", "edit: agreement\n", ""),
        ("source", "a: b", "edit:", "source: 'a: b'\nedit:"),
        ("equal_length", "true", "edit: agreement\n", "edit: agreement\nequal_length: true\n"),
        ("about.zh", "新的", "“他自己”与主语的性别一致。", "新的"),
        ("about.zh", "", "  zh: “他自己”与主语的性别一致。\n", ""),
        ("example.good", "好", "wrong 自己 。\n", "wrong 自己 。\nexample:\n  good: 好\n"),
        ("reason", "", "", ""),
    ],
)
def test_a_field_is_set_added_or_taken_out(name: str, value: str, old: str, new: str) -> None:
    """A new field stands where bidui itself would write it."""
    assert after(GENDER, lambda text: set_field(text, name=name, value=value)) == GENDER.replace(old, new)


def test_a_description_in_one_language_grows_a_second() -> None:
    text = "uid: x\nabout: hello  # hi\nedit: order\n"
    both = after(text, lambda text: set_field(text, name="about.zh", value="你好"))
    assert both == "uid: x\nabout:  # hi\n  en: hello\n  zh: 你好\nedit: order\n"
    none = after(both, lambda text: set_field(text, name="about.zh", value=""))
    assert after(none, lambda text: set_field(text, name="about.en", value="")) == "uid: x\nedit: order\n"


def test_a_slot_is_added_moved_and_deleted() -> None:
    new = after(GENDER, lambda text: add_slot(text, slot="new", rule="自己 本人", at=1))
    assert new == GENDER.replace("  who: pos:NR\n", "  who: pos:NR\n  new: 自己 本人\n")
    moved = after(new, lambda text: move_slot(text, slot="new", to=3))
    assert [slot.name for slot in read_rows(moved).wordings[0].slots] == ["who", "right", "wrong", "new"]
    assert after(new, lambda text: delete_slot(text, slot="new")) == GENDER


def test_a_new_key_never_stands_between_a_comment_and_its_key() -> None:
    text = "uid: x\nphenomenon: p\n\n# what varies\nslots:\n  a: x\n  # of the slots\n# both\ngood: a b\n"
    new = after(text, lambda text: set_field(text, name="edit", value="order"))
    assert new == text.replace("phenomenon: p\n", "phenomenon: p\nedit: order\n")
    new = after(text, lambda text: add_slot(text, slot="c", rule="y"))
    assert new == text.replace("  a: x\n", "  a: x\n  c: y\n")
    new = after(text.replace("good: a b\n", ""), lambda text: set_line(text, side="good", line="a"))
    assert new == text.replace("# both\ngood: a b\n", "good: a\n# both\n")


def test_a_rule_that_is_cleared_or_new_is_missing() -> None:
    """`''` would print nothing, and the paradigm would give pairs as if that had been meant."""
    for text, variant in ((GENDER, None), (CLASSIFIER, 0)):
        new = after(text, lambda text, v=variant: add_slot(text, slot="new", rule="", variant=v))
        assert "new:\n" in new
        new = after(text, lambda text, v=variant: set_rule(text, slot="wrong", rule="", variant=v))
        assert "wrong: \n" in new and "''" not in new
    new = after(CLASSIFIER, lambda text: set_rule(text, slot="thing", rule=""))
    assert 'slots: {thing: , verb: "pos:VV' in new
    new = after(CLASSIFIER, lambda text: add_slot(text, slot="new", rule=""))
    assert ", new: }\n" in new
    said = after(GENDER, lambda text: set_rule(text, slot="who", rule='""'))
    assert "who: '\"\"'\n" in said


def test_a_deleted_slot_leaves_the_lines_too() -> None:
    new = after(CLASSIFIER, lambda text: delete_slot(text, slot="thing"))
    assert new.count("了一 right 。") == 2
    assert "slots: {verb:" in new
    own = after(CLASSIFIER, lambda text: delete_slot(text, slot="right", variant=0))
    assert own.count("了一 thing 。") == 1
    assert own.count("了一 right thing 。") == 1


def test_slots_can_be_written_where_there_were_none() -> None:
    """Whoever writes the sentence first, and then says what its names mean, does nothing wrong."""
    new = after("uid: x\ngood: a b\n", lambda text: add_slot(text, slot="a", rule="pos:N"))
    assert new == "uid: x\nslots:\n  a: pos:N\ngood: a b\n"


@pytest.mark.parametrize(
    ("name", "kind"), [("right", "row-exists"), ("a b", "slot-name"), ("12", "slot-name"), ("自己", "slot-is-word")]
)
def test_a_name_that_would_change_something_else_is_refused(name: str, kind: str) -> None:
    """A slot called 自己 would take the place of the word 自己 in the lines."""
    for edit in (
        lambda: add_slot(GENDER, slot=name, rule="x"),
        lambda: rename_slot(GENDER, slot="who", name=name),
    ):
        with pytest.raises(InputError) as refused:
            edit()
        assert refused.value.problems[0].kind == kind


def test_a_slot_is_renamed_wherever_it_is_meant() -> None:
    new = after(GENDER, lambda text: rename_slot(text, slot="who", name="agent"))
    assert new == GENDER.replace("who", "agent")


def test_renaming_spares_what_only_looks_alike() -> None:
    """The slot a is not the feature a, the value a, the part a, the column a, or the slot ab."""
    text = """\
slots:
  a: pos:N a:a
  b: phrase:a a:<mPos:a.a mPro:a=a#a rel:a(a, a.a, _, ab)>
  ab: a "a" | pos:a
link: [a, ab]
repeat: [[a, b]]
good: a a.a a@a "a" ab
bad: b.a
"""
    wanted = """\
slots:
  z: pos:N a:a
  b: phrase:a a:<mPos:z.a mPro:a=a#a rel:a(z, z.a, _, ab)>
  ab: a "a" | pos:a
link: [z, ab]
repeat: [[z, b]]
good: z z.a z@a "a" ab
bad: b.a
"""
    assert after(text, lambda text: rename_slot(text, slot="a", name="z")) == wanted


def test_a_shared_slot_is_renamed_in_every_variant_that_does_not_hide_it() -> None:
    hidden = CLASSIFIER.replace("      who: phrase:Person\n", "      thing: pos:NN\n")
    new = after(hidden, lambda text: rename_slot(text, slot="thing", name="object"))
    head, plain, other = new.partition("  - name: plain")[0], *new.partition("  - name: plain")[2].split("  - name: of")
    assert "{object:" in head and "acts(verb, object)" in head
    assert "mPos:object" in plain and "right object" in plain
    assert "object" not in other


def test_a_slot_cannot_take_a_name_that_its_variant_shares() -> None:
    with pytest.raises(InputError, match="already"):
        rename_slot(CLASSIFIER, slot="right", name="verb", variant=0)


def test_a_phrase_is_renamed_in_its_file_and_where_it_is_used() -> None:
    text = PHRASES + "  Two: [phrase:Person, 我]\n"
    assert after(text, lambda text: rename_phrase(text, phrase="Person", name="Human", declared=True)) == text.replace(
        "Person", "Human"
    )
    assert after(CLASSIFIER, lambda text: rename_phrase(text, phrase="Person", name="Human")) == CLASSIFIER.replace(
        "Person", "Human"
    )
    assert rename_phrase(GENDER, phrase="Person", name="Human") == ()


def test_the_bad_line_is_written_when_it_says_something() -> None:
    text = "slots: {a: x}\ngood: a 了\nexample: {good: x}\n"
    assert after(text, lambda text: set_line(text, side="bad", line="了 a")) == (
        "slots: {a: x}\ngood: a 了\nbad: 了 a\nexample: {good: x}\n"
    )


def test_groups_are_lists_of_names() -> None:
    new = after(GENDER, lambda text: set_group(text, key="link", groups=[["who", "right"]]))
    assert new == GENDER + "link: [who, right]\n"
    two = after(new, lambda text: set_group(text, key="link", groups=[["a", "b"], ["c", "d"]]))
    assert two == GENDER + "link: [[a, b], [c, d]]\n"
    assert after(two, lambda text: set_group(text, key="link", groups=[])) == GENDER


def test_a_paradigm_grows_variants_and_keeps_what_it_says() -> None:
    """The lines go into the first variant as they were written, comments and all; the slots serve both."""
    text = GENDER.replace("wrong 自己 。\n", "wrong 自己 。  # so\ncrossed: true\n")
    new = after(text, lambda text: add_variant(text, name="second", copy_of=0))
    assert "variants:\n  - good: who 总是责怪 right 自己 。\n    bad: who 总是责怪 wrong 自己 。  # so\n" in new
    rows = read_rows(new)
    assert [wording.name for wording in rows.wordings] == ["1", "second"]
    assert [wording.options for wording in rows.wordings] == [{"crossed": "true"}] * 2
    assert [slot.name for slot in rows.slots] == ["who", "right", "wrong"]
    paradigm, problems = parse_paradigm(new, name="x")
    assert paradigm is not None and not problems


def test_variants_are_added_copied_moved_named_and_deleted() -> None:
    new = after(CLASSIFIER, lambda text: add_variant(text, name="third", copy_of=1, at=0))
    assert [wording.name for wording in read_rows(new).wordings] == ["third", "plain", "of somebody"]
    assert read_rows(new).wordings[0].options == {"weight": "2"}
    moved = after(new, lambda text: move_variant(text, variant=0, to=2))
    assert [wording.name for wording in read_rows(moved).wordings] == ["plain", "of somebody", "third"]
    named = after(moved, lambda text: set_option(text, key="name", value="fourth", variant=2))
    assert [wording.name for wording in read_rows(named).wordings] == ["plain", "of somebody", "fourth"]
    assert after(named, lambda text: delete_variant(text, variant=2)) == CLASSIFIER
    with pytest.raises(InputError, match="already"):
        add_variant(CLASSIFIER, name="plain")


def test_renaming_a_slot_parses_the_file_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once to find every place that means it, and once to check what all changes give together."""
    texts: list[str] = []
    parse = yaml.parse

    def counted(text: str, **options: Any) -> Any:
        texts.append(text)
        return parse(text, **options)

    monkeypatch.setattr(yaml, "parse", counted)
    after = apply_edit(CLASSIFIER, rename_slot(CLASSIFIER, slot="thing", name="object"))
    assert texts == [CLASSIFIER, after] and "thing" not in after.replace("kind:thing", "")


BASE = "uid: x\nslots: {a: x, b: y, c: z}\ngood: a 把 b c 。\n"


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
    ],
    ids=["move right", "move left", "copy", "drop"],
)
def test_the_bad_line_is_written_with_the_first_thing_it_does(edit: Callable[[str], Edit], good: str, bad: str) -> None:
    new = after(BASE, edit)
    assert sides(new) == (good, bad)
    assert new.splitlines()[:2] == BASE.splitlines()[:2]


@pytest.mark.parametrize(
    ("edit", "good"),
    [
        (lambda text: delete_row(text, row=0), "把 b c 。"),
        (lambda text: move_row(text, row=0, to=3), "把 b c a 。"),
    ],
    ids=["delete", "move"],
)
def test_until_then_it_is_the_same_as_the_good_one(edit: Callable[[str], Edit], good: str) -> None:
    assert sides(after(BASE, edit)) == (good, None)


def test_a_row_is_the_same_again() -> None:
    for edit, row in (
        (lambda text: move_bad(text, row=0, to=2), 0),
        (lambda text: move_bad(text, row=0, to=2), 3),
        (lambda text: drop_bad(text, row=1), 1),
        (lambda text: set_line(text, side="bad", line="a 把 b 被 。"), 3),
        (lambda text: copy_bad(text, row=0, to=4), 4),
    ):
        changed = after(BASE, edit)
        assert sides(changed)[1] not in (None, "a 把 b c 。")
        assert sides(after(changed, lambda text, row=row: same_again(text, row=row)))[1] == "a 把 b c 。"  # type: ignore[misc]


def test_other_variants_are_not_touched() -> None:
    new = after(CLASSIFIER, lambda text: drop_bad(text, row=0, variant=1))
    assert sides(new, 1)[1] == "verb 了一 wrong thing 。"
    assert new.replace("bad: verb 了一", "bad: who verb 了一") == CLASSIFIER


@pytest.mark.parametrize("row", [-1, 99])
def test_a_row_that_is_not_there_is_refused(row: int) -> None:
    with pytest.raises(InputError, match="no longer exists"):
        drop_bad(GENDER, row=row)
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
