"""Lines as automata over texts: which texts may follow which, and where.

An automaton does not know the links between words: it may allow sentences that the line never prints.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bidui.grammar.lines import Line, Literal
from bidui.grammar.network import Network
from bidui.grammar.printing import GOOD, Style
from bidui.grammar.tree import Node


@dataclass(frozen=True, slots=True)
class Edge:
    """Any of these texts leads to `to`; no text at all is a step for nothing."""

    texts: tuple[str, ...]
    to: int
    network: int
    leaf: int  # -1 for literals
    column: str = ""


@dataclass(slots=True)
class Automaton:
    """States from 0, the last state is 1."""

    edges: list[list[Edge]] = field(default_factory=lambda: [[], []])
    doubtful: bool = False  # some alternative can be empty in two ways
    outs: dict[int, dict[str, list[Edge]]] = field(default_factory=dict)
    starts: dict[int, dict[str, list[str]]] = field(default_factory=dict)
    ends: dict[int, bool] = field(default_factory=dict)
    literals: list[frozenset[str]] = field(default_factory=list)  # of each variant, the characters of its literals
    known_characters: frozenset[str] | None = None

    def new(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def out(self, state: int) -> dict[str, list[Edge]]:
        """The texts that may come next, each with the edges it may come by."""
        if state not in self.outs:
            found: dict[str, list[Edge]] = {}
            for edge in self._through(state):
                for text in edge.texts:
                    found.setdefault(text, []).append(edge)
            self.outs[state] = found
        return self.outs[state]

    def beginning(self, state: int) -> dict[str, list[str]]:
        """For each beginning of a text that may come next (the whole included), the texts."""
        if state not in self.starts:
            found: dict[str, list[str]] = {}
            for text in self.out(state):
                for cut in range(1, len(text) + 1):
                    found.setdefault(text[:cut], []).append(text)
            self.starts[state] = found
        return self.starts[state]

    def characters(self) -> frozenset[str]:
        """The characters that any text has."""
        if self.known_characters is None:
            texts = (text for edges in self.edges for edge in edges for text in edge.texts)
            self.known_characters = frozenset(char for text in texts for char in text)
        return self.known_characters

    def required(self) -> frozenset[str]:
        """Characters that every sentence has; there may be more."""
        return frozenset.intersection(*self.literals) if self.literals else frozenset()

    def final(self, state: int) -> bool:
        """Whether the sentence may end here."""
        if state not in self.ends:
            steps = (edge for edge in self.edges[state] if not edge.texts)
            self.ends[state] = state == 1 or any(self.final(edge.to) for edge in steps)
        return self.ends[state]

    def _through(self, state: int) -> Iterator[Edge]:
        for edge in self.edges[state]:
            if edge.texts:
                yield edge
            else:
                yield from self._through(edge.to)


def automaton(networks: Sequence[Network], side: int) -> Automaton:
    """The automaton of one side of all variants of a paradigm."""
    built = Automaton()
    for number, network in enumerate(networks):
        start = built.new()
        built.edges[0].append(Edge((), start, number, -1))
        line = network.variant.good if side == GOOD else network.variant.bad
        built.literals.append(frozenset(c for item in line.items if isinstance(item, Literal) for c in item.text))
        _Builder(built, network, number).line(line, network.tree.scope.nodes, start, 1, first=True)
    return built


@dataclass(slots=True)
class _Builder:
    automaton: Automaton
    network: Network
    number: int

    def line(self, line: Line, nodes: dict[str, Node], start: int, end: int, *, first: bool) -> None:
        style = self.network.style
        state = start
        for n, item in enumerate(line.items):
            to = end if n == len(line.items) - 1 else self.automaton.new()
            opening = first and n == 0
            if isinstance(item, Literal):
                text = _styled(item.text, style, opening, item.text)
                self.automaton.edges[state].append(Edge((text,), to, self.number, -1))
            else:
                self.use(nodes[item.ref.slot], item.ref.path, item.column, state, to, opening)
            state = to

    def use(self, node: Node, path: tuple[str, ...], column: str, start: int, end: int, opening: bool) -> None:
        style = self.network.style
        empty = 0
        for option in node.options:
            if option.leaf:
                texts = given = self.network.columns[option.leaf.index].domain.texts[column]
                if style.separator or (style.capital and opening):
                    texts = [_styled(text, style, opening, None) for text in texts]
                    self.automaton.doubtful |= opening and len(set(texts)) < len(set(given))  # he and He
                edge = Edge(tuple(dict.fromkeys(texts)), end, self.number, option.leaf.index, column)
                self.automaton.edges[start].append(edge)
            elif "" in option.parts:
                self.use(option.parts[""], path, column, start, end, opening)
            elif path and option.parts:
                self.use(option.part(path[0]), path[1:], column, start, end, opening)
            elif option.parts:
                self.line(option.line, option.parts, start, end, first=opening)
            else:
                empty += 1
                self.automaton.edges[start].append(Edge((), end, self.number, -1))
        self.automaton.doubtful |= empty > 1


def _styled(text: str, style: Style, opening: bool, literal: str | None) -> str:
    """A text as it stands in the sentence: with the separator before it, or the capital it begins with."""
    if opening:
        return text[:1].upper() + text[1:] if style.capital else text
    return style.joiner(literal) + text


def possible_seams(line: Automaton, seams: Sequence[str]) -> list[str]:
    """The seams whose characters can meet where two texts do; others cannot arise."""
    inside = set("".join(seams))
    lasts: dict[int, set[str]] = {}
    for edges in line.edges:
        for edge in edges:
            ends = {text[-1] for text in edge.texts} & inside
            if ends:
                lasts.setdefault(edge.to, set()).update(ends)
    meeting = set()
    for state, ends in lasts.items():
        firsts = {text[0] for text in line.out(state)} & inside
        meeting |= {(a, b) for a in ends for b in firsts}
    return [seam for seam in seams if any(pair in meeting for pair in pairwise(seam))]
