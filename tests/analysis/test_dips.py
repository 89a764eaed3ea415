"""The test for a dip: its statistic by hand, its false alarms as stated, and its power where a dip is plain."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from bidui.analysis.curves import find_dip
from bidui.errors import InputError
from bidui.scores.links import Floats

SIMULATIONS = 400
ALPHA = 0.05
MOST = int(binom.ppf(0.999, SIMULATIONS, ALPHA))  # false alarms, of a test that keeps its rate


def choices(curve: Floats, rng: np.random.Generator, *, pairs: int = 100, memory: float = 0.8) -> Floats:
    """Choices on the same pairs at every checkpoint: a pair that was right is likely to stay so, as in training."""
    noise = rng.standard_normal((len(curve), pairs))
    for now in range(1, len(curve)):
        noise[now] = memory * noise[now - 1] + np.sqrt(1 - memory**2) * noise[now]
    return (noise < norm.ppf(curve)[:, None]).T.astype(np.float64)


def alarms(curve: Floats | list[float], *, memory: float = 0.8, pairs: int = 100) -> int:
    rng = np.random.default_rng(1)
    tables = (choices(np.array(curve), rng, pairs=pairs, memory=memory) for _ in range(SIMULATIONS))
    return sum(find_dip(table, seed=n, alpha=ALPHA, resamples=399).real for n, table in enumerate(tables))


def nested(*right: int, pairs: int = 100) -> NDArray[np.float64]:
    """Checkpoints that are right on the first so many pairs."""
    return (np.arange(pairs)[:, None] < np.array(right)).astype(np.float64)


def test_drop_and_rise_by_hand() -> None:
    """60, 40 and 70 of 100 right: 20 pairs change one way and 30 the other, so McNemar's 20/√20 and 30/√30."""
    dip = find_dip(nested(60, 40, 70), seed=0)
    assert (dip.before, dip.bottom, dip.after) == (0, 1, 2)
    assert (dip.drop, dip.rise) == pytest.approx((0.2, 0.3))
    assert dip.statistic == pytest.approx(20**0.5)
    assert dip.real


def test_the_clearest_dip_of_a_longer_curve_is_found() -> None:
    dip = find_dip(nested(50, 55, 70, 60, 30, 35, 90, 80), seed=0)
    assert (dip.before, dip.bottom, dip.after) == (2, 4, 6)
    assert (dip.drop, dip.rise) == pytest.approx((0.4, 0.6))


@pytest.mark.parametrize("right", [(20, 40, 60, 80), (80, 60, 40, 20), (20, 80, 80, 20), (50, 50, 50, 50)])
def test_without_both_a_drop_and_a_later_rise_there_is_no_dip(right: tuple[int, ...]) -> None:
    """Each of these changes is significant in itself."""
    dip = find_dip(nested(*right), seed=0)
    assert min(dip.drop, dip.rise) <= 0
    assert dip.p == 1


@pytest.mark.parametrize(
    "curve",
    [
        pytest.param(np.full(8, 0.5), id="flat at chance"),
        pytest.param(np.full(8, 0.97), id="flat at the top"),
        pytest.param(np.linspace(0.4, 0.9, 8), id="rising"),
        pytest.param(np.linspace(0.9, 0.4, 8), id="falling"),
        pytest.param(np.array([0.3, 0.5, 0.7, 0.9, 0.9, 0.7, 0.5, 0.3]), id="a peak"),
    ],
)
@pytest.mark.parametrize("memory", [0.0, 0.95])
def test_false_alarms_on_curves_without_a_dip_are_at_most_as_stated(curve: Floats, memory: float) -> None:
    """Far below, as the module says: both halves of the dip would have to come from noise."""
    assert alarms(curve, memory=memory) <= SIMULATIONS * ALPHA / 10 + 4


@pytest.mark.parametrize("pairs", [100, 300])
@pytest.mark.parametrize(
    "curve",
    [pytest.param([0.95] + [0.5] * 7, id="drop, then flat"), pytest.param([0.5] * 7 + [0.95], id="flat, then rise")],
)
def test_false_alarms_on_the_least_favourable_curves_come_near_the_stated_rate(curve: list[float], pairs: int) -> None:
    """Half of a dip is certain here, and noise has only to make the other: a test made for flat curves would fail."""
    assert 5 <= alarms(curve, pairs=pairs) <= MOST


def test_a_plain_u_shape_is_found() -> None:
    """20 points down and 30 up on 300 pairs."""
    curve = np.concatenate((np.linspace(0.7, 0.5, 6), np.linspace(0.5, 0.8, 7)[1:]))
    assert alarms(curve, pairs=300) >= 0.95 * SIMULATIONS


def test_the_order_of_the_pairs_does_not_matter_and_the_seed_decides() -> None:
    rng = np.random.default_rng(0)
    table = choices(np.array([0.6, 0.5, 0.5, 0.6]), rng)
    assert find_dip(table, seed=4).p == pytest.approx(find_dip(table[rng.permutation(100)], seed=4).p, abs=2e-3)
    assert find_dip(table, seed=4) == find_dip(table, seed=4)


def test_memory_is_bounded_for_many_checkpoints() -> None:
    """154 checkpoints, as Pythia has, are drawn in blocks; the blocks change nothing but the memory."""
    table = choices(np.full(154, 0.5), np.random.default_rng(0), pairs=40)
    assert find_dip(table, seed=0, resamples=399).p > ALPHA


def test_ties_count_one_half() -> None:
    """Two ties that turn wrong are a drop of one pair, with McNemar's statistic 2 x 0.5 / √(2 x 0.25) = √2."""
    table = nested(50, 50, 50)
    table[[10, 11], 0] = 0.5
    table[[10, 11], 1] = 0
    dip = find_dip(table, seed=0)
    assert dip.drop == pytest.approx(0.01)
    assert dip.statistic == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((100, 2)), "2 checkpoints of 100 pairs"),
        (np.ones((29, 5)), "5 checkpoints of 29 pairs"),
        (np.ones(100), "0 checkpoints of 0 pairs"),
        (np.full((100, 3), 50.0), "an accuracy is a number from 0 to 1, and 300 are not"),
        (np.full((100, 3), np.nan), "an accuracy is a number from 0 to 1"),
    ],
)
def test_what_cannot_be_tested_is_refused(table: Floats, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_dip(table, seed=0)


def test_alpha_is_a_rate_and_needs_resamples() -> None:
    """With 99 resamples, p could not be told from 0.05 well enough."""
    with pytest.raises(InputError, match="a rate of false alarms lies between 0 and 1"):
        find_dip(nested(60, 40, 70), seed=0, alpha=5)
    with pytest.raises(InputError, match="99 resamples are too few here; use at least 399"):
        find_dip(nested(60, 40, 70), seed=0, resamples=99)
