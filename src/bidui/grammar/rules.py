"""The rule language: what may fill a slot, as values, and how a rule is read and written.

    pos:NR gender:male/female        Lexical: every condition holds; / is any of, ! not, * has one, - has none
    pos:PN mPos:who mPro:gender      Lexical with a match: it shares a value with the word in slot who
    phrase:NP head:<animate:1>       Phrase: the parts of one alternative of NP, some with further conditions
    自己 本人                         Words: themselves, one of them; "" is the empty slot
    2* pos:NR | pos:PN               alternatives, with weights

Rules are equal whatever blanks they were written with; columns are kept beside them for messages. Marks as a Chinese
input method types them (`pos：NN`) are read as their ASCII twins, except in quotes, after a backslash and in words.

A new keyword is added to `KEYWORDS` and `_lexical` (reading) and to the class of its term (writing); what it means is
built from `Word.links` in `constraints.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from bidui.errors import Place, fail

Test = Literal["any", "not", "has", "none"]
KEYWORDS = {
    "mPos": "mPos",
    "mPro": "mPro",
    "mmPos": "mmPos",
    "mmPro": "mmPro",
    "matchedPosition": "mPos",
    "matchedProperties": "mPro",
    "mismatchedPosition": "mmPos",
    "mismatchedProperties": "mmPro",
    "phrase": "phrase",
    "rel": "rel",
}
TWINS = str.maketrans("：｜／（）＝＜＞＃＊\u3000", ":|/()=<>#* ")
ESCAPED = '\\|:/"<>()=#@ ,*' + "".join(map(chr, TWINS))


@dataclass(frozen=True, slots=True)
class Ref:
    """A slot, or a part of the phrase in it: `subj`, `subj.head`, `3` (the third item of the line, from 0)."""

    slot: str
    path: tuple[str, ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return ".".join((self.slot, *self.path))


@dataclass(frozen=True, slots=True)
class Condition:
    """A test on one feature of the word itself."""

    feature: str
    test: Test
    values: tuple[str, ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        body = {"has": "*", "none": "-"}.get(self.test) or "/".join(map(escape, self.values))
        return f"{escape(self.feature)}:{'!' * (self.test == 'not')}{body}"


@dataclass(frozen=True, slots=True)
class Property:
    """This word's feature and the other's that are compared; `share` names a value that several slots share."""

    mine: str
    theirs: str
    share: str = ""

    def __str__(self) -> str:
        pair = escape(self.mine) if self.mine == self.theirs else f"{escape(self.mine)}={escape(self.theirs)}"
        return f"{pair}#{escape(self.share)}" if self.share else pair


@dataclass(frozen=True, slots=True)
class Match:
    """Agreement (same) or its opposite with another slot, on every property listed."""

    target: Ref
    properties: tuple[Property, ...]
    same: bool = True
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        m = "m" if self.same else "mm"
        return f"{m}Pos:{self.target} {m}Pro:{'/'.join(map(str, self.properties))}"


@dataclass(frozen=True, slots=True)
class RelationTerm:
    """Slots that must stand together in a row of a relation."""

    relation: str
    targets: tuple[Ref, ...]
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"rel:{escape(self.relation)}({', '.join(map(str, self.targets))})"


Term = Match | RelationTerm  # what ties a word to others


@dataclass(frozen=True, slots=True)
class Lexical:
    """A word of the lexicon that meets conditions and links."""

    conditions: tuple[Condition, ...] = ()
    matches: tuple[Match, ...] = ()
    relations: tuple[RelationTerm, ...] = ()
    column: int = field(default=0, compare=False)

    @property
    def links(self) -> tuple[Term, ...]:
        """Everything that ties the word to others."""
        return (*self.matches, *self.relations)

    def __str__(self) -> str:
        return " ".join(str(term) for term in (*self.conditions, *self.matches, *self.relations))


@dataclass(frozen=True, slots=True)
class Words:
    """The words themselves; none is the empty slot. `bare` are those written without quotes, with their columns."""

    words: tuple[str, ...] = ()
    column: int = field(default=0, compare=False)
    bare: tuple[tuple[str, int], ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return " ".join(quote(word) for word in self.words) or '""'


@dataclass(frozen=True, slots=True)
class Phrase:
    """A named phrase; `overrides` add conditions and links to parts of it."""

    name: str
    overrides: tuple[tuple[str, Lexical], ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return " ".join((f"phrase:{escape(self.name)}", *(f"{part}:<{rule}>" for part, rule in self.overrides)))


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to fill a slot, and how often relative to the others."""

    rule: Lexical | Words | Phrase
    weight: Fraction = Fraction(1)

    @property
    def lexicals(self) -> tuple[Lexical, ...]:
        """The conditions and links it states: its own, or those of its overrides."""
        if isinstance(self.rule, Phrase):
            return tuple(inner for _, inner in self.rule.overrides)
        return (self.rule,) if isinstance(self.rule, Lexical) else ()

    def __str__(self) -> str:
        return str(self.rule) if self.weight == 1 else f"{decimal(self.weight)}* {self.rule}"


@dataclass(frozen=True, slots=True)
class Rule:
    """What may fill a slot."""

    alternatives: tuple[Alternative, ...]

    @property
    def only(self) -> Lexical | Words | Phrase | None:
        """What fills the slot if there are no alternatives to it."""
        return self.alternatives[0].rule if len(self.alternatives) == 1 else None

    @property
    def phrases(self) -> tuple[str, ...]:
        """The names of the phrases among the alternatives."""
        return tuple(a.rule.name for a in self.alternatives if isinstance(a.rule, Phrase))

    def __str__(self) -> str:
        return " | ".join(map(str, self.alternatives))


def decimal(weight: Fraction) -> str:
    """Write a weight with up to six decimals, as rules have it; never in scientific notation."""
    return f"{float(weight):.6f}".rstrip("0").rstrip(".")


def escape(text: str) -> str:
    """Put a backslash before each character that the rule language uses."""
    escaped = "".join("\\" + c if c in ESCAPED else c for c in text)
    return "\\" + escaped if escaped[:1] in {"!", "！", "-"} else escaped


def quote(word: str) -> str:
    """Write a literal word, in quotes if it would not be read back as itself."""
    if word and not any(c in '"\\|:<>()*' or ord(c) in TWINS or c.isspace() for c in word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


# Scanning: a text is divided into alternatives and tokens. Written by hand, so that errors have columns.


_QUOTATION = re.compile(r'"((?:\\["\\]|[^"])*+)"')
_KEPT = re.compile(rf"({_QUOTATION.pattern}|\\.)|[^\"\\]+|[\"\\]", re.DOTALL)


def with_twins(text: str) -> str:
    """Return a rule of the same length with the ASCII twins of Chinese marks, but for those quoted or escaped.

    `！` means "not" only before a value, and `，` separates only slots in brackets: elsewhere both are common text.
    """
    if not any(ord(c) in TWINS or c in "！，" for c in text):
        return text
    return _KEPT.sub(lambda piece: piece[0] if piece[1] else _ascii(piece[0]), text)


def _ascii(text: str) -> str:
    text = re.sub(r"(?<=:)！(?=[^\s|/>])", "!", text.translate(TWINS))
    return re.sub(r"\([^()]*\)", lambda slots: slots[0].replace("，", ","), text)


@dataclass(frozen=True, slots=True)
class Token:
    """A blank-separated piece of a rule, still escaped, and the column it starts at (from 0)."""

    raw: str
    column: int
    quoted: bool = False


def alternatives(text: str, place: Place) -> Iterator[tuple[list[Token], int]]:
    """Yield the tokens of each alternative, with the column it starts at."""
    tokens: list[Token] = []
    start = i = 0
    while i < len(text):
        if text[i].isspace():
            i += 1
        elif text[i] == "|":
            yield tokens, start
            tokens, start = [], i + 1
            i += 1
        else:
            token, i = _quoted(text, i, place) if text[i] == '"' else _plain(text, i, place)
            tokens.append(token)
    yield tokens, start


def _quoted(text: str, start: int, place: Place) -> tuple[Token, int]:
    quotation = _QUOTATION.match(text, start)
    if not quotation:
        raise fail("quote-open", place.at(start), {"text": text[start : start + 30]})
    return Token(re.sub(r'\\(["\\])', r"\1", quotation[1]), start, quoted=True), quotation.end()


def _plain(text: str, start: int, place: Place) -> tuple[Token, int]:
    """Read a token up to the next blank or bar outside of <> and ()."""
    closing: list[str] = []
    i = start
    while i < len(text):
        c = text[i]
        if c == "\\":
            if text[i + 1 : i + 2] == "" or text[i + 1] not in ESCAPED + "!！*-":
                raise fail("escape-unknown", place.at(i), {"text": text[i : i + 2]})
            i += 2
            continue
        if c in "<(":
            closing.append(">" if c == "<" else ")")
            if len(closing) > 2:
                raise fail("bracket-too-deep", place.at(i))
        elif c in ">)":
            if not closing or closing.pop() != c:
                raise fail("bracket-stray", place.at(i), {"char": c})
        elif c == '"':
            raise fail("quote-inside", place.at(i), {"text": text[start : i + 1]})
        elif not closing and (c.isspace() or c == "|"):
            break
        i += 1
    if closing:
        raise fail("bracket-open", place.at(start), {"char": closing[-1], "text": text[start : start + 30]})
    return Token(text[start:i], start), i


def split(raw: str, separator: str) -> list[str]:
    """Split at separators that are neither escaped nor inside <> or ()."""
    pieces = [""]
    depth = i = 0
    while i < len(raw):
        if raw[i] == "\\":
            pieces[-1] += raw[i : i + 2]
            i += 2
            continue
        depth += (raw[i] in "<(") - (raw[i] in ">)")
        if raw[i] == separator and not depth:
            pieces.append("")
        else:
            pieces[-1] += raw[i]
        i += 1
    return pieces


def unescape(raw: str) -> str:
    """Remove the backslashes of an escaped piece."""
    return re.sub(r"\\(.)", r"\1", raw)


# Rule texts are read into rules, with a place for every error.

MAX_LENGTH = 10_000
_WEIGHT = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\*")
_NUMBER = re.compile(r"([+-]?\.?\d[\d.,/eE+-]*)\*")  # meant as a weight
_BRACKET = re.compile(r"[<>()]")
_NAME = re.compile(r"[\w+-]+(\.[\w+-]+)*")


def parse_rule(text: str, place: Place) -> Rule:
    """Read the rule in `text`, whose first character stands at `place`."""
    if len(text) > MAX_LENGTH:
        raise fail("rule-too-long", place, {"length": len(text), "limit": MAX_LENGTH})
    groups = list(alternatives(with_twins(text), place))
    if len(groups) == 1 and not groups[0][0]:
        return Rule((Alternative(Words()),))
    return Rule(tuple(_alternative(tokens, place.at(start), place, text) for tokens, start in groups))


def _alternative(tokens: list[Token], start: Place, place: Place, text: str) -> Alternative:
    if not tokens:
        raise fail("alternative-empty", start)
    weight = Fraction(1)
    first = tokens[0]
    if not first.quoted and (prefix := _WEIGHT.match(first.raw)):
        weight = Fraction(prefix.group(1))
        if weight == 0:
            raise fail("weight-zero", place.at(first.column))
        rest = first.raw[prefix.end() :]
        tokens = ([Token(rest, first.column + prefix.end())] if rest else []) + tokens[1:]
        if not tokens:
            raise fail("alternative-empty", start)
    elif not first.quoted and (number := _NUMBER.match(first.raw)):
        raise fail("weight-bad", place.at(first.column), {"value": number.group(1)})
    return Alternative(_body(tokens, place, text), weight)


def _body(tokens: list[Token], place: Place, text: str) -> Lexical | Words | Phrase:
    if all(token.quoted or len(split(token.raw, ":")) == 1 for token in tokens):
        return _words(tokens, place, text)
    for token in tokens:
        if not token.quoted and split(token.raw, ":")[-1] == "":  # `pos: NN`, with a blank too many
            raise fail("value-missing", place.at(token.column), {"feature": token.raw[:-1]})
        if token.quoted or len(split(token.raw, ":")) == 1:
            raise fail("words-among-features", place.at(token.column), {"text": token.raw})
    if split(tokens[0].raw, ":")[0] == "phrase":
        return _phrase(tokens, place)
    return _lexical(tokens, place)


def _words(tokens: list[Token], place: Place, text: str) -> Words:
    """Read words as they are written in `text`: a mark of theirs is printed, so it keeps its width."""
    tokens = [t if t.quoted else replace(t, raw=text[t.column : t.column + len(t.raw)]) for t in tokens]
    for token in tokens:
        if not token.quoted:
            _refuse_brackets(token, place)
    words = tuple(t.raw if t.quoted else unescape(t.raw) for t in tokens)
    if "" in words and len(words) > 1:
        raise fail("empty-among-words", place.at(tokens[words.index("")].column))
    bare = tuple((word, token.column) for word, token in zip(words, tokens, strict=True) if not token.quoted)
    return Words(tuple(word for word in words if word), tokens[0].column, bare)


def _refuse_brackets(token: Token, place: Place) -> None:
    if bracket := _BRACKET.search(re.sub(r"\\.", "  ", token.raw)):
        raise fail("bracket-stray", place.at(token.column + bracket.start()), {"char": bracket.group()})


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
    (tokens, _), *others = alternatives(text, place.at(column))
    moved = [Token(t.raw, t.column + column, t.quoted) for t in tokens]
    body = _body(moved, place, " " * column + text) if tokens and not others else None
    if not isinstance(body, Lexical):
        raise fail("override-form", place.at(column), {"text": f"<{text}>", "phrase": ""})
    return body


def _lexical(tokens: list[Token], place: Place) -> Lexical:
    conditions: list[Condition] = []
    matches: list[Match] = []
    relations: list[RelationTerm] = []
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
    _refuse_brackets(token, place)
    return Condition(feature, "not" if negated else "any", values, token.column)


def _match(pending: dict[str, tuple[Token, str]], mismatch: bool, place: Place) -> Match:
    """Take a complete position and property off `pending`."""
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


def _related(text: str, token: Token, place: Place) -> RelationTerm:
    name, bracket, inside = text.partition("(")
    if not name or not bracket or not inside.endswith(")"):
        raise fail("relation-form", place.at(token.column), {"text": token.raw})
    targets = tuple(_ref(part.strip(), token.column, place) for part in inside[:-1].split(","))
    return RelationTerm(unescape(name), targets, token.column)


def _ref(text: str, column: int, place: Place) -> Ref:
    if not _NAME.fullmatch(text):
        raise fail("slot-form", place.at(column), {"text": text})
    slot, *path = text.split(".")
    return Ref(slot, tuple(path), column)
