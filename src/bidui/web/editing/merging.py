"""Merging by rows: what two people made of one text, put together row by row, with the rows that both changed.

A text is a sequence of units, each with a path that says which row it is, and inside of which others. A row that only
one side changed is as that side has it. Rows that one side added are put after the row they follow there.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from bidui.errors import Problem
from bidui.grammar.yaml import Mapping as MappingNode
from bidui.grammar.yaml import Node, Scalar, value_of
from bidui.grammar.yaml import Sequence as Sequence_paradigm_merging
from bidui.web.editing.edits import try_lay_out
from bidui.web.editing.text import Change, Lines, apply_edit
from bidui.words import Language

Choice = Literal["mine", "theirs"]
Path = tuple[Hashable, ...]
MAX_LINES = 50_000
MAX_COMPARED = 400  # pairs of lines that are held against each other
ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class Unit:
    """A row of a text: its identity, what it is called, and the text itself, with its line break."""

    key: Path
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A row that both sides changed: what it was, and what each made of it; None where it is not there."""

    row: str
    kind: Literal["merge-changed", "merge-deleted", "merge-added", "merge-order"]
    base: str | None
    mine: str | None
    theirs: str | None

    def text(self, language: Language = "en") -> str:
        """What happened, in words."""
        values = {"row": self.row}
        problems = {
            "merge-changed": Problem("merge-changed", values=values),
            "merge-deleted": Problem("merge-deleted", values=values),
            "merge-added": Problem("merge-added", values=values),
            "merge-order": Problem("merge-order", values=values),
        }
        return problems[self.kind].text(language)


@dataclass(frozen=True, slots=True)
class Merged:
    """The text put together; where there are conflicts, it has what was chosen, or else mine."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


def merge_units(
    base: Sequence[Unit], mine: Sequence[Unit], theirs: Sequence[Unit], *, choose: Mapping[str, Choice]
) -> tuple[list[Unit], list[Conflict]]:
    """The units put together, and the conflicts for which nothing was chosen."""
    sides = [{unit.key: unit for unit in units} for units in (base, mine, theirs)]
    kept: dict[Path, Unit] = {}
    conflicts: list[Conflict] = []
    for key in dict.fromkeys((*sides[1], *sides[2], *sides[0])):
        old, one, other = (side[key].text if key in side else None for side in sides)
        chosen = one if other == old else other
        if one != other and old not in (one, other):
            name = next(side[key].name for side in sides if key in side)
            if name not in choose:
                conflicts.append(Conflict(name, _kind(old, one, other), old, one, other))
            chosen = other if choose.get(name) == "theirs" else one
        if chosen is not None:
            kept[key] = Unit(key, "", chosen)
    trees = [_children(units) for units in (base, mine, theirs)]
    disputed: list[Path] = []
    order = list(_flattened((), trees, choose, disputed))
    if disputed and "order" not in choose:
        conflicts.append(Conflict("order", "merge-order", *(_text(units) for units in (base, mine, theirs))))
    return [kept[key] for key in order if key in kept], conflicts


def _children(units: Sequence[Unit]) -> dict[Path, list[Path]]:
    """Under every path, the paths that are one step longer, in order."""
    found: dict[Path, dict[Path, None]] = {}
    for unit in units:
        for length in range(len(unit.key)):
            found.setdefault(unit.key[:length], {})[unit.key[: length + 1]] = None
    return {path: list(below) for path, below in found.items()}


def _flattened(
    path: Path, trees: Sequence[dict[Path, list[Path]]], choose: Mapping[str, Choice], disputed: list[Path]
) -> Iterator[Path]:
    order, differs = _order(*(tree.get(path, []) for tree in trees), choose=choose)
    disputed += [path] * differs
    for child in order:
        yield child
        yield from _flattened(child, trees, choose, disputed)


def _kind(
    base: str | None, mine: str | None, theirs: str | None
) -> Literal["merge-changed", "merge-deleted", "merge-added"]:
    if base is None:
        return "merge-added"
    return "merge-deleted" if mine is None or theirs is None else "merge-changed"


def _text(units: Sequence[Unit]) -> str:
    return "".join(unit.text for unit in units)


def _order(
    base: list[Path], mine: list[Path], theirs: list[Path], *, choose: Mapping[str, Choice]
) -> tuple[list[Path], bool]:
    """The order of rows side by side: that of the side which changed it, with what only the other side has put in.

    Both changed it, and differently: mine, unless theirs was chosen; and it is said.
    """
    moved = [_common(base, side) != _common(side, base) for side in (mine, theirs)]
    disputed = all(moved) and _common(mine, theirs) != _common(theirs, mine)
    first = (moved[1] and not moved[0]) or (disputed and choose.get("order") == "theirs")
    spine, other = (theirs, mine) if first else (mine, theirs)
    known, there = set(spine), set(other)
    added: dict[Path | None, list[Path]] = {}  # what only the other side has, by the row of both that it follows there
    anchor: Path | None = None
    for key in other:
        anchor = key if key in known else anchor
        if key not in known:
            added.setdefault(anchor, []).append(key)
    order: list[Path] = []
    waiting = added.get(None, [])
    for key in spine:
        if key in there:  # mine first, where both added something
            order += waiting
            waiting = added.get(key, [])
        order.append(key)
    order += waiting
    return order, disputed


def _common(keys: list[Path], others: list[Path]) -> list[Path]:
    known = set(others)
    return [key for key in keys if key in known]


def merge_tables(base: str, mine: str, theirs: str, *, choose: Mapping[str, Choice] | None = None) -> Merged:
    """Two versions of a table, or of any text, put together line by line.

    A line is the same row as a line of the base if nothing else in its place could be; of several, the one that begins
    with the same cell.
    """
    lines = [_lines(text) for text in (base, mine, theirs)]
    if max(map(len, lines)) > MAX_LINES:
        return Merged(mine, (Conflict("all", "merge-changed", base, mine, theirs),))
    old = [Unit((n,), f"line {n + 1}", line) for n, line in enumerate(lines[0])]
    units, conflicts = merge_units(
        old, _identified(lines[0], lines[1]), _identified(lines[0], lines[2]), choose=choose or {}
    )
    return Merged(joined(units, like=mine), tuple(conflicts))


def joined(units: Sequence[Unit], *, like: str) -> str:
    """The units as a text; one that was last and is not any more gets its line break."""
    newline = "\r\n" if "\r\n" in like else "\n"
    texts = [unit.text for unit in units]
    ended = [text if text.endswith("\n") else text + newline for text in texts[:-1]]
    return "".join((*ended, *texts[-1:]))


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _identified(base: list[str], side: list[str]) -> list[Unit]:
    """The lines of one side, each as a line of the base or as a new one."""
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
    """Which line of the base each line of a side is, as far as it is one."""
    same: dict[int, int] = {}
    lost: list[int] = []
    found: list[int] = []
    for kind, a, b, c, d in SequenceMatcher(None, base, side).get_opcodes():
        if kind == "equal":
            same.update(zip(range(c, d), range(a, b), strict=True))
            continue
        pairs = _paired(base, list(range(a, b)), side, list(range(c, d)))
        same.update(pairs)
        lost += (n for n in range(a, b) if n not in pairs.values())
        found += (n for n in range(c, d) if n not in pairs)
    by_text = {base[n]: n for n in reversed(lost)}
    same.update({n: by_text.pop(side[n]) for n in found if side[n] in by_text})  # moved far away
    return same


def _paired(base: list[str], old: list[int], side: list[str], new: list[int]) -> dict[int, int]:
    """Lines of a stretch that was changed: those that begin with the same cell, and those that are much alike."""
    if len(old) == len(new) == 1:
        return {new[0]: old[0]}
    first = {base[n].split("\t")[0]: n for n in reversed(old)}
    pairs = {n: first.pop(cell) for n in new if (cell := side[n].split("\t")[0]) in first}
    left = [n for n in old if n not in pairs.values()]
    rest = [n for n in new if n not in pairs]
    if len(left) * len(rest) <= MAX_COMPARED:
        alike = sorted(((-_likeness(base[a], side[b]), a, b) for a in left for b in rest), key=lambda found: found[:3])
        for likeness, a, b in alike:
            if likeness <= -ALIKE and b not in pairs and a not in pairs.values():
                pairs[b] = a
    return pairs


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:1_000], other[:1_000], autojunk=False).ratio()


# Merging of paradigms and phrases: the rows are the keys of the YAML text, each with the comments of its line.


def merge_paradigms(base: str, mine: str, theirs: str, *, choose: Mapping[str, Choice] | None = None) -> Merged:
    """Two versions of a paradigm (or of the phrases) put together by rows; texts that are not YAML yet, by lines.

    What was put together is read again and must say, row by row, what the sides say; else all of it is a conflict.
    """
    documents = [try_lay_out(text) for text in (base, mine, theirs)]
    if any(document is None for document in documents):
        return merge_tables(base, mine, theirs, choose=choose)
    chosen = choose or {}
    if "all" in chosen:
        return Merged(theirs if chosen["all"] == "theirs" else mine)
    texts: list[_Units] = []
    for text, document in zip((base, mine, theirs), documents, strict=True):
        if document is not None:
            texts.append(_Units(text, document, texts[0].lists if texts else {}))
    finer = _merged_lines(texts, chosen)
    units, conflicts = merge_units(*(_with(text.units, finer) for text in texts), choose=chosen)
    conflicts += [conflict for _, found in finer.values() for conflict in found]
    result = joined(units, like=mine)
    if not conflicts and not _agrees(result, texts, chosen):
        return Merged(mine, (Conflict("all", "merge-changed", base, mine, theirs),))
    return Merged(result, tuple(conflicts))


@dataclass(slots=True)
class _Units:
    """The lines of a YAML text, each belonging to an entry, or to the entry before which it stands."""

    text: str
    document: MappingNode
    known: dict[Path, list[str]]  # the lists of the base
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
        """Comments and blank lines are known by what they say and what they stand before."""
        times: Counter[str] = Counter()
        for line in loose:
            times[line] += 1
            key = (*before[:-1], ("#", line.strip(), before[-1:], times[line]))
            self.units.append(Unit(key, line.strip(), line))
        loose.clear()

    def _entries(self, node: Node, path: Path) -> Iterator[tuple[Path, int, int, Node | None]]:
        """Every entry that has lines of its own: its path, where it begins and ends, and a mapping on one line."""
        if isinstance(node, MappingNode):
            for entry in node.entries:
                here = (*path, entry.key.text)
                value = entry.value
                if isinstance(value, Scalar) or value.flow:
                    flow = value if isinstance(value, MappingNode) else None
                    self._leaf(here, value)
                    yield here, entry.key.start, max(entry.key.end, value.end), flow
                else:
                    yield here, entry.key.start, entry.key.end, None
                    yield from self._entries(value, here)
        elif isinstance(node, Sequence_paradigm_merging):
            for identity, item in zip(self._identities(node, path), node.items, strict=True):
                here = (*path, identity)
                if isinstance(item, MappingNode) and not item.flow:
                    yield from self._entries(item, here)
                else:
                    self._leaf(here, item)
                    yield here, item.start, item.end, None

    def _leaf(self, path: Path, node: Node) -> None:
        if isinstance(node, MappingNode):
            for entry in node.entries:
                self._leaf((*path, entry.key.text), entry.value)
        else:
            self.leaves[path] = repr(value_of(node))

    def _identities(self, node: Sequence_paradigm_merging, path: Path) -> list[tuple[str, str]]:
        """Which items of the base those of a list are: a variant by its name, any other by its text."""
        signs = []
        for item in node.items:
            name = item.items.get("name") if isinstance(item, MappingNode) else None
            raw = self.text[item.start : item.end]
            signs.append(name.value.text if name and isinstance(name.value, Scalar) else raw)
        self.lists[path] = signs
        old = self.known.get(path, signs)
        same = pairs_of_lines(old, signs)
        found = []
        times: Counter[str] = Counter()
        for number, sign in enumerate(signs):
            own = old[same[number]] if number in same else f"+ {sign}"
            times[own] += 1
            long = f"{same[number] + 1}" if number in same else "+"
            found.append((f"{own} {times[own]}", long if "\n" in own else own))
        return found


def name_of(path: Path) -> str:
    """A row's name for people; items of a list that are long are told by their number."""
    return " › ".join(step[1] if isinstance(step, tuple) else str(step) for step in path)


def _merged_lines(texts: list[_Units], choose: Mapping[str, Choice]) -> dict[Path, tuple[str, list[Conflict]]]:
    """Mappings on one line that both sides changed are put together entry by entry, on my line."""
    base, mine, theirs = texts
    found: dict[Path, tuple[str, list[Conflict]]] = {}
    for path in base.flows.keys() & mine.flows.keys() & theirs.flows.keys():
        lines = [text.flows[path][0].text for text in texts]
        if lines[1] == lines[2] or lines[0] in lines[1:]:
            continue
        entries = [
            [
                Unit((e.key.text,), name_of((*path, e.key.text)), text.text[e.key.start : e.value.end])
                for e in text.flows[path][1].entries
            ]
            for text in texts
        ]
        units, conflicts = merge_units(*entries, choose=choose)
        unit, node = mine.flows[path]
        start = mine.text.index(unit.text, mine.text.rfind("\n", 0, node.start) + 1)
        inside = ", ".join(entry.text for entry in units)
        change = Change(node.start - start, node.end - start, "{" + inside + "}")
        found[path] = (apply_edit(unit.text, (change,)), conflicts)
    return found


def _with(units: list[Unit], finer: Mapping[Path, tuple[str, list[Conflict]]]) -> list[Unit]:
    texts: dict[Hashable, str] = {path: text for path, (text, _) in finer.items()}
    return [Unit(u.key, u.name, texts.get(u.key, u.text)) for u in units]


def _agrees(result: str, texts: list[_Units], choose: Mapping[str, Choice]) -> bool:
    """Whether what was put together holds the values that the sides agree on, all of them and no others."""
    document = try_lay_out(result)
    if document is None:
        return False
    base, mine, theirs = (text.leaves for text in texts)
    wanted: Counter[tuple[Path, str]] = Counter()
    for path in {*base, *mine, *theirs}:
        old, one, other = base.get(path), mine.get(path), theirs.get(path)
        if one != other and old not in (one, other):
            value = other if choose.get(name_of(path)) == "theirs" else one
        else:
            value = one if other == old else other
        if value is not None:
            wanted[_anywhere(path), value] += 1
    got = _Units(result, document, {}).leaves
    return wanted == Counter((_anywhere(path), value) for path, value in got.items())


def _anywhere(path: Path) -> Path:
    """A path without the identity of list items."""
    return tuple("*" if isinstance(step, tuple) else step for step in path)
