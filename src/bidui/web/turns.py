"""Turns: whatever is done to one thing is done by one thread after the other, where two at once would only collide."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary


class Turns:
    """A lock for each thing that somebody is at, or waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: WeakValueDictionary[Hashable, threading.Lock] = WeakValueDictionary()

    @contextmanager
    def take(self, thing: Hashable) -> Iterator[None]:
        """Wait for one's turn, and have it."""
        with self._lock:
            mine = self._locks.get(thing)
            if mine is None:
                mine = self._locks[thing] = threading.Lock()
        with mine:
            yield
