"""Presence: who has which file open, as far as their pages have said so lately; kept in memory only."""

import threading
import time
from collections.abc import Callable

LASTS = 40.0  # seconds; a page says that it is there every 15
MOST = 10_000  # pages; beyond that, those heard of longest ago are forgotten

Where = tuple[int, str]  # the number of a project, and a file


class Presence:
    """Who is where; a page is known by its user and the name of its tab."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[tuple[int, str], tuple[float, str, Where]] = {}

    def arrive(self, where: Where, *, user: int, name: str, tab: str) -> None:
        """A page has this file open now."""
        with self._lock:
            self._seen.pop((user, tab), None)  # so that the dict stays in the order of time
            self._seen[user, tab] = (self._clock(), name, where)
            while len(self._seen) > MOST:
                del self._seen[next(iter(self._seen))]

    def leave(self, *, user: int, tab: str) -> None:
        """A page was closed."""
        with self._lock:
            self._seen.pop((user, tab), None)

    def others(self, where: Where, *, user: int, tab: str) -> list[str]:
        """Who has the file open in other pages, each name once; one's own, too, where it is another tab."""
        oldest = self._clock() - LASTS
        with self._lock:
            self._seen = {page: seen for page, seen in self._seen.items() if seen[0] > oldest}
            return sorted({name for page, (_, name, at) in self._seen.items() if at == where and page != (user, tab)})
