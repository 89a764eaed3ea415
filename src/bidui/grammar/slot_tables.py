"""Slots as tables: for what others can ask of a slot, in how many ways it can be filled.

What others can ask are the keys of the constraints that reach out of it. Tables of the parts of a phrase are joined
into the table of the phrase, those of alternatives are added. Equal length is an exponent: a table's numbers are
polynomials in one large integer, of which the coefficient at length difference zero is wanted.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bidui.grammar.coincidences import Block, group_attribute, leaf_of
from bidui.grammar.constraint_tables import ABSENT, constraint_factor, ends_of, join_under, member_attribute
from bidui.grammar.constraints import Constraint
from bidui.grammar.factors import Factor, Row, eliminate
from bidui.grammar.network import Network
from bidui.grammar.tree import Leaf, Node, Option


@dataclass(slots=True)
class Tables:
    """The tables of a network's slots; with `traced`, how they came about is kept for drawing."""

    network: Network
    lengths: bool = True
    traced: bool = False
    together: list[Factor] = field(default_factory=list)  # distinct words of leaves, by their groups
    chains: dict[int, tuple[Option, ...]] = field(default_factory=dict)  # leaf -> the options around it
    homes: dict[Option | None, list[Constraint]] = field(default_factory=dict)  # where a constraint's ends meet
    linked: set[int] = field(default_factory=set)  # choices that several slots share
    tables: dict[tuple[Node, tuple[object, ...]], Factor] = field(default_factory=dict)
    offsets: dict[object, int] = field(default_factory=dict)
    steps: dict[Option | None, list[Factor]] = field(default_factory=dict)
    parts: dict[Node, list[tuple[int, Factor]]] = field(default_factory=dict)
    grouped: set[int] = field(default_factory=set)  # leaves whose words are counted in `together`
    bits: int = 0

    def __post_init__(self) -> None:
        network = self.network
        network.number_keys()
        self.grouped = {leaf_of(attribute) for factor in self.together for attribute in factor.attributes}
        for node in network.tree.scope.nodes.values():
            self._walk(node, ())
        for constraint in network.constraints:
            leaves = [leaf for member in constraint.members for leaf in member.leaves]
            self.homes.setdefault(self._meet([leaf.index for leaf in leaves]), []).append(constraint)
        choices = [node.choice for node in network.tree.nodes]
        self.linked = {choice for choice in choices if choices.count(choice) > 1}
        if network.equal_length and self.lengths and self._lengths_vary():
            sizes = [len(column.domain.words) for column in network.columns]
            self.bits = 64 + sum(size.bit_length() + 1 for size in sizes) + 4 * len(choices)

    def _lengths_vary(self) -> bool:
        """Whether the words or alternatives chosen make a difference to the lengths at all."""
        columns = self.network.columns
        if any(self.network.uses.literal.values()):
            return True
        if any(len(set(c.domain.diffs)) > 1 or (c.leaf.guard and c.domain.diffs[0]) for c in columns):
            return True
        return self.network.uses.fixed + sum(column.domain.diffs[0] for column in columns) != 0

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

    def islands(self) -> list[frozenset[str]]:
        """Slots that nothing links with others: their numbers are simply multiplied."""
        slots = list(self.network.tree.scope.nodes)
        if self.bits:
            return [frozenset(slots)]
        columns = self.network.columns
        bonds = [{leaf.slot for member in c.members for leaf in member.leaves} for c in self.network.constraints]
        bonds += [{columns[c.a].leaf.slot, columns[c.b].leaf.slot} for c in self.network.conflicts]
        bonds += [set(group) for group in self.network.variant.linked]
        found: list[frozenset[str]] = []
        for slot in slots:
            touching = [bond for bond in bonds if slot in bond]
            island = frozenset((slot,)).union(*touching)
            joined = [other for other in found if other & island]
            found = [other for other in found if not other & island]
            found.append(island.union(*joined))
        return found

    def term(self, blocks: tuple[Block, ...], slots: Collection[str] | None = None) -> int:
        """The signed number of fillings (of some slots) in which the leaves of each block conflict."""
        everything = self.network.tree.scope.nodes
        wanted_nodes = [node for name, node in everything.items() if slots is None or name in slots]
        merged = {leaf: (number, at) for number, b in enumerate(blocks) for at, leaf in enumerate(b.leaves)}
        factor = self._sequence(wanted_nodes, None, merged, blocks)
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
        names = {node.path for node in nodes}  # of slots, where this is the whole sentence
        constraints = [c for c in self.homes.get(home, []) if home is not None or c.members[0].leaves[0].slot in names]
        together = [factor for factor in self.together if self._at_home(factor, home, names)]
        factors += [_restricted(factor, factors) for factor in together]
        inner = {attribute for constraint in constraints for attribute in ends_of(constraint)}
        inner |= {attribute for factor in together for attribute in factor.attributes}
        inner |= {-1 - number for number, block in enumerate(blocks) if self._meet(block.leaves) is home}
        everything = {attribute for factor in factors for attribute in factor.attributes}
        keep = everything - inner if home is not None else set()
        if self.traced:
            tables = [constraint_factor(constraint, factors) for constraint in constraints]
            return eliminate([*factors, *tables], keep, self.steps.setdefault(home, []))
        return join_under(factors, constraints, keep)

    def _at_home(self, factor: Factor, home: Option | None, names: set[str]) -> bool:
        leaves = [leaf_of(attribute) for attribute in factor.attributes]
        here = home is not None or self.network.columns[leaves[0]].leaf.slot in names
        return here and self._meet(leaves) is home

    def _node(self, node: Node, merged: dict[int, tuple[int, int]], blocks: tuple[Block, ...]) -> Factor:
        inside = {leaf: merged[leaf] for leaf in merged if self._holds(node, leaf)}
        # two terms may number their blocks differently
        key = (node, tuple((leaf, number, blocks[number].leaves) for leaf, (number, _) in inside.items()))
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
        self.parts[node] = parts
        attributes = tuple(sorted({a for _, factor in parts for a in factor.attributes}))
        shared = (choice_attribute(node.choice),) if node.choice in self.linked else ()
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
        attributes = tuple(member_attribute(constraint, member) for constraint, member in column.ends)
        table: dict[Row, int] = {}
        if merged is None and leaf.index in self.grouped:
            for group, keys in enumerate(column.keys):
                table[(*keys, group)] = 1 << self._shift(leaf, group)
            return Factor((*attributes, group_attribute(leaf.index)), table)
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
        if leaf not in self.offsets:
            self.offsets[leaf] = max(0, -min(self.network.columns[leaf.index].domain.diffs))
        return self.offsets[leaf]

    def _option_offset(self, option: Option) -> int:
        literal = max(0, -self.network.uses.literal.get(option, 0))
        own = self._leaf_offset(option.leaf) if option.leaf else 0
        return literal + own + sum(self._offset(part) for part in option.parts.values())

    def _offset(self, node: Node) -> int:
        if node not in self.offsets:
            self.offsets[node] = max(self._option_offset(option) for option in node.options)
        return self.offsets[node]


def choice_attribute(choice: int) -> int:
    """The attribute that holds the option taken, where several slots share a choice."""
    return (1 << 40) + choice


def _restricted(factor: Factor, others: Sequence[Factor]) -> Factor:
    """A factor without the attributes that no other has: those words are not there."""
    known = {attribute for other in others for attribute in other.attributes}
    at = [n for n, attribute in enumerate(factor.attributes) if attribute in known]
    gone = [n for n, attribute in enumerate(factor.attributes) if attribute not in known]
    table = {
        tuple([row[n] for n in at]): count for row, count in factor.table.items() if all(row[n] == ABSENT for n in gone)
    }
    return Factor(tuple(factor.attributes[n] for n in at), table)


def _coefficient(value: int, exponent: int, bits: int) -> int:
    """The coefficient of a polynomial packed into one integer, `bits` for each; coefficients may be negative."""
    if exponent < 0:
        return 0
    half = 1 << (bits - 1)
    digits = exponent + 1
    bias = half * (((1 << (bits * digits)) - 1) // ((1 << bits) - 1))
    return ((value + bias) >> (bits * exponent) & ((1 << bits) - 1)) - half
