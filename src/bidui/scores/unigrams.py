"""Unigram log-probabilities of a model's tokens, which SLOR and MORCELA need."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.files import write_file
from bidui.scores.links import Floats

UNIGRAMS = "unigrams.json"  # the file beside a model and beside its scores


@dataclass(frozen=True, slots=True)
class Unigrams:
    """The number of times each token id occurs in a corpus, and the tokenizer of the ids."""

    counts: NDArray[np.int64]
    tokenizer: str  # the hash of its vocabulary

    def logprobs(self, *, smoothing: float) -> Floats:
        """Return the natural logarithms of relative frequencies, with `smoothing` added to every count."""
        counts = self.counts + smoothing
        if not (counts > 0).all():
            zero = int((counts <= 0).sum())
            raise fail("unigram-zero", Place(), {"count": zero, "smoothing": smoothing})
        logprobs: Floats = np.log(counts) - np.log(counts.sum())
        return logprobs


def write_unigrams(unigrams: Unigrams) -> bytes:
    """Return the content of a file of unigrams: JSON with the tokenizer's hash and the counts by id."""
    return json.dumps({"tokenizer": unigrams.tokenizer, "counts": unigrams.counts.tolist()}).encode()


def read_unigrams(path: Path, *, tokenizer: str) -> Unigrams:
    """Read unigrams; those of another tokenizer are refused, since their ids mean other tokens."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        counts = np.array(content["counts"], np.int64)
        counted = str(content["tokenizer"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fail("unigrams-unreadable", Place(str(path)), {"reason": str(error)}) from error
    if counted != tokenizer:
        raise fail("unigrams-tokenizer", Place(str(path)), {"own": counted[:12], "wanted": tokenizer[:12]})
    return Unigrams(counts, counted)


def take_unigrams(model: Path, *, tokenizer: str, scores: Path) -> bool:
    """Copy the unigrams beside a model's weights, if there are any, to its scores, where `bidui compare` looks."""
    file = model / UNIGRAMS
    if not file.is_file():
        return False
    read_unigrams(file, tokenizer=tokenizer)  # those of another tokenizer are refused
    data = file.read_bytes()
    if not (scores / UNIGRAMS).is_file() or (scores / UNIGRAMS).read_bytes() != data:
        write_file(scores / UNIGRAMS, data)
    return True
