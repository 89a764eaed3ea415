"""Edits of a paradigm by field and slot: each gives the change of the file's text that does it, and no other."""

from bidui.errors import InputError, Place, fail
from bidui.grammar.lines import parse_line
from bidui.grammar.paradigm_file import SLOT_NAME
from bidui.web.editing.changes import Edit, apply_edit, difference
from bidui.web.editing.layout import Mapping, Path, Scalar, Value, lay_out, node_at
from bidui.web.editing.paradigm_rows import GROUPS, Wording, read_rows
from bidui.web.editing.yaml_edits import add_entry, move, remove, set_node, set_value

# The order in which `bidui` writes a paradigm's keys; a new key goes after those that come before it here.
ORDER = (
    *("format", "uid", "phenomenon", "about", "source", "status", "reason", "edit", "equal_length", "separator"),
    *("seams", "closed_class", "one_sided", "name", "weight", "slots", "variants", "good", "bad"),
    *("link", "repeat", "crossed", "example"),
)


def set_field(text: str, *, name: str, value: str) -> Edit:
    """Another value for a field (`edit`, `about.zh`); without a value the field is taken out."""
    key, _, inner = name.partition(".")
    if not inner:
        return put(text, (), key=key, value=value)
    document = lay_out(text)
    group = node_at(document, (key,))
    if isinstance(group, Scalar) and key in GROUPS:  # `about: …` is the English text
        if inner == "en":
            return put(text, (), key=key, value=value)
        return set_node(text, (key,), value={"en": group.text, inner: value}) if value else ()
    if group is None:
        return _added(text, (), key=key, value={inner: value}) if value else ()
    only = isinstance(group, Mapping) and [entry.key.text for entry in group.entries] == [inner]
    return remove(text, (key,)) if only and not value else put(text, (key,), key=inner, value=value)


def put(text: str, path: Path, *, key: str, value: str) -> Edit:
    """The key of a mapping gets a value, is added where it was not there, or goes where there is no value."""
    there = node_at(lay_out(text), (*path, key)) is not None
    if not value:
        return remove(text, (*path, key)) if there else ()
    return set_value(text, (*path, key), value=value) if there else _added(text, path, key=key, value=value)


def set_rule(text: str, *, slot: str, rule: str, variant: int | None = None) -> Edit:
    """Another rule for a slot."""
    return set_value(text, slot_path(slot, variant), value=rule)


def add_slot(text: str, *, slot: str, rule: str, variant: int | None = None, at: int | None = None) -> Edit:
    """A new slot, as the n-th row or the last."""
    refuse_name(text, slot, variant)
    base = wording_path(variant)
    if node_at(lay_out(text), (*base, "slots")) is None:
        return _added(text, base, key="slots", value={slot: rule})
    return add_entry(text, (*base, "slots"), key=slot, value=rule, at=at)


def move_slot(text: str, *, slot: str, to: int, variant: int | None = None) -> Edit:
    """The slot becomes the row with number `to`, counted from 0."""
    return move(text, slot_path(slot, variant), to=to)


def delete_slot(text: str, *, slot: str, variant: int | None = None) -> Edit:
    """The slot is gone, from its rows and from the lines that print it; links of others to it are left to be seen."""
    rows = read_rows(text)
    without = apply_edit(text, remove(text, slot_path(slot, variant)))
    for wording in rows.wordings:
        if reaches(wording, slot, variant):
            for line in (wording.good, wording.bad):
                if line and (kept := [i.text for i in line.items if i.slot != slot]) != [i.text for i in line.items]:
                    without = apply_edit(without, set_value(without, line.path, value=" ".join(kept)))
    return difference(text, without)


def set_line(text: str, *, side: str, line: str, variant: int | None = None) -> Edit:
    """Another good or bad line; a bad line that was not there until now was the same as the good one."""
    return put(text, wording_path(variant), key=side, value=line)


def set_group(text: str, *, key: str, groups: list[list[str]], variant: int | None = None) -> Edit:
    """Other groups under `link` or `repeat`."""
    base = wording_path(variant)
    there = node_at(lay_out(text), (*base, key)) is not None
    if not groups:
        return remove(text, (*base, key)) if there else ()
    value: Value = [*groups[0]] if len(groups) == 1 else [[*group] for group in groups]
    return set_node(text, (*base, key), value=value) if there else _added(text, base, key=key, value=value)


def slot_path(slot: str, variant: int | None) -> Path:
    """Where a slot stands: in the n-th variant, or in the paradigm itself."""
    return (*wording_path(variant), "slots", slot)


def wording_path(variant: int | None) -> Path:
    """Where a variant stands, counted from 0; none is the paradigm itself."""
    return () if variant is None else ("variants", variant)


def reaches(wording: Wording, slot: str, variant: int | None) -> bool:
    """Whether the slot so called in a wording is that of `variant`: shared slots may be hidden by slots of its own."""
    own = slot in {row.name for row in wording.slots}
    return wording.path == wording_path(variant) if own else variant is None


def refuse_name(text: str, slot: str, variant: int | None) -> None:
    """Raises `InputError` for a name that cannot be a new slot's."""
    if not SLOT_NAME.fullmatch(slot):
        raise fail("slot-name", None, {"slot": slot})
    rows = read_rows(text)
    for wording in rows.wordings:
        if variant is not None and wording.path != wording_path(variant):
            continue
        if slot in {row.name for row in (*wording.slots, *(rows.slots if variant is None else ()))}:
            raise fail("row-exists", None, {"name": slot})
        for line in (wording.good, wording.bad):
            if line and any(item.text == slot and not item.slot and _is_word(slot) for item in line.items):
                raise fail("slot-is-word", None, {"name": slot})


def _is_word(item: str) -> bool:
    """Whether an item of a line stands for itself, as 自己 does; `who` is a slot that is still missing."""
    try:
        return bool(parse_line(item, Place(), slots=()).items)
    except InputError:
        return False


def _added(text: str, path: Path, *, key: str, value: Value) -> Edit:
    """A new key where the order of keys has it."""
    mapping = node_at(lay_out(text), path)
    if not isinstance(mapping, Mapping):
        return add_entry(text, path, key=key, value=value)
    keys = [entry.key.text for entry in mapping.entries]
    place = ORDER.index(key) if key in ORDER else len(ORDER)
    before = [n for n, other in enumerate(keys) if other in ORDER[:place]]
    return add_entry(text, path, key=key, value=value, at=before[-1] + 1 if before else 0)
