"""What sections on training are made from: end points, curves, and worths that stand in for the unknown pairs."""

from pathlib import Path

import pytest

from bidui.reports.results import collect, comparable, end_point, groups_of, learning_curve, series_of, worth_of_counts
from tests.reports.small import write_run


def test_the_end_of_a_series_is_the_mean_of_its_seeds_and_6nd(tmp_path: Path) -> None:
    """1,000,000 parameters and 400 steps of 1,000 tokens: 6 x 10^6 x 4 x 10^5 = 2.4 x 10^12 FLOPs."""
    write_run(tmp_path / "a", {400: [50, 70]})
    write_run(tmp_path / "b", {400: [60, 90]}, recipe={"seed": 1})
    (series,) = series_of(collect(tmp_path).runs)
    end = end_point(series, "slln:0.5", groups_of(series.runs))
    assert end.flops == 2.4e12
    assert {group: end.mean(group) for group in ("all", "p", "q")} == pytest.approx({"all": 0.675, "p": 0.55, "q": 0.8})


def test_a_learning_curve_begins_with_the_first_step(tmp_path: Path) -> None:
    """The untrained network has learnt nothing, and a logarithmic axis has no place for it."""
    write_run(tmp_path / "a", {0: [90], 10: [50], 400: [70]})
    curve = learning_curve(collect(tmp_path).runs[0], "slln:0.5", "p")
    assert curve.at.tolist() == [10_000, 400_000]
    assert curve.accuracies.tolist() == [0.5, 0.7]


def test_worths_of_counts_have_the_accuracies_of_the_runs(tmp_path: Path) -> None:
    """Two seeds with 50 and 60 of 100 pairs: the mean worth is 0.55, whichever pairs it was."""
    write_run(tmp_path / "a", {0: [0], 10: [50], 400: [70]})
    write_run(tmp_path / "b", {0: [0], 10: [60], 400: [90.5]}, recipe={"seed": 1})
    (series,) = series_of(collect(tmp_path).runs)
    tokens, worth = worth_of_counts(series, "slln:0.5", "all", seed=0)
    assert tokens.tolist() == [10_000, 400_000]
    assert worth.shape == (100, 2)
    assert worth.mean(axis=0).tolist() == pytest.approx([0.55, 0.8025])


def test_runs_on_other_pairs_do_not_stand_beside_the_rest(tmp_path: Path) -> None:
    """Curves of other pairs in one figure would be compared by every reader."""
    write_run(tmp_path / "a", {400: [50, 70]})
    write_run(tmp_path / "b", {400: [50, 70]}, recipe={"seed": 1})
    write_run(tmp_path / "c", {400: [50]})
    kept, problems = comparable(collect(tmp_path).runs, "slln:0.5")
    assert [run.name for run in kept] == ["a", "b"]
    assert [problem.values["runs"] for problem in problems] == [["c"]]
    assert comparable((), "slln:0.5")[1][0].kind == "report-no-runs"
