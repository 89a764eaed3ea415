"""Assembly: a filled frame becomes a pair, with the regions in which its sides differ."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bidui.grammar.alignment import Change, align, edit_kinds
from bidui.grammar.frames import Frame
from bidui.grammar.printing import Item, Style
from bidui.pairs import Pair, Region

Texts = tuple[list[str], list[str]]


@dataclass(slots=True, eq=False)
class Printer:
    """Prints the values of one frame; what does not depend on the words is worked out once."""

    frame: Frame
    sides: tuple[list[str | tuple[int, list[str]]], ...]  # literal text, or position and texts of its values
    spans: list[tuple[int, int, int, str, str]]  # side, first item, last item, slot, change
    edit: str
    slots: list[tuple[str, int]]
    capital: bool

    def pieces(self, values: Sequence[int]) -> Texts:
        """The texts of both sides, item by item, separators included."""
        good, bad = (
            [item if item.__class__ is str else item[1][values[item[0]]] for item in side]  # type: ignore[index]
            for side in self.sides
        )
        return good, bad  # type: ignore[return-value]

    def sentences(self, pieces: Texts) -> tuple[str, str]:
        """The two sentences."""
        good, bad = "".join(pieces[0]), "".join(pieces[1])
        if self.capital:
            return good[:1].upper() + good[1:], bad[:1].upper() + bad[1:]
        return good, bad

    def pair(self, values: Sequence[int], pieces: Texts, *, uid: str, phenomenon: str, number: int) -> Pair:
        """The pair with its regions and the words that made it."""
        good, bad = self.sentences(pieces)
        starts = (_starts(pieces[0]), _starts(pieces[1]))
        regions = tuple(
            Region("bad" if side else "good", starts[side][first], starts[side][last + 1], slot, change)
            for side, first, last, slot, change in self.spans
        )
        columns = self.frame.columns
        slots = tuple((path, columns[at].domain.shown[values[at]]) for path, at in self.slots)
        used = tuple(w.form for at, c in enumerate(columns) for w in c.domain.words[values[at]][:1])
        return Pair(good, bad, uid, phenomenon, number, self.frame.network.name, self.edit, regions, slots, used)


def _starts(pieces: list[str]) -> list[int]:
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return starts


def make_printer(frame: Frame) -> Printer:
    """The printer of a frame."""
    style = frame.network.style
    position = {column.leaf: n for n, column in enumerate(frame.columns)}
    sides = []
    places: list[list[int]] = []  # of each item of each side, its index among the pieces
    for line in (frame.good, frame.bad):
        pieces, index = _pieces(line, style, lambda item: (position[item[0]], _texts(frame, position, item)))
        sides.append(pieces)
        places.append(index)
    changes = align(frame.good, frame.bad)
    spans = _spans(changes, places)
    slots = [(column.leaf.path, n) for n, column in enumerate(frame.columns)]
    return Printer(frame, tuple(sides), spans, "+".join(edit_kinds(changes)), slots, style.capital)


def _texts(frame: Frame, position: dict[object, int], item: Item) -> list[str]:
    leaf, column = item
    return frame.columns[position[leaf]].domain.texts[column]  # type: ignore[index]


def _pieces(
    line: list[Item], style: Style, printed: Callable[[Item], tuple[int, list[str]]]
) -> tuple[list[str | tuple[int, list[str]]], list[int]]:
    pieces: list[str | tuple[int, list[str]]] = []
    index = []
    for item in line:
        literal = item if isinstance(item, str) else None
        if pieces and (joiner := style.joiner(literal)):
            pieces.append(joiner)
        index.append(len(pieces))
        pieces.append(item if isinstance(item, str) else printed(item))
    return pieces, index


def _spans(changes: list[Change], places: list[list[int]]) -> list[tuple[int, int, int, str, str]]:
    """Neighbouring items of one slot with one kind of change are one region."""
    spans: list[tuple[int, int, int, str, str]] = []
    last: tuple[int, int] | None = None
    for change in changes:
        at = places[change.side][change.item]
        if spans and last == (change.side, change.item - 1) and spans[-1][3:] == (change.slot, change.kind):
            side, first, _, slot, kind = spans[-1]
            spans[-1] = (side, first, at, slot, kind)
        else:
            spans.append((change.side, at, at, change.slot, change.kind))
        last = (change.side, change.item)
    return spans
