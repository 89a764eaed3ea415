"""Log-probabilities that were written down beforehand, for tests, for teaching, and for models run elsewhere."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.models.model import TokenScores, refuse_broken, spans_of, stable_id


@dataclass(frozen=True, slots=True)
class GivenModel:
    """Scores from a JSONL file: a line a sentence, `{"sentence": …, "tokens": […], "logprobs": […]}`."""

    name: str
    file: str
    known: dict[str, TokenScores]
    texts: dict[int, str]
    declared: dict[str, str | int | bool | None]

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """The scores of each sentence; one that the file lacks is an error."""
        for sentence in sentences:
            if sentence not in self.known:
                raise fail("sentence-not-given", Place(self.file), {"sentence": sentence})
            yield self.known[sentence]

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """The tokens as the file has them."""
        return {number: self.texts[number] for number in ids}

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """None is."""
        return np.zeros(len(ids), np.bool_)


def load_given(path: str | Path) -> GivenModel:
    """The model of a file; every line is checked."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise fail("file-unreadable", Place(str(path)), {"reason": str(error)}) from error
    texts: dict[int, str] = {}
    known: dict[str, TokenScores] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            found = _line(line, Place(str(path), number), texts, file.stem)
            known[found.sentence] = found
    declared: dict[str, str | int | bool | None] = {
        "kind": "given",
        "first_token": True,
        "eos": False,
        "weights": hashlib.sha256(text.encode()).hexdigest(),
    }
    return GivenModel(file.stem, str(path), known, texts, declared)


def _line(line: str, place: Place, texts: dict[int, str], model: str) -> TokenScores:
    try:
        record = json.loads(line)
        sentence, tokens = record["sentence"], list(record["tokens"])
        if not all(isinstance(part, str) for part in (sentence, *tokens)):
            raise TypeError
        logprobs = np.array(record["logprobs"], np.float32)
    except (ValueError, KeyError, TypeError) as error:
        raise fail("given-line", place, {"line": line}) from error
    if "".join(tokens) != sentence.replace(" ", "") and "".join(tokens) != sentence:
        raise fail("given-tokens", place, {"sentence": sentence, "tokens": tokens})
    if logprobs.shape != (len(tokens),):
        raise fail("given-counts", place, {"tokens": len(tokens), "logprobs": logprobs.size})
    spans = spans_of(sentence, tokens)
    ids = np.array([stable_id(token, texts) for token in tokens], np.int32)
    refuse_broken(sentence, spans[:, 1], logprobs, model=model)
    return TokenScores(sentence, ids, spans[:, 0], spans[:, 1], logprobs)
