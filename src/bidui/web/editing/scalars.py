"""Scalars of YAML: how a text is written as one, and where each of its characters stands in what was written."""

import re

# A plain value that begins with one of these is something else to YAML.
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@` ")
_FLOW = re.compile(r"[,\[\]{}?]|:$")  # what ends a plain value inside of brackets
_WIDE_BLANKS = "\u3000\u00a0"  # which Python calls unprintable and Chinese keyboards write
_ESCAPE = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)", re.DOTALL)


def written(text: str, *, style: str = "", flow: bool = False) -> str:
    """The text as a scalar on one line, in the quotes it had (`style`) or none, where that is read back as itself.

    Of no text nothing is written: `""` would say that nothing is meant, and not that it is still missing.
    """
    if not text:
        return ""
    if style == '"' or not all(map(printable, text)):
        return '"' + "".join(map(_escaped, text)) + '"'
    if style != "'" and _plain(text, flow=flow):
        return text
    if style == "" and flow and not set(text) & {'"', "\\"}:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


def _plain(text: str, *, flow: bool) -> bool:
    if text[0] in _INDICATORS or text[-1] in ": " or ": " in text or " #" in text:
        return False
    return not text.startswith(("---", "...")) and not (flow and _FLOW.search(text))


def printable(char: str) -> bool:
    """Whether people can see a character, or the gap that it leaves."""
    return char.isprintable() or char in _WIDE_BLANKS


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if printable(char) else f"\\U{ord(char):08X}"


def offsets(raw: str, text: str, *, style: str) -> list[int]:
    """For each character of `text`, and for its end, where it stands in `raw`, the scalar as it was written.

    Folded lines have fewer characters than were written; then the place is that of the blanks they were folded from.
    """
    at = 0
    if style in {"'", '"'}:
        at = 1
    elif style in {"|", ">"}:
        at = raw.find("\n") + 1
    found: list[int] = []
    for char in text:
        at = _skipped(raw, at, char, style)
        found.append(min(at, len(raw)))
        at += _width(raw, at, style)
    return [*found, min(at, len(raw))]


def _skipped(raw: str, at: int, char: str, style: str) -> int:
    """Past what was written for the eye only: indentation, and in double quotes escaped line breaks."""
    while at < len(raw):
        if style == '"' and raw[at] == "\\" and raw[at + 1 : at + 2] in {"\n", "\r"}:
            at += 2
        elif raw[at].isspace() and raw[at] != char and not char.isspace():
            at += 1
        else:
            break
    return at


def _width(raw: str, at: int, style: str) -> int:
    if style == "'" and raw.startswith("''", at):
        return 2
    if style == '"' and (found := _ESCAPE.match(raw, at)):
        return len(found.group())
    return 1
