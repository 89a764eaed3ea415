"""The order of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bidui.train.order import epoch_order, rows_of, steps_of


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
    """Worked out once with numpy's RandomState([0, 0]), whose streams never change: a change here is a new order."""
    assert epoch_order(5, seed=0, epoch=0).tolist() == np.random.RandomState([0, 0]).permutation(5).tolist()
    assert epoch_order(50, seed=0, epoch=0).tolist() != epoch_order(50, seed=0, epoch=1).tolist()
    assert epoch_order(50, seed=0, epoch=0).tolist() != epoch_order(50, seed=1, epoch=0).tolist()
