"""MORCELA fitted to graded ratings: what is fitted is found again, and judged on paradigms that were left out."""

from dataclasses import replace

import numpy as np
import pytest

from bidui.analysis.ratings import correlate, fit_morcela_to_ratings, match
from bidui.errors import InputError
from bidui.people.ratings import Acceptability
from bidui.scores.choices import PairTotals, choose_from
from bidui.scores.links import Floats, morcela

PARADIGMS, PAIRS = 6, 10


def totals(seed: int = 0, *, paradigms: int = PARADIGMS) -> PairTotals:
    """Sentences of 4 to 12 tokens with log-probabilities and unigrams that nothing connects."""
    rng, count = np.random.default_rng(seed), paradigms * PAIRS
    lengths = rng.integers(4, 13, 2 * count).astype(np.float64)
    uids = np.repeat(np.array([f"u{n}" for n in range(paradigms)], object), PAIRS)
    numbers = np.tile(np.arange(PAIRS, dtype=np.int32), paradigms)
    logprob, unigram = -rng.uniform(2, 6, 2 * count) * lengths, -rng.uniform(6, 9, 2 * count) * lengths
    return PairTotals(uids, uids, numbers, logprob, {"tokens": lengths}, unigram)


def rated(of: PairTotals, values: Floats) -> Acceptability:
    """Ratings of all sentences, good and bad in turn."""
    good = np.tile(np.array([True, False]), len(of))
    counts = np.ones(2 * len(of), np.int64)
    return Acceptability(np.repeat(of.uids, 2), np.repeat(of.pairs, 2), good, values, counts, (), 0, 0)


def test_gamma_is_not_given_where_all_sentences_are_of_one_length() -> None:
    """1 / |x| is then a constant, and any gamma gives the same r; 0 with an interval of [0, 0] would look certain."""
    of = replace(totals(), lengths={"tokens": np.full(2 * PARADIGMS * PAIRS, 8.0)})
    fit = fit_morcela_to_ratings(of, rated(of, morcela(0.6, 18).score(of.totals())))
    assert fit.beta.value == pytest.approx(0.6)
    assert np.isnan([fit.gamma.value, *fit.gamma.interval, fit.spread(1).value]).all()


def test_parameters_have_no_limits_where_the_ratings_may_have_nothing_to_do_with_the_probabilities() -> None:
    """Both are divided by the weight of the log-probability, which is not above zero in many of the resamples.

    The ratings are noise, and a twelfth of LP / |x|, which lies between -6 and -2.
    """
    of = totals()
    noise = np.random.default_rng(5).normal(0, 1, 2 * len(of))
    weak = rated(of, morcela(0, 0).score(of.totals()) / 12 + noise)
    fit = fit_morcela_to_ratings(of, weak)
    assert fit.beta.interval == fit.gamma.interval == (-np.inf, np.inf)


def test_scores_that_are_not_finite_are_refused() -> None:
    """Least squares would fail with an error of its own."""
    of = totals()
    ratings = rated(of, morcela(0.6, 18).score(of.totals()))
    of.logprob[4] = -np.inf
    with pytest.raises(InputError, match="value 5 is -inf"):
        fit_morcela_to_ratings(of, ratings)


def test_ratings_that_are_morcela_give_back_its_parameters() -> None:
    """Ratings are 3 times the score with beta 0.6 and gamma 18, plus 1: r is 1, also on what was left out."""
    of = totals()
    ratings = rated(of, 3 * morcela(0.6, 18).score(of.totals()) + 1)
    for over in ("pointwise", "pairwise"):
        fit = fit_morcela_to_ratings(of, ratings, over=over)  # type: ignore[arg-type]
        assert (fit.beta.value, fit.gamma.value) == (pytest.approx(0.6), pytest.approx(18))
        assert (fit.fitted, fit.held_out.estimate.value) == (pytest.approx(1), pytest.approx(1))
        assert fit.folds == "paradigms" and len(fit.settings) == 50
        assert fit.spread(0).low == pytest.approx(0.6) and fit.beta.interval == pytest.approx((0.6, 0.6))
    # the default, beta 1 and gamma 0, is worse, and is what SLOR gives
    assert fit_morcela_to_ratings(of, ratings).plain == pytest.approx(
        correlate(choose_from(of, morcela()), ratings).pointwise.estimate.value
    )


def test_no_other_setting_correlates_better() -> None:
    """Least squares maximises r: no neighbour of the fitted parameters has a higher one."""
    of = totals(1)
    noise = np.random.default_rng(2).normal(size=2 * len(of))
    ratings = rated(of, morcela(0.5, 5).score(of.totals()) + noise)
    fit = fit_morcela_to_ratings(of, ratings)
    for beta, gamma in ((0.05, 0), (-0.05, 0), (0, 1), (0, -1)):
        near = morcela(fit.beta.value + beta, fit.gamma.value + gamma).score(of.totals())
        assert np.corrcoef(near, ratings.values)[0, 1] < fit.fitted


def test_what_is_fitted_to_noise_is_worth_less_on_what_was_left_out() -> None:
    """A fit to ratings that hang on LP a little flatters itself; the held-out r is lower."""
    of = totals(3)
    noise = np.random.default_rng(4).normal(size=2 * len(of))
    fit = fit_morcela_to_ratings(of, rated(of, 0.4 * morcela(0, 0).score(of.totals()) + noise))
    assert fit.held_out.estimate.value < fit.fitted
    assert fit.divisions.low <= fit.divisions.value <= fit.divisions.high


def test_one_paradigm_is_divided_by_pairs_and_few_pairs_are_refused() -> None:
    of = totals(paradigms=1)
    with pytest.raises(InputError, match="10 pairs"):
        fit_morcela_to_ratings(of, rated(of, of.logprob))
    of = PairTotals(*(np.tile(one, 2) for one in (of.uids, of.uids)), np.arange(20, dtype=np.int32), *_twice(of))
    assert fit_morcela_to_ratings(of, rated(of, of.logprob)).folds == "pairs"


def _twice(of: PairTotals) -> tuple[Floats, dict[str, Floats], Floats]:
    assert of.unigram is not None
    more = totals(5, paradigms=1)
    assert more.unigram is not None
    lengths = np.concatenate([of.lengths["tokens"], more.lengths["tokens"]])
    return np.concatenate([of.logprob, more.logprob]), {"tokens": lengths}, np.concatenate([of.unigram, more.unigram])


def test_ratings_against_the_probabilities_cannot_be_fitted() -> None:
    of = totals()
    with pytest.raises(InputError, match="a higher probability does not go with a higher rating"):
        fit_morcela_to_ratings(of, rated(of, -of.logprob / of.lengths["tokens"]))


def test_sentences_are_matched_by_paradigm_number_and_side() -> None:
    """Of three ratings, one is of a pair that was not scored; both sides of u0/1 make a pair with a gap of 3."""
    of = totals()
    some = Acceptability(
        np.array(["u0", "u0", "x"], object),
        np.array([1, 1, 0], np.int32),
        np.array([False, True, True]),
        np.array([1.0, 4.0, 2.0]),
        np.ones(3, np.int64),
        (),
        0,
        0,
    )
    found = match(of, some)
    assert (found.rows.tolist(), found.unscored) == ([1, 1], 1)
    assert (found.whole.tolist(), found.gaps.tolist()) == ([1], [3.0])
