"""Variants: several wordings of one contrast, by weight; crossed ones make both directions; linked alternatives."""

from collections import Counter

import pytest

from .small import all_pairs, drawn, kinds, number_of_pairs, problems_of, project_of, sentences

WORDS = project_of("""
expression pos gender
小明       N   m
小红       N   f
小刚       N   m
他         P   m
她         P   f
看         V
写         V
读         V
""")
TWO = """
slots: {n: pos:N, v: pos:V}
variants:
  - name: plain
    good: n v 了
    bad: v n 了
    weight: 2
  - good: 请 n v 吧
    bad: 请 v n 吧
"""


def test_the_pairs_of_all_variants_are_pairs_of_the_paradigm() -> None:
    pairs = all_pairs(WORDS, TWO)
    assert Counter(pair.variant for pair in pairs) == {"plain": 9, "2": 9}  # without a name, its number
    assert number_of_pairs(WORDS, TWO) == "18"
    assert ("请小明看吧", "请看小明吧") in {(pair.good, pair.bad) for pair in pairs}


def test_variants_are_drawn_by_weight_exactly() -> None:
    made = drawn(WORDS, TWO, 12)
    assert Counter(pair.variant for pair in made) == {"plain": 8, "2": 4}
    assert [pair.pair_id for pair in made] == list(range(12))


def test_when_one_variant_is_used_up_the_others_go_on() -> None:
    text = TWO.replace("weight: 2", "weight: 50")
    made = drawn(WORDS, text, 18)
    assert Counter(pair.variant for pair in made) == {"plain": 9, "2": 9}
    assert not made.short


def test_a_pair_that_two_variants_make_is_counted_and_drawn_once() -> None:
    text = """
variants:
  - slots: {n: 小明 小红}
    good: n 来
    bad: 来 n
  - slots: {n: 小红 小刚}
    good: n 来
    bad: 来 n
"""
    assert number_of_pairs(WORDS, text) == "3"
    assert len(drawn(WORDS, text, 10)) == 3


def test_a_variant_may_have_slots_of_its_own_and_overrule_shared_ones() -> None:
    text = """
slots: {n: pos:N, v: expression:看}
variants:
  - {good: n v, bad: v n}
  - slots: {n: pos:P, p: 吧}
    good: n v p
    bad: n p v
"""
    assert sentences(WORDS, text) == {
        *((f"{n}看", f"看{n}") for n in ("小明", "小红", "小刚")),
        *((f"{n}看吧", f"{n}吧看") for n in "他她"),
    }


def test_crossed_makes_both_directions() -> None:
    """Otherwise 他 would always be right and 她 always wrong, and a model could tell the sides by the word."""
    text = """
slots:
  n: pos:N
  right: expression:他 mPos:n mPro:gender
  wrong: expression:她 mmPos:n mmPro:gender
good: n right
bad: n wrong
"""
    assert sentences(WORDS, text) == {("小明他", "小明她"), ("小刚他", "小刚她")}
    assert sentences(WORDS, text + "crossed: true") == {
        *(("小明他", "小明她"), ("小刚他", "小刚她")),
        ("小红她", "小红他"),
    }
    assert number_of_pairs(WORDS, text + "crossed: true") == "3"


def test_crossed_words_take_turns_on_the_good_side() -> None:
    text = "slots: {v: pos:V, a: 他, b: 她}\ngood: a v\nbad: b v\ncrossed: true"
    made = drawn(WORDS, text, 6)
    assert Counter(pair.good[0] for pair in made) == Counter(pair.bad[0] for pair in made) == {"他": 3, "她": 3}


def test_linked_alternatives_go_together() -> None:
    """The n-th here goes with the n-th there."""
    text = "slots:\n  a: 小明 | 小红\n  b: 他 | 她\ngood: a b\nbad: b a\n"
    assert sentences(WORDS, text + "link: [a, b]") == {("小明他", "他小明"), ("小红她", "她小红")}
    assert len(sentences(WORDS, text)) == 4
    assert number_of_pairs(WORDS, text + "link: [a, b]") == "2"


def test_three_slots_may_be_linked_and_other_slots_are_free() -> None:
    text = """
slots:
  a: 小明 | pos:V
  b: 他 | 吗
  c: '"" | 呢'
  d: 甲 | 乙
good: a b c d
bad: b a c d
link: [a, b, c]
"""
    assert {good for good, _ in sentences(WORDS, text)} == {
        *("小明他甲", "小明他乙"),
        *(v + "吗呢" + d for v in "看写读" for d in "甲乙"),
    }


def test_two_groups_of_links_are_independent() -> None:
    text = """
slots:
  a: 甲 | 乙
  b: 丙 | 丁
  c: 戊 | 己
  d: 庚 | 辛
good: a b c d
bad: b a c d
link: [[a, b], [c, d]]
"""
    assert {good for good, _ in sentences(WORDS, text)} == {"甲丙戊庚", "甲丙己辛", "乙丁戊庚", "乙丁己辛"}


def test_linked_alternatives_follow_the_weights_of_the_first() -> None:
    text = "slots:\n  a: 2* 甲 | 乙\n  b: 丙 | 丁\n  v: pos:V\n  n: pos:N\ngood: a b v n\nbad: b a v n\nlink: [a, b]"
    made = drawn(WORDS, text, 9)
    assert Counter(pair.good[:2] for pair in made) == {"甲丙": 6, "乙丁": 3}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("slots: {a: 甲 | 乙, b: 丙}\ngood: a b\nbad: b a\nlink: [a, b]", "linked-unequal"),
        ("slots: {a: 甲, b: 丙}\ngood: a b\nbad: b a\ncrossed: true", "crossed-form"),
        ("slots: {a: 甲, b: 丙, c: 丁}\ngood: a b\nbad: c\ncrossed: true", "crossed-form"),
        ("slots: {a: 甲, b: pos:N}\ngood: a 来\nbad: b 来\ncrossed: true", "crossed-form"),
        ("slots: {a: pos:N | pos:P, b: pos:P}\ngood: a 来\nbad: b 来\ncrossed: true", "crossed-form"),
    ],
)
def test_what_cannot_be_linked_or_crossed_is_refused(text: str, kind: str) -> None:
    assert kinds(problems_of(WORDS, text)) == [kind]
