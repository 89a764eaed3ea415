"""Nesting: phrases that hold phrases, and those among them that never come to an end."""

from collections.abc import Iterable, Mapping

from bidui.errors import InputError, fail
from bidui.grammar.paradigm import PhraseRule, Slot
from bidui.grammar.rules import Phrase


def phrases_within(slots: Iterable[Slot], phrases: Mapping[str, PhraseRule]) -> dict[str, PhraseRule]:
    """The phrases that slots name, and those that these name in turn, in their order in the file."""
    found: set[str] = set()
    agenda = list(slots)
    while agenda:
        rules = [alternative.rule for alternative in agenda.pop().rule.alternatives]
        new = {rule.name for rule in rules if isinstance(rule, Phrase) and rule.name in phrases} - found
        found |= new
        agenda += [part for name in new for each in phrases[name].alternatives for part in each.parts.values()]
    return {name: phrase for name, phrase in phrases.items() if name in found}


def endless_phrases(phrases: Mapping[str, PhraseRule]) -> set[str]:
    """The phrases that hold a phrase in every alternative, and so on without end."""
    endless = set(phrases)
    used_by: dict[str, list[str]] = {}
    for phrase in phrases.values():
        for rule in (r for a in phrase.alternatives for part in a.parts.values() for r in part.rule.alternatives):
            if isinstance(rule.rule, Phrase):
                used_by.setdefault(rule.rule.name, []).append(phrase.name)

    def ends(slot: Slot) -> bool:
        return any(not isinstance(a.rule, Phrase) or a.rule.name not in endless for a in slot.rule.alternatives)

    agenda = list(phrases)
    while agenda:
        name = agenda.pop()
        if name in endless and any(all(map(ends, a.parts.values())) for a in phrases[name].alternatives):
            endless.remove(name)
            agenda += used_by.get(name, ())
    return endless


def cycle(path: list[str], phrases: Mapping[str, PhraseRule]) -> InputError:
    """The way from a phrase back to it, told from the first in the file, wherever one came upon it."""
    order = list(phrases)
    first = min((name for name in path if phrases[name].depth == 0), key=order.index)
    at = path.index(first)
    values = {"phrase": first, "path": " > ".join((*path[at:], *path[:at], first))}
    return fail("phrase-cycle", phrases[first].place, values)


def never_ends(name: str, phrases: Mapping[str, PhraseRule], endless: set[str]) -> InputError:
    """Follows parts that never end until a phrase comes again: that is the one to be mended."""
    path = [name]
    while True:
        parts = phrases[name].alternatives[0].parts.values()
        rules = [[a.rule for a in part.rule.alternatives] for part in parts]
        names = [[rule.name if isinstance(rule, Phrase) else "" for rule in part] for part in rules]
        name = next(part[0] for part in names if endless.issuperset(part))
        if name in path:
            found = path[path.index(name) :]
            if all(phrases[other].depth == 0 for other in found):
                return cycle(found, phrases)
            return fail("phrase-endless", phrases[name].place, {"phrase": name})
        path.append(name)
