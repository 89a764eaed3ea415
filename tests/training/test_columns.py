"""Columns hold what was put into them, wherever it was cut."""

from pathlib import Path

import numpy as np
import pytest

from bidui.training.ngram_counts import Column, new_column, slices


def test_a_column_is_read_as_it_was_written(tmp_path: Path) -> None:
    column = new_column(tmp_path / "c", np.uint32)
    column.append(np.array([1, 2, 3]))
    column.append(np.array([], np.int64))
    column.append(np.array([4, 5]))
    assert len(column) == 5
    assert column.read(1, 4).tolist() == [2, 3, 4]
    assert column.read(3, 99).tolist() == [4, 5]
    assert column.read(5, 9).tolist() == column.read(9, 3).tolist() == []
    assert (tmp_path / "c").stat().st_size == 20  # four bytes each


def test_numbers_are_written_over(tmp_path: Path) -> None:
    column = new_column(tmp_path / "c", np.float32)
    column.append(np.zeros(3))
    column.write(2, np.array([7.5, 8.5]))
    assert column.read(0, 9).tolist() == [0, 0, 7.5, 8.5]
    column.remove()
    assert list(tmp_path.iterdir()) == [] and len(column) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not every system has a disk that is always full")
def test_a_full_disk_is_named_as_such() -> None:
    """Whoever waits for an n-gram model is to be told that there is no room, not how many numbers were written."""
    with pytest.raises(OSError, match="No space left on device"):
        Column(Path("/dev/full"), np.dtype(np.uint32)).append(np.arange(100_000, dtype=np.uint32))


def test_slices_cover_everything_once() -> None:
    assert list(slices(7, 3)) == [(0, 3), (3, 6), (6, 7)]
    assert list(slices(0, 3)) == []
