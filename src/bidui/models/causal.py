"""Causal language models of any architecture that transformers loads; each position is run once.

Sentences are packed into prefix trees (`prefix_tree`). Two things about a network decide how it is run, and neither is
looked up by its name; both are found out before the first scores are given, and never change afterwards:

- how long a sentence may be in a tree (`reach`). The mask of a tree replaces the network's own, so a sentence must fit
  into every window that the configuration names, and made-up sentences of that length must get the same scores in a
  tree as alone. Longer sentences are run plainly, in batches of sentences of equal length;
- what comes after the last layer (`head`): a plain product, which is computed in tiles, or something that only the
  network itself knows, such as a soft cap.

So the scores of a sentence do not depend on the sentences around it, on their order, or on how they are divided among
calls.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.models.conventions import Conventions
from bidui.models.model import Declared, TokenScores, first_line, refuse_broken, refuse_foreign, refuse_long
from bidui.models.prefix_tree import PrefixRows, pack_flat, sees, unsorted_scores
from bidui.models.tokenize import HasTokenizer, TokenArrays, encode_flat

if TYPE_CHECKING:  # importing transformers takes longer than a small model
    from transformers import PreTrainedTokenizerBase

Head = Literal["product", "pieces", "whole"]

TF32 = "tf32"  # a dtype that is not one of torch: fp32, but a GPU rounds the factors of products to 10 bits
TOLERANCE = 1e-3  # how far a token's log-probability may differ between a tree and the plain way, in fp32
CACHED = 1 << 19  # numbers that fit into a CPU's cache
LOGITS = 1 << 23  # of a head that is not a plain product, at a time: 32 MiB in fp32; on a GPU, 2 GiB
TRIAL = 1_000  # positions; for fewer the trial would cost more than a tree can save
# Settings of windows and of chunks of attention, and of the length at which rotary frequencies change.
WINDOWS = {
    "sliding_window",
    "sliding_window_size",
    "sliding_windows",
    "window_size",
    "attention_window",
    "attention_window_size",
    "attention_chunk_size",
    "local_attention",
    "local_attention_window",
    "index_topk",
}
ORIGINAL = "original_max_position_embeddings"


class Network(Protocol):
    """What a causal model needs of a network: models of transformers have it, and so have those of `native`."""

    @property
    def config(self) -> Any:
        """The configuration: `to_dict`, `vocab_size` and, if the context is limited, `max_position_embeddings`."""
        ...

    @property
    def base_model(self) -> Any:
        """The network without its head, called with `input_ids` and `use_cache`; it returns `last_hidden_state`.

        For trees it also takes `position_ids` and an additive `attention_mask` (rows, 1, positions, positions).
        """
        ...

    @property
    def dtype(self) -> torch.dtype:
        """The type in which the network computes."""
        ...

    @property
    def device(self) -> torch.device:
        """The device that the weights are on."""
        ...

    def get_output_embeddings(self) -> Any:
        """Return the module that turns the last hidden states into logits, or None."""
        ...

    def __call__(self, **inputs: Any) -> Any:
        """Run the network and its head on what `base_model` takes; it returns `logits`."""
        ...


@dataclass(slots=True, repr=False)
class CausalModel(HasTokenizer):
    """A causal model with its tokenizer and the conventions it is scored by."""

    name: str
    network: Network
    tokenizer: "PreTrainedTokenizerBase"
    conventions: Conventions
    declared: Declared
    batch_tokens: int = 1024
    row: int = 128
    reach: int | None = None  # positions of the longest sentence that is run in a tree; 0: none. None: not yet tried
    head: Head | None = None  # None: not yet tried
    positions: int = 0  # that were run so far

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        tokens = self.prepared(sentences)
        lengths = np.diff(tokens.bounds)
        refuse_long(sentences, lengths.tolist(), most=context_of(self.network.config), model=self.name)
        vocabulary = _text_config(self.network.config).vocab_size
        if tokens.ids.max(initial=-1) >= vocabulary:
            rows = np.split(tokens.ids, tokens.bounds[1:-1])
            refuse_foreign(sentences, [row.tolist() for row in rows], vocabulary=vocabulary, model=self.name)
        values = self.run(tokens.ids, lengths)
        # the token at the beginning, BOS or the first, has no score
        scored = np.ones(len(tokens.ids), np.bool_)
        scored[tokens.bounds[:-1]] = False
        ids, starts, ends = tokens.ids[scored], tokens.spans[scored, 0], tokens.spans[scored, 1]
        bounds = (tokens.bounds - np.arange(len(tokens.bounds))).tolist()
        finite = bool(np.isfinite(values).all())
        for sentence, low, high in zip(sentences, bounds, bounds[1:], strict=False):
            if not finite:
                refuse_broken(sentence, ends[low:high], values[low:high], model=self.name)
            yield TokenScores(sentence, ids[low:high], starts[low:high], ends[low:high], values[low:high])

    def prepared(self, sentences: Sequence[str]) -> TokenArrays:
        """Return the tokens of sentences, with BOS before and EOS after each where the conventions say so."""
        tokens = encode_flat(self.tokenizer, sentences)
        if self.conventions.bos is not None:
            tokens = _insert(tokens, self.conventions.bos, tokens.bounds[:-1], np.zeros(len(sentences), np.int32))
        if self.conventions.eos is not None:
            ends = np.array([len(sentence) for sentence in sentences], np.int32)
            tokens = _insert(tokens, self.conventions.eos, tokens.bounds[1:], ends)
        return tokens

    def run(self, flat: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the log-probabilities of all tokens but the first of each sequence, one sequence after the other."""
        longer = lengths > 1
        if not longer.all():  # a token alone predicts nothing
            flat, lengths = flat[np.repeat(longer, lengths)], lengths[longer]
        if not len(lengths):
            return np.zeros(0, np.float32)
        while True:
            try:
                with matrix_products(self.declared):
                    return self._run(flat, lengths)
            except torch.OutOfMemoryError as error:
                if self.batch_tokens <= max(self.row, int(lengths.max())):  # a single row or sentence cannot be divided
                    values = {"model": self.name, "tokens": self.batch_tokens, "reason": first_line(error)}
                    raise fail("scoring-memory", Place(), values) from error
                self.batch_tokens //= 2
            torch.cuda.empty_cache()  # here, where the error no longer holds what did not fit

    @torch.inference_mode()
    def _run(self, flat: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        if self.head is None:
            self.head = find_head(self.network, self._made_up(8))
        many = len(flat) - len(lengths) > TRIAL
        if self.reach is None and many:
            self.reach = self._try()
        # a few positions are run plainly, whatever came before: a run that resumes with them gives the same bits
        short = lengths - 1 <= (self.reach or 0) if many else np.zeros(len(lengths), np.bool_)
        values = np.zeros(len(flat) - len(lengths), np.float32)
        for chosen, run in ((short, self._tree), (~short, self._plain)):
            if chosen.any():
                values[np.repeat(chosen, lengths - 1)] = run(flat[np.repeat(chosen, lengths)], lengths[chosen])
        return values

    def _made_up(self, size: int) -> NDArray[np.int64]:
        """Return random tokens that are not special: what is found out must not depend on the sentences."""
        config = self.network.config
        special = [*self.tokenizer.all_special_ids]
        special += [token for name, token in _settings(config.to_dict()) if name.endswith(("token_id", "token_index"))]
        ordinary = np.ones(_text_config(config).vocab_size, np.bool_)
        ordinary[[token for token in special if isinstance(token, int) and 0 <= token < len(ordinary)]] = False
        return np.random.default_rng(0).choice(np.flatnonzero(ordinary), size)

    def _try(self) -> int:
        """Return how long a sentence may be in a tree: as `longest_in_tree` says if made-up sentences bear it out.

        In 16 bits and in TF32, scores differ by rounding. They count as the same if they nowhere differ, on average, by
        more than a tenth of what another context does to them.
        """
        config = self.network.config
        most = min(self.row * 3 // 4, longest_in_tree(config.to_dict()), (context_of(config) or self.row) - 1)
        if most < 4:
            return 0
        # a whole row, since some networks have masks along the row: sentences that leave the first one early or late
        tokens = self._made_up(4 * self.row)
        first, left = tokens[: most + 1], self.row - most
        sequences = [first]
        for quarters in cycle((3, 1, 2)):
            shared = most * quarters // 4
            new = min(most - shared, left)
            sequences.append(np.append(first[:shared], tokens[-2 * left :][: new + 1]))
            left -= new
            if not left:
                break
        flat, lengths = np.concatenate(sequences), np.array([len(sequence) for sequence in sequences])
        plain = self._plain(flat, lengths)
        try:
            with warnings.catch_warnings():  # Bloom's, that it ignores positions
                warnings.simplefilter("ignore")
                tree = self._tree(flat, lengths)
        except torch.OutOfMemoryError:
            raise  # says nothing about the architecture: the trial is repeated with smaller batches
        except (AttributeError, TypeError, ValueError, RuntimeError, IndexError):
            return 0  # the architecture takes no such mask
        if self.network.dtype == torch.float32 and self.declared.get("dtype") != TF32:
            return most if np.allclose(tree, plain, rtol=0, atol=TOLERANCE, equal_nan=True) else 0
        turned = self._plain(first[::-1], lengths[:1])[-2::-1]  # the same tokens, each predicted from those after it
        effect = np.abs(turned - plain[: most - 1]).mean()
        blocks = np.array_split(np.abs(tree - plain), max(1, len(tree) // 8))
        return most if max(block.mean() for block in blocks) <= 0.1 * effect else 0

    def _tree(self, flat: NDArray[Any], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        packed = pack_flat(flat, lengths, row=self.row)
        self.positions += packed.positions
        parts = []
        for first, last in _batches(packed, self.batch_tokens):
            tokens, depths, mask = _rows(packed, first, last, self.network.dtype, self.network.device)
            low, high = packed.edge_rows[first], packed.edge_rows[last]
            number = np.repeat(np.arange(last - first), np.diff(packed.edge_rows[first : last + 1]))
            at = packed.edge_from[low:high] - packed.rows[first:last][number] + number * tokens.shape[1]
            inputs = {"input_ids": tokens, "position_ids": depths, "attention_mask": mask}
            parts.append(self._predict(inputs, at, packed.edge_to[low:high]))
        return unsorted_scores(packed, torch.cat(parts).cpu().numpy())

    def _plain(self, flat: NDArray[Any], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Run sentences of equal length together, so that nothing is padded.

        The last token predicts nothing. It is run only if the sentence is too long for the first set of rotary
        frequencies, since the length decides which set all positions get.
        """
        settings = _settings(self.network.config.to_dict())
        changes = min((value for name, value in settings if name == ORIGINAL and isinstance(value, int)), default=None)
        starts = np.cumsum(lengths) - lengths
        places = np.cumsum(lengths - 1) - (lengths - 1)
        values = np.zeros(int((lengths - 1).sum()), np.float32)
        for length in np.unique(lengths).tolist():
            members = np.flatnonzero(lengths == length)
            size = max(1, self.batch_tokens // length)
            for first in range(0, len(members), size):
                batch = members[first : first + size]
                ids = flat[starts[batch][:, None] + np.arange(length)].astype(np.int64)
                tokens = ids if changes and length > changes else ids[:, :-1]
                at = np.arange(tokens.size).reshape(tokens.shape)[:, : length - 1].ravel()
                self.positions += tokens.size
                inputs = {"input_ids": _to_device(tokens, self.network.device)}
                scores = self._predict(inputs, at, ids[:, 1:].ravel())
                values[(places[batch][:, None] + np.arange(length - 1)).ravel()] = scores.cpu().numpy()
        return values

    def _predict(
        self, inputs: dict[str, torch.Tensor], at: NDArray[np.int64], tokens: NDArray[np.int64]
    ) -> torch.Tensor:
        """Return the log-probabilities of tokens at positions of a batch."""
        if self.head == "whole":
            logits = self.network(**inputs, use_cache=False).logits
            return _read(logits.reshape(-1, logits.shape[-1]), at, tokens)
        output = self.network.base_model(**inputs, use_cache=False)
        hidden = output.last_hidden_state
        hidden = hidden.reshape(-1, hidden.shape[-1])
        if self.head == "product":
            return _through(self.network.get_output_embeddings(), hidden, at, tokens)
        return _in_pieces(self.network, output, hidden, at, tokens)


@contextmanager
def matrix_products(declared: Declared) -> Iterator[None]:
    """Let a GPU round the factors of fp32 products to TF32 if that is the declared type, and never otherwise."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if declared.get("dtype") == TF32 else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _text_config(config: Any) -> Any:
    """Return the part of a configuration that is about text, for models that also take pictures or sounds."""
    return config.get_text_config() if hasattr(config, "get_text_config") else config


def context_of(config: Any) -> int | None:
    """Return how many positions a network has, if its configuration says so."""
    most = getattr(_text_config(config), "max_position_embeddings", None)
    return most if isinstance(most, int) and most > 0 else None


def _settings(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a configuration and of the configurations inside it."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _settings({str(inner): setting for inner, setting in value.items()})
        else:
            yield name, value


def longest_in_tree(settings: Mapping[str, Any]) -> int:
    """Return how many positions a sentence may have to get the same mask and frequencies in a tree as alone.

    It has to fit into half of every window and chunk, half because some count a window to both sides, and must be
    shorter than the length at which rotary frequencies change. Biases that grow with distance (ALiBi) count distances
    along a row, which a tree does not keep.
    """
    longest = 1 << 31
    for name, value in _settings(settings):
        if value == "alibi" or (name == "alibi" and value):
            return 0
        sizes = [size for size in (value if isinstance(value, list | tuple) else [value]) if isinstance(size, int)]
        if name in WINDOWS:
            longest = min([longest, *(size // 2 for size in sizes if size > 0)])
        elif name == ORIGINAL:
            longest = min([longest, *(size - 1 for size in sizes)])
    return longest


@torch.inference_mode()
def find_head(network: Network, ids: NDArray[np.int64]) -> Head:
    """Find out what a network does after its last layer, from one sequence of tokens.

    A head is a plain product if it is a linear layer, is given the last hidden states as they are, and its logits come
    out as they are, however large. Known numbers in place of its logits show that exactly, also in 16 bits, where a
    soft cap or a scale could pass for rounding. Any other head is run by the network itself, on a few positions at a
    time if the network accepts hidden states in place of those of its body.
    """
    body, head = network.base_model, network.get_output_embeddings()
    if body is network or not isinstance(head, torch.nn.Module):
        return "whole"
    tokens, part = _to_device(ids[None], network.device), slice(len(ids) // 2, len(ids))
    inputs: list[torch.Tensor] = []  # of the head
    known: list[torch.Tensor] = []

    def replace(_: torch.nn.Module, given: tuple[torch.Tensor, ...], logits: torch.Tensor) -> torch.Tensor:
        ramp = torch.linspace(-1000, 1000, logits.shape[-1], dtype=torch.float32, device=logits.device)
        inputs.append(given[0])
        known.append(ramp.to(logits.dtype).expand(logits.shape))
        return known[-1].clone()

    hook = head.register_forward_hook(replace)
    try:
        output = body(input_ids=tokens, use_cache=False)
        hidden = output.last_hidden_state
        logits = network(input_ids=tokens, use_cache=False).logits
        plain = type(head) is torch.nn.Linear and torch.equal(logits.float(), known[0].float())
        if plain and torch.equal(inputs[0], hidden):
            return "product"
        piece = _head_alone(network, output, hidden[:, part])
        same = _near(inputs[0][:, part], inputs[1]) and torch.equal(logits[:, part], piece)
    except torch.OutOfMemoryError:
        raise  # says nothing about the architecture
    except (AttributeError, TypeError, ValueError, RuntimeError, IndexError):
        return "whole"
    finally:
        hook.remove()
    if same and plain and torch.equal(inputs[1], hidden[:, part]):  # but for rounding that differs from run to run
        return "product"
    return "pieces" if same else "whole"


def _near(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Return whether two tensors are the same but for rounding."""
    if found.shape != wanted.shape:
        return False
    most = 1e-4 if wanted.dtype == torch.float32 else 2e-2
    return bool((found - wanted).float().norm() <= most * wanted.float().norm())


def _head_alone(network: Network, output: Any, hidden: torch.Tensor) -> torch.Tensor:
    """Return the logits of a network whose body is not run: it gives `output` with these hidden states."""
    with _body_gives(network, output):
        output.last_hidden_state = hidden
        tokens = torch.zeros(hidden.shape[:2], dtype=torch.int64, device=hidden.device)
        logits: torch.Tensor = network(input_ids=tokens, use_cache=False).logits
    return logits


@contextmanager
def _body_gives(network: Network, output: Any) -> Iterator[None]:
    body = network.base_model
    own = body.__dict__.get("forward")
    body.forward = lambda *_, **__: output
    try:
        yield
    finally:
        del body.forward
        if own is not None:
            body.forward = own


def _insert(tokens: TokenArrays, token: int, places: NDArray[np.int64], at: NDArray[np.int32]) -> TokenArrays:
    """Insert a token that covers no character in every sentence."""
    spans = np.insert(tokens.spans, places, np.stack((at, at), axis=1), axis=0)
    bounds = tokens.bounds + np.arange(len(tokens.bounds))
    return TokenArrays(np.insert(tokens.ids, places, np.int32(token)), spans, bounds)


def _batches(packed: PrefixRows, batch_tokens: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows that fit into `batch_tokens` positions; at least one row each."""
    sizes = np.diff(packed.rows).tolist()
    first, widest = 0, 0
    for number, size in enumerate(sizes):
        if number > first and max(widest, size) * (number - first + 1) > batch_tokens:
            yield first, number
            first, widest = number, 0
        widest = max(widest, size)
    yield first, len(sizes)


def _rows(
    packed: PrefixRows, first: int, last: int, dtype: torch.dtype, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the token ids, depths and mask of a batch of rows."""
    sizes = np.diff(packed.rows[first : last + 1])
    width = int(sizes.max())
    inside = np.arange(width) < sizes[:, None]
    tokens = np.zeros(inside.shape, np.int64)
    depths = np.zeros(inside.shape, np.int64)
    tokens[inside] = packed.tokens[packed.rows[first] : packed.rows[last]]
    depths[inside] = packed.depths[packed.rows[first] : packed.rows[last]]
    row, position, ancestor = sees(packed, first, last)
    mask = torch.full((last - first, 1, width, width), torch.finfo(dtype).min, dtype=dtype, device=device)
    mask.diagonal(dim1=2, dim2=3).zero_()  # padding sees itself, or the softmax would divide by zero
    mask.view(-1).index_fill_(0, _to_device((row * width + position) * width + ancestor, device), 0)
    return _to_device(tokens, device), _to_device(depths, device), mask


def _to_device(array: NDArray[np.int64], device: torch.device) -> torch.Tensor:
    """Copy an array to a device."""
    return torch.from_numpy(np.ascontiguousarray(array)).to(device)


def _read(logits: torch.Tensor, at: NDArray[np.int64], tokens: NDArray[np.int64]) -> torch.Tensor:
    """Return the log-probabilities of tokens at positions, normalised in fp32 whatever the model computes in.

    The logits are overwritten, a few positions at a time, so that they stay in the cache of a CPU, and a GPU needs no
    second copy of what is often its largest tensor.
    """
    positions = _to_device(at, logits.device)
    chosen = logits[positions, _to_device(tokens, logits.device)].float()
    normal = torch.empty(len(logits), dtype=torch.float32, device=logits.device)
    step = max(1, (CACHED if logits.device.type == "cpu" else CACHED << 8) // logits.shape[1])
    for start in range(0, len(logits), step):
        most, total = _sums(logits[start : start + step].float())
        normal[start : start + step] = most + total.log_()
    return chosen - normal[positions]


def _in_pieces(
    network: Network, output: Any, hidden: torch.Tensor, at: NDArray[np.int64], tokens: NDArray[np.int64]
) -> torch.Tensor:
    """Do the same for a head that only the network can run, on so many positions that their logits fit into memory."""
    order = np.argsort(at, kind="stable")
    at, tokens = at[order], tokens[order]
    values = torch.empty(len(at), dtype=torch.float32, device=hidden.device)
    step = max(1, (LOGITS if hidden.device.type == "cpu" else LOGITS << 6) // _text_config(network.config).vocab_size)
    for start in range(0, len(hidden), step):
        low, high = np.searchsorted(at, (start, start + step))
        if low < high:
            logits = _head_alone(network, output, hidden[None, start : start + step])[0]
            scores = _read(logits, at[low:high] - start, tokens[low:high])
            values[_to_device(order[low:high], hidden.device)] = scores
    return values


def _through(
    head: torch.nn.Linear, hidden: torch.Tensor, at: NDArray[np.int64], tokens: NDArray[np.int64]
) -> torch.Tensor:
    """Do the same from the input of the head, computing the logits of the vocabulary in tiles that fit into a cache.

    With a large vocabulary the head is most of a small model, and storing all its logits takes longer than computing
    them. A token's logit is one of those that are summed: in 16 bits a logit computed separately could exceed the sum.
    """
    weight, bias = head.weight, head.bias
    step = max(1, (CACHED if hidden.device.type == "cpu" else CACHED << 10) // len(hidden))
    order = np.argsort(tokens, kind="stable")
    cuts = np.searchsorted(tokens[order], np.arange(0, len(weight) + step, step)).tolist()
    back, positions, columns = (_to_device(part, hidden.device) for part in (order, at[order], tokens[order]))
    most = torch.full((len(hidden),), torch.finfo(torch.float32).min, device=hidden.device)
    total = torch.zeros(len(hidden), device=hidden.device)
    chosen = torch.full((len(tokens),), torch.nan, device=hidden.device)
    for number, start in enumerate(range(0, len(weight), step)):
        tile, here = slice(start, start + step), slice(cuts[number], cuts[number + 1])
        part = torch.nn.functional.linear(hidden, weight[tile], None if bias is None else bias[tile]).float()
        chosen[here] = part[positions[here], columns[here] - start]
        highest, sums = _sums(part)
        higher = torch.maximum(most, highest)
        total = total * (most - higher).exp_() + sums * (highest - higher).exp_()
        most = higher
    values = torch.empty_like(chosen)
    values[back] = chosen - (most + total.log_())[positions]
    return values


def _sums(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the highest of each row, and the sum of the exponentials of what each is above it; overwrites the rows.

    The sum is at least 1, so that no log-probability is above 0, or 0 if all are minus infinity. On a CPU, torch
    computes a softmax faster than the exponentials alone, and its highest value is one over the sum.
    """
    most = logits.amax(dim=1)
    if logits.device.type == "cpu":
        sums = logits.softmax(dim=1).amax(dim=1).clamp_(max=1).reciprocal_()
    else:
        sums = logits.sub_(most[:, None]).exp_().sum(dim=1)
    return most, sums.masked_fill_(most.isneginf(), 0)
