"""Length bias: what the parameters of a linking function do to accuracy on D=, D< and D>, and which of them are best.

After Liu et al., section 4: alpha of SLLN-LP is swept (Figure 2), MORCELA searched on a grid (Table 5). A parameter
that is chosen on the pairs it is reported on flatters the model, so it can also be chosen on one half of the pairs of
each paradigm and used on the other half, both ways. Accuracy is over all pairs (micro), a tie is worth one half.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.estimate import INTERVAL, Strata, resampled_sums, stratify
from bidui.errors import Place, fail
from bidui.scores.choices import Choices, LengthSplit, PairTotals, choose_from, delta_acc, length_split, sides
from bidui.scores.links import Floats, Link, Totals, lp, morcela, slln_lp
from bidui.scores.table import LengthUnit

By = Literal["delta", "accuracy"]
Setting = tuple[float, ...]
SIGNS = {"D=": 0, "D<": -1, "D>": 1}  # of the good side's length less the bad side's


@dataclass(frozen=True, slots=True)
class Grid:
    """A linking function, and the settings of its parameters that are tried."""

    make: Callable[..., Link]
    settings: tuple[Setting, ...]

    def links(self) -> list[Link]:
        """The linking function at every setting."""
        return [self.make(*setting) for setting in self.settings]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Of every setting of a grid, accuracy over all pairs and on D=, D< and D>; nan where a group has no pairs."""

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
    def unequal(self) -> Floats:
        """The mean of the accuracies on D< and D>, which Figure 2 calls accuracy."""
        return (self.shorter + self.longer) / 2

    def best(self, by: By) -> int:
        """The setting with the smallest delta-acc or the highest accuracy; of equals, the first."""
        if by == "accuracy":
            return int(self.accuracy.argmax())
        found = {"D=": self.equal, "D<": self.shorter, "D>": self.longer}
        missing = [name for name, values in found.items() if np.isnan(values).any()]
        if missing:
            raise fail("length-group-empty", Place(), {"groups": missing})
        return int(self.delta.argmin())


@dataclass(frozen=True, slots=True)
class Best:
    """The best setting, and between which settings that of 95 per cent of resamples lies, each parameter by itself."""

    by: By
    setting: Setting
    low: Setting
    high: Setting
    resamples: int  # fewer than asked for, where some had no pairs in one of the groups


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Choices in which each half of the pairs is judged by the setting that was found on the other half."""

    settings: tuple[Setting, Setting]  # found on the first half, and on the second
    choices: Choices

    @property
    def accuracy(self) -> float:
        """Over all pairs."""
        return float(self.choices.worth.mean())

    @property
    def split(self) -> LengthSplit:
        """Accuracy on D=, D< and D>, and delta-acc."""
        return length_split(self.choices)


def alpha_grid(steps: int = 21) -> Grid:
    """SLLN-LP with alpha from 0, which is LP, to 1, which is mean LP."""
    return Grid(slln_lp, tuple((round(float(alpha), 12),) for alpha in np.linspace(0, 1, steps)))


def morcela_grid() -> Grid:
    """MORCELA with beta 0, 0.1, …, 1 and gamma 0, 3, …, 27.

    Liu et al. publish the settings that they found (0.6, 18; 0.7, 12; 0.1, 12) but not what they searched. This grid
    holds these, SLOR and mean LP, and has 110 settings, as many as the authors' program tries.
    """
    return Grid(morcela, tuple((beta / 10, float(gamma)) for beta in range(11) for gamma in range(0, 30, 3)))


def sweep(totals: PairTotals, grid: Grid, *, unit: LengthUnit = "tokens", groups: LengthUnit = "tokens") -> Sweep:
    """Accuracy at every setting; `groups` is what the lengths of D=, D< and D> are counted in."""
    return _sweep(grid, _worths(totals, grid, unit), totals.length_sign(groups))


def best_setting(
    totals: PairTotals,
    grid: Grid,
    *,
    by: By,
    seed: int,
    resamples: int = 1000,
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
) -> Best:
    """The best setting with an interval: the pairs of each paradigm are drawn anew, as many, with replacement."""
    worths, sign = _worths(totals, grid, unit), totals.length_sign(groups)
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
    found = np.array(grid.settings)[value.argmax(axis=1)]
    low, high = np.quantile(found, INTERVAL, axis=0, method="inverted_cdf")
    return Best(by, best, tuple(low.tolist()), tuple(high.tolist()), len(found))


def held_out(
    totals: PairTotals,
    grid: Grid,
    *,
    by: By,
    seed: int,
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
) -> HeldOut:
    """The setting chosen on one half of each paradigm's pairs, and used on the other half, both ways."""
    worths, sign, first = _worths(totals, grid, unit), totals.length_sign(groups), halves(totals, seed=seed)
    one, other = (grid.settings[_sweep(grid, worths[half], sign[half]).best(by)] for half in (first, ~first))
    links = (grid.make(*one), grid.make(*other))
    return HeldOut((one, other), crossed(totals, links, first=first, unit=unit, groups=groups))


def halves(totals: PairTotals, *, seed: int) -> NDArray[np.bool_]:
    """Which pairs are in the first half: half of each paradigm; where the number is odd, the halves take turns."""
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
    """Choices in the first half by the second linking function, and in the second half by the first."""
    one, other = (choose_from(totals, link, unit=unit, groups=groups) for link in links)
    good, bad = np.where(first, other.good, one.good), np.where(first, other.bad, one.bad)
    name = one.link if one.link == other.link else f"{one.link} | {other.link}"
    return Choices(name, one.uids, one.phenomena, one.pairs, good, bad, one.length_sign)


def strata_of(totals: PairTotals) -> Strata:
    """The paradigms of the pairs."""
    return stratify(choose_from(totals, lp()))


def _worths(totals: PairTotals, grid: Grid, unit: LengthUnit) -> Floats:
    """What each choice is worth: a row a pair, a column a setting."""
    return np.stack([choose_from(totals, link, unit=unit).worth for link in grid.links()], axis=1)


def _sweep(grid: Grid, worths: Floats, sign: NDArray[np.int8]) -> Sweep:
    def accuracy(chosen: Floats) -> Floats:
        return chosen.mean(axis=0) if len(chosen) else np.full(worths.shape[1], np.nan)

    return Sweep(grid.settings, accuracy(worths), *(accuracy(worths[sign == number]) for number in SIGNS.values()))


# MORCELA fitted: beta and gamma as a logistic regression on the differences between the sides of pairs.
#
# The score (LP - beta U + gamma) / |x| is linear in beta and gamma, so is its difference d between good and bad. The
# fit takes the good sentence to be preferred with probability 1 / (1 + exp(-s d)), and finds s, beta and gamma by
# maximum likelihood. That loss is smooth and has one minimum; accuracy, which the grid maximises, is a step function.
# Tjuatja et al. (2025) fit ratings of single sentences; minimal pairs have none, so here it is the choice that is
# fitted.

RIDGE = 1e-8  # against the squares of standardised weights, so that pairs without a mistake have a minimum too
STEPS = 100  # Newton's take some ten


@dataclass(frozen=True, slots=True)
class MorcelaFit:
    """The beta and gamma under which the good sentences are likeliest to be preferred."""

    beta: float
    gamma: float
    scale: float  # s: how sharply a difference decides
    loss: float  # minus the mean log-probability of a right choice; log 2 is chance

    @property
    def link(self) -> Link:
        """MORCELA with this beta and gamma."""
        return morcela(self.beta, self.gamma)


@dataclass(frozen=True, slots=True)
class MorcelaInterval:
    """Between which beta and gamma 95 per cent of the fits to resampled pairs lie, each by itself."""

    beta: tuple[float, float]
    gamma: tuple[float, float]


def fit_morcela(totals: PairTotals, *, unit: LengthUnit = "tokens") -> MorcelaFit:
    """The fit to all pairs."""
    return _fit(_terms(totals, unit))


def morcela_interval(
    totals: PairTotals, *, seed: int, resamples: int = 200, unit: LengthUnit = "tokens"
) -> MorcelaInterval:
    """The spread of the fit, the pairs of each paradigm drawn anew, as many, with replacement."""
    terms, strata, rng = _terms(totals, unit), strata_of(totals), np.random.default_rng(seed)
    order, starts = np.argsort(strata.codes, kind="stable"), np.cumsum(strata.sizes) - strata.sizes
    start, size = starts[strata.codes[order]], strata.sizes[strata.codes[order]]
    near, fits = _fit(terms), []
    for _ in range(resamples):
        drawn = order[(start + rng.random(len(totals)) * size).astype(np.intp)]
        fits.append(_fit(terms, times=np.bincount(drawn, minlength=len(totals)).astype(np.float64), near=near))
    beta = np.quantile([fit.beta for fit in fits], INTERVAL)
    gamma = np.quantile([fit.gamma for fit in fits], INTERVAL)
    return MorcelaInterval((float(beta[0]), float(beta[1])), (float(gamma[0]), float(gamma[1])))


def held_out_morcela(
    totals: PairTotals, *, seed: int, unit: LengthUnit = "tokens", groups: LengthUnit = "tokens"
) -> HeldOut:
    """Fitted to one half of each paradigm's pairs and used on the other half, both ways."""
    first, terms = halves(totals, seed=seed), _terms(totals, unit)
    one, other = (_fit(terms[:, half]) for half in (first, ~first))
    choices = crossed(totals, (one.link, other.link), first=first, unit=unit, groups=groups)
    return HeldOut(((one.beta, one.gamma), (other.beta, other.gamma)), choices)


def _terms(totals: PairTotals, unit: LengthUnit) -> Floats:
    """What the difference between good and bad is made of: of LP / |x|, -U / |x| and 1 / |x|, a row each.

    The rows come out of MORCELA itself, at beta and gamma 0 and 1, so that the formula stands in one place.
    """

    def difference(beta: float, gamma: float, of: Totals) -> Floats:
        good, bad = sides(morcela(beta, gamma).score(of))
        return good - bad

    plain = totals.totals(unit)
    none = Totals(np.zeros_like(plain.logprob), plain.length, plain.unigram)
    return np.stack([difference(0, 0, plain), difference(1, 0, none), difference(0, 1, none)])


def _fit(terms: Floats, *, times: Floats | None = None, near: MorcelaFit | None = None) -> MorcelaFit:
    """The fit to pairs, a column of `terms` each, counted so many times; begun where another fit ended."""
    count = max(terms.shape[1], 1)
    size = np.sqrt((terms**2).sum(axis=1) / count)
    size[size == 0] = 1  # a row of zeros keeps the weight 0
    share = np.full(terms.shape[1], 1 / count) if times is None else times / times.sum()
    start = np.zeros(3) if near is None else near.scale * size * (1, near.beta, near.gamma)
    weights, loss = _newton(terms / size[:, None], share, start)
    scale, with_unigrams, with_length = weights / size
    if scale <= 0:
        raise fail("morcela-no-fit", Place(), {})
    return MorcelaFit(float(with_unigrams / scale), float(with_length / scale), float(scale), loss)


def _newton(x: Floats, share: Floats, start: Floats) -> tuple[Floats, float]:
    """The weights of least loss; each of Newton's steps is halved until the loss falls.

    The products are einsum's, not @, whose threads take longer to wake than three rows do.
    """

    def loss(weights: Floats) -> float:
        sure = np.einsum("p,pn->n", weights, x)
        each = np.maximum(-sure, 0) + np.log1p(np.exp(-np.abs(sure)))  # log(1 + exp(-sure)), without overflow
        return float(np.einsum("n,n->", share, each) + RIDGE * (weights**2).sum() / 2)

    weights, now = start, loss(start)
    for _ in range(STEPS):
        wrong = 0.5 - 0.5 * np.tanh(np.einsum("p,pn->n", weights, x) / 2)  # the probability of the bad sentence
        slope = RIDGE * weights - np.einsum("pn,n->p", x, share * wrong)
        curve = np.einsum("pn,qn->pq", x * (share * wrong * (1 - wrong)), x) + RIDGE * np.eye(len(x))
        step = np.linalg.solve(curve, slope)
        while (then := loss(weights - step)) > now and np.abs(step).max() > 1e-9:
            step = step / 2
        if now - then <= 1e-14:
            break
        weights, now = weights - step, then
    return weights, now
