"""Changes of a text: stretches that are replaced, applied all at once, and undone by their inverse."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """The characters from `start` up to `end` (counted from 0) give way to `text`."""

    start: int
    end: int
    text: str


_BY_LINES = 5_000  # characters: longer stretches are not compared line by line, which could take long
Edit = tuple[Change, ...]  # by position, none overlapping


def make_edit(changes: Iterable[Change]) -> Edit:
    """The changes in order; insertions at one place keep the order they were given in."""
    edit = tuple(sorted(changes, key=lambda change: (change.start, change.end)))
    for before, after in pairwise(edit):
        if before.end > after.start:
            raise ValueError(f"changes overlap: {before} and {after}")
    return edit


def apply_edit(text: str, edit: Edit) -> str:
    """The text after an edit."""
    pieces: list[str] = []
    last = 0
    for change in edit:
        pieces += (text[last : change.start], change.text)
        last = change.end
    return "".join((*pieces, text[last:]))


def inverse(text: str, edit: Edit) -> Edit:
    """The edit that brings `text` back once `edit` was applied to it."""
    found: list[Change] = []
    shift = 0
    for change in edit:
        start = change.start + shift
        found.append(Change(start, start + len(change.text), text[change.start : change.end]))
        shift += len(change.text) - (change.end - change.start)
    return tuple(found)


def in_utf16(text: str, edit: Edit) -> Edit:
    """The same edit with places counted as browsers do, where a rare character counts twice."""
    return tuple(Change(to_utf16(text, c.start), to_utf16(text, c.end), c.text) for c in edit)


def to_utf16(text: str, offset: int) -> int:
    """Where a browser sees the character at `offset`."""
    return offset if text.isascii() else offset + sum(c > "\uffff" for c in text[:offset])


def from_utf16(text: str, offset: int) -> int:
    """Where the character is that a browser sees at `offset`; never outside of the text."""
    offset = max(0, offset)
    seen = 0
    for at, char in enumerate(text):
        if seen >= offset:
            return at
        seen += 2 if char > "\uffff" else 1
    return len(text)


def difference(old: str, new: str) -> Edit:
    """The changes that make `new` of `old`, found by lines, and within lines by what they begin and end with."""
    whole = _narrowed(old, Change(0, len(old), new))
    if old == new or max(whole.end - whole.start, len(whole.text)) > _BY_LINES:
        return () if old == new else (whole,)
    one, other = old[whole.start : whole.end].splitlines(keepends=True), whole.text.splitlines(keepends=True)
    starts, places = ([0, *accumulate(map(len, lines))] for lines in (one, other))
    found = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            change = Change(whole.start + starts[a], whole.start + starts[b], whole.text[places[c] : places[d]])
            found.append(_narrowed(old, change))
    return make_edit(found)


def line_difference(old: str, new: str) -> Edit:
    """The same for tables, however long: line by line, or at once where lines were added or went."""
    one, other = old.splitlines(keepends=True), new.splitlines(keepends=True)
    least = min(len(one), len(other))
    head = next((n for n in range(least) if one[n] != other[n]), least)
    tail = next((n for n in range(least - head) if one[-1 - n] != other[-1 - n]), least - head)
    start = sum(map(len, one[:head]))
    before, after = one[head : len(one) - tail], other[head : len(other) - tail]
    if len(before) != len(after):
        end = start + sum(map(len, before))
        return (_narrowed(old, Change(start, end, "".join(after))),)
    starts = accumulate(map(len, before), initial=start)
    changed = [(at, b, a) for at, b, a in zip(starts, before, after, strict=False) if b != a]
    return tuple(_narrowed(old, Change(at, at + len(b), a)) for at, b, a in changed)


def _narrowed(text: str, change: Change) -> Change:
    """The change without what it leaves as it is at its start and end."""
    old, new = text[change.start : change.end], change.text
    start = end = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return Change(change.start + start, change.end - end, new[start : len(new) - end])
