"""Ratings: read from files, refused with their lines, and z-scored per rater, with values worked out by hand."""

from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.pairs import Side
from bidui.people.ratings import Rating, acceptability, read_ratings


def test_ratings_are_scaled_by_rater_and_averaged_by_sentence() -> None:
    """甲 gives 1 2 3 (mean 2, deviation 1: -1 0 1), 乙 4 7 4 (mean 5, deviation √3: -1/√3, 2/√3, -1/√3)."""
    sentences: list[tuple[int, Side]] = [(0, "good"), (0, "bad"), (1, "good")]
    given = {"甲": (1, 2, 3), "乙": (4, 7, 4)}
    found = acceptability(
        Rating(who, "u", *s, v) for who, vs in given.items() for s, v in zip(sentences, vs, strict=True)
    )
    third = 1 / sqrt(3)
    assert found.values == pytest.approx([(-1 - third) / 2, third, (1 - third) / 2])
    assert list(zip(found.pairs.tolist(), found.good.tolist(), strict=True)) == [(0, True), (0, False), (1, True)]
    assert found.counts.tolist() == [2, 2, 2]
    assert (found.constant, found.ratings_lost, found.sentences_lost) == ((), 0, 0)


def test_raters_without_variance_are_named_and_leave_no_nan() -> None:
    """丙 gives 4 to everything and 丁 rated once; nobody else rated pair 1."""
    rows = [("甲", 0, "good", 5.0), ("甲", 0, "bad", 1.0), ("丙", 0, "good", 4.0), ("丙", 1, "good", 4.0)]
    found = acceptability(Rating(who, "u", pair, side, v) for who, pair, side, v in [*rows, ("丁", 0, "bad", 2.0)])  # type: ignore[arg-type]
    assert found.constant == ("丁", "丙")
    assert (found.ratings_lost, found.sentences_lost) == (3, 1)
    assert found.values == pytest.approx([1 / sqrt(2), -1 / sqrt(2)])  # 5 and 1: mean 3, deviation √8
    assert found.counts.tolist() == [1, 1]


def test_equal_ratings_are_no_variance_whatever_their_binary_fractions() -> None:
    """The mean of three times 0.1 is not 0.1, and a deviation of 1e-17 would make z-scores of nothing."""
    found = acceptability([Rating("甲", "u", n, "good", 0.1) for n in range(3)])
    assert found.constant == ("甲",) and len(found.values) == 0


@given(
    st.lists(st.integers(1, 7), min_size=2, max_size=8).filter(lambda v: len(set(v)) > 1),
    st.floats(0.1, 10),
    st.floats(-50, 50),
)
def test_the_scale_a_rater_uses_does_not_matter(values: list[int], stretch: float, shift: float) -> None:
    """Seven points or a hundred, kind or strict: the z-scores are the same."""

    def z(moved: list[float]) -> list[float]:
        return acceptability(Rating("甲", "u", n, "good", v) for n, v in enumerate(moved)).values.tolist()

    assert z([stretch * v + shift for v in values]) == pytest.approx(z([float(v) for v in values]), abs=1e-6)


def test_a_rating_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="value 2 is nan"):
        acceptability([Rating("甲", "u", 0, "good", 1.0), Rating("甲", "u", 0, "bad", float("nan"))])


# Ratings come from tables that people make in spreadsheets; what is wrong there is named by line.


HEAD = "rater\tuid\tpair\tside\trating"


def written(folder: Path, text: str, *, name: str = "ratings.tsv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_tabs_and_commas_give_the_same(tmp_path: Path) -> None:
    """A further column and another order do no harm; neither does an empty line."""
    expected = (Rating("a", "u", 3, "good", 6.0), Rating("b", "u", 3, "bad", 1.5))
    tabs = written(tmp_path, f"{HEAD}\na\tu\t3\tgood\t6\n\nb\tu\t3\tbad\t1.5\n")
    commas = written(tmp_path, 'uid,pair,note,side,rating,rater\nu,3,"x, y",good,6,a\nu,3,,bad,1.5,b\n', name="r.csv")
    assert read_ratings(tabs) == read_ratings(commas) == expected


def test_all_bad_lines_are_named_together(tmp_path: Path) -> None:
    """Whoever mends a file wants to mend it once."""
    lines = [HEAD, "a\tu\t0\tgood\t6", "\tu\t0\tgood\t6", "a\tu\tx\tgood\t6", "a\tu\t0\tright\t6", "a\tu\t0\tbad\thigh"]
    with pytest.raises(InputError) as refused:
        read_ratings(written(tmp_path, "\n".join(lines)))
    found = [(problem.kind, problem.place.line) for problem in refused.value.problems]
    assert found == [("ratings-empty", 3), ("ratings-pair", 4), ("ratings-side", 5), ("ratings-value", 6)]


@pytest.mark.parametrize("value", ["", "nan", "inf"])
def test_what_is_no_number_is_no_rating(tmp_path: Path, value: str) -> None:
    with pytest.raises(InputError, match="rating must be a number"):
        read_ratings(written(tmp_path, f"{HEAD}\na\tu\t0\tgood\t{value}\n"))


@pytest.mark.parametrize("pair", ["-1", "9999999999", "9" * 5000, "1.0", "٣"])
def test_the_number_of_a_pair_is_a_small_whole_number(tmp_path: Path, pair: str) -> None:
    """Greater ones are no pair of anything, and would not fit where numbers of pairs are kept."""
    with pytest.raises(InputError, match="number of a pair"):
        read_ratings(written(tmp_path, f"{HEAD}\na\tu\t{pair}\tgood\t1\n"))


def test_a_cell_without_an_end_is_refused(tmp_path: Path) -> None:
    """As after an open quotation mark: the rest of the file is one cell, and csv gives up."""
    text = 'rater,uid,pair,side,rating\na,"' + "u,0,good,1\n" * 20_000
    with pytest.raises(InputError, match="quotation mark"):
        read_ratings(written(tmp_path, text, name="r.csv"))


def test_missing_columns_and_empty_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing: side, rating"):
        read_ratings(written(tmp_path, "rater\tuid\tpair\n"))
    with pytest.raises(InputError, match="no ratings below the header"):
        read_ratings(written(tmp_path, f"{HEAD}\n"))
