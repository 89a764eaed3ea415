"""Difficulty classes at and around their thresholds, and on published accuracies."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.difficulty import chance_of_rho, difficulty
from bidui.errors import InputError

FIVE = (1e7, 1e8, 1e9, 1e10, 1e11)  # logarithms in equal steps

# Liu et al., Table 6: Zh-Pythia 14M, 70M, 160M, 410M and 1.4B.
SIZES = (14e6, 70e6, 160e6, 410e6, 1.4e9)
PUBLISHED = {
    "BA": (90.37, 91.19, 95.91, 96.39, 96.65),
    "ELLIPSIS": (32.81, 41.78, 45.33, 47.89, 49.37),
    "NPI LICENSING": (59.65, 68.53, 76.52, 81.32, 84.58),
    "PASSIVE": (62.20, 66.11, 72.04, 77.47, 78.36),
    "QUANTIFIERS": (54.11, 53.94, 52.67, 50.28, 53.89),
}


def level(*accuracies: float) -> str:
    return difficulty({"u": accuracies}, parameters=FIVE)["u"].level


def test_published_accuracies_fall_where_the_paper_puts_them() -> None:
    """Ellipsis stays at chance and gains with every size, quantifiers do not: the paper says both in words."""
    values = {name: [value / 100 for value in row] for name, row in PUBLISHED.items()}
    found = difficulty(values, parameters=SIZES)
    assert {name: one.level for name, one in found.items()} == {
        "BA": "easy",
        "ELLIPSIS": "difficult",
        "NPI LICENSING": "medium",
        "PASSIVE": "medium",
        "QUANTIFIERS": "other",
    }
    assert found["NPI LICENSING"].best == 0.8458


@pytest.mark.parametrize(
    ("best", "expected"),
    [(0.851, "easy"), (0.85, "medium"), (0.701, "medium"), (0.70, "difficult"), (0.2, "difficult")],
)
def test_thresholds_of_the_best_accuracy_must_be_exceeded(best: float, expected: str) -> None:
    """Every one of these rises in a straight line, so rho is 1."""
    assert level(best - 0.04, best - 0.03, best - 0.02, best - 0.01, best) == expected


def test_the_best_model_need_not_be_the_largest() -> None:
    assert level(0.1, 0.9, 0.1, 0.1, 0.1) == "easy"


@pytest.mark.parametrize(
    ("ranks", "rho"),
    [((1, 2, 4, 3, 5), 0.9), ((2, 1, 4, 3, 5), 0.8), ((1, 2, 5, 4, 3), 0.6), ((5, 4, 3, 2, 1), -1.0)],
)
def test_rho_above_but_not_at_four_fifths_is_difficult(ranks: tuple[int, ...], rho: float) -> None:
    """Of ranks, by hand: 1 - 6 x (sum of squared distances) / (5 x 24), the sums being 2, 4, 8 and 40."""
    found = difficulty({"u": [rank / 10 for rank in ranks]}, parameters=FIVE)["u"]
    assert found.rho == pytest.approx(rho)
    assert found.level == ("difficult" if rho == 0.9 else "other")


def test_without_any_change_rho_is_not_defined_and_the_paradigm_is_other() -> None:
    found = difficulty({"u": [0.5] * 5}, parameters=FIVE)["u"]
    assert found.level == "other"
    assert isnan(found.rho)


def test_seeds_of_one_size_count_as_one_model() -> None:
    """0.80 and 0.92 have the mean 0.86: easy. 0.78 and 0.92 have 0.85: medium, though one seed is above."""
    sizes = (1, 10, 100, 100)
    found = difficulty({"a": (0.1, 0.2, 0.80, 0.92), "b": (0.1, 0.2, 0.78, 0.92)}, parameters=sizes)
    assert (found["a"].level, found["a"].best) == ("easy", 0.86)
    assert (found["b"].level, found["b"].best) == ("medium", 0.85)


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5), st.permutations(range(5)), st.floats(1e-3, 1e3))
def test_neither_the_order_of_the_models_nor_the_unit_of_size_matters(
    right: list[int], order: list[int], unit: float
) -> None:
    row = [count / 300 for count in right]
    one = difficulty({"u": row}, parameters=FIVE)["u"]
    other = difficulty({"u": [row[n] for n in order]}, parameters=[FIVE[n] * unit for n in order])["u"]
    assert (other.level, other.best) == (one.level, one.best)
    assert other.rho == pytest.approx(one.rho, nan_ok=True)


@pytest.mark.parametrize(
    ("row", "sizes", "message"),
    [
        ([0.1, 0.2], [1, 2], "models of 2 sizes are too few"),
        ([0.1, 0.2, 0.3], [1, 2, 2], "models of 2 sizes are too few"),
        ([0.1, 0.2, 0.3], [1, 2, 0], "must be positive"),
        ([0.1, 0.2], [1, 2, 3], "u has 2 accuracies for 3 models"),
        ([10, 20, 30], [1, 2, 3], "divide percentages by 100"),
    ],
)
def test_what_has_no_class_is_refused(row: list[float], sizes: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        difficulty({"u": row}, parameters=sizes)


def test_three_sizes_often_correlate_by_chance() -> None:
    """By hand: with three points, rho is the cosine of a random angle, so arccos(0.8) / π = 0.205 exceed 0.8."""
    assert chance_of_rho(3) == pytest.approx(np.arccos(0.8) / np.pi)
    assert chance_of_rho(4) == pytest.approx(0.1)  # with four, rho is uniform between -1 and 1
    assert chance_of_rho(5) == pytest.approx(0.052, abs=5e-4)
