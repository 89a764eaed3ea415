"""Log-probabilities that were written down beforehand, for tests, for teaching, and for models run elsewhere."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bidui.errors import Place, fail
from bidui.files import sha256
from bidui.models.model import Declared, HasTexts, TokenScores, refuse_broken, spans_of, stable_ids


@dataclass(frozen=True, slots=True, repr=False)
class GivenModel(HasTexts):
    """Scores by sentence; a sentence without scores is an error."""

    name: str
    file: str
    scores: dict[str, TokenScores]
    texts: dict[int, str]
    declared: Declared

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        for sentence in sentences:
            if sentence not in self.scores:
                raise fail("sentence-not-given", Place(self.file), {"sentence": sentence})
            yield self.scores[sentence]


def given(sentences: Mapping[str, Sequence[tuple[str, float]]], *, name: str = "given") -> GivenModel:
    """Return a model with the given log-probabilities: `given({"我来": [("我", -1.5), ("来", -2)]})`."""
    records = [
        {"sentence": sentence, "tokens": [token for token, _ in tokens], "logprobs": [value for _, value in tokens]}
        for sentence, tokens in sentences.items()
    ]
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    return _model("".join(f"{line}\n" for line in lines), name=name, file="")


def load_given(path: str | Path) -> GivenModel:
    """Read a JSONL file, one line per sentence: `{"sentence": …, "tokens": […], "logprobs": […]}`."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise fail("file-unreadable", Place(str(path)), {"reason": str(error)}) from error
    return _model(text, name=file.stem, file=str(path))


def _model(text: str, *, name: str, file: str) -> GivenModel:
    texts: dict[int, str] = {}
    scores: dict[str, TokenScores] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            tokens = _line(line, Place(file, number), texts, name)
            scores[tokens.sentence] = tokens
    declared: Declared = {"kind": "given", "first_token": True, "eos": False, "weights": sha256(text.encode())}
    return GivenModel(name, file, scores, texts, declared)


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
    refuse_broken(sentence, spans[:, 1], logprobs, model=model)
    return TokenScores(sentence, stable_ids(tokens, texts), spans[:, 0], spans[:, 1], logprobs)
