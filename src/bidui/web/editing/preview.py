"""Previews: some pairs of a paradigm's text, how many there are, and, where they are few, the reason in words."""

from dataclasses import dataclass, replace
from itertools import islice

from bidui.errors import InputError, Place, Problem
from bidui.grammar.checks import ENOUGH, derived_edit
from bidui.grammar.diagnosis import diagnose
from bidui.grammar.generation import as_pair, count_pairs, draws
from bidui.pairs import Pair
from bidui.web.editing.diagnostics import Compiled, Diagnostic, located
from bidui.web.editing.paradigm_rows import ParadigmRows, read_rows
from bidui.web.editing.slot_words import SlotWords

MAX_PAIRS = 100


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything a page shows of a paradigm's text: its pairs, rows, the words of each slot, and what is wrong.

    `complete` means that the text has no more pairs than these. `problems` say why there are no rows (the text is not
    YAML) or no pairs (drawing them took too long). `named` are the uid and phenomenon of a text that can be read, to
    be compared with those of other files.
    """

    seed: int
    pairs: tuple[Pair, ...] = ()
    complete: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    named: tuple[str, str] | None = None
    rows: ParadigmRows | None = None
    words: tuple[SlotWords, ...] = ()
    problems: tuple[Problem, ...] = ()


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


def with_rows(preview: Preview, text: str) -> Preview:
    """The preview with the rows of its text, or with the reason why it has none."""
    try:
        return replace(preview, rows=read_rows(text))
    except InputError as error:
        return replace(preview, problems=(*preview.problems, *error.problems))


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
