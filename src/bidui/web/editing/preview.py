"""Previews: some pairs of a paradigm's text, how many there are, and, where they are few, the reason in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from bidui.errors import Problem
from bidui.grammar.checks import ENOUGH, derived_edit
from bidui.grammar.diagnosis import diagnose
from bidui.grammar.generation import as_pair, count_pairs, draws
from bidui.pairs import Pair
from bidui.web.editing.diagnostics import Compiled, Diagnostic, located

MAX_PAIRS = 100


@dataclass(frozen=True, slots=True)
class Preview:
    """Pairs with their differing regions; `complete` says that there are no more than these."""

    seed: int
    pairs: tuple[Pair, ...] = ()
    complete: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """How many distinct pairs there are, exactly or at most, and why there are not more where they are few."""

    value: int
    exact: bool
    reasons: tuple[Diagnostic, ...] = ()


def preview(compiled: Compiled, text: str, *, name: str, n: int = 10, seed: int = 0) -> Preview:
    """`n` pairs drawn from a seed; another sample is the next seed. Of a broken text, what is wrong with it."""
    problems = list(compiled.problems)
    paradigm = compiled.paradigm
    if compiled.broken or paradigm is None:
        return Preview(seed, diagnostics=located(text, problems, name=name))
    n = max(0, min(n, MAX_PAIRS))
    drawn = list(islice(draws(paradigm, compiled.networks, seed=seed), n + 1))
    pairs = tuple(as_pair(draw, paradigm, number) for number, draw in enumerate(drawn[:n]))
    derived = derived_edit(compiled.networks)
    if paradigm.edit and derived != paradigm.edit:
        values = {"declared": "+".join(paradigm.edit), "derived": "+".join(derived)}
        problems.append(Problem("edit-differs", paradigm.place, values))
    return Preview(seed, pairs, len(drawn) <= n, located(text, problems, name=name))


def counted(compiled: Compiled, text: str, *, name: str, enough: int = ENOUGH) -> Counted:
    """The number of pairs, which may take long; with fewer than `enough`, the reasons."""
    if compiled.broken or compiled.paradigm is None:
        return Counted(0, True, located(text, compiled.problems, name=name))
    count = count_pairs(compiled.networks)
    if not count.exact or count.value >= enough:
        return Counted(count.value, count.exact)
    reasons = diagnose(compiled.networks, asked=enough, given=count.value)
    return Counted(count.value, True, located(text, _telling(reasons), name=name))


def _telling(reasons: Sequence[Problem]) -> list[Problem]:
    """Without the plain numbers of words that fit each rule, which stand in the rows."""
    return [reason for reason in reasons if reason.kind != "short-words"]
