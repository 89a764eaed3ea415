"""What was worked out lately and may be asked for again, a few things at a time, for all threads."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """The values of the keys used last; a key says everything that a value follows from, so that none gets stale."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[Hashable, T] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key; `make` works it out where it is not there, perhaps in two threads at once."""
        with self._lock:
            if key in self._kept:
                self._kept[key] = self._kept.pop(key)  # the last to be forgotten
                return self._kept[key]
        value = make()
        self.put(key, value)
        return value

    def put(self, key: Hashable, value: T) -> None:
        """Keep a value that was worked out on the way to something else."""
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
