"""Values: numbers given for analysis, finite and enough of them, or refused."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.scores.choices import Choices
from bidui.scores.links import Floats


def finite(values: Sequence[float] | Floats, *, at_least: int = 1) -> Floats:
    """The values as an array; refused if there are too few, or one is NaN or infinite."""
    array = np.asarray(values, np.float64)
    if len(array) < at_least:
        raise fail("too-few-values", None, {"count": len(array), "needed": at_least})
    if not np.isfinite(array).all():
        number = int(np.flatnonzero(~np.isfinite(array))[0])
        raise fail("value-not-finite", None, {"number": number + 1, "value": float(array[number])})
    return array


def in_twos(
    first: Sequence[float] | Floats, second: Sequence[float] | Floats, *, at_least: int = 1
) -> tuple[Floats, Floats]:
    """Two lists of values, the n-th of one belonging to the n-th of the other."""
    left, right = finite(first, at_least=at_least), finite(second, at_least=at_least)
    if len(left) != len(right):
        raise fail("not-in-twos", None, {"first": len(left), "second": len(right)})
    return left, right


# Intervals of 95 per cent for proportions, by formula.

QUANTILE = 1.959963984540054  # of the normal distribution


def wilson(value: float, *, pairs: int) -> tuple[float, float]:
    """Wilson's score interval (1927) of a proportion of so many pairs."""
    square = QUANTILE * QUANTILE / pairs
    centre = (value + square / 2) / (1 + square)
    half = QUANTILE / (1 + square) * sqrt(value * (1 - value) / pairs + square / (4 * pairs))
    # at 0 and 1 the end of the interval is the value itself, which rounding would miss
    return max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))


def newcombe(
    value: float, other: float, *, within: tuple[float, float], other_within: tuple[float, float]
) -> tuple[float, float]:
    """The interval of value - other, two independent proportions, from their Wilson intervals (Newcombe 1998)."""
    difference = value - other
    low = difference - sqrt((value - within[0]) ** 2 + (other_within[1] - other) ** 2)
    high = difference + sqrt((within[1] - value) ** 2 + (other - other_within[0]) ** 2)
    return low, high


# Strata: the paradigms of scored pairs, and the averages that are made of their sums.
#
# Every average is made here, of real sums and of resampled ones alike, so that the two cannot differ in what they
# mean.

Average = Literal["overall", "macro_paradigm", "macro_phenomenon"]
Level = Literal["paradigm", "phenomenon", "overall", "macro_paradigm", "macro_phenomenon"]

NAMES: dict[Level, str] = {"overall": "all"}
PARTS: dict[Level, Level] = {"macro_paradigm": "paradigm", "macro_phenomenon": "phenomenon"}


@dataclass(frozen=True, slots=True)
class Strata:
    """The paradigm and phenomenon of each stratum, its pairs, and the stratum of each pair; by first appearance."""

    uids: tuple[str, ...]
    phenomena: tuple[str, ...]
    sizes: Floats
    codes: NDArray[np.intp]

    def sums(self, values: Floats) -> Floats:
        """The sum of one value a pair over each stratum."""
        summed: Floats = np.bincount(self.codes, values, len(self.sizes)).astype(np.float64)
        return summed


def stratify(choices: Choices) -> Strata:
    """The strata of scored pairs; a paradigm that is in two phenomena makes two."""
    if not len(choices.uids):
        raise fail("no-choices")
    # pairs come in runs of one paradigm, so that a few hundred names are looked up and not all
    new = (choices.uids[1:] != choices.uids[:-1]) | (choices.phenomena[1:] != choices.phenomena[:-1])
    starts = np.concatenate([[0], np.flatnonzero(new) + 1])
    keys = list(zip(choices.uids[starts].tolist(), choices.phenomena[starts].tolist(), strict=True))
    order = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.repeat([order[key] for key in keys], np.diff(starts, append=len(choices.uids)))
    uids, phenomena = zip(*order, strict=True)
    return Strata(uids, phenomena, np.bincount(codes).astype(np.float64), codes)


def totals(sums: Floats, strata: Strata, *, by: Level) -> dict[str, Floats]:
    """The sums of all pairs of each paradigm or phenomenon, or of all; the last axis is that of the strata."""
    if by not in ("paradigm", "phenomenon"):
        return {NAMES.get(by, by): sums.sum(-1)}
    names = np.array(strata.uids if by == "paradigm" else strata.phenomena, object)
    return {name: sums[..., names == name].sum(-1) for name in dict.fromkeys(names.tolist())}


def means(sums: Floats, strata: Strata, *, by: Level) -> dict[str, Floats]:
    """The mean over all pairs of each paradigm or phenomenon, or one average.

    `overall` is over pairs (micro): paradigms with more pairs, and phenomena with more paradigms, weigh more.
    `macro_paradigm` is the mean of the paradigms' means, `macro_phenomenon` of the phenomena's.
    """
    parts = PARTS.get(by, by)
    sizes = totals(strata.sizes, strata, by=parts)
    found = {name: total / sizes[name] for name, total in totals(sums, strata, by=parts).items()}
    return found if parts == by else {by: np.mean(list(found.values()), axis=0)}


# The bootstrap: pairs drawn anew within each paradigm, for every model the same ones.
#
# Drawing pairs with replacement is drawing how often each pattern of worths occurs (which models are right, wrong or
# tied), and a paradigm has few patterns; so counts of patterns are drawn, not pairs. The law is the same.

INTERVAL = (0.025, 0.975)  # percentiles, for 95 per cent
LEAST = 100  # resamples, below which the percentiles mean nothing
DIGITS = 3  # what a choice can be worth: nothing, a half, one


def resampled_sums(worths: Floats, strata: Strata, *, resamples: int, seed: int) -> Floats:
    """The sums of worth by resample, model and stratum, from a row a pair and a column a model."""
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, worths.shape[1], len(strata.sizes)))
    _, rows, counts = np.unique(_patterns(worths, strata), return_index=True, return_counts=True)
    ends = np.searchsorted(strata.codes[rows], np.arange(1, len(strata.sizes)))
    own = zip(np.split(worths[rows], ends), np.split(counts, ends), strict=True)
    for stratum, (patterns, times) in enumerate(own):
        drawn = rng.multinomial(times.sum(), times / times.sum(), size=resamples)
        # not @, whose threads take longer to wake than these small products do
        sums[:, :, stratum] = np.einsum("rp,pm->rm", drawn.astype(np.float64), patterns)
    return sums


def _patterns(worths: Floats, strata: Strata) -> NDArray[np.int64]:
    """A number a pair, the same where stratum and worths are, and in the order of strata and of worths.

    Numbers are sorted many times faster than rows are. A worth is a digit: 0, 1 or 2 halves.
    """
    halves = (2 * worths).astype(np.int64)
    assert (halves == 2 * worths).all() and halves.min() >= 0 and halves.max() < DIGITS, "worths are 0, a half or 1"
    found, most = strata.codes.astype(np.int64), len(strata.sizes)
    for digits in halves.T:
        if most > np.iinfo(np.int64).max // DIGITS:  # those that occur, numbered anew, are few
            known, found = np.unique(found, return_inverse=True)
            most = len(known)
        found, most = found * DIGITS + digits, most * DIGITS
    return found


def percentile_interval(draws: Floats) -> tuple[float, float]:
    """The 95 per cent in the middle of what was drawn."""
    low, high = np.quantile(draws, INTERVAL)
    return float(low), float(high)


def two_sided_p(differences: Floats) -> float:
    """How easily a resampled difference falls on the other side of zero, doubled; it fits the percentile interval.

    The real sample counts as one of the resamples, so that p is never 0: the smallest is 2 / (resamples + 1).
    """
    below, above = int((differences <= 0).sum()), int((differences >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


# The bootstrap over clusters: things that belong together, as the sentences of a pair, are drawn together.


def cluster_draws(clusters: NDArray[np.intp], *, resamples: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """The items of each resample: as many clusters as there are, drawn with replacement; the n-th item is in the n-th.

    Where every item is a cluster of its own (`np.arange(n)`), this is the plain bootstrap.
    """
    if resamples < LEAST:
        raise fail("too-few-resamples", Place(), {"resamples": resamples, "needed": LEAST})
    _, member = np.unique(clusters, return_inverse=True)
    count, items = int(member.max()) + 1, np.arange(len(member))
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        yield np.repeat(items, times[member])


# Summaries: the figures that describe a list of accuracies, and the box that draws them (SLING, Tables 11 and 12).
#
# Quartiles are those of R's `quantile` and `summary` (type 7: linear between order statistics), which numpy and
# matplotlib share. R's `boxplot` draws hinges instead, which differ a little for most counts.

REACH = 1.5  # of a whisker, in heights of the box


@dataclass(frozen=True, slots=True)
class Summary:
    """Five numbers, the mean, and the standard deviation of a sample (n - 1; NaN for one value)."""

    count: int
    minimum: float
    first_quartile: float
    median: float
    third_quartile: float
    maximum: float
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Box:
    """A box plot: whiskers end at the last values within 1.5 heights of the box; those beyond are outliers."""

    summary: Summary
    low_whisker: float
    high_whisker: float
    outliers: tuple[float, ...]


def summarise(values: Sequence[float] | Floats) -> Summary:
    """The descriptive statistics of one or more values."""
    array = finite(values)
    low, first, middle, third, high = (float(number) for number in np.quantile(array, [0, 0.25, 0.5, 0.75, 1]))
    return Summary(len(array), low, first, middle, third, high, float(array.mean()), deviation(array))


def deviation(values: Sequence[float] | Floats) -> float:
    """The standard deviation of a sample: the one that SLING gives over phenomena, and R's `sd`."""
    array = finite(values)
    return float(array.std(ddof=1)) if len(array) > 1 else float("nan")


def box(values: Sequence[float] | Floats) -> Box:
    """What a box plot draws (SLING, Figures 6 and 7)."""
    array, summary = finite(values), summarise(values)
    reach = REACH * (summary.third_quartile - summary.first_quartile)
    inside = (array >= summary.first_quartile - reach) & (array <= summary.third_quartile + reach)
    outliers = tuple(sorted(float(value) for value in array[~inside]))
    return Box(summary, float(array[inside].min()), float(array[inside].max()), outliers)
