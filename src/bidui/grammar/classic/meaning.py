"""Rules against the vocabulary and the phrases: features, values and phrases that do not exist."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from bidui.errors import Place, Problem, Severity
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.paradigm import PhraseRule
from bidui.grammar.rules import Condition, Lexical, Phrase, Rule


def unknown(rule: Rule, place: Place, *, lexicon: Lexicon, phrases: Mapping[str, PhraseRule]) -> Iterator[Problem]:
    """A problem for each name in `rule` that means nothing here."""
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Lexical):
            yield from _lexical(body, place, lexicon)
        elif isinstance(body, Phrase):
            if body.name not in phrases:
                near = get_close_matches(body.name, list(phrases), n=3, cutoff=0.5) or sorted(phrases)
                yield Problem("phrase-unknown", place.at(body.column), {"phrase": body.name, "near": near})
            for _, inner in body.overrides:
                yield from _lexical(inner, place, lexicon)


def _lexical(rule: Lexical, place: Place, lexicon: Lexicon) -> Iterator[Problem]:
    for condition in rule.conditions:
        here = place.at(condition.column)
        if lexicon.has_feature(condition.feature):
            yield from _values(condition, here, lexicon)
        else:
            yield _feature(condition.feature, here, lexicon)
    for link in rule.matches:
        for item in link.properties:
            if not lexicon.has_feature(item.mine):
                yield _feature(item.mine, place.at(link.column), lexicon)


def _feature(feature: str, place: Place, lexicon: Lexicon) -> Problem:
    return Problem("feature-unknown", place, {"feature": feature, "near": lexicon.nearest_feature(feature)})


def _values(condition: Condition, place: Place, lexicon: Lexicon) -> Iterator[Problem]:
    """A value that no word has is an error, unless another beside it is one that words have."""
    known = lexicon.counts(condition.feature)
    missing = [value for value in condition.values if value not in known]
    for value in missing:
        near = lexicon.nearest(condition.feature, value) or tuple(known)
        values = {"feature": condition.feature, "value": value, "near": near}
        severity: Severity = "error" if len(missing) == len(condition.values) else "warning"
        yield Problem("classic-value-unknown", place, values, severity)


def cycles(phrases: Mapping[str, PhraseRule]) -> Iterator[Problem]:
    """A problem for each phrase that stands inside itself: classic phrases have no depth at which to stop."""
    held = {name: inside(phrase) for name, phrase in phrases.items()}
    for name, phrase in phrases.items():
        reached: list[str] = []
        waiting = sorted(held[name])
        while waiting:
            other = waiting.pop()
            if other not in reached:
                reached.append(other)
                waiting += sorted(held.get(other, set()))
        if name in reached:
            yield Problem("classic-phrase-cycle", phrase.place, {"phrase": name, "path": reached})


def inside(phrase: PhraseRule) -> set[str]:
    """The phrases that a phrase is built of."""
    rules = (slot.rule for alternative in phrase.alternatives for slot in alternative.parts.values())
    return {name for rule in rules for name in phrases_in(rule)}


def phrases_in(rule: Rule) -> Iterator[str]:
    """The phrases that a rule names."""
    return (a.rule.name for a in rule.alternatives if isinstance(a.rule, Phrase))
