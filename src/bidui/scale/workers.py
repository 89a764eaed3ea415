"""Workers: one function over many items, in this process, in processes of this machine, or on a Ray cluster.

A worker makes its state once, such as a model that it loads, and keeps it; all of them do so at once, while this
process prepares the items. Items are taken one by one as workers become free, never far ahead of the results that were
used, so that memory does not grow with their number. Results come in the order of the items, so that who uses them
cannot tell how many workers there were.
"""

import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from bidui.errors import BiduiError, Place, fail, import_failed
from bidui.signals import kept_signals

State = TypeVar("State")
Held = TypeVar("Held", covariant=True)
Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2  # items that a worker has, so that it need not wait for the next one
BUFFER = 2  # items per worker and item it has, that may be done before an earlier one
TRIES = 4  # times that an item is given to a worker; one that takes its worker down every time is at fault itself
REACH = 20.0  # seconds in which a cluster must answer
# How both sides begin in HTTP/2, in which the machines of a cluster talk: with a fixed text, and a frame of settings.
HELLO, SETTINGS = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)), b"\4"
THREADS = "OMP_NUM_THREADS"  # the last bits of a result may depend on it
# The libraries that make tables and tokens start as many threads as there are cores, in every worker.
LIKEWISE = ("POLARS_MAX_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class On:
    """Where work runs: `local`, `processes:N` or `ray[:ADDRESS]`."""

    kind: Literal["local", "processes", "ray"] = "local"
    processes: int = 1
    address: str = ""  # of a Ray cluster; without one, Ray takes the cluster of this machine or starts one

    def __str__(self) -> str:
        return {"processes": f"processes:{self.processes}", "ray": f"ray:{self.address}".rstrip(":")}.get(
            self.kind, self.kind
        )


AnyOn = str | On
LOCAL = On()


def parse_on(text: AnyOn) -> On:
    """Parse a place to run at."""
    if isinstance(text, On):
        return text
    kind, colon, rest = text.partition(":")
    if kind == "processes" and rest.isdecimal() and int(rest):
        return On("processes", int(rest))
    if kind == "ray" and (rest or not colon):
        return On("ray", address=rest)
    if text == "local":
        return LOCAL
    raise fail("on-unknown", Place(part="--on"), {"value": text})


@dataclass(frozen=True, slots=True)
class Needs:
    """What a worker or a task needs; Ray places it where there is as much."""

    cpus: float = 1.0
    gpus: float = 0.0  # a fraction lets several share a GPU
    memory: int = 0  # bytes

    def options(self) -> dict[str, float]:
        """Return them as Ray calls them."""
        return {"num_cpus": self.cpus, "num_gpus": self.gpus} | ({"memory": self.memory} if self.memory else {})


def gpu_share(memory: int, *, of: int) -> float:
    """Return the share of a GPU that so much memory is, in eighths, so that shares add up to whole GPUs."""
    return min(1.0, max(1, -(-8 * memory // of)) / 8)


class Workers(Protocol[Held]):
    """Workers that have made their state."""

    count: int
    lost: int  # workers that died; what they had was given to others

    def map(self, work: Callable[[Held, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results of items, in the order of the items."""


@contextmanager
def open_workers(
    start: Callable[[], State],
    *,
    on: AnyOn = LOCAL,
    needs: Needs | None = None,
    most: int | None = None,
    share: float = 1.0,
) -> Iterator[Workers[State]]:
    """Open workers, up to `most`, for which `start` makes the state; they end with the block.

    On a cluster there are as many as it has room for, or a `share` of them. They make their states at once, in the
    background.

    `start`, the functions and the items must be picklable unless all is done in this process. An error of bidui in a
    worker is raised here. If a worker on a Ray cluster is lost, its items are given to others.
    """
    on, needs = parse_on(on), needs or Needs()
    if on.kind == "local":
        yield here(start())
    elif on.kind == "processes":
        with _open_processes(start, min(on.processes, most or on.processes)) as processes:
            yield processes
    else:
        with connect(on) as ray:
            count = max(1, int(check_needs(ray, needs) * share))
            workers = _Actors(ray, start, needs, min(count, most or count))
            try:
                yield workers
            finally:
                workers.close()


def here(state: State) -> Workers[State]:
    """Return the only worker of this process, with a state that is made already."""
    return Local(state)


@dataclass(slots=True)
class Local(Generic[State]):
    """The worker of this process."""

    state: State
    count: int = 1
    lost: int = 0

    def map(self, work: Callable[[State, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results of items, in the order of the items."""
        return (work(self.state, item) for item in items)


# Processes

# The state of this process, if it is a worker, or what went wrong: the pool offers no other place that outlives a call.
_state: Any = None


@dataclass(slots=True)
class _Processes(Generic[State]):
    pool: Any
    count: int
    lost: int = 0

    def map(self, work: Callable[[State, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        from concurrent.futures.process import BrokenProcessPool

        futures: deque[Any] = deque()
        try:
            for item in items:
                futures.append(self.pool.submit(_work, work, item))
                if len(futures) >= self.count * AHEAD * BUFFER:
                    yield _value(futures.popleft().result())
            while futures:
                yield _value(futures.popleft().result())
        except BrokenProcessPool as error:
            raise fail("worker-died", Place(part="--on")) from error
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def _open_processes(start: Callable[[], State], count: int) -> Iterator[_Processes[State]]:
    """Open processes that are started afresh: a copy of this one could hang, since libraries here have threads."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # otherwise each process would have as many threads as there are cores
    added = _threads(default=max(1, (os.cpu_count() or 1) // count))
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        with ProcessPoolExecutor(count, get_context("spawn"), _begin, (start,)) as pool:
            for _ in range(count):  # the pool starts a process when there is something to do
                pool.submit(_begun)
            try:
                yield _Processes(pool, count)
            except BaseException:  # what the workers still have is not waited for
                for process in list((pool._processes or {}).values()):
                    process.terminate()
                raise
            finally:
                pool.shutdown(cancel_futures=True)
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _threads(*, default: int) -> dict[str, str]:
    """Return the variables that give a worker its number of threads; one that is set stays as it is."""
    own = os.environ.get(THREADS) or str(default)
    return {name: os.environ.get(name) or own for name in (THREADS, *LIKEWISE)}


def _begin(start: Callable[[], object]) -> None:
    import signal
    from multiprocessing import parent_process
    from threading import Thread

    global _state
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one ends the others
    if parent := parent_process():  # Ray ends its own workers
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        _state = start(), None
    except Exception as error:  # told when there is work: a pool or an actor that cannot start does not say why
        _state = None, error


def _end_with(parent: Any) -> None:
    """Wait for the end of the process that started this one, and end: a pool waits for work even if it was killed."""
    parent.join()
    os._exit(1)


def _begun() -> None:
    """Do nothing, so that a process is started."""


def _work(work: Callable[[Any, Item], Result], item: Item) -> Result | BiduiError:
    state, wrong = _state
    try:
        if wrong is not None:
            raise wrong
        return work(state, item)
    except BiduiError as error:  # returned, since Ray and the pool dress up what is raised
        return error


def _value(result: Result | BiduiError) -> Result:
    if isinstance(result, BiduiError):
        raise result
    return result


# Ray


@contextmanager
def connect(on: AnyOn) -> Iterator[Any]:
    """Stay connected to a Ray cluster for several calls; anywhere else, this does nothing.

    A connection that is there already is used and kept.
    """
    on = parse_on(on)
    if on.kind != "ray":
        yield None
        return
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # workers without a GPU see none
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise import_failed(error, extra="cluster") from error
    if ray.is_initialized():
        yield ray
        return
    try:
        host, _, port = on.address.rpartition(":")
        if host and "/" not in host and port.isdecimal():
            reach(host, int(port))
        with kept_signals():
            ray.init(
                address=on.address or None, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False
            )
    except (OSError, ValueError, RuntimeError) as error:  # ConnectionError is one of the first
        reason = str(error).strip().split("\n")[0]
        raise fail(
            "ray-unreachable", Place(part="--on"), {"address": on.address or "auto", "reason": reason}
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def reach(host: str, port: int) -> None:
    """Raise an error if nothing answers at an address, or if it cannot be Ray, which itself would try for minutes."""
    with socket.create_connection((host, port), timeout=REACH) as connection:
        if os.environ.get("RAY_USE_TLS", "").lower() in ("1", "true"):
            return
        connection.sendall(HELLO)
        if connection.recv(9)[3:4] != SETTINGS:  # after the length of the frame
            raise OSError("another program answers there")


def check_needs(ray: Any, needs: Needs) -> int:
    """Return for how many there is room on the cluster; it is an error if there is none on any of its machines."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]

    def room(node: Mapping[str, float]) -> int:
        shares = [
            (node.get("CPU", 0), needs.cpus),
            (node.get("GPU", 0), needs.gpus),
            (node.get("memory", 0), needs.memory),
        ]
        return min((int(there / number + 1e-9) for there, number in shares if number), default=1)

    count = sum(map(room, nodes))
    if not count:
        wanted = f"{needs.cpus:g} CPU, {needs.gpus:g} GPU, {needs.memory / 2**30:.3g} GiB"
        there = "; ".join(
            f"{node.get('CPU', 0):g} CPU, {node.get('GPU', 0):g} GPU, {node.get('memory', 0) / 2**30:.3g} GiB"
            for node in nodes
        )
        raise fail("ray-no-room", Place(part="--on"), {"wanted": wanted, "nodes": there})
    return count


class _Worker:
    """An actor: a process on some machine of the cluster that holds a state."""

    def __init__(self, start: Callable[[], object], environment: Mapping[str, str], folder: str) -> None:
        os.environ.update(environment)
        if Path(folder).is_dir():
            os.chdir(folder)  # paths are as seen from where the command was typed; Ray has its own folder
        _begin(start)

    def ready(self) -> bool:
        return True

    def work(self, work: Callable[[Any, Item], Result], item: Item) -> Result | BiduiError:
        return _work(work, item)


@dataclass(slots=True)
class _Actors(Generic[State]):
    """Actors on a Ray cluster. Ray places them; one that is lost is asked for again, and others do its items."""

    ray: Any
    start: Callable[[], State]
    needs: Needs
    count: int
    lost: int = 0
    failures: int = 0  # to start, one after the other
    starts: dict[Any, Any] = field(default_factory=dict)  # actors that are not ready, by the reference that says so
    loads: dict[Any, int] = field(default_factory=dict)  # the number of items of each actor that is ready

    def map(self, work: Callable[[State, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        self._open(self.count - len(self.starts) - len(self.loads))
        queue = enumerate(items)
        again: deque[tuple[int, Item]] = deque()
        busy: dict[Any, tuple[Any, int, Item]] = {}
        tries: dict[int, int] = {}
        results: dict[int, Result] = {}
        used, left = 0, True
        while True:
            while actor := self._free():
                if again:
                    number, item = again.popleft()
                elif left and len(busy) + len(results) < self.count * AHEAD * BUFFER:
                    following = next(queue, None)
                    if following is None:
                        left = False
                        break
                    number, item = following
                else:
                    break
                self.loads[actor] += 1
                busy[actor.work.remote(work, item)] = (actor, number, item)
            if used in results:
                yield results.pop(used)
                used += 1
                continue
            if not (busy or again or left):
                return
            for reference in self.ray.wait([*busy, *self.starts], num_returns=1)[0]:
                if reference in self.starts:
                    self._settle(reference)
                    continue
                actor, number, item = busy.pop(reference)
                try:
                    results[number] = _value(self.ray.get(reference))
                    if actor in self.loads:
                        self.loads[actor] -= 1
                except self.ray.exceptions.RayTaskError:
                    raise
                except self.ray.exceptions.RayError as error:  # its process, its machine or what it gave is gone
                    tries[number] = tries.get(number, 1) + 1
                    if tries[number] > TRIES:
                        raise _lost(error) from error
                    again.append((number, item))
                    if self.loads.pop(actor, None) is not None:
                        self.lost += 1
                        self._open(1)

    def close(self) -> None:
        for actor in (*self.starts.values(), *self.loads):
            self.ray.kill(actor)

    def _open(self, count: int) -> None:
        environment = _threads(default=max(1, int(self.needs.cpus)))
        make = self.ray.remote(_Worker).options(**self.needs.options(), max_restarts=0)
        for _ in range(count):
            actor = make.remote(self.start, environment, str(Path.cwd()))
            self.starts[actor.ready.remote()] = actor

    def _settle(self, reference: Any) -> None:
        """Take an actor that is ready among those that get items; one that died meanwhile is asked for again."""
        actor = self.starts.pop(reference)
        try:
            self.ray.get(reference)
        except self.ray.exceptions.RayTaskError:
            raise
        except self.ray.exceptions.RayError as error:
            self.lost, self.failures = self.lost + 1, self.failures + 1
            if self.failures > TRIES * self.count:
                raise _lost(error) from error
            self._open(1)
            return
        self.loads[actor], self.failures = 0, 0

    def _free(self) -> Any:
        free = [actor for actor, load in self.loads.items() if load < AHEAD]
        return min(free, key=lambda actor: self.loads[actor]) if free else None


def _lost(error: Exception) -> BiduiError:
    return fail("worker-lost", Place(part="--on"), {"tries": TRIES, "reason": str(error).strip().split("\n")[0]})


def gpu_memory(on: On) -> int:
    """Return the memory in bytes of a GPU of the cluster, which a task there looks up."""
    with connect(on) as ray:
        check_needs(ray, Needs(gpus=1.0))
        return int(ray.get(ray.remote(_memory_here).options(num_cpus=0, num_gpus=0.01).remote()))


def _memory_here() -> int:
    import torch

    return torch.cuda.get_device_properties(0).total_memory
