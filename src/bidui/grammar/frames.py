"""A frame is a network under one choice of alternatives: a fixed row of leaves to be filled.

`make_frame` compiles what restricts the leaves, `Search` fills them, and a `Printer` writes the filled frame as a pair.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate, islice, pairwise
from operator import and_
from typing import Generic, TypeVar

from bidui.grammar.budget import Budget, OutOfSteps
from bidui.grammar.constraints import Constraint
from bidui.grammar.domains import End, Support, bits_of, both_ends, shared_ends
from bidui.grammar.network import Column, Network, Tokens
from bidui.grammar.printing import Change, Style, align, broken, crosses, edit_kinds, flatten_item, tokens_of
from bidui.grammar.tree import Atom, Phrase, Word
from bidui.pairs import Pair, Region


@dataclass(slots=True, eq=False)
class Among:
    """A constraint of three or more ends in a frame; one of the frame's masks holds what remains possible of it."""

    state: int
    ends: dict[int, End]  # by position


@dataclass(slots=True, eq=False)
class Frame:
    """Leaves in the order they are filled, with everything that restricts them compiled to sets of groups."""

    network: Network
    columns: list[Column]
    good: list[Atom]
    bad: list[Atom]
    sizes: tuple[list[int], list[int]]  # how many items each item of a line as written has become
    start: list[int]  # groups possible at each position, then what remains of each `Among`
    pairs: list[list[tuple[int, Support]]]  # at each position: another one, and what each group allows there
    later: list[list[tuple[int, list[int]]]]  # the same, with positions that are filled later only
    among: list[list[Among]]  # at each position: the constraints of three or more it is in
    conflicts: list[list[tuple[int, Tokens, Tokens]]]  # at each position: an earlier one, its tokens, own tokens
    reach: list[frozenset[int]] | None  # before each position: lengths that the rest can still add; None: any
    fixed: int  # length that literals add
    seams: list[str]


def make_frame(network: Network, choices: Mapping[int, int]) -> Frame:
    """Return the frame of a network under a choice; `start` holds a zero if nothing can fill it."""
    items = choices.items()  # a leaf is in the sentence if all options around it were chosen
    columns = [column for column in network.columns if items >= column.guard]
    position = {column.leaf.index: n for n, column in enumerate(columns)}
    parts = line_parts(network, choices)
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


def line_parts(network: Network, choices: Mapping[int, int]) -> list[list[list[Atom]]]:
    """Return what each item of the good and of the bad line becomes under a choice of alternatives."""
    nodes, chosen = network.tree.scope.nodes, dict(choices)
    lines = (network.variant.good, network.variant.bad)
    return [[flatten_item(item, nodes, chosen) for item in line.items] for line in lines]


def _connect(frame: Frame, constraint: Constraint, position: Mapping[int, int]) -> None:
    """Add a constraint to the positions of its words, unless it is not written in any of those in the sentence."""
    ends: list[tuple[int, int]] = []  # member, position
    for number, member in enumerate(constraint.members):
        places = [position[leaf.index] for leaf in member.leaves if leaf.index in position]
        if places:
            ends.append((number, places[0]))
        elif constraint.kind == "relation" and member.declares:
            return
    if len(ends) < 2 or not any(constraint.members[number].declares for number, _ in ends):
        return
    if len(ends) == 2 and not constraint.relation:
        for (n, here), (m, there) in (ends, ends[::-1]):
            a, b = frame.columns[here].leaf.index, frame.columns[there].leaf.index
            frame.pairs[here].append((there, frame.network.allowed(constraint, a, n, b, m)))
        return
    domains = [(frame.columns[at].domain, frame.columns[at].ends.index((constraint, n))) for n, at in ends]
    if constraint.relation:
        supports, columns = frame.network.supports, constraint.columns
        tables = [
            supports.in_relation(domain, end, constraint.relation, columns[n])
            for (n, _), (domain, end) in zip(ends, domains, strict=True)
        ]
    else:
        tables = shared_ends(domains)
    among = Among(len(frame.start), {})
    for (_, at), table in zip(ends, tables, strict=True):  # one word may stand in two columns of a relation
        among.ends[at] = table if at not in among.ends else both_ends(among.ends[at], table)
    frame.start.append((1 << max(table.width for table in tables)) - 1)
    for at in among.ends:
        frame.among[at].append(among)


def _consistent(frame: Frame) -> bool:
    """Drop groups that no group elsewhere goes with until nothing changes; return False if a position is left empty."""
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
            option = node.options[choices.get(node.choice, 0)]
            total += network.uses.literal.get(option, 0) if isinstance(option, Phrase) else 0
    return total


def _seams(network: Network, lines: list[list[Atom]]) -> list[str]:
    """Return the seams that could arise between neighbours in these lines; results are kept for each two neighbours."""

    def edges(item: Atom) -> tuple[Container[str], Container[str]]:
        """Return the characters that an item may begin and end with."""
        return (item[0], item[-1]) if isinstance(item, str) else network.columns[item[0].index].domain.edges(item[1])

    seams: dict[str, None] = {}
    for left, right in (pair for line in lines for pair in pairwise(line)) if network.seams else ():
        if (left, right) not in network.meetings:
            ends, starts = edges(left)[1], edges(right)[0]
            # only the two characters that meet are checked: this is quick, may report too many, and misses none
            network.meetings[left, right] = [
                seam for seam in network.seams if any(a in ends and b in starts for a, b in pairwise(seam))
            ]
        seams.update(dict.fromkeys(network.meetings[left, right]))
    return list(seams)


# Filling: whether a word may stand at a position of a frame, and what it leaves for the others.

Neighbour = tuple[bool, int | str, str, str]  # is it before?, a position or a literal, its column, our column


def clash(conflicts: list[tuple[int, Tokens, Tokens]], value: int, values: list[int]) -> int | None:
    """Return the position, filled before, that a value conflicts with."""
    for earlier, theirs, mine in conflicts:
        others = theirs[values[earlier]]
        for token in mine[value]:
            if token in others:
                return earlier
    return None


def linked(frame: Frame, values: Sequence[int]) -> bool:
    """Tell whether the words of a filling go together under all links."""
    groups = [column.domain.group[value] for column, value in zip(frame.columns, values, strict=True)]
    for at, group in enumerate(groups):
        if not all(allowed[group] >> groups[other] & 1 for other, allowed in frame.later[at]):
            return False
    among = {constraint.state: constraint for several in frame.among for constraint in several}
    return all(
        reduce(and_, (end.groups[groups[at]] for at, end in constraint.ends.items())) for constraint in among.values()
    )


def narrow(
    frame: Frame, at: int, group: int, masks: list[int], culprits: list[int]
) -> tuple[list[int], list[int]] | int:
    """Return what is left at later positions once `group` stands at `at`, and the positions that narrowed each.

    If nothing is left at one of them, return the positions that share the blame with this one, as bits.
    """
    pairs, among = frame.later[at], frame.among[at]
    if not pairs and not among:
        return masks, culprits
    masks, culprits = masks.copy(), culprits.copy()
    bit = 1 << at
    for other, allowed in pairs:
        left = masks[other] & allowed[group]
        if left != masks[other]:
            if not left:
                return culprits[other]
            masks[other] = left
            culprits[other] |= bit
    for constraint in among:
        state = constraint.state
        live = masks[state] & constraint.ends[at].groups[group]
        if not live:
            return culprits[state]
        masks[state] = live
        culprits[state] |= bit
        for other, end in constraint.ends.items():
            if other > at:
                left = masks[other] & end.allowed(live)
                if left != masks[other]:
                    if not left:
                        return culprits[other] | culprits[state]
                    masks[other] = left
                    culprits[other] |= culprits[state]
    return masks, culprits


def neighbours(frame: Frame) -> list[list[Neighbour]]:
    """Return, for each position, the neighbours that are known once it is filled.

    Seams over three items are rare and are checked when the sentence is complete.
    """
    adjacent: list[list[Neighbour]] = [[] for _ in frame.columns]
    if not frame.seams:
        return adjacent
    position = {column.leaf: n for n, column in enumerate(frame.columns)}
    for line in (frame.good, frame.bad):
        # a literal is known from the start
        places = [(-1, item, "") if isinstance(item, str) else (position[item[0]], "", item[1]) for item in line]
        for left, right in pairwise(places):
            (a, text, column), (b, later_text, later_column) = left, right
            if a >= b and a >= 0:
                adjacent[a].append((False, later_text or b, later_column, column))
            elif b >= 0:
                adjacent[b].append((True, text or a, column, later_column))
    return adjacent


def seam_broken(
    frame: Frame, adjacent: list[Neighbour], texts: Mapping[str, list[str]], value: int, values: list[int]
) -> bool:
    """Tell whether a value makes a forbidden seam with a neighbour already known."""
    for before, other, column, my_column in adjacent:
        mine = texts[my_column][value]
        if isinstance(other, str):
            theirs = other
        elif other == len(values):
            theirs = texts[column][value]
        else:
            theirs = frame.columns[other].domain.texts[column][values[other]]
        left, right = (theirs, mine) if before else (mine, theirs)
        if any(crosses(left, right, seam) for seam in frame.seams):
            return True
    return False


# Search: fills a frame depth first and jumps back over positions that are not to blame.
#
# When nothing fits at a position, the search knows which earlier positions took the words away, and whether their words
# did (by a conflict or a seam) or only their groups (by links and lengths). It goes back to the last of them, and a
# group that failed as such is not tried again. So one pronoun too many is noticed once, not once for every verb.
# Nine slots that must differ and only eight words would still be tried in every order, so that a search that has found
# nothing for a while also looks whether enough words are left. All steps are counted, and a search may be given up.

Result = TypeVar("Result")
Blame = tuple[int, int]  # the earlier positions to blame, and those of them whose words are, as bits
PATIENCE = 2_000  # steps without a result after which a search looks ahead


@dataclass(slots=True, eq=False)
class Search(Generic[Result]):
    """Searches one frame repeatedly; what had no acceptable completion once is not tried again."""

    frame: Frame
    candidates: Callable[[int, int], Iterable[int]]  # the values to try at a position, of the groups in a mask
    accept: Callable[[list[int]], Result | None]  # makes a result (no tuple) of a complete filling, or rejects it
    adjacent: list[list[Neighbour]] = field(init=False)
    dead: set[tuple[int, ...]] = field(default_factory=set)
    left: int = field(init=False, default=0)
    patience: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.adjacent = neighbours(self.frame)

    def run(self, budget: Budget) -> Result | None:
        """Return the first result that is accepted, or None; raise `OutOfSteps` if the budget is spent."""
        start = self.frame.start
        if not all(start):
            return None
        self.left, self.patience = budget.left, budget.left - PATIENCE
        try:
            result = self._place(list(start), [0] * len(start), [], self.frame.fixed)
        finally:
            budget.left = self.left
        return None if isinstance(result, tuple) else result

    def _place(self, masks: list[int], culprits: list[int], values: list[int], length: int) -> Result | Blame:
        """Fill the next position and all after it, or return the positions to blame."""
        frame, at = self.frame, len(values)
        before = (1 << at) - 1
        if at == len(frame.columns):
            accepted = self.accept(values)
            return (before, before) if accepted is None else accepted
        if self.dead and tuple(values) in self.dead:
            return before, before
        self.left -= 1
        if self.left < self.patience:
            if self.left < 0:
                raise OutOfSteps
            if any(frame.conflicts[at:]) and (shortage := too_few_words(frame, masks, culprits, values)):
                return shortage
        domain = frame.columns[at].domain
        groups = domain.group
        conflicts, adjacent, reach = frame.conflicts[at], self.adjacent[at], frame.reach
        linked = frame.later[at] or frame.among[at]
        blame, words, failed, total = culprits[at], 0, 0, length
        left = (masks, culprits)
        passed: dict[int, int] = {}  # groups with words skipped because of other words -> positions of those
        for value in self.candidates(at, masks[at]):
            group = groups[value]
            if failed and failed >> group & 1:
                continue
            if conflicts and (earlier := clash(conflicts, value, values)) is not None:
                passed[group] = passed.get(group, 0) | 1 << earlier
                continue
            if reach is not None:
                total = length + domain.diffs[value]
                if -total not in reach[at + 1]:
                    failed |= 1 << group
                    blame |= before
                    continue
            if adjacent and seam_broken(frame, adjacent, domain.texts, value, values):
                passed[group] = before
                continue
            if linked:
                narrowed = narrow(frame, at, group, masks, culprits)
                if isinstance(narrowed, int):
                    failed |= 1 << group
                    blame |= narrowed
                    continue
                left = narrowed
            values.append(value)
            result = self._place(left[0], left[1], values, total)
            if not isinstance(result, tuple):
                return result
            values.pop()
            if not result[0] >> at & 1:
                return result
            blame |= result[0]
            words |= result[1]
            if not result[1] >> at & 1:
                failed |= 1 << group
        for group, others in passed.items():
            if not failed >> group & 1:
                blame |= others
                words |= others
        self.dead.add(tuple(values))
        return blame & before, words & before


def too_few_words(frame: Frame, masks: list[int], culprits: list[int], values: list[int]) -> Blame | None:
    """Return whom to blame if positions yet to be filled must all differ, and have too few words left for that.

    They are matched with the words still free, one by one, where a match may be moved to make room for another.
    """
    at, size = len(values), len(frame.columns)
    apart: dict[int, set[int]] = {here: set() for here in range(at, size)}
    for here in apart:
        for earlier, _, mine in frame.conflicts[here]:
            if earlier >= at and mine is frame.columns[here].domain.marks:
                apart[here].add(earlier)
                apart[earlier].add(here)
    every: list[int] = []  # positions every two of which differ
    for here in sorted(apart, key=lambda here: (-len(apart[here]), here)):
        if apart[here].issuperset(every):
            every.append(here)
    free = {here: _free_marks(frame, here, masks[here], values, enough=len(every)) for here in every}
    few = [here for here in every if free[here] is not None]
    holder: dict[str, int] = {}

    def matched(here: int, tried: set[str]) -> bool:
        for mark in free[here] or ():
            if mark not in tried:
                tried.add(mark)
                if mark not in holder or matched(holder[mark], tried):
                    holder[mark] = here
                    return True
        return False

    if all(matched(here, set()) for here in few):
        return None
    blame = words = 0
    for here in few:
        blame |= culprits[here]
        words |= sum(1 << earlier for earlier in {e for e, _, _ in frame.conflicts[here]} if earlier < at)
    before = (1 << at) - 1
    return (blame | words) & before, words & before


def _free_marks(frame: Frame, here: int, mask: int, values: list[int], *, enough: int) -> list[str] | None:
    """Return the first mark of each word that may stand at a position; None where there are enough, or one has none."""
    domain = frame.columns[here].domain
    conflicts = [conflict for conflict in frame.conflicts[here] if conflict[0] < len(values)]
    free: dict[str, None] = {}
    for group in bits_of(mask):
        for value in domain.groups[group]:
            if clash(conflicts, value, values) is None:
                if not domain.marks[value] or len(free) >= enough:
                    return None
                free[domain.marks[value][0]] = None
    return None if len(free) >= enough else list(free)


def can_be_filled(frame: Frame, budget: Budget) -> bool:
    """Tell whether a frame has any filling."""
    domains = [column.domain for column in frame.columns]
    return Search(frame, lambda at, mask: domains[at].values_in(mask), lambda values: True).run(budget) is not None


# Assembly: a filled frame becomes a pair, with the regions in which its sides differ.

Texts = tuple[list[str], list[str]]


@dataclass(slots=True, eq=False)
class Printer:
    """Prints the values of one frame; everything that does not depend on the words is computed once."""

    frame: Frame
    sides: tuple[list[tuple[list[str], int]], list[tuple[list[str], int]]]  # texts of an item, and whose value picks
    spans: list[tuple[int, int, int, str, str]]  # side, first item, last item, slot, change
    edit: str
    slots: list[tuple[str, int, list[str]]]
    used: list[tuple[list[str], int]]  # the expressions behind the values of each position
    style: Style

    def pieces(self, values: Sequence[int]) -> Texts:
        """Return the texts of both sides, item by item, with separators."""
        picks = (*values, 0)  # the last is for literals
        good, bad = self.sides
        return [texts[picks[at]] for texts, at in good], [texts[picks[at]] for texts, at in bad]

    def breaks(self, pieces: Texts) -> bool:
        """Tell whether a forbidden seam arises on one of the sides."""
        seams = self.frame.seams
        return bool(seams) and (broken(pieces[0], seams) or broken(pieces[1], seams))

    def sentences(self, pieces: Texts) -> tuple[str, str]:
        """Return the two sentences."""
        good, bad = "".join(pieces[0]), "".join(pieces[1])
        return self.style.opened(good), self.style.opened(bad)

    def pair(self, values: Sequence[int], pieces: Texts, *, uid: str, phenomenon: str, number: int) -> Pair:
        """Return the pair with its regions and the words it is made of."""
        good, bad = self.sentences(pieces)
        starts = [list(accumulate(map(len, side), initial=0)) for side in pieces]
        regions = tuple(
            [
                Region("bad" if side else "good", starts[side][first], starts[side][last + 1], slot, change)
                for side, first, last, slot, change in self.spans
            ]
        )
        slots = tuple([(path, shown[values[at]]) for path, at, shown in self.slots])
        used = tuple([form for forms, at in self.used if (form := forms[values[at]])])
        return Pair(
            good, bad, uid, phenomenon, number, self.frame.network.variant.name, self.edit, regions, slots, used
        )


def make_printer(frame: Frame) -> Printer:
    """Return the printer of a frame."""
    network = frame.network
    position = {column.leaf: n for n, column in enumerate(frame.columns)}
    sides = []
    places: list[list[int]] = []  # of each item of each side, its index among the pieces
    for line in (frame.good, frame.bad):
        pieces, index = _pieces(line, network.style, frame, position)
        sides.append(pieces)
        places.append(index)
    if network.token_changes is None:
        changes = align(tokens_of(frame.good), tokens_of(frame.bad))
        spans = _spans(changes, [[[at] for at in index] for index in places])
    else:
        changes = network.token_changes
        by_token = []  # the pieces in this frame of each item of the lines as written
        for index, sizes in zip(places, frame.sizes, strict=True):
            left = iter(index)
            by_token.append([list(islice(left, size)) for size in sizes])
        spans = _spans(changes, by_token)
    slots = [(column.leaf.path, n, column.domain.shown) for n, column in enumerate(frame.columns)]
    used = [(column.domain.forms, n) for n, column in enumerate(frame.columns)]
    edit = "+".join(edit_kinds(changes))
    return Printer(frame, (sides[0], sides[1]), spans, edit, slots, used, network.style)


def _pieces(
    line: list[Atom], style: Style, frame: Frame, position: dict[Word, int]
) -> tuple[list[tuple[list[str], int]], list[int]]:
    pieces: list[tuple[list[str], int]] = []
    index = []
    for item in line:
        literal = item if isinstance(item, str) else None
        if pieces and (joiner := style.joiner(literal)):
            pieces.append(([joiner], -1))
        index.append(len(pieces))
        if isinstance(item, str):
            pieces.append(([item], -1))
        else:
            at = position[item[0]]
            pieces.append((frame.columns[at].domain.texts[item[1]], at))
    return pieces, index


def _spans(changes: list[Change], places: list[list[list[int]]]) -> list[tuple[int, int, int, str, str]]:
    """Return the regions; neighbouring items of one slot with one kind of change are one region."""
    spans: list[tuple[int, int, int, str, str]] = []
    last: tuple[int, int] | None = None
    for change in changes:
        pieces = places[change.side][change.item]
        if spans and last == (change.side, change.item - 1) and spans[-1][3:] == (change.slot, change.kind):
            side, first, _, slot, kind = spans[-1]
            spans[-1] = (side, first, pieces[-1], slot, kind)
        else:
            spans.append((change.side, pieces[0], pieces[-1], change.slot, change.kind))
        last = (change.side, change.item)
    return spans
