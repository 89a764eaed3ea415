"""Edits of a paradigm's variants: added, copied, moved, deleted, and made of a paradigm that had none."""

from bidui.errors import fail
from bidui.web.editing.changes import Change, Edit, apply_edit, difference
from bidui.web.editing.layout import Mapping, Value, lay_out, node_at, value_of
from bidui.web.editing.paradigm_edits import put, wording_path
from bidui.web.editing.positions import Lines, newline_of
from bidui.web.editing.yaml_edits import add_entry, add_item, checked, move, remove
from bidui.web.editing.yaml_places import chunks_of

_OWN = ("weight", "good", "bad", "link", "repeat", "crossed")  # keys that go into the first variant


def add_variant(text: str, *, name: str, copy_of: int | None = None, at: int | None = None) -> Edit:
    """A new variant, empty or a copy of another; a paradigm without variants becomes one with two.

    Its lines become those of the first variant, and its slots stay where they are, for both.
    """
    if name in _names(text):
        raise fail("row-exists", None, {"name": name})
    document = lay_out(text)
    if document.entry("variants") is None:
        split = apply_edit(text, _split(text, document))
        return difference(text, apply_edit(split, add_variant(split, name=name, copy_of=copy_of, at=at)))
    model: Value = {}
    if copy_of is not None:
        node = node_at(document, ("variants", copy_of))
        if not isinstance(node, Mapping):
            raise fail("row-missing", None, {"row": f"variants › {copy_of}"})
        model = value_of(node)
    copied = {key: value for key, value in model.items() if key != "name"} if isinstance(model, dict) else {}
    return add_item(text, ("variants",), value={"name": name, **copied}, at=at)


def delete_variant(text: str, *, variant: int) -> Edit:
    """Without the n-th variant."""
    return remove(text, wording_path(variant))


def move_variant(text: str, *, variant: int, to: int) -> Edit:
    """The n-th variant becomes the one with number `to`."""
    return move(text, wording_path(variant), to=to)


def set_option(text: str, *, key: str, value: str, variant: int | None = None) -> Edit:
    """Another `name`, `weight` or `crossed` of a variant, or of a paradigm without variants."""
    if key == "name" and value in _names(text):
        raise fail("row-exists", None, {"name": value})
    return put(text, wording_path(variant), key=key, value=value)


def _split(text: str, document: Mapping) -> Edit:
    """The lines of a paradigm become those of its one variant, written as they were, further in."""
    own = [number for number, entry in enumerate(document.entries) if entry.key.text in _OWN]
    rest = {entry.key.text: value_of(entry.value) for entry in document.entries if entry.key.text not in _OWN}
    if not own:
        return add_entry(
            text, (), key="variants", value="", at=list(rest).index("slots") + 1 if "slots" in rest else None
        )
    first: Value = {document.entries[number].key.text: value_of(document.entries[number].value) for number in own}
    expected = [*rest.items()]
    expected.insert(own[0], ("variants", [first]))
    chunks = chunks_of(text, document)
    newline, lines = newline_of(text), Lines(text)
    block = [line for number in own for line in text[slice(*chunks[number])].splitlines()]
    moved = f"{newline}    ".join((f"variants:{newline}  - {block[0]}", *block[1:])) + newline
    changes = [Change(chunks[number][0], lines.next_line(chunks[number][1]), "") for number in own[1:]]
    return checked(
        text, [Change(chunks[own[0]][0], lines.next_line(chunks[own[0]][1]), moved), *changes], dict(expected)
    )


def _names(text: str) -> set[str]:
    """The names that variants have, unnamed ones by their number."""
    node = node_at(lay_out(text), ("variants",))
    found = value_of(node) if node is not None else []
    items = found if isinstance(found, list) else []
    return {str(i.get("name") or n) if isinstance(i, dict) else "" for n, i in enumerate(items, start=1)}
