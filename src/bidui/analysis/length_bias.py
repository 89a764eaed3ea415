"""Length bias: what the parameters of a linking function do to accuracy on D=, D< and D>, and which of them are best.

After Liu et al., section 4: alpha of SLLN-LP is swept (Figure 2), MORCELA is searched on a grid (Table 5). A parameter
that is chosen on the pairs it is reported on flatters the model, so it can also be chosen on one half of the pairs of
each paradigm and used on the other half, both ways. Accuracy is over all pairs (micro); a tie is worth one half.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bidui.analysis.estimate import Strata, resampled_sums, stratify
from bidui.errors import fail
from bidui.frames import counted, to_pandas
from bidui.intervals import PERCENTILES, Estimate, percentile_estimate
from bidui.scores.choices import (
    AnyScores,
    Choices,
    LengthSplit,
    PairTotals,
    choose_from,
    delta_acc,
    length_split,
    pair_totals,
    sides,
)
from bidui.scores.links import Floats, Link, Totals, lp, morcela, slln_lp
from bidui.scores.table import LengthUnit

if TYPE_CHECKING:
    import pandas
    import polars as pl

By = Literal["delta", "accuracy"]
Setting = tuple[float, ...]
SIGNS = {"D=": 0, "D<": -1, "D>": 1}  # of the good side's length minus the bad side's


@dataclass(frozen=True, slots=True)
class Grid:
    """A linking function, and the settings of its parameters to try."""

    make: Callable[..., Link]
    settings: tuple[Setting, ...]

    def links(self) -> list[Link]:
        """Return the linking function at every setting."""
        return [self.make(*setting) for setting in self.settings]


@dataclass(frozen=True, slots=True, repr=False)
class Sweep:
    """For every setting of a grid, accuracy over all pairs and on D=, D< and D>; NaN where a group has no pairs."""

    settings: tuple[Setting, ...]
    accuracy: Floats
    equal: Floats
    shorter: Floats
    longer: Floats

    @property
    def delta(self) -> Floats:
        """delta-acc."""
        return delta_acc(self.equal, self.shorter, self.longer)

    @property
    def frame(self) -> "pl.DataFrame":
        """A polars data frame with one row per setting; `setting` holds its parameters, joined by commas."""
        import polars as pl

        names = [",".join(f"{value:g}" for value in setting) for setting in self.settings]
        groups = {"D=": self.equal, "D<": self.shorter, "D>": self.longer, "delta": self.delta}
        return pl.DataFrame({"setting": names, "accuracy": self.accuracy, **groups})

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        best = f", accuracy up to {100 * self.accuracy.max():.2f}%" if len(self.settings) else ""
        return f"Sweep of {counted(len(self.settings), 'setting')}{best}"

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()

    @property
    def unequal(self) -> Floats:
        """The mean of the accuracies on D< and D>, which Figure 2 calls accuracy."""
        return (self.shorter + self.longer) / 2

    def best(self, by: By) -> int:
        """Return the index of the setting with the smallest delta-acc or the highest accuracy; of equals, the first."""
        if by == "accuracy":
            return int(self.accuracy.argmax())
        groups = {"D=": self.equal, "D<": self.shorter, "D>": self.longer}
        if missing := [name for name, values in groups.items() if np.isnan(values).any()]:
            raise fail("length-group-empty", None, {"groups": missing})
        return int(self.delta.argmin())


@dataclass(frozen=True, slots=True)
class Best:
    """The best setting, one estimate per parameter: the interval holds the best settings of 95% of the resamples."""

    parameters: tuple[Estimate, ...]
    resamples: int  # fewer than requested where some had no pairs in one of the groups


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Choices in which each half of the pairs is judged by the setting chosen on the other half."""

    settings: tuple[Setting, Setting]  # chosen on the first half, and on the second
    choices: Choices

    @property
    def accuracy(self) -> float:
        """Accuracy over all pairs."""
        return float(self.choices.worth.mean())

    @property
    def split(self) -> LengthSplit:
        """Accuracy on D=, D< and D>, and delta-acc."""
        return length_split(self.choices)


def alpha_grid(steps: int = 21) -> Grid:
    """Return SLLN-LP with alpha from 0, which is LP, to 1, which is mean LP."""
    return Grid(slln_lp, tuple((round(float(alpha), 12),) for alpha in np.linspace(0, 1, steps)))


def morcela_grid() -> Grid:
    """Return MORCELA with beta 0, 0.1, …, 1 and gamma 0, 3, …, 27.

    Liu et al. publish the settings that they found (0.6, 18; 0.7, 12; 0.1, 12) but not those they searched. This grid
    includes these, SLOR and mean LP, and has 110 settings, as many as the authors' program tries.
    """
    return Grid(morcela, tuple((beta / 10, float(gamma)) for beta in range(11) for gamma in range(0, 30, 3)))


def sweep(
    totals: PairTotals | AnyScores,
    grid: Grid | None = None,
    *,
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
) -> Sweep:
    """Return the accuracy at every setting of a grid, by default every alpha of SLLN-LP.

    `totals` may also be scores or their folder; `groups` is the unit of length for D=, D< and D>.
    """
    totals, grid = _totals_of(totals), grid or alpha_grid()
    return _sweep(grid, _worths(totals, grid, unit), totals.length_sign(groups))


def _totals_of(totals: PairTotals | AnyScores) -> PairTotals:
    return totals if isinstance(totals, PairTotals) else pair_totals(totals)


def best_setting(totals: PairTotals, grid: Grid, *, by: By, seed: int, resamples: int = 1000) -> Best:
    """Return the best setting with intervals; the pairs of each paradigm are resampled with replacement."""
    worths, sign = _worths(totals, grid, "tokens"), totals.length_sign("tokens")
    best = grid.settings[_sweep(grid, worths, sign).best(by)]
    inside = np.stack([sign == number for number in SIGNS.values()], axis=1).astype(np.float64)
    columns = np.hstack([worths * inside[:, [number]] for number in range(3)] + [inside])
    drawn = resampled_sums(columns, strata_of(totals), resamples=resamples, seed=seed).sum(axis=2)
    right, pairs = drawn[:, :-3].reshape(resamples, 3, len(grid.settings)), drawn[:, -3:, None]
    if by == "accuracy":
        value = right.sum(axis=1)
    else:
        whole = (pairs > 0).all(axis=(1, 2))
        equal, shorter, longer = np.moveaxis(right[whole] / pairs[whole], 1, 0)
        value = -delta_acc(equal, shorter, longer)
    settings = np.array(grid.settings)[value.argmax(axis=1)]
    ends = np.quantile(settings, PERCENTILES, axis=0, method="inverted_cdf").tolist()
    return Best(tuple(map(Estimate, best, *ends)), len(settings))


def held_out(
    totals: PairTotals | AnyScores,
    grid: Grid | None = None,
    *,
    by: By,
    seed: int = 0,
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
) -> HeldOut:
    """Choose the setting on one half of each paradigm's pairs and use it on the other half, both ways."""
    totals, grid = _totals_of(totals), grid or alpha_grid()
    worths, sign, first = _worths(totals, grid, unit), totals.length_sign(groups), halves(totals, seed=seed)
    one, other = (grid.settings[_sweep(grid, worths[half], sign[half]).best(by)] for half in (first, ~first))
    links = (grid.make(*one), grid.make(*other))
    return HeldOut((one, other), crossed(totals, links, first=first, unit=unit, groups=groups))


def halves(totals: PairTotals, *, seed: int) -> NDArray[np.bool_]:
    """Return which pairs are in the first half: half of each paradigm; odd ones go to the halves in turn."""
    rng, first = np.random.default_rng(seed), np.zeros(len(totals), np.bool_)
    strata = strata_of(totals)
    order = np.argsort(strata.codes, kind="stable")
    for number, rows in enumerate(np.split(order, np.cumsum(strata.sizes[:-1]).astype(np.intp))):
        first[rng.permutation(rows)[: (len(rows) + number % 2) // 2]] = True
    return first


def crossed(
    totals: PairTotals,
    links: tuple[Link, Link],
    *,
    first: NDArray[np.bool_],
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
) -> Choices:
    """Choose in the first half by the second linking function, and in the second half by the first."""
    one, other = (choose_from(totals, link, unit=unit, groups=groups) for link in links)
    good, bad = np.where(first, other.good, one.good), np.where(first, other.bad, one.bad)
    name = one.link if one.link == other.link else f"{one.link} | {other.link}"
    return replace(one, link=name, good=good, bad=bad)


def strata_of(totals: PairTotals) -> Strata:
    """Return the paradigms of the pairs."""
    return stratify(choose_from(totals, lp()))


def _worths(totals: PairTotals, grid: Grid, unit: LengthUnit) -> Floats:
    """Return what each choice is worth: one row per pair, one column per setting."""
    return np.stack([choose_from(totals, link, unit=unit).worth for link in grid.links()], axis=1)


def _sweep(grid: Grid, worths: Floats, sign: NDArray[np.int8]) -> Sweep:
    def accuracy(chosen: Floats) -> Floats:
        return chosen.mean(axis=0) if len(chosen) else np.full(worths.shape[1], np.nan)

    return Sweep(grid.settings, accuracy(worths), *(accuracy(worths[sign == number]) for number in SIGNS.values()))


# MORCELA fitted: beta and gamma as a logistic regression on the differences between the sides of pairs.
#
# The score (LP - beta U + gamma) / |x| is linear in beta and gamma, and so is its difference d between good and bad.
# The fit takes the good sentence to be preferred with probability 1 / (1 + exp(-s d)), and finds s, beta and gamma by
# maximum likelihood. That loss is smooth and has one minimum; accuracy, which the grid maximises, is a step function.
# Tjuatja et al. (2025) fit ratings of single sentences; minimal pairs have none, so here the choice is fitted.

RIDGE = 1e-8  # penalty on squared standardised weights, so that pairs without a mistake have a minimum too


@dataclass(frozen=True, slots=True)
class MorcelaFit:
    """The beta and gamma under which the good sentences are most likely to be preferred."""

    beta: float
    gamma: float
    scale: float  # s: how sharply a difference decides
    loss: float  # minus the mean log-probability of a right choice; log 2 is chance

    @property
    def link(self) -> Link:
        """MORCELA with this beta and gamma."""
        return morcela(self.beta, self.gamma)


def fit_morcela(totals: PairTotals) -> MorcelaFit:
    """Fit beta and gamma to all pairs."""
    return _fit(_terms(totals, "tokens"))


def morcela_interval(totals: PairTotals, *, seed: int, resamples: int = 200) -> tuple[Estimate, Estimate]:
    """Return beta and gamma with intervals: the pairs of each paradigm are resampled, and each resample is fitted."""
    terms, strata, rng = _terms(totals, "tokens"), strata_of(totals), np.random.default_rng(seed)
    order, starts = np.argsort(strata.codes, kind="stable"), np.cumsum(strata.sizes) - strata.sizes
    start, size = starts[strata.codes[order]], strata.sizes[strata.codes[order]]
    best, fits = _fit(terms), []
    for _ in range(resamples):
        drawn = order[(start + rng.random(len(totals)) * size).astype(np.intp)]
        fits.append(_fit(terms, times=np.bincount(drawn, minlength=len(totals)).astype(np.float64), near=best))
    beta = percentile_estimate(best.beta, np.array([fit.beta for fit in fits]))
    return beta, percentile_estimate(best.gamma, np.array([fit.gamma for fit in fits]))


def held_out_morcela(
    totals: PairTotals, *, seed: int, unit: LengthUnit = "tokens", groups: LengthUnit = "tokens"
) -> HeldOut:
    """Fit one half of each paradigm's pairs and use the fit on the other half, both ways."""
    first, terms = halves(totals, seed=seed), _terms(totals, unit)
    one, other = (_fit(terms[:, half]) for half in (first, ~first))
    choices = crossed(totals, (one.link, other.link), first=first, unit=unit, groups=groups)
    return HeldOut(((one.beta, one.gamma), (other.beta, other.gamma)), choices)


def _terms(totals: PairTotals, unit: LengthUnit) -> Floats:
    """Return what the difference between good and bad consists of: that of LP / |x|, -U / |x| and 1 / |x|, in rows.

    The rows come out of MORCELA itself, at beta and gamma 0 and 1, so that the formula stands in one place.
    """

    def difference(beta: float, gamma: float, of: Totals) -> Floats:
        good, bad = sides(morcela(beta, gamma).score(of))
        return good - bad

    plain = totals.totals(unit)
    none = Totals(np.zeros_like(plain.logprob), plain.length, plain.unigram)
    return np.stack([difference(0, 0, plain), difference(1, 0, none), difference(0, 1, none)])


def _fit(terms: Floats, *, times: Floats | None = None, near: MorcelaFit | None = None) -> MorcelaFit:
    """Fit pairs, one column of `terms` each, counted so many times; start where another fit ended."""
    count = max(terms.shape[1], 1)
    size = np.sqrt((terms**2).sum(axis=1) / count)
    size[size == 0] = 1  # a row of zeros keeps the weight 0
    share = np.full(terms.shape[1], 1 / count) if times is None else times / times.sum()
    start = np.zeros(3) if near is None else near.scale * size * (1, near.beta, near.gamma)
    weights, loss = _least_loss(terms / size[:, None], share, start)
    scale, with_unigrams, with_length = weights / size
    if scale <= 0:
        raise fail("morcela-no-fit")
    return MorcelaFit(float(with_unigrams / scale), float(with_length / scale), float(scale), loss)


def _least_loss(x: Floats, share: Floats, start: Floats) -> tuple[Floats, float]:
    """Return the weights of least loss, and the loss.

    Sums are einsum's, not @, whose threads take longer to wake than three rows take to add up.
    """

    def margins(weights: Floats) -> tuple[Floats, Floats]:
        """Return by how much each good sentence wins, in logits, and the probability of the bad one."""
        sure: Floats = np.einsum("p,pn->n", weights, x)
        return sure, 0.5 - 0.5 * np.tanh(sure / 2)

    def loss_and_slope(weights: Floats) -> tuple[float, Floats]:
        sure, wrong = margins(weights)
        each = np.maximum(-sure, 0) + np.log1p(np.exp(-np.abs(sure)))  # log(1 + exp(-sure)), without overflow
        loss = float(np.einsum("n,n->", share, each) + RIDGE * (weights**2).sum() / 2)
        return loss, RIDGE * weights - np.einsum("pn,n->p", x, share * wrong)

    def curvature(weights: Floats) -> Floats:
        _, wrong = margins(weights)
        curved: Floats = np.einsum("pn,qn->pq", x * (share * wrong * (1 - wrong)), x)
        return curved + RIDGE * np.eye(len(x))

    result = minimize(loss_and_slope, start, jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-9})
    return result.x, float(result.fun)
