"""Causal language models of any architecture that transformers loads; each position is run once.

Sentences are packed into prefix trees (`prefix_tree`). Whether a model can take a tree is not looked up by its name:
the first sentences are scored both ways, and a model whose scores differ is run plainly, on batches of sentences of
equal length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.models.conventions import Conventions
from bidui.models.model import Declared, TokenScores, first_line, refuse_broken, refuse_long
from bidui.models.prefix_tree import PrefixRows, pack_flat, sees, unsorted_scores
from bidui.models.tokenize import HasTokenizer, TokenArrays, encode_flat

if TYPE_CHECKING:  # importing transformers takes longer than a small model
    from transformers import PreTrainedTokenizerBase

Way = Literal["tree", "plain"]

TOLERANCE = 1e-3  # how far a token's log-probability may differ between a tree and the plain way, in fp32
CACHED = 1 << 19  # numbers that fit into a CPU's cache
TRIAL = 24  # sentences on which the two ways are compared


class Network(Protocol):
    """What a causal model needs of a network: models of transformers have it, and so have those of `native`."""

    @property
    def config(self) -> Any:
        """The configuration; of its fields, the context is used."""
        ...

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        ...

    @property
    def dtype(self) -> torch.dtype:
        """The type of the weights."""
        ...

    @property
    def base_model(self) -> Any:
        """The network without its head; takes and gives what the base models of transformers do."""
        ...

    def get_output_embeddings(self) -> Any:
        """Return the head."""
        ...

    def __call__(self, **inputs: Any) -> Any:
        """Return the logits of all positions."""
        ...


@dataclass(slots=True)
class CausalModel(HasTokenizer):
    """A causal model with its tokenizer and the conventions it is scored by."""

    name: str
    network: Network
    tokenizer: "PreTrainedTokenizerBase"
    conventions: Conventions
    declared: Declared
    batch_tokens: int = 1024
    row: int = 128
    way: Way | None = None  # decided with the first sentences, as is the next
    own_head: bool = True  # whether the head is a plain product that can be computed in tiles
    positions: int = 0  # that were run so far

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        tokens = self.prepared(sentences)
        lengths = np.diff(tokens.bounds)
        most = getattr(self.network.config, "max_position_embeddings", None)
        refuse_long(sentences, lengths.tolist(), most=most, model=self.name)
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
                if self.way is None:
                    self.way = self._try(flat, lengths)
                return self._tree(flat, lengths) if self.way == "tree" else self._plain(flat, lengths)
            except torch.OutOfMemoryError as error:
                if self.batch_tokens <= max(self.row, int(lengths.max())):  # a single row or sentence cannot be divided
                    values = {"model": self.name, "tokens": self.batch_tokens, "reason": first_line(error)}
                    raise fail("scoring-memory", Place(), values) from error
                self.batch_tokens //= 2
            torch.cuda.empty_cache()  # here, where the error no longer holds what did not fit

    def _try(self, flat: NDArray[np.int32], lengths: NDArray[np.int64]) -> Way:
        """Choose the tree if it gives the first sentences the same scores as the plain way.

        In 16 bits the two differ by rounding. They count as the same if the difference is at most a tenth of what
        reversing the context does to the scores, which is about what a wrong mask or position would do.
        """
        lengths = lengths[:TRIAL]
        flat = flat[: lengths.sum()]
        plain = self._plain(flat, lengths)
        for self.own_head in (True, False):
            try:
                if self._same(self._tree(flat, lengths), plain, flat, lengths):
                    return "tree"
            except torch.OutOfMemoryError:
                raise  # says nothing about the architecture: the trial is repeated with smaller batches
            except (AttributeError, TypeError, ValueError, RuntimeError, IndexError):
                continue  # the architecture takes no such mask, or has no such head
        return "plain"

    def _same(
        self, tree: NDArray[np.float32], plain: NDArray[np.float32], flat: NDArray[np.int32], lengths: NDArray[np.int64]
    ) -> bool:
        if self.network.dtype == torch.float32:
            return np.allclose(tree, plain, rtol=0, atol=TOLERANCE, equal_nan=True)
        ends = np.cumsum(lengths)
        turned = flat.copy()
        for end, length in zip(ends.tolist(), lengths.tolist(), strict=True):
            turned[end - length + 1 : end - 1] = turned[end - length + 1 : end - 1][::-1]
        last = ends - np.arange(1, len(ends) + 1) - 1
        effect = float(np.abs(self._plain(turned, lengths)[last] - plain[last]).mean())
        return bool(np.abs(tree - plain).mean() <= 0.1 * effect)

    @torch.inference_mode()
    def _tree(self, flat: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        packed = pack_flat(flat, lengths, row=self.row)
        self.positions += packed.positions
        parts = []
        for first, last in _batches(packed, self.batch_tokens):
            tokens, depths, mask = _rows(packed, first, last, self.network.dtype, self.network.device)
            low, high = packed.edge_rows[first], packed.edge_rows[last]
            row = np.repeat(np.arange(last - first), np.diff(packed.edge_rows[first : last + 1]))
            at = packed.edge_from[low:high] - packed.rows[first:last][row] + row * tokens.shape[1]
            inputs = {"input_ids": tokens, "position_ids": depths, "attention_mask": mask, "use_cache": False}
            if self.own_head:
                hidden = self.network.base_model(**inputs).last_hidden_state
                head = self.network.get_output_embeddings()
                if not isinstance(head, torch.nn.Linear):
                    raise TypeError(type(head))
                parts.append(_through(head, hidden.view(-1, hidden.shape[-1]), at, packed.edge_to[low:high]))
            else:
                logits = self.network(**inputs).logits
                parts.append(_read(logits.view(-1, logits.shape[-1]), at, packed.edge_to[low:high]))
        return unsorted_scores(packed, torch.cat(parts).cpu().numpy())

    @torch.inference_mode()
    def _plain(self, flat: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Run sentences of equal length together, so that nothing is padded."""
        starts = np.cumsum(lengths) - lengths
        places = np.cumsum(lengths - 1) - (lengths - 1)
        parts, where = [], []
        for length in np.unique(lengths).tolist():
            members = np.flatnonzero(lengths == length)
            size = max(1, self.batch_tokens // length)
            for first in range(0, len(members), size):
                batch = members[first : first + size]
                ids = flat[starts[batch][:, None] + np.arange(length)].astype(np.int64)
                tokens = _to_device(ids[:, :-1], self.network.device)
                self.positions += tokens.numel()
                logits = self.network(input_ids=tokens, use_cache=False).logits
                parts.append(_read(logits.reshape(-1, logits.shape[-1]), np.arange(tokens.numel()), ids[:, 1:].ravel()))
                where.append((places[batch][:, None] + np.arange(length - 1)).ravel())
        out = np.zeros(int((lengths - 1).sum()), np.float32)
        out[np.concatenate(where)] = torch.cat(parts).cpu().numpy()
        return out


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
        part = logits[start : start + step].float()
        most = part.amax(dim=1, keepdim=True)
        normal[start : start + step] = part.sub_(most).exp_().sum(dim=1).log_() + most.squeeze(1)
    return chosen - normal[positions]


def _through(
    head: torch.nn.Linear, hidden: torch.Tensor, at: NDArray[np.int64], tokens: NDArray[np.int64]
) -> torch.Tensor:
    """Do the same from the input of the head, computing the logits of the vocabulary in tiles that fit into a cache.

    With a large vocabulary the head is most of a small model, and storing all its logits takes longer than computing
    them.
    """
    weight, bias = head.weight, head.bias
    step = max(1, (CACHED if hidden.device.type == "cpu" else CACHED << 10) // len(hidden))
    most = torch.full((len(hidden),), -torch.inf, device=hidden.device)
    total = torch.zeros(len(hidden), device=hidden.device)
    for start in range(0, len(weight), step):
        tile = slice(start, start + step)
        part = torch.nn.functional.linear(hidden, weight[tile], None if bias is None else bias[tile]).float()
        higher = torch.maximum(most, part.amax(dim=1))
        total = total * (most - higher).exp_() + part.sub_(higher[:, None]).exp_().sum(dim=1)
        most = higher
    positions, wanted = _to_device(at, hidden.device), _to_device(tokens, hidden.device)
    chosen = (hidden[positions] * weight[wanted]).sum(dim=1, dtype=torch.float32)
    if bias is not None:
        chosen = chosen + bias[wanted].float()
    return chosen - (most + total.log())[positions]
