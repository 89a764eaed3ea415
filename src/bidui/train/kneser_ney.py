"""Interpolated modified Kneser-Ney smoothing (Chen and Goodman 1998; Heafield et al. 2013), as KenLM's lmplz has it.

For the word w after the words h, with the adjusted count c, and with h' for h without its first word,

    p(w | h) = (c - D(c)) / (sum of the counts after h)  +  b(h) p(w | h')
    b(h)     = (sum of the D(c) after h) / (sum of the counts after h)

D(c) is one of the three discounts that an order has: for counts of 1, of 2, and of 3 and more. Unigrams are
interpolated with the uniform distribution over all words, `</s>` and `<unk>`; `<s>` has the probability 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidui.errors import InputError, Place, Problem
from bidui.train.columns import slices
from bidui.train.ngram_tables import Table, Tables, suffix_rows
from bidui.train.ngram_text import BOS

Array: TypeAlias = NDArray[Any]
Discounts: TypeAlias = tuple[float, float, float]
Progress: TypeAlias = Callable[[str, int, int], None]

FALLBACK: Discounts = (0.5, 1.0, 1.5)  # those of lmplz
LOOKUP_BYTES = 150  # that an n-gram takes at most while its context is looked up
CONTEXT_BYTES = 50  # that a context takes at most while the counts after it are summed


@dataclass(frozen=True, slots=True)
class Smoothing:
    """The discounts of each order, and the orders whose own could not be estimated."""

    discounts: tuple[Discounts, ...]
    fallen_back: tuple[int, ...]


def estimate(
    tables: Tables,
    *,
    memory: int,
    fallback: Discounts | None = None,
    on_progress: Progress = lambda step, done, total: None,
) -> Smoothing:
    """Fill in contexts, probabilities and back-offs of all tables; `fallback` is for orders without discounts."""
    smoothing = find_discounts(tables, fallback)
    unigrams = tables.orders[0]
    _estimate_unigrams(unigrams, smoothing.discounts[0])
    done = len(unigrams)
    on_progress("estimating", done, tables.ngrams)
    for below, table, discounts in zip(tables.orders, tables.orders[1:], smoothing.discounts[1:], strict=False):
        _find_contexts(table, below, vocabulary=len(unigrams), memory=memory)
        _estimate_order(table, below, discounts, memory=memory)
        done += len(table)
        on_progress("estimating", done, tables.ngrams)
    return smoothing


def find_discounts(tables: Tables, fallback: Discounts | None = None) -> Smoothing:
    """The discounts of every order; those of orders that have none are `fallback`, or an error."""
    found = [discounts_of(counts_of_counts(tables, number)) for number in range(len(tables.orders))]
    without = tuple(order for order, discounts in enumerate(found, start=1) if discounts is None)
    if without and fallback is None:
        raise InputError(
            Problem("ngram-no-discounts", Place(), {"order": order, "numbers": counts_of_counts(tables, order - 1)})
            for order in without
        )
    return Smoothing(tuple(discounts or fallback or FALLBACK for discounts in found), without)


def counts_of_counts(tables: Tables, number: int) -> list[int]:
    """How many n-grams of a table have the counts 1, 2, 3 and 4.

    Of each lower order, lmplz counts the very last n-gram by how often it occurs, not by its adjusted count. Models
    are to be equal to its own, so this is done here too; it makes a difference in tiny texts only.
    """
    counts = tables.orders[number].counts
    having = np.zeros(6, np.int64)
    for start, stop in slices(len(counts)):
        having += np.bincount(np.minimum(counts.read(start, stop), 5), minlength=6)
    if occurs := tables.last_counts[number]:
        having[min(5, int(counts.read(len(counts) - 1, len(counts))[0]))] -= 1
        having[min(5, occurs)] += 1
    return [int(count) for count in having[1:5]]


def discounts_of(having: list[int]) -> Discounts | None:
    """The discounts by how many n-grams have the counts 1, 2, 3 and 4 (Chen and Goodman, equation 26).

    There are none if no n-gram has one of the first three, or if one would be below 0 or above its count.
    """
    if not all(having[:3]):
        return None
    n1, n2, n3, n4 = map(np.float32, having)  # in single precision, for the same decision as that of lmplz
    y = n1 / np.float32(having[0] + 2.0 * having[1])
    one, two, three = (
        np.float32(c) - np.float32(c + 1) * y * more / n for c, n, more in ((1, n1, n2), (2, n2, n3), (3, n3, n4))
    )
    return (float(one), float(two), float(three)) if 0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3 else None


def _estimate_unigrams(table: Table, discounts: Discounts) -> None:
    counts = table.counts.read(0, len(table)).astype(np.int64)
    taken = _taken(counts, discounts)
    uniform = 1 / (len(table) - 1)  # of all but `<s>`
    found = (counts - taken + taken.sum() * uniform) / counts.sum()
    found[BOS] = 1
    table.probabilities.append(found)


def _find_contexts(table: Table, below: Table, *, vocabulary: int, memory: int) -> None:
    """Look up the row of each n-gram's context, w1 … wn-1, in the table below.

    The n-gram without w1 stands there too, and its own context, w2 … wn-1, is known by now: it is the suffix of what is
    looked for, and w1 the first word. Many are looked up at a time, in the order of the table.
    """
    if not len(below.suffixes):  # the context of a bigram is a word, and words are the rows of unigrams
        for start, stop in slices(len(table)):
            table.contexts.append(table.words.read(start, stop))
        return
    for start, stop in slices(len(table), max(1, memory // LOOKUP_BYTES)):
        low, high, suffixes = suffix_rows(table, start, stop)
        wanted = below.contexts.read(low, high).astype(np.int64)[suffixes] * vocabulary + table.words.read(start, stop)
        order = np.argsort(wanted)
        found = np.empty(len(wanted), np.int64)
        found[order] = _looked_up(wanted[order], below, vocabulary)
        table.contexts.append(found)


def _looked_up(wanted: Array, table: Table, vocabulary: int) -> Array:
    """The rows of n-grams, given in order as the row of the suffix, times the vocabulary, plus the first word."""
    found = np.empty(len(wanted), np.int64)
    done = 0
    for start, stop in slices(len(table)):
        keys = table.suffixes.read(start, stop).astype(np.int64) * vocabulary + table.words.read(start, stop)
        until = done + int(wanted[done:].searchsorted(keys[-1], "right"))
        found[done:until] = start + keys.searchsorted(wanted[done:until])
        done = until
    return found


def _estimate_order(table: Table, below: Table, discounts: Discounts, *, memory: int) -> None:
    """The back-offs of the table below and the probabilities of this one, for as many contexts at a time as fit."""
    for low, high in slices(len(below), max(1, memory // CONTEXT_BYTES)):
        sums, taken = np.zeros(high - low), np.zeros(high - low)
        for start, stop in slices(len(table)):
            contexts, inside = _within(table.contexts.read(start, stop), low, high)
            counts = table.counts.read(start, stop)[inside]
            np.add.at(sums, contexts, counts.astype(np.float64))
            np.add.at(taken, contexts, _taken(counts, discounts))
        backoffs = np.divide(taken, sums, out=np.ones_like(sums), where=sums > 0)
        below.backoffs.append(backoffs)
        for start, stop in slices(len(table)):
            contexts, inside = _within(table.contexts.read(start, stop), low, high)
            counts = table.counts.read(start, stop)[inside]
            first, last, suffixes = suffix_rows(table, start, stop)
            lower = below.probabilities.read(first, last)[suffixes[inside]]
            found = table.probabilities.read(start, stop) if low else np.zeros(stop - start)
            found[inside] = (counts - _taken(counts, discounts)) / sums[contexts] + backoffs[contexts] * lower
            table.probabilities.write(start, found)


def _within(rows: Array, low: int, high: int) -> tuple[Array, Array]:
    """Those of the rows that are from `low` to before `high`, counted from `low`; and which they are."""
    inside = (rows >= low) & (rows < high)
    return rows[inside].astype(np.int64) - low, inside


def _taken(counts: Array, discounts: Discounts) -> Array:
    """What is taken off each count."""
    taken: Array = np.array([0.0, *discounts])[np.minimum(counts, 3)]
    return taken
