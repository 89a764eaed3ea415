"""The pieces of a rule's text, found by hand-written scanning: alternatives, tokens, escapes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bidui.errors import Place, fail
from bidui.grammar.rules import ESCAPED


@dataclass(frozen=True, slots=True)
class Token:
    """A blank-separated piece of a rule, still escaped, and the column it starts at (from 0)."""

    raw: str
    column: int
    quoted: bool = False


def alternatives(text: str, place: Place) -> Iterator[tuple[list[Token], int]]:
    """The tokens of each alternative, with the column it starts at."""
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
    i = start + 1
    content = ""
    while i < len(text):
        if text[i] == "\\" and text[i + 1 : i + 2] in ("\\", '"'):
            content += text[i + 1]
            i += 2
        elif text[i] == '"':
            return Token(content, start, quoted=True), i + 1
        else:
            content += text[i]
            i += 1
    raise fail("quote-open", place.at(start), {"text": text[start : start + 30]})


def _plain(text: str, start: int, place: Place) -> tuple[Token, int]:
    """A token up to the next blank or bar outside of <> and ()."""
    closing: list[str] = []
    i = start
    while i < len(text):
        c = text[i]
        if c == "\\":
            if text[i + 1 : i + 2] == "" or text[i + 1] not in ESCAPED + "!*-":
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
    """Pieces between separators that are neither escaped nor inside <> or ()."""
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
    """The text meant by an escaped piece."""
    return re.sub(r"\\(.)", r"\1", raw)
