"""Links: what two slots must have in common, must not, or must stand together as in a relation."""

from dataclasses import replace

import pytest

from bidui.grammar.lexicon import parse_relation

from .small import bads, drawn, goods, kinds, number_of_pairs, problems_of, project_of, sentences

CLASSIFIERS = project_of("""
expression pos classifier
红酒       N   瓶/杯
书         N   本
空气       N
瓶         M   瓶
杯         M   杯
本         M   本
条         M   条
阵         M
""")


def test_mismatched_classifier_shares_no_value_with_the_noun() -> None:
    """红酒 takes 瓶 and 杯; offering 杯 as the wrong one was a fault of the published benchmark."""
    text = """
slots:
  noun: 红酒
  m: pos:M mPos:noun mPro:classifier
  x: pos:M mmPos:noun mmPro:classifier
good: 一 m noun
bad: 一 x noun
"""
    assert goods(CLASSIFIERS, text) == {"一瓶红酒", "一杯红酒"}
    assert bads(CLASSIFIERS, text) == {"一本红酒", "一条红酒"}


def test_a_blank_cell_neither_matches_nor_mismatches() -> None:
    """空气 has no classifier, and 阵 is none's: nothing is known of them, so nothing is claimed."""
    text = """
slots:
  noun: pos:N
  m: pos:M mPos:noun mPro:classifier
  x: pos:M mmPos:noun mmPro:classifier
good: 一 m noun
bad: 一 x noun
"""
    assert goods(CLASSIFIERS, text) == {"一瓶红酒", "一杯红酒", "一本书"}
    assert bads(CLASSIFIERS, text) == {"一本红酒", "一条红酒", "一瓶书", "一杯书", "一条书"}


PEOPLE = project_of("""
expression pos gender number
小明       NR  male   one
小红       NR  female one
他         PN  male   one
她         PN  female one
他们       PN  male   many
她们       PN  female many
大家       PN  _      many
""")


def test_several_properties_are_matched_each() -> None:
    text = "slots:\n  who: pos:NR\n  self: pos:PN mPos:who mPro:gender/number\ngood: who self\nbad: self who"
    assert goods(PEOPLE, text) == {"小明他", "小红她"}


def test_several_properties_are_mismatched_each() -> None:
    """One that still agrees in number is not wrong enough."""
    text = "slots:\n  who: pos:NR\n  self: pos:PN mmPos:who mmPro:gender/number\ngood: who self\nbad: self who"
    assert goods(PEOPLE, text) == {"小明她们", "小红他们"}


def test_match_and_mismatch_on_different_properties_hold_together() -> None:
    rule = "pos:PN mPos:who mPro:gender mmPos:who mmPro:number"
    assert goods(PEOPLE, f"slots:\n  who: pos:NR\n  self: {rule}\ngood: who self\nbad: self who") == {
        "小明他们",
        "小红她们",
    }


def test_two_links_of_one_slot_hold_together() -> None:
    text = """
slots:
  a: pos:NR
  b: pos:PN number:many
  c: pos:PN mPos:a mPro:gender mPos:b mPro:number
good: a b c
bad: a c b
"""
    assert goods(PEOPLE, text) == {"小明她们他们", "小明大家他们", "小红他们她们", "小红大家她们"}


SELECTION = project_of("""
expression pos takes       class
喝         V   drink
买         V   drink/book
读         V   book
酒         N   _     drink
书         N   _     book
酒谱       N   _     drink/book
""")


def test_a_feature_may_be_matched_with_another() -> None:
    """What a verb takes is the class of its object; the same table need not be written twice."""
    text = "slots:\n  v: pos:V takes:* mPos:n mPro:takes=class\n  n: pos:N\ngood: v n\nbad: n v"
    assert goods(SELECTION, text) == {"喝酒", "喝酒谱", "买酒", "买书", "买酒谱", "读书", "读酒谱"}
    text = "slots:\n  v: pos:V mmPos:n mmPro:takes=class\n  n: pos:N\ngood: n v\nbad: v n"
    assert bads(SELECTION, text) == {"喝书", "读酒"}


SHARED = project_of("""
expression pos f
甲         A   1/2
乙         A   1/3
丙         B   2/3
丁         B   1/2/3
戊         C   1/3
己         C   2
""")


def test_slots_linked_two_by_two_need_not_share_one_value() -> None:
    """甲 and 丙 share 2, 丙 and 戊 share 3, 戊 and 甲 share 1."""
    text = """
slots:
  a: pos:A
  b: pos:B mPos:a mPro:f
  c: pos:C mPos:a mPro:f mPos:b mPro:f
good: a b c
bad: c b a
"""
    assert "甲丙戊" in goods(SHARED, text)


def test_a_named_link_is_one_value_for_all() -> None:
    text = """
slots:
  a: pos:A
  b: pos:B mPos:a mPro:f#1
  c: pos:C mPos:b mPro:f#1
good: a b c
bad: c b a
"""
    # 甲丙己 2; 甲丁戊 1; 甲丁己 2; 乙丙戊 3; 乙丁戊 1 or 3
    assert goods(SHARED, text) == {"甲丙己", "甲丁戊", "甲丁己", "乙丙戊", "乙丁戊"}


def test_two_names_are_two_values() -> None:
    text = """
slots:
  a: pos:A
  b: pos:B mPos:a mPro:f#1
  c: pos:C mPos:b mPro:f#2
good: a b c
bad: c b a
"""
    # every pair of 甲/乙 and 丙/丁 shares a value, and so does every pair of 丙/丁 and 戊/己
    assert goods(SHARED, text) == {a + b + c for a in "甲乙" for b in "丙丁" for c in "戊己"}


def test_a_copy_is_the_same_word_again_and_may_be() -> None:
    """`mPro:expression` makes a copy, exempt from distinctness; `mmPro:expression` another word."""
    text = "slots:\n  a: pos:NR\n  b: pos:NR mPos:a mPro:expression\ngood: a 和 b\nbad: b a 和"
    assert goods(PEOPLE, text) == {"小明和小明", "小红和小红"}
    text = "slots:\n  a: pos:NR\n  b: pos:NR mmPos:a mmPro:expression\ngood: a 和 b\nbad: b a 和"
    assert goods(PEOPLE, text) == {"小明和小红", "小红和小明"}


def test_words_of_the_rule_itself_have_their_features() -> None:
    text = "slots:\n  who: 小明 小红\n  self: pos:PN number:one mPos:who mPro:gender\ngood: who self\nbad: self who"
    assert goods(PEOPLE, text) == {"小明他", "小红她"}


def test_words_can_be_matched_by_form_without_being_in_the_lexicon() -> None:
    text = "slots:\n  a: 甲 乙\n  b: pos:PN mmPos:a mmPro:expression\ngood: a b\nbad: b a"
    assert len(goods(PEOPLE, text)) == 10


def test_matching_a_word_that_is_not_in_the_lexicon_is_an_error() -> None:
    text = "slots:\n  a: 甲 小明\n  b: pos:PN mPos:a mPro:gender\ngood: a b\nbad: b a"
    (problem,) = problems_of(PEOPLE, text)
    assert problem.kind == "literal-not-in-lexicon"
    assert problem.values["word"] == "甲"


def test_a_number_counts_the_items_of_the_line_the_slot_stands_in() -> None:
    """As in the papers, from 0, literals included; on the bad side it counts in the bad line."""
    text = """
slots:
  a: pos:NR
  b: pos:PN number:one mPos:1 mPro:gender
  c: pos:PN number:one mPos:2 mPro:gender
good: 请 a b
bad: 请 c a
"""
    assert sentences(PEOPLE, text) == {("请小明他", "请他小明"), ("请小红她", "请她小红")}


def test_a_slot_in_both_lines_counts_in_the_good_one() -> None:
    text = "slots:\n  a: pos:NR\n  b: pos:PN number:one mPos:0 mPro:gender\ngood: a b\nbad: 请 b a"
    assert goods(PEOPLE, text) == {"小明他", "小红她"}


FILLS = """
box  thing@class verb
瓶子 drink       倒/灌
箱子 book        装
箱子 drink       搬
"""
EVENTS = project_of(
    """
expression pos class
瓶子       B
箱子       B
酒         N   drink
水         N   drink
书         N   book
灯         N
倒         V
灌         V
装         V
搬         V
""",
    relations={"fills": FILLS, "holds": "a b\n瓶子 酒\n箱子 书/灯\n"},
)


def test_a_relation_of_three_links_three_slots_row_by_row() -> None:
    text = """
slots:
  box: pos:B
  thing: pos:N
  verb: pos:V rel:fills(box, thing, verb)
good: verb box thing
bad: box verb thing
"""
    assert goods(EVENTS, text) == {
        *("倒瓶子酒", "灌瓶子酒", "倒瓶子水", "灌瓶子水"),
        *("装箱子书", "搬箱子酒", "搬箱子水"),
    }


def test_a_relation_of_two_is_a_list_of_pairs() -> None:
    text = "slots:\n  box: pos:B\n  thing: pos:N rel:holds(box, thing)\ngood: box thing\nbad: thing box"
    assert goods(EVENTS, text) == {"瓶子酒", "箱子书", "箱子灯"}


def test_a_column_of_a_relation_can_be_passed_over() -> None:
    """By hand from the three rows of `fills`: which verbs go with which boxes, whatever is filled in."""
    text = "slots:\n  box: pos:B\n  verb: pos:V rel:fills(box, _, verb)\ngood: verb box\nbad: box verb"
    assert goods(EVENTS, text) == {"倒瓶子", "灌瓶子", "装箱子", "搬箱子"}


def test_a_blank_cell_of_a_relation_goes_with_no_word() -> None:
    holds = "a b\n瓶子 酒\n箱子 \n".replace(" ", "\t")
    events = replace(EVENTS, relations={"holds": parse_relation(holds, name="holds", file="holds.tsv")[0]})
    text = "slots:\n  box: pos:B\n  thing: pos:N rel:holds(box, thing)\ngood: box thing\nbad: thing box"
    assert goods(events, text) == {"瓶子酒"}


def test_a_relation_and_a_match_hold_together() -> None:
    text = """
slots:
  box: pos:B
  thing: pos:N rel:holds(box, thing)
  more: pos:N mPos:thing mPro:class
good: box thing more
bad: more box thing
"""
    assert goods(EVENTS, text) == {"瓶子酒水"}


def test_a_link_to_alternatives_holds_for_whichever_is_taken() -> None:
    text = """
slots:
  who: pos:NR | pos:PN number:many
  self: pos:PN number:one mPos:who mPro:gender
good: who self
bad: self who
"""
    assert goods(PEOPLE, text) == {"小明他", "小红她", "他们他", "她们她"}


def test_a_link_in_one_alternative_binds_only_there() -> None:
    text = """
slots:
  who: pos:NR
  self: pos:PN number:one mPos:who mPro:gender | pos:PN number:many
good: who self
bad: self who
"""
    assert goods(PEOPLE, text) == {
        *("小明他", "小红她"),
        *(who + self for who in ("小明", "小红") for self in ("他们", "她们", "大家")),
    }


def test_links_that_share_nothing_give_no_pairs_and_the_reason() -> None:
    text = "slots:\n  n: 书\n  v: 喝 mPos:n mPro:takes=class\ngood: v n\nbad: n v"
    assert kinds(problems_of(SELECTION, text)) == ["words-among-features"]
    text = "slots:\n  n: expression:书\n  v: expression:喝 mPos:n mPro:takes=class\ngood: v n\nbad: n v"
    made = drawn(SELECTION, text, 5)
    assert list(made) == []
    (short,) = made.short
    assert (short.asked, short.given, short.uid) == (5, 0, "small")
    assert (
        "`mPos:n mPro:takes=class`: no word here shares a value with n; values here: drink; values there: book"
        in short.reason
    )


def test_a_mismatch_that_never_differs_is_given_as_the_reason() -> None:
    text = "slots:\n  a: expression:小明\n  b: expression:他 mmPos:a mmPro:gender\ngood: a b\nbad: b a"
    (short,) = drawn(PEOPLE, text, 5).short
    assert "every word here shares a value with every word of a" in short.reason


@pytest.mark.parametrize("share", ["mPro:f#1", "mPro:f"])
def test_conditional_shares_are_refused_and_plain_matches_are_not(share: str) -> None:
    """With a name, which slots share the value would change with the alternative; that is for the author to say."""
    text = f"""
slots:
  a: pos:A
  b: pos:B
  c: pos:C mPos:a {share} | pos:A mPos:b {share}
  d: pos:C mPos:b {share}
good: a b c d
bad: d c b a
"""
    assert set(kinds(problems_of(SHARED, text))) == ({"share-conditional"} if "#" in share else set())


def test_slots_share_a_value_only_where_the_rule_that_says_so_is_taken() -> None:
    """a and b have nothing in common: with 丙, which shares f with both, there is no pair, and with 丁 there is one."""
    project = project_of("expression pos f\n甲 A x\n乙 B y\n丙 C x/y\n")
    text = "slots:\n  a: pos:A\n  b: pos:B\n  c: pos:C mPos:a mPro:f#1 mPos:b mPro:f#1 | 丁\ngood: a b c\nbad: c b a"
    assert goods(project, text) == {"甲乙丁"}
    assert number_of_pairs(project, text) == "1"
