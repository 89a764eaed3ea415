"""The training loop: from a recipe and a corpus to checkpoints and a log; killed at any moment, it goes on as if not.

A step draws no random number that is not a function of the step, and the order of rows is a function of the step, so
what a run needs to go on is its weights, its optimizer and the number of steps done.
"""

import json
import math
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import torch

from bidui.errors import BiduiError, Place, Problem, fail
from bidui.pairs.atomic import remove_file, write_file
from bidui.train.checkpoints import (
    BEFORE,
    FINISHED,
    STATE,
    State,
    claim,
    load_state,
    milestone_folder,
    save_milestone,
    save_state,
    sweep,
)
from bidui.train.interruption import LOCK, only_one, stop_signals
from bidui.train.journal import cut_log, describe, write_line
from bidui.train.order import epoch_order, rows_of, steps_of
from bidui.train.processes import any_of, same_in_all
from bidui.train.recipe import Recipe
from bidui.train.schedule import learning_rates, milestone_steps
from bidui.train.step import Rows, Step, make_step
from bidui.train.trainee import Trainee
from bidui.train.validation import validation_loss


class Stopped(BiduiError):
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

    recipe: Recipe
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


def train(
    recipe: Recipe, data: Data, trainee: Trainee, *, out: Path, watch: Watch | None = None, rank: int = 0
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
            sweep(out)
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
            raise Stopped(str(Problem("run-stopped", Place(str(run.out)), {"step": run.done, "steps": run.steps})))
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
