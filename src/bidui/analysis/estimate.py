"""Estimates from the choices of models: averages over paradigms, and their intervals, for these paradigms and others.

A value with an interval is an `Estimate`, from `bidui.intervals`. `Strata` are the paradigms that averages and
resamples are made of; `Summary` and `Box` describe a list of values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

from bidui.errors import fail
from bidui.intervals import LEAST, PERCENTILES, Estimate, wilson
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


@dataclass(frozen=True)  # without slots, to keep the clusters
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
        weights = self.weights(by=by)
        return {name: (sums * (own / self.sizes)).sum(-1) / own.sum() for name, own in weights.items()}

    def weights(self, *, by: Level) -> dict[str, Floats]:
        """Return what each stratum weighs in each of these means: of paradigms that do not belong to it, nothing."""
        if by == "overall":
            return {NAMES[by]: self.sizes}
        names = np.array(self.uids if PARTS.get(by, by) == "paradigm" else self.phenomena, object)
        inside = {name: np.where(names == name, self.sizes, 0.0) for name in dict.fromkeys(names.tolist())}
        if by not in PARTS:
            return inside
        return {by: np.sum([sizes / sizes.sum() for sizes in inside.values()], axis=0)}

    @cached_property
    def clusters(self) -> NDArray[np.intp]:
        """The number of the paradigm of each stratum: one that is in two phenomena has two strata."""
        return np.unique(np.array(self.uids), return_inverse=True)[1]


def stratify(choices: Choices) -> Strata:
    """Return the strata of scored pairs; a paradigm that is in two phenomena makes two."""
    if not len(choices.uids):
        raise fail("no-choices")
    starts = choices.starts  # a few hundred names are looked up instead of all
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


# Intervals of averages over paradigms. Each average is a weighted mean of the accuracies of paradigms.
#
# For these paradigms, only the pairs are drawn: the variances within paradigms add up, and Wilson's formula takes as
# many pairs as would give their sum. For one paradigm that is Wilson's interval itself.
#
# For paradigms like these, the paradigms are drawn, each with all its pairs. What counts is the variance between their
# accuracies, in which that of the pairs is contained; Wilson's formula takes it in the same way, with Student's t. All
# paradigms are drawn from the same kind, so they have one variance, whatever they weigh in the mean. A bootstrap that
# draws whole paradigms gives the same for a hundred of them, and is too narrow for ten.
#
# Accuracies pile up near 1 and have a long tail, so a few paradigms often lack the hard ones: their variance is then
# far too small, and varies more from sample to sample than that of a normal distribution. Student's t allows for this
# with fewer degrees of freedom. `bench/coverage.py` measures how often the intervals hold the truth.

FEWEST_PARADIGMS = 6  # with fewer, there is no telling what other paradigms would give
RESAMPLES = 2000


def stratified_estimate(worth: Floats, strata: Strata, weights: Floats) -> Estimate:
    """Return a weighted mean over strata, of which `worth` are the sums, with its interval for these paradigms."""
    share = weights / weights.sum()
    variance, smoothed = _pair_variance(worth, strata, share)
    return wilson(_mean(worth, strata, weights), pairs=smoothed * (1 - smoothed) / variance, kind="pairs")


def cluster_estimate(worth: Floats, strata: Strata, weights: Floats) -> Estimate:
    """Return a weighted mean over strata with its interval for paradigms like these."""
    share, kept = weights / weights.sum(), weights > 0
    within, smoothed = _pair_variance(worth, strata, share)
    _, member = np.unique(strata.clusters[kept], return_inverse=True)
    shares: Floats = np.bincount(member, share[kept]).astype(np.float64)
    accuracies = np.bincount(member, (share * worth / strata.sizes)[kept]) / shares
    # paradigms that are all alike, such as all without a mistake, are no more alike than their pairs can show
    variance = max(_paradigm_variance(accuracies, shares), within)
    freedom = beta_freedom(smoothed, variance / float(shares @ shares), paradigms=len(shares))
    quantile = float(student.ppf(PERCENTILES[1], freedom))
    pairs = smoothed * (1 - smoothed) / variance
    return wilson(_mean(worth, strata, weights), pairs=pairs, kind="paradigms", quantile=quantile)


def beta_freedom(mean: float, variance: float, *, paradigms: int) -> float:
    """Return the degrees of freedom of the variance of accuracies, which follow a beta distribution; at least one.

    The variance of n values varies by σ⁴ (2 / (n − 1) + κ / n), and has 2 / (2 / (n − 1) + κ / n) degrees of freedom
    (Satterthwaite 1946). The excess kurtosis κ of few values cannot be estimated from them, but the beta distribution
    with their mean and variance has one. For normal values, κ is 0 and n − 1 remains.
    """
    spread = mean * (1 - mean)
    both = max(spread / variance - 1, 0.0)  # the sum of the two parameters; 0 where all accuracies are 0 or 1
    tails = (1 - 4 * spread) * (both + 1) - spread * (both + 2)
    kurtosis = 6 * tails / (spread * (both + 2) * (both + 3))
    return max(1.0, 2 / (2 / (paradigms - 1) + kurtosis / paradigms))


def _mean(worth: Floats, strata: Strata, weights: Floats) -> float:
    """Return the weighted mean; in this order, whole numbers stay whole until the last division."""
    return float((worth * (weights / strata.sizes)).sum() / weights.sum())


def _pair_variance(worth: Floats, strata: Strata, share: Floats) -> tuple[float, float]:
    """Return the variance of a weighted mean that comes from the pairs, and that mean, both of smoothed accuracies.

    Half a success and half a failure are added: a paradigm without a mistake has made none yet.
    """
    smoothed = (worth + 0.5) / (strata.sizes + 1)
    variance = float((share**2 * smoothed * (1 - smoothed) / strata.sizes).sum())
    return variance, float((share * smoothed).sum())


# The bootstrap over paradigms, for what has no formula: paradigms are drawn with replacement, each with all its pairs.
#
# Percentiles of few draws are too narrow, by what Student's t and n - 1 correct elsewhere; so they are moved outwards
# (Hesterberg 2015, section 5.3).


def paradigm_draws(paradigms: int, *, resamples: int, seed: int) -> Floats:
    """Return how often each paradigm is drawn, in one row per resample; the same seed gives the same draws."""
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    drawn = np.random.default_rng(seed).integers(paradigms, size=(resamples, paradigms))
    drawn += paradigms * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * paradigms).reshape(resamples, paradigms).astype(np.float64)


def expanded_percentiles(paradigms: int) -> tuple[float, float]:
    """Return the percentiles between which the draws of so many paradigms hold 95%."""
    low = float(norm.cdf(sqrt(paradigms / (paradigms - 1)) * student.ppf(PERCENTILES[0], paradigms - 1)))
    return low, 1 - low


def expanded_p(p: float, paradigms: int) -> float:
    """Return the p that fits these percentiles, from twice the share of draws beyond zero."""
    z = float(norm.ppf(p / 2)) / sqrt(paradigms / (paradigms - 1))
    return min(1.0, 2 * float(student.cdf(z, paradigms - 1)))


# Several runs of one recipe: paradigms and runs are crossed, since every run has every paradigm.


def crossed_estimate(values: Floats, weights: Floats | None = None) -> Estimate:
    """Return the mean of accuracies, one row per run and one column per paradigm, for paradigms and runs like these.

    The variances of runs and of paradigms add up, and what is left over is counted once (the two-way layout with random
    effects; Cornfield and Tukey 1956), with Satterthwaite's degrees of freedom: resampling three runs would find too
    little. Wilson's formula takes their sum, as above. Without several runs and enough paradigms there is no interval.
    """
    share = np.ones(values.shape[1]) if weights is None else weights
    share = share / share.sum()
    value = float(values.mean(axis=0) @ share)
    if len(values) < 2 or values.shape[1] < FEWEST_PARADIGMS:
        return Estimate(value)
    of_paradigms, spread = _paradigm_variance(values.mean(axis=0), share), value * (1 - value)
    if not of_paradigms or spread <= 0:
        return Estimate(value, value, value, "runs")
    own = beta_freedom(value, of_paradigms / float(share @ share), paradigms=values.shape[1])
    variance, freedom = _sum_of([(of_paradigms, own), *_run_variances(values, share)])
    quantile = float(student.ppf(PERCENTILES[1], freedom))
    return wilson(value, pairs=spread / variance, kind="runs", quantile=quantile)


def crossed_difference(first: Floats, second: Floats, weights: Floats | None = None) -> Estimate:
    """Return the mean accuracy of some runs minus that of others, on the same paradigms (columns), in the same way.

    Where one side has a single run, nothing is known of other runs: the interval is for these runs and paradigms like
    these.
    """
    share = np.ones(first.shape[1]) if weights is None else weights
    share = share / share.sum()
    gaps = first.mean(axis=0) - second.mean(axis=0)
    if len(gaps) < FEWEST_PARADIGMS:
        return Estimate(float(gaps @ share))
    parts: list[tuple[float, float]] = [(_paradigm_variance(gaps, share), len(gaps) - 1)]
    several = len(first) > 1 and len(second) > 1
    for values in (first, second) if several else ():
        parts += _run_variances(values, share)
    variance, freedom = _sum_of(parts)
    value, half = float(gaps @ share), float(student.ppf(PERCENTILES[1], freedom)) * sqrt(variance)
    return Estimate(value, value - half, value + half, "runs" if several else "paradigms")


def _paradigm_variance(values: Floats, share: Floats) -> float:
    """Return the variance of a weighted mean of values that were drawn independently, in the same way."""
    return float(share @ share) * float(values.var(ddof=1))


def _run_variances(values: Floats, share: Floats) -> list[tuple[float, float]]:
    """Return the variance of a mean that comes from runs, less what each paradigm varies by itself: with freedoms."""
    runs, paradigms = values.shape
    by_run = values @ share
    left = values - values.mean(axis=0) - (by_run - by_run.mean())[:, None]
    of_runs = float(by_run.var(ddof=1)) / runs
    of_rest = float(share @ share) * float((left**2).sum()) / (paradigms - 1) / (runs - 1) / runs
    if of_runs <= of_rest:  # no sign that runs differ in more than single paradigms
        return []
    return [(of_runs, runs - 1), (-of_rest, (runs - 1) * (paradigms - 1))]


def _sum_of(variances: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Add up variances, each with its degrees of freedom: the sum, with those of Satterthwaite (1946)."""
    total = sum(variance for variance, _ in variances)
    if total <= 0:
        return 0.0, 1.0
    return total, total**2 / sum(variance**2 / freedom for variance, freedom in variances)


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
