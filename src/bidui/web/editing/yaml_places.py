"""Where in a YAML text entries and items are written, and where new ones go: the text side of an edit."""

from bidui.errors import Place, fail
from bidui.web.editing.changes import Change
from bidui.web.editing.layout import Mapping, Path, Sequence, Value, node_at
from bidui.web.editing.positions import Lines, newline_of
from bidui.web.editing.scalars import written

Chunk = tuple[int, int]
_STEP = "  "  # what a nested block is indented by


def chunks_of(text: str, parent: Mapping | Sequence) -> list[Chunk]:
    """What each entry or item is written in: up to the end of its line, or in flow style up to its own end."""
    if isinstance(parent, Mapping):
        found = [(entry.key.start, max(entry.key.end + 1, entry.value.end)) for entry in parent.entries]
    else:
        found = [(item.start, item.end) for item in parent.items]
    if parent.flow:
        return found
    lines = Lines(text)
    return [(start, lines.line_end(end)) for start, end in found]


def added(text: str, parent: Mapping | Sequence, number: int, value: Value) -> Change:
    """A new entry (a mapping of one) or item (a list of one) before the n-th of those that are there, or after all."""
    chunks = chunks_of(text, parent)
    if parent.flow:
        new = _flow(value)[1:-1]
        if number < len(chunks):
            return Change(chunks[number][0], chunks[number][0], f"{new}, ")
        return Change(chunks[-1][1], chunks[-1][1], f", {new}")
    if isinstance(parent, Sequence):
        chunks = [(_dash(text, start), end) for start, end in chunks]
    column, lines = _column(text, chunks[0][0]), Lines(text)
    block, newline, start = _block(value), newline_of(text), chunks[0][0]
    if number > 0:  # below the one before it, so that a comment above the next one stays with that
        end = _past_comments(lines, chunks[number - 1][1], column)
        return Change(end, end, "".join(f"{newline}{' ' * column}{line}" for line in block))
    if text[lines.line_start(start) : start].strip():  # after a dash
        return Change(start, start, "".join(f"{line}{newline}{' ' * column}" for line in block))
    at = _before_comments(lines, lines.line_start(start), column) if column else lines.line_start(start)
    return Change(at, at, "".join(f"{' ' * column}{line}{newline}" for line in block))


def _past_comments(lines: Lines, end: int, column: int) -> int:
    """The end of the comments below an entry that stand further in than it does, and so are its own."""
    while (start := lines.next_line(end)) < len(lines.text):
        line = lines.text[start : lines.line_end(start)]
        if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) <= column:
            break
        end = start + len(line)
    return end


def _before_comments(lines: Lines, start: int, column: int) -> int:
    """Where the comments right above a line begin, those that stand as far in as what they are about."""
    indent = " " * column + "#"
    while start and lines.text.startswith(indent, above := lines.line_start(start - 1)):
        start = above
    return start


def whole_chunks(text: str, parent: Mapping | Sequence) -> list[Chunk]:
    """What goes where an entry goes: also the comments below it that stand further in, and those right above it.

    A comment above several rows that follow each other without a gap may be about all of them, and stays; so does what
    stands at the head of the file.
    """
    chunks = chunks_of(text, parent)
    if parent.flow or isinstance(parent, Sequence):
        return chunks
    lines, found = Lines(text), []
    for number, (start, end) in enumerate(chunks):
        line, column = lines.line_start(start), _column(text, start)
        end = _past_comments(lines, end, column)
        below = text[lines.next_line(end) : lines.line_end(lines.next_line(end))].strip()
        above = _before_comments(lines, line, column) if not text[line:start].strip() else line
        alone = number + 1 == len(chunks) or not below or below.startswith("#")
        found.append((above + column if 0 < above < line and alone else start, end))
    return found


def replaced(text: str, document: Mapping, path: Path, value: Value) -> Change:
    """The entry at `path` says something else, of another shape; refused where comments inside of it would go."""
    parent = node_at(document, path[:-1])
    entry = parent.entry(str(path[-1])) if path and isinstance(parent, Mapping) and not parent.flow else None
    old = text[entry.value.start : entry.value.end] if entry else ""
    if entry is None or ("#" in old and "\n" in old):
        raise fail("edit-form", Place("", Lines(text).place(entry.key.start if entry else 0)[0]))
    start, end = entry.key.end + 1, max(entry.key.end + 1, entry.value.end)
    if not _nests(value):
        return Change(start, end, f" {_on_line(value)}")
    lines = Lines(text)
    beside = text[start : lines.line_end(start)]
    if lines.line_start(entry.value.start) == lines.line_start(start):
        beside, end = text[end : lines.line_end(end)], lines.line_end(end)
    indent = newline_of(text) + " " * _column(text, entry.key.start) + _STEP
    return Change(start, end, beside.rstrip() + "".join(f"{indent}{line}" for line in _block(value)))


def first_added(text: str, document: Mapping, path: Path, value: Value) -> Change:
    """What was empty (`slots:`, `slots: {}`) becomes a block below its key; in flow style it stays on its line."""
    parent, node = node_at(document, path[:-1]), node_at(document, path)
    entry = parent.entry(str(path[-1])) if path and isinstance(parent, Mapping) and not parent.flow else None
    assert node is not None
    if entry is None:
        return Change(node.start, node.end, _flow(value))
    end = Lines(text).line_end(node.end)
    comment = text[node.end : end].strip()
    indent = " " * _column(text, entry.key.start) + _STEP
    block = "".join(f"{newline_of(text)}{indent}{line}" for line in _block(value))
    return Change(entry.key.end + 1, end, (f" {comment}" if comment else "") + block)


def removed(text: str, document: Mapping, path: Path, number: int) -> Change:
    """Without the n-th entry or item of what stands at `path`."""
    parent = node_at(document, path)
    assert isinstance(parent, Mapping | Sequence)
    chunks = whole_chunks(text, parent)
    start, end = chunks[number]
    if len(chunks) == 1:
        return _emptied(text, document, path, parent)
    if parent.flow:
        if number + 1 < len(chunks):
            return Change(start, chunks[number + 1][0], "")
        return Change(chunks[number - 1][1], end, "")
    lines = Lines(text)
    if isinstance(parent, Sequence):
        start = _dash(text, start)
    if not text[lines.line_start(start) : start].strip():
        return Change(lines.line_start(start), lines.next_line(end), "")
    # the first key of a list's item stands after a dash, which the next key inherits
    return Change(start, chunks[number + 1][0] if number + 1 < len(chunks) else end, "")


def _emptied(text: str, document: Mapping, path: Path, node: Mapping | Sequence) -> Change:
    empty = "{}" if isinstance(node, Mapping) else "[]"
    above = node_at(document, path[:-1])
    entry = above.entry(str(path[-1])) if path and isinstance(above, Mapping) else None
    if entry is not None and not text[entry.key.end + 1 : node.start].strip():
        return Change(entry.key.end + 1, node.end if node.flow else Lines(text).line_end(node.end), f" {empty}")
    return Change(node.start, node.end, empty)


def _dash(text: str, start: int) -> int:
    """The dash of a list's item, which must stand on its line."""
    lines = Lines(text)
    dash = text.rfind("-", lines.line_start(start), start)
    if dash < 0 or text[dash + 1 : start].strip():
        raise fail("edit-form", Place("", lines.place(start)[0]))
    return dash


def _column(text: str, offset: int) -> int:
    return offset - Lines(text).line_start(offset)


def _flow(value: Value) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return written(value, flow=True)
    if isinstance(value, list):
        if "" in value:
            raise fail("edit-form", Place())
        return f"[{', '.join(map(_flow, value))}]"
    return "{" + ", ".join(f"{written(key, flow=True)}: {_flow(inner)}" for key, inner in value.items()) + "}"


def _block(value: Value) -> list[str]:
    """A value on lines of its own; lists of texts are short and stay on one."""
    lines: list[str] = []
    if isinstance(value, list):
        for item in value:
            first, *rest = _block(item) if isinstance(item, dict) and item else [_on_line(item)]
            lines += (f"- {first}".rstrip(" "), *(f"{_STEP}{line}" for line in rest))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if _nests(inner):
                lines += (f"{written(key)}:", *(f"{_STEP}{line}" for line in _block(inner)))
            else:
                lines.append(f"{written(key)}: {_on_line(inner)}".rstrip(" "))
    return lines or [_on_line(value)]


def _nests(value: Value) -> bool:
    """Whether a value needs lines of its own; brackets cannot hold an item that is not written yet."""
    return bool(value) and (isinstance(value, dict) or (isinstance(value, list) and _spread(value)))


def _spread(items: list[Value]) -> bool:
    return isinstance(items[0], dict) or "" in items


def _on_line(value: Value) -> str:
    return written(value) if isinstance(value, str) else _flow(value)
