"""Checkpoints: the state a run resumes from, written so that there is always a whole one, and the kept milestones."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from bidui.errors import Place, fail
from bidui.files import Manifest, claim_folder, new_file, new_folder, write_file, write_json
from bidui.models.huggingface import first_line
from bidui.training.recipe import RunRecipe, recipe_from

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
    try:
        with new_file(folder / STATE, keep=folder / BEFORE) as file:  # not through memory: it can have 17 gigabytes
            torch.save({name: getattr(state, name) for name in State.__slots__}, file)
    except RuntimeError as error:  # how torch says that a disk is full
        raise fail("write-failed", Place(str(folder / STATE)), {"reason": first_line(error)}) from error


def load_state(folder: Path, recipe: RunRecipe, *, device: torch.device) -> State | None:
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


def claim(folder: Path, recipe: RunRecipe) -> None:
    """Make the folder that of this run; one that belongs to another recipe is refused with what differs."""
    file = folder / RECIPE
    before = None
    if file.is_file():
        try:
            before = recipe_from(json.loads(file.read_text(encoding="utf-8")), place=Place(str(file)))
        except (OSError, ValueError, TypeError, AttributeError) as error:  # the last two: of a field, of the whole
            raise fail("recipe-unreadable", Place(str(file)), {"reason": str(error)}) from error
    earlier = Manifest(asdict(before)) if before else None
    claim_folder(folder, earlier, Manifest(asdict(recipe)), "run-of-another")
    if before is None:
        write_file(file, (json.dumps(asdict(recipe), indent=1) + "\n").encode())


def milestone_folder(out: Path, step: int) -> Path:
    """step-000100; six digits, so that names sort as numbers."""
    return out / f"step-{step:06d}"


def save_milestone(folder: Path, save: Callable[[Path], None], manifest: Mapping[str, object]) -> None:
    """Write a model folder whole, or not at all.

    One that is there was made after the state that the run went on from; on a GPU its last bits may be others.
    """
    try:
        # Durable, because the state that a run could be resumed from is removed when all is done.
        with new_folder(folder, replace=True, durable=True) as new:
            save(new)
            write_json(new / MANIFEST, manifest)
    except SafetensorError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": first_line(error)}) from error
