"""Analyses: pure functions over choices and answers."""

from bidui.analysis.accuracy import Accuracy, accuracy

__all__ = ["Accuracy", "accuracy"]
