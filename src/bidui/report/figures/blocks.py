"""Rows of a figure that has one for every group, with headings; a list longer than a page becomes two blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from bidui.report.figures.labels import shortened, widest
from bidui.report.figures.style import TALLEST, WIDTHS, Width

BETWEEN = 0.2  # inches between two blocks


@dataclass(frozen=True, slots=True)
class Row:
    """A group, or the heading of those that follow."""

    name: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Rows one below the other, and where their axes stand, after the names: inches from the left of the figure."""

    rows: tuple[Row, ...]
    left: float
    width: float
    names: Mapping[str, str]  # of groups, as they fit

    @property
    def groups(self) -> Mapping[str, int]:
        """The groups, and the number of each one's row."""
        return {row.name: number for number, row in enumerate(self.rows) if not row.heading}


def rows_under_headings(groups: Sequence[str], sections: Mapping[str, str]) -> tuple[Row, ...]:
    """The groups, section by section in the order in which these come first; one without a name has no heading."""
    found: dict[str, list[str]] = {}
    for group in groups:
        found.setdefault(sections.get(group, ""), []).append(group)
    rows: list[Row] = []
    for section, members in found.items():
        rows += [Row(section, heading=True)] * bool(section) + [Row(member) for member in members]
    return tuple(rows)


def make_blocks(
    rows: Sequence[Row], *, row: float, width: Width, size: float, right: float = 0.0, names: float = 0.42
) -> tuple[Block, ...]:
    """One block of rows `row` inches high, or two where one would be higher than a page.

    Names take what they need, up to the part `names` of the width of a block; `right` inches stay free beside it.
    """
    parts = [tuple(rows)]
    if width == "page" and len(rows) * row > TALLEST - 1:
        cut = break_at(rows)
        parts = [tuple(rows[:cut]), tuple(rows[cut:])]
    across = (WIDTHS[width] - (len(parts) - 1) * BETWEEN) / len(parts)
    shown = {one.name: shortened(one.name, size=size, width=names * across) for one in rows if not one.heading}
    room = widest(shown.values(), size=size) + 0.1
    return tuple(
        Block(part, number * (across + BETWEEN) + room, across - room - right, shown)
        for number, part in enumerate(parts)
    )


def name_rows(axes: Axes, names: Sequence[str], *, size: float, head: float = 0.0) -> None:
    """Rows 0, 1, … from the top with their names to the left, below a head of so many rows that stays free."""
    axes.set_ylim(len(names), -head)
    axes.set_yticks([number + 0.5 for number in range(len(names))], names)
    axes.tick_params(axis="y", length=0, labelsize=size)
    axes.spines["left"].set_visible(False)


def break_at(rows: Sequence[Row]) -> int:
    """Where the second block begins: at the heading nearest to the middle, or, without headings, in the middle."""
    middle = -(-len(rows) // 2)
    headings = [number for number, row in enumerate(rows) if row.heading and number]
    return min(headings, key=lambda number: abs(number - middle), default=middle)
