"""What the classic rule language can say, and the rule strings in which it says it."""

import re
from collections.abc import Callable, Iterable, Iterator

from bidui.errors import Place, Problem, fail
from bidui.grammar.rules import Condition, Lexical, Match, Phrase, Property, Ref, Rule, Words

_FEATURE = re.compile(r"[\w-]+:")
_UNWRITABLE = re.compile(r"""[\s|/:<>()"\\]|^[!*-]""")  # in a feature or value; there is no escape


def unclassic(rule: Rule, place: Place) -> Iterator[Problem]:
    """A problem for each means of `rule` that classic templates do not have."""
    for alternative in rule.alternatives:
        body = alternative.rule
        if alternative.weight != 1:
            yield _without("2*", str(alternative), place)
        if isinstance(body, Lexical):
            yield from _lexical(body, place)
        elif isinstance(body, Words):
            for word in body.words:
                if "|" in word or _FEATURE.match(word) or word.split() != [word]:
                    yield Problem("classic-no-escape", place.at(body.column), {"text": word})
        else:
            if _UNWRITABLE.search(body.name):
                yield Problem("classic-no-escape", place.at(body.column), {"text": body.name})
            for part, inner in body.overrides:
                yield from _lexical(inner, place)
                for link in inner.matches:
                    yield _without("<mPos:>", f"{part}:<{link}>", place.at(link.column))


def _lexical(rule: Lexical, place: Place) -> Iterator[Problem]:
    for condition in rule.conditions:
        here = place.at(condition.column)
        if condition.test != "any":
            sign = {"not": "!", "has": "*", "none": "-"}[condition.test]
            yield _without(f"feature:{sign}", str(condition), here)
        for text in (condition.feature, *condition.values):
            if _UNWRITABLE.search(text):
                yield Problem("classic-no-escape", here, {"text": text})
    for link in rule.matches:
        for item in link.properties:
            if item.share or item.mine != item.theirs:
                yield _without("#" if item.share else "f=g", str(item), place.at(link.column))
        if sum(other.same == link.same for other in rule.matches) > 1:
            yield _without("mPos: mPos:", str(rule), place.at(link.column))
    for relation in rule.relations:
        yield _without("rel:", str(relation), place.at(relation.column))


def _without(means: str, text: str, place: Place) -> Problem:
    return Problem("classic-without", place, {"means": means, "text": text})


def classic_rule(
    rule: Rule, *, position: Callable[[Ref], int], index: Callable[[Phrase, str], int], place: Place
) -> str:
    """The rule string; `position` numbers the slots that links name, `index` the parts that overrides name."""
    problem = next(unclassic(rule, place), None)
    if problem:
        raise fail(problem.kind, problem.place, problem.values)
    texts = []
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Words):
            texts.append(" ".join(body.words))
        elif isinstance(body, Lexical):
            links = (Match(Ref(str(position(m.target))), m.properties, m.same) for m in body.matches)
            texts.append(_text(body.conditions, links))
        else:
            overrides = (f"{index(body, part)}:<{_text(inner.conditions, ())}>" for part, inner in body.overrides)
            texts.append(" ".join((f"phrase:{body.name}", *overrides)))
    return " | ".join(texts)


def _text(conditions: Iterable[Condition], links: Iterable[Match]) -> str:
    """Conditions and links as they are, without the escapes of our own rules."""
    return " ".join((*(f"{c.feature}:{'/'.join(c.values)}" for c in conditions), *map(str, links)))


def copying(rule: Rule, position: int) -> str | None:
    """The rule string of a slot that repeats the word at `position`, or None where there is no such string."""
    body = rule.alternatives[0].rule
    if len(rule.alternatives) > 1 or not isinstance(body, Lexical):
        return None
    again = Match(Ref(str(position)), (Property("expression", "expression"),))
    return _text(body.conditions, (again,))


def is_fixed(rule: Rule) -> bool:
    """Whether a rule is always one word, which may be written again wherever it stands."""
    body = rule.alternatives[0].rule
    return len(rule.alternatives) == 1 and isinstance(body, Words) and len(body.words) == 1
