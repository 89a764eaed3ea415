"""One training step: the loss of some rows, its gradients, the update; on a GPU, compiled and captured as a graph."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import torch
import torch.distributed
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from bidui.errors import Place, fail
from bidui.training.kernels import ALIGNED, compiles, head_loss, norm_of, update_matrix, usable, widen
from bidui.training.recipe import OPTIMIZERS, Optimizer, RunRecipe

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
    if on_gpu and recipe.mode != "eager" and not compiles(device):
        raise fail("mode-unusable", Place(part="--mode"), {"mode": recipe.mode, "device": str(device)})
    settings = OPTIMIZERS[recipe.optimizer]
    rate = torch.zeros((), device=device)
    optimizer = make_optimizer(network, settings, rate=rate)
    loss, norm = torch.zeros((), device=device), torch.zeros((), device=device)
    gather = gatherer(rows, device)
    micro = recipe.micro_batch
    parts = recipe.batch // recipe.world // micro
    kernels = recipe.mode != "eager" and recipe.precision == "bfloat16" and head.bias is None and usable(device)
    # gradients of several parts are added up, for which 16 bits are too few
    copies = make_copies(network) if kernels and recipe.world == parts == 1 else []
    learn = learner(hidden, head, recipe=recipe, parts=parts, kernels=kernels, copies=copies)
    parameters = list(network.parameters())
    drawing = any(_draws(module) for module in network.modules())
    begun = False

    def update(chosen: torch.Tensor, seed: int) -> None:
        nonlocal begun
        if not begun:  # weights may have been loaded since this step was made, but not later
            round_weights(copies)
            begun = True
        optimizer.zero_grad(set_to_none=True)
        loss.zero_()
        for part in range(parts):
            if drawing:
                torch.manual_seed(_part_seed(seed, rank * parts + part))
            with sdpa_kernel(ATTENTION), in_place(copies):
                loss.add_(learn(gather(chosen[part * micro : (part + 1) * micro])))
        if recipe.world > 1:
            for tensor in (loss, *(p.grad for p in parameters if p.grad is not None)):
                torch.distributed.all_reduce(tensor)
                tensor /= recipe.world  # the mean over all processes
        if copies:
            norm.copy_(update_weights(optimizer, copies, settings, rate=rate))
        else:
            norm.copy_(nn.utils.clip_grad_norm_(parameters, settings.clip))
            optimizer.step()

    capture = recipe.mode == "captured" and on_gpu and recipe.world == 1
    chosen = torch.zeros(parts * micro, dtype=torch.int64, device=device)
    return Step(network, optimizer, update, rate, loss, norm, capture, device, chosen)


def make_optimizer(network: nn.Module, settings: Optimizer, *, rate: torch.Tensor) -> torch.optim.AdamW:
    """Make AdamW, with weight decay for matrices and embeddings only; a graph reads the tensor `rate`."""
    matrices = [p for p in network.parameters() if p.ndim >= 2]
    others = [p for p in network.parameters() if p.ndim < 2]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": settings.decay}, {"params": others, "weight_decay": 0.0}],
        lr=rate,
        betas=settings.betas,
        eps=settings.epsilon,
        fused=True,
        capturable=rate.device.type == "cuda",
    )


def learner(
    hidden: Hidden, head: nn.Linear, *, recipe: RunRecipe, parts: int, kernels: bool, copies: Sequence["Copy"]
) -> Hidden:
    """Return the function from a part of a step's rows to its share of the loss; it adds up the gradients, too.

    It is compiled unless the mode is eager.
    """
    copied = next((copy for copy in copies if copy.layer is head), None)
    device, half = head.weight.device, recipe.precision == "bfloat16"

    def states_of(tokens: torch.Tensor) -> torch.Tensor:
        with torch.autocast(device.type, torch.bfloat16, enabled=half, cache_enabled=False):
            return hidden(tokens)[:, :-1]

    def plain(tokens: torch.Tensor) -> torch.Tensor:
        states = states_of(tokens)
        with torch.autocast(device.type, torch.bfloat16, enabled=half, cache_enabled=False):
            return mean_loss(states, head, tokens[:, 1:], align=device.type == "cuda")

    def flat_states_of(tokens: torch.Tensor) -> torch.Tensor:
        return states_of(tokens).flatten(0, 1).to(torch.bfloat16)

    mean = plain if recipe.mode == "eager" else torch.compile(plain, fullgraph=True, dynamic=False)
    compiled = torch.compile(flat_states_of, fullgraph=True, dynamic=False)

    def learn(tokens: torch.Tensor) -> torch.Tensor:
        share = mean(tokens) / parts
        share.backward()  # type: ignore[no-untyped-call]
        return share.detach()

    def learn_by_kernels(tokens: torch.Tensor) -> torch.Tensor:
        states = compiled(tokens)
        with torch.no_grad():
            wide = widen(head.weight) if copied is None else copied.wide
            share, of_states, of_head = head_loss(
                states, wide, tokens[:, 1:].flatten(), size=len(head.weight), parts=parts
            )
            earlier, of_head = head.weight.grad, of_head.to(head.weight.dtype)
            head.weight.grad = of_head if earlier is None else earlier + of_head
        states.backward(of_states)  # type: ignore[no-untyped-call]
        return share

    return learn_by_kernels if kernels else learn


# Matrices are multiplied in 16 bits and learned in 32. Autocast rounds them in every step and widens their gradients,
# which come in 16 bits; clipping and AdamW then each go over all of it again. With a copy in 16 bits of its own, a
# matrix is read and written once in a step, by the kernel that updates both. The numbers are the same.


@dataclass(frozen=True, slots=True)
class Copy:
    """The matrix of a linear layer, and its copy in 16 bits, which gets the gradient."""

    layer: nn.Linear
    weight: nn.Parameter
    wide: torch.Tensor  # the copy, with rows of zeros below it up to a multiple of ALIGNED, as the head needs
    half: nn.Parameter


def make_copies(network: nn.Module) -> list[Copy]:
    """Copy the matrices of all linear layers."""
    copies = []
    for layer in (module for module in network.modules() if isinstance(module, nn.Linear)):
        weight = layer.weight
        assert isinstance(weight, nn.Parameter)
        wide = widen(weight.detach())
        copies.append(Copy(layer, weight, wide, nn.Parameter(wide[: len(weight)])))
    return copies


@torch.no_grad()
def round_weights(copies: Sequence[Copy]) -> None:
    """Round the matrices into their copies; each step then does so itself."""
    for copy in copies:
        copy.half.copy_(copy.weight)


@contextmanager
def in_place(copies: Sequence[Copy]) -> Iterator[None]:
    """Put the copies in the place of their matrices while the block runs."""
    for copy in copies:
        copy.layer.weight = copy.half
    try:
        yield
    finally:
        for copy in copies:
            copy.layer.weight = copy.weight


@torch.no_grad()
def update_weights(
    optimizer: torch.optim.AdamW, copies: Sequence[Copy], settings: Optimizer, *, rate: torch.Tensor
) -> torch.Tensor:
    """Clip the gradients and do a step of AdamW; return the norm that they had together."""
    matrices, vectors = (group["params"] for group in optimizer.param_groups)
    halves = {copy.weight: copy.half for copy in copies}  # embeddings are looked up in 32 bits and have none
    gradients = {matrix: _take_gradient(halves.get(matrix, matrix)) for matrix in matrices}
    small = [vector.grad for vector in vectors if vector.grad is not None]
    norms = [norm_of(list(gradients.values())), *torch._foreach_norm(small)]
    norm: torch.Tensor = torch.linalg.vector_norm(torch.stack(norms))
    clip = (settings.clip / (norm + 1e-6)).clamp(max=1.0)  # as in `torch.nn.utils.clip_grad_norm_`
    torch._foreach_mul_(small, clip)
    optimizer.step()  # of all that still have a gradient
    states = [_state_of(optimizer, matrix) for matrix in matrices]
    torch._foreach_add_([state["step"] for state in states], 1)
    done = states[0]["step"].double()
    corrections = [1 - beta**done for beta in settings.betas]
    scalars = torch.stack([each.float() for each in (rate, clip, *corrections)])
    for (matrix, gradient), state in zip(gradients.items(), states, strict=True):
        update_matrix(matrix, halves.get(matrix), gradient, state, scalars, settings)
    return norm


def _take_gradient(parameter: nn.Parameter) -> torch.Tensor:
    """Take the gradient of this step away from a parameter; every one takes part in every step."""
    gradient = parameter.grad
    assert gradient is not None
    parameter.grad = None
    return gradient


def _state_of(optimizer: torch.optim.AdamW, weight: nn.Parameter) -> dict[str, torch.Tensor]:
    """Return what AdamW keeps of a matrix, in the form that it saves and loads; zeros before the first step."""
    state: dict[str, torch.Tensor] = optimizer.state[weight]
    if not state:
        state["step"] = torch.zeros((), device=weight.device)
        state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(weight), torch.zeros_like(weight)
    return state


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
