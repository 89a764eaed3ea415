"""The n-grams of all orders up to the longest, with adjusted counts, as tables in files.

A table has a row for each n-gram, in suffix order: its first word, the row of the rest in the table of the order below,
and its adjusted count. That is (Kneser and Ney 1995; Chen and Goodman 1998, section 4.1.6) how often it occurs, for
n-grams of the highest order and those that begin with `<s>`, and else how many different words it follows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidui.train.columns import Column, new_column
from bidui.train.ngram_counts import Block
from bidui.train.ngram_text import BOS, UNK

Array: TypeAlias = NDArray[Any]


@dataclass(slots=True)
class Table:
    """The n-grams of one order; that of unigrams has a row for each word of the vocabulary, without a rest."""

    words: Column  # the first word of each
    suffixes: Column  # the row of the others in the table below
    counts: Column  # adjusted
    contexts: Column  # the row of all words but the last in the table below
    probabilities: Column
    backoffs: Column  # of the n-gram as a context; empty for the highest order

    def __len__(self) -> int:
        return len(self.words)


@dataclass(slots=True)
class Tables:
    """One table an order, the unigrams first."""

    orders: list[Table]
    last_counts: list[
        int
    ]  # how often the last n-gram of each order occurs; 0 if the very last one is shorter than that

    @property
    def ngrams(self) -> int:
        """How many there are of all orders."""
        return sum(map(len, self.orders))


def build_tables(blocks: Iterable[Block], folder: Path, *, order: int, rows: int) -> Tables:
    """The tables of n-grams that come in suffix order, each once; no table can have more than `rows` rows."""
    index = np.uint32 if rows < 1 << 32 else np.int64
    tables = Tables([_new_table(folder, length, index) for length in range(1, order + 1)], [0] * order)
    unigrams = tables.orders[0]
    unigrams.words.append(np.array([UNK, BOS]))  # neither is the last word of any n-gram
    unigrams.counts.append(np.array([0, 0]))
    last = np.full(order, UNK, np.uint32)
    for words, counts in blocks:
        _add(tables, words, counts, last=last)
        last = words[-1]
    return tables


def suffix_rows(table: Table, start: int, stop: int) -> tuple[int, int, Array]:
    """For rows of a table the slice of the table below that holds their suffixes, and where in it each of them is."""
    rows = table.suffixes.read(start, stop).astype(np.int64)
    low, high = int(rows[0]), int(rows[-1]) + 1
    return low, high, rows - low


def _new_table(folder: Path, order: int, index: type[np.generic]) -> Table:
    columns = (("words", np.uint32), ("suffixes", index), ("counts", index), ("contexts", index))
    values = (("probabilities", np.float32), ("backoffs", np.float32))
    return Table(*(new_column(folder / f"{order}-{name}", kind) for name, kind in (*columns, *values)))


def _add(tables: Tables, words: Array, counts: Array, *, last: Array) -> None:
    """Put what is new in a block behind what is there; `last` is the n-gram before the block."""
    same = np.ones(len(words), bool)  # as the n-gram before, in the last words looked at so far
    real = np.ones(len(words), bool)  # without anything before `<s>`
    suffixes = np.zeros(len(words), np.int64)
    for number, table in enumerate(tables.orders):
        word = words[:, number]
        same &= word == np.concatenate([last[number : number + 1], word[:-1]])
        if number:
            real &= words[:, number - 1] != BOS
        new = real & ~same
        if number:
            _count_followed(tables.orders[number - 1], suffixes[new])
            table.suffixes.append(suffixes[new])
        suffixes = len(table) - 1 + np.cumsum(new)
        table.words.append(word[new])
        # N-grams of the highest order and those that begin with `<s>` keep this; others are counted as they are found.
        occurs = (word[new] == BOS) | (number + 1 == len(tables.orders))
        table.counts.append(np.where(occurs, counts[new], 0))
        tables.last_counts[number] = _last_count(counts, same, before=tables.last_counts[number]) if real[-1] else 0


def _last_count(counts: Array, same: Array, *, before: int) -> int:
    """How often the last n-gram occurs, of which there may be some `before` the block."""
    changes = np.flatnonzero(~same)
    return int(counts[changes[-1] :].sum()) if len(changes) else before + int(counts.sum())


def _count_followed(table: Table, rows: Array) -> None:
    """Add one to the count of an n-gram for each time that its row is given; these are the last rows of the table."""
    if len(rows):
        start = int(rows[0])
        counts = table.counts.read(start, len(table))
        table.counts.write(start, counts + np.bincount(rows - start, minlength=len(counts)))
