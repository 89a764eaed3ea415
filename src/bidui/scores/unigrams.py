"""Unigram log-probabilities of a model's tokens, which SLOR and MORCELA need.

Our own files hold counts and name the tokenizer they were counted with. Published files, such as that of ZhoBLiMP's
authors, map token ids to counts or probabilities and name no tokenizer. They are checked as far as this is possible:
against the tokens that were scored.
"""

import csv
import json
from dataclasses import dataclass
from math import fsum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, Problem, fail
from bidui.files import write_file
from bidui.scores.links import Floats

UNIGRAMS = "unigrams.json"  # the file beside a model and beside its scores
FEWEST_TYPES = 300  # of tokens; with fewer, as in a single paradigm, the right file can have a correlation near 0.1
LEAST_CORRELATION = 0.1  # between published frequencies and those in the sentences; unrelated ids have about 0


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


# Published files


@dataclass(frozen=True, slots=True)
class PublishedUnigrams:
    """Values by token id, as others publish them: counts, or probabilities that are used as they are."""

    file: str
    ids: NDArray[np.int64]
    values: Floats
    counts: bool

    def logprobs(
        self, scored: NDArray[np.int64], *, smoothing: float, unseen: float | None
    ) -> tuple[Floats, tuple[Problem, ...]]:
        """Return log-probabilities by id for the tokens that were scored, and what is to be known about them.

        An id that a file of counts lacks has the count 0. For one that a file of probabilities lacks, `unseen` is the
        probability; without it, this is an error. A file whose frequencies have nothing to do with those of the scored
        tokens is refused: it was made with another tokenizer.
        """
        place, size = Place(self.file), int(max(self.ids.max(initial=-1), scored.max(initial=-1))) + 1
        lacking = np.setdiff1d(scored, self.ids)
        missing = int(np.isin(scored, lacking).sum())
        values = {"types": len(lacking), "missing": f"{missing:,}", "tokens": f"{len(scored):,}"}
        if 2 * missing > len(scored):
            raise fail("unigrams-of-another", place, values)
        correlation = self._correlation(scored)
        if correlation is not None and correlation < LEAST_CORRELATION:
            raise fail("unigrams-unrelated", place, {"correlation": f"{correlation:.2f}"})
        table = np.full(size, np.nan)
        table[self.ids] = self.values
        if self.counts:
            whole = Unigrams(np.nan_to_num(table, nan=0).astype(np.int64), "")
            logprobs, chosen = whole.logprobs(smoothing=smoothing), f"count 0 + {smoothing:g}"
        else:
            if len(lacking) and unseen is None:
                raise fail("unigrams-missing", place, values | {"ids": lacking.tolist()})
            table[np.isnan(table)] = unseen or np.nan
            logprobs, chosen = np.log(table), f"{unseen:g}" if unseen else ""
        fit = "–" if correlation is None else f"{correlation:.2f}"
        notes = [Problem("unigrams-no-tokenizer", place, {"count": f"{len(self.ids):,}", "fit": fit}, "warning")]
        if len(lacking):
            notes.append(Problem("unigrams-unseen", place, values | {"chosen": chosen}, "warning"))
        return logprobs, tuple(notes)

    def _correlation(self, scored: NDArray[np.int64]) -> float | None:
        """Return the rank correlation of the frequencies with those of the scored tokens; None for too few types."""
        from scipy.stats import spearmanr  # only here: machines that score do without

        types, counts = np.unique(scored, return_counts=True)
        both, at, here = np.intersect1d(types, self.ids, return_indices=True)
        if len(both) < FEWEST_TYPES or len({*counts[at].tolist()}) == 1 or len({*self.values[here].tolist()}) == 1:
            return None
        return float(spearmanr(counts[at], self.values[here]).statistic)


def read_published(path: Path) -> PublishedUnigrams | None:
    """Read a published file: JSON from ids to values, or a list of values, or a table of ids and values.

    Whole numbers are counts; numbers that sum to 1 are probabilities, and their natural logarithms are taken as such.
    Returns None for a file of our own.
    """
    try:
        pairs = _values(path.read_text(encoding="utf-8-sig"), path)
        if pairs is None:
            return None
        ids = np.array([int(key) for key, _ in pairs], np.int64)
        values = np.array([float(value) for _, value in pairs], np.float64)
    except (OSError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise fail("unigrams-unreadable", Place(str(path)), {"reason": str(error)}) from None
    if not len(ids) or ids.min() < 0 or len(np.unique(ids)) < len(ids) or not np.isfinite(values).all():
        raise fail("unigrams-ids", Place(str(path)), {})
    if (values >= 0).all() and (values == np.round(values)).all() and values.sum() > 1:
        return PublishedUnigrams(str(path), ids, values, counts=True)
    if (values <= 0).all():
        values = np.exp(values)
    total = fsum(values)
    if not (values > 0).all() or not 0.9 <= total <= 1.001:
        raise fail("unigrams-sum", Place(str(path)), {"sum": f"{total:.6g}"})
    return PublishedUnigrams(str(path), ids, values, counts=False)


def _values(text: str, path: Path) -> list[tuple[str, str]] | None:
    """Return the ids and values of a file as texts."""
    if path.suffix.lower() in (".tsv", ".csv", ".txt"):
        rows = list(csv.reader(text.splitlines(), delimiter="," if path.suffix.lower() == ".csv" else "\t"))
        rows = rows[1:] if rows and not rows[0][0].strip().isdecimal() else rows  # a header
        return [(key, value) for key, value in rows]
    content = json.loads(text)
    if isinstance(content, dict) and "counts" in content:
        return None
    if not isinstance(content, dict | list):
        raise TypeError(type(content).__name__)
    items = content.items() if isinstance(content, dict) else enumerate(content)
    return [(str(key), repr(value)) for key, value in items]
