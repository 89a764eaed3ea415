"""Causal language models of any architecture that transformers loads, each position run once.

Sentences are packed into prefix trees (`prefix_tree`). Whether a model can take a tree is not looked up by its name:
the first sentences are scored both ways, and a model whose scores differ is run plainly, sentences of one length
together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bidui.models.conventions import Conventions
from bidui.models.prefix_tree import Packed, pack, sees, unsorted_scores
from bidui.models.refusals import refuse_broken, refuse_long
from bidui.models.tokenizing import Encoded, encode, texts_of, unknown_of
from bidui.models.tokens import TokenScores

Way = Literal["tree", "plain"]

# How far the two ways may differ in a token's log-probability before a model counts as unable to take a tree.
TOLERANCE = {torch.float32: 1e-3, torch.float16: 0.05, torch.bfloat16: 0.1}
TRIED = 24  # sentences on which the two ways are compared


@dataclass(slots=True)
class CausalModel:
    """A causal model with its tokenizer and the conventions it is scored by."""

    name: str
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    conventions: Conventions
    declared: dict[str, str | int | bool | None]
    batch_tokens: int = 1024
    row: int = 64
    way: Way | None = field(default=None)  # found out with the first sentences
    positions: int = 0  # run so far

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """The scores of each sentence, in the given order."""
        encoded = encode(self.tokenizer, sentences)
        sequences = [self._sequence(found) for found in encoded]
        most = getattr(self.network.config, "max_position_embeddings", None)
        refuse_long(sentences, [len(sequence) for sequence in sequences], most=most, model=self.name)
        values = self.run(sequences)
        for sentence, found, logprobs in zip(sentences, encoded, values, strict=True):
            yield self._scores(sentence, found, logprobs)

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """The tokens that ids stand for, as the tokenizer writes them."""
        return texts_of(self.tokenizer, ids)

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which ids are the tokenizer's unknown token."""
        return unknown_of(self.tokenizer, ids)

    def _sequence(self, encoded: Encoded) -> list[int]:
        before = [] if self.conventions.bos is None else [self.conventions.bos]
        after = [] if self.conventions.eos is None else [self.conventions.eos]
        return [*before, *encoded.ids, *after]

    def _scores(self, sentence: str, encoded: Encoded, logprobs: NDArray[np.float32]) -> TokenScores:
        ids = np.array(encoded.ids, np.int32)
        spans = encoded.spans
        if self.conventions.eos is not None:
            ids = np.append(ids, np.int32(self.conventions.eos))
            spans = np.append(spans, np.full((1, 2), len(sentence), np.int32), axis=0)
        scored = ids[len(ids) - len(logprobs) :], spans[len(ids) - len(logprobs) :]
        refuse_broken(sentence, scored[1][:, 1], logprobs, model=self.name)
        return TokenScores(sentence, scored[0], scored[1][:, 0], scored[1][:, 1], logprobs)

    def run(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """The log-probabilities of all tokens of each sequence but the first."""
        found: list[NDArray[np.float32]] = [np.zeros(0, np.float32)] * len(sequences)
        longer = [number for number, sequence in enumerate(sequences) if len(sequence) > 1]
        if longer:
            chosen = [sequences[number] for number in longer]
            if self.way is None:
                self.way = self._try(chosen)
            values = self._tree(chosen) if self.way == "tree" else self._plain(chosen)
            for number, logprobs in zip(longer, values, strict=True):
                found[number] = logprobs
        return found

    def _try(self, sequences: list[Sequence[int]]) -> Way:
        """Whether the first sentences get the same scores in a tree as plainly."""
        few = sequences[:TRIED]
        plain = np.concatenate(self._plain(few))
        try:
            tree = np.concatenate(self._tree(few))
        except (TypeError, ValueError, RuntimeError, IndexError):
            return "plain"  # the architecture has no use for such a mask
        tolerance = TOLERANCE.get(self.network.dtype, 1e-3)
        return "tree" if np.allclose(tree, plain, rtol=0, atol=tolerance, equal_nan=True) else "plain"

    @torch.inference_mode()
    def _tree(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        packed = pack(sequences, row=self.row)
        self.positions += packed.positions
        values = np.zeros(len(packed.edge_to), np.float32)
        for first, last in _batches(packed, self.batch_tokens):
            low, high = packed.edge_rows[first], packed.edge_rows[last]
            tokens, depths, mask, begin = _rows(packed, first, last, self.network.dtype, self.network.device)
            logits = self.network(input_ids=tokens, position_ids=depths, attention_mask=mask, use_cache=False).logits
            width = tokens.shape[1]
            row = np.searchsorted(packed.edge_rows[first : last + 1], np.arange(low, high), side="right") - 1
            at = packed.edge_from[low:high] - begin[row] + row * width
            values[low:high] = _read(logits.view(-1, logits.shape[-1]), at, packed.edge_to[low:high])
        return unsorted_scores(packed, values)

    @torch.inference_mode()
    def _plain(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """Sentences of one length together, so that nothing is padded."""
        found: list[NDArray[np.float32]] = [np.zeros(0, np.float32)] * len(sequences)
        by_length = sorted(range(len(sequences)), key=lambda number: len(sequences[number]))
        for length, group in groupby(by_length, key=lambda number: len(sequences[number])):
            members = list(group)
            size = max(1, self.batch_tokens // length)
            for start in range(0, len(members), size):
                batch = members[start : start + size]
                ids = np.array([sequences[number] for number in batch], np.int64)
                tokens = torch.from_numpy(ids[:, :-1].copy()).to(self.network.device)
                self.positions += tokens.numel()
                logits = self.network(input_ids=tokens, use_cache=False).logits
                at = np.arange(tokens.numel())
                read = _read(logits.reshape(-1, logits.shape[-1]), at, ids[:, 1:].ravel()).reshape(len(batch), -1)
                for number, logprobs in zip(batch, read, strict=True):
                    found[number] = logprobs
        return found


def _batches(packed: Packed, batch_tokens: int) -> Iterator[tuple[int, int]]:
    """Rows that fit together into so many positions; at least one."""
    sizes = np.diff(packed.rows).tolist()
    first, widest = 0, 0
    for number, size in enumerate(sizes):
        if number > first and max(widest, size) * (number - first + 1) > batch_tokens:
            yield first, number
            first, widest = number, 0
        widest = max(widest, size)
    yield first, len(sizes)


def _rows(
    packed: Packed, first: int, last: int, dtype: torch.dtype, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, NDArray[np.int64]]:
    """Token ids, depths and the mask of a batch of rows, and where each row begins among the positions."""
    begin = packed.rows[first:last]
    sizes = np.diff(packed.rows[first : last + 1])
    width = int(sizes.max())
    inside = np.arange(width) < sizes[:, None]
    tokens = np.zeros(inside.shape, np.int64)
    depths = np.zeros(inside.shape, np.int64)
    tokens[inside] = packed.tokens[packed.rows[first] : packed.rows[last]]
    depths[inside] = packed.depths[packed.rows[first] : packed.rows[last]]
    row, position, ancestor = sees(packed, first, last)
    mask = torch.full((last - first, 1, width, width), torch.finfo(dtype).min, dtype=dtype, device=device)
    mask.diagonal(dim1=2, dim2=3).zero_()  # padding sees itself, or it would be divided by zero
    index = [torch.from_numpy(part).to(device) for part in (row, position, ancestor)]
    mask[index[0], 0, index[1], index[2]] = 0
    return torch.from_numpy(tokens).to(device), torch.from_numpy(depths).to(device), mask, begin


def _read(logits: torch.Tensor, at: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.float32]:
    """The log-probabilities of tokens at positions, normalised in fp32 whatever the model computes in."""
    positions = torch.from_numpy(at).to(logits.device)
    logits = logits.float()
    chosen = logits[positions, torch.from_numpy(tokens).to(logits.device)]
    most = logits.amax(dim=1, keepdim=True)
    total = (logits - most).exp_().sum(dim=1)
    normal = most.squeeze(1) + total.log()
    found: NDArray[np.float32] = (chosen - normal[positions]).cpu().numpy()
    return found
