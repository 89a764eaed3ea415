"""The choices that tables are made from, of models and of the counts of runs."""

from pathlib import Path

import numpy as np
import pytest

from bidui.analysis.accuracy import accuracy
from bidui.reports.results import collect, counted_choices, standings
from bidui.scores.links import lp, mean_lp, slln_lp, slor
from tests.reports.small import write_run, write_scores


def test_choices_of_a_model_are_those_of_each_linking_function(tmp_path: Path) -> None:
    """By hand, LP: right, a tie, wrong; mean LP: right, a tie, right."""
    write_scores(tmp_path)
    (standing,) = standings(collect(tmp_path), [lp(), mean_lp()], usual=False)
    worths = {link: choices.worth.tolist() for link, choices in standing.choices.items()}
    assert worths == {"lp": [1, 0.5, 0], "mean_lp": [1, 0.5, 1]}
    assert not standing.counted


def test_a_link_that_needs_unigrams_is_missed_with_a_reason(tmp_path: Path) -> None:
    """It was asked for, so the page must say why it is not there."""
    write_scores(tmp_path)
    (standing,) = standings(collect(tmp_path), [lp(), slor()], usual=False)
    assert list(standing.choices) == ["lp"]
    assert [problem.kind for problem in standing.problems] == ["link-needs-unigrams"]


def test_without_token_scores_runs_stand_with_their_last_counts(tmp_path: Path) -> None:
    """30 of 100 and 40.5 of 100: one tie at least, but nobody knows which or how many more."""
    write_run(tmp_path / "r", {0: [10, 20], 400: [30, 40.5]})
    (standing,) = standings(collect(tmp_path), [slln_lp(), lp()], usual=False)
    found = accuracy(standing.choices["slln:0.5"], by="paradigm")
    assert {uid: one.value for uid, one in found.items()} == {"a": pytest.approx(0.3), "b": pytest.approx(0.405)}
    assert accuracy(standing.choices["slln:0.5"])["all"].value == pytest.approx(0.3525)
    assert standing.counted
    assert [problem.values["link"] for problem in standing.problems] == ["lp"]


def test_with_token_scores_runs_do_not_stand_beside_them(tmp_path: Path) -> None:
    """The scored model is most often the last checkpoint of the run."""
    write_scores(tmp_path)
    write_run(tmp_path / "r", {400: [30]})
    assert [standing.name for standing in standings(collect(tmp_path), [slln_lp()], usual=True)] == ["counting"]


def test_counts_become_as_many_right_choices(tmp_path: Path) -> None:
    """At the first checkpoint, 10 and 20 of 100."""
    write_run(tmp_path / "r", {0: [10, 20], 400: [30, 40]})
    choices = counted_choices(collect(tmp_path).runs[0], "slln:0.5", checkpoint=0)
    assert np.bincount((choices.uids == "b").astype(int), choices.worth).tolist() == [10, 20]
