"""What is in a folder of results, and what is left out of it and why."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bidui.analysis.accuracy import accuracy
from bidui.errors import InputError
from bidui.models.model import TokenScores
from bidui.pairs import Pairs
from bidui.reports.published import benchmark_of_paradigms
from bidui.reports.results import (
    collect,
    comparable,
    counted_choices,
    end_point,
    groups_of,
    last_accuracies,
    learning_curve,
    model_choices,
    pair_sets,
    series_of,
    untrained,
)
from bidui.scores.links import lp, mean_lp, slln_lp, slor
from bidui.scores.milestones import FILE
from bidui.scores.run import run_scoring
from tests.reports.small import PAIRS, write_run, write_scores
from tests.scores.small import Counting, pair


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


def test_scores_that_are_not_finite_are_left_out_and_named_with_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among ten models, a reader must know which one to score again. Earlier versions stored such scores."""
    monkeypatch.setattr("bidui.scores.run._refuse_broken", lambda pairs, both, model: None)

    class Broken(Counting):
        def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
            for one in super().score(sentences):
                yield replace(one, logprobs=one.logprobs * np.float32(np.inf)) if "丙" in one.sentence else one

    write_scores(tmp_path, name="sound")
    run_scoring(PAIRS, Broken("broken"), out=tmp_path / "broken")
    found = collect(tmp_path)
    assert [model.name for model in found.models] == ["sound"]
    (problem,) = found.problems
    assert (problem.kind, problem.place.file) == ("score-not-finite", str(tmp_path / "broken"))
    assert (problem.values["uid"], problem.values["pair"], problem.values["side"]) == ("v", 0, "bad")


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


def test_a_run_whose_checkpoints_have_other_pairs_is_left_out_and_named(tmp_path: Path) -> None:
    """A curve whose points are of different pairs shows nothing; the other runs are shown."""
    write_run(tmp_path / "a", {0: [10, 20], 100: [30]})
    write_run(tmp_path / "b", {0: [10, 20], 100: [30, 40]})
    found = collect(tmp_path)
    assert [run.name for run in found.runs] == ["b"]
    assert "step 100 has different paradigms" in str(found.problems[0])


def test_scores_of_which_a_file_is_missing_are_left_out_and_named(tmp_path: Path) -> None:
    write_scores(tmp_path, name="a")
    write_scores(tmp_path, name="b")
    (tmp_path / "a" / "u.parquet").unlink()
    found = collect(tmp_path)
    assert [model.name for model in found.models] == ["b"]
    assert [problem.severity for problem in found.problems] == ["warning"] and "u.parquet" in str(found.problems[0])


def test_scores_with_a_broken_manifest_are_left_out_and_named(tmp_path: Path) -> None:
    write_scores(tmp_path, name="a")
    write_scores(tmp_path, name="b")
    (tmp_path / "a" / "scores.json").write_text("{")
    found = collect(tmp_path)
    assert [model.name for model in found.models] == ["b"]
    assert [problem.severity for problem in found.problems] == ["warning"] and "scores.json" in str(found.problems[0])


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


# The choices that tables are made from, of models and of the counts of runs.


def test_choices_of_a_model_are_those_of_each_linking_function(tmp_path: Path) -> None:
    """By hand, LP: right, a tie, wrong; mean LP: right, a tie, right."""
    write_scores(tmp_path)
    (model,) = model_choices(collect(tmp_path), [lp(), mean_lp()], usual=False)
    worths = {link: choices.worth.tolist() for link, choices in model.choices.items()}
    assert worths == {"lp": [1, 0.5, 0], "mean_lp": [1, 0.5, 1]}
    assert not model.counted


def test_a_link_that_needs_unigrams_is_missed_with_a_reason(tmp_path: Path) -> None:
    """It was asked for, so the page must say why it is not there."""
    write_scores(tmp_path)
    (model,) = model_choices(collect(tmp_path), [lp(), slor()], usual=False)
    assert list(model.choices) == ["lp"]
    assert [problem.kind for problem in model.problems] == ["link-needs-unigrams"]


def test_without_token_scores_runs_stand_with_their_last_counts(tmp_path: Path) -> None:
    """30 of 100 and 40.5 of 100: one tie at least, but nobody knows which or how many more."""
    write_run(tmp_path / "r", {0: [10, 20], 400: [30, 40.5]})
    (model,) = model_choices(collect(tmp_path), [slln_lp(), lp()], usual=False)
    found = accuracy(model.choices["slln:0.5"], by="paradigm")
    assert {uid: one.value for uid, one in found.items()} == {"a": pytest.approx(0.3), "b": pytest.approx(0.405)}
    assert accuracy(model.choices["slln:0.5"])["all"].value == pytest.approx(0.3525)
    assert model.counted
    assert [problem.values["link"] for problem in model.problems] == ["lp"]


def test_with_token_scores_runs_do_not_stand_beside_them(tmp_path: Path) -> None:
    """The scored model is most often the last checkpoint of the run."""
    write_scores(tmp_path)
    write_run(tmp_path / "r", {400: [30]})
    assert [model.name for model in model_choices(collect(tmp_path), [slln_lp()], usual=True)] == ["counting"]


def test_counts_become_as_many_right_choices(tmp_path: Path) -> None:
    """At the first checkpoint, 10 and 20 of 100."""
    write_run(tmp_path / "r", {0: [10, 20], 400: [30, 40]})
    choices = counted_choices(collect(tmp_path).runs[0], "slln:0.5", checkpoint=0)
    assert np.bincount((choices.uids == "b").astype(int), choices.worth).tolist() == [10, 20]


# What sections on training are made from: end points, curves, and worths that stand in for the unknown pairs.


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


def test_the_untrained_network_and_the_ends_of_runs_by_hand(tmp_path: Path) -> None:
    """Two seeds with 48 and 52 of 100 pairs before training, and 70 and 90.5 at the end."""
    write_run(tmp_path / "a", {0: [48], 10: [50], 400: [70]})
    write_run(tmp_path / "b", {0: [52], 10: [60], 400: [90.5]}, recipe={"seed": 1})
    (series,) = series_of(collect(tmp_path).runs)
    assert untrained(series.runs, "slln:0.5", "all") == pytest.approx(0.5)
    values, pairs = last_accuracies(series, "slln:0.5")
    assert values.tolist() == [[0.7], [0.905]] and pairs.tolist() == [100]
    write_run(tmp_path / "apart/c", {10: [50], 400: [70]})
    assert untrained(collect(tmp_path / "apart").runs, "slln:0.5", "all") is None


def test_runs_on_other_pairs_do_not_stand_beside_the_rest(tmp_path: Path) -> None:
    """Curves of other pairs in one figure would be compared by every reader."""
    write_run(tmp_path / "a", {400: [50, 70]})
    write_run(tmp_path / "b", {400: [50, 70]}, recipe={"seed": 1})
    write_run(tmp_path / "c", {400: [50]})
    kept, problems = comparable(collect(tmp_path).runs, "slln:0.5")
    assert [run.name for run in kept] == ["a", "b"]
    assert [problem.values["runs"] for problem in problems] == [["c"]]
    assert comparable((), "slln:0.5")[1][0].kind == "report-no-runs"


def test_paradigms_beside_those_of_a_benchmark_are_a_set_of_their_own(tmp_path: Path) -> None:
    """The archive of SLING has files that its paper does not report; with them, SLING was not known as SLING."""
    climp = [uid for uid, name in benchmark_of_paradigms().items() if name == "climp"]
    uids = [*climp[:9], "mine"]  # of 16
    write_scores(tmp_path, pairs=Pairs(tuple(pair(uid, 0, "甲", "乙") for uid in uids)))
    write_run(tmp_path / "run", {400: range(10)}, uids={uid: ("p", 1) for uid in uids})
    first, second = pair_sets(collect(tmp_path), language="zh")
    assert (first.name, first.benchmark, first.results.uids) == ("CLiMP", "climp", set(climp[:9]))
    assert (second.name, second.benchmark, second.results.uids) == ("CLiMP 以外", "", {"mine"})
    assert [len(one.results.models[0].totals) for one in (first, second)] == [9, 1]
    assert [one.results.runs[0].right["slln:0.5"].tolist() for one in (first, second)] == [[[*range(9)]], [[9]]]
    assert pair_sets(collect(tmp_path))[1].name == "beside CLiMP"


def test_names_that_a_benchmark_has_too_do_not_divide_paradigms_of_ones_own(tmp_path: Path) -> None:
    """SLING calls a paradigm `any`, and so may anyone; half of a benchmark is not taken for it either."""
    climp = [uid for uid, name in benchmark_of_paradigms().items() if name == "climp"]
    write_scores(tmp_path, pairs=Pairs(tuple(pair(uid, 0, "甲", "乙") for uid in (*climp[:8], "any", "mine"))))
    (whole,) = pair_sets(collect(tmp_path))
    assert (whole.benchmark, whole.pairs) == ("", 10)
