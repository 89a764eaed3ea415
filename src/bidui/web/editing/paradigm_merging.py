"""Merging of paradigms and phrases: the rows are the keys of the YAML text, each with the comments of its line."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from bidui.web.editing.changes import Change, apply_edit
from bidui.web.editing.layout import Mapping as MappingNode
from bidui.web.editing.layout import Node, Scalar, Sequence, try_lay_out, value_of
from bidui.web.editing.merging import (
    Choice,
    Conflict,
    Merged,
    Path,
    Unit,
    joined,
    merge_tables,
    merge_units,
    pairs_of_lines,
)
from bidui.web.editing.positions import Lines


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
        elif isinstance(node, Sequence):
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

    def _identities(self, node: Sequence, path: Path) -> list[tuple[str, str]]:
        """Which items of the base those of a list are: a variant by its name, any other by its text."""
        signs = []
        for item in node.items:
            name = item.entry("name") if isinstance(item, MappingNode) else None
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
