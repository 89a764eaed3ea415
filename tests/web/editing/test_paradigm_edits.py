"""Edits of fields, slots, lines and variants: the row is changed, and the rest of the file is kept."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from bidui.errors import InputError
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.web.editing.paradigm import (
    add_slot,
    add_variant,
    delete_slot,
    delete_variant,
    move_slot,
    move_variant,
    read_rows,
    rename_phrase,
    rename_slot,
    set_field,
    set_group,
    set_line,
    set_option,
    set_rule,
)
from bidui.web.editing.text import Edit, apply_edit
from tests.web.editing.small import CLASSIFIER, GENDER, PHRASES


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
