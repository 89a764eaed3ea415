"""Conflicts: pairs of leaves that may not hold the same word, and why.

Words differ by form and concept within a side; and where one substituted slot is all that tells the sides of a pair
apart, its two fillers must differ in print, or good and bad would be the same sentence.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bidui.grammar.expansion import Node, Option
from bidui.grammar.lines import Line, Literal, Use
from bidui.grammar.paradigm import Variant

if TYPE_CHECKING:
    from bidui.grammar.constraints import Constraint
    from bidui.grammar.domains import Domains
    from bidui.grammar.network import Column

Tokens = list[tuple[str, ...]]


@dataclass(slots=True, eq=False)
class Conflict:
    """Two leaves, and for each value of each the tokens that the other's value may not have."""

    a: int
    b: int
    a_tokens: Tokens
    b_tokens: Tokens


def distinctness(
    columns: "Sequence[Column]", variant: Variant, constraints: "Iterable[Constraint]", domains: "Domains"
) -> list[Conflict]:
    """Conflicts between leaves that can stand on one side together and could hold the same word."""
    copies = set()
    for constraint in constraints:
        if constraint.kind == "share" and all(member.feature == "expression" for member in constraint.members):
            leaves = [leaf.index for member in constraint.members for leaf in member.leaves]
            copies |= {(a, b) for a in leaves for b in leaves}
    marked = [column for column in columns if column.domain.all_marks]
    found = []
    for number, a in enumerate(marked):
        for b in marked[number + 1 :]:
            if (a.leaf.index, b.leaf.index) in copies:
                continue
            if any(a.leaf.slot in group and b.leaf.slot in group for group in variant.repeat):
                continue
            if domains.overlap(a.domain, b.domain) and a.leaf.together(b.leaf):
                found.append(Conflict(a.leaf.index, b.leaf.index, a.domain.marks, b.domain.marks))
    return found


def sides_alike(
    variant: Variant, nodes: dict[str, Node], columns: "Sequence[Column]"
) -> tuple[list[Conflict], bool]:
    """Conflicts that keep good from being bad, and whether they could be the same all the same.

    Items that both lines begin or end with are the same text. What is left differs for certain when one line's rest
    is empty, or when no first (or no last) character is common to both rests.
    """
    good, bad = _rests(variant.good, variant.bad)
    if not good or not bad:
        return [], False
    if len(good) == 1 == len(bad):
        return _one_slot(good[0], bad[0], nodes, columns)
    for ends in (_firsts, _lasts):
        a, b = (ends(rest, nodes, columns) for rest in (good, bad))
        if a is not None and b is not None and a.isdisjoint(b):
            return [], False
    return [], True


def _rests(good: Line, bad: Line) -> tuple[list[Literal | Use], list[Literal | Use]]:
    a, b = list(good.items), list(bad.items)
    while a and b and a[0] == b[0]:
        del a[0], b[0]
    while a and b and a[-1] == b[-1]:
        del a[-1], b[-1]
    return a, b


def _one_slot(
    good: Literal | Use, bad: Literal | Use, nodes: dict[str, Node], columns: "Sequence[Column]"
) -> tuple[list[Conflict], bool]:
    mine, theirs = (list(_texts(item, nodes, columns)) for item in (good, bad))
    if any(leaf is None for leaf, _ in (*mine, *theirs)):
        texts = [{text for _, tokens in side for token in tokens for text in token} for side in (mine, theirs)]
        phrases = any(not tokens for _, tokens in (*mine, *theirs))
        return [], phrases or not texts[0].isdisjoint(texts[1])
    found = [Conflict(a, b, s, t) for a, s in mine for b, t in theirs if a is not None and b is not None]
    return [c for c in found if not {*c.a_tokens}.isdisjoint(c.b_tokens)], False


def _texts(
    item: Literal | Use, nodes: dict[str, Node], columns: "Sequence[Column]"
) -> Iterator[tuple[int | None, Tokens]]:
    """Each leaf an item may print, with the texts; no leaf for a literal, no texts for a longer phrase."""
    if isinstance(item, Literal):
        yield None, [(item.text,)]
        return
    options = list(_options(nodes[item.ref.slot])) if not item.ref.path else []
    if not options:
        yield None, []
    for option in options:
        if option.leaf:
            texts = columns[option.leaf.index].domain.texts[item.column]
            yield option.leaf.index, [(text,) for text in texts]
        else:
            yield None, []


def _options(node: Node) -> Iterator[Option]:
    """The options of a node, phrases that are called by one name opened."""
    for option in node.options:
        if "" in option.parts:
            yield from _options(option.parts[""])
        else:
            yield option


def _firsts(items: Sequence[Literal | Use], nodes: dict[str, Node], columns: "Sequence[Column]") -> set[str] | None:
    return _edges(items, nodes, columns, 0)


def _lasts(items: Sequence[Literal | Use], nodes: dict[str, Node], columns: "Sequence[Column]") -> set[str] | None:
    return _edges(items[::-1], nodes, columns, -1)


def _edges(
    items: Sequence[Literal | Use], nodes: dict[str, Node], columns: "Sequence[Column]", end: int
) -> set[str] | None:
    """The characters that items may begin (0) or end (-1) with; None if that cannot be told, or all may be empty."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, Literal):
            return found | {item.text[end]}
        if item.ref.path:
            return None
        empty = False
        for option in _options(nodes[item.ref.slot]):
            if option.leaf:
                found |= {text[end] for text in columns[option.leaf.index].domain.texts[item.column]}
            elif option.parts:
                inner = option.line.items[:: -1 if end else 1]
                edges = _edges(inner, option.parts, columns, end)
                if edges is None:
                    return None
                found |= edges
            else:
                empty = True
        if not empty:
            return found
    return None
