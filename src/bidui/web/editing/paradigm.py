"""A paradigm as rows, and edits of it: of fields and slots, of the good and bad line side by side, and of variants.

The rows are a view of the file's text; every row knows the path and the stretch of text that it stands for. What is not
shaped like a paradigm is left to the plain-text editor. Each edit returns the change of the text that makes it, and
changes nothing else. Renaming a slot or a phrase also changes every rule and line that means it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field as Constraint

from bidui.errors import InputError, Place, fail
from bidui.grammar.paradigm import parse_line
from bidui.grammar.paradigm_file import SLOT_NAME
from bidui.grammar.yaml import Mapping as MappingNode
from bidui.grammar.yaml import Node, Path, Scalar, Sequence, Value, scalars_of, value_of
from bidui.web.editing.edits import Batch, as_edit, read_tree
from bidui.web.editing.pieces import Item, ItemRow, items_of, pieces_of, rows_of
from bidui.web.editing.text import Change, Edit, Span, apply_edit, difference, make_edit, newline_of

FIELDS = (
    *("uid", "phenomenon", "about", "source", "status", "reason", "edit", "equal_length", "separator"),
    *("closed_class", "one_sided", "example"),
)
GROUPS = {"about": ("en", "zh"), "example": ("good", "bad", "gloss", "en")}
OPTIONS = ("weight", "crossed")  # of a wording
LISTS = ("link", "repeat")

# What edits take; the calls of the API are described by these.
Number = Annotated[int, Constraint(ge=0, le=1_000_000)]  # of a row, from 0
Variant = Annotated[int | None, Constraint(ge=0, le=1_000_000, description="None is the paradigm itself.")]
Side = Literal["good", "bad"]
Groups = Annotated[list[list[str]], Constraint(max_length=200)]


@dataclass(frozen=True, slots=True)
class Field:
    """A field such as `edit` or `about.en`; without a span it is not in the text."""

    name: str
    value: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A slot, or a part of a phrase: its name, its rule without the quotes of YAML, and where both stand."""

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
    """A variant, or the paradigm itself where it has none; a missing bad line is the same as the good line.

    `slots` are those that it declares itself; `groups` are the groups of slots under `link` and `repeat`.
    """

    path: Path
    name: str
    slots: tuple[SlotRow, ...]
    good: LineRow | None
    bad: LineRow | None
    rows: tuple[ItemRow, ...]
    options: Mapping[str, str]
    groups: Mapping[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, slots=True)
class ParadigmRows:
    """The rows of a whole paradigm; `slots` are those that several wordings share."""

    fields: tuple[Field, ...]
    slots: tuple[SlotRow, ...]
    wordings: tuple[Wording, ...]
    seams: tuple[str, ...] = ()

    def in_scope(self, wording: Wording) -> dict[str, SlotRow]:
        """Return the slots that a wording may use; those it declares itself hide shared ones of the same name."""
        return {row.name: row for row in (*self.slots, *wording.slots)}


def read_rows(text: str) -> ParadigmRows:
    """Return the rows of a paradigm's text; raises `InputError` with the place where it is not YAML."""
    return paradigm_rows(read_tree(text))


def paradigm_rows(document: MappingNode) -> ParadigmRows:
    """Return the rows of a paradigm's tree."""
    variants, seams = document.get("variants"), document.get("seams")
    shared: tuple[SlotRow, ...] = ()
    if isinstance(variants, Sequence):
        shared = slot_rows(document.get("slots"), ("slots",))
        items = ((n, item) for n, item in enumerate(variants.items) if isinstance(item, MappingNode))
        wordings = tuple(_wording(item, ("variants", number), shared) for number, item in items)
    else:
        wordings = (_wording(document, (), ()),)
    texts = seams.items if isinstance(seams, Sequence) else (seams,)
    names = tuple(item.text for item in texts if isinstance(item, Scalar))
    return ParadigmRows(_fields(document), shared, wordings, names)


def is_rule(path: Path, *, phrases: bool = False) -> bool:
    """Whether a path leads to a rule: of a slot, or in `phrases.yaml` of a part or an alternative without parts."""
    if not phrases:
        return len(path) >= 2 and path[-2] == "slots"
    keys = [step for step in path if isinstance(step, str)]
    return path[:1] == ("phrases",) and (len(keys) == 2 or keys[2:] == ["alternatives"] or "parts" in keys[:-1])


def _fields(document: MappingNode) -> tuple[Field, ...]:
    fields = []
    for name in FIELDS:
        node = document.get(name)
        if name not in GROUPS:
            fields.append(_field(name, node))
        elif isinstance(node, Scalar):  # `about: …` is the English text
            fields += [_field(f"{name}.{key}", node if key == "en" else None) for key in GROUPS[name]]
        else:
            inner = {key.text: value for key, value in node.entries} if isinstance(node, MappingNode) else {}
            fields += [_field(f"{name}.{key}", inner.get(key)) for key in dict.fromkeys((*GROUPS[name], *inner))]
    return tuple(fields)


def _field(name: str, node: Node | None) -> Field:
    return Field(name, node.text, Span(node.start, node.end)) if isinstance(node, Scalar) else Field(name)


def _wording(node: MappingNode, path: Path, shared: tuple[SlotRow, ...]) -> Wording:
    slots = slot_rows(node.get("slots"), (*path, "slots"))
    rules = {row.name: row.rule for row in (*shared, *slots)}
    good, bad = (_line(node, path, side, rules) for side in ("good", "bad"))
    items = good.items if good else ()
    rows = rows_of(items, bad.items if bad else items, rules=rules)
    texts = {key.text: value.text for key, value in node.entries if isinstance(value, Scalar)}
    options = {key: texts[key] for key in OPTIONS if key in texts}
    groups = {key: _groups(node, key) for key in LISTS if key in node.items}
    name = texts.get("name", "") or (str(int(path[1]) + 1) if path else "")
    return Wording(path, name, slots, good, bad, rows, options, groups)


def slot_rows(slots: Node | None, path: Path) -> tuple[SlotRow, ...]:
    """Return the slots under a key, or the parts of a phrase, as far as their rules are texts."""
    return tuple(
        SlotRow(key.text, rule.text, (*path, key.text), Span(key.start, key.end), Span(rule.start, rule.end))
        for key, rule in (slots.entries if isinstance(slots, MappingNode) else ())
        if isinstance(rule, Scalar)
    )


def _line(node: MappingNode, path: Path, side: str, rules: Mapping[str, str]) -> LineRow | None:
    value = node.get(side)
    if not isinstance(value, Scalar):
        return None
    return LineRow(value.text, (*path, side), Span(value.start, value.end), items_of(value.text, slots=rules))


def _groups(node: MappingNode, key: str) -> tuple[tuple[str, ...], ...]:
    """Return `[a, b]` or `[[a, b], [c, d]]` as groups of names."""
    value = node.get(key)
    outer = value.items if isinstance(value, Sequence) else ()
    lists = [item.items if isinstance(item, Sequence) else None for item in outer]
    if any(items is None for items in lists):
        lists = [outer]
    return tuple(tuple(item.text for item in items or () if isinstance(item, Scalar)) for items in lists)


# The order in which `bidui` writes a paradigm's keys; a new key goes after those that come before it here.
ORDER = (
    *("format", "uid", "phenomenon", "about", "source", "status", "reason", "edit", "equal_length", "separator"),
    *("seams", "closed_class", "one_sided", "name", "weight", "slots", "variants", "good", "bad"),
    *("link", "repeat", "crossed", "example"),
)


@as_edit
def set_field(batch: Batch, *, name: str, value: str) -> None:
    """Set a field (`edit`, `about.zh`); without a value the field is removed."""
    key, _, inner = name.partition(".")
    group = batch.node((key,)) if inner else None
    short = isinstance(group, Scalar) and key in GROUPS  # `about: …` is the English text
    if not inner or (short and inner == "en"):
        put(batch, (), key=key, value=value)
    elif isinstance(group, Scalar) and short:
        if value:
            batch.set_node((key,), {"en": group.text, inner: value})
    elif group is None or (not value and isinstance(group, MappingNode) and list(group.items) == [inner]):
        put(batch, (), key=key, value={inner: value} if value else "")
    else:
        put(batch, (key,), key=inner, value=value)


def put(batch: Batch, path: Path, *, key: str, value: Value) -> None:
    """Set the key of a mapping, add it where it is missing, or remove it where the value is an empty text."""
    there = batch.node((*path, key)) is not None
    if there and value and isinstance(value, str):
        batch.set_value((*path, key), value)
    elif there and value != "":
        batch.set_node((*path, key), value)
    elif there:
        batch.remove((*path, key))
    elif value != "":
        _add(batch, path, key=key, value=value)


@as_edit
def set_rule(batch: Batch, *, slot: str, rule: str, variant: Variant = None) -> None:
    """Set the rule of a slot."""
    batch.set_value(slot_path(slot, variant), rule)


@as_edit
def add_slot(batch: Batch, *, slot: str, rule: str, variant: Variant = None, at: Number | None = None) -> None:
    """Add a slot as row number `at` or as the last."""
    refuse_name(paradigm_rows(batch.root), slot, variant)
    base = wording_path(variant)
    if batch.node((*base, "slots")) is None:
        _add(batch, base, key="slots", value={slot: rule})
    else:
        batch.add_entry((*base, "slots"), slot, rule, at=at)


@as_edit
def move_slot(batch: Batch, *, slot: str, to: Number, variant: Variant = None) -> None:
    """Move a slot to row number `to`, counted from 0."""
    batch.move(slot_path(slot, variant), to=to)


@as_edit
def delete_slot(batch: Batch, *, slot: str, variant: Variant = None) -> None:
    """Delete a slot, also from the lines that print it; rules that link to it stay, and are reported as errors."""
    for wording in paradigm_rows(batch.root).wordings:
        if reaches(wording, slot, variant):
            for line in (wording.good, wording.bad):
                if line and any(item.slot == slot for item in line.items):
                    batch.set_value(line.path, " ".join(item.text for item in line.items if item.slot != slot))
    batch.remove(slot_path(slot, variant))


@as_edit
def set_line(batch: Batch, *, side: Side, line: str, variant: Variant = None) -> None:
    """Set the good or bad line; a missing bad line means the same as the good one."""
    put(batch, wording_path(variant), key=side, value=line)


@as_edit
def set_group(batch: Batch, *, key: Literal["link", "repeat"], groups: Groups, variant: Variant = None) -> None:
    """Set the groups under `link` or `repeat`."""
    value: Value = [*groups[0]] if len(groups) == 1 else [[*group] for group in groups]
    put(batch, wording_path(variant), key=key, value=value if groups else "")


def slot_path(slot: str, variant: int | None) -> Path:
    """Return the path of a slot of a variant, or of the paradigm itself."""
    return (*wording_path(variant), "slots", slot)


def wording_path(variant: int | None) -> Path:
    """Return the path of a variant, counted from 0; None is the paradigm itself."""
    return () if variant is None else ("variants", variant)


def reaches(wording: Wording, slot: str, variant: int | None) -> bool:
    """Whether a slot's name in a wording means the slot of `variant`: a wording's own slots hide shared ones."""
    declared = slot in {row.name for row in wording.slots}
    return wording.path == wording_path(variant) if declared else variant is None


def refuse_name(rows: ParadigmRows, slot: str, variant: int | None) -> None:
    """Raise `InputError` for a name that cannot be a new slot's."""
    if not SLOT_NAME.fullmatch(slot):
        raise fail("slot-name", None, {"slot": slot})
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


def _add(batch: Batch, path: Path, *, key: str, value: Value) -> None:
    """Add a key at its place in the order of keys."""
    mapping = batch.node(path)
    keys = list(mapping.items) if isinstance(mapping, MappingNode) else []
    place = ORDER.index(key) if key in ORDER else len(ORDER)
    before = [n for n, other in enumerate(keys) if other in ORDER[:place]]
    batch.add_entry(path, key, value, at=before[-1] + 1 if before else 0)


# Edits of the two lines as rows, which are counted as in `Wording.rows`. Until the bad line differs, it is the same as
# the good line and follows it; it is written into the file with the first difference.


@dataclass(slots=True)
class _Lines:
    """The items of both lines of a wording, to be changed."""

    wording: Wording
    good: list[str]
    bad: list[str]

    def row(self, number: int) -> ItemRow:
        if not 0 <= number < len(self.wording.rows):
            raise _missing(number)
        return self.wording.rows[number]

    def bad_place(self, number: int) -> int:
        """Return the number of a row's item on the bad side."""
        place = self.row(number).bad
        if place is None:
            raise _missing(number)
        return place

    def before(self, number: int) -> tuple[int, int]:
        """Return how many items of each side stand in the rows before a row."""
        rows = self.wording.rows[: max(0, number)]
        return sum(row.good is not None for row in rows), sum(row.bad is not None for row in rows)


@as_edit
def delete_row(batch: Batch, *, row: Number, variant: Variant = None) -> None:
    """Delete the items of a row; an item that the bad side moves is deleted in both places."""
    with _lines(batch, variant) as lines:
        at = lines.row(row)
        other = lines.row(at.partner) if at.partner is not None else at
        for side, places in ((lines.good, (at.good, other.good)), (lines.bad, (at.bad, other.bad))):
            for number in {n for n in places if n is not None}:
                del side[number]


@as_edit
def move_row(batch: Batch, *, row: Number, to: Number, variant: Variant = None) -> None:
    """Move a row, with both its sides, to where row number `to` is."""
    with _lines(batch, variant) as lines:
        at = lines.row(row)
        good, bad = lines.before(to + (to > row))
        if at.good is not None:
            _move(lines.good, at.good, good)
        if at.bad is not None:
            _move(lines.bad, at.bad, bad)


@as_edit
def move_bad(batch: Batch, *, row: Number, to: Number, variant: Variant = None) -> None:
    """Move an item on the bad side to where row number `to` is; the good side keeps it."""
    with _lines(batch, variant) as lines:
        _move(lines.bad, lines.bad_place(row), lines.before(to + (to > row))[1])


@as_edit
def copy_bad(batch: Batch, *, row: Number, to: Number, variant: Variant = None) -> None:
    """Copy an item on the bad side to before row number `to`."""
    with _lines(batch, variant) as lines:
        at = lines.row(row)
        item = lines.bad[at.bad] if at.bad is not None else lines.good[at.good or 0]
        lines.bad.insert(lines.before(to)[1], item)


@as_edit
def drop_bad(batch: Batch, *, row: Number, variant: Variant = None) -> None:
    """Drop the item of a row on the bad side."""
    with _lines(batch, variant) as lines:
        del lines.bad[lines.bad_place(row)]


@as_edit
def same_again(batch: Batch, *, row: Number, variant: Variant = None) -> None:
    """Make the bad side of a row the same as the good one again."""
    with _lines(batch, variant) as lines:
        at = lines.row(row)
        if at.partner is not None and at.good is None:
            row, at = at.partner, lines.row(at.partner)
        place = lines.before(row)[1]
        if at.good is None and at.bad is not None:
            del lines.bad[at.bad]
        elif at.good is not None and at.bad is not None:
            lines.bad[at.bad] = lines.good[at.good]
        elif at.good is not None and at.partner is not None:
            _move(lines.bad, lines.bad_place(at.partner), place)
        elif at.good is not None:
            lines.bad.insert(place, lines.good[at.good])


def _move(items: list[str], start: int, end: int) -> None:
    item = items.pop(start)
    items.insert(end - (end > start), item)


def _missing(row: Number) -> InputError:
    return fail("row-missing", None, {"row": row + 1})


@contextmanager
def _lines(batch: Batch, variant: int | None) -> Iterator[_Lines]:
    """Read the lines, and write those that were changed: the bad one only if it differs from the good one."""
    rows = paradigm_rows(batch.root)
    if not 0 <= (variant or 0) < len(rows.wordings):
        raise fail("row-missing", None, {"row": f"variants › {variant}"})
    wording = rows.wordings[variant or 0]
    good = [item.text for item in wording.good.items] if wording.good else []
    bad = [item.text for item in wording.bad.items] if wording.bad else list(good)
    lines = _Lines(wording, good, bad)
    yield lines
    for side, items, line in (("good", good, wording.good), ("bad", bad, wording.bad)):
        if line is None and side == "bad" and bad == good:
            continue
        if line is None or [item.text for item in line.items] != items:
            put(batch, wording_path(variant), key=side, value=" ".join(items))


_MOVED = ("weight", "good", "bad", "link", "repeat", "crossed")  # keys that go into the first variant


def add_variant(text: str, *, name: str, copy_of: Number | None = None, at: Number | None = None) -> Edit:
    """Add a variant, empty or a copy of another; a paradigm without variants becomes one with two.

    Its lines become those of the first variant, and its slots stay where they are, for both.
    """
    batch = Batch(text)
    if name in _names(batch):
        raise fail("row-exists", None, {"name": name})
    if "variants" not in batch.root.items:
        _split(batch)
        divided = apply_edit(text, batch.edit())
        return difference(text, apply_edit(divided, add_variant(divided, name=name, copy_of=copy_of, at=at)))
    variant: dict[str, Value] = {"name": name}
    if copy_of is not None:
        node = batch.node(wording_path(copy_of))
        if not isinstance(node, MappingNode):
            raise fail("row-missing", None, {"row": f"variants › {copy_of}"})
        variant |= {key.text: value_of(value) for key, value in node.entries if key.text != "name"}
    batch.add_item(("variants",), variant, at=at)
    return batch.edit()


@as_edit
def delete_variant(batch: Batch, *, variant: Number) -> None:
    """Delete a variant."""
    batch.remove(wording_path(variant))


@as_edit
def move_variant(batch: Batch, *, variant: Number, to: Number) -> None:
    """Move a variant to number `to`."""
    batch.move(wording_path(variant), to=to)


@as_edit
def set_option(batch: Batch, *, key: Literal["name", "weight", "crossed"], value: str, variant: Variant = None) -> None:
    """Set the `name`, `weight` or `crossed` of a variant, or of a paradigm without variants."""
    if key == "name" and value in _names(batch):
        raise fail("row-exists", None, {"name": value})
    put(batch, wording_path(variant), key=key, value=value)


def _split(batch: Batch) -> None:
    """Make the lines of a paradigm those of its one variant, written as they were, further in."""
    entries = batch.root.entries
    numbers = [number for number, entry in enumerate(entries) if entry.key.text in _MOVED]
    rest = {key.text: value_of(value) for key, value in entries if key.text not in _MOVED}
    if not numbers:
        batch.add_entry((), "variants", "", at=list(rest).index("slots") + 1 if "slots" in rest else None)
        return
    first: Value = {entries[number].key.text: value_of(entries[number].value) for number in numbers}
    expected = [*rest.items()]
    expected.insert(numbers[0], ("variants", [first]))
    text, newline = batch.text, newline_of(batch.text)
    chunks = [batch.chunks(batch.root)[number] for number in numbers]
    block = [line for chunk in chunks for line in text[slice(*chunk)].splitlines()]
    moved = f"{newline}    ".join((f"variants:{newline}  - {block[0]}", *block[1:])) + newline
    texts = [moved, *[""] * (len(chunks) - 1)]
    changes = [Change(start, batch.lines.next_line(end), new) for (start, end), new in zip(chunks, texts, strict=True)]
    batch.replace_text(changes, expected=dict(expected))


def _names(batch: Batch) -> set[str]:
    """Return the names of the variants; a variant without a name has its number."""
    node = batch.node(("variants",))
    value = value_of(node) if node is not None else []
    items = value if isinstance(value, list) else []
    return {str(i.get("name") or n) if isinstance(i, dict) else "" for n, i in enumerate(items, start=1)}


@as_edit
def rename_slot(batch: Batch, *, slot: str, name: str, variant: Variant = None) -> None:
    """Rename a slot in its row, in links to it, in lines and under `link` and `repeat`."""
    if slot == name:
        return
    rows = paradigm_rows(batch.root)
    refuse_name(rows, name, variant)
    scopes = [wording for wording in rows.wordings if reaches(wording, slot, variant)]
    if any(name in rows.in_scope(wording) for wording in scopes):
        raise fail("row-exists", None, {"name": name})
    rules = [row.path for wording in scopes for row in wording.slots]
    rules += [row.path for row in rows.slots if variant is None]
    for path in rules:
        rewrite(batch, path, lambda rule: in_rule(rule, "slot", slot, name))
    for wording in scopes:
        for line in (wording.good, wording.bad):
            if line:
                rewrite(batch, line.path, lambda old: in_line(old, slot, name))
        for key in LISTS:
            group = batch.node((*wording.path, key))
            for path, _ in scalars_of(group, (*wording.path, key)) if isinstance(group, Sequence) else ():
                rewrite(batch, path, lambda old: name if old == slot else old)
    batch.rename(slot_path(slot, variant), name)


@as_edit
def rename_phrase(batch: Batch, *, phrase: str, name: str, declared: bool = False) -> None:
    """Rename a phrase in one file: wherever a rule uses it, and where it is `declared` (in `phrases.yaml`)."""
    if not SLOT_NAME.fullmatch(name):
        raise fail("slot-name", None, {"slot": name})
    for path, _ in scalars_of(batch.root):
        if is_rule(path, phrases=declared):
            rewrite(batch, path, lambda rule: in_rule(rule, "phrase", phrase, name))
    if declared and phrase != name:
        batch.rename(("phrases", phrase), name)


def rewrite(batch: Batch, path: Path, change: Callable[[str], str]) -> None:
    """Put `change` of a scalar in its place."""
    node = batch.node(path)
    if isinstance(node, Scalar) and (new := change(node.text)) != node.text:
        batch.set_value(path, new)


def in_line(line: str, slot: str, name: str) -> str:
    """Return a line that prints a slot by its new name."""
    changes = [Change(i.start, i.start + len(slot), name) for i in items_of(line, slots=(slot,)) if i.slot == slot]
    return apply_edit(line, make_edit(changes))


def in_rule(rule: str, kind: Literal["slot", "phrase"], old: str, new: str) -> str:
    """Return a rule that uses a phrase, or links to a slot or to a part of the phrase in it, by its new name."""
    changes = [
        Change(piece.start, piece.start + len(old), new)
        for piece in pieces_of(rule)
        if piece.kind == kind and rule[piece.start : piece.end].partition("." if kind == "slot" else "\0")[0] == old
    ]
    return apply_edit(rule, make_edit(changes))
