"""A frame is a network under one choice of alternatives: a fixed row of leaves to be filled."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from itertools import pairwise

from bidui.grammar.conflicts import Tokens
from bidui.grammar.constraints import Constraint
from bidui.grammar.domain import Domain
from bidui.grammar.network import Column, Network
from bidui.grammar.printing import Item, flatten_item
from bidui.grammar.seams import possible
from bidui.grammar.supports import Allowed, End, bits_of, shared_ends


@dataclass(slots=True, eq=False)
class Among:
    """A constraint of three or more ends in a frame; what remains possible of it is one of the frame's masks."""

    state: int
    ends: dict[int, End]  # by position


@dataclass(slots=True, eq=False)
class Frame:
    """Leaves in the order they are filled, with everything that restricts them compiled to sets of groups."""

    network: Network
    columns: list[Column]
    good: list[Item]
    bad: list[Item]
    sizes: tuple[list[int], list[int]]  # how many items each item of a line as written has become
    start: list[int]  # groups possible at each position, then what remains of each `Among`
    pairs: list[list[tuple[int, Allowed]]]  # at each position: another one, and what each group allows there
    later: list[list[tuple[int, list[int]]]]  # the same, with positions that are filled later only
    among: list[list[Among]]  # at each position: the constraints of three or more it is in
    conflicts: list[list[tuple[int, Tokens, Tokens]]]  # at each position: an earlier one, its tokens, own tokens
    reach: list[frozenset[int]] | None  # before each position: lengths that the rest can still add; None: any
    fixed: int  # length that literals add
    seams: list[str]


def make_frame(network: Network, choices: Mapping[int, int]) -> Frame:
    """The frame of a network under a choice; `start` holds a zero where nothing can fill it."""
    items = choices.items()  # a leaf is in the sentence if all that it hangs on was chosen
    columns = [column for column in network.columns if items >= column.guard]
    position = {column.leaf.index: n for n, column in enumerate(columns)}
    nodes, chosen = network.tree.scope.nodes, dict(choices)
    parts = [
        [flatten_item(item, nodes, chosen) for item in line.items]
        for line in (network.variant.good, network.variant.bad)
    ]
    lines = [[item for items in line for item in items] for line in parts]
    frame = Frame(
        network,
        columns,
        lines[0],
        lines[1],
        ([len(items) for items in parts[0]], [len(items) for items in parts[1]]),
        start=[(1 << len(column.domain.groups)) - 1 for column in columns],
        pairs=[[] for _ in columns],
        later=[],
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
    frame.later = [
        [(other, allowed.groups) for other, allowed in pairs if other > at] for at, pairs in enumerate(frame.pairs)
    ]
    if _consistent(frame) and network.equal_length:
        frame.reach = _reach(frame)
        if -frame.fixed not in frame.reach[0]:  # whatever words there are, the sides differ in length
            frame.start.append(0)
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
    places = [(at, frame.columns[at].domain, frame.columns[at].ends.index((constraint, n))) for n, at in ends]
    supports = frame.network.supports
    if len(places) == 2:
        (at_a, a, end_a), (at_b, b, end_b) = places
        if constraint.relation:
            return _connect_many(frame, constraint, ends, places)
        same = constraint.kind == "share"
        frame.pairs[at_a].append((at_b, supports.between(a, end_a, b, end_b, same=same)))
        frame.pairs[at_b].append((at_a, supports.between(b, end_b, a, end_a, same=same)))
        return None
    return _connect_many(frame, constraint, ends, places)


def _connect_many(
    frame: Frame, constraint: Constraint, ends: list[tuple[int, int]], places: list[tuple[int, Domain, int]]
) -> None:
    supports = frame.network.supports
    if constraint.relation:
        relation = constraint.relation
        found = [
            supports.in_relation(domain, end, relation, constraint.columns[n])
            for (n, _), (_, domain, end) in zip(ends, places, strict=True)
        ]
    else:
        found = shared_ends([(domain, end) for _, domain, end in places])
    among = Among(len(frame.start), {at: end for (at, _, _), end in zip(places, found, strict=True)})
    frame.start.append((1 << max(end.width for end in found)) - 1)
    for at, _, _ in places:
        frame.among[at].append(among)


def _consistent(frame: Frame) -> bool:
    """Drops groups that no group elsewhere goes with, until nothing changes; false if a position is left empty."""
    start = frame.start
    changed = True
    while changed:
        changed = False
        for at in range(len(frame.columns)):
            kept = start[at]
            for other in {other for other, _ in frame.pairs[at]}:
                for here, allowed in frame.pairs[other]:
                    if here == at:
                        kept &= allowed.union(start[other])
            for among in frame.among[at]:
                for end, bits in among.ends.items():
                    start[among.state] &= bits.held(start[end])
                kept &= among.ends[at].allowed(start[among.state])
            if kept != start[at]:
                start[at] = kept
                changed = True
            if not kept:
                return False
    return True


def _reach(frame: Frame) -> list[frozenset[int]]:
    reach = [frozenset((0,))]
    for column, mask in zip(reversed(frame.columns), reversed(frame.start[: len(frame.columns)]), strict=True):
        diffs = {column.domain.diffs[column.domain.groups[g][0]] for g in bits_of(mask)}
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
    """The seams that could arise between neighbours of these lines; each two neighbours are looked at once."""
    found: dict[str, None] = {}
    if network.seams:
        for line in lines:
            for pair in pairwise(line):
                if pair not in network.meetings:
                    network.meetings[pair] = possible(_edges(pair[0], network), _edges(pair[1], network), network.seams)
                found.update(dict.fromkeys(network.meetings[pair]))
    return list(found)


def _edges(item: Item, network: Network) -> tuple[Container[str], Container[str]]:
    if isinstance(item, str):
        return item[0], item[-1]
    return network.columns[item[0].index].domain.edges(item[1])
