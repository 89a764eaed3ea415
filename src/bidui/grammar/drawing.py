"""Drawing `even`: alternatives by weight, and within them the words of each slot in turn.

A draw takes the variant, then each alternative, with the lowest use per weight; then, leaf by leaf in a fixed order,
the least-used word that still has an undrawn completion. Ties are broken by the seed, anew after every use, so that
words that took turns together once do not do so for ever.
"""

import random
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from bidui.grammar.assembly import Printer, make_printer
from bidui.grammar.filling import Neighbour, clash, narrow, neighbours, seam_broken
from bidui.grammar.frames import Frame, make_frame
from bidui.grammar.network import Column, Network
from bidui.grammar.seams import broken
from bidui.grammar.supports import bits_of
from bidui.grammar.tree import Node


@dataclass(frozen=True, slots=True)
class Draw:
    """One pair, before it is written out: which frame, which value at each position, and the texts."""

    printer: Printer
    values: tuple[int, ...]
    pieces: tuple[list[str], list[str]]


def draw_even(networks: Sequence[Network], *, seed: str) -> Iterator[Draw]:
    """Distinct pairs, evenly, until there are no more; `seed` is the only source of chance."""
    rng = random.Random(seed)
    turns = _Turns([network.variant.weight for network in networks], rng)
    samplers = [_Sampler(network, rng) for network in networks]
    seen: set[tuple[str, str]] = set()
    alive = list(range(len(samplers)))
    while alive:
        for number in list(turns.order(alive)):
            draw = samplers[number].draw(seen)
            if draw is not None:
                turns.use(number)
                yield draw
                break
            alive.remove(number)


class _Turns:
    """Options with weights that take turns: the lowest use per weight comes first."""

    __slots__ = ("keys", "rng", "used", "weights")

    def __init__(self, weights: Sequence[Fraction], rng: random.Random) -> None:
        self.rng = rng
        self.weights = [float(weight) for weight in weights]
        self.used = [0] * len(weights)
        self.keys = [(0.0, rng.random()) for _ in weights]

    def order(self, options: Sequence[int]) -> Iterator[int]:
        """Whose turn it is, and who comes after; sorting waits until the first will not do."""
        first = min(options, key=self.keys.__getitem__)
        yield first
        for option in sorted(options, key=self.keys.__getitem__):
            if option != first:
                yield option

    def use(self, option: int) -> None:
        self.used[option] += 1
        self.keys[option] = (self.used[option] / self.weights[option], self.rng.random())


class _Words:
    """The words of one leaf in the order of their turns: least used first, ties by chance."""

    __slots__ = ("everything", "group", "groups", "keys", "known", "order", "rng")

    def __init__(self, column: Column, rng: random.Random) -> None:
        self.rng = rng
        self.group = column.domain.group
        self.groups = column.domain.groups
        self.everything = (1 << len(column.domain.groups)) - 1
        self.keys: list[tuple[int, float, int]] = [(0, rng.random(), value) for value in range(len(self.group))]
        self.order = sorted(self.keys)
        self.known: dict[int, list[int]] = {}

    def turns(self, mask: int) -> Iterator[int]:
        """The values of the groups in `mask`, in order."""
        if mask == self.everything:
            for key in self.order:
                yield key[2]
            return
        members = self.known.get(mask)
        if members is None and mask.bit_count() * 48 > self.everything.bit_count():
            for key in self.order:
                if mask >> self.group[key[2]] & 1:
                    yield key[2]
            return
        if members is None:
            members = [value for group in bits_of(mask) for value in self.groups[group]]
            self.known[mask] = members
        first = min(members, key=self.keys.__getitem__)
        yield first
        for value in sorted(members, key=self.keys.__getitem__):
            if value != first:
                yield value

    def use(self, value: int) -> None:
        key = self.keys[value]
        del self.order[bisect_left(self.order, key)]
        self.keys[value] = (key[0] + 1, self.rng.random(), value)
        insort(self.order, self.keys[value])


@dataclass(slots=True, eq=False)
class _Ready:
    """A frame in use: its printer, and the prefixes of values that have no undrawn completion left."""

    frame: Frame
    printer: Printer
    adjacent: list[list[Neighbour]]
    words: list[_Words]
    dead: set[tuple[int, ...]] = field(default_factory=set)


class _Sampler:
    """Draws from one network, remembering how often everything was used."""

    def __init__(self, network: Network, rng: random.Random) -> None:
        self.network = network
        self.choices = network.tree.choices()
        self.turns = {node.choice: _Turns([o.weight for o in node.options], rng) for node in self.choices}
        self.guards = _guards(network, self.choices)
        self.rng = rng
        self.words: list[_Words | None] = [None for _ in network.columns]  # made when first needed
        self.frames: dict[tuple[tuple[int, int], ...], _Ready] = {}
        self.dead: set[tuple[tuple[int, int], ...]] = set()
        self.seen: set[tuple[str, str]] = set()

    def draw(self, seen: set[tuple[str, str]]) -> Draw | None:
        """The next pair whose texts are not in `seen`, which grows by it; None when there is none left."""
        self.seen = seen
        return self._choose(0, {})

    def _choose(self, number: int, chosen: dict[int, int]) -> Draw | None:
        while number < len(self.choices) and not self._open(self.choices[number], chosen):
            number += 1
        key = tuple(chosen.items())
        if key in self.dead:
            return None
        if number == len(self.choices):
            draw = self._fill(key, chosen)
        else:
            choice = self.choices[number].choice
            turns = self.turns[choice]
            draw = None
            for option in turns.order(range(len(turns.weights))):
                draw = self._choose(number + 1, {**chosen, choice: option})
                if draw is not None:
                    turns.use(option)
                    return draw
        if draw is None:
            self.dead.add(key)
            self.frames.pop(key, None)
        return draw

    def _open(self, node: Node, chosen: dict[int, int]) -> bool:
        """Whether the node is in the sentence at all under what is chosen so far."""
        return any(all(chosen.get(c, 0) == o for c, o in guard) for guard in self.guards[node.choice])

    def _fill(self, key: tuple[tuple[int, int], ...], chosen: dict[int, int]) -> Draw | None:
        ready = self.frames.get(key)
        if ready is None:
            frame = make_frame(self.network, chosen)
            if not all(frame.start):
                return None
            ready = self.frames[key] = _Ready(frame, make_printer(frame), neighbours(frame), self._words(frame))
        start = ready.frame.start
        found = self._place(ready, list(start), [0] * len(start), [], ready.frame.fixed)
        return None if isinstance(found, int) else found

    def _words(self, frame: Frame) -> list[_Words]:
        found = []
        for column in frame.columns:
            words = self.words[column.leaf.index]
            if words is None:
                words = self.words[column.leaf.index] = _Words(column, self.rng)
            found.append(words)
        return found

    def _place(
        self, ready: _Ready, masks: list[int], culprits: list[int], values: list[int], length: int
    ) -> Draw | int:
        """Fills the next position and all after it, depth first; or says which earlier positions are to blame.

        Where none of the words failed because of the position just before, that position need not be tried again:
        a pronoun too many is noticed once, not once for every verb in between.
        """
        frame = ready.frame
        at = len(values)
        if at == len(frame.columns):
            return self._finish(ready, values)
        if ready.dead and tuple(values) in ready.dead:
            return (1 << at) - 1
        domain = frame.columns[at].domain
        conflicts, adjacent, reach = frame.conflicts[at], ready.adjacent[at], frame.reach
        words = ready.words[at]
        blame = culprits[at]
        total = length
        for value in words.turns(masks[at]):
            if conflicts and (earlier := clash(conflicts, value, values)) is not None:
                blame |= 1 << earlier
                continue
            if reach is not None:
                total = length + domain.diffs[value]
                if -total not in reach[at + 1]:
                    blame |= (1 << at) - 1
                    continue
            if adjacent and seam_broken(frame, adjacent, domain.texts, value, values):
                blame |= (1 << at) - 1
                continue
            narrowed = narrow(frame, at, domain.group[value], masks, culprits)
            if isinstance(narrowed, int):
                blame |= narrowed
                continue
            values.append(value)
            found = self._place(ready, narrowed[0], narrowed[1], values, total)
            if not isinstance(found, int):
                words.use(value)
                return found
            values.pop()
            if not found >> at & 1:
                return found
            blame |= found
        ready.dead.add(tuple(values))
        return blame & ((1 << at) - 1)

    def _finish(self, ready: _Ready, values: list[int]) -> Draw | int:
        everyone = (1 << len(values)) - 1
        pieces = ready.printer.pieces(values)
        if ready.frame.seams and (broken(pieces[0], ready.frame.seams) or broken(pieces[1], ready.frame.seams)):
            return everyone
        sentences = ready.printer.sentences(pieces)
        if sentences in self.seen or sentences[0] == sentences[1]:
            return everyone
        self.seen.add(sentences)
        return Draw(ready.printer, tuple(values), pieces)


def _guards(network: Network, choices: list[Node]) -> dict[int, list[tuple[tuple[int, int], ...]]]:
    guards: dict[int, list[tuple[tuple[int, int], ...]]] = {node.choice: [] for node in choices}
    for node in network.tree.nodes:
        if node.choice in guards:
            guards[node.choice].append(node.guard)
    return guards
