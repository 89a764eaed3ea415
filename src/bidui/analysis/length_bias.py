"""Length bias: what the parameters of a linking function do to accuracy on D=, D< and D>, and which of them are best.

After Liu et al., section 4: alpha of SLLN-LP is swept (Figure 2), MORCELA is searched on a grid (Table 5). A parameter
that is chosen on the paradigms it is reported on flatters the model, since the pairs of a paradigm are alike; so it is
also chosen on some paradigms and used on the others, in folds that are drawn several times. Accuracy is over all pairs
(micro); a tie is worth one half.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bidui.analysis.estimate import (
    FEWEST_PARADIGMS,
    Strata,
    crossed_difference,
    expanded_percentiles,
    paradigm_draws,
    resampled_sums,
    stratify,
)
from bidui.errors import fail
from bidui.intervals import PERCENTILES, Estimate, Kind, percentile_estimate
from bidui.notebooks import counted, to_pandas
from bidui.scores.choices import (
    AnyScores,
    Choices,
    PairTotals,
    choose_from,
    delta_acc,
    length_split,
    pair_totals,
    sides,
)
from bidui.scores.links import Floats, Link, Totals, lp, morcela, slln_lp, worth
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
    """The best setting, one estimate per parameter: the interval holds the best settings of 95% of the resamples.

    Resamples draw paradigms, or, where there are fewer than six, pairs within them; the kind of the estimates says so.
    """

    parameters: tuple[Estimate, ...]
    resamples: int  # fewer than requested where some had no pairs in one of the groups


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Each fold of the paradigms judged by the setting chosen on the other folds, for several divisions into folds."""

    best: Setting  # chosen on all paradigms
    settings: tuple[Setting, ...]  # chosen for each fold of each division
    choices: Choices  # of the first division
    accuracies: Floats  # over all pairs, one for each division
    deltas: Floats  # delta-acc, likewise

    @property
    def accuracy(self) -> Estimate:
        """The mean over divisions; the ends are the lowest and the highest, not an interval."""
        return _spread(self.accuracies)

    @property
    def delta(self) -> Estimate:
        """The mean of delta-acc over divisions, with the lowest and the highest."""
        return _spread(self.deltas)

    def spread(self, parameter: int) -> Estimate:
        """The median of the settings of a parameter, with the lowest and the highest."""
        values = np.array([setting[parameter] for setting in self.settings])
        return Estimate(float(np.median(values)), float(values.min()), float(values.max()))


def _spread(values: Floats) -> Estimate:
    return Estimate(float(values.mean()), float(values.min()), float(values.max()))


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
    """Return the best setting with intervals, for paradigms like these where there are enough of them."""
    worths, sign, strata = _worths(totals, grid, "tokens"), totals.length_sign("tokens"), strata_of(totals)
    best = grid.settings[_sweep(grid, worths, sign).best(by)]
    _check_settings(totals, grid, worths)
    paradigms, ends = len(strata.sizes), PERCENTILES
    kind: Kind = "paradigms" if paradigms >= FEWEST_PARADIGMS else "pairs"
    if kind == "paradigms":
        draws, ends = paradigm_draws(paradigms, resamples=resamples, seed=seed), expanded_percentiles(paradigms)
        columns = np.hstack([worths, np.ones((len(sign), 1))])
        drawn = np.moveaxis(draws @ _group_sums(columns, sign, strata), 0, 1)  # by resample, group, setting or pairs
        right, pairs = drawn[..., :-1], drawn[..., -1:]
    else:
        inside = np.stack([sign == number for number in SIGNS.values()], axis=1).astype(np.float64)
        columns = np.hstack([worths * inside[:, [number]] for number in range(3)] + [inside])
        drawn = resampled_sums(columns, strata, resamples=resamples, seed=seed).sum(axis=2)
        right, pairs = drawn[:, :-3].reshape(resamples, 3, len(grid.settings)), drawn[:, -3:, None]
    if by == "accuracy":
        value = right.sum(axis=1)
    else:
        whole = (pairs > 0).all(axis=(1, 2))
        equal, shorter, longer = np.moveaxis(right[whole] / pairs[whole], 1, 0)
        value = -delta_acc(equal, shorter, longer)
    settings = np.array(grid.settings)[value.argmax(axis=1)]
    lows, highs = np.quantile(settings, ends, axis=0, method="inverted_cdf").tolist()
    estimates = [Estimate(*one, kind) for one in zip(best, lows, highs, strict=True)]
    return Best(tuple(estimates), len(settings))


def _check_settings(totals: PairTotals, grid: Grid, worths: Floats) -> None:
    """Refuse to choose where nothing depends on the setting, or where there are too few pairs to choose on."""
    if len(totals) < FEWEST_PAIRS:
        raise fail("length-few-pairs", None, {"pairs": len(totals), "needed": FEWEST_PAIRS})
    if (worths == worths[:, :1]).all():
        differ = int((totals.length_sign("tokens") != 0).sum())
        raise fail("setting-changes-nothing", None, {"pairs": len(totals), "differ": differ})


# Held out: paradigms are divided into folds, each judged by what was chosen on the others, again and again.

FOLDS, DIVISIONS = 5, 10
FEWEST_PAIRS = 20  # with fewer, an interval or a choice of parameters means nothing


def held_out(
    totals: PairTotals | AnyScores,
    grid: Grid | None = None,
    *,
    by: By,
    seed: int = 0,
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
    divisions: int = DIVISIONS,
) -> HeldOut:
    """Choose the setting on some paradigms and use it on the others: in five folds, for several divisions of them."""
    totals, grid = _totals_of(totals), grid or alpha_grid()
    worths, sign, strata = _worths(totals, grid, unit), totals.length_sign(groups), strata_of(totals)
    best = _sweep(grid, worths, sign).best(by)  # refuses a group without pairs
    _check_settings(totals, grid, worths)
    right, pairs = _group_sums(worths, sign, strata), _group_sums(np.ones((len(sign), 1)), sign, strata)[..., 0]

    def choose(kept: NDArray[np.bool_]) -> int:
        groups_right, groups_pairs = right[:, kept].sum(axis=1), pairs[:, kept].sum(axis=1)
        if by == "accuracy":
            return int(groups_right.sum(axis=0).argmax())
        if not groups_pairs.all():
            values = {"groups": [name for name, count in zip(SIGNS, groups_pairs, strict=True) if not count]}
            raise fail("held-out-group", None, values)
        return int(delta_acc(*(groups_right / groups_pairs[:, None])).argmin())

    folds = _divisions(strata, seed, divisions)
    return _judge(
        totals,
        [[grid.settings[choose(~own)] for own in one] for one in folds],
        grid.make,
        best=grid.settings[best],
        folds=folds,
        unit=unit,
        groups=groups,
    )


def _divisions(strata: Strata, seed: int, divisions: int) -> list[list[NDArray[np.bool_]]]:
    """Return which paradigms are in each fold of each division."""
    paradigms = len(strata.sizes)
    if paradigms < 2:
        raise fail("held-out-one-paradigm", None, {"paradigms": paradigms})
    rng, count = np.random.default_rng(seed), min(FOLDS, paradigms)
    numbers = [rng.permutation(paradigms) % count for _ in range(divisions)]
    return [[number == fold for fold in range(count)] for number in numbers]


def _judge(
    totals: PairTotals,
    settings: list[list[Setting]],
    make: Callable[..., Link],
    *,
    best: Setting,
    folds: list[list[NDArray[np.bool_]]],
    unit: LengthUnit,
    groups: LengthUnit,
) -> HeldOut:
    """Judge the pairs of each fold by its setting, in every division."""
    codes = strata_of(totals).codes
    by_setting: dict[Setting, Choices] = {}
    found = []
    for own_settings, own_folds in zip(settings, folds, strict=True):
        for setting in own_settings:
            if setting not in by_setting:
                by_setting[setting] = choose_from(totals, make(*setting), unit=unit, groups=groups)
        choices = [by_setting[setting] for setting in own_settings]
        found.append(pieced(choices, np.argmax(np.stack(own_folds), axis=0)[codes]))
    accuracies = np.array([float(one.worth.mean()) for one in found])
    deltas = np.array([length_split(one).delta for one in found])
    return HeldOut(best, tuple(one for own in settings for one in own), found[0], accuracies, deltas)


def pieced(choices: Sequence[Choices], number: NDArray[np.intp]) -> Choices:
    """Take each pair from one of several choices, by its number."""
    rows = np.arange(len(number))
    names = dict.fromkeys(one.link for one in choices)

    def piece(columns: Sequence[Floats]) -> Floats:
        return np.asarray(np.stack(columns)[number, rows])

    margins = [one.margin for one in choices if one.margin is not None]
    return replace(
        choices[0],
        link=" | ".join(names),
        good=piece([one.good for one in choices]),
        bad=piece([one.bad for one in choices]),
        margin=piece(margins) if len(margins) == len(choices) else None,
    )


# Paradigms and lengths: of how many paradigms D< and D> are made, and what length does within one paradigm.
#
# D=, D< and D> hold different paradigms, so their accuracies differ for other reasons than length, too. Within a
# paradigm that has pairs of two groups, only length differs.

FEWEST_WITHIN = 5  # pairs of each group that a paradigm needs to count


@dataclass(frozen=True, slots=True)
class WithinParadigms:
    """How many paradigms have pairs in each group, and mean differences within paradigms that have pairs in two.

    A difference is NaN where no paradigm has five pairs in both; from six paradigms on it has an interval.
    """

    paradigms: Mapping[str, int]  # by group, and "both": with pairs in D< and in D>
    shorter: Estimate  # accuracy on D< minus that on D=, within paradigms
    shorter_of: int  # paradigms
    longer: Estimate  # on D> minus D=
    longer_of: int


def within_paradigms(choices: Choices) -> WithinParadigms:
    """Return what the lengths of good and bad sentences do within paradigms."""
    strata = stratify(choices)
    groups = {name: (choices.length_sign == number).astype(np.float64) for name, number in SIGNS.items()}
    pairs = {name: strata.sums(inside) for name, inside in groups.items()}
    right = {name: strata.sums(choices.worth * inside) for name, inside in groups.items()}

    def difference(name: str) -> tuple[Estimate, int]:
        both = (pairs[name] >= FEWEST_WITHIN) & (pairs["D="] >= FEWEST_WITHIN)
        if not both.any():
            return Estimate(nan), 0
        first, second = (right[group][both] / pairs[group][both] for group in (name, "D="))
        return crossed_difference(first[None], second[None]), int(both.sum())

    counts = {name: int((own > 0).sum()) for name, own in pairs.items()}
    counts["both"] = int(((pairs["D<"] > 0) & (pairs["D>"] > 0)).sum())
    return WithinParadigms(counts, *difference("D<"), *difference("D>"))


def strata_of(totals: PairTotals) -> Strata:
    """Return the paradigms of the pairs."""
    return stratify(choose_from(totals, lp()))


def _worths(totals: PairTotals, grid: Grid, unit: LengthUnit) -> Floats:
    """Return what each choice is worth: one row per pair, one column per setting."""
    plain = totals.totals(unit)
    return np.stack([worth(*sides(link.score(plain))) for link in grid.links()], axis=1)


def _group_sums(columns: Floats, sign: NDArray[np.int8], strata: Strata) -> Floats:
    """Add up columns, which have one row per pair, by group (D=, D<, D>), paradigm and column."""
    paradigms = len(strata.sizes)
    number = np.array([list(SIGNS.values()).index(one) for one in (-1, 0, 1)])[sign + 1]
    codes = number * paradigms + strata.codes
    sums = [np.bincount(codes, column, len(SIGNS) * paradigms) for column in columns.T]
    return np.stack(sums, axis=-1).reshape(len(SIGNS), paradigms, -1).astype(np.float64)


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
# Where there are ratings, `bidui.analysis.ratings` fits them.

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
    """Return beta and gamma with intervals, for paradigms like these, or with few of them for these paradigms.

    Each resample of the paradigms, or of the pairs within them, is fitted.
    """
    if len(totals) < FEWEST_PAIRS:
        raise fail("length-few-pairs", None, {"pairs": len(totals), "needed": FEWEST_PAIRS})
    terms, strata, rng = _terms(totals, "tokens"), strata_of(totals), np.random.default_rng(seed)
    paradigms, ends = len(strata.sizes), PERCENTILES
    kind: Kind = "paradigms" if paradigms >= FEWEST_PARADIGMS else "pairs"
    best, fits = _fit(terms), []
    if kind == "paradigms":
        draws, ends = paradigm_draws(paradigms, resamples=resamples, seed=seed), expanded_percentiles(paradigms)
    order, starts = np.argsort(strata.codes, kind="stable"), np.cumsum(strata.sizes) - strata.sizes
    start, size = starts[strata.codes[order]], strata.sizes[strata.codes[order]]
    for number in range(resamples):
        if kind == "paradigms":
            times = draws[number][strata.codes]
        else:
            drawn = order[(start + rng.random(len(totals)) * size).astype(np.intp)]
            times = np.bincount(drawn, minlength=len(totals)).astype(np.float64)
        fits.append(_fit(terms, times=times, near=best))
    beta = percentile_estimate(best.beta, np.array([fit.beta for fit in fits]), kind=kind, ends=ends)
    return beta, percentile_estimate(best.gamma, np.array([fit.gamma for fit in fits]), kind=kind, ends=ends)


def held_out_morcela(
    totals: PairTotals,
    *,
    seed: int,
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
    divisions: int = 1,
) -> HeldOut:
    """Fit some paradigms and use the fit on the others: in five folds, for so many divisions into folds."""
    if len(totals) < FEWEST_PAIRS:
        raise fail("length-few-pairs", None, {"pairs": len(totals), "needed": FEWEST_PAIRS})
    terms, strata = _terms(totals, unit), strata_of(totals)
    folds, near = _divisions(strata, seed, divisions), _fit(terms)
    fits = [[_fit(terms[:, ~own[strata.codes]], near=near) for own in one] for one in folds]
    settings: list[list[Setting]] = [[(fit.beta, fit.gamma) for fit in own] for own in fits]
    whole = (near.beta, near.gamma)
    return _judge(totals, settings, morcela, best=whole, folds=folds, unit=unit, groups=groups)


def score_terms(totals: PairTotals, unit: LengthUnit = "tokens") -> Floats:
    """Return what MORCELA's score of every sentence consists of: LP / |x|, -U / |x| and 1 / |x|, in rows.

    The rows come out of MORCELA itself, at beta and gamma 0 and 1, so that the formula stands in one place.
    """
    plain = totals.totals(unit)
    none = Totals(np.zeros_like(plain.logprob), plain.length, plain.unigram)
    parts = ((0, 0, plain), (1, 0, none), (0, 1, none))
    return np.stack([morcela(beta, gamma).score(of) for beta, gamma, of in parts])


def _terms(totals: PairTotals, unit: LengthUnit) -> Floats:
    """Return the differences of these terms between good and bad, in rows."""
    good, bad = (np.stack(one) for one in zip(*map(sides, score_terms(totals, unit)), strict=True))
    differences: Floats = good - bad
    return differences


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
    last: list[tuple[bytes, Floats, Floats]] = []  # the curvature is asked for where the loss just was

    def margins(weights: Floats) -> tuple[Floats, Floats]:
        """Return by how much each good sentence wins, in logits, and the probability of the bad one."""
        if last and last[0][0] == weights.tobytes():
            return last[0][1:]
        sure: Floats = np.einsum("p,pn->n", weights, x)
        last[:] = [(weights.tobytes(), sure, 0.5 - 0.5 * np.tanh(sure / 2))]
        return last[0][1:]

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
