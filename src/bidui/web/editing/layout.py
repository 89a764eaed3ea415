"""The layout of a YAML text: its keys, values and lists, each with the stretch of text it was read from."""

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from bidui.errors import InputError, Place, fail
from bidui.grammar.documents import decode, parse_document

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
class Mapping:
    """Keys with values; `flow` is `{a: b}` on one line."""

    entries: tuple[Entry, ...]
    start: int
    end: int
    flow: bool = False

    def entry(self, key: str) -> Entry | None:
        """The entry of a key, if it is there."""
        return next((entry for entry in self.entries if entry.key.text == key), None)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list; `flow` is `[a, b]` on one line."""

    items: "tuple[Node, ...]"
    start: int
    end: int
    flow: bool = False


Node = Scalar | Mapping | Sequence
Path = tuple[str | int, ...]  # keys, and numbers of list items from 0
Value = str | list["Value"] | dict[str, "Value"]


def lay_out(text: str, *, name: str = "") -> Mapping:
    """The layout of a text that is a document of ours; raises `InputError` where it is none, with the place."""
    refuse_unreadable(text, name=name)
    parse_document(text, name=name)
    shift = len(text) - len(text.removeprefix(_MARK))
    events = yaml.parse(text[shift:], Loader=_LOADER)
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            node = _Builder(text, shift).node(event, events)
            assert isinstance(node, Mapping)
            return node
    raise fail("not-a-mapping", Place(name, 1), {"what": "the file"})


def try_lay_out(text: str) -> Mapping | None:
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
        if isinstance(node, Mapping) and isinstance(step, str):
            entry = node.entry(step)
            if entry is None:
                return None
            node = entry.value
        elif isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node


def scalars_of(node: Node, path: Path = ()) -> Iterator[tuple[Path, Scalar]]:
    """Every scalar value with the path to it, in the order of the text."""
    if isinstance(node, Scalar):
        yield path, node
    elif isinstance(node, Mapping):
        for entry in node.entries:
            yield from scalars_of(entry.value, (*path, entry.key.text))
    else:
        for number, item in enumerate(node.items):
            yield from scalars_of(item, (*path, number))


def value_of(node: Node) -> Value:
    """What is said, whatever way it is written."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Mapping):
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
            return Sequence(items, self.span(event)[0], self.end(event, items, last), bool(event.flow_style))
        assert isinstance(event, yaml.MappingStartEvent)
        nodes, last = self.items(event, events)
        entries = []
        for key, value in zip(nodes[::2], nodes[1::2], strict=True):
            assert isinstance(key, Scalar)  # the grammar's reader has refused all else
            entries.append(Entry(key, value))
        return Mapping(tuple(entries), self.span(event)[0], self.end(event, nodes, last), bool(event.flow_style))

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
