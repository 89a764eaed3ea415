"""N-gram models in KenLM's formats (ARPA text or binary), over characters or words.

KenLM reads both formats, and ARPA files are also read without it.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from math import log
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, Problem, fail, import_failed
from bidui.files import file_hash
from bidui.models.arpa import is_binary, read_arpa
from bidui.models.model import Declared, HasTexts, TokenScores, jieba_words, refuse_broken, spans_of, stable_ids
from bidui.pairs.pair import words

Unit = Literal["char", "word", "jieba", "lexicon"]
LONGEST_WORD = 10  # characters of a word of the model's lexicon
LARGE = 50_000_000  # bytes of an ARPA file: a million n-grams and more, which take a quarter of a minute to read
_LN10 = log(10)


@dataclass(slots=True, repr=False)
class NgramModel(HasTexts):
    """An n-gram model, and how sentences are split for it.

    `unit` is `char`; `word`: what blanks separate, and punctuation; `jieba`; or `lexicon`: the longest words that the
    model itself has. With `boundaries`, the first
    word is predicted from `<s>`; models without that symbol are scored without it.
    """

    name: str
    model: Any
    split: Callable[[str], list[str]]
    boundaries: bool
    declared: Declared
    texts: dict[int, str] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        """Return the scores of each sentence, in order."""
        for sentence in sentences:
            tokens = self.split(sentence)
            scores = list(self.model.full_scores(" ".join(tokens), bos=self.boundaries, eos=False))
            ids = stable_ids(tokens, self.texts)
            self.missing |= {int(ids[n]) for n, (_, _, unseen) in enumerate(scores) if unseen}
            logprobs = np.array([_LN10 * score for score, _, _ in scores], np.float32)
            spans = spans_of(sentence, tokens)
            refuse_broken(sentence, spans[:, 1], logprobs, model=self.name)
            yield TokenScores(sentence, ids, spans[:, 0], spans[:, 1], logprobs)

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which ids are words that the model does not have."""
        return np.isin(ids, list(self.missing))


def load_ngram(path: str | Path, *, unit: Unit = "char", boundaries: bool | None = None) -> NgramModel:
    """Load the model in a file; by default, boundaries are used if the model has `<s>`."""
    file = Path(path)
    if not file.is_file():
        raise fail("model-missing", Place(str(path)), {})
    model = _read(file)
    has = "<s>" in model
    if boundaries and not has:
        raise fail("ngram-no-boundaries", Place(str(path)), {})
    used = has if boundaries is None else boundaries
    declared: Declared = {
        "kind": "ngram",
        "order": model.order,
        "unit": unit,
        "bos": "<s>" if used else None,
        "eos": False,
        "first_token": True,
        "weights": file_hash(file),
    }
    if unit == "jieba":
        declared["words"] = f"jieba {version('jieba')}"
    return NgramModel(file.name.split(".")[0], model, _splitter(unit, model), used, declared)


def large_arpa(file: Path) -> Problem | None:
    """Say that an ARPA file is slow to read here; nothing if it is small, or if KenLM is installed."""
    size = file.stat().st_size if file.is_file() else 0
    if size < LARGE or importlib.util.find_spec("kenlm") or is_binary(file):
        return None
    return Problem("arpa-large", Place(str(file)), {"size": f"{size / 1e6:,.0f}"}, "warning")


def _read(file: Path) -> Any:
    """Read a file with KenLM, or without it if it is not installed and the file is an ARPA file."""
    try:
        import kenlm
    except ImportError as error:
        if is_binary(file):
            raise import_failed(error, extra="ngram") from error
        return read_arpa(file)
    try:
        with _quiet():
            return kenlm.Model(str(file))
    except (OSError, RuntimeError) as error:
        raise fail("ngram-unreadable", Place(str(file)), {"reason": str(error).strip()}) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Send the error stream nowhere: KenLM draws its own progress there, past Python."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _splitter(unit: Unit, model: Any) -> Callable[[str], list[str]]:
    if unit == "char":
        return lambda sentence: [char for char in sentence if not char.isspace()]
    if unit == "word":
        return lambda sentence: [word for word, _, _ in words(sentence)]
    if unit == "jieba":
        return lambda sentence: [word for word, _, _ in jieba_words(sentence)]
    return lambda sentence: _longest_words(sentence, model)


def _longest_words(sentence: str, model: Any) -> list[str]:
    """Split from left to right into the longest words that the model has; a character that begins none stands alone."""
    found = []
    at = 0
    while at < len(sentence):
        ends = range(min(len(sentence), at + LONGEST_WORD), at + 1, -1)
        end = next((end for end in ends if sentence[at:end] in model), at + 1)
        if not sentence[at:end].isspace():
            found.append(sentence[at:end])
        at = end
    return found
