"""Accuracy: how often the good sentence of a pair is preferred, by pair, paradigm and phenomenon, and overall.

There are three averages: `overall` is over pairs (micro), `macro_paradigm` over the accuracies of the paradigms, and
`macro_phenomenon` over those of the phenomena.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np

from bidui.analysis.estimate import (
    FEWEST_PARADIGMS,
    Level,
    Strata,
    cluster_estimate,
    stratified_estimate,
    stratify,
)
from bidui.errors import fail
from bidui.intervals import Estimate, newcombe, wilson
from bidui.notebooks import to_pandas
from bidui.scores.choices import CROSS, Choices
from bidui.scores.links import Floats

if TYPE_CHECKING:
    import pandas
    import polars as pl

Interval = Literal["pairs", "paradigms"]  # allows for other pairs, or for other paradigms
ESTIMATES = {"pairs": stratified_estimate, "paradigms": cluster_estimate}
FOR: Mapping[Interval, str] = {"pairs": "for these paradigms", "paradigms": "for paradigms like these"}


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of pairs chosen right, ties counting one half, with an interval of 95%; its kind says what for."""

    estimate: Estimate
    pairs: int
    ties: int

    @property
    def value(self) -> float:
        """The share itself, from 0 to 1."""
        return self.estimate.value

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.estimate.low

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.estimate.high


@dataclass(frozen=True, slots=True, repr=False)
class Accuracies(Mapping[str, Accuracy]):
    """Accuracies by the names of pairs, paradigms, phenomena, values or averages; `.frame` has them as a table.

    The intervals of all rows are of one kind: `pairs`, for these paradigms, or `paradigms`, for paradigms like these.
    """

    by: str
    link: str
    rows: Mapping[str, Accuracy]
    interval: Interval = "pairs"

    def __getitem__(self, name: str) -> Accuracy:
        return self.rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def frame(self) -> "pl.DataFrame":
        """A polars data frame with one row per name: name, accuracy, low, high, pairs, ties."""
        import polars as pl

        rows = [(name, one.value, one.low, one.high, one.pairs, one.ties) for name, one in self.rows.items()]
        names = ["accuracy", "low", "high", "pairs", "ties"]
        first = f"{self.by}_" if self.by in names else self.by  # a column of one's own may have such a name
        return pl.DataFrame(rows, schema=[first, *names], orient="row")

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    @property
    def heading(self) -> str:
        """What the table shows, by which linking function, and what the intervals are for."""
        return f"accuracy by {self.by} ({self.link}), with 95% intervals {FOR[self.interval]}"

    def __repr__(self) -> str:
        return f"{self.heading}\n{self.frame}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.heading)}</p>{self.frame._repr_html_()}"


def accuracy(
    choices: Choices,
    *,
    by: str | Sequence[str] = "overall",
    interval: Interval | None = None,
) -> Accuracies:
    """Return the accuracy of every group of pairs, in the order of the pairs, or one average.

    `by` is `pair`, `paradigm`, `phenomenon`, `overall`, `macro_paradigm`, `macro_phenomenon`, or a column of the pairs:
    `variant`, or any further one of your own. Several are crossed: `by=["number", "distance"]` gives one accuracy for
    each combination of values, "singular × near". A pair is named "uid/number", `overall` "all", a macro average as
    its level, and pairs without a value "".

    Intervals are for these paradigms (`pairs`: other pairs of them might have been drawn) or for paradigms like these
    (`paradigms`: other paradigms might have been written, too; these are wider). The second needs six paradigms in
    every group, and is taken where there are as many, unless `interval` says otherwise.
    """
    by = by or "overall"
    if interval is not None and interval not in get_args(Interval):
        raise fail("interval-unknown", None, {"interval": interval, "known": list(get_args(Interval))})
    if not isinstance(by, str) or (by != "pair" and by not in get_args(Level)):
        names = (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
        groups = replace(choices, phenomena=choices.groups(*names))
        grouped = accuracy(groups, by="phenomenon", interval=interval)
        return replace(grouped, by=CROSS.join(names))
    if by == "pair":
        if interval == "paradigms":
            raise fail("interval-few-paradigms", None, {"fewest": FEWEST_PARADIGMS, "groups": ["uid/pair"]})
        each = zip(choices.uids.tolist(), choices.pairs.tolist(), choices.worth.tolist(), strict=True)
        by_worth = {v: Accuracy(wilson(v, pairs=1, kind="pairs"), 1, int(v == 0.5)) for v in (0.0, 0.5, 1.0)}
        single: dict[str, Accuracy] = {}
        for uid, pair, value in each:
            name, again = f"{uid}/{pair}", 2
            while name in single:  # a file may give several pairs one number
                name, again = f"{uid}/{pair} ({again})", again + 1
            single[name] = by_worth[value]
        return Accuracies(by, choices.link, single)
    strata, worth = stratify(choices), choices.worth
    level = cast(Level, by)
    weights = strata.weights(by=level)
    kind = common_kind(strata, weights, interval)
    sums, ties = strata.sums(worth), strata.sums((worth == 0.5).astype(np.float64))
    rows: dict[str, Accuracy] = {}
    for name, own in weights.items():
        inside = own > 0
        rows[name] = Accuracy(
            ESTIMATES[kind](sums, strata, own), int(strata.sizes[inside].sum()), int(ties[inside].sum())
        )
    return Accuracies(by, choices.link, rows, kind)


def common_kind(strata: Strata, weights: Mapping[str, Floats], wanted: Interval | None) -> Interval:
    """Return the kind of interval that every group can have; refuse one that was asked for and cannot be given."""
    few = [name for name, own in weights.items() if len(set(strata.clusters[own > 0].tolist())) < FEWEST_PARADIGMS]
    if wanted == "paradigms" and few:
        raise fail("interval-few-paradigms", None, {"fewest": FEWEST_PARADIGMS, "groups": few})
    return wanted or ("pairs" if few else "paradigms")


# Accuracy of kinds of paradigms: included and excluded (Liu et al., Table 8), local and hierarchical (Xiang et al.).
#
# A kind is whatever a mapping from uids says: `{p.uid: p.status for p in project.paradigms}`, or `CLIMP_KINDS`.

# Xiang et al. 2021 find models best at local selection (classifiers, verb complements) and worst at hierarchical
# structure and long dependencies (the ba construction, binding, filler-gap; section 5). Of the rest they say nothing.
CLIMP_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("classifier", "classifier_adj", "classifier_clause"), "local"),
    **dict.fromkeys((f"verb_complement_{kind}" for kind in ("direction", "duration", "frequency")), "local"),
    **dict.fromkeys(("verb_complement_res_adj", "verb_complement_res_verb"), "local"),
    **dict.fromkeys(("ba_construction", "binding_gender", "filler_gap_dependency"), "hierarchical"),
    **dict.fromkeys(("anaphor_agreement_gender", "coverb_instrument", "coverb_with"), "other"),
    **dict.fromkeys(("head_final_clause", "passive_formal"), "other"),
}


@dataclass(frozen=True, slots=True)
class KindAccuracy:
    """How many paradigms a kind has, and the mean of their accuracies.

    Where all kinds have six paradigms or more, intervals are for paradigms like these, otherwise for these paradigms.
    """

    paradigms: int
    mean: Estimate


def kind_accuracy(choices: Choices, kinds: Mapping[str, str]) -> Mapping[str, KindAccuracy]:
    """Return the accuracy of each kind of paradigm, in the order of the pairs."""
    strata, weights = _strata_of_kinds(choices, kinds)
    sums, estimate = strata.sums(choices.worth), ESTIMATES[common_kind(strata, weights, None)]
    return {kind: KindAccuracy(int((own > 0).sum()), estimate(sums, strata, own)) for kind, own in weights.items()}


def kind_difference(choices: Choices, kinds: Mapping[str, str], *, first: str, second: str) -> Estimate:
    """Return the mean over the paradigms of one kind minus that of another, with Newcombe's interval."""
    found = kind_accuracy(choices, kinds)
    if missing := [kind for kind in (first, second) if kind not in found]:
        raise fail("kind-unknown", None, {"kinds": missing, "known": list(found)})
    return newcombe(found[first].mean, found[second].mean)


def _strata_of_kinds(choices: Choices, kinds: Mapping[str, str]) -> tuple[Strata, dict[str, Floats]]:
    """Return the paradigms, and which of them each kind has."""
    strata = stratify(replace(choices, phenomena=choices.uids))
    if unknown := [uid for uid in strata.uids if uid not in kinds]:
        raise fail("paradigm-no-kind", None, {"uids": unknown})
    names = [kinds[uid] for uid in strata.uids]
    return strata, {kind: np.array([float(name == kind) for name in names]) for kind in dict.fromkeys(names)}
