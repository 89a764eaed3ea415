"""YAML is read as strings that know their place, and nothing else: no numbers, no dates, no objects."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import bidui
from bidui.errors import InputError, Place
from bidui.grammar import yaml as yaml_tree
from bidui.grammar.yaml import MAX_DEPTH, Mapping, Node, Scalar, Sequence, parse_document, read_text


def plain(node: Node) -> object:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, (_, value) in node.items.items()}


def parsed(text: str) -> Mapping:
    return parse_document(text, name="f.yaml")


@pytest.mark.parametrize(
    "value", ["1", "yes", "no", "null", "~", "1e3", "0x10", "2024-01-01", "12:30:45", "true", ".5"]
)
def test_every_scalar_is_a_string(value: str) -> None:
    """`no` is a Norwegian word, `12:30:45` is not 45045, and 是 needs no quotes."""
    assert plain(parsed(f"a: {value}\nb: [{value}]\n{value}: 是\n")) == {"a": value, "b": [value], value: "是"}


def test_lists_and_mappings_nest() -> None:
    text = "a:\n  - b\n  - {c: d, e: [f]}\n'g h': |\n  two\n  lines\n"
    assert plain(parsed(text)) == {"a": ["b", {"c": "d", "e": ["f"]}], "g h": "two\nlines\n"}


def test_a_value_left_out_is_blank_and_one_in_quotes_is_not() -> None:
    """A slot without a rule is a mistake; the empty slot is written on purpose."""
    items = parsed("a:\nb: ''\nc: \"\"\nd: x\n").items
    found = {key: (value.text, value.quoted) for key, (_, value) in items.items() if isinstance(value, Scalar)}
    assert found == {"a": ("", False), "b": ("", True), "c": ("", True), "d": ("x", False)}


def test_places_are_those_of_the_first_character() -> None:
    items = parsed("a: b\n\n名:  x\nq: 'in'\nm:\n  n: [o, p]\n").items
    assert items["a"][1].place == Place("f.yaml", 1, 4)
    assert items["名"][0].place == Place("f.yaml", 3, 1)
    assert items["名"][1].place == Place("f.yaml", 3, 5)
    assert items["q"][1].place == Place("f.yaml", 4, 5)  # of the text, not of the quote
    inner = items["m"][1]
    assert isinstance(inner, Mapping)
    sequence = inner.items["n"][1]
    assert isinstance(sequence, Sequence)
    assert [item.place.column for item in sequence.items] == [7, 10]


def test_what_lies_as_deep_as_allowed_is_read() -> None:
    assert plain(parsed("a: " + "[" * (MAX_DEPTH - 1) + "x" + "]" * (MAX_DEPTH - 1)))
    with pytest.raises(InputError, match="more than 20 levels deep"):
        parsed("a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


def test_comments_and_a_document_mark_are_fine() -> None:
    assert plain(parsed("# about\n---\na: b  # why\n...\n")) == {"a": "b"}


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("x: | pos:NN", "x: '| pos:NN'"),
        ("x: > pos:NN", "x: '> pos:NN'"),
        ("x: @a", "x: '@a'"),
        ("x: `a`", "x: '`a`'"),
        ('x: "a" b', "x: '\"a\" b'"),
        ("x: [a] b", "x: '[a] b'"),
        ("x: *a", "'*a'"),
        ("x: !a b", "'!a b'"),
    ],
)
def test_the_quoting_shown_makes_the_value_the_text_that_was_meant(line: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(f"a: b\n{line}\n")
    (problem,) = caught.value.problems
    assert problem.kind == "yaml-needs-quotes"
    assert problem.place == Place("f.yaml", 2, 4)
    assert problem.values["quoted"] == hint
    mended = hint if hint.startswith("x: ") else f"x: {hint}"
    assert plain(parsed(mended)) == {"x": line.removeprefix("x: ")}


def test_both_hints_for_a_colon_and_a_blank_are_right() -> None:
    """`'pos: NN'` alone would be told to the author of a rule, who then gets the next error."""
    with pytest.raises(InputError) as caught:
        parsed("x: pos: NN gender: male\n")
    (problem,) = caught.value.problems
    assert problem.kind == "yaml-colon-blank"
    assert problem.place == Place("f.yaml", 1, 7)
    assert plain(parsed(str(problem.values["joined"]))) == {"x": "pos:NN gender:male"}
    assert plain(parsed(str(problem.values["quoted"]))) == {"x": "pos: NN gender: male"}


@given(st.text(max_size=40) | st.lists(st.sampled_from([*list("ab:-[]{}'\"|>&*!%@`#?,\n "), "  ", ": "])).map("".join))
def test_any_text_is_a_mapping_or_a_located_error(text: str) -> None:
    try:
        found = parse_document(text, name="f.yaml")
    except InputError as error:
        assert all(problem.place.file == "f.yaml" for problem in error.problems)
        assert all(problem.text("en") and problem.text("zh") for problem in error.problems)
    else:
        assert isinstance(found, Mapping)


@given(st.binary(max_size=40))
def test_any_bytes_are_a_text_or_a_located_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.txt"
    path.write_bytes(data)
    try:
        text = read_text(path, name="bytes.txt")
    except InputError as error:
        (problem,) = error.problems
        assert problem.place.file == "bytes.txt" and problem.place.line >= 1
    else:
        assert text.encode("utf-8") == data.removeprefix(b"\xef\xbb\xbf")


def test_a_file_with_a_mark_at_its_start_is_read_without_it(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: b\r\n")
    assert plain(parsed(read_text(path, name="f.yaml"))) == {"a": "b"}


def files() -> list[Path]:
    """Every YAML file that is shipped: benchmarks and starters."""
    return sorted(Path(bidui.__file__).parent.rglob("*.yaml"))


@pytest.mark.slow
def test_every_shipped_file_can_be_read_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML's own parser ends a plain value in brackets at a question mark; 20 paradigms of zhoblimp had one."""
    assert len(files()) > 130
    quick = [parse_document(path.read_text("utf-8"), name=path.name) for path in files()]
    monkeypatch.setattr(yaml_tree, "_LOADER", yaml.SafeLoader)
    assert [parse_document(path.read_text("utf-8"), name=path.name) for path in files()] == quick


@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
def test_both_parsers_give_the_same_places_and_refuse_the_same_files(
    monkeypatch: pytest.MonkeyPatch, loader: type
) -> None:
    monkeypatch.setattr(yaml_tree, "_LOADER", loader)
    tree = parsed("a:\n  - 甲\n  - {b: 'c d'}\n")
    inner = tree.items["a"].value
    assert isinstance(inner, Sequence)
    assert [item.place for item in inner.items] == [Place("f.yaml", 2, 5), Place("f.yaml", 3, 5)]
    for text in ("a: &b c\n", "a: !t c\n", "a: b\na: c\n", "a: [b\n", "- a\n", "[[" * 50_000):
        with pytest.raises(InputError):
            parsed(text)
