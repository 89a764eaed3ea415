"""Figures for papers: functions from the values of analyses to a matplotlib figure and the rows it was drawn from.

Importing this imports matplotlib, so it is imported where figures are drawn and not before.
"""

from bidui.reports.figures.boxes import box_plots, frequencies
from bidui.reports.figures.dots import accuracy_by_phenomenon, human_gap, length_bias
from bidui.reports.figures.drawing import Drawing, Line, Rows, Saved, save_figure
from bidui.reports.figures.heatmap import accuracy_heatmap
from bidui.reports.figures.lines import AlphaSweep, alpha_sweep, learning_curves, region_differences, scaling
from bidui.reports.figures.style import Width

__all__ = [
    "AlphaSweep",
    "Drawing",
    "Line",
    "Rows",
    "Saved",
    "Width",
    "accuracy_by_phenomenon",
    "accuracy_heatmap",
    "alpha_sweep",
    "box_plots",
    "frequencies",
    "human_gap",
    "learning_curves",
    "length_bias",
    "region_differences",
    "save_figure",
    "scaling",
]
