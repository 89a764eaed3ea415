"""The tree of a variant: slots with alternatives, phrases with parts, and leaves that each hold one word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from bidui.errors import Place
from bidui.grammar.lines import Line
from bidui.grammar.paradigm import Variant
from bidui.grammar.rules import Lexical, Match, Related, Words

POSITION = re.compile(r"-?[0-9]{1,4}")  # a number where a name is expected: counted from 0, or back from the end


@dataclass(slots=True, eq=False)
class Scope:
    """The names that links in a rule may use: the slots of a variant, or the parts of a phrase alternative."""

    nodes: "dict[str, Node]"
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A match or relation with the scope its names are looked up in."""

    term: Match | Related
    scope: Scope
    place: Place


@dataclass(slots=True, eq=False)
class Leaf:
    """One word of the sentence: what it may be, and under which choices it is there."""

    index: int
    path: str
    slot: str
    rule: Lexical | Words
    links: tuple[Link, ...]
    place: Place
    guard: tuple[tuple[int, int], ...]
    origins: tuple[Place, ...] = ()  # of each condition, where the rule begins that has it

    def together(self, other: "Leaf") -> bool:
        """Whether some choice of alternatives has both words in the sentence."""
        mine = dict(self.guard)
        return all(mine.get(choice, option) == option for choice, option in other.guard)


@dataclass(slots=True, eq=False)
class Option:
    """One alternative: a word, the parts of a phrase with their line, or nothing."""

    weight: Fraction
    leaf: Leaf | None = None
    parts: "dict[str, Node]" = field(default_factory=dict)
    line: Line = field(default_factory=lambda: Line(()))
    head: str = ""
    name: str = ""

    def part(self, name: str) -> "Node":
        """A part by its name; `head` is the part so called, or the one that is the head."""
        return self.parts[self.head if name == "head" and "head" not in self.parts else name]

    place: Place = field(default_factory=Place)


@dataclass(slots=True, eq=False)
class Node:
    """A slot or part with its alternatives; `choice` is the variable that picks one."""

    path: str
    choice: int
    options: tuple[Option, ...]
    place: Place
    guard: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True, eq=False)
class Tree:
    """An expanded variant: nodes by slot name, all leaves, and how many options each choice has."""

    variant: Variant
    scope: Scope
    leaves: list[Leaf]
    nodes: list[Node]

    def choices(self) -> list[Node]:
        """One node for each choice variable with more than one option, parents before children."""
        first: dict[int, Node] = {}
        for node in self.nodes:
            first.setdefault(node.choice, node)
        return [node for node in first.values() if len(node.options) > 1]


def ways(node: Node, path: tuple[str, ...], chosen: dict[int, int]) -> Iterator[tuple[dict[int, int], Option]]:
    """What a node, or the part of it that `path` names, may be under choices already made: a word, a phrase, nothing.

    Each comes with the choices that make it so. Names must have been checked before.
    """
    for number, option in enumerate(node.options):
        if chosen.get(node.choice, number) != number:
            continue
        now = {**chosen, node.choice: number}
        if "" in option.parts:
            yield from ways(option.parts[""], path, now)
        elif path and option.parts:
            yield from ways(option.part(path[0]), path[1:], now)
        else:
            yield now, option
