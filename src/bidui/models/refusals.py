"""What no model may do silently: cut a sentence, or give a score that is not a number."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail


def refuse_long(sentences: Sequence[str], lengths: Sequence[int], *, most: int | None, model: str) -> None:
    """Refuse the first sentence that has more tokens than the model's context."""
    for sentence, length in zip(sentences, lengths, strict=True):
        if most is not None and length > most:
            values = {"tokens": length, "most": most, "sentence": sentence, "model": model}
            raise fail("sentence-too-long", Place(), values)


def refuse_broken(sentence: str, ends: NDArray[np.int32], logprobs: NDArray[np.float32], *, model: str) -> None:
    """Refuse NaN and infinite log-probabilities, naming the token."""
    finite = np.isfinite(logprobs)
    if finite.all():
        return
    at = int(np.argmin(finite))
    before = sentence[: ends[at]]
    values = {"value": str(logprobs[at]), "model": model, "sentence": sentence, "number": at + 1, "before": before}
    raise fail("logprob-not-finite", Place(), values)
