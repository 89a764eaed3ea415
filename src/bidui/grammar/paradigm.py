"""A paradigm: a contrast written once, as good and bad lines over named slots, in one or more variants."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from bidui.errors import Place
from bidui.grammar.lines import Line
from bidui.grammar.rules import Rule

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


@dataclass(frozen=True, slots=True)
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
