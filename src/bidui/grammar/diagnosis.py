"""Diagnosis: why a paradigm has fewer pairs than were asked for."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy

from bidui.errors import Problem, distinct
from bidui.grammar.constraints import Constraint, Member
from bidui.grammar.counting import count_assignments
from bidui.grammar.network import Network


def diagnose(networks: Sequence[Network], *, asked: int, given: int) -> list[Problem]:
    """What keeps the number down, most telling first: links that share nothing, then what each rule costs."""
    place = networks[0].variant.place
    for network in networks:
        network.number_keys()
    found = [Problem("short-of-pairs", place, {"asked": asked, "given": given})]
    for network in networks:
        found += _empty_links(network)
    if len(found) == 1:
        for network in networks:
            found += _without(network)
            found += _tight_links(network)
    return distinct(found)


def _empty_links(network: Network) -> Iterator[Problem]:
    """Links under which no two words go together at all."""
    for constraint in network.constraints:
        if constraint.kind != "relation" and len(constraint.members) == 2 and not any(constraint.compatible(0, 1)):
            mine, theirs = constraint.members
            values: dict[str, object] = {
                "link": constraint.text,
                "mine": _values(mine),
                "theirs": _values(theirs),
                "target": theirs.leaves[0].path,
            }
            kind = "link-shares-nothing" if constraint.kind == "share" else "link-never-differs"
            yield Problem(kind, constraint.place, values)


def _values(member: Member) -> list[str]:
    return sorted({value for modes in member.keys for mode in modes for value in mode}) or ["∅"]


def _without(network: Network) -> Iterator[Problem]:
    """How many fillings there would be if one rule did not hold."""
    now = count_assignments(network).value

    def freed(change: Callable[[Network], None]) -> int:
        loose = copy(network)
        change(loose)
        return count_assignments(loose).value

    def no_conflicts(loose: Network) -> None:
        loose.conflicts = []

    def any_length(loose: Network) -> None:
        loose.equal_length = False

    place = network.variant.place
    if network.conflicts and (more := freed(no_conflicts)) > now:
        yield Problem("short-by-distinctness", place, {"now": now, "more": more})
    if network.equal_length and (more := freed(any_length)) > now:
        yield Problem("short-by-length", place, {"now": now, "more": more})
    for constraint in network.constraints:

        def unlinked(loose: Network, gone: Constraint = constraint) -> None:
            loose.constraints = [other for other in network.constraints if other is not gone]

        if (more := freed(unlinked)) > now:
            yield Problem("short-by-link", constraint.place, {"link": constraint.text, "now": now, "more": more})


def _tight_links(network: Network) -> Iterator[Problem]:
    """For each leaf: how many words fit its rule, and how many of them have a partner under each link."""
    for column in network.columns:
        total = len(column.domain.words)
        if total == 1 and not column.ends:
            continue
        yield Problem("short-words", column.leaf.place, {"slot": column.leaf.path, "words": total})
        for end, (constraint, number) in enumerate(column.ends):
            if len(constraint.members) != 2:
                continue
            compatible = constraint.compatible(number, 1 - number)
            groups = zip(column.keys, column.domain.groups, strict=True)
            left = sum(len(group) for keys, group in groups if compatible[keys[end]])
            if left < total:
                values: dict[str, object] = {
                    "slot": column.leaf.path,
                    "words": total,
                    "left": left,
                    "link": constraint.text,
                }
                yield Problem("short-partners", constraint.place, values)
