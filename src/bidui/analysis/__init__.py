"""Analyses: what choices, token scores and training runs say about models.

Choices (`bidui.scores.choices`) and human judgements (`bidui.people`) flow in; plain values flow out, which
`bidui.reports` turns into tables and figures. Everything here is a pure function; what is random takes a seed. Every
value with an interval is an `Estimate`.

    accuracy      by pair, paradigm, phenomenon and kind       significance  tests, corrections, rankings, baselines
    length_bias   alpha, MORCELA, D=, D< and D>                people        gaps to humans, the people of a study
    curves        learning curves, U-shapes, dips              scaling       accuracy against data and FLOPs
    regions       where in a sentence the difference arises    ratings       correlations with graded ratings
    difficulty    paradigms by what models of all sizes do     frequencies   of words

Open `estimate` and `accuracy` first.
"""

from bidui.analysis.accuracy import Accuracies, Accuracy, accuracy

__all__ = ["Accuracies", "Accuracy", "accuracy"]
