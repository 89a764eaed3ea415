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

    `paths[s, d]` is the position of the d-th token of the s-th sequence, in sorted order; `edges` are the predictions:
    at the position `edge_from` the token `edge_to`; `read[s, t]` is the prediction that scores the t-th token.
    """

    order: Ints  # the sequences in sorted order
    lengths: Ints  # of the sequences, sorted
    tokens: Ints  # of each position
    depths: Ints  # of each position
    rows: Ints  # where each row of positions begins, and the end
    paths: Ints
    owners: Ints  # the sorted sequence that each position was made for
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
    matrix = np.full((len(lengths), int(lengths.max())), -1, np.int64)
    matrix[np.arange(matrix.shape[1]) < lengths[:, None]] = flat  # -1 sorts before every token
    order = _sorted_order(matrix)
    matrix, lengths = matrix[order], lengths[order]
    shared = _shared(matrix, lengths)
    runs = lengths - 1  # positions to run
    starts = _row_starts(shared, runs, row)
    begin = np.minimum(shared, np.concatenate(([0], runs[:-1])))
    begin[starts] = 0
    paths, owners, depths = _number_cells(begin, runs)
    at = np.maximum(shared, 1)  # a prediction is new from here on
    read, edge_owner, edge_depth = _number_cells(at, lengths)
    return PrefixRows(
        order=order,
        lengths=lengths,
        tokens=matrix[owners, depths],
        depths=depths,
        rows=np.searchsorted(owners, np.append(starts, len(lengths))),
        paths=paths,
        owners=owners,
        edge_from=paths[edge_owner, edge_depth - 1],
        edge_to=matrix[edge_owner, edge_depth],
        edge_rows=np.searchsorted(edge_owner, np.append(starts, len(lengths))),
        read=read,
    )


def sees(packed: PrefixRows, first: int, last: int) -> tuple[Ints, Ints, Ints]:
    """Return which positions of rows `first` to `last` see which: (row, position, ancestor), from the starts of rows.

    Every position also sees itself.
    """
    low, high = packed.rows[first], packed.rows[last]
    owners, depths = packed.owners[low:high], packed.depths[low:high]
    many = depths + 1
    position = np.repeat(np.arange(low, high), many)
    depth = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    ancestor = packed.paths[np.repeat(owners, many), depth]
    row = np.repeat(np.arange(last - first), np.diff(packed.rows[first : last + 1]))
    row = np.repeat(row, many)
    begin = packed.rows[first:last][row]
    return row, position - begin, ancestor - begin


def unsorted_scores(packed: PrefixRows, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the values of all predictions, sequence after sequence, in the original order of the sequences."""
    columns = np.arange(packed.read.shape[1])
    scored = (columns >= 1) & (columns < packed.lengths[:, None])
    table = np.zeros(packed.read.shape, np.float32)
    table[scored] = values[packed.read[scored]]
    back = np.argsort(packed.order, kind="stable")
    flat: NDArray[np.float32] = table[back][scored[back]]
    return flat


def _sorted_order(matrix: Ints) -> Ints:
    """Return the sorted order of the rows; big-endian bytes compare as the numbers do."""
    bytes_ = np.ascontiguousarray((matrix + 1).astype(">u4"))
    return np.argsort(bytes_.view(f"V{bytes_.shape[1] * 4}").ravel(), kind="stable")


def _shared(matrix: Ints, lengths: Ints) -> Ints:
    """Return how many tokens each sequence has in common with the one before."""
    differs = matrix[1:] != matrix[:-1]
    first = np.where(differs.any(axis=1), differs.argmax(axis=1), lengths[1:])
    return np.concatenate(([0], np.minimum(first, lengths[1:])))


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


def _number_cells(begin: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Number the cells of each row from `begin` to `end`; cells before `begin` have the number of the row above.

    Also return the row and the column of each number. A row's numbers follow those of the row above.
    """
    columns = np.arange(int(end.max()))
    new = (columns >= begin[:, None]) & (columns < end[:, None])
    numbers = np.where(new, np.cumsum(new.ravel()).reshape(new.shape) - 1, -1)
    rows, cells = np.nonzero(new)
    return np.maximum.accumulate(numbers, axis=0), rows.astype(np.int64), cells.astype(np.int64)
