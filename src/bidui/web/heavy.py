"""Work that may take long, in processes of its own: comparing, merging and changing large texts.

A thread per process hands it one function after another. What does not end in time is stopped with its process, and a
new one takes its place; what does not fit into the queue is refused. So nobody holds up the threads that everybody
shares, and the server can end at any time.
"""

import asyncio
import multiprocessing
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from bidui.errors import Place, fail
from bidui.web.editing import tables
from bidui.web.editing.text import Edit, apply_edit, make_edit
from bidui.web.editing.workers import limit_memory
from bidui.web.store.revisions import RowChange, row_changes, unified

PROCESSES = 2
SECONDS = 20.0
MEMORY = 1 << 30  # bytes beyond what a process has when it starts
MOST = 24  # calls that wait or are at work
MOST_EACH = 6  # of one person
LIGHT = 1_000  # lines; texts that have no more are compared at once, whatever is in them
LIGHT_STEPS = 20_000_000  # characters that the steps of an edit read; a quarter of a second

T = TypeVar("T")
TableStep = tuple[str, Mapping[str, Any]]  # the name of an operation and its arguments
_SPAWN = multiprocessing.get_context("spawn")  # a copy of a server with threads may hang


class HeavyWork:
    """A few processes for heavy functions; each is started when it is first needed."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._threads = ThreadPoolExecutor(PROCESSES, thread_name_prefix="heavy")
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._calls: Counter[int] = Counter()
        self._closed = False

    async def run(self, function: Callable[..., T], *args: object, who: int, light: bool) -> T:
        """Return what a function of a module returns; light work needs no process.

        `who` asks, and gets no more than her share of the queue.
        """
        if light:
            return await run_in_threadpool(function, *args)
        return await asyncio.wrap_future(self.submit(function, *args, who=who))

    def submit(self, function: Callable[..., T], *args: object, who: int) -> "Future[T]":
        """Return the future result; raises `InputError` where too much waits already."""
        with self._lock:
            if self._calls[who] >= MOST_EACH or self._calls.total() >= MOST:
                raise fail("work-busy", Place())
            self._calls[who] += 1
            try:
                future = self._threads.submit(self._call, function, args)
            except RuntimeError:  # the server ends
                self._calls[who] -= 1
                raise fail("work-busy", Place()) from None
        future.add_done_callback(lambda _: self._leave(who))
        return future

    def _leave(self, who: int) -> None:
        with self._lock:
            self._calls[who] -= 1
            if not self._calls[who]:
                del self._calls[who]

    def _call(self, function: Callable[..., T], args: tuple[object, ...]) -> T:
        with self._lock:
            if self._closed:
                raise fail("work-busy", Place())
            process = self._idle.pop() if self._idle else _Process()
            self._busy.add(process)
        done = False
        try:
            result = process.call(function, args, seconds=self.seconds)
            done = True
        finally:
            with self._lock:
                self._busy.discard(process)
                if done and not self._closed:
                    self._idle.append(process)
                else:
                    process.end()
        if isinstance(result, Exception):
            raise result
        value: T = result
        return value

    def close(self) -> None:
        """Stop what is at work and drop what waits."""
        with self._lock:
            self._closed = True
            for process in (*self._idle, *self._busy):
                process.end()
            self._idle.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Process:
    """A process that calls one function after another, started with the first; it sends back errors, too."""

    def __init__(self) -> None:
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._ended = False

    def call(self, function: Callable[..., object], args: tuple[object, ...], *, seconds: float) -> Any:
        """Return what the function returns, or the error that it raises."""
        try:
            connection = self._started(seconds)
            connection.send((function, args))
            if not connection.poll(seconds):
                raise fail("work-too-long", Place(), {"seconds": f"{seconds:g}"})
            return connection.recv()
        except (EOFError, OSError):  # it ran out of memory or time, or the server ends
            raise fail("work-too-long", Place(), {"seconds": f"{seconds:g}"}) from None

    def end(self) -> None:
        """End it, whatever it does; another thread may be starting it just now."""
        self._ended = True
        if self._process is not None:
            self._process.kill()
            self._process.join()

    def _started(self, seconds: float) -> Connection:
        if self._connection is None:
            self._connection, theirs = _SPAWN.Pipe()
            self._process = _SPAWN.Process(target=_work, args=(theirs, seconds), name="bidui work", daemon=True)
            self._process.start()
            theirs.close()
            if self._ended:
                self.end()
            self._connection.recv()  # it is ready: loading modules does not count
        return self._connection


def _work(connection: Connection, seconds: float) -> None:
    """Call functions until the server closes the connection; an alarm ends a call whose server was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the server, which ends this process
    limit_memory(MEMORY)
    with suppress(EOFError, OSError):
        connection.send("ready")
        while True:
            function, args = connection.recv()
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, seconds + 5)
            try:
                result = function(*args)
            except MemoryError:
                return
            except Exception as error:
                result = error
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)
            connection.send(result)


# What is heavy


def is_light(*texts: str) -> bool:
    """Whether texts are so small that comparing or merging them takes no time."""
    return all(len(text) <= 100 * LIGHT and text.count("\n") <= LIGHT for text in texts)


def compare(old: str, new: str, name: str) -> tuple[str, tuple[RowChange, ...]]:
    """Compare two versions of a file, by lines and by rows."""
    return unified(old, new, name=name), row_changes(old, new, name=name)


OPERATIONS: Mapping[str, Callable[..., Edit]] = {
    "set": tables.set_cell,
    "add": tables.add_rows,
    "delete": tables.delete_rows,
    "column": tables.add_column,
    "paste": tables.paste,
    "changes": tables.apply_changes,
}


def change_table(text: str, steps: Sequence[TableStep], full: bool = False) -> str:
    """Return the text of a table after some steps, each on what the one before left; `full` as in `read_table`."""
    for group in _groups(steps):
        table = tables.read_table(text, full=full)
        edits = (OPERATIONS[name](table, **arguments) for name, arguments in group)
        text = apply_edit(text, make_edit(change for edit in edits for change in edit))
    return text


def are_light(text: str, steps: Sequence[TableStep]) -> bool:
    """Whether the steps take little time: the table is read once for each group of them."""
    return len(text) * sum(1 for _ in _groups(steps)) <= LIGHT_STEPS


def _groups(steps: Sequence[TableStep]) -> Iterator[list[TableStep]]:
    """Group cells that are set in different lines, to set them at once: filling a column would take long otherwise."""
    group: list[TableStep] = []
    lines: set[int] = set()
    for name, arguments in steps:
        line = arguments["line"] if name == "set" else 0
        if group and (not line or line in lines or not lines):
            yield group
            group, lines = [], set()
        group.append((name, arguments))
        lines |= {line} - {0}
    if group:
        yield group
