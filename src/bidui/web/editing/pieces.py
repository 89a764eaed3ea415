"""The pieces of rules and the items of lines, finished or half-typed, with their positions.

The parser of the grammar refuses what is not a rule; `pieces_of` takes any text, since completion, renaming and
messages need to know what stands where while a rule is being written. `items_of` does the same for `good:` and `bad:`
lines, and `rows_of` puts the two lines side by side: what became of each item of the good line on the bad side.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Literal

from bidui.errors import InputError, Place
from bidui.grammar.printing import Token, align
from bidui.grammar.rules import KEYWORDS, MAX_LENGTH, Rule, parse_rule, unescape, with_twins

Kind = Literal["feature", "value", "theirs", "share", "slot", "phrase", "relation", "part", "keyword", "word"]
_WEIGHT = re.compile(r"\d+(?:\.\d+)?\*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_CLOSING = {"<": ">", "(": ")"}
_DEEPEST = 3  # of `<…>` inside each other; the grammar allows two
_Where = tuple[tuple[int, int], tuple[str, ...]]  # the token, and the parts of phrases around it


@lru_cache(maxsize=5_000)  # while one rule is being written, a page asks about all of them with every key
def parsed(rule: str) -> Rule | None:
    """Return the rule in a text, or None where it is no rule yet."""
    try:
        return parse_rule(rule, Place())
    except InputError:
        return None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a rule and what it is: a feature, a value, a slot, a phrase, a word.

    `of` is the feature of a value, the keyword of a slot or property, or the relation that a slot is an argument of
    (number `argument`). `token` is the blank-separated token around it. `inside` are the parts whose `<…>` it is in.
    """

    kind: Kind
    start: int
    end: int
    text: str
    of: str = ""
    token: tuple[int, int] = (0, 0)
    alternative: int = 0
    inside: tuple[str, ...] = ()
    argument: int = 0


def pieces_of(rule: str) -> tuple[Piece, ...]:
    """Return all pieces of a text in order; of a text that is too long for a rule, those at its start."""
    return tuple(_Scanner(with_twins(rule)).pieces(0, min(len(rule), MAX_LENGTH), ()))


class _Scanner:
    """Yields the pieces of a rule, token by token."""

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.alternative = 0

    def pieces(self, at: int, end: int, inside: tuple[str, ...]) -> Iterator[Piece]:
        first = True
        while at < end:
            char = self.rule[at]
            if char.isspace():
                at += 1
                continue
            if char == "|":
                self.alternative += not inside
                first = True
                at += 1
                continue
            if char == '"' and (word := _QUOTED.match(self.rule, at, end)):
                yield self.piece("word", at, word.end(), (word.span(), inside))
                at = word.end()
            else:
                stop = self.token_end(at, end)
                start = weight.end() if first and (weight := _WEIGHT.match(self.rule, at, stop)) else at
                if start < stop:
                    yield from self.token(start, stop, inside)
                at = stop
            first = False

    def token_end(self, at: int, end: int) -> int:
        """Return the position of the next blank or bar outside brackets; an open bracket reaches to the end."""
        closing: list[str] = []
        while at < end:
            char = self.rule[at]
            if char == "\\":
                at += 1
            elif char in _CLOSING:
                closing.append(_CLOSING[char])
            elif closing and char == closing[-1]:
                closing.pop()
            elif not closing and (char.isspace() or char == "|"):
                break
            at += 1
        return min(at, end)

    def piece(self, kind: Kind, start: int, end: int, where: _Where, *, of: str = "", argument: int = 0) -> Piece:
        text = unescape(self.rule[start:end])
        return Piece(kind, start, end, text, of, where[0], self.alternative, where[1], argument)

    def token(self, start: int, end: int, inside: tuple[str, ...]) -> Iterator[Piece]:
        where = ((start, end), inside)
        colon = self.find(start, end, ":")
        if colon < 0:
            yield self.piece("word", start, end, where)
            return
        name = unescape(self.rule[start:colon])
        value = colon + 1
        if self.rule.startswith("<", value) and len(inside) < _DEEPEST:
            yield self.piece("part", start, colon, where)
            stop = end - 1 if self.rule[end - 1] == ">" and end - 1 > value else end
            yield from self.pieces(value + 1, stop, (*inside, name))
        elif name in KEYWORDS:
            yield self.piece("keyword", start, colon, where)
            yield from self.linked(KEYWORDS[name], value, end, where)
        else:
            yield self.piece("feature", start, colon, where)
            value += value < end and self.rule[value] == "!"
            for left, right in self.split(value, end, "/"):
                yield self.piece("value", left, right, where, of=name)

    def linked(self, keyword: str, start: int, end: int, where: _Where) -> Iterator[Piece]:
        """Yield the pieces after a keyword and its colon."""
        if keyword == "phrase":
            yield self.piece("phrase", start, end, where)
        elif keyword.endswith("Pos"):
            yield self.piece("slot", start, end, where, of=keyword)
        elif keyword.endswith("Pro"):
            for left, right in self.split(start, end, "/"):
                yield from self.property(keyword, left, right, where)
        else:
            bracket = self.rule.find("(", start, end)
            stop = bracket if bracket >= 0 else end
            yield self.piece("relation", start, stop, where)
            last = end - 1 if self.rule[end - 1] == ")" else end
            arguments = self.split(bracket + 1, last, ",") if bracket >= 0 else ()
            for number, (left, right) in enumerate(arguments):
                text = self.rule[left:right]
                left += len(text) - len(text.lstrip())
                right = left + len(text.strip())
                of = unescape(self.rule[start:stop])
                yield self.piece("slot", left, right, where, of=of, argument=number)

    def property(self, keyword: str, start: int, end: int, where: _Where) -> Iterator[Piece]:
        """Yield the pieces of a property such as `takes=class#1`."""
        share = self.find(start, end, "#")
        stop = share if share >= 0 else end
        equals = self.find(start, stop, "=")
        yield self.piece("feature", start, equals if equals >= 0 else stop, where, of=keyword)
        if equals >= 0:
            yield self.piece("theirs", equals + 1, stop, where, of=keyword)
        if share >= 0:
            yield self.piece("share", share + 1, end, where, of=keyword)

    def find(self, start: int, end: int, char: str) -> int:
        """Return the first such character that is neither escaped nor in brackets, or -1."""
        depth = 0
        while start < end:
            here = self.rule[start]
            if here == "\\":
                start += 1
            elif here == char and not depth:
                return start
            depth += (here in "<(") - (here in ">)")
            start += 1
        return -1

    def split(self, start: int, end: int, separator: str) -> Iterator[tuple[int, int]]:
        while (stop := self.find(start, end, separator)) >= 0:
            yield start, stop
            start = stop + 1
        yield start, max(start, end)


Fate = Literal["same", "move", "copy", "drop", "add", "replace", "agree"]
_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"?|(?:\\.|[^\s])+', re.DOTALL)
_USE = re.compile(r"(?P<ref>[\w+-]+(?:\.[\w+-]*)*)(?:@(?P<column>[^\s@]*))?")
MAX_ITEMS = 200  # of a line that is shown; the grammar allows 60


@dataclass(frozen=True, slots=True)
class Item:
    """A slot (or a part of its phrase, or a column of its word) or a literal, with its position in the line's text.

    A literal, or a name that is not declared, has no slot.
    """

    text: str
    start: int
    end: int
    slot: str = ""
    part: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A row of the two lines side by side: the numbers of the items, and what the bad side does.

    An item that the bad side moves has two rows, each of which is the `partner` of the other.
    """

    good: int | None
    bad: int | None
    fate: Fate
    partner: int | None = None


def items_of(line: str, *, slots: Collection[str]) -> tuple[Item, ...]:
    """Return the items of a line's text; `slots` are the declared names."""
    items = []
    for match in islice(_ITEM.finditer(line), MAX_ITEMS):
        item = Item(match.group(), *match.span())
        use = _USE.fullmatch(item.text)  # which no text in quotes matches
        slot, _, part = use["ref"].partition(".") if use else ("", "", "")
        items.append(replace(item, slot=slot, part=part, column=use["column"] or "") if use and slot in slots else item)
    return tuple(items)


def rows_of(good: Sequence[Item], bad: Sequence[Item], *, rules: Mapping[str, str]) -> tuple[ItemRow, ...]:
    """Return the two lines side by side; a slot whose rule has a mismatch is not replaced, it fails to agree."""
    names = [name for name, keyword in KEYWORDS.items() if keyword == "mmPos"]
    likely = {slot: rule for slot, rule in rules.items() if any(name in rule for name in names)}  # spares most the scan
    mismatched = {slot for slot, rule in likely.items() if any(piece.of == "mmPos" for piece in pieces_of(rule))}
    sides = [[_token(item, mismatched) for item in line] for line in (good, bad)]
    fates: list[dict[int, Fate]] = [{}, {}]
    for change in align(*sides):
        fates[change.side][change.item] = change.kind
    rows: list[ItemRow] = []
    at = [0, 0]
    while at[0] < len(good) or at[1] < len(bad):
        mine, theirs = fates[0].get(at[0], "same"), fates[1].get(at[1], "same")
        good_left, bad_left = at[0] < len(good), at[1] < len(bad)
        if good_left and mine in {"drop", "move"}:
            rows.append(ItemRow(at[0], None, mine))
            at[0] += 1
        elif bad_left and theirs in {"add", "copy", "move"}:
            rows.append(ItemRow(None, at[1], theirs))
            at[1] += 1
        else:
            rows.append(ItemRow(at[0], at[1], mine))
            at = [at[0] + 1, at[1] + 1]
    return tuple(_with_partners(rows, good, bad))


def _with_partners(rows: list[ItemRow], good: Sequence[Item], bad: Sequence[Item]) -> list[ItemRow]:
    """Link the two rows of each moved item, the first with the first."""
    linked = list(rows)
    arrivals = [n for n, row in enumerate(rows) if row.fate == "move" and row.bad is not None]
    for number, row in enumerate(rows):
        if row.fate != "move" or row.good is None:
            continue
        for other in arrivals:
            if (place := rows[other].bad) is not None and bad[place].text == good[row.good].text:
                linked[number] = ItemRow(row.good, None, "move", other)
                linked[other] = ItemRow(None, place, "move", number)
                arrivals.remove(other)
                break
    return linked


def _token(item: Item, mismatched: Collection[str]) -> Token:
    if item.slot:
        return Token(item.text, item.slot, literal=False, mismatched=item.slot in mismatched)
    text = unescape(item.text[1:].removesuffix('"') if item.text.startswith('"') else item.text)
    return Token(text, text, literal=True, mismatched=False)
