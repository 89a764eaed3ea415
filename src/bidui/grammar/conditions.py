"""Conditions held against the lexicon: features and values that it does not know, and words that none meets."""

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches

from bidui.errors import Place, Problem
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.rules import Condition, Lexical, Phrase, Rule

MAX_UNKNOWN = 20  # values of one condition that are reported; finding the nearest known ones takes time


def rule_problems(rule: Rule, place: Place, *, lexicon: Lexicon, phrases: Collection[str]) -> Iterator[Problem]:
    """What can be said of a rule by itself, where the paradigm around it cannot be read or compiled."""
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Phrase) and body.name not in phrases:
            yield phrase_unknown(body, place, phrases)
        overrides = [inner for _, inner in body.overrides] if isinstance(body, Phrase) else []
        for lexical in [body] if isinstance(body, Lexical) else overrides:
            yield from condition_problems(lexical, lexicon, [place] * len(lexical.conditions))


def phrase_unknown(rule: Phrase, place: Place, phrases: Collection[str]) -> Problem:
    """There is no such phrase in the project; the nearest there are, or all."""
    near = get_close_matches(rule.name, list(phrases), n=3, cutoff=0.5) or sorted(phrases)
    return Problem("phrase-unknown", place.at(rule.column), {"phrase": rule.name, "near": near})


def condition_problems(rule: Lexical, lexicon: Lexicon, origins: Sequence[Place]) -> list[Problem]:
    """Features and values that the lexicon does not know, with the nearest it does; `origins` are their rules."""
    problems = []
    for condition, origin in zip(rule.conditions, origins, strict=True):
        here = origin.at(condition.column)
        if not lexicon.has_feature(condition.feature):
            values: dict[str, object] = {
                "feature": condition.feature,
                "near": lexicon.nearest_feature(condition.feature) or lexicon.features,
            }
            problems.append(Problem("feature-unknown", here, values))
            continue
        unknown = [v for v in condition.values if not lexicon.knows(condition.feature, v)][:MAX_UNKNOWN]
        alone = no_word_values(rule.conditions, lexicon) if unknown else {}
        for value in unknown:
            near = lexicon.nearest(condition.feature, value) or tuple(lexicon.counts(condition.feature))
            values = {**alone, "feature": condition.feature, "value": value, "near": near}
            problems.append(Problem("value-unknown", here, values))
    return problems


def no_word_values(conditions: tuple[Condition, ...], lexicon: Lexicon) -> dict[str, object]:
    """How many words each condition leaves by itself, for the message that none meets them all."""
    alone = [f"{condition}: {lexicon.bits([condition]).bit_count()}" for condition in conditions]
    return {"rule": " ".join(map(str, conditions)) or "(anything)", "alone": alone, "words": len(lexicon.words)}
