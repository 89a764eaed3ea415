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
    indent = " " * _column(text, chunks[0][0])
    newline = newline_of(text)
    if number < len(chunks):
        start = chunks[number][0]
        return Change(start, start, "".join(f"{line}{newline}{indent}" for line in _block(value)))
    end = chunks[-1][1]
    return Change(end, end, "".join(f"{newline}{indent}{line}" for line in _block(value)))


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
    chunks = chunks_of(text, parent)
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
        return f"[{', '.join(map(_flow, value))}]"
    return "{" + ", ".join(f"{written(key, flow=True)}: {_flow(inner)}" for key, inner in value.items()) + "}"


def _block(value: Value) -> list[str]:
    """A value on lines of its own; lists of texts are short and stay on one."""
    lines: list[str] = []
    if isinstance(value, list):
        for item in value:
            first, *rest = _block(item) if isinstance(item, dict) and item else [_on_line(item)]
            lines += (f"- {first}", *(f"{_STEP}{line}" for line in rest))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if _nests(inner):
                lines += (f"{written(key)}:", *(f"{_STEP}{line}" for line in _block(inner)))
            else:
                lines.append(f"{written(key)}: {_on_line(inner)}")
    return lines or [_on_line(value)]


def _nests(value: Value) -> bool:
    return bool(value) and (isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict)))


def _on_line(value: Value) -> str:
    return written(value) if isinstance(value, str) else _flow(value)
