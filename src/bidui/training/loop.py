"""The training loop: from a recipe and a corpus to checkpoints and a log; killed at any moment, it goes on as if not.

A step draws no random number that is not a function of the step, and the order of rows is a function of the step, so
what a run needs to go on is its weights, its optimizer and the number of steps done.
"""

import contextlib
import json
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import torch
import torch.distributed as dist
import transformers

from bidui.errors import BiduiError, Place, Problem, fail
from bidui.files import remove_file, remove_temporaries, write_file
from bidui.models.huggingface import first_line
from bidui.training.checkpoints import (
    BEFORE,
    FINISHED,
    STATE,
    State,
    claim,
    load_state,
    milestone_folder,
    save_milestone,
    save_state,
)
from bidui.training.network import Trainee
from bidui.training.recipe import RunRecipe, epoch_order, learning_rates, milestone_steps, rows_of, steps_of
from bidui.training.step import Rows, Step, gatherer, make_step, mean_loss

# Several processes that train one model together, as torchrun starts them: who this one is, and how they meet.
#
# Each takes its own part of the rows of a step, and gradients are averaged (`bidui.training.step`). Only rank 0
# writes. They read the same corpus and the same run, so on several machines the folders must be shared ones.

NUMBERS = ("RANK", "LOCAL_RANK", "WORLD_SIZE")  # what torchrun puts into the environment
PATIENCE = timedelta(hours=6)  # the others wait while rank 0 scores a milestone


@dataclass(frozen=True, slots=True)
class Processes:
    """How many processes there are, which of them this is, and which on its machine."""

    rank: int = 0
    local: int = 0
    world: int = 1

    def device(self, name: str) -> str:
        """The device of this process: of `cuda`, the GPU of its own number."""
        return f"cuda:{self.local}" if name == "cuda" and self.world > 1 else name


def processes() -> Processes:
    """What torchrun says in the environment; one process where it says nothing."""
    given = {name: os.environ[name] for name in NUMBERS if name in os.environ}
    if "RANK" not in given:  # a cluster may set some of the others for every program
        return Processes()
    if len(given) < len(NUMBERS) or not all(value.isdecimal() for value in given.values()):
        raise fail("processes-environment", Place(), {"found": [f"{name}={value}" for name, value in given.items()]})
    return Processes(int(given["RANK"]), int(given["LOCAL_RANK"]), int(given["WORLD_SIZE"]))


@contextmanager
def together(found: Processes, *, device: torch.device) -> Iterator[None]:
    """The processes can reach each other within it; where there is only one, nothing is done."""
    if found.world == 1:
        yield
        return
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    try:
        if device.type == "cuda":
            torch.cuda.set_device(device)
        dist.init_process_group(backend, rank=found.rank, world_size=found.world, timeout=PATIENCE)
    except (ValueError, RuntimeError) as error:
        raise fail("processes-apart", Place(), {"rank": found.rank, "reason": first_line(error)}) from error
    try:
        yield
    finally:
        dist.destroy_process_group()


def any_of(value: bool) -> bool:
    """Whether it is so in at least one process; all of them get the same answer."""
    return _greatest(int(value)) > 0


def same_in_all(number: int) -> bool:
    """Whether all processes have this number."""
    return _greatest(number) == -_greatest(-number)


def _greatest(number: int) -> int:
    # On the CPU also where the model is on a GPU: what is waiting there need not be waited for.
    held = torch.tensor(number)
    dist.all_reduce(held, op=dist.ReduceOp.MAX)
    return int(held)


# How a run is interrupted, and kept from being run twice: signals that ask it to stop, and the lock of its folder.

LOCK = ".lock"


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """SIGTERM and SIGINT ask for a stop after the step under way; outside the main thread there is nobody to ask.

    Whoever presses Ctrl-C again does not want to wait: the last state that was saved is whole.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Refuse a folder in which another process is at work; the lock goes with the process, however that ends."""
    if os.name != "posix":
        yield
        return
    import fcntl

    with (folder / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise fail("run-in-use", Place(str(folder)), {}) from error
        except OSError:
            pass  # some network drives have no locks
        yield


# Validation: how well a model in training predicts rows that it never learns from.


@torch.no_grad()
def validation_loss(trainee: Trainee, rows: Rows, *, recipe: RunRecipe) -> float:
    """The mean loss in nats per token over rows that are never learned from; NaN where there are none."""
    if not len(rows):
        return math.nan
    device = trainee.head.weight.device
    training = trainee.network.training
    trainee.network.eval()
    gather = gatherer(rows, device)
    total = 0.0  # here, and not on the device: that of a Mac has no float64
    for start in range(0, len(rows), recipe.micro_batch):
        chosen = torch.arange(start, min(start + recipe.micro_batch, len(rows)), device=device)
        tokens = gather(chosen)
        with torch.autocast(device.type, torch.bfloat16, enabled=recipe.precision == "bfloat16", cache_enabled=False):
            loss = mean_loss(trainee.hidden(tokens)[:, :-1], trainee.head, tokens[:, 1:], align=False)
        total += float(loss) * len(chosen)
    trainee.network.train(training)
    return total / len(rows)


# What a run says of itself: `run.json`, and a log that has each step once, however often the run was stopped.

LOG = "log.jsonl"
DESCRIPTION = "run.json"


def describe(run: Path, recipe: RunRecipe, trainee: Trainee, *, steps: int) -> None:
    """What tables and figures need to know of a run beside its recipe, and what its last bits depend on."""
    described = {
        "parameters": sum(parameter.numel() for parameter in trainee.network.parameters()),
        "steps": steps,
        "tokens_per_step": recipe.batch * recipe.context,
        **_surroundings(trainee),
    }
    write_file(run / DESCRIPTION, (json.dumps(described, indent=1) + "\n").encode())


def moved(run: Path, trainee: Trainee) -> list[str]:
    """Of all that last bits depend on, what is otherwise than when the run was stopped; nothing if it was not."""
    if not (run / STATE).is_file():
        return []
    try:
        before = json.loads((run / DESCRIPTION).read_text(encoding="utf-8"))
        return [f"{k} {before[k]} -> {v}" for k, v in _surroundings(trainee).items() if before.get(k, v) != v]
    except (OSError, ValueError, AttributeError):  # changed by hand
        return []


def _surroundings(trainee: Trainee) -> dict[str, str | int]:
    device = trainee.head.weight.device
    return {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def write_line(run: Path, values: Mapping[str, float | int | None]) -> None:
    """Put a line at the end of a run's log."""
    file = run / LOG
    try:
        with file.open("a", encoding="utf-8", newline="\n") as opened:
            opened.write(json.dumps(values) + "\n")
    except OSError as error:
        raise fail("write-failed", Place(str(file)), {"reason": error.strerror or str(error)}) from error


def cut_log(run: Path, *, step: int) -> None:
    """Drop lines after `step`, so that a resumed run has each step once; a half-written last line goes too.

    So does the milestone at `step`, which the resumed run comes by again.
    """
    file = run / LOG
    if not file.is_file():
        return
    kept = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        with contextlib.suppress(ValueError, TypeError, KeyError):  # a power cut can leave anything
            found = json.loads(line)
            if found["step"] < step or (found["step"] == step and "validation" not in found):
                kept.append(line)
    write_file(file, "".join(f"{line}\n" for line in kept).encode())


class Interruption(BiduiError):
    """The run was asked to stop; its state is saved."""


@dataclass(frozen=True, slots=True)
class Data:
    """The rows of a run: those it learns from, those it is only tested on, and how many tokens a character is."""

    train: Rows
    validation: Rows
    tokens_per_character: float


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run can say of itself after a step."""

    step: int
    steps: int
    loss: float
    rate: float
    norm: float
    tokens_per_second: float


@dataclass(frozen=True, slots=True)
class Watch:
    """What is done beside the training: none of it changes what is learned."""

    on_log: Callable[[Progress], None] = lambda progress: None
    on_milestone: Callable[[int, Trainee], None] = lambda step, trainee: None
    log_every: int = 10  # steps
    save_seconds: float = 300.0  # between states
    keep: Literal["all", "last"] = "all"  # milestones as weights


@dataclass(slots=True)
class Run:
    """A run under way."""

    recipe: RunRecipe
    data: Data
    trainee: Trainee
    out: Path
    watch: Watch
    steps: int
    milestones: frozenset[int]
    step: Step
    rank: int
    done: int = 0  # steps
    losses: list[torch.Tensor] = field(default_factory=list)  # since the last line of the log
    saved: float = field(default_factory=time.monotonic)
    logged: tuple[float, int] = (0.0, 0)  # when, and after which step


def train_network(
    recipe: RunRecipe, data: Data, trainee: Trainee, *, out: Path, watch: Watch | None = None, rank: int = 0
) -> bool:
    """Train to the end, from where a run in `out` was left if there is one; False if it was finished before."""
    steps = steps_of(len(data.train), batch=recipe.batch, epochs=recipe.epochs)
    if not steps:
        needed = recipe.batch * recipe.context
        raise fail("too-few-tokens", Place(), {"tokens": data.train.size, "needed": needed})
    milestones = frozenset(milestone_steps(recipe.milestones, steps=steps))
    if rank == 0:
        claim(out, recipe)
    if (out / FINISHED).is_file():
        return False
    with only_one(out) if rank == 0 else nullcontext():
        if (out / FINISHED).is_file():  # by a process that held the folder until now
            return False
        if rank == 0:
            remove_temporaries(out)
            describe(out, recipe, trainee, steps=steps)
        step = make_step(trainee.network, trainee.hidden, trainee.head, rows=data.train, recipe=recipe, rank=rank)
        run = Run(recipe, data, trainee, out, watch or Watch(), steps, milestones, step, rank)
        _resume(run)
        with stop_signals() as stop:
            _loop(run, stop)
        if rank == 0:
            write_file(out / FINISHED, (json.dumps({"steps": steps}) + "\n").encode())
            for name in (STATE, BEFORE, LOCK):
                remove_file(out / name)  # the last milestone holds the weights
    return True


def _loop(run: Run, stop: threading.Event) -> None:
    recipe, watch = run.recipe, run.watch
    rates = learning_rates(recipe, steps=run.steps)
    epoch_steps = run.steps // recipe.epochs
    order, epoch = None, -1
    run.logged = (time.perf_counter(), run.done)
    while True:
        if _asked(stop, run):  # before the milestone: who asks gives us seconds, and scoring may take minutes
            _save(run)
            raise Interruption(str(Problem("run-stopped", Place(str(run.out)), {"step": run.done, "steps": run.steps})))
        if run.done in run.milestones:
            _milestone(run)
        if run.done == run.steps:
            return
        if time.monotonic() - run.saved > watch.save_seconds:
            _save(run)
        if epoch != run.done // epoch_steps:
            epoch = run.done // epoch_steps
            order = epoch_order(len(run.data.train), seed=recipe.seed, epoch=epoch)
        assert order is not None
        chosen = rows_of(order, run.done % epoch_steps, batch=recipe.batch, rank=run.rank, world=recipe.world)
        run.step.run(chosen, rate=float(rates[run.done]), seed=recipe.seed * 1_000_003 + run.done)
        run.losses.append(run.step.loss.clone())
        run.done += 1
        if run.done % watch.log_every == 0 or run.done == run.steps:
            _log(run, rate=float(rates[run.done - 1]))


def _losses(run: Run) -> list[float]:
    """The losses since the last line of the log, read before anything is kept; with one not finite, nothing is.

    Nor with such a gradient in the last step: its loss is of the weights before, which may have been good. Reading
    waits for the device, so it is done seldom.
    """
    losses: list[float] = torch.stack(run.losses).tolist() if run.losses else []
    place, norm = Place(str(run.out)), float(run.step.norm)
    for number, loss in enumerate(losses, run.done - len(losses) + 1):
        if not math.isfinite(loss):
            raise fail("loss-not-finite", place, {"step": number, "value": loss, "rate": _rate(run, number)})
    if not math.isfinite(norm):
        raise fail("gradient-not-finite", place, {"step": run.done, "value": norm, "rate": _rate(run, run.done)})
    return losses


def _rate(run: Run, step: int) -> float:
    return float(learning_rates(run.recipe, steps=run.steps)[step - 1])


def _log(run: Run, *, rate: float) -> None:
    """A line of the log, with the mean loss since the last."""
    losses = _losses(run)
    run.losses.clear()
    now = time.perf_counter()
    since, before = run.logged
    speed = (run.done - before) * run.recipe.batch * run.recipe.context / max(now - since, 1e-9)
    run.logged = (now, run.done)
    progress = Progress(run.done, run.steps, sum(losses) / len(losses), rate, float(run.step.norm), speed)
    line: dict[str, float | int] = {k: v for k, v in asdict(progress).items() if k != "steps"}
    line["tokens"] = run.done * run.recipe.batch * run.recipe.context
    if run.step.device.type == "cuda":
        line["memory"] = torch.cuda.max_memory_allocated(run.step.device)
    if run.rank == 0:
        write_line(run.out, line)
        run.watch.on_log(progress)


def _milestone(run: Run) -> None:
    """Validation, the checkpoint, and whatever else is to be done at milestones."""
    began = time.perf_counter()
    _losses(run)
    nats = validation_loss(run.trainee, run.data.validation, recipe=run.recipe)
    if run.rank == 0:
        per_character = nats * run.data.tokens_per_character
        tokens = run.done * run.recipe.batch * run.recipe.context
        measured = {"validation": nats, "validation_per_character": per_character}
        found: dict[str, float | None] = {"step": run.done, "tokens": tokens}
        found |= {name: None if math.isnan(value) else value for name, value in measured.items()}  # JSON has no NaN
        write_line(run.out, found)
        if run.watch.keep == "all" or run.done == run.steps:
            manifest = {**found, "recipe": asdict(run.recipe)}
            save_milestone(milestone_folder(run.out, run.done), run.trainee.save, manifest)
        run.watch.on_milestone(run.done, run.trainee)
        run.trainee.network.train()
    since, before = run.logged
    run.logged = (since + time.perf_counter() - began, before)  # the speed shown is that of training


def _resume(run: Run) -> None:
    """Take up the last state, if there is one; the log is cut back to it."""
    state = load_state(run.out, run.recipe, device=run.step.device)
    if state is not None:
        run.trainee.network.load_state_dict(state.weights)
        rate = run.step.rate
        run.step.optimizer.load_state_dict(dict(state.optimizer))
        for group in run.step.optimizer.param_groups:
            group["lr"] = rate  # loading puts a copy there, which nobody would turn
        run.done = state.step
        run.losses = [torch.tensor(loss, device=run.step.device) for loss in state.losses]
    if run.recipe.world > 1 and not same_in_all(run.done):
        raise fail("run-not-shared", Place(str(run.out)), {})
    if run.rank == 0:
        cut_log(run.out, step=run.done)


def _save(run: Run) -> None:
    losses = tuple(_losses(run))
    if run.rank == 0:
        weights, optimizer = run.trainee.network.state_dict(), run.step.optimizer.state_dict()
        save_state(run.out, State(run.done, weights, optimizer, losses, run.recipe.hash))
    run.saved = time.monotonic()


def _asked(stop: threading.Event, run: Run) -> bool:
    """Whether to stop; several processes stop after the same step, or the others would wait for ever."""
    return stop.is_set() if run.recipe.world == 1 else any_of(stop.is_set())


# The log of a run for TensorBoard, which is no part of bidui; `log.jsonl` has the same numbers.


@contextmanager
def tensorboard_log(folder: Path) -> Iterator[Callable[[Progress], None]]:
    """A function for `Watch.on_log` that writes to a folder that TensorBoard shows; all is written when it ends.

    A run that goes on after it was killed comes by some steps again: TensorBoard shows only the later ones.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise fail("tensorboard-missing", Place(), {}) from error
    writers: list[Any] = []  # one, from the first step that is logged

    def on_log(progress: Progress) -> None:
        if not writers:
            writers.append(SummaryWriter(str(folder), purge_step=progress.step))
        for name in ("loss", "rate", "norm", "tokens_per_second"):
            writers[0].add_scalar(f"train/{name}", getattr(progress, name), progress.step)

    try:
        yield on_log
    finally:
        for writer in writers:
            writer.close()
