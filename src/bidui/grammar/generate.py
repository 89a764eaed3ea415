"""Generation: pairs of paradigms, each drawn from a seed of its own, with the reason where there are too few.

`generate_from` takes any source of pairs. A project is one; anything else that can make the pairs of a paradigm from a
seed, such as paradigms over treebank trees, is one as soon as it has the members of `Source`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, Protocol

from bidui.errors import Problem, all_problems, collect, distinct
from bidui.files import sha256
from bidui.grammar.ambiguity import could_be_equal, could_break, could_repeat
from bidui.grammar.constraints import values_of
from bidui.grammar.count import Count, count_assignments
from bidui.grammar.draw import Draw, choices_of, draw_even, draw_uniform, enumerate_pairs
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, chosen_uids
from bidui.pairs import Pair, Pairs, Short

Drawing = Literal["even", "uniform"]
ENUMERATED = 1_000_000  # pairs that are counted one by one where a formula could be wrong
FRAMES = 5_000  # choices of alternatives under which they are


class Source(Protocol):
    """Anything that makes pairs: a name, its paradigms by uid, and the pairs of some of them from a seed."""

    @property
    def name(self) -> str:
        """The name that a manifest records."""

    @property
    def inputs(self) -> Mapping[str, str]:
        """The files that the pairs depend on, each with its SHA-256."""

    @property
    def uids(self) -> Mapping[str, bool]:
        """The uid of every paradigm, and whether it is included by default."""

    def pairs(self, uids: Sequence[str], *, n: int, seed: int, draw: Drawing) -> Iterator[Pairs]:
        """Yield up to `n` pairs of each paradigm, in the order of `uids`; the same seed gives the same pairs."""


@dataclass(frozen=True, slots=True)
class ProjectSource:
    """A project as a source of pairs."""

    project: Project

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.project.settings.name

    @property
    def inputs(self) -> Mapping[str, str]:
        """The files of the project, each with its SHA-256."""
        return self.project.inputs

    @property
    def uids(self) -> Mapping[str, bool]:
        """The uid of every paradigm, and whether its status is `included`."""
        return {paradigm.uid: paradigm.status == "included" for paradigm in self.project.paradigms}

    def pairs(self, uids: Sequence[str], *, n: int, seed: int, draw: Drawing) -> Iterator[Pairs]:
        """Yield the pairs of each paradigm; all are compiled first, so that all errors are reported together."""
        compiler = Compiler.of(self.project)
        compiled: list[tuple[Paradigm, list[Network]]] = []
        with all_problems() as problems:
            for paradigm in map(self.project.paradigm, uids):
                with collect(problems):
                    compiled.append((paradigm, compiler.networks(paradigm)))
        for paradigm, networks in compiled:
            yield generate(paradigm, networks, n=n, seed=seed, draw=draw)


def generate_from(
    source: Source | Project,
    *,
    n: int = 300,
    seed: int = 0,
    draw: Drawing = "even",
    only: Sequence[str] = (),
    include_excluded: bool = False,
    on_paradigm: Callable[[str], None] = lambda uid: None,
) -> Pairs:
    """Return up to `n` pairs of each paradigm; `.short` lists the paradigms that have fewer, and why."""
    source = ProjectSource(source) if isinstance(source, Project) else source
    uids = chosen_uids(source.uids, only=only, excluded=include_excluded)
    pairs: list[Pair] = []
    short: list[Short] = []
    for uid, drawn in zip(uids, source.pairs(uids, n=n, seed=seed, draw=draw), strict=True):
        pairs += drawn
        short += drawn.short
        on_paradigm(uid)
    return Pairs(tuple(pairs), tuple(short))


def generate(paradigm: Paradigm, networks: Sequence[Network], *, n: int, seed: int, draw: Drawing = "even") -> Pairs:
    """Draw `n` pairs of one compiled paradigm; the first 300 of 1,000 are the 300 that a request for 300 gives."""
    drawn = islice(draws(paradigm, networks, seed=seed, draw=draw), n)
    pairs = tuple(as_pair(each, paradigm, number) for number, each in enumerate(drawn))
    if len(pairs) == n:
        return Pairs(pairs)
    reason = "\n".join(map(str, diagnose(networks, asked=n, given=len(pairs))))
    return Pairs(pairs, (Short(asked=n, given=len(pairs), uid=paradigm.uid, reason=reason),))


def draws(paradigm: Paradigm, networks: Sequence[Network], *, seed: int, draw: Drawing = "even") -> Iterator[Draw]:
    """Yield the draws of one paradigm; they depend on the seed and the uid, not on other paradigms."""
    digest = sha256(f"bidui 1\0{seed}\0{paradigm.uid}".encode())
    return draw_uniform(networks, seed=digest) if draw == "uniform" else draw_even(networks, seed=digest)


def as_pair(draw: Draw, paradigm: Paradigm, number: int) -> Pair:
    """Write out a draw."""
    return draw.printer.pair(draw.values, draw.pieces, uid=paradigm.uid, phenomenon=paradigm.phenomenon, number=number)


def count_pairs(networks: Sequence[Network]) -> Count:
    """Count the distinct pairs.

    The tables give the exact number, unless two fillings might print one pair, good might equal bad, or a seam might
    arise. Then pairs are counted one by one up to a million; beyond that the number is an upper bound.
    """
    counts = [count_assignments(network) for network in networks]
    total = sum(count.value for count in counts)
    exact = all(count.exact for count in counts)
    certain = exact and not any(could_break(network) or could_be_equal(network) for network in networks)
    if certain and not could_repeat(networks):
        return Count(total)
    if total > ENUMERATED and exact:
        return Count(total, exact=False)
    if sum(1 for network in networks for _ in islice(choices_of(network), FRAMES + 1)) > FRAMES:
        return Count(total, exact=False)
    enumerated = sum(1 for _ in islice(enumerate_pairs(networks), ENUMERATED + 1))
    return Count(enumerated) if enumerated <= ENUMERATED else Count(total, exact=False)


def count(project: Project, uid: str) -> Count:
    """Return how many distinct pairs a paradigm has."""
    return count_pairs(Compiler.of(project).networks(project.paradigm(uid)))


def enumerate_all(project: Project, uid: str) -> Iterator[Pair]:
    """Yield every distinct pair of a paradigm, in a fixed order."""
    paradigm = project.paradigm(uid)
    for number, draw in enumerate(enumerate_pairs(Compiler.of(project).networks(paradigm))):
        yield as_pair(draw, paradigm, number)


# Diagnosis: why a paradigm has fewer pairs than requested.


def diagnose(networks: Sequence[Network], *, asked: int, given: int) -> list[Problem]:
    """Return the reasons, most telling first: links that share nothing, then what each rule costs."""
    place = networks[0].variant.place
    for network in networks:
        network.number_keys()
    problems = [Problem("short-of-pairs", place, {"asked": asked, "given": given})]
    for network in networks:
        problems += _empty_links(network)
    if len(problems) == 1:
        for network in networks:
            problems += _costs(network)
            problems += _tight_links(network)
    return distinct(problems)


def _empty_links(network: Network) -> Iterator[Problem]:
    """Yield the links under which no two words go together at all."""
    for constraint in network.constraints:
        if constraint.kind != "relation" and len(constraint.members) == 2 and not any(constraint.compatible(0, 1)):
            mine, theirs = (sorted(values_of(frozenset().union(*m.keys))) or ["∅"] for m in constraint.members)
            target = constraint.members[1].leaves[0].path
            values = {"link": constraint.text, "mine": mine, "theirs": theirs, "target": target}
            kind = "link-shares-nothing" if constraint.kind == "share" else "link-never-differs"
            yield Problem(kind, constraint.place, values)


def _costs(network: Network) -> Iterator[Problem]:
    """Yield each rule without which there would be more fillings, with how many."""
    now = count_assignments(network).value
    place = network.variant.place

    if network.conflicts and (more := count_assignments(replace(network, conflicts=[])).value) > now:
        yield Problem("short-by-distinctness", place, {"now": now, "more": more})
    if network.equal_length and (more := count_assignments(replace(network, equal_length=False)).value) > now:
        yield Problem("short-by-length", place, {"now": now, "more": more})
    for constraint in network.constraints:
        others = [other for other in network.constraints if other is not constraint]
        if (more := count_assignments(replace(network, constraints=others)).value) > now:
            yield Problem("short-by-link", constraint.place, {"link": constraint.text, "now": now, "more": more})


def _tight_links(network: Network) -> Iterator[Problem]:
    """Yield, for each leaf, how many words fit its rule, and how many of them have a partner under each link."""
    for column in network.columns:
        total = len(column.domain.words)
        if total == 1 and not column.ends:
            continue
        slot = column.leaf.path
        yield Problem("short-words", column.leaf.place, {"slot": slot, "words": total})
        for end, (constraint, number) in enumerate(column.ends):
            if len(constraint.members) != 2:
                continue
            compatible = constraint.compatible(number, 1 - number)
            groups = zip(column.keys, column.domain.groups, strict=True)
            left = sum(len(group) for keys, group in groups if compatible[keys[end]])
            if left < total:
                values = {"slot": slot, "words": total, "left": left, "link": constraint.text}
                yield Problem("short-partners", constraint.place, values)
