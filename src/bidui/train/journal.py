"""What a run says of itself: `run.json`, and a log that has each step once, however often the run was stopped."""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
import transformers

from bidui.errors import Place, fail
from bidui.pairs.atomic import write_file
from bidui.train.checkpoints import STATE
from bidui.train.recipe import Recipe
from bidui.train.trainee import Trainee

LOG = "log.jsonl"
DESCRIPTION = "run.json"


def describe(run: Path, recipe: Recipe, trainee: Trainee, *, steps: int) -> None:
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
