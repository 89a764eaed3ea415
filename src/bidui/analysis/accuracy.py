"""Accuracy: how often the good sentence of a pair is preferred, by pair, paradigm and phenomenon, and over all.

Over all there are three averages, by name: `overall` is over pairs (micro), `macro_paradigm` over the accuracies of
the paradigms, and `macro_phenomenon` over those of the phenomena.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bidui.analysis.estimate import (
    Level,
    cluster_draws,
    means,
    percentile_interval,
    resampled_sums,
    stratify,
    totals,
    wilson,
)
from bidui.errors import Place, fail
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

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


# Accuracy of kinds of paradigms: included and excluded (Liu et al., Table 8), local and hierarchical (Xiang et al.).
#
# A kind is whatever a mapping from uids says: `{p.uid: p.status for p in project.paradigms}`, or `CLIMP_KINDS`.

# Xiang et al. 2021 find models best at local selection (classifiers, verb complements) and worst at hierarchical
# structure and long dependencies (the ba construction, binding, filler-gap; section 5). Of the rest they say neither.
CLIMP_KINDS: Mapping[str, str] = {
    "classifier": "local",
    "classifier_adj": "local",
    "classifier_clause": "local",
    "verb_complement_direction": "local",
    "verb_complement_duration": "local",
    "verb_complement_frequency": "local",
    "verb_complement_res_adj": "local",
    "verb_complement_res_verb": "local",
    "ba_construction": "hierarchical",
    "binding_gender": "hierarchical",
    "filler_gap_dependency": "hierarchical",
    "anaphor_agreement_gender": "other",
    "coverb_instrument": "other",
    "coverb_with": "other",
    "head_final_clause": "other",
    "passive_formal": "other",
}


@dataclass(frozen=True, slots=True)
class KindAccuracy:
    """Accuracy over the pairs of a kind; and the mean of its paradigms, with what other such paradigms might give.

    `low` and `high` are of a bootstrap that draws paradigms. It is wide where there are few: of one it says nothing.
    """

    paradigms: int
    pairs: Accuracy
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class KindDifference:
    """The mean over the paradigms of one kind less that of another, with a bootstrap interval of 95 per cent."""

    value: float
    low: float
    high: float


def kind_accuracy(
    choices: Choices, kinds: Mapping[str, str], *, resamples: int = 2000, seed: int = 0
) -> Mapping[str, KindAccuracy]:
    """Accuracy of each kind of paradigm, in the order of the pairs."""
    means = _paradigm_means(choices, kinds)
    named = replace(choices, phenomena=np.array([kinds[uid] for uid in choices.uids.tolist()], object))
    over_pairs = accuracy(named, by="phenomenon")
    within = {kind: percentile_interval(_drawn_means(mine, resamples, seed)) for kind, mine in means.items()}
    return {
        kind: KindAccuracy(len(mine), over_pairs[kind], float(mine.mean()), *within[kind])
        for kind, mine in means.items()
    }


def kind_difference(
    choices: Choices, kinds: Mapping[str, str], *, first: str, second: str, resamples: int = 2000, seed: int = 0
) -> KindDifference:
    """How much better a model is at one kind of paradigm than at another."""
    means = _paradigm_means(choices, kinds)
    if missing := [kind for kind in (first, second) if kind not in means]:
        raise fail("kind-unknown", Place(), {"kinds": missing, "known": list(means)})
    # another seed for the other kind: with the same one, kinds of equal size would be drawn alike
    draws = _drawn_means(means[first], resamples, seed) - _drawn_means(means[second], resamples, seed + 1)
    return KindDifference(float(means[first].mean() - means[second].mean()), *percentile_interval(draws))


def _paradigm_means(choices: Choices, kinds: Mapping[str, str]) -> dict[str, Floats]:
    """The accuracies of the paradigms of each kind."""
    found = accuracy(choices, by="paradigm")
    if unknown := [uid for uid in found if uid not in kinds]:
        raise fail("paradigm-no-kind", Place(), {"uids": unknown})
    members: dict[str, list[float]] = {}
    for uid, figure in found.items():
        members.setdefault(kinds[uid], []).append(figure.value)
    return {kind: np.array(values) for kind, values in members.items()}


def _drawn_means(values: Floats, resamples: int, seed: int) -> Floats:
    draws = cluster_draws(np.arange(len(values)), resamples=resamples, seed=seed)
    return np.array([values[drawn].mean() for drawn in draws])
