"""Lines in small multiples: scaling, learning curves, sweeps of alpha, and regions over training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from bidui.errors import Place, fail
from bidui.reports.figures import layout
from bidui.reports.figures.drawing import Drawing, Line, Rows, check_lines, check_parts
from bidui.reports.figures.layout import Label, Panels, word
from bidui.reports.figures.style import FAINT, INK, MARKS, RULE, SMALL, TINY, Look, darker, house_style, looks
from bidui.scores.links import Floats
from bidui.words import Language

ROW = 0.1  # inches of a name beside a panel
BESIDE, ASIDE = 3.0, 12.0  # points between the bars of one size, and at most between the first and the last
MARKED = 15  # points; with more, marks would run into each other
References = Mapping[str, Mapping[str, float]]
Lines = Mapping[str, Sequence[Line]]


def label_rows(made: Panels, ends: Mapping[str, Sequence[Label]]) -> None:
    """Write names beside the last panel of each row; a line missing there is named in the first panel that has it."""
    for name in made.at_row_end:
        layout.label_ends(made.axes[name], ends[name], size=SMALL, height=made.height)
    named = {end.text for name in made.at_row_end for end in ends[name]}
    for name, labels in ends.items():
        for end in (label for label in labels if label.text not in named):
            point = (end.x, end.y)
            layout.write_near(made.axes[name], end.text, point, (0, 3), size=SMALL, colour=end.colour, va="baseline")
            named.add(end.text)


def draw_fits(axes: Axes, fits: Sequence[Line], shown: Mapping[str, str]) -> list[Label]:
    """Draw fitted curves, thin and black; of several with the same name, the last one is labelled."""
    for fit in fits:
        axes.plot(fit.x, 100 * fit.y, color=INK, linewidth=0.5, zorder=3)
    named = {fit.name: fit for fit in fits}
    return [Label(shown[fit.name], float(fit.x[-1]), 100 * float(fit.y[-1]), INK) for fit in named.values()]


def draw_line(
    axes: Axes,
    line: Line,
    look: Look,
    shown: str,
    *,
    times: float = 1.0,
    width: float = 0.9,
    mark: float = 2.4,
    aside: float = 0.0,
) -> Label | None:
    """Draw one line with its band, and return where its name belongs: at its last point, if it has any.

    It may lie so many points `aside`, to the right of where it belongs.
    """
    y = times * line.y
    marked = list(range(len(y))) if len(y) <= MARKED else alone(y)
    if line.low is not None and line.high is not None:
        axes.fill_between(line.x, times * line.low, times * line.high, color=look.colour, alpha=0.18, linewidth=0)
    marks: dict[str, Any] = {"marker": look.mark, "markevery": marked, "markersize": mark, "markeredgewidth": 0}
    if aside:
        marks["transform"] = layout.moved(axes, aside)
    axes.plot(line.x, y, color=look.colour, linestyle=look.dash, linewidth=width, label=line.name, **marks)
    points = np.flatnonzero(np.isfinite(y))
    return Label(shown, float(line.x[points[-1]]), float(y[points[-1]]), look.ink) if len(points) else None


def draw_references(axes: Axes, panel: str, references: References, shown: Mapping[str, str]) -> list[Label]:
    """Draw values to compare with as horizontal lines; the first is dotted, the next dashed."""
    labels = []
    for number, (name, values) in enumerate(references.items()):
        level = 100 * values.get(panel, np.nan)
        if np.isfinite(level):
            dash = ("dotted", "dashed", "dashdot")[number % 3]
            axes.axhline(level, color=INK, linewidth=0.6, linestyle=dash, zorder=1)
            labels.append(Label(shown[name], axes.get_xlim()[1], float(level), INK))
    return labels


def alone(values: Floats) -> list[int]:
    """Return the points between gaps, which no line shows."""
    there = np.concatenate([[False], np.isfinite(values), [False]])
    return [int(number) for number in np.flatnonzero(there[1:-1] & ~there[:-2] & ~there[2:])]


def reached(line: Line) -> list[float]:
    """Return every height that a line and its band reach."""
    return [*line.y.tolist(), *(value for end in (line.low, line.high) if end is not None for value in end.tolist())]


def check_x(panels: Lines) -> None:
    """Refuse an x that a logarithmic axis cannot show."""
    for panel, lines in panels.items():
        for line in lines:
            if not (np.isfinite(line.x) & (line.x >= 0)).all():
                bad = line.x[~(np.isfinite(line.x) & (line.x >= 0))][0]
                raise fail("figure-x", Place(), {"panel": panel, "line": line.name, "value": f"{bad:g}"})


def rows_of(
    panels: Lines, *, head: tuple[str, str, str, str], references: References | None = None, fits: Lines | None = None
) -> Rows:
    """Return one row per point: panel, line, kind (run, fit or reference), x, y and the ends of the band."""
    lines: list[tuple[str | int | float, ...]] = []
    for kind, drawn in (("run", panels), ("fit", fits or {})):
        for panel in panels:
            for line in drawn.get(panel, ()):
                ends = (np.full(len(line.x), np.nan) if end is None else end for end in (line.low, line.high))
                points = zip(*(values.tolist() for values in (line.x, line.y, *ends)), strict=True)
                lines += [(panel, line.name, kind, *point) for point in points]
    for name, values in (references or {}).items():
        levels = [(panel, values[panel]) for panel in panels if panel in values]
        lines += [(panel, name, "reference", np.nan, level, np.nan, np.nan) for panel, level in levels]
    return Rows((*head[:2], "kind", *head[2:], "low", "high"), tuple(lines))


# Curves: accuracy against training FLOPs, or against the tokens seen, one panel per phenomenon.


def scaling(panels: Lines, *, references: References | None = None, language: Language = "en") -> Drawing:
    """Draw one line per model size, with FLOPs as x and accuracy as y (Liu et al., Figure 3).

    `references` are horizontal lines, by name and phenomenon.
    """
    return _against("flops", panels, references or {}, {}, language)


def learning_curves(
    panels: Lines, *, references: References | None = None, fits: Lines | None = None, language: Language = "en"
) -> Drawing:
    """Draw one line per model size, with tokens as x, the mean over seeds as y, and the deviation as a band.

    After Liu et al., Figure 4 (Figure 5 of the first version). Zero tokens, the model before training, are to the left
    of the logarithmic axis. References are as in `scaling`; fitted curves are lines of many points.
    """
    return _against("tokens", panels, references or {}, fits or {}, language)


def _against(
    x: Literal["flops", "tokens"], panels: Lines, references: References, fits: Lines, language: Language
) -> Drawing:
    """Draw accuracy on a logarithmic axis, one panel per group; names are at the end of each row.

    References and fitted curves of groups that have no panel are skipped.
    """
    check_lines(panels, parts=True)
    check_x(panels)
    levels = [values[name] for values in references.values() for name in panels if name in values]
    check_parts(levels, what=", ".join(references))
    drawn = [line for lines in panels.values() for line in lines]
    names = tuple(dict.fromkeys(line.name for line in drawn))
    fitted = tuple(dict.fromkeys(fit.name for name in panels for fit in fits.get(name, ())))
    heights = [100 * value for value in (*levels, *(value for line in drawn for value in reached(line)))]
    places = [place for line in drawn for place in line.x.tolist()]
    look = looks(names)
    ends: dict[str, list[Label]] = {}

    def text(power: int) -> str:
        return layout.power_of_ten(power) if x == "flops" else layout.short_number(10.0**power, language)

    with house_style():
        room, shown = layout.label_room([*names, *fitted, *references])
        x_label, y_label = word(x, language), word("accuracy", language)
        made = layout.make_panels(tuple(panels), width="page", right=room, x_label=x_label, y_label=y_label)
        for name, lines in panels.items():
            axes = made.axes[name]
            layout.per_cent_axis(axes, heights, which="y", inches=made.height)
            layout.log_axis(axes, places, text=text, most=5 if len(panels) < 4 else 3)
            labels = [draw_line(axes, line, look[line.name], shown[line.name], times=100) for line in lines]
            ends[name] = [label for label in labels if label] + draw_fits(axes, fits.get(name, ()), shown)
            ends[name] += draw_references(axes, name, references, shown)
        label_rows(made, ends)
    head = ("phenomenon", "size", x, "accuracy")
    return Drawing(made.figure, rows_of(panels, head=head, references=references, fits=fits))


# Sizes: accuracy against the number of parameters, one line per family (Liu et al., first version, Figures 2a, 3, 4).


def accuracy_by_size(
    panels: Lines,
    *,
    published: Sequence[Line] = (),
    bands: bool = False,
    kinds: Mapping[str, tuple[str, str]] | None = None,
    language: Language = "en",
) -> Drawing:
    """Draw one line per family, with parameters as x; the interval of a point is a bar, or all of them are `bands`.

    `published` lines are grey, in every panel. Where `kinds` gives the family and the benchmark of each line, lines of
    one family share their colour, and those on one benchmark their mark.
    """
    check_lines(panels, parts=True)
    check_x({**panels, "": published})
    drawn = [line for lines in panels.values() for line in lines]
    names = tuple(dict.fromkeys(line.name for line in drawn))
    heights = [100 * value for line in (*drawn, *published) for value in reached(line)]
    places = [place for line in (*drawn, *published) for place in line.x.tolist()]
    look = _kinds(kinds) if kinds else looks(names)
    grey = {line.name: Look(FAINT, MARKS[n % len(MARKS)], "-") for n, line in enumerate(published)}
    with house_style():
        room, shown = layout.label_room([*names, *grey])
        made = layout.make_panels(
            tuple(panels),
            width="page",
            right=room + 0.1,
            between=0.25,
            height=max(2.0, ROW * (len(names) + len(grey))) if len(panels) == 1 else None,
            x_label=word("parameters", language),
            y_label=word("accuracy", language),
        )
        for name, lines in panels.items():
            axes = made.axes[name]
            if len(panels) == 1:
                low, high = _room(heights)
                axes.set_ylim(low, high)
            else:
                layout.per_cent_axis(axes, heights, which="y", inches=made.height)
            layout.log_axis(axes, places, text=lambda power: layout.short_number(10.0**power, language))
            _name_sizes(axes, sorted(set(places)), width=made.width, language=language)
            ends = [_draw_size(axes, line, grey[line.name], shown[line.name]) for line in published]
            for line, aside in zip(lines, [0.0] * len(lines) if bands else _asides(lines), strict=True):
                ends.append(_draw_size(axes, line, look[line.name], shown[line.name], bands=bands, aside=aside))
            if name in made.at_row_end:
                layout.label_ends(axes, [end for end in ends if end], size=SMALL, height=made.height)
    rows = rows_of(panels, head=("group", "family", "parameters", "accuracy"))
    printed = rows_of({name: published for name in panels}, head=("group", "family", "parameters", "accuracy")).lines
    lines_of = tuple((panel, name, "published", *point) for panel, name, _, *point in printed)
    return Drawing(made.figure, Rows(rows.head, (*rows.lines, *lines_of)))


def _name_sizes(axes: Axes, sizes: Sequence[float], *, width: float, language: Language) -> None:
    """Write the sizes themselves below an axis that has room for all of them."""
    texts = [layout.short_number(float(f"{size:.3g}"), language) for size in sizes]
    wide = layout.widths_of(texts, size=SMALL)
    at = [
        width * float(place)
        for place in axes.transAxes.inverted().transform(axes.transData.transform([(size, 0.0) for size in sizes]))[
            :, 0
        ]
    ]
    gaps = (after - before for before, after in pairwise(at))
    if all(gap > (one + other) / 2 + 0.06 for gap, (one, other) in zip(gaps, pairwise(wide), strict=True)):
        axes.set_xticks(sizes, texts)
        axes.set_xticks([], minor=True)


def _kinds(kinds: Mapping[str, tuple[str, str]]) -> Mapping[str, Look]:
    """Return looks with one colour per family, and one mark and dash per benchmark."""
    families, benchmarks = (looks(kind[part] for kind in kinds.values()) for part in (0, 1))
    return {
        name: Look(families[family].colour, benchmarks[one].mark, benchmarks[one].dash)
        for name, (family, one) in kinds.items()
    }


def _room(heights: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis in percent that shows differences between models, not the way to chance."""
    there = [height for height in heights if np.isfinite(height)] or [50.0]
    room = max(1.0, (max(there) - min(there)) * 0.06)
    return max(-1.5, min(there) - room), min(102.0, max(there) + room)


def _asides(lines: Sequence[Line]) -> list[float]:
    """Return how many points each line is moved to the right, so that the bars of one size stand side by side."""
    sizes = [size for line in lines for size in line.x.tolist()]
    if len(set(sizes)) == len(sizes):
        return [0.0] * len(lines)
    step = min(BESIDE, ASIDE / (len(lines) - 1))
    return [step * (number - (len(lines) - 1) / 2) for number in range(len(lines))]


def _draw_size(
    axes: Axes, line: Line, look: Look, shown: str, *, bands: bool = False, aside: float = 0.0
) -> Label | None:
    """Draw one family and return its label with its mark; an interval that is not known is not drawn."""
    plain = Line(line.name, line.x, line.y)
    if line.low is not None and line.high is not None:
        if bands:
            plain = line
        else:
            look_of_bars: dict[str, Any] = {"color": look.colour, "linewidth": 0.6, "zorder": 2}
            axes.vlines(line.x, 100 * line.low, 100 * line.high, transform=layout.moved(axes, aside), **look_of_bars)
    width = 0.5 if look.colour == FAINT else 0.9
    label = draw_line(axes, plain, look, shown, times=100, width=width, mark=3.2, aside=aside)
    return replace(label, mark=look.mark, mark_colour=look.colour, colour=look.ink) if label else None


# Alpha sweeps: accuracy and delta-acc of SLLN-LP against alpha, from LP to mean LP (Liu et al., Figure 2).


@dataclass(frozen=True, slots=True)
class AlphaSweep:
    """Accuracy, as in the paper the mean of those on D< and D>, and delta-acc of a model at every alpha."""

    name: str
    alpha: Floats
    accuracy: Floats
    delta: Floats
    accuracy_deviation: Floats | None = None  # over models, of a mean
    delta_deviation: Floats | None = None


def _band(mean: Floats, deviation: Floats | None) -> tuple[Floats, Floats] | tuple[None, None]:
    return (None, None) if deviation is None else (mean - deviation, mean + deviation)


def alpha_sweep(sweeps: Sequence[AlphaSweep], *, language: Language = "en") -> Drawing:
    """Draw accuracy beside delta-acc, one line per model; rings mark the highest accuracy and the lowest delta-acc."""
    measures = {
        word("unequal", language): [
            Line(one.name, one.alpha, one.accuracy, *_band(one.accuracy, one.accuracy_deviation)) for one in sweeps
        ],
        word("delta", language): [
            Line(one.name, one.alpha, one.delta, *_band(one.delta, one.delta_deviation)) for one in sweeps
        ],
    }
    check_lines(measures, parts=True)
    names = tuple(sweep.name for sweep in sweeps)
    look = looks(names)
    with house_style():
        right, shown = layout.label_room(names)
        made = layout.make_panels(
            tuple(measures), width="page", right=right, between=right + 0.35, x_label=word("alpha", language)
        )
        for (name, lines), best in zip(measures.items(), (np.nanargmax, np.nanargmin), strict=True):
            axes = made.axes[name]
            heights = [100 * value for line in lines for value in reached(line) if np.isfinite(value)] or [0.0]
            room = (max(heights) - min(heights) or 1.0) * 0.08
            axes.set_ylim(min(heights) - room, max(heights) + room)
            axes.set_xlim(-0.03, 1.03)
            axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 = LP", "0.25", "0.5", "0.75", "1 = mean LP"])
            axes.tick_params(labelleft=True)
            ends = [draw_line(axes, line, look[line.name], shown[line.name], times=100) for line in lines]
            for line in (line for line in lines if np.isfinite(line.y).any()):
                x, y, colour = line.x[[best(line.y)]], line.y[[best(line.y)]], look[line.name].colour
                axes.plot(x, 100 * y, "o", markersize=6, markerfacecolor="none", markeredgecolor=colour, zorder=4)
            layout.label_ends(axes, [end for end in ends if end], size=SMALL, height=made.height)
    points: list[tuple[str | int | float, ...]] = []
    for sweep in sweeps:
        none = np.full(len(sweep.alpha), np.nan)  # of a single model
        spread = [none if one is None else one for one in (sweep.accuracy_deviation, sweep.delta_deviation)]
        columns = (values.tolist() for values in (sweep.alpha, sweep.accuracy, sweep.delta, *spread))
        points += [(sweep.name, *point) for point in zip(*columns, strict=True)]
    head = ("model", "alpha", "accuracy", "delta", "accuracy_deviation", "delta_deviation")
    return Drawing(made.figure, Rows(head, tuple(points)))


# Regions: how far the good sentence is ahead of the bad one in each part, over training (Liu et al. 2024, 5.4).


AXIS = 0.2  # inches of the numbers of a second axis


def region_differences(
    panels: Lines, *, accuracies: Mapping[str, Line] | None = None, language: Language = "en"
) -> Drawing:
    """Draw one panel per paradigm and one line per region, by steps: above zero, it favours the good sentence.

    `accuracies` by panel are grey, with an axis of their own on the right (Figure 6).
    """
    check_lines(panels, parts=False)
    check_x(panels)
    grey = {name: line for name, line in (accuracies or {}).items() if name in panels}
    check_parts((share for line in grey.values() for share in line.y.tolist()), what=", ".join(grey))
    names = tuple(dict.fromkeys(line.name for lines in panels.values() for line in lines))
    heights = np.array([0.0, *(value for lines in panels.values() for line in lines for value in reached(line))])
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    room = (high - low or 1.0) * 0.06
    percent, axis = word("accuracy", language), AXIS if grey else 0.0
    with house_style():
        right, shown = layout.label_room([*names, *([percent] if grey else [])])
        # regions differ from paradigm to paradigm, so they are named beside every panel
        made = layout.make_panels(
            tuple(panels),
            width="page",
            right=right + axis,
            between=right + axis + 0.05,
            x_label=word("steps", language),
            y_label=word("difference", language),
        )
        look = looks(names)
        places = [place for lines in panels.values() for line in lines for place in line.x.tolist()]
        for name, lines in panels.items():
            axes = made.axes[name]
            axes.set_ylim(low - room, high + room)
            axes.axhline(0, color=RULE, linewidth=0.6, zorder=0)
            layout.log_axis(axes, places, text=lambda power: layout.short_number(10.0**power, language), most=3)
            drawn = [draw_line(axes, line, look[line.name], shown[line.name]) for line in lines]
            if name in grey:
                drawn.append(_draw_accuracy(axes, grey[name], shown[percent]))
            ends = [end for end in drawn if end]
            layout.label_ends(axes, ends, size=SMALL, height=made.height, away=6 + 72 * axis)
    head = ("paradigm", "region", "steps", "difference")
    rows = rows_of(panels, head=head)
    lines_of = rows_of({name: [line] for name, line in grey.items()}, head=head).lines
    points = ((panel, "", "accuracy", *point) for panel, _, _, *point in lines_of)
    return Drawing(made.figure, Rows(rows.head, (*rows.lines, *points)))


def _draw_accuracy(axes: Axes, line: Line, shown: str) -> Label:
    """Draw an accuracy behind the lines of a panel, on an axis in percent of its own; its label is in the panel's."""
    second = axes.twinx()
    second.set_ylim(-3, 103)
    second.set_yticks([0, 50, 100])
    second.tick_params(axis="y", colors=FAINT, labelsize=TINY, length=1.5, pad=1.5)
    second.spines["right"].set(visible=True, color=FAINT, linewidth=0.5)
    second.plot(line.x, 100 * line.y, color=FAINT, linewidth=0.9, zorder=1)
    axes.set_zorder(second.get_zorder() + 1)
    axes.patch.set_visible(False)
    low, high = axes.get_ylim()
    share = (100 * float(line.y[-1]) + 3) / 106
    return Label(shown, float(line.x[-1]), low + share * (high - low), darker(FAINT))
