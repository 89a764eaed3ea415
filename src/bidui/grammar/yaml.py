"""A YAML text becomes nested values in which every scalar is a string that knows its place."""

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path

import yaml

from bidui.errors import InputError, Place, Problem, fail

MAX_DEPTH = 20  # a paradigm needs five; this stops hostile files before Python's stack does
MAX_NODES = 50_000
MAX_BYTES = 20_000_000  # a lexicon of 10,000 words has one
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml parses ten times quicker
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string; `place` is its first character."""

    text: str
    place: Place
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    items: "tuple[Node, ...]"
    place: Place


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys, each once, in the order of the file."""

    items: "dict[str, tuple[Scalar, Node]]"
    place: Place


Node = Scalar | Sequence | Mapping


def read_text(path: Path, *, name: str) -> str:
    """The text of a UTF-8 file; `name` is how the user knows it."""
    return decode(read_bytes(path, name=name), name=name)


def read_bytes(path: Path, *, name: str) -> bytes:
    """The bytes of a file that is one: a pipe or a device might never end."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
            raise OSError(code, os.strerror(code))
        if status.st_size > MAX_BYTES:
            raise fail("file-too-large", Place(name), {"bytes": status.st_size, "limit": MAX_BYTES})
        return path.read_bytes()
    except OSError as error:
        raise fail("file-unreadable", Place(name), {"reason": error.strerror or error}) from None
    except ValueError as error:  # a null byte in the name
        raise fail("file-unreadable", Place(name), {"reason": error}) from None


def decode(data: bytes, *, name: str) -> str:
    """The text in bytes that are UTF-8, with or without a mark at the start."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"0x{data[error.start]:02x}"
        raise fail("not-utf8", Place(name, line), {"byte": byte, "offset": error.start}) from None
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise fail("control-character", Place(name, line), {"code": f"U+{ord(found.group()):04X}"})
    return text


def parse_document(text: str, *, name: str) -> Mapping:
    """The mapping at the top of a YAML text."""
    try:
        return _Builder(name, text).document(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise InputError([_explain(error, text, Place(name, line, mark.column + 1 if mark else 0))]) from None
    except yaml.YAMLError as error:
        raise fail("yaml-broken", Place(name), {"reason": str(error).splitlines()[0]}) from None


def _explain(error: yaml.MarkedYAMLError, text: str, place: Place) -> Problem:
    """Most YAML errors in paradigm files are values that needed quotes: show the line with them."""
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
    """Turns parser events into nodes, refusing what a paradigm file must not hold."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = text.splitlines()
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
            return Scalar(event.value, place.at(1) if event.style in {"'", '"'} else place, bool(event.style))
        if isinstance(event, yaml.SequenceStartEvent):
            return Sequence(tuple(self.sequence(events, depth)), place)
        return self.mapping(events, depth, place)

    def needs_quotes(self, event: yaml.Event, place: Place) -> Problem:
        mark = None if isinstance(event, yaml.CollectionStartEvent) else event.end_mark
        end = mark.column if mark and mark.line == place.line - 1 else None
        value = self.lines[place.line - 1][place.column - 1 : end].strip()
        return Problem("yaml-needs-quotes", place, {"value": value, "quoted": _quoted(value)})

    def sequence(self, events: Iterator[yaml.Event], depth: int) -> Iterator[Node]:
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self.node(event, events, depth + 1)

    def mapping(self, events: Iterator[yaml.Event], depth: int, place: Place) -> Mapping:
        items: dict[str, tuple[Scalar, Node]] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self.node(event, events, depth + 1)
            if not isinstance(key, Scalar):
                raise fail("key-not-a-word", key.place)
            if key.text in items:
                first = items[key.text][0].place.line
                raise fail("key-twice", key.place, {"key": key.text, "line": first})
            items[key.text] = (key, self.node(next(events), events, depth + 1))
        return Mapping(items, place)


# Typed reading of the keys of one mapping, collecting every problem instead of stopping at the first.

_NUMBER = re.compile(r"[0-9]{1,9}([./][0-9]{1,9})?")  # `1e999999999` would take all memory
_GUESSES = 20  # unknown keys of one mapping for which the nearest known ones are looked for


@dataclass(slots=True)
class Fields:
    """A mapping being read; `problems` grows, and `unknown` reports the keys nobody asked for."""

    mapping: Mapping
    problems: list[Problem]
    part: str = ""
    seen: set[str] = field(default_factory=set)

    def place(self, node: Node | None = None) -> Place:
        """The place of a node, or of the whole mapping, with the part's name."""
        p = (node or self.mapping).place
        return Place(p.file, p.line, p.column, self.part)

    def report(self, kind: str, node: Node | None = None, values: dict[str, object] | None = None) -> None:
        """Adds an error."""
        self.problems.append(Problem(kind, self.place(node), values or {}))

    def node(self, key: str) -> Node | None:
        """The value of a key, or None."""
        self.seen.add(key)
        found = self.mapping.items.get(key)
        return found[1] if found else None

    def scalar(self, key: str, *, required: bool = False) -> Scalar | None:
        """A string value that is not blank."""
        node = self.node(key)
        if node is None:
            if required:
                self.report("key-missing", None, {"key": key})
            return None
        if not isinstance(node, Scalar):
            self.report("not-a-text", node, {"key": key})
            return None
        if not node.text.strip() and not node.quoted:
            self.report("value-blank", node, {"key": key})
            return None
        return node

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """The same as a plain string."""
        scalar = self.scalar(key, required=required)
        return scalar.text if scalar else default

    def choice(self, key: str, options: Iterable[str], default: str) -> str:
        """One of a few words."""
        scalar = self.scalar(key)
        allowed = list(options)
        if scalar is None:
            return default
        if scalar.text not in allowed:
            self.report("value-not-allowed", scalar, {"key": key, "value": scalar.text, "allowed": allowed})
            return default
        return scalar.text

    def flag(self, key: str, default: bool = False) -> bool:
        """true or false."""
        return self.choice(key, ("true", "false"), "true" if default else "false") == "true"

    def weight(self, key: str = "weight") -> Fraction:
        """A positive number, 1 where there is none."""
        scalar = self.scalar(key)
        if scalar is None:
            return Fraction(1)
        try:
            number = Fraction(scalar.text) if _NUMBER.fullmatch(scalar.text) else Fraction(0)
        except ZeroDivisionError:
            number = Fraction(0)
        if number <= 0:
            self.report("weight-bad", scalar, {"value": scalar.text})
            return Fraction(1)
        return number

    def texts(self, key: str) -> list[Scalar]:
        """A list of strings; a single string counts as a list of one."""
        node = self.node(key)
        if isinstance(node, Scalar):
            return [node]
        if node is not None and not isinstance(node, Sequence):
            self.report("not-a-list", node, {"key": key})
        items = node.items if isinstance(node, Sequence) else ()
        for item in items:
            if not isinstance(item, Scalar):
                self.report("not-a-text", item, {"key": key})
        return [item for item in items if isinstance(item, Scalar)]

    def sub(self, key: str) -> "Fields | None":
        """A mapping value."""
        node = self.node(key)
        if node is not None and not isinstance(node, Mapping):
            self.report("not-a-mapping", node, {"what": key})
            return None
        return Fields(node, self.problems, self.part) if node else None

    def unknown(self) -> None:
        """Reports every key that was never asked for."""
        known = sorted(self.seen)
        unknown = [(key, scalar) for key, (scalar, _) in self.mapping.items.items() if key not in self.seen]
        for number, (key, scalar) in enumerate(unknown):
            near = get_close_matches(key, known, n=2, cutoff=0.5) if number < _GUESSES else []
            self.report("key-unknown", scalar, {"key": key, "near": near or known})

    def format(self) -> None:
        """The version of the file format, which must be one we know."""
        scalar = self.scalar("format")
        if scalar is None:
            self.problems.append(Problem("format-missing", self.place(), {}, "warning"))
        elif scalar.text != "1":
            self.report("format-unknown", scalar, {"value": scalar.text})
