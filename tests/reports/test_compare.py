"""Accuracies of stored scores as data frames, with values worked out by hand."""

from math import isnan
from pathlib import Path

import pytest

from bidui.reports.compare import compare
from tests.reports.small import write_scores


def test_a_row_per_model_and_linking_function(tmp_path: Path) -> None:
    """By LP: right, a tie, wrong, so 1.5 of 3; the first two pairs are D=, the third is D>, and D< has no pairs."""
    write_scores(tmp_path)
    table = compare(tmp_path, links=["lp"])
    (row,) = table.frame.to_dicts()
    assert (row["model"], row["link"], row["pairs"], row["ties"]) == ("counting", "lp", 3, 1)
    assert (row["accuracy"], row["D="], row["D>"]) == (0.5, 0.75, 0)
    assert isnan(row["D<"]) and isnan(row["delta"])
    assert repr(table) == repr(table.frame) and "<table" in table._repr_html_()


def test_without_links_the_usual_ones_are_compared(tmp_path: Path) -> None:
    write_scores(tmp_path)
    table = compare(tmp_path)
    assert table.frame["link"].to_list() == ["lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm"]
    assert not table.fitted and not table.humans  # no unigrams, and no benchmark


def test_a_column_per_model_by_phenomenon(tmp_path: Path) -> None:
    """p has a right choice and a tie, q a wrong one."""
    write_scores(tmp_path)
    write_scores(tmp_path, name="other")
    table = compare(tmp_path, by="phenomenon", links=["lp"])
    assert table.link == "lp"
    assert table.frame.columns == ["phenomenon", "counting", "other"]
    assert table.frame.rows() == [("p", 0.75, 0.75), ("q", 0, 0), ("all", pytest.approx(0.5), pytest.approx(0.5))]
