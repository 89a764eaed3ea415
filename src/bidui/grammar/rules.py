"""The rule language as values: what may fill a slot, and how a rule is written.

    pos:NR gender:male/female        Lexical: every condition holds; / is any of, ! not, * has one, - has none
    pos:PN mPos:who mPro:gender      Lexical with a match: it shares a value with the word in slot who
    phrase:NP head:<animate:1>       Phrase: the parts of one alternative of NP, some with further conditions
    自己 本人                         Words: themselves, one of them; "" is the empty slot
    2* pos:NR | pos:PN               alternatives, with weights

Rules compare equal whatever blanks they were written with; positions are kept beside them for messages.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Test = Literal["any", "not", "has", "none"]
KEYWORDS = {
    "mPos": "mPos",
    "mPro": "mPro",
    "mmPos": "mmPos",
    "mmPro": "mmPro",
    "matchedPosition": "mPos",
    "matchedProperties": "mPro",
    "mismatchedPosition": "mmPos",
    "mismatchedProperties": "mmPro",
    "phrase": "phrase",
    "rel": "rel",
}
ESCAPED = '\\|:/"<>()=#@ ,*'


@dataclass(frozen=True, slots=True)
class Ref:
    """A slot, or a part of the phrase in it: `subj`, `subj.head`, `3` (the third item of the line, from 0)."""

    slot: str
    path: tuple[str, ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return ".".join((self.slot, *self.path))


@dataclass(frozen=True, slots=True)
class Condition:
    """A test on one feature of the word itself."""

    feature: str
    test: Test
    values: tuple[str, ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        body = {"has": "*", "none": "-"}.get(self.test) or "/".join(map(escape, self.values))
        return f"{escape(self.feature)}:{'!' * (self.test == 'not')}{body}"


@dataclass(frozen=True, slots=True)
class Property:
    """This word's feature and the other's that are compared; `share` names a value that several slots share."""

    mine: str
    theirs: str
    share: str = ""

    def __str__(self) -> str:
        pair = escape(self.mine) if self.mine == self.theirs else f"{escape(self.mine)}={escape(self.theirs)}"
        return f"{pair}#{escape(self.share)}" if self.share else pair


@dataclass(frozen=True, slots=True)
class Match:
    """Agreement (same) or its opposite with another slot, on every property listed."""

    target: Ref
    properties: tuple[Property, ...]
    same: bool = True
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        m = "m" if self.same else "mm"
        return f"{m}Pos:{self.target} {m}Pro:{'/'.join(map(str, self.properties))}"


@dataclass(frozen=True, slots=True)
class Related:
    """Slots that must stand together in a row of a relation."""

    relation: str
    targets: tuple[Ref, ...]
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"rel:{escape(self.relation)}({', '.join(map(str, self.targets))})"


@dataclass(frozen=True, slots=True)
class Lexical:
    """A word of the lexicon that meets conditions and links."""

    conditions: tuple[Condition, ...] = ()
    matches: tuple[Match, ...] = ()
    relations: tuple[Related, ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return " ".join(str(term) for term in (*self.conditions, *self.matches, *self.relations))


@dataclass(frozen=True, slots=True)
class Words:
    """The words themselves; none is the empty slot."""

    words: tuple[str, ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return " ".join(quote(word) for word in self.words) or '""'


@dataclass(frozen=True, slots=True)
class Phrase:
    """A named phrase; `overrides` add conditions and links to parts of it."""

    name: str
    overrides: tuple[tuple[str, Lexical], ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return " ".join((f"phrase:{escape(self.name)}", *(f"{part}:<{rule}>" for part, rule in self.overrides)))


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to fill a slot, and how often relative to the others."""

    rule: Lexical | Words | Phrase
    weight: Fraction = Fraction(1)

    def __str__(self) -> str:
        return str(self.rule) if self.weight == 1 else f"{decimal(self.weight)}* {self.rule}"


@dataclass(frozen=True, slots=True)
class Rule:
    """What may fill a slot."""

    alternatives: tuple[Alternative, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.alternatives))


def decimal(weight: Fraction) -> str:
    """The weight to six decimals, which is all that a rule can say; never in scientific notation."""
    return f"{float(weight):.6f}".rstrip("0").rstrip(".")


def escape(text: str) -> str:
    """The text with a backslash before each character that the rule language uses."""
    escaped = "".join("\\" + c if c in ESCAPED else c for c in text)
    return "\\" + escaped if escaped[:1] in {"!", "-"} else escaped


def quote(word: str) -> str:
    """A literal word, in quotes where it would not be read back as itself."""
    if word and not any(c in '"\\|:<>()*' or c.isspace() for c in word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
