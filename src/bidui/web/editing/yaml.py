"""The layout of a YAML text: its keys, values and lists, each with the stretch of text it was read from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from bidui.errors import InputError, Place, fail
from bidui.grammar.yaml import decode, parse_document
from bidui.web.editing.text import Change, Edit, Lines, apply_edit, make_edit, newline_of

MAX_CHARACTERS = 100_000  # the longest shipped file has twenty thousand
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MARK = "\ufeff"  # a byte order mark, which YAML does not count


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text; `style` is its quotation mark, `|` or `>`, or nothing."""

    text: str
    start: int
    end: int
    style: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class MappingNode:
    """Keys with values; `flow` is `{a: b}` on one line."""

    entries: tuple[Entry, ...]
    start: int
    end: int
    flow: bool = False

    def entry(self, key: str) -> Entry | None:
        """The entry of a key, if it is there."""
        return next((entry for entry in self.entries if entry.key.text == key), None)


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """A list; `flow` is `[a, b]` on one line."""

    items: "tuple[Node, ...]"
    start: int
    end: int
    flow: bool = False


Node = Scalar | MappingNode | SequenceNode
Path = tuple[str | int, ...]  # keys, and numbers of list items from 0
Value = str | list["Value"] | dict[str, "Value"]


def lay_out(text: str, *, name: str = "") -> MappingNode:
    """The layout of a text that is a document of ours; raises `InputError` where it is none, with the place."""
    refuse_unreadable(text, name=name)
    parse_document(text, name=name)
    shift = len(text) - len(text.removeprefix(_MARK))
    events = yaml.parse(text[shift:], Loader=_LOADER)
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            node = _Builder(text, shift).node(event, events)
            assert isinstance(node, MappingNode)
            return node
    raise fail("not-a-mapping", Place(name, 1), {"what": "the file"})


def try_lay_out(text: str) -> MappingNode | None:
    """The layout, or None where the text is not (yet) a document."""
    try:
        return lay_out(text)
    except InputError:
        return None


def refuse_unreadable(text: str, *, name: str) -> None:
    """Raises `InputError` for a text that is too long, or that no file can hold."""
    if len(text) > MAX_CHARACTERS:
        raise fail("text-too-long", Place(name), {"length": len(text), "limit": MAX_CHARACTERS})
    decode(text.encode("utf-8", "surrogatepass"), name=name)


def node_at(node: Node, path: Path) -> Node | None:
    """The node a path leads to, if it is there."""
    for step in path:
        if isinstance(node, MappingNode) and isinstance(step, str):
            entry = node.entry(step)
            if entry is None:
                return None
            node = entry.value
        elif isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node


def scalars_of(node: Node, path: Path = ()) -> Iterator[tuple[Path, Scalar]]:
    """Every scalar value with the path to it, in the order of the text."""
    if isinstance(node, Scalar):
        yield path, node
    elif isinstance(node, MappingNode):
        for entry in node.entries:
            yield from scalars_of(entry.value, (*path, entry.key.text))
    else:
        for number, item in enumerate(node.items):
            yield from scalars_of(item, (*path, number))


def value_of(node: Node) -> Value:
    """What is said, whatever way it is written."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, MappingNode):
        return {entry.key.text: value_of(entry.value) for entry in node.entries}
    return [value_of(item) for item in node.items]


class _Builder:
    """Turns parser events into nodes; `shift` characters stand before what was parsed."""

    def __init__(self, text: str, shift: int) -> None:
        self.text = text
        self.shift = shift

    def node(self, event: yaml.Event, events: Iterator[yaml.Event]) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            start, end = self.span(event)
            while end > start and self.text[end - 1].isspace():  # a block's empty lines
                end -= 1
            return Scalar(event.value, start, end, event.style or "")
        if isinstance(event, yaml.SequenceStartEvent):
            items, last = self.items(event, events)
            return SequenceNode(items, self.span(event)[0], self.end(event, items, last), bool(event.flow_style))
        assert isinstance(event, yaml.MappingStartEvent)
        nodes, last = self.items(event, events)
        entries = []
        for key, value in zip(nodes[::2], nodes[1::2], strict=True):
            assert isinstance(key, Scalar)  # the grammar's reader has refused all else
            entries.append(Entry(key, value))
        return MappingNode(tuple(entries), self.span(event)[0], self.end(event, nodes, last), bool(event.flow_style))

    def items(self, start: yaml.Event, events: Iterator[yaml.Event]) -> tuple[tuple[Node, ...], yaml.Event]:
        found: list[Node] = []
        for event in events:
            if isinstance(event, yaml.CollectionEndEvent):
                return tuple(found), event
            found.append(self.node(event, events))
        return tuple(found), start

    def end(self, event: yaml.Event, nodes: tuple[Node, ...], last: yaml.Event) -> int:
        """A list or mapping ends with what is last in it, or with its bracket."""
        if getattr(event, "flow_style", False) or not nodes:
            return self.span(last)[1]
        return nodes[-1].end

    def span(self, event: yaml.Event) -> tuple[int, int]:
        start, end = event.start_mark, event.end_mark
        assert start is not None and end is not None
        return start.index + self.shift, end.index + self.shift


# Scalars of YAML: how a text is written as one, and where each of its characters stands in what was written.

# A plain value that begins with one of these is something else to YAML.
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@` ")
_FLOW = re.compile(r"[,\[\]{}?]|:$")  # what ends a plain value inside of brackets
_WIDE_BLANKS = "\u3000\u00a0"  # which Python calls unprintable and Chinese keyboards write
_ESCAPE = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)", re.DOTALL)


def written(text: str, *, style: str = "", flow: bool = False) -> str:
    """The text as a scalar on one line, in the quotes it had (`style`) or none, where that is read back as itself.

    Of no text nothing is written: `""` would say that nothing is meant, and not that it is still missing.
    """
    if not text:
        return ""
    if style == '"' or not all(map(printable, text)):
        return '"' + "".join(map(_escaped, text)) + '"'
    if style != "'" and _plain(text, flow=flow):
        return text
    if style == "" and flow and not set(text) & {'"', "\\"}:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


def _plain(text: str, *, flow: bool) -> bool:
    if text[0] in _INDICATORS or text[-1] in ": " or ": " in text or " #" in text:
        return False
    return not text.startswith(("---", "...")) and not (flow and _FLOW.search(text))


def printable(char: str) -> bool:
    """Whether people can see a character, or the gap that it leaves."""
    return char.isprintable() or char in _WIDE_BLANKS


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if printable(char) else f"\\U{ord(char):08X}"


def offsets(raw: str, text: str, *, style: str) -> list[int]:
    """For each character of `text`, and for its end, where it stands in `raw`, the scalar as it was written.

    Folded lines have fewer characters than were written; then the place is that of the blanks they were folded from.
    """
    at = 0
    if style in {"'", '"'}:
        at = 1
    elif style in {"|", ">"}:
        at = raw.find("\n") + 1
    found: list[int] = []
    for char in text:
        at = _skipped(raw, at, char, style)
        found.append(min(at, len(raw)))
        at += _width(raw, at, style)
    return [*found, min(at, len(raw))]


def _skipped(raw: str, at: int, char: str, style: str) -> int:
    """Past what was written for the eye only: indentation, and in double quotes escaped line breaks."""
    while at < len(raw):
        if style == '"' and raw[at] == "\\" and raw[at + 1 : at + 2] in {"\n", "\r"}:
            at += 2
        elif raw[at].isspace() and raw[at] != char and not char.isspace():
            at += 1
        else:
            break
    return at


def _width(raw: str, at: int, style: str) -> int:
    if style == "'" and raw.startswith("''", at):
        return 2
    if style == '"' and (found := _ESCAPE.match(raw, at)):
        return len(found.group())
    return 1


# Where in a YAML text entries and items are written, and where new ones go: the text side of an edit.

Chunk = tuple[int, int]
_STEP = "  "  # what a nested block is indented by


def chunks_of(text: str, parent: MappingNode | SequenceNode) -> list[Chunk]:
    """What each entry or item is written in: up to the end of its line, or in flow style up to its own end."""
    if isinstance(parent, MappingNode):
        found = [(entry.key.start, max(entry.key.end + 1, entry.value.end)) for entry in parent.entries]
    else:
        found = [(item.start, item.end) for item in parent.items]
    if parent.flow:
        return found
    lines = Lines(text)
    return [(start, lines.line_end(end)) for start, end in found]


def added(text: str, parent: MappingNode | SequenceNode, number: int, value: Value) -> Change:
    """A new entry (a mapping of one) or item (a list of one) before the n-th of those that are there, or after all."""
    chunks = chunks_of(text, parent)
    if parent.flow:
        new = _flow(value)[1:-1]
        if number < len(chunks):
            return Change(chunks[number][0], chunks[number][0], f"{new}, ")
        return Change(chunks[-1][1], chunks[-1][1], f", {new}")
    if isinstance(parent, SequenceNode):
        chunks = [(_dash(text, start), end) for start, end in chunks]
    column, lines = _column(text, chunks[0][0]), Lines(text)
    block, newline, start = _block(value), newline_of(text), chunks[0][0]
    if number > 0:  # below the one before it, so that a comment above the next one stays with that
        end = _past_comments(lines, chunks[number - 1][1], column)
        return Change(end, end, "".join(f"{newline}{' ' * column}{line}" for line in block))
    if text[lines.line_start(start) : start].strip():  # after a dash
        return Change(start, start, "".join(f"{line}{newline}{' ' * column}" for line in block))
    at = _before_comments(lines, lines.line_start(start), column) if column else lines.line_start(start)
    return Change(at, at, "".join(f"{' ' * column}{line}{newline}" for line in block))


def _past_comments(lines: Lines, end: int, column: int) -> int:
    """The end of the comments below an entry that stand further in than it does, and so are its own."""
    while (start := lines.next_line(end)) < len(lines.text):
        line = lines.text[start : lines.line_end(start)]
        if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) <= column:
            break
        end = start + len(line)
    return end


def _before_comments(lines: Lines, start: int, column: int) -> int:
    """Where the comments right above a line begin, those that stand as far in as what they are about."""
    indent = " " * column + "#"
    while start and lines.text.startswith(indent, above := lines.line_start(start - 1)):
        start = above
    return start


def whole_chunks(text: str, parent: MappingNode | SequenceNode) -> list[Chunk]:
    """What goes where an entry goes: also the comments below it that stand further in, and those right above it.

    A comment above several rows that follow each other without a gap may be about all of them, and stays; so does what
    stands at the head of the file.
    """
    chunks = chunks_of(text, parent)
    if parent.flow or isinstance(parent, SequenceNode):
        return chunks
    lines, found = Lines(text), []
    for number, (start, end) in enumerate(chunks):
        line, column = lines.line_start(start), _column(text, start)
        end = _past_comments(lines, end, column)
        below = text[lines.next_line(end) : lines.line_end(lines.next_line(end))].strip()
        above = _before_comments(lines, line, column) if not text[line:start].strip() else line
        alone = number + 1 == len(chunks) or not below or below.startswith("#")
        found.append((above + column if 0 < above < line and alone else start, end))
    return found


def replaced(text: str, document: MappingNode, path: Path, value: Value) -> Change:
    """The entry at `path` says something else, of another shape; refused where comments inside of it would go."""
    parent = node_at(document, path[:-1])
    entry = parent.entry(str(path[-1])) if path and isinstance(parent, MappingNode) and not parent.flow else None
    old = text[entry.value.start : entry.value.end] if entry else ""
    if entry is None or ("#" in old and "\n" in old):
        raise fail("edit-form", Place("", Lines(text).place(entry.key.start if entry else 0)[0]))
    start, end = entry.key.end + 1, max(entry.key.end + 1, entry.value.end)
    if not _nests(value):
        return Change(start, end, f" {_on_line(value)}")
    lines = Lines(text)
    beside = text[start : lines.line_end(start)]
    if lines.line_start(entry.value.start) == lines.line_start(start):
        beside, end = text[end : lines.line_end(end)], lines.line_end(end)
    indent = newline_of(text) + " " * _column(text, entry.key.start) + _STEP
    return Change(start, end, beside.rstrip() + "".join(f"{indent}{line}" for line in _block(value)))


def first_added(text: str, document: MappingNode, path: Path, value: Value) -> Change:
    """What was empty (`slots:`, `slots: {}`) becomes a block below its key; in flow style it stays on its line."""
    parent, node = node_at(document, path[:-1]), node_at(document, path)
    entry = parent.entry(str(path[-1])) if path and isinstance(parent, MappingNode) and not parent.flow else None
    assert node is not None
    if entry is None:
        return Change(node.start, node.end, _flow(value))
    end = Lines(text).line_end(node.end)
    comment = text[node.end : end].strip()
    indent = " " * _column(text, entry.key.start) + _STEP
    block = "".join(f"{newline_of(text)}{indent}{line}" for line in _block(value))
    return Change(entry.key.end + 1, end, (f" {comment}" if comment else "") + block)


def removed(text: str, document: MappingNode, path: Path, number: int) -> Change:
    """Without the n-th entry or item of what stands at `path`."""
    parent = node_at(document, path)
    assert isinstance(parent, MappingNode | SequenceNode)
    chunks = whole_chunks(text, parent)
    start, end = chunks[number]
    if len(chunks) == 1:
        return _emptied(text, document, path, parent)
    if parent.flow:
        if number + 1 < len(chunks):
            return Change(start, chunks[number + 1][0], "")
        return Change(chunks[number - 1][1], end, "")
    lines = Lines(text)
    if isinstance(parent, SequenceNode):
        start = _dash(text, start)
    if not text[lines.line_start(start) : start].strip():
        return Change(lines.line_start(start), lines.next_line(end), "")
    # the first key of a list's item stands after a dash, which the next key inherits
    return Change(start, chunks[number + 1][0] if number + 1 < len(chunks) else end, "")


def _emptied(text: str, document: MappingNode, path: Path, node: MappingNode | SequenceNode) -> Change:
    empty = "{}" if isinstance(node, MappingNode) else "[]"
    above = node_at(document, path[:-1])
    entry = above.entry(str(path[-1])) if path and isinstance(above, MappingNode) else None
    if entry is not None and not text[entry.key.end + 1 : node.start].strip():
        return Change(entry.key.end + 1, node.end if node.flow else Lines(text).line_end(node.end), f" {empty}")
    return Change(node.start, node.end, empty)


def _dash(text: str, start: int) -> int:
    """The dash of a list's item, which must stand on its line."""
    lines = Lines(text)
    dash = text.rfind("-", lines.line_start(start), start)
    if dash < 0 or text[dash + 1 : start].strip():
        raise fail("edit-form", Place("", lines.place(start)[0]))
    return dash


def _column(text: str, offset: int) -> int:
    return offset - Lines(text).line_start(offset)


def _flow(value: Value) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return written(value, flow=True)
    if isinstance(value, list):
        if "" in value:
            raise fail("edit-form", Place())
        return f"[{', '.join(map(_flow, value))}]"
    return "{" + ", ".join(f"{written(key, flow=True)}: {_flow(inner)}" for key, inner in value.items()) + "}"


def _block(value: Value) -> list[str]:
    """A value on lines of its own; lists of texts are short and stay on one."""
    lines: list[str] = []
    if isinstance(value, list):
        for item in value:
            first, *rest = _block(item) if isinstance(item, dict) and item else [_on_line(item)]
            lines += (f"- {first}".rstrip(" "), *(f"{_STEP}{line}" for line in rest))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if _nests(inner):
                lines += (f"{written(key)}:", *(f"{_STEP}{line}" for line in _block(inner)))
            else:
                lines.append(f"{written(key)}: {_on_line(inner)}".rstrip(" "))
    return lines or [_on_line(value)]


def _nests(value: Value) -> bool:
    """Whether a value needs lines of its own; brackets cannot hold an item that is not written yet."""
    return bool(value) and (isinstance(value, dict) or (isinstance(value, list) and _spread(value)))


def _spread(items: list[Value]) -> bool:
    return isinstance(items[0], dict) or "" in items


def _on_line(value: Value) -> str:
    return written(value) if isinstance(value, str) else _flow(value)


# Edits of a YAML text by path: a value set, an entry added, removed, moved or renamed, and nothing else touched.
#
# Every edit is checked before it is handed out: the text that it gives is read again and must say what was meant.
# Where a text is written in a way that cannot be changed so, the edit is refused and the text stays.
#
# A comment at the end of a line goes with the line, and one right above an entry with the entry, unless it may be
# about several; other comments stay where they are.


def set_value(text: str, path: Path, *, value: str) -> Edit:
    """Another text for a scalar that is there; its quotes stay if they can."""
    document = lay_out(text)
    node, parent = node_at(document, path), node_at(document, path[:-1])
    if not isinstance(node, Scalar) or not isinstance(parent, MappingNode | SequenceNode):
        raise _missing(path)
    expected = value_of(document)
    _put(expected, path, value)
    if not value and parent.flow and isinstance(parent, SequenceNode):  # brackets cannot hold it
        return checked(text, [_respelled(text, document, path[:-1], expected)], expected)
    style = node.style if node.style in {"'", '"'} else ""
    new = written(value, style=style, flow=parent.flow)
    if new and node.start == node.end and text[node.start - 1 : node.start] in {":", "-"}:  # nothing stands after it
        new = f" {new}"
    return checked(text, [Change(node.start, node.end, new)], expected)


def set_node(text: str, path: Path, *, value: Value) -> Edit:
    """Another value, of whatever shape, for a key that is there."""
    document = lay_out(text)
    expected = value_of(document)
    if node_at(document, path) is None:
        raise _missing(path)
    _put(expected, path, value)
    return checked(text, [replaced(text, document, path, value)], expected)


def add_entry(text: str, path: Path, *, key: str, value: Value, at: int | None = None) -> Edit:
    """A new key in the mapping at `path`, as its n-th entry or its last; an empty value counts as an empty mapping."""
    document = lay_out(text)
    expected = value_of(document)
    inner = _get(expected, path)
    if inner == "":
        inner = {}
        _put(expected, path, inner)
    if not isinstance(inner, dict):
        raise _missing(path)
    if key in inner:
        raise fail("row-exists", None, {"name": key})
    number = _within(at, len(inner))
    _reorder(inner, [*list(inner.items())[:number], (key, value), *list(inner.items())[number:]])
    mapping = node_at(document, path)
    if isinstance(mapping, MappingNode) and mapping.entries:
        return checked(text, [added(text, mapping, number, {key: value})], expected)
    return checked(text, [first_added(text, document, path, {key: value})], expected)


def add_item(text: str, path: Path, *, value: Value, at: int | None = None) -> Edit:
    """A new item in the list at `path`, as its n-th or its last; an empty value counts as an empty list."""
    document = lay_out(text)
    expected = value_of(document)
    inner = _get(expected, path)
    if inner == "":
        inner = []
        _put(expected, path, inner)
    if not isinstance(inner, list):
        raise _missing(path)
    number = _within(at, len(inner))
    inner.insert(number, value)
    sequence = node_at(document, path)
    if isinstance(sequence, SequenceNode) and sequence.items and sequence.flow and not value:
        return checked(text, [_respelled(text, document, path, expected)], expected)
    if isinstance(sequence, SequenceNode) and sequence.items:
        return checked(text, [added(text, sequence, number, [value])], expected)
    return checked(text, [first_added(text, document, path, [value])], expected)


def remove(text: str, path: Path) -> Edit:
    """The entry or item at `path` is gone; a mapping or list that is left empty is written `{}` or `[]`."""
    document = lay_out(text)
    number, _ = _sibling(document, path)
    expected = value_of(document)
    inner = _get(expected, path[:-1])
    if isinstance(inner, list):
        del inner[number]
    elif isinstance(inner, dict):
        del inner[str(path[-1])]
    return checked(text, [removed(text, document, path[:-1], number)], expected)


def move(text: str, path: Path, *, to: int) -> Edit:
    """The entry or item at `path` becomes the one with number `to` among its siblings."""
    document = lay_out(text)
    number, parent = _sibling(document, path)
    chunks = whole_chunks(text, parent)
    order = list(range(len(chunks)))
    order.insert(_within(to, len(chunks) - 1), order.pop(number))
    expected = value_of(document)
    inner = _get(expected, path[:-1])
    if isinstance(inner, list):
        inner[:] = [inner[old] for old in order]
    elif isinstance(inner, dict):
        pairs = list(inner.items())
        _reorder(inner, [pairs[old] for old in order])
    changes = [Change(*chunks[new], text[slice(*chunks[old])]) for new, old in enumerate(order) if new != old]
    return checked(text, changes, expected)


def rename(text: str, path: Path, *, name: str) -> Edit:
    """Another key for the entry at `path`."""
    document = lay_out(text)
    parent = node_at(document, path[:-1])
    entry = parent.entry(str(path[-1])) if isinstance(parent, MappingNode) else None
    if entry is None or not isinstance(parent, MappingNode):
        raise _missing(path)
    if parent.entry(name) not in {None, entry}:
        raise fail("row-exists", None, {"name": name})
    expected = value_of(document)
    inner = _get(expected, path[:-1])
    assert isinstance(inner, dict)
    _reorder(inner, [(name if key == path[-1] else key, value) for key, value in inner.items()])
    style = entry.key.style if entry.key.style in {"'", '"'} else ""
    return checked(
        text, [Change(entry.key.start, entry.key.end, written(name, style=style, flow=parent.flow))], expected
    )


def checked(text: str, changes: list[Change], expected: Value) -> Edit:
    """The edit, if the text that it gives says what was meant."""
    edit = make_edit(change for change in changes if text[change.start : change.end] != change.text)
    after = try_lay_out(apply_edit(text, edit))
    if after is None or not _same(value_of(after), expected):
        raise fail("edit-form", Place("", Lines(text).place(edit[0].start)[0] if edit else 0))
    return edit


def _respelled(text: str, document: MappingNode, path: Path, expected: Value) -> Change:
    """A list in brackets becomes one with a dash for each item."""
    value = _get(expected, path)
    assert isinstance(value, list)
    return replaced(text, document, path, value)


def _same(one: Value, other: Value) -> bool:
    """Equal, and in the same order: keys are rows, and their order is what people see."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def _missing(path: Path) -> InputError:
    return fail("row-missing", None, {"row": " › ".join(map(str, path))})


def _sibling(document: MappingNode, path: Path) -> tuple[int, MappingNode | SequenceNode]:
    """Which entry or item of its parent a path means."""
    parent = node_at(document, path[:-1])
    if path and isinstance(parent, MappingNode | SequenceNode) and node_at(document, path) is not None:
        if isinstance(parent, SequenceNode):
            return int(path[-1]), parent
        return [entry.key.text for entry in parent.entries].index(str(path[-1])), parent
    raise _missing(path)


def _within(number: int | None, most: int) -> int:
    return most if number is None else max(0, min(number, most))


def _get(value: Value, path: Path) -> Value | None:
    for step in path:
        found: Value | None = None
        if isinstance(value, dict):
            found = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            found = value[step]
        if found is None:
            return None
        value = found
    return value


def _put(value: Value, path: Path, new: Value) -> None:
    inner = _get(value, path[:-1])
    if isinstance(inner, dict):
        inner[str(path[-1])] = new
    elif isinstance(inner, list):
        inner[int(path[-1])] = new


def _reorder(mapping: dict[str, Value], pairs: list[tuple[str, Value]]) -> None:
    mapping.clear()
    mapping.update(pairs)
