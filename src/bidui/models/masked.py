"""Masked language models by pseudo-log-likelihood: each token in turn is masked and predicted from all others.

`original` masks one token at a time (Salazar et al. 2020). `within_word_l2r` also masks the tokens after it in the
same word, so that the pieces of a rare word do not give each other away (Kauf and Ivanova 2023). If every word is one
token, as for Chinese characters, the two are the same.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bidui.models.model import Declared, TokenScores, refuse_broken, refuse_long
from bidui.models.tokenize import Encoding, HasTokenizer, encode

Hidden = tuple[int, int]  # the number of a sentence, and which of its tokens is hidden
Predict = Callable[[Sequence[Encoding], Sequence[Hidden]], NDArray[np.float32]]


class _Batched(Protocol):
    name: str
    batch_tokens: int


def pseudo_scores(
    model: _Batched, sentences: Sequence[str], encoded: Sequence[Encoding], predict: Predict, *, around: int
) -> Iterator[TokenScores]:
    """Yield the scores of each sentence, every token hidden in turn and predicted from the rest.

    Sentences of equal length run together, so nothing is padded; `around` is the number of special tokens around each.
    """
    values = [np.zeros(len(sentence.ids), np.float32) for sentence in encoded]
    places = [(number, at) for number, sentence in enumerate(encoded) for at in range(len(sentence.ids))]
    places.sort(key=lambda place: len(encoded[place[0]].ids))
    start = 0
    while start < len(places):
        length = len(encoded[places[start][0]].ids)
        most = max(1, model.batch_tokens // (length + around))
        batch = [place for place in places[start : start + most] if len(encoded[place[0]].ids) == length]
        for (number, at), value in zip(batch, predict(encoded, batch), strict=True):
            values[number][at] = value
        start += len(batch)
    for sentence, tokens, logprobs in zip(sentences, encoded, values, strict=True):
        refuse_broken(sentence, tokens.spans[:, 1], logprobs, model=model.name)
        yield TokenScores(sentence, np.array(tokens.ids, np.int32), tokens.spans[:, 0], tokens.spans[:, 1], logprobs)


Metric = Literal["original", "within_word_l2r"]


@dataclass(slots=True)
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
        yield from pseudo_scores(self, sentences, encoded, self._masked, around=2)

    @torch.inference_mode()
    def _masked(self, encoded: Sequence[Encoding], batch: Sequence[Hidden]) -> NDArray[np.float32]:
        before = [] if self.tokenizer.cls_token_id is None else [self.tokenizer.cls_token_id]
        after = [] if self.tokenizer.sep_token_id is None else [self.tokenizer.sep_token_id]
        rows = np.array([[*before, *encoded[number].ids, *after] for number, _ in batch], np.int64)
        at = np.array([place for _, place in batch]) + len(before)
        wanted = rows[np.arange(len(batch)), at]
        for row, (number, place) in zip(rows, batch, strict=True):
            row[[len(before) + other for other in self._hidden(encoded[number], place)]] = self.tokenizer.mask_token_id
        device = self.network.device
        self.positions += rows.size
        chosen = torch.from_numpy(at).to(device)
        logits = logits_at(self.network, {"input_ids": torch.from_numpy(rows).to(device)}, chosen)
        values = logits.float().log_softmax(dim=-1)[torch.arange(len(batch)), torch.from_numpy(wanted).to(device)]
        read: NDArray[np.float32] = values.cpu().numpy()
        return read

    def _hidden(self, encoded: Encoding, place: int) -> list[int]:
        """Return the tokens that are masked when one is predicted."""
        if self.metric == "original":
            return [place]
        word = encoded.words[place]
        later = range(place + 1, len(encoded.ids))
        return [place, *(other for other in later if word is not None and encoded.words[other] == word)]


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
