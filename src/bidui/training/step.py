"""One training step: the loss of some rows, its gradients, the update; on a GPU, compiled and captured as a graph."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import torch
import torch.distributed
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from bidui.training.kernels import ALIGNED, head_loss, usable
from bidui.training.recipe import OPTIMIZERS, RunRecipe

# All but cuDNN's, which treats rows of 64 as rows of 128.
ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
WARM = 3  # steps that run before a graph is captured, so that all memory and kernels exist

Rows = NDArray[np.uint16] | NDArray[np.uint32]
Hidden = Callable[[torch.Tensor], torch.Tensor]


@dataclass(slots=True)
class Step:
    """A network in training: `run` does one step; `loss` and `norm` are then those of that step."""

    network: nn.Module
    optimizer: torch.optim.AdamW
    update: Callable[[torch.Tensor, int], None]  # takes the numbers of the rows and the seed of the step
    rate: torch.Tensor
    loss: torch.Tensor
    norm: torch.Tensor
    capture: bool
    device: torch.device
    chosen: torch.Tensor  # the numbers of the rows, where a graph reads them
    graph: "torch.cuda.CUDAGraph | None" = None
    warm: int = 0

    def run(self, chosen: NDArray[np.int64], *, rate: float, seed: int) -> None:
        """Do one step on the rows of these numbers."""
        self.rate.fill_(rate)
        self.chosen.copy_(torch.from_numpy(chosen), non_blocking=True)
        if self.graph is not None:
            self.graph.replay()
        elif self.capture and self.warm >= WARM:
            self._capture()
            self.run(chosen, rate=rate, seed=seed)
        else:
            self.warm += 1
            self.update(self.chosen, seed)

    def _capture(self) -> None:
        """Record the kernels of a step, which then start all at once; recording computes nothing."""
        torch.cuda.synchronize()
        self.optimizer.zero_grad(set_to_none=True)
        torch.cuda.empty_cache()  # the graph has its own memory, and cannot use that of the first steps
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.update(self.chosen, 0)  # networks that draw random numbers are never captured; `RunRecipe` checks it


def make_step(
    network: nn.Module, hidden: Hidden, head: nn.Linear, *, rows: Rows, recipe: RunRecipe, rank: int = 0
) -> Step:
    """Make the step of a recipe over `rows`; `hidden` gives the input of the head."""
    device = head.weight.device
    on_gpu = device.type == "cuda"
    rate = torch.zeros((), device=device)
    chosen_optimizer = OPTIMIZERS[recipe.optimizer]
    matrices = [p for p in network.parameters() if p.ndim >= 2]
    others = [p for p in network.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": chosen_optimizer.decay}, {"params": others, "weight_decay": 0.0}],
        lr=rate,  # a tensor, so that a graph can read it
        betas=chosen_optimizer.betas,
        eps=chosen_optimizer.epsilon,
        fused=True,
        capturable=on_gpu,
    )
    loss, norm = torch.zeros((), device=device), torch.zeros((), device=device)
    gather = gatherer(rows, device)
    micro = recipe.micro_batch
    parts = recipe.batch // recipe.world // micro
    half = recipe.precision == "bfloat16"

    def states_of(tokens: torch.Tensor) -> torch.Tensor:
        with torch.autocast(device.type, torch.bfloat16, enabled=half, cache_enabled=False):
            return hidden(tokens)[:, :-1]

    def loss_of(tokens: torch.Tensor) -> torch.Tensor:
        states = states_of(tokens)
        with torch.autocast(device.type, torch.bfloat16, enabled=half, cache_enabled=False):
            return mean_loss(states, head, tokens[:, 1:], align=on_gpu)

    def flat_states_of(tokens: torch.Tensor) -> torch.Tensor:
        return states_of(tokens).flatten(0, 1).to(torch.bfloat16)

    compiled: Hidden = loss_of
    if recipe.mode != "eager" and half and head.bias is None and usable(device):
        compiled_states = torch.compile(flat_states_of, fullgraph=True, dynamic=False)
        compiled = lambda tokens: head_loss(compiled_states(tokens), head.weight, tokens[:, 1:].flatten())  # noqa: E731
    elif recipe.mode != "eager":
        compiled = torch.compile(loss_of, fullgraph=True, dynamic=False)
    parameters = list(network.parameters())
    drawing = any(_draws(module) for module in network.modules())

    def update(chosen: torch.Tensor, seed: int) -> None:
        optimizer.zero_grad(set_to_none=True)
        loss.zero_()
        for part in range(parts):
            if drawing:
                torch.manual_seed(_part_seed(seed, rank * parts + part))
            with sdpa_kernel(ATTENTION):
                mean = compiled(gather(chosen[part * micro : (part + 1) * micro])) / parts
            mean.backward()  # type: ignore[no-untyped-call]
            loss.add_(mean.detach())
        if recipe.world > 1:
            for tensor in (loss, *(p.grad for p in parameters if p.grad is not None)):
                torch.distributed.all_reduce(tensor)
                tensor /= recipe.world  # the mean over all processes
        norm.copy_(nn.utils.clip_grad_norm_(parameters, chosen_optimizer.clip))
        optimizer.step()

    capture = recipe.mode == "captured" and on_gpu and recipe.world == 1
    chosen = torch.zeros(parts * micro, dtype=torch.int64, device=device)
    return Step(network, optimizer, update, rate, loss, norm, capture, device, chosen)


def mean_loss(hidden: torch.Tensor, head: nn.Linear, targets: torch.Tensor, *, align: bool) -> torch.Tensor:
    """Return the mean negative log-probability, in fp32.

    With `align`, the head is widened by rows whose logits become minus infinity, so that they have no probability.
    Slicing them off instead would misalign every later pass over the logits, at half the speed.
    """
    size = head.weight.shape[0]
    weight: torch.Tensor = head.weight
    bias: torch.Tensor | None = head.bias
    if align and size % ALIGNED:
        weight = F.pad(weight, (0, 0, 0, -size % ALIGNED))
        bias = None if bias is None else F.pad(bias, (0, -size % ALIGNED))
    logits = F.linear(hidden.flatten(0, 1), weight, bias).float()
    if len(weight) > size:
        outside = torch.arange(len(weight), device=logits.device) >= size
        logits = logits + torch.where(outside, -torch.inf, 0.0)
    return F.cross_entropy(logits, targets.flatten())


def gatherer(rows: Rows, device: torch.device) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a function from numbers to rows; on a GPU they are in its memory, 6 GB for 3B tokens."""
    signed, mask = (np.int16, 0xFFFF) if rows.dtype.itemsize == 2 else (np.int32, 0xFFFFFFFF)
    if device.type == "cuda":
        held = torch.from_numpy(np.array(rows).view(signed)).to(device)
        return lambda chosen: held[chosen].to(torch.int64) & mask  # torch supports few operations on unsigned numbers
    return lambda chosen: torch.from_numpy(rows[chosen.cpu().numpy()].astype(np.int64)).to(device)


def _draws(module: nn.Module) -> bool:
    """Return whether a module has dropout; that of GPT-NeoX is 0."""
    return (isinstance(module, nn.Dropout) and module.p > 0) or (isinstance(module, nn.LSTM) and module.dropout > 0)


def _part_seed(seed: int, part: int) -> int:
    """Return a seed for dropout that depends on the step and the part of its rows, not on the process that has it.

    It is a hash, because on a CPU torch uses only the last 32 bits, and neighbouring steps must not share seeds.
    """
    return int.from_bytes(blake2b(f"{seed} {part}".encode(), digest_size=8).digest(), "big")
