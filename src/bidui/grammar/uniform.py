"""Drawing `uniform`: every distinct pair of a paradigm equally likely, without replacement.

A small paradigm is enumerated and shuffled. In a large one, fillings are drawn with equal chances from the tables that
count them (links observed, conflicts and lengths not), and those that will not do are passed over: what is left is
still equally likely, and because both numbers are known the work is known beforehand.
"""

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from bidui.errors import fail
from bidui.grammar.assembly import Printer, make_printer
from bidui.grammar.constraint_tables import ABSENT
from bidui.grammar.counting import count_assignments
from bidui.grammar.drawing import Draw
from bidui.grammar.enumeration import could_repeat, enumerate_pairs
from bidui.grammar.factors import Factor, Row
from bidui.grammar.filling import clash
from bidui.grammar.frames import Frame, make_frame
from bidui.grammar.network import Network
from bidui.grammar.seams import broken
from bidui.grammar.slot_tables import Tables, choice_attribute
from bidui.grammar.tree import Leaf, Node, Option

SMALL = 50_000  # so many pairs are enumerated and shuffled
COUNTED = 1_000_000  # so many are counted one by one where the tables do not know how many there are
MAX_TRIES = 20_000  # fillings looked at for one pair, on average


def draw_uniform(networks: Sequence[Network], *, seed: str) -> Iterator[Draw]:
    """Distinct pairs, each equally likely, until there are no more; `seed` is the only source of chance."""
    rng = random.Random(seed)
    counts = [count_assignments(network) for network in networks]
    total = sum(count.value for count in counts)
    if total <= SMALL:
        pairs = list(enumerate_pairs(networks))
        rng.shuffle(pairs)
        yield from pairs
        return
    samplers = [_Sampler(network, Tables(network, lengths=False, traced=True)) for network in networks]
    sizes = [sampler.tables.term(()) for sampler in samplers]
    if could_repeat(networks):
        raise fail("uniform-repeats", networks[0].variant.place, {"count": total})
    if sum(sizes) > MAX_TRIES * total:
        raise fail("uniform-sparse", networks[0].variant.place, {"count": total, "tried": sum(sizes)})
    cumulative = list(accumulate(sizes))
    seen: set[tuple[str, str]] = set()
    exact = all(count.exact for count in counts) and not any(n.seams or n.could_be_equal() for n in networks)
    left = total if exact else sum(1 for _ in enumerate_pairs(networks)) if total <= COUNTED else None
    while left is None or len(seen) < left:
        number = bisect_right(cumulative, rng.randrange(cumulative[-1]))
        draw = samplers[number].draw(rng)
        if draw is not None and (sentences := draw.printer.sentences(draw.pieces)) not in seen:
            seen.add(sentences)
            yield draw


@dataclass(slots=True)
class _Weighted:
    """Rows of a table that agree on what is known, ready to be drawn by their counts."""

    rows: list[Row] = field(default_factory=list)
    cumulative: list[int] = field(default_factory=list)

    def add(self, row: Row, count: int) -> None:
        self.rows.append(row)
        self.cumulative.append(count + (self.cumulative[-1] if self.cumulative else 0))

    def pick(self, rng: random.Random) -> Row:
        return self.rows[bisect_right(self.cumulative, rng.randrange(self.cumulative[-1]))]


@dataclass(slots=True)
class _Sampler:
    """Draws fillings of one network, equally likely, from its tables read backwards."""

    network: Network
    tables: Tables
    indexes: dict[tuple[int, tuple[int, ...]], dict[Row, _Weighted]] = field(default_factory=dict)
    options: dict[tuple[Node, Row], _Weighted] = field(default_factory=dict)
    groups: dict[tuple[int, Row], _Weighted] = field(default_factory=dict)
    frames: dict[tuple[tuple[int, int], ...], tuple[Frame, Printer]] = field(default_factory=dict)

    def draw(self, rng: random.Random) -> Draw | None:
        """A filling, or None if it breaks what the tables do not know: conflicts, length, seams."""
        chosen: dict[int, int] = {}
        picked: dict[int, int] = {}
        nodes = list(self.network.tree.scope.nodes.values())
        self._sequence(nodes, None, {}, chosen, picked, rng)
        key = tuple(sorted(chosen.items()))
        if key not in self.frames:
            frame = make_frame(self.network, chosen)
            self.frames[key] = (frame, make_printer(frame))
        frame, printer = self.frames[key]
        values = [picked[column.leaf.index] for column in frame.columns]
        for at, value in enumerate(values):
            if clash(frame.conflicts[at], value, values) is not None:
                return None
        if self.network.equal_length:
            diffs = (column.domain.diffs[value] for column, value in zip(frame.columns, values, strict=True))
            if frame.fixed + sum(diffs):
                return None
        pieces = printer.pieces(values)
        if frame.seams and (broken(pieces[0], frame.seams) or broken(pieces[1], frame.seams)):
            return None
        good, bad = printer.sentences(pieces)
        return None if good == bad else Draw(printer, tuple(values), pieces)

    def _sequence(
        self,
        nodes: list[Node],
        home: Option | None,
        known: dict[int, int],
        chosen: dict[int, int],
        picked: dict[int, int],
        rng: random.Random,
    ) -> None:
        for step in reversed(self.tables.steps.get(home, [])):
            at = tuple(n for n, attribute in enumerate(step.attributes) if attribute in known)
            row = self._rows(step, at)[tuple([known[step.attributes[n]] for n in at])].pick(rng)
            known.update(zip(step.attributes, row, strict=True))
        for node in nodes:
            self._node(node, known, chosen, picked, rng)

    def _rows(self, step: Factor, at: tuple[int, ...]) -> dict[Row, _Weighted]:
        if (id(step), at) not in self.indexes:
            index: dict[Row, _Weighted] = {}
            for row, count in step.table.items():
                index.setdefault(tuple([row[n] for n in at]), _Weighted()).add(row, count)
            self.indexes[id(step), at] = index
        return self.indexes[id(step), at]

    def _node(
        self, node: Node, known: dict[int, int], chosen: dict[int, int], picked: dict[int, int], rng: random.Random
    ) -> None:
        parts = self.tables.parts[node]
        attributes = sorted({a for _, factor in parts for a in factor.attributes})
        row = tuple([known[a] for a in attributes])
        forced = known.get(choice_attribute(node.choice))
        key = (node, (*row, -2 if forced is None else forced))
        if key not in self.options:
            self.options[key] = self._possible(parts, dict(zip(attributes, row, strict=True)), forced)
        number = self.options[key].pick(rng)[0]
        if len(node.options) > 1:
            chosen[node.choice] = number
        option = node.options[number]
        factor = dict(parts)[number]
        inner = {attribute: known[attribute] for attribute in factor.attributes}
        if option.leaf:
            picked[option.leaf.index] = self._leaf(option.leaf, tuple(inner.values()), rng)
        else:
            self._sequence(list(option.parts.values()), option, inner, chosen, picked, rng)

    @staticmethod
    def _possible(parts: list[tuple[int, Factor]], known: dict[int, int], forced: int | None) -> _Weighted:
        found = _Weighted()
        for number, factor in parts:
            absent = all(value == ABSENT for a, value in known.items() if a not in factor.attributes)
            count = factor.table.get(tuple([known[a] for a in factor.attributes]), 0)
            if absent and count and forced in (None, number):
                found.add((number,), count)
        return found

    def _leaf(self, leaf: Leaf, keys: Row, rng: random.Random) -> int:
        column = self.network.columns[leaf.index]
        if (leaf.index, keys) not in self.groups:
            found = _Weighted()
            for group, own in enumerate(column.keys):
                if own == keys:
                    found.add((group,), len(column.domain.groups[group]))
            self.groups[leaf.index, keys] = found
        (group,) = self.groups[leaf.index, keys].pick(rng)
        return rng.choice(column.domain.groups[group])
