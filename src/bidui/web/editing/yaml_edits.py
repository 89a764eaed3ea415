"""Edits of a YAML text by path: a value set, an entry added, removed, moved or renamed, and nothing else touched.

Every edit is checked before it is handed out: the text that it gives is read again and must say what was meant. Where
a text is written in a way that cannot be changed so, the edit is refused and the text stays.

A comment at the end of a line goes with the line, and one right above an entry with the entry, unless it may be about
several; other comments stay where they are.
"""

from bidui.errors import InputError, Place, fail
from bidui.web.editing.changes import Change, Edit, apply_edit, make_edit
from bidui.web.editing.layout import Mapping, Path, Scalar, Sequence, Value, lay_out, node_at, try_lay_out, value_of
from bidui.web.editing.positions import Lines
from bidui.web.editing.scalars import written
from bidui.web.editing.yaml_places import added, first_added, removed, replaced, whole_chunks


def set_value(text: str, path: Path, *, value: str) -> Edit:
    """Another text for a scalar that is there; its quotes stay if they can."""
    document = lay_out(text)
    node, parent = node_at(document, path), node_at(document, path[:-1])
    if not isinstance(node, Scalar) or not isinstance(parent, Mapping | Sequence):
        raise _missing(path)
    expected = value_of(document)
    _put(expected, path, value)
    if not value and parent.flow and isinstance(parent, Sequence):  # brackets cannot hold it
        return checked(text, [_respelled(text, document, path[:-1], expected)], expected)
    style = node.style if node.style in {"'", '"'} else ""
    new = written(value, style=style, flow=parent.flow)
    if new and node.start == node.end and text[node.start - 1 : node.start] in {":", "-"}:  # nothing stands after it
        new = f" {new}"
    return checked(text, [Change(node.start, node.end, new)], expected)


def set_node(text: str, path: Path, *, value: Value) -> Edit:
    """Another value, of whatever shape, for a key that is there."""
    document = lay_out(text)
    expected = value_of(document)
    if node_at(document, path) is None:
        raise _missing(path)
    _put(expected, path, value)
    return checked(text, [replaced(text, document, path, value)], expected)


def add_entry(text: str, path: Path, *, key: str, value: Value, at: int | None = None) -> Edit:
    """A new key in the mapping at `path`, as its n-th entry or its last; an empty value counts as an empty mapping."""
    document = lay_out(text)
    expected = value_of(document)
    inner = _get(expected, path)
    if inner == "":
        inner = {}
        _put(expected, path, inner)
    if not isinstance(inner, dict):
        raise _missing(path)
    if key in inner:
        raise fail("row-exists", None, {"name": key})
    number = _within(at, len(inner))
    _reorder(inner, [*list(inner.items())[:number], (key, value), *list(inner.items())[number:]])
    mapping = node_at(document, path)
    if isinstance(mapping, Mapping) and mapping.entries:
        return checked(text, [added(text, mapping, number, {key: value})], expected)
    return checked(text, [first_added(text, document, path, {key: value})], expected)


def add_item(text: str, path: Path, *, value: Value, at: int | None = None) -> Edit:
    """A new item in the list at `path`, as its n-th or its last; an empty value counts as an empty list."""
    document = lay_out(text)
    expected = value_of(document)
    inner = _get(expected, path)
    if inner == "":
        inner = []
        _put(expected, path, inner)
    if not isinstance(inner, list):
        raise _missing(path)
    number = _within(at, len(inner))
    inner.insert(number, value)
    sequence = node_at(document, path)
    if isinstance(sequence, Sequence) and sequence.items and sequence.flow and not value:
        return checked(text, [_respelled(text, document, path, expected)], expected)
    if isinstance(sequence, Sequence) and sequence.items:
        return checked(text, [added(text, sequence, number, [value])], expected)
    return checked(text, [first_added(text, document, path, [value])], expected)


def remove(text: str, path: Path) -> Edit:
    """The entry or item at `path` is gone; a mapping or list that is left empty is written `{}` or `[]`."""
    document = lay_out(text)
    number, _ = _sibling(document, path)
    expected = value_of(document)
    inner = _get(expected, path[:-1])
    if isinstance(inner, list):
        del inner[number]
    elif isinstance(inner, dict):
        del inner[str(path[-1])]
    return checked(text, [removed(text, document, path[:-1], number)], expected)


def move(text: str, path: Path, *, to: int) -> Edit:
    """The entry or item at `path` becomes the one with number `to` among its siblings."""
    document = lay_out(text)
    number, parent = _sibling(document, path)
    chunks = whole_chunks(text, parent)
    order = list(range(len(chunks)))
    order.insert(_within(to, len(chunks) - 1), order.pop(number))
    expected = value_of(document)
    inner = _get(expected, path[:-1])
    if isinstance(inner, list):
        inner[:] = [inner[old] for old in order]
    elif isinstance(inner, dict):
        pairs = list(inner.items())
        _reorder(inner, [pairs[old] for old in order])
    changes = [Change(*chunks[new], text[slice(*chunks[old])]) for new, old in enumerate(order) if new != old]
    return checked(text, changes, expected)


def rename(text: str, path: Path, *, name: str) -> Edit:
    """Another key for the entry at `path`."""
    document = lay_out(text)
    parent = node_at(document, path[:-1])
    entry = parent.entry(str(path[-1])) if isinstance(parent, Mapping) else None
    if entry is None or not isinstance(parent, Mapping):
        raise _missing(path)
    if parent.entry(name) not in {None, entry}:
        raise fail("row-exists", None, {"name": name})
    expected = value_of(document)
    inner = _get(expected, path[:-1])
    assert isinstance(inner, dict)
    _reorder(inner, [(name if key == path[-1] else key, value) for key, value in inner.items()])
    style = entry.key.style if entry.key.style in {"'", '"'} else ""
    return checked(
        text, [Change(entry.key.start, entry.key.end, written(name, style=style, flow=parent.flow))], expected
    )


def checked(text: str, changes: list[Change], expected: Value) -> Edit:
    """The edit, if the text that it gives says what was meant."""
    edit = make_edit(change for change in changes if text[change.start : change.end] != change.text)
    after = try_lay_out(apply_edit(text, edit))
    if after is None or not _same(value_of(after), expected):
        raise fail("edit-form", Place("", Lines(text).place(edit[0].start)[0] if edit else 0))
    return edit


def _respelled(text: str, document: Mapping, path: Path, expected: Value) -> Change:
    """A list in brackets becomes one with a dash for each item."""
    value = _get(expected, path)
    assert isinstance(value, list)
    return replaced(text, document, path, value)


def _same(one: Value, other: Value) -> bool:
    """Equal, and in the same order: keys are rows, and their order is what people see."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def _missing(path: Path) -> InputError:
    return fail("row-missing", None, {"row": " › ".join(map(str, path))})


def _sibling(document: Mapping, path: Path) -> tuple[int, Mapping | Sequence]:
    """Which entry or item of its parent a path means."""
    parent = node_at(document, path[:-1])
    if path and isinstance(parent, Mapping | Sequence) and node_at(document, path) is not None:
        if isinstance(parent, Sequence):
            return int(path[-1]), parent
        return [entry.key.text for entry in parent.entries].index(str(path[-1])), parent
    raise _missing(path)


def _within(number: int | None, most: int) -> int:
    return most if number is None else max(0, min(number, most))


def _get(value: Value, path: Path) -> Value | None:
    for step in path:
        found: Value | None = None
        if isinstance(value, dict):
            found = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            found = value[step]
        if found is None:
            return None
        value = found
    return value


def _put(value: Value, path: Path, new: Value) -> None:
    inner = _get(value, path[:-1])
    if isinstance(inner, dict):
        inner[str(path[-1])] = new
    elif isinstance(inner, list):
        inner[int(path[-1])] = new


def _reorder(mapping: dict[str, Value], pairs: list[tuple[str, Value]]) -> None:
    mapping.clear()
    mapping.update(pairs)
