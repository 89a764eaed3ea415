"""Previews: some pairs of a paradigm's text, how many there are, and, where they are few, the reason in words."""

from dataclasses import dataclass
from itertools import islice

from bidui.errors import Place, Problem
from bidui.grammar.checks import ENOUGH, derived_edit
from bidui.grammar.diagnosis import diagnose
from bidui.grammar.generation import as_pair, count_pairs, draws
from bidui.pairs import Pair
from bidui.web.editing.diagnostics import Compiled, Diagnostic, located

MAX_PAIRS = 100


@dataclass(frozen=True, slots=True)
class Preview:
    """Pairs with their differing regions; `complete` says that there are no more than these.

    `named` are the uid and phenomenon of a text that can be read: other files may have something against them.
    """

    seed: int
    pairs: tuple[Pair, ...] = ()
    complete: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    named: tuple[str, str] | None = None


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
    named = (paradigm.uid, paradigm.phenomenon) if paradigm else None
    if compiled.broken or paradigm is None:
        return Preview(seed, diagnostics=located(text, problems, name=name), named=named)
    n = max(0, min(n, MAX_PAIRS))
    drawn = list(islice(draws(paradigm, compiled.networks, seed=seed), n + 1))
    pairs = tuple(as_pair(draw, paradigm, number) for number, draw in enumerate(drawn[:n]))
    derived = derived_edit(compiled.networks)
    if paradigm.edit and derived != paradigm.edit:
        values = {"declared": "+".join(paradigm.edit), "derived": "+".join(derived)}
        problems.append(Problem("edit-differs", paradigm.place, values))
    return Preview(seed, pairs, len(drawn) <= n, located(text, problems, name=name), named)


def counted(compiled: Compiled, text: str, *, name: str, enough: int = ENOUGH) -> Counted:
    """The number of pairs, which may take long; with fewer than `enough`, the reasons, unless the file gives one."""
    if compiled.broken or compiled.paradigm is None:
        return Counted(0, True, located(text, compiled.problems, name=name))
    count = count_pairs(compiled.networks)
    few = count.exact and count.value < enough
    if not few or (count.value and compiled.paradigm.closed_class):
        return Counted(count.value, count.exact)
    reasons = [_telling(count.value, enough, compiled.paradigm.place)]
    reasons += diagnose(compiled.networks, asked=enough, given=count.value)[1:]  # the first says that it is short
    # the plain numbers of words that fit each rule stand in the rows
    return Counted(count.value, True, located(text, [r for r in reasons if r.kind != "short-words"], name=name))


def _telling(count: int, enough: int, place: Place) -> Problem:
    """What is short; nobody has asked for a number of pairs."""
    if count == 0:
        return Problem("pairs-no", place)
    return Problem("pairs-few", place, {"count": count, "enough": enough}, "warning")
