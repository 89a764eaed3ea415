"""The kernels against float64 on a GPU; and, everywhere, that the way through the layers is the network's own."""

import pytest
import torch
import torch.nn.functional as F
from transformers import GPTNeoXForCausalLM

from bidui.training.kernels import attention, head_loss, usable
from bidui.training.network import neox_states
from bidui.training.sizes import SIZES, neox_config

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


def distance(found: torch.Tensor, exact: torch.Tensor) -> float:
    return float((found.double() - exact.double()).norm() / exact.double().norm())


@needs_gpu
@pytest.mark.parametrize(("size", "width", "rows"), [(49_953, 128, 300), (130, 64, 10)])
def test_loss_and_gradients_are_those_of_the_formula(size: int, width: int, rows: int) -> None:
    torch.manual_seed(0)
    weight = torch.randn(size, width, device=CUDA, requires_grad=True)
    states = torch.randn(rows, width, device=CUDA, dtype=torch.bfloat16, requires_grad=True)
    targets = torch.randint(0, size, (rows,), device=CUDA)
    targets[0] = size - 1  # beside the columns that fill up the vocabulary
    loss = head_loss(states, weight, targets)
    (loss / 2).backward()
    exact_weight, exact_states = (tensor.detach().double().requires_grad_() for tensor in (weight, states))
    exact = F.cross_entropy(exact_states @ exact_weight.T, targets)
    (exact / 2).backward()
    assert states.grad is not None and weight.grad is not None
    assert exact_states.grad is not None and exact_weight.grad is not None
    assert distance(loss, exact) < 1e-3
    assert distance(states.grad, exact_states.grad) < 1e-2 and distance(weight.grad, exact_weight.grad) < 1e-2


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
