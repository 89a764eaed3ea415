"""Words drawn from the lexicon differ within a side, by form and by concept, unless they are meant to be the same."""

import pytest

from bidui.errors import Place
from bidui.grammar.project import Settings
from bidui.grammar.rules import Lexical, parse_rule

from .small import goods, number_of_pairs, project_of, sentences

PEOPLE = """
expression pos concept gender
小明       N   _       m
小红       N   _       f
妈妈       N   mother  f
母亲       N   mother  f
娘         N   mother/aunt f
阿姨       N   aunt    f
"""
TWO = "slots: {a: pos:N, b: pos:N}\ngood: a 和 b\nbad: 和 a b\n"


def test_two_slots_never_hold_the_same_word() -> None:
    """何太太会把何太太恨一整年 was a sentence of the published benchmark."""
    project = project_of("expression pos\n甲 N\n乙 N\n丙 N\n")
    assert goods(project, TWO) == {"甲和乙", "甲和丙", "乙和甲", "乙和丙", "丙和甲", "丙和乙"}


def test_nor_words_of_one_concept() -> None:
    made = goods(project_of(PEOPLE), TWO)
    assert {good for good in made if good.startswith("妈妈")} == {"妈妈和小明", "妈妈和小红", "妈妈和阿姨"}
    assert {good for good in made if good.startswith("娘")} == {"娘和小明", "娘和小红"}
    # of 6 * 5 ordered pairs: 妈妈-母亲, 妈妈-娘, 母亲-娘, 娘-阿姨 are out, twice each
    assert len(made) == 30 - 8
    assert number_of_pairs(project_of(PEOPLE), TWO) == "22"


def test_words_inside_phrases_differ_too() -> None:
    """这位演员把那九位演员藏在小桥里: the published program compared whole slots only."""
    phrases = "  P:\n    - parts: {det: 这位, n: pos:N}\n"
    project = project_of("expression pos\n甲 N\n乙 N\n", phrases=phrases)
    assert goods(project, "slots: {a: phrase:P, b: phrase:P}\ngood: a 和 b\nbad: 和 a b") == {
        "这位甲和这位乙",
        "这位乙和这位甲",
    }
    assert goods(project, "slots: {a: phrase:P, b: pos:N}\ngood: a 和 b\nbad: 和 a b") == {"这位甲和乙", "这位乙和甲"}


def test_one_form_in_two_rows_is_still_one_form() -> None:
    project = project_of("expression pos\n工作 N\n工作 V\n书 N\n读 V\n")
    assert goods(project, "slots: {n: pos:N, v: pos:V}\ngood: v n\nbad: n v") == {"工作书", "读工作", "读书"}


def test_words_differ_within_a_side_not_across() -> None:
    """The wrong word may be the right word of another pair, and b may equal c: they never meet."""
    project = project_of("expression pos\n甲 N\n乙 N\n丙 N\n")
    made = sentences(project, "slots: {a: pos:N, b: pos:N, c: pos:N}\ngood: a 和 b\nbad: c 和 a")
    assert ("甲和乙", "乙和甲") in made
    assert ("甲和乙", "丙和甲") in made
    assert len(made) == 3 * 2 * 2


def test_the_two_words_of_a_substitution_differ_or_there_would_be_no_contrast() -> None:
    project = project_of("expression pos\n甲 N\n乙 N\n")
    assert sentences(project, "slots: {a: pos:N, b: pos:N}\ngood: a 来\nbad: b 来") == {
        ("甲来", "乙来"),
        ("乙来", "甲来"),
    }


def test_a_slot_named_twice_is_the_same_word_again() -> None:
    """V不V is the same verb, and exempt."""
    project = project_of("expression pos\n看 V\n写 V\n")
    assert sentences(project, "slots: {v: pos:V}\ngood: v 不 v\nbad: v 不") == {("看不看", "看不"), ("写不写", "写不")}


def test_literals_are_exempt() -> None:
    project = project_of("expression pos\n甲 N\n乙 N\n")
    assert goods(project, "slots: {a: pos:N}\ngood: a 甲 了\nbad: a 了 甲") == {"甲甲了", "乙甲了"}
    assert goods(project, "slots: {a: pos:N, b: 甲 乙}\ngood: a 和 b 。\nbad: 和 a b 。") == {
        a + "和" + b + "。" for a in "甲乙" for b in "甲乙"
    }


def test_a_copy_is_exempt_but_only_from_what_it_copies() -> None:
    project = project_of("expression pos\n甲 N\n乙 N\n丙 N\n")
    text = "slots:\n  a: pos:N\n  b: pos:N mPos:a mPro:expression\n  c: pos:N\ngood: a b c\nbad: c a b"
    assert goods(project, text) == {x + x + y for x in "甲乙丙" for y in "甲乙丙" if x != y}


def test_a_repeat_group_may_hold_the_same_word() -> None:
    project = project_of("expression pos\n甲 N\n乙 N\n")
    text = "slots: {a: pos:N, b: pos:N, c: 丙}\ngood: a 和 b c\nbad: a 和 c b\n"
    assert goods(project, text + "repeat: [a, b]") == {a + "和" + b + "丙" for a in "甲乙" for b in "甲乙"}
    assert goods(project, text) == {"甲和乙丙", "乙和甲丙"}


def test_a_repeat_group_binds_nobody_else() -> None:
    project = project_of("expression pos\n甲 N\n乙 N\n丙 N\n")
    text = "slots: {a: pos:N, b: pos:N, c: pos:N}\ngood: a b c\nbad: c b a\nrepeat: [[a, b]]"
    # c differs from both: 3 choices of c, 2 * 2 of the others; a = c is out, so good is never bad
    assert goods(project, text) == {a + b + c for c in "甲乙丙" for a in "甲乙丙" for b in "甲乙丙" if c not in a + b}


def test_two_repeat_groups() -> None:
    project = project_of("expression pos\n甲 N\n乙 N\n看 V\n写 V\n")
    text = "slots: {a: pos:N, b: pos:N, v: pos:V, w: pos:V}\ngood: a v b w\nbad: v a b w\nrepeat: [[a, b], [v, w]]"
    assert number_of_pairs(project, text) == "16"


def test_a_project_says_which_words_may_always_occur_twice() -> None:
    """Classifiers and numerals do in any language that has them."""
    words = "expression pos\n位 M\n个 M\n甲 N\n乙 N\n"
    text = "slots: {m: pos:M, n: pos:N, k: pos:M, o: pos:N}\ngood: m n k o\nbad: n m k o"
    conditions = parse_rule("pos:M/CD", Place()).alternatives[0].rule
    assert isinstance(conditions, Lexical)
    assert number_of_pairs(project_of(words), text) == "4"
    project = project_of(words, settings=Settings("t", repeat=conditions.conditions))
    assert number_of_pairs(project, text) == "8"


def test_what_is_printed_counts_not_only_the_word() -> None:
    """看 as the first syllable of 看见 beside 看 would read like a repetition."""
    project = project_of("expression pos first\n看见 V 看\n喜欢 V 喜\n看 W 看\n写 W 写\n")
    assert goods(project, "slots: {v: pos:V, w: pos:W}\ngood: v@first 不 w\nbad: 不 v@first w") == {
        "看不写",
        "喜不看",
        "喜不写",
    }


@pytest.mark.parametrize(("slots", "expected"), [(2, 10 * 9), (3, 10 * 9 * 8), (4, 10 * 9 * 8 * 7)])
def test_slots_of_one_class_are_counted_without_repetition(slots: int, expected: int) -> None:
    project = project_of("expression pos\n" + "".join(f"词{n} N\n" for n in range(10)))
    names = "abcd"[:slots]
    rules = ", ".join(f"{name}: pos:N" for name in names)
    good = " ".join(names)
    assert number_of_pairs(project, f"slots: {{{rules}}}\ngood: {good} 。\nbad: 。 {good}") == f"{expected:,}"
