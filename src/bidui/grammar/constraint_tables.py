"""Constraints in tables: which keys at the ends of a constraint go together, and how tables speak through it."""

from collections.abc import Collection, Sequence
from itertools import product

from bidui.grammar.constraints import Constraint
from bidui.grammar.factors import Factor, Row, eliminate
from bidui.grammar.supports import bits_of

ABSENT = -1  # the key of a word that is not in the sentence under this choice


def member_attribute(constraint: Constraint, member: int) -> int:
    """The attribute that holds the key at one end of a constraint."""
    return constraint.index * 64 + member


def ends_of(constraint: Constraint) -> list[int]:
    """The attributes of all ends of a constraint."""
    return [member_attribute(constraint, member) for member in range(len(constraint.members))]


def join_under(factors: Sequence[Factor], constraints: Sequence[Constraint], keep: Collection[int]) -> Factor:
    """The product of factors under constraints, summed over every attribute that is not kept.

    Most keys mismatch, so a mismatch that is left is counted the other way round: all, less those that do not. (A word
    without values may stand where the other end is not in the sentence.)
    """
    left, waiting = pass_messages(factors, constraints)
    mismatch = next((c for c in waiting if c.kind == "mismatch"), None)
    if mismatch is None:
        return eliminate([*left, *(constraint_factor(constraint, left) for constraint in waiting)], keep)
    others = [constraint for constraint in waiting if constraint is not mismatch]
    everything = join_under(left, others, keep)
    matching = join_under([*left, _not_mismatching(mismatch, left)], others, keep)
    at = [matching.attributes.index(attribute) for attribute in everything.attributes]
    table = dict(everything.table)
    for row, count in matching.table.items():
        key = tuple([row[n] for n in at])
        table[key] = table.get(key, 0) - count
    return Factor(everything.attributes, {row: count for row, count in table.items() if count})


def _not_mismatching(constraint: Constraint, factors: Sequence[Factor]) -> Factor:
    """Keys at the two ends, both in the sentence, that do not mismatch: they share a value, or one of them has none."""
    present = [_present(attribute, factors) - {ABSENT} for attribute in ends_of(constraint)]
    others = sum(1 << key for key in present[1])
    compatible = constraint.compatible(0, 1)
    table: dict[Row, int] = {(a, b): 1 for a in present[0] for b in bits_of(others & ~compatible[a])}
    return Factor(tuple(ends_of(constraint)), table)


def _present(attribute: int, factors: Sequence[Factor]) -> set[int]:
    """The keys that occur at an end; where no option left has such a word, it is absent."""
    for factor in factors:
        if attribute in factor.attributes:
            at = factor.attributes.index(attribute)
            return {row[at] for row in factor.table}
    return {ABSENT}


def pass_messages(
    factors: Sequence[Factor], constraints: Sequence[Constraint]
) -> tuple[list[Factor], list[Constraint]]:
    """Lets every factor that is about one end of one constraint tell the factor at the other end, and go.

    What is left are the factors and constraints that hang together in circles. In most paradigms nothing is, and
    no table of pairs is ever made.
    """
    left, waiting = list(factors), list(constraints)
    heard = True
    while heard:
        heard = False
        for constraint in waiting:
            if len(constraint.members) != 2:
                continue
            for here, there in ((0, 1), (1, 0)):
                speaker = next((f for f in left if f.attributes == (member_attribute(constraint, here),)), None)
                other = member_attribute(constraint, there)
                listener = next((f for f in left if other in f.attributes), None)
                if speaker is not None and listener is not None and speaker is not listener:
                    left = [factor for factor in left if factor is not speaker and factor is not listener]
                    left.append(_told(speaker, listener, constraint, here, other))
                    waiting.remove(constraint)
                    heard = True
                    break
            if heard:
                break
    return left, waiting


def _told(speaker: Factor, listener: Factor, constraint: Constraint, here: int, attribute: int) -> Factor:
    """The listener with each row multiplied by what goes with its key; the key itself is not needed any more."""
    at = listener.attributes.index(attribute)
    keys = {row[at] for row in listener.table}
    present = sum(1 << key for key in keys if key != ABSENT)
    compatible = constraint.compatible(here, 1 - here)
    everywhere = 0
    message: dict[int, int] = {}
    for (key,), count in speaker.table.items():
        if key == ABSENT:
            everywhere += count
            continue
        mask = compatible[key] & present
        sign = count
        if mask.bit_count() * 2 > len(keys):  # say it of all, and take it back where it does not hold
            everywhere += count
            mask = present & ~mask
            sign = -count
        for other in bits_of(mask):
            message[other] = message.get(other, 0) + sign
    total = sum(speaker.table.values())
    table: dict[Row, int] = {}
    for row, count in listener.table.items():
        key = row[at]
        told = total if key == ABSENT else everywhere + message.get(key, 0)
        if told:
            rest = row[:at] + row[at + 1 :]
            table[rest] = table.get(rest, 0) + count * told
    return Factor(listener.attributes[:at] + listener.attributes[at + 1 :], table)


def constraint_factor(constraint: Constraint, factors: Sequence[Factor]) -> Factor:
    """Which keys at the ends of a constraint go together, among those that occur."""
    attributes = tuple(ends_of(constraint))
    present = [_present(attribute, factors) for attribute in attributes]
    if len(attributes) == 2:
        return Factor(attributes, _two_ends(constraint, present))
    return Factor(attributes, _many_ends(constraint, present))


def _two_ends(constraint: Constraint, present: list[set[int]]) -> dict[Row, int]:
    compatible = constraint.compatible(0, 1)
    mask = sum(1 << key for key in present[1] if key != ABSENT)
    table: dict[Row, int] = {}
    for a in present[0]:
        others = present[1] if a == ABSENT else bits_of(compatible[a] & mask)
        table.update(dict.fromkeys(((a, b) for b in others), 1))
        if ABSENT in present[1]:
            table[a, ABSENT] = 1
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
