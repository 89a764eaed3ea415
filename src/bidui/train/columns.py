"""Columns: long arrays of numbers that are kept in files and read in slices, so that memory does not grow with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

BLOCK = 1 << 18  # numbers: Python's part of the work is small, and what is made of them stays in the caches


@dataclass(slots=True)
class Column:
    """Numbers of one type in a file."""

    path: Path
    dtype: "np.dtype[Any]"
    length: int = 0

    def __len__(self) -> int:
        return self.length

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """The numbers from `start` to before `stop`, or as many of them as there are."""
        count = min(stop, self.length) - start
        if count <= 0:
            return np.zeros(0, self.dtype)
        return np.fromfile(self.path, self.dtype, count, offset=start * self.dtype.itemsize)

    def write(self, start: int, values: NDArray[Any]) -> None:
        """Put numbers in the place of those from `start` on, or behind all."""
        with self.path.open("r+b") as file:
            file.seek(start * self.dtype.itemsize)
            file.write(np.ascontiguousarray(values, self.dtype).data)  # `tofile` does not say that a disk is full
        self.length = max(self.length, start + len(values))

    def append(self, values: NDArray[Any]) -> None:
        """Put numbers behind all."""
        self.write(self.length, values)

    def remove(self) -> None:
        """Give the room on the disk back."""
        self.path.unlink()
        self.length = 0


def new_column(path: Path, dtype: DTypeLike) -> Column:
    """A column without numbers, in a new file."""
    path.open("xb").close()
    return Column(path, np.dtype(dtype))


def slices(length: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Start and stop of the slices in which `length` numbers are read."""
    for start in range(0, length, size):
        yield start, min(length, start + size)
