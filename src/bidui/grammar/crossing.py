"""Crossing: can the good grammar of one paradigm derive a bad sentence of another?

First the two lines are compared as automata, which know no links: most pairs of paradigms end there. Lines that could
meet word for word are read in step under the links of both. Where one word could be two words of the other line, they
are searched word by word, until a sentence is found, nothing is left to try, or the steps are used up. Words that look
alike to both grammars are tried only a few times, so that "none found" is no proof where words of one class differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Literal as OneOf

from bidui.grammar.ambiguity import Automaton, Chance, automaton, could_meet, texts_after
from bidui.grammar.budget import Budget, OutOfSteps
from bidui.grammar.constraints import Constraint
from bidui.grammar.domains import bits_of
from bidui.grammar.draw import complete
from bidui.grammar.network import Network
from bidui.grammar.printing import BAD, GOOD
from bidui.grammar.tree import Atom, Items, Word, items_of, next_atoms

ALIKE = 3  # words that are tried of those that neither grammar can tell apart


@dataclass(frozen=True, slots=True)
class Meeting:
    """The result of comparing the bad side of one paradigm with the good side of another."""

    bad_uid: str
    good_uid: str
    outcome: OneOf["found", "none", "undecided"]
    sentence: str = ""


@dataclass
class Grammar:
    """The compiled variants of a paradigm, with the automata of their lines."""

    uid: str
    networks: list[Network]

    @cached_property
    def lines(self) -> tuple[Automaton, Automaton]:
        """The automata of the good and the bad side."""
        return automaton(self.networks, GOOD), automaton(self.networks, BAD)


def meetings(grammars: Sequence[Grammar], *, steps: int) -> Iterator[Meeting]:
    """Compare the bad side of every paradigm with the good side of every paradigm, itself included.

    All comparisons together take up to `steps` steps; what one does not use is left for the others.
    """
    suspects = []
    budget = Budget(steps)
    for bad in grammars:
        for good in grammars:
            overlaps = bad.networks[0].supports.overlaps
            try:
                chance = could_meet(bad.lines[BAD], good.lines[GOOD], on_step=budget.spend, overlaps=overlaps)
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
                sentence = Joint((one, other), budget).first() if chance.in_step else None
                if sentence is None and chance.out_of_step:
                    sentence = _out_of_step(one, other, budget)
                if sentence is not None:
                    return Meeting(bad.uid, good.uid, "found", sentence)
    except OutOfSteps:
        return Meeting(bad.uid, good.uid, "undecided")
    return Meeting(bad.uid, good.uid, "none")


# In step: one word of one line for one word of the other, under the links of both. Words that fall into the same groups
# of both grammars are one class, and classes that links rule out are dropped until nothing changes. If a position is
# left without classes, no sentence is shared; otherwise words are tried.

Classes = list[tuple[tuple[int, int], list[tuple[int, int]]]]  # groups on both sides, and values of such texts
_Texts = tuple[object, list[str], list[int]]  # of a word: what identifies it, and the text and group of each value
Tables = dict[tuple[int, int], list[int]]  # two positions -> for each class of the first, classes of the second


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read both lines in step: the choices on each side, and the two words at each position."""

    chosen: tuple[dict[int, int], dict[int, int]]
    words: tuple[tuple[Atom, Atom], ...]


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
    """Reads the bad line of one network and the good line of another in step."""

    networks: tuple[Network, Network]
    budget: Budget
    shared: dict[tuple[object, ...], bool] = field(default_factory=dict)
    classes: dict[tuple[object, ...], Classes] = field(default_factory=dict)

    def first(self) -> str | None:
        """Return a sentence that both have."""
        readings = self._read(*_lines(*self.networks), Reading(({}, {}), ()))
        sentences = (self.sentence(reading) for reading in readings)
        return next((sentence for sentence in sentences if sentence is not None), None)

    def _read(self, one: Items, other: Items, reading: Reading) -> Iterator[Reading]:
        """Yield every way to read both in step in which each word has a text in common with its partner."""
        for first, rest, mine in next_atoms(one, reading.chosen[0]):
            for second, left, theirs in next_atoms(other, reading.chosen[1]):
                self.budget.spend()
                if first is None or second is None:
                    if first is None and second is None:
                        yield Reading((mine, theirs), reading.words)
                elif self._share(first, second):
                    yield from self._read(rest, left, Reading((mine, theirs), (*reading.words, (first, second))))

    def _share(self, first: Atom, second: Atom) -> bool:
        """Tell whether two words have a text in common."""
        sides = [self._texts(word, network) for word, network in zip((first, second), self.networks, strict=True)]
        key = tuple(side[0] for side in sides)
        if key not in self.shared:
            self.shared[key] = not set(sides[0][1]).isdisjoint(sides[1][1])
        return self.shared[key]

    def _classes(self, words: Sequence[tuple[Atom, Atom]]) -> Classes:
        """Return the classes of what two slots can both hold, if these are all the words that they print in step.

        All words at once, because thousands of values may share the text of one, such as the numeral of a noun phrase.
        """
        sides = [[self._texts(both[side], network) for both in words] for side, network in enumerate(self.networks)]
        key = tuple(column[0] for side in sides for column in side)
        if key not in self.classes:
            self.classes[key] = self._joined(sides)
        return self.classes[key]

    def _joined(self, sides: Sequence[Sequence[_Texts]]) -> Classes:
        texts = [list(zip(*(column[1] for column in side), strict=True)) for side in sides]
        groups = [side[0][2] for side in sides]
        by_texts: dict[tuple[str, ...], list[int]] = {}
        for value, printed in enumerate(texts[1]):
            by_texts.setdefault(printed, []).append(value)
        classes: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for value, printed in enumerate(texts[0]):
            others = by_texts.get(printed, ())
            self.budget.spend(len(others))
            for other in others:
                classes.setdefault((groups[0][value], groups[1][other]), []).append((value, other))
        return list(classes.items())

    @staticmethod
    def _texts(word: Atom, network: Network) -> _Texts:
        if isinstance(word, str):
            return word, [word], [0]
        domain = network.columns[word[0].index].domain
        return (id(domain), word[1]), domain.texts[word[1]], domain.group

    def sentence(self, reading: Reading) -> str | None:
        """Return a sentence read in this way under the links and conflicts of both, or None."""
        leaves = [tuple(None if isinstance(word, str) else word[0] for word in both) for both in reading.words]
        together: dict[object, list[tuple[Atom, Atom]]] = {}
        for both, words in zip(leaves, reading.words, strict=True):
            together.setdefault(both if any(both) else words, []).append(words)
        classes = {key: self._classes(words) for key, words in together.items()}
        positions = [
            _Position((both[0], both[1]), classes[both if any(both) else words])
            for both, words in zip(leaves, reading.words, strict=True)
        ]
        tables = self._tables(positions)
        live = _consistent([(1 << len(position.classes)) - 1 for position in positions], tables)
        if live is None:
            return None
        values = self._place(reading, positions, tables, live, ({}, {}), 0)
        if values is None:
            return None
        columns = self.networks[0].columns
        texts = [
            word if isinstance(word, str) else columns[word[0].index].domain.texts[word[1]][values[word[0].index]]
            for word, _ in reading.words
        ]
        return self.networks[0].style.separator.join(texts)

    def _tables(self, positions: list[_Position]) -> Tables:
        """Return, for each two linked positions and each class of one, the classes all links allow at the other."""
        tables: Tables = {}
        for side, network in enumerate(self.networks):
            at: dict[int, list[int]] = {}
            for number, position in enumerate(positions):
                leaf = position.leaves[side]
                if leaf is not None:
                    at.setdefault(leaf.index, []).append(number)
            for several in at.values():
                for x, y in permutations(several, 2):  # a slot that is printed twice holds one word
                    same = positions[y].by_group[side]
                    _tighten(tables, (x, y), [same.get(groups[side], 0) for groups, _ in positions[x].classes])
            for constraint in network.constraints:
                for here, there in permutations(range(len(constraint.members)), 2):
                    for a in constraint.members[here].leaves:
                        for b in constraint.members[there].leaves:
                            if not (a.index in at and b.index in at and _binds(constraint, a, b)):
                                continue
                            groups = network.allowed(constraint, a.index, here, b.index, there).groups
                            for x in at[a.index]:
                                for y in at[b.index]:
                                    if x != y:
                                        _tighten(tables, (x, y), _by_class(groups, positions[x], positions[y], side))
        return tables

    def _place(
        self,
        reading: Reading,
        positions: list[_Position],
        tables: Tables,
        live: list[int],
        values: tuple[dict[int, int], dict[int, int]],
        at: int,
    ) -> dict[int, int] | None:
        """Return words for every position; each grammar itself finds the words that its line does not print."""
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
                    words = self._place(reading, positions, tables, narrowed, now, at + 1)
                    if words is not None:
                        return words
        return None


def _binds(constraint: Constraint, a: Word, b: Word) -> bool:
    """Tell whether a constraint applies to its two ends `a` and `b` by themselves, whatever else is in the sentence."""
    if not constraint.relation:
        return len(constraint.members) == 2
    guards = {*a.guard, *b.guard}
    return all(guards >= set(member.leaves[0].guard) for member in constraint.members if member.declares)


def _by_class(groups: list[int], x: _Position, y: _Position, side: int) -> list[int]:
    """Turn what each group of one word allows at another into what each class allows."""
    allowed: dict[int, int] = {}
    for group in x.by_group[side]:
        mask = 0
        for other, classes in y.by_group[side].items():
            if groups[group] >> other & 1:
                mask |= classes
        allowed[group] = mask
    return [allowed[of_sides[side]] for of_sides, _ in x.classes]


def _tighten(tables: Tables, key: tuple[int, int], table: list[int]) -> None:
    tables[key] = [a & b for a, b in zip(tables[key], table, strict=True)] if key in tables else table


def _consistent(live: list[int], tables: Tables) -> list[int] | None:
    """Drop classes that no class elsewhere goes with; return None if a position is left without."""
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


# Out of step: the lines are read letter by letter, and the one that has said less speaks next.


def _lines(bad: Network, good: Network) -> tuple[Items, Items]:
    one = items_of(bad.variant.bad.items, bad.tree.scope.nodes)
    return one, items_of(good.variant.good.items, good.tree.scope.nodes)


def _out_of_step(bad: Network, good: Network, budget: Budget) -> str | None:
    one, other = _lines(bad, good)
    sentence = _Search(budget).read(_Reader(bad, one, {}, {}), _Reader(good, other, {}, {}), "", "")
    return sentence.strip() if sentence is not None else None


@dataclass(frozen=True, slots=True)
class _Reader:
    """One line being read: what is still to come, and what has been settled so far."""

    network: Network
    items: Items
    chosen: dict[int, int]
    values: Mapping[int, int]  # leaf -> value

    def ways(self, over: str) -> "Iterator[tuple[_Reader, str, tuple[int, int] | None]]":
        """Yield every way to say the next word so that it and `over` begin alike, with the leaf and group it fills."""
        for word, rest, chosen in next_atoms(self.items, self.chosen):
            if word is None:
                continue
            for text, values in texts_after(over, word, self.values, self.network):
                reader = _Reader(self.network, rest, chosen, values)
                if isinstance(word, str) or word[0].index in self.values:
                    yield reader, text, None
                elif self._allowed(word[0], values[word[0].index]):
                    leaf = word[0].index
                    yield reader, text, (leaf, self.network.columns[leaf].domain.group[values[leaf]])

    def _allowed(self, leaf: Word, value: int) -> bool:
        """Tell whether a word goes with those already there under the links between two of them."""
        network = self.network
        column = network.columns[leaf.index]
        for constraint, number in column.ends:
            if len(constraint.members) != 2 or constraint.relation:
                continue
            for other in constraint.members[1 - number].leaves:
                if other.index in self.values:
                    table = network.allowed(constraint, leaf.index, number, other.index, 1 - number)
                    group = network.columns[other.index].domain.group[self.values[other.index]]
                    if not table.groups[column.domain.group[value]] >> group & 1:
                        return False
        return True


@dataclass(frozen=True, slots=True)
class _Search:
    budget: Budget

    def read(self, ahead: _Reader, behind: _Reader, over: str, said: str) -> str | None:
        """Return a sentence that both derive; `over` is what the reader ahead has said more than the other."""
        self.budget.spend()
        if not over:
            if self._completed(ahead) and self._completed(behind):
                return said
            return self._both(ahead, behind, said)
        sentences = (self._step(ahead, reader, over, text, said) for reader, text, _ in behind.ways(over))
        return next((sentence for sentence in sentences if sentence is not None), None)

    def _completed(self, reader: _Reader) -> bool:
        """Tell whether the line may end here and the words it does not print can be found too."""
        ends = (chosen for word, _, chosen in next_atoms(reader.items, reader.chosen) if word is None)
        spend = self.budget.spend
        return any(complete(reader.network, end, reader.values, on_step=spend) is not None for end in ends)

    def _step(self, ahead: _Reader, behind: _Reader, over: str, text: str, said: str) -> str | None:
        if over.startswith(text):
            return self.read(ahead, behind, over[len(text) :], said + text)
        return self.read(behind, ahead, text[len(over) :], said + over)

    def _both(self, ahead: _Reader, behind: _Reader, said: str) -> str | None:
        """Read on where both have said the same; words of the same groups of both are tried a few times only."""
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
