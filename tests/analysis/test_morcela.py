"""MORCELA fitted to pairs: where the parameters are known, and where there are none to be found."""

from math import log

import numpy as np
import pytest

from bidui.analysis.length_bias import fit_morcela, held_out, held_out_morcela, morcela_grid, morcela_interval
from bidui.errors import InputError
from bidui.scores.choices import PairTotals, choose_from
from bidui.scores.links import mean_lp


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


def drawn(count: int, *, beta: float, gamma: float, scale: float = 2.0, seed: int = 0) -> PairTotals:
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
    pairs = drawn(10_000, beta=beta, gamma=gamma)
    found = fit_morcela(pairs)
    assert (found.beta, found.gamma, found.scale) == pytest.approx((beta, gamma, 2.0), abs=0.5)
    assert found.beta == pytest.approx(beta, abs=0.06)


@pytest.mark.slow
def test_the_interval_holds_the_parameters_as_often_as_it_says() -> None:
    """38 of 40 on average, were it 95 of 100; 33 or fewer would come once in 300 such tests."""
    held = np.zeros(2, int)
    for seed in range(40):
        beta, gamma = morcela_interval(drawn(1000, beta=0.6, gamma=18, seed=seed), seed=seed, resamples=60)
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
    with pytest.raises(InputError, match="no beta and gamma fit"):
        fit_morcela(made(logprob, [2] * len(logprob), [-5] * len(logprob)))


def test_a_fit_needs_unigrams() -> None:
    with pytest.raises(InputError, match="needs unigrams"):
        fit_morcela(made([-4, -6], [2, 2], None))


def test_held_out_fits_are_honest_and_close_to_the_truth() -> None:
    """The true setting is the best there can be; what is fitted to the other half comes within a point of it."""
    pairs = drawn(8000, beta=0.6, gamma=18)
    best = choose_from(pairs, fit_morcela(pairs).link).worth.mean()
    for found in (held_out_morcela(pairs, seed=1), held_out(pairs, morcela_grid(), by="accuracy", seed=1)):
        assert found.accuracy == pytest.approx(best, abs=0.01)
        assert found.accuracy > choose_from(pairs, mean_lp()).worth.mean() + 0.05
        assert len(found.choices.good) == 8000
        for beta, gamma in found.settings:
            assert (beta, gamma) == (pytest.approx(0.6, abs=0.11), pytest.approx(18, abs=3))


def test_each_half_is_judged_by_the_fit_of_the_other() -> None:
    pairs = drawn(400, beta=0.6, gamma=18)
    found = held_out_morcela(pairs, seed=1)
    (one, other) = found.settings
    assert one != other
    assert found.choices.link == f"morcela:{one[0]:g},{one[1]:g} | morcela:{other[0]:g},{other[1]:g}"
