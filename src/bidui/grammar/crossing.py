"""Crossing: can a bad sentence of one paradigm be derived by the good grammar of another?

First the two lines are compared as automata, which know no links: most pairs of paradigms end there. Where they could
meet word for word, they are read in step under the links of both; where a word of one could be two words of the other,
they are searched word by word, until a sentence is found, there is nothing left to try, or time is up. Words that look
alike to both grammars are tried only a few times, so "none found" is no proof where several words of a class differ.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

from bidui.grammar.automata import Automaton, automaton
from bidui.grammar.enumeration import complete
from bidui.grammar.joint import Joint, TimeIsUp
from bidui.grammar.lines import Literal, Use
from bidui.grammar.network import Network
from bidui.grammar.printing import BAD, GOOD
from bidui.grammar.readings import Chance, could_meet
from bidui.grammar.tree import Leaf, Node, ways

ALIKE = 3  # how many words are tried that neither grammar can tell apart


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


def meetings(grammars: Sequence[Grammar], *, seconds: float) -> Iterator[Meeting]:
    """Every pair of paradigms, a paradigm and itself included, held against each other within a time for all."""
    suspects = []
    end = time.monotonic() + seconds
    for bad in grammars:
        for good in grammars:
            if time.monotonic() > end:
                yield Meeting(bad.uid, good.uid, "undecided")
            elif (chance := could_meet(bad.line(BAD), good.line(GOOD))) != Chance():
                suspects.append((bad, good, chance))
            else:
                yield Meeting(bad.uid, good.uid, "none")
    for number, (bad, good, chance) in enumerate(suspects):
        share = (end - time.monotonic()) / (len(suspects) - number)  # what is not used is left for the others
        yield _meet(bad, good, chance, seconds=share)


def _meet(bad: Grammar, good: Grammar, chance: Chance, *, seconds: float) -> Meeting:
    end = time.monotonic() + seconds
    search = _Search(end)
    try:
        for one in bad.networks:
            for other in good.networks:
                sentence = _in_step(one, other, end) if chance.in_step else None
                if sentence is None and chance.out_of_step:
                    sentence = search.sentence(one, other)
                if sentence is not None:
                    return Meeting(bad.uid, good.uid, "found", sentence)
    except TimeIsUp:
        return Meeting(bad.uid, good.uid, "undecided")
    return Meeting(bad.uid, good.uid, "none")


def _in_step(bad: Network, good: Network, end: float) -> str | None:
    joint = Joint((bad, good), (bad.variant.bad, good.variant.good), end)
    for reading in joint.readings():
        if time.monotonic() > end:
            raise TimeIsUp
        sentence = joint.sentence(reading)
        if sentence is not None:
            return sentence
    return None


Item = tuple[Literal | Use, dict[str, Node]]


@dataclass(frozen=True, slots=True)
class _Reader:
    """One line being read: what is still to come, and what has been settled so far."""

    network: Network
    side: int
    items: tuple[Item, ...]
    chosen: dict[int, int]
    values: dict[int, int]  # leaf -> value

    def ways(self, over: str) -> "Iterator[tuple[_Reader, str, tuple[int, int] | None]]":
        """Every way to say the next word so that it and `over` begin alike, with the leaf and group that said it."""
        if not self.items:
            return
        (item, nodes), rest = self.items[0], self.items[1:]
        if isinstance(item, Literal):
            text = self.network.style.folded(item.text)
            if text.startswith(over) or over.startswith(text):
                yield self._with(rest, self.chosen, self.values), text, None
            return
        for now, option in ways(nodes[item.ref.slot], item.ref.path, self.chosen):
            if option.leaf:
                yield from self._words(option.leaf, item.column, rest, now, over)
            else:
                inner = tuple((item, option.parts) for item in option.line.items)
                yield from self._with((*inner, *rest), now, self.values).ways(over)

    def _with(self, items: tuple[Item, ...], chosen: dict[int, int], values: dict[int, int]) -> "_Reader":
        return _Reader(self.network, self.side, items, chosen, values)

    def _words(
        self, leaf: Leaf, column: str, rest: tuple[Item, ...], chosen: dict[int, int], over: str
    ) -> "Iterator[tuple[_Reader, str, tuple[int, int] | None]]":
        domain = self.network.columns[leaf.index].domain
        texts = domain.folded[column]
        if leaf.index in self.values:
            text = texts[self.values[leaf.index]]
            if text.startswith(over) or over.startswith(text):
                yield self._with(rest, chosen, self.values), text, None
            return
        for value in domain.fitting(column, over):
            if self._allowed(leaf, value):
                values = {**self.values, leaf.index: value}
                yield self._with(rest, chosen, values), texts[value], (leaf.index, domain.group[value])

    def _allowed(self, leaf: Leaf, value: int) -> bool:
        """Whether a word goes with those already there: conflicts, and links between two of them."""
        network = self.network
        for conflict in network.conflicts:
            for mine, theirs, own, others in (
                (conflict.a, conflict.b, conflict.a_tokens, conflict.b_tokens),
                (conflict.b, conflict.a, conflict.b_tokens, conflict.a_tokens),
            ):
                known = mine == leaf.index and theirs in self.values
                if known and not set(own[value]).isdisjoint(others[self.values[theirs]]):
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

    def completed(self) -> bool:
        """Whether the words that the line does not print can be found too, and everything holds."""
        return complete(self.network, self.chosen, self.values) is not None


@dataclass(slots=True)
class _Search:
    end: float

    def sentence(self, bad: Network, good: Network) -> str | None:
        """A sentence that both derive."""
        readers = [
            _Reader(network, side, tuple((item, network.tree.scope.nodes) for item in line.items), {}, {})
            for network, side, line in ((bad, BAD, bad.variant.bad), (good, GOOD, good.variant.good))
        ]
        found = self._read(readers[0], readers[1], "", "")
        return bad.style.separator.join(found.split("\0")).strip() if found is not None else None

    def _read(self, ahead: _Reader, behind: _Reader, over: str, said: str) -> str | None:
        if time.monotonic() > self.end:
            raise TimeIsUp
        if not ahead.items and not behind.items:
            return said if not over and ahead.completed() and behind.completed() else None
        if over or not ahead.items:
            for reader, text, _ in behind.ways(over):
                found = self._step(ahead, reader, over, text, said)
                if found is not None:
                    return found
            return None
        return self._both(ahead, behind, said)

    def _step(self, ahead: _Reader, behind: _Reader, over: str, text: str, said: str) -> str | None:
        if over.startswith(text):
            return self._read(ahead, behind, over[len(text) :], said + text)
        return self._read(behind, ahead, text[len(over) :], said + over)

    def _both(self, ahead: _Reader, behind: _Reader, said: str) -> str | None:
        """Both lines are level: words that fall into the same groups of both are tried a few times only."""
        tried: dict[object, int] = {}
        for reader, text, here in behind.ways(""):
            for other, again, there in ahead.ways(text):
                key = (here, there) if text == again and here and there else None
                if key is not None:
                    if tried.get(key, 0) >= ALIKE:
                        continue
                    tried[key] = tried.get(key, 0) + 1
                found = self._step(reader, other, text, again, said)
                if found is not None:
                    return found
        return None
