"""Edits of a YAML text by path: values set, entries added, removed, moved or renamed, and nothing else touched.

A batch collects edits against one tree. The text that they give together is read once and must say what was meant;
where a text is written in a way that cannot be changed like that, the batch is refused and the text stays.

A comment at the end of a line goes with the line, and one right above an entry with the entry, unless it may be about
several entries; other comments stay where they are.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Concatenate, ParamSpec

from bidui.errors import InputError, Place, fail
from bidui.grammar.yaml import (
    Entry,
    Mapping,
    Node,
    Path,
    Scalar,
    Sequence,
    Value,
    decode,
    node_at,
    parse_document,
    value_of,
    written,
)
from bidui.web.editing.text import Change, Edit, Lines, apply_edit, make_edit, newline_of

MAX_CHARACTERS = 100_000  # the longest shipped file has twenty thousand
Parameters = ParamSpec("Parameters")
Chunk = tuple[int, int]
_STEP = "  "  # the indentation of a nested block


def read_tree(text: str, *, name: str = "") -> Mapping:
    """Return the tree of a text; raises `InputError` with the place where it is too long or no document of ours."""
    if len(text) > MAX_CHARACTERS:
        raise fail("text-too-long", Place(name), {"length": len(text), "limit": MAX_CHARACTERS})
    decode(text.encode("utf-8", "surrogatepass"), name=name)  # refuses what no file can hold
    return parse_document(text, name=name)


def try_read_tree(text: str) -> Mapping | None:
    """Return the tree, or None where the text is not a document yet."""
    try:
        return read_tree(text)
    except InputError:
        return None


class Batch:
    """Edits of one text. Paths are those of the text before the batch; a rename, removal or move comes last."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = read_tree(text)
        self.lines = Lines(text)
        self.changes: list[Change] = []
        self.expected = value_of(self.root)

    def node(self, path: Path) -> Node | None:
        """Return the node at a path, or None."""
        return node_at(self.root, path)

    def set_value(self, path: Path, value: str) -> None:
        """Set the text of a scalar; its quotes stay if they can."""
        node, parent = self.node(path), self.node(path[:-1])
        if not isinstance(node, Scalar) or not isinstance(parent, Mapping | Sequence):
            raise _missing(path)
        self._put(path, value)
        if not value and parent.flow and isinstance(parent, Sequence):  # brackets cannot hold it
            self._replace(path[:-1])
            return
        style = node.style if node.style in {"'", '"'} else ""
        new = written(value, style=style, flow=parent.flow)
        if new and node.start == node.end and self.text[node.start - 1 : node.start] in {":", "-"}:
            new = f" {new}"
        self.changes.append(Change(node.start, node.end, new))

    def set_node(self, path: Path, value: Value) -> None:
        """Set a value of any shape for a key that exists."""
        if self.node(path) is None:
            raise _missing(path)
        self._put(path, value)
        self._replace(path)

    def add_entry(self, path: Path, key: str, value: Value, *, at: int | None = None) -> None:
        """Add a key to the mapping at `path`, as entry number `at` or as the last; `slots:` is an empty mapping."""
        inner = self._get(path)
        inner = {} if inner == "" else inner
        if not isinstance(inner, dict):
            raise _missing(path)
        if key in inner:
            raise fail("row-exists", None, {"name": key})
        mapping = self.node(path)
        keys = list(mapping.items) if isinstance(mapping, Mapping) else []
        number = _within(at, len(keys))
        pairs = list(inner.items())
        place = list(inner).index(keys[number]) if number < len(keys) else len(pairs)
        self._put(path, dict([*pairs[:place], (key, value), *pairs[place:]]))
        if isinstance(mapping, Mapping) and keys:
            self._insert(mapping, number, {key: value})
        else:
            self._fill(path, {key: value})

    def add_item(self, path: Path, value: Value, *, at: int | None = None) -> None:
        """Add an item to the list at `path`, as number `at` or as the last; an empty value is an empty list."""
        inner = self._get(path)
        inner = [] if inner == "" else inner
        if not isinstance(inner, list):
            raise _missing(path)
        number = _within(at, len(inner))
        self._put(path, [*inner[:number], value, *inner[number:]])
        sequence = self.node(path)
        if not isinstance(sequence, Sequence) or not sequence.items:
            self._fill(path, [value])
        elif sequence.flow and not value:
            self._replace(path)
        else:
            self._insert(sequence, number, [value])

    def remove(self, path: Path) -> None:
        """Remove the entry or item at `path`; a mapping or list that is left empty is written `{}` or `[]`."""
        number, parent = self._sibling(path)
        inner = self._get(path[:-1])
        if isinstance(inner, list):
            del inner[number]
        elif isinstance(inner, dict):
            del inner[str(path[-1])]
        self.changes.append(self._removal(parent, path, number))

    def move(self, path: Path, *, to: int) -> None:
        """Move the entry or item at `path` to number `to` among its siblings."""
        number, parent = self._sibling(path)
        chunks = self._whole_chunks(parent)
        order = list(range(len(chunks)))
        order.insert(_within(to, len(chunks) - 1), order.pop(number))
        inner = self._get(path[:-1])
        if isinstance(inner, list):
            self._put(path[:-1], [inner[old] for old in order])
        elif isinstance(inner, dict):
            pairs = list(inner.items())
            self._put(path[:-1], dict(pairs[old] for old in order))
        self.changes += (Change(*chunks[new], self.text[slice(*chunks[old])]) for new, old in enumerate(order))

    def rename(self, path: Path, name: str) -> None:
        """Give the entry at `path` another key."""
        parent, inner = self.node(path[:-1]), self._get(path[:-1])
        if not isinstance(parent, Mapping) or not isinstance(inner, dict) or path[-1] not in parent.items:
            raise _missing(path)
        if name != path[-1] and name in parent.items:
            raise fail("row-exists", None, {"name": name})
        self._put(path[:-1], {name if key == path[-1] else key: value for key, value in inner.items()})
        key = parent.items[str(path[-1])].key
        style = key.style if key.style in {"'", '"'} else ""
        self.changes.append(Change(key.start, key.end, written(name, style=style, flow=parent.flow)))

    def replace_text(self, changes: Iterable[Change], *, expected: Value) -> None:
        """Change stretches of the text, after which the whole text must say `expected`."""
        self.changes += changes
        self.expected = expected

    def edit(self) -> Edit:
        """Return all changes, if the text that they give says what was meant."""
        effective = (c for c in self.changes if self.text[c.start : c.end] != c.text)
        edit = make_edit(dict.fromkeys(effective))
        after = try_read_tree(apply_edit(self.text, edit)) if edit else self.root
        # as texts, which also differ where keys are in another order: they are rows, and people see their order
        if after is None or repr(value_of(after)) != repr(self.expected):
            raise fail("edit-form", Place("", self.lines.place(edit[0].start)[0] if edit else 0))
        return edit

    # What the text will say -----------------------------------------------------------------------------------------

    def _get(self, path: Path) -> Value | None:
        inner: Value | None = self.expected
        for step in path:
            if isinstance(inner, dict):
                inner = inner.get(str(step))
            elif isinstance(inner, list) and isinstance(step, int) and 0 <= step < len(inner):
                inner = inner[step]
            else:
                return None
        return inner

    def _put(self, path: Path, new: Value) -> None:
        inner = self._get(path[:-1])
        if not path:
            self.expected = new
        elif isinstance(inner, dict):
            inner[str(path[-1])] = new
        elif isinstance(inner, list):
            inner[int(path[-1])] = new

    # Where in the text ----------------------------------------------------------------------------------------------

    def chunks(self, parent: Mapping | Sequence) -> list[Chunk]:
        """Return the stretch of each entry or item: to the end of its line, in flow style to its own end."""
        if isinstance(parent, Mapping):
            spans = [(key.start, max(key.end + 1, value.end)) for key, value in parent.entries]
        else:
            spans = [(item.start, item.end) for item in parent.items]
        return spans if parent.flow else [(start, self.lines.line_end(end)) for start, end in spans]

    def _whole_chunks(self, parent: Mapping | Sequence) -> list[Chunk]:
        """Return the same with the comments that go with an entry: those below it, further in, and right above it.

        A comment above several rows that follow each other without a gap may be about all of them, and stays; so does
        what stands at the head of the file.
        """
        chunks = self.chunks(parent)
        if parent.flow or isinstance(parent, Sequence):
            return chunks
        lines, whole = self.lines, []
        for number, (start, end) in enumerate(chunks):
            line, column = lines.line_start(start), self._column(start)
            end = self._past_comments(end, column)
            below = self.text[lines.next_line(end) : lines.line_end(lines.next_line(end))].strip()
            above = self._before_comments(line, column) if not self.text[line:start].strip() else line
            alone = number + 1 == len(chunks) or not below or below.startswith("#")
            whole.append((above + column if 0 < above < line and alone else start, end))
        return whole

    def _insert(self, parent: Mapping | Sequence, number: int, value: Value) -> None:
        """Insert an entry (a mapping of one) or item (a list of one) before number `number`, or after all."""
        chunks = self.chunks(parent)
        if parent.flow:
            new = _flow(value)[1:-1]
            at, text = (chunks[number][0], f"{new}, ") if number < len(chunks) else (chunks[-1][1], f", {new}")
            self.changes.append(Change(at, at, text))
            return
        if isinstance(parent, Sequence):
            chunks = [(self._dash(start), end) for start, end in chunks]
        start = chunks[0][0]
        column, newline, line = self._column(start), newline_of(self.text), self.lines.line_start(start)
        indent = " " * column
        if number > 0:  # below the entry before it, so that a comment above the next one stays with that
            at = self._past_comments(chunks[number - 1][1], column)
            text = "".join(f"{newline}{indent}{line}" for line in _block(value))
        elif self.text[line:start].strip():  # after a dash
            at, text = start, "".join(f"{line}{newline}{indent}" for line in _block(value))
        else:
            at = self._before_comments(line, column) if column else line
            text = "".join(f"{indent}{line}{newline}" for line in _block(value))
        self.changes.append(Change(at, at, text))

    def _replace(self, path: Path) -> None:
        """Write the new value of a key in its own shape; refused where comments inside the old one would be lost."""
        entry, value = self._block_entry(path), self._get(path)
        old = self.text[entry.value.start : entry.value.end] if entry else ""
        if entry is None or value is None or ("#" in old and "\n" in old):
            raise self._refusal(entry.key.start if entry else 0)
        start, end = entry.key.end + 1, max(entry.key.end + 1, entry.value.end)
        if not _nests(value):
            self.changes.append(Change(start, end, f" {_on_line(value)}"))
            return
        lines = self.lines
        beside = self.text[start : lines.line_end(start)]
        if lines.line_start(entry.value.start) == lines.line_start(start):
            beside, end = self.text[end : lines.line_end(end)], lines.line_end(end)
        self.changes.append(Change(start, end, beside.rstrip() + self._nested(entry, value)))

    def _fill(self, path: Path, value: Value) -> None:
        """Write what was empty (`slots:`, `slots: {}`) as a block below its key; in flow style it stays on its line."""
        entry, node = self._block_entry(path), self.node(path)
        assert node is not None
        if entry is None:
            self.changes.append(Change(node.start, node.end, _flow(value)))
            return
        end = self.lines.line_end(node.end)
        comment = self.text[node.end : end].strip()
        text = (f" {comment}" if comment else "") + self._nested(entry, value)
        self.changes.append(Change(entry.key.end + 1, end, text))

    def _removal(self, parent: Mapping | Sequence, path: Path, number: int) -> Change:
        chunks = self._whole_chunks(parent)
        start, end = chunks[number]
        last = number + 1 == len(chunks)
        if len(chunks) == 1:
            empty = "{}" if isinstance(parent, Mapping) else "[]"
            above = self.node(path[:-2])
            entry = above.items.get(str(path[-2])) if len(path) > 1 and isinstance(above, Mapping) else None
            if entry is None or self.text[entry.key.end + 1 : parent.start].strip():
                return Change(parent.start, parent.end, empty)
            end = parent.end if parent.flow else self.lines.line_end(parent.end)
            return Change(entry.key.end + 1, end, f" {empty}")
        if parent.flow:
            return Change(chunks[number - 1][1], end, "") if last else Change(start, chunks[number + 1][0], "")
        if isinstance(parent, Sequence):
            start = self._dash(start)
        line = self.lines.line_start(start)
        if not self.text[line:start].strip():
            return Change(line, self.lines.next_line(end), "")
        # the first key of a list's item stands after a dash, which the next key inherits
        return Change(start, end if last else chunks[number + 1][0], "")

    def _block_entry(self, path: Path) -> Entry | None:
        """Return the entry at a path, if its mapping is written as a block."""
        parent = self.node(path[:-1])
        return parent.items.get(str(path[-1])) if path and isinstance(parent, Mapping) and not parent.flow else None

    def _nested(self, entry: Entry, value: Value) -> str:
        """Return a value on lines of its own below a key."""
        indent = newline_of(self.text) + " " * self._column(entry.key.start) + _STEP
        return "".join(f"{indent}{line}" for line in _block(value))

    def _sibling(self, path: Path) -> tuple[int, Mapping | Sequence]:
        """Return the number of an entry or item, and its parent."""
        parent = self.node(path[:-1])
        if path and isinstance(parent, Mapping | Sequence) and self.node(path) is not None:
            if isinstance(parent, Sequence):
                return int(path[-1]), parent
            return list(parent.items).index(str(path[-1])), parent
        raise _missing(path)

    def _past_comments(self, end: int, column: int) -> int:
        """Return the end of the comments below an entry that are indented more than it, and so belong to it."""
        while (start := self.lines.next_line(end)) < len(self.text):
            line = self.text[start : self.lines.line_end(start)]
            if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) <= column:
                break
            end = start + len(line)
        return end

    def _before_comments(self, start: int, column: int) -> int:
        """Return the start of the comments right above a line that are indented like it."""
        indent = " " * column + "#"
        while start and self.text.startswith(indent, above := self.lines.line_start(start - 1)):
            start = above
        return start

    def _dash(self, start: int) -> int:
        """Return the dash of a list's item, which must stand on its line."""
        dash = self.text.rfind("-", self.lines.line_start(start), start)
        if dash < 0 or self.text[dash + 1 : start].strip():
            raise self._refusal(start)
        return dash

    def _column(self, offset: int) -> int:
        return offset - self.lines.line_start(offset)

    def _refusal(self, offset: int) -> InputError:
        return fail("edit-form", Place("", self.lines.place(offset)[0]))


def as_edit(change: Callable[Concatenate[Batch, Parameters], None]) -> Callable[Concatenate[str, Parameters], Edit]:
    """Turn a function that adds to a batch into one that takes a text and returns the edit of it."""

    @wraps(change)
    def edit(text: str, /, *arguments: Parameters.args, **options: Parameters.kwargs) -> Edit:
        batch = Batch(text)
        change(batch, *arguments, **options)
        return batch.edit()

    return edit


def _flow(value: Value) -> str:
    """Return a value on one line."""
    if isinstance(value, str):
        return written(value, flow=True)
    if isinstance(value, list):
        if "" in value:
            raise fail("edit-form", Place())
        return f"[{', '.join(map(_flow, value))}]"
    return "{" + ", ".join(f"{written(key, flow=True)}: {_flow(inner)}" for key, inner in value.items()) + "}"


def _block(value: Value) -> list[str]:
    """Return a value on lines of its own; lists of texts are short and stay on a line."""
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
    if isinstance(value, list):
        return bool(value) and (isinstance(value[0], dict) or "" in value)
    return bool(value) and isinstance(value, dict)


def _on_line(value: Value) -> str:
    return written(value) if isinstance(value, str) else _flow(value)


def _missing(path: Path) -> InputError:
    return fail("row-missing", None, {"row": " › ".join(map(str, path))})


def _within(number: int | None, most: int) -> int:
    return most if number is None else max(0, min(number, most))
