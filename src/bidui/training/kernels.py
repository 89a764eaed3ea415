"""The parts of a step that a GPU does faster by hand: the loss of the head, attention, the GELU of an MLP, and AdamW.

With 50,000 words the logits of a step are 1.6 GB, and going over them is most of the work of a small network. What a
compiler makes of the plain formula goes over them four times; `head_loss` does so twice, and leaves the gradient in
their place. Attention in libraries is made for rows of thousands of tokens, in tiles of 128. Ours have 64: a row and a
head fit into one tile, which `attention` rotates, attends and writes back at once, so that nothing is kept for the way
back but the input. The error function of GELU takes longer to compute than its numbers take to be read; `gelu` has a
shorter one, and adds up the gradient of the bias on its way. `norm_of` reads all gradients, in 16 bits or 32, and
`update_matrix` does all that is left of a step, from the gradient to the weights of the next, at once.

All are Triton, which comes with torch for NVIDIA GPUs. `compiles` and `usable` say what a device can do; where a kernel
cannot be used, the step takes the plain formula instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from bidui.training.recipe import Optimizer

try:
    import triton
    import triton.language as tl
except ImportError:  # a machine without a GPU, or Windows
    triton = None

ALIGNED = 128  # a matrix product is twice as slow if the vocabulary is not a multiple of it
BLOCK = 1024  # numbers of a matrix that one program updates
SPAN = 8192  # numbers of a gradient that one program adds up
ROWS = 32  # of a tile of GELU
LONGEST = 128  # tokens in a row, and width of a head, that fit into a tile
AMPERE = (8, 0)  # the first compute capability with products in bf16


def compiles(device: torch.device) -> bool:
    """Return whether torch compiles a step in bf16 for a GPU: it needs Triton, and of NVIDIA's GPUs a recent one."""
    if triton is None or device.type != "cuda":
        return False
    return torch.version.hip is not None or torch.cuda.get_device_capability(device) >= AMPERE


def usable(device: torch.device) -> bool:
    """Return whether the kernels here run on a device."""
    return compiles(device) and torch.version.hip is None


def attends(device: torch.device, *, length: int, head: int) -> bool:
    """Return whether `attention` takes rows of this length and heads of this width on a device.

    The width is a power of 2, and five tiles fit into the memory that the threads of a program share. The way back
    takes no more where it was compiled: for compute capabilities 8.0, 8.9 and 9.0, and up to 8,192 numbers in a tile.
    """
    if not usable(device) or max(length, head) > LONGEST or head < 16 or head & (head - 1):
        return False
    properties = torch.cuda.get_device_properties(device)
    shared: int = getattr(properties, "shared_memory_per_block_optin", 0)  # early versions of torch do not say
    tile = _tile(length)
    return 2 * tile * (4 * head + max(tile, head)) <= shared


def head_loss(
    states: torch.Tensor, wide: torch.Tensor, targets: torch.Tensor, *, size: int, parts: int = 1
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the mean negative log-probability of the targets, in fp32, and its gradients of states and head.

    All are in bf16; `wide` is a head of `size` words without bias, made wide by `widen`. The loss is divided by
    `parts`, those of a step, before gradients are rounded to 16 bits, in which a third is not exact.
    """
    share = 1 / (len(states) * parts)
    logits = states @ wide.T
    losses = torch.empty(len(states), dtype=torch.float32, device=states.device)
    _loss_and_gradient[(len(states),)](
        logits, targets, losses, share, SIZE=size, STRIDE=len(wide), BLOCK=4096, num_warps=32
    )
    gradient = logits  # in their place
    return losses.mean() / parts, gradient @ wide, (gradient.T @ states)[:size]


def widen(matrix: torch.Tensor) -> torch.Tensor:
    """Return a matrix in bf16, with rows of zeros up to a multiple of `ALIGNED`."""
    return F.pad(matrix.to(torch.bfloat16), (0, 0, 0, -len(matrix) % ALIGNED))


def attention(qkv: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, *, heads: int) -> torch.Tensor:
    """Return causal attention over rows without padding; in the layout of GPT-NeoX, [row, token, head, q k v].

    `cosine` and `sine`, [token, dimension], rotate the first dimensions of queries and keys.
    """
    mixed: torch.Tensor = _attend(qkv.contiguous(), cosine.contiguous(), sine.contiguous(), heads)
    return mixed


def gelu(states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Return GELU(states + bias), states in bf16 with one bias per column."""
    active: torch.Tensor = _activate(states.contiguous(), bias)
    return active


def norm_of(gradients: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the norm that gradients have together, in fp32."""
    counts = [-(-gradient.numel() // SPAN) for gradient in gradients]
    sums = torch.empty(sum(counts), dtype=torch.float32, device=gradients[0].device)
    for gradient, part in zip(gradients, sums.split(counts), strict=True):
        _squares[(len(part),)](gradient.contiguous(), part, gradient.numel(), SPAN=SPAN, num_warps=8)
    return sums.sum().sqrt()


def update_matrix(
    weight: torch.Tensor,
    half: torch.Tensor | None,
    gradient: torch.Tensor,
    state: Mapping[str, torch.Tensor],
    scalars: torch.Tensor,
    settings: Optimizer,
) -> None:
    """Do a step of AdamW on a matrix and round it into `half`, if any; `state` is what the optimizer keeps of it.

    `scalars` has the rate, the factor by which gradients are clipped, and the two corrections of the first steps.
    """
    size = weight.numel()
    beta1, beta2 = settings.betas
    _adamw[(-(-size // BLOCK),)](
        weight, weight if half is None else half, gradient.contiguous(), state["exp_avg"], state["exp_avg_sq"],
        scalars, size, settings.decay, 1 - beta1, beta2, 1 - beta2, settings.epsilon,
        ROUND=half is not None, BLOCK=BLOCK, num_warps=4,
    )  # fmt: skip


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


@torch.library.custom_op("bidui::activate", mutates_args=())
def _activate(states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    active = torch.empty_like(states)
    width = len(bias)
    rows = states.numel() // width
    tiles = (-(-rows // (4 * ROWS)), -(-width // 256))
    _gelu[tiles](states, bias, active, rows, width, ROWS=ROWS, COLUMNS=256, STEPS=4, num_warps=8)
    return active


@torch.library.custom_op("bidui::activate_back", mutates_args=())
def _activate_back(
    of_active: torch.Tensor, states: torch.Tensor, bias: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    of_states = torch.empty_like(states)
    width = len(bias)
    rows = states.numel() // width
    tiles = (-(-rows // (8 * ROWS)), -(-width // 128))
    sums = bias.new_empty(tiles[0], width, dtype=torch.float32)
    _gelu_back[tiles](
        states, bias, of_active.contiguous(), of_states, sums, rows, width,
        ROWS=ROWS, COLUMNS=128, STEPS=8, num_warps=4,
    )  # fmt: skip
    return of_states, sums.sum(0).to(bias.dtype)


@_activate.register_fake
def _(states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(states)


@_activate_back.register_fake
def _(of_active: torch.Tensor, states: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.empty_like(states), torch.empty_like(bias)


def _keep_input(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _deactivate(ctx: Any, of_active: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    of_states, of_bias = _activate_back(of_active, *ctx.saved_tensors)
    return of_states, of_bias


_activate.register_autograd(_deactivate, setup_context=_keep_input)


def _shape(qkv: torch.Tensor, cosine: torch.Tensor, heads: int) -> dict[str, Any]:
    """Return what a kernel is compiled for."""
    length, head = qkv.shape[1], qkv.shape[2] // (3 * heads)
    return {
        "scale": head**-0.5,
        "LENGTH": length,
        "HEADS": heads,
        "HEAD": head,
        "ROTATED": cosine.shape[-1],
        "TILE": _tile(length),
        "num_warps": 4,
    }


def _tile(length: int) -> int:
    """Return the rows of a tile for so many tokens: a power of 2, and at least 16, as matrix products need."""
    return max(16, 1 << (length - 1).bit_length())


if triton is not None:
    LOW = tl.constexpr(-1e30)  # as minus infinity, but can be subtracted from itself
    LOG2_E = tl.constexpr(1.4426950408889634)  # a GPU has powers of 2 only

    @triton.jit
    def _loss_and_gradient(
        logits, targets, losses, share, SIZE: tl.constexpr, STRIDE: tl.constexpr, BLOCK: tl.constexpr
    ):  # fmt: skip
        """Write the loss of one row, and put share * (softmax - 1 at the target) in the place of its logits."""
        row = tl.program_id(0).to(tl.int64)
        start = logits + row * STRIDE
        target = tl.load(targets + row)
        at_target = tl.load(start + target).to(tl.float32)
        columns = tl.arange(0, BLOCK)
        # Powers are taken relative to the highest value of the first block: to find that of the row would be one more
        # pass. It does unless a later value is higher by 88, where a power is infinite and the row is done again.
        near = tl.max(tl.load(start + columns, mask=columns < SIZE, other=LOW).to(tl.float32))
        total = tl.sum(_powers(start, near, SIZE, BLOCK))
        if total == float("inf"):
            near = _highest(start, SIZE, BLOCK)
            total = tl.sum(_powers(start, near, SIZE, BLOCK))
        spread = near + tl.log(total)
        offset = tl.log2(share) - spread * LOG2_E
        for first in range(0, SIZE // BLOCK * BLOCK, BLOCK):  # whole blocks need no mask
            values = tl.load(start + first + columns).to(tl.float32)
            tl.store(start + first + columns, tl.exp2(values * LOG2_E + offset).to(logits.dtype.element_ty))
        rest = SIZE // BLOCK * BLOCK + columns
        values = tl.load(start + rest, mask=rest < SIZE, other=LOW).to(tl.float32)
        tl.store(start + rest, tl.exp2(values * LOG2_E + offset).to(logits.dtype.element_ty), mask=rest < STRIDE)
        tl.debug_barrier()  # the target's place was written by another thread
        tl.store(start + target, (share * (tl.exp(at_target - spread) - 1.0)).to(logits.dtype.element_ty))
        tl.store(losses + row, spread - at_target)

    @triton.jit
    def _powers(start, near, SIZE: tl.constexpr, BLOCK: tl.constexpr):
        """Return sums of e to the power of the values less `near`, one per column of a block."""
        columns = tl.arange(0, BLOCK)
        offset = -near * LOG2_E
        total = tl.zeros([BLOCK], tl.float32)
        for first in range(0, SIZE // BLOCK * BLOCK, BLOCK):
            total += tl.exp2(tl.load(start + first + columns).to(tl.float32) * LOG2_E + offset)
        rest = SIZE // BLOCK * BLOCK + columns
        return total + tl.exp2(tl.load(start + rest, mask=rest < SIZE, other=LOW).to(tl.float32) * LOG2_E + offset)

    @triton.jit
    def _highest(start, SIZE: tl.constexpr, BLOCK: tl.constexpr):
        """Return the highest value of a row."""
        highest = tl.full([BLOCK], LOW, tl.float32)
        for first in range(0, SIZE, BLOCK):
            columns = first + tl.arange(0, BLOCK)
            highest = tl.maximum(highest, tl.load(start + columns, mask=columns < SIZE, other=LOW).to(tl.float32))
        return tl.max(highest)

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
    def _turn_back(gradient, cosines, sines, HEAD: tl.constexpr, ROTATED: tl.constexpr):
        """Return the gradient of queries or keys from that of the turned ones."""
        half: tl.constexpr = ROTATED // 2
        folded = tl.reshape(gradient, [gradient.shape[0], HEAD // ROTATED, 2, half])
        lower, upper = tl.split(tl.permute(folded, 0, 1, 3, 2))
        across = tl.reshape(tl.permute(tl.join(upper, lower), 0, 1, 3, 2), [gradient.shape[0], HEAD])
        return (gradient * cosines - across * sines).to(tl.bfloat16)

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
        # Loaded again: kept in registers until here, they would leave too few for the products.
        cosines, sines, _, _ = _angles(cosine, sine, LENGTH, HEAD, ROTATED, TILE)
        of_queries = _turn_back(tl.dot(of_weights, keys), cosines, sines, HEAD, ROTATED)
        tl.store(of_qkv + offset, of_queries, mask=inside)
        of_keys = _turn_back(tl.dot(tl.trans(of_weights), queries), cosines, sines, HEAD, ROTATED)
        tl.store(of_qkv + offset + HEAD, of_keys, mask=inside)

    @triton.jit
    def _squares(gradient, sums, size, SPAN: tl.constexpr):
        """Add up the squares of a part of a gradient."""
        places = tl.program_id(0).to(tl.int64) * SPAN + tl.arange(0, SPAN)
        slopes = tl.load(gradient + places, mask=places < size, other=0.0).to(tl.float32)
        tl.store(sums + tl.program_id(0), tl.sum(slopes * slopes))

    @triton.jit
    def _adamw(
        weight, half, gradient, first, second, scalars, size, decay, new1, old2, new2, epsilon,
        ROUND: tl.constexpr, BLOCK: tl.constexpr,
    ):  # fmt: skip
        """Update a block of a matrix, and its copy in 16 bits if it has one, as torch.optim.AdamW does."""
        places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        inside = places < size
        rate, clip = tl.load(scalars), tl.load(scalars + 1)
        correction1, correction2 = tl.load(scalars + 2), tl.load(scalars + 3)
        slope = tl.load(gradient + places, mask=inside, other=0.0).to(tl.float32) * clip
        mean = tl.load(first + places, mask=inside, other=0.0)
        square = tl.load(second + places, mask=inside, other=0.0)
        values = tl.load(weight + places, mask=inside, other=0.0)
        mean += (slope - mean) * new1
        square = square * old2 + slope * slope * new2
        values -= rate * decay * values
        values -= rate / correction1 * mean / (tl.sqrt(square / correction2) + epsilon)
        tl.store(first + places, mean, mask=inside)
        tl.store(second + places, square, mask=inside)
        tl.store(weight + places, values, mask=inside)
        if ROUND:
            tl.store(half + places, values.to(tl.bfloat16), mask=inside)

    @triton.jit
    def _normal(values):
        """Return the distribution and the density of the standard normal distribution, to 1e-7.

        By formula 7.1.26 of Abramowitz and Stegun for the error function, with a third of the usual instructions.
        """
        power = tl.exp2(values * values * (-0.5 * LOG2_E))
        part = 1.0 / (1.0 + 0.23164190 * tl.abs(values))  # 0.3275911 / sqrt(2)
        tail = 1.061405429 * part - 1.453152027
        tail = (tail * part + 1.421413741) * part - 0.284496736
        tail = 0.5 * (tail * part + 0.254829592) * part * power
        return tl.where(values < 0, tail, 1.0 - tail), 0.3989422804 * power

    @triton.jit
    def _gelu(
        states, bias, active, rows, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEPS: tl.constexpr
    ):  # fmt: skip
        """Activate some tiles of some columns."""
        columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
        biases = tl.load(bias + columns, mask=columns < width, other=0.0).to(tl.float32)
        for step in range(STEPS):
            row = (tl.program_id(0).to(tl.int64) * STEPS + step) * ROWS + tl.arange(0, ROWS)[:, None]
            inside = (row < rows) & (columns < width)
            values = tl.load(states + row * width + columns, mask=inside, other=0.0).to(tl.float32) + biases
            below, _ = _normal(values)
            tl.store(active + row * width + columns, (values * below).to(tl.bfloat16), mask=inside)

    @triton.jit
    def _gelu_back(
        states, bias, of_active, of_states, sums, rows, width,
        ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEPS: tl.constexpr,
    ):  # fmt: skip
        """Compute the gradient of `_gelu`, and its sum over these rows, which is a part of that of the bias."""
        columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
        biases = tl.load(bias + columns, mask=columns < width, other=0.0).to(tl.float32)
        total = tl.zeros([ROWS, COLUMNS], tl.float32)
        for step in range(STEPS):
            row = (tl.program_id(0).to(tl.int64) * STEPS + step) * ROWS + tl.arange(0, ROWS)[:, None]
            inside = (row < rows) & (columns < width)
            values = tl.load(states + row * width + columns, mask=inside, other=0.0).to(tl.float32) + biases
            given = tl.load(of_active + row * width + columns, mask=inside, other=0.0).to(tl.float32)
            below, density = _normal(values)
            slope = given * (below + values * density)
            total += slope
            tl.store(of_states + row * width + columns, slope.to(tl.bfloat16), mask=inside)
        total = tl.sum(total, 0)[None, :]
        tl.store(sums + tl.program_id(0) * width + columns, total, mask=columns < width)
