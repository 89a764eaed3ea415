"""Ratings come from tables that people make in spreadsheets; what is wrong there is named by line."""

from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.people.ratings import Rating, read_ratings

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
    with pytest.raises(InputError, match="rating is a number"):
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
    with pytest.raises(InputError, match="no ratings under the header"):
        read_ratings(written(tmp_path, f"{HEAD}\n"))
