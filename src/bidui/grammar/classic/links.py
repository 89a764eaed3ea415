"""The positions in classic rules, `mPos:3` and `-1:<…>`, become the names of slots and parts."""

import re
from collections.abc import Callable, Iterator, Sequence

from bidui.errors import fail
from bidui.grammar.classic.cells import Cell
from bidui.grammar.rules import Alternative, Lexical, Match, Phrase, Property, Ref, Rule, Words

_EXPRESSION = (Property("expression", "expression"),)


def matches(rule: Rule) -> Iterator[Match]:
    """The links of a rule, whichever alternative has them."""
    for alternative in rule.alternatives:
        if isinstance(alternative.rule, Lexical):
            yield from alternative.rule.matches


def pointed(ref: Ref, cells: Sequence[Cell], own: int) -> int:
    """The index that a link of the cell at `own` points at, after every check that the link makes sense."""
    place = cells[own].place.at(ref.column)
    if not re.fullmatch(r"-?\d{1,4}", ref.slot):
        raise fail("classic-position-form", place, {"position": ref, "last": len(cells) - 1})
    index = int(ref.slot)
    if not -len(cells) <= index < len(cells):
        raise fail("classic-position-range", place, {"position": ref, "last": len(cells) - 1})
    index %= len(cells)
    if index == own:
        raise fail("classic-position-self", place, {"position": ref})
    if cells[index].empty:
        raise fail("classic-position-empty", place, {"position": ref})
    if cells[index].phrase and not ref.path:
        raise fail("classic-position-phrase", place, {"position": ref, "phrase": cells[index].phrase})
    return index


def named(rule: Rule, *, target: Callable[[Ref], Ref], part: Callable[[Phrase, str], str]) -> Rule:
    """The rule with `target` in place of each position and `part` in place of each index of an override."""

    def body(old: Lexical | Words | Phrase) -> Lexical | Words | Phrase:
        if isinstance(old, Lexical):
            links = tuple(Match(target(m.target), m.properties, m.same, m.column) for m in old.matches)
            return Lexical(old.conditions, links, old.relations, old.column)
        if isinstance(old, Phrase):
            return Phrase(old.name, tuple((part(old, name), inner) for name, inner in old.overrides), old.column)
        return old

    return Rule(tuple(Alternative(body(a.rule), a.weight) for a in rule.alternatives))


def copied(rule: Rule) -> Match | None:
    """The link of a rule that copies another slot's word, `pos:VV mPos:1 mPro:expression`, if it is such a rule."""
    body = rule.alternatives[0].rule
    if len(rule.alternatives) > 1 or not isinstance(body, Lexical) or len(body.matches) != 1:
        return None
    link = body.matches[0]
    return link if link.same and link.properties == _EXPRESSION and not link.target.path else None


def asks_nothing_new(copy: Rule, original: Rule) -> bool:
    """Whether every word that may be the original may be its copy too, so that the copy is just the slot again."""
    body = copy.alternatives[0].rule
    asked = set(body.conditions) if isinstance(body, Lexical) else set()
    for alternative in original.alternatives:
        known = set(alternative.rule.conditions) if isinstance(alternative.rule, Lexical) else set()
        if not asked <= known:
            return False
    return True
