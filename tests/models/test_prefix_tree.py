"""Prefix trees: every sequence finds its own ancestors, and nothing is run twice that need not be."""

import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bidui.models.prefix_tree import PrefixRows, pack, sees, unsorted_scores

sequences = st.lists(
    st.lists(st.integers(0, 3), min_size=1, max_size=6).map(lambda s: [9, *s]), min_size=1, max_size=25
)


def spelled(packed: PrefixRows, position: int) -> list[int]:
    """The tokens from the root to a position, by the path of the sequence it was made for."""
    owner, depth = packed.owners[position], packed.depths[position]
    return packed.tokens[packed.paths[owner : owner + depth + 1]].tolist()


@given(sequences, st.integers(1, 30))
def test_every_token_is_predicted_from_exactly_what_stands_before_it(given: list[list[int]], row: int) -> None:
    packed = pack(given, row=row)
    edges = iter(packed.read)
    for number in packed.order:
        for at in range(1, len(given[number])):
            edge = next(edges)
            assert packed.edge_to[edge] == given[number][at]
            assert spelled(packed, packed.edge_from[edge]) == given[number][:at]
    assert next(edges, None) is None


@given(sequences, st.integers(1, 30))
def test_a_position_sees_its_ancestors_and_itself_within_its_row(given: list[list[int]], row: int) -> None:
    packed = pack(given, row=row)
    rows = len(packed.rows) - 1
    found: dict[int, list[int]] = {}
    for at, position, ancestor in zip(*sees(packed, 0, rows), strict=True):
        begin = packed.rows[at]
        assert begin <= begin + ancestor <= begin + position < packed.rows[at + 1]
        found.setdefault(int(begin + position), []).append(int(begin + ancestor))
    for position, ancestors in found.items():
        assert packed.tokens[ancestors].tolist() == spelled(packed, position)
    assert len(found) == packed.positions


@given(sequences)
def test_in_one_row_there_is_one_position_for_each_beginning_that_goes_on(given: list[list[int]]) -> None:
    packed = pack(given, row=10_000)
    assert packed.positions == len({tuple(s[:end]) for s in given for end in range(1, len(s))})


@given(sequences, st.integers(6, 30))
def test_rows_are_not_longer_than_asked_for(given: list[list[int]], row: int) -> None:
    assert (np.diff(pack(given, row=row).rows) <= row).all()


def test_scores_come_back_in_the_order_given() -> None:
    given = [[9, 2, 2], [9, 1], [9, 2, 1, 1]]
    packed = pack(given, row=100)
    values = packed.edge_to.astype(np.float32)
    assert unsorted_scores(packed, values).tolist() == [token for sequence in given for token in sequence[1:]]


def test_one_long_sequence_does_not_make_room_for_its_length_in_all_others() -> None:
    """20,000 sequences of five tokens and one of 6,000: a table of them would have 120 million cells."""
    given = [*([9, *map(int, f"{number % 10_000:04}")] for number in range(20_000)), [9] * 6_000]
    tracemalloc.start()
    packed = pack(given, row=100)
    scores = unsorted_scores(packed, packed.edge_to.astype(np.float32))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scores.tolist() == [token for sequence in given for token in sequence[1:]]
    assert peak < 100_000_000
