"""MORCELA fitted: beta and gamma as a logistic regression on the differences between the sides of pairs.

The score (LP - beta U + gamma) / |x| is linear in beta and gamma, so is its difference d between good and bad. The fit
takes the good sentence to be preferred with probability 1 / (1 + exp(-s d)), and finds s, beta and gamma by maximum
likelihood. That loss is smooth and has one minimum; accuracy, which the grid maximises, is a step function. Tjuatja et
al. (2025) fit ratings of single sentences; minimal pairs have none, so here it is the choice that is fitted.
"""

from dataclasses import dataclass

import numpy as np

from bidui.analysis.bootstrap import INTERVAL
from bidui.analysis.length_bias import HeldOut, crossed, halves, strata_of
from bidui.errors import Place, fail
from bidui.scores.links import Floats, Link, Totals, morcela
from bidui.scores.table import LengthUnit
from bidui.scores.totals import PairTotals, sides

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
