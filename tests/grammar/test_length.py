"""Equal length is a constraint on the words, in characters or, where blanks separate them, in words."""

import pytest

from bidui.grammar.printing import Style
from bidui.grammar.project import Settings

from .small import drawn, number_of_pairs, project_of, sentences

WORDS = """
expression pos
他         P
我们       Q
你们       Q
她         Q
"""
SWAP = "slots: {a: pos:P, b: pos:Q}\ngood: a 来\nbad: b 来\n"


def test_sides_of_unequal_length_are_not_made() -> None:
    project = project_of(WORDS)
    assert sentences(project, SWAP + "equal_length: true") == {("他来", "她来")}
    assert len(sentences(project, SWAP)) == 3


def test_literals_count() -> None:
    project = project_of(WORDS)
    text = "slots: {a: pos:P, b: pos:Q}\ngood: a 来 了\nbad: b 来\nequal_length: true"
    assert sentences(project, text) == {("他来了", "我们来"), ("他来了", "你们来")}


def test_lengths_may_be_made_up_elsewhere() -> None:
    """It is the whole sentence that counts: two words may trade a character."""
    project = project_of("expression pos\n甲 A\n乙乙 A\n丙 B\n丁丁 B\n")
    text = "slots: {a: pos:A, b: pos:B, c: pos:A, d: pos:B}\ngood: a b\nbad: c d\nequal_length: true"
    made = sentences(project, text)
    assert ("甲丁丁", "乙乙丙") in made and ("甲丙", "乙乙丁丁") not in made
    assert all(len(good) == len(bad) for good, bad in made)
    # lengths 2, 3, 3, 4: one filling of 2, two of 3, one of 4; 1 + 4 + 1 pairs less the four whose sides are equal
    assert len(made) == 2
    assert number_of_pairs(project, text) == "2"


def test_alternatives_and_phrases_of_different_length() -> None:
    phrases = "  P:\n    - 甲\n    - parts: {x: 这, y: 甲}\n"
    project = project_of(WORDS, phrases=phrases)
    text = "slots: {p: phrase:P, q: pos:Q}\ngood: p 来\nbad: q 来\nequal_length: true"
    assert sentences(project, text) == {("甲来", "她来"), ("这甲来", "我们来"), ("这甲来", "你们来")}
    assert number_of_pairs(project, text) == "3"


def test_an_empty_slot_has_no_length() -> None:
    project = project_of(WORDS)
    text = "slots: {a: pos:P, b: pos:Q, c: '了 | \"\"'}\ngood: a 来 c\nbad: b 来\nequal_length: true"
    assert sentences(project, text) == {("他来了", "我们来"), ("他来了", "你们来"), ("他来", "她来")}


def test_lengths_are_compared_even_where_no_word_is_left() -> None:
    """Nothing but literals, of unequal number: no pair, however empty the slot."""
    project = project_of(WORDS)
    text = "slots: {s: '\"\" | pos:P'}\ngood: 把 s\nbad: 了 把 s\nequal_length: true"
    assert sentences(project, text) == set()
    assert len(drawn(project, text, 3)) == 0
    assert number_of_pairs(project, text) == "0"


def test_printed_columns_count_by_what_is_printed() -> None:
    project = project_of("expression pos col\n甲 A 乙乙\n丙丙 A 丁丁\n")
    text = "slots: {a: pos:A}\ngood: a 来\nbad: a@col 来\nequal_length: true"
    assert sentences(project, text) == {("丙丙来", "丁丁来")}


def test_words_are_counted_where_blanks_separate_them() -> None:
    """`New York` is two words, whatever its letters; a full stop is none."""
    project = project_of(
        "expression pos\nKim P\nNew.York Q\nBo Q\nAlexandria Q\n", settings=Settings("t", "en", " ", True)
    )
    text = 'slots: {a: pos:P, b: pos:Q}\ngood: a "sleeps" .\nbad: b "sleeps" .\nequal_length: true'
    assert sentences(project, text) == {("Kim sleeps.", "Bo sleeps."), ("Kim sleeps.", "Alexandria sleeps.")}


@pytest.mark.parametrize(
    ("separator", "text", "length"),
    [
        ("", "你好", 2),
        ("", "你好。", 3),
        ("", "a b", 3),
        (" ", "good day", 2),
        (" ", ".", 0),
        (" ", "?!", 0),
        (" ", "it's", 1),
        ("-", "good-day", 8),
    ],
)
def test_what_a_length_is(separator: str, text: str, length: int) -> None:
    assert Style(separator).length(text) == length


def test_when_length_costs_pairs_the_reason_says_so() -> None:
    (short,) = drawn(project_of(WORDS), SWAP + "equal_length: true", 5).short
    assert "if the sides could differ in length there would be 3 fillings instead of 1" in short.reason


def test_equal_length_and_distinctness_are_counted_together() -> None:
    """Ten words of one character and five of two, two slots a side."""
    words = "".join(f"{chr(0x4E00 + n)} N\n" for n in range(10)) + "".join(f"双{chr(0x4E20 + n)} N\n" for n in range(5))
    text = "slots: {a: pos:N, b: pos:N, c: pos:N}\ngood: a b 。\nbad: a c 。\nequal_length: true"
    # a of 15; b and c of the same length, different from each other (or good is bad) and from a:
    # a short: b, c short 9 * 8 or long 5 * 4; a long: short 10 * 9 or long 4 * 3
    assert number_of_pairs(project_of("expression pos\n" + words), text) == f"{10 * (72 + 20) + 5 * (90 + 12):,}"
