"""Unigram log-probabilities of a model's tokens, which SLOR and MORCELA need."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.files import write_file
from bidui.scores.links import Floats

UNIGRAMS = "unigrams.json"  # what they are called beside a model and beside its scores


@dataclass(frozen=True, slots=True)
class Unigrams:
    """How often each token id occurs in a corpus, and under which tokenizer it was counted."""

    counts: NDArray[np.int64]
    tokenizer: str  # the hash of its vocabulary

    def logprobs(self, *, smoothing: float) -> Floats:
        """Natural logarithms of relative frequencies, `smoothing` added to every count."""
        counts = self.counts + smoothing
        if not (counts > 0).all():
            zero = int((counts <= 0).sum())
            raise fail("unigram-zero", Place(), {"count": zero, "smoothing": smoothing})
        found: Floats = np.log(counts) - np.log(counts.sum())
        return found


def write_unigrams(unigrams: Unigrams) -> bytes:
    """The file of unigrams: JSON with the tokenizer's hash, and the counts by id."""
    return json.dumps({"tokenizer": unigrams.tokenizer, "counts": unigrams.counts.tolist()}).encode()


def read_unigrams(path: Path, *, tokenizer: str) -> Unigrams:
    """The unigrams in a file; those of another tokenizer are refused, since ids would mean other tokens."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        counts = np.array(found["counts"], np.int64)
        own = str(found["tokenizer"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fail("unigrams-unreadable", Place(str(path)), {"reason": str(error)}) from error
    if own != tokenizer:
        raise fail("unigrams-tokenizer", Place(str(path)), {"own": own[:12], "wanted": tokenizer[:12]})
    return Unigrams(counts, own)


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
