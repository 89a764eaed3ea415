"""What is in a folder of results, and what is left out of it and why."""

from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.reports.results import collect, series_of
from bidui.scores.milestones import FILE
from tests.reports.small import PAIRS, write_run, write_scores


def test_models_and_runs_are_found_at_any_depth_and_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """70m stands before 160m on the page, though not in the alphabet."""
    for name in ("160m", "70m", "14m"):
        write_scores(tmp_path / "scores" / "deep", name=name)
    write_run(tmp_path / "runs" / "small-1", {400: [50]}, recipe={"seed": 1})
    write_run(tmp_path / "runs" / "large-0", {400: [50]}, facts={"parameters": 5_000_000})
    write_run(tmp_path / "runs" / "small-0", {400: [50]})
    found = collect(tmp_path)
    assert [model.name for model in found.models] == ["14m", "70m", "160m"]
    assert [run.name for run in found.runs] == ["small-0", "small-1", "large-0"]
    assert found.problems == ()
    assert len(found.models[0].totals) == len(PAIRS)
    assert sorted(found.inputs)[0] == f"runs/large-0/{FILE}"


def test_a_run_that_is_not_finished_is_there_with_what_it_has(tmp_path: Path) -> None:
    """A long training is looked at before it ends; its label says how far it has come."""
    write_run(tmp_path / "r", {0: [10, 20], 100: [30, 40.5]}, facts={"steps": 4820})
    (run,) = collect(tmp_path).runs
    assert not run.finished
    assert run.label == "r (100/4,820)"
    assert run.right["slln:0.5"].tolist() == [[10, 20], [30, 40.5]]
    assert run.tokens.tolist() == [0, 100_000]
    assert (run.uids, run.phenomena, run.pairs.tolist()) == (("a", "b"), ("p", "q"), [100, 100])


def test_models_and_runs_that_are_called_alike_are_told_apart(tmp_path: Path) -> None:
    """`step-77120` of two runs, or `14m-0` in two folders; one would else hide the other."""
    for home in ("one", "two"):
        write_scores(tmp_path / home, name="step")
        write_run(tmp_path / home / "run", {400: [50]})
    found = collect(tmp_path)
    assert [model.name for model in found.models] == ["one/step", "two/step"]
    assert [run.name for run in found.runs] == ["one/run", "two/run"]


def test_of_the_checkpoints_of_a_run_the_last_stands_for_it(tmp_path: Path) -> None:
    """A run with 34 scored checkpoints is one model among others, not 34."""
    write_run(tmp_path / "run", {400: [50]})
    for step in (9, 10, 100):
        write_scores(tmp_path / "run" / "scores", name=f"step-{step}")
    (model,) = collect(tmp_path).models
    assert (model.name, [folder.name for folder in model.earlier]) == ("step-100", ["step-9", "step-10"])


def test_a_run_without_its_facts_is_left_out_and_named(tmp_path: Path) -> None:
    """Without the number of parameters there are no FLOPs; the other runs are still shown."""
    write_run(tmp_path / "good", {400: [50]})
    write_run(tmp_path / "bad", {400: [50]})
    (tmp_path / "bad" / "run.json").unlink()
    found = collect(tmp_path)
    assert [run.name for run in found.runs] == ["good"]
    (problem,) = found.problems
    assert (problem.kind, problem.severity, Path(problem.place.file).name) == ("run-facts", "warning", "bad")


def test_checkpoints_of_other_pairs_are_refused(tmp_path: Path) -> None:
    """A curve whose points are of different pairs shows nothing."""
    write_run(tmp_path, {0: [10, 20], 100: [30]})
    with pytest.raises(InputError, match="step 100 has other paradigms"):
        collect(tmp_path)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    """Most often the folder above or below was meant."""
    with pytest.raises(InputError, match="neither scores"):
        collect(tmp_path)


def test_a_folder_in_which_nothing_is_ready_is_refused_with_the_reasons(tmp_path: Path) -> None:
    """An empty page would say less."""
    write_run(tmp_path / "r", {400: [50]})
    (tmp_path / "r" / "recipe.json").unlink()
    with pytest.raises(InputError, match="nothing here can be shown"):
        collect(tmp_path)


def test_runs_that_differ_in_their_seed_only_are_a_series(tmp_path: Path) -> None:
    """Two seeds of 1m on 400k tokens, one of it on 800k, and one of 5m on the same 800k."""
    write_run(tmp_path / "a", {400: [50]})
    write_run(tmp_path / "b", {400: [60]}, recipe={"seed": 1})
    write_run(tmp_path / "c", {800: [60]}, recipe={"tokens": 800_000}, facts={"steps": 800})
    large = {"tokens": 800_000, "size": "5m"}
    write_run(tmp_path / "d", {800: [60]}, recipe=large, facts={"steps": 800, "parameters": 5_000_000})
    found = series_of(collect(tmp_path).runs)
    assert [(one.name, one.data, [run.name for run in one.runs]) for one in found] == [
        ("1m, 400k", "400k", ["a", "b"]),
        ("1m, 800k", "800k", ["c"]),
        ("5m, 800k", "800k", ["d"]),
    ]


def test_series_that_would_be_called_alike_have_the_name_of_a_run(tmp_path: Path) -> None:
    """Two learning rates on the same data, and the same amount of other data."""
    write_run(tmp_path / "a", {400: [50]})
    write_run(tmp_path / "b", {400: [60]}, recipe={"peak": 0.003})
    write_run(tmp_path / "c", {400: [60]}, recipe={"corpus": "other"})
    found = series_of(collect(tmp_path).runs)
    assert [one.name for one in found] == ["1m, 400k (a) (a)", "1m, 400k (a) (b)", "1m, 400k (c)"]
    assert [one.data for one in found] == ["400k (a)", "400k (a)", "400k (c)"]
