"""Encoder-decoder models of the T5 kind: each token in turn is replaced by a sentinel, and the decoder restores it.

This is the pseudo-log-likelihood that SLING uses for mT5 and ByT5. The encoder reads the sentence with the token
replaced by the first sentinel, the decoder is given that sentinel, and the token's probability comes next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bidui.errors import Place, fail
from bidui.models.masked import Hidden, pseudo_scores
from bidui.models.model import Declared, TokenScores
from bidui.models.tokenize import Encoding, HasTokenizer, encode


@dataclass(slots=True)
class Seq2SeqModel(HasTokenizer):
    """An encoder-decoder with its tokenizer and the sentinel that stands for the missing token."""

    name: str
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    sentinel: int
    declared: Declared
    batch_tokens: int = 1024
    positions: int = 0  # that were run so far

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        yield from pseudo_scores(self, sentences, encode(self.tokenizer, sentences), self._restored, around=3)

    @torch.inference_mode()
    def _restored(self, encoded: Sequence[Encoding], batch: Sequence[Hidden]) -> NDArray[np.float32]:
        end = [] if self.tokenizer.eos_token_id is None else [self.tokenizer.eos_token_id]
        rows = np.array([[*encoded[number].ids, *end] for number, _ in batch], np.int64)
        at = np.array([place for _, place in batch])
        wanted = rows[np.arange(len(batch)), at]
        rows[np.arange(len(batch)), at] = self.sentinel
        begin = self.network.config.decoder_start_token_id
        given = np.tile(np.array([[begin, self.sentinel]], np.int64), (len(batch), 1))
        device = self.network.device
        self.positions += rows.size + given.size
        logits = self.network(
            input_ids=torch.from_numpy(rows).to(device), decoder_input_ids=torch.from_numpy(given).to(device)
        ).logits[:, -1]
        values = logits.float().log_softmax(dim=-1)[torch.arange(len(batch)), torch.from_numpy(wanted).to(device)]
        read: NDArray[np.float32] = values.cpu().numpy()
        return read


def first_sentinel(tokenizer: PreTrainedTokenizerBase, *, model: str) -> int:
    """Return the id of `<extra_id_0>`; a model whose tokenizer has none cannot be scored this way."""
    sentinel = tokenizer.convert_tokens_to_ids("<extra_id_0>")
    if not isinstance(sentinel, int) or sentinel == tokenizer.unk_token_id:
        raise fail("no-sentinel", Place(model), {})
    return sentinel
