"""Generation: pairs of paradigms, each from a seed of its own, with the reason where there are too few."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from bidui.errors import InputError, Problem
from bidui.grammar.automata import automaton, possible_seams
from bidui.grammar.counting import Count, count_assignments
from bidui.grammar.diagnosis import diagnose
from bidui.grammar.drawing import Draw, draw_even
from bidui.grammar.enumeration import choices_of, could_repeat, enumerate_pairs
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.printing import BAD, GOOD
from bidui.grammar.project import Project, chosen
from bidui.grammar.uniform import draw_uniform
from bidui.pairs import Pair, Pairs, Short

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
