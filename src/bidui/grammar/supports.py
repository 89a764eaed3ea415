"""Supports: which groups of one domain go with which groups of another, kept for all paradigms of a project."""

from dataclasses import dataclass, field

from bidui.grammar.constraints import Modes
from bidui.grammar.domain import Domain
from bidui.grammar.lexicon import NO_VALUES, Values
from bidui.grammar.relations import Relation


@dataclass(slots=True, eq=False)
class Allowed:
    """For each group of one leaf, the groups of another that go with it, as bits."""

    groups: list[int]
    unions: dict[int, int] = field(default_factory=dict)

    def union(self, mine: int) -> int:
        """What any of the groups in `mine` allows."""
        if mine not in self.unions:
            total = 0
            for group in bits_of(mine):
                total |= self.groups[group]
            self.unions[mine] = total
        return self.unions[mine]


@dataclass(slots=True, eq=False)
class End:
    """For each group of a leaf, the values or rows it can take part in; and for each of these, the groups."""

    groups: list[int]
    holders: dict[int, int]
    width: int  # bits that all values or rows need
    known: dict[int, int] = field(default_factory=dict)
    known_held: dict[int, int] = field(default_factory=dict)

    def allowed(self, live: int) -> int:
        """The groups that can take part in one of the values or rows in `live`."""
        if live not in self.known:
            total = 0
            for value in bits_of(live):
                total |= self.holders.get(value, 0)
            self.known[live] = total
        return self.known[live]

    def held(self, groups: int) -> int:
        """The values or rows that one of these groups can take part in."""
        if groups not in self.known_held:
            total = 0
            for group in bits_of(groups):
                total |= self.groups[group]
            self.known_held[groups] = total
        return self.known_held[groups]


def bits_of(mask: int) -> list[int]:
    """The numbers of the bits that are set; quick for many bits and for few."""
    if mask.bit_count() > 24:
        return [n for n, bit in enumerate(f"{mask:b}"[::-1]) if bit == "1"]
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


@dataclass(slots=True, eq=False)
class _Holders:
    """For each value of one feature, the groups of a domain that have it."""

    by_value: dict[str, int] = field(default_factory=dict)
    having: int = 0  # the groups with any value at all
    several: bool = False  # some form has rows with different values, and any of them will do


@dataclass(slots=True)
class Supports:
    """All tables between domains that were asked for so far."""

    holders: dict[tuple[int, int], _Holders] = field(default_factory=dict)
    tables: dict[tuple[int, int, int, int, bool], Allowed] = field(default_factory=dict)
    rows: dict[tuple[str, int, int, int], End] = field(default_factory=dict)

    def between(self, a: Domain, at_a: int, b: Domain, at_b: int, *, same: bool) -> Allowed:
        """What each group of `a` allows in `b`; `at_a` and `at_b` say which of their features are compared."""
        name = (id(a), at_a, id(b), at_b, same)
        if name not in self.tables:
            holders = self._holders(b, at_b)
            known: dict[Modes, int] = {}
            groups = []
            for vector in a.modes:
                modes = vector[at_a]
                if modes not in known:
                    known[modes] = _sharing(modes, holders) if same else _differing(modes, holders, b, at_b)
                groups.append(known[modes])
            self.tables[name] = Allowed(groups)
        return self.tables[name]

    def in_relation(self, domain: Domain, at: int, relation: Relation, column: int) -> End:
        """Which rows of a relation each group of a domain can stand in."""
        name = (relation.name, column, id(domain), at)
        if name not in self.rows:
            index = relation.index[column]
            groups = []
            for vector in domain.modes:
                mask = 0
                for value in _values(vector[at]):
                    for row in index.get(value, ()):
                        mask |= 1 << row
                groups.append(mask)
            self.rows[name] = _end(groups)
        return self.rows[name]

    def _holders(self, domain: Domain, at: int) -> _Holders:
        if (id(domain), at) not in self.holders:
            found = _Holders()
            for group, vector in enumerate(domain.modes):
                found.several |= len(vector[at]) > 1
                for value in _values(vector[at]):
                    found.by_value[value] = found.by_value.get(value, 0) | 1 << group
                    found.having |= 1 << group
            self.holders[id(domain), at] = found
        return self.holders[id(domain), at]


def shared_ends(ends: list[tuple[Domain, int]]) -> list[End]:
    """Which values each group can share, for a match of three or more slots."""
    numbers: dict[str, int] = {}
    found = []
    for domain, at in ends:
        groups = []
        for vector in domain.modes:
            values = sorted(_values(vector[at]))
            groups.append(sum(1 << numbers.setdefault(value, len(numbers)) for value in values))
        found.append(_end(groups))
    return found


def _end(groups: list[int]) -> End:
    holders: dict[int, int] = {}
    for group, mask in enumerate(groups):
        for value in bits_of(mask):
            holders[value] = holders.get(value, 0) | 1 << group
    return End(groups, holders, max(holders, default=-1) + 1)


def _values(modes: Modes) -> Values:
    if len(modes) == 1:
        (values,) = modes
        return values
    return NO_VALUES.union(*modes)


def _sharing(modes: Modes, holders: _Holders) -> int:
    mask = 0
    for value in _values(modes):
        mask |= holders.by_value.get(value, 0)
    return mask


def _differing(modes: Modes, holders: _Holders, other: Domain, at: int) -> int:
    """The groups with no value in common; a word without values neither matches nor mismatches."""
    if len(modes) > 1 or holders.several:
        return sum(
            1 << group
            for group, vector in enumerate(other.modes)
            if any(m and o and m.isdisjoint(o) for m in modes for o in vector[at])
        )
    return holders.having & ~_sharing(modes, holders) if _values(modes) else 0
