"""What two people made of one text is put together by rows; what both changed is a conflict they can settle."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.grammar.yaml import value_of
from bidui.web.editing.edits import read_tree
from bidui.web.editing.merging import merge_paradigms, merge_tables
from bidui.web.editing.paradigm import (
    add_slot,
    add_variant,
    delete_slot,
    delete_variant,
    move_slot,
    set_field,
    set_line,
    set_option,
    set_rule,
)
from bidui.web.editing.phrases import add_alternative, delete_alternative, set_part
from bidui.web.editing.text import Edit, apply_edit
from tests.web.editing.small import CLASSIFIER, GENDER, LEXICON, PHRASES

Make = Callable[[str], Edit]


def after(text: str, *edits: Make) -> str:
    for edit in edits:
        text = apply_edit(text, edit(text))
    return text


EDITS: dict[str, Make] = {
    "rule": lambda text: set_rule(text, slot="who", rule="pos:NR gender:*"),
    "other rule": lambda text: set_rule(text, slot="right", rule="pos:PN"),
    "new slot": lambda text: add_slot(text, slot="one", rule="pos:NT"),
    "another new slot": lambda text: add_slot(text, slot="two", rule="pos:NN"),
    "first slot": lambda text: add_slot(text, slot="zero", rule="pos:NN", at=0),
    "field": lambda text: set_field(text, name="about.en", value="new"),
    "new field": lambda text: set_field(text, name="source", value="somewhere"),
    "bad line": lambda text: set_line(text, side="bad", line="who 从不 wrong 自己 。"),
    "order": lambda text: move_slot(text, slot="wrong", to=0),
    "variant": lambda text: add_variant(text, name="more"),
}


@pytest.mark.parametrize("mine", EDITS)
@pytest.mark.parametrize("theirs", EDITS)
def test_edits_of_different_rows_are_both_there(mine: str, theirs: str) -> None:
    """The same as if one had been made after the other."""
    merged = merge_paradigms(GENDER, after(GENDER, EDITS[mine]), after(GENDER, EDITS[theirs]))
    if mine == theirs:
        assert merged.text == after(GENDER, EDITS[mine]) and not merged.conflicts
        return
    if {mine, theirs} == {"bad line", "variant"}:  # the line was changed by one, and moved by the other
        assert merged.conflicts
        return
    assert merged.conflicts == ()
    both = value_of(read_tree(after(GENDER, EDITS[theirs], EDITS[mine])))
    assert value_of(read_tree(merged.text)) == both
    assert "# the pronouns" in merged.text and "# three of them" in merged.text


def test_mine_comes_first_where_both_added_a_row() -> None:
    merged = merge_paradigms(GENDER, after(GENDER, EDITS["new slot"]), after(GENDER, EDITS["another new slot"]))
    assert merged.text == after(GENDER, EDITS["new slot"], EDITS["another new slot"])


def test_a_row_that_both_changed_is_a_conflict() -> None:
    mine = after(GENDER, EDITS["rule"], EDITS["field"])
    theirs = after(GENDER, lambda text: set_rule(text, slot="who", rule="pos:NN"), EDITS["other rule"])
    merged = merge_paradigms(GENDER, mine, theirs)
    (conflict,) = merged.conflicts
    assert (conflict.row, conflict.kind) == ("slots › who", "merge-changed")
    assert (conflict.base, conflict.mine, conflict.theirs) == (
        "  who: pos:NR\n",
        "  who: pos:NR gender:*\n",
        "  who: pos:NN\n",
    )
    assert "slots › who" in conflict.text("en") and "双方" in conflict.text("zh")
    assert merged.text == after(mine, EDITS["other rule"])  # mine, until something is chosen
    settled = merge_paradigms(GENDER, mine, theirs, choose={"slots › who": "theirs"})
    assert settled.conflicts == ()
    assert settled.text == after(theirs, EDITS["field"])


def test_a_row_that_one_changed_and_the_other_deleted_is_a_conflict() -> None:
    text = after(GENDER, EDITS["new slot"])
    mine = after(text, lambda text: set_rule(text, slot="one", rule="new"))
    theirs = after(text, lambda text: delete_slot(text, slot="one"))
    for one, other in ((mine, theirs), (theirs, mine)):
        (conflict,) = merge_paradigms(text, one, other).conflicts
        assert (conflict.row, conflict.kind) == ("slots › one", "merge-deleted")
    assert merge_paradigms(text, mine, theirs, choose={"slots › one": "theirs"}).text == theirs
    assert merge_paradigms(text, theirs, mine, choose={"slots › one": "theirs"}).text == mine


def test_two_rows_of_one_name_are_a_conflict() -> None:
    mine = after(GENDER, EDITS["new slot"])
    theirs = after(GENDER, lambda text: add_slot(text, slot="one", rule="other"))
    (conflict,) = merge_paradigms(GENDER, mine, theirs).conflicts
    assert (conflict.kind, conflict.base) == ("merge-added", None)


def test_two_orders_are_a_conflict() -> None:
    mine = after(GENDER, EDITS["order"])
    theirs = after(GENDER, lambda text: move_slot(text, slot="right", to=0))
    (conflict,) = merge_paradigms(GENDER, mine, theirs).conflicts
    assert conflict.kind == "merge-order"
    assert merge_paradigms(GENDER, mine, theirs, choose={"order": "theirs"}).text == theirs


def test_slots_on_one_line_are_rows_as_well() -> None:
    mine = after(CLASSIFIER, lambda text: set_rule(text, slot="thing", rule="pos:NN"))
    theirs = after(
        CLASSIFIER,
        lambda text: set_rule(text, slot="verb", rule="pos:VV"),
        lambda text: add_slot(text, slot="new", rule="x"),
    )
    merged = merge_paradigms(CLASSIFIER, mine, theirs)
    assert merged.conflicts == ()
    assert 'slots: {thing: "pos:NN", verb: "pos:VV", new: x}\n' in merged.text
    other = after(CLASSIFIER, lambda text: set_rule(text, slot="thing", rule="pos:M"))
    (conflict,) = merge_paradigms(CLASSIFIER, mine, other).conflicts
    assert conflict.row == "slots › thing"


def test_variants_are_known_by_their_names() -> None:
    """One is inserted before another that is being edited, or renamed while somebody edits it."""
    edited = after(CLASSIFIER, lambda text: set_rule(text, slot="right", rule="pos:M", variant=1))
    grown = after(CLASSIFIER, lambda text: add_variant(text, name="new", copy_of=0, at=0))
    merged = merge_paradigms(CLASSIFIER, edited, grown)
    assert merged.conflicts == ()
    assert merged.text == after(grown, lambda text: set_rule(text, slot="right", rule="pos:M", variant=2))
    renamed = after(CLASSIFIER, lambda text: set_option(text, key="name", value="named", variant=1))
    merged = merge_paradigms(CLASSIFIER, edited, renamed)
    assert merged.conflicts == ()
    assert merged.text == after(renamed, lambda text: set_rule(text, slot="right", rule="pos:M", variant=1))
    deleted = after(CLASSIFIER, lambda text: delete_variant(text, variant=1))
    assert {conflict.kind for conflict in merge_paradigms(CLASSIFIER, edited, deleted).conflicts} == {"merge-deleted"}


def test_phrases_are_merged_by_their_alternatives() -> None:
    mine = after(PHRASES, lambda text: set_part(text, phrase="Person", number=1, part="whose", rule="我"))
    theirs = after(
        PHRASES,
        lambda text: delete_alternative(text, phrase="Person", number=0),
        lambda text: add_alternative(text, phrase="Person", value="pos:PN"),
    )
    merged = merge_paradigms(PHRASES, mine, theirs)
    assert merged.conflicts == ()
    assert merged.text == theirs.replace("我 你", "我")


def test_comments_of_both_are_kept() -> None:
    mine, theirs = GENDER.replace("# three of them", "# mine"), GENDER.replace("# the pronouns", "# theirs")
    assert merge_paradigms(GENDER, mine, theirs).text == mine.replace("# the pronouns", "# theirs")


def test_a_text_that_is_not_yaml_yet_is_merged_by_lines() -> None:
    mine = GENDER.replace("who: pos:NR", "who: [")
    merged = merge_paradigms(GENDER, mine, after(GENDER, EDITS["other rule"]))
    assert merged.conflicts == ()
    assert merged.text == mine.replace("right: pos:PN mPos:who mPro:gender", "right: pos:PN")


def test_rows_of_a_table_are_merged() -> None:
    mine = LEXICON.replace("小林\tNR\n", "小林\tNR\t\tmale\n") + "茶\tNN\n"
    theirs = LEXICON.replace("书\tNN\tthing", "书\tNN\tbook").replace("条\tM\n", "") + "饭\tNN\n"
    merged = merge_tables(LEXICON, mine, theirs)
    assert merged.conflicts == ()
    assert merged.text == mine.replace("书\tNN\tthing", "书\tNN\tbook").replace("条\tM\n", "") + "饭\tNN\n"


def test_a_row_of_a_table_that_both_changed_is_a_conflict() -> None:
    mine, theirs = LEXICON.replace("小林\tNR", "小林\tNN"), LEXICON.replace("小林\tNR", "林\tNR")
    (conflict,) = merge_tables(LEXICON, mine, theirs).conflicts
    assert (conflict.row, conflict.mine, conflict.theirs) == ("line 5", "小林\tNN\n", "林\tNR\n")
    assert merge_tables(LEXICON, mine, theirs, choose={"line 5": "theirs"}).text == theirs


def test_the_same_word_added_twice_is_there_once() -> None:
    new = LEXICON + "茶\tNN\n"
    assert merge_tables(LEXICON, new, new).text == new
    assert merge_tables(LEXICON, new, LEXICON + "饭\tNN\n茶\tNN\n").text.count("茶\tNN\n") == 1


def test_a_last_line_without_its_break_does_not_run_into_the_next() -> None:
    base = "a\nb"
    assert merge_tables(base, "a\nb\nc", "a\nb").text == "a\nb\nc"
    assert merge_tables(base, "a\nb\nc", "x\na\nb").text == "x\na\nb\nc"


LINES = st.lists(st.sampled_from(["a\t1", "b\t2", "c\t3", "d\t4", "e", ""]), max_size=6)


@given(LINES, LINES)
def test_what_one_side_left_alone_is_as_the_other_has_it(base: list[str], side: list[str]) -> None:
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (base, side))
    assert merge_tables(old, new, old).text == new
    assert merge_tables(old, old, new).text == new
    assert merge_tables(old, new, new).text == new
    for merged in (merge_tables(old, new, old), merge_tables(old, old, new), merge_tables(old, new, new)):
        assert merged.conflicts == ()
