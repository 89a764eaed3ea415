"""Phrases as rows: each with its alternatives, and of each alternative its rule or its parts; and edits of them."""

from dataclasses import dataclass

from bidui.errors import fail
from bidui.grammar.paradigm_file import SLOT_NAME
from bidui.web.editing.paradigm import SlotRow, in_line, in_rule, put, rewritten, together
from bidui.web.editing.text import Change, Edit, Lines, Span, newline_of
from bidui.web.editing.yaml import (
    MappingNode,
    Node,
    Path,
    Scalar,
    SequenceNode,
    Value,
    add_entry,
    add_item,
    checked,
    lay_out,
    move,
    node_at,
    remove,
    rename,
    set_node,
    set_value,
    value_of,
)


@dataclass(frozen=True, slots=True)
class AlternativeRow:
    """One way to build a phrase: a rule alone, or parts with what is said of them."""

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


def read_phrases(text: str) -> tuple[PhraseRow, ...]:
    """The phrases of a text as rows; raises `InputError` where it is not YAML, with the place."""
    phrases = node_at(lay_out(text), ("phrases",))
    found = []
    for entry in phrases.entries if isinstance(phrases, MappingNode) else ():
        path: Path = ("phrases", entry.key.text)
        node, depth = entry.value, ""
        if isinstance(node, MappingNode):
            inner, depth = node.entry("alternatives"), _text(node, "depth")
            path, node = (*path, "alternatives"), inner.value if inner else SequenceNode((), node.end, node.end)
        items = list(enumerate(node.items)) if isinstance(node, SequenceNode) else []
        alternatives = [_alternative(item, (*path, number)) for number, item in items]
        if isinstance(node, Scalar):
            alternatives = [_alternative(node, path)]
        span = Span(entry.key.start, entry.value.end)
        found.append(PhraseRow(entry.key.text, ("phrases", entry.key.text), span, tuple(alternatives), depth))
    return tuple(found)


def _alternative(node: Node, path: Path) -> AlternativeRow:
    span = Span(node.start, node.end)
    if isinstance(node, Scalar):
        return AlternativeRow(path, span, node.text)
    if isinstance(node, SequenceNode):
        return AlternativeRow(path, span)
    inner = node.entry("parts")
    parts = tuple(
        SlotRow(
            part.key.text,
            part.value.text,
            (*path, "parts", part.key.text),
            Span(part.key.start, part.key.end),
            Span(part.value.start, part.value.end),
        )
        for part in (inner.value.entries if inner and isinstance(inner.value, MappingNode) else ())
        if isinstance(part.value, Scalar)
    )
    return AlternativeRow(path, span, None, parts, _text(node, "line"), _text(node, "head"), _text(node, "weight"))


def _text(node: MappingNode, key: str) -> str:
    entry = node.entry(key)
    return entry.value.text if entry and isinstance(entry.value, Scalar) else ""


def add_phrase(text: str, *, name: str, rule: str, at: int | None = None) -> Edit:
    """A new phrase with one alternative."""
    if not SLOT_NAME.fullmatch(name):
        raise fail("slot-name", None, {"slot": name})
    if lay_out(text).entry("phrases") is None:
        return add_entry(text, (), key="phrases", value={name: [rule]})
    return add_entry(text, ("phrases",), key=name, value=[rule], at=at)


def delete_phrase(text: str, *, name: str) -> Edit:
    """Without a phrase; rules that use it are left to be seen."""
    return remove(text, ("phrases", name))


def move_phrase(text: str, *, name: str, to: int) -> Edit:
    """The phrase becomes the one with number `to`."""
    return move(text, ("phrases", name), to=to)


def set_depth(text: str, *, name: str, depth: str) -> Edit:
    """How often a phrase may stand inside itself; without a depth, never."""
    node = node_at(lay_out(text), ("phrases", name))
    if isinstance(node, MappingNode):
        return put(text, ("phrases", name), key="depth", value=depth)
    if node is None or not depth:
        return ()
    if isinstance(node, SequenceNode) and not node.flow and node.items:
        return _deepened(text, name, node, depth)
    written = value_of(node)
    return set_node(
        text,
        ("phrases", name),
        value={"depth": depth, "alternatives": written if isinstance(written, list) else [written]},
    )


def _deepened(text: str, name: str, node: SequenceNode, depth: str) -> Edit:
    """A list of alternatives moves further in, with its comments, below a `depth` and a key of its own."""
    lines, newline = Lines(text), newline_of(text)
    start, key = lines.line_start(node.start), text.rfind(name, 0, node.start)
    dash = node.start - start
    column = max(dash, key - lines.line_start(key) + 2)
    block = text[start : node.end].split(newline)
    inner = [" " * (column + 2 - dash) + line if line.strip() else line for line in block]
    head = [f"{' ' * column}depth: {depth}", f"{' ' * column}alternatives:"]
    document = value_of(lay_out(text))
    phrases = document["phrases"] if isinstance(document, dict) else {}
    assert isinstance(phrases, dict)
    phrases[name] = {"depth": depth, "alternatives": phrases[name]}
    return checked(text, [Change(start, node.end, newline.join((*head, *inner)))], document)


def add_alternative(text: str, *, phrase: str, value: Value, at: int | None = None) -> Edit:
    """A new alternative: a rule, or a mapping with `parts`."""
    path = _alternatives(text, phrase)
    node = node_at(lay_out(text), path)
    if isinstance(node, Scalar):  # one that stands beside its key
        both: list[Value] = [node.text]
        both.insert(1 if at is None else at, value)
        return set_node(text, path, value=both)
    return add_item(text, _alternatives(text, phrase), value=value, at=at)


def delete_alternative(text: str, *, phrase: str, number: int) -> Edit:
    """Without the n-th alternative."""
    return remove(text, (*_alternatives(text, phrase), number))


def move_alternative(text: str, *, phrase: str, number: int, to: int) -> Edit:
    """The n-th alternative becomes the one with number `to`."""
    return move(text, (*_alternatives(text, phrase), number), to=to)


def set_alternative(text: str, *, phrase: str, number: int, key: str, value: str) -> Edit:
    """Another `rule`, or another `line`, `head` or `weight` beside the parts of an alternative."""
    row = _row(text, phrase, number)
    return set_value(text, row.path, value=value) if key == "rule" else put(text, row.path, key=key, value=value)


def set_part(text: str, *, phrase: str, number: int, part: str, rule: str) -> Edit:
    """Another rule for a part."""
    return set_value(text, (*_row(text, phrase, number).path, "parts", part), value=rule)


def add_part(text: str, *, phrase: str, number: int, part: str, rule: str, at: int | None = None) -> Edit:
    """A new part of an alternative."""
    _refuse(part)
    return add_entry(text, (*_row(text, phrase, number).path, "parts"), key=part, value=rule, at=at)


def delete_part(text: str, *, phrase: str, number: int, part: str) -> Edit:
    """Without a part."""
    return remove(text, (*_row(text, phrase, number).path, "parts", part))


def move_part(text: str, *, phrase: str, number: int, part: str, to: int) -> Edit:
    """The part becomes the one with number `to`."""
    return move(text, (*_row(text, phrase, number).path, "parts", part), to=to)


def rename_part(text: str, *, phrase: str, number: int, part: str, name: str) -> Edit:
    """The part's new name, also in the links, the line and the head of its alternative."""
    _refuse(name)
    row = _row(text, phrase, number)
    edits = [rename(text, (*row.path, "parts", part), name=name)]
    edits += (rewritten(text, other.path, lambda rule: in_rule(rule, part, name)) for other in row.parts)
    if row.line:
        edits.append(rewritten(text, (*row.path, "line"), lambda line: in_line(line, part, name)))
    if row.head == part:
        edits.append(set_value(text, (*row.path, "head"), value=name))
    return together(edits)


def _refuse(part: str) -> None:
    if not SLOT_NAME.fullmatch(part) or part == "head":
        raise fail("slot-name", None, {"slot": part})


def _alternatives(text: str, phrase: str) -> Path:
    path: Path = ("phrases", phrase)
    return (*path, "alternatives") if isinstance(node_at(lay_out(text), path), MappingNode) else path


def _row(text: str, phrase: str, number: int) -> AlternativeRow:
    found = next((row for row in read_phrases(text) if row.name == phrase), None)
    if found is None or not 0 <= number < len(found.alternatives):
        raise fail("row-missing", None, {"row": f"{phrase} › {number + 1}"})
    return found.alternatives[number]
