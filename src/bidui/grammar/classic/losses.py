"""What an import leaves out on purpose: pairs that the original made and our stricter rules do not."""

from collections.abc import Sequence
from copy import copy

from bidui.errors import InputError, Place, Problem
from bidui.grammar.counting import count_assignments
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project


def losses(project: Project) -> list[Problem]:
    """A warning for each paradigm of which the original would have made more pairs, with how many."""
    compiler = Compiler.of(project)
    found: list[Problem] = []
    for paradigm in project.paradigms:
        try:
            networks = compiler.networks(paradigm)
        except InputError as error:
            found += error.problems
            continue
        problem = lost_pairs(paradigm, networks)
        if problem is not None:
            found.append(problem)
    return found


def lost_pairs(paradigm: Paradigm, networks: Sequence[Network]) -> Problem | None:
    """The warning for one compiled paradigm, or None if nothing is lost."""
    ours = [count_assignments(network) for network in networks]
    original = [count_assignments(_loosened(network)) for network in networks]
    here, there = sum(count.value for count in ours), sum(count.value for count in original)
    if here >= there or not all(count.exact for count in ours):
        return None
    values = {"uid": paradigm.uid, "lost": there - here, "original": there, "ours": here}
    return Problem("classic-pairs-lost", Place(paradigm.place.file), values, "warning")


def _loosened(network: Network) -> Network:
    """The network as the original would read it: words may occur twice, and a mismatch is any other value."""
    loose = copy(network)
    loose.conflicts = [conflict for conflict in network.conflicts if conflict.sides]
    loose.constraints = []
    twins = {}
    for constraint in network.constraints:
        twin = copy(constraint)
        twin.pairs = {}
        twin.weak = constraint.kind == "mismatch"
        twins[constraint] = twin
        loose.constraints.append(twin)
    loose.columns = []
    for column in network.columns:
        other = copy(column)
        other.ends = [(twins[constraint], member) for constraint, member in column.ends]
        other.known_keys = None
        loose.columns.append(other)
    return loose
