"""Everything bidui can tell a user is wrong, as values with parts.

    BiduiError               a user can act on it; the command line prints it and exits with 2
    ├── InputError           problems in files or arguments, all reported together
    └── OutputRefused        an output place holds something that must not be overwritten

A `Problem` is data (a kind, a place, values); its words are in `bidui.messages`, in English and Chinese.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bidui.messages import GUESS, MESSAGES, PARTS, Language

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where in the user's files: file, line and column (from 1; 0 is unknown), and the slot or field."""

    file: str = ""
    line: int = 0
    column: int = 0
    part: str = ""

    def __str__(self) -> str:
        numbers = "".join(f":{n}" for n in (self.line, self.column) if n)
        return " ".join(text for text in (self.file + numbers, self.part) if text)

    def text(self, language: Language = "en") -> str:
        """The same in a language; names in quotes are the user's own."""
        if language == "en":
            return str(self)
        pieces = self.part.split('"')
        pieces[::2] = [" ".join(PARTS.get(word, word) for word in piece.split(" ")) for piece in pieces[::2]]
        return str(Place(self.file, self.line, self.column, '"'.join(pieces)))

    def at(self, column: int) -> "Place":
        """The same line, `column` characters further right."""
        return Place(self.file, self.line, self.column + column if self.column else 0, self.part)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: what kind, where, and the values its message needs."""

    kind: str
    place: Place = field(default_factory=Place)
    values: Mapping[str, object] = field(default_factory=dict)
    severity: Severity = "error"

    def text(self, language: Language = "en") -> str:
        """The message with its fix, without the place."""
        shown = {name: _shown(value, language) for name, value in self.values.items()}
        template = MESSAGES[self.kind][language]
        for name in (name for name, value in self.values.items() if isinstance(value, list | tuple) and not value):
            template = template.replace(GUESS[language].format(name=f"{{{name}}}"), "")  # there is nothing to guess
        return template.format_map(shown)

    def __str__(self) -> str:
        where = str(self.place)
        return f"{where}: {self.text()}" if where else self.text()


def _shown(value: object, language: Language) -> str:
    """Lists as people write them; long ones are cut with a count, so that nothing floods the screen."""
    if isinstance(value, tuple | list):
        joiner = "、" if language == "zh" else ", "
        more = f" … (+{len(value) - 12})" if len(value) > 12 else ""
        return joiner.join(_cut(str(item)) for item in value[:12]) + more or ("无" if language == "zh" else "none")
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"


class BiduiError(Exception):
    """The root: something the user can act on."""


class InputError(BiduiError):
    """What the user gave does not work; every problem found is listed."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class OutputRefused(BiduiError):
    """Writing here would overwrite something else."""


def distinct(problems: Iterable[Problem]) -> list[Problem]:
    """The problems without repetitions, in their order."""
    return list({(p.kind, p.place, repr(p.values)): p for p in problems}.values())


def fail(kind: str, place: Place | None = None, values: Mapping[str, object] | None = None) -> InputError:
    """An `InputError` with one problem, to be raised by the caller."""
    return InputError([Problem(kind, place or Place(), values or {})])
