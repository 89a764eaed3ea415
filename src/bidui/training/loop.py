"""The training loop: from a recipe and rows of tokens to checkpoints and a log; interrupted at any moment, it resumes.

Every random number of a step is a function of the step, and so is the order of rows. A run therefore needs only its
weights, its optimizer and the number of steps done to continue as if it had never been interrupted.
"""

import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import torch.distributed as dist

from bidui.errors import Interruption, Place, Problem, fail, import_failed
from bidui.files import remove_file, remove_temporaries, write_file
from bidui.models.model import first_line
from bidui.signals import Stop, die_with_parent, stop_signals
from bidui.training.checkpoints import (
    BEFORE,
    FINISHED,
    STATE,
    State,
    claim,
    cut_log,
    describe,
    load_state,
    milestone_folder,
    new_name,
    only_one,
    save_milestone,
    save_state,
    write_line,
)
from bidui.training.network import Trainee
from bidui.training.publish import model_card
from bidui.training.recipe import USUAL_PEAK, RunRecipe, epoch_order, learning_rates, milestone_steps, rows_of, steps_of
from bidui.training.step import Rows, Step, gatherer, make_step, mean_loss

TORCHRUN = ("RANK", "LOCAL_RANK", "WORLD_SIZE")  # what torchrun sets in the environment
PATIENCE = timedelta(hours=6)  # the others wait while rank 0 scores a milestone


@dataclass(frozen=True, slots=True)
class Data:
    """The rows of a run: those for training, a sample of those held out, and the tokens per character of these."""

    train: Rows
    validation: Rows
    tokens_per_character: float
    held_out: int = 0  # rows that the sample was drawn from
    about: str = ""  # what the rows come from, for the model card


@dataclass(frozen=True, slots=True)
class Progress:
    """A line of the log."""

    step: int
    steps: int
    loss: float
    rate: float
    norm: float
    tokens_per_second: float


@dataclass(frozen=True, slots=True)
class Watch:
    """What happens besides training: none of it changes what is learned."""

    on_step: Callable[[int], None] = lambda step: None  # before the first step, and after each; on a GPU, when queued
    on_log: Callable[[Progress], None] = lambda progress: None
    on_milestone: Callable[[int, Trainee], None] = lambda step, trainee: None
    log_every: int = 10  # steps
    save_seconds: float = 300.0  # between states
    keep: Literal["all", "last"] = "all"  # the checkpoints whose weights are kept


@dataclass(slots=True)
class _Run:
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
    logged: tuple[float, int] = (0.0, 0)  # the time of the last line of the log, and its step

    @property
    def tokens(self) -> int:
        """The tokens that have been learned from."""
        return self.done * self.recipe.batch * self.recipe.context


def train_network(
    recipe: RunRecipe, data: Data, trainee: Trainee, *, out: Path, watch: Watch | None = None, rank: int = 0
) -> bool:
    """Train to the end, resuming a run that is in `out`; return False if it was finished before."""
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
            describe(out, recipe, trainee, steps=steps, validation=len(data.validation), held_out=data.held_out)
        step = make_step(trainee.network, trainee.hidden, trainee.head, rows=data.train, recipe=recipe, rank=rank)
        run = _Run(recipe, data, trainee, out, watch or Watch(), steps, milestones, step, rank)
        _resume(run)
        with stop_signals() as stop:
            _loop(run, stop)
        if rank == 0:
            write_file(out / FINISHED, (json.dumps({"steps": steps}) + "\n").encode())
            for name in (STATE, BEFORE):
                remove_file(out / name)  # the last checkpoint holds the weights
    return True


def _loop(run: _Run, stop: Stop) -> None:
    recipe, watch = run.recipe, run.watch
    rates = learning_rates(recipe, steps=run.steps)
    epoch_steps = run.steps // recipe.epochs
    order, epoch = np.zeros(0, np.int64), -1
    run.logged = (time.perf_counter(), run.done)
    if run.rank == 0:
        watch.on_step(run.done)
    while True:
        # Before the milestone: whoever stops us waits seconds, and scoring may take minutes. All processes stop after
        # the same step, or some would wait for ever.
        if signal := stop.signal if recipe.world == 1 else _greatest(stop.signal):
            _save(run)
            stopped = Problem("run-stopped", Place(str(run.out)), {"step": run.done, "steps": run.steps})
            raise Interruption(stopped, signal=signal)
        if run.done in run.milestones:
            _milestone(run)
        if run.done == run.steps:
            return
        if time.monotonic() - run.saved > watch.save_seconds:
            _save(run)
        if epoch != run.done // epoch_steps:
            epoch = run.done // epoch_steps
            order = epoch_order(len(run.data.train), seed=recipe.seed, epoch=epoch)
        rows = rows_of(order, run.done % epoch_steps, batch=recipe.batch, rank=run.rank, world=recipe.world)
        run.step.run(rows, rate=float(rates[run.done]), seed=recipe.seed * 1_000_003 + run.done)
        run.losses.append(run.step.loss.clone())
        run.done += 1
        if run.done % watch.log_every == 0 or run.done == run.steps:
            _log(run, rate=float(rates[run.done - 1]))
        if run.rank == 0:
            watch.on_step(run.done)


def _resume(run: _Run) -> None:
    """Load the last state, if there is one, and cut the log back to it."""
    state = load_state(run.out, run.recipe, device=run.step.device)
    if state is not None:
        run.trainee.network.load_state_dict(state.weights)
        rate = run.step.rate
        run.step.optimizer.load_state_dict(dict(state.optimizer))
        for group in run.step.optimizer.param_groups:
            group["lr"] = rate  # loading puts a copy there, which nobody would update
        run.done = state.step
        run.losses = [torch.tensor(loss, device=run.step.device) for loss in state.losses]
    if run.recipe.world > 1 and _greatest(run.done) != -_greatest(-run.done):
        raise fail("run-not-shared", Place(str(run.out)), {})
    if run.rank == 0:
        cut_log(run.out, step=run.done)


def _save(run: _Run) -> None:
    losses = tuple(_losses(run))
    _check_weights(run)
    if run.rank == 0:
        weights, optimizer = run.trainee.network.state_dict(), run.step.optimizer.state_dict()
        save_state(run.out, State(run.done, weights, optimizer, losses, run.recipe.hash))
    run.saved = time.monotonic()


def _losses(run: _Run) -> list[float]:
    """Return the losses since the last line of the log; if one is not finite, raise an error before anything is saved.

    The gradient of the last step is checked too, since its loss is that of the weights before, which may have been
    good. Reading waits for the device, so it is done seldom.
    """
    losses: list[float] = torch.stack(run.losses).tolist() if run.losses else []
    for step, loss in enumerate(losses, run.done - len(losses) + 1):
        if not math.isfinite(loss):
            raise fail("loss-not-finite", Place(str(run.out)), _where(run, step, loss))
    norm = float(run.step.norm)
    if not math.isfinite(norm):
        raise fail("gradient-not-finite", Place(str(run.out)), _where(run, run.done, norm))
    return losses


def _check_weights(run: _Run) -> None:
    """Raise an error if a weight is not finite: at an absurd learning rate, a good gradient can lead there too."""
    finite = torch.stack([torch.isfinite(parameter).all() for parameter in run.trainee.network.parameters()])
    if not bool(finite.all()):
        raise fail("weights-not-finite", Place(str(run.out)), _where(run, run.done, math.inf))


def _where(run: _Run, step: int, value: float) -> dict[str, object]:
    """Return what a message about a step says: its number, the bad value, the learning rate, and options that work."""
    rate = float(learning_rates(run.recipe, steps=run.steps)[max(0, step - 1)])
    peak = f"{min(run.recipe.peak / 10, USUAL_PEAK):.3g}"
    return {"step": step, "value": value, "rate": rate, "peak": peak, "name": new_name(run.out)}


def _log(run: _Run, *, rate: float) -> None:
    """Write a line of the log, with the mean loss since the last."""
    losses = _losses(run)
    run.losses.clear()
    now = time.perf_counter()
    since, before = run.logged
    speed = (run.done - before) * run.recipe.batch * run.recipe.context / max(now - since, 1e-9)
    run.logged = (now, run.done)
    progress = Progress(run.done, run.steps, sum(losses) / len(losses), rate, float(run.step.norm), speed)
    line: dict[str, float | int] = {k: v for k, v in asdict(progress).items() if k != "steps"}
    line["tokens"] = run.tokens
    if run.step.device.type == "cuda":
        line["memory"] = torch.cuda.max_memory_allocated(run.step.device)
    if run.rank == 0:
        write_line(run.out, line)
        run.watch.on_log(progress)


def _milestone(run: _Run) -> None:
    """Measure the validation loss, save the checkpoint, and call whoever watches; all but rank 0 wait."""
    began = time.perf_counter()
    _losses(run)
    _check_weights(run)
    if run.rank == 0:
        nats = validation_loss(run.trainee, run.data.validation, recipe=run.recipe)
        if len(run.data.validation) and not math.isfinite(nats):
            raise fail("validation-not-finite", Place(str(run.out)), _where(run, run.done, nats))
        measured = {"validation": nats, "validation_per_character": nats * run.data.tokens_per_character}
        line: dict[str, float | None] = {"step": run.done, "tokens": run.tokens}
        line |= {name: None if math.isnan(value) else value for name, value in measured.items()}  # JSON has no NaN
        write_line(run.out, line)
        if run.watch.keep == "all" or run.done == run.steps:
            folder = milestone_folder(run.out, run.done)
            values = {**line, "validation_rows": len(run.data.validation), "recipe": asdict(run.recipe)}
            card = model_card(f"{run.out.name}@{folder.name}", values, about=run.data.about)
            save_milestone(folder, run.trainee.save, values, card=card)
        run.watch.on_milestone(run.done, run.trainee)
        run.trainee.network.train()
    if run.recipe.world > 1:
        _greatest(0)  # here, on the CPU, since what is queued on a GPU would count against the patience of NCCL
    since, before = run.logged
    run.logged = (since + time.perf_counter() - began, before)  # the speed shown is that of training


@torch.no_grad()
def validation_loss(trainee: Trainee, rows: Rows, *, recipe: RunRecipe) -> float:
    """Return the mean loss in nats per token over rows that are never learned from; NaN if there are none."""
    if not len(rows):
        return math.nan
    device = trainee.head.weight.device
    training = trainee.network.training
    trainee.network.eval()
    gather = gatherer(rows, device)
    total = 0.0  # not on the device, since that of a Mac has no float64
    for start in range(0, len(rows), recipe.micro_batch):
        numbers = torch.arange(start, min(start + recipe.micro_batch, len(rows)), device=device)
        tokens = gather(numbers)
        with torch.autocast(device.type, torch.bfloat16, enabled=recipe.precision == "bfloat16", cache_enabled=False):
            loss = mean_loss(trainee.hidden(tokens)[:, :-1], trainee.head, tokens[:, 1:], align=False)
        total += float(loss) * len(numbers)
    trainee.network.train(training)
    return total / len(rows)


@contextmanager
def tensorboard_log(folder: Path) -> Iterator[Callable[[Progress], None]]:
    """Yield a function for `Watch.on_log` that writes what TensorBoard shows; `log.jsonl` has the same numbers.

    A resumed run passes some steps again: TensorBoard shows only the later ones.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise fail("tensorboard-missing", Place(), {}) from error
    except ImportError as error:
        raise import_failed(error, extra="lm") from error
    with ExitStack() as stack:
        writers: list[Any] = []  # one, from the first step that is logged

        def on_log(progress: Progress) -> None:
            if not writers:
                writers.append(stack.enter_context(closing(SummaryWriter(str(folder), purge_step=progress.step))))
            for name in ("loss", "rate", "norm", "tokens_per_second"):
                writers[0].add_scalar(f"train/{name}", getattr(progress, name), progress.step)

        yield on_log


# Several processes that train one model, as torchrun starts them. Each takes a part of the rows of every step, and
# gradients are averaged (`step`); only rank 0 writes. On several machines, the folders must be on a shared disk.


@dataclass(frozen=True, slots=True)
class Processes:
    """The number of processes, the rank of this one, and its rank on its machine."""

    rank: int = 0
    local: int = 0
    world: int = 1

    def device(self, name: str) -> str:
        """Return the device of this process: for `cuda`, the GPU of its number."""
        return f"cuda:{self.local}" if name == "cuda" and self.world > 1 else name


def processes() -> Processes:
    """Return what torchrun says in the environment; a single process if it says nothing."""
    given = {name: os.environ[name] for name in TORCHRUN if name in os.environ}
    if "RANK" not in given:  # a cluster may set some of the others for every program
        return Processes()
    if len(given) < len(TORCHRUN) or not all(value.isdecimal() for value in given.values()):
        raise fail("processes-environment", Place(), {"found": [f"{name}={value}" for name, value in given.items()]})
    return Processes(int(given["RANK"]), int(given["LOCAL_RANK"]), int(given["WORLD_SIZE"]))


@contextmanager
def together(team: Processes, *, device: torch.device) -> Iterator[None]:
    """Connect the processes while the block runs; do nothing for a single one."""
    if team.world == 1:
        yield
        return
    die_with_parent()  # torchrun, which may be killed on a cluster and started elsewhere
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    try:
        if device.type == "cuda":
            torch.cuda.set_device(device)
        dist.init_process_group(backend, rank=team.rank, world_size=team.world, timeout=PATIENCE)
    except (ValueError, RuntimeError) as error:
        raise fail("processes-apart", Place(), {"rank": team.rank, "reason": first_line(error)}) from error
    try:
        yield
    finally:
        dist.destroy_process_group()


def _greatest(number: int) -> int:
    """Return the greatest number that a process has; all of them get the same answer."""
    # On the CPU even if the model is on a GPU, so that nobody waits for the work that is queued there.
    held = torch.tensor(int(number))
    dist.all_reduce(held, op=dist.ReduceOp.MAX)
    return int(held)
