"""Counting: how many distinct pairs a network has, exactly, without making them.

Each slot becomes a table: for what others can ask of it (the keys of the constraints that reach out of it), in how
many ways it can be filled. Tables of the parts of a phrase are joined into the table of the phrase, those of
alternatives are added, those of the slots are joined into one number. Conflicts are counted by inclusion and
exclusion. Equal length is an exponent: a table's numbers are polynomials in one large integer, of which the
coefficient at length difference zero is wanted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from bidui.grammar.coincidences import Block, Coincidences
from bidui.grammar.constraints import Constraint
from bidui.grammar.expansion import Leaf, Node, Option
from bidui.grammar.factors import Factor, Row, eliminate
from bidui.grammar.network import Network

ABSENT = -1  # the key of a word that is not in the sentence under this choice
MAX_TERMS = 2_000


@dataclass(frozen=True, slots=True)
class Count:
    """A number of pairs; if it is not exact, there are at most so many."""

    value: int
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.value:,}" if self.exact else f"≤ {self.value:,}"


def count_assignments(network: Network) -> Count:
    """The number of ways to fill a network's slots: all links, conflicts and lengths observed."""
    counter = _Counter(network)
    total = 0
    for number, blocks in enumerate(Coincidences(network).terms()):
        if number >= MAX_TERMS:
            return Count(counter.term(()), exact=False)
        total += counter.term(blocks)
    return Count(total)


@dataclass(slots=True)
class _Counter:
    network: Network
    chains: dict[int, tuple[Option, ...]] = field(default_factory=dict)  # leaf -> the options around it
    homes: dict[Option | None, list[Constraint]] = field(default_factory=dict)  # where a constraint's ends meet
    linked: set[int] = field(default_factory=set)  # choices that several slots share
    tables: dict[tuple[Node, tuple[object, ...]], Factor] = field(default_factory=dict)
    offsets: dict[object, int] = field(default_factory=dict)
    bits: int = 0

    def __post_init__(self) -> None:
        network = self.network
        for node in network.tree.scope.nodes.values():
            self._walk(node, ())
        for constraint in network.constraints:
            leaves = [leaf for member in constraint.members for leaf in member.leaves]
            self.homes.setdefault(self._meet([leaf.index for leaf in leaves]), []).append(constraint)
        choices = [node.choice for node in network.tree.nodes]
        self.linked = {choice for choice in choices if choices.count(choice) > 1}
        if network.equal_length:
            sizes = [len(column.domain.words) for column in network.columns]
            self.bits = 64 + sum(size.bit_length() + 1 for size in sizes) + 4 * len(choices)

    def _walk(self, node: Node, chain: tuple[Option, ...]) -> None:
        for option in node.options:
            if option.leaf:
                self.chains[option.leaf.index] = (*chain, option)
            for part in option.parts.values():
                self._walk(part, (*chain, option))

    def _meet(self, leaves: Sequence[int]) -> Option | None:
        """The innermost option that holds all these leaves; None is the whole sentence."""
        common: Option | None = None
        for level in zip(*(self.chains[leaf] for leaf in leaves), strict=False):
            if any(option is not level[0] for option in level):
                break
            common = level[0]
        return common

    def term(self, blocks: tuple[Block, ...]) -> int:
        """The signed number of fillings in which the leaves of each block conflict."""
        merged = {leaf: (number, at) for number, b in enumerate(blocks) for at, leaf in enumerate(b.leaves)}
        factor = self._sequence(list(self.network.tree.scope.nodes.values()), None, merged, blocks)
        value = factor.table.get((), 0)
        if not self.bits:
            return value
        nodes = self.network.tree.scope.nodes.values()
        wanted = sum(self._offset(node) for node in nodes) - self.network.uses.fixed
        return _coefficient(value, wanted, self.bits)

    def _sequence(
        self, nodes: list[Node], home: Option | None, merged: dict[int, tuple[int, int]], blocks: tuple[Block, ...]
    ) -> Factor:
        """The joint table of nodes that stand side by side, with the constraints whose ends meet here."""
        factors = [self._node(node, merged, blocks) for node in nodes]
        if any(not factor.table for factor in factors):
            return Factor((), {})
        met: set[int] = set()
        for constraint in self.homes.get(home, ()):
            factors.append(_constraint_factor(constraint, factors))
            met |= set(factors[-1].attributes)
        for number, block in enumerate(blocks):
            if self._meet(block.leaves) is home:
                met.add(-1 - number)
        if home is None:
            met |= {attribute for factor in factors for attribute in factor.attributes}
        keep = {attribute for factor in factors for attribute in factor.attributes} - met
        return eliminate(factors, keep)

    def _node(self, node: Node, merged: dict[int, tuple[int, int]], blocks: tuple[Block, ...]) -> Factor:
        inside = {leaf: merged[leaf] for leaf in merged if self._holds(node, leaf)}
        key = (node, tuple((leaf, blocks[number].leaves) for leaf, (number, _) in inside.items()))
        if inside:
            # two terms may number their blocks differently
            key = (node, (*key[1], tuple(number for number, _ in inside.values())))
        if key not in self.tables:
            self.tables[key] = self._alternatives(node, inside, blocks)
        return self.tables[key]

    def _holds(self, node: Node, leaf: int) -> bool:
        return any(option in self.chains[leaf] for option in node.options)

    def _alternatives(self, node: Node, inside: dict[int, tuple[int, int]], blocks: tuple[Block, ...]) -> Factor:
        """The tables of a node's options, added up; an option without the merged leaves is out."""
        parts: list[tuple[int, Factor]] = []
        for number, option in enumerate(node.options):
            if all(option in self.chains[leaf] for leaf in inside):
                parts.append((number, self._option(node, option, inside, blocks)))
        attributes = tuple(sorted({a for _, factor in parts for a in factor.attributes}))
        shared = (_choice(node.choice),) if node.choice in self.linked else ()
        table: dict[Row, int] = {}
        for number, factor in parts:
            at = [factor.attributes.index(a) if a in factor.attributes else -1 for a in attributes]
            for row, count in factor.table.items():
                key = tuple([row[n] if n >= 0 else ABSENT for n in at])
                key = (*key, number) if shared else key
                table[key] = table.get(key, 0) + count
        return Factor((*attributes, *shared), table)

    def _option(
        self, node: Node, option: Option, inside: dict[int, tuple[int, int]], blocks: tuple[Block, ...]
    ) -> Factor:
        if option.leaf:
            factor = self._leaf(option.leaf, inside.get(option.leaf.index), blocks)
        else:
            factor = self._sequence(list(option.parts.values()), option, inside, blocks)
        if not self.bits:
            return factor
        literal = self.network.uses.literal.get(option, 0)
        shift = self.bits * (self._offset(node) - self._option_offset(option) + max(0, literal))
        return Factor(factor.attributes, {row: count << shift for row, count in factor.table.items()})

    def _leaf(self, leaf: Leaf, merged: tuple[int, int] | None, blocks: tuple[Block, ...]) -> Factor:
        column = self.network.columns[leaf.index]
        domain = column.domain
        attributes = tuple(_attribute(constraint, member) for constraint, member in column.ends)
        table: dict[Row, int] = {}
        if merged is None:
            for group, keys in enumerate(column.keys):
                size = len(domain.groups[group]) << self._shift(leaf, group)
                table[keys] = table.get(keys, 0) + size
            return Factor(attributes, table)
        number, at = merged
        for joint, (groups, weight) in enumerate(blocks[number].groups.items()):
            count = weight if at == 0 else 1  # the first leaf of a block carries its number
            table[(*column.keys[groups[at]], joint)] = count << self._shift(leaf, groups[at])
        return Factor((*attributes, -1 - number), table)

    def _shift(self, leaf: Leaf, group: int) -> int:
        if not self.bits:
            return 0
        domain = self.network.columns[leaf.index].domain
        return self.bits * (domain.diffs[domain.groups[group][0]] + self._leaf_offset(leaf))

    def _leaf_offset(self, leaf: Leaf) -> int:
        """What keeps a leaf's exponents from being negative."""
        return max(0, -min(self.network.columns[leaf.index].domain.diffs))

    def _option_offset(self, option: Option) -> int:
        literal = max(0, -self.network.uses.literal.get(option, 0))
        own = self._leaf_offset(option.leaf) if option.leaf else 0
        return literal + own + sum(self._offset(part) for part in option.parts.values())

    def _offset(self, node: Node) -> int:
        if node not in self.offsets:
            self.offsets[node] = max(self._option_offset(option) for option in node.options)
        return self.offsets[node]


def _attribute(constraint: Constraint, member: int) -> int:
    return constraint.index * 64 + member


def _choice(choice: int) -> int:
    return (1 << 40) + choice


def _coefficient(value: int, exponent: int, bits: int) -> int:
    """The coefficient of a polynomial packed into one integer, `bits` for each; coefficients may be negative."""
    if exponent < 0:
        return 0
    half = 1 << (bits - 1)
    digits = exponent + 1
    bias = half * (((1 << (bits * digits)) - 1) // ((1 << bits) - 1))
    return ((value + bias) >> (bits * exponent) & ((1 << bits) - 1)) - half


def _constraint_factor(constraint: Constraint, factors: Sequence[Factor]) -> Factor:
    """Which keys at the ends of a constraint go together, among those that occur."""
    attributes = tuple(_attribute(constraint, member) for member in range(len(constraint.members)))
    present: list[set[int]] = []
    for attribute in attributes:
        found = {ABSENT}  # no option left has such a word
        for factor in factors:
            if attribute in factor.attributes:
                at = factor.attributes.index(attribute)
                found = {row[at] for row in factor.table}
        present.append(found)
    if len(attributes) == 2:
        return Factor(attributes, _two_ends(constraint, present))
    return Factor(attributes, _many_ends(constraint, present))


def _two_ends(constraint: Constraint, present: list[set[int]]) -> dict[Row, int]:
    compatible = constraint.compatible(0, 1)
    table: dict[Row, int] = {}
    for a in present[0]:
        for b in present[1]:
            if a == ABSENT or b == ABSENT or compatible[a] >> b & 1:
                table[a, b] = 1
    return table


def _many_ends(constraint: Constraint, present: list[set[int]]) -> dict[Row, int]:
    """One entry for each combination of keys that has some value (or row of the relation) in common."""
    table: dict[Row, int] = {}
    declared = [n for n, member in enumerate(constraint.members) if member.declares and ABSENT in present[n]]
    for absent in product(*((False, True) for _ in declared)):
        gone = {n for n, is_absent in zip(declared, absent, strict=True) if is_absent}
        ends = [n for n in range(len(present)) if n not in gone]
        free = len(ends) < 2 or (constraint.relation is not None and bool(gone))
        holders: list[dict[int, list[int]]] = []
        for n in ends:
            by_value: dict[int, list[int]] = {}
            for key in present[n] - {ABSENT}:
                for value in (0,) if free else constraint.members[n].holds[key]:
                    by_value.setdefault(value, []).append(key)
            holders.append(by_value)
        for value in set(holders[0]).intersection(*holders[1:]) if holders else (0,):
            for keys in product(*(by_value[value] for by_value in holders)):
                row = [ABSENT] * len(present)
                for n, key in zip(ends, keys, strict=True):
                    row[n] = key
                table[tuple(row)] = 1
    return table
