"""Token scores: what every model gives for every sentence, and what all that comes later is made from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The tokens of one sentence: their ids, the characters they cover, and their log-probabilities.

    Only what was scored is here: no BOS, no padding. The stretch of a token is in characters, half-open; a token that
    is a part of a character covers the whole of it.
    """

    sentence: str
    ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    logprobs: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def logprob(self) -> float:
        """The sum over the tokens: LP."""
        return float(self.logprobs.sum(dtype=np.float64))


class Model(Protocol):
    """Sentences in, token scores out: the one seam between bidui and language models."""

    @property
    def name(self) -> str:
        """What tables and files call it."""
        ...

    @property
    def declared(self) -> dict[str, str | int | bool | None]:
        """What the scores depend on besides the sentences: kind, weights, tokenizer, dtype, BOS, EOS, first token."""
        ...

    def score(self, sentences: Sequence[str]) -> Iterable[TokenScores]:
        """The scores of each sentence, in the given order."""
        ...

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """The tokens that ids stand for, as the tokenizer writes them."""
        ...

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which ids mean that the model does not know what stands there."""
        ...
