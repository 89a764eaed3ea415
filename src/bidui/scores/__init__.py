"""Scores: the token-score table, runs that resume, linking functions, and the choices they make.

A name is imported when it is first used: training counts unigrams where there are no tables.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bidui.models.model import Model
    from bidui.pairs import Pairs
    from bidui.scores.choices import Choices, choose
    from bidui.scores.links import Link, Totals, log_norm_lp, lp, mean_lp, morcela, pen_lp, slln_lp, slor
    from bidui.scores.table import ScoreTable

_HOMES = {
    "bidui.scores.choices": "Choices choose",
    "bidui.scores.links": "Link Totals log_norm_lp lp mean_lp morcela pen_lp slln_lp slor",
    "bidui.scores.table": "ScoreTable",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Choices",
    "Link",
    "ScoreTable",
    "Totals",
    "choose",
    "log_norm_lp",
    "lp",
    "mean_lp",
    "morcela",
    "pen_lp",
    "score",
    "slln_lp",
    "slor",
]


def score(pairs: "Pairs", model: "str | Model", *, device: str = "cpu", dtype: str = "float32") -> "ScoreTable":
    """The token scores of pairs by a model, or by the one a spec names (`hf:FOLDER`); see `bidui score`."""
    from bidui.models.specs import load_model
    from bidui.scores.run import score_pairs

    return score_pairs(pairs, load_model(model, device=device, dtype=dtype) if isinstance(model, str) else model)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'bidui.scores' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
