"""Paradigms as classic templates, where these can say the same; the first thing that they cannot is an error.

What does not change the pairs (about, source, status, example, edit, and the names of slots) has no place in a classic
template and is left behind. Slots that stand on both sides are written alike on both; one that is moved or copied is
known by its string, so that the string must be its own.
"""

from collections.abc import Mapping

from bidui.errors import Place
from bidui.grammar.classic.links import matches
from bidui.grammar.classic.lists import rule_lists, without
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.lines import Literal, Use
from bidui.grammar.paradigm import Paradigm, PhraseAlternative, PhraseRule, Slot, Variant
from bidui.grammar.project import Settings
from bidui.grammar.rules import Lexical, Phrase, Ref, Words
from bidui.grammar.writing import lexicon_text


def export_classic(
    paradigm: Paradigm, *, settings: Settings, phrases: Mapping[str, PhraseRule], user: str = ""
) -> dict[str, object]:
    """The JSON template of a paradigm; raises `InputError` at the first means that is not classic."""
    refuse_settings(settings)
    _refuse_paradigm(paradigm)
    variant = paradigm.variants[0]
    good, bad = rule_lists(variant, phrases)
    separator = settings.separator if paradigm.separator is None else paradigm.separator
    return {
        "user": user,
        "uid": paradigm.uid,
        "phenomenon": paradigm.phenomenon,
        "strict_MP": paradigm.equal_length,
        "sep": separator,
        "good_rule": good,
        "bad_rule": bad,
    }


def export_phrases(phrases: Mapping[str, PhraseRule]) -> dict[str, list[list[dict[str, str]]]]:
    """The JSON phrase file; raises `InputError` at the first means that is not classic."""
    for phrase in phrases.values():
        if phrase.depth:
            raise without("depth:", phrase.name, phrase.place)
    return {
        name: [_phrase_rules(alternative, phrases) for alternative in phrase.alternatives]
        for name, phrase in phrases.items()
    }


def export_vocabulary(lexicon: Lexicon) -> str:
    """The TSV vocabulary, which is the same in both formats."""
    return lexicon_text(lexicon)


def refuse_settings(settings: Settings) -> None:
    """Settings that change the pairs of every paradigm."""
    for key, given in (("capital:", settings.capital), ("seams:", settings.seams), ("repeat:", settings.repeat)):
        if given:
            raise without(key, given, Place("project.yaml"))


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
    """Whether one slot copies the other's word; such slots may repeat it in a classic template too."""
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
    """The type that the original gave to a rule."""
    body = parts[item.ref.slot].rule.alternatives[0].rule if isinstance(item, Use) else Words()
    if isinstance(body, Lexical):
        return "Matched" if body.matches else "Lexical"
    return "Phrase" if isinstance(body, Phrase) else "Direct"
