"""Whatever template comes, it is refused with a reason or converted, and its export is read as the same paradigm."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError, Place, Problem
from bidui.grammar.classic.convert import Cell, Template, parse_cell
from bidui.grammar.classic.read import JsonNode, convert_phrases, merge, read_json
from bidui.grammar.classic.write import classic_template
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.paradigm_file import parse_phrases
from bidui.grammar.project import Settings

PHRASES, _ = parse_phrases(
    "format: 1\nphrases:\n  P: [pos:NR, pos:PN]\n  Q:\n    - parts: {p0: pos:CD, p1: phrase:P}\n    - pos:NN\n",
    name="p",
)
SETTINGS = Settings("s")

positions = st.integers(-6, 6).map(str)
rules = st.sampled_from(["", " ", "了", "。", "受 被", "pos:NN", "pos:NN ", "pos:VV f:a/b", "pos:VV|了", "pos:AD | "])
phrases = st.sampled_from(["phrase:P", "phrase:Q", "phrase:Q -1:<f:a>", "phrase:P 0:<f:a>", "phrase:Q 0:<f:a>"])
links = st.builds(
    "pos:{} {}Pos:{} {}Pro:{}".format,
    st.sampled_from(["NN", "VV f:a/b"]),
    st.shared(st.sampled_from(["m", "mm"]), key="m"),
    positions,
    st.shared(st.sampled_from(["m", "mm"]), key="m"),
    st.sampled_from(["f", "expression", "f/g"]),
)


@st.composite
def templates(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A good list, and a bad one that keeps, moves, copies, drops or replaces its strings."""
    good = draw(st.lists(rules | phrases | links, min_size=1, max_size=6))
    bad = [draw(st.just(rule) | st.sampled_from(good) | rules | links) for rule in good]
    return good, bad


def cells(texts: list[str], side: str) -> tuple[Cell, ...]:
    problems: list[Problem] = []
    read = [parse_cell(text, Place("t.json", 1, 1, f"{side}[{n}]"), problems) for n, text in enumerate(texts)]
    assert not problems
    return tuple(cell for cell in read if cell)


def converted(good: list[str], bad: list[str]) -> Paradigm | None:
    template = Template("x", "y", cells(good, "good"), cells(bad, "bad"), True, "", Place("t.json"))
    problems: list[Problem] = []
    paradigms = merge([template], problems, phrases=PHRASES, settings=SETTINGS)
    assert bool(paradigms) != any(problem.severity == "error" for problem in problems)
    for problem in problems:
        assert str(problem) and problem.text("zh")
    return paradigms[0] if paradigms else None


@given(templates())
def test_export_of_an_import_is_read_as_the_same(lists: tuple[list[str], list[str]]) -> None:
    paradigm = converted(*lists)
    if paradigm is None:
        return
    for line in (paradigm.variants[0].good, paradigm.variants[0].bad):
        assert line.items
    try:
        template = classic_template(paradigm, settings=SETTINGS, phrases=PHRASES)
    except InputError as error:
        assert {p.kind for p in error.problems} <= {"classic-same-text", "classic-no-copy", "classic-across-sides"}
        return
    good, bad = template["good_rule"], template["bad_rule"]
    assert isinstance(good, list) and isinstance(bad, list) and len(good) == len(bad)
    assert converted(good, bad) == paradigm


@given(st.text(st.sampled_from('pos:N|<>()/-1m.PrR"\\ 他!*#=@é\t'), max_size=30))
def test_any_text_is_a_rule_or_a_problem_with_words(text: str) -> None:
    problems: list[Problem] = []
    cell = parse_cell(text, Place("t.json", 1, 1), problems)
    assert (cell is None) == bool(problems)
    for problem in problems:
        assert str(problem) and problem.text("zh")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["Lexical", "pos:NN", "phrase:A 0:<f:a>", "", "类型"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["A", "type", "rule", "x"]), inner),
)


@given(json_values)
def test_any_json_is_phrases_or_problems_with_words(value: object) -> None:
    problems: list[Problem] = []
    phrases = convert_phrases(JsonNode(value, "p.json"), problems)
    assert phrases or problems or value == {}
    for problem in problems:
        assert str(problem) and problem.text("zh")


@given(json_values, st.sampled_from([None, 2]))
def test_every_string_of_a_json_file_is_found_in_its_place(value: object, indent: int | None) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(json.dumps(value, ensure_ascii=False, indent=indent), encoding="utf-8")
        lines = path.read_text(encoding="utf-8").split("\n")
        waiting = [read_json(path, name="x.json")]
    while waiting:
        found = waiting.pop()
        waiting += found.items()
        if isinstance(found.value, str):
            place = found.place
            assert lines[place.line - 1][place.column - 2 :].startswith(f'"{found.value}"')
