"""Tasks: commands that leave something behind by which they are known to be done, run side by side as processes.

Where a task is done already, nothing happens; so a list of tasks that was interrupted is run again as it is. Several
machines on one disk may run the same list at once: each takes what no other has claimed, and all wait for the end.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Literal

from bidui.errors import Place, fail

# Claims: files by which machines that share a disk, and know nothing else of each other, divide work among them.
#
# The first to make NAME.0.claim has the task, and touches the file while at work. If it is left untouched, the first
# to make NAME.1.claim takes the task over, and so on. A claim is removed only by who made it, so a number is never
# free again while a later one is held, and no two can take over at once.

GONE = 30.0  # seconds without a touch after which a process that is not to be seen on this machine counts as dead


@dataclass(frozen=True, slots=True)
class Claim:
    """A task that is ours."""

    folder: Path
    name: str
    number: int

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name}.{self.number}.claim"


def take(folder: Path, name: str, *, stale: float) -> Claim | None:
    """The task of that name, unless another has it; `stale` is for how many seconds a claim holds without a touch."""
    try:
        last = _last(folder, name)
        if last is not None and not _abandoned(last.file, stale=stale):
            return None
        claim = Claim(folder, name, 0 if last is None else last.number + 1)
        with claim.file.open("x", encoding="utf-8") as file:
            file.write(_owner(os.getpid()))
    except FileExistsError:
        return None
    except OSError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": error.strerror or str(error)}) from error
    return claim


def hand_to(claim: Claim, process: int) -> None:
    """Say which process is at work: while it is, no other on this machine takes over, even if we are killed."""
    claim.file.write_text(_owner(process), encoding="utf-8")


def touch(claim: Claim) -> bool:
    """Say that we are still at work; False if another took over, as after this machine was asleep."""
    try:
        last = _last(claim.folder, claim.name)
        os.utime(claim.file)
    except OSError:  # removed by hand, or a disk that is away for a while
        return True
    return last is None or last.number <= claim.number


def release(claim: Claim) -> None:
    """The task is done, or others may try it."""
    with contextlib.suppress(OSError):
        claim.file.unlink(missing_ok=True)


def _last(folder: Path, name: str) -> Claim | None:
    """The claim that counts: that of the highest number."""
    shape = re.compile(rf"{re.escape(name)}\.(\d+)\.claim")
    names = (path.name for path in folder.iterdir())
    numbers = [int(found[1]) for found in map(shape.fullmatch, names) if found]
    return Claim(folder, name, max(numbers)) if numbers else None


def _owner(process: int) -> str:
    return json.dumps({"host": socket.gethostname(), "process": process, "since": time.strftime("%Y-%m-%dT%H:%M:%S")})


def _abandoned(file: Path, *, stale: float) -> bool:
    """Whether who made a claim is no longer at work on it."""
    try:
        untouched = time.time() - file.stat().st_mtime
        owner = json.loads(file.read_text(encoding="utf-8"))
        host, process = str(owner["host"]), int(owner["process"])
    except FileNotFoundError:
        return False  # released this moment; there will be another look
    except (ValueError, KeyError, TypeError):  # not yet written to the end, or by a process that was killed meanwhile
        return untouched > stale
    if host != socket.gethostname() or os.name != "posix":
        return untouched > stale
    # Touched all the same, it is on another machine that has the same name.
    return untouched > min(GONE, stale) and not _alive(process)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is there, and another user's
    return True


TAIL = 5  # lines of its log that are told of a task that failed


@dataclass(frozen=True, slots=True)
class Task:
    """A command, and how to know that it need not be run (again)."""

    name: str  # also of its log and its claim
    command: tuple[str, ...]
    done: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended; `there` is one that was done before, or on another machine."""

    task: Task
    state: Literal["done", "there", "failed"]
    told: str = ""  # of one that failed, the end of its log

    @property
    def name(self) -> str:
        return self.task.name


@dataclass(frozen=True, slots=True)
class Look:
    """How things stand: what runs here, what waits for a worker or is another's, and what ended."""

    running: tuple[Task, ...]
    waiting: tuple[Task, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class _Running:
    task: Task
    claim: Claim
    process: subprocess.Popen[bytes]


@dataclass(slots=True)
class _Work:
    """A list of tasks under way."""

    waiting: deque[Task]
    folder: Path
    stale: float
    running: dict[int, _Running] = field(default_factory=dict)  # by worker
    outcomes: list[Outcome] = field(default_factory=list)
    stopping: bool = False


def run_all(
    tasks: Sequence[Task],
    *,
    folder: Path,
    workers: Sequence[Mapping[str, str]] = ({},),
    stale: float = 900.0,
    every: float = 1.0,
    on_look: Callable[[Look], None] = lambda look: None,
) -> tuple[Outcome, ...]:
    """Run what is not done, as many at once as there are workers; one that fails does not stop the others.

    A worker is what it adds to the environment, such as the GPU to be used. Logs and claims are in `folder`; a claim
    that nobody touched for `stale` seconds is void. `on_look` is told how things stand `every` so many seconds.
    Interrupted or terminated, the processes are terminated too, and waited for.
    """
    work = _Work(deque(tasks), folder, stale)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": error.strerror or str(error)}) from error
    with _signals_noted(work):
        try:
            while (work.waiting or work.running) and not work.stopping:
                for number, environment in enumerate(workers):
                    if number not in work.running:
                        _start_next(work, number, environment)
                on_look(_standing(work))
                if work.waiting or work.running:
                    time.sleep(every)
                _look(work)
            on_look(_standing(work))
        finally:
            _stop(work.running.values())
    if work.stopping:
        raise KeyboardInterrupt
    return tuple(work.outcomes)


def _start_next(work: _Work, worker: int, environment: Mapping[str, str]) -> None:
    """Start the first task that is to be had; those of others are put back, since others may die."""
    for _ in range(len(work.waiting)):
        task = work.waiting.popleft()
        if not task.done():
            claim = take(work.folder, task.name, stale=work.stale)
            if claim is None:
                work.waiting.append(task)
                continue
            if not task.done():  # nor since we looked
                _start(work, task, claim, worker, environment)
                return
            release(claim)
        work.outcomes.append(Outcome(task, "there"))


def _start(work: _Work, task: Task, claim: Claim, worker: int, environment: Mapping[str, str]) -> None:
    try:
        with _log(work, task).open("ab") as log:
            process = subprocess.Popen(
                task.command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        work.running[worker] = _Running(task, claim, process)
        hand_to(claim, process.pid)
    except OSError as error:
        if worker not in work.running:  # else it is at work, and only the claim does not say so
            release(claim)
            work.outcomes.append(Outcome(task, "failed", error.strerror or str(error)))


def _look(work: _Work) -> None:
    """Note what ended, and say of the rest that it is under way."""
    for worker, one in list(work.running.items()):
        code = one.process.poll()
        if code is None:
            if not touch(one.claim):
                one.process.kill()  # not terminated: what it would save is another's by now
                one.process.wait()
                work.waiting.append(one.task)
                del work.running[worker]
            continue
        del work.running[worker]
        right = code == 0 and one.task.done()
        told = "" if right else "\n".join((*_tail(_log(work, one.task)), f"exit code {code}"))
        work.outcomes.append(Outcome(one.task, "done" if right else "failed", told))
        release(one.claim)


def _standing(work: _Work) -> Look:
    running = tuple(one.task for one in work.running.values())
    return Look(running, tuple(work.waiting), tuple(work.outcomes))


def _log(work: _Work, task: Task) -> Path:
    return work.folder / f"{task.name}.log"


def _tail(file: Path) -> list[str]:
    try:
        with file.open("rb") as log:
            log.seek(max(0, file.stat().st_size - 4096))
            lines = log.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line.rstrip() for line in lines if line.strip()][-TAIL:]


def _stop(running: Iterable[_Running]) -> None:
    """Ask all to stop, which lets them save what they have, and wait."""
    stopping = list(running)
    for one in stopping:
        one.process.terminate()
    for one in stopping:
        one.process.wait()
        release(one.claim)


@contextmanager
def _signals_noted(work: _Work) -> Iterator[None]:
    """Have SIGTERM and SIGINT noted: an exception at any moment could leave a process behind that was just started."""

    def note(number: int, frame: FrameType | None) -> None:
        if work.stopping:
            raise KeyboardInterrupt  # asked twice, nobody wants to wait
        work.stopping = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
