"""A text knows where everything stands, and an edit by path changes what it names and no other line."""

from collections.abc import Callable
from copy import deepcopy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bidui.benchmarks import shipped
from bidui.errors import InputError
from bidui.grammar.yaml import Mapping, Path, Scalar, Value, node_at, offsets, scalars_of, value_of, written
from bidui.web.editing.edits import MAX_CHARACTERS, Batch, read_tree, try_read_tree
from bidui.web.editing.text import Edit, Lines, Span, apply_edit, inverse
from tests.web.editing.small import CLASSIFIER, GENDER, PHRASES

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
    raw = {path[-1]: text[scalar.start : scalar.end] for path, scalar in scalars_of(read_tree(text))}
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
    document = read_tree(WAYS)
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
    for path, scalar in scalars_of(read_tree(WAYS)):
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
        assert value_of(read_tree(document)) == {"k": text, "l": "m"}


def test_quotes_stay_as_they_were() -> None:
    assert written("pos:NN", style='"') == '"pos:NN"'
    assert written("pos:NN", style="'") == "'pos:NN'"
    assert written("pos:NN") == "pos:NN"
    assert written("pos:NN", flow=True) == "pos:NN"
    assert written("rel:fills(a, b)", flow=True) == '"rel:fills(a, b)"'


@pytest.mark.parametrize("text", ["a: [", "- a", "", "a: *b", "\ud800", "a: \x07", "a: b\n" * MAX_CHARACTERS])
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_tree(text)
    assert try_read_tree(text) is None


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


ODD = """\
format: 1   # first
about: >-
  folded
  text

# own line
slots:
  a: 'x'   # goes with a
  # of b
  "b c": y
list:
- one   # dash at the margin
- two
nest:
  - - deep
empty: {}
nothing:
items: []
"""
TEXTS = [GENDER, CLASSIFIER, PHRASES, ODD, GENDER.replace("\n", "\r\n"), CLASSIFIER.rstrip("\n")]
VALUES = st.sampled_from(
    [
        *("pos:NN", "a: b", "| x", "it's", "# no", "", "a, b", "{", "two\nlines"),
        *("中 文", '"q"', "\\", " edge ", "---", "\u3000"),
    ]
)


def set_value(text: str, path: Path, *, value: str) -> Edit:
    return edited(text, lambda batch: batch.set_value(path, value))


def add_entry(text: str, path: Path, *, key: str, value: Value, at: int | None = None) -> Edit:
    return edited(text, lambda batch: batch.add_entry(path, key, value, at=at))


def add_item(text: str, path: Path, *, value: Value, at: int | None = None) -> Edit:
    return edited(text, lambda batch: batch.add_item(path, value, at=at))


def remove(text: str, path: Path) -> Edit:
    return edited(text, lambda batch: batch.remove(path))


def move(text: str, path: Path, *, to: int) -> Edit:
    return edited(text, lambda batch: batch.move(path, to=to))


def rename(text: str, path: Path, *, name: str) -> Edit:
    return edited(text, lambda batch: batch.rename(path, name))


def edited(text: str, edit: Callable[[Batch], None]) -> Edit:
    batch = Batch(text)
    edit(batch)
    return batch.edit()


def value_at(value: Value, path: Path) -> Value:
    for step in path:
        value = value[step]  # type: ignore[index,call-overload]
    return value


def reach(text: str, edit: Edit) -> Span:
    """The stretch of a text that an edit changes; whatever lies outside is kept, byte for byte."""
    return Span(min(change.start for change in edit), max(change.end for change in edit))


def lines_of(text: str, path: Path) -> Span:
    """The lines on which a value stands, with its key or its dash, and their line breaks."""
    lines = Lines(text)
    node = node_at(read_tree(text), path)
    parent = node_at(read_tree(text), path[:-1])
    assert node is not None
    entry = parent.items.get(str(path[-1])) if isinstance(parent, Mapping) else None
    start = entry.key.start if entry else node.start
    return Span(lines.line_start(start), lines.next_line(max(start, node.end)))


def check(text: str, edit: Edit, expected: Value) -> None:
    """The law of every edit: it says what was meant, and can be undone."""
    after = apply_edit(text, edit)
    assert value_of(read_tree(after)) == expected
    assert apply_edit(after, inverse(text, edit)) == text


@given(st.data())
def test_a_value_is_set_and_nothing_else(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    path = data.draw(st.sampled_from([path for path, _ in scalars_of(read_tree(text))]))
    value = data.draw(VALUES)
    expected = deepcopy(value_of(read_tree(text)))
    value_at(expected, path[:-1])[path[-1]] = value  # type: ignore[index,call-overload]
    edit = set_value(text, path, value=value)
    check(text, edit, expected)
    node = node_at(read_tree(text), path)
    assert isinstance(node, Scalar)
    assert not edit or (node.start <= reach(text, edit).start and reach(text, edit).end <= node.end)


@given(st.data())
def test_an_entry_is_removed_and_nothing_else(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    path = data.draw(st.sampled_from([path for path, _ in scalars_of(read_tree(text)) if path[0] != "nest"]))
    path = path[: data.draw(st.integers(1, len(path)))]
    expected = deepcopy(value_of(read_tree(text)))
    del value_at(expected, path[:-1])[path[-1]]  # type: ignore[union-attr,arg-type]
    edit = remove(text, path)
    check(text, edit, expected)
    last = not value_at(expected, path[:-1])  # what is left empty is written anew, behind its key
    allowed = lines_of(text, path[:-1]) if last and len(path) > 1 else lines_of(text, path)
    blanks = len(text[allowed.end :]) - len(text[allowed.end :].lstrip())  # a dash goes to the next key
    kept = text[: allowed.start].splitlines(keepends=True)
    while kept and kept[-1].lstrip().startswith("#"):  # a comment right above may go, too
        kept.pop()
    assert len("".join(kept)) <= reach(text, edit).start and reach(text, edit).end <= allowed.end + blanks


@given(st.data())
def test_an_entry_is_added_where_it_was_asked_for(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    value: Value = data.draw(st.one_of(VALUES, st.just({"k": "v: w"}), st.just(["a", "b"])))
    expected = deepcopy(value_of(read_tree(text)))
    paths: list[Path] = [(), ("slots",)] if "slots" in expected else [(), ("phrases",)]  # type: ignore[operator]
    path = data.draw(st.sampled_from([*paths, ("empty",)] if text is ODD else paths))
    inner = value_at(expected, path)
    assert isinstance(inner, dict)
    at = data.draw(st.integers(0, len(inner)))
    pairs = [*inner.items()]
    pairs.insert(at, ("new", value))
    inner.clear()
    inner.update(pairs)
    edit = add_entry(text, path, key="new", value=value, at=at)
    check(text, edit, expected)
    assert path == ("empty",) or reach(text, edit).start == reach(text, edit).end  # an insertion
    after = value_at(value_of(read_tree(apply_edit(text, edit))), path)
    assert isinstance(after, dict)
    assert list(after).index("new") == at


@given(st.data())
def test_a_move_is_a_new_order_and_nothing_else(data: st.DataObject) -> None:
    """Dragging a row must not change a word of it, nor of the others."""
    text = data.draw(st.sampled_from(TEXTS))
    path = data.draw(st.sampled_from([path for path, _ in scalars_of(read_tree(text)) if path[0] != "nest"]))
    path = path[: data.draw(st.integers(1, len(path)))]
    before = value_of(read_tree(text))
    siblings = value_at(before, path[:-1])
    to = data.draw(st.integers(0, len(siblings) - 1))
    edit = move(text, path, to=to)
    after = value_at(value_of(read_tree(apply_edit(text, edit))), path[:-1])
    if isinstance(siblings, dict) and isinstance(after, dict):
        order = [key for key in siblings if key != path[-1]]
        order.insert(to, str(path[-1]))
        assert list(after) == order
        assert after == siblings
    else:
        assert isinstance(siblings, list) and isinstance(after, list)
        assert after[to] == siblings[int(path[-1])]
    assert sorted(apply_edit(text, edit)) == sorted(text)
    assert apply_edit(apply_edit(text, edit), inverse(text, edit)) == text


def test_comments_stay_with_what_they_are_about() -> None:
    """One at the end of a line goes with it, one right above an entry with that."""
    after = apply_edit(ODD, move(ODD, ("slots", "a"), to=1))
    assert "slots:\n  # of b\n  \"b c\": y\n  a: 'x'   # goes with a\n" in after
    after = apply_edit(ODD, remove(ODD, ("slots", "a")))
    assert 'slots:\n  # of b\n  "b c": y\n' in after
    after = apply_edit(ODD, remove(ODD, ("slots", "b c")))
    assert "slots:\n  a: 'x'   # goes with a\nlist:\n" in after


def test_what_was_empty_becomes_a_block() -> None:
    after = apply_edit(ODD, add_entry(ODD, ("empty",), key="k", value="v"))
    assert "empty:\n  k: v\n" in after
    after = apply_edit(ODD, add_entry(ODD, ("nothing",), key="k", value="v"))
    assert "nothing:\n  k: v\n" in after
    after = apply_edit(ODD, add_item(ODD, ("items",), value={"name": "x", "good": "a"}))
    assert "items:\n  - name: x\n    good: a\n" in after


def test_items_are_added_with_the_dashes_of_the_others() -> None:
    after = apply_edit(ODD, add_item(ODD, ("list",), value="half", at=1))
    assert "- one   # dash at the margin\n- half\n- two\n" in after
    after = apply_edit(CLASSIFIER, add_item(CLASSIFIER, ("variants",), value={"name": "new", "slots": {"a": "b"}}))
    assert after == CLASSIFIER + "  - name: new\n    slots:\n      a: b\n"


def test_the_dash_of_an_item_outlives_its_first_key() -> None:
    after = apply_edit(CLASSIFIER, remove(CLASSIFIER, ("variants", 1, "name")))
    assert "  - weight: 2\n    slots:\n      who: phrase:Person\n" in after


def test_windows_line_breaks_are_kept() -> None:
    """A file with two kinds of line breaks would differ in every line in somebody's editor."""
    text = GENDER.replace("\n", "\r\n")
    after = apply_edit(text, add_entry(text, ("slots",), key="new", value="x"))
    assert after.count("\n") == after.count("\r\n") == text.count("\n") + 1


def test_a_file_without_a_last_line_break_can_grow() -> None:
    text = "a: 1\nb: 2"
    assert apply_edit(text, add_entry(text, (), key="c", value="3")) == "a: 1\nb: 2\nc: 3"
    assert apply_edit(text, remove(text, ("b",))) == "a: 1\n"


def test_a_key_is_renamed_in_place() -> None:
    after = apply_edit(ODD, rename(ODD, ("slots", "b c"), name="d e"))
    assert after == ODD.replace('"b c"', '"d e"')
    with pytest.raises(InputError, match="already"):
        rename(ODD, ("slots", "b c"), name="a")


@pytest.mark.parametrize(
    "text",
    [
        "? a\n: b\n? c\n: d\n",  # keys that are announced
        "a: |+\n  kept\n\nb: c\n",  # line breaks that belong to the value
        "x: [[a], [b]]\nnest:\n  - - c\n  - d\n",
    ],
)
def test_an_edit_that_cannot_be_done_is_refused_and_not_done_wrong(text: str) -> None:
    """YAML has more ways to write things than anyone uses; none of them may cost a user her text."""
    document = value_of(read_tree(text))
    for path, _ in scalars_of(read_tree(text)):
        for number in range(1, len(path) + 1):
            for edit in (lambda p: remove(text, p), lambda p: move(text, p, to=1)):
                try:
                    after = apply_edit(text, edit(path[:number]))
                except InputError as error:
                    assert error.problems[0].kind == "edit-form"
                    continue
                value_of(read_tree(after))
    assert value_of(read_tree(text)) == document


@pytest.mark.parametrize("path", [(), ("nowhere",), ("slots", "x", "y"), ("list", 9)])
def test_what_is_not_there_cannot_be_changed(path: Path) -> None:
    """Somebody else may have deleted the row a moment ago."""
    for edit in (lambda: set_value(ODD, path, value="x"), lambda: remove(ODD, path), lambda: move(ODD, path, to=0)):
        with pytest.raises(InputError) as refused:
            edit()
        assert refused.value.problems[0].kind == "row-missing"


def test_every_shipped_file_can_be_edited() -> None:
    """Each first slot gets another rule and loses it again: one line differs, then none."""
    for file in sorted(shipped()["zhoblimp"].rglob("paradigms/*/*.yaml"))[::7]:
        text = file.read_text(encoding="utf-8")
        path = next(path for path, _ in scalars_of(read_tree(text)) if "slots" in path)
        edit = set_value(text, path, value="pos:NEW | 'x'")
        after = apply_edit(text, edit)
        lines = zip(text.splitlines(), after.splitlines(), strict=True)
        assert sum(one != other for one, other in lines) == 1
        assert apply_edit(after, inverse(text, edit)) == text


@pytest.mark.parametrize(
    ("text", "key", "left"),
    [
        ("m:\n  # a\n  a: 1\n\n  # b\n  b: 2\n", "a", "m:\n\n  # b\n  b: 2\n"),
        ("m:\n  a: 1\n\n  # b\n  # is\n  b: 2\n", "b", "m:\n  a: 1\n\n"),
        ("m:\n  # both\n  a: 1\n  b: 2\n", "a", "m:\n  # both\n  b: 2\n"),
        ("m:\n  # gap\n\n  a: 1\n\n  b: 2\n", "a", "m:\n  # gap\n\n\n  b: 2\n"),
        ("m:\n  a:\n    - 1\n    # one\n  b: 2\n", "a", "m:\n  b: 2\n"),
    ],
)
def test_a_comment_that_is_about_one_entry_alone_goes_with_it(text: str, key: str, left: str) -> None:
    """Else it would be read as one about the next."""
    assert apply_edit(text, remove(text, ("m", key))) == left


def test_a_moved_entry_takes_its_comment_along() -> None:
    text = "m:\n  # of a\n  a: 1\n\n  # of b\n  b: 2  # beside b\n\n  c: 3\n"
    after = "m:\n  # of b\n  b: 2  # beside b\n\n  # of a\n  a: 1\n\n  c: 3\n"
    assert apply_edit(text, move(text, ("m", "b"), to=0)) == after
    assert apply_edit(after, move(after, ("m", "b"), to=1)) == text
