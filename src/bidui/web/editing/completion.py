"""Completion: what may be typed at a place in a rule or a line, each with how many words it would leave, best first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bidui.web.editing.fitting import Fitting
from bidui.web.editing.line_items import Item, items_of
from bidui.web.editing.rule_options import MOST, Option, RuleOptions, targets
from bidui.web.editing.rule_pieces import Piece, pieces_of


@dataclass(frozen=True, slots=True)
class Completion:
    """The options, which take the place of the characters from `start` up to `end`; `more` were left out."""

    start: int
    end: int
    options: tuple[Option, ...] = ()
    more: int = 0


def complete_rule(rule: str, *, cursor: int, fitting: Fitting, slots: Mapping[str, str], slot: str = "") -> Completion:
    """What may be typed at `cursor` in a rule of `slot`; `slots` are the rules of all slots in scope."""
    cursor = max(0, min(cursor, len(rule)))
    pieces = pieces_of(rule)
    here = [piece for piece in pieces if piece.start <= cursor <= piece.end]
    others = {name: text for name, text in slots.items() if name != slot}
    if here:
        piece = max(here, key=lambda piece: (piece.start, piece.end > piece.start))
    else:
        number, inside = _around(rule, pieces, cursor)
        piece = Piece("word", cursor, cursor, "", token=(cursor, cursor), alternative=number, inside=inside)
    typed = rule[piece.start : cursor].removeprefix('"')
    context = RuleOptions(rule, pieces, fitting, others, slot, typed)
    found = ranked(context.options(piece), typed, piece.start, piece.end)
    return replace(found, more=found.more + context.left_out)


def complete_line(line: str, *, cursor: int, fitting: Fitting, slots: Mapping[str, str]) -> Completion:
    """What may be typed at `cursor` in a good or bad line: slots, parts of their phrases, columns of their words."""
    cursor = max(0, min(cursor, len(line)))
    items = items_of(line, slots=slots)
    here = next((item for item in items if item.start <= cursor <= item.end), Item("", cursor, cursor))
    typed = line[here.start : cursor]
    name, at, _ = typed.partition("@")
    slot, *path = name.split(".")
    if at and slot in slots:
        words = fitting.rule(slots[slot], path)
        counts = fitting.having(words).items()
        options = [Option(f"{name}@{feature}", "column", n) for feature, n in counts if feature != "expression"]
        return ranked(options, typed, here.start, here.end)
    return ranked(targets(fitting, slots, whole=True), typed, here.start, here.end)


def _around(rule: str, pieces: Sequence[Piece], cursor: int) -> tuple[int, tuple[str, ...]]:
    """In which alternative, and in the brackets of which parts, a place between pieces lies."""
    before = [piece for piece in pieces if piece.end <= cursor]
    number = before[-1].alternative if before else 0
    between = rule[before[-1].end if before else 0 : cursor]
    inside = before[-1].inside if before else ()
    if before and before[-1].kind == "part" and between.startswith(":<"):
        inside = (*inside, before[-1].text)
    inside = inside[: max(0, len(inside) - between.count(">"))]
    return number + (between.count("|") if not inside else 0), inside


def ranked(options: Iterable[Option], typed: str, start: int, end: int) -> Completion:
    """Those that hold what is typed: first where it is their beginning, then those that leave more words."""
    wanted = typed.casefold()
    found = []
    for option in options:
        text = option.text.casefold()
        name = text.partition(":")[2] if option.kind in {"phrase", "relation"} and ":" in text else text
        if wanted in text:
            begins = text.startswith(wanted) or name.startswith(wanted)
            key = (not option.first, not begins, option.count == 0, -(option.count or 0), option.text)
            found.append((key, option))
    found.sort(key=lambda pair: pair[0])
    kept = tuple(option for _, option in found[:MOST])
    return Completion(start, end, kept, len(found) - len(kept))
