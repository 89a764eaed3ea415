"""Length bias and the search for the best parameters: worked out by hand, and on pairs whose bias is known."""

from dataclasses import replace
from math import isnan, log

import numpy as np
import pytest

from bidui.analysis.length_bias import (
    Grid,
    alpha_grid,
    best_setting,
    fit_morcela,
    held_out,
    held_out_morcela,
    morcela_grid,
    morcela_interval,
    sweep,
    within_paradigms,
)
from bidui.errors import InputError
from bidui.intervals import Estimate
from bidui.scores.choices import Choices, PairTotals, choose_from, length_split
from bidui.scores.links import lp, mean_lp, slln_lp, slor

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
        lambda: held_out(HAND, alpha_grid(3), by="delta", groups="characters"),
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
    """Of the only paradigm's 20 pairs one is in D> and one in D<; delta needs both drawn.

    That a resample lacks one of them has probability (19/20)^20 = 0.358, both (18/20)^20 = 0.122: 0.405 have both.
    """
    equal = [("a", (-3.0, 4.0), (-4.0, 4.0))] * 18
    made = totals(*equal, ("a", (-2, 1), (-12, 4)), ("a", (-12, 4), (-4, 1)))
    found = best_setting(made, alpha_grid(3), by="delta", seed=0, resamples=1000)
    assert 405 - 60 < found.resamples < 405 + 60
    assert found.parameters[0].kind == "pairs"
    assert best_setting(made, alpha_grid(3), by="accuracy", seed=0, resamples=1000).resamples == 1000


def test_few_pairs_and_pairs_of_one_length_have_no_best_alpha() -> None:
    """Six pairs decide nothing; where no pair differs in length, "alpha = 0 [0, 0]" would be no finding."""
    with pytest.raises(InputError, match="there are 6 pairs; with fewer than 20, no parameter is chosen"):
        best_setting(HAND, alpha_grid(3), by="accuracy", seed=0)
    with pytest.raises(InputError, match="with fewer than 20, no parameter is chosen"):
        held_out(HAND, alpha_grid(3), by="accuracy")
    alike = totals(*[(uid, (-3.0, 4.0), (-4.0, 4.0)) for uid in "ab" * 10])
    for way in (best_setting, held_out):
        with pytest.raises(InputError, match=r"0 of them differ in length\), so alpha changes nothing here"):
            way(alike, alpha_grid(3), by="accuracy", seed=0)


def test_each_paradigm_is_judged_by_what_was_chosen_on_the_others() -> None:
    """Ten paradigms in five folds, all alike but one: that one alone needs LP, so it is always judged by mean LP.

    Good is right by LP only (-6 over 1 against -8 over 4), or by mean LP only (-12 over 4 against -4 over 1). Chosen on
    all pairs, or on half of each paradigm, mean LP has 0.9; held out the same: no fold can choose LP.
    """
    by_lp, by_mean = ((-6.0, 1.0), (-8.0, 4.0)), ((-12.0, 4.0), (-4.0, 1.0))
    grid = Grid(slln_lp, ((0.0,), (1.0,)))
    made = totals(*((uid, *(by_lp if uid == "a" else by_mean)) for uid in "abcdefghij" for _ in range(4)))
    found = held_out(made, grid, by="accuracy", seed=3, divisions=4)
    assert set(found.settings) == {(1.0,)} and len(found.settings) == 20
    assert found.accuracies.tolist() == [0.9] * 4 and found.choices.link == "slln:1"
    # two paradigms, each of which is wrong by what the other one chooses
    apart = totals(*((uid, *(by_lp if uid == "a" else by_mean)) for uid in "ab" for _ in range(20)))
    crossed = held_out(apart, grid, by="accuracy", divisions=2)
    assert crossed.accuracy == Estimate(0, 0, 0) and set(crossed.settings) == {(0.0,), (1.0,)}
    assert set(crossed.choices.link.split(" | ")) == {"slln:0", "slln:1"}
    assert crossed.spread(0) == Estimate(0.5, 0, 1)
    assert sweep(apart, grid).accuracy.tolist() == [0.5, 0.5]


def test_held_out_choices_are_those_of_the_one_setting_where_all_folds_agree() -> None:
    made = drawn(2000, alpha=0.5, seed=5)
    found = held_out(made, Grid(slln_lp, ((0.0,), (0.5,), (1.0,))), by="delta", seed=0)
    assert set(found.settings) == {(0.5,)}
    plain = choose_from(made, slln_lp(0.5))
    assert found.choices.link == plain.link
    assert (found.choices.good == plain.good).all() and (found.choices.bad == plain.bad).all()
    assert found.deltas == pytest.approx(length_split(plain).delta)
    assert found.accuracy.value == pytest.approx(plain.worth.mean())


def test_one_paradigm_cannot_be_held_out_nor_a_group_that_one_paradigm_makes() -> None:
    one = totals(*[("a", (-6.0, 1.0), (-8.0, 4.0))] * 20)
    with pytest.raises(InputError, match="only 1 paradigm; a parameter chosen on some paradigms"):
        held_out(one, alpha_grid(3), by="accuracy")
    groups = {"a": ((-6.0, 1.0), (-8.0, 4.0)), "b": ((-12.0, 4.0), (-4.0, 1.0)), "c": ((-3.0, 4.0), (-4.0, 4.0))}
    made = totals(*((uid, *groups[uid]) for uid in "abc" for _ in range(10)))
    with pytest.raises(InputError, match="come from so few paradigms that none are left when one fold is held out"):
        held_out(made, alpha_grid(3), by="delta")


def test_length_is_read_within_paradigms_that_have_pairs_of_two_groups() -> None:
    """By hand: a has D= 3 of 5 and D< 5 of 5; b has D= 5 of 5 and D> 2 of 5; c has only D=; d D< and D>, 3 of each.

    So D< − D= is 0.4 within one paradigm, D> − D= is -0.6 within one; three pairs are too few to count.
    """
    plan = [
        ("a", 0, 3, 5),
        ("a", -1, 5, 5),
        ("b", 0, 5, 5),
        ("b", 1, 2, 5),
        ("c", 0, 1, 9),
        ("d", -1, 1, 3),
        ("d", 1, 1, 3),
    ]
    rows = [(uid, sign, float(n < right)) for uid, sign, right, pairs in plan for n in range(pairs)]
    uids, signs, good = (np.array(column) for column in zip(*rows, strict=True))
    made = Choices("lp", uids.astype(object), uids.astype(object), np.arange(len(rows)), good, 1 - good, signs)
    found = within_paradigms(made)
    assert found.paradigms == {"D=": 3, "D<": 2, "D>": 2, "both": 1}
    assert (found.shorter.value, found.shorter_of) == (pytest.approx(0.4), 1) and isnan(found.shorter.low)
    assert (found.longer.value, found.longer_of) == (pytest.approx(-0.6), 1)


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
        beta, gamma = morcela_interval(drawn_by_morcela(1000, beta=0.6, gamma=18, seed=seed), seed=seed, resamples=100)
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
    """The true setting is the best there can be; what is fitted to other paradigms comes within a point of it."""
    pairs = drawn_by_morcela(8000, beta=0.6, gamma=18)
    pairs = replace(pairs, uids=np.array([f"u{number % 10}" for number in range(8000)], object))
    best = choose_from(pairs, fit_morcela(pairs).link).worth.mean()
    for found in (held_out_morcela(pairs, seed=1), held_out(pairs, morcela_grid(), by="accuracy", divisions=2)):
        assert found.accuracy.value == pytest.approx(best, abs=0.01)
        assert found.accuracy.value > choose_from(pairs, mean_lp()).worth.mean() + 0.05
        assert len(found.choices.good) == 8000 and len(found.settings) == 5 * len(found.accuracies)
        for beta, gamma in found.settings:
            assert (beta, gamma) == (pytest.approx(0.6, abs=0.11), pytest.approx(18, abs=3))
