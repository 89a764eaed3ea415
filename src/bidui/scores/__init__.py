"""Scores: what a model gives every token of every pair, and which sentence it prefers.

In come pairs and a model. `run.score` scores the pairs, in memory or in a folder that resumes, and returns `Scores`,
whose `table` has one row per sentence with its tokens as lists. A linking function (`links`) turns the sums of a
sentence into one acceptability score; `choices.choose` compares the two scores of every pair and returns `Choices`,
from which analyses and reports are made. `unigrams` holds the token counts that SLOR and MORCELA need, `milestones` the
tables that training writes as it scores its checkpoints. Open `links.py` first, then `table.py`.

A name is imported when it is first used, because machines that train count unigrams without having polars.
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
