"""The protocol of all models, and token scores: what a model gives for every sentence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail

Declared = dict[str, str | int | bool | None]  # what scores depend on besides the sentences: see `Model.declared`


@dataclass(frozen=True, slots=True, repr=False)
class TokenScores:
    """The tokens of one sentence: their ids, the characters they cover, and their log-probabilities.

    Only tokens that were scored are here: no BOS, no padding. The span of a token is in characters, half-open; a token
    that is part of a character covers all of it.
    """

    sentence: str
    ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    logprobs: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"TokenScores of {self.sentence!r}: {len(self)} tokens, {self.logprob:.4f}"

    @property
    def logprob(self) -> float:
        """The sum over the tokens: LP."""
        return float(self.logprobs.sum(dtype=np.float64))


class Model(Protocol):
    """A language model: sentences in, token scores out. Any object with these five members can be scored with."""

    @property
    def name(self) -> str:
        """The name in tables and files."""
        ...

    @property
    def declared(self) -> Declared:
        """What the scores depend on besides the sentences: kind, weights, tokenizer, dtype, BOS, EOS, first token."""
        ...

    def score(self, sentences: Sequence[str]) -> Iterable[TokenScores]:
        """Return the scores of each sentence, in order."""
        ...

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the tokens that ids stand for, as the tokenizer writes them."""
        ...

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which ids mean that the model does not know the token."""
        ...


@dataclass(frozen=True, slots=True)
class Alias:
    """A model under another name."""

    name: str
    model: Model

    @property
    def declared(self) -> Declared:
        """What the scores depend on: the same, whatever the name."""
        return self.model.declared

    def score(self, sentences: Sequence[str]) -> Iterable[TokenScores]:
        """Return the scores of each sentence, in order."""
        return self.model.score(sentences)

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the tokens that ids stand for."""
        return self.model.token_texts(ids)

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which ids mean that the model does not know the token."""
        return self.model.unknown(ids)


def parameter_count(model: Model) -> int:
    """Return how many weights the network of a model has; 0 where it has no network, such as an n-gram model."""
    inner = model.model if isinstance(model, Alias) else model
    parameters = getattr(getattr(inner, "network", None), "parameters", None)
    return sum(weight.numel() for weight in parameters()) if callable(parameters) else 0


class HasTexts:
    """What models without ids of their own do in the same way: `texts` has the tokens by the numbers they got here."""

    __slots__ = ()
    name: str
    texts: dict[int, str]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the tokens as they were given."""
        return {number: self.texts[number] for number in ids}

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return False for every id: nothing says which tokens are unknown."""
        return np.zeros(len(ids), np.bool_)


def stable_ids(tokens: Iterable[str], texts: dict[int, str]) -> NDArray[np.int32]:
    """Return numbers for tokens of a model that has no ids, the same in every run, and enter them in `texts`.

    If two tokens have the same hash, the second takes the next number that is free.
    """
    ids = []
    for token in tokens:
        number = crc32(token.encode()) >> 1
        while texts.setdefault(number, token) != token:
            number += 1
        ids.append(number)
    return np.array(ids, np.int32)


def spans_of(sentence: str, tokens: Sequence[str]) -> NDArray[np.int32]:
    """Return the start and end of each token; blanks between tokens belong to none."""
    spans = np.zeros((len(tokens), 2), np.int32)
    at = 0
    for number, token in enumerate(tokens):
        at = sentence.index(token, at)
        spans[number] = (at, at + len(token))
        at += len(token)
    return spans


def jieba_words(sentence: str) -> list[tuple[str, int, int]]:
    """Return the words that jieba finds, with their starts and ends; blanks are not words."""
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    return [(word, start, end) for word, start, end in jieba.tokenize(sentence) if not word.isspace()]


def first_line(error: Exception) -> str:
    """Return the first line of an error's message."""
    return str(error).strip().split("\n")[0]


# What no model may do silently: truncate a sentence, or give a score that is not a number.


def refuse_long(sentences: Sequence[str], lengths: Sequence[int], *, most: int | None, model: str) -> None:
    """Refuse the first sentence that has more tokens than the model's context."""
    for sentence, length in zip(sentences, lengths, strict=True):
        if most is not None and length > most:
            values = {"tokens": length, "most": most, "sentence": sentence, "model": model}
            raise fail("sentence-too-long", Place(), values)


def refuse_foreign(sentences: Sequence[str], ids: Iterable[Sequence[int]], *, vocabulary: int, model: str) -> None:
    """Refuse the first sentence with a token that the model has no entry for: its tokenizer is another model's."""
    for sentence, tokens in zip(sentences, ids, strict=True):
        if (most := max(tokens, default=-1)) >= vocabulary:
            raise fail(
                "token-foreign", Place(), {"id": most, "sentence": sentence, "model": model, "vocabulary": vocabulary}
            )


def refuse_broken(sentence: str, ends: NDArray[np.int32], logprobs: NDArray[np.float32], *, model: str) -> None:
    """Refuse NaN and infinite log-probabilities, naming the token."""
    finite = np.isfinite(logprobs)
    if finite.all():
        return
    at = int(np.argmin(finite))
    before = sentence[: ends[at]]
    values = {"value": str(logprobs[at]), "model": model, "sentence": sentence, "number": at + 1, "before": before}
    raise fail("logprob-not-finite", Place(), values)
