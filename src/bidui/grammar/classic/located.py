"""JSON whose strings know the line and column they stand at, so that a fault in a template can be shown in its file."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bidui.errors import Place, fail
from bidui.grammar.documents import read_text

JsonPath = tuple[str | int, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')
_COLON = re.compile(r"\s*:")


@dataclass(frozen=True, slots=True)
class Located:
    """A JSON value of any kind, and where it stands; `path` leads to it from the top of its file."""

    value: object
    file: str
    path: JsonPath = ()
    places: Mapping[JsonPath, Place] = field(default_factory=dict)

    def __getitem__(self, key: str | int) -> "Located":
        """The member of an object or list; the caller has looked that it is there."""
        assert isinstance(self.value, dict | list)
        value = self.value[key]  # type: ignore[index]
        return Located(value, self.file, (*self.path, key), self.places)

    def items(self) -> "tuple[Located, ...]":
        """The members of a list, or of an object in its order."""
        if isinstance(self.value, dict):
            return tuple(self[key] for key in self.value)
        return tuple(self[number] for number in range(len(self.value))) if isinstance(self.value, list) else ()

    def is_list(self) -> bool:
        """Whether this is a list."""
        return isinstance(self.value, list)

    @property
    def place(self) -> Place:
        """The place of a string's first character, or of the nearest thing whose place is known."""
        part = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path).removeprefix(".")
        found = self.places.get(self.path, Place(self.file))
        return Place(self.file, found.line, found.column, part)


def read_json(path: Path, *, name: str) -> Located:
    """The JSON file at `path`, called `name` in messages."""
    text = read_text(path, name=name)
    try:
        value = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, name))
    except json.JSONDecodeError as error:
        raise fail("bad-json", Place(name, error.lineno, error.colno), {"reason": error.msg}) from None
    except RecursionError:
        raise fail("bad-json", Place(name), {"reason": "nested too deeply"}) from None
    return Located(value, name, (), {path: place for path, place in _strings(text, name)})


def _object(pairs: list[tuple[str, object]], name: str) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise fail("classic-key-twice", Place(name), {"keys": twice})
    return found


def _strings(text: str, name: str) -> Iterator[tuple[JsonPath, Place]]:
    """Every string value of a text that is known to be JSON; keys and brackets only keep count of the path."""
    path: list[str | int] = []
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "[{":
            path.append(0 if mark == "[" else "")
        elif mark in "]}":
            path.pop()
        elif mark == ",":
            if path and isinstance(path[-1], int):
                path[-1] += 1
        elif path and isinstance(path[-1], str) and _COLON.match(text, token.end()):
            path[-1] = json.loads(mark)
        else:
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - text.rfind("\n", 0, token.start()) + 1
            # behind an escape the columns of the text and of its file differ: better none than a wrong one
            yield tuple(path), Place(name, line, 0 if "\\" in mark else column)
