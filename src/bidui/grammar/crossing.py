"""Crossing: can a bad sentence of one paradigm be derived by the good grammar of another?

First the two lines are compared as automata, which know no links: most pairs of paradigms end there. Where they could
meet word for word, they are read in step under the links of both; where a word of one could be two words of the other,
they are searched word by word, until a sentence is found, there is nothing left to try, or the steps are used up.
Words that look alike to both grammars are tried only a few times, so "none found" is no proof where several words of a
class differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Literal as OneOf

from bidui.grammar.ambiguity import Automaton, Chance, automaton, could_meet
from bidui.grammar.constraints import Constraint
from bidui.grammar.domains import bits_of
from bidui.grammar.draw import complete
from bidui.grammar.network import Network
from bidui.grammar.paradigm import Line
from bidui.grammar.printing import BAD, GOOD
from bidui.grammar.tree import Items, Spoken, Word, items_of, spoken

# Joint reading: two lines read in step, one word of the one for one word of the other, under the links of both.
#
# Words that fall into the same groups of both grammars are one class; the classes that links rule out are struck off
# until nothing changes. If a position is left without classes, no sentence is shared; else words are tried.

Classes = list[tuple[tuple[int, int], list[tuple[int, int]]]]  # groups on both sides, and values of such texts
Tables = dict[tuple[int, int], list[int]]
ALIKE = 3  # words of a class that are tried


class OutOfSteps(Exception):
    """The search was given up."""


@dataclass(slots=True)
class Budget:
    """The steps that a search may still take: counted, so that every machine gives up at the same point."""

    left: int

    def spend(self, steps: int = 1) -> None:
        """Take steps; raise `OutOfSteps` when none is left."""
        self.left -= steps
        if self.left < 0:
            raise OutOfSteps


@dataclass(frozen=True, slots=True)
class InStep:
    """One way to read both lines in step: the choices on each side, and which word stands for which."""

    chosen: tuple[dict[int, int], dict[int, int]]
    words: tuple[tuple[Spoken, Spoken], ...]


@dataclass(slots=True)
class _Position:
    """Two words that must be the same text: its classes, each with some texts (as values on both sides)."""

    leaves: tuple[Word | None, Word | None]
    classes: Classes
    by_group: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))

    def __post_init__(self) -> None:
        for number, (groups, _) in enumerate(self.classes):
            for side in (0, 1):
                self.by_group[side][groups[side]] = self.by_group[side].get(groups[side], 0) | 1 << number


@dataclass(slots=True)
class Joint:
    """Reads the lines of two networks in step."""

    networks: tuple[Network, Network]
    lines: tuple[Line, Line]
    budget: Budget
    overlaps: dict[tuple[object, ...], Classes] = field(default_factory=dict)

    def readings(self) -> Iterator[InStep]:
        """Every way to read both in step in which each word has a text in common with its partner."""
        pairs = zip(self.networks, self.lines, strict=True)
        one, other = (items_of(line.items, network.tree.scope.nodes) for network, line in pairs)
        yield from self._read(one, other, ({}, {}), ())

    def _read(
        self,
        one: Items,
        other: Items,
        chosen: tuple[dict[int, int], dict[int, int]],
        words: tuple[tuple[Spoken, Spoken], ...],
    ) -> Iterator[InStep]:
        for first, rest, mine in spoken(one, chosen[0]):
            for second, left, theirs in spoken(other, chosen[1]):
                self.budget.spend()
                if first is None or second is None:
                    if first is None and second is None:
                        yield InStep((mine, theirs), words)
                elif self._classes(first, second):
                    yield from self._read(rest, left, (mine, theirs), (*words, (first, second)))

    def _classes(self, first: Spoken, second: Spoken) -> Classes:
        """The classes of texts that two words have in common; a literal is one text of group 0."""
        sides = [self._texts(word, network) for word, network in zip((first, second), self.networks, strict=True)]
        key = tuple(side[0] for side in sides)
        if key not in self.overlaps:
            by_text: dict[str, list[int]] = {}
            for value, text in enumerate(sides[1][1]):
                by_text.setdefault(text, []).append(value)
            found: dict[tuple[int, int], list[tuple[int, int]]] = {}
            for value, text in enumerate(sides[0][1]):
                for other in by_text.get(text, ()):
                    found.setdefault((sides[0][2][value], sides[1][2][other]), []).append((value, other))
            self.overlaps[key] = list(found.items())
        return self.overlaps[key]

    @staticmethod
    def _texts(word: Spoken, network: Network) -> tuple[object, list[str], list[int]]:
        if isinstance(word, str):
            return word, [word], [0]
        domain = network.columns[word[0].index].domain
        return (id(domain), word[1]), domain.texts[word[1]], domain.group

    def sentence(self, reading: InStep) -> str | None:
        """A sentence read in this way under the links and conflicts of both, or None."""
        positions = []
        for first, second in reading.words:
            leaves = tuple(None if isinstance(word, str) else word[0] for word in (first, second))
            positions.append(_Position((leaves[0], leaves[1]), self._classes(first, second)))
        tables = self._tables(positions)
        live = _consistent([(1 << len(position.classes)) - 1 for position in positions], tables)
        if live is None:
            return None
        values = self._place(reading, positions, tables, live, ({}, {}), 0)
        if values is None:
            return None
        texts = []
        for word, _ in reading.words:
            if isinstance(word, str):
                texts.append(word)
            else:
                texts.append(self.networks[0].columns[word[0].index].domain.texts[word[1]][values[word[0].index]])
        return self.networks[0].style.separator.join(texts)

    def _tables(self, positions: list[_Position]) -> Tables:
        """For each two linked positions: for each class of the one, the classes all links allow at the other."""
        tables: Tables = {}
        for side in (0, 1):
            at: dict[int, list[int]] = {}
            for number, position in enumerate(positions):
                leaf = position.leaves[side]
                if leaf is not None:
                    at.setdefault(leaf.index, []).append(number)
            for several in at.values():
                for x, y in permutations(several, 2):  # one slot printed twice holds one word
                    same = positions[y].by_group[side]
                    _tighten(tables, (x, y), [same.get(groups[side], 0) for groups, _ in positions[x].classes])
            for constraint in self.networks[side].constraints:
                if len(constraint.members) != 2 or constraint.relation:
                    continue
                for a in constraint.members[0].leaves:
                    for b in constraint.members[1].leaves:
                        for x in at.get(a.index, ()):
                            for y in at.get(b.index, ()):
                                there = self._table(side, constraint, (a, 0), (b, 1), positions[x], positions[y])
                                back = self._table(side, constraint, (b, 1), (a, 0), positions[y], positions[x])
                                _tighten(tables, (x, y), there)
                                _tighten(tables, (y, x), back)
        return tables

    def _table(
        self, side: int, constraint: Constraint, a: tuple[Word, int], b: tuple[Word, int], x: _Position, y: _Position
    ) -> list[int]:
        network = self.networks[side]
        mine, theirs = network.columns[a[0].index], network.columns[b[0].index]
        ends = mine.ends.index((constraint, a[1])), theirs.ends.index((constraint, b[1]))
        same = constraint.kind == "share"
        groups = network.supports.between(mine.domain, ends[0], theirs.domain, ends[1], same=same).groups
        known: dict[int, int] = {}
        for group in x.by_group[side]:
            mask = 0
            for other, classes in y.by_group[side].items():
                if groups[group] >> other & 1:
                    mask |= classes
            known[group] = mask
        return [known[groups_of[side]] for groups_of, _ in x.classes]

    def _place(
        self,
        reading: InStep,
        positions: list[_Position],
        tables: Tables,
        live: list[int],
        values: tuple[dict[int, int], dict[int, int]],
        at: int,
    ) -> dict[int, int] | None:
        """Words for every position; what the lines do not print is found by each grammar itself."""
        self.budget.spend()
        if at == len(positions):
            sides = zip(self.networks, reading.chosen, values, strict=True)
            done = [complete(*side, on_step=self.budget.spend) for side in sides]
            return values[0] if all(filling is not None for filling in done) else None
        for number in bits_of(live[at]):
            narrowed = _consistent([*live[:at], 1 << number, *live[at + 1 :]], tables)
            if narrowed is None:
                continue
            for pair in positions[at].classes[number][1][:ALIKE]:
                now = (dict(values[0]), dict(values[1]))
                fits = True
                for side, leaf in enumerate(positions[at].leaves):
                    if leaf is not None:
                        fits &= now[side].setdefault(leaf.index, pair[side]) == pair[side]
                        fits = fits and not self.networks[side].clashes(leaf.index, now[side])
                if fits:
                    found = self._place(reading, positions, tables, narrowed, now, at + 1)
                    if found is not None:
                        return found
        return None


def _tighten(tables: Tables, key: tuple[int, int], table: list[int]) -> None:
    known = tables.get(key)
    tables[key] = table if known is None else [a & b for a, b in zip(known, table, strict=True)]


def _consistent(live: list[int], tables: Tables) -> list[int] | None:
    """Strikes off classes that no class elsewhere goes with; None if a position is left without."""
    changed = True
    while changed:
        changed = False
        for (x, y), table in tables.items():
            kept = sum(1 << number for number in bits_of(live[x]) if table[number] & live[y])
            if not kept:
                return None
            if kept != live[x]:
                live[x] = kept
                changed = True
    return live


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of holding the bad side of one paradigm against the good side of another."""

    bad_uid: str
    good_uid: str
    outcome: OneOf["found", "none", "undecided"]
    sentence: str = ""


@dataclass(slots=True)
class Grammar:
    """The compiled variants of a paradigm, with what is needed to rule meetings out quickly."""

    uid: str
    networks: list[Network]
    lines: dict[int, Automaton] = field(default_factory=dict)

    def line(self, side: int) -> Automaton:
        """The automaton of one side."""
        if side not in self.lines:
            self.lines[side] = automaton(self.networks, side)
        return self.lines[side]


def meetings(grammars: Sequence[Grammar], *, steps: int) -> Iterator[Meeting]:
    """Compare the bad side of every paradigm with the good side of every paradigm, itself included.

    All comparisons together take up to `steps` steps; what one does not use is left for the others.
    """
    suspects = []
    budget = Budget(steps)
    for bad in grammars:
        for good in grammars:
            try:
                chance = could_meet(bad.line(BAD), good.line(GOOD), on_step=budget.spend)
            except OutOfSteps:
                yield Meeting(bad.uid, good.uid, "undecided")
                continue
            if chance == Chance():
                yield Meeting(bad.uid, good.uid, "none")
            else:
                suspects.append((bad, good, chance))
    left = budget.left
    for number, (bad, good, chance) in enumerate(suspects):
        share = Budget(left // (len(suspects) - number))
        left -= share.left
        yield _meet(bad, good, chance, share)
        left += max(0, share.left)


def _meet(bad: Grammar, good: Grammar, chance: Chance, budget: Budget) -> Meeting:
    try:
        for one in bad.networks:
            for other in good.networks:
                sentence = _in_step(one, other, budget) if chance.in_step else None
                if sentence is None and chance.out_of_step:
                    sentence = _Search(budget).sentence(one, other)
                if sentence is not None:
                    return Meeting(bad.uid, good.uid, "found", sentence)
    except OutOfSteps:
        return Meeting(bad.uid, good.uid, "undecided")
    return Meeting(bad.uid, good.uid, "none")


def _in_step(bad: Network, good: Network, budget: Budget) -> str | None:
    joint = Joint((bad, good), (bad.variant.bad, good.variant.good), budget)
    sentences = (joint.sentence(reading) for reading in joint.readings())
    return next((sentence for sentence in sentences if sentence is not None), None)


@dataclass(frozen=True, slots=True)
class _Reader:
    """One line being read: what is still to come, and what has been settled so far."""

    network: Network
    items: Items
    chosen: dict[int, int]
    values: dict[int, int]  # leaf -> value

    def ways(self, over: str) -> "Iterator[tuple[_Reader, str, tuple[int, int] | None]]":
        """Yield every way to say the next word so that it and `over` begin alike, with the leaf and group it fills."""
        for word, rest, chosen in spoken(self.items, self.chosen):
            if word is None:
                continue
            for text, value in self._texts(word, over):
                if not (text.startswith(over) or over.startswith(text)):
                    continue
                if value is None or isinstance(word, str):
                    yield _Reader(self.network, rest, chosen, self.values), text, None
                elif self._allowed(word[0], value):
                    leaf = word[0].index
                    group = self.network.columns[leaf].domain.group[value]
                    yield _Reader(self.network, rest, chosen, {**self.values, leaf: value}), text, (leaf, group)

    def _texts(self, word: Spoken, over: str) -> Iterator[tuple[str, int | None]]:
        """Yield the texts of a word, each with the value it would settle; None where nothing is left to settle."""
        if isinstance(word, str):
            yield self.network.style.folded(word), None
            return
        domain = self.network.columns[word[0].index].domain
        texts = domain.folded[word[1]]
        if word[0].index in self.values:
            yield texts[self.values[word[0].index]], None
            return
        for value in domain.fitting(word[1], over):
            yield texts[value], value

    def _allowed(self, leaf: Word, value: int) -> bool:
        """Tell whether a word goes with those already there: conflicts, and links between two of them."""
        network = self.network
        if network.clashes(leaf.index, {**self.values, leaf.index: value}):
            return False
        column = network.columns[leaf.index]
        for constraint, number in column.ends:
            if len(constraint.members) != 2 or constraint.relation:
                continue
            for other in constraint.members[1 - number].leaves:
                if other.index in self.values:
                    there = network.columns[other.index]
                    end = column.ends.index((constraint, number))
                    other_end = there.ends.index((constraint, 1 - number))
                    same = constraint.kind == "share"
                    table = network.supports.between(column.domain, end, there.domain, other_end, same=same)
                    group = there.domain.group[self.values[other.index]]
                    if not table.groups[column.domain.group[value]] >> group & 1:
                        return False
        return True

    def ends(self) -> Iterator[dict[int, int]]:
        """Yield the choices under which nothing more is said."""
        return (chosen for word, _, chosen in spoken(self.items, self.chosen) if word is None)


@dataclass(frozen=True, slots=True)
class _Search:
    budget: Budget

    def sentence(self, bad: Network, good: Network) -> str | None:
        """Return a sentence that both derive."""
        one, other = (
            _Reader(network, items_of(line.items, network.tree.scope.nodes), {}, {})
            for network, line in ((bad, bad.variant.bad), (good, good.variant.good))
        )
        sentence = self._read(one, other, "", "")
        return sentence.strip() if sentence is not None else None

    def _read(self, ahead: _Reader, behind: _Reader, over: str, said: str) -> str | None:
        self.budget.spend()
        if not over:
            if self._completed(ahead) and self._completed(behind):
                return said
            return self._both(ahead, behind, said)
        for reader, text, _ in behind.ways(over):
            sentence = self._step(ahead, reader, over, text, said)
            if sentence is not None:
                return sentence
        return None

    def _completed(self, reader: _Reader) -> bool:
        """Whether the line may end here and the words it does not print can be found too."""
        network, values = reader.network, reader.values
        spend = self.budget.spend
        return any(complete(network, chosen, values, on_step=spend) is not None for chosen in reader.ends())

    def _step(self, ahead: _Reader, behind: _Reader, over: str, text: str, said: str) -> str | None:
        if over.startswith(text):
            return self._read(ahead, behind, over[len(text) :], said + text)
        return self._read(behind, ahead, text[len(over) :], said + over)

    def _both(self, ahead: _Reader, behind: _Reader, said: str) -> str | None:
        """Both lines are level: words that fall into the same groups of both are tried a few times only."""
        tried: dict[object, int] = {}
        for reader, text, here in behind.ways(""):
            for other, again, there in ahead.ways(text):
                self.budget.spend()
                key = (here, there) if text == again and here and there else None
                if key is not None:
                    if tried.get(key, 0) >= ALIKE:
                        continue
                    tried[key] = tried.get(key, 0) + 1
                sentence = self._step(reader, other, text, again, said)
                if sentence is not None:
                    return sentence
        return None
