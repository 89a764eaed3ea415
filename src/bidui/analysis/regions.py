"""Regions: where in the sentences the difference between good and bad arises, at one checkpoint or at many.

Figure 6 of Liu et al. (first version, section 5.4) traces the difference in mean log-probability of a noun phrase and
of the verb phrase after it. `divide` cuts sentences into stretches. A token belongs to the stretch that holds its first
character, ignoring leading spaces. Tokens that reach into another stretch are counted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import accumulate
from math import nan, sqrt
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bidui.errors import fail
from bidui.intervals import QUANTILE, Estimate
from bidui.pairs import Pair, Side
from bidui.scores.links import Floats
from bidui.scores.table import ScoreTable

# Divisions: sentences of pairs cut into named stretches, so that differences can be measured in each.
#
# A division is a function from a pair to the stretches of its two sentences; what no stretch covers is the `rest`.

REST = "rest"
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A named stretch of one sentence, in characters, half-open; one that could not be placed starts below 0."""

    side: Side
    start: int
    end: int
    name: str


Division = Callable[[Pair], Iterator[Stretch]]


@dataclass(frozen=True, slots=True)
class Stretches:
    """The stretches of pairs as arrays, made once for all checkpoints.

    Stretches are numbered within a pair, and 0 is the rest; those of the n-th pair are in `groups` and `unplaced` from
    `bases[n]` on. `codes` has the number at every character of every sentence, good and bad in turn, with one place
    after each for a token at its end; `offsets` says where sentences begin in it.
    """

    pairs: tuple[Pair, ...]
    labels: tuple[tuple[str, str], ...]  # paradigm and name; `groups` has indices into them
    bases: NDArray[np.int64]
    groups: NDArray[np.int64]
    unplaced: NDArray[np.bool_]
    codes: NDArray[np.int16]
    visible: NDArray[np.int64]  # for every place in `codes`, the first at or after it that is not a space
    offsets: NDArray[np.int64]


def by_slot(pair: Pair) -> Iterator[Stretch]:
    """Divide by slot: what the sides do not share, under the names of the slots (or words) that stand there."""
    return (Stretch(region.side, region.start, region.end, region.slot) for region in pair.regions)


def by_change(pair: Pair) -> Iterator[Stretch]:
    """Divide by change: `before` the first change, from there to the last (`changed`), and `after`.

    Before and after are the same words on both sides. For pairs without regions, which were not generated here, they
    are the longest common beginning and end of the two sentences.
    """
    before, after = _shared(pair)
    for side in SIDES:
        length = len(_sentence(pair, side))
        yield Stretch(side, 0, before, "before")
        yield Stretch(side, before, length - after, "changed")
        yield Stretch(side, length - after, length, "after")


def in_parts(parts: Mapping[str, Sequence[str]]) -> Division:
    """Divide into stretches of your own, each of several slots: `in_parts({"NP": ("det", "m", "任何", "person")})`.

    A slot or word that differs between the sides is where its regions are. Any other slot is searched by its form,
    which must occur exactly once in what the sides share; otherwise the pair is left out of that stretch and of the
    rest, and counted. A phrase means all its parts. A slot that a pair lacks, as in another variant, is skipped.
    """

    def stretches(pair: Pair) -> Iterator[Stretch]:
        for name, slots in parts.items():
            for slot in slots:
                for side in SIDES:
                    yield from _placed(pair, side, slot, name)

    return stretches


def check_slots(pairs: Iterable[Pair], parts: Mapping[str, Sequence[str]]) -> None:
    """Refuse regions with a slot or word that no pair has: what they measure would not be what their names say."""
    named: dict[str, None] = {}
    for path in dict.fromkeys(
        path for pair in pairs for path in (*(path for path, _ in pair.slots), *(r.slot for r in pair.regions))
    ):
        steps = path.split(".")
        named |= dict.fromkeys(".".join(steps[: end + 1]) for end in range(len(steps)))
    homes: dict[str, str] = {}
    for region, slots in parts.items():
        for slot in slots:
            if slot not in named:
                near = get_close_matches(slot, named)
                known = [*near, *(name for name in named if name not in near)]
                raise fail("region-slot", None, {"slot": slot, "region": region, "known": known})
            if homes.setdefault(slot, region) != region:
                raise fail("region-slot-twice", None, {"slot": slot, "first": homes[slot], "second": region})


def divide(pairs: Sequence[Pair], division: Division) -> Stretches:
    """Divide pairs into stretches; where two stretches of one sentence overlap, the later one counts."""
    lengths = [len(sentence) + 1 for pair in pairs for sentence in (pair.good, pair.bad)]
    offsets = [0, *accumulate(lengths)]
    codes = np.zeros(offsets[-1], np.int16)
    labels: dict[tuple[str, str], int] = {}
    bases, groups, unplaced = [0], [], []
    for number, pair in enumerate(pairs):
        numbers = {REST: 0}
        lost: set[int] = set()
        for stretch in division(pair):
            code = numbers.setdefault(stretch.name, len(numbers))
            sentence = 2 * number + (stretch.side == "bad")
            if stretch.start < 0:
                lost |= {code, 0}
            elif stretch.start <= stretch.end < lengths[sentence]:
                codes[offsets[sentence] + stretch.start : offsets[sentence] + stretch.end] = code
            else:
                values = {"uid": pair.uid, "pair": pair.pair_id, "name": stretch.name, "side": stretch.side}
                raise fail("stretch-outside", None, values)
        for name in (*list(numbers)[1:], REST):
            labels.setdefault((pair.uid, name), len(labels))
        groups += [labels[pair.uid, name] for name in numbers]
        unplaced += [code in lost for code in numbers.values()]
        bases.append(len(groups))
    text = "".join(f"{pair.good}|{pair.bad}|" for pair in pairs)
    places = np.array([len(text) if char.isspace() else at for at, char in enumerate(text)], np.int64)
    visible = np.minimum.accumulate(places[::-1])[::-1]
    ints = [np.array(numbers, np.int64) for numbers in (bases, groups, offsets)]
    return Stretches(
        tuple(pairs), tuple(labels), ints[0], ints[1], np.array(unplaced, np.bool_), codes, visible, ints[2]
    )


def _shared(pair: Pair) -> tuple[int, int]:
    """Return how many characters the sides share before the first change and after the last."""
    most = min(len(pair.good), len(pair.bad))
    if pair.regions:
        before = min(most, *(region.start for region in pair.regions))
        ends = (len(_sentence(pair, region.side)) - region.end for region in pair.regions)
        return before, min(most - before, *ends)
    before = _same(pair.good, pair.bad)
    return before, min(_same(pair.good[::-1], pair.bad[::-1]), most - before)


def _same(first: str, second: str) -> int:
    differing = (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differing, min(len(first), len(second)))


def _placed(pair: Pair, side: Side, slot: str, name: str) -> Iterator[Stretch]:
    regions = [region for region in pair.regions if _belongs(region.slot, slot)]
    if regions:
        yield from (Stretch(side, region.start, region.end, name) for region in regions if region.side == side)
        return
    shared = list(_sentence(pair, side))
    for region in pair.regions:
        if region.side == side:
            shared[region.start : region.end] = "\0" * (region.end - region.start)
    text = "".join(shared)
    for path, form in pair.slots:
        if form and _belongs(path, slot):
            start = text.find(form)
            once = start >= 0 and text.find(form, start + 1) < 0
            yield Stretch(side, start, start + len(form), name) if once else Stretch(side, -1, -1, name)


def _sentence(pair: Pair, side: Side) -> str:
    return pair.good if side == "good" else pair.bad


def _belongs(path: str, slot: str) -> bool:
    return path == slot or path.startswith(slot + ".")


How = Literal["mean", "sum"]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RegionDifference:
    """Good minus bad in one stretch of a paradigm, over its pairs: mean, standard deviation (n − 1), and counts.

    For several paradigms pooled, `uid` is the name of their group.
    """

    uid: str
    region: str
    mean: float
    deviation: float
    pairs: int
    left_out: int  # pairs that have the stretch but nothing to compare, or in which it could not be placed
    straddling: int  # tokens of the stretch that reach into another

    @property
    def estimate(self) -> Estimate:
        """The mean with a normal interval, as if pairs were independent; the ends are NaN for one pair."""
        half = QUANTILE * self.deviation / sqrt(self.pairs) if self.pairs else nan
        return Estimate(self.mean, self.mean - half, self.mean + half)


@dataclass(frozen=True, slots=True)
class RegionTrace:
    """The difference in one stretch of a paradigm at every checkpoint."""

    at: Floats
    mean: Floats
    low: Floats  # of the interval about the mean
    high: Floats


def region_differences(table: ScoreTable, stretches: Stretches, *, how: How = "mean") -> tuple[RegionDifference, ...]:
    """Return the differences by paradigm and stretch, in the order of the pairs.

    `mean` compares log-probabilities per token, as Figure 6 does, where both sides have a token in the stretch. `sum`
    compares their sums, and a side without a token has the sum 0: the sums of all stretches of a pair add up to its
    difference in LP.
    """
    numbers = _numbers(table, stretches)
    sums, tokens, straddling = _tallies(table, stretches, numbers)
    scored = np.zeros(len(stretches.pairs), np.bool_)
    scored[numbers] = True
    there = np.repeat(scored, np.diff(stretches.bases))  # the stretches of pairs that are in the table
    both = (tokens > 0).all(axis=0) if how == "mean" else (tokens > 0).any(axis=0)
    used = there & both & ~stretches.unplaced
    sides = sums / np.maximum(tokens, 1) if how == "mean" else sums
    differences = np.where(used, sides[0] - sides[1], 0.0)
    pairs, left_out = _by_group(stretches, used), _by_group(stretches, there & ~used)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = _by_group(stretches, differences) / pairs
        squares = _by_group(stretches, np.where(used, np.square(differences - mean[stretches.groups]), 0.0))
        deviation = np.sqrt(squares / np.where(pairs > 1, pairs - 1, np.nan))
    crossing, held = _by_group(stretches, straddling), _by_group(stretches, tokens.sum(axis=0))
    counts = np.stack((pairs, left_out, crossing), axis=1).astype(np.int64).tolist()
    return tuple(
        RegionDifference(uid, name, float(mean[n]), float(deviation[n]), *counts[n])
        for n, (uid, name) in enumerate(stretches.labels)
        if held[n] or (name != REST and pairs[n] + left_out[n])
    )


def pooled(differences: Iterable[RegionDifference], groups: Mapping[str, str]) -> tuple[RegionDifference, ...]:
    """Pool the differences over all pairs of each group of paradigms, such as a phenomenon; `groups` is by uid."""
    members: dict[tuple[str, str], list[RegionDifference]] = {}
    for one in differences:
        members.setdefault((groups[one.uid], one.region), []).append(one)
    return tuple(_pooled(group, region, parts) for (group, region), parts in members.items())


def _pooled(group: str, region: str, parts: Sequence[RegionDifference]) -> RegionDifference:
    compared = [part for part in parts if part.pairs]
    pairs = sum(part.pairs for part in compared)
    mean = sum(part.pairs * part.mean for part in compared) / pairs if pairs else nan
    between = sum(part.pairs * (part.mean - mean) ** 2 for part in compared)
    within = sum((part.pairs - 1) * part.deviation**2 for part in compared if part.pairs > 1)
    deviation = sqrt((between + within) / (pairs - 1)) if pairs > 1 else nan
    lost, straddling = sum(one.left_out for one in parts), sum(one.straddling for one in parts)
    return RegionDifference(group, region, mean, deviation, pairs, lost, straddling)


def trace_regions(
    tables: Iterable[tuple[float, ScoreTable]],
    stretches: Stretches,
    *,
    how: How = "mean",
    groups: Mapping[str, str] | None = None,
) -> Mapping[tuple[str, str], RegionTrace]:
    """Trace the differences by paradigm (or group) and stretch over checkpoints, each given with its table."""
    traces: dict[tuple[str, str], list[tuple[float, RegionDifference]]] = {}
    for place, table in tables:
        differences = region_differences(table, stretches, how=how)
        for one in pooled(differences, groups) if groups else differences:
            traces.setdefault((one.uid, one.region), []).append((place, one))
    by_key = {}
    for key, points in traces.items():
        rows = [(at, one.mean, *one.estimate.interval) for at, one in points]
        by_key[key] = RegionTrace(*np.array(rows, np.float64).T)
    return by_key


def _by_group(stretches: Stretches, values: NDArray[Any]) -> Floats:
    """Add up values over the stretches of one paradigm with one name."""
    return np.bincount(stretches.groups, weights=values, minlength=len(stretches.labels)).astype(np.float64)


def _numbers(table: ScoreTable, stretches: Stretches) -> Integers:
    """Return which of the divided pairs each pair of the table is; refuse unknown and repeated ones."""
    number_of = {(pair.uid, pair.pair_id, pair.good, pair.bad): n for n, pair in enumerate(stretches.pairs)}
    first = table.frame.select("uid", "pair").gather_every(2)
    sentences = table.frame["sentence"].to_list()
    keys = zip(first["uid"].to_list(), first["pair"].to_list(), sentences[::2], sentences[1::2], strict=True)
    numbers = np.array([number_of.get(key, -1) for key in keys], np.int64)
    if strange := np.flatnonzero(numbers < 0).tolist():
        uid, pair = first.row(strange[0])
        raise fail("regions-other-pairs", None, {"count": len(strange), "uid": uid, "pair": pair})
    if again := len(numbers) - len(np.unique(numbers)):
        raise fail("regions-twice", None, {"count": again})
    return numbers


def _tallies(table: ScoreTable, stretches: Stretches, numbers: Integers) -> tuple[Floats, Integers, Integers]:
    """Return the sum and the number of tokens of every stretch, by side; and how many reach into another."""
    lists = table.frame.select("starts", "ends", "logprobs")
    counts = lists["starts"].list.len().to_numpy()
    starts, ends, logprobs = (lists[name].explode().drop_nulls().to_numpy() for name in lists.columns)
    rows = np.repeat(np.arange(len(counts)), counts)
    sentences = 2 * numbers[rows // 2] + rows % 2
    last = stretches.offsets[sentences + 1] - 1  # the place after a sentence
    at = np.minimum(stretches.offsets[sentences] + starts, last)
    end = np.clip(stretches.offsets[sentences] + ends - 1, at, last)
    at = np.minimum(stretches.visible[at], end)
    changes = np.cumsum(np.diff(stretches.codes, prepend=0) != 0)
    entries = stretches.bases[numbers[rows // 2]] + stretches.codes[at]
    size = len(stretches.groups)
    keys = entries + size * (rows % 2)
    sums = np.bincount(keys, weights=logprobs.astype(np.float64), minlength=2 * size).astype(np.float64)
    tokens = np.bincount(keys, minlength=2 * size).astype(np.int64)
    straddling = np.bincount(entries[changes[end] != changes[at]], minlength=size).astype(np.int64)
    return sums.reshape(2, size), tokens.reshape(2, size), straddling
