"""The two parts of a step that a GPU does faster by hand: the loss of the head, and attention over short rows.

With 50,000 words the logits of a step are 1.6 GB, and going over them is most of the work of a small network. What a
compiler makes of the plain formula goes over them four times; `head_loss` does so twice, and leaves the gradient in
their place. Attention in libraries is made for rows of thousands of tokens, in tiles of 128. Ours have 64: a row and a
head fit into one tile, which `attention` rotates, attends and writes back at once, so that nothing is kept for the way
back but the input.

Both are Triton, which comes with torch for NVIDIA GPUs; `usable` says whether it is there.
"""

from typing import Any

import torch
import torch.nn.functional as F

try:
    import triton
    import triton.language as tl
except ImportError:  # a machine without a GPU, or Windows
    triton = None

ALIGNED = 128  # a matrix product is twice as slow if the vocabulary is not a multiple of it
LONGEST = 128  # tokens in a row, and width of a head, that fit into a tile


def usable(device: torch.device) -> bool:
    """Return whether these kernels run on a device."""
    return triton is not None and device.type == "cuda" and torch.version.hip is None


def head_loss(states: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the mean negative log-probability of the targets, in fp32, from states in bf16 and a head without bias."""
    loss: torch.Tensor = _HeadLoss.apply(states, weight, targets)
    return loss


def attention(qkv: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, *, heads: int) -> torch.Tensor:
    """Return causal attention over rows without padding; in the layout of GPT-NeoX, [row, token, head, q k v].

    `cosine` and `sine`, [token, dimension], rotate the first dimensions of queries and keys.
    """
    mixed: torch.Tensor = _attend(qkv.contiguous(), cosine.contiguous(), sine.contiguous(), heads)
    return mixed


class _HeadLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        size = len(weight)
        wide = F.pad(weight.to(states.dtype), (0, 0, 0, -size % ALIGNED))
        logits = states @ wide.T
        losses = torch.empty(len(states), dtype=torch.float32, device=states.device)
        _loss_and_gradient[(len(states),)](
            logits, targets, losses, len(wide), size, 1 / len(states), BLOCK=4096, num_warps=16
        )
        ctx.save_for_backward(states, wide, logits)
        ctx.size = size
        return losses.mean()

    @staticmethod
    def backward(ctx: Any, scale: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        states, wide, gradient = ctx.saved_tensors
        # Scaled here, where there is less to multiply; the scale is 1 / parts of a step.
        of_weight = (gradient.T @ states)[: ctx.size].float() * scale
        return gradient @ wide * scale.to(states.dtype), of_weight, None


# Operators of their own, which the compiler calls as they are: what it makes of these kernels is three times slower.
@torch.library.custom_op("bidui::attend", mutates_args=())
def _attend(qkv: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, heads: int) -> torch.Tensor:
    rows, length, width = qkv.shape
    mixed = qkv.new_empty(rows, length, width // 3)
    _forward[(rows * heads,)](qkv, cosine, sine, mixed, **_shape(qkv, cosine, heads))
    return mixed


@torch.library.custom_op("bidui::attend_back", mutates_args=())
def _attend_back(
    of_mixed: torch.Tensor, qkv: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, heads: int
) -> torch.Tensor:
    of_qkv = torch.empty_like(qkv)
    _backward[(len(qkv) * heads,)](qkv, cosine, sine, of_mixed.contiguous(), of_qkv, **_shape(qkv, cosine, heads))
    return of_qkv


@_attend.register_fake
def _(qkv: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, heads: int) -> torch.Tensor:
    return qkv.new_empty(*qkv.shape[:2], qkv.shape[2] // 3)


@_attend_back.register_fake
def _(of_mixed: torch.Tensor, qkv: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, heads: int) -> torch.Tensor:
    return torch.empty_like(qkv)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    *tensors, ctx.heads = inputs
    ctx.save_for_backward(*tensors)


def _go_back(ctx: Any, of_mixed: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
    return _attend_back(of_mixed, *ctx.saved_tensors, ctx.heads), None, None, None


_attend.register_autograd(_go_back, setup_context=_keep)


def _shape(qkv: torch.Tensor, cosine: torch.Tensor, heads: int) -> dict[str, Any]:
    """Return what a kernel is compiled for."""
    length, head = qkv.shape[1], qkv.shape[2] // (3 * heads)
    tile = max(16, 1 << (length - 1).bit_length())  # a matrix product has at least 16 rows
    return {
        "scale": head**-0.5,
        "LENGTH": length,
        "HEADS": heads,
        "HEAD": head,
        "ROTATED": cosine.shape[-1],
        "TILE": tile,
        "num_warps": 4,
    }


if triton is not None:
    LOW = tl.constexpr(-1e30)  # as minus infinity, but can be subtracted from itself

    @triton.jit
    def _loss_and_gradient(logits, targets, losses, stride, size, share, BLOCK: tl.constexpr):
        """Write the loss of one row, and put share * (softmax - 1 at the target) in the place of its logits."""
        row = tl.program_id(0).to(tl.int64)
        start = logits + row * stride
        target = tl.load(targets + row)
        at_target = tl.load(start + target).to(tl.float32)
        # A highest value and a total for each column of a block: threads need not wait for each other in the loop.
        highest = tl.full([BLOCK], LOW, tl.float32)
        total = tl.zeros([BLOCK], tl.float32)
        for first in range(0, size, BLOCK):
            columns = first + tl.arange(0, BLOCK)
            values = tl.load(start + columns, mask=columns < size, other=LOW).to(tl.float32)
            less = tl.exp(-tl.abs(values - highest))  # of the two powers, one is 1
            total = tl.where(values > highest, total * less + 1.0, total + less)
            highest = tl.maximum(highest, values)
        most = tl.max(highest)
        spread = most + tl.log(tl.sum(total * tl.exp(highest - most)))
        for first in range(0, stride, BLOCK):
            columns = first + tl.arange(0, BLOCK)
            values = tl.load(start + columns, mask=columns < size, other=LOW).to(tl.float32)
            shares = tl.exp(values - spread) - tl.where(columns == target, 1.0, 0.0)
            tl.store(start + columns, (shares * share).to(logits.dtype.element_ty), mask=columns < stride)
        tl.store(losses + row, spread - at_target)

    @triton.jit
    def _angles(cosine, sine, LENGTH: tl.constexpr, HEAD: tl.constexpr, ROTATED: tl.constexpr, TILE: tl.constexpr):
        """Return cosines and sines, 1 and 0 where nothing turns, and how far away the other half of a column is."""
        tokens, columns = tl.arange(0, TILE)[:, None], tl.arange(0, HEAD)[None, :]
        inside = (tokens < LENGTH) & (columns < ROTATED)
        cosines = tl.load(cosine + tokens * ROTATED + columns, mask=inside, other=1.0).to(tl.float32)
        sines = tl.load(sine + tokens * ROTATED + columns, mask=inside, other=0.0).to(tl.float32)
        half = ROTATED // 2
        sines = tl.where(columns < half, -sines, sines)
        return cosines, sines, tl.where(columns < half, half, -half), inside

    @triton.jit
    def _turned(place, inside, cosines, sines, other, turns):
        """Load queries or keys, and turn them."""
        straight = tl.load(place, mask=inside, other=0.0)
        across = tl.load(place + other, mask=turns, other=0.0)
        return (straight * cosines + across * sines).to(tl.bfloat16)

    @triton.jit
    def _turn_back(place, gradient, inside, cosines, sines, other, turns):
        """Store the gradient of queries or keys from that of the turned ones, which lies there in between."""
        tl.store(place, gradient.to(tl.bfloat16), mask=inside)
        tl.debug_barrier()
        across = tl.load(place + other, mask=turns, other=0.0)
        tl.debug_barrier()
        tl.store(place, (gradient * cosines - across * sines).to(tl.bfloat16), mask=inside)

    @triton.jit
    def _shares(queries, keys, scale, TILE: tl.constexpr):
        """Return the softmax of a tile over tokens that are not later."""
        later = tl.arange(0, TILE)[None, :] > tl.arange(0, TILE)[:, None]
        weights = tl.where(later, LOW, tl.dot(queries, tl.trans(keys)) * scale)
        powers = tl.exp(weights - tl.max(weights, 1)[:, None])
        return powers / tl.sum(powers, 1)[:, None]

    @triton.jit
    def _forward(
        qkv, cosine, sine, mixed, scale,
        LENGTH: tl.constexpr, HEADS: tl.constexpr, HEAD: tl.constexpr, ROTATED: tl.constexpr, TILE: tl.constexpr,
    ):  # fmt: skip
        """Attend in one row and one head."""
        row, head = (tl.program_id(0) // HEADS).to(tl.int64), tl.program_id(0) % HEADS
        tokens, columns = tl.arange(0, TILE)[:, None], tl.arange(0, HEAD)[None, :]
        inside = tokens < LENGTH
        place = qkv + ((row * LENGTH + tokens) * HEADS + head) * 3 * HEAD + columns
        cosines, sines, other, turns = _angles(cosine, sine, LENGTH, HEAD, ROTATED, TILE)
        queries = _turned(place, inside, cosines, sines, other, turns)
        keys = _turned(place + HEAD, inside, cosines, sines, other, turns)
        values = tl.load(place + 2 * HEAD, mask=inside, other=0.0)
        shares = _shares(queries, keys, scale, TILE).to(tl.bfloat16)
        out = mixed + ((row * LENGTH + tokens) * HEADS + head) * HEAD + columns
        tl.store(out, tl.dot(shares, values).to(tl.bfloat16), mask=inside)

    @triton.jit
    def _backward(
        qkv, cosine, sine, of_mixed, of_qkv, scale,
        LENGTH: tl.constexpr, HEADS: tl.constexpr, HEAD: tl.constexpr, ROTATED: tl.constexpr, TILE: tl.constexpr,
    ):  # fmt: skip
        """Compute the gradient of `_forward`, whose shares are cheaper to compute again than to keep."""
        row, head = (tl.program_id(0) // HEADS).to(tl.int64), tl.program_id(0) % HEADS
        tokens, columns = tl.arange(0, TILE)[:, None], tl.arange(0, HEAD)[None, :]
        inside = tokens < LENGTH
        offset = ((row * LENGTH + tokens) * HEADS + head) * 3 * HEAD + columns
        cosines, sines, other, turns = _angles(cosine, sine, LENGTH, HEAD, ROTATED, TILE)
        queries = _turned(qkv + offset, inside, cosines, sines, other, turns)
        keys = _turned(qkv + offset + HEAD, inside, cosines, sines, other, turns)
        values = tl.load(qkv + offset + 2 * HEAD, mask=inside, other=0.0)
        given = tl.load(of_mixed + ((row * LENGTH + tokens) * HEADS + head) * HEAD + columns, mask=inside, other=0.0)
        shares = _shares(queries, keys, scale, TILE)
        of_values = tl.dot(tl.trans(shares.to(tl.bfloat16)), given)
        tl.store(of_qkv + offset + 2 * HEAD, of_values.to(tl.bfloat16), mask=inside)
        of_shares = tl.dot(given, tl.trans(values))
        of_weights = shares * (of_shares - tl.sum(shares * of_shares, 1)[:, None]) * scale
        of_weights = of_weights.to(tl.bfloat16)
        of_queries = tl.dot(of_weights, keys)
        _turn_back(of_qkv + offset, of_queries, inside, cosines, sines, other, turns)
        of_keys = tl.dot(tl.trans(of_weights), queries)
        _turn_back(of_qkv + offset + HEAD, of_keys, inside, cosines, sines, other, turns)
