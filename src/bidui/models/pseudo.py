"""Pseudo-log-likelihood: every token is hidden in turn and predicted from the rest, whatever it is hidden by."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bidui.models.refusals import refuse_broken
from bidui.models.tokenizing import Encoded
from bidui.models.tokens import TokenScores

Hidden = tuple[int, int]  # the number of a sentence, and which of its tokens is hidden
Predict = Callable[[Sequence[Encoded], Sequence[Hidden]], NDArray[np.float32]]


def pseudo_scores(
    sentences: Sequence[str],
    encoded: Sequence[Encoded],
    predict: Predict,
    *,
    batch_tokens: int,
    around: int,
    model: str,
) -> Iterator[TokenScores]:
    """The scores of each sentence, in the given order; `around` are the special tokens a model puts to a sentence."""
    values = _predicted(encoded, predict, batch_tokens=batch_tokens, around=around)
    for sentence, found, logprobs in zip(sentences, encoded, values, strict=True):
        refuse_broken(sentence, found.spans[:, 1], logprobs, model=model)
        yield TokenScores(sentence, np.array(found.ids, np.int32), found.spans[:, 0], found.spans[:, 1], logprobs)


def _predicted(
    encoded: Sequence[Encoded], predict: Predict, *, batch_tokens: int, around: int
) -> list[NDArray[np.float32]]:
    """The log-probability of each token, sentences of one length together, so that nothing is padded."""
    found = [np.zeros(len(sentence.ids), np.float32) for sentence in encoded]
    places = [(number, at) for number, sentence in enumerate(encoded) for at in range(len(sentence.ids))]
    places.sort(key=lambda place: len(encoded[place[0]].ids))
    start = 0
    while start < len(places):
        length = len(encoded[places[start][0]].ids)
        most = max(1, batch_tokens // (length + around))
        batch = [place for place in places[start : start + most] if len(encoded[place[0]].ids) == length]
        for (number, at), value in zip(batch, predict(encoded, batch), strict=True):
            found[number][at] = value
        start += len(batch)
    return found
