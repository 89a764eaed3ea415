"""Drawing pairs, evenly or uniformly, and enumerating all of them.

`draw_even` takes alternatives by weight, and within them the words of each slot in turn: the variant and then each
alternative with the lowest use per weight; then, leaf by leaf in a fixed order, the least-used word that still has an
undrawn completion. Ties are broken by the seed, anew after every use, so that words that once took turns together do
not do so forever.

`draw_uniform` makes every distinct pair equally likely. A small paradigm is enumerated and shuffled. In a large one,
fillings are drawn with equal probability from the tables that count them (under links, but not conflicts and lengths),
and those that break a rule are skipped. The remaining ones are still equally likely, and because both numbers are
known, so is the work. Links for which the tables would be too large are left out of them and make fillings skipped too.

Nothing runs for ever: steps are counted. Drawing evenly ends when its steps are spent, and says so (`on_give_up`);
drawing uniformly is refused where hardly any filling is a pair, since whatever else were drawn would not be uniform.
"""

import random
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, islice
from operator import itemgetter

from bidui.errors import fail
from bidui.grammar.ambiguity import could_be_equal, could_repeat
from bidui.grammar.budget import Budget, OutOfSteps
from bidui.grammar.count import ABSENT, Factor, Option, Row, Tables, choice_attribute, count_assignments, fitting_tables
from bidui.grammar.domains import bits_of
from bidui.grammar.frames import (
    Frame,
    Neighbour,
    Printer,
    Search,
    can_be_filled,
    clash,
    linked,
    make_frame,
    make_printer,
    narrow,
    neighbours,
    seam_broken,
)
from bidui.grammar.network import Column, Network
from bidui.grammar.tree import Guard, Node, Word, children


@dataclass(frozen=True, slots=True)
class Draw:
    """One pair before it is written out: the frame, the value at each position, and the texts."""

    printer: Printer
    values: tuple[int, ...]
    pieces: tuple[list[str], list[str]]


STEPS = 500_000  # of a search through one variant, beyond those that each pair adds
STEPS_PER_PAIR = 20_000
STEPS_PER_FRAME = 100_000  # under one choice of alternatives, for one pair
FRAME = 50  # steps that it takes to make a frame


def draw_even(
    networks: Sequence[Network], *, seed: str, on_give_up: Callable[[], None] = lambda: None
) -> Iterator[Draw]:
    """Yield distinct pairs evenly, until there are no more; `seed` is the only source of randomness.

    `on_give_up` is called at the end if some search was given up: there may be more pairs then.
    """
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
    if any(sampler.gave_up for sampler in samplers):
        on_give_up()


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
        """Yield the option whose turn it is, and then the others; they are sorted only if the first is rejected."""
        first = min(options, key=self.keys.__getitem__)
        yield first
        for option in sorted(options, key=self.keys.__getitem__):
            if option != first:
                yield option

    def use(self, option: int) -> None:
        self.used[option] += 1
        self.keys[option] = (self.used[option] / self.weights[option], self.rng.random())


_ORDERS = 8  # masks whose words are kept in order


class _Words:
    """The words of one leaf in the order of their turns: least used first, ties by chance."""

    __slots__ = ("everything", "group", "groups", "keys", "members", "order", "orders", "rng")

    def __init__(self, column: Column, rng: random.Random) -> None:
        self.rng = rng
        self.group = column.domain.group
        self.groups = column.domain.groups
        self.everything = (1 << len(column.domain.groups)) - 1
        self.keys: list[tuple[int, float, int]] = [(0, rng.random(), value) for value in range(len(self.group))]
        self.order = sorted(self.keys)
        self.orders: dict[int, list[tuple[int, float, int]]] = {}  # of many groups, for the first few masks
        self.members: dict[int, list[int]] = {}

    def turns(self, mask: int) -> Iterator[int]:
        """Yield the values of the groups in `mask`, in order."""
        return map(_VALUE, self.order) if mask == self.everything else self._some(mask)

    def _some(self, mask: int) -> Iterator[int]:
        members = self.members.get(mask)
        if members is None and mask.bit_count() * 48 > self.everything.bit_count():
            order = self.orders.get(mask)
            if order is None:
                chosen = (key for key in self.order if mask >> self.group[key[2]] & 1)
                if len(self.orders) == _ORDERS:
                    yield from map(_VALUE, chosen)
                    return
                # a link that never changes has one mask; the words it excludes are never used, so they would come first
                order = self.orders[mask] = list(chosen)
            yield from map(_VALUE, order)
            return
        if members is None:
            members = [value for group in bits_of(mask) for value in self.groups[group]]
            self.members[mask] = members
        first = min(members, key=self.keys.__getitem__)
        yield first
        for value in sorted(members, key=self.keys.__getitem__):
            if value != first:
                yield value

    def use(self, value: int) -> None:
        key = self.keys[value]
        self.keys[value] = (key[0] + 1, self.rng.random(), value)
        group = self.group[value]
        for mask, order in ((self.everything, self.order), *self.orders.items()):
            if mask >> group & 1:
                del order[bisect_left(order, key)]
                insort(order, self.keys[value])


class _Sampler:
    """Draws from one network, counting how often everything was used."""

    def __init__(self, network: Network, rng: random.Random) -> None:
        self.network = network
        self.choices = network.tree.choices()
        self.turns = {node.choice: _Turns(node.weights, rng) for node in self.choices}
        self.guards = network.tree.guards()
        self.rng = rng
        self.words: dict[int, _Words] = {}  # by leaf, made when first needed
        self.searches: dict[tuple[tuple[int, int], ...], Search[Draw]] = {}
        self.dead: set[tuple[tuple[int, int], ...]] = set()
        self.seen: set[tuple[str, str]] = set()
        self.steps = STEPS
        self.gave_up = False

    def draw(self, seen: set[tuple[str, str]]) -> Draw | None:
        """Return the next pair whose texts are not in `seen`, and add them; None when none is left."""
        self.seen = seen
        self.steps += STEPS_PER_PAIR
        return self._choose(0, {})

    def _choose(self, number: int, chosen: dict[int, int]) -> Draw | None:
        while number < len(self.choices) and not is_open(self.choices[number], self.guards, chosen):
            number += 1
        key = tuple(chosen.items())
        if key in self.dead:
            return None
        if self.steps < 0:
            self.gave_up = True
            return None
        if number == len(self.choices):
            if key not in self.searches:
                self.steps -= FRAME
                self.searches[key] = self._search(make_frame(self.network, chosen))
            draw = self._run(self.searches[key])
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

    def _run(self, search: Search[Draw]) -> Draw | None:
        budget = Budget(min(self.steps, STEPS_PER_FRAME))
        given = budget.left
        try:
            return search.run(budget)
        except OutOfSteps:
            self.gave_up = True
            return None
        finally:
            self.steps -= given - budget.left

    def _search(self, frame: Frame) -> Search[Draw]:
        """Make a search that tries words in turn and accepts pairs that were not drawn before."""
        words = []
        for column in frame.columns if all(frame.start) else ():
            leaf = column.leaf.index
            if leaf not in self.words:
                self.words[leaf] = _Words(column, self.rng)
            words.append(self.words[leaf])
        printer = make_printer(frame)

        def candidates(at: int, mask: int) -> Iterator[int]:
            return words[at].turns(mask)

        def accept(values: list[int]) -> Draw | None:
            pieces = printer.pieces(values)
            if printer.breaks(pieces):
                return None
            sentences = printer.sentences(pieces)
            if sentences in self.seen or sentences[0] == sentences[1]:
                return None
            self.seen.add(sentences)
            for used, value in zip(words, values, strict=True):
                used.use(value)
            return Draw(printer, tuple(values), pieces)

        return Search(frame, candidates, accept)


# Enumeration, in a fixed order.

STEPS_PER_LISTED = 50  # a sentence may have so many words


def enumerate_pairs(networks: Sequence[Network], *, repeats: bool | None = None) -> Iterator[Draw]:
    """Yield all distinct pairs; raise `OutOfSteps` where too many steps lead to too few.

    Memory stays constant, unless two fillings could print the same pair: then all pairs so far are kept. A caller that
    knows whether they could passes it as `repeats`.
    """
    repeats = could_repeat(networks) if repeats is None else repeats
    seen: set[tuple[str, str]] | None = set() if repeats else None
    budget = Budget(STEPS)
    for network in networks:
        for draw in _fillings(network, budget):
            sentences = draw.printer.sentences(draw.pieces)
            if sentences[0] == sentences[1]:
                continue
            if seen is not None:
                if sentences in seen:
                    continue
                seen.add(sentences)
            budget.left += STEPS_PER_LISTED
            yield draw


def _fillings(network: Network, budget: Budget) -> Iterator[Draw]:
    """Yield every filling of a network, alternatives in the order of the file."""
    for chosen in choices_of(network):
        budget.spend(FRAME)
        frame = make_frame(network, chosen)
        if can_be_filled(frame, budget):
            printer = make_printer(frame)
            yield from _place(frame, printer, neighbours(frame), list(frame.start), [], frame.fixed, budget)


def choices_of(network: Network) -> Iterator[dict[int, int]]:
    """Return every choice of alternatives."""
    return _choose(network.tree.choices(), network.tree.guards(), {})


def _choose(nodes: list[Node], guards: Mapping[int, list[Guard]], chosen: dict[int, int]) -> Iterator[dict[int, int]]:
    if not nodes:
        yield chosen
        return
    node, rest = nodes[0], nodes[1:]
    if not is_open(node, guards, chosen):
        yield from _choose(rest, guards, chosen)
        return
    for option in range(len(node.options)):
        yield from _choose(rest, guards, {**chosen, node.choice: option})


def is_open(node: Node, guards: Mapping[int, list[Guard]], chosen: Mapping[int, int]) -> bool:
    """Tell whether a node is in the sentence under the choices made so far."""
    return any(all(chosen.get(c, 0) == o for c, o in guard) for guard in guards[node.choice])


def _place(
    frame: Frame,
    printer: Printer,
    adjacent: list[list[Neighbour]],
    masks: list[int],
    values: list[int],
    length: int,
    budget: Budget,
) -> Iterator[Draw]:
    at = len(values)
    budget.spend()
    if at == len(frame.columns):
        pieces = printer.pieces(values)
        if not printer.breaks(pieces):
            yield Draw(printer, tuple(values), pieces)
        return
    domain = frame.columns[at].domain
    for value, group in enumerate(domain.group):
        if not masks[at] >> group & 1 or clash(frame.conflicts[at], value, values) is not None:
            continue
        total = length + domain.diffs[value]
        if frame.reach is not None and -total not in frame.reach[at + 1]:
            continue
        if adjacent[at] and seam_broken(frame, adjacent[at], domain.texts, value, values):
            continue
        narrowed = narrow(frame, at, group, masks, [0] * len(masks))
        if not isinstance(narrowed, int):
            yield from _place(frame, printer, adjacent, narrowed[0], [*values, value], total, budget)


def complete(
    network: Network, chosen: Mapping[int, int], values: Mapping[int, int], *, on_step: Callable[[], None]
) -> tuple[int, ...] | None:
    """Return a filling in which some leaves have given values, or None; alternatives not chosen are tried in turn.

    `on_step` is called at every step of the search, which it may end by raising an exception.
    """
    for choices in choices_of(network):
        on_step()
        if any(chosen.get(choice, option) != option for choice, option in choices.items()):
            continue
        frame = make_frame(network, choices)
        position = {column.leaf.index: at for at, column in enumerate(frame.columns)}
        if not all(frame.start) or not values.keys() <= position.keys():
            continue
        fixed = {position[leaf]: value for leaf, value in values.items()}

        def candidates(at: int, mask: int, frame: Frame = frame, fixed: dict[int, int] = fixed) -> Iterable[int]:
            on_step()
            domain = frame.columns[at].domain
            if at not in fixed:
                return domain.values_in(mask)
            return (fixed[at],) if mask >> domain.group[fixed[at]] & 1 else ()

        if (filling := Search(frame, candidates, list).run(Budget(STEPS))) is not None:
            return tuple(filling)
    return None


# Uniform drawing.

SMALL = 50_000  # up to so many pairs are enumerated and shuffled
REPEATING = 200_000  # and up to so many fillings, if different ones may print the same pair
COUNTED = 1_000_000  # up to so many are counted one by one if the tables give only a bound
MAX_TRIES = 20_000  # fillings tried per pair, on average
TRIES = 200_000  # and beyond these, if it is not known how many of them are pairs


def draw_uniform(networks: Sequence[Network], *, seed: str) -> Iterator[Draw]:
    """Yield distinct pairs, each equally likely, until there are no more; `seed` is the only source of randomness."""
    rng = random.Random(seed)
    counts = [count_assignments(network) for network in networks]
    total = sum(count.value for count in counts)
    if total <= SMALL and (pairs := _all_pairs(networks)) is not None:
        rng.shuffle(pairs)
        yield from pairs
        return
    place = networks[0].variant.place
    if could_repeat(networks):
        if total > REPEATING or (pairs := _all_pairs(networks)) is None:
            raise fail("uniform-repeats", place, {"count": total})
        rng.shuffle(pairs)
        yield from pairs
        return
    tables = [fitting_tables(network, lengths=False, traced=True) for network in networks]
    samplers = [_UniformSampler(n, fitting, rng) for n, (fitting, _) in zip(networks, tables, strict=True)]
    sizes = [size for _, size in tables]
    if sum(sizes) > MAX_TRIES * total:
        raise fail("uniform-sparse", place, {"count": total, "tried": sum(sizes)})
    cumulative = list(accumulate(sizes))
    seen: set[tuple[str, str]] = set()
    exact = all(count.exact for count in counts) and not any(n.seams or could_be_equal(n) for n in networks)
    left = total if exact else _number_of_pairs(networks) if total <= COUNTED else None
    if left is None and _none_left(networks, seen):
        return
    tries = 0
    while left is None or len(seen) < left:
        tries += 1
        if not exact and tries > TRIES + MAX_TRIES * len(seen):
            if _none_left(networks, seen):
                return
            raise fail("uniform-hopeless", place, {"given": len(seen), "tries": tries})
        number = bisect_right(cumulative, rng.randrange(cumulative[-1]))
        draw = samplers[number].draw()
        if draw is not None and (sentences := draw.printer.sentences(draw.pieces)) not in seen:
            seen.add(sentences)
            yield draw


def _all_pairs(networks: Sequence[Network]) -> list[Draw] | None:
    try:
        return list(enumerate_pairs(networks))
    except OutOfSteps:
        return None


def _number_of_pairs(networks: Sequence[Network]) -> int | None:
    try:
        return sum(1 for _ in enumerate_pairs(networks))
    except OutOfSteps:
        return None


def _none_left(networks: Sequence[Network], seen: set[tuple[str, str]]) -> bool:
    """Tell whether a search proves that there is no other pair."""
    given_up: list[bool] = []
    draws = draw_even(networks, seed="", on_give_up=lambda: given_up.append(True))
    texts = (draw.printer.sentences(draw.pieces) for draw in islice(draws, len(seen) + 1))
    return all(sentences in seen for sentences in texts) and not given_up


@dataclass(slots=True)
class _Distribution:
    """Rows of a table, ready to be drawn with probabilities by their counts."""

    rows: list[Row] = field(default_factory=list)
    cumulative: list[int] = field(default_factory=list)

    def add(self, row: Row, count: int) -> None:
        self.rows.append(row)
        self.cumulative.append(count + (self.cumulative[-1] if self.cumulative else 0))

    def pick(self, rng: random.Random) -> Row:
        return self.rows[bisect_right(self.cumulative, rng.randrange(self.cumulative[-1]))]


@dataclass(slots=True)
class _UniformSampler:
    """Draws fillings of one network, equally likely, by reading its tables backwards."""

    network: Network
    tables: Tables
    rng: random.Random
    chosen: dict[int, int] = field(default_factory=dict)
    picked: dict[int, int] = field(default_factory=dict)  # leaf -> value
    indexes: dict[tuple[int, tuple[int, ...]], dict[Row, _Distribution]] = field(default_factory=dict)
    options: dict[tuple[Node, Row], _Distribution] = field(default_factory=dict)
    groups: dict[tuple[int, Row], _Distribution] = field(default_factory=dict)
    frames: dict[tuple[tuple[int, int], ...], tuple[Frame, Printer]] = field(default_factory=dict)

    def draw(self) -> Draw | None:
        """Return a filling, or None if it breaks a rule that the tables do not know: conflicts, length, seams."""
        self.chosen, self.picked = {}, {}
        self._sequence(self.network.tree.scope.nodes.values(), None, {})
        key = tuple(sorted(self.chosen.items()))
        if key not in self.frames:
            frame = make_frame(self.network, self.chosen)
            self.frames[key] = (frame, make_printer(frame))
        frame, printer = self.frames[key]
        values = [self.picked[column.leaf.index] for column in frame.columns]
        for at, value in enumerate(values):
            if clash(frame.conflicts[at], value, values) is not None:
                return None
        if self.tables.without and not linked(frame, values):
            return None
        if self.network.equal_length:
            diffs = (column.domain.diffs[value] for column, value in zip(frame.columns, values, strict=True))
            if frame.fixed + sum(diffs):
                return None
        pieces = printer.pieces(values)
        if printer.breaks(pieces):
            return None
        good, bad = printer.sentences(pieces)
        return None if good == bad else Draw(printer, tuple(values), pieces)

    def _sequence(self, nodes: Iterable[Node], home: Option | None, known: dict[int, int]) -> None:
        for step in reversed(self.tables.steps.get(home, [])):
            at = tuple(n for n, attribute in enumerate(step.attributes) if attribute in known)
            row = self._rows(step, at)[tuple([known[step.attributes[n]] for n in at])].pick(self.rng)
            known.update(zip(step.attributes, row, strict=True))
        for node in nodes:
            self._node(node, known)

    def _rows(self, step: Factor, at: tuple[int, ...]) -> dict[Row, _Distribution]:
        if (id(step), at) not in self.indexes:
            index: dict[Row, _Distribution] = {}
            for row, count in step.table.items():
                index.setdefault(tuple([row[n] for n in at]), _Distribution()).add(row, count)
            self.indexes[id(step), at] = index
        return self.indexes[id(step), at]

    def _node(self, node: Node, known: dict[int, int]) -> None:
        parts = self.tables.parts[node]
        attributes = sorted({a for _, factor in parts for a in factor.attributes})
        row = tuple([known[a] for a in attributes])
        forced = known.get(choice_attribute(node.choice))
        key = (node, (*row, -2 if forced is None else forced))
        if key not in self.options:
            self.options[key] = self._possible(parts, dict(zip(attributes, row, strict=True)), forced)
        number = self.options[key].pick(self.rng)[0]
        if len(node.options) > 1:
            self.chosen[node.choice] = number
        option = node.options[number]
        factor = dict(parts)[number]
        inner = {attribute: known[attribute] for attribute in factor.attributes}
        if isinstance(option, Word):
            self.picked[option.index] = self._leaf(option, tuple(inner.values()))
        else:
            self._sequence(children(option), option, inner)

    @staticmethod
    def _possible(parts: list[tuple[int, Factor]], known: dict[int, int], forced: int | None) -> _Distribution:
        options = _Distribution()
        for number, factor in parts:
            absent = all(value == ABSENT for a, value in known.items() if a not in factor.attributes)
            count = factor.table.get(tuple([known[a] for a in factor.attributes]), 0)
            if absent and count and forced in (None, number):
                options.add((number,), count)
        return options

    def _leaf(self, leaf: Word, keys: Row) -> int:
        column = self.network.columns[leaf.index]
        if (leaf.index, keys) not in self.groups:
            groups = _Distribution()
            for group, group_keys in enumerate(self.tables.ends(leaf)[1]):
                if group_keys == keys:
                    groups.add((group,), len(column.domain.groups[group]))
            self.groups[leaf.index, keys] = groups
        (group,) = self.groups[leaf.index, keys].pick(self.rng)
        return self.rng.choice(column.domain.groups[group])
