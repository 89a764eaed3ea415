"""Completion in the plain text of a paradigm or of the phrases: which rule or line the cursor is in, and what fits."""

import re
from collections.abc import Mapping
from dataclasses import replace

from bidui.errors import InputError
from bidui.grammar.paradigm import EDITS
from bidui.web.editing.completion import Completion, complete_line, complete_rule, ranked
from bidui.web.editing.fitting import Fitting
from bidui.web.editing.paradigm_edits import ORDER
from bidui.web.editing.paradigm_rows import is_rule, read_rows
from bidui.web.editing.phrase_rows import read_phrases
from bidui.web.editing.positions import Lines
from bidui.web.editing.ranges import Located, scalars_in
from bidui.web.editing.rule_options import Option
from bidui.web.editing.scalars import offsets

_LINES = ("good", "bad", "line")
_VALUES = {
    "edit": EDITS,
    "status": ("included", "excluded"),
    **dict.fromkeys(("equal_length", "crossed"), ("true", "false")),
}
_ENTRY = re.compile(r"^(?P<head>\s*(?:-\s+)?(?P<key>[\w-]+):[ \t]+)(?P<value>.*)$")


def complete_text(text: str, *, cursor: int, fitting: Fitting, phrases: bool = False) -> Completion:
    """What may be typed at `cursor` in the text of a paradigm, or of a file of phrases."""
    cursor = max(0, min(cursor, len(text)))
    lines = Lines(text)
    found = _scalar_at(text, cursor, lines)
    if found is None:
        return _by_line(text, cursor, lines, fitting)
    raw = cursor - found.scalar.start
    places = offsets(found.raw, found.scalar.text, style=found.scalar.style)
    inner = next((n for n, place in enumerate(places) if place >= raw), len(places) - 1)
    blanks = max(0, raw - len(found.raw))  # a plain scalar ends before the blank that was just typed
    value = found.scalar.text + " " * blanks
    key = str(found.path[-1])
    if is_rule(found.path, phrases=phrases):
        slots = _slots(text, found, phrases=phrases)
        done = complete_rule(value, cursor=inner + blanks, fitting=fitting, slots=slots, slot=key)
    elif key in _LINES:
        slots = _slots(text, found, phrases=phrases)
        done = complete_line(value, cursor=inner + blanks, fitting=fitting, slots=slots)
    else:
        done = _of_key(key, value, inner + blanks)
    start, end = (found.at(at) + max(0, at - len(found.scalar.text)) for at in (done.start, done.end))
    return replace(done, start=start, end=end)


def _scalar_at(text: str, cursor: int, lines: Lines) -> Located | None:
    """The value that the cursor stands in, at an end of, or after with nothing but blanks between."""
    start = lines.line_start(cursor)
    for found in reversed(scalars_in(text)):
        if found.scalar.start <= cursor and not found.key:
            between = text[found.scalar.end : cursor]
            near = cursor <= found.scalar.end or (found.scalar.end >= start and not between.strip())
            return found if near and (found.scalar.style == "" or not between) else None
    return None


def _slots(text: str, found: Located, *, phrases: bool) -> Mapping[str, str]:
    """The rules that links and lines at a place may name."""
    if phrases:
        for phrase in read_phrases(text):
            for row in phrase.alternatives:
                if row.path == found.path[: len(row.path)]:
                    return {part.name: part.rule for part in row.parts}
        return {}
    rows = read_rows(text)
    scopes = [w for w in rows.wordings if not w.path or w.path == found.path[:2]] or list(rows.wordings[:1])
    return {name: slot.rule for name, slot in rows.in_scope(scopes[0]).items()} if scopes else {}


def _by_line(text: str, cursor: int, lines: Lines, fitting: Fitting) -> Completion:
    """The same where the text is not YAML yet: judged by the line alone."""
    start = lines.line_start(cursor)
    line = text[start : lines.line_end(cursor)]
    entry = _ENTRY.match(line)
    if entry is None or cursor < start + entry.end("head"):
        return _keys(text, cursor, start)
    slots = {m["key"]: _bare(m["value"]) for m in map(_ENTRY.match, text.splitlines()) if m and m["key"] not in ORDER}
    key, value = entry["key"], _bare(entry["value"])
    at = start + entry.start("value") + entry["value"].startswith(("'", '"'))
    if key in _LINES:
        done = complete_line(value, cursor=cursor - at, fitting=fitting, slots=slots)
    elif key in ORDER:
        done = _of_key(key, value, cursor - at)
    else:
        done = complete_rule(value, cursor=cursor - at, fitting=fitting, slots=slots, slot=key)
    return replace(done, start=done.start + at, end=done.end + at)


def _bare(value: str) -> str:
    """A value without its quotes, of which the second may not be there yet."""
    return value[1:].removesuffix(value[0]) if value[:1] in {"'", '"'} else value


def _of_key(key: str, value: str, cursor: int) -> Completion:
    """The few words that a field may hold; `edit` holds several, joined by `+`."""
    start = value.rfind("+", 0, cursor) + 1
    return ranked(
        [Option(word, "value") for word in _VALUES.get(key, ())], value[start:cursor].strip(), start, len(value)
    )


def _keys(text: str, cursor: int, start: int) -> Completion:
    """Keys that the file does not have yet, at the start of a line."""
    try:
        there = {field.name.partition(".")[0] for field in read_rows(text).fields if field.span}
    except InputError:
        there = {m["key"] for m in map(_ENTRY.match, text.splitlines()) if m and m["head"] == m["head"].lstrip()}
    typed = text[start:cursor]
    if typed != typed.strip() or ":" in typed:
        return Completion(cursor, cursor)
    return ranked([Option(f"{key}: ", "keyword") for key in ORDER if key not in there], typed, start, cursor)
