"""Prefix trees: common beginnings of sentences are run through a model once.

The sequences of token ids are sorted, so that those with a common beginning are neighbours, and packed into rows. A row
holds every position of its first sequence, and of each further sequence only the positions that the one before does not
share. A position sees its own ancestors and nothing else (`sees`), at its own depth (`depths`), so that each sequence
gets exactly the scores that it would get alone. The last token of a sequence predicts nothing and is not run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PrefixRows:
    """Sequences as rows of positions to run, and the predictions to read from them.

    Predictions are numbered too: at the position `edge_from` the token `edge_to`. `paths` has the position of every
    token that is run, and `read` the prediction that scores every token but the first, both one sequence after the
    other in sorted order: nothing here takes as much as sequences times the longest of them.
    """

    order: Ints  # the sequences in sorted order
    lengths: Ints  # of the sequences, sorted
    tokens: Ints  # of each position
    depths: Ints  # of each position
    rows: Ints  # where each row of positions begins, and the end
    paths: Ints
    owners: Ints  # where in `paths` the sequence begins that each position was made for
    edge_from: Ints
    edge_to: Ints
    edge_rows: Ints  # where the predictions of each row begin, and the end
    read: Ints

    @property
    def positions(self) -> int:
        """The number of positions that a model has to run."""
        return len(self.tokens)


def pack(sequences: Sequence[Sequence[int]], *, row: int) -> PrefixRows:
    """Pack sequences of at least two tokens (the first of which is given) in rows of at most `row` positions.

    A sequence that is longer than a row gets a row of its own.
    """
    lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
    flat = np.fromiter(chain.from_iterable(sequences), np.int64, int(lengths.sum()))
    return pack_flat(flat, lengths, row=row)


def pack_flat(flat: NDArray[np.integer[Any]], lengths: Ints, *, row: int) -> PrefixRows:
    """Do the same for sequences that follow each other in one array."""
    order = _sorted_order(flat, lengths)
    begins = (np.cumsum(lengths) - lengths)[order]
    lengths = lengths[order]
    sorted_tokens = flat[_cells(begins, lengths)].astype(np.int64)
    shared = _shared(sorted_tokens, lengths)
    runs = lengths - 1  # positions to run
    starts = _row_starts(shared, runs, row)
    begin = np.minimum(shared, np.concatenate(([0], runs[:-1])))
    begin[starts] = 0
    paths, owner, depths = _number_cells(begin, runs)
    at = np.maximum(shared, 1)  # a prediction is new from here on
    read, edge_owner, edge_depth = _number_cells(at - 1, runs)
    token_starts, path_starts = (np.cumsum(many) - many for many in (lengths, runs))
    return PrefixRows(
        order=order,
        lengths=lengths,
        tokens=sorted_tokens[token_starts[owner] + depths],
        depths=depths,
        rows=np.searchsorted(owner, np.append(starts, len(lengths))),
        paths=paths,
        owners=path_starts[owner],
        edge_from=paths[path_starts[edge_owner] + edge_depth],
        edge_to=sorted_tokens[token_starts[edge_owner] + edge_depth + 1],
        edge_rows=np.searchsorted(edge_owner, np.append(starts, len(lengths))),
        read=read,
    )


def sees(packed: PrefixRows, first: int, last: int) -> tuple[Ints, Ints, Ints]:
    """Return which positions of rows `first` to `last` see which: (row, position, ancestor), from the starts of rows.

    Every position also sees itself.
    """
    low, high = packed.rows[first], packed.rows[last]
    many = packed.depths[low:high] + 1
    position = np.repeat(np.arange(low, high), many)
    ancestor = packed.paths[_cells(packed.owners[low:high], many)]
    row = np.repeat(np.arange(last - first), np.diff(packed.rows[first : last + 1]))
    row = np.repeat(row, many)
    begin = packed.rows[first:last][row]
    return row, position - begin, ancestor - begin


def unsorted_scores(packed: PrefixRows, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the values of all predictions, sequence after sequence, in the original order of the sequences."""
    runs = packed.lengths - 1
    back = np.argsort(packed.order, kind="stable")
    return values[packed.read[_cells((np.cumsum(runs) - runs)[back], runs[back])]]


def _cells(begins: Ints, many: Ints) -> Ints:
    """Return the indices of stretches of an array, one after the other: `many` from each of `begins` on."""
    cells: Ints = np.arange(many.sum()) + np.repeat(begins - (np.cumsum(many) - many), many)
    return cells


def _sorted_order(flat: NDArray[np.integer[Any]], lengths: Ints) -> Ints:
    """Return the sorted order of the sequences; big-endian bytes compare as the numbers do."""
    data = flat.astype(">u4").tobytes()
    ends = (4 * np.cumsum(lengths)).tolist()
    keys = [data[low:high] for low, high in zip([0, *ends], ends, strict=False)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def _shared(tokens: Ints, lengths: Ints) -> Ints:
    """Return how many tokens each sequence has in common with the one before."""
    starts = np.cumsum(lengths) - lengths
    many = np.minimum(lengths[1:], lengths[:-1])
    differs = tokens[_cells(starts[1:], many)] != tokens[_cells(starts[:-1], many)]
    first = np.cumsum(many) - many  # where the comparison of each two begins
    unequal = np.append(np.flatnonzero(differs), len(differs))
    return np.concatenate(([0], np.minimum(unequal[np.searchsorted(unequal, first)] - first, many)))


def _row_starts(shared: Ints, runs: Ints, row: int) -> Ints:
    starts = [0]
    used = int(runs[0])
    before = np.minimum(shared[1:], runs[:-1])
    for place, (new, whole) in enumerate(zip((runs[1:] - before).tolist(), runs[1:].tolist(), strict=True), start=1):
        if used + new > row:
            starts.append(place)
            used = whole
        else:
            used += max(new, 0)
    return np.array(starts, np.int64)


def _number_cells(begin: Ints, many: Ints) -> tuple[Ints, Ints, Ints]:
    """Number the cells of each sequence from `begin` on; a cell before it has the number of the cell above.

    Return the numbers of all cells, `many` of each sequence, and the sequence and the column of each number. The
    numbers of a sequence follow those of the sequence above.
    """
    column = _cells(np.zeros(len(many), np.int64), many)
    new = column >= np.repeat(begin, many)
    numbers = np.where(new, np.cumsum(new) - 1, -1)
    small = column.astype(np.uint16) if len(many) and many.max() < 1 << 16 else column  # is sorted in linear time
    down = np.argsort(small, kind="stable")  # column by column, each from the top
    base = column[down] * len(column)  # keeps what stands in one column out of the next
    numbers[down] = np.maximum.accumulate(numbers[down] + base) - base
    return numbers, np.repeat(np.arange(len(many)), many)[new], column[new]
