"""Filling: whether a word may stand at a position of a frame, and what it leaves for the others."""

from collections.abc import Mapping
from itertools import pairwise

from bidui.grammar.conflicts import Tokens
from bidui.grammar.frames import Frame
from bidui.grammar.seams import crosses

Neighbour = tuple[bool, int | str, str, str]  # before it?, a position or a literal, its column, own column


def clash(conflicts: list[tuple[int, Tokens, Tokens]], value: int, values: list[int]) -> int | None:
    """The position, filled before, that a value conflicts with."""
    for earlier, theirs, mine in conflicts:
        others = theirs[values[earlier]]
        for token in mine[value]:
            if token in others:
                return earlier
    return None


def narrow(
    frame: Frame, at: int, group: int, masks: list[int], culprits: list[int]
) -> tuple[list[int], list[int]] | int:
    """What is left at later positions once `group` stands at `at`, and for each the positions that narrowed it.

    If nothing is left at one of them: the positions that share the blame with this one, as bits.
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
    """At each position, the neighbours that are known once it is filled: before it?, what, its column, own column.

    Seams over three items are rare and are looked for when the sentence is complete.
    """
    found: list[list[Neighbour]] = [[] for _ in frame.columns]
    if not frame.seams:
        return found
    position = {column.leaf: n for n, column in enumerate(frame.columns)}
    for line in (frame.good, frame.bad):
        for left, right in pairwise(line):
            a = -1 if isinstance(left, str) else position[left[0]]
            b = -1 if isinstance(right, str) else position[right[0]]
            if a >= b and a >= 0 and not isinstance(left, str):
                other = (right, "") if isinstance(right, str) else (b, right[1])
                found[a].append((False, other[0], other[1], left[1]))
            elif b >= 0 and not isinstance(right, str):
                other = (left, "") if isinstance(left, str) else (a, left[1])
                found[b].append((True, other[0], other[1], right[1]))
    return found


def seam_broken(
    frame: Frame,
    adjacent: list[Neighbour],
    texts: Mapping[str, list[str]],
    value: int,
    values: list[int],
) -> bool:
    """Whether a value makes a forbidden seam with a neighbour already known."""
    for before, other, column, own in adjacent:
        mine = texts[own][value]
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
