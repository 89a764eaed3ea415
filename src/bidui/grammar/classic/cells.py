"""Classic rule strings: one slot of a template or phrase, read into a rule whose links still point at positions."""

import re
from dataclasses import dataclass

from bidui.errors import InputError, Place, Problem
from bidui.grammar.classic.means import is_fixed, unclassic
from bidui.grammar.rule_parser import MAX_LENGTH, parse_rule
from bidui.grammar.rules import Alternative, Phrase, Rule, Words

# Direct is what does not look like `feature:value`. The original asked for a value right behind the colon, so that
# `pos: NN` was printed as it stands; here it is a feature whose value is missing, and reported.
_FEATURE = re.compile(r"(?:^|\s)[\w-]+:")


@dataclass(frozen=True, slots=True)
class Cell:
    """A rule string: `text` with single blanks, so that equal rules are equal texts, and as it was written."""

    text: str
    raw: str
    rule: Rule
    place: Place

    @property
    def empty(self) -> bool:
        """Whether the slot prints nothing."""
        return all(isinstance(a.rule, Words) and not a.rule.words for a in self.rule.alternatives)

    @property
    def fixed(self) -> str:
        """The one word that this slot always is, or nothing."""
        return self.text if is_fixed(self.rule) else ""

    @property
    def phrase(self) -> str:
        """The first phrase among the alternatives, or nothing."""
        return next((a.rule.name for a in self.rule.alternatives if isinstance(a.rule, Phrase)), "")


def parse_cell(raw: str, place: Place) -> tuple[Cell | None, list[Problem]]:
    """The cell of a rule string whose first character stands at `place`, or None, and the problems found."""
    if len(raw) > MAX_LENGTH:
        return None, [Problem("rule-too-long", place, {"length": len(raw), "limit": MAX_LENGTH})]
    alternatives: list[Alternative] = []
    problems: list[Problem] = []
    start = 0
    for piece in raw.split("|"):
        try:
            alternatives.append(_alternative(piece, start, place))
        except InputError as error:
            problems += error.problems
        start += len(piece) + 1
    rule = Rule(tuple(alternatives))
    problems = problems or list(unclassic(rule, place))
    text = " | ".join(" ".join(piece.split()) for piece in raw.split("|"))
    return (None if problems else Cell(text, raw, rule, place)), problems


def _alternative(piece: str, start: int, place: Place) -> Alternative:
    if not _FEATURE.search(piece):
        return Alternative(Words(tuple(piece.split()), start))
    # blanks stand for what comes before it, so that columns count from the start of the whole string
    return parse_rule(" " * start + piece, place).alternatives[0]
