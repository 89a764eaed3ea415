"""A workbench: what the pages and calls need to answer, opened when the server starts and closed when it ends."""

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from bidui.errors import Place, Problem
from bidui.grammar.lexicon import parse_lexicon
from bidui.web.editing.fitting import WordPlace
from bidui.web.editing.preview import Opened, open_source, source_of
from bidui.web.editing.tables import Vocabulary, read_vocabulary
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.store.disk import open_store
from bidui.web.store.names import Kind
from bidui.web.store.revisions import Version, heads, latest
from bidui.web.store.workspace import Entry, Store
from bidui.words import Language

# Settings: how a workbench is served, decided once when it starts.

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Settings:
    """For whom (one person at the machine, or a team), under which names, in which language, and how much is taken.

    A body is what a request carries: a text of a project, or for an import (`upload`) a whole one.
    """

    team: bool = False
    hosts: frozenset[str] = frozenset()  # the names in the Host header that are this server's, with their ports
    secure: bool = False  # reached by https
    cookie: str = "bidui_session"  # browsers do not keep the cookies of two ports apart, so each server has its own
    secret: str = ""  # signs the cookies of sessions; another secret ends them all
    lang: Language | None = None  # for those who have not chosen; None leaves it to their browsers
    body: int = 24_000_000  # bytes; the largest file of a project has 20 million
    upload: int = 110_000_000
    form: int = 20_000  # a name and a password


def host_names(names: tuple[str, ...], *, port: int, secure: bool = False) -> frozenset[str]:
    """The Host headers that browsers send for these names; one with a port, as of a proxy, stays as it is."""
    usual = 443 if secure else 80
    plain = {name.lower() for name in names}
    bare = {name for name in plain if not name.rpartition(":")[2].isdigit() or name.endswith("]")}
    with_port = {f"{name}:{port}" for name in bare}
    return frozenset(plain - bare | with_port | (bare if port == usual or secure else set()))


# What was worked out lately and may be asked for again, a few things at a time, for all threads.

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


# Turns: whatever is done to one thing is done by one thread after the other, where two at once would only collide.


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


# Presence: who has which file open, as far as their pages have said so lately; kept in memory only.

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


# The words of a project as calls see them: read once for each state of its files.

KINDS: frozenset[Kind] = frozenset({"lexicon", "features"})
NEW = "lexicon.tsv"  # what a project that has no words yet starts with
EMPTY = "expression\n"


@dataclass(frozen=True, slots=True)
class Words:
    """The lexicon's files as their latest revisions have them, and what they hold together."""

    versions: Mapping[str, Version]
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Places:
    """The places for words in a project's paradigms, and the files of these by uid."""

    places: tuple[WordPlace, ...]
    files: Mapping[str, str]


def words_of(store: Store, entry: Entry, *, recent: Recent[Words]) -> Words:
    """The words of a project, perhaps read before; `refresh` first, to see what was changed outside."""
    key = _key(entry, heads(store, entry, KINDS))
    return recent.get(key, lambda: _read(latest(store, entry, KINDS)))


def with_file(words: Words, version: Version, vocabulary: Vocabulary) -> Words:
    """The words after one file has a new revision, with which the vocabulary was read."""
    return Words({**words.versions, version.revision.file: version}, vocabulary)


def keep_words(words: Words, entry: Entry, *, recent: Recent[Words]) -> None:
    """Spare others the reading of words that were read on the way to saving them."""
    numbers = {name: version.revision.id for name, version in words.versions.items()}
    recent.put(_key(entry, numbers), words)


def _key(entry: Entry, numbers: Mapping[str, int]) -> Hashable:
    return (entry.id, *sorted(numbers.items()))


def _read(versions: Mapping[str, Version]) -> Words:
    return Words(versions, vocabulary_of({name: version.text for name, version in versions.items()}))


@dataclass(slots=True)
class WordCheck:
    """A `check` for `save`: it reads all words as they would be with the new text of a file, and remembers them."""

    words: Words
    file: str
    vocabulary: Vocabulary | None = None

    def __call__(self, text: str) -> tuple[Problem, ...]:
        """Return the problems of the text by itself."""
        texts = {name: version.text for name, version in self.words.versions.items()}
        self.vocabulary = vocabulary_of({**texts, self.file: text}, known=self.words.vocabulary)
        return self.vocabulary.own.get(self.file, ())


def vocabulary_of(texts: Mapping[str, str], *, known: Vocabulary | None = None) -> Vocabulary:
    """The vocabulary in the texts of the lexicon's files and `features.tsv`; files in `lexicon/` come first."""
    lexicon = {name: text for name, text in texts.items() if name != "features.tsv"}
    several = {name: text for name, text in lexicon.items() if name != NEW}
    found = read_vocabulary(several or lexicon, features=texts.get("features.tsv"), known=known)
    if not several or NEW not in lexicon:
        return found
    more = Problem("lexicon-twice", Place(NEW))
    own = {**found.own, NEW: tuple(parse_lexicon(lexicon[NEW], name=NEW)[1])}
    return replace(found, problems=(more, *found.problems), own=own)


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
