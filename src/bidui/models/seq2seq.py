"""Encoder-decoder models of the T5 kind: each token in turn is replaced by a sentinel, and the decoder restores it.

This is a pseudo-log-likelihood. The encoder reads the sentence with the token replaced by the first sentinel that the
model was pretrained with; the decoder is given that sentinel, and the token's probability comes next. Whether the
decoder would stop after the token is not scored. Bytes and other tokens that are parts of one character would give each
other away: they are replaced together, by one sentinel, and the decoder restores them from left to right, each after
those before it, so that their scores add up to that of the character.

SLING hides tokens "one after another", which for ByT5 are bytes, and does not say what stands for a missing token or
what the decoder is given. The choices here are bidui's own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import ByT5Tokenizer, PreTrainedModel, PreTrainedTokenizerBase

from bidui.errors import Place, fail
from bidui.models.causal import matrix_products
from bidui.models.masked import Gap, chosen_logprobs, pseudo_scores
from bidui.models.model import Declared, TokenScores
from bidui.models.tokenize import Encoding, HasTokenizer, encode


@dataclass(slots=True, repr=False)
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
        encoded = encode(self.tokenizer, sentences)
        gaps = [gap for number, tokens in enumerate(encoded) for gap in self._gaps(number, tokens)]
        around = 3 + max((gap.size for gap in gaps), default=0)
        yield from pseudo_scores(self, sentences, encoded, gaps, self._restored, around=around)

    def _gaps(self, number: int, tokens: Encoding) -> Iterator[Gap]:
        """Yield each token of a sentence as a gap, or tokens together that share a character.

        The blank that sentencepiece puts before a sentence covers no character of it, whatever its span says.
        """
        texts = self.tokenizer.convert_ids_to_tokens(tokens.ids)
        starts, ends = tokens.spans[:, 0].tolist(), tokens.spans[:, 1].tolist()
        at = 0
        for next_ in range(1, len(tokens.ids) + 1):
            inside = next_ < len(tokens.ids) and starts[next_] < ends[next_ - 1]
            if not inside or "▁" in (texts[next_ - 1], texts[next_]):
                yield Gap(number, at, next_ - at)
                at = next_

    @torch.inference_mode()
    def _restored(self, encoded: Sequence[Encoding], batch: Sequence[Gap]) -> NDArray[np.float32]:
        size = batch[0].size
        end = [] if self.tokenizer.eos_token_id is None else [self.tokenizer.eos_token_id]
        rows, missing = [], []
        for gap in batch:
            ids = encoded[gap.sentence].ids
            rows.append([*ids[: gap.at], self.sentinel, *ids[gap.at + size :], *end])
            missing.append(ids[gap.at : gap.at + size])
        begin = [self.network.config.decoder_start_token_id, self.sentinel]
        given = torch.tensor([[*begin, *tokens[:-1]] for tokens in missing], device=self.network.device)
        read = torch.tensor(rows, device=self.network.device)
        self.positions += read.numel() + given.numel()
        with matrix_products(self.declared):
            logits = self.network(input_ids=read, decoder_input_ids=given).logits[:, 1:]
        wanted = np.array(missing, np.int64).ravel()
        return chosen_logprobs(logits.reshape(len(wanted), -1), wanted).reshape(len(batch), size)


def first_sentinel(tokenizer: PreTrainedTokenizerBase, *, model: str, vocabulary: int) -> int:
    """Return the token that stood for the first missing stretch when the model was pretrained.

    It is `<extra_id_0>`, which mT5 writes with a blank before it. ByT5 was pretrained with its last byte, 258, instead;
    the `<extra_id_0>` of its tokenizer came later and was never trained. A model without a sentinel, or whose
    vocabulary ends before it, cannot be scored this way.
    """
    if isinstance(tokenizer, ByT5Tokenizer):
        return int(tokenizer.offset) + 255
    for token in ("▁<extra_id_0>", "<extra_id_0>"):
        sentinel = tokenizer.convert_tokens_to_ids(token)
        if isinstance(sentinel, int) and sentinel != tokenizer.unk_token_id and sentinel < vocabulary:
            return sentinel
    raise fail("no-sentinel", Place(model), {})
