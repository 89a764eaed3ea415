"""The worker process: answers one question after another about paradigms of projects that it keeps open.

It stops by itself when its time is up or when it is told to, and then forgets what it was in the middle of. A worker
that ran out of memory says so and ends. Everything else that may go wrong is for the parent, which can kill it.
"""

import pickle
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from bidui.errors import InputError, Problem
from bidui.web.editing.diagnostics import phrase_diagnostics
from bidui.web.editing.opened import Opened, Source, open_source, source_of
from bidui.web.editing.paradigm_rows import read_rows
from bidui.web.editing.preview import counted, preview, with_rows
from bidui.web.editing.requests import Answer, Limits, Request, Result
from bidui.web.editing.slot_words import slot_words

MAX_OPEN = 3  # projects
READY = b"ready"  # the first thing a worker says


class Interrupted(BaseException):
    """Raised wherever the worker is when its time is up or it is told to stop."""


@dataclass(slots=True)
class _State:
    limits: Limits
    busy: bool = False
    stopped: str = ""
    projects: dict[str, Opened] = field(default_factory=dict)


def work(connection: Connection, limits: Limits) -> None:
    """Answers until the other side hangs up, be it in the middle of an answer."""
    state = _State(limits)
    _listen_to_signals(state)
    _limit_memory(limits.memory)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        connection.send_bytes(READY)
        _answer_all(connection, state)


def _answer_all(connection: Connection, state: _State) -> None:
    limits = state.limits
    while True:
        source, request = connection.recv()
        answer = _answered(state, source, request)
        data = pickle.dumps(answer)
        if len(data) > limits.answer:
            data = pickle.dumps(Answer(problem=Problem("preview-too-large"), seconds=answer.seconds))
        connection.send_bytes(data)
        if answer.problem is not None and answer.problem.kind == "preview-memory":
            return


def _answered(state: _State, source: Source, request: Request) -> Answer:
    start = time.perf_counter()
    result: Result | None = None
    problem: Problem | None = None
    seconds = state.limits.seconds[request.kind]
    state.stopped = ""
    opened: Opened | None = None
    try:
        try:
            opened = _opened(state, source)
            state.busy = True
            _set_timer(seconds)
            if state.stopped:  # while the project was being opened
                raise Interrupted
            result = _result(state, opened, request)
        finally:
            state.busy = False
            _set_timer(0)
    except Interrupted:
        kind = "preview-too-long" if state.stopped == "time" else "preview-stopped"
        problem = Problem(kind, values={"seconds": f"{seconds:g}"})
    except MemoryError:
        problem = Problem("preview-memory", values={"megabytes": state.limits.memory >> 20})
    except InputError as error:
        problem = error.problems[0]
    if problem is not None and opened is not None:
        opened.forget()
    return Answer(None if problem else result, problem, time.perf_counter() - start)


def _result(state: _State, opened: Opened, request: Request) -> Result:
    if request.kind == "open":
        return ()
    if request.kind == "phrases":
        return phrase_diagnostics(request.text, compiler=opened.compiler, name=request.name)
    compiled = opened.compiled(request.text, name=request.name)
    if request.kind == "count":
        return counted(compiled, request.text, name=request.name)
    networks = () if compiled.broken else compiled.networks
    if request.kind == "words":
        rows = read_rows(request.text)
        return slot_words(rows, fitting=opened.fitting, paradigm=compiled.paradigm, networks=networks)
    drawn = preview(compiled, request.text, name=request.name, n=request.n, seed=request.seed)
    shown = with_rows(drawn, request.text)
    if shown.rows is None:
        return shown
    try:
        words = slot_words(shown.rows, fitting=opened.fitting, paradigm=compiled.paradigm, networks=networks)
        return replace(shown, words=words)
    except Interrupted:
        if state.stopped != "time":
            raise
        opened.forget()
        return shown  # the pairs are more important than the words of each slot


def _opened(state: _State, source: Source) -> Opened:
    """The project, kept under what its files are; should they have changed since, that is not what was asked for."""
    found, key = state.projects.pop(source.key, None), source.key
    if found is None:
        found, key = open_source(source), source_of(Path(source.folder)).key
    state.projects[key] = found
    while len(state.projects) > MAX_OPEN:
        del state.projects[next(iter(state.projects))]
    return found


def _listen_to_signals(state: _State) -> None:
    def stop(why: str) -> Callable[[int, FrameType | None], None]:
        def handler(number: int, frame: FrameType | None) -> None:
            state.stopped = why
            if state.busy:
                state.busy = False
                raise Interrupted

        return handler

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key that stops the server; it will close us
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, stop("time"))
        signal.signal(signal.SIGUSR1, stop("told"))


def _set_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(allowed: int) -> None:
    """As much more than what is used now, where the system can do this."""
    try:
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + allowed, used + allowed))
    except (ImportError, OSError, ValueError):
        return
