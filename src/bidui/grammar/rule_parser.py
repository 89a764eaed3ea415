"""Rule texts are read into rules, with a place for every error."""

import re
from fractions import Fraction

from bidui.errors import Place, fail
from bidui.grammar.rule_tokens import Token, alternatives, split, unescape
from bidui.grammar.rules import (
    KEYWORDS,
    Alternative,
    Condition,
    Lexical,
    Match,
    Phrase,
    Property,
    Ref,
    Related,
    Rule,
    Words,
)

MAX_LENGTH = 10_000
_WEIGHT = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\*")
_NUMBER = re.compile(r"([+-]?\.?\d[\d.,/eE+-]*)\*")  # meant as a weight
_BRACKET = re.compile(r"[<>()]")
_NAME = re.compile(r"[\w+-]+(\.[\w+-]+)*")


def parse_rule(text: str, place: Place) -> Rule:
    """The rule in `text`, whose first character stands at `place`."""
    if len(text) > MAX_LENGTH:
        raise fail("rule-too-long", place, {"length": len(text), "limit": MAX_LENGTH})
    groups = list(alternatives(text, place))
    if len(groups) == 1 and not groups[0][0]:
        return Rule((Alternative(Words()),))
    return Rule(tuple(_alternative(tokens, place.at(start), place) for tokens, start in groups))


def _alternative(tokens: list[Token], start: Place, place: Place) -> Alternative:
    if not tokens:
        raise fail("alternative-empty", start)
    weight = Fraction(1)
    first = tokens[0]
    if not first.quoted and (found := _WEIGHT.match(first.raw)):
        weight = Fraction(found.group(1))
        if weight == 0:
            raise fail("weight-zero", place.at(first.column))
        rest = first.raw[found.end() :]
        tokens = ([Token(rest, first.column + found.end())] if rest else []) + tokens[1:]
        if not tokens:
            raise fail("alternative-empty", start)
    elif not first.quoted and (number := _NUMBER.match(first.raw)):
        raise fail("weight-bad", place.at(first.column), {"value": number.group(1)})
    return Alternative(_body(tokens, place), weight)


def _body(tokens: list[Token], place: Place) -> Lexical | Words | Phrase:
    if all(token.quoted or len(split(token.raw, ":")) == 1 for token in tokens):
        return _words(tokens, place)
    for token in tokens:
        if not token.quoted and split(token.raw, ":")[-1] == "":  # `pos: NN`, with a blank too many
            raise fail("value-missing", place.at(token.column), {"feature": token.raw[:-1]})
        if token.quoted or len(split(token.raw, ":")) == 1:
            raise fail("words-among-features", place.at(token.column), {"text": token.raw})
    if split(tokens[0].raw, ":")[0] == "phrase":
        return _phrase(tokens, place)
    return _lexical(tokens, place)


def _words(tokens: list[Token], place: Place) -> Words:
    for token in tokens:
        if not token.quoted and (found := _BRACKET.search(re.sub(r"\\.", "  ", token.raw))):
            raise fail("bracket-stray", place.at(token.column + found.start()), {"char": found.group()})
    words = tuple(t.raw if t.quoted else unescape(t.raw) for t in tokens)
    if "" in words and len(words) > 1:
        raise fail("empty-among-words", place.at(tokens[words.index("")].column))
    return Words(tuple(word for word in words if word), tokens[0].column)


def _phrase(tokens: list[Token], place: Place) -> Phrase:
    name = unescape(tokens[0].raw.partition(":")[2])
    if not name:
        raise fail("value-missing", place.at(tokens[0].column), {"feature": "phrase"})
    overrides = []
    for token in tokens[1:]:
        part, _, inner = token.raw.partition(":")
        if not (inner.startswith("<") and inner.endswith(">") and _NAME.fullmatch(part)):
            raise fail("override-form", place.at(token.column), {"text": token.raw, "phrase": name})
        column = token.column + len(part) + 2
        overrides.append((part, _override(inner[1:-1], column, place)))
    return Phrase(name, tuple(overrides), tokens[0].column)


def _override(text: str, column: int, place: Place) -> Lexical:
    groups = list(alternatives(text, place.at(column)))
    if len(groups) > 1 or not groups[0][0]:
        raise fail("override-form", place.at(column), {"text": f"<{text}>", "phrase": ""})
    body = _body([Token(t.raw, t.column + column, t.quoted) for t in groups[0][0]], place)
    if not isinstance(body, Lexical):
        raise fail("override-form", place.at(column), {"text": f"<{text}>", "phrase": ""})
    return body


def _lexical(tokens: list[Token], place: Place) -> Lexical:
    conditions: list[Condition] = []
    matches: list[Match] = []
    relations: list[Related] = []
    pending: dict[str, tuple[Token, str]] = {}
    for token in tokens:
        name, *rest = split(token.raw, ":")
        keyword = KEYWORDS.get(name, "")
        here = place.at(token.column)
        if len(rest) != 1:
            raise fail("colon-twice", here, {"text": token.raw})
        if not name or not rest[0]:
            raise fail("value-missing", here, {"feature": name or token.raw})
        if keyword == "phrase":
            raise fail("phrase-not-first", here)
        if keyword == "rel":
            relations.append(_related(rest[0], token, place))
        elif keyword:
            if keyword in pending:
                raise fail("link-half", here, {"have": name, "lack": _OTHER[keyword]})
            pending[keyword] = (token, rest[0])
            if _OTHER[keyword] in pending:
                matches.append(_match(pending, keyword.startswith("mm"), place))
        else:
            conditions.append(_condition(unescape(name), rest[0], token, place))
    for keyword, (token, _) in pending.items():
        raise fail("link-half", place.at(token.column), {"have": keyword, "lack": _OTHER[keyword]})
    return Lexical(tuple(conditions), tuple(matches), tuple(relations), tokens[0].column)


_OTHER = {"mPos": "mPro", "mPro": "mPos", "mmPos": "mmPro", "mmPro": "mmPos"}


def _condition(feature: str, value: str, token: Token, place: Place) -> Condition:
    if value == "*":
        return Condition(feature, "has", (), token.column)
    if value == "-":
        return Condition(feature, "none", (), token.column)
    negated = value.startswith("!")
    values = tuple(unescape(v) for v in split(value[negated:], "/"))
    if "" in values:
        raise fail("value-missing", place.at(token.column), {"feature": feature})
    if found := _BRACKET.search(re.sub(r"\\.", "  ", token.raw)):
        raise fail("bracket-stray", place.at(token.column + found.start()), {"char": found.group()})
    return Condition(feature, "not" if negated else "any", values, token.column)


def _match(pending: dict[str, tuple[Token, str]], mismatch: bool, place: Place) -> Match:
    """Takes a finished position and property off `pending`."""
    token, position = pending.pop("mmPos" if mismatch else "mPos")
    pro_token, text = pending.pop("mmPro" if mismatch else "mPro")
    properties = []
    for item in split(text, "/"):
        names, *share = split(item, "#")
        mine, *theirs = split(names, "=")
        if not mine or len(share) > 1 or len(theirs) > 1 or "" in (*share, *theirs):
            raise fail("property-form", place.at(pro_token.column), {"text": item})
        if share and mismatch:
            raise fail("share-mismatch", place.at(pro_token.column), {"text": item})
        other = unescape(theirs[0]) if theirs else unescape(mine)
        properties.append(Property(unescape(mine), other, unescape(share[0]) if share else ""))
    return Match(_ref(position, token.column, place), tuple(properties), not mismatch, token.column)


def _related(text: str, token: Token, place: Place) -> Related:
    name, bracket, inside = text.partition("(")
    if not name or not bracket or not inside.endswith(")"):
        raise fail("relation-form", place.at(token.column), {"text": token.raw})
    targets = tuple(_ref(part.strip(), token.column, place) for part in inside[:-1].split(","))
    return Related(unescape(name), targets, token.column)


def _ref(text: str, column: int, place: Place) -> Ref:
    if not _NAME.fullmatch(text):
        raise fail("slot-form", place.at(column), {"text": text})
    slot, *path = text.split(".")
    return Ref(slot, tuple(path), column)
