"""A workbench: what the pages and calls need to answer, opened when the server starts and closed when it ends."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bidui.web.editing.opened import Opened, open_source, source_of
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.presence import Presence
from bidui.web.recent import Recent
from bidui.web.settings import Settings
from bidui.web.store import Entry, Store, open_store
from bidui.web.turns import Turns
from bidui.web.words import Places, Words

MOST_OPEN = 4  # projects kept in memory
MOST_EXPORTS = 2  # processes that make pairs at once


@dataclass(slots=True)
class _Kept:
    """A project in memory, for one thread at a time: looking things up fills what it remembers."""

    key: str = ""  # of the source it was read from; empty before
    opened: Opened | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenedProjects:
    """Lexicon, phrases and relations of the projects used last, read anew where a file has changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[int, _Kept] = {}

    @contextmanager
    def use(self, entry: Entry) -> Iterator[Opened]:
        """The project as its files are now; others wait meanwhile, so do not be long."""
        with self._lock:
            kept = self._kept.pop(entry.id, None) or _Kept()
            self._kept[entry.id] = kept
            while len(self._kept) > MOST_OPEN:
                del self._kept[next(iter(self._kept))]
        with kept.lock:
            source = source_of(entry.folder)
            if kept.opened is None or kept.key != source.key:
                kept.opened, kept.key = open_source(source), source.key
            yield kept.opened


@dataclass(frozen=True, slots=True)
class Workbench:
    """A workspace with its database, worker processes for previews, and what is remembered between requests."""

    store: Store
    workers: PreviewWorkers
    settings: Settings
    presence: Presence = field(default_factory=Presence)
    opened: OpenedProjects = field(default_factory=OpenedProjects)
    turns: Turns = field(default_factory=Turns)
    words: Recent[Words] = field(default_factory=lambda: Recent(MOST_OPEN))
    places: Recent[Places] = field(default_factory=lambda: Recent(MOST_OPEN))
    exports: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_EXPORTS))


@contextmanager
def open_workbench(
    root: str | Path, *, settings: Settings, database: str | None = None, adopt: bool = False
) -> Iterator[Workbench]:
    """The workbench of a folder that is a project or holds several; see `open_store`."""
    store = open_store(root, database=database, adopt=adopt)
    try:
        with PreviewWorkers() as workers:
            yield Workbench(store, workers, settings)
    finally:
        store.close()
