"""Masked language models by pseudo-log-likelihood: each token in turn is masked and predicted from all others.

`original` masks one token at a time (Salazar et al. 2020). `within_word_l2r` also masks the tokens after it in the
same word, so that the pieces of a rare word do not give each other away (Kauf and Ivanova 2023). If every word is one
token, as for Chinese characters, the two are the same.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bidui.models.causal import matrix_products
from bidui.models.model import Declared, TokenScores, refuse_broken, refuse_foreign, refuse_long
from bidui.models.tokenize import Encoding, HasTokenizer, encode


@dataclass(frozen=True, slots=True)
class Gap:
    """Tokens of a sentence that are hidden and predicted from the others: `size` of them, from `at` on."""

    sentence: int
    at: int
    size: int = 1


Predict = Callable[[Sequence[Encoding], Sequence[Gap]], NDArray[np.float32]]  # the scores of the tokens in each gap


class _Batched(Protocol):
    name: str
    network: PreTrainedModel
    batch_tokens: int


def pseudo_scores(
    model: _Batched,
    sentences: Sequence[str],
    encoded: Sequence[Encoding],
    gaps: Iterable[Gap],
    predict: Predict,
    *,
    around: int,
) -> Iterator[TokenScores]:
    """Yield the scores of each sentence, the tokens of every gap predicted from the rest.

    Sentences and gaps of equal length run together, so nothing is padded; `around` is the number of special tokens
    around each sentence.
    """
    ids = (sentence.ids for sentence in encoded)
    refuse_foreign(sentences, ids, vocabulary=model.network.config.vocab_size, model=model.name)
    values = [np.zeros(len(sentence.ids), np.float32) for sentence in encoded]
    alike: dict[tuple[int, int], list[Gap]] = {}
    for gap in gaps:
        alike.setdefault((len(encoded[gap.sentence].ids), gap.size), []).append(gap)
    for length, size in sorted(alike):
        most = max(1, model.batch_tokens // (length + around))
        members = alike[length, size]
        for start in range(0, len(members), most):
            batch = members[start : start + most]
            for gap, scores in zip(batch, predict(encoded, batch), strict=True):
                values[gap.sentence][gap.at : gap.at + size] = scores
    for sentence, tokens, logprobs in zip(sentences, encoded, values, strict=True):
        refuse_broken(sentence, tokens.spans[:, 1], logprobs, model=model.name)
        yield TokenScores(sentence, np.array(tokens.ids, np.int32), tokens.spans[:, 0], tokens.spans[:, 1], logprobs)


Metric = Literal["original", "within_word_l2r"]


@dataclass(slots=True, repr=False)
class MaskedModel(HasTokenizer):
    """A masked model with its tokenizer."""

    name: str
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    declared: Declared
    metric: Metric = "original"
    batch_tokens: int = 1024
    positions: int = 0  # that were run so far

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        encoded = encode(self.tokenizer, sentences, words=True)
        most = getattr(self.network.config, "max_position_embeddings", None)
        # RoBERTa's positions begin after its padding id
        reserved = (self.network.config.pad_token_id or 0) + 1 if "roberta" in self.network.config.model_type else 0
        lengths = [len(tokens.ids) + 2 + reserved for tokens in encoded]
        refuse_long(sentences, lengths, most=most, model=self.name)
        gaps = (Gap(number, at) for number, tokens in enumerate(encoded) for at in range(len(tokens.ids)))
        yield from pseudo_scores(self, sentences, encoded, gaps, self._masked, around=2)

    @torch.inference_mode()
    def _masked(self, encoded: Sequence[Encoding], batch: Sequence[Gap]) -> NDArray[np.float32]:
        before = [] if self.tokenizer.cls_token_id is None else [self.tokenizer.cls_token_id]
        after = [] if self.tokenizer.sep_token_id is None else [self.tokenizer.sep_token_id]
        rows = np.array([[*before, *encoded[gap.sentence].ids, *after] for gap in batch], np.int64)
        at = np.array([gap.at for gap in batch]) + len(before)
        wanted = rows[np.arange(len(batch)), at]
        for row, gap in zip(rows, batch, strict=True):
            hidden = self._hidden(encoded[gap.sentence], gap.at)
            row[[len(before) + other for other in hidden]] = self.tokenizer.mask_token_id
        device = self.network.device
        self.positions += rows.size
        chosen = torch.from_numpy(at).to(device)
        with matrix_products(self.declared):
            logits = logits_at(self.network, {"input_ids": torch.from_numpy(rows).to(device)}, chosen)
        return chosen_logprobs(logits, wanted)[:, None]

    def _hidden(self, encoded: Encoding, place: int) -> list[int]:
        """Return the tokens that are masked when one is predicted."""
        if self.metric == "original":
            return [place]
        word = encoded.words[place]
        later = range(place + 1, len(encoded.ids))
        return [place, *(other for other in later if word is not None and encoded.words[other] == word)]


def chosen_logprobs(logits: torch.Tensor, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the log-probability of one token per row of logits, normalised in fp32."""
    chosen = torch.from_numpy(tokens).to(logits.device)
    values: NDArray[np.float32] = logits.float().log_softmax(dim=-1).gather(1, chosen[:, None])[:, 0].cpu().numpy()
    return values


def logits_at(network: PreTrainedModel, inputs: dict[str, torch.Tensor], at: torch.Tensor) -> torch.Tensor:
    """Return the logits at one position of each row; the head, often most of a small model, runs only on those.

    The output of the body is reduced before the head reads it. If that is not possible, all logits are computed.
    """
    rows = torch.arange(len(at), device=at.device)
    length = inputs["input_ids"].shape[1]

    def only(_: torch.nn.Module, __: tuple[Any, ...], output: Any) -> Any:
        hidden = output[0]
        if not torch.is_tensor(hidden) or hidden.shape[:2] != (len(at), length):
            return None
        output.last_hidden_state = hidden[rows, at].unsqueeze(1)
        return output

    body = network.base_model
    hook = body.register_forward_hook(only) if body is not network else None
    try:
        logits: torch.Tensor = network(**inputs).logits
    finally:
        if hook:
            hook.remove()
    return logits[:, 0] if logits.shape[1] == 1 and length > 1 else logits[rows, at]
