"""Assembly: a filled frame becomes a pair, with the regions in which its sides differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from bidui.grammar.alignment import Change, align, edit_kinds, tokens_of
from bidui.grammar.frames import Frame
from bidui.grammar.printing import BAD, GOOD, Item, Style
from bidui.grammar.tree import Leaf
from bidui.pairs import Pair, Region

Texts = tuple[list[str], list[str]]


@dataclass(slots=True, eq=False)
class Printer:
    """Prints the values of one frame; what does not depend on the words is worked out once."""

    frame: Frame
    sides: tuple[list[tuple[list[str], int]], list[tuple[list[str], int]]]  # texts of an item, and whose value picks
    spans: list[tuple[int, int, int, str, str]]  # side, first item, last item, slot, change
    edit: str
    slots: list[tuple[str, int, list[str]]]
    used: list[tuple[list[str], int]]  # the expressions behind the values of each position
    capital: bool

    def pieces(self, values: Sequence[int]) -> Texts:
        """The texts of both sides, item by item, separators included."""
        picks = (*values, 0)  # the last is for literals
        good, bad = self.sides
        return [texts[picks[at]] for texts, at in good], [texts[picks[at]] for texts, at in bad]

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
            [
                Region("bad" if side else "good", starts[side][first], starts[side][last + 1], slot, change)
                for side, first, last, slot, change in self.spans
            ]
        )
        slots = tuple([(path, shown[values[at]]) for path, at, shown in self.slots])
        used = tuple([form for forms, at in self.used if (form := forms[values[at]])])
        return Pair(good, bad, uid, phenomenon, number, self.frame.network.name, self.edit, regions, slots, used)


def _starts(pieces: list[str]) -> list[int]:
    return list(accumulate(map(len, pieces), initial=0))


def make_printer(frame: Frame) -> Printer:
    """The printer of a frame."""
    network = frame.network
    position = {column.leaf: n for n, column in enumerate(frame.columns)}
    sides = []
    places: list[list[int]] = []  # of each item of each side, its index among the pieces
    for line in (frame.good, frame.bad):
        pieces, index = _pieces(line, network.style, frame, position)
        sides.append(pieces)
        places.append(index)
    if network.token_changes is None:
        changes = align(tokens_of(frame.good), tokens_of(frame.bad))
        spans = _spans(changes, [[[at] for at in index] for index in places])
    else:
        changes = network.token_changes
        spans = _spans(changes, [_by_token(frame, side, places[side]) for side in (GOOD, BAD)])
    slots = [(column.leaf.path, n, column.domain.shown) for n, column in enumerate(frame.columns)]
    used = [(column.domain.forms(), n) for n, column in enumerate(frame.columns)]
    edit = "+".join(edit_kinds(changes))
    return Printer(frame, (sides[0], sides[1]), spans, edit, slots, used, network.style.capital)


def _by_token(frame: Frame, side: int, places: list[int]) -> list[list[int]]:
    """The pieces that each item of the line as written has in this frame."""
    found = []
    start = 0
    for size in frame.sizes[side]:
        found.append(places[start : start + size])
        start += size
    return found


def _pieces(
    line: list[Item], style: Style, frame: Frame, position: dict[Leaf, int]
) -> tuple[list[tuple[list[str], int]], list[int]]:
    pieces: list[tuple[list[str], int]] = []
    index = []
    for item in line:
        literal = item if isinstance(item, str) else None
        if pieces and (joiner := style.joiner(literal)):
            pieces.append(([joiner], -1))
        index.append(len(pieces))
        if isinstance(item, str):
            pieces.append(([item], -1))
        else:
            at = position[item[0]]
            pieces.append((frame.columns[at].domain.texts[item[1]], at))
    return pieces, index


def _spans(changes: list[Change], places: list[list[list[int]]]) -> list[tuple[int, int, int, str, str]]:
    """Neighbouring items of one slot with one kind of change are one region."""
    spans: list[tuple[int, int, int, str, str]] = []
    last: tuple[int, int] | None = None
    for change in changes:
        pieces = places[change.side][change.item]
        if spans and last == (change.side, change.item - 1) and spans[-1][3:] == (change.slot, change.kind):
            side, first, _, slot, kind = spans[-1]
            spans[-1] = (side, first, pieces[-1], slot, kind)
        else:
            spans.append((change.side, pieces[0], pieces[-1], change.slot, change.kind))
        last = (change.side, change.item)
    return spans
