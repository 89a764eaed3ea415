"""How often the intervals hold the truth, and how often the tests raise a false alarm, on data whose truth is known.

    python bench/coverage.py            prints the tables of docs/analysis.md; takes a few minutes
    python bench/coverage.py --quick    a tenth of the simulations

Paradigms have accuracies drawn from a beta distribution (mean 0.795 and a standard deviation of 0.25, as a small model
has on ZhoBLiMP, and less extreme ones), and pairs are right with that probability. Everything is decided by a seed.
"""

import sys

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
from bidui.analysis.scaling import fit_scaling
from bidui.analysis.significance import signed_rank
from bidui.errors import InputError
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


def paradigm_coverage(paradigms: int, pairs: int, *, deviation: float, simulations: int, seed: int) -> float:
    """Return how often the interval for paradigms like these holds the mean of all paradigms that could be drawn."""
    rng, made, held = np.random.default_rng(seed), strata(paradigms, pairs), 0
    for _ in range(simulations):
        shares = accuracies(rng, deviation, paradigms)
        one = cluster_estimate(rng.binomial(pairs, shares).astype(np.float64), made, made.sizes)
        held += one.low <= MEAN <= one.high
    return held / simulations


def run_coverage(
    paradigms: int, runs: int, *, of_runs: float, difference: bool = False, simulations: int, seed: int
) -> float:
    """Return how often the interval for paradigms and runs like these holds the mean, or the difference of two recipes.

    A run moves all paradigms by a normal deviate of `of_runs`, and each one by a further one of 0.05.
    """
    rng, held = np.random.default_rng(seed), 0

    def recipe(shares: Floats) -> Floats:
        moved = rng.normal(0, of_runs, (runs, 1)) + rng.normal(0, 0.05, (runs, paradigms))
        return np.asarray(shares + moved)

    for _ in range(simulations):
        shares = 0.75 + rng.normal(0, 0.18, paradigms)
        one = crossed_difference(recipe(shares), recipe(shares)) if difference else crossed_estimate(recipe(shares))
        held += one.low <= (0 if difference else 0.75) <= one.high
    return held / simulations


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


def main(scale: float) -> None:
    """Print all tables, in per cent."""
    many, some, few = (round(count * scale) for count in (4000, 600, 200))
    print("for these paradigms, 118 paradigms of 20, 50 and 300 pairs; one of 300:")
    sizes = [(118, 20), (118, 50), (118, 300), (1, 300)]
    print(*(f"{100 * pair_coverage(k, n, deviation=0.25, simulations=many, seed=1):.1f}" for k, n in sizes))
    print("for paradigms like these, by number of paradigms; deviation 0.10, 0.18, 0.25:")
    for k in (6, 10, 15, 30, 118):
        shares = [paradigm_coverage(k, 300, deviation=d, simulations=many, seed=2) for d in (0.1, 0.18, 0.25)]
        print(k, *(f"{100 * share:.1f}" for share in shares))
    print("for paradigms and runs like these, 118 paradigms; runs 2, 3, 5; run effects of 0, 0.5 and 2 points:")
    for difference in (False, True):
        for m in (2, 3, 5):
            shares = [
                run_coverage(118, m, of_runs=s, difference=difference, simulations=many, seed=3)
                for s in (0, 0.005, 0.02)
            ]
            print("difference" if difference else "mean", m, *(f"{100 * share:.1f}" for share in shares))
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
    print("fitted learning curves, correlation 0, 0.5 and 0.7: P∞, scale, β")
    for memory in (0.0, 0.5, 0.7):
        print(
            memory,
            *(f"{100 * share:.0f}" for share in fit_coverage(memory=memory, simulations=few, seed=6)),
            flush=True,
        )


if __name__ == "__main__":
    main(0.1 if "--quick" in sys.argv else 1)
