"""Accuracy: how often the good sentence of a pair is preferred, by pair, paradigm and phenomenon, and overall.

There are three averages: `overall` is over pairs (micro), `macro_paradigm` over the accuracies of the paradigms, and
`macro_phenomenon` over those of the phenomena.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np

from bidui.analysis.estimate import Level, cluster_draws, resampled_sums, stratify
from bidui.errors import fail
from bidui.frames import to_pandas
from bidui.intervals import Estimate, percentile_estimate, wilson
from bidui.scores.choices import CROSS, Choices
from bidui.scores.links import Floats

if TYPE_CHECKING:
    import pandas
    import polars as pl

Interval = Literal["wilson", "bootstrap"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of pairs chosen right, ties counting one half, with an interval of 95%."""

    estimate: Estimate
    pairs: int
    ties: int
    interval: Interval = "wilson"

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
    """Accuracies by the names of pairs, paradigms, phenomena, values or averages; `.frame` has them as a table."""

    by: str
    link: str
    rows: Mapping[str, Accuracy]

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

    def __repr__(self) -> str:
        return f"accuracy by {self.by} ({self.link})\n{self.frame}"

    def _repr_html_(self) -> str:
        return f"<p>accuracy by {escape(self.by)} ({escape(self.link)})</p>{self.frame._repr_html_()}"


def accuracy(
    choices: Choices,
    *,
    by: str | Sequence[str] = "overall",
    interval: Interval | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Accuracies:
    """Return the accuracy of every group of pairs, in the order of the pairs, or one average.

    `by` is `pair`, `paradigm`, `phenomenon`, `overall`, `macro_paradigm`, `macro_phenomenon`, or a column of the pairs:
    `variant`, or any further one of your own. Several are crossed: `by=["number", "distance"]` gives one accuracy for
    each combination of values, "singular × near". A pair is named "uid/number", `overall` "all", a macro average as
    its level, and pairs without a value "". Intervals are Wilson's, or percentiles of a bootstrap over the pairs within
    each paradigm (and group). A macro average is not a proportion and has only the bootstrap; a single pair cannot be
    resampled and has only Wilson's.
    """
    by = by or "overall"
    if not isinstance(by, str) or (by != "pair" and by not in get_args(Level)):
        names = (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
        groups = replace(choices, phenomena=choices.groups(*names))
        grouped = accuracy(groups, by="phenomenon", interval=interval, resamples=resamples, seed=seed)
        return replace(grouped, by=CROSS.join(names))
    level = cast(Level, by)
    only: Interval | None = "wilson" if by == "pair" else "bootstrap" if by.startswith("macro") else None
    kind: Interval = interval or only or "wilson"
    if only and kind != only:
        raise fail("interval-not-for", None, {"interval": kind, "level": by, "other": only})
    if by == "pair":
        each = zip(choices.uids.tolist(), choices.pairs.tolist(), choices.worth.tolist(), strict=True)
        by_worth = {worth: Accuracy(wilson(worth, pairs=1), 1, int(worth == 0.5)) for worth in (0.0, 0.5, 1.0)}
        single: dict[str, Accuracy] = {}
        for uid, pair, value in each:
            name, again = f"{uid}/{pair}", 2
            while name in single:  # a file may give several pairs one number
                name, again = f"{uid}/{pair} ({again})", again + 1
            single[name] = by_worth[value]
        return Accuracies(by, choices.link, single)
    strata, worth = stratify(choices), choices.worth
    values = {name: float(value) for name, value in strata.means(strata.sums(worth), by=level).items()}
    pairs = strata.totals(strata.sizes, by=level)
    ties = strata.totals(strata.sums((worth == 0.5).astype(np.float64)), by=level)
    if kind == "wilson":
        estimates = {name: wilson(value, pairs=int(pairs[name])) for name, value in values.items()}
    else:
        drawn = resampled_sums(worth[:, None], strata, resamples=resamples, seed=seed)[:, 0]
        draws = strata.means(drawn, by=level)
        estimates = {name: percentile_estimate(value, draws[name]) for name, value in values.items()}
    rows = {name: Accuracy(estimates[name], int(pairs[name]), int(ties[name]), kind) for name in values}
    return Accuracies(by, choices.link, rows)


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

    The interval of the mean comes from a bootstrap that draws paradigms: what other paradigms of this kind might give.
    It is wide where there are few; for a single paradigm it has no width and says nothing.
    """

    paradigms: int
    mean: Estimate


def kind_accuracy(
    choices: Choices, kinds: Mapping[str, str], *, resamples: int = 2000, seed: int = 0
) -> Mapping[str, KindAccuracy]:
    """Return the accuracy of each kind of paradigm, in the order of the pairs."""
    return {
        kind: KindAccuracy(len(values), percentile_estimate(values.mean(), _mean_draws(values, resamples, seed)))
        for kind, values in _paradigms_by_kind(choices, kinds).items()
    }


def kind_difference(
    choices: Choices, kinds: Mapping[str, str], *, first: str, second: str, resamples: int = 2000, seed: int = 0
) -> Estimate:
    """Return the mean over the paradigms of one kind minus that of another, with a bootstrap interval."""
    members = _paradigms_by_kind(choices, kinds)
    if missing := [kind for kind in (first, second) if kind not in members]:
        raise fail("kind-unknown", None, {"kinds": missing, "known": list(members)})
    # another seed for the other kind: with the same one, kinds of equal size would be drawn alike
    draws = _mean_draws(members[first], resamples, seed) - _mean_draws(members[second], resamples, seed + 1)
    return percentile_estimate(members[first].mean() - members[second].mean(), draws)


def _paradigms_by_kind(choices: Choices, kinds: Mapping[str, str]) -> dict[str, Floats]:
    """Return the accuracies of the paradigms of each kind."""
    paradigms = accuracy(choices, by="paradigm")
    if unknown := [uid for uid in paradigms if uid not in kinds]:
        raise fail("paradigm-no-kind", None, {"uids": unknown})
    members: dict[str, list[float]] = {}
    for uid, one in paradigms.items():
        members.setdefault(kinds[uid], []).append(one.value)
    return {kind: np.array(values) for kind, values in members.items()}


def _mean_draws(values: Floats, resamples: int, seed: int) -> Floats:
    draws = cluster_draws(np.arange(len(values)), resamples=resamples, seed=seed)
    return np.array([values[drawn].mean() for drawn in draws])
