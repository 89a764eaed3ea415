"""Checks: every problem of a project in one run, in its files and in the pairs that follow from them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from bidui.errors import InputError, Place, Problem, distinct
from bidui.grammar.crossing import Grammar, Meeting, meetings
from bidui.grammar.draw import choices_of
from bidui.grammar.frames import make_frame
from bidui.grammar.generate import count_pairs, diagnose, draws
from bidui.grammar.lexicon import rule_problems
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import EDITS, Paradigm, Slot
from bidui.grammar.printing import align, edit_kinds, tokens_of
from bidui.grammar.project import Project, chosen, independent

ENOUGH = 1_000  # distinct pairs that a paradigm should have
SAMPLE = 300
MAX_FRAMES = 200
STEPS_PER_SECOND = 100_000  # of an ordinary machine; counted, so that all machines give the same answer


def check_project(project: Project, *, only: Sequence[str] = (), seconds: float = 100) -> list[Problem]:
    """Every problem found, errors and warnings; `seconds` bounds the checks of paradigms against each other.

    With `only`, what is said of paradigms is said of these uids (globs work); the files are read all the same.
    """
    problems = _also(project.problems, _rules(project, project.loose))
    compiler = Compiler.of(project)
    compiled: list[tuple[Paradigm, list[Network]]] = []
    paradigms = chosen(project.paradigms, only=only, excluded=True)
    for paradigm in paradigms:
        try:
            compiled.append((paradigm, compiler.networks(paradigm)))
        except InputError as error:
            slots = [slot for variant in paradigm.variants for slot in variant.slots.values()]
            problems += _also(error.problems, _rules(project, slots))
            continue
        problems += check_paradigm(*compiled[-1])
    if len(compiled) == len(project.paradigms):  # else words might seem unused
        problems += _unused_words(project, [network for _, networks in compiled for network in networks])
        problems += _repeated_pairs(compiled)
    if seconds > 0:
        problems += _crossings(compiled, seconds=seconds)
    return list(independent(project, problems))


def _rules(project: Project, slots: Iterable[Slot]) -> Iterator[Problem]:
    """What is wrong with rules by themselves, so that one mistake in a file does not hide the others."""
    for slot in slots:
        yield from rule_problems(slot.rule, slot.place, lexicon=project.lexicon, phrases=project.phrases)


def _also(problems: Iterable[Problem], more: Iterable[Problem]) -> list[Problem]:
    """Problems, and those among others that say something new."""
    found = list(problems)
    said = {(problem.kind, problem.place) for problem in found}
    return found + [problem for problem in distinct(more) if (problem.kind, problem.place) not in said]


def check_paradigm(paradigm: Paradigm, networks: Sequence[Network]) -> Iterator[Problem]:
    """What can be said of one paradigm: metadata, edit, number of pairs, words that mark a side."""
    place = paradigm.place
    missing = [
        key for key, there in (("about.en", "en" in paradigm.about), ("about.zh", "zh" in paradigm.about)) if not there
    ]
    missing += ["example"] if not paradigm.example else []
    missing += ["edit"] if not paradigm.edit else []
    if missing:
        yield Problem("about-missing", place, {"keys": missing}, "warning")
    derived = derived_edit(networks)
    if paradigm.edit and derived != paradigm.edit:
        values = {"declared": "+".join(paradigm.edit), "derived": "+".join(derived)}
        yield Problem("edit-differs", place, values)
    count = count_pairs(networks)
    if count.value == 0:
        yield Problem("no-pairs", place)
        yield from diagnose(networks, asked=1, given=0)[1:]
    elif count.exact and count.value < ENOUGH and not paradigm.closed_class:
        yield Problem("few-pairs", place, {"count": count.value, "enough": ENOUGH}, "warning")
    yield from _one_sided(paradigm, networks)


def derived_edit(networks: Sequence[Network]) -> tuple[str, ...]:
    """The kinds of edit that turn good into bad, over all variants and alternatives."""
    found: set[str] = set()
    for network in networks:
        if network.token_changes is not None:
            found |= set(edit_kinds(network.token_changes))
            continue
        for choices in islice(choices_of(network), MAX_FRAMES):
            frame = make_frame(network, choices)
            found |= set(edit_kinds(align(tokens_of(frame.good), tokens_of(frame.bad))))
    return tuple(edit for edit in EDITS if edit in found)


def _one_sided(paradigm: Paradigm, networks: Sequence[Network]) -> Iterator[Problem]:
    """Words that only one side of an agreement has: they would tell the sides apart without any grammar."""
    if paradigm.edit != ("agreement",) or paradigm.one_sided:
        return
    sides: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for draw in islice(draws(paradigm, networks, seed=0), SAMPLE):
        for side, pieces in enumerate(draw.pieces):
            for at, first, last, _, _ in draw.printer.spans:
                if at == side:
                    sides[side]["".join(pieces[first : last + 1])] += 1
    for side, name in ((0, "good"), (1, "bad")):
        only = sorted(word for word, n in sides[side].items() if n >= SAMPLE // 30 and not sides[1 - side][word])
        if only:
            yield Problem("one-sided-words", paradigm.place, {"side": name, "words": only}, "warning")


def _unused_words(project: Project, networks: Sequence[Network]) -> Iterator[Problem]:
    used: set[int] = set()
    for network in networks:
        for column in network.columns:
            used |= {word.index for words in column.domain.words for word in words}
    unused = [word.form for word in project.lexicon.words if word.index not in used]
    if unused and networks:
        place = Place(project.lexicon.name)
        yield Problem("words-unused", place, {"count": len(unused), "words": unused}, "warning")


def _repeated_pairs(compiled: Sequence[tuple[Paradigm, list[Network]]]) -> Iterator[Problem]:
    """Pairs that two paradigms both make, looked for among the first of each."""
    seen: dict[tuple[str, str], Paradigm] = {}
    reported = set()
    for paradigm, networks in compiled:
        for draw in islice(draws(paradigm, networks, seed=0), SAMPLE):
            pair = draw.printer.sentences(draw.pieces)
            other = seen.setdefault(pair, paradigm)
            if other is not paradigm and (other.uid, paradigm.uid) not in reported:
                reported.add((other.uid, paradigm.uid))
                yield Problem("pair-in-two", paradigm.place, {"other": other.uid, "good": pair[0], "bad": pair[1]})


def _crossings(compiled: Sequence[tuple[Paradigm, list[Network]]], *, seconds: float) -> Iterator[Problem]:
    """Bad sentences that a good grammar of the project derives; excluded paradigms are exempt."""
    places = {paradigm.uid: paradigm.place for paradigm, _ in compiled}
    included = [Grammar(paradigm.uid, networks) for paradigm, networks in compiled if paradigm.status == "included"]
    undecided: list[Meeting] = []
    for meeting in meetings(included, steps=round(seconds * STEPS_PER_SECOND)):
        if meeting.outcome == "found":
            values = {"sentence": meeting.sentence, "good": meeting.good_uid}
            yield Problem("bad-is-good", places[meeting.bad_uid], values)
        elif meeting.outcome == "undecided":
            undecided.append(meeting)
    if undecided:
        pairs = [f"{meeting.bad_uid} → {meeting.good_uid}" for meeting in undecided]
        said: dict[str, object] = {"seconds": f"{seconds:g}", "count": len(pairs), "pairs": pairs}
        yield Problem("crossing-undecided", Place(), said, "warning")
