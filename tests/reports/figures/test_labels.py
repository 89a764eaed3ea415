"""Labels are kept apart, moved no further than they must be, and cut in the middle."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.reports.figures.layout import shortened, spread, widths_of

HAIR = 1e-6


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread([1.0, 5.0, 9.0], sizes=[2.0, 2.0, 2.0], low=0, high=10) == [1, 5, 9]


def test_labels_that_collide_move_together_about_their_mean() -> None:
    """Two of height 2 at 5 and 5: 4 and 6. Three at 5, 5, 5: 3, 5, 7."""
    assert spread([5.0, 5.0], sizes=[2.0, 2.0], low=0, high=10) == pytest.approx([4, 6])
    assert spread([5.0, 5.0, 5.0], sizes=[2.0] * 3, low=0, high=10) == pytest.approx([3, 5, 7])


def test_wide_labels_take_more_room_than_narrow_ones() -> None:
    """Widths 4 and 2, both wanted at 5: centres are 2 + 1 apart, about the same mean."""
    first, second = spread([5.0, 5.0], sizes=[4.0, 2.0], low=0, high=10)
    assert second - first == pytest.approx(3)
    assert (first + second) / 2 == pytest.approx(5)


def test_the_ends_push_back() -> None:
    assert spread([9.9, 10.0], sizes=[2.0, 2.0], low=0, high=10) == pytest.approx([7, 9])


def test_where_there_is_no_room_labels_overlap_evenly() -> None:
    """Five of height 2 in 5: one unit each."""
    assert spread([5.0] * 5, sizes=[2.0] * 5, low=0, high=5) == pytest.approx([0.5, 1.5, 2.5, 3.5, 4.5])


LABELS = st.lists(st.tuples(st.floats(-5, 15), st.floats(0.1, 1.0)), min_size=1, max_size=10)


@given(LABELS)
def test_labels_never_overlap_nor_leave_the_axis_nor_change_places(labels: list[tuple[float, float]]) -> None:
    wanted, sizes = [place for place, _ in labels], [size for _, size in labels]
    places = spread(wanted, sizes=sizes, low=0, high=10)
    order = sorted(range(len(labels)), key=lambda number: places[number])
    assert [wanted[number] for number in order] == sorted(wanted)
    for one, other in pairwise(order):
        assert places[other] - places[one] >= (sizes[one] + sizes[other]) / 2 - HAIR
    assert places[order[0]] - sizes[order[0]] / 2 >= -HAIR
    assert places[order[-1]] + sizes[order[-1]] / 2 <= 10 + HAIR


def test_a_name_that_fits_is_left_alone() -> None:
    assert shortened("把字句", size=7, width=1) == "把字句"


@given(st.text("abc把字句_", min_size=1, max_size=120))
def test_a_name_that_does_not_fit_keeps_both_ends(name: str) -> None:
    cut = shortened(name, size=7, width=0.8)
    assert widths_of([cut], size=7)[0] <= 0.8
    if cut != name:
        head, _, tail = cut.partition("...")
        assert name.startswith(head) and name.endswith(tail)
        assert 0 <= len(head) - len(tail) <= 1


def test_a_chinese_character_is_as_wide_as_its_size() -> None:
    """Seven points, in inches; in a font without it the box would be narrower."""
    assert widths_of(["句" * 72], size=7)[0] == pytest.approx(7, rel=0.02)
