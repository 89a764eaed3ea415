"""Figures for papers: functions from the values of analyses to a matplotlib figure and the rows it was drawn from.

Importing this imports matplotlib, so it is imported where figures are drawn and not before.
"""

from bidui.report.figures.bands import frequencies
from bidui.report.figures.boxes import box_plots
from bidui.report.figures.curves import learning_curves, scaling
from bidui.report.figures.dots import accuracy_by_phenomenon
from bidui.report.figures.drawing import Drawing, Line, Measured, Rows
from bidui.report.figures.gaps import human_gap
from bidui.report.figures.heatmap import accuracy_heatmap
from bidui.report.figures.regions import region_differences
from bidui.report.figures.save import Saved, save_figure
from bidui.report.figures.splits import length_bias
from bidui.report.figures.style import Width
from bidui.report.figures.sweeps import AlphaSweep, alpha_sweep

__all__ = [
    "AlphaSweep",
    "Drawing",
    "Line",
    "Measured",
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
