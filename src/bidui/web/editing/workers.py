"""Worker processes for previews: whatever a paradigm does, the server goes on.

One thread hands questions to idle workers and their answers to the futures that wait for them. A question that is
outdated (the same editor asks about another text) is dropped, or stopped where it is being worked on. A worker that
does not answer in time, or ends, is replaced. Counts take long, so at least one worker is kept free of them. People
take turns: whoever has waited longest since her last question was taken up comes next, however many others have.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType

from bidui.errors import Problem
from bidui.web.editing.opened import Source
from bidui.web.editing.requests import Answer, Limits, Request
from bidui.web.editing.worker import READY, work

_SPAWN = multiprocessing.get_context("spawn")  # a copy of a server with threads may hang


@dataclass(slots=True, eq=False)
class _Job:
    source: Source
    request: Request
    editor: str
    who: str = ""  # is asking
    future: "Future[Answer]" = field(default_factory=Future)
    again: bool = False  # a worker has ended over it, or before it got to it

    @property
    def slow(self) -> bool:
        return self.request.kind == "count"

    def outdated_by(self, other: "_Job") -> bool:
        """Whether the same editor has asked for something newer in its place."""
        mine, theirs = self.request, other.request
        newer = (mine.text, mine.name) != (theirs.text, theirs.name) or self.source != other.source
        return self.editor == other.editor and (newer or mine.kind == theirs.kind)

    def answer(self, answer: Answer) -> None:
        with suppress(InvalidStateError):  # cancelled
            self.future.set_result(answer)


@dataclass(slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    connection: Connection
    ready: bool = False  # it has started, and listens to signals
    job: _Job | None = None
    deadline: float = 0.0  # on the monotonic clock, while there is a job
    stopping: bool = False
    opened: set[str] = field(default_factory=set)  # keys of projects


class PreviewWorkers:
    """A few worker processes, as a context: `ask` gives a future, which is cancelled where a newer question comes."""

    def __init__(self, *, workers: int = 2, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._size = max(2, workers)
        self._workers: list[_Worker] = []
        self._waiting: list[_Job] = []
        self._taken: dict[str, int] = {}  # whose questions were taken up, and which was the last
        self._turn = count()
        self._lock = threading.RLock()
        self._closed = False
        self._rung = threading.Event()
        self._bell, self._ring = _SPAWN.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._run, name="previews", daemon=True)

    def __enter__(self) -> "PreviewWorkers":
        self._workers = [self._started() for _ in range(self._size)]
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._closed = True
        self._wake()
        self._thread.join()

    def ask(self, request: Request, *, source: Source, editor: str, who: str = "") -> "Future[Answer]":
        """The answer to come; older questions of the same editor that this one makes outdated are cancelled.

        Whoever no longer wants an answer cancels its future.
        """
        job = _Job(source, request, editor, who)
        with self._lock:
            if self._closed:
                job.future.cancel()
                return job.future
            self._cancel(old for old in self._jobs() if old.outdated_by(job))
            self._waiting.append(job)
        job.future.add_done_callback(lambda _: self._wake())
        self._wake()
        return job.future

    def cancel(self, editor: str) -> None:
        """Drops all questions of an editor, which has been closed."""
        with self._lock:
            self._cancel(old for old in self._jobs() if old.editor == editor)

    def _jobs(self) -> list[_Job]:
        return [*self._waiting, *(worker.job for worker in self._workers if worker.job)]

    def _cancel(self, jobs: Iterable[_Job]) -> None:
        for job in list(jobs):
            job.future.cancel()

    def _wake(self) -> None:
        if not self._rung.is_set():
            self._rung.set()
            with suppress(OSError):  # closed
                self._ring.send_bytes(b"!")

    def _started(self) -> _Worker:
        mine, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(theirs, self.limits), name="bidui preview", daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, mine)

    def _run(self) -> None:
        while True:
            with self._lock:
                if self._closed:
                    break
                self._assign()
                deadlines = [worker.deadline for worker in self._workers if worker.job]
                connections = [worker.connection for worker in self._workers]
            pause = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
            ready = wait([self._bell, *connections], pause)
            if self._bell in ready:
                self._bell.recv_bytes()
                self._rung.clear()
            with self._lock:
                for worker in list(self._workers):
                    self._look_after(worker, heard=worker.connection in ready)
        self._close()

    def _look_after(self, worker: _Worker, *, heard: bool) -> None:
        if heard:
            self._receive(worker)
        elif worker.job and time.monotonic() > worker.deadline:
            seconds = self.limits.seconds[worker.job.request.kind]
            self._replace(worker, Problem("preview-too-long", values={"seconds": f"{seconds:g}"}))
        elif worker.job and worker.job.future.cancelled() and worker.ready and not worker.stopping:
            self._stop(worker)

    def _assign(self) -> None:
        """Hands waiting jobs to idle workers, to those that know the project where there is one."""
        self._waiting = [job for job in self._waiting if not job.future.cancelled()]
        if self._waiting and len(self._workers) < self._size:
            self._workers.append(self._started())
        while idle := [worker for worker in self._workers if worker.job is None and worker.process.is_alive()]:
            if (job := self._take()) is None:
                break
            key = job.source.key
            self._send(max(idle, key=lambda worker: (key in worker.opened, worker.ready)), job)
        newest = next((worker.job.source for worker in reversed(self._workers) if worker.job), None)
        for worker in self._workers:  # the next question should not have to wait for it
            if newest and worker.job is None and worker.ready and newest.key not in worker.opened:
                self._send(worker, _Job(newest, Request("open"), ""))

    def _take(self) -> _Job | None:
        """The job whose turn it is: quick ones first, then by who has waited longest, then in the order of asking."""
        slow = sum(worker.job is not None and worker.job.slow for worker in self._workers)
        ready = [job for job in self._waiting if not (job.slow and slow >= self._size - 1)]
        job = min(ready, key=lambda job: (job.slow, self._taken.get(job.who, -1)), default=None)
        if job is not None:
            self._waiting.remove(job)
            self._taken[job.who] = next(self._turn)
        return job

    def _send(self, worker: _Worker, job: _Job) -> None:
        worker.job, worker.stopping = job, False
        worker.deadline = time.monotonic() + self.limits.seconds[job.request.kind] + self.limits.grace
        worker.deadline += 0 if job.source.key in worker.opened else self.limits.opening
        with suppress(OSError):  # it has ended, which will be heard
            worker.connection.send((job.source, job.request))

    def _receive(self, worker: _Worker) -> None:
        try:
            data = worker.connection.recv_bytes()
        except (EOFError, OSError):
            if worker.job and not worker.job.again:  # perhaps it was not its fault
                worker.job.again = True
                self._waiting.insert(0, worker.job)
                worker.job = None
            self._replace(worker, Problem("preview-crashed"))
            return
        if data == READY:
            worker.ready = True
            return
        answer: Answer = pickle.loads(data)
        job, worker.job = worker.job, None
        if job is not None:
            worker.opened.add(job.source.key)
            job.answer(answer)
        if answer.problem and answer.problem.kind == "preview-memory":  # it has ended
            self._replace(worker, answer.problem)

    def _stop(self, worker: _Worker) -> None:
        """Tells a worker to give up its question; one that does not hear is killed, unless it is opening a project."""
        worker.stopping = True
        if worker.job and worker.job.source.key in worker.opened:
            worker.deadline = min(worker.deadline, time.monotonic() + self.limits.grace)
        if hasattr(signal, "SIGUSR1") and worker.process.pid:
            os.kill(worker.process.pid, signal.SIGUSR1)

    def _replace(self, worker: _Worker, problem: Problem) -> None:
        """Ends a worker; the problem is its answer. One that never got ready is not tried again at once."""
        self._end(worker)
        self._workers.remove(worker)
        if worker.job is not None:
            worker.job.answer(Answer(problem=problem))
        if worker.ready:
            self._workers.append(self._started())

    def _end(self, worker: _Worker) -> None:
        worker.process.kill()
        worker.process.join()
        worker.process.close()
        worker.connection.close()

    def _close(self) -> None:
        with self._lock:
            self._cancel(self._jobs())
            for worker in self._workers:
                self._end(worker)
            self._workers.clear()
            self._bell.close()
            self._ring.close()
