"""Drawing `even`: alternatives by weight, and within them the words of each slot in turn.

A draw takes the variant, then each alternative, with the lowest use per weight; then, leaf by leaf in a fixed order,
the least-used word that still has an undrawn completion. Ties are broken by the seed, anew after every use, so that
words that took turns together once do not do so for ever.
"""

import random
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

from bidui.grammar.assembly import Printer, make_printer
from bidui.grammar.frames import Frame, make_frame
from bidui.grammar.network import Column, Network
from bidui.grammar.seams import broken
from bidui.grammar.search import Search
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


_VALUE = itemgetter(2)


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
        return map(_VALUE, self.order) if mask == self.everything else self._some(mask)

    def _some(self, mask: int) -> Iterator[int]:
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


class _Sampler:
    """Draws from one network, remembering how often everything was used."""

    def __init__(self, network: Network, rng: random.Random) -> None:
        self.network = network
        self.choices = network.tree.choices()
        self.turns = {node.choice: _Turns([o.weight for o in node.options], rng) for node in self.choices}
        self.guards = _guards(network, self.choices)
        self.rng = rng
        self.words: list[_Words | None] = [None for _ in network.columns]  # made when first needed
        self.searches: dict[tuple[tuple[int, int], ...], Search[Draw]] = {}
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
            self.searches.pop(key, None)
        return draw

    def _open(self, node: Node, chosen: dict[int, int]) -> bool:
        """Whether the node is in the sentence at all under what is chosen so far."""
        return any(all(chosen.get(c, 0) == o for c, o in guard) for guard in self.guards[node.choice])

    def _fill(self, key: tuple[tuple[int, int], ...], chosen: dict[int, int]) -> Draw | None:
        search = self.searches.get(key)
        if search is None:
            search = self.searches[key] = self._search(make_frame(self.network, chosen))
        return search.run()

    def _search(self, frame: Frame) -> Search[Draw]:
        """A search that tries words in turn and accepts what was not drawn before."""
        words = self._words(frame) if all(frame.start) else []
        printer = make_printer(frame)

        def candidates(at: int, mask: int) -> Iterator[int]:
            return words[at].turns(mask)

        def accept(values: list[int]) -> Draw | None:
            pieces = printer.pieces(values)
            if frame.seams and (broken(pieces[0], frame.seams) or broken(pieces[1], frame.seams)):
                return None
            sentences = printer.sentences(pieces)
            if sentences in self.seen or sentences[0] == sentences[1]:
                return None
            self.seen.add(sentences)
            for used, value in zip(words, values, strict=True):
                used.use(value)
            return Draw(printer, tuple(values), pieces)

        return Search(frame, candidates, accept)

    def _words(self, frame: Frame) -> list[_Words]:
        found = []
        for column in frame.columns:
            words = self.words[column.leaf.index]
            if words is None:
                words = self.words[column.leaf.index] = _Words(column, self.rng)
            found.append(words)
        return found


def _guards(network: Network, choices: list[Node]) -> dict[int, list[tuple[tuple[int, int], ...]]]:
    guards: dict[int, list[tuple[tuple[int, int], ...]]] = {node.choice: [] for node in choices}
    for node in network.tree.nodes:
        if node.choice in guards:
            guards[node.choice].append(node.guard)
    return guards
