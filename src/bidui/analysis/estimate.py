"""Estimates from the choices of models: averages over paradigms, and intervals by resampling pairs or clusters.

A value with an interval is an `Estimate`, from `bidui.intervals`, which has those by formula. `Strata` are the
paradigms that averages and resamples are made of; `Summary` and `Box` describe a list of values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.errors import fail
from bidui.intervals import LEAST
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

# Checks of numbers given for analysis: finite, and enough of them.


def finite(values: Sequence[float] | Floats, *, at_least: int = 1) -> Floats:
    """Return the values as an array; refuse too few of them, and NaN or infinity."""
    array = np.asarray(values, np.float64)
    if len(array) < at_least:
        raise fail("too-few-values", None, {"count": len(array), "needed": at_least})
    if not np.isfinite(array).all():
        number = int(np.flatnonzero(~np.isfinite(array))[0])
        raise fail("value-not-finite", None, {"number": number + 1, "value": float(array[number])})
    return array


def check_accuracies(values: Floats) -> None:
    """Refuse values that are not shares."""
    if wrong := values[~((values >= 0) & (values <= 1))].tolist():
        raise fail("not-an-accuracy", None, {"value": f"{wrong[0]:g}", "count": len(wrong)})


def paired(
    first: Sequence[float] | Floats, second: Sequence[float] | Floats, *, at_least: int = 1
) -> tuple[Floats, Floats]:
    """Return two lists of values as arrays; the n-th of one belongs to the n-th of the other."""
    left, right = finite(first, at_least=at_least), finite(second, at_least=at_least)
    if len(left) != len(right):
        raise fail("not-in-twos", None, {"first": len(left), "second": len(right)})
    return left, right


# Strata: the paradigms of scored pairs, and the averages over their sums.
#
# Every average is computed here, from real sums and from resampled ones alike, so the two cannot differ in meaning.

Average = Literal["overall", "macro_paradigm", "macro_phenomenon"]
Level = Literal["paradigm", "phenomenon", "overall", "macro_paradigm", "macro_phenomenon"]

NAMES: dict[Level, str] = {"overall": "all"}
PARTS: dict[Level, Level] = {"macro_paradigm": "paradigm", "macro_phenomenon": "phenomenon"}


@dataclass(frozen=True, slots=True)
class Strata:
    """The paradigm and phenomenon of each stratum, its size in pairs, and the stratum of each pair.

    Strata are in the order of their first pairs.
    """

    uids: tuple[str, ...]
    phenomena: tuple[str, ...]
    sizes: Floats
    codes: NDArray[np.intp]

    def sums(self, values: Floats) -> Floats:
        """Add up one value per pair over each stratum."""
        summed: Floats = np.bincount(self.codes, values, len(self.sizes)).astype(np.float64)
        return summed

    def totals(self, sums: Floats, *, by: Level) -> dict[str, Floats]:
        """Add up the sums of each paradigm or phenomenon, or of all; the last axis is that of the strata."""
        if by not in ("paradigm", "phenomenon"):
            return {NAMES.get(by, by): sums.sum(-1)}
        names = np.array(self.uids if by == "paradigm" else self.phenomena, object)
        return {name: sums[..., names == name].sum(-1) for name in dict.fromkeys(names.tolist())}

    def means(self, sums: Floats, *, by: Level) -> dict[str, Floats]:
        """Return the mean over the pairs of each paradigm or phenomenon, or one average.

        `overall` is over pairs (micro): paradigms with more pairs, and phenomena with more paradigms, weigh more.
        `macro_paradigm` is the mean of the paradigms' means, `macro_phenomenon` that of the phenomena's.
        """
        parts = PARTS.get(by, by)
        sizes = self.totals(self.sizes, by=parts)
        by_part = {name: total / sizes[name] for name, total in self.totals(sums, by=parts).items()}
        return by_part if parts == by else {by: np.mean(list(by_part.values()), axis=0)}


def stratify(choices: Choices) -> Strata:
    """Return the strata of scored pairs; a paradigm that is in two phenomena makes two."""
    if not len(choices.uids):
        raise fail("no-choices")
    # pairs come in runs of one paradigm, so a few hundred names are looked up instead of all
    new = (choices.uids[1:] != choices.uids[:-1]) | (choices.phenomena[1:] != choices.phenomena[:-1])
    starts = np.concatenate([[0], np.flatnonzero(new) + 1])
    keys = list(zip(choices.uids[starts].tolist(), choices.phenomena[starts].tolist(), strict=True))
    order = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.repeat([order[key] for key in keys], np.diff(starts, append=len(choices.uids)))
    uids, phenomena = zip(*order, strict=True)
    return Strata(uids, phenomena, np.bincount(codes).astype(np.float64), codes)


# The bootstrap over pairs: pairs are drawn again within each paradigm, the same ones for every model.
#
# Drawing pairs with replacement is the same as drawing how often each pattern of worths occurs (which models are
# right, wrong or tied). A paradigm has few patterns, so this draws counts of patterns instead of pairs: the
# distribution is the same, and thousands of times fewer numbers are drawn than with `scipy.stats.bootstrap`.

DIGITS = 3  # what a choice can be worth: zero, one half, one


def resampled_sums(worths: Floats, strata: Strata, *, resamples: int, seed: int) -> Floats:
    """Return the sums of worth by resample, model and stratum; `worths` has one row per pair, one column per model."""
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, worths.shape[1], len(strata.sizes)))
    # One number per pair, equal where stratum and worths are equal, in the order of strata and worths: numbers sort
    # many times faster than rows. A worth is a digit: 0, 1 or 2 halves.
    halves = (2 * worths).astype(np.int64)
    assert (halves == 2 * worths).all() and halves.min() >= 0 and halves.max() < DIGITS, "worths are 0, a half or 1"
    numbers, most = strata.codes.astype(np.int64), len(strata.sizes)
    for digits in halves.T:
        if most > np.iinfo(np.int64).max // DIGITS:  # those that occur are few: number them again
            distinct, numbers = np.unique(numbers, return_inverse=True)
            most = len(distinct)
        numbers, most = numbers * DIGITS + digits, most * DIGITS
    _, rows, counts = np.unique(numbers, return_index=True, return_counts=True)
    ends = np.searchsorted(strata.codes[rows], np.arange(1, len(strata.sizes)))
    by_stratum = zip(np.split(worths[rows], ends), np.split(counts, ends), strict=True)
    for stratum, (patterns, times) in enumerate(by_stratum):
        drawn = rng.multinomial(times.sum(), times / times.sum(), size=resamples)
        # not @, whose threads take longer to wake than these small products do
        sums[:, :, stratum] = np.einsum("rp,pm->rm", drawn.astype(np.float64), patterns)
    return sums


def two_sided_p(differences: Floats) -> float:
    """Return twice the share of resampled differences on the other side of zero; it fits the percentile interval.

    The real sample counts as one of the resamples, so p is never 0: the smallest is 2 / (resamples + 1).
    """
    below, above = int((differences <= 0).sum()), int((differences >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


# The bootstrap over clusters: items that belong together, such as the sentences of a pair, are drawn together.


def cluster_draws(clusters: NDArray[np.intp], *, resamples: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield the items of each resample; the n-th item belongs to the n-th cluster number.

    As many clusters as there are get drawn, with replacement. With `np.arange(n)` this is the plain bootstrap.
    """
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    _, member = np.unique(clusters, return_inverse=True)
    count, items = int(member.max()) + 1, np.arange(len(member))
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        yield np.repeat(items, times[member])


# Summaries: the numbers that describe a list of accuracies, and the box that shows them (SLING, Tables 11 and 12).
#
# Quartiles are those of R's `quantile` and `summary` (type 7: linear between order statistics), which numpy and
# matplotlib share. R's `boxplot` draws hinges instead, which differ slightly for most counts.

REACH = 1.5  # of a whisker, in heights of the box


@dataclass(frozen=True, slots=True)
class Summary:
    """Five numbers, the mean, and the standard deviation of a sample (n − 1; NaN for one value)."""

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
    """Describe one or more values."""
    array = finite(values)
    low, first, middle, third, high = (float(number) for number in np.quantile(array, [0, 0.25, 0.5, 0.75, 1]))
    return Summary(len(array), low, first, middle, third, high, float(array.mean()), deviation(array))


def deviation(values: Sequence[float] | Floats) -> float:
    """Return the standard deviation of a sample: R's `sd`, which SLING reports over phenomena."""
    array = finite(values)
    return float(array.std(ddof=1)) if len(array) > 1 else float("nan")


def box(values: Sequence[float] | Floats) -> Box:
    """Return what a box plot shows (SLING, Figures 6 and 7)."""
    array, summary = finite(values), summarise(values)
    reach = REACH * (summary.third_quartile - summary.first_quartile)
    inside = (array >= summary.first_quartile - reach) & (array <= summary.third_quartile + reach)
    outliers = tuple(sorted(float(value) for value in array[~inside]))
    return Box(summary, float(array[inside].min()), float(array[inside].max()), outliers)
