"""The items of `good:` and `bad:` lines, finished or half-typed, and the rows in which the two sides stand beside each
other: an item of the good line, what the bad line has in its place, and what became of it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bidui.grammar.alignment import Token, align
from bidui.grammar.rule_tokens import unescape
from bidui.web.editing.rule_pieces import pieces_of

Fate = Literal["same", "move", "copy", "drop", "add", "replace", "agree"]
_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"?|(?:\\.|[^\s])+', re.DOTALL)
_USE = re.compile(r"(?P<ref>[\w+-]+(?:\.[\w+-]*)*)(?:@(?P<column>[^\s@]*))?")
MAX_ITEMS = 200  # of a line that is shown; the grammar allows 60


@dataclass(frozen=True, slots=True)
class Item:
    """A slot (or a part of its phrase, or a column of its word) or a literal, with its place in the line's text."""

    text: str
    start: int
    end: int
    slot: str = ""  # none: a literal, or a name that nobody declared
    part: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One row of the two lines side by side: numbers of items, and what the bad side does.

    Something moved has two rows, one on each side, which name each other as `partner`.
    """

    good: int | None
    bad: int | None
    fate: Fate
    partner: int | None = None


def items_of(line: str, *, slots: Collection[str]) -> tuple[Item, ...]:
    """The items of a line's text; `slots` are the names declared."""
    found = []
    for match in _ITEM.finditer(line):
        raw = match.group()
        use = None if raw.startswith('"') else _USE.fullmatch(raw)
        slot, _, part = use["ref"].partition(".") if use else ("", "", "")
        if use and slot in slots:
            found.append(Item(raw, *match.span(), slot, part, use["column"] or ""))
        else:
            found.append(Item(raw, *match.span()))
        if len(found) == MAX_ITEMS:
            break
    return tuple(found)


def rows_of(good: Sequence[Item], bad: Sequence[Item], *, rules: Mapping[str, str]) -> tuple[ItemRow, ...]:
    """The lines side by side; `rules` are the rules of the slots, of which a mismatch makes `agree` of `replace`."""
    sides = [[_token(item, rules) for item in line] for line in (good, bad)]
    fates: list[dict[int, Fate]] = [{}, {}]
    for change in align(*sides):
        fates[change.side][change.item] = change.kind
    rows: list[ItemRow] = []
    at = [0, 0]
    while at[0] < len(good) or at[1] < len(bad):
        mine, theirs = fates[0].get(at[0], "same"), fates[1].get(at[1], "same")
        one_left, other_left = at[0] < len(good), at[1] < len(bad)
        if one_left and mine in {"drop", "move"}:
            rows.append(ItemRow(at[0], None, mine))
            at[0] += 1
        elif other_left and theirs in {"add", "copy", "move"}:
            rows.append(ItemRow(None, at[1], theirs))
            at[1] += 1
        else:
            rows.append(ItemRow(at[0], at[1], mine))
            at = [at[0] + 1, at[1] + 1]
    return tuple(_with_partners(rows, good, bad))


def _with_partners(rows: list[ItemRow], good: Sequence[Item], bad: Sequence[Item]) -> list[ItemRow]:
    """Moved items find each other, first with first."""
    found = list(rows)
    arrivals = [n for n, row in enumerate(rows) if row.fate == "move" and row.bad is not None]
    for number, row in enumerate(rows):
        if row.fate != "move" or row.good is None:
            continue
        for other in arrivals:
            if (place := rows[other].bad) is not None and bad[place].text == good[row.good].text:
                found[number] = ItemRow(row.good, None, "move", other)
                found[other] = ItemRow(None, place, "move", number)
                arrivals.remove(other)
                break
    return found


def _token(item: Item, rules: Mapping[str, str]) -> Token:
    mismatched = any(piece.of == "mmPos" for piece in pieces_of(rules.get(item.slot, "")))
    if item.slot:
        return Token(item.text, item.slot, literal=False, mismatched=mismatched)
    text = unescape(item.text[1:].removesuffix('"') if item.text.startswith('"') else item.text)
    return Token(text, text, literal=True, mismatched=False)
