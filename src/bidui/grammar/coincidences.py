"""Coincidences: the sets of leaves that hold conflicting words at once, for counting by inclusion and exclusion.

The number of ways to fill leaves without conflict is the sum, over all sets of disjoint blocks of leaves, of the ways
in which the leaves of each block do conflict, with a sign. A block of two counts -1 for each pair of conflicting
words, a block of three that all conflict +2, and so on: the sum of (-1)^edges over the connected graphs on it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

from bidui.grammar.factors import Factor, Row
from bidui.grammar.network import Network

Pair = tuple[int, int]
MAX_SETS = 2_000


class TooMany(Exception):
    """So many leaves conflict with each other that their sets cannot be gone through."""


@dataclass(frozen=True, slots=True)
class Block:
    """Leaves that conflict, and how often (signed) words of given groups do."""

    leaves: tuple[int, ...]
    groups: dict[tuple[int, ...], int]


@dataclass(slots=True)
class Coincidences:
    """All terms of the inclusion and exclusion over a network's conflicts."""

    network: Network
    clashes: dict[Pair, set[Pair]] = field(default_factory=dict)  # leaves -> conflicting values
    neighbours: dict[int, set[int]] = field(default_factory=dict)
    blocks: dict[tuple[int, ...], Block] = field(default_factory=dict)
    signs: dict[tuple[tuple[int, ...], frozenset[Pair]], int] = field(default_factory=dict)
    followers: dict[Pair, tuple[dict[int, list[int]], dict[int, list[int]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for conflict in self.network.conflicts:
            first, second = sorted(
                ((conflict.a, conflict.a_tokens), (conflict.b, conflict.b_tokens)), key=lambda s: s[0]
            )
            holders: dict[str, list[int]] = {}
            for value, tokens in enumerate(second[1]):
                for token in tokens:
                    holders.setdefault(token, []).append(value)
            found = self.clashes.setdefault((first[0], second[0]), set())
            for value, tokens in enumerate(first[1]):
                for token in tokens:
                    found.update((value, other) for other in holders.get(token, ()))
        for a, b in self.clashes:
            self.neighbours.setdefault(a, set()).add(b)
            self.neighbours.setdefault(b, set()).add(a)

    def small_components(self, limit: int) -> list[Factor]:
        """Leaves that conflict among themselves only and have few groups, counted at once; they make no terms.

        For each choice of groups (or absence) of such leaves: the number of distinct words they can have.
        """
        found = []
        for leaves in self._components():
            sizes = [len(self.network.columns[leaf].domain.groups) + 1 for leaf in leaves]
            if prod(sizes) <= limit and len(leaves) <= 8:
                table: dict[Row, int] = {}
                self._joint(leaves, (), table)
                found.append(Factor(tuple(group_attribute(leaf) for leaf in leaves), table))
                for leaf in leaves:
                    del self.neighbours[leaf]
        return found

    def _components(self) -> list[list[int]]:
        left = set(self.neighbours)
        found = []
        while left:
            members = {min(left)}
            while grown := {other for leaf in members for other in self.neighbours[leaf]} - members:
                members |= grown
            found.append(sorted(members))
            left -= members
        return found

    def _joint(self, leaves: list[int], groups: tuple[int, ...], table: dict[Row, int]) -> None:
        number = len(groups)
        if number == len(leaves):
            present = {leaf: group for leaf, group in zip(leaves, groups, strict=True) if group >= 0}
            table[groups] = self._ways(present)
            return
        leaf = self.network.columns[leaves[number]].leaf
        if leaf.guard:
            self._joint(leaves, (*groups, -1), table)
        others = [self.network.columns[o].leaf for o, g in zip(leaves, groups, strict=False) if g >= 0]
        if all(leaf.together(other) for other in others):
            for group in range(len(self.network.columns[leaf.index].domain.groups)):
                self._joint(leaves, (*groups, group), table)

    def _ways(self, present: dict[int, int]) -> int:
        """How many distinct words leaves can have whose groups are given."""
        if not present:
            return 1
        first, *rest = sorted(present)
        total = len(self.network.columns[first].domain.groups[present[first]])
        total *= self._ways({leaf: present[leaf] for leaf in rest})
        for members in self._connected(first, set(rest)):
            weight = self.block(members).groups.get(tuple(present[leaf] for leaf in members), 0)
            if weight:
                total += weight * self._ways({leaf: g for leaf, g in present.items() if leaf not in members})
        return total

    def terms(self, slots: Collection[str]) -> Iterator[tuple[Block, ...]]:
        """Every set of disjoint blocks in these slots whose leaves can all be in one sentence, the empty one first."""
        leaves = [leaf for leaf in sorted(self.neighbours) if self.network.columns[leaf].leaf.slot in slots]
        yield from self._terms(leaves, ())

    def at_least(self, slots: Collection[str]) -> int:
        """A number that the terms of these slots do not fall short of: one for every two leaves in conflict."""
        columns = self.network.columns
        return sum(a in self.neighbours and columns[a].leaf.slot in slots for a, _ in self.clashes)

    def _terms(self, leaves: list[int], chosen: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
        """The blocks chosen, and with them every set of blocks of these leaves; each begins with a later leaf."""
        yield chosen
        for number, first in enumerate(leaves):
            rest = leaves[number + 1 :]
            for members in self._connected(first, set(rest)):
                block = self.block(members)
                if block.groups:
                    left = [leaf for leaf in rest if leaf not in members and self._together(members, leaf)]
                    yield from self._terms(left, (*chosen, block))

    def _connected(self, first: int, allowed: set[int]) -> list[tuple[int, ...]]:
        """The connected sets of two leaves or more that hold `first` and otherwise only `allowed` ones."""
        found: set[tuple[int, ...]] = set()
        open_sets: list[tuple[int, ...]] = [(first,)]
        while open_sets:
            members = open_sets.pop()
            for leaf in members:
                for other in self.neighbours[leaf] & allowed:
                    larger = tuple(sorted({*members, other}))
                    if other not in members and larger not in found and self._together(members, other):
                        found.add(larger)
                        open_sets.append(larger)
            if len(found) > MAX_SETS:
                raise TooMany
        return sorted(found, key=lambda members: (len(members), members))

    def _together(self, members: tuple[int, ...], other: int) -> bool:
        """Whether a leaf can be in a sentence with these, which can be in one themselves."""
        columns = self.network.columns
        return all(columns[other].leaf.together(columns[leaf].leaf) for leaf in members)

    def block(self, members: tuple[int, ...]) -> Block:
        """The block of these leaves."""
        if members not in self.blocks:
            edges = [pair for pair in combinations(members, 2) if pair in self.clashes]
            domains = [self.network.columns[index].domain for index in members]
            groups: dict[tuple[int, ...], int] = {}
            for values in self._conflicting(members, edges):
                at = dict(zip(members, values, strict=True))
                present = frozenset(edge for edge in edges if (at[edge[0]], at[edge[1]]) in self.clashes[edge])
                if (members, present) not in self.signs:
                    self.signs[members, present] = _signed(members, present)
                key = tuple(domain.group[value] for domain, value in zip(domains, values, strict=True))
                groups[key] = groups.get(key, 0) + self.signs[members, present]
            self.blocks[members] = Block(members, {key: weight for key, weight in groups.items() if weight})
        return self.blocks[members]

    def _conflicting(self, members: tuple[int, ...], edges: list[Pair]) -> set[tuple[int, ...]]:
        """The values of these leaves that hang together by conflicts."""
        alike = self._same_word(members, edges)
        return alike if alike is not None else self._grown(members, edges)

    def _same_word(self, members: tuple[int, ...], edges: list[Pair]) -> set[tuple[int, ...]] | None:
        """The same, quickly, where every conflict is that of a word with itself; None where it is not."""
        if len(edges) * 2 != len(members) * (len(members) - 1):
            return None
        partner: dict[Pair, dict[int, int]] = {}
        for edge in edges:
            forward, back = self._followers(*edge)
            if any(len(others) > 1 for table in (forward, back) for others in table.values()):
                return None
            partner[edge] = {value: others[0] for value, others in forward.items()}
        found = set()
        for a, b, c in combinations(members, 3):
            ab, bc, ac = partner[a, b], partner[b, c], partner[a, c]
            if any(ac.get(value) != bc.get(other) for value, other in ab.items()):
                return None
            if len(ab.keys() & ac.keys()) < len(set(ac.values()) & set(bc.values())):
                return None
        first, *rest = members
        tables = [partner[first, leaf] for leaf in rest]
        for value in set(tables[0]).intersection(*tables[1:]):
            found.add((value, *(table[value] for table in tables)))
        return found

    def _grown(self, members: tuple[int, ...], edges: list[Pair]) -> set[tuple[int, ...]]:
        """The same in general, grown leaf by leaf from the first."""
        neighbours: dict[int, list[tuple[int, dict[int, list[int]]]]] = {leaf: [] for leaf in members}
        for a, b in edges:
            forward, back = self._followers(a, b)
            neighbours[a].append((b, forward))
            neighbours[b].append((a, back))
        size = len(self.network.columns[members[0]].domain.words)
        grown: set[frozenset[Pair]] = {frozenset(((members[0], value),)) for value in range(size)}
        for _ in members[1:]:
            larger: set[frozenset[Pair]] = set()
            for partial in grown:
                known = {leaf for leaf, _ in partial}
                for leaf, value in partial:
                    for other, follow in neighbours[leaf]:
                        if other not in known:
                            larger.update(partial | {(other, v)} for v in follow.get(value, ()))
            grown = larger
        return {tuple(dict(values)[leaf] for leaf in members) for values in grown}

    def _followers(self, a: int, b: int) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        if (a, b) not in self.followers:
            forward: dict[int, list[int]] = {}
            back: dict[int, list[int]] = {}
            for value, other in self.clashes[a, b]:
                forward.setdefault(value, []).append(other)
                back.setdefault(other, []).append(value)
            self.followers[a, b] = (forward, back)
        return self.followers[a, b]


def group_attribute(leaf: int) -> int:
    """The attribute of a factor that holds the group of a leaf."""
    return (1 << 41) + leaf


def leaf_of(attribute: int) -> int:
    """The leaf of a group's attribute."""
    return attribute - (1 << 41)


def _signed(members: tuple[int, ...], edges: frozenset[Pair]) -> int:
    """The sum of (-1)^edges over the connected graphs on `members` within `edges`.

    Over all graphs the sum is nought if there is an edge, else one. Sorting them by the part that hangs together with
    the first member leaves the connected ones: their sum is minus that of the smaller parts whose rest has no edge.
    """
    first, rest = members[0], members[1:]
    sums: dict[frozenset[int], int] = {}
    for size in range(len(rest) + 1):
        for chosen in combinations(rest, size):
            part = frozenset((first, *chosen))
            inner = [edge for edge in edges if part.issuperset(edge)]
            total = int(not inner)
            for smaller, value in sums.items():
                left = part - smaller
                if smaller < part and not any(left.issuperset(edge) for edge in inner):
                    total -= value
            sums[part] = total
    return sums[frozenset(members)]
