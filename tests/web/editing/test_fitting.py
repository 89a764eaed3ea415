"""What an editor asks of the grammar with every key: words that fit, the lexicon alone, memory that stays bounded."""

from pathlib import Path

from bidui.grammar.lexicon import Lexicon, Word
from bidui.grammar.project import read_project
from bidui.grammar.rules import Condition
from bidui.web.editing.preview import OpenProject
from tests.web.editing.small import open_small


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
