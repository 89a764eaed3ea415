"""Accuracy: how often the good sentence of a pair is preferred, by pair, paradigm and phenomenon, and over all.

Over all there are three averages, by name: `overall` is over pairs (micro), `macro_paradigm` over the accuracies of
the paradigms, and `macro_phenomenon` over those of the phenomena.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bidui.analysis.bootstrap import percentile_interval, resampled_sums
from bidui.analysis.intervals import wilson
from bidui.analysis.strata import Level, means, stratify, totals
from bidui.errors import fail
from bidui.scores.choices import Choices

Interval = Literal["wilson", "bootstrap"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The part of pairs chosen right, ties counting one half, with an interval of 95 per cent."""

    value: float
    pairs: int
    ties: int
    low: float
    high: float
    interval: Interval = "wilson"


def accuracy(
    choices: Choices,
    *,
    by: Level | Literal["pair"] = "overall",
    interval: Interval | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Mapping[str, Accuracy]:
    """Accuracy of every pair, paradigm or phenomenon in the order of the pairs, or one average of all.

    A pair is named "uid/number", `overall` "all", and a macro average as its level. Intervals are Wilson's, or
    percentiles of a bootstrap over the pairs within each paradigm. A macro average is no proportion and has the
    bootstrap only; a single pair cannot be resampled and has Wilson's only.
    """
    only: Interval | None = "wilson" if by == "pair" else "bootstrap" if by.startswith("macro") else None
    kind: Interval = interval or only or "wilson"
    if only and kind != only:
        raise fail("interval-not-for", None, {"interval": kind, "level": by, "other": only})
    if by == "pair":
        return _by_pair(choices)
    strata, worth = stratify(choices), choices.worth
    values = means(strata.sums(worth), strata, by=by)
    pairs = totals(strata.sizes, strata, by=by)
    ties = totals(strata.sums((worth == 0.5).astype(np.float64)), strata, by=by)
    if kind == "wilson":
        within = {name: wilson(float(value), pairs=int(pairs[name])) for name, value in values.items()}
    else:
        drawn = resampled_sums(worth[:, None], strata, resamples=resamples, seed=seed)[:, 0]
        within = {name: percentile_interval(draws) for name, draws in means(drawn, strata, by=by).items()}
    return {
        name: Accuracy(float(value), int(pairs[name]), int(ties[name]), *within[name], kind)
        for name, value in values.items()
    }


def _by_pair(choices: Choices) -> dict[str, Accuracy]:
    rows = zip(choices.uids.tolist(), choices.pairs.tolist(), choices.worth.tolist(), strict=True)
    known = {worth: wilson(worth, pairs=1) for worth in (0.0, 0.5, 1.0)}
    return {f"{uid}/{pair}": Accuracy(worth, 1, int(worth == 0.5), *known[worth]) for uid, pair, worth in rows}
