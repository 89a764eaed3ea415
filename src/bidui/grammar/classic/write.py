"""Writes paradigms as classic templates, if these can express them; the first thing they cannot express is an error.

About, source, status, example, edit and the names of slots do not change the pairs; they have no place in a classic
template and are left out. A slot that stands on both sides is written alike on both. One that is moved or copied is
identified by its string, which no other slot may share.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import write_file
from bidui.grammar.classic.convert import EXPRESSION, Side, classic_rule, index_of, is_fixed, matches, rule_text
from bidui.grammar.classic.read import lost_pairs
from bidui.grammar.network import Compiler
from bidui.grammar.paradigm import Literal, Paradigm, PhraseAlternative, PhraseRule, Slot, Use, Variant, phrases_within
from bidui.grammar.project import Project, Settings, chosen, lexicon_text
from bidui.grammar.rules import Alternative, Lexical, Match, Phrase, Ref, Rule, Words

Item = Literal | Use | None


def rule_lists(variant: Variant, phrases: Mapping[str, PhraseRule]) -> tuple[list[str], list[str]]:
    """Return `good_rule` and `bad_rule`; raise `InputError` if no two lists express the variant."""
    refused = InputError(())
    for line in (variant.good, variant.bad):
        for item in line.items:
            if isinstance(item, Use) and (item.ref.path or item.column != "expression"):
                raise without("slot.part" if item.ref.path else "slot@column", item, line.place)
    for padded in _paddings(variant.good.items, variant.bad.items):
        try:
            return _Lists(variant, phrases, padded).texts()
        except InputError as error:
            refused = error
    raise refused


class _Lists:
    """The two lists of one variant, of equal length."""

    def __init__(
        self, variant: Variant, phrases: Mapping[str, PhraseRule], padded: tuple[list[Item], list[Item]]
    ) -> None:
        self.variant = variant
        self.phrases = phrases
        self.items: dict[Side, list[Item]] = {"good": padded[0], "bad": padded[1]}

    def texts(self) -> tuple[list[str], list[str]]:
        good, bad = ([self.text(side, at) for at in range(len(items))] for side, items in self.items.items())
        for index, text in enumerate(bad):
            self.refuse_ambiguous(index, text, good)
        return good, bad

    def text(self, side: Side, index: int) -> str:
        item = self.items[side][index]
        if item is None:
            return ""
        if isinstance(item, Literal):
            rule = Rule((Alternative(Words((item.text,))),))
            return classic_rule(rule, position=lambda ref: 0, index=lambda *_: 0, place=self.variant.place)
        slot = self.variant.slots[item.ref.slot]
        home = self.home(slot.name)
        kept = self.items[home][index] == item
        if kept and self.first(home, slot.name) != index and not is_fixed(slot.rule):
            if not isinstance(slot.rule.only, Lexical):
                raise fail("classic-no-copy", slot.place, {"slot": slot.name, "rule": slot.rule})
            again = Match(Ref(str(self.first(home, slot.name))), EXPRESSION)
            return rule_text(slot.rule.only.conditions, (again,))
        return classic_rule(
            slot.rule,
            position=lambda ref: self.position(ref, slot, home),
            index=lambda phrase, part: index_of(phrase, part, self.phrases, slot.place),
            place=slot.place,
        )

    def home(self, name: str) -> Side:
        """Return the side in which the links of a slot count positions."""
        return "good" if Use(Ref(name)) in self.items["good"] else "bad"

    def first(self, side: Side, name: str) -> int:
        return self.items[side].index(Use(Ref(name)))

    def position(self, ref: Ref, slot: Slot, home: Side) -> int:
        name = ref.slot
        lines = [line for line in (self.variant.good, self.variant.bad) if Use(Ref(slot.name)) in line.items]
        if name not in self.variant.slots and re.fullmatch(r"\d{1,4}", name) and int(name) < len(lines[0].items):
            item = lines[0].items[int(name)]
            name = item.ref.slot if isinstance(item, Use) else name
        if ref.path:
            raise without("slot.part", ref, slot.place.at(ref.column))
        if Use(Ref(name)) not in self.items[home]:
            values = {"slot": slot.name, "other": name, "side": home}
            raise fail("classic-across-sides", slot.place.at(ref.column), values)
        return self.first(home, name)

    def refuse_ambiguous(self, index: int, text: str, good: list[str]) -> None:
        """Refuse a bad string that would be read as another slot."""
        item = self.items["bad"][index]
        if not isinstance(item, Use) or is_fixed(self.variant.slots[item.ref.slot].rule):
            return
        meant = [self.items["good"][i] for i, other in enumerate(good) if other == text]
        if good[index] == text:
            meant = [self.items["good"][index]]
        for other in meant:
            if isinstance(other, Use) and other != item:
                values = {"slot": item.ref.slot, "other": other.ref.slot, "text": text}
                raise fail("classic-same-text", self.variant.slots[item.ref.slot].place, values)


def _paddings(good: Sequence[Literal | Use], bad: Sequence[Literal | Use]) -> Iterator[tuple[list[Item], list[Item]]]:
    """Yield the lists as they are if equally long, then with kept items at equal indices and gaps elsewhere."""
    if len(good) == len(bad):
        yield list(good), list(bad)
    left: list[Item] = []
    right: list[Item] = []
    for _, a, b, c, d in SequenceMatcher(None, good, bad, autojunk=False).get_opcodes():
        for item, other in zip_longest(good[a:b], bad[c:d]):
            left.append(item)
            right.append(other)
    yield left, right


def without(means: str, text: object, place: Place) -> InputError:
    """Make the error for something that classic templates do not have."""
    return fail("classic-without", place, {"means": means, "text": text})


@dataclass(frozen=True, slots=True)
class ClassicExport:
    """What an export wrote and what it left out: the uids that became templates, and a problem for every other one."""

    uids: tuple[str, ...]
    problems: tuple[Problem, ...]


def export_classic(project: Project, *, out: str | Path, only: Sequence[str] = ()) -> ClassicExport:
    """Write the paradigms of a project as JSON templates, with the vocabulary and the phrases they need.

    A paradigm that uses means the format lacks, or whose template would produce pairs it does not have, is left out.
    """
    compiler = Compiler.of(project)
    problems: list[Problem] = []
    templates: dict[str, dict[str, object]] = {}
    needed: set[str] = set()
    for paradigm in chosen(project.paradigms, only=only, excluded=True):
        try:
            template = classic_template(paradigm, settings=project.settings, phrases=project.phrases)
            slots = [slot for variant in paradigm.variants for slot in variant.slots.values()]
            phrases = export_phrases(phrases_within(slots, project.phrases))
            lost = lost_pairs(paradigm, compiler.networks(paradigm))
        except InputError as error:
            problems += error.problems
            continue
        if lost is None:
            templates[paradigm.uid] = template
            needed |= set(phrases)
        else:
            problems.append(Problem("classic-more-pairs", lost.place, lost.values, "warning"))
    folder = Path(out)
    (folder / "templates").mkdir(parents=True, exist_ok=True)
    for uid, template in templates.items():
        write_file(folder / "templates" / f"{uid}.json", _json_bytes(template))
    write_file(folder / "vocabulary.tsv", lexicon_text(project.lexicon).encode())
    if needed:
        kept = {name: phrase for name, phrase in project.phrases.items() if name in needed}
        write_file(folder / "phrases.json", _json_bytes(export_phrases(kept)))
    return ClassicExport(tuple(templates), tuple(problems))


def _json_bytes(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def classic_template(
    paradigm: Paradigm, *, settings: Settings, phrases: Mapping[str, PhraseRule], user: str = ""
) -> dict[str, object]:
    """Return the JSON template of a paradigm; raise `InputError` at the first thing that is not classic."""
    for key, given in (("capital:", settings.capital), ("seams:", settings.seams), ("repeat:", settings.repeat)):
        if given:
            raise without(key, given, Place("project.yaml"))
    _refuse_paradigm(paradigm)
    good, bad = rule_lists(paradigm.variants[0], phrases)
    return {
        "user": user,
        "uid": paradigm.uid,
        "phenomenon": paradigm.phenomenon,
        "strict_MP": paradigm.equal_length,
        "sep": settings.separator if paradigm.separator is None else paradigm.separator,
        "good_rule": good,
        "bad_rule": bad,
    }


def export_phrases(phrases: Mapping[str, PhraseRule]) -> dict[str, list[list[dict[str, str]]]]:
    """Return the JSON phrase file; raise `InputError` at the first thing that is not classic."""
    for phrase in phrases.values():
        if phrase.depth:
            raise without("depth:", phrase.name, phrase.place)
    return {
        name: [_phrase_rules(alternative, phrases) for alternative in phrase.alternatives]
        for name, phrase in phrases.items()
    }


def _refuse_paradigm(paradigm: Paradigm) -> None:
    place = paradigm.place
    if len(paradigm.variants) != 1:
        raise without("variants:", len(paradigm.variants), place)
    variant = paradigm.variants[0]
    if paradigm.seams:
        raise without("seams:", paradigm.seams, place)
    if variant.linked:
        raise without("link:", variant.linked[0], place)
    if variant.crossed:
        raise without("crossed:", "true", place)
    for group in variant.repeat:
        if not any(_same_word(a, b, variant) for a in group for b in group):
            raise without("repeat:", group, place)


def _same_word(name: str, other: str, variant: Variant) -> bool:
    """Tell whether one slot copies the word of the other; classic slots may repeat it too."""
    links = (link for link in matches(variant.slots[name].rule) if link.same and link.target == Ref(other))
    return any(item.mine == item.theirs == "expression" for link in links for item in link.properties)


def _phrase_rules(alternative: PhraseAlternative, phrases: Mapping[str, PhraseRule]) -> list[dict[str, str]]:
    if alternative.weight != 1:
        raise without("weight:", alternative.weight, alternative.place)
    variant = Variant("", alternative.parts, alternative.line, alternative.line, place=alternative.place)
    texts, _ = rule_lists(variant, phrases)
    return [
        {"type": _type(item, alternative.parts), "rule": text}
        for item, text in zip(variant.good.items, texts, strict=True)
    ]


def _type(item: Literal | Use, parts: Mapping[str, Slot]) -> str:
    """Return the type that the original gave to a rule."""
    body = parts[item.ref.slot].rule.alternatives[0].rule if isinstance(item, Use) else Words()
    if isinstance(body, Lexical):
        return "Matched" if body.matches else "Lexical"
    return "Phrase" if isinstance(body, Phrase) else "Direct"
