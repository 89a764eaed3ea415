"""A paradigm: a contrast written once, as good and bad lines over named slots, in one or more variants."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.rules import Ref, Rule, quote
from bidui.notebooks import counted

# The `good:` and `bad:` lines: which slots are printed, in which order, and the literal words between them.

MAX_LENGTH = 10_000
MAX_ITEMS = 60  # a long sentence has thirty
MAX_UNKNOWN = 20  # words of one line that are reported; more come from one mistake
_USE = re.compile(r"(?P<ref>[\w+-]+(?:\.[\w+-]+)*)(?:@(?P<column>[^\s@]+))?")


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that stands for itself."""

    text: str

    def __str__(self) -> str:
        plain = self.text and all((ord(c) > 0x2E7F or c in "…—“”‘’·") and not c.isspace() for c in self.text)
        return self.text if plain else self.quoted()

    def quoted(self) -> str:
        """Write the text in quotes, which is always correct."""
        return text if (text := quote(self.text))[0] == '"' else f'"{text}"'


@dataclass(frozen=True, slots=True)
class Use:
    """A slot or a part of its phrase, printed as its expression or as another column of its row."""

    ref: Ref
    column: str = "expression"
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return str(self.ref) if self.column == "expression" else f"{self.ref}@{self.column}"


@dataclass(frozen=True, slots=True)
class Line:
    """One side of a paradigm, item by item."""

    items: tuple[Literal | Use, ...]
    place: Place = field(default_factory=Place, compare=False)

    def __str__(self) -> str:
        return self.written({item.ref.slot for item in self.items if isinstance(item, Use)})

    def written(self, slots: Collection[str]) -> str:
        """Write the line as in its file; a literal that is also the name of a slot needs quotes."""
        return " ".join(i.quoted() if isinstance(i, Literal) and i.text in slots else str(i) for i in self.items)


def parse_line(text: str, place: Place, *, slots: Collection[str]) -> Line:
    """Read the line in `text`; `slots` are the declared names."""
    if len(text) > MAX_LENGTH:
        raise fail("line-too-long", place, {"length": len(text), "limit": MAX_LENGTH})
    items: list[Literal | Use] = []
    problems: list[Problem] = []
    for raw, column in _tokens(text, place):
        if raw.startswith('"'):
            items.append(Literal(raw[1:-1].replace('\\"', '"').replace("\\\\", "\\")))
        elif (use := _USE.fullmatch(raw)) and use["ref"].split(".")[0] in slots:
            slot, *path = use["ref"].split(".")
            items.append(Use(Ref(slot, tuple(path), column), use["column"] or "expression", column))
        elif _stands_for_itself(raw):
            items.append(Literal(re.sub(r"\\(.)", r"\1", raw)))
        else:
            name = raw.split("@")[0].split(".")[0]
            near = get_close_matches(name, list(slots), n=2, cutoff=0.5)
            values = {"text": raw, "slots": near or list(slots)}
            problems.append(Problem("line-unknown", place.at(column), values))
            if len(problems) == MAX_UNKNOWN:
                break
    if problems:
        raise InputError(problems)
    if len(items) > MAX_ITEMS:
        raise fail("line-too-many-items", place, {"items": len(items), "limit": MAX_ITEMS})
    if not items:
        raise fail("line-empty", place)
    return Line(tuple(items), place)


def _tokens(text: str, place: Place) -> list[tuple[str, int]]:
    """Return the quoted or blank-separated pieces with their columns; quotes are kept."""
    tokens: list[tuple[str, int]] = []
    i = 0
    while i < len(text):
        if text[i].isspace():
            i += 1
            continue
        pattern = r'"(?:[^"\\]|\\.)*"(?=\s|$)' if text[i] == '"' else r"(?:\\.|[^\s\\])+"
        piece = re.compile(pattern).match(text, i)
        if not piece:
            raise fail("quote-open" if text[i] == '"' else "escape-unknown", place.at(i), {"text": text[i : i + 30]})
        tokens.append((piece.group(), i))
        i = piece.end()
    return tokens


def _stands_for_itself(raw: str) -> bool:
    """Accept Chinese characters and punctuation, and characters made literal by a backslash."""
    plain = re.sub(r"\\.", "", raw)
    return all(ord(c) > 0x2E7F or c in "…—“”‘’·.,!?;，。" for c in plain)


EDITS = ("order", "insertion", "deletion", "substitution", "agreement")


@dataclass(frozen=True, slots=True)
class Slot:
    """A named place in a sentence and what may fill it."""

    name: str
    rule: Rule
    place: Place = field(default_factory=Place, compare=False)


@dataclass(frozen=True, slots=True)
class PhraseAlternative:
    """One way to build a phrase: its parts, how they are printed, and which is the head."""

    parts: Mapping[str, Slot]
    line: Line
    head: str = ""
    weight: Fraction = Fraction(1)
    place: Place = field(default_factory=Place, compare=False)


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """A named phrase; `depth` bounds how often it may stand inside itself (0: never)."""

    name: str
    alternatives: tuple[PhraseAlternative, ...]
    depth: int = 0
    place: Place = field(default_factory=Place, compare=False)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The parts of all alternatives."""
        return tuple(slot for alternative in self.alternatives for slot in alternative.parts.values())

    @property
    def phrases(self) -> tuple[str, ...]:
        """The names of the phrases it is built of."""
        return tuple(dict.fromkeys(name for slot in self.slots for name in slot.rule.phrases))


def phrases_within(slots: Iterable[Slot], phrases: Mapping[str, PhraseRule]) -> dict[str, PhraseRule]:
    """Return the phrases that slots name, and those that these name in turn, in the order of the file."""
    reached: set[str] = set()
    agenda = [name for slot in slots for name in slot.rule.phrases]
    while agenda:
        name = agenda.pop()
        if name in phrases and name not in reached:
            reached.add(name)
            agenda += phrases[name].phrases
    return {name: phrase for name, phrase in phrases.items() if name in reached}


@dataclass(frozen=True, slots=True)
class Variant:
    """One wording of the contrast.

    `linked` are groups of slots whose n-th alternatives go together; `repeat` are groups of slots that may hold
    the same word; `crossed` also makes the pairs in which the substituted words change sides.
    """

    name: str
    slots: Mapping[str, Slot]
    good: Line
    bad: Line
    weight: Fraction = Fraction(1)
    linked: tuple[tuple[str, ...], ...] = ()
    repeat: tuple[tuple[str, ...], ...] = ()
    crossed: bool = False
    place: Place = field(default_factory=Place, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class Paradigm:
    """A contrast with what a reader needs to know about it."""

    uid: str
    phenomenon: str
    variants: tuple[Variant, ...]
    about: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    status: str = "included"
    reason: str = ""
    edit: tuple[str, ...] = ()
    equal_length: bool = False
    separator: str | None = None
    seams: tuple[str, ...] = ()
    closed_class: str = ""  # why there cannot be a thousand pairs
    one_sided: str = ""  # why some words stand on one side only
    example: Mapping[str, str] = field(default_factory=dict)
    place: Place = field(default_factory=Place, compare=False)

    def __repr__(self) -> str:
        return f"<Paradigm {self.uid} ({self.phenomenon}): {counted(len(self.variants), 'variant')}>"
