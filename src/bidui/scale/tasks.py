"""Tasks: commands run in parallel as processes, each with a test that says whether it is done.

A task that is done already is skipped, so an interrupted list of tasks is resumed by running it again. Several machines
that share a disk may run the same list at once: each takes tasks that no other has claimed, and all wait for the end.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bidui.errors import Interruption, Place, Problem, fail
from bidui.files import reason
from bidui.signals import stop_signals

# Claims: files by which machines that share a disk, and know nothing else about each other, divide work among them.
#
# The first to make NAME.0.claim has the task, and touches the file while at work. If it is left untouched, the first
# to make NAME.1.claim takes the task over, and so on. A claim is removed only by who made it, so a number is never
# free again while a later one is held, and no two can take over at once.

GONE = 30.0  # seconds without a touch after which a process that no longer runs on this machine counts as dead


@dataclass(frozen=True, slots=True)
class Claim:
    """A task that this process has claimed."""

    folder: Path
    name: str
    number: int

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name}.{self.number}.claim"


def take(folder: Path, name: str, *, stale: float) -> Claim | None:
    """Claim the task of that name, unless another has it; a claim without a touch for `stale` seconds is void."""
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
        raise fail("write-failed", Place(str(folder)), {"reason": reason(error)}) from error
    return claim


def hand_to(claim: Claim, process: int) -> None:
    """Record which process is at work: while it runs, no other on this machine takes over, even if we are killed."""
    claim.file.write_text(_owner(process), encoding="utf-8")


def touch(claim: Claim) -> bool:
    """Record that we are still at work; return False if another took over, as after this machine was asleep."""
    try:
        last = _last(claim.folder, claim.name)
        os.utime(claim.file)
    except OSError:  # removed by hand, or a disk that is away for a while
        return True
    return last is None or last.number <= claim.number


def release(claim: Claim) -> None:
    """Give the task up: it is done, or others may try it."""
    with contextlib.suppress(OSError):
        claim.file.unlink(missing_ok=True)


def _last(folder: Path, name: str) -> Claim | None:
    """Return the claim that counts: the one with the highest number."""
    shape = re.compile(rf"{re.escape(name)}\.(\d+)\.claim")
    names = (path.name for path in folder.iterdir())
    numbers = [int(match[1]) for match in map(shape.fullmatch, names) if match]
    return Claim(folder, name, max(numbers)) if numbers else None


def _owner(process: int) -> str:
    return json.dumps({"host": socket.gethostname(), "process": process, "since": time.strftime("%Y-%m-%dT%H:%M:%S")})


def _abandoned(file: Path, *, stale: float) -> bool:
    """Return whether the owner of a claim is no longer at work."""
    try:
        untouched = time.time() - file.stat().st_mtime
        owner = json.loads(file.read_text(encoding="utf-8"))
        host, process = str(owner["host"]), int(owner["process"])
    except FileNotFoundError:
        return False  # released this moment; it will be tried again
    except (ValueError, KeyError, TypeError):  # not yet written to the end, or by a process that was killed meanwhile
        return untouched > stale
    if host != socket.gethostname() or os.name != "posix":
        return untouched > stale
    # If it is still touched, it runs on another machine that has the same name.
    return untouched > min(GONE, stale) and not _alive(process)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it runs, and belongs to another user
    return True


TAIL = 5  # lines of the log that are shown for a task that failed


@dataclass(frozen=True, slots=True)
class Task:
    """A command, and a test that says whether it is done."""

    name: str  # also of its log and its claim
    command: tuple[str, ...]
    done: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended; `there` means that it was done before, or on another machine."""

    task: Task
    state: Literal["done", "there", "failed"]
    log: Path
    reason: str = ""  # for a task that failed, the end of its log

    @property
    def name(self) -> str:
        return self.task.name


@dataclass(frozen=True, slots=True)
class Status:
    """Which tasks run here, which wait for a worker or run elsewhere, and which have ended."""

    running: tuple[Task, ...]
    waiting: tuple[Task, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class _Job:
    task: Task
    claim: Claim
    process: subprocess.Popen[bytes]


@dataclass(slots=True)
class _Work:
    """The state of a list of tasks that is being run."""

    waiting: deque[Task]
    folder: Path
    stale: float
    running: dict[int, _Job] = field(default_factory=dict)  # by worker
    outcomes: list[Outcome] = field(default_factory=list)


def run_all(
    tasks: Sequence[Task],
    *,
    folder: Path,
    workers: Sequence[Mapping[str, str]] = ({},),
    stale: float = 900.0,
    every: float = 1.0,
    on_status: Callable[[Status], None] = lambda status: None,
) -> tuple[Outcome, ...]:
    """Run the tasks that are not done, as many at once as there are workers; a failed task does not stop the others.

    A worker is what it adds to the environment, such as the GPU to use. Logs and claims are in `folder`; a claim that
    nobody touched for `stale` seconds is void. `on_status` is called every `every` seconds. If this process is
    interrupted or terminated, it terminates the others and waits for them.
    """
    work = _Work(deque(tasks), folder, stale)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": reason(error)}) from error
    # Signals are only noted: an exception at any moment could leave behind a process that was just started.
    with stop_signals() as stop:
        try:
            while (work.waiting or work.running) and not stop.signal:
                for number, environment in enumerate(workers):
                    if number not in work.running:
                        _start_next(work, number, environment)
                on_status(_status(work))
                if work.waiting or work.running:
                    time.sleep(every)
                _check(work)
            on_status(_status(work))
        finally:
            for job in work.running.values():
                job.process.terminate()  # which lets it save its state
            for job in work.running.values():
                job.process.wait()
                release(job.claim)
    if stop.signal:
        ended = {"done": len(work.outcomes), "tasks": len(tasks)}
        raise Interruption(Problem("tasks-stopped", Place(str(folder.parent)), ended), signal=stop.signal)
    return tuple(work.outcomes)


def _start_next(work: _Work, worker: int, environment: Mapping[str, str]) -> None:
    """Start the first task that is free; tasks of other machines go back to the list, since those may die."""
    for _ in range(len(work.waiting)):
        task = work.waiting.popleft()
        if not task.done():
            claim = take(work.folder, task.name, stale=work.stale)
            if claim is None:
                work.waiting.append(task)
                continue
            if not task.done():  # another may have finished it before we claimed it
                _start(work, task, claim, worker, environment)
                return
            release(claim)
        work.outcomes.append(Outcome(task, "there", _log(work, task)))


def _start(work: _Work, task: Task, claim: Claim, worker: int, environment: Mapping[str, str]) -> None:
    try:
        with _log(work, task).open("ab") as log:
            process = subprocess.Popen(
                task.command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        work.running[worker] = _Job(task, claim, process)
        hand_to(claim, process.pid)
    except OSError as error:
        if worker not in work.running:  # otherwise it runs, and only its claim could not be updated
            release(claim)
            work.outcomes.append(Outcome(task, "failed", _log(work, task), reason(error)))


def _check(work: _Work) -> None:
    """Collect the jobs that ended, and touch the claims of the others."""
    for worker, job in list(work.running.items()):
        code = job.process.poll()
        if code is None:
            if not touch(job.claim):
                job.process.kill()  # not terminated: what it would save belongs to another by now
                job.process.wait()
                work.waiting.append(job.task)
                del work.running[worker]
            continue
        del work.running[worker]
        right, log = code == 0 and job.task.done(), _log(work, job.task)
        ending = "" if right else "\n".join((*_tail(log), f"exit code {code}"))
        work.outcomes.append(Outcome(job.task, "done" if right else "failed", log, ending))
        release(job.claim)


def _status(work: _Work) -> Status:
    running = tuple(job.task for job in work.running.values())
    return Status(running, tuple(work.waiting), tuple(work.outcomes))


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
