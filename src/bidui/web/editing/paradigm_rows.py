"""A paradigm as rows: its fields, its slots with their rules, and of each wording the good and bad line side by side.

The rows are a view of the file's text, which stays the truth; every row knows the path and the stretch of text it
stands for. What is not shaped as a paradigm should be is left to the plain text.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bidui.web.editing.layout import Mapping as MappingNode
from bidui.web.editing.layout import Node, Path, Scalar, Sequence, lay_out
from bidui.web.editing.line_items import Item, ItemRow, items_of, rows_of
from bidui.web.editing.positions import Span

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
    several = variants is not None and isinstance(variants.value, Sequence)
    shared = _slots(document, ()) if several else ()
    wordings = []
    if several and variants is not None and isinstance(variants.value, Sequence):
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
    nodes = value.items if isinstance(value, Sequence) else (value,)
    return tuple(item.text for item in nodes if isinstance(item, Scalar))


def _groups(node: MappingNode, key: str) -> tuple[tuple[str, ...], ...]:
    """`[a, b]` or `[[a, b], [c, d]]`, as groups of names."""
    entry = node.entry(key)
    outer = entry.value.items if entry and isinstance(entry.value, Sequence) else ()
    lists = [item.items if isinstance(item, Sequence) else None for item in outer]
    if any(items is None for items in lists):
        lists = [outer]
    return tuple(tuple(item.text for item in items or () if isinstance(item, Scalar)) for items in lists)
