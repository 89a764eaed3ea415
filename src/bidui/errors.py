"""Everything that bidui can report as wrong, as values with parts.

    BiduiError               something the user can act on; the command line prints it and exits with 2
    ├── InputError           problems in files or arguments, all reported together
    ├── OutputRefused        the output folder or file holds something that must not be overwritten
    └── Interruption         a signal stopped long work; the command line exits with 128 and its number: 130, 143

A `Problem` is data (a kind, a place, values); its text is in `words/problems.tsv`, in English and Chinese.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from bidui.words import Language, texts

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in the user's files: file, line and column (from 1; 0 is unknown), and the slot or field."""

    file: str = ""
    line: int = 0
    column: int = 0
    part: str = ""

    def __str__(self) -> str:
        numbers = "".join(f":{n}" for n in (self.line, self.column) if n)
        return " ".join(text for text in (self.file + numbers, self.part) if text)

    def text(self, language: Language = "en") -> str:
        """Write the place in a language; names in quotes are the user's and stay as they are."""
        words = texts("problems", language)
        pieces = self.part.split('"')
        pieces[::2] = [" ".join(words.get(f"part.{word}", word) for word in piece.split(" ")) for piece in pieces[::2]]
        return str(Place(self.file, self.line, self.column, '"'.join(pieces)))

    def at(self, column: int) -> "Place":
        """Return a place on the same line, `column` characters further right."""
        return Place(self.file, self.line, self.column + column if self.column else 0, self.part)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: its kind, its place, and the values that its message needs."""

    kind: str
    place: Place = field(default_factory=Place)
    values: Mapping[str, object] = field(default_factory=dict)
    severity: Severity = "error"

    def text(self, language: Language = "en") -> str:
        """Write the message, without the place."""
        words = texts("problems", language)
        template = words[self.kind]
        for name, value in self.values.items():
            if isinstance(value, list | tuple) and not value:  # there is nothing to guess
                template = template.replace(words["list.guess"].format(name=f"{{{name}}}"), "")
        return template.format_map({name: _Shown(_shown(value, language)) for name, value in self.values.items()})

    def __str__(self) -> str:
        where = str(self.place)
        return f"{where}: {self.text()}" if where else self.text()


class _Shown(str):
    """A value as text; `{count:word|words}` gives the singular or the plural, depending on the value."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        singular, bar, plural = form.partition("|")
        if bar:
            return singular if self == "1" else plural
        return super().__format__(form)


def _shown(value: object, language: Language) -> str:
    """Write a value; long lists and texts are cut and end with a count, so that they do not flood the screen."""
    words = texts("problems", language)
    if isinstance(value, tuple | list):
        more = f" … (+{len(value) - 12})" if len(value) > 12 else ""
        return words["list.comma"].join(_shown(str(item), language) for item in value[:12]) + more or words["list.none"]
    text = str(value)
    return text if len(text) <= 200 else words["text.cut"].format(start=text[:200], length=len(text))


class BiduiError(Exception):
    """The root of the errors that users can act on."""


class InputError(BiduiError):
    """Problems in what the user gave, all listed together."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class OutputRefused(BiduiError):
    """A refusal to write where this would overwrite something else."""


class Interruption(BiduiError):
    """Long work was stopped by a signal, after what was done had been saved; the same call resumes it."""

    def __init__(self, problem: Problem, *, signal: int) -> None:
        self.problem, self.signal = problem, signal
        super().__init__(str(problem))


def distinct(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems without repetitions, in their order."""
    return list({(p.kind, p.place, repr(p.values)): p for p in problems}.values())


def fail(kind: str, place: Place | None = None, values: Mapping[str, object] | None = None) -> InputError:
    """Make an `InputError` with one problem, for the caller to raise."""
    return InputError([Problem(kind, place or Place(), values or {})])


def first_of(problems: Sequence[Problem], *, most: int = 20) -> InputError:
    """Make an `InputError` with the first problems of a file, and how many more there are."""
    rest = len(problems) - most
    more = [Problem("more-problems", Place(problems[0].place.file), {"count": rest})] if rest > 0 else []
    return InputError([*problems[:most], *more])


def import_failed(error: ImportError, *, extra: str, place: Place | None = None) -> InputError:
    """Make the error for a package that cannot be imported: it is not installed, or it is and does not work.

    A package that is installed in a version that lacks a name, or without a library of its own, must not be called
    missing: installing it again would not help.
    """
    from importlib.util import find_spec  # here, so that `import bidui` stays quick

    package = (error.name or "").partition(".")[0]
    try:
        missing = isinstance(error, ModuleNotFoundError) and bool(package) and find_spec(package) is None
    except ValueError:  # what stands in the place of a module has no spec
        missing = True
    if missing:
        return fail("needs-extra", place, {"package": package, "extra": extra})
    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__:
        causes.append(cause)
    reason = next((line for line in str(causes[-1]).splitlines() if line.strip()), type(causes[-1]).__name__)
    return fail("import-failed", place, {"reason": reason.strip(), "extra": extra})


@contextmanager
def collect(problems: list[Problem]) -> Iterator[None]:
    """Add the problems of an `InputError` raised in the block to `problems`, and continue after the block."""
    try:
        yield
    except InputError as error:
        problems += error.problems


@contextmanager
def all_problems() -> Iterator[list[Problem]]:
    """Give a list to collect problems in, and raise them together after the block if there are any."""
    problems: list[Problem] = []
    yield problems
    if problems:
        raise InputError(distinct(problems))
