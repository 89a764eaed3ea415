"""Scores: the token-score table, runs that resume, linking functions, and the choices they make.

A name is imported when it is first used: training counts unigrams where there are no tables.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bidui.scores.choices import Choices, choose
    from bidui.scores.links import Link, Totals, log_norm_lp, lp, mean_lp, morcela, pen_lp, slln_lp, slor
    from bidui.scores.run import score
    from bidui.scores.table import Scores, ScoreTable, read_scores

_HOMES = {
    "bidui.scores.choices": "Choices choose",
    "bidui.scores.links": "Link Totals log_norm_lp lp mean_lp morcela pen_lp slln_lp slor",
    "bidui.scores.run": "score",
    "bidui.scores.table": "ScoreTable Scores read_scores",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Choices",
    "Link",
    "ScoreTable",
    "Scores",
    "Totals",
    "choose",
    "log_norm_lp",
    "lp",
    "mean_lp",
    "morcela",
    "pen_lp",
    "read_scores",
    "score",
    "slln_lp",
    "slor",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'bidui.scores' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
