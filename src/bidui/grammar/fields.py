"""Typed reading of the keys of one mapping, collecting every problem instead of stopping at the first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction

from bidui.errors import Place, Problem
from bidui.grammar.documents import Mapping, Node, Scalar, Sequence

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
