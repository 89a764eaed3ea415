"""YAML as one tree of strings that know their places: read by the grammar, shown and edited by the workbench.

A scalar is always a string: `no`, `12:30` and `1e3` are words. Every node knows its line and column, for messages, and
the stretch of text that it was read from, for editors. What a file of ours must not hold (anchors, tags, keys that are
no words, a key twice) is refused with its place.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path as FilePath
from typing import NamedTuple

import yaml

from bidui import files
from bidui.errors import InputError, Place, Problem, fail

MAX_DEPTH = 20  # a paradigm needs five; this stops hostile files before Python's stack does
MAX_NODES = 50_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml parses ten times quicker
_MARK = "\ufeff"  # a byte order mark, which YAML does not count
_NUMBER = re.compile(r"[0-9]{1,9}([./][0-9]{1,9})?")  # `1e999999999` would take all memory
_GUESSES = 20  # unknown keys of one mapping for which similar keys are suggested
# A plain value that begins or ends like this, or holds such a blank, is something else to YAML.
_SPECIAL = re.compile(r"""^[-?:,\[\]{}#&*!|>'"%@` ]|^\.\.\.|: | #|[: ]\Z""")
_FLOW = re.compile(r"[,\[\]{}?]|:$")  # what ends a plain value inside of brackets
_WIDE_BLANKS = "\u3000\u00a0"  # which Python calls unprintable and Chinese keyboards write
# How quotes write a character; elsewhere it stands for itself.
_WRITTEN = {"'": re.compile("''"), '"': re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)", re.DOTALL)}

MAX_BYTES = 20_000_000  # of a file; a lexicon of 10,000 words has one
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")

Path = tuple[str | int, ...]  # keys, and numbers of list items from 0
Value = str | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string; `place` is its first character, inside the quotes.

    The text from `start` up to `end` says it, in a `style`: a quotation mark, `|`, `>`, or nothing.
    """

    text: str
    place: Place
    start: int = 0
    end: int = 0
    style: str = ""

    @property
    def quoted(self) -> bool:
        """Whether it is written as more than plain text, so that an empty one is meant."""
        return bool(self.style)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes; `flow` is `[a, b]`."""

    items: "tuple[Node, ...]"
    place: Place
    start: int = 0
    end: int = 0
    flow: bool = False


class Entry(NamedTuple):
    """A key with its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries by key, in the order of the file; `flow` is `{a: b}`."""

    items: dict[str, Entry]
    place: Place
    start: int = 0
    end: int = 0
    flow: bool = False

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return the entries in order."""
        return tuple(self.items.values())

    def get(self, key: str) -> "Node | None":
        """Return the value of a key, or None."""
        entry = self.items.get(key)
        return entry.value if entry else None


Node = Scalar | Sequence | Mapping


def read_text(path: FilePath, *, name: str) -> str:
    """Read the text of a project's file, which messages call `name`."""
    return decode(read_bytes(path, name=name), name=name)


def read_bytes(path: FilePath, *, name: str) -> bytes:
    """Read a project's file, which messages call `name`."""
    return files.read_bytes(path, name=name, limit=MAX_BYTES)


def decode(data: bytes, *, name: str) -> str:
    """Decode the text of a project's file: UTF-8 without control characters."""
    text = files.decode(data, file=name)
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise fail("control-character", Place(name, line), {"code": f"U+{ord(control.group()):04X}"})
    return text


def parse_document(text: str, *, name: str) -> Mapping:
    """Return the mapping at the top of a YAML text; `name` is the file's, for messages."""
    shift = len(text) - len(text.removeprefix(_MARK))
    try:
        return _Builder(name, text, shift).document(yaml.parse(text[shift:], Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise InputError([_explain(error, text, Place(name, line, mark.column + 1 if mark else 0))]) from None
    except yaml.YAMLError as error:
        raise fail("yaml-broken", Place(name), {"reason": str(error).splitlines()[0]}) from None


def node_at(node: Node, path: Path) -> Node | None:
    """Return the node that a path leads to, or None."""
    inner: Node | None = node
    for step in path:
        if isinstance(inner, Mapping) and isinstance(step, str):
            inner = inner.get(step)
        elif isinstance(inner, Sequence) and isinstance(step, int) and 0 <= step < len(inner.items):
            inner = inner.items[step]
        else:
            return None
    return inner


def scalars_of(node: Node, path: Path = ()) -> Iterator[tuple[Path, Scalar]]:
    """Yield every scalar value with the path to it, in the order of the text."""
    return ((inner, scalar) for inner, scalar, key in keys_and_scalars(node, path) if not key)


def keys_and_scalars(node: Node, path: Path = ()) -> Iterator[tuple[Path, Scalar, bool]]:
    """Yield every key and scalar value with the path to the value, and whether it is a key."""
    if isinstance(node, Scalar):
        yield path, node, False
    elif isinstance(node, Mapping):
        for key, value in node.entries:
            yield (*path, key.text), key, True
            yield from keys_and_scalars(value, (*path, key.text))
    else:
        for number, item in enumerate(node.items):
            yield from keys_and_scalars(item, (*path, number))


def value_of(node: Node) -> Value:
    """Return what a node says, however it is written."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Mapping):
        return {key.text: value_of(value) for key, value in node.entries}
    return [value_of(item) for item in node.items]


def written(text: str, *, style: str = "", flow: bool = False) -> str:
    """Return a text as a scalar on one line, in the quotes it had (`style`) or none, where it is read back as itself.

    An empty text is written as nothing: `""` would say that nothing is meant, and not that it is still missing.
    """
    if not text:
        return ""
    if style == '"' or not all(map(printable, text)):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(char if printable(char) else f"\\U{ord(char):08X}" for char in escaped) + '"'
    special = text.isspace() or _SPECIAL.search(text) or (flow and _FLOW.search(text))  # blanks alone say nothing
    if style != "'" and not special:
        return text
    if style == "" and flow and not set(text) & {'"', "\\"}:
        return f'"{text}"'
    return _quoted(text)


def printable(char: str) -> bool:
    """Whether people can see a character, or the gap that it leaves."""
    return char.isprintable() or char in _WIDE_BLANKS


def offsets(raw: str, text: str, *, style: str) -> list[int]:
    """Return where each character of `text`, and its end, stands in `raw`, the scalar as it was written.

    Folded lines have fewer characters than were written; then the position is that of the blanks they were folded from.
    """
    at = raw.find("\n") + 1 if style in {"|", ">"} else len(style)
    pattern = _WRITTEN.get(style)
    positions: list[int] = []
    for char in text:
        while at < len(raw):  # indentation, and in double quotes escaped line breaks
            if style == '"' and raw[at] == "\\" and raw[at + 1 : at + 2] in {"\n", "\r"}:
                at += 2
            elif raw[at].isspace() and raw[at] != char and not char.isspace():
                at += 1
            else:
                break
        positions.append(min(at, len(raw)))
        match = pattern.match(raw, at) if pattern else None
        at = match.end() if match else at + 1
    return [*positions, min(at, len(raw))]


def _explain(error: yaml.MarkedYAMLError, text: str, place: Place) -> Problem:
    """Return the problem behind a YAML error; most are values that need quotes, so show the line with them."""
    lines = text.splitlines()
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    key, colon, value = line.partition(": ")
    key, value = key.strip(), value.strip()
    if colon and value and not value.startswith("'"):
        if value[0] in '|>!*&%@`"{[':
            place = Place(place.file, place.line, line.index(value, line.index(": ")) + 1)
            return Problem("yaml-needs-quotes", place, {"value": value, "quoted": f"{key}: {_quoted(value)}"})
        if ": " in value:
            joined = f"{key}: {value.replace(': ', ':')}"
            values = {"value": value, "joined": joined, "quoted": f"{key}: {_quoted(value)}"}
            return Problem("yaml-colon-blank", place, values)
    return Problem("yaml-broken", place, {"reason": error.problem or error.context or "not YAML"})


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


class _Builder:
    """Turns parser events into nodes, refusing what a file of ours must not hold."""

    def __init__(self, name: str, text: str, shift: int) -> None:
        self.name = name
        self.text = text
        self.shift = shift  # characters before what is parsed
        self.nodes = 0

    def document(self, events: Iterator[yaml.Event]) -> Mapping:
        node: Node | None = None
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                if node is not None:
                    raise fail("yaml-several-documents", self.place(event))
                node = self.node(event, events, 0)
        if not isinstance(node, Mapping):
            raise fail("not-a-mapping", Place(self.name, 1), {"what": "the file"})
        return node

    def place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self.name, mark.line + 1, mark.column + 1) if mark else Place(self.name)

    def start(self, event: yaml.Event) -> int:
        return event.start_mark.index + self.shift if event.start_mark else 0

    def end(self, event: yaml.Event) -> int:
        return event.end_mark.index + self.shift if event.end_mark else 0

    def node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        place = self.place(event)
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise fail("yaml-too-deep", place, {"limit": MAX_DEPTH})
        if self.nodes > MAX_NODES:
            raise fail("yaml-too-long", place, {"limit": MAX_NODES})
        marked = getattr(event, "anchor", None) or getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent) or marked:
            raise InputError([self.needs_quotes(event, place)])
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, place)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, events, depth, place)
        assert isinstance(event, yaml.MappingStartEvent)
        return self.mapping(event, events, depth, place)

    def needs_quotes(self, event: yaml.Event, place: Place) -> Problem:
        mark = None if isinstance(event, yaml.CollectionStartEvent) else event.end_mark
        end = mark.column if mark and mark.line == place.line - 1 else None
        value = self.text[self.shift :].splitlines()[place.line - 1][place.column - 1 : end].strip()
        return Problem("yaml-needs-quotes", place, {"value": value, "quoted": _quoted(value)})

    def scalar(self, event: yaml.ScalarEvent, place: Place) -> Scalar:
        start, end, style = self.start(event), self.end(event), event.style or ""
        while end > start and self.text[end - 1].isspace():  # the empty lines after a block
            end -= 1
        return Scalar(event.value, place.at(1) if style in {"'", '"'} else place, start, end, style)

    def sequence(
        self, start: yaml.SequenceStartEvent, events: Iterator[yaml.Event], depth: int, place: Place
    ) -> Sequence:
        items: list[Node] = []
        flow = bool(start.flow_style)
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(self.node(event, events, depth + 1))
        end = self.end(event) if flow or not items else items[-1].end
        return Sequence(tuple(items), place, self.start(start), end, flow)

    def mapping(self, start: yaml.MappingStartEvent, events: Iterator[yaml.Event], depth: int, place: Place) -> Mapping:
        items: dict[str, Entry] = {}
        flow = bool(start.flow_style)
        end = 0
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self.node(event, events, depth + 1)
            if not isinstance(key, Scalar):
                raise fail("key-not-a-word", key.place)
            if key.text in items:
                first = items[key.text].key.place.line
                raise fail("key-twice", key.place, {"key": key.text, "line": first})
            value = self.node(next(events), events, depth + 1)
            items[key.text] = Entry(key, value)
            end = value.end
        return Mapping(items, place, self.start(start), self.end(event) if flow or not items else end, flow)


@dataclass(slots=True)
class Fields:
    """The keys of a mapping, read as typed values; all problems are collected instead of stopping at the first."""

    mapping: Mapping
    problems: list[Problem]
    part: str = ""
    seen: set[str] = field(default_factory=set)

    def place(self, node: Node | None = None) -> Place:
        """Return the place of a node, or of the whole mapping, with the name of the part."""
        return replace((node or self.mapping).place, part=self.part)

    def report(self, kind: str, node: Node | None = None, values: dict[str, object] | None = None) -> None:
        """Add an error."""
        self.problems.append(Problem(kind, self.place(node), values or {}))

    def node(self, key: str) -> Node | None:
        """Return the value of a key, or None."""
        self.seen.add(key)
        return self.mapping.get(key)

    def scalar(self, key: str, *, required: bool = False) -> Scalar | None:
        """Return the scalar of a key, or None where it is missing, blank or no text, which is reported."""
        node = self.node(key)
        if node is None:
            if required:
                self.report("key-missing", None, {"key": key})
        elif not isinstance(node, Scalar):
            self.report("not-a-text", node, {"key": key})
        elif not node.text.strip() and not node.quoted:
            self.report("value-blank", node, {"key": key})
        else:
            return node
        return None

    def text(self, key: str, default: str = "") -> str:
        """Return the text of a key."""
        scalar = self.scalar(key)
        return scalar.text if scalar else default

    def choice(self, key: str, options: Iterable[str], default: str) -> str:
        """Return the text of a key that must be one of a few words."""
        scalar, allowed = self.scalar(key), list(options)
        if scalar and scalar.text not in allowed:
            self.report("value-not-allowed", scalar, {"key": key, "value": scalar.text, "allowed": allowed})
        return scalar.text if scalar and scalar.text in allowed else default

    def flag(self, key: str, default: bool = False) -> bool:
        """Return whether a key says `true`, not `false`."""
        return self.choice(key, ("true", "false"), "true" if default else "false") == "true"

    def weight(self) -> Fraction:
        """Return the `weight`, a positive number, or 1 where the key is missing."""
        scalar = self.scalar("weight")
        if scalar is None:
            return Fraction(1)
        if _NUMBER.fullmatch(scalar.text):
            with suppress(ZeroDivisionError):
                if number := Fraction(scalar.text):
                    return number
        self.report("weight-bad", scalar, {"value": scalar.text})
        return Fraction(1)

    def texts(self, key: str) -> list[Scalar]:
        """Return a list of scalars; a single text is no list, since it may be meant as several."""
        node = self.node(key)
        if node is not None and not isinstance(node, Sequence):
            self.report("not-a-list", node, {"key": key})
        items = node.items if isinstance(node, Sequence) else ()
        for item in items:
            if not isinstance(item, Scalar):
                self.report("not-a-text", item, {"key": key})
            elif not item.text.strip() and not item.quoted:
                self.report("value-blank", item, {"key": key})
        return [item for item in items if isinstance(item, Scalar)]

    def sub(self, key: str) -> "Fields | None":
        """Return the fields of a key that must be a mapping, or None."""
        node = self.node(key)
        if node is not None and not isinstance(node, Mapping):
            self.report("not-a-mapping", node, {"what": key})
            return None
        return Fields(node, self.problems, self.part) if node else None

    def unknown(self) -> None:
        """Report every key that was never read."""
        allowed = sorted(self.seen)
        unknown = [(key, scalar) for key, (scalar, _) in self.mapping.items.items() if key not in self.seen]
        for number, (key, scalar) in enumerate(unknown):
            near = get_close_matches(key, allowed, n=2, cutoff=0.5) if number < _GUESSES else []
            self.report("key-unknown", scalar, {"key": key, "near": near or allowed})

    def format(self) -> None:
        """Check the version of the file format."""
        scalar = self.scalar("format")
        if scalar is None:
            self.problems.append(Problem("format-missing", self.place(), {}, "warning"))
        elif scalar.text != "1":
            self.report("format-unknown", scalar, {"value": scalar.text})
