"""The kernels against float64 on a GPU; and, everywhere, that the way through the layers is the network's own."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import GPTNeoXForCausalLM

from bidui.training import kernels
from bidui.training.kernels import attends, attention, compiles, gelu, head_loss, norm_of, update_matrix, usable, widen
from bidui.training.network import neox_hidden, neox_states
from bidui.training.recipe import OPTIMIZERS, Optimizer, RunRecipe
from bidui.training.sizes import SIZES, neox_config
from bidui.training.step import (
    Copy,
    Step,
    in_place,
    make_copies,
    make_optimizer,
    make_step,
    round_weights,
    update_weights,
)

CUDA = torch.device("cuda")
needs_gpu = pytest.mark.skipif(
    not (torch.cuda.is_available() and usable(CUDA)), reason="these kernels run on an NVIDIA GPU with Triton only"
)


def test_states_are_those_of_the_network_itself() -> None:
    network = GPTNeoXForCausalLM(neox_config(SIZES["14m"], vocabulary=50, context=16)).train()
    tokens = torch.randint(0, 50, (3, 16), generator=torch.Generator().manual_seed(0))
    own = network.base_model(input_ids=tokens, use_cache=False).last_hidden_state
    torch.testing.assert_close(neox_states(network, tokens), own, rtol=0, atol=1e-6)


def test_they_are_not_used_on_a_cpu() -> None:
    assert not usable(torch.device("cpu"))


class Properties:
    """Those of a GPU with so many bytes for the threads of a program: 227 KiB on an H100, 99 on an RTX 4090."""

    def __init__(self, shared: int) -> None:
        self.shared_memory_per_block_optin = shared << 10


def test_a_gpu_that_is_too_old_or_too_small_takes_the_plain_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 64 tokens and 64 numbers, tiles in 16 bits take 40 KiB; of 64 and 128 they take 80, of 128 and 128 160."""
    monkeypatch.setattr(kernels, "triton", object())
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 0))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: Properties(99))
    assert compiles(CUDA) and usable(CUDA) and attends(CUDA, length=64, head=64)
    assert attends(CUDA, length=33, head=128) and not attends(CUDA, length=128, head=128)
    assert not attends(CUDA, length=129, head=64) and not attends(CUDA, length=64, head=48)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: Properties(227))
    assert attends(CUDA, length=128, head=128)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 5))
    assert not compiles(CUDA) and not usable(CUDA) and not attends(CUDA, length=64, head=64)
    monkeypatch.setattr(torch.version, "hip", "6.0")
    assert compiles(CUDA) and not usable(CUDA)  # AMD: torch compiles, but our kernels are not tested there
    monkeypatch.setattr(kernels, "triton", None)
    assert not compiles(CUDA)


class Small(nn.Module):
    """Everything that an optimizer treats differently: an embedding, two matrices, biases and a norm."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.inner, self.norm = nn.Embedding(20, 8), nn.Linear(8, 8), nn.LayerNorm(8)
        self.head = nn.Linear(8, 20, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
            return self.head(self.norm(self.inner(self.embedding(tokens))))


def by_formula(
    weight: torch.Tensor,
    half: torch.Tensor | None,
    gradient: torch.Tensor,
    state: Mapping[str, torch.Tensor],
    scalars: torch.Tensor,
    settings: Optimizer,
) -> None:
    """What `update_matrix` does on a GPU, which another test compares with torch there."""
    (rate, clip, correction1, correction2), (beta1, beta2) = scalars, settings.betas
    slope = gradient.float() * clip
    state["exp_avg"].lerp_(slope, 1 - beta1)
    state["exp_avg_sq"].mul_(beta2).addcmul_(slope, slope, value=1 - beta2)
    weight -= rate * settings.decay * weight
    weight -= rate / correction1 * state["exp_avg"] / ((state["exp_avg_sq"] / correction2).sqrt() + settings.epsilon)
    if half is not None:
        half.copy_(weight)


def plain_norm(gradients: Sequence[torch.Tensor]) -> torch.Tensor:
    """What `norm_of` does on a GPU."""
    return torch.cat([gradient.float().flatten() for gradient in gradients]).norm()


def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do what the kernels of an update do with plain formulas."""
    monkeypatch.setattr("bidui.training.step.update_matrix", by_formula)
    monkeypatch.setattr("bidui.training.step.norm_of", plain_norm)


def learn(network: Small, optimizer: torch.optim.AdamW, copies: list[Copy], steps: range) -> list[float]:
    """Learn with or without copies; the first gradients are long enough to be clipped."""
    settings, norms = OPTIMIZERS["pythia"], []
    round_weights(copies)
    for step in steps:
        tokens = torch.from_numpy(np.random.RandomState(step).randint(0, 20, (4, 6)))
        optimizer.zero_grad(set_to_none=True)
        with in_place(copies):
            loss = F.cross_entropy(network(tokens).float().flatten(0, 1), tokens.flatten()) * (5 if step < 3 else 0.1)
        loss.backward()
        if copies:
            norm = update_weights(optimizer, copies, settings, rate=optimizer.param_groups[0]["lr"])
        else:
            norm = nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
            optimizer.step()
        norms.append(float(norm))
    return norms


def test_copies_in_16_bits_learn_as_autocast_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same clipping, decay and moments; what is saved in the middle fits a step with copies, and one without."""
    without_kernels(monkeypatch)

    def make() -> tuple[Small, torch.optim.AdamW]:
        network = Small()
        return network, make_optimizer(network, OPTIMIZERS["pythia"], rate=torch.tensor(0.01))

    def load(state: tuple[dict[str, Any], dict[str, Any]]) -> tuple[Small, torch.optim.AdamW]:
        network, optimizer = make()
        network.load_state_dict(state[0])
        optimizer.load_state_dict(state[1])
        return network, optimizer

    plain, plain_optimizer = make()
    norms = learn(plain, plain_optimizer, [], range(4))
    saved = deepcopy((plain.state_dict(), plain_optimizer.state_dict()))
    norms += learn(plain, plain_optimizer, [], range(4, 8))
    assert norms[0] > 1 > norms[-1]

    network, optimizer = make()
    copies = make_copies(network)
    assert [copy.layer for copy in copies] == [network.inner, network.head]
    found = learn(network, optimizer, copies, range(4))
    for name, weight in network.state_dict().items():
        assert weight.dtype == torch.float32
        torch.testing.assert_close(weight, saved[0][name], rtol=1e-5, atol=1e-6)
    again, again_optimizer = load(deepcopy((network.state_dict(), optimizer.state_dict())))  # saved with copies
    other, other_optimizer = load(saved)  # and without
    assert found + learn(network, optimizer, copies, range(4, 8)) == pytest.approx(norms, rel=1e-4)
    learn(again, again_optimizer, [], range(4, 8))
    learn(other, other_optimizer, make_copies(other), range(4, 8))
    for end in (network, again, other):
        for name, weight in end.state_dict().items():
            torch.testing.assert_close(weight, plain.state_dict()[name], rtol=1e-4, atol=1e-5)


def test_a_state_from_before_the_first_step_is_one_without_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was stopped at once by a machine without these kernels has saved nothing of AdamW."""
    without_kernels(monkeypatch)
    network = Small()
    optimizer = make_optimizer(network, OPTIMIZERS["hf"], rate=torch.tensor(0.01))
    copies = make_copies(network)
    optimizer.load_state_dict(optimizer.state_dict())
    learn(network, optimizer, copies, range(1))
    assert {float(state["step"]) for state in optimizer.state.values()} == {1.0}


def distance(found: torch.Tensor, exact: torch.Tensor) -> float:
    return float((found.double() - exact.double()).norm() / exact.double().norm())


@needs_gpu
@pytest.mark.parametrize(("size", "width", "rows"), [(49_953, 128, 300), (130, 64, 10)])
def test_loss_and_gradients_are_those_of_the_formula(size: int, width: int, rows: int) -> None:
    torch.manual_seed(0)
    weight = torch.randn(size, width, device=CUDA) / width**0.5  # logits of about 1, as in training
    states = torch.randn(rows, width, device=CUDA, dtype=torch.bfloat16)
    targets = torch.randint(0, size, (rows,), device=CUDA)
    targets[0] = size - 1  # beside the columns that fill up the vocabulary
    loss, of_states, of_weight = head_loss(states, widen(weight), targets, size=size, parts=3)
    exact_weight, exact_states = (tensor.double().requires_grad_() for tensor in (weight, states))
    exact = F.cross_entropy(exact_states @ exact_weight.T, targets) / 3
    exact.backward()
    assert exact_states.grad is not None and exact_weight.grad is not None
    assert distance(loss, exact.detach()) < 1e-3
    assert distance(of_states, exact_states.grad) < 1e-2 and distance(of_weight, exact_weight.grad) < 1e-2


@needs_gpu
@pytest.mark.parametrize(("length", "width"), [(64, 32), (64, 64), (64, 128), (33, 64), (128, 64)])
def test_attention_is_that_of_the_formula(length: int, width: int) -> None:
    torch.manual_seed(0)
    heads, rotated = 3, width // 4
    angles = torch.arange(length)[:, None] * 10_000.0 ** (-torch.arange(0, rotated, 2) / rotated)
    angles = torch.cat((angles, angles), -1).to(CUDA)
    qkv = torch.randn(2, length, heads * 3 * width, device=CUDA, dtype=torch.bfloat16, requires_grad=True)
    given = torch.randn(2, length, heads * width, device=CUDA, dtype=torch.bfloat16)
    mixed = attention(qkv, angles.cos(), angles.sin(), heads=heads)
    mixed.backward(given)

    exact_qkv = qkv.detach().double().requires_grad_()
    queries, keys, values = exact_qkv.view(2, length, heads, -1).transpose(1, 2).chunk(3, -1)

    def turn(states: torch.Tensor) -> torch.Tensor:
        turned, rest = states[..., :rotated], states[..., rotated:]
        across = torch.cat((-turned[..., rotated // 2 :], turned[..., : rotated // 2]), -1)
        return torch.cat((turned * angles.double().cos() + across * angles.double().sin(), rest), -1)

    exact = F.scaled_dot_product_attention(turn(queries), turn(keys), values, is_causal=True)
    exact = exact.transpose(1, 2).reshape(mixed.shape)
    exact.backward(given.double())
    assert qkv.grad is not None and exact_qkv.grad is not None
    assert distance(mixed, exact) < 1e-2 and distance(qkv.grad, exact_qkv.grad) < 1e-2


@needs_gpu
@pytest.mark.parametrize(("rows", "width"), [(256, 512), (37, 130)])
def test_gelu_is_that_of_the_formula(rows: int, width: int) -> None:
    torch.manual_seed(0)
    states = (3 * torch.randn(2, rows, width, device=CUDA)).bfloat16().requires_grad_()
    bias = torch.randn(width, device=CUDA, requires_grad=True)
    given = torch.randn(2, rows, width, device=CUDA, dtype=torch.bfloat16)
    active = gelu(states, bias)
    active.backward(given)
    exact_states, exact_bias = (tensor.detach().double().requires_grad_() for tensor in (states, bias))
    exact = F.gelu(exact_states + exact_bias)
    exact.backward(given.double())
    assert states.grad is not None and bias.grad is not None
    assert exact_states.grad is not None and exact_bias.grad is not None
    assert distance(active, exact) < 3e-3 and distance(states.grad, exact_states.grad) < 3e-3  # of bf16
    assert distance(bias.grad, exact_bias.grad) < 1e-5


@needs_gpu
def test_a_loss_with_a_far_higher_value_after_the_first_block_is_finite() -> None:
    """Powers are taken relative to the first 4,096 values, and e to the power of 200 is infinite."""
    states = torch.ones(3, 16, device=CUDA, dtype=torch.bfloat16)
    weight = torch.zeros(9_000, 16, device=CUDA)
    weight[8_000] = 12.5  # a logit of 200
    targets = torch.tensor([8_000, 0, 8_999], device=CUDA)
    assert head_loss(states, widen(weight), targets, size=9_000)[0].item() == pytest.approx((0 + 200 + 200) / 3)


@needs_gpu
def test_a_norm_is_that_of_all_gradients_together() -> None:
    """Of 16 and of 32 bits, shorter and longer than what one program adds up, and not a multiple of it."""
    torch.manual_seed(0)
    gradients = [torch.randn(*shape, device=CUDA) for shape in ((3, 5), (300, 41), (128, 64), (1000, 1000))]
    gradients[1], gradients[3] = gradients[1].bfloat16(), 1e-4 * gradients[3].bfloat16()
    exact = torch.cat([gradient.double().flatten() for gradient in gradients]).norm()
    assert float(norm_of(gradients)) == pytest.approx(float(exact), rel=1e-6)


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_matrix_is_updated_as_by_torch(dtype: torch.dtype) -> None:
    """The matrix of a layer with its copy in 16 bits, and an embedding, whose gradient has 32 and which has no copy."""
    torch.manual_seed(0)
    settings = OPTIMIZERS["pythia"]
    weight = torch.randn(300, 41, device=CUDA, requires_grad=True)
    ours = weight.detach().clone()
    half = torch.empty(300, 41, device=CUDA, dtype=torch.bfloat16) if dtype == torch.bfloat16 else None
    state = {"exp_avg": torch.zeros_like(ours), "exp_avg_sq": torch.zeros_like(ours)}
    theirs = torch.optim.AdamW(
        [weight], lr=0.01, betas=settings.betas, eps=settings.epsilon, weight_decay=settings.decay
    )
    for step in range(1, 6):
        gradient = torch.randn(300, 41, device=CUDA, dtype=dtype)
        weight.grad = gradient.float() * 0.5
        theirs.step()
        scalars = torch.tensor([0.01, 0.5, *(1 - beta**step for beta in settings.betas)], device=CUDA)
        update_matrix(ours, half, gradient, state, scalars, settings)
    torch.testing.assert_close(ours, weight.detach(), rtol=1e-5, atol=1e-6)
    assert half is None or torch.equal(half, ours.to(torch.bfloat16))


@needs_gpu
@pytest.mark.parametrize("micro", [8, 4])
def test_a_compiled_step_learns_as_a_plain_one(micro: int) -> None:
    """With one part of rows, matrices have copies in 16 bits; with two, they have none."""
    rows = np.random.RandomState(0).randint(0, 300, (32, 64)).astype(np.uint16)
    weights, losses = [], []
    for mode in ("eager", "captured"):
        torch.manual_seed(0)
        network = GPTNeoXForCausalLM(neox_config(SIZES["14m"], vocabulary=300, context=64)).to(CUDA).train()
        recipe = RunRecipe(
            "14m", "", "", 300, "line", rows.size, batch=8, micro_batch=micro, precision="bfloat16", mode=mode
        )
        head = network.get_output_embeddings()
        step = make_step(network, neox_hidden(network), head, rows=rows, recipe=recipe)
        for number in range(8):
            step.run(np.arange(number % 4 * 8, number % 4 * 8 + 8), rate=1e-3, seed=0)
        weights.append(torch.cat([p.detach().flatten() for p in network.parameters()]))
        losses.append(float(step.loss))
    assert losses[1] == pytest.approx(losses[0], rel=2e-3)
    assert distance(weights[1], weights[0]) < 2e-2


@needs_gpu
def test_a_step_continues_from_saved_weights_and_optimizer() -> None:
    """What is saved is in 32 bits; the copies in 16 bits must follow it."""
    rows = np.random.RandomState(0).randint(0, 300, (8, 64)).astype(np.uint16)
    recipe = RunRecipe(
        "14m", "", "", 300, "line", rows.size, batch=8, micro_batch=8, precision="bfloat16", mode="captured"
    )

    def start() -> tuple[GPTNeoXForCausalLM, Step]:
        torch.manual_seed(0)
        network = GPTNeoXForCausalLM(neox_config(SIZES["14m"], vocabulary=300, context=64)).to(CUDA).train()
        head = network.get_output_embeddings()
        return network, make_step(network, neox_hidden(network), head, rows=rows, recipe=recipe)

    def go(step: Step, count: int) -> None:
        for _ in range(count):
            step.run(np.arange(8), rate=1e-3, seed=0)

    whole, step = start()
    go(step, 6)
    weights = {name: each.clone() for name, each in whole.state_dict().items()}
    optimizer = deepcopy(step.optimizer.state_dict())
    go(step, 6)
    resumed, again = start()
    resumed.load_state_dict(weights)
    again.optimizer.load_state_dict(optimizer)
    for group in again.optimizer.param_groups:
        group["lr"] = again.rate
    go(again, 6)
    assert float(again.loss) == pytest.approx(float(step.loss), rel=1e-3)  # embeddings are added up in any order
    for one, other in zip(whole.parameters(), resumed.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=2e-3)
