"""Several processes that train one model together, as torchrun starts them: who this one is, and how they meet.

Each has its own part of the rows of a step, and gradients are averaged (`bidui.train.step`). Only the one of rank 0
writes. They read the same corpus and the same run, so on several machines the folders must be shared ones.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist

from bidui.errors import Place, fail
from bidui.models.huggingface import first_line

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
