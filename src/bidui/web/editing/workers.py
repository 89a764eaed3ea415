"""Worker processes for previews: whatever a paradigm does, the server keeps answering.

One thread hands questions to idle workers, and their answers to the futures that wait for them. An outdated question
(the same editor asks about another text) is dropped, or stopped if a worker is busy with it. A worker that does not
answer in time, or ends, is replaced. Counts take long, so that they have a worker of their own, which the system lets
wait for all others. People take turns: the next question is that of the person who has waited longest since the last
one, however many questions others have.

A worker (`work`) answers one question after another about projects that it keeps open. It gives up when its time is up
or when it is told to stop, and says so before it ends when it runs out of memory; in all other cases the server can
kill it.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import FrameType

from bidui.errors import InputError, Problem
from bidui.web.editing import preview as previews
from bidui.web.editing.diagnostics import Compilation
from bidui.web.editing.preview import Answer, Counts, Limits, OpenProject, Request, Result, Source, Tally
from bidui.words import Language

MAX_OPEN = 3  # projects
BEHIND = 10  # how far a worker that counts stands behind all others (its nice value)
LARGE = 5_000_000  # bytes of a project that a worker does not open before it is asked: it takes much memory
READY = b"ready"  # the first thing a worker says


class Interruption(BaseException):
    """Raised wherever the worker is when its time is up or it is told to stop."""


@dataclass(slots=True)
class _State:
    limits: Limits
    busy: bool = False
    stopped: str = ""
    projects: dict[str, tuple[str, OpenProject]] = field(default_factory=dict)  # by folder, with the hash of its files


def work(connection: Connection, limits: Limits, slow: bool = False) -> None:
    """Answer questions until the server closes the connection, even in the middle of an answer.

    What is `slow` gets what others leave of the processors.
    """
    if slow and hasattr(os, "nice"):
        os.nice(BEHIND)
    state = _State(limits)
    _listen_to_signals(state)
    limit_memory(limits.memory)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        connection.send_bytes(READY)
        ended = False
        while not ended:
            source, request = connection.recv()
            answer = _answered(state, source, request)
            data = pickle.dumps(answer)
            if len(data) > limits.answer:
                data = pickle.dumps(Answer(problem=Problem("preview-too-large"), seconds=answer.seconds))
            connection.send_bytes(data)
            ended = answer.problem is not None and answer.problem.kind == "preview-memory"


def _answered(state: _State, source: Source, request: Request) -> Answer:
    start = time.perf_counter()
    seconds = state.limits.seconds[request.kind]
    state.stopped = ""
    project: OpenProject | None = None
    try:
        try:
            project = _project(state, source)
            state.busy = True
            _set_timer(seconds, busy=request.kind == "count")
            if state.stopped:  # while the project was being opened
                raise Interruption
            result = _result(state, project, request)
        finally:
            state.busy = False
            _set_timer(0)
        return Answer(result, seconds=time.perf_counter() - start)
    except Interruption:
        kind = "preview-too-long" if state.stopped == "time" else "preview-stopped"
        problem = Problem(kind, values={"seconds": f"{seconds:g}"})
    except MemoryError:
        problem = Problem("preview-memory", values={"megabytes": state.limits.memory >> 20})
    except InputError as error:
        problem = error.problems[0]
    if project is not None:
        project.forget()
    return Answer(problem=problem, seconds=time.perf_counter() - start)


def _result(state: _State, project: OpenProject, request: Request) -> Result | None:
    text, name, language = request.text, request.name, request.language
    if request.kind == "open":
        return None
    if request.kind == "phrases":
        return previews.preview_phrases(text, name=name, compiler=project.compiler, language=language)
    compilation = project.compiled(text, name=name)
    if request.kind == "count":
        basis = previews.basis_of(compilation)
        return Tally(basis, None if basis in request.known else _counts(state, project, compilation, language))
    shown = previews.preview(compilation, n=request.n, seed=request.seed, language=language)
    try:
        if shown.rows:
            shown = replace(shown, words=previews.words_of(compilation, shown.rows, fitting=project.fitting))
    except Interruption:  # the pairs are more important than the words of each slot
        if state.stopped != "time":
            raise
        project.forget()
    return shown


def _counts(state: _State, project: OpenProject, compilation: Compilation, language: Language) -> Counts:
    """Count the pairs; if that takes too long, their number is not known."""
    try:
        return previews.counts_of(compilation, language=language)
    except Interruption:
        if state.stopped != "time":
            raise
        project.forget()
        return Counts(None, exact=False)


def _project(state: _State, source: Source) -> OpenProject:
    """Open a project, or find it open; it is kept with the hash of its files, which may have changed by now.

    Its state before is let go first: two of a large lexicon take twice the memory.
    """
    key, project = state.projects.pop(source.folder, ("", None))
    if project is None or key != source.key:
        project = None
        project, key = previews.open_source(source), previews.source_of(Path(source.folder)).key
    state.projects[source.folder] = (key, project)
    while len(state.projects) > MAX_OPEN:
        del state.projects[next(iter(state.projects))]
    return project


def _listen_to_signals(state: _State) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        state.stopped = "told" if number == signal.SIGUSR1 else "time"
        if state.busy:
            state.busy = False
            raise Interruption

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the server, which closes its workers
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, stop)
        signal.signal(signal.SIGPROF, stop)
        signal.signal(signal.SIGUSR1, stop)


def _set_timer(seconds: float, *, busy: bool = False) -> None:
    """Ring after some seconds, or with `busy` after so many in which this process worked; 0 stops both."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0 if busy else seconds)
        signal.setitimer(signal.ITIMER_PROF, seconds if busy else 0)


def limit_memory(allowed: int) -> None:
    """Limit the memory to what is used now and as much as is allowed, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + allowed, used + allowed))


_SPAWN = multiprocessing.get_context("spawn")  # a copy of a server with threads may hang


@dataclass(slots=True, eq=False)
class _Job:
    source: Source
    request: Request
    editor: str
    who: str = ""  # the person who asks
    future: "Future[Answer]" = field(default_factory=Future)
    ends: int = 0  # workers that ended while they had this job

    @property
    def slow(self) -> bool:
        return self.request.kind == "count"

    def outdated_by(self, other: "_Job") -> bool:
        """Whether the same editor has asked a newer question in its place."""
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
    slow: bool  # it takes what takes long, and nothing else
    ready: bool = False  # it has started, and listens to signals
    job: _Job | None = None
    deadline: float = 0.0  # on the monotonic clock, while there is a job
    stopping: bool = False
    opened: dict[str, str] = field(default_factory=dict)  # folders of projects, with the keys of their states

    def has(self, source: Source) -> bool:
        """Whether it has a project open as it is now."""
        return self.opened.get(source.folder) == source.key


class PreviewWorkers:
    """A few worker processes, as a context: `ask` returns a future, which a newer question of its editor cancels.

    `workers` are for previews; the one that counts is started with the first question for it.
    """

    def __init__(self, *, workers: int = 2, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._size = max(2, workers)
        self._workers: list[_Worker] = []
        self._waiting: list[_Job] = []
        self._taken: dict[str, int] = {}  # for each person, the turn of the last question that a worker took
        self._turn = count()
        self._lock = threading.RLock()
        self._closed = False
        self._rung = threading.Event()
        self._bell, self._ring = _SPAWN.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._run, name="previews", daemon=True)

    def __enter__(self) -> "PreviewWorkers":
        self._workers = [self._started(slow=False) for _ in range(self._size)]
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._closed = True
        self._wake()
        self._thread.join()

    def ask(self, request: Request, *, source: Source, editor: str, who: str = "") -> "Future[Answer]":
        """Return the future answer; questions of the same editor that this one makes outdated are cancelled."""
        job = _Job(source, request, editor, who)
        with self._lock:
            if self._closed:
                job.future.cancel()
                return job.future
            for old in self._jobs():
                if old.outdated_by(job):
                    old.future.cancel()
            self._waiting.append(job)
        job.future.add_done_callback(lambda _: self._wake())
        self._wake()
        return job.future

    def _jobs(self) -> list[_Job]:
        return [*self._waiting, *(worker.job for worker in self._workers if worker.job)]

    def _wake(self) -> None:
        if not self._rung.is_set():
            self._rung.set()
            with suppress(OSError):  # closed
                self._ring.send_bytes(b"!")

    def _started(self, *, slow: bool) -> _Worker:
        mine, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(theirs, self.limits, slow), name="bidui preview", daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, mine, slow)

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
        with self._lock:
            for job in self._jobs():
                job.future.cancel()
            for worker in self._workers:
                self._end(worker)
            self._workers.clear()
            self._bell.close()
            self._ring.close()

    def _look_after(self, worker: _Worker, *, heard: bool) -> None:
        if heard:
            self._receive(worker)
        elif worker.job and time.monotonic() > worker.deadline:
            seconds = self.limits.seconds[worker.job.request.kind]
            self._replace(worker, Problem("preview-too-long", values={"seconds": f"{seconds:g}"}))
        elif worker.job and worker.job.future.cancelled() and worker.ready and not worker.stopping:
            worker.stopping = True  # it is killed if it does not give up, unless it is opening a project
            if worker.has(worker.job.source):
                worker.deadline = min(worker.deadline, time.monotonic() + self.limits.grace)
            if hasattr(signal, "SIGUSR1") and worker.process.pid:
                os.kill(worker.process.pid, signal.SIGUSR1)

    def _assign(self) -> None:
        """Hand waiting jobs to idle workers, if possible to those that have the project open."""
        self._waiting = [job for job in self._waiting if not job.future.cancelled()]
        for slow in (False, True):
            alike = sum(worker.slow == slow for worker in self._workers)
            if alike < (1 if slow else self._size) and any(job.slow == slow for job in self._waiting):
                self._workers.append(self._started(slow=slow))
            self._assign_alike(slow=slow)
        quick = [worker for worker in self._workers if not worker.slow]
        newest = next((worker.job.source for worker in reversed(quick) if worker.job), None)
        for worker in quick:  # so that the next question need not wait for it
            small = newest and newest.size < LARGE
            if newest and small and worker.job is None and worker.ready and not worker.has(newest):
                self._send(worker, _Job(newest, Request("open"), ""))

    def _assign_alike(self, *, slow: bool) -> None:
        alike = [worker for worker in self._workers if worker.slow == slow]
        while idle := [worker for worker in alike if worker.job is None and worker.process.is_alive()]:
            if (job := self._take(slow=slow)) is None:
                break
            source = job.source
            self._send(max(idle, key=lambda worker: (worker.has(source), worker.ready)), job)

    def _take(self, *, slow: bool) -> _Job | None:
        """Take the next job: that of the person who has waited longest, then the oldest."""
        ready = [job for job in self._waiting if job.slow == slow]
        job = min(ready, key=lambda job: self._taken.get(job.who, -1), default=None)
        if job is not None:
            self._waiting.remove(job)
            self._taken[job.who] = next(self._turn)
        return job

    def _send(self, worker: _Worker, job: _Job) -> None:
        worker.job, worker.stopping = job, False
        patience = self.limits.patience if job.slow else 1
        worker.deadline = time.monotonic() + self.limits.seconds[job.request.kind] * patience + self.limits.grace
        worker.deadline += 0 if worker.has(job.source) else self.limits.opening
        with suppress(OSError):  # it has ended, which `_receive` will see
            worker.connection.send((job.source, job.request))

    def _receive(self, worker: _Worker) -> None:
        try:
            data = worker.connection.recv_bytes()
        except (EOFError, OSError):
            # perhaps the job was not the reason: all workers may have been killed before it came
            if worker.job and worker.job.ends < len(self._workers):
                worker.job.ends += 1
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
            worker.opened[job.source.folder] = job.source.key
            job.answer(answer)
        if answer.problem and answer.problem.kind == "preview-memory":  # it has ended
            self._replace(worker, answer.problem)

    def _replace(self, worker: _Worker, problem: Problem) -> None:
        """End a worker; the problem is its answer. A worker that never got ready is not started again at once."""
        self._end(worker)
        self._workers.remove(worker)
        if worker.job is not None:
            worker.job.answer(Answer(problem=problem))
        if worker.ready:
            self._workers.append(self._started(slow=worker.slow))

    def _end(self, worker: _Worker) -> None:
        worker.process.kill()
        worker.process.join()
        worker.process.close()
        worker.connection.close()
