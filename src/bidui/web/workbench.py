"""A workbench: everything the pages and calls need, opened when the server starts and closed when it ends."""

import asyncio
import hashlib
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakValueDictionary

from bidui.errors import Place, Problem, fail
from bidui.grammar.project import Settings as ProjectSettings
from bidui.pairs.diversity import Diversity
from bidui.people.progress import StudyProgress
from bidui.web.editing.fitting import WordLink, WordPlace
from bidui.web.editing.preview import OpenProject, open_source, source_of
from bidui.web.editing.tables import Vocabulary
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.fieldwork import Findings
from bidui.web.heavy import HeavyWork
from bidui.web.pair_sets import PairSet
from bidui.web.results import Figures
from bidui.web.runs import Runs
from bidui.web.store.disk import open_store
from bidui.web.store.overview import ParadigmName
from bidui.web.store.revisions import Version
from bidui.web.store.workspace import Entry, Store
from bidui.words import Language

if TYPE_CHECKING:
    from bidui.reports.results import Results as Scored

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MOST_OPEN = 4  # projects kept in memory
MOST_TABLES = 2_000  # whose columns and problems are kept in memory
MOST_RESULTS = 16  # studies whose progress or results are kept in memory
MOST_PAIR_SETS = 4  # sets of pairs in temporary files; a large one takes a hundred megabytes
MOST_EXPORTS = 2  # processes that make pairs at once
LASTS = 40.0  # seconds that a page counts as open; it reports every 15
MOST_PAGES = 10_000  # beyond that, those that reported longest ago are forgotten

MOST_RATES = 50_000  # counters; beyond that, those that began longest ago are forgotten
MOST_HASHES = 32  # passwords that wait or are being hashed; a hash takes a tenth of a second

T = TypeVar("T")
R = TypeVar("R")
Where = tuple[int, str]  # the number of a project, and a file


@dataclass(frozen=True, slots=True)
class Settings:
    """How a workbench is served, decided once when it starts: for whom, under which names, in which language.

    `body`, `upload` and `form` limit what a request may carry: a text, a whole project, a name and a password.
    """

    team: bool = False
    hosts: frozenset[str] = frozenset()  # the names in the Host header that are this server's, with their ports
    secure: bool = False  # reached by https
    cookie: str = "bidui_session"  # browsers do not keep the cookies of two ports apart, so each server has its own
    secret: str = ""  # signs the cookies of sessions; another secret ends them all
    lang: Language | None = None  # for those who have not chosen; None leaves it to their browsers
    body: int = 24_000_000  # bytes; the largest file of a project has 20 million
    upload: int = 110_000_000
    form: int = 20_000
    models: tuple[str, ...] = ()  # those that editors of a team may score with, besides the one that comes with bidui


def host_names(names: tuple[str, ...], *, port: int, secure: bool = False) -> frozenset[str]:
    """Return the Host headers that browsers send for these names; a name with a port, as of a proxy, stays as it is."""
    usual = 443 if secure else 80
    plain = {name.lower() for name in names}
    bare = {name for name in plain if not name.rpartition(":")[2].isdigit() or name.endswith("]")}
    with_port = {f"{name}:{port}" for name in bare}
    return frozenset(plain - bare | with_port | (bare if port == usual or secure else set()))


class Recent(Generic[T]):
    """A cache of the values used last; key and state hold everything that a value follows from: none gets stale.

    Of each key only the value of the last state is kept: two states of a large lexicon take much memory.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[Hashable, tuple[Hashable, T]] = {}

    def get(self, key: Hashable, make: Callable[[], T], *, state: Hashable = None) -> T:
        """Return the value of a key; `make` computes a missing one, perhaps in two threads at once."""
        with self._lock:
            found = self._kept.pop(key, None)  # one of another state is let go before the next is made
            if found is not None and found[0] == state:
                self._kept[key] = found  # the last to be forgotten
                return found[1]
        del found
        value = make()
        self.put(key, value, state=state)
        return value

    def peek(self, key: Hashable, *, state: Hashable = None) -> T | None:
        """Return the value of a key, or None where it is missing or of another state."""
        with self._lock:
            found = self._kept.get(key)
            return found[1] if found is not None and found[0] == state else None

    def put(self, key: Hashable, value: T, *, state: Hashable = None) -> None:
        """Keep a value that was computed on the way to something else."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = (state, value)
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]


class Turns:
    """A lock for each thing that must be done by one thread after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: WeakValueDictionary[Hashable, threading.Lock] = WeakValueDictionary()

    @contextmanager
    def take(self, thing: Hashable) -> Iterator[None]:
        """Wait until no other thread is at this thing."""
        with self._lock:
            lock = self._locks.setdefault(thing, threading.Lock())
        with lock:
            yield


class Hashing:
    """A thread of its own for passwords, and a short queue before it.

    A hash takes long and much memory on purpose: in the threads that everybody shares, a hundred strangers who sign in
    at once would hold up everybody. Those that do not fit into the queue are refused at once.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="passwords")
        self._lock = threading.Lock()
        self._taken = 0

    async def run(self, hash_password: Callable[[], T]) -> T:
        """Return what a function that hashes a password returns."""
        with self._lock:
            if self._taken >= MOST_HASHES:
                raise fail("sign-in-busy", Place())
            self._taken += 1
        future = self._executor.submit(hash_password)
        future.add_done_callback(self._leave)
        return await asyncio.wrap_future(future)

    def _leave(self, _: Future[T]) -> None:
        with self._lock:
            self._taken -= 1

    def close(self) -> None:
        """Drop what waits."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Grouped:
    """A thread that writes what several requests bring in one transaction, and lets each know when it is on the disk.

    Whatever comes while a group is written makes up the next. A group that nothing holds up is written as soon as a
    turn of the event loop has brought nothing new, or after `MOST_WAIT` seconds: two hundred answers at once wait for a
    few commits, and not for two hundred; a single one does not wait for others.
    """

    MOST_WAIT = 0.02

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self._lock = threading.Lock()
        self._waiting: list[tuple[Any, asyncio.Future[Any]]] = []
        self._since = 0.0  # when the first of those that wait came
        self._called = False  # whether the thread was told to take them

    async def put(self, thing: T, write: Callable[[list[T]], Sequence[R]]) -> R:
        """Return what `write`, which is called with all things that wait, returns for this one."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        with self._lock:
            if not self._waiting:
                self._since = loop.time()
            self._waiting.append((thing, future))
        # Two turns: in the first, requests are taken up that had arrived together with this one.
        loop.call_soon(loop.call_soon, self._look, thing, write)
        return await future

    def _look(self, thing: object, write: Callable[[list[Any]], Sequence[Any]]) -> None:
        """Call the thread, unless somebody came after this thing: then that is for her to do."""
        with self._lock:
            if self._called or not self._waiting:
                return
            late = asyncio.get_running_loop().time() - self._since > self.MOST_WAIT
            if self._waiting[-1][0] is not thing and not late:
                return
            self._called = True
        self._executor.submit(self._write, write)

    def _write(self, write: Callable[[list[Any]], Sequence[Any]]) -> None:
        with self._lock:
            group, self._waiting, self._called = self._waiting, [], False
        outcomes: Sequence[Any] = [None] * len(group)
        error: BaseException | None = None
        try:
            outcomes = write([thing for thing, _ in group])
        except BaseException as failed:
            error = failed
        loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
        for (_, future), outcome in zip(group, outcomes, strict=True):
            loops.setdefault(future.get_loop(), []).append((future, outcome))
        for loop, futures in loops.items():  # a server has one
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(_settle, futures, error)

    def close(self) -> None:
        """Finish what is being written."""
        self._executor.shutdown()


def _settle(futures: Iterable[tuple[asyncio.Future[Any], Any]], error: BaseException | None) -> None:
    for future, outcome in futures:
        if future.done():  # whoever asked has gone
            continue
        if error is None:
            future.set_result(outcome)
        else:
            future.set_exception(error)


class Rates:
    """How often something was done lately, kept in memory only: addresses under a hash that ends with the process."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._salt = os.urandom(16)
        self._counts: dict[bytes, tuple[float, int]] = {}

    def check(self, what: str, who: str, *, most: int, minutes: int, count: int = 1) -> None:
        """Refuse where somebody has done this too often within so many minutes; with no `count`, only look."""
        key = hashlib.blake2b(f"{what}\n{who}".encode("utf-8", "replace"), key=self._salt, digest_size=16).digest()
        now = self._clock()
        with self._lock:
            until, done = self._counts.get(key, (0.0, 0))
            if until <= now:
                until, done = now + 60 * minutes, 0
                self._counts.pop(key, None)  # so that the dict stays in the order of time
            if done + max(count, 1) > most:
                raise fail("too-many-tries", Place(), {"minutes": minutes})
            if count:
                self._counts[key] = (until, done + count)
            while len(self._counts) > MOST_RATES:
                del self._counts[next(iter(self._counts))]


class FairTurns:
    """Places for long work, which people take in turn: the next is whoever has waited longest since her last one."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._served: dict[int, int] = {}
        self._turn = count()

    @asynccontextmanager
    async def take(self, who: int) -> AsyncIterator[None]:
        """Wait for a place; only for the event loop, so that no lock is needed."""
        if self._free:
            self._free -= 1
            self._served[who] = next(self._turn)
        else:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((who, place))
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():  # it was given to somebody who has just gone
                    self._pass_on()
                raise
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        self._waiting = [(who, place) for who, place in self._waiting if not place.done()]
        if not self._waiting:
            self._free += 1
            return
        who, place = min(self._waiting, key=lambda waiting: self._served.get(waiting[0], -1))
        self._waiting.remove((who, place))
        self._served[who] = next(self._turn)
        place.set_result(None)


class Presence:
    """Who has which file open, as far as pages have reported; kept in memory. A page is known by its user and tab."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[tuple[int, str], tuple[float, str, Where]] = {}

    def arrive(self, where: Where, *, user: int, name: str, tab: str) -> None:
        """Note that a page has this file open."""
        with self._lock:
            self._seen.pop((user, tab), None)  # so that the dict stays in the order of time
            self._seen[user, tab] = (self._clock(), name, where)
            while len(self._seen) > MOST_PAGES:
                del self._seen[next(iter(self._seen))]

    def leave(self, *, user: int, tab: str) -> None:
        """Note that a page was closed."""
        with self._lock:
            self._seen.pop((user, tab), None)

    def others(self, where: Where, *, user: int, tab: str) -> list[str]:
        """Return who has the file open in other pages, each name once; also the user herself, in another tab."""
        oldest = self._clock() - LASTS
        with self._lock:
            self._seen = {page: seen for page, seen in self._seen.items() if seen[0] > oldest}
            return sorted({name for page, (_, name, at) in self._seen.items() if at == where and page != (user, tab)})


@dataclass(frozen=True, slots=True)
class Words:
    """The lexicon's files in their latest revisions, and the vocabulary in all of them."""

    versions: Mapping[str, Version]
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Places:
    """The places for words in a project's paradigms, the links between them, and the files of these by uid.

    `relations` are the uids that use each relation; with the project's settings, they say what its tables are for.
    """

    places: tuple[WordPlace, ...]
    links: tuple[WordLink, ...]
    files: Mapping[str, str]
    relations: Mapping[str, tuple[str, ...]]
    settings: ProjectSettings


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a list says of a table: its columns, the number of its rows, and what is wrong in it."""

    columns: tuple[str, ...]
    rows: int
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Project:
    """A project in memory, for one thread at a time: looking things up fills what it remembers."""

    key: str = ""  # of the source it was read from; empty before
    opened: OpenProject | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class ProjectCache:
    """Lexicon, phrases and relations of the projects used last, read again when a file has changed."""

    def __init__(self) -> None:
        self._recent: Recent[_Project] = Recent(MOST_OPEN)

    @contextmanager
    def use(self, entry: Entry) -> Iterator[OpenProject]:
        """Lend the project as its files are now; other threads wait meanwhile, so be quick."""
        project = self._recent.get(entry.id, _Project)
        with project.lock:
            source = source_of(entry.folder)
            if project.opened is None or project.key != source.key:
                project.opened = None  # let go first: two states of a large lexicon take twice the memory
                project.opened, project.key = open_source(source), source.key
            yield project.opened


@dataclass(frozen=True, slots=True)
class Workbench:
    """A workspace with its database, the workers that make previews, and what is remembered between requests."""

    store: Store
    workers: PreviewWorkers
    settings: Settings
    presence: Presence = field(default_factory=Presence)
    opened: ProjectCache = field(default_factory=ProjectCache)
    turns: Turns = field(default_factory=Turns)
    hashing: Hashing = field(default_factory=Hashing)
    answers: Grouped = field(default_factory=Grouped)
    rates: Rates = field(default_factory=Rates)
    heavy: HeavyWork = field(default_factory=HeavyWork)
    words: Recent[Words] = field(default_factory=lambda: Recent(MOST_OPEN))
    places: Recent[Places] = field(default_factory=lambda: Recent(MOST_OPEN))
    tables: Recent[TableFacts] = field(default_factory=lambda: Recent(MOST_TABLES))
    names: Recent[tuple[ParadigmName, ...]] = field(default_factory=lambda: Recent(MOST_OPEN))
    progress: Recent[StudyProgress] = field(default_factory=lambda: Recent(MOST_RESULTS))
    results: Recent[Findings] = field(default_factory=lambda: Recent(MOST_RESULTS))
    pair_sets: Recent[PairSet] = field(default_factory=lambda: Recent(MOST_PAIR_SETS))
    diversity: Recent[Diversity] = field(default_factory=lambda: Recent(MOST_RESULTS))
    scores: "Recent[Scored | None]" = field(default_factory=lambda: Recent(MOST_OPEN))
    figures: Recent[Figures] = field(default_factory=lambda: Recent(MOST_RESULTS))
    stored: Recent[list[str]] = field(default_factory=lambda: Recent(MOST_RESULTS))
    exports: FairTurns = field(default_factory=lambda: FairTurns(MOST_EXPORTS))
    runs: Runs = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", Runs(self.store))


@contextmanager
def open_workbench(
    root: str | Path, *, settings: Settings, database: str | None = None, adopt: bool = False
) -> Iterator[Workbench]:
    """Open the workbench of a folder that is a project or holds several; see `open_store`."""
    with closing(open_store(root, database=database, adopt=adopt)) as store, PreviewWorkers() as workers:
        bench = Workbench(store, workers, settings)
        with closing(bench.hashing), closing(bench.answers), closing(bench.heavy), closing(bench.runs):
            yield bench
