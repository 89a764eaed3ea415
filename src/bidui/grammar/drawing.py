"""Drawing `even`: alternatives by weight, and within them the words of each slot in turn.

A draw takes the variant, then each alternative, with the lowest use per weight; then, leaf by leaf in a fixed order,
the least-used word that still has an undrawn completion. Ties are broken by the seed, anew after every use, so that
words that took turns together once do not do so for ever.
"""

import random
from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from bidui.grammar.assembly import Printer, make_printer
from bidui.grammar.conflicts import Tokens
from bidui.grammar.expansion import Node
from bidui.grammar.frames import Frame, make_frame
from bidui.grammar.network import Column, Network
from bidui.grammar.seams import broken, crosses

Entry = tuple[int, float, int]  # times used, tie-breaker, value


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
        for number in turns.order(alive):
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

    def order(self, options: Sequence[int]) -> list[int]:
        return sorted(options, key=self.keys.__getitem__)

    def use(self, option: int) -> None:
        self.used[option] += 1
        self.keys[option] = (self.used[option] / self.weights[option], self.rng.random())


@dataclass(slots=True, eq=False)
class _Ready:
    """A frame in use: its printer, and the prefixes of values that have no undrawn completion left."""

    frame: Frame
    printer: Printer
    adjacent: list[list[tuple[bool, int | str, str, str]]]
    dead: set[tuple[int, ...]] = field(default_factory=set)


class _Sampler:
    """Draws from one network, remembering how often everything was used."""

    def __init__(self, network: Network, rng: random.Random) -> None:
        self.network = network
        self.rng = rng
        self.choices = network.tree.choices()
        self.turns = {node.choice: _Turns([o.weight for o in node.options], rng) for node in self.choices}
        self.guards = _guards(network, self.choices)
        self.queues = [_queues(column, rng) for column in network.columns]
        self.frames: dict[tuple[tuple[int, int], ...], _Ready | None] = {}
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
        return draw

    def _open(self, node: Node, chosen: dict[int, int]) -> bool:
        """Whether the node is in the sentence at all under what is chosen so far."""
        return any(all(chosen.get(c, 0) == o for c, o in guard) for guard in self.guards[node.choice])

    def _fill(self, key: tuple[tuple[int, int], ...], chosen: dict[int, int]) -> Draw | None:
        if key not in self.frames:
            frame = make_frame(self.network, chosen)
            printer = make_printer(frame)
            empty = not all(frame.start)
            self.frames[key] = None if empty else _Ready(frame, printer, _adjacent(frame))
        ready = self.frames[key]
        if ready is None:
            return None
        return self._place(ready, 0, list(ready.frame.start), [], ready.frame.fixed)

    def _place(self, ready: _Ready, at: int, masks: list[int], values: list[int], length: int) -> Draw | None:
        """Fills position `at` and all after it; depth first, least-used words first."""
        frame = ready.frame
        if at == len(frame.columns):
            return self._finish(ready, values)
        if ready.dead and tuple(values) in ready.dead:
            return None
        column = frame.columns[at]
        domain = column.domain
        for entry in self._candidates(column, masks[at]):
            value = entry[2]
            if frame.conflicts[at] and _clash(frame.conflicts[at], value, values):
                continue
            total = length
            if frame.reach is not None:
                total += domain.diffs[value]
                if -total not in frame.reach[at + 1]:
                    continue
            if ready.adjacent[at] and _seam(frame, ready.adjacent[at], domain.texts, value, values):
                continue
            narrowed = _narrow(frame, at, domain.group[value], masks)
            if narrowed is None:
                continue
            values.append(value)
            draw = self._place(ready, at + 1, narrowed, values, total)
            if draw is not None:
                self._used(column, entry)
                return draw
            values.pop()
        ready.dead.add(tuple(values))
        return None

    def _finish(self, ready: _Ready, values: list[int]) -> Draw | None:
        pieces = ready.printer.pieces(values)
        if ready.frame.seams and (broken(pieces[0], ready.frame.seams) or broken(pieces[1], ready.frame.seams)):
            return None
        sentences = ready.printer.sentences(pieces)
        if sentences in self.seen or sentences[0] == sentences[1]:
            return None
        self.seen.add(sentences)
        return Draw(ready.printer, tuple(values), pieces)

    def _candidates(self, column: Column, mask: int) -> Iterator[Entry]:
        """The values of the groups allowed, least used first; sorting waits until the first will not do."""
        queues = self.queues[column.leaf.index]
        if len(queues) == 1:
            yield from tuple(queues[0])
            return
        allowed = [queue for group, queue in enumerate(queues) if mask >> group & 1]
        first = min(queue[0] for queue in allowed)
        yield first
        for entry in sorted(entry for queue in allowed for entry in queue):
            if entry is not first:
                yield entry

    def _used(self, column: Column, entry: Entry) -> None:
        queue = self.queues[column.leaf.index][column.domain.group[entry[2]]]
        queue.remove(entry)
        insort(queue, (entry[0] + 1, self.rng.random(), entry[2]))


def _queues(column: Column, rng: random.Random) -> list[list[Entry]]:
    return [sorted((0, rng.random(), value) for value in group) for group in column.domain.groups]


def _guards(network: Network, choices: list[Node]) -> dict[int, list[tuple[tuple[int, int], ...]]]:
    guards: dict[int, list[tuple[tuple[int, int], ...]]] = {node.choice: [] for node in choices}
    for node in network.tree.nodes:
        if node.choice in guards:
            guards[node.choice].append(node.guard)
    return guards


def _clash(conflicts: list[tuple[int, Tokens, Tokens]], value: int, values: list[int]) -> bool:
    for earlier, theirs, mine in conflicts:
        others = theirs[values[earlier]]
        for token in mine[value]:
            if token in others:
                return True
    return False


def _narrow(frame: Frame, at: int, group: int, masks: list[int]) -> list[int] | None:
    """What is left at the other positions once `group` stands at `at`; None if nothing is left at one of them."""
    pairs, among = frame.pairs[at], frame.among[at]
    if not pairs and not among:
        return masks
    masks = masks.copy()
    for other, allowed in pairs:
        masks[other] &= allowed[group]
        if not masks[other]:
            return None
    for constraint in among:
        live = masks[constraint.state] & constraint.ends[at][group]
        if not live:
            return None
        masks[constraint.state] = live
        for other in constraint.ends:
            if other > at:
                masks[other] &= constraint.allowed(other, live)
                if not masks[other]:
                    return None
    return masks


def _adjacent(frame: Frame) -> list[list[tuple[bool, int | str, str, str]]]:
    """At each position, the neighbours that are known once it is filled: before it?, what, its column, own column.

    Seams over three items are rare and are looked for when the sentence is complete.
    """
    found: list[list[tuple[bool, int | str, str, str]]] = [[] for _ in frame.columns]
    if not frame.seams:
        return found
    position = {column.leaf: n for n, column in enumerate(frame.columns)}
    for line in (frame.good, frame.bad):
        for left, right in zip(line, line[1:], strict=False):
            a = -1 if isinstance(left, str) else position[left[0]]
            b = -1 if isinstance(right, str) else position[right[0]]
            if a >= b and a >= 0 and not isinstance(left, str):
                other = (right, "") if isinstance(right, str) else (b, right[1])
                found[a].append((False, other[0], other[1], left[1]))
            elif b >= 0 and not isinstance(right, str):
                other = (left, "") if isinstance(left, str) else (a, left[1])
                found[b].append((True, other[0], other[1], right[1]))
    return found


def _seam(
    frame: Frame,
    adjacent: list[tuple[bool, int | str, str, str]],
    texts: "object",
    value: int,
    values: list[int],
) -> bool:
    for before, other, column, own in adjacent:
        mine = texts[own][value]  # type: ignore[index]
        if isinstance(other, str):
            theirs = other
        elif other == len(values):
            theirs = texts[column][value]  # type: ignore[index]
        else:
            theirs = frame.columns[other].domain.texts[column][values[other]]
        left, right = (theirs, mine) if before else (mine, theirs)
        if any(crosses(left, right, seam) for seam in frame.seams):
            return True
    return False
