"""Lines: slots, parts and columns where they are declared, literal words otherwise, and no guesses in between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError, Place
from bidui.grammar.paradigm import Line, Literal, Use, parse_line
from bidui.grammar.rules import Ref

HERE = Place("p.yaml", 8, 7, "good line")
SLOTS = ["who", "verb", "np", "名字", "a-b", "x_1"]


def items(text: str) -> list[Literal | Use]:
    return list(parse_line(text, HERE, slots=SLOTS).items)


def use(name: str, *path: str, column: str = "expression") -> Use:
    return Use(Ref(name, path), column)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who verb", [use("who"), use("verb")]),
        ("who who", [use("who"), use("who")]),
        ("名字 a-b x_1", [use("名字"), use("a-b"), use("x_1")]),
        ("np.det np.head", [use("np", "det"), use("np", "head")]),
        ("np.det.head", [use("np", "det", "head")]),
        ("verb@first verb", [use("verb", column="first"), use("verb")]),
        ("np.head@result", [use("np", "head", column="result")]),
        ("verb@第一", [use("verb", column="第一")]),
        ("who 自己 。", [use("who"), Literal("自己"), Literal("。")]),
        ("……", [Literal("……")]),
        ("who ? !", [use("who"), Literal("?"), Literal("!")]),
        ('"the" who', [Literal("the"), use("who")]),
        ('"who" who', [Literal("who"), use("who")]),
        ('"a b" "say \\"hi\\""', [Literal("a b"), Literal('say "hi"')]),
        ('"13:30"', [Literal("13:30")]),
        (r"\| \: \/ \"", [Literal("|"), Literal(":"), Literal("/"), Literal('"')]),
        (r"自\ 己", [Literal("自 己")]),
        ("  who\tverb  ", [use("who"), use("verb")]),
    ],
)
def test_what_a_line_may_hold(text: str, expected: list[Literal | Use]) -> None:
    assert items(text) == expected


def test_chinese_characters_that_name_a_slot_are_that_slot() -> None:
    assert items("名字 名 字") == [use("名字"), Literal("名"), Literal("字")]


@pytest.mark.parametrize(
    ("text", "column", "near"),
    [
        ("whom verb", 7, ["who"]),
        ("who vreb", 11, ["verb"]),
        ("who the verb", 11, SLOTS),
        ("who verbs@x", 11, ["verb"]),
        ("who nq.det", 11, ["np"]),
        ("who A", 11, SLOTS),
        ("who a1", 11, SLOTS),
        ("who，verb", 7, ["verb", "who"]),
    ],
)
def test_a_latin_word_that_is_no_slot_is_an_error_with_the_nearest(text: str, column: int, near: list[str]) -> None:
    """The published generator printed a misspelt slot into its sentences."""
    with pytest.raises(InputError) as caught:
        items(text)
    (problem,) = caught.value.problems
    assert problem.kind == "line-unknown"
    assert problem.place == Place("p.yaml", 8, column, "good line")
    assert problem.values["slots"] == near


def test_all_unknown_words_of_a_line_are_named() -> None:
    with pytest.raises(InputError) as caught:
        items("the who of verb")
    assert [problem.values["text"] for problem in caught.value.problems] == ["the", "of"]


@pytest.mark.parametrize("text", ["", "   "])
def test_a_line_of_nothing_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="the line is empty"):
        items(text)


@pytest.mark.parametrize("text", ['"the', '"the"who', 'who "'])
def test_quotes_must_close_before_a_blank(text: str) -> None:
    with pytest.raises(InputError) as caught:
        items(text)
    assert caught.value.problems[0].kind == "quote-open"


def test_the_place_of_each_use_is_kept() -> None:
    line = parse_line("who 自己 verb@first", HERE, slots=SLOTS)
    assert [item.offset for item in line.items if isinstance(item, Use)] == [0, 7]


LINE_PIECES = st.sampled_from(
    [" ", '"', "\\", "who", "名字", "自己", "the", ".", "@", "head", "|", "。", "-", "\u3000", "…"]
)


@given(st.lists(LINE_PIECES, max_size=10).map("".join) | st.text(max_size=20))
def test_any_text_is_a_located_error_or_a_line_that_prints_as_itself(text: str) -> None:
    try:
        line = parse_line(text, HERE, slots=SLOTS)
    except InputError as error:
        for problem in error.problems:
            assert (problem.place.file, problem.place.line) == ("p.yaml", 8)
            assert 7 <= problem.place.column <= 7 + len(text)
            assert problem.text("en") and problem.text("zh")
    else:
        assert parse_line(line.written(SLOTS), HERE, slots=SLOTS) == line


def test_lines_are_equal_whatever_blanks_they_were_written_with() -> None:
    assert parse_line("who  verb", HERE, slots=SLOTS) == Line((use("who"), use("verb")))
