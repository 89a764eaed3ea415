"""The order of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bidui.training.recipe import epoch_order, rows_of, steps_of


@given(st.integers(1, 400), st.integers(0, 2**32 - 1), st.integers(0, 3), st.sampled_from([4, 8, 16]))
def test_every_row_comes_at_most_once_an_epoch(rows: int, seed: int, epoch: int, batch: int) -> None:
    order = epoch_order(rows, seed=seed, epoch=epoch)
    steps = steps_of(rows, batch=batch)
    taken = [row for step in range(steps) for row in rows_of(order, step, batch=batch)]
    assert len(taken) == len(set(taken)) == rows // batch * batch


@given(st.integers(0, 9), st.sampled_from([1, 2, 4, 8]))
def test_the_rows_of_a_step_do_not_depend_on_the_number_of_processes(step: int, world: int) -> None:
    order = epoch_order(100, seed=7, epoch=0)
    parts = [rows_of(order, step, batch=8, rank=rank, world=world) for rank in range(world)]
    assert np.concatenate(parts).tolist() == rows_of(order, step, batch=8).tolist()


def test_the_stream_is_the_frozen_one() -> None:
    """A change here is a new order of every run. Worked out without numpy: the Mersenne Twister of Python's `random`,
    seeded with seed + 2^32 epoch, has the same key; place i, from the last to 1, changes with the place drawn for it.

    seed 7, epoch 1: the places drawn are 4 1 0 0 3 2 0, so 01234567 becomes
    01237564, 06237514, 56237014, 76235014, twice the same, 67235014
    seed 0, epoch 2: 5 0, a 6 that is beyond place 5 and drawn again, 3 3 1 1 0
    """
    assert epoch_order(8, seed=7, epoch=1).tolist() == [6, 7, 2, 3, 5, 0, 1, 4]
    assert epoch_order(8, seed=0, epoch=2).tolist() == [2, 6, 4, 1, 7, 3, 0, 5]
    assert epoch_order(50, seed=0, epoch=0).tolist() != epoch_order(50, seed=0, epoch=1).tolist()
    assert epoch_order(50, seed=0, epoch=0).tolist() != epoch_order(50, seed=1, epoch=0).tolist()
