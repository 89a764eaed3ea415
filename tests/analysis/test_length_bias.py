"""Length bias and the search for the best parameters: worked out by hand, and on pairs whose bias is known."""

from math import isnan, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.length_bias import (
    Grid,
    alpha_grid,
    best_setting,
    crossed,
    fit_morcela,
    halves,
    held_out,
    held_out_morcela,
    morcela_grid,
    morcela_interval,
    sweep,
)
from bidui.errors import InputError
from bidui.intervals import Estimate
from bidui.scores.choices import PairTotals, choose_from, length_split
from bidui.scores.links import Link, lp, mean_lp, parse_link, slln_lp, slor

Side = tuple[float, float]  # LP and length


def totals(*pairs: tuple[str, Side, Side], unigram: list[float] | None = None) -> PairTotals:
    """Pairs of a paradigm, each side with its LP and its length in tokens; characters are all equal."""
    rows = [side for _, good, bad in pairs for side in (good, bad)]
    uids = np.array([uid for uid, _, _ in pairs], object)
    lengths = np.array([length for _, length in rows], np.float64)
    return PairTotals(
        uids,
        uids,
        np.arange(len(pairs), dtype=np.int32),
        np.array([logprob for logprob, _ in rows], np.float64),
        {"tokens": lengths, "characters": np.full(len(rows), 4.0), "bytes": 3 * lengths},
        None if unigram is None else np.array(unigram),
    )


# slln at alpha 0, 0.5 and 1, good against bad:
# 0  D=  -3/1 > -4/1 at every alpha (both of length 4)          right, right, right
# 1  D=  -8 < -6                                                wrong, wrong, wrong
# 2  D<  -6 over 1, -8 over 4: -6 > -8; -6 < -4; -6 < -2        right, wrong, wrong
# 3  D<  -2 over 1, -12 over 4: -2 > -12; -2 > -6; -2 > -3      right, right, right
# 4  D>  -9 over 4, -8 over 1: -9 < -8; -4.5 > -8; -2.25 > -8   wrong, right, right
# 5  D>  -12 over 4, -4 over 1: -12 < -4; -6 < -4; -3 > -4      wrong, wrong, right
HAND = totals(
    ("a", (-3, 4), (-4, 4)),
    ("a", (-8, 4), (-6, 4)),
    ("a", (-6, 1), (-8, 4)),
    ("b", (-2, 1), (-12, 4)),
    ("b", (-9, 4), (-8, 1)),
    ("b", (-12, 4), (-4, 1)),
)


def test_a_sweep_is_what_each_alpha_gives_by_hand() -> None:
    """Accuracy 3/6, 3/6, 4/6; D= a half, D< 1, 1/2, 1/2 and D> 0, 1/2, 1; delta 1/2, 0, 1/4."""
    found = sweep(HAND, alpha_grid(3))
    assert found.settings == ((0.0,), (0.5,), (1.0,))
    assert found.accuracy == pytest.approx([3 / 6, 3 / 6, 4 / 6])
    assert found.equal.tolist() == [0.5, 0.5, 0.5]
    assert found.shorter.tolist() == [1, 0.5, 0.5]
    assert found.longer.tolist() == [0, 0.5, 1]
    assert found.delta.tolist() == [0.5, 0, 0.25]
    assert found.unequal.tolist() == [0.5, 0.5, 0.75]  # what Figure 2 shows
    assert (found.best("delta"), found.best("accuracy")) == (1, 2)


def test_the_usual_sweep_has_21_steps_from_lp_to_mean_lp() -> None:
    names = [link.name for link in alpha_grid().links()]
    assert len(names) == 21
    assert names[:4] == ["slln:0", "slln:0.05", "slln:0.1", "slln:0.15"]
    assert names[-1] == "slln:1"
    found = sweep(HAND, alpha_grid())
    for link, at in ((lp(), 0), (mean_lp(), -1)):
        choices = choose_from(HAND, link)
        split = length_split(choices)
        assert found.accuracy[at] == choices.worth.mean()
        assert (found.equal[at], found.shorter[at], found.longer[at], found.delta[at]) == (
            split.equal,
            split.good_shorter,
            split.good_longer,
            split.delta,
        )


def test_mean_lp_and_slor_are_on_the_grid_of_morcela_as_are_the_published_settings() -> None:
    """Table 5: beta 0.6, gamma 18; 0.7 and 12; 0.1 and 12. SLOR is beta 1 without gamma, mean LP has neither."""
    grid = morcela_grid()
    assert {(0.6, 18.0), (0.7, 12.0), (0.1, 12.0)} < set(grid.settings)
    assert len(grid.settings) == 110
    unigram = [-5.0, -6, -7, -8, -2, -9, -2, -9, -8, -1, -9, -3]
    made = PairTotals(HAND.uids, HAND.phenomena, HAND.pairs, HAND.logprob, HAND.lengths, np.array(unigram))
    found = sweep(made, grid)
    for link, setting in ((slor(), (1.0, 0.0)), (mean_lp(), (0.0, 0.0))):
        assert found.accuracy[grid.settings.index(setting)] == choose_from(made, link).worth.mean()


def test_groups_can_be_made_by_characters() -> None:
    """All sentences have four: every pair is in D=, and the other groups have no accuracy."""
    found = sweep(HAND, alpha_grid(3), groups="characters")
    assert found.equal == pytest.approx(found.accuracy)
    assert all(map(isnan, found.shorter)) and all(map(isnan, found.longer)) and all(map(isnan, found.delta))


def test_without_a_group_there_is_no_best_by_delta() -> None:
    """The first of many nan would pass for an answer."""
    for way in (
        lambda: sweep(HAND, alpha_grid(3), groups="characters").best("delta"),
        lambda: held_out(HAND, alpha_grid(3), by="delta", seed=0, groups="characters"),
    ):
        with pytest.raises(InputError, match=r"no pairs in D<, D>.*choose by accuracy"):
            way()
    assert sweep(HAND, alpha_grid(3), groups="characters").best("accuracy") == 2


def test_of_settings_that_do_as_well_the_first_is_taken() -> None:
    """Pairs of equal length fall the same way at every alpha."""
    made = totals(("a", (-3, 4), (-4, 4)), ("a", (-8, 4), (-6, 4)))
    assert sweep(made, alpha_grid()).best("accuracy") == 0


def drawn(count: int, *, alpha: float, seed: int) -> PairTotals:
    """Pairs that SLLN-LP judges without bias at `alpha`: its scores do not depend on the lengths."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 16, (count, 2)).astype(np.float64)
    scores = -rng.normal(9, 1, (count, 2))
    right = rng.random(count) < 0.85
    swapped = (scores[:, 0] > scores[:, 1]) != right
    scores[swapped] = scores[swapped][:, ::-1]
    uids = np.array([f"u{number % 20}" for number in range(count)], object)
    logprob = (scores * lengths**alpha).ravel()
    return PairTotals(uids, uids, np.arange(count, dtype=np.int32), logprob, {"tokens": lengths.ravel()})


@pytest.mark.parametrize("alpha", [0.25, 0.5])
def test_the_alpha_under_which_pairs_are_unbiased_is_found(alpha: float) -> None:
    made = drawn(6000, alpha=alpha, seed=1)
    for by in ("delta", "accuracy"):
        found = best_setting(made, alpha_grid(), by=by, seed=0, resamples=200)  # type: ignore[arg-type]
        (best,) = found.parameters
        assert best.low <= alpha <= best.high
        assert best.low <= best.value <= best.high
        assert best.high - best.low <= 0.1
        assert found.resamples == 200


def test_an_interval_holds_the_truth_at_least_as_often_as_it_says() -> None:
    """95 of 100 on average; below 88 would come once in 700 such tests. The settings are steps, so it is more."""
    grid = alpha_grid(41)
    within = 0
    for seed in range(100):
        found = best_setting(drawn(600, alpha=0.5, seed=seed), grid, by="delta", seed=seed, resamples=100)
        within += found.parameters[0].low <= 0.5 <= found.parameters[0].high
    assert within >= 88


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    made = drawn(300, alpha=0.5, seed=1)
    grid = alpha_grid(101)
    one, same, other = (best_setting(made, grid, by="delta", seed=seed, resamples=100) for seed in (0, 0, 1))
    assert one == same
    assert one.parameters != other.parameters


def test_resamples_without_a_group_are_counted_out() -> None:
    """Of the only paradigm's two pairs of D> and D<, each resample may lose one; delta is then not defined."""
    made = totals(("a", (-3, 4), (-4, 4)), ("a", (-2, 1), (-12, 4)), ("a", (-12, 4), (-4, 1)))
    found = best_setting(made, alpha_grid(3), by="delta", seed=0, resamples=1000)
    # all three drawn in three draws: 3! of 27 ways, which is 222 of 1,000, with a deviation of 13
    assert 222 - 52 < found.resamples < 222 + 52
    assert best_setting(made, alpha_grid(3), by="accuracy", seed=0, resamples=1000).resamples == 1000


def test_resampling_keeps_every_paradigm_at_its_size() -> None:
    """Each paradigm has one pair: nothing can be drawn otherwise, and the interval is the setting itself."""
    made = totals(*((uid, good, bad) for uid, (_, good, bad) in zip("abcdef", _pairs(HAND), strict=True)))
    found = best_setting(made, alpha_grid(3), by="delta", seed=0, resamples=100)
    assert found.parameters == (Estimate(0.5, 0.5, 0.5),)


def _pairs(of: PairTotals) -> list[tuple[str, Side, Side]]:
    sides = list(zip(of.logprob.tolist(), of.lengths["tokens"].tolist(), strict=True))
    return [(uid, sides[2 * row], sides[2 * row + 1]) for row, uid in enumerate(of.uids)]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=40), st.integers(0, 99))
def test_halves_divide_every_paradigm(uids: list[str], seed: int) -> None:
    """And over all, neither half is more than half the paradigms ahead."""
    made = totals(*((uid, (-1, 1), (-2, 1)) for uid in uids))
    first = halves(made, seed=seed)
    assert (first == halves(made, seed=seed)).all()
    for uid in set(uids):
        mine = first[made.uids == uid]
        assert abs(int(mine.sum()) - int((~mine).sum())) <= 1
    assert abs(int(first.sum()) - int((~first).sum())) <= 2


def test_each_half_is_judged_by_the_setting_of_the_other() -> None:
    """The two halves need different alphas, so what is chosen on one is wrong on the other.

    Of each pair in one half good is right by LP only (-6 over 1 against -8 over 4), in the other by mean LP only
    (-12 over 4 against -4 over 1): by its own half's alpha each is right, by the other's each is wrong.
    """
    shapes = totals(*[("a", (-1, 1), (-2, 1))] * 20)
    first = halves(shapes, seed=3)
    by_lp, by_mean = ("a", (-6.0, 1.0), (-8.0, 4.0)), ("a", (-12.0, 4.0), (-4.0, 1.0))
    made = totals(*(by_lp if one else by_mean for one in first))
    found = held_out(made, Grid(slln_lp, ((0.0,), (1.0,))), by="accuracy", seed=3)
    assert found.settings == ((0.0,), (1.0,))
    assert found.accuracy == 0
    assert sweep(made, Grid(slln_lp, ((0.0,), (1.0,)))).accuracy.tolist() == [0.5, 0.5]
    assert found.choices.link == "slln:0 | slln:1"


def test_held_out_choices_are_those_of_the_one_setting_where_both_halves_agree() -> None:
    made = drawn(2000, alpha=0.5, seed=5)
    found = held_out(made, Grid(slln_lp, ((0.0,), (0.5,), (1.0,))), by="delta", seed=0)
    assert found.settings == ((0.5,), (0.5,))
    plain = choose_from(made, slln_lp(0.5))
    assert found.choices.link == plain.link
    assert (found.choices.good == plain.good).all() and (found.choices.bad == plain.bad).all()
    assert found.split == length_split(plain)
    assert found.accuracy == plain.worth.mean()


@pytest.mark.parametrize("name", ["lp", "mean_lp", "slln:0.3"])
def test_crossing_a_linking_function_with_itself_changes_nothing(name: str) -> None:
    link: Link = parse_link(name)
    first = np.array([True, False, True, True, False, False])
    found, plain = crossed(HAND, (link, link), first=first), choose_from(HAND, link)
    assert (found.good.tolist(), found.bad.tolist()) == (plain.good.tolist(), plain.bad.tolist())
    assert found.length_sign.tolist() == [0, 0, -1, -1, 1, 1]


# MORCELA fitted to pairs: where the parameters are known, and where there are none to be found.


def made(logprob: list[float], length: list[float], unigram: list[float] | None, *, paradigms: int = 1) -> PairTotals:
    """Two rows a pair, good first; pairs of the paradigms in turn."""
    count = len(logprob) // 2
    uids = np.array([f"u{number % paradigms}" for number in range(count)], object)
    return PairTotals(
        uids,
        uids,
        np.arange(count, dtype=np.int32),
        np.array(logprob),
        {"tokens": np.array(length)},
        None if unigram is None else np.array(unigram),
    )


def drawn_by_morcela(count: int, *, beta: float, gamma: float, scale: float = 2.0, seed: int = 0) -> PairTotals:
    """Pairs whose good sentence is the one preferred by MORCELA with probability 1 / (1 + exp(-scale d))."""
    rng = np.random.default_rng(seed)
    length = rng.integers(5, 16, (count, 2)).astype(np.float64)
    unigram = -7 * length + rng.normal(0, 6, (count, 2))
    score = rng.normal(-3, 1, (count, 2))
    logprob = score * length + beta * unigram - gamma
    swapped = rng.random(count) > 1 / (1 + np.exp(-scale * (score[:, 0] - score[:, 1])))
    for column in (length, unigram, logprob):
        column[swapped] = column[swapped][:, ::-1]
    return made(logprob.ravel().tolist(), length.ravel().tolist(), unigram.ravel().tolist(), paradigms=20)


@pytest.mark.parametrize(("beta", "gamma"), [(0.6, 18.0), (0.1, 12.0), (1.0, 0.0)])
def test_the_fit_finds_the_parameters_that_made_the_choices(beta: float, gamma: float) -> None:
    """The first two are settings of Table 5, the third is SLOR."""
    pairs = drawn_by_morcela(10_000, beta=beta, gamma=gamma)
    found = fit_morcela(pairs)
    assert (found.beta, found.gamma, found.scale) == pytest.approx((beta, gamma, 2.0), abs=0.5)
    assert found.beta == pytest.approx(beta, abs=0.06)


@pytest.mark.slow
def test_the_interval_holds_the_parameters_as_often_as_it_says() -> None:
    """38 of 40 on average, were it 95 of 100; 33 or fewer would come once in 300 such tests."""
    held = np.zeros(2, int)
    for seed in range(40):
        beta, gamma = morcela_interval(drawn_by_morcela(1000, beta=0.6, gamma=18, seed=seed), seed=seed, resamples=60)
        held += [beta.low < 0.6 < beta.high, gamma.low < 18 < gamma.high]
    assert (held >= 34).all()


def test_the_fit_is_a_logistic_regression_by_hand() -> None:
    """Lengths and unigrams are equal, so only LP / |x| differs, by 1 in 3 pairs and by -1 in 1: s = log 3.

    Then beta and gamma change nothing, and stay 0; the loss is that of a coin that falls right 3 times in 4.
    """
    found = fit_morcela(made([-4, -6, -4, -6, -4, -6, -6, -4], [2] * 8, [-5] * 8))
    assert found.scale == pytest.approx(log(3), rel=1e-5)
    assert (found.beta, found.gamma) == (0, 0)
    assert found.loss == pytest.approx(-(3 * log(3 / 4) + log(1 / 4)) / 4, rel=1e-6)
    assert found.link.name == "morcela:0,0"


def test_gamma_is_found_by_hand() -> None:
    """U is 0. In four pairs LP / |x| alone differs, 3 times by 1 and once by -1, so s = log 3.

    In four more LP is -6 on both sides; good is of length 2 and bad of length 1 in three, the other way round in one.
    There LP / |x| differs by -3 + 6 = 3 and 1 / |x| by 1/2 - 1, so s (3 - gamma / 2) = log 3 as well: gamma is 4.
    """
    alone, lengths = [-4.0, -6, -4, -6, -4, -6, -6, -4], [2.0, 1, 2, 1, 2, 1, 1, 2]
    found = fit_morcela(made([*alone, *[-6.0] * 8], [*[2.0] * 8, *lengths], [0.0] * 16))
    assert (found.scale, found.gamma) == pytest.approx((log(3), 4), rel=1e-4)
    assert found.beta == 0


def test_pairs_without_a_mistake_have_a_fit_too() -> None:
    """The likelihood has no maximum there, and a program without a guard would run away or divide by zero."""
    found = fit_morcela(made([-4, -6, -3, -9, -5, -7], [2] * 6, [-5] * 6))
    assert np.isfinite([found.beta, found.gamma, found.scale]).all()
    assert found.scale > 5
    assert found.loss < 0.01


@pytest.mark.parametrize(
    "logprob",
    [
        [-6.0, -4] * 4,  # bad is always likelier
        [-5.0, -5] * 4,  # nothing differs
        [],  # no pairs
    ],
)
def test_where_lp_goes_with_the_bad_sentence_nothing_fits(logprob: list[float]) -> None:
    with pytest.raises(InputError, match="no beta and gamma can be fitted"):
        fit_morcela(made(logprob, [2] * len(logprob), [-5] * len(logprob)))


def test_a_fit_needs_unigrams() -> None:
    with pytest.raises(InputError, match="needs unigram counts"):
        fit_morcela(made([-4, -6], [2, 2], None))


def test_held_out_fits_are_honest_and_close_to_the_truth() -> None:
    """The true setting is the best there can be; what is fitted to the other half comes within a point of it."""
    pairs = drawn_by_morcela(8000, beta=0.6, gamma=18)
    best = choose_from(pairs, fit_morcela(pairs).link).worth.mean()
    for found in (held_out_morcela(pairs, seed=1), held_out(pairs, morcela_grid(), by="accuracy", seed=1)):
        assert found.accuracy == pytest.approx(best, abs=0.01)
        assert found.accuracy > choose_from(pairs, mean_lp()).worth.mean() + 0.05
        assert len(found.choices.good) == 8000
        for beta, gamma in found.settings:
            assert (beta, gamma) == (pytest.approx(0.6, abs=0.11), pytest.approx(18, abs=3))


def test_each_half_is_judged_by_the_fit_of_the_other() -> None:
    pairs = drawn_by_morcela(400, beta=0.6, gamma=18)
    found = held_out_morcela(pairs, seed=1)
    (one, other) = found.settings
    assert one != other
    assert found.choices.link == f"morcela:{one[0]:g},{one[1]:g} | morcela:{other[0]:g},{other[1]:g}"
