"""Counting n-grams by sorting, in bounded memory: parts of the text are sorted, kept in run files, and merged.

N-grams come out in suffix order: by their last words, then by the ones before, and so on to the first, so that all
that end alike stand together. Before the beginning of a sentence stands `<s>`, as often as it takes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidui.train.columns import Column, new_column, slices
from bidui.train.ngram_text import BOS, EOS, NumberedText

Array: TypeAlias = NDArray[Any]
Block: TypeAlias = tuple[Array, Array]  # n-grams as rows of words, the last word first, and their counts
TOKEN_BYTES = 120  # what a token takes at most while its part of the text is sorted
ROW_BYTES = 150  # what an n-gram takes at most while runs are merged
LEAST_ROWS, MOST_ROWS = 1 << 10, 1 << 22  # that are sorted or merged at a time; caches make more of them slower


@dataclass(frozen=True, slots=True)
class Packing:
    """How n-grams are laid out in keys: as many of their last words as fit into 64 bits, then single words."""

    order: int
    vocabulary: int

    @property
    def together(self) -> int:
        """How many words the first key holds."""
        fits = [n for n in range(1, self.order + 1) if self.vocabulary**n <= 1 << 64]
        return fits[-1]

    def pack(self, words: Sequence[Array]) -> list[Array]:
        """The keys of n-grams that are given word by word, the last word first."""
        key = words[0].astype(np.uint64)
        for word in words[1 : self.together]:
            key *= np.uint64(self.vocabulary)
            key += word
        return [key, *(word.astype(np.uint32) for word in words[self.together :])]

    def unpack(self, keys: Sequence[Array]) -> Array:
        """The words of n-grams as rows, the last word first."""
        words = np.empty((len(keys[0]), self.order), np.uint32, order="F")
        rest = keys[0]
        for column in range(self.together - 1, 0, -1):
            rest, words[:, column] = np.divmod(rest, np.uint64(self.vocabulary))
        words[:, 0] = rest
        for column, key in enumerate(keys[1:], start=self.together):
            words[:, column] = key
        return words


def count_ngrams(
    text: NumberedText,
    folder: Path,
    *,
    order: int,
    memory: int,
    on_progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Iterator[Block]:
    """All n-grams of a text, each once, in suffix order and in blocks; run files are kept in `folder` meanwhile."""
    packing = Packing(order, len(text.words))
    size = max(LEAST_ROWS, min(MOST_ROWS, memory // TOKEN_BYTES))
    runs: list[list[Column]] = []
    for start, stop in slices(len(text.numbers), size):
        runs.append(_sorted_run(text.numbers, start, stop, packing, name=folder / f"run-{len(runs)}"))
        on_progress("sorting", stop, len(text.numbers))
    total = sum(len(run[0]) for run in runs)
    done = 0
    for taken, (*keys, counts) in _merged(runs, min(MOST_ROWS, memory // ROW_BYTES)):
        yield packing.unpack(keys), counts
        done += taken
        on_progress("merging", done, total)
    for column in (column for run in runs for column in run):
        column.remove()


def _sorted_run(numbers: Column, start: int, stop: int, packing: Packing, *, name: Path) -> list[Column]:
    """The keys and last the counts of the n-grams that end from `start` to `stop`, in files that begin with `name`."""
    keys = packing.pack(_windows(numbers, start, stop, packing.order))
    run = []
    for number, values in enumerate(_summed(keys, np.ones(len(keys[0]), np.int64))):
        run.append(new_column(name.with_name(f"{name.name}-{number}"), values.dtype))
        run[-1].append(values)
    return run


def _windows(numbers: Column, start: int, stop: int, order: int) -> list[Array]:
    """Of each token from `start` to `stop` the token itself, the one before it, and so on to the beginning."""
    before = numbers.read(max(0, start - order + 1), start)
    tokens = np.concatenate([np.full(order - 1 - len(before), EOS, np.uint32), before, numbers.read(start, stop)])
    size = len(tokens) - order + 1
    found = [tokens[order - 1 :]]
    inside = np.ones(size, bool)
    for back in range(1, order):
        word = tokens[order - 1 - back :][:size]
        inside &= word != EOS  # the end of the sentence before
        found.append(np.where(inside, word, np.uint32(BOS)))
    return found


def _summed(keys: list[Array], counts: Array) -> list[Array]:
    """The distinct n-grams in order, and last the sum of the counts of each."""
    order = np.argsort(keys[0], kind="stable")
    first = keys[0][order]
    new = np.concatenate([[True], first[1:] != first[:-1]])
    found = [first]
    for key in keys[1:]:
        # Rows that are equal so far are sorted among themselves: a sort of numbers that are nearly sorted.
        ranks = np.cumsum(new) << 32
        again = np.argsort(ranks | key[order], kind="stable")
        order = order[again]
        found.append(key[order])
        new[1:] |= found[-1][1:] != found[-1][:-1]
    starts = np.flatnonzero(new)
    return [*(key[starts] for key in found), np.add.reduceat(counts[order], starts)]


def _merged(runs: list[list[Column]], most: int) -> Iterator[tuple[int, list[Array]]]:
    """Blocks of all runs together, each n-gram once; and how many rows of the runs went into each block.

    Of every run some rows are in memory. What comes next in the order is among them, up to the least of their last
    rows; behind that, a run could have more on the disk.
    """
    size = max(LEAST_ROWS, most // len(runs))
    at = [0] * len(runs)
    while True:
        held = [[column.read(start, start + size) for column in run] for run, start in zip(runs, at, strict=True)]
        lasts = [
            tuple(int(key[-1]) for key in rows[:-1])
            for run, rows, start in zip(runs, held, at, strict=True)
            if start + size < len(run[0])
        ]
        cuts = [_rows_up_to(rows[:-1], min(lasts)) if lasts else len(rows[0]) for rows in held]
        taken = sum(cuts)
        if taken:
            parts = [[column[:cut] for column in rows] for rows, cut in zip(held, cuts, strict=True)]
            *keys, counts = (np.concatenate(same) for same in zip(*parts, strict=True))
            yield taken, _summed(keys, counts)
        at = [start + cut for start, cut in zip(at, cuts, strict=True)]
        if not lasts:
            return


def _rows_up_to(keys: list[Array], last: tuple[int, ...]) -> int:
    """How many of the ordered rows come no later than `last`."""
    low, high = 0, len(keys[0])
    for key, value in zip(keys, last, strict=True):
        wanted = key.dtype.type(value)
        alike = key[low:high]  # the rows that are as `last` in all keys before
        low, high = low + int(alike.searchsorted(wanted, "left")), low + int(alike.searchsorted(wanted, "right"))
    return high
