"""Phrases: alternatives with parts and a head; they nest, take conditions and links, and recur to a stated depth."""

import pytest

from .small import drawn, goods, kinds, number_of_pairs, problems_of, project_of, sentences

WORDS = """
expression pos gender classifier
小明       NR  male
小红       NR  female
先生       NN  male   位
女士       NN  female 位
狗         NA  _      只
他         PN  male
她         PN  female
位         M   _      位
只         M   _      只
"""
PERSON = """
  Person:
    - pos:NR
    - parts: {det: 这, m: 'pos:M mPos:noun mPro:classifier', noun: pos:NN}
      head: noun
"""
FOUR = {"小明", "小红", "这位先生", "这位女士"}


def test_a_phrase_is_one_of_its_alternatives_with_links_inside() -> None:
    project = project_of(WORDS, phrases=PERSON)
    assert goods(project, "slots: {who: phrase:Person}\ngood: who 来\nbad: 来 who") == {who + "来" for who in FOUR}


def test_a_line_orders_the_parts_and_adds_words() -> None:
    project = project_of(WORDS, phrases="  P:\n    - parts: {a: pos:NR, b: pos:PN}\n      line: b 和 a 都\n")
    assert goods(project, "slots: {p: phrase:P}\ngood: p 来\nbad: 来 p") == {
        *("他和小明都来", "他和小红都来", "她和小明都来", "她和小红都来"),
    }


def test_a_part_named_twice_in_a_line_is_the_same_word_again() -> None:
    project = project_of(WORDS, phrases="  P:\n    - parts: {a: pos:NR}\n      line: a 不 a\n")
    assert goods(project, "slots: {p: phrase:P}\ngood: p 来\nbad: 来 p") == {"小明不小明来", "小红不小红来"}


def test_a_link_reaches_the_head_of_whichever_alternative_is_taken() -> None:
    """The published language could not point into a phrase, so its anaphora had no complex antecedents."""
    project = project_of(WORDS, phrases=PERSON)
    text = """
slots:
  who: phrase:Person
  right: pos:PN mPos:who.head mPro:gender
  wrong: pos:PN mmPos:who.head mmPro:gender
good: who right
bad: who wrong
"""
    assert sentences(project, text) == {
        ("小明他", "小明她"),
        ("小红她", "小红他"),
        ("这位先生他", "这位先生她"),
        ("这位女士她", "这位女士他"),
    }


def test_a_part_may_be_linked_and_printed_by_its_name() -> None:
    """A reordering inside a phrase needs no flattening."""
    project = project_of(WORDS, phrases="  P:\n    - parts: {det: 这, m: 只, noun: pos:NA}\n      head: noun\n")
    text = "slots: {p: phrase:P}\ngood: p.det p.m p.noun\nbad: p.noun p.det p.m"
    assert sentences(project, text) == {("这只狗", "狗这只")}
    text = "slots: {p: phrase:P, x: 'pos:M mPos:p.noun mPro:classifier'}\ngood: p x\nbad: x p.head"
    assert sentences(project, text) == {("这只狗只", "只狗")}


def test_conditions_may_be_added_to_a_part_or_to_the_head() -> None:
    project = project_of(WORDS, phrases=PERSON)
    text = "slots: {{who: '{}'}}\ngood: who 来\nbad: 来 who"
    assert goods(project, text.format("phrase:Person head:<gender:female>")) == {"小红来", "这位女士来"}
    only = project_of(WORDS, phrases="  P:\n    - parts: {a: pos:NR, b: pos:PN}\n")
    assert goods(only, text.format("phrase:P a:<gender:male> b:<gender:female>")) == {"小明她来"}
    assert goods(only, text.format("phrase:P 0:<gender:male>")) == {"小明他来", "小明她来"}
    assert goods(only, text.format("phrase:P -1:<gender:male>")) == {"小明他来", "小红他来"}


def test_a_link_outward_is_written_where_the_phrase_is_used() -> None:
    project = project_of(WORDS, phrases="  P:\n    - parts: {a: 和, b: pos:PN}\n      head: b\n")
    text = "slots:\n  who: pos:NR\n  p: phrase:P b:<mPos:who mPro:gender>\ngood: who p\nbad: p who"
    assert goods(project, text) == {"小明和他", "小红和她"}
    text = "slots:\n  who: pos:NR\n  p: phrase:P head:<mmPos:who mmPro:gender>\ngood: who p\nbad: p who"
    assert goods(project, text) == {"小明和她", "小红和他"}


NESTED = (
    PERSON
    + """
  Pair:
    - parts: {one: phrase:Person, two: phrase:Person}
      line: one 和 two
      head: two
  Either:
    - phrase:Person
    - phrase:Pair
"""
)


def test_phrases_nest_and_their_heads_are_followed() -> None:
    project = project_of(WORDS, phrases=NESTED)
    text = "slots:\n  who: phrase:Either head:<gender:male>\ngood: who 来\nbad: 来 who"
    single = {"小明来", "这位先生来"}
    # the head of a pair is its second; 位 may not occur twice, nor may the person
    pairs = {"小红和小明来", "这位女士和小明来", "这位先生和小明来", "小明和这位先生来", "小红和这位先生来"}
    assert goods(project, text) == single | pairs


def test_a_path_leads_into_inner_phrases() -> None:
    project = project_of(WORDS, phrases=NESTED)
    text = "slots:\n  p: phrase:Pair\n  x: pos:PN mPos:p.one.head mPro:gender\ngood: p x\nbad: x p.two"
    made = goods(project, text)
    assert "小明和小红他" in made and "小红和这位先生她" in made
    assert not any(good.startswith("小明和") and good.endswith("她") for good in made)
    # 小明, 小红, 这位先生, 这位女士 in two places, all different, 位 only once: 4 * 3 - 2
    assert len(made) == 10


RECURSIVE = """
  NP:
    depth: {}
    alternatives:
      - pos:NR
      - parts: {{of: phrase:NP, noun: pos:NN}}
        line: of 的 noun
        head: noun
"""


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_phrase_recurs_to_its_stated_depth_and_no_further(depth: int) -> None:
    """Two names, two nouns, no word twice: so at most two 的, whatever the depth."""
    project = project_of(WORDS, phrases=RECURSIVE.format(depth))
    expected = {"小明", "小红"}
    expected |= {f"{name}的{noun}" for name in ("小明", "小红") for noun in ("先生", "女士")}
    if depth >= 2:
        for name in ("小明", "小红"):
            expected |= {f"{name}的先生的女士", f"{name}的女士的先生"}
    assert goods(project, "slots: {np: phrase:NP}\ngood: np 来\nbad: 来 np") == {np + "来" for np in expected}


def test_the_exact_sentences_of_a_recursion_with_repetition_allowed() -> None:
    """a^n b^n: the classic that no finite list of nested phrases gives for every depth."""
    phrases = "  S:\n    depth: 3\n    alternatives:\n      - 'ab'\n      - parts: {l: a, s: phrase:S, r: b}\n"
    project = project_of(WORDS, phrases=phrases)
    made = goods(project, "slots: {s: phrase:S}\ngood: s 。\nbad: 。 s")
    assert made == {"ab。", "aabb。", "aaabbb。", "aaaabbbb。"}


def test_two_phrases_may_recur_through_each_other() -> None:
    phrases = """
  A:
    depth: 1
    alternatives: [甲, {parts: {x: 甲, y: phrase:B}}]
  B:
    depth: 1
    alternatives: [乙, {parts: {x: 乙, y: phrase:A}}]
"""
    made = goods(project_of(WORDS, phrases=phrases), "slots: {s: phrase:A}\ngood: s 。\nbad: 。 s")
    # A may open twice and B twice: 甲, 甲乙, 甲乙甲, 甲乙甲乙
    assert made == {"甲。", "甲乙。", "甲乙甲。", "甲乙甲乙。"}


def test_a_phrase_without_a_depth_may_not_stand_in_itself() -> None:
    project = project_of(WORDS, phrases="  B: [phrase:A]\n  C: [phrase:B]\n  A:\n    - parts: {x: 的, y: phrase:C}\n")
    (problem,) = problems_of(project, "slots: {s: phrase:A, t: phrase:C}\ngood: s t\nbad: t s")
    assert problem.kind == "phrase-cycle"
    assert problem.values["path"] == "B > A > C > B"  # by nesting, from the first in the file


def test_a_phrase_that_always_holds_itself_has_no_end() -> None:
    project = project_of(WORDS, phrases="  NP:\n    depth: 2\n    alternatives: [{parts: {x: 的, y: phrase:NP}}]\n")
    (problem,) = problems_of(project, "slots: {s: phrase:NP}\ngood: s 了\nbad: 了 s")
    assert (problem.kind, problem.values["phrase"]) == ("phrase-endless", "NP")


def test_an_alternative_that_may_be_nothing_prints_nothing() -> None:
    project = project_of(WORDS, phrases="  P:\n    - parts: {a: '很 | \"\"', b: 好}\n")
    assert goods(project, "slots: {p: phrase:P}\ngood: p 了\nbad: 了 p") == {"很好了", "好了"}


def test_the_weights_of_alternatives_hold_inside_phrases() -> None:
    phrases = "  P:\n    - parts: {a: 甲, b: pos:PN}\n      weight: 3\n    - parts: {a: 乙, b: pos:PN}\n"
    text = "slots: {p: phrase:P, n: pos:NN/NR}\ngood: p n\nbad: n p"
    made = drawn(project_of(WORDS, phrases=phrases), text, 8)
    assert sum(pair.good.startswith("甲") for pair in made) == 6


def test_a_phrase_may_be_one_rule_with_bars_and_weights() -> None:
    project = project_of(WORDS, phrases="  P: 2* pos:NR | pos:PN | 自己\n")
    assert number_of_pairs(project, "slots: {p: phrase:P}\ngood: p 来\nbad: 来 p") == "5"


@pytest.mark.parametrize(
    ("slots", "kind"),
    [
        ("{p: phrase:Q}", "phrase-unknown"),
        ("{p: 'phrase:Person foot:<pos:NN>'}", "part-unknown"),
        ("{p: phrase:Person, x: 'pos:PN mPos:p mPro:gender'}", "link-to-phrase"),
        ("{p: phrase:Person, x: 'pos:PN mPos:p.det mPro:gender'}", "part-unknown"),
        ("{p: phrase:Headless, x: 'pos:PN mPos:p.head mPro:gender'}", "head-missing"),
        ("{p: 'phrase:Headless head:<pos:NN>'}", "head-missing"),
        ("{p: 'phrase:Empty', x: 'pos:PN mPos:p.head mPro:gender'}", "link-to-empty"),
        ("{p: 'phrase:Person head:<gender:mael>'}", "value-unknown"),
    ],
)
def test_what_a_phrase_cannot_give_is_refused(slots: str, kind: str) -> None:
    more = '  Headless:\n    - parts: {a: pos:NR, b: pos:PN}\n  Empty: pos:NR | ""\n'
    project = project_of(WORDS, phrases=PERSON + more)
    x = "x" if "x:" in slots else "来"
    found = problems_of(project, f"slots: {slots}\ngood: p {x}\nbad: {x} p")
    assert set(kinds(found)) == {kind}
    if kind == "value-unknown":  # where the condition was added, not where the phrase is defined
        assert found[0].place.file == "small.yaml" and found[0].place.part == 'slot "p"'
