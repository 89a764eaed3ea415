"""Merging: two versions of a text are combined row by row, and rows that both people changed are conflicts.

A text is a sequence of units, each with a path that says which row it is and which rows it stands in. A row that only
one side changed is taken from that side. A row that one side added comes after the row that it follows there. Tables
and other texts are merged line by line (`merge_tables`), paradigms and phrases by their keys (`merge_paradigms`).
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import product
from typing import Literal

from bidui.errors import Problem
from bidui.grammar.yaml import Mapping as MappingNode
from bidui.grammar.yaml import Node, Scalar, value_of
from bidui.grammar.yaml import Sequence as SequenceNode
from bidui.web.editing.edits import try_read_tree
from bidui.web.editing.text import Change, Lines, apply_edit
from bidui.words import Language

Choice = Literal["mine", "theirs"]
Kind = Literal["merge-changed", "merge-deleted", "merge-added", "merge-order"]
Path = tuple[Hashable, ...]
MAX_LINES = 50_000
MAX_COMPARED = 400  # pairs of lines that are compared
ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class Unit:
    """A row of a text: its identity, its name for people, and the text itself with its line break."""

    key: Path
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A row that both sides changed: its text before, and on each side; None where the row is missing."""

    row: str
    kind: Kind
    base: str | None
    mine: str | None
    theirs: str | None

    def text(self, language: Language = "en") -> str:
        """Say what happened."""
        values = {"row": self.row}
        problems = {
            "merge-changed": Problem("merge-changed", values=values),
            "merge-deleted": Problem("merge-deleted", values=values),
            "merge-added": Problem("merge-added", values=values),
            "merge-order": Problem("merge-order", values=values),
        }
        return problems[self.kind].text(language)


@dataclass(frozen=True, slots=True)
class Merge:
    """The merged text; where there are conflicts, it has the side that was chosen, or mine."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


def merge_units(
    base: Sequence[Unit], mine: Sequence[Unit], theirs: Sequence[Unit], *, choose: Mapping[str, Choice]
) -> tuple[list[Unit], list[Conflict]]:
    """Return the merged units, and the conflicts for which no side was chosen."""
    sides = [{unit.key: unit for unit in units} for units in (base, mine, theirs)]
    kept: dict[Path, Unit] = {}
    conflicts: list[Conflict] = []
    for key in dict.fromkeys((*sides[1], *sides[2], *sides[0])):
        texts = [side[key].text if key in side else None for side in sides]
        name = next(side[key].name for side in sides if key in side)
        text, disputed = _chosen(*texts, choice=choose.get(name))
        if disputed and name not in choose:
            changed: Kind = "merge-deleted" if None in texts else "merge-changed"
            conflicts.append(Conflict(name, "merge-added" if texts[0] is None else changed, *texts))
        if text is not None:
            kept[key] = Unit(key, "", text)
    trees = [_children(units) for units in (base, mine, theirs)]
    reordered: list[Path] = []
    order = list(_flattened((), trees, choose, reordered))
    if reordered and "order" not in choose:
        texts = ["".join(unit.text for unit in units) for units in (base, mine, theirs)]
        conflicts.append(Conflict("order", "merge-order", *texts))
    return [kept[key] for key in order if key in kept], conflicts


def _chosen(
    base: str | None, mine: str | None, theirs: str | None, *, choice: Choice | None
) -> tuple[str | None, bool]:
    """Return what a row says after the merge, and whether both sides changed it, differently."""
    if mine != theirs and base not in (mine, theirs):
        return (theirs if choice == "theirs" else mine), True
    return (mine if theirs == base else theirs), False


def _children(units: Sequence[Unit]) -> dict[Path, dict[Path, None]]:
    """Return for every path the paths that are longer by a step, in order."""
    children: dict[Path, dict[Path, None]] = {}
    for unit in units:
        for length in range(len(unit.key)):
            children.setdefault(unit.key[:length], {})[unit.key[: length + 1]] = None
    return children


def _flattened(
    path: Path, trees: Sequence[dict[Path, dict[Path, None]]], choose: Mapping[str, Choice], reordered: list[Path]
) -> Iterator[Path]:
    """Yield all paths in the merged order; those whose children both sides reordered are added to `reordered`."""
    order, disputed = _order(*(tree.get(path, {}) for tree in trees), choose=choose)
    reordered += [path] * disputed
    for child in order:
        yield child
        yield from _flattened(child, trees, choose, reordered)


def _order(
    base: dict[Path, None], mine: dict[Path, None], theirs: dict[Path, None], *, choose: Mapping[str, Choice]
) -> tuple[list[Path], bool]:
    """Return the merged order of rows, and whether both sides changed it, differently.

    The order is that of the side which changed it, with the rows that only the other side has inserted; where both
    changed it, it is mine, unless theirs was chosen.
    """
    moved = [_common(base, side) != _common(side, base) for side in (mine, theirs)]
    disputed = all(moved) and _common(mine, theirs) != _common(theirs, mine)
    first = (moved[1] and not moved[0]) or (disputed and choose.get("order") == "theirs")
    spine, other = (theirs, mine) if first else (mine, theirs)
    added: dict[Path | None, list[Path]] = {None: []}  # rows that only the other side has, by the common row before
    anchor: Path | None = None
    for key in other:
        if key in spine:
            anchor = key
            added[anchor] = []
        else:
            added[anchor].append(key)
    order: list[Path] = []
    waiting = added[None]
    for key in spine:
        if key in other:  # mine first, where both added rows
            order += waiting
            waiting = added[key]
        order.append(key)
    return order + waiting, disputed


def _common(keys: dict[Path, None], others: dict[Path, None]) -> list[Path]:
    return [key for key in keys if key in others]


def merge_tables(base: str, mine: str, theirs: str, *, choose: Mapping[str, Choice] | None = None) -> Merge:
    """Merge two versions of a table, or of any text, line by line.

    A changed line counts as the line of the base in its place; of several, as the one that begins with the same cell.
    """
    lines = [re.findall(r"[^\n]*\n|[^\n]+", text) for text in (base, mine, theirs)]
    if max(map(len, lines)) > MAX_LINES:
        return Merge(mine, (Conflict("all", "merge-changed", base, mine, theirs),))
    old = [Unit((n,), f"line {n + 1}", line) for n, line in enumerate(lines[0])]
    sides = [_identified(lines[0], side) for side in lines[1:]]
    units, conflicts = merge_units(old, *sides, choose=choose or {})
    return Merge(_joined(units, like=mine), tuple(conflicts))


def _joined(units: Sequence[Unit], *, like: str) -> str:
    """Return the units as a text; a unit that was the last and no longer is gets a line break."""
    newline = "\r\n" if "\r\n" in like else "\n"
    ended = [unit.text if unit.text.endswith("\n") else unit.text + newline for unit in units[:-1]]
    return "".join((*ended, *(unit.text for unit in units[-1:])))


def _identified(base: list[str], side: list[str]) -> list[Unit]:
    """Return the lines of a side, each as a line of the base or as a new line."""
    same = pairs_of_lines(base, side)
    times: Counter[str] = Counter()
    units = []
    for n, line in enumerate(side):
        if n in same:
            units.append(Unit((same[n],), f"line {same[n] + 1}", line))
        else:
            times[line] += 1
            units.append(Unit(((line.strip(), times[line]),), line.split("\t")[0].strip(), line))
    return units


def pairs_of_lines(base: list[str], side: list[str]) -> dict[int, int]:
    """Return the numbers of a side's lines that are lines of the base, with the numbers of these."""
    same: dict[int, int] = {}
    for kind, a, b, c, d in SequenceMatcher(None, base, side).get_opcodes():
        if kind == "equal":
            same.update(zip(range(c, d), range(a, b), strict=True))
        else:
            same |= _paired(base, range(a, b), side, range(c, d))
    kept = set(same.values())
    by_text = {base[n]: n for n in reversed(range(len(base))) if n not in kept}
    new = [n for n in range(len(side)) if n not in same]
    same |= {n: by_text.pop(side[n]) for n in new if side[n] in by_text}  # moved far away
    return same


def _paired(base: list[str], old: range, side: list[str], new: range) -> dict[int, int]:
    """Pair the lines of a changed stretch that begin with the same cell, then those that are much alike."""
    if len(old) == len(new) == 1:
        return {new[0]: old[0]}
    first = {base[n].split("\t")[0]: n for n in reversed(old)}
    pairs = {n: first.pop(cell) for n in new if (cell := side[n].split("\t")[0]) in first}
    left = [n for n in old if n not in pairs.values()]
    rest = [n for n in new if n not in pairs]
    if len(left) * len(rest) <= MAX_COMPARED:
        alike = []
        for a, b in product(left, rest):
            likeness = SequenceMatcher(None, base[a][:1_000], side[b][:1_000], autojunk=False).ratio()
            alike.append((-likeness, a, b))
        for likeness, a, b in sorted(alike):
            if likeness <= -ALIKE and b not in pairs and a not in pairs.values():
                pairs[b] = a
    return pairs


# Merging of paradigms and phrases: the rows are the keys of the YAML text, each with the comments of its line.


def merge_paradigms(base: str, mine: str, theirs: str, *, choose: Mapping[str, Choice] | None = None) -> Merge:
    """Merge two versions of a paradigm (or of the phrases) by rows; texts that are not YAML yet, by lines.

    The merged text is read again and must say, row by row, what the sides say; otherwise all of it is a conflict.
    """
    chosen = choose or {}
    texts: list[_Units] = []
    for text in (base, mine, theirs):
        document = try_read_tree(text)
        if document is None:
            return merge_tables(base, mine, theirs, choose=choose)
        texts.append(_Units(text, document, texts[0].lists if texts else {}))
    if "all" in chosen:
        return Merge(theirs if chosen["all"] == "theirs" else mine)
    finer = _merged_lines(texts, chosen)
    lines = {path: line for path, (line, _) in finer.items()}
    sides = [[replace(unit, text=lines.get(unit.key, unit.text)) for unit in text.units] for text in texts]
    units, conflicts = merge_units(*sides, choose=chosen)
    conflicts += [conflict for _, more in finer.values() for conflict in more]
    result = _joined(units, like=mine)
    if not conflicts and not _agrees(result, texts, chosen):
        return Merge(mine, (Conflict("all", "merge-changed", base, mine, theirs),))
    return Merge(result, tuple(conflicts))


@dataclass(slots=True)
class _Units:
    """The lines of a YAML text as units: each belongs to an entry, comments to the entry that they stand before."""

    text: str
    document: MappingNode
    base_lists: dict[Path, list[str]]
    units: list[Unit] = field(default_factory=list)
    flows: dict[Path, tuple[Unit, MappingNode]] = field(default_factory=dict)  # mappings on one line
    leaves: dict[Path, str] = field(default_factory=dict)
    lists: dict[Path, list[str]] = field(default_factory=dict)  # what tells the items of each list apart

    def __post_init__(self) -> None:
        lines = Lines(self.text)
        starts: dict[int, tuple[Path, int, Node | None]] = {}  # of lines: whose, up to where
        for path, start, end, node in self._entries(self.document, ()):
            starts.setdefault(lines.line_start(start), (path, lines.next_line(end), node))
        at = 0
        loose: list[str] = []
        while at < len(self.text):
            if at not in starts:
                loose.append(self.text[at : lines.next_line(at)])
                at = lines.next_line(at)
                continue
            path, end, node = starts[at]
            self._add_loose(loose, path)
            unit = Unit(path, name_of(path), self.text[at:end])
            self.units.append(unit)
            if isinstance(node, MappingNode):
                self.flows[path] = (unit, node)
            at = end
        self._add_loose(loose, ())

    def _add_loose(self, loose: list[str], before: Path) -> None:
        """Add comments and blank lines, which are identified by their text and by what they stand before."""
        times: Counter[str] = Counter()
        for line in loose:
            times[line] += 1
            key = (*before[:-1], ("#", line.strip(), before[-1:], times[line]))
            self.units.append(Unit(key, line.strip(), line))
        loose.clear()

    def _entries(self, node: Node, path: Path) -> Iterator[tuple[Path, int, int, Node | None]]:
        """Yield every entry that has lines of its own: path, start, end, and its value where that is a flow mapping."""
        if isinstance(node, MappingNode):
            for key, value in node.entries:
                here = (*path, key.text)
                if isinstance(value, Scalar) or value.flow:
                    flow = value if isinstance(value, MappingNode) else None
                    self._leaf(here, value)
                    yield here, key.start, max(key.end, value.end), flow
                else:
                    yield here, key.start, key.end, None
                    yield from self._entries(value, here)
        elif isinstance(node, SequenceNode):
            for identity, item in zip(self._identities(node, path), node.items, strict=True):
                here = (*path, identity)
                if isinstance(item, MappingNode) and not item.flow:
                    yield from self._entries(item, here)
                else:
                    self._leaf(here, item)
                    yield here, item.start, item.end, None

    def _leaf(self, path: Path, node: Node) -> None:
        if isinstance(node, MappingNode):
            for key, value in node.entries:
                self._leaf((*path, key.text), value)
        else:
            self.leaves[path] = repr(value_of(node))

    def _identities(self, node: SequenceNode, path: Path) -> list[tuple[str, str]]:
        """Identify the items of a list with those of the base: a variant by its name, any other item by its text."""
        signs = []
        for item in node.items:
            name = item.get("name") if isinstance(item, MappingNode) else None
            signs.append(name.text if isinstance(name, Scalar) else self.text[item.start : item.end])
        self.lists[path] = signs
        old = self.base_lists.get(path, signs)
        same = pairs_of_lines(old, signs)
        identities = []
        times: Counter[str] = Counter()
        for number, sign in enumerate(signs):
            text, short = (old[same[number]], f"{same[number] + 1}") if number in same else (f"+ {sign}", "+")
            times[text] += 1
            identities.append((f"{text} {times[text]}", short if "\n" in text else text))
        return identities


def name_of(path: Path) -> str:
    """Return a row's name for people; long items of a list are named by their number."""
    return " › ".join(step[1] if isinstance(step, tuple) else str(step) for step in path)


def _merged_lines(texts: list[_Units], choose: Mapping[str, Choice]) -> dict[Path, tuple[str, list[Conflict]]]:
    """Merge flow mappings that both sides changed entry by entry, on my line."""
    base, mine, theirs = texts
    merged: dict[Path, tuple[str, list[Conflict]]] = {}
    for path in base.flows.keys() & mine.flows.keys() & theirs.flows.keys():
        lines = [text.flows[path][0].text for text in texts]
        if lines[1] == lines[2] or lines[0] in lines[1:]:
            continue
        entries = [
            [
                Unit((key.text,), name_of((*path, key.text)), text.text[key.start : value.end])
                for key, value in text.flows[path][1].entries
            ]
            for text in texts
        ]
        units, conflicts = merge_units(*entries, choose=choose)
        unit, node = mine.flows[path]
        start = mine.text.index(unit.text, mine.text.rfind("\n", 0, node.start) + 1)
        inside = ", ".join(entry.text for entry in units)
        change = Change(node.start - start, node.end - start, "{" + inside + "}")
        merged[path] = (apply_edit(unit.text, (change,)), conflicts)
    return merged


def _agrees(result: str, texts: list[_Units], choose: Mapping[str, Choice]) -> bool:
    """Whether a merged text holds the values that the sides agree on, all of them and no others."""
    document = try_read_tree(result)
    if document is None:
        return False
    base, mine, theirs = (text.leaves for text in texts)
    expected: Counter[tuple[Path, str]] = Counter()
    for path in {*base, *mine, *theirs}:
        value, _ = _chosen(base.get(path), mine.get(path), theirs.get(path), choice=choose.get(name_of(path)))
        if value is not None:
            expected[_anywhere(path), value] += 1
    leaves = _Units(result, document, {}).leaves
    return expected == Counter((_anywhere(path), value) for path, value in leaves.items())


def _anywhere(path: Path) -> Path:
    """Return a path without the identity of list items."""
    return tuple("*" if isinstance(step, tuple) else step for step in path)
