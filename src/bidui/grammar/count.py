"""Counting: how many distinct fillings a network has, exactly, without making them.

Slots become tables: for each combination of what links can see of a slot, the number of ways to fill it. Tables are
joined into one number (`Tables`), and conflicts are counted by inclusion and exclusion (`Coincidences`).

Links in circles and many slots that must differ can make the tables or the terms too many. Steps and rows are limited,
and where a limit is reached, the number is an upper bound: conflicts are left out, and then links, until tables fit.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import factorial, prod

from bidui.grammar.budget import Budget, OutOfSteps
from bidui.grammar.constraints import Constraint
from bidui.grammar.domains import bits_of
from bidui.grammar.network import Network
from bidui.grammar.tree import Filler, Node, Phrase, Tree, Word, children

Row = tuple[int, ...]
Merged = dict[int, "tuple[int, int, Block]"]  # leaf -> the number of its block, its place in it, and the block
Option = Filler | Node
MAX_TERMS = 2_000
MAX_JOINT = 100  # rows of a table that counts distinct words of several leaves at once
MAX_ROWS = 300_000  # of one table
MAX_STEPS = 4_000_000  # combinations of rows that a count may look at
SPLIT = 2_000  # steps that it takes to count a mismatch in a circle: everything twice


@dataclass(frozen=True, slots=True)
class Count:
    """A number of pairs; if it is not exact, it is an upper bound, and `least` a lower one."""

    value: int
    exact: bool = True
    least: int = 0

    def __str__(self) -> str:
        if self.exact:
            return f"{self.value:,}"
        return f"≥ {self.least:,}, ≤ {self.value:,}" if self.least else f"≤ {self.value:,}"


def count_assignments(
    network: Network, *, without: frozenset[Constraint] = frozenset(), steps: int = MAX_STEPS
) -> Count:
    """Count the ways to fill the slots of a network under all links (but those in `without`), conflicts and lengths.

    If that takes more than `steps` steps, the number is an upper bound.
    """
    budget = Budget(steps)
    try:
        coincidences = Coincidences(network, budget)
        tables = Tables(network, budget, together=coincidences.small_components(MAX_JOINT), without=without)
        total = Count(1)
        for slots in tables.islands():
            count = _count_island(tables, coincidences, slots)
            total = Count(total.value * count.value, total.exact and count.exact)
        return total
    except (TooMany, OutOfSteps):
        return Count(fitting_tables(network, without=without, steps=steps // 4)[1], exact=False)


def _count_island(tables: "Tables", coincidences: "Coincidences", slots: frozenset[str]) -> Count:
    total = 0
    try:
        if coincidences.at_least(slots) >= MAX_TERMS:
            raise TooMany
        for number, blocks in enumerate(coincidences.terms(slots)):
            if number >= MAX_TERMS:
                raise TooMany
            total += tables.term(blocks, slots)
    except TooMany:
        return Count(tables.term((), slots), exact=False)
    return Count(total)


def fitting_tables(
    network: Network,
    *,
    without: frozenset[Constraint] = frozenset(),
    lengths: bool = True,
    traced: bool = False,
    steps: int = MAX_STEPS,
) -> "tuple[Tables, int]":
    """Return tables within the limits, without conflicts and as many links as that takes, and their number."""
    for lengthy in (True, False) if lengths else (False,):
        for left_out in _ever_fewer_links(network):
            budget = Budget(max(steps, MAX_STEPS) if len(left_out) == len(network.constraints) else steps)
            tables = Tables(network, budget, lengthy, traced, without=without | left_out)
            try:
                return tables, tables.term(())
            except OutOfSteps:
                continue
    raise AssertionError("without links and lengths, tables have one row for each alternative")


def _ever_fewer_links(network: Network) -> Iterator[frozenset[Constraint]]:
    """Yield the links to leave out: none; those that close circles; also all but one out of each phrase; all."""
    yield frozenset()
    chains, node_of = _chains(network.tree)
    roots: dict[Node, Node] = {}  # of the nodes that links connect
    circles: set[Constraint] = set()
    crowded: set[Constraint] = set()
    leaving: set[Option] = set()  # phrases that a link leaves

    def root(node: Node) -> Node:
        while node in roots:
            node = roots[node]
        return node

    for constraint in sorted(network.constraints, key=lambda each: each.kind == "mismatch"):  # which exclude little
        around = [chains[leaf.index] for member in constraint.members for leaf in member.leaves]
        home = _meet(around)
        depth = 0 if home is None else around[0].index(home) + 1
        ends = list(dict.fromkeys(root(node_of[chain[depth]]) for chain in around))
        if len(ends) < len(constraint.members):
            circles.add(constraint)
            continue
        roots.update(dict.fromkeys(ends[1:], ends[0]))
        phrases = {option for chain in around for option in chain[depth:-1]}
        if len(constraint.members) > 2 or not leaving.isdisjoint(phrases):
            crowded.add(constraint)
        else:
            leaving |= phrases
    yield frozenset(circles)
    yield frozenset(circles | crowded)
    yield frozenset(network.constraints)


def _chains(tree: Tree) -> tuple[dict[int, tuple[Option, ...]], dict[Option, Node]]:
    """Return, for each leaf, the options around it from the outside in and itself; and the node of each option."""
    chains: dict[int, tuple[Option, ...]] = {}
    node_of: dict[Option, Node] = {}

    def walk(node: Node, chain: tuple[Option, ...]) -> None:
        for option in node.options:
            node_of[option] = node
            if isinstance(option, Word):
                chains[option.index] = (*chain, option)
            for child in children(option):
                walk(child, (*chain, option))

    for node in tree.scope.nodes.values():
        walk(node, ())
    return chains, node_of


def _meet(chains: Sequence[tuple[Option, ...]]) -> Option | None:
    """Return the innermost option that all these leaves are in; None is the whole sentence."""
    common: Option | None = None
    for level in zip(*chains, strict=False):
        if any(option is not level[0] for option in level):
            break
        common = level[0]
    return common


# Factors: sparse tables of counts over attributes, joined and summed until only the wanted attributes are left.


_NO_ROWS: list[tuple[Row, int]] = []


@dataclass(slots=True, eq=False)
class Factor:
    """A number for each combination of values of the attributes; combinations that are missing have zero."""

    attributes: tuple[int, ...]
    table: dict[Row, int]


def eliminate(
    factors: Sequence[Factor], keep: Collection[int], budget: Budget, steps: list[Factor] | None = None
) -> Factor:
    """Return the product of all factors, summed over every attribute that is not kept.

    The cheapest attribute goes first, by the size of the tables that mention it. `steps` collects the products before
    they are summed: read backwards, they show how often each value of a summed attribute occurs with the rest.
    """
    left = list(factors)
    while True:
        sizes: dict[int, int] = {}
        for factor in left:
            for attribute in factor.attributes:
                if attribute not in keep:
                    sizes[attribute] = sizes.get(attribute, 1) * max(1, len(factor.table))
        if not sizes:
            break
        chosen = min(sizes, key=lambda attribute: (sizes[attribute], attribute))
        touching = sorted((f for f in left if chosen in f.attributes), key=lambda f: len(f.table))
        left = [factor for factor in left if chosen not in factor.attributes]
        outside = {attribute for factor in left for attribute in factor.attributes} | set(keep)
        if steps is not None:
            everything = {attribute for factor in touching for attribute in factor.attributes}
            steps.append(_product(touching, everything, budget))
            touching = steps[-1:]
        left.append(_product(touching, outside, budget))
    return _product(left, keep, budget) if left else Factor((), {(): 1})


def _product(factors: Sequence[Factor], keep: Collection[int], budget: Budget) -> Factor:
    """Return the product of factors; an attribute is summed as soon as it is needed neither later nor outside."""
    product = factors[0]
    for number, factor in enumerate(factors[1:], start=1):
        needed = {a for later in factors[number + 1 :] for a in later.attributes} | set(keep)
        product = _join(product, factor, needed, budget)
    if len(factors) == 1:
        product = _join(product, Factor((), {(): 1}), set(keep), budget)
    return product


def _join(a: Factor, b: Factor, keep: Collection[int], budget: Budget) -> Factor:
    shared = [attribute for attribute in a.attributes if attribute in b.attributes]
    at_a, at_b = ([f.attributes.index(s) for s in shared] for f in (a, b))
    keep_a = [n for n, attribute in enumerate(a.attributes) if attribute in keep]
    keep_b = [n for n, attribute in enumerate(b.attributes) if attribute in keep and attribute not in shared]
    index: dict[Row, list[tuple[Row, int]]] = {}
    budget.spend(len(a.table) + len(b.table))
    for row, count in b.table.items():
        index.setdefault(tuple([row[n] for n in at_b]), []).append((tuple([row[n] for n in keep_b]), count))
    for key, rows in index.items():
        if len(rows) > 1:  # sum rows that are now equal before they are multiplied
            summed: dict[Row, int] = {}
            for row, count in rows:
                summed[row] = summed.get(row, 0) + count
            index[key] = list(summed.items())
    table: dict[Row, int] = {}
    for row, count in a.table.items():
        head = tuple([row[n] for n in keep_a])
        rows = index.get(tuple([row[n] for n in at_a]), _NO_ROWS)
        budget.spend(len(rows))
        for tail, other in rows:
            key = head + tail
            table[key] = table.get(key, 0) + count * other
        if len(table) > MAX_ROWS:
            raise OutOfSteps
    kept = tuple(a.attributes[n] for n in keep_a) + tuple(b.attributes[n] for n in keep_b)
    return Factor(kept, table)


# Coincidences: the sets of leaves that hold conflicting words at once, for counting by inclusion and exclusion.
#
# The number of ways to fill leaves without conflict is the sum, over all sets of disjoint blocks of leaves, of the
# ways in which the leaves of each block do conflict, with a sign. A block of two counts -1 for each pair of
# conflicting words, a block of three that all conflict +2, and so on: the sum of (-1)^edges over its connected graphs.

Pair = tuple[int, int]
MAX_SETS = 2_000


class TooMany(Exception):
    """Too many leaves conflict with each other to enumerate their sets or terms."""


@dataclass(frozen=True, slots=True)
class Block:
    """Leaves that conflict, and how often (signed) words of given groups do."""

    leaves: tuple[int, ...]
    groups: dict[tuple[int, ...], int]


@dataclass(slots=True)
class Coincidences:
    """All terms of the inclusion and exclusion over a network's conflicts."""

    network: Network
    budget: Budget
    clashes: dict[Pair, set[Pair]] = field(default_factory=dict)  # leaves -> conflicting values
    neighbours: dict[int, set[int]] = field(default_factory=dict)
    blocks: dict[tuple[int, ...], Block] = field(default_factory=dict)
    signs: dict[tuple[tuple[int, ...], frozenset[Pair]], int] = field(default_factory=dict)
    followers: dict[Pair, tuple[dict[int, list[int]], dict[int, list[int]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for conflict in self.network.conflicts:
            holders: dict[str, list[int]] = {}
            for value, tokens in enumerate(conflict.b_tokens):
                for token in tokens:
                    holders.setdefault(token, []).append(value)
            self.budget.spend(sum(len(holders.get(t, ())) for tokens in conflict.a_tokens for t in tokens))
            pairs = {(v, w) for v, tokens in enumerate(conflict.a_tokens) for t in tokens for w in holders.get(t, ())}
            a, b = conflict.a, conflict.b
            if a > b:
                a, b, pairs = b, a, {(w, v) for v, w in pairs}
            self.clashes.setdefault((a, b), set()).update(pairs)
            self.neighbours.setdefault(a, set()).add(b)
            self.neighbours.setdefault(b, set()).add(a)

    def small_components(self, limit: int) -> list[Factor]:
        """Take out the leaves that conflict only among themselves and have few groups; they make no terms.

        Each factor holds, for each choice of groups (or absence) of such leaves, in how many ways their words differ.
        """
        factors = []
        for leaves in self._components():
            sizes = [len(self.network.columns[leaf].domain.groups) + 1 for leaf in leaves]
            if prod(sizes) <= limit and len(leaves) <= 8:
                table: dict[Row, int] = {}
                self._joint(leaves, (), table)
                factors.append(Factor(tuple(group_attribute(leaf) for leaf in leaves), table))
                for leaf in leaves:
                    del self.neighbours[leaf]
        return factors

    def _components(self) -> list[list[int]]:
        left = set(self.neighbours)
        components = []
        while left:
            members = {min(left)}
            while grown := {other for leaf in members for other in self.neighbours[leaf]} - members:
                members |= grown
            components.append(sorted(members))
            left -= members
        return components

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
        """Return in how many ways leaves with given groups can have distinct words."""
        self.budget.spend()
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
        """Return the sets of disjoint blocks in these slots whose leaves fit into one sentence, the empty one first."""
        leaves = [leaf for leaf in sorted(self.neighbours) if self.network.columns[leaf].leaf.slot in slots]
        return self._terms(leaves, ())

    def at_least(self, slots: Collection[str]) -> int:
        """Return a lower bound of the number of terms of these slots: one for every two leaves in conflict."""
        columns = self.network.columns
        return sum(a in self.neighbours and columns[a].leaf.slot in slots for a, _ in self.clashes)

    def _terms(self, leaves: list[int], chosen: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
        """Yield the chosen blocks, and with them every set of blocks of these leaves; each begins with a later leaf."""
        yield chosen
        for number, first in enumerate(leaves):
            rest = leaves[number + 1 :]
            for members in self._connected(first, set(rest)):
                block = self.block(members)
                if block.groups:
                    left = [leaf for leaf in rest if leaf not in members and self._together(members, leaf)]
                    yield from self._terms(left, (*chosen, block))

    def _connected(self, first: int, allowed: set[int]) -> list[tuple[int, ...]]:
        """Return the connected sets of two or more leaves that hold `first` and otherwise only `allowed` leaves."""
        sets: set[tuple[int, ...]] = set()
        open_sets: list[tuple[int, ...]] = [(first,)]
        while open_sets:
            members = open_sets.pop()
            for leaf in members:
                for other in self.neighbours[leaf] & allowed:
                    larger = tuple(sorted({*members, other}))
                    if other not in members and larger not in sets and self._together(members, other):
                        sets.add(larger)
                        open_sets.append(larger)
            if len(sets) > MAX_SETS:
                raise TooMany
        return sorted(sets, key=lambda members: (len(members), members))

    def _together(self, members: tuple[int, ...], other: int) -> bool:
        """Tell whether a leaf can be in one sentence with these."""
        columns = self.network.columns
        return all(columns[other].leaf.together(columns[leaf].leaf) for leaf in members)

    def block(self, members: tuple[int, ...]) -> Block:
        """Return the block of these leaves."""
        if members not in self.blocks:
            edges = [pair for pair in combinations(members, 2) if pair in self.clashes]
            domains = [self.network.columns[index].domain for index in members]
            groups: dict[tuple[int, ...], int] = {}
            conflicting = self._same_word(members, edges)
            for values in self._grown(members, edges) if conflicting is None else conflicting:
                at = dict(zip(members, values, strict=True))
                present = frozenset(edge for edge in edges if (at[edge[0]], at[edge[1]]) in self.clashes[edge])
                if (members, present) not in self.signs:
                    self.budget.spend(4 ** len(members) // 8)
                    self.signs[members, present] = _signed(members, present)
                key = tuple(domain.group[value] for domain, value in zip(domains, values, strict=True))
                groups[key] = groups.get(key, 0) + self.signs[members, present]
            self.blocks[members] = Block(members, {key: weight for key, weight in groups.items() if weight})
        return self.blocks[members]

    def _same_word(self, members: tuple[int, ...], edges: list[Pair]) -> set[tuple[int, ...]] | None:
        """Do the same as `_grown` quickly where every word conflicts only with itself; return None elsewhere."""
        if len(edges) * 2 != len(members) * (len(members) - 1):
            return None
        partner: dict[Pair, dict[int, int]] = {}
        for edge in edges:
            forward, back = self._followers(*edge)
            if any(len(others) > 1 for table in (forward, back) for others in table.values()):
                return None
            partner[edge] = {value: others[0] for value, others in forward.items()}
        for a, b, c in combinations(members, 3):
            ab, bc, ac = partner[a, b], partner[b, c], partner[a, c]
            if any(ac.get(value) != bc.get(other) for value, other in ab.items()):
                return None
            if len(ab.keys() & ac.keys()) < len(set(ac.values()) & set(bc.values())):
                return None
        first, *rest = members
        tables = [partner[first, leaf] for leaf in rest]
        values = set(tables[0]).intersection(*tables[1:])
        return {(value, *(table[value] for table in tables)) for value in values}

    def _grown(self, members: tuple[int, ...], edges: list[Pair]) -> set[tuple[int, ...]]:
        """Return the values of these leaves that are connected by conflicts, growing leaf by leaf from the first."""
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
                            followers = follow.get(value, ())
                            self.budget.spend(len(followers))
                            larger.update(partial | {(other, v)} for v in followers)
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
    """Return the attribute of a factor that holds the group of a leaf."""
    return (1 << 41) + leaf


def leaf_of(attribute: int) -> int:
    """Return the leaf of the attribute of a group."""
    return attribute - (1 << 41)


def _signed(members: tuple[int, ...], edges: frozenset[Pair]) -> int:
    """Return the sum of (-1)^edges over the connected graphs on `members` within `edges`.

    Over all graphs the sum is 0 if there is an edge, and 1 otherwise. Subtracting the graphs in which a smaller part
    is connected with the first member, and the rest has no edge, leaves the connected graphs.
    """
    if 2 * len(edges) == len(members) * (len(members) - 1):  # all conflict: the Möbius function of partitions
        return factorial(len(members) - 1) * (1 if len(members) % 2 else -1)
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


# Constraints between tables: which keys at the ends of a constraint go together.

ABSENT = -1  # the key of a word that is not in the sentence under this choice


def member_attribute(constraint: Constraint, member: int) -> int:
    """Return the attribute that holds the key at one end of a constraint."""
    return (constraint.index << 10) + member  # a value may be shared by hundreds of slots


def ends_of(constraint: Constraint) -> list[int]:
    """Return the attributes of all ends of a constraint."""
    return [member_attribute(constraint, member) for member in range(len(constraint.members))]


def join_under(
    factors: Sequence[Factor], constraints: Sequence[Constraint], keep: Collection[int], budget: Budget
) -> Factor:
    """Return the product of factors under constraints, summed over every attribute that is not kept.

    Most keys mismatch, so that a mismatch is counted the other way round: all combinations minus those that do not
    mismatch. (A word without values may stand where the other end is not in the sentence.)
    """
    left, waiting = pass_messages(factors, constraints, budget)
    mismatch = next((c for c in waiting if c.kind == "mismatch"), None)
    if mismatch is None:
        return eliminate([*left, *(constraint_factor(each, left, budget) for each in waiting)], keep, budget)
    budget.spend(SPLIT)
    others = [constraint for constraint in waiting if constraint is not mismatch]
    everything = join_under(left, others, keep, budget)
    matching = join_under([*left, _not_mismatching(mismatch, left, budget)], others, keep, budget)
    at = [matching.attributes.index(attribute) for attribute in everything.attributes]
    table = dict(everything.table)
    for row, count in matching.table.items():
        key = tuple([row[n] for n in at])
        table[key] = table.get(key, 0) - count
    return Factor(everything.attributes, {row: count for row, count in table.items() if count})


def _not_mismatching(constraint: Constraint, factors: Sequence[Factor], budget: Budget) -> Factor:
    """Return the keys at two ends, both in the sentence, that do not mismatch: they share a value, or one has none."""
    present = [_present(attribute, factors) - {ABSENT} for attribute in ends_of(constraint)]
    others = sum(1 << key for key in present[1])
    compatible = constraint.compatible(0, 1)
    _allow_rows(sum((others & ~compatible[a]).bit_count() for a in present[0]), budget)
    table: dict[Row, int] = {(a, b): 1 for a in present[0] for b in bits_of(others & ~compatible[a])}
    return Factor(tuple(ends_of(constraint)), table)


def _allow_rows(rows: int, budget: Budget) -> None:
    """Raise `OutOfSteps` if a table of so many rows would be too large."""
    budget.spend(rows + 1)
    if rows > MAX_ROWS:
        raise OutOfSteps


def _present(attribute: int, factors: Sequence[Factor]) -> set[int]:
    """Return the keys that occur at an end; if no remaining option has such a word, it is absent."""
    for factor in factors:
        if attribute in factor.attributes:
            at = factor.attributes.index(attribute)
            return {row[at] for row in factor.table}
    return {ABSENT}


def pass_messages(
    factors: Sequence[Factor], constraints: Sequence[Constraint], budget: Budget
) -> tuple[list[Factor], list[Constraint]]:
    """Multiply every factor that has only one end of one constraint into the factor at the other end.

    What is left are factors and constraints that are linked in circles. Most paradigms have none, and then no table of
    pairs of keys is ever made.
    """
    left, waiting = list(factors), list(constraints)
    while message := _next_message(left, waiting):
        constraint, here, sender, receiver = message
        budget.spend(len(sender.table) + len(receiver.table))
        left = [factor for factor in left if factor is not sender and factor is not receiver]
        left.append(_absorbed(sender, receiver, constraint, here))
        waiting.remove(constraint)
    return left, waiting


def _next_message(
    factors: Sequence[Factor], constraints: Sequence[Constraint]
) -> tuple[Constraint, int, Factor, Factor] | None:
    for constraint in constraints:
        for here, there in ((0, 1), (1, 0)) if len(constraint.members) == 2 else ():
            sender = next((f for f in factors if f.attributes == (member_attribute(constraint, here),)), None)
            other = member_attribute(constraint, there)
            receiver = next((f for f in factors if other in f.attributes), None)
            if sender is not None and receiver is not None and sender is not receiver:
                return constraint, here, sender, receiver
    return None


def _absorbed(sender: Factor, receiver: Factor, constraint: Constraint, here: int) -> Factor:
    """Return the receiver with each row multiplied by what goes with its key, which is then dropped."""
    at = receiver.attributes.index(member_attribute(constraint, 1 - here))
    keys = {row[at] for row in receiver.table}
    present = sum(1 << key for key in keys if key != ABSENT)
    compatible = constraint.compatible(here, 1 - here)
    everywhere = 0
    message: dict[int, int] = {}
    for (key,), count in sender.table.items():
        if key == ABSENT:
            everywhere += count
            continue
        mask = compatible[key] & present
        sign = count
        if mask.bit_count() * 2 > len(keys):  # count it for all keys, and subtract it where it does not hold
            everywhere += count
            mask = present & ~mask
            sign = -count
        for other in bits_of(mask):
            message[other] = message.get(other, 0) + sign
    total = sum(sender.table.values())
    table: dict[Row, int] = {}
    for row, count in receiver.table.items():
        key = row[at]
        factor = total if key == ABSENT else everywhere + message.get(key, 0)
        if factor:
            rest = row[:at] + row[at + 1 :]
            table[rest] = table.get(rest, 0) + count * factor
    return Factor(receiver.attributes[:at] + receiver.attributes[at + 1 :], table)


def constraint_factor(constraint: Constraint, factors: Sequence[Factor], budget: Budget) -> Factor:
    """Return which keys at the ends of a constraint go together, among those that occur."""
    attributes = tuple(ends_of(constraint))
    present = [_present(attribute, factors) for attribute in attributes]
    if len(attributes) == 2:
        return Factor(attributes, _two_ends(constraint, present, budget))
    return Factor(attributes, _many_ends(constraint, present, budget))


def _two_ends(constraint: Constraint, present: list[set[int]], budget: Budget) -> dict[Row, int]:
    compatible = constraint.compatible(0, 1)
    mask = sum(1 << key for key in present[1] if key != ABSENT)
    _allow_rows(sum((compatible[a] & mask).bit_count() for a in present[0] if a != ABSENT), budget)
    table: dict[Row, int] = {}
    for a in present[0]:
        others = present[1] if a == ABSENT else bits_of(compatible[a] & mask)
        table.update(dict.fromkeys(((a, b) for b in others), 1))
        if ABSENT in present[1]:
            table[a, ABSENT] = 1
    return table


def _many_ends(constraint: Constraint, present: list[set[int]], budget: Budget) -> dict[Row, int]:
    """Return one entry for each combination of keys that share a value (or row of the relation)."""
    table: dict[Row, int] = {}
    declared = [n for n, member in enumerate(constraint.members) if member.declares and ABSENT in present[n]]
    for absent in product(*((False, True) for _ in declared)):
        budget.spend()
        gone = {n for n, is_absent in zip(declared, absent, strict=True) if is_absent}
        ends = [n for n in range(len(present)) if n not in gone]
        rules = [n for n in ends if constraint.members[n].declares]
        free = len(ends) < 2 or not rules or (constraint.relation is not None and bool(gone))
        holders: list[dict[int, list[int]]] = []
        for n in ends:
            by_value: dict[int, list[int]] = {}
            for key in present[n] - {ABSENT}:
                for value in (0,) if free else constraint.members[n].holds[key]:
                    by_value.setdefault(value, []).append(key)
            holders.append(by_value)
        for value in set(holders[0]).intersection(*holders[1:]) if holders else (0,):
            _allow_rows(len(table) + prod(len(by_value[value]) for by_value in holders), budget)
            for keys in product(*(by_value[value] for by_value in holders)):
                row = [ABSENT] * len(present)
                for n, key in zip(ends, keys, strict=True):
                    row[n] = key
                table[tuple(row)] = 1
    return table


# Slots as tables: for each combination of keys of the constraints that reach out of a slot, the ways to fill it.
#
# Tables of the parts of a phrase are joined into the table of the phrase; those of alternatives are added. Equal length
# is an exponent: the numbers of a table are polynomials, each packed into one large integer, and the coefficient at
# length difference zero is the count.


@dataclass(slots=True)
class Tables:
    """The tables of a network's slots; with `traced`, the steps of the computation are kept for drawing."""

    network: Network
    budget: Budget
    lengths: bool = True
    traced: bool = False
    together: list[Factor] = field(default_factory=list)  # distinct words of leaves, by their groups
    without: frozenset[Constraint] = frozenset()  # links that are left out
    chains: dict[int, tuple[Option, ...]] = field(default_factory=dict)  # leaf -> the options around it
    homes: dict[Option | None, list[Constraint]] = field(default_factory=dict)  # where a constraint's ends meet
    linked: set[int] = field(default_factory=set)  # choices that several slots share
    tables: dict[tuple[Node, tuple[object, ...]], Factor] = field(default_factory=dict)
    offsets: dict[Node, int] = field(default_factory=dict)
    steps: dict[Option | None, list[Factor]] = field(default_factory=dict)
    parts: dict[Node, list[tuple[int, Factor]]] = field(default_factory=dict)
    grouped: set[int] = field(default_factory=set)  # leaves whose words are counted in `together`
    bits: int = 0

    def __post_init__(self) -> None:
        network = self.network
        network.number_keys()
        self.grouped = {leaf_of(attribute) for factor in self.together for attribute in factor.attributes}
        self.chains, _ = _chains(network.tree)
        for constraint in network.constraints:
            if constraint not in self.without:
                leaves = [leaf for member in constraint.members for leaf in member.leaves]
                self.homes.setdefault(self._meet([leaf.index for leaf in leaves]), []).append(constraint)
        choices = Counter(node.choice for node in network.tree.nodes)
        self.linked = {choice for choice, uses in choices.items() if uses > 1}
        if network.equal_length and self.lengths and self._lengths_vary():
            sizes = [len(column.domain.words) for column in network.columns]
            self.bits = 64 + sum(size.bit_length() + 1 for size in sizes) + 4 * choices.total()
            longest = sum(self._offset(node) for node in network.tree.scope.nodes.values())
            self.budget = Budget(self.budget.left // (1 + self.bits * longest // 20_000))  # large numbers take longer

    def _lengths_vary(self) -> bool:
        """Tell whether lengths depend on the words or alternatives chosen, or differ anyway."""
        columns = self.network.columns
        if any(self.network.uses.literal.values()):
            return True
        if any(len(set(c.domain.diffs)) > 1 or (c.leaf.guard and c.domain.diffs[0]) for c in columns):
            return True
        return self.network.uses.fixed + sum(column.domain.diffs[0] for column in columns) != 0

    def _meet(self, leaves: Sequence[int]) -> Option | None:
        return _meet([self.chains[leaf] for leaf in leaves])

    def islands(self) -> list[frozenset[str]]:
        """Return the groups of slots that are linked with each other; their counts are multiplied."""
        slots = list(self.network.tree.scope.nodes)
        if self.bits:
            return [frozenset(slots)]
        columns = self.network.columns
        constraints = [constraint for several in self.homes.values() for constraint in several]
        bonds = [{leaf.slot for member in c.members for leaf in member.leaves} for c in constraints]
        bonds += [{columns[c.a].leaf.slot, columns[c.b].leaf.slot} for c in self.network.conflicts]
        bonds += [set(group) for group in self.network.variant.linked]
        islands: list[frozenset[str]] = []
        for slot in slots:
            island = frozenset((slot,)).union(*(bond for bond in bonds if slot in bond))
            joined = [other for other in islands if other & island]
            islands = [other for other in islands if not other & island]
            islands.append(island.union(*joined))
        return islands

    def term(self, blocks: tuple[Block, ...], slots: Collection[str] | None = None) -> int:
        """Return the signed number of fillings (of some slots) in which the leaves of each block conflict."""
        nodes = self.network.tree.scope.nodes
        merged = {leaf: (number, at, b) for number, b in enumerate(blocks) for at, leaf in enumerate(b.leaves)}
        factor = self._sequence([nodes[name] for name in nodes if slots is None or name in slots], None, merged)
        value = factor.table.get((), 0)
        if not self.bits:
            return value
        wanted = sum(self._offset(node) for node in nodes.values()) - self.network.uses.fixed
        return _coefficient(value, wanted, self.bits)

    def _sequence(self, nodes: list[Node], home: Option | None, merged: Merged) -> Factor:
        """Return the joint table of nodes that stand side by side, under the constraints whose ends meet here."""
        factors = [self._node(node, merged) for node in nodes]
        if any(not factor.table for factor in factors):
            return Factor((), {})
        names = {node.path for node in nodes}  # of slots, where this is the whole sentence
        constraints = [c for c in self.homes.get(home, []) if home is not None or c.members[0].leaves[0].slot in names]
        together = []
        for factor in self.together:
            leaves = [leaf_of(attribute) for attribute in factor.attributes]
            here = home is not None or self.network.columns[leaves[0]].leaf.slot in names
            if here and self._meet(leaves) is home:
                together.append(factor)
        factors += [_restricted(factor, factors) for factor in together]
        inner = {attribute for constraint in constraints for attribute in ends_of(constraint)}
        inner |= {attribute for factor in together for attribute in factor.attributes}
        inner |= {-1 - number for number, _, block in merged.values() if self._meet(block.leaves) is home}
        everything = {attribute for factor in factors for attribute in factor.attributes}
        keep = everything - inner if home is not None else set()
        if self.traced:
            tables = [constraint_factor(constraint, factors, self.budget) for constraint in constraints]
            return eliminate([*factors, *tables], keep, self.budget, self.steps.setdefault(home, []))
        return join_under(factors, constraints, keep, self.budget)

    def _node(self, node: Node, merged: Merged) -> Factor:
        inside = {
            leaf: block for leaf, block in merged.items() if any(option in self.chains[leaf] for option in node.options)
        }
        # terms may number their blocks differently
        key = (node, tuple((leaf, number, block.leaves) for leaf, (number, _, block) in inside.items()))
        if key not in self.tables:
            self.tables[key] = self._alternatives(node, inside)
        return self.tables[key]

    def _alternatives(self, node: Node, inside: Merged) -> Factor:
        """Add up the tables of a node's options, except those without the merged leaves."""
        parts: list[tuple[int, Factor]] = []
        for number, option in enumerate(node.options):
            if all(option in self.chains[leaf] for leaf in inside):
                parts.append((number, self._option(node, option, inside)))
        self.parts[node] = parts
        attributes = tuple(sorted({a for _, factor in parts for a in factor.attributes}))
        shared = (choice_attribute(node.choice),) if node.choice in self.linked else ()
        table: dict[Row, int] = {}
        self.budget.spend(1 + sum(len(factor.table) for _, factor in parts))
        for number, factor in parts:
            at = [factor.attributes.index(a) if a in factor.attributes else -1 for a in attributes]
            for row, count in factor.table.items():
                key = tuple([row[n] if n >= 0 else ABSENT for n in at])
                key = (*key, number) if shared else key
                table[key] = table.get(key, 0) + count
        return Factor((*attributes, *shared), table)

    def _option(self, node: Node, option: Option, inside: Merged) -> Factor:
        if isinstance(option, Word):
            factor = self._leaf(option, inside)
        else:
            factor = self._sequence(list(children(option)), option, inside)
        if not self.bits:
            return factor
        literal = self._literal(option)
        shift = self.bits * (self._offset(node) - self._option_offset(option) + max(0, literal))
        return Factor(factor.attributes, {row: count << shift for row, count in factor.table.items()})

    def _leaf(self, leaf: Word, merged: Merged) -> Factor:
        domain = self.network.columns[leaf.index].domain
        attributes, keys = self.ends(leaf)
        shifts = [0] * len(keys)
        if self.bits:
            offset = self._leaf_offset(leaf)
            shifts = [self.bits * (domain.diffs[group[0]] + offset) for group in domain.groups]
        table: dict[Row, int] = {}
        if leaf.index in merged:
            number, at, block = merged[leaf.index]
            for joint, (groups, weight) in enumerate(block.groups.items()):
                count = weight if at == 0 else 1  # the first leaf of a block carries its weight
                table[(*keys[groups[at]], joint)] = count << shifts[groups[at]]
            return Factor((*attributes, -1 - number), table)
        if leaf.index in self.grouped:
            table = {(*key, group): 1 << shifts[group] for group, key in enumerate(keys)}
            return Factor((*attributes, group_attribute(leaf.index)), table)
        for key, values, shift in zip(keys, domain.groups, shifts, strict=True):
            table[key] = table.get(key, 0) + (len(values) << shift)
        return Factor(attributes, table)

    def ends(self, leaf: Word) -> tuple[tuple[int, ...], list[Row]]:
        """Return the ends of links at a leaf as attributes, and the keys of each group of words at these ends."""
        column = self.network.columns[leaf.index]
        kept = [n for n, (constraint, _) in enumerate(column.ends) if constraint not in self.without]
        attributes = tuple(member_attribute(*column.ends[n]) for n in kept)
        if len(kept) == len(column.ends):
            return attributes, column.keys
        return attributes, [tuple([keys[n] for n in kept]) for keys in column.keys]

    def _leaf_offset(self, leaf: Word) -> int:
        """Return the offset that keeps the exponents of a leaf from being negative."""
        return max(0, -min(self.network.columns[leaf.index].domain.diffs))

    def _option_offset(self, option: Option) -> int:
        word = self._leaf_offset(option) if isinstance(option, Word) else 0
        return max(0, -self._literal(option)) + word + sum(self._offset(child) for child in children(option))

    def _literal(self, option: Option) -> int:
        """Return how many more literal characters a phrase prints on the good side."""
        return self.network.uses.literal.get(option, 0) if isinstance(option, Phrase) else 0

    def _offset(self, node: Node) -> int:
        if node not in self.offsets:
            self.offsets[node] = max(self._option_offset(option) for option in node.options)
        return self.offsets[node]


def choice_attribute(choice: int) -> int:
    """Return the attribute that holds the option taken, if several slots share a choice."""
    return (1 << 40) + choice


def _restricted(factor: Factor, others: Sequence[Factor]) -> Factor:
    """Return a factor without the attributes that no other has: those words are absent."""
    shared = {attribute for other in others for attribute in other.attributes}
    at = [n for n, attribute in enumerate(factor.attributes) if attribute in shared]
    gone = [n for n, attribute in enumerate(factor.attributes) if attribute not in shared]
    table = {
        tuple([row[n] for n in at]): count for row, count in factor.table.items() if all(row[n] == ABSENT for n in gone)
    }
    return Factor(tuple(factor.attributes[n] for n in at), table)


def _coefficient(value: int, exponent: int, bits: int) -> int:
    """Return a coefficient of a polynomial packed into one integer, `bits` bits for each; it may be negative."""
    if exponent < 0:
        return 0
    half = 1 << (bits - 1)
    digits = exponent + 1
    bias = half * (((1 << (bits * digits)) - 1) // ((1 << bits) - 1))
    return ((value + bias) >> (bits * exponent) & ((1 << bits) - 1)) - half
