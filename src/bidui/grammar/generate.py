"""Diagnosis: why a paradigm has fewer pairs than were asked for."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from itertools import islice
from typing import Literal

from bidui.errors import InputError, Problem, distinct
from bidui.grammar.ambiguity import automaton, possible_seams
from bidui.grammar.constraints import Constraint, Member
from bidui.grammar.count import Count, count_assignments
from bidui.grammar.draw import Draw, choices_of, could_repeat, draw_even, draw_uniform, enumerate_pairs
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.printing import BAD, GOOD
from bidui.grammar.project import Project, chosen
from bidui.pairs import Pair, Pairs, Short


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
            groups = zip(column.keys(), column.domain.groups, strict=True)
            left = sum(len(group) for keys, group in groups if compatible[keys[end]])
            if left < total:
                values: dict[str, object] = {
                    "slot": column.leaf.path,
                    "words": total,
                    "left": left,
                    "link": constraint.text,
                }
                yield Problem("short-partners", constraint.place, values)


# Generation: pairs of paradigms, each from a seed of its own, with the reason where there are too few.

Drawing = Literal["even", "uniform"]
ENUMERATED = 1_000_000  # so many pairs are counted one by one where a formula could be wrong
FRAMES = 5_000  # and under so many choices of alternatives


def generate_project(
    project: Project,
    *,
    n: int = 300,
    seed: int = 0,
    draw: Drawing = "even",
    only: Sequence[str] = (),
    include_excluded: bool = False,
    on_paradigm: Callable[[str], None] = lambda uid: None,
) -> Pairs:
    """`n` pairs of each paradigm; what fell short is in `.short`."""
    selected = chosen(project.paradigms, only=only, excluded=include_excluded)
    pairs: list[Pair] = []
    short: list[Short] = []
    for made in each_paradigm(project, selected, n=n, seed=seed, draw=draw):
        pairs += made
        short += made.short
        on_paradigm(made[0].uid if made else "")
    return Pairs(tuple(pairs), tuple(short))


def each_paradigm(
    project: Project, paradigms: Iterable[Paradigm], *, n: int, seed: int, draw: Drawing = "even"
) -> Iterator[Pairs]:
    """The pairs of one paradigm after the other; all are compiled first, so that every error comes at once."""
    compiler = Compiler.of(project)
    compiled: list[tuple[Paradigm, list[Network]]] = []
    problems: list[Problem] = []
    for paradigm in paradigms:
        try:
            compiled.append((paradigm, compiler.networks(paradigm)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    for paradigm, networks in compiled:
        yield generate(paradigm, networks, n=n, seed=seed, draw=draw)


def generate(paradigm: Paradigm, networks: Sequence[Network], *, n: int, seed: int, draw: Drawing = "even") -> Pairs:
    """`n` pairs of one compiled paradigm; the first 300 of 1,000 are the 300 one gets by asking for 300."""
    drawn = draws(paradigm, networks, seed=seed, draw=draw)
    pairs = tuple(as_pair(found, paradigm, number) for number, found in enumerate(islice(drawn, n)))
    if len(pairs) == n:
        return Pairs(pairs)
    reason = "\n".join(map(str, diagnose(networks, asked=n, given=len(pairs))))
    return Pairs(pairs, (Short(asked=n, given=len(pairs), uid=paradigm.uid, reason=reason),))


def draws(paradigm: Paradigm, networks: Sequence[Network], *, seed: int, draw: Drawing = "even") -> Iterator[Draw]:
    """The draws of one paradigm; its seed depends on nothing but the seed asked for and its uid."""
    own = hashlib.sha256(f"bidui 1\0{seed}\0{paradigm.uid}".encode()).hexdigest()
    return draw_uniform(networks, seed=own) if draw == "uniform" else draw_even(networks, seed=own)


def as_pair(draw: Draw, paradigm: Paradigm, number: int) -> Pair:
    """A draw written out."""
    return draw.printer.pair(draw.values, draw.pieces, uid=paradigm.uid, phenomenon=paradigm.phenomenon, number=number)


def count_pairs(networks: Sequence[Network]) -> Count:
    """How many distinct pairs there are.

    Exact from the tables, unless two fillings might print one pair, good might equal bad, or a seam might arise: then
    pairs are counted one by one up to a million, and beyond that the number is an upper bound.
    """
    counts = [count_assignments(network) for network in networks]
    total = sum(count.value for count in counts)
    certain = all(count.exact for count in counts) and not any(
        _seams(network) or network.could_be_equal() for network in networks
    )
    if certain and not could_repeat(networks):
        return Count(total)
    if total > ENUMERATED and all(count.exact for count in counts):
        return Count(total, exact=False)
    if sum(1 for network in networks for _ in islice(choices_of(network), FRAMES + 1)) > FRAMES:
        return Count(total, exact=False)
    found = sum(1 for _ in islice(enumerate_pairs(networks), ENUMERATED + 1))
    return Count(found) if found <= ENUMERATED else Count(total, exact=False)


def _seams(network: Network) -> bool:
    return bool(network.seams) and any(
        possible_seams(automaton([network], side), network.seams) for side in (GOOD, BAD)
    )
