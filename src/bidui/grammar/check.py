"""Checks: every problem of a project in one run, in its files and in the pairs that it makes.

The answer does not depend on the machine: the checks of paradigms against each other count steps, not seconds.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal

from bidui.errors import InputError, Place, Problem, distinct
from bidui.grammar.crossing import Grammar, meetings
from bidui.grammar.draw import Draw, choices_of
from bidui.grammar.frames import line_parts
from bidui.grammar.generate import count_pairs, diagnose, draws
from bidui.grammar.lexicon import literal_problems, rule_problems
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import EDITS, Paradigm, Slot
from bidui.grammar.printing import align, edit_kinds, tokens_of
from bidui.grammar.project import Project, chosen, setting_problems
from bidui.pairs.pair import writing_of

Stage = Literal["paradigms", "comparisons"]
ENOUGH = 1_000  # distinct pairs that a paradigm should have
SAMPLE = 300
MAX_FRAMES = 200
STEPS_PER_SECOND = 100_000  # steps that an ordinary machine takes in a second


@dataclass
class _Compiled:
    """A paradigm with its networks and, drawn when first needed, some of its pairs."""

    paradigm: Paradigm
    networks: list[Network]

    @cached_property
    def drawn(self) -> list[Draw]:
        return list(islice(draws(self.paradigm, self.networks, seed=0), ENOUGH))

    @property
    def sample(self) -> list[Draw]:
        return self.drawn[:SAMPLE]


def check_project(
    project: Project,
    *,
    only: Sequence[str] = (),
    seconds: float = 100,
    on_progress: Callable[[Stage, int, int], None] = lambda stage, done, total: None,
) -> list[Problem]:
    """Return every problem, errors and warnings.

    The checks of paradigms against each other take as many steps as an ordinary machine does in `seconds` seconds; 0
    skips them. With `only`, paradigms are checked if their uids match one of these globs; the files always are.
    `on_progress` is called with the stage and how many of its paradigms, or comparisons of two, are done.
    """
    problems = _with_new(project.problems, _rules(project, project.loose))
    problems += _literals(project, only)
    problems += setting_problems(project)
    problems += _short_seams(project.settings.seams, Place("project.yaml"))
    compiler = Compiler.of(project)
    compiled: list[_Compiled] = []
    if not project.paradigms and not any(problem.place.file.startswith("paradigms") for problem in project.errors):
        problems.append(Problem("paradigms-none", Place("paradigms")))
    paradigms = chosen(project.paradigms, only=only, excluded=True) if only or project.paradigms else ()
    for done, paradigm in enumerate(paradigms):
        on_progress("paradigms", done, len(paradigms))
        try:
            compiled.append(_Compiled(paradigm, compiler.networks(paradigm)))
        except InputError as error:
            slots = [slot for variant in paradigm.variants for slot in variant.slots.values()]
            problems += _with_new(error.problems, _rules(project, slots))
            continue
        problems += _paradigm_problems(compiled[-1], lang=project.settings.lang)
    if len(compiled) == len(project.paradigms):  # otherwise words might seem unused
        problems += _unused_words(project, [network for each in compiled for network in each.networks])
        problems += _repeated_pairs(compiled)
    if seconds > 0:
        problems += _crossings(compiled, seconds=seconds, on_progress=on_progress)
    return list(_independent(project, problems))


def _rules(project: Project, slots: Iterable[Slot]) -> Iterator[Problem]:
    """Yield the problems of rules by themselves, so that one mistake in a file does not hide the others."""
    for slot in slots:
        yield from rule_problems(slot.rule, slot.place, lexicon=project.lexicon, phrases=project.phrases)


def _literals(project: Project, only: Sequence[str]) -> Iterator[Problem]:
    """Yield warnings about words that look like something else, in phrases and in the paradigms that are checked."""
    separator = project.settings.separator
    parts = [slot for p in project.phrases.values() for a in p.alternatives for slot in a.parts.values()]
    slots = [(slot, separator) for slot in (*project.loose, *parts)]
    for paradigm in chosen(project.paradigms, only=only, excluded=True) if project.paradigms else ():
        own = separator if paradigm.separator is None else paradigm.separator
        slots += [(slot, own) for variant in paradigm.variants for slot in variant.slots.values()]
    for slot, own in slots:
        yield from literal_problems(slot.rule, slot.place, lexicon=project.lexicon, separator=own)


def _with_new(problems: Iterable[Problem], others: Iterable[Problem]) -> list[Problem]:
    """Return the problems, and those among the others that report something new."""
    first = list(problems)
    reported = {(problem.kind, problem.place) for problem in first}
    return first + [problem for problem in distinct(others) if (problem.kind, problem.place) not in reported]


def _paradigm_problems(compiled: _Compiled, *, lang: str) -> Iterator[Problem]:
    """Yield the problems of one paradigm: metadata, edit, number of pairs, words that mark a side.

    Chinese projects say what a paradigm is about in English and Chinese; others say it in one language, any of them.
    """
    paradigm, networks = compiled.paradigm, compiled.networks
    place = paradigm.place
    about = paradigm.about
    example = {"good", "bad"} <= paradigm.example.keys()
    given: dict[str, object] = {"about.en": "en" in about, "about.zh": "zh" in about}
    if writing_of(lang).language != "zh":
        given = {"about": about}
    given |= {"example": example, "edit": paradigm.edit}
    if missing := [key for key, value in given.items() if not value]:
        yield Problem("about-missing", place, {"keys": missing}, "warning")
    yield from _short_seams(paradigm.seams, place)
    derived = derived_edit(networks)
    if paradigm.edit and derived != paradigm.edit:
        values = {"declared": "+".join(paradigm.edit), "derived": "+".join(derived)}
        yield Problem("edit-differs", place, values)
    if len(compiled.drawn) < ENOUGH:  # otherwise there are enough, and to count them all may take much longer
        yield from _few_pairs(compiled)
    yield from _one_sided(compiled)


def _few_pairs(compiled: _Compiled) -> Iterator[Problem]:
    """Yield what is wrong with the number of pairs of a paradigm that may have too few."""
    paradigm, networks = compiled.paradigm, compiled.networks
    count = count_pairs(networks, most=ENOUGH)
    if count.value == 0:
        yield Problem("no-pairs", paradigm.place)
        yield from diagnose(networks, asked=1, given=0)[1:]
    elif not count.exact and not count.least and not compiled.drawn:
        yield Problem("pairs-undecided", paradigm.place, {"most": count.value}, "warning")
    elif count.exact and count.value < ENOUGH and not paradigm.closed_class:
        yield Problem("few-pairs", paradigm.place, {"count": count.value, "enough": ENOUGH}, "warning")


def _short_seams(seams: Sequence[str], place: Place) -> Iterator[Problem]:
    """Yield a warning about the seams of one character or none, which cannot arise where two items meet."""
    if short := [seam for seam in seams if len(seam) < 2]:
        yield Problem("seam-short", place, {"seams": short}, "warning")


def derived_edit(networks: Sequence[Network]) -> tuple[str, ...]:
    """Return the kinds of edit that turn good into bad, over all variants and alternatives."""
    kinds: set[str] = set()
    for network in networks:
        if network.token_changes is not None:
            kinds |= set(edit_kinds(network.token_changes))
            continue
        for choices in islice(choices_of(network), MAX_FRAMES):
            good, bad = ([item for items in line for item in items] for line in line_parts(network, choices))
            kinds |= set(edit_kinds(align(tokens_of(good), tokens_of(bad))))
    return tuple(edit for edit in EDITS if edit in kinds)


def _one_sided(compiled: _Compiled) -> Iterator[Problem]:
    """Yield words that only one side of an agreement has: they distinguish the sides without any grammar."""
    paradigm = compiled.paradigm
    if paradigm.edit != ("agreement",) or paradigm.one_sided:
        return
    sides: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for draw in compiled.sample:
        for side, pieces in enumerate(draw.pieces):
            for at, first, last, _, _ in draw.printer.spans:
                if at == side:
                    sides[side]["".join(pieces[first : last + 1])] += 1
    for side, name in ((0, "good"), (1, "bad")):
        only = sorted(word for word, n in sides[side].items() if n >= SAMPLE // 30 and not sides[1 - side][word])
        if only:
            yield Problem("one-sided-words", paradigm.place, {"side": name, "words": only}, "warning")


def _unused_words(project: Project, networks: Sequence[Network]) -> Iterator[Problem]:
    """Yield a warning about the words that no slot of any paradigm can hold.

    Of words that were taken from trees, or with the lexicon of a benchmark, many need not fit.
    """
    if project.settings.derived_from:
        return
    columns = [column for network in networks for column in network.columns]
    used = {word.index for column in columns for words in column.domain.words for word in words}
    given = set(project.settings.tables.values())
    unused = [word.form for word in project.lexicon.words if word.index not in used and word.file not in given]
    if unused and networks:
        place = Place(project.lexicon.name)
        yield Problem("words-unused", place, {"count": len(unused), "words": unused}, "warning")


def _repeated_pairs(compiled: Sequence[_Compiled]) -> Iterator[Problem]:
    """Yield pairs that two paradigms both make, among the first pairs of each."""
    seen: dict[tuple[str, str], Paradigm] = {}
    reported = set()
    for each in compiled:
        paradigm = each.paradigm
        for draw in each.sample:
            pair = draw.printer.sentences(draw.pieces)
            other = seen.setdefault(pair, paradigm)
            if other is not paradigm and (other.uid, paradigm.uid) not in reported:
                reported.add((other.uid, paradigm.uid))
                yield Problem("pair-in-two", paradigm.place, {"other": other.uid, "good": pair[0], "bad": pair[1]})


def _crossings(
    compiled: Sequence[_Compiled], *, seconds: float, on_progress: Callable[[Stage, int, int], None]
) -> Iterator[Problem]:
    """Yield bad sentences that a good grammar of the project derives; excluded paradigms are exempt."""
    places = {each.paradigm.uid: each.paradigm.place for each in compiled}
    included = [Grammar(c.paradigm.uid, c.networks) for c in compiled if c.paradigm.status == "included"]
    undecided: list[str] = []
    compared = meetings(included, steps=round(seconds * STEPS_PER_SECOND))
    for done, meeting in enumerate(compared, start=1):
        on_progress("comparisons", done, len(included) ** 2)
        if meeting.outcome == "found":
            values = {"sentence": meeting.sentence, "good": meeting.good_uid}
            yield Problem("bad-is-good", places[meeting.bad_uid], values)
        elif meeting.outcome == "undecided":
            undecided.append(f"{meeting.bad_uid} → {meeting.good_uid}")
    if undecided:
        left = {"seconds": f"{seconds:g}", "count": len(undecided), "pairs": undecided}
        yield Problem("crossing-undecided", Place(), left, "warning")


_OF_LEXICON = {"feature-unknown", "value-unknown", "no-word-fits", "literal-not-in-lexicon", "relation-values"}


def _independent(project: Project, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems that do not just follow from a file that could not be read: one mistake, one message."""
    errors = [problem for problem in project.problems if problem.severity == "error"]
    files = {problem.place.file for problem in errors}
    no_lexicon = not project.lexicon.features and any(file.startswith("lexicon") for file in files)
    no_phrases = any(problem.place.file == "phrases.yaml" and not problem.place.part for problem in errors)
    broken = {problem.place.part for problem in errors if problem.place.file == "phrases.yaml"}
    for problem in problems:
        name, relation = problem.values.get("phrase"), problem.values.get("relation")
        named = relation in project.settings.relations or f"relations/{relation}.tsv" in files
        follows = {
            "relation-unknown": named or "project.yaml" in files,
            "phrase-unknown": no_phrases or any(f'phrase "{name}"' in part for part in broken),
        }
        if not follows.get(problem.kind, problem.kind in _OF_LEXICON and no_lexicon):
            yield problem
