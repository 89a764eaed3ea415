"""Giveaways: what can be told apart without grammar, and what cannot."""

from bidui.pairs import Pair, told_apart


def pairs(*sides: tuple[str, str]) -> list[Pair]:
    return [Pair(good, bad, "u", "p", n) for n, (good, bad) in enumerate(sides)]


NOUNS = "茶书饭鱼花车门灯伞笔碗帽鞋琴画"


def test_a_reordering_gives_nothing_away() -> None:
    assert told_apart(pairs(*((f"我买{n}", f"{n}买我") for n in NOUNS))) == 0.5


def test_a_word_on_one_side_gives_everything_away() -> None:
    assert told_apart(pairs(*((f"我买了{n}", f"我买过{n}") for n in NOUNS))) == 1.0


def test_so_does_a_length() -> None:
    assert told_apart(pairs(*((f"我买{n}", f"我买买{n}") for n in NOUNS))) == 1.0


def test_words_that_stand_as_often_on_both_sides_give_nothing_away() -> None:
    """他 is right as often as wrong, as a crossed paradigm makes it."""
    made = [("王先生爱他", "王先生爱她"), ("李太太爱她", "李太太爱他")] * 10
    assert told_apart(pairs(*made)) <= 0.5


def test_too_few_pairs_say_nothing() -> None:
    assert told_apart(pairs(("我", "你"))) == 0.5
