"""Phrases as rows, and edits of them: each phrase has alternatives, and each alternative a rule or parts."""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from pydantic import Field as Constraint

from bidui.errors import fail
from bidui.grammar.paradigm_file import SLOT_NAME
from bidui.grammar.yaml import Mapping, Node, Path, Scalar, Sequence, Value, value_of
from bidui.web.editing.edits import Batch, as_edit, read_tree
from bidui.web.editing.paradigm import Number, SlotRow, in_line, in_rule, put, rewrite, slot_rows
from bidui.web.editing.text import Change, Span, newline_of


@dataclass(frozen=True, slots=True)
class AlternativeRow:
    """An alternative of a phrase: a rule alone, or parts with their line, head and weight."""

    path: Path
    span: Span
    rule: str | None = None
    parts: tuple[SlotRow, ...] = ()
    line: str = ""
    head: str = ""
    weight: str = ""


@dataclass(frozen=True, slots=True)
class PhraseRow:
    """A phrase with its alternatives."""

    name: str
    path: Path
    span: Span
    alternatives: tuple[AlternativeRow, ...]
    depth: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """An alternative with parts, as the file writes it; what is blank is left out."""

    parts: Annotated[dict[str, str], Constraint(min_length=1, max_length=60)]
    line: str = ""
    head: str = ""
    weight: str = ""


def read_phrases(text: str) -> tuple[PhraseRow, ...]:
    """Return the phrases of a text as rows; raises `InputError` with the place where it is not YAML."""
    return phrase_rows(read_tree(text))


def phrase_rows(document: Mapping) -> tuple[PhraseRow, ...]:
    """Return the rows of a tree of phrases."""
    phrases = document.get("phrases")
    return tuple(_phrase(*entry) for entry in phrases.entries) if isinstance(phrases, Mapping) else ()


def _phrase(key: Scalar, value: Node) -> PhraseRow:
    path: Path = ("phrases", key.text)
    inner = (*path, "alternatives") if isinstance(value, Mapping) else path
    node = value.get("alternatives") if isinstance(value, Mapping) else value
    if isinstance(node, Sequence):
        alternatives = tuple(_alternative(item, (*inner, number)) for number, item in enumerate(node.items))
    else:
        alternatives = (_alternative(node, inner),) if isinstance(node, Scalar) else ()
    return PhraseRow(key.text, path, Span(key.start, value.end), alternatives, _text(value, "depth"))


def _alternative(node: Node, path: Path) -> AlternativeRow:
    span = Span(node.start, node.end)
    if isinstance(node, Scalar):
        return AlternativeRow(path, span, node.text)
    parts = slot_rows(node.get("parts") if isinstance(node, Mapping) else None, (*path, "parts"))
    return AlternativeRow(path, span, None, parts, _text(node, "line"), _text(node, "head"), _text(node, "weight"))


def _text(node: Node, key: str) -> str:
    value = node.get(key) if isinstance(node, Mapping) else None
    return value.text if isinstance(value, Scalar) else ""


@as_edit
def add_phrase(batch: Batch, *, name: str, rule: str, at: Number | None = None) -> None:
    """Add a phrase with one alternative."""
    if not SLOT_NAME.fullmatch(name):
        raise fail("slot-name", None, {"slot": name})
    if "phrases" in batch.root.items:
        batch.add_entry(("phrases",), name, [rule], at=at)
    else:
        batch.add_entry((), "phrases", {name: [rule]})


@as_edit
def delete_phrase(batch: Batch, *, name: str) -> None:
    """Delete a phrase; rules that use it stay, and are reported as errors."""
    batch.remove(("phrases", name))


@as_edit
def move_phrase(batch: Batch, *, name: str, to: Number) -> None:
    """Move a phrase to number `to`."""
    batch.move(("phrases", name), to=to)


@as_edit
def set_depth(batch: Batch, *, name: str, depth: str) -> None:
    """Set how often a phrase may stand inside itself; without a depth, never."""
    path: Path = ("phrases", name)
    node = batch.node(path)
    if isinstance(node, Mapping):
        put(batch, path, key="depth", value=depth)
    elif isinstance(node, Sequence) and depth and not node.flow and node.items:
        _deepen(batch, name, node, depth)
    elif node is not None and depth:
        value = value_of(node)
        batch.set_node(path, {"depth": depth, "alternatives": value if isinstance(value, list) else [value]})


def _deepen(batch: Batch, name: str, node: Sequence, depth: str) -> None:
    """Move a list of alternatives further in, with its comments, below a `depth` and a key of its own."""
    text, lines, newline = batch.text, batch.lines, newline_of(batch.text)
    start, key = lines.line_start(node.start), text.rfind(name, 0, node.start)
    dash = node.start - start
    column = max(dash, key - lines.line_start(key) + 2)
    block = text[start : node.end].split(newline)
    inner = [" " * (column + 2 - dash) + line if line.strip() else line for line in block]
    head = [f"{' ' * column}depth: {depth}", f"{' ' * column}alternatives:"]
    expected = value_of(batch.root)
    phrases = expected["phrases"] if isinstance(expected, dict) else {}
    assert isinstance(phrases, dict)
    phrases[name] = {"depth": depth, "alternatives": phrases[name]}
    batch.replace_text([Change(start, node.end, newline.join((*head, *inner)))], expected=expected)


@as_edit
def add_alternative(batch: Batch, *, phrase: str, value: str | Parts, at: Number | None = None) -> None:
    """Add an alternative: a rule, or parts."""
    new: Value = value if isinstance(value, str) else {key: item for key, item in asdict(value).items() if item}
    path = _alternatives(batch, phrase)
    node = batch.node(path)
    if isinstance(node, Scalar):  # an alternative that stands beside its key
        both: list[Value] = [node.text]
        both.insert(1 if at is None else at, new)
        batch.set_node(path, both)
    else:
        batch.add_item(path, new, at=at)


@as_edit
def delete_alternative(batch: Batch, *, phrase: str, number: Number) -> None:
    """Delete an alternative."""
    batch.remove((*_alternatives(batch, phrase), number))


@as_edit
def move_alternative(batch: Batch, *, phrase: str, number: Number, to: Number) -> None:
    """Move an alternative to number `to`."""
    batch.move((*_alternatives(batch, phrase), number), to=to)


@as_edit
def set_alternative(
    batch: Batch, *, phrase: str, number: Number, key: Literal["rule", "line", "head", "weight"], value: str
) -> None:
    """Set the `rule` of an alternative, or the `line`, `head` or `weight` beside its parts."""
    path = _row(batch, phrase, number).path
    if key == "rule":
        batch.set_value(path, value)
    else:
        put(batch, path, key=key, value=value)


@as_edit
def set_part(batch: Batch, *, phrase: str, number: Number, part: str, rule: str) -> None:
    """Set the rule of a part."""
    batch.set_value((*_row(batch, phrase, number).path, "parts", part), rule)


@as_edit
def add_part(batch: Batch, *, phrase: str, number: Number, part: str, rule: str, at: Number | None = None) -> None:
    """Add a part to an alternative."""
    _refuse(part)
    batch.add_entry((*_row(batch, phrase, number).path, "parts"), part, rule, at=at)


@as_edit
def delete_part(batch: Batch, *, phrase: str, number: Number, part: str) -> None:
    """Delete a part."""
    batch.remove((*_row(batch, phrase, number).path, "parts", part))


@as_edit
def move_part(batch: Batch, *, phrase: str, number: Number, part: str, to: Number) -> None:
    """Move a part to number `to`."""
    batch.move((*_row(batch, phrase, number).path, "parts", part), to=to)


@as_edit
def rename_part(batch: Batch, *, phrase: str, number: Number, part: str, name: str) -> None:
    """Rename a part, also in the links, the line and the head of its alternative."""
    _refuse(name)
    row = _row(batch, phrase, number)
    for other in row.parts:
        rewrite(batch, other.path, lambda rule: in_rule(rule, "slot", part, name))
    rewrite(batch, (*row.path, "line"), lambda line: in_line(line, part, name))
    rewrite(batch, (*row.path, "head"), lambda head: name if head == part else head)
    batch.rename((*row.path, "parts", part), name)


def _refuse(part: str) -> None:
    if not SLOT_NAME.fullmatch(part) or part == "head":
        raise fail("slot-name", None, {"slot": part})


def _alternatives(batch: Batch, phrase: str) -> Path:
    path: Path = ("phrases", phrase)
    return (*path, "alternatives") if isinstance(batch.node(path), Mapping) else path


def _row(batch: Batch, phrase: str, number: int) -> AlternativeRow:
    rows = {row.name: row.alternatives for row in phrase_rows(batch.root)}
    if not 0 <= number < len(rows.get(phrase, ())):
        raise fail("row-missing", None, {"row": f"{phrase} › {number + 1}"})
    return rows[phrase][number]
