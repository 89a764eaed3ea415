"""Constraints: what the words of several leaves must have in common, or must not.

A constraint compares *keys*: small numbers that stand for the sets of feature values met at one of its ends.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bidui.errors import InputError, Place, Problem, distinct, fail
from bidui.grammar.lexicon import Relation, Values
from bidui.grammar.rules import Match, Property, Related
from bidui.grammar.tree import Link, Tree, Word, targets

Key = int
ANYTHING = "_"  # in a relation: whatever stands in this column
Modes = frozenset[Values]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a relation, and the columns that are used with it."""

    name: str
    column: int
    used: tuple[int, ...]
    relation: Relation = field(compare=False)  # known by its name


@dataclass(slots=True, eq=False)
class Member:
    """One end of a constraint: a feature of whichever of these leaves is in the sentence.

    `keys` numbers the different sets of values met there; `holds` lists for each the rows (of a relation) or values
    (of a match) it can take part in.
    """

    leaves: tuple[Word, ...]
    feature: str
    declares: bool  # the constraint is written in this leaf's rule: no leaf, no constraint
    keys: dict[Modes, Key] = field(default_factory=dict)
    holds: list[frozenset[int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Constraint:
    """What several leaves must have in common (a value, a row of a relation), or what two must not."""

    index: int
    kind: str  # share, relation, mismatch
    members: list[Member]
    text: str
    place: Place
    relation: Relation | None = None
    columns: list[int] = field(default_factory=list)  # of the relation, for each member
    weak: bool = False  # a mismatch as in the papers: some value of the one is not that of the other
    values: dict[str, int] = field(default_factory=dict)
    pairs: dict[tuple[int, int], list[int]] = field(init=False, default_factory=dict)

    def key(self, member: int, modes: Modes) -> Key:
        """The number of a set of values at one end."""
        end = self.members[member]
        if modes not in end.keys:
            end.keys[modes] = len(end.keys)
            end.holds.append(self._held(member, frozenset().union(*modes)))
        return end.keys[modes]

    def _held(self, member: int, values: Values) -> frozenset[int]:
        if self.kind == "mismatch":
            return frozenset()
        if self.relation is None:
            return frozenset(self.values.setdefault(value, len(self.values)) for value in sorted(values))
        index = self.relation.index[self.columns[member]]
        return frozenset(row for value in values for row in index.get(value, ()))

    def compatible(self, a: int, b: int) -> list[int]:
        """For each key of member `a`, the keys of member `b` it allows, as a set of bits."""
        if (a, b) not in self.pairs:
            self.pairs[a, b] = self._allowed(self.members[a], self.members[b])
        return self.pairs[a, b]

    def _allowed(self, mine: Member, theirs: Member) -> list[int]:
        if self.kind != "mismatch":
            holders: dict[int, int] = {}
            for key, held in enumerate(theirs.holds):
                for number in held:
                    holders[number] = holders.get(number, 0) | 1 << key
            return [_union(holders.get(number, 0) for number in held) for held in mine.holds]
        if self.weak:
            return [
                sum(1 << key for key, other in enumerate(theirs.keys) if _other(modes, other)) for modes in mine.keys
            ]
        if any(len(modes) > 1 for member in (mine, theirs) for modes in member.keys):
            return [_disjoint(modes, theirs.keys) for modes in mine.keys]
        having = 0  # a word without values neither matches nor mismatches
        sharing: dict[str, int] = {}
        for key, (values,) in enumerate(theirs.keys):
            having |= 1 << key if values else 0
            for value in values:
                sharing[value] = sharing.get(value, 0) | 1 << key
        return [having & ~_union(sharing.get(value, 0) for value in values) if values else 0 for (values,) in mine.keys]


def _other(mine: Modes, theirs: Modes) -> bool:
    """Whether some value of the one differs from some value of the other."""
    return any(m and o and len(m | o) > 1 for m in mine for o in theirs)


def _disjoint(modes: Modes, others: Iterable[Modes]) -> int:
    """The keys with no value in common, where a form has several rows and any of them will do."""
    mask = 0
    for key, other in enumerate(others):
        if any(m and o and m.isdisjoint(o) for m in modes for o in other):
            mask |= 1 << key
    return mask


def _union(masks: Iterable[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total


def tables_around(leaf: Word, ends: Iterable[tuple[Constraint, int]]) -> tuple[TableColumn, ...]:
    """The columns of relations that a leaf's word must stand in, whatever alternatives are taken.

    A relation is void where one of its ends is not in the sentence, so only those count whose other ends are there
    whenever the leaf is.
    """
    found: list[TableColumn] = []
    guard = set(leaf.guard)
    for constraint, number in ends:
        others = (member for at, member in enumerate(constraint.members) if at != number)
        if constraint.relation and all(any(guard >= set(o.guard) for o in member.leaves) for member in others):
            used = tuple(constraint.columns)
            found.append(TableColumn(constraint.relation.name, used[number], used, constraint.relation))
    return tuple(found)


def build_constraints(tree: Tree, relations: Mapping[str, Relation]) -> list[Constraint]:
    """The constraints written in the rules of all leaves."""
    builder = _Constraints(relations)
    problems: list[Problem] = []
    for leaf in tree.leaves:
        for link in leaf.links:
            try:
                builder.add(leaf, link)
            except InputError as error:
                problems += error.problems
    if problems:
        raise InputError(distinct(problems))
    return builder.constraints


class _Constraints:
    def __init__(self, relations: Mapping[str, Relation]) -> None:
        self.relations = relations
        self.constraints: list[Constraint] = []
        self.shares: dict[tuple[int, str], Constraint] = {}
        self.written: dict[tuple[int, int, str], Constraint] = {}

    def add(self, leaf: Word, link: Link) -> None:
        if isinstance(link.term, Match):
            others = targets(link.term.target, link.scope, link.place, slot=leaf.slot)
            if leaf in others:
                raise fail("link-to-self", link.place.at(link.term.column), {"slot": leaf.path})
            for prop in link.term.properties:
                self.match(leaf, others, prop, link.term, link)
        else:
            self.related(leaf, link.term, link)

    def new(self, kind: str, members: list[Member], text: str, place: Place) -> Constraint:
        constraint = Constraint(len(self.constraints), kind, members, text, place)
        self.constraints.append(constraint)
        return constraint

    def match(self, leaf: Word, others: list[Word], prop: Property, term: Match, link: Link) -> None:
        mine, theirs = Member((leaf,), prop.mine, True), Member(tuple(others), prop.theirs, False)
        place = link.place.at(term.column)
        text = str(Match(term.target, (prop,), term.same))
        name = (id(link.scope), prop.share)
        same_text = (id(term), id(link.scope), str(prop))
        once = self.written.get(same_text)
        if once is not None and not prop.share and not any(leaf.together(other) for other in once.members[0].leaves):
            once.members[0].leaves += (leaf,)  # one link, written where a phrase is used, in each of its alternatives
            return
        if not prop.share or name not in self.shares:
            found = self.written[same_text] = self.new(
                "share" if term.same else "mismatch", [mine, theirs], text, place
            )
            if prop.share:
                self.shares[name] = found
            return
        members = self.shares[name].members
        declaring = {leaf.guard, *(m.leaves[0].guard for m in members if m.declares)}
        aims = {theirs.leaves, *(m.leaves for m in members if not m.declares)}
        if len(declaring) > 1 and len(aims) > 1:  # which of them share would change with the alternatives
            raise fail("share-conditional", place, {"share": prop.share})
        for member in (mine, theirs):
            if all((m.leaves, m.feature) != (member.leaves, member.feature) for m in members):
                members.append(member)

    def related(self, leaf: Word, term: Related, link: Link) -> None:
        place = link.place.at(term.column)
        relation = self.relations.get(term.relation)
        if relation is None:
            values = {"relation": term.relation, "known": sorted(self.relations)}
            raise fail("relation-unknown", place, values)
        if len(relation.columns) != len(term.targets):
            arity = {"relation": term.relation, "columns": list(relation.columns), "slots": len(term.targets)}
            raise fail("relation-arity", place, arity)
        members: list[Member] = []
        columns = []
        for column, (ref, feature) in enumerate(zip(term.targets, relation.features, strict=True)):
            if str(ref) == ANYTHING:
                continue
            columns.append(column)
            leaves = tuple(targets(ref, link.scope, link.place, slot=leaf.slot))
            own = leaf in leaves
            members.append(Member((leaf,) if own else leaves, feature, own))
        if not any(member.declares for member in members):
            raise fail("relation-elsewhere", place, {"text": str(term), "slot": leaf.path})
        if len(members) < 2:
            raise fail("relation-alone", place, {"text": str(term)})
        found = self.new("relation", members, str(term), place)
        found.relation, found.columns = relation, columns
