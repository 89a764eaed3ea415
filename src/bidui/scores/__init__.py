"""Scores: the token-score table, runs that resume, linking functions, and the choices they make."""

from bidui.models.specs import load_model
from bidui.models.tokens import Model
from bidui.pairs import Pairs
from bidui.scores.choices import Choices, choose
from bidui.scores.links import Link, Totals, log_norm_lp, lp, mean_lp, morcela, pen_lp, slln_lp, slor
from bidui.scores.run import score_pairs
from bidui.scores.table import ScoreTable

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


def score(pairs: Pairs, model: str | Model, *, device: str = "cpu", dtype: str = "float32") -> ScoreTable:
    """The token scores of pairs by a model, or by the one a spec names (`hf:FOLDER`); see `bidui score`."""
    return score_pairs(pairs, load_model(model, device=device, dtype=dtype) if isinstance(model, str) else model)
