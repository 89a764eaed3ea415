"""Figures for papers: functions that turn the values of analyses into a matplotlib figure and its rows.

Accuracies go in as shares; a `Drawing` comes out, which `save_figure` writes as SVG, PDF, PNG and CSV. Importing this
imports matplotlib, which takes half a second.

    dots, boxes, heatmap, lines, scatter    one function per figure
    layout                                  axes, labels, rows and panels, placed in inches
    style, drawing                          fonts and colours; the types that go in and come out, and saving
"""

from bidui.reports.figures.boxes import box_plots, frequencies
from bidui.reports.figures.dots import accuracy_by_phenomenon, human_gap, length_bias
from bidui.reports.figures.drawing import Drawing, Line, Rows, Saved, save_figure
from bidui.reports.figures.heatmap import accuracy_heatmap
from bidui.reports.figures.lines import (
    AlphaSweep,
    accuracy_by_size,
    alpha_sweep,
    learning_curves,
    region_differences,
    scaling,
)
from bidui.reports.figures.scatter import Scatter, rating_scatter
from bidui.reports.figures.style import MOST, Width

__all__ = [
    "MOST",
    "AlphaSweep",
    "Drawing",
    "Line",
    "Rows",
    "Saved",
    "Scatter",
    "Width",
    "accuracy_by_phenomenon",
    "accuracy_by_size",
    "accuracy_heatmap",
    "alpha_sweep",
    "box_plots",
    "frequencies",
    "human_gap",
    "learning_curves",
    "length_bias",
    "rating_scatter",
    "region_differences",
    "save_figure",
    "scaling",
]
