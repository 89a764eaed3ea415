"""Regions: where in the sentences the difference between good and bad arises, at one checkpoint or at many.

Figure 6 of Liu et al. (first version, section 5.4) traces the difference in mean log-probability of a noun phrase and
of the verb phrase after it. Stretches come from `bidui.analysis.divisions`. A token belongs to the stretch that holds
its first character; blanks at its beginning do not count. Tokens that reach into another stretch are counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.divisions import REST, Divided
from bidui.analysis.intervals import QUANTILE
from bidui.errors import fail
from bidui.scores.links import Floats
from bidui.scores.table import ScoreTable

How = Literal["mean", "sum"]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RegionDifference:
    """Good less bad in one stretch of a paradigm, over its pairs: mean, standard deviation (n - 1), and counts.

    Of several paradigms pooled, `uid` is the name of their group.
    """

    uid: str
    region: str
    mean: float
    deviation: float
    pairs: int
    left_out: int  # pairs that have the stretch, but nothing to compare, or in which it could not be placed
    straddling: int  # tokens of the stretch that reach into another

    @property
    def half_width(self) -> float:
        """Of the normal interval of 95 per cent about the mean, as if pairs were independent; NaN for one pair."""
        return QUANTILE * self.deviation / sqrt(self.pairs) if self.pairs else nan


@dataclass(frozen=True, slots=True)
class RegionTrace:
    """The difference in one stretch of a paradigm at every checkpoint."""

    at: Floats
    mean: Floats
    deviation: Floats
    half_width: Floats  # of the interval about the mean
    pairs: Integers


def region_differences(table: ScoreTable, divided: Divided, *, how: How = "mean") -> tuple[RegionDifference, ...]:
    """The differences by paradigm and stretch, in the order in which they come.

    `mean` compares log-probabilities per token, as Figure 6 does, where both sides have a token in the stretch. `sum`
    compares their sums, and a side without one has the sum 0: the sums of all stretches of a pair add up to its
    difference in LP.
    """
    numbers = _numbers(table, divided)
    sums, tokens, straddling = _tallies(table, divided, numbers)
    scored = np.zeros(len(divided.pairs), np.bool_)
    scored[numbers] = True
    there = np.repeat(scored, np.diff(divided.bases))  # the stretches of pairs that are in the table
    both = (tokens > 0).all(axis=0) if how == "mean" else (tokens > 0).any(axis=0)
    used = there & both & ~divided.unplaced
    sides = sums / np.maximum(tokens, 1) if how == "mean" else sums
    differences = np.where(used, sides[0] - sides[1], 0.0)
    pairs, left_out = _by_group(divided, used), _by_group(divided, there & ~used)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = _by_group(divided, differences) / pairs
        squares = _by_group(divided, np.where(used, np.square(differences - mean[divided.groups]), 0.0))
        deviation = np.sqrt(squares / np.where(pairs > 1, pairs - 1, np.nan))
    crossing, held = _by_group(divided, straddling), _by_group(divided, tokens.sum(axis=0))
    counts = np.stack((pairs, left_out, crossing), axis=1).astype(np.int64).tolist()
    return tuple(
        RegionDifference(uid, name, float(mean[n]), float(deviation[n]), *counts[n])
        for n, (uid, name) in enumerate(divided.labels)
        if held[n] or (name != REST and pairs[n] + left_out[n])
    )


def pooled(differences: Iterable[RegionDifference], groups: Mapping[str, str]) -> tuple[RegionDifference, ...]:
    """The differences over all pairs of each group of paradigms, such as a phenomenon: `groups` has it by uid."""
    found: dict[tuple[str, str], list[RegionDifference]] = {}
    for one in differences:
        found.setdefault((groups[one.uid], one.region), []).append(one)
    return tuple(_pooled(group, region, parts) for (group, region), parts in found.items())


def _pooled(group: str, region: str, parts: Sequence[RegionDifference]) -> RegionDifference:
    known = [one for one in parts if one.pairs]
    pairs = sum(one.pairs for one in known)
    mean = sum(one.pairs * one.mean for one in known) / pairs if pairs else nan
    between = sum(one.pairs * (one.mean - mean) ** 2 for one in known)
    within = sum((one.pairs - 1) * one.deviation**2 for one in known if one.pairs > 1)
    deviation = sqrt((between + within) / (pairs - 1)) if pairs > 1 else nan
    lost, straddling = sum(one.left_out for one in parts), sum(one.straddling for one in parts)
    return RegionDifference(group, region, mean, deviation, pairs, lost, straddling)


def trace_regions(
    tables: Iterable[tuple[float, ScoreTable]],
    divided: Divided,
    *,
    how: How = "mean",
    groups: Mapping[str, str] | None = None,
) -> Mapping[tuple[str, str], RegionTrace]:
    """The differences by paradigm, or by group of them, and stretch at every checkpoint (steps or tokens, a table)."""
    traces: dict[tuple[str, str], list[tuple[float, RegionDifference]]] = {}
    for at, table in tables:
        differences = region_differences(table, divided, how=how)
        for found in pooled(differences, groups) if groups else differences:
            traces.setdefault((found.uid, found.region), []).append((at, found))
    return {
        key: RegionTrace(
            np.array([at for at, _ in trace], np.float64),
            np.array([found.mean for _, found in trace], np.float64),
            np.array([found.deviation for _, found in trace], np.float64),
            np.array([found.half_width for _, found in trace], np.float64),
            np.array([found.pairs for _, found in trace], np.int64),
        )
        for key, trace in traces.items()
    }


def _by_group(divided: Divided, values: NDArray[Any]) -> Floats:
    """The sums over the stretches of one paradigm with one name."""
    return np.bincount(divided.groups, weights=values, minlength=len(divided.labels)).astype(np.float64)


def _numbers(table: ScoreTable, divided: Divided) -> Integers:
    """Which of the divided pairs each pair of the table is; one that is not among them, or there twice, is refused."""
    known = {(pair.uid, pair.pair_id, pair.good, pair.bad): n for n, pair in enumerate(divided.pairs)}
    first = table.frame.select("uid", "pair").gather_every(2)
    sentences = table.frame["sentence"].to_list()
    keys = zip(first["uid"].to_list(), first["pair"].to_list(), sentences[::2], sentences[1::2], strict=True)
    numbers = np.array([known.get(key, -1) for key in keys], np.int64)
    if strange := np.flatnonzero(numbers < 0).tolist():
        uid, pair = first.row(strange[0])
        raise fail("regions-other-pairs", None, {"count": len(strange), "uid": uid, "pair": pair})
    if again := len(numbers) - len(np.unique(numbers)):
        raise fail("regions-twice", None, {"count": again})
    return numbers


def _tallies(table: ScoreTable, divided: Divided, numbers: Integers) -> tuple[Floats, Integers, Integers]:
    """Of every stretch the sum and the number of its tokens, by side; and how many reach into another."""
    lists = table.frame.select("starts", "ends", "logprobs")
    counts = lists["starts"].list.len().to_numpy()
    starts, ends, logprobs = (lists[name].explode().drop_nulls().to_numpy() for name in lists.columns)
    rows = np.repeat(np.arange(len(counts)), counts)
    sentences = 2 * numbers[rows // 2] + rows % 2
    last = divided.offsets[sentences + 1] - 1  # the place after a sentence
    at = np.minimum(divided.offsets[sentences] + starts, last)
    end = np.clip(divided.offsets[sentences] + ends - 1, at, last)
    at = np.minimum(divided.visible[at], end)
    changes = np.cumsum(np.diff(divided.codes, prepend=0) != 0)
    entries = divided.bases[numbers[rows // 2]] + divided.codes[at]
    size = len(divided.groups)
    keys = entries + size * (rows % 2)
    sums = np.bincount(keys, weights=logprobs.astype(np.float64), minlength=2 * size).astype(np.float64)
    tokens = np.bincount(keys, minlength=2 * size).astype(np.int64)
    straddling = np.bincount(entries[changes[end] != changes[at]], minlength=size).astype(np.int64)
    return sums.reshape(2, size), tokens.reshape(2, size), straddling
