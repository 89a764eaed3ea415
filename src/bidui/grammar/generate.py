"""Generation: pairs of paradigms, each drawn from a seed of its own, with the reason where there are too few.

`generate_from` takes any source of pairs. A project is one; anything else that can make the pairs of a paradigm from a
seed, such as paradigms over treebank trees, is one as soon as it has the members of `Source`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, Protocol

from bidui.errors import Problem, all_problems, collect, distinct, fail
from bidui.files import sha256
from bidui.grammar.ambiguity import could_be_equal, could_break, could_repeat
from bidui.grammar.budget import OutOfSteps
from bidui.grammar.constraints import Constraint, values_of
from bidui.grammar.count import MAX_STEPS, Count, count_assignments
from bidui.grammar.draw import Draw, choices_of, draw_even, draw_uniform, enumerate_pairs
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, chosen_uids
from bidui.pairs import Origin, Pair, Pairs, Short

Drawing = Literal["even", "uniform"]
ENUMERATED = 1_000_000  # pairs that are counted one by one where a formula could be wrong
FRAMES = 5_000  # choices of alternatives under which they are
MANY = 10_000  # pairs beyond which a page need not know the exact number


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
        return {paradigm.uid: paradigm.status != "excluded" for paradigm in self.project.paradigms}

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
    return Pairs(tuple(pairs), tuple(short), benchmarks=(origin_of(source),))


def origin_of(source: Source) -> Origin:
    """Return what manifests say of a source: its name, the version of a project, and one hash of all its files."""
    version = source.project.settings.version if isinstance(source, ProjectSource) else ""
    return Origin(source.name, version, inputs_hash(source.inputs))


def inputs_hash(inputs: Mapping[str, str]) -> str:
    """Return one hash of files, from the hash of each by its name."""
    return sha256("".join(f"{name}\t{digest}\n" for name, digest in sorted(inputs.items())).encode())


def generate(paradigm: Paradigm, networks: Sequence[Network], *, n: int, seed: int, draw: Drawing = "even") -> Pairs:
    """Draw `n` pairs of one compiled paradigm; the first 300 of 1,000 are the 300 that a request for 300 gives."""
    given_up: list[bool] = []
    drawn = islice(draws(paradigm, networks, seed=seed, draw=draw, on_give_up=lambda: given_up.append(True)), n)
    pairs = tuple(as_pair(each, paradigm, number) for number, each in enumerate(drawn))
    if len(pairs) == n:
        return Pairs(pairs)
    reason = "\n".join(map(str, diagnose(networks, asked=n, given=len(pairs), complete=not given_up)))
    return Pairs(pairs, (Short(asked=n, given=len(pairs), uid=paradigm.uid, reason=reason),))


def draws(
    paradigm: Paradigm,
    networks: Sequence[Network],
    *,
    seed: int,
    draw: Drawing = "even",
    on_give_up: Callable[[], None] = lambda: None,
) -> Iterator[Draw]:
    """Yield the draws of one paradigm; they depend on the seed and the uid, not on other paradigms.

    `on_give_up` is called at the end if the search for more pairs was given up.
    """
    digest = sha256(f"bidui 1\0{seed}\0{paradigm.uid}".encode())
    if draw == "uniform":
        return draw_uniform(networks, seed=digest)
    return draw_even(networks, seed=digest, on_give_up=on_give_up)


def as_pair(draw: Draw, paradigm: Paradigm, number: int) -> Pair:
    """Write out a draw."""
    return draw.printer.pair(draw.values, draw.pieces, uid=paradigm.uid, phenomenon=paradigm.phenomenon, number=number)


def count_pairs(networks: Sequence[Network], *, most: int = ENUMERATED) -> Count:
    """Count the distinct pairs.

    The tables give the exact number, unless two fillings might print one pair, good might equal bad, or a seam might
    arise. Then pairs are counted one by one up to `most`; beyond that the number is an upper bound, and those found
    are a lower bound. So they are where that takes too many steps. More than `MANY` are only counted one by one where
    that may lead to an exact number.
    """
    counts = [count_assignments(network) for network in networks]
    total = sum(count.value for count in counts)
    exact = all(count.exact for count in counts)
    certain = exact and not any(could_break(network) or could_be_equal(network) for network in networks)
    repeats = could_repeat(networks)
    if certain and not repeats:
        return Count(total)
    if most > MANY and ((exact and total > most) or _has_many_frames(networks)):
        return Count(total, exact=False)
    enumerated = 0
    try:
        for _ in islice(enumerate_pairs(networks, repeats=repeats), most + 1):
            enumerated += 1
    except OutOfSteps:
        return Count(total, exact=False, least=enumerated)
    return Count(enumerated) if enumerated <= most else Count(total, exact=False, least=enumerated)


def _has_many_frames(networks: Sequence[Network]) -> bool:
    return sum(1 for network in networks for _ in islice(choices_of(network), FRAMES + 1)) > FRAMES


def count(project: Project, uid: str) -> Count:
    """Return how many distinct pairs a paradigm has."""
    return count_pairs(Compiler.of(project).networks(project.paradigm(uid)))


def enumerate_all(project: Project, uid: str) -> Iterator[Pair]:
    """Yield every distinct pair of a paradigm, in a fixed order; raise `InputError` if the search is given up."""
    paradigm = project.paradigm(uid)
    number = 0
    try:
        for draw in enumerate_pairs(Compiler.of(project).networks(paradigm)):
            yield as_pair(draw, paradigm, number)
            number += 1
    except OutOfSteps:
        raise fail("enumeration-given-up", paradigm.place, {"given": number}) from None


# Diagnosis: why a paradigm has fewer pairs than requested.


def diagnose(networks: Sequence[Network], *, asked: int, given: int, complete: bool = True) -> list[Problem]:
    """Return the reasons, most telling first: links that share nothing, then what each rule costs.

    The first says how many pairs there are, or how many were found where the search was not `complete`.
    """
    place = networks[0].variant.place
    for network in networks:
        network.number_keys()
    problems = [Problem("short-of-pairs", place, {"asked": asked, "given": given})]
    if not complete:
        problems = [Problem("short-given-up", place, {"asked": asked, "given": given})]
    for network in networks:
        problems += _empty_links(network)
    if len(problems) == 1:
        for network in networks:
            problems += _costs(network, none=complete and not given)
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


def _costs(network: Network, *, none: bool) -> Iterator[Problem]:
    """Yield each rule without which there would be more fillings, with how many; `none`: there are none now."""
    steps = MAX_STEPS // (len(network.constraints) + 3)  # for each of the counts

    def count(changed: Network, *without: Constraint) -> Count:
        return count_assignments(changed, without=frozenset(without), steps=steps)

    now = Count(0) if none else count(network)
    place = network.variant.place
    if not now.exact:  # an upper bound says nothing about what a rule costs
        return
    if network.conflicts and (more := count(replace(network, conflicts=[])).value) > now.value:
        yield Problem("short-by-distinctness", place, {"now": now.value, "more": more})
    if network.equal_length and (more := count(replace(network, equal_length=False)).value) > now.value:
        yield Problem("short-by-length", place, {"now": now.value, "more": more})
    for constraint in network.constraints:
        if (more := count(network, constraint).value) > now.value:
            values = {"link": constraint.text, "now": now.value, "more": more}
            yield Problem("short-by-link", constraint.place, values)


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
