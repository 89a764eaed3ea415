"""A frame is a network under one choice of alternatives: a fixed row of leaves to be filled."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bidui.grammar.conflicts import Tokens
from bidui.grammar.constraints import Constraint
from bidui.grammar.network import Column, Network
from bidui.grammar.printing import Item, flatten
from bidui.grammar.seams import possible


@dataclass(slots=True, eq=False)
class Among:
    """A constraint of three or more ends: which of its values or rows each group of a leaf can go with."""

    state: int  # where in the masks its remaining values or rows stand
    ends: dict[int, list[int]]  # position -> for each group a set of bits
    known: dict[tuple[int, int], int] = field(default_factory=dict)

    def allowed(self, position: int, live: int) -> int:
        """The groups at a position that go with one of the remaining values or rows."""
        key = (position, live)
        if key not in self.known:
            bits = self.ends[position]
            self.known[key] = sum(1 << group for group, mask in enumerate(bits) if mask & live)
        return self.known[key]


@dataclass(slots=True, eq=False)
class Frame:
    """Leaves in the order they are filled, with everything that restricts them compiled to sets of groups."""

    network: Network
    columns: list[Column]
    good: list[Item]
    bad: list[Item]
    start: list[int]  # groups possible at each position, then what remains of each `Among`
    pairs: list[list[tuple[int, list[int]]]]  # at each position: another one, and by own group its groups allowed
    among: list[list[Among]]  # at each position: the constraints of three or more it is in
    conflicts: list[list[tuple[int, Tokens, Tokens]]]  # at each position: an earlier one, its tokens, own tokens
    reach: list[frozenset[int]] | None  # before each position: lengths that the rest can still add; None: any
    fixed: int  # length that literals add
    seams: list[str]


def make_frame(network: Network, choices: Mapping[int, int]) -> Frame:
    """The frame of a network under a choice; `start` holds a zero where nothing can fill it."""
    columns = [c for c in network.columns if all(choices.get(v, 0) == option for v, option in c.leaf.guard)]
    position = {column.leaf.index: n for n, column in enumerate(columns)}
    lines = [
        flatten(line, network.tree.scope.nodes, dict(choices)) for line in (network.variant.good, network.variant.bad)
    ]
    frame = Frame(
        network,
        columns,
        lines[0],
        lines[1],
        start=[(1 << len(column.domain.groups)) - 1 for column in columns],
        pairs=[[] for _ in columns],
        among=[[] for _ in columns],
        conflicts=[[] for _ in columns],
        reach=None,
        fixed=_literal_length(network, choices),
        seams=_seams(network, lines),
    )
    for constraint in network.constraints:
        _connect(frame, constraint, position)
    for conflict in network.conflicts:
        if conflict.a in position and conflict.b in position:
            a, b = position[conflict.a], position[conflict.b]
            if a < b:
                frame.conflicts[b].append((a, conflict.a_tokens, conflict.b_tokens))
            else:
                frame.conflicts[a].append((b, conflict.b_tokens, conflict.a_tokens))
    if _consistent(frame) and network.equal_length:
        frame.reach = _reach(frame)
    return frame


def _connect(frame: Frame, constraint: Constraint, position: Mapping[int, int]) -> None:
    ends: list[tuple[int, int]] = []  # member, position
    for number, member in enumerate(constraint.members):
        found = [position[leaf.index] for leaf in member.leaves if leaf.index in position]
        if found:
            ends.append((number, found[0]))
        elif constraint.kind == "relation" and member.declares:
            return
    if len(ends) < 2:
        return
    if len(ends) == 2:
        (a, at_a), (b, at_b) = ends
        frame.pairs[at_a].append((at_b, _group_masks(frame, constraint, a, at_a, b, at_b)))
        frame.pairs[at_b].append((at_a, _group_masks(frame, constraint, b, at_b, a, at_a)))
        return
    among = Among(len(frame.start), {})
    size = len(constraint.relation.rows) if constraint.relation else len(constraint.values)
    frame.start.append((1 << size) - 1)
    for number, at in ends:
        column = frame.columns[at]
        end = column.ends.index((constraint, number))
        holds = [sum(1 << value for value in held) for held in constraint.members[number].holds]
        among.ends[at] = [holds[keys[end]] for keys in column.keys]
        frame.among[at].append(among)


def _group_masks(frame: Frame, constraint: Constraint, a: int, at_a: int, b: int, at_b: int) -> list[int]:
    """For each group at one position, the groups allowed at the other; kept for other frames."""
    mine, theirs = frame.columns[at_a], frame.columns[at_b]
    cache = constraint.masks
    key = (mine.leaf.index, a, theirs.leaf.index, b)
    if key not in cache:
        my_end, their_end = mine.ends.index((constraint, a)), theirs.ends.index((constraint, b))
        groups_with: dict[int, int] = {}
        for group, keys in enumerate(theirs.keys):
            groups_with[keys[their_end]] = groups_with.get(keys[their_end], 0) | 1 << group
        by_key: dict[int, int] = {}
        compatible = constraint.compatible(a, b)
        for own in {keys[my_end] for keys in mine.keys}:
            allowed = compatible[own]
            by_key[own] = sum(groups for other, groups in groups_with.items() if allowed >> other & 1)
        cache[key] = [by_key[keys[my_end]] for keys in mine.keys]
    return cache[key]


def _consistent(frame: Frame) -> bool:
    """Drops groups that no group elsewhere goes with, until nothing changes; false if a position is left empty."""
    changed = True
    while changed:
        changed = False
        for at in range(len(frame.columns)):
            kept = mask = frame.start[at]
            for other, masks in frame.pairs[at]:
                theirs = frame.start[other]
                kept = sum(1 << g for g in _bits(kept) if masks[g] & theirs)
            for among in frame.among[at]:
                live = frame.start[among.state]
                for end, sets in among.ends.items():
                    held = 0
                    for g in _bits(frame.start[end]):
                        held |= sets[g]
                    live &= held
                frame.start[among.state] = live
                kept &= among.allowed(at, live)
            if kept != mask:
                frame.start[at] = kept
                changed = True
            if not kept:
                return False
    return True


def _bits(mask: int) -> list[int]:
    return [n for n, bit in enumerate(reversed(f"{mask:b}")) if bit == "1"]


def _reach(frame: Frame) -> list[frozenset[int]]:
    reach = [frozenset((0,))]
    for column, mask in zip(reversed(frame.columns), reversed(frame.start[: len(frame.columns)]), strict=True):
        diffs = {column.domain.diffs[column.domain.groups[g][0]] for g in _bits(mask)}
        reach.append(frozenset(a + b for a in diffs for b in reach[-1]))
    return reach[::-1]


def _literal_length(network: Network, choices: Mapping[int, int]) -> int:
    if not network.equal_length:
        return 0
    total = network.uses.fixed
    for node in network.tree.nodes:
        if all(choices.get(v, 0) == option for v, option in node.guard):
            total += network.uses.literal.get(node.options[choices.get(node.choice, 0)], 0)
    return total


def _seams(network: Network, lines: list[list[Item]]) -> list[str]:
    if not network.seams:
        return []
    found: list[str] = []
    for line in lines:
        options = [
            (item,) if isinstance(item, str) else network.columns[item[0].index].domain.texts[item[1]] for item in line
        ]
        found += possible(options, [seam for seam in network.seams if seam not in found])
    return found
