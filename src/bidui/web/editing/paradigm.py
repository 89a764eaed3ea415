"""A paradigm as rows: its fields, its slots with their rules, and of each wording the good and bad line side by side.

The rows are a view of the file's text, which stays the truth; every row knows the path and the stretch of text it
stands for. What is not shaped as a paradigm should be is left to the plain text.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bidui.errors import InputError, Place, fail
from bidui.grammar.paradigm import parse_line
from bidui.grammar.paradigm_file import SLOT_NAME
from bidui.web.editing.pieces import Item, ItemRow, items_of, pieces_of, rows_of
from bidui.web.editing.text import Change, Edit, Lines, Span, apply_edit, difference, make_edit, newline_of
from bidui.web.editing.yaml import (
    MappingNode,
    Node,
    Path,
    Scalar,
    SequenceNode,
    Value,
    add_entry,
    add_item,
    checked,
    chunks_of,
    lay_out,
    move,
    node_at,
    remove,
    rename,
    scalars_of,
    set_node,
    set_value,
    value_of,
)

TEXTS = ("uid", "phenomenon", "source", "status", "reason", "edit", "equal_length", "separator")
MORE_TEXTS = ("closed_class", "one_sided")
GROUPS = {"about": ("en", "zh"), "example": ("good", "bad", "gloss", "en")}
OPTIONS = ("weight", "crossed")  # of a wording
LISTS = ("link", "repeat")


@dataclass(frozen=True, slots=True)
class Field:
    """A value that is no slot and no line; without a span it is not in the text."""

    name: str  # `edit`, `about.en`
    value: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A slot: its name, its rule as it is meant (not as YAML quotes it), and where both stand."""

    name: str
    rule: str
    path: Path
    name_span: Span
    rule_span: Span


@dataclass(frozen=True, slots=True)
class LineRow:
    """A good or bad line, item by item; items count from the start of `text`."""

    text: str
    path: Path
    span: Span
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """One variant, or the paradigm itself where it has none; a bad line that is not there is the same as the good."""

    path: Path  # () or ("variants", 0)
    name: str
    slots: tuple[SlotRow, ...]  # its own
    good: LineRow | None
    bad: LineRow | None
    rows: tuple[ItemRow, ...]
    options: Mapping[str, str]
    groups: Mapping[str, tuple[tuple[str, ...], ...]]  # link, repeat


@dataclass(frozen=True, slots=True)
class ParadigmRows:
    """The whole file; `slots` are those that several wordings share."""

    fields: tuple[Field, ...]
    slots: tuple[SlotRow, ...]
    wordings: tuple[Wording, ...]
    seams: tuple[str, ...] = ()

    def field(self, name: str) -> str:
        """The value of a field, empty where there is none."""
        return next((field.value for field in self.fields if field.name == name), "")

    def wording(self, variant: int | None) -> Wording:
        """The n-th variant, or the paradigm itself."""
        return self.wordings[variant or 0]

    def in_scope(self, wording: Wording) -> dict[str, SlotRow]:
        """The slots that a wording may use, its own before those of the same name that it shares."""
        return {row.name: row for row in (*self.slots, *wording.slots)}


def read_rows(text: str) -> ParadigmRows:
    """The rows of a paradigm's text; raises `InputError` where it is not YAML, with the place."""
    document = lay_out(text)
    variants = document.entry("variants")
    several = variants is not None and isinstance(variants.value, SequenceNode)
    shared = _slots(document, ()) if several else ()
    wordings = []
    if several and variants is not None and isinstance(variants.value, SequenceNode):
        for number, item in enumerate(variants.value.items):
            if isinstance(item, MappingNode):
                wordings.append(_wording(item, ("variants", number), shared))
    else:
        wordings.append(_wording(document, (), ()))
    return ParadigmRows(_fields(document), shared, tuple(wordings), _texts(document, "seams"))


def is_rule(path: Path, *, phrases: bool = False) -> bool:
    """Whether a path leads to a rule: of a slot, or in `phrases.yaml` of a part or of an alternative without parts."""
    if not phrases:
        return len(path) >= 2 and path[-2] == "slots"
    keys = [step for step in path if isinstance(step, str)]
    return path[:1] == ("phrases",) and (len(keys) == 2 or keys[2:] == ["alternatives"] or "parts" in keys[:-1])


def _fields(document: MappingNode) -> tuple[Field, ...]:
    found = []
    for name in (*TEXTS[:2], "about", *TEXTS[2:], *MORE_TEXTS, "example"):
        entry = document.entry(name)
        node = entry.value if entry else None
        if name not in GROUPS:
            found.append(_field(name, node))
        elif isinstance(node, Scalar):  # `about: …` is the English text
            found += [_field(f"{name}.{key}", node if key == "en" else None) for key in GROUPS[name]]
        else:
            inner = {e.key.text: e.value for e in node.entries} if isinstance(node, MappingNode) else {}
            found += [_field(f"{name}.{key}", inner.get(key)) for key in dict.fromkeys((*GROUPS[name], *inner))]
    return tuple(found)


def _field(name: str, node: Node | None) -> Field:
    return Field(name, node.text, Span(node.start, node.end)) if isinstance(node, Scalar) else Field(name)


def _wording(node: MappingNode, path: Path, shared: tuple[SlotRow, ...]) -> Wording:
    own = _slots(node, path)
    rules = {row.name: row.rule for row in (*shared, *own)}
    good, bad = (_line(node, path, side, rules) for side in ("good", "bad"))
    items = good.items if good else ()
    rows = rows_of(items, bad.items if bad else items, rules=rules)
    texts = {entry.key.text: entry.value.text for entry in node.entries if isinstance(entry.value, Scalar)}
    options = {key: texts[key] for key in OPTIONS if key in texts}
    groups = {key: _groups(node, key) for key in LISTS if node.entry(key)}
    name = texts.get("name", "") or (str(int(path[1]) + 1) if path else "")
    return Wording(path, name, own, good, bad, rows, options, groups)


def _slots(node: MappingNode, path: Path) -> tuple[SlotRow, ...]:
    entry = node.entry("slots")
    slots = entry.value.entries if entry and isinstance(entry.value, MappingNode) else ()
    return tuple(
        SlotRow(
            slot.key.text,
            slot.value.text,
            (*path, "slots", slot.key.text),
            Span(slot.key.start, slot.key.end),
            Span(slot.value.start, slot.value.end),
        )
        for slot in slots
        if isinstance(slot.value, Scalar)
    )


def _line(node: MappingNode, path: Path, side: str, rules: Mapping[str, str]) -> LineRow | None:
    entry = node.entry(side)
    if entry is None or not isinstance(entry.value, Scalar):
        return None
    value = entry.value
    return LineRow(value.text, (*path, side), Span(value.start, value.end), items_of(value.text, slots=rules))


def _texts(node: MappingNode, key: str) -> tuple[str, ...]:
    entry = node.entry(key)
    value = entry.value if entry else None
    nodes = value.items if isinstance(value, SequenceNode) else (value,)
    return tuple(item.text for item in nodes if isinstance(item, Scalar))


def _groups(node: MappingNode, key: str) -> tuple[tuple[str, ...], ...]:
    """`[a, b]` or `[[a, b], [c, d]]`, as groups of names."""
    entry = node.entry(key)
    outer = entry.value.items if entry and isinstance(entry.value, SequenceNode) else ()
    lists = [item.items if isinstance(item, SequenceNode) else None for item in outer]
    if any(items is None for items in lists):
        lists = [outer]
    return tuple(tuple(item.text for item in items or () if isinstance(item, Scalar)) for items in lists)


# Edits of a paradigm by field and slot: each gives the change of the file's text that does it, and no other.

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
    only = isinstance(group, MappingNode) and [entry.key.text for entry in group.entries] == [inner]
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
    if not isinstance(mapping, MappingNode):
        return add_entry(text, path, key=key, value=value)
    keys = [entry.key.text for entry in mapping.entries]
    place = ORDER.index(key) if key in ORDER else len(ORDER)
    before = [n for n, other in enumerate(keys) if other in ORDER[:place]]
    return add_entry(text, path, key=key, value=value, at=before[-1] + 1 if before else 0)


# Edits of the two lines as rows: what stands on both sides, and what the bad side does to it.
#
# A row is counted as `read_rows` gives them. Until the bad side does something else, it is the same as the good one
# and follows it; a bad line is written into the file with the first thing that it does.


@dataclass(slots=True)
class _Lines:
    """The items of both lines, to be changed."""

    good: list[str]
    bad: list[str]
    rows: tuple[ItemRow, ...]

    def row(self, number: int) -> ItemRow:
        if not 0 <= number < len(self.rows):
            raise fail("row-missing", None, {"row": number + 1})
        return self.rows[number]

    def before(self, number: int) -> tuple[int, int]:
        """How many items of each side stand in the rows before one."""
        rows = self.rows[: max(0, number)]
        return sum(row.good is not None for row in rows), sum(row.bad is not None for row in rows)


def set_good(text: str, *, row: int, item: str, variant: int | None = None) -> Edit:
    """Another item on the good side; the bad side follows where it was the same, wherever it has it."""
    lines = _read(text, variant)
    at = lines.row(row)
    if at.good is None:
        raise fail("row-missing", None, {"row": row + 1})
    lines.good[at.good] = item
    place = at.bad if at.fate == "same" else lines.row(at.partner).bad if at.partner is not None else None
    if place is not None:
        lines.bad[place] = item
    return _written(text, lines, variant)


def set_bad(text: str, *, row: int, item: str, variant: int | None = None) -> Edit:
    """Another item on the bad side only; where it had none, there it is now."""
    lines = _read(text, variant)
    at = lines.row(row)
    if at.bad is None:
        lines.bad.insert(lines.before(row)[1], item)
    else:
        lines.bad[at.bad] = item
    return _written(text, lines, variant)


def add_row(text: str, *, at: int, item: str, side: str = "both", variant: int | None = None) -> Edit:
    """A new item before the row with number `at`, on both sides or on one."""
    lines = _read(text, variant)
    good, bad = lines.before(at)
    if side != "bad":
        lines.good.insert(good, item)
    if side != "good":
        lines.bad.insert(bad, item)
    return _written(text, lines, variant)


def delete_row(text: str, *, row: int, variant: int | None = None) -> Edit:
    """Without the items of a row; of one that is moved, without both its places."""
    lines = _read(text, variant)
    at = lines.row(row)
    other = lines.row(at.partner) if at.partner is not None else at
    for side, place in ((lines.good, (at.good, other.good)), (lines.bad, (at.bad, other.bad))):
        for number in {n for n in place if n is not None}:
            del side[number]
    return _written(text, lines, variant)


def move_row(text: str, *, row: int, to: int, variant: int | None = None) -> Edit:
    """The row, with both its sides, stands where the row `to` is."""
    lines = _read(text, variant)
    at = lines.row(row)
    good, bad = lines.before(to + (to > row))
    if at.good is not None:
        _moved(lines.good, at.good, good)
    if at.bad is not None:
        _moved(lines.bad, at.bad, bad)
    return _written(text, lines, variant)


def move_bad(text: str, *, row: int, to: int, variant: int | None = None) -> Edit:
    """The bad side moves its item to where the row `to` is; the good side keeps it."""
    lines = _read(text, variant)
    _moved(lines.bad, _bad_place(lines, row), lines.before(to + (to > row))[1])
    return _written(text, lines, variant)


def copy_bad(text: str, *, row: int, to: int, variant: int | None = None) -> Edit:
    """The bad side says an item once more, before the row `to`."""
    lines = _read(text, variant)
    at = lines.row(row)
    item = lines.bad[at.bad] if at.bad is not None else lines.good[at.good or 0]
    lines.bad.insert(lines.before(to)[1], item)
    return _written(text, lines, variant)


def drop_bad(text: str, *, row: int, variant: int | None = None) -> Edit:
    """The bad side goes without the item of a row."""
    lines = _read(text, variant)
    del lines.bad[_bad_place(lines, row)]
    return _written(text, lines, variant)


def same_again(text: str, *, row: int | None = None, variant: int | None = None) -> Edit:
    """The bad side of a row is the same as the good one again; of all rows, when the bad line is taken out."""
    if row is None:
        return set_line(text, side="bad", line="", variant=variant)
    lines = _read(text, variant)
    at = lines.row(row)
    if at.partner is not None and at.good is None:
        row, at = at.partner, lines.row(at.partner)
    place = lines.before(row)[1]
    if at.good is None and at.bad is not None:
        del lines.bad[at.bad]
    elif at.good is not None and at.bad is not None:
        lines.bad[at.bad] = lines.good[at.good]
    elif at.good is not None and at.partner is not None:
        _moved(lines.bad, _bad_place(lines, at.partner), place)
    elif at.good is not None:
        lines.bad.insert(place, lines.good[at.good])
    return _written(text, lines, variant)


def _bad_place(lines: _Lines, row: int) -> int:
    place = lines.row(row).bad
    if place is None:
        raise fail("row-missing", None, {"row": row + 1})
    return place


def _moved(items: list[str], start: int, end: int) -> None:
    item = items.pop(start)
    items.insert(end - (end > start), item)


def _read(text: str, variant: int | None) -> _Lines:
    rows = read_rows(text)
    if not 0 <= (variant or 0) < len(rows.wordings):
        raise fail("row-missing", None, {"row": f"variants › {variant}"})
    wording = rows.wording(variant)
    good = [item.text for item in wording.good.items] if wording.good else []
    bad = [item.text for item in wording.bad.items] if wording.bad else list(good)
    return _Lines(good, bad, wording.rows)


def _written(text: str, lines: _Lines, variant: int | None) -> Edit:
    """Lines that changed are written, the bad one only if it says something of its own."""
    before = read_rows(text).wording(variant)
    now = text
    for side, items, line in (("good", lines.good, before.good), ("bad", lines.bad, before.bad)):
        if line is None and side == "bad" and items == lines.good:
            continue
        if line is None or [item.text for item in line.items] != items:
            now = apply_edit(now, set_line(now, side=side, line=" ".join(items), variant=variant))
    return difference(text, now)


# Edits of a paradigm's variants: added, copied, moved, deleted, and made of a paradigm that had none.

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
        if not isinstance(node, MappingNode):
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


def _split(text: str, document: MappingNode) -> Edit:
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


# Renaming: a slot or a phrase gets another name, and so does every place that means it, and no other place.


def rename_slot(text: str, *, slot: str, name: str, variant: int | None = None) -> Edit:
    """The slot's new name, in its row, in links to it, in lines and under `link` and `repeat`."""
    if slot == name:
        return ()
    refuse_name(text, name, variant)
    rows = read_rows(text)
    edits = [rename(text, slot_path(slot, variant), name=name)]
    scopes = [wording for wording in rows.wordings if reaches(wording, slot, variant)]
    if any(name in rows.in_scope(wording) for wording in scopes):
        raise fail("row-exists", None, {"name": name})
    if variant is None:
        edits += (rewritten(text, row.path, lambda rule: in_rule(rule, slot, name)) for row in rows.slots)
    for wording in scopes:
        edits += (rewritten(text, row.path, lambda rule: in_rule(rule, slot, name)) for row in wording.slots)
        for line in (wording.good, wording.bad):
            if line:
                edits.append(rewritten(text, line.path, lambda old: in_line(old, slot, name)))
        edits += _in_groups(text, wording, slot, name)
    return together(edits)


def rename_phrase(text: str, *, phrase: str, name: str, declared: bool = False) -> Edit:
    """The phrase's new name in one file: wherever a rule uses it, and where it is `declared` (in `phrases.yaml`)."""
    if not SLOT_NAME.fullmatch(name):
        raise fail("slot-name", None, {"slot": name})
    document = lay_out(text)
    edits = [rename(text, ("phrases", phrase), name=name)] if declared and phrase != name else []
    for path, scalar in scalars_of(document):
        if is_rule(path, phrases=declared) and in_phrase_rule(scalar.text, phrase, name) != scalar.text:
            edits.append(rewritten(text, path, lambda rule: in_phrase_rule(rule, phrase, name)))
    return together(edits)


def rewritten(text: str, path: Path, change: Callable[[str], str]) -> Edit:
    """The edit that puts `change` of a scalar in its place."""
    node = node_at(lay_out(text), path)
    if not isinstance(node, Scalar) or (new := change(node.text)) == node.text:
        return ()
    return set_value(text, path, value=new)


def together(edits: Iterable[Edit]) -> Edit:
    """Edits of one text that touch different places, as one."""
    return make_edit({change for edit in edits for change in edit})


def in_rule(rule: str, slot: str, name: str) -> str:
    """A rule whose links to a slot, or to a part of the phrase in it, follow the slot to its new name."""
    return _replaced(rule, "slot", slot, name)


def in_phrase_rule(rule: str, phrase: str, name: str) -> str:
    """A rule that uses a phrase by its new name."""
    return _replaced(rule, "phrase", phrase, name)


def in_line(line: str, slot: str, name: str) -> str:
    """A line that prints a slot by its new name."""
    changes = [Change(i.start, i.start + len(slot), name) for i in items_of(line, slots=(slot,)) if i.slot == slot]
    return apply_edit(line, make_edit(changes))


def _replaced(rule: str, kind: str, old: str, new: str) -> str:
    changes = [
        Change(piece.start, piece.start + len(old), new)
        for piece in pieces_of(rule)
        if piece.kind == kind and rule[piece.start : piece.end].partition("." if kind == "slot" else "\0")[0] == old
    ]
    return apply_edit(rule, make_edit(changes))


def _in_groups(text: str, wording: Wording, slot: str, name: str) -> list[Edit]:
    found = []
    document = lay_out(text)
    for key in LISTS:
        group = node_at(document, (*wording.path, key))
        for path, scalar in scalars_of(group, (*wording.path, key)) if isinstance(group, SequenceNode) else ():
            if scalar.text == slot:
                found.append(set_value(text, path, value=name))
    return found
