"""The layout of a YAML text knows where everything stands, whatever way it is written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.grammar.yaml import Mapping, Scalar, node_at, offsets, scalars_of, value_of, written
from bidui.web.editing.edits import MAX_CHARACTERS, lay_out, try_lay_out
from bidui.web.editing.text import Lines, Span
from tests.web.editing.small import CLASSIFIER, GENDER

WAYS = """\
plain: 中 文𠀀   # comment
single: 'it''s'
double: "a\\"b\\u4e2d"
folded: one
  two
block: |
  line
  more

flow: {k: v, l: [x, y]}
empty:
last: ''
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_scalar_is_where_the_layout_says(newline: str, mark: str) -> None:
    """Windows writes other line breaks and a mark at the start; files with them come out of Excel and Notepad."""
    text = mark + WAYS.replace("\n", newline)
    raw = {path[-1]: text[scalar.start : scalar.end] for path, scalar in scalars_of(lay_out(text))}
    assert raw == {
        "plain": "中 文𠀀",
        "single": "'it''s'",
        "double": '"a\\"b\\u4e2d"',
        "folded": f"one{newline}  two",
        "block": f"|{newline}  line{newline}  more",
        "k": "v",
        0: "x",
        1: "y",
        "empty": "",
        "last": "''",
    }


def test_values_are_those_that_are_meant() -> None:
    document = lay_out(WAYS)
    assert value_of(document) == {
        "plain": "中 文𠀀",
        "single": "it's",
        "double": 'a"b中',
        "folded": "one two",
        "block": "line\nmore\n",
        "flow": {"k": "v", "l": ["x", "y"]},
        "empty": "",
        "last": "",
    }
    assert isinstance(node_at(document, ("flow",)), Mapping)
    assert isinstance(node_at(document, ("flow", "l", 1)), Scalar)
    assert node_at(document, ("flow", "l", 2)) is None
    assert node_at(document, ("plain", "x")) is None


def test_each_character_of_a_scalar_is_found_in_what_was_written() -> None:
    """An error under the third character of a rule must not be shown under the fourth because of an escaped quote."""
    for path, scalar in scalars_of(lay_out(WAYS)):
        raw = WAYS[scalar.start : scalar.end]
        places = offsets(raw, scalar.text, style=scalar.style)
        assert len(places) == len(scalar.text) + 1
        if path == ("double",):
            assert [raw[place] for place in places[:-1]] == ["a", "\\", "b", "\\"]
            assert places[-1] == len(raw) - 1
        elif path == ("single",):
            assert places == [1, 2, 3, 5, 6]
        else:
            assert all(c.isspace() or raw[at] == c for at, c in zip(places, scalar.text, strict=False))


@given(st.text(alphabet=list("ab:#-?!|>{}[],&*%@`'\"\\ \t\n中\u3000\x85\u2028𠀀~"), max_size=12), st.booleans())
@example(": ", True)
@example("- a", False)
@example("---", False)
@example("a:", True)
def test_what_is_written_is_read_back(text: str, flow: bool) -> None:
    """Whatever people type into a row, the file stays YAML and says just that."""
    for style in ("", "'", '"'):
        new = written(text, style=style, flow=flow)
        assert "\n" not in new
        document = f"{{k: {new}, l: m}}\n" if flow else f"k: {new}\nl: m\n"
        assert value_of(lay_out(document)) == {"k": text, "l": "m"}


def test_quotes_stay_as_they_were() -> None:
    assert written("pos:NN", style='"') == '"pos:NN"'
    assert written("pos:NN", style="'") == "'pos:NN'"
    assert written("pos:NN") == "pos:NN"
    assert written("pos:NN", flow=True) == "pos:NN"
    assert written("rel:fills(a, b)", flow=True) == '"rel:fills(a, b)"'


@pytest.mark.parametrize("text", ["a: [", "- a", "", "a: *b", "\ud800", "a: \x07", "a: b\n" * MAX_CHARACTERS])
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        lay_out(text)
    assert try_lay_out(text) is None


@pytest.mark.parametrize("text", [GENDER, CLASSIFIER, GENDER.replace("\n", "\r\n"), "\r\n\r", "a\u2028b\x85c"])
def test_lines_and_offsets_are_two_names_of_one_place(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        line, column = lines.place(offset)
        inside = text[offset - 1 : offset + 1] != "\r\n"
        assert not inside or lines.offset(line, column) == min(offset, lines.line_end(lines.line_start(offset)))
    assert lines.range(Span(0, 1)).line == 1
    assert lines.offset(10**6, 10**6) == len(text)
    assert lines.offset(0, 0) == 0
