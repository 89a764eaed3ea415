"""Equality: whether one filling could print the same sentence on both sides.

The two lines are read side by side, word by word; a filling goes on only while one sentence is a beginning of the
other. Links are not looked at, so a "yes" is a suspicion; a "no" is certain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bidui.grammar.alignment import may_be_empty
from bidui.grammar.conflicts import Conflict, rests
from bidui.grammar.lines import Literal, Use
from bidui.grammar.paradigm import Variant
from bidui.grammar.printing import Style
from bidui.grammar.tree import Leaf, Node, ways

if TYPE_CHECKING:
    from bidui.grammar.network import Column

MAX_STEPS = 20_000

Item = tuple[Literal | Use, dict[str, Node]]  # with the nodes its names mean


class _TooLong(Exception):
    """The search was given up."""


def could_be_equal(
    variant: Variant,
    nodes: dict[str, Node],
    columns: "Sequence[Column]",
    conflicts: Sequence[Conflict],
    style: Style,
) -> bool:
    """Whether good and bad might be the same sentence; true also where that would take too long to find out."""
    good, bad = rests(variant.good, variant.bad)
    if not (good and bad) and not all(_may_say_nothing(item, nodes) for item in (*good, *bad)):
        return False
    search = _Search(columns, conflicts, style)
    try:
        return search.meets(tuple((i, nodes) for i in good), tuple((i, nodes) for i in bad), "", {}, {})
    except (_TooLong, RecursionError):  # hundreds of words may be said in one sentence
        return True


def _may_say_nothing(item: Literal | Use, nodes: dict[str, Node]) -> bool:
    return isinstance(item, Use) and (bool(item.ref.path) or may_be_empty(nodes[item.ref.slot]))


@dataclass(slots=True)
class _Search:
    columns: "Sequence[Column]"
    conflicts: Sequence[Conflict]
    style: Style
    steps: int = 0
    against: dict[int, list[tuple[int, Conflict, bool]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for conflict in self.conflicts:
            self.against.setdefault(conflict.a, []).append((conflict.b, conflict, True))
            self.against.setdefault(conflict.b, []).append((conflict.a, conflict, False))

    def meets(
        self,
        ahead: tuple[Item, ...],
        behind: tuple[Item, ...],
        over: str,
        chosen: dict[int, int],
        values: dict[int, int],
    ) -> bool:
        """Whether the rest of both lines can be equal; `over` is what the line ahead has already said."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _TooLong
        if not behind:
            if over:
                return False
            return not ahead or self.meets(behind, ahead, "", chosen, values)
        for rest, text, now_chosen, now_values in self._next(behind, over, chosen, values):
            if over.startswith(text):
                if self.meets(ahead, rest, over[len(text) :], now_chosen, now_values):
                    return True
            elif text.startswith(over) and self.meets(rest, ahead, text[len(over) :], now_chosen, now_values):
                return True
        return False

    def _next(
        self, items: tuple[Item, ...], over: str, chosen: dict[int, int], values: dict[int, int]
    ) -> Iterator[tuple[tuple[Item, ...], str, dict[int, int], dict[int, int]]]:
        """Every way to say the first item: what is left, the text, and what that settles."""
        (item, nodes), rest = items[0], items[1:]
        if isinstance(item, Literal):
            yield rest, self.style.folded(item.text), chosen, values
            return
        for now, option in ways(nodes[item.ref.slot], item.ref.path, chosen):
            if option.leaf:
                for value, text in self._words(option.leaf, item.column, over, values):
                    yield rest, text, now, {**values, option.leaf.index: value}
            else:
                inner = tuple((item, option.parts) for item in option.line.items)
                yield (*inner, *rest), "", now, values

    def _words(self, leaf: Leaf, column: str, over: str, values: dict[int, int]) -> Iterator[tuple[int, str]]:
        texts = self.columns[leaf.index].domain.folded[column]
        if leaf.index in values:
            yield values[leaf.index], texts[values[leaf.index]]
            return
        for value in self.columns[leaf.index].domain.fitting(column, over):
            if not any(
                other in values
                and not set(c.a_tokens[value if first else values[other]]).isdisjoint(
                    c.b_tokens[values[other] if first else value]
                )
                for other, c, first in self.against.get(leaf.index, ())
            ):
                yield value, texts[value]
