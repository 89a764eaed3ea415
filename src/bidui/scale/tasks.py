"""Tasks: commands, each with a test that says whether it is done; here one by one, in parallel, or on a Ray cluster.

A task that is done already is skipped, so an interrupted list of tasks is resumed by running it again, on the same
machine or on others. A task that fails stops no other. On a cluster, Ray places each task where there is what it needs,
and starts it again elsewhere if its machine is lost; the command itself must go on from what it left.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from bidui.errors import Interruption, Place, Problem, fail
from bidui.files import reason
from bidui.scale.storage import Folder, open_folder
from bidui.scale.workers import LOCAL, THREADS, AnyOn, Needs, check_needs, connect, parse_on
from bidui.signals import Stop, die_with_parent, stop_signals

TAIL = 5  # lines of the log that are shown for a task that failed
RETRIES = 20  # times that Ray starts a task again whose machine was lost
LOOK = 0.2  # seconds after which a task looks whether its command has ended
SAVING = 600.0  # seconds that the commands of a cluster have to save their state and end


@dataclass(frozen=True, slots=True)
class Task:
    """A command, what it needs, and a test that says whether it is done."""

    name: str  # also of its log
    command: tuple[str, ...]
    done: Callable[[], bool]
    needs: Needs = field(default_factory=Needs)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended; `there` means that it was done before."""

    task: Task
    state: Literal["done", "there", "failed"]
    log: Path
    reason: str = ""  # for a task that failed, the end of its log

    @property
    def name(self) -> str:
        """The name of the task."""
        return self.task.name


@dataclass(frozen=True, slots=True)
class Status:
    """Which tasks run, and on which machine; which wait for a worker; and which have ended."""

    running: tuple[Task, ...]
    waiting: tuple[Task, ...]
    outcomes: tuple[Outcome, ...]
    hosts: Mapping[str, str] = field(default_factory=dict)  # by name, where this is not this machine


def run_all(
    tasks: Sequence[Task],
    *,
    folder: str | Path,
    on: AnyOn = LOCAL,
    workers: Sequence[Mapping[str, str]] = ({},),
    every: float = 1.0,
    on_status: Callable[[Status], None] = lambda status: None,
) -> tuple[Outcome, ...]:
    """Run the tasks that are not done, in order; a failed task does not stop the others.

    On this machine, as many run at once as there are `workers`: a worker is what it adds to the environment, such as
    the GPU to use. On a cluster, Ray decides. Logs are in `folder`, which may be a URL. `on_status` is called every
    `every` seconds. If this process is interrupted or terminated, it terminates the commands and waits for them.
    """
    logs = open_folder(folder, reading=parse_on(on).kind == "ray")  # workers write, perhaps on this machine
    try:
        logs.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": reason(error)}) from error
    waiting, outcomes = deque[Task](), list[Outcome]()
    for task in tasks:
        if task.done():
            outcomes.append(Outcome(task, "there", _log(logs, task)))
        else:
            waiting.append(task)
    # Signals are only noted: an exception at any moment could leave behind a process that was just started.
    with stop_signals() as stop:
        if parse_on(on).kind == "ray" and waiting:
            with connect(parse_on(on)) as ray:
                for task in waiting:
                    check_needs(ray, task.needs)
                _on_cluster(ray, waiting, outcomes, logs, every=every, stop=stop, on_status=on_status)
        else:
            _on_machine(waiting, outcomes, logs, workers, every=every, stop=stop, on_status=on_status)
    if stop.signal:
        ended = {"done": len(outcomes), "tasks": len(tasks)}
        raise Interruption(Problem("tasks-stopped", Place(str(Path(folder).parent)), ended), signal=stop.signal)
    return tuple(outcomes)


# On this machine


def _on_machine(
    waiting: deque[Task],
    outcomes: list[Outcome],
    logs: Folder,
    workers: Sequence[Mapping[str, str]],
    *,
    every: float,
    stop: Stop,
    on_status: Callable[[Status], None],
) -> None:
    running: dict[int, tuple[Task, subprocess.Popen[bytes]]] = {}  # by worker
    try:
        while (waiting or running) and not stop.signal:
            for number, environment in enumerate(workers):
                while number not in running and waiting:
                    task = waiting.popleft()
                    try:
                        running[number] = (task, _start(task.command, _log(logs, task), environment))
                    except OSError as error:
                        outcomes.append(Outcome(task, "failed", _log(logs, task), reason(error)))
            on_status(Status(tuple(task for task, _ in running.values()), tuple(waiting), tuple(outcomes)))
            if running:
                time.sleep(every)
            for number, (task, process) in list(running.items()):
                if process.poll() is not None:
                    del running[number]
                    outcomes.append(_outcome(task, logs, process.returncode, _tail(_log(logs, task))))
                    logs.push()
        on_status(Status((), tuple(waiting), tuple(outcomes)))
    finally:
        for _, process in running.values():
            process.terminate()  # which lets it save its state
        for _, process in running.values():
            process.wait()


def _start(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with log.open("ab") as file:
        return subprocess.Popen(
            command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )


def _outcome(task: Task, logs: Folder, code: int, tail: Sequence[str]) -> Outcome:
    right = code == 0 and task.done()
    ending = "" if right else "\n".join((*tail, f"exit code {code}"))
    return Outcome(task, "done" if right else "failed", _log(logs, task), ending)


def _log(logs: Folder, task: Task) -> Path:
    return logs.path / f"{task.name}.log"


def _tail(file: Path) -> list[str]:
    try:
        with file.open("rb") as log:
            log.seek(max(0, file.stat().st_size - 4096))
            lines = log.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line.rstrip() for line in lines if line.strip()][-TAIL:]


# On a cluster


def _on_cluster(
    ray: Any,
    waiting: deque[Task],
    outcomes: list[Outcome],
    logs: Folder,
    *,
    every: float,
    stop: Stop,
    on_status: Callable[[Status], None],
) -> None:
    """Give all tasks to Ray, in order, and wait; what a task says of where it runs is in a file beside its log."""
    environment = {THREADS: os.environ[THREADS]} if THREADS in os.environ else {}
    place = logs.url or str(logs.path.resolve())
    for task in waiting:
        with suppress(OSError):
            _state_file(logs.path, task.name).unlink(missing_ok=True)
    # Each call has a process of its own, which frees its GPU at the end; errors of a command are results.
    run = ray.remote(max_retries=RETRIES, max_calls=1)(_command)
    here = str(Path.cwd())
    calls = {
        run.options(**task.needs.options()).remote(
            task.name, task.command, place, environment, sys.executable, here
        ): task
        for task in waiting
    }
    try:
        while calls and not stop.signal:
            hosts = {task.name: host for task in calls.values() if (host := _host(logs, task.name))}
            running = tuple(task for task in calls.values() if task.name in hosts)
            still = tuple(task for task in calls.values() if task.name not in hosts)
            on_status(Status(running, still, tuple(outcomes), hosts))
            for reference in ray.wait([*calls], num_returns=1, timeout=every)[0]:
                task = calls.pop(reference)
                try:
                    code, tail = ray.get(reference)
                    outcomes.append(_outcome(task, logs, code, tail))
                except ray.exceptions.RayError as error:
                    cause = getattr(error, "cause", None) or error  # what went wrong there, without Ray's traceback
                    first = reason(cause).strip().split("\n")[0]
                    outcomes.append(Outcome(task, "failed", _log(logs, task), first))
        on_status(Status((), tuple(calls.values()), tuple(outcomes)))
    finally:
        for reference in calls:
            ray.cancel(reference, force=False)  # an interruption in its process, which lets the command save its state
        if calls:
            ray.wait([*calls], num_returns=len(calls), timeout=SAVING)
        logs.pull()


def _state_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.json"


def _host(logs: Folder, name: str) -> str:
    if logs.url:
        with suppress(Exception):
            logs.pull(lambda file: file == f"{name}.json")
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads(_state_file(logs.path, name).read_text(encoding="utf-8"))["host"])
    return ""


def _command(
    name: str, command: Sequence[str], place: str, environment: Mapping[str, str], asked: str, folder: str
) -> tuple[int, list[str]]:
    """Run a command on a machine of the cluster; return its exit code and the end of its log.

    It runs in `folder`, if this machine has it too: its paths are as seen from there, and Ray has its own folder.
    """
    logs = open_folder(place)
    logs.path.mkdir(parents=True, exist_ok=True)
    log, state = logs.path / f"{name}.log", _state_file(logs.path, name)
    state.write_text(json.dumps({"host": socket.gethostname(), "process": os.getpid()}), encoding="utf-8")
    logs.push([state.name])
    # the Python of this machine, which may have another path than that of the one that asked
    own = [sys.executable if part == asked else part for part in command]
    try:
        with log.open("ab") as file:
            process = subprocess.Popen(
                own,
                cwd=folder if Path(folder).is_dir() else None,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                preexec_fn=die_with_parent if sys.platform == "linux" else None,
            )
        try:
            while process.poll() is None:  # Ray's interruption would not reach a process that waits for another
                time.sleep(LOOK)
        except BaseException:  # cancelled
            process.terminate()
            process.wait()
            raise
    finally:
        with suppress(OSError):
            state.unlink()
        logs.push([log.name, state.name])
    return process.returncode, _tail(log)
