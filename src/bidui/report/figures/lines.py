"""Lines in small multiples: one line a size or region, bands, fitted curves and values to compare with."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from bidui.errors import Place, fail
from bidui.report.figures.axes import log_axis, per_cent_axis
from bidui.report.figures.drawing import Line, Rows, check_lines, check_parts
from bidui.report.figures.labels import Label, label_ends
from bidui.report.figures.panels import Panels, label_room, make_panels
from bidui.report.figures.style import INK, SMALL, Look, Width, looks
from bidui.scores.links import Floats

MARKED = 15  # points: with more, marks run into each other
References = Mapping[str, Mapping[str, float]]
Lines = Mapping[str, Sequence[Line]]


def accuracy_panels(
    panels: Lines,
    *,
    references: References,
    fits: Lines,
    width: Width,
    x_label: str,
    y_label: str,
    x_text: Callable[[int], str],
) -> Panels:
    """Accuracy on a logarithmic axis, a panel a group; names stand at the end of each row.

    Values to compare with and fitted curves of other groups than those of the panels are passed over.
    """
    check_lines(panels, parts=True)
    check_x(panels)
    levels = [values[name] for values in references.values() for name in panels if name in values]
    check_parts(levels, what=", ".join(references))
    names = tuple(dict.fromkeys(line.name for lines in panels.values() for line in lines))
    fitted = tuple(dict.fromkeys(fit.name for name in panels for fit in fits.get(name, ()) if fit.name not in names))
    room, shown = label_room([*names, *fitted, *references], width=width)
    made = make_panels(tuple(panels), width=width, right=room, x_label=x_label, y_label=y_label)
    drawn = [line for lines in panels.values() for line in lines]
    heights = [100 * value for value in (*levels, *(value for line in drawn for value in reached(line)))]
    places = [x for line in drawn for x in line.x.tolist()]
    look = looks(names)
    ends: dict[str, list[Label]] = {}
    for name, lines in panels.items():
        axes = made.axes[name]
        per_cent_axis(axes, heights, which="y", inches=made.height)
        log_axis(axes, places, text=x_text, most=5 if len(panels) < 4 else 3)
        found = [draw_line(axes, line, look[line.name], shown[line.name], times=100) for line in lines]
        ends[name] = [end for end in found if end] + draw_fits(axes, fits.get(name, ()), look, shown)
        ends[name] += draw_references(axes, name, references, shown)
    label_rows(made, ends)
    return made


def label_rows(made: Panels, ends: Mapping[str, Sequence[Label]]) -> None:
    """Names beside the last panel of each row; a line that no such panel has is named in the first that has it."""
    for name in made.at_row_end:
        label_ends(made.axes[name], ends[name], size=SMALL, height=made.height)
    named = {end.text for name in made.at_row_end for end in ends[name]}
    for name, labels in ends.items():
        for end in (label for label in labels if label.text not in named):
            axes, point = made.axes[name], (end.x, end.y)
            axes.annotate(end.text, point, (0, 3), textcoords="offset points", fontsize=SMALL, color=end.colour)
            named.add(end.text)


def draw_fits(axes: Axes, fits: Sequence[Line], look: Mapping[str, Look], shown: Mapping[str, str]) -> list[Label]:
    """Fitted curves, thin, in the colour of the line they are named after; another name has ink, and is written."""
    found = []
    for fit in fits:
        own = fit.name in look
        colour = look[fit.name].colour if own else INK
        axes.plot(fit.x, 100 * fit.y, color=colour, linewidth=0.5, alpha=0.7 if own else 1, zorder=2 if own else 3)
        if not own:
            found.append(Label(shown[fit.name], float(fit.x[-1]), 100 * float(fit.y[-1]), INK))
    return found


def draw_line(axes: Axes, line: Line, look: Look, shown: str, *, times: float = 1.0) -> Label | None:
    """One line with its band, and where its name belongs: at its last point, if it has any."""
    y = times * line.y
    marked = list(range(len(y))) if len(y) <= MARKED else alone(y)
    if line.low is not None and line.high is not None:
        axes.fill_between(line.x, times * line.low, times * line.high, color=look.colour, alpha=0.18, linewidth=0)
    axes.plot(
        line.x,
        y,
        color=look.colour,
        linestyle=look.dash,
        marker=look.mark,
        markevery=marked,
        markersize=2.4,
        markeredgewidth=0,
        linewidth=0.9,
        label=line.name,
    )
    known = np.flatnonzero(np.isfinite(y))
    return Label(shown, float(line.x[known[-1]]), float(y[known[-1]]), look.ink) if len(known) else None


def draw_references(axes: Axes, panel: str, references: References, shown: Mapping[str, str]) -> list[Label]:
    """Values to compare with, as level lines; the first is dotted, the next dashed."""
    found = []
    for number, (name, values) in enumerate(references.items()):
        level = 100 * values.get(panel, np.nan)
        if np.isfinite(level):
            dash = ("dotted", "dashed", "dashdot")[number % 3]
            axes.axhline(level, color=INK, linewidth=0.6, linestyle=dash, zorder=1)
            found.append(Label(shown[name], axes.get_xlim()[1], float(level), INK))
    return found


def alone(values: Floats) -> list[int]:
    """The points between gaps, which no line shows."""
    known = np.concatenate([[False], np.isfinite(values), [False]])
    return [int(number) for number in np.flatnonzero(known[1:-1] & ~known[:-2] & ~known[2:])]


def reached(line: Line) -> list[float]:
    """Every height that a line and its band come to."""
    return [*line.y.tolist(), *(value for end in (line.low, line.high) if end is not None for value in end.tolist())]


def check_x(panels: Lines) -> None:
    """Refuse a place that a logarithmic axis does not have."""
    for panel, lines in panels.items():
        for line in lines:
            if not (np.isfinite(line.x) & (line.x >= 0)).all():
                bad = line.x[~(np.isfinite(line.x) & (line.x >= 0))][0]
                raise fail("figure-x", Place(), {"panel": panel, "line": line.name, "value": f"{bad:g}"})


def rows_of(
    panels: Lines, *, head: tuple[str, str, str, str], references: References | None = None, fits: Lines | None = None
) -> Rows:
    """A row a point: the panel, the line, what it is (run, fit or reference), x, y and the ends of the band."""
    lines: list[tuple[str | int | float, ...]] = []
    for kind, drawn in (("run", panels), ("fit", fits or {})):
        for panel in panels:
            for line in drawn.get(panel, ()):
                ends = (np.full(len(line.x), np.nan) if end is None else end for end in (line.low, line.high))
                points = zip(*(values.tolist() for values in (line.x, line.y, *ends)), strict=True)
                lines += [(panel, line.name, kind, *point) for point in points]
    for name, values in (references or {}).items():
        known = [(panel, values[panel]) for panel in panels if panel in values]
        lines += [(panel, name, "reference", np.nan, value, np.nan, np.nan) for panel, value in known]
    return Rows((*head[:2], "kind", *head[2:], "low", "high"), tuple(lines))
