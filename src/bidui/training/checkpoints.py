"""Checkpoints: the state a run resumes from, written so that there is always a whole one, and the kept milestones."""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.models.huggingface import first_line
from bidui.pairs.atomic import TEMPORARY, check_new_folder, write_file
from bidui.training.recipe import Recipe, differences, recipe_from

STATE, BEFORE = "state.pt", "state-before.pt"  # the last, and the one before it
RECIPE = "recipe.json"
FINISHED = "finished.json"
MANIFEST = "training.json"  # in a milestone


@dataclass(frozen=True, slots=True)
class State:
    """Where a run stands: steps done, weights, optimizer, and the losses not yet in the log."""

    step: int
    weights: Mapping[str, torch.Tensor]
    optimizer: Mapping[str, Any]
    losses: tuple[float, ...]
    recipe: str


def save_state(folder: Path, state: State) -> None:
    """Write the state aside and put it in the place of the last one, which is kept until the next."""
    temporary = folder / f".{STATE}.{os.urandom(4).hex()}{TEMPORARY}"
    try:
        with temporary.open("xb") as file:  # not through memory: of the largest model it is 17 gigabytes
            torch.save({name: getattr(state, name) for name in State.__slots__}, file)
            file.flush()
            os.fsync(file.fileno())
        if (folder / STATE).exists():
            (folder / STATE).replace(folder / BEFORE)
        temporary.replace(folder / STATE)
    except (OSError, RuntimeError) as error:  # the second is how torch says that a disk is full
        raise fail("write-failed", Place(str(folder / STATE)), {"reason": first_line(error)}) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def load_state(folder: Path, recipe: Recipe, *, device: torch.device) -> State | None:
    """The last state that is whole; None where there is none, but none that can be read is an error.

    A run that began again by itself would cut its log and lose what is in it.
    """
    reasons = []
    for name in (STATE, BEFORE):
        file = folder / name
        if not file.is_file():
            continue
        try:
            found = State(**torch.load(file, map_location=device, weights_only=True))
        except Exception as error:  # a file cut short can fail anywhere in the reader; the one before it is whole
            reasons.append(f"{name}: {first_line(error)}")
            continue
        if found.recipe == recipe.hash:
            return found
        reasons.append(f"{name}: of another recipe")
    if reasons:
        raise fail("state-broken", Place(str(folder)), {"reason": reasons})
    return None


def claim(folder: Path, recipe: Recipe) -> None:
    """Make the folder that of this run; one that belongs to another recipe is refused with what differs."""
    file = folder / RECIPE
    if file.is_file():
        try:
            before = recipe_from(json.loads(file.read_text(encoding="utf-8")), place=Place(str(file)))
        except (OSError, ValueError, TypeError, AttributeError) as error:  # the last two: of a field, of the whole
            raise fail("recipe-unreadable", Place(str(file)), {"reason": str(error)}) from error
        changed = differences(before, recipe)
        if changed:
            raise OutputRefused(str(Problem("run-of-another", Place(str(folder)), {"fields": changed})))
    else:
        check_new_folder(folder)
        write_file(file, (json.dumps(asdict(recipe), indent=1) + "\n").encode())


def sweep(folder: Path) -> None:
    """Remove what a killed run left half written."""
    for left in folder.glob(f".*{TEMPORARY}"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()


def milestone_folder(out: Path, step: int) -> Path:
    """step-000100; six digits, so that names sort as numbers."""
    return out / f"step-{step:06d}"


def save_milestone(folder: Path, save: Callable[[Path], None], manifest: Mapping[str, object]) -> None:
    """Write a model folder whole, or not at all.

    One that is there was made after the state that the run went on from; on a GPU its last bits may be others.
    """
    temporary = folder.with_name(f".{folder.name}.{os.urandom(4).hex()}{TEMPORARY}")
    try:
        temporary.mkdir(parents=True)
        save(temporary)
        write_file(temporary / MANIFEST, (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode())
        _keep_through_a_power_cut(temporary)
        if folder.exists():
            shutil.rmtree(folder)
        temporary.rename(folder)
    except (OSError, SafetensorError) as error:
        raise fail("write-failed", Place(str(folder)), {"reason": first_line(error)}) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _keep_through_a_power_cut(folder: Path) -> None:
    """Have every file down on the disk: the state that a run could be resumed from is removed when all is done."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("r+b") as file:
                os.fsync(file.fileno())
