"""How often the intervals hold the truth, and how often the tests raise a false alarm, on data whose truth is known.

    python bench/coverage.py            prints the tables of docs/analysis.md; takes a few minutes
    python bench/coverage.py --quick    a tenth of the simulations

Paradigms have accuracies drawn from a beta distribution (mean 0.795 and a standard deviation of 0.25, as a small model
has on ZhoBLiMP, and less extreme ones), or from those that SLING prints for its models; pairs are right with that
probability. Everything is decided by a seed.
"""

import sys
from collections.abc import Callable

import numpy as np

from bidui.analysis.curves import LearningCurve, find_dip
from bidui.analysis.estimate import (
    Strata,
    cluster_estimate,
    crossed_difference,
    crossed_estimate,
    expanded_p,
    paradigm_draws,
    stratified_estimate,
    two_sided_p,
)
from bidui.analysis.ratings import correlation, fit_morcela_to_ratings
from bidui.analysis.scaling import fit_scaling
from bidui.analysis.significance import kendall_estimate, signed_rank
from bidui.errors import InputError
from bidui.people.ratings import Acceptability
from bidui.reports.published import columns, read_published
from bidui.scores.choices import PairTotals
from bidui.scores.links import Floats

MEAN = 0.795


def accuracies(rng: np.random.Generator, deviation: float, size: int, *, mean: float = MEAN) -> Floats:
    """Draw the accuracies of paradigms."""
    both = mean * (1 - mean) / deviation**2 - 1
    return np.asarray(rng.beta(mean * both, (1 - mean) * both, size))


def strata(paradigms: int, pairs: int) -> Strata:
    """Return paradigms of equal size."""
    names = tuple(map(str, range(paradigms)))
    return Strata(names, names, np.full(paradigms, float(pairs)), np.repeat(np.arange(paradigms), pairs))


def pair_coverage(paradigms: int, pairs: int, *, deviation: float, simulations: int, seed: int) -> float:
    """Return how often the interval for these paradigms holds the accuracy over all their pairs."""
    rng, made, held = np.random.default_rng(seed), strata(paradigms, pairs), 0
    for _ in range(simulations):
        shares = accuracies(rng, deviation, paradigms)
        one = stratified_estimate(rng.binomial(pairs, shares).astype(np.float64), made, made.sizes)
        held += one.low <= shares.mean() <= one.high
    return held / simulations


Draw = Callable[[np.random.Generator, int], Floats]  # the accuracies of so many paradigms


def paradigm_coverage(
    paradigms: int, pairs: int, draw: Draw, *, truth: float, weights: Floats | None = None, simulations: int, seed: int
) -> float:
    """Return how often the interval for paradigms like these holds the mean of all paradigms that could be drawn."""
    rng, made, held = np.random.default_rng(seed), strata(paradigms, pairs), 0
    for _ in range(simulations):
        right = rng.binomial(pairs, draw(rng, paradigms)).astype(np.float64)
        one = cluster_estimate(right, made, made.sizes if weights is None else weights)
        held += one.low <= truth <= one.high
    return held / simulations


def beta_coverage(
    paradigms: int,
    pairs: int = 300,
    *,
    deviation: float,
    mean: float = MEAN,
    weights: Floats | None = None,
    simulations: int,
) -> float:
    """Return the coverage for accuracies of a beta distribution."""

    def draw(rng: np.random.Generator, size: int) -> Floats:
        return accuracies(rng, deviation, size, mean=mean)

    return paradigm_coverage(paradigms, pairs, draw, truth=mean, weights=weights, simulations=simulations, seed=2)


def published_coverage(paradigms: int, *, simulations: int) -> list[float]:
    """Return the coverage for each model of SLING's Table 8, whose paradigms are the ones that can be drawn."""
    models = columns(read_published("sling-8"), link="mean_lp", level="paradigm")
    shares = []
    for cells in (cells for model, cells in models.items() if model != "human"):
        pool = np.array(list(cells.values())) / 100

        def draw(rng: np.random.Generator, size: int, pool: Floats = pool) -> Floats:
            return rng.choice(pool, size)

        share = paradigm_coverage(paradigms, 300, draw, truth=float(pool.mean()), simulations=simulations, seed=2)
        shares.append(share)
    return sorted(shares)


def run_coverage(
    paradigms: int, runs: int, *, deviation: float, of_runs: float, simulations: int, seed: int
) -> tuple[float, float]:
    """Return how often the intervals for paradigms and runs like these hold the mean, and a difference of recipes.

    A run moves all paradigms by a normal deviate of `of_runs`, and each one by a further one of up to 0.05: less where
    nearly all or nearly none of its pairs are right.
    """
    rng, held = np.random.default_rng(seed), np.zeros(2)

    def recipe(shares: Floats) -> Floats:
        own = rng.normal(0, 0.1, (runs, paradigms)) * np.sqrt(shares * (1 - shares))
        return np.asarray(np.clip(shares + rng.normal(0, of_runs, (runs, 1)) + own, 0, 1))

    for _ in range(simulations):
        shares = accuracies(rng, deviation, paradigms)
        first, second = recipe(shares), recipe(shares)
        mean, difference = crossed_estimate(first), crossed_difference(first, second)
        held += (mean.low <= MEAN <= mean.high, difference.low <= 0 <= difference.high)
    return float(held[0] / simulations), float(held[1] / simulations)


def false_differences(paradigms: int, pairs: int, *, noise: float, simulations: int, seed: int) -> tuple[float, float]:
    """Return how often two seeds of one recipe differ with p ≤ 0.05: paired bootstrap over paradigms, and Wilcoxon."""
    rng, found = np.random.default_rng(seed), np.zeros(2)
    draws = paradigm_draws(paradigms, resamples=2000, seed=seed) / paradigms
    for _ in range(simulations):
        shares = accuracies(rng, 0.25, paradigms) + rng.normal(0, noise, (2, paradigms))
        first, second = rng.binomial(pairs, np.clip(shares, 0, 1)) / pairs
        p = expanded_p(two_sided_p(np.einsum("rp,p->r", draws, first - second)), paradigms)
        found += (p <= 0.05, signed_rank(first, second, digits=9).p <= 0.05)
    return float(found[0] / simulations), float(found[1] / simulations)


def strays(rng: np.random.Generator, runs: int, checkpoints: int, *, noise: float, memory: float) -> Floats:
    """Draw the noise of training: neighbouring checkpoints stray together."""
    drawn = rng.standard_normal((runs, checkpoints))
    for now in range(1, checkpoints):
        drawn[:, now] = memory * drawn[:, now - 1] + np.sqrt(1 - memory**2) * drawn[:, now]
    return noise * drawn


def false_dips(course: Floats, *, runs: int, noise: float, memory: float, simulations: int, seed: int) -> float:
    """Return how often a dip is found, at p ≤ 0.05, in a curve that has none."""
    rng, at, found = np.random.default_rng(seed), np.geomspace(1e6, 1e8, len(course)), 0
    for number in range(simulations):
        rows = np.clip(course + strays(rng, runs, len(course), noise=noise, memory=memory), 0, 1)
        curves = [LearningCurve(str(run), at, row) for run, row in enumerate(rows)]
        found += find_dip(curves, seed=number, resamples=199).p <= 0.05
    return found / simulations


def fit_coverage(*, memory: float, simulations: int, seed: int) -> list[float]:
    """Return how often P∞, scale and β of a fitted learning curve are in their intervals; P0 is measured."""
    rng, n = np.random.default_rng(seed), np.geomspace(1e5, 8e7, 32)
    course, held, count = 0.8 - 0.3 * np.exp(-((n / 1e7) ** 0.8)), np.zeros(3), 0
    for _ in range(simulations):
        observed = np.clip(course + strays(rng, 1, 32, noise=0.01, memory=memory)[0], 0, 1)
        try:
            fit = fit_scaling(n, observed, start=0.5, series=True)
        except InputError:  # refused fits are not shown
            continue
        truths = ((fit.final, 0.8), (fit.scale, 1e7), (fit.beta, 0.8))
        held += [one.low <= truth <= one.high for one, truth in truths]
        count += 1
    return [float(share) for share in held / count]


def rating_coverage(paradigms: int, pairs: int, *, simulations: int, seed: int) -> list[float]:
    """Return how often correlations with ratings are in their intervals: over sentences, over pairs, as if independent.

    Scores and ratings are sums of normal parts that are correlated by 0.3: of the paradigm and of what it does to the
    good and the bad side (SD 0.7), of the pair (0.7), and of the sentence (1). Good sentences are 2 above bad ones in
    both. Sentences of one paradigm vary together, which the third figure, over sentences with pairs left out one by
    one, does not allow for. One paradigm has no parts of its own.
    """
    rng, share, of = np.random.default_rng(seed), 0.3, (0.7 if paradigms > 1 else 0.0)
    sides, held = np.array([1.0, -1.0]), np.zeros(3)

    def both(deviation: float, *shape: int) -> Floats:
        scores, other = rng.normal(0, deviation, (2, *shape))
        return np.stack([scores, share * scores + np.sqrt(1 - share**2) * other])

    truth = (1 + share * (2 * of**2 + 0.49 + 1)) / (1 + 2 * of**2 + 0.49 + 1)
    by_pair = np.arange(paradigms * pairs)
    by_paradigm = np.repeat(np.arange(paradigms), pairs) if paradigms > 1 else by_pair
    for _ in range(simulations):
        values = sides + both(of, paradigms, 1, 1) + both(of, paradigms, 1, 1) * sides
        values = values + both(0.7, paradigms, pairs, 1) + both(1, paradigms, pairs, 2)
        scores, ratings = values.reshape(2, -1)
        score_gaps, rating_gaps = (values[..., 0] - values[..., 1]).reshape(2, -1)
        estimates = (
            (correlation(scores, ratings, clusters=np.repeat(by_paradigm, 2)).estimate, truth),
            (correlation(score_gaps, rating_gaps, clusters=by_paradigm).estimate, share),
            (correlation(scores, ratings, clusters=np.repeat(by_pair, 2)).estimate, truth),
        )
        held += [one.low <= true <= one.high for one, true in estimates]
    return [float(part) for part in held / simulations]


def morcela_coverage(paradigms: int, pairs: int, *, simulations: int, seed: int) -> list[float]:
    """Return how often β and γ of MORCELA, fitted to ratings, are in their intervals.

    Ratings are the score with β 0.6 and γ 18, and noise, half of whose variance the sentences of a paradigm share.
    """
    rng, count, held = np.random.default_rng(seed), paradigms * pairs, np.zeros(2)
    uids = np.repeat(np.array([f"u{n}" for n in range(paradigms)], object), pairs)
    numbers = np.tile(np.arange(pairs, dtype=np.int32), paradigms)
    good, once = np.tile(np.array([True, False]), count), np.ones(2 * count, np.int64)
    for _ in range(simulations):
        lengths = rng.integers(5, 20, 2 * count).astype(np.float64)
        logprob, unigram = -rng.uniform(2, 6, 2 * count) * lengths, -rng.uniform(6, 9, 2 * count) * lengths
        noise = np.repeat(rng.normal(0, 1, paradigms), 2 * pairs) + rng.normal(0, 1, 2 * count)
        values = (logprob - 0.6 * unigram + 18) / lengths + noise
        rated = Acceptability(np.repeat(uids, 2), np.repeat(numbers, 2), good, values, once, (), 0, 0)
        fit = fit_morcela_to_ratings(PairTotals(uids, uids, numbers, logprob, {"tokens": lengths}, unigram), rated)
        held += (fit.beta.low <= 0.6 <= fit.beta.high, fit.gamma.low <= 18 <= fit.gamma.high)
    return [float(part) for part in held / simulations]


def tau_coverage(models: int, share: float, *, simulations: int, seed: int) -> float:
    """Return how often Kendall's tau of normal values that are correlated by `share` is in its interval."""
    rng, truth, held = np.random.default_rng(seed), 2 / np.pi * np.arcsin(share), 0
    for number in range(simulations):
        first, other = rng.normal(size=(2, models))
        one = kendall_estimate(first, share * first + np.sqrt(1 - share**2) * other, seed=number, resamples=400)
        held += one.low <= truth <= one.high
    return held / simulations


def phenomenon_weights(sizes: tuple[int, ...]) -> Floats:
    """Return what paradigms weigh in a mean over phenomena of these sizes."""
    return np.concatenate([np.full(size, 1 / size) for size in sizes])


PHENOMENA = {  # paradigms of each phenomenon
    "ZhoBLiMP": (2, 3, 3, 4, 4, 4, 5, 6, 7, 9, 11, 12, 13, 14, 21),
    "SLING": (1, 2, 2, 2, 3, 4, 5, 5, 6),
    "CLiMP": (1, 1, 1, 1, 1, 1, 2, 3, 5),
}


def main(scale: float) -> None:
    """Print all tables, in percent."""
    many, middle, some, few = (round(count * scale) for count in (4000, 2000, 600, 400))
    print("for these paradigms, 118 paradigms of 20, 50 and 300 pairs; one of 300:")
    sizes = [(118, 20), (118, 50), (118, 300), (1, 300)]
    print(*(f"{100 * pair_coverage(k, n, deviation=0.25, simulations=many, seed=1):.1f}" for k, n in sizes))
    print("for paradigms like these, by number; mean 0.795, deviation 0.10, 0.18, 0.25; mean 0.9, deviation 0.1, 0.18:")
    for k in (6, 8, 10, 15, 30, 118):
        shares = [beta_coverage(k, deviation=d, simulations=many) for d in (0.1, 0.18, 0.25)]
        shares += [beta_coverage(k, deviation=d, mean=0.9, simulations=many) for d in (0.1, 0.18)]
        print(k, *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("the same, 20 and 50 pairs each, deviation 0.25; paradigms of SLING: lowest, median, highest of 18 models")
    for k in (6, 10, 15, 30):
        shares = [beta_coverage(k, n, deviation=0.25, simulations=many) for n in (20, 50)]
        drawn = published_coverage(k, simulations=many)
        shares += [drawn[0], float(np.median(drawn)), drawn[-1]]
        print(k, *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("the same, as the mean over phenomena; deviation 0.10, 0.18, 0.25:")
    for name, phenomena in PHENOMENA.items():
        weights = phenomenon_weights(phenomena)
        shares = [
            beta_coverage(len(weights), deviation=d, weights=weights, simulations=many) for d in (0.1, 0.18, 0.25)
        ]
        print(name, *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("for paradigms and runs like these, deviation 0.25; run effects of 0, 0.5 and 2 points: mean, difference")
    for k in (6, 15, 118):
        for m in (2, 3, 5):
            both = [run_coverage(k, m, deviation=0.25, of_runs=s, simulations=many, seed=3) for s in (0, 0.005, 0.02)]
            print(k, "paradigms,", m, "runs", *(f"{100 * share:.1f}" for pair in both for share in pair), flush=True)
    print("correlations with ratings: over sentences, over pairs, over sentences as if pairs were independent")
    for k, n in ((118, 5), (30, 5), (15, 5), (10, 5), (6, 5), (1, 20), (1, 50), (1, 300)):
        shares = rating_coverage(k, n, simulations=middle if k < 118 and n < 300 else few, seed=7)
        print(k, "paradigms of", n, *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("β and γ of MORCELA, fitted to ratings")
    for k in (6, 15, 30, 118):
        shares = morcela_coverage(k, 5, simulations=few, seed=8)
        print(k, "paradigms of 5", *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("Kendall's tau between rankings; tau 0, 0.41 and 0.71")
    for k in (5, 6, 8, 10, 18, 50):
        shares = [tau_coverage(k, share, simulations=middle, seed=9) for share in (0, 0.6, 0.9)]
        print(k, "models", *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("two seeds of one recipe, p at most 0.05: bootstrap over paradigms, Wilcoxon")
    for k in (15, 118):
        shares = list(false_differences(k, 300, noise=0.06, simulations=many, seed=4))
        print(k, *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("false dips, 24 checkpoints, training noise of 2 and 4 points, correlation 0, 0.5 and 0.8:")
    courses = {"flat": np.full(24, 0.6), "drop, then flat": np.array([0.95] + [0.5] * 23)}
    courses["rising"] = 0.5 + 0.35 * (1 - np.exp(-((np.linspace(0, 1, 24) / 0.5) ** 2)))
    for name, course in courses.items():
        for runs in (1, 3):
            settings = [(noise, memory) for noise in (0.02, 0.04) for memory in (0.0, 0.5, 0.8)]
            shares = [false_dips(course, runs=runs, noise=s, memory=m, simulations=some, seed=5) for s, m in settings]
            print(name, runs, *(f"{100 * share:.1f}" for share in shares), flush=True)
    print("fitted learning curves, correlation 0, 0.3, 0.5, 0.7 and 0.8: P∞, scale, β")
    for memory in (0.0, 0.3, 0.5, 0.7, 0.8):
        print(
            memory,
            *(f"{100 * share:.0f}" for share in fit_coverage(memory=memory, simulations=few, seed=6)),
            flush=True,
        )


if __name__ == "__main__":
    main(0.1 if "--quick" in sys.argv else 1)
