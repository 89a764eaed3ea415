"""Constraints: what the words of several leaves must have in common, or must not.

A constraint compares *keys*: small numbers that stand for the sets of feature values met at one of its ends.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from bidui.errors import Place, all_problems, collect, fail
from bidui.grammar.lexicon import NO_VALUES, Relation, Values
from bidui.grammar.rules import Match, Property, RelationTerm
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
    weak: bool = False  # a mismatch as in the papers: some value of one differs from some value of the other
    values: dict[str, int] = field(default_factory=dict)
    pairs: dict[tuple[int, int], list[int]] = field(init=False, default_factory=dict)

    def key(self, member: int, modes: Modes) -> Key:
        """Return the number of a set of values at one end."""
        end = self.members[member]
        if modes not in end.keys:
            end.keys[modes] = len(end.keys)
            held: Iterable[int] = ()
            if self.relation:
                index = self.relation.index[self.columns[member]]
                held = (row for value in values_of(modes) for row in index.get(value, ()))
            elif self.kind == "share":
                held = (self.values.setdefault(value, len(self.values)) for value in sorted(values_of(modes)))
            end.holds.append(frozenset(held))
        return end.keys[modes]

    def compatible(self, a: int, b: int) -> list[int]:
        """Return, for each key of member `a`, the keys of member `b` it allows, as bits."""
        if (a, b) not in self.pairs:
            self.pairs[a, b] = self._allowed(self.members[a], self.members[b])
        return self.pairs[a, b]

    def _allowed(self, mine: Member, theirs: Member) -> list[int]:
        if self.relation:
            rows: dict[int, int] = {}
            for key, held in enumerate(theirs.holds):
                for row in held:
                    rows[row] = rows.get(row, 0) | 1 << key
            return [reduce(or_, (rows.get(row, 0) for row in held), 0) for held in mine.holds]
        holders = Holders(list(theirs.keys))
        if self.weak:
            return [holders.other(modes) for modes in mine.keys]
        return [holders.sharing(modes) if self.kind == "share" else holders.differing(modes) for modes in mine.keys]


@dataclass(slots=True, eq=False)
class Holders:
    """The modes of several groups or keys at one end of a constraint; sets of them are bits."""

    modes: list[Modes]
    by_value: dict[str, int] = field(init=False, default_factory=dict)
    having: int = field(init=False, default=0)  # those with any value at all
    several: bool = field(init=False, default=False)  # some form has rows with different values, and any may be meant

    def __post_init__(self) -> None:
        for number, modes in enumerate(self.modes):
            self.several |= len(modes) > 1
            for value in values_of(modes):
                self.by_value[value] = self.by_value.get(value, 0) | 1 << number
                self.having |= 1 << number

    def sharing(self, modes: Modes) -> int:
        """Return those that share a value."""
        return reduce(or_, (self.by_value.get(value, 0) for value in values_of(modes)), 0)

    def differing(self, modes: Modes) -> int:
        """Return those with no value in common; a word without values neither matches nor mismatches."""
        if len(modes) > 1 or self.several:
            return self._where(lambda other: any(m and o and m.isdisjoint(o) for m in modes for o in other))
        return self.having & ~self.sharing(modes) if values_of(modes) else 0

    def other(self, modes: Modes) -> int:
        """Return those that have some other value, which was a mismatch in the papers."""
        return self._where(lambda other: any(m and o and len(m | o) > 1 for m in modes for o in other))

    def _where(self, test: Callable[[Modes], bool]) -> int:
        return sum(1 << number for number, modes in enumerate(self.modes) if test(modes))


def values_of(modes: Modes) -> Values:
    """Return the values of any of the rows that a form has."""
    if len(modes) == 1:
        (values,) = modes
        return values
    return NO_VALUES.union(*modes)


def tables_around(leaf: Word, ends: Iterable[tuple[Constraint, int]]) -> tuple[TableColumn, ...]:
    """Return the columns of relations that a leaf's word must stand in, whatever alternatives are taken.

    A relation does not apply if one of its ends is not in the sentence, so that only relations count whose other ends
    are in the sentence whenever the leaf is.
    """
    columns: list[TableColumn] = []
    guard = set(leaf.guard)
    for constraint, number in ends:
        others = (member for at, member in enumerate(constraint.members) if at != number)
        if constraint.relation and all(any(guard >= set(o.guard) for o in member.leaves) for member in others):
            used = tuple(constraint.columns)
            columns.append(TableColumn(constraint.relation.name, used[number], used, constraint.relation))
    return tuple(columns)


def build_constraints(tree: Tree, relations: Mapping[str, Relation]) -> list[Constraint]:
    """Return the constraints written in the rules of all leaves."""
    builder = _Constraints(relations)
    with all_problems() as problems:
        for leaf in tree.leaves:
            for link in leaf.links:
                with collect(problems):
                    builder.add(leaf, link)
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
            kind = "share" if term.same else "mismatch"
            constraint = self.written[same_text] = self.new(kind, [mine, theirs], text, place)
            if prop.share:
                self.shares[name] = constraint
            return
        members = self.shares[name].members
        declaring = {leaf.guard, *(m.leaves[0].guard for m in members if m.declares)}
        aims = {theirs.leaves, *(m.leaves for m in members if not m.declares)}
        if len(declaring) > 1 and len(aims) > 1:  # which of them share would change with the alternatives
            raise fail("share-conditional", place, {"share": prop.share})
        for member in (mine, theirs):
            if all((m.leaves, m.feature) != (member.leaves, member.feature) for m in members):
                members.append(member)

    def related(self, leaf: Word, term: RelationTerm, link: Link) -> None:
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
            declares = leaf in leaves
            members.append(Member((leaf,) if declares else leaves, feature, declares))
        if not any(member.declares for member in members):
            raise fail("relation-elsewhere", place, {"text": str(term), "slot": leaf.path})
        if len(members) < 2:
            raise fail("relation-alone", place, {"text": str(term)})
        constraint = self.new("relation", members, str(term), place)
        constraint.relation, constraint.columns = relation, columns
