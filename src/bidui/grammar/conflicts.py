"""Conflicts: pairs of leaves that may not hold the same word, and why.

Words differ by form and concept within a side; and where one substituted slot is all that tells the sides of a pair
apart, its two fillers must differ in print, or good and bad would be the same sentence.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bidui.grammar.lines import Line, Literal, Use
from bidui.grammar.paradigm import Variant
from bidui.grammar.tree import Node, Option

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
    sides: bool = False  # it keeps good from being bad, rather than a word from occurring twice


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


def sides_alike(variant: Variant, nodes: dict[str, Node], columns: "Sequence[Column]") -> list[Conflict]:
    """Where one slot on each side is all that differs: its fillers may not be the same text."""
    good, bad = rests(variant.good, variant.bad)
    if len(good) != 1 or len(bad) != 1:
        return []
    mine, theirs = (list(_texts(item, nodes, columns)) for item in (good[0], bad[0]))
    found = [Conflict(a, b, s, t, sides=True) for a, s in mine for b, t in theirs]
    return [c for c in found if not {*c.a_tokens}.isdisjoint(c.b_tokens)]


def rests(good: Line, bad: Line) -> tuple[list[Literal | Use], list[Literal | Use]]:
    """The lines without the items that both begin or end with."""
    a, b = list(good.items), list(bad.items)
    while a and b and a[0] == b[0]:
        del a[0], b[0]
    while a and b and a[-1] == b[-1]:
        del a[-1], b[-1]
    return a, b


def _texts(item: Literal | Use, nodes: dict[str, Node], columns: "Sequence[Column]") -> Iterator[tuple[int, Tokens]]:
    """Each leaf that may be all an item prints, with its texts."""
    if isinstance(item, Use) and not item.ref.path:
        for option in _options(nodes[item.ref.slot]):
            if option.leaf:
                texts = columns[option.leaf.index].domain.texts[item.column]
                yield option.leaf.index, [(text,) for text in texts]


def _options(node: Node) -> Iterator[Option]:
    """The options of a node, phrases that are called by one name opened."""
    for option in node.options:
        if "" in option.parts:
            yield from _options(option.parts[""])
        else:
            yield option
