"""Each row says how many words fit it, alone and with the others, and what is to blame where none does."""

from pathlib import Path

import pytest

from bidui.grammar.lexicon import Lexicon, Word
from bidui.grammar.project import read_project
from bidui.grammar.rules import Condition
from bidui.web.editing.fitting import Narrowing, SlotWords, slot_words
from bidui.web.editing.paradigm import read_rows
from bidui.web.editing.preview import OpenProject
from tests.web.editing.small import CLASSIFIER, GENDER, open_small


def test_a_lexicon_does_not_remember_every_condition_it_was_asked(tmp_path: Path) -> None:
    """A server is asked for others with every key, for weeks; the answers stay right."""
    lexicon = Lexicon((Word(0, "猫", {"pos": frozenset(("NN",))}),), ("pos",))
    for number in range(10_000):
        assert lexicon.bits([Condition("pos", "any", (f"x{number}",))]) == 0
    assert lexicon.bits([Condition("pos", "any", ("NN",)), Condition("pos", "has")]) == 1
    assert len(lexicon._bits) < 5_000


def test_a_project_can_be_read_without_its_paradigms(tmp_path: Path) -> None:
    """Whoever has the paradigm's text needs the lexicon only, which takes a third of the time."""
    open_small(tmp_path)
    whole, part = read_project(tmp_path / "small"), read_project(tmp_path / "small", paradigms=False)
    assert (len(whole.paradigms), part.paradigms) == (2, ())
    assert (part.lexicon, part.phrases, part.relations) == (whole.lexicon, whole.phrases, whole.relations)


def test_the_words_of_a_rule_are_found_while_half_of_it_is_missing(small: OpenProject) -> None:
    def forms(rule: str, *path: str) -> list[str]:
        return [word.form for word in small.fitting.lexicon.rows(small.fitting.rule(rule, path))]

    assert forms("pos:VV") == ["看", "喝"]
    assert forms("pos:VV takes:") == ["看", "喝"]  # not finished
    assert forms("pos:VV colour:red") == ["看", "喝"]  # the lexicon has no colours
    assert forms("pos:VV | 红酒 书") == ["书", "红酒", "看", "喝"]
    assert forms("phrase:Person") == ["王先生", "李太太", "张老师", "妈妈", "爸爸"]
    assert forms("phrase:Person", "head") == forms("phrase:Person")
    assert forms("phrase:Person head:<gender:male>") == ["王先生", "张老师", "爸爸"]
    assert forms("phrase:Nobody") == []


def words(text: str, small: OpenProject) -> dict[tuple[int, str], SlotWords]:
    compiled = small.compiled(text, name="x")
    found = slot_words(read_rows(text), fitting=small.fitting, paradigm=compiled.paradigm, networks=compiled.networks)
    return {(one.wording, one.slot): one for one in found}


def test_words_are_counted_alone_and_together(small: OpenProject) -> None:
    """Four names; 小林 has no gender, 张老师 has both, so that no pronoun is wrong with it: two are left."""
    found = words(GENDER, small)
    assert found[0, "who"] == SlotWords("who", 0, 4, 2, ("王先生", "李太太"))
    assert found[0, "wrong"] == SlotWords("wrong", 0, 2, 2, ("他", "她"))


def test_shared_slots_are_counted_in_each_variant(small: OpenProject) -> None:
    """Of the verbs, the relation knows both; of the classifiers 条 fits nothing."""
    found = words(CLASSIFIER, small)
    assert [found[n, "thing"].joint for n in (0, 1)] == [4, 4]
    assert [found[n, "verb"].joint for n in (0, 1)] == [2, 2]
    assert found[0, "right"] == SlotWords("right", 0, 4, 3, ("本", "瓶", "杯"))
    assert (0, "who") not in found
    assert found[1, "who"].alone == 5  # three names with a gender, 妈妈 and 爸爸: the heads
    assert found[1, "who"].joint == 5


def test_a_relation_narrows_the_words_that_are_left(small: OpenProject) -> None:
    text = CLASSIFIER.replace("pos:NN kind:thing", "pos:NN kind:thing class:read")
    found = words(text, small)
    assert (found[0, "verb"].alone, found[0, "verb"].joint) == (2, 1)
    assert found[0, "verb"].examples == ("看",)


def test_the_culprit_is_seen_where_no_word_fits(small: OpenProject) -> None:
    text = GENDER.replace("who: pos:NR", "who: pos:NR kind:kin gender:female")
    assert words(text, small)[0, "who"].narrowings == (
        Narrowing("pos:NR", alone=4, without=1),  # 妈妈
        Narrowing("kind:kin", alone=2, without=2),  # 李太太, 张老师
        Narrowing("gender:female", alone=4, without=0),
    )


def test_a_link_that_leaves_nothing_is_seen(small: OpenProject) -> None:
    """本 and its like have no gender to agree in."""
    text = GENDER.replace("right: pos:PN mPos:who mPro:gender", "right: pos:M mPos:who mPro:gender")
    found = words(text, small)[0, "right"]
    assert (found.alone, found.joint) == (4, 0)
    assert found.narrowings[-1] == Narrowing("mPos:who mPro:gender", alone=0, without=4)


def test_a_link_that_nothing_meets_is_told_once(small: OpenProject) -> None:
    """Only the slot whose link is impossible has no words; the others show what fits their rules."""
    text = CLASSIFIER.replace("rel:acts(verb, thing)", "rel:acts(verb, thing) mPos:thing mPro:kind=classifier")
    found = words(text, small)
    impossible = (Narrowing("mPos:thing mPro:kind=classifier", alone=0, without=2),)
    for wording in (0, 1):
        assert (found[wording, "verb"].joint, found[wording, "verb"].narrowings) == (0, impossible)
        others = [found[wording, name] for name in ("thing", "right", "wrong")]
        assert [(slot.alone, slot.joint, slot.narrowings) for slot in others] == [(4, None, ())] * 3
        assert others[0].examples == ("书", "词典", "红酒", "咖啡")


def test_links_that_exclude_each_other_are_told_at_the_first_of_them(small: OpenProject) -> None:
    """看 goes with things to read, 杯 with things to drink: each link has its words, together they have none."""
    text = CLASSIFIER.replace("pos:VV rel", "pos:VV expression:看 rel")
    text = text.replace("right: pos:M ", "right: pos:M expression:杯 ")
    found = words(text, small)
    assert found[0, "verb"].narrowings == (Narrowing("rel:acts(verb, thing)", alone=0, without=1),)
    assert [found[0, name].joint for name in ("verb", "thing", "right", "wrong")] == [0, None, None, None]


def test_an_alternative_that_nothing_meets_leaves_the_others(small: OpenProject) -> None:
    text = GENDER.replace("right: pos:PN mPos", "right: pos:M mPos:who mPro:gender | pos:PN mPos")
    found = words(text, small)
    assert (found[0, "right"].joint, found[0, "right"].examples, found[0, "who"].joint) == (2, ("他", "她"), 2)


def test_half_typed_paradigms_still_count_their_rules(small: OpenProject) -> None:
    text = GENDER.replace("right: pos:PN mPos:who mPro:gender", "right: 'pos:PN mPos:'")
    found = words(text, small)
    assert (found[0, "who"].alone, found[0, "who"].joint) == (4, None)
    assert found[0, "right"].alone == 2


@pytest.mark.parametrize("rule", ["'刚才 mPos:wrong mPro'", "'pos:'", "", "''"])
def test_a_rule_that_says_nothing_yet_is_not_said_to_fit_every_word(rule: str, small: OpenProject) -> None:
    """Under an error, "18 words fit" would read as if the rule were understood."""
    found = words(GENDER.replace("who: pos:NR", f"who: {rule}"), small)
    assert (0, "who") not in found and found[0, "right"].alone == 2


def test_words_written_in_a_rule_count_too(small: OpenProject) -> None:
    text = GENDER.replace("who: pos:NR", "who: 某人 小林 | pos:NR gender:male")
    assert words(text, small)[0, "who"].alone == 4  # 某人, 小林, 王先生, 张老师
