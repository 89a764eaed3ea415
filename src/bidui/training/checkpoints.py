"""The folder of a run: its recipe, the state it resumes from, its log, its checkpoints, and the lock that guards it.

recipe.json       everything that decides what the run learns; another recipe is refused here
run.json          what tables and figures need to know besides, and what the last bits depend on
log.jsonl         losses and validation, each step once however often the run was interrupted
state.pt          where an interrupted run resumes; state-before.pt is the one before it
step-000100/      the model after 100 steps with its card, which `bidui score` and transformers load
finished.json     the run is complete
"""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError

from bidui.errors import Place, fail
from bidui.files import Manifest, claim_folder, hold_lock, new_file, new_folder, reason, write_file, write_json
from bidui.models.model import first_line
from bidui.training.network import Trainee
from bidui.training.publish import CARD, MANIFEST
from bidui.training.recipe import VALIDATION_SEED, RunRecipe, recipe_from

STATE, BEFORE = "state.pt", "state-before.pt"
RECIPE = "recipe.json"
FINISHED = "finished.json"
LOG = "log.jsonl"
DESCRIPTION = "run.json"
LOCK = ".lock"


def claim(folder: Path, recipe: RunRecipe) -> None:
    """Make the folder that of this run; one with another recipe is refused with the differences."""
    file = folder / RECIPE
    before = None
    if file.is_file():
        try:
            before = recipe_from(json.loads(file.read_text(encoding="utf-8")), place=Place(str(file)))
        except (OSError, ValueError, TypeError, AttributeError) as error:  # the last two: wrong types inside
            raise fail("recipe-unreadable", Place(str(file)), {"reason": str(error)}) from error
    earlier = Manifest(asdict(before)) if before else None
    claim_folder(folder, earlier, Manifest(asdict(recipe)), "run-of-another")
    if before is None:
        write_json(file, asdict(recipe))


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Refuse a folder in which another process is at work."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(hold_lock(folder / LOCK))
        except BlockingIOError as error:
            raise fail("run-in-use", Place(str(folder)), {}) from error
        yield


@dataclass(frozen=True, slots=True)
class State:
    """Where a run stands: steps done, weights, optimizer, and the losses that are not in the log yet."""

    step: int
    weights: Mapping[str, torch.Tensor]
    optimizer: Mapping[str, Any]
    losses: tuple[float, ...]
    recipe: str


def save_state(folder: Path, state: State) -> None:
    """Write the state; the one before it is kept until the next is written."""
    try:
        with new_file(folder / STATE, keep=folder / BEFORE) as file:  # not through memory: it can have 17 gigabytes
            torch.save({name: getattr(state, name) for name in State.__slots__}, file)
    except RuntimeError as error:  # how torch says that a disk is full
        raise fail("write-failed", Place(str(folder / STATE)), {"reason": first_line(error)}) from error


def load_state(folder: Path, recipe: RunRecipe, *, device: torch.device) -> State | None:
    """Return the last state that can be read, or None if there is none; if none can be read, that is an error.

    Starting from the beginning instead would cut the log and lose what is in it.
    """
    reasons = []
    for name in (STATE, BEFORE):
        file = folder / name
        if not file.is_file():
            continue
        try:
            state = State(**torch.load(file, map_location=device, weights_only=True))
        except Exception as error:  # a truncated file can fail anywhere in the reader; the one before it is whole
            reasons.append(f"{name}: {first_line(error)}")
            continue
        if state.recipe == recipe.hash:
            return state
        reasons.append(f"{name}: of another recipe")
    if reasons:
        raise fail("state-broken", Place(str(folder)), {"reason": reasons})
    return None


def milestone_folder(out: Path, step: int) -> Path:
    """Return the folder of a checkpoint: step-000100, with six digits, so that names sort as numbers."""
    return out / f"step-{step:06d}"


def new_name(run: Path) -> str:
    """Return the name of a folder that is not there yet, for a run like this one with other settings."""
    return next(name for number in count(2) if not run.with_name(name := f"{run.name}-{number}").exists())


def save_milestone(folder: Path, save: Callable[[Path], None], manifest: Mapping[str, object], *, card: str) -> None:
    """Write the folder of a model, whole or not at all, in the place of one from before an interruption."""
    try:
        # Durable, because the state that a run could be resumed from is removed when all is done.
        with new_folder(folder, replace=True, durable=True) as new:
            save(new)
            write_json(new / MANIFEST, manifest)
            write_file(new / CARD, card.encode())
    except SafetensorError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": first_line(error)}) from error


def describe(
    run: Path, recipe: RunRecipe, trainee: Trainee, *, steps: int, validation: int = 0, held_out: int = 0
) -> None:
    """Write `run.json`; `validation` rows of the `held_out` ones are those that the validation loss is measured on."""
    description = {
        "parameters": sum(parameter.numel() for parameter in trainee.network.parameters()),
        "steps": steps,
        "tokens_per_step": recipe.batch * recipe.context,
        "validation_rows": validation,
        "held_out_rows": held_out,
        "validation_seed": VALIDATION_SEED,
        **_surroundings(trainee),
    }
    write_json(run / DESCRIPTION, description)


def validation_rows(run: Path) -> int | None:
    """Return how many rows an interrupted run measures its validation loss on; None if no run was interrupted here.

    A run of an earlier version does not say so: it measures all rows, which are more than any number, `sys.maxsize`.
    """
    if not (run / STATE).is_file():
        return None
    try:
        return int(json.loads((run / DESCRIPTION).read_text(encoding="utf-8")).get("validation_rows", sys.maxsize))
    except (OSError, ValueError, TypeError, AttributeError):  # changed by hand
        return sys.maxsize


def moved(run: Path, trainee: Trainee) -> list[str]:
    """Return what the last bits depend on and changed since the run was interrupted; nothing if it was not."""
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
    """Append a line to a run's log."""
    try:
        with (run / LOG).open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(values) + "\n")
    except OSError as error:
        raise fail("write-failed", Place(str(run / LOG)), {"reason": reason(error)}) from error


def cut_log(run: Path, *, step: int) -> None:
    """Drop the lines after `step`, and a half-written last one, so that a resumed run logs each step once.

    The milestone at `step` is dropped too, because the resumed run passes it again.
    """
    file = run / LOG
    if not file.is_file():
        return
    lines = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        with contextlib.suppress(ValueError, TypeError, KeyError):  # a power cut can leave anything
            values = json.loads(line)
            if values["step"] < step or (values["step"] == step and "validation" not in values):
                lines.append(line)
    write_file(file, "".join(f"{line}\n" for line in lines).encode())
