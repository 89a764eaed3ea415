"""Accuracies of stored scores as data frames, with values worked out by hand."""

import json
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.pairs import Pairs
from bidui.reports.compare import compare
from bidui.reports.results import collect
from bidui.scores import run
from bidui.scores.run import run_scoring
from tests.reports.small import PAIRS, write_scores
from tests.scores.small import Counting, pair


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


def test_checkpoints_are_in_the_order_of_their_steps(tmp_path: Path) -> None:
    """step-10 used to come before step-9; paradigms are in the same order."""
    pairs = Pairs(tuple(pair(uid, 0, "甲", "乙") for uid in ("u10", "u9")))
    for step in (10, 100, 9):
        write_scores(tmp_path, name=f"step-{step}", pairs=pairs)
    assert compare(tmp_path, links=["lp"]).frame["model"].to_list() == ["step-9", "step-10", "step-100"]
    by = compare(tmp_path, by="paradigm").frame
    assert by.columns == ["paradigm", "step-9", "step-10", "step-100"]
    assert by["paradigm"].to_list() == ["u9", "u10", "all"]


def test_two_models_of_one_name_are_both_shown(tmp_path: Path) -> None:
    """By paradigm, the second used to take the place of the first, without a word."""
    write_scores(tmp_path / "a", pairs=PAIRS[:2])
    write_scores(tmp_path / "b", pairs=PAIRS[:2])
    by = compare(tmp_path, by="paradigm", links=["lp"])
    assert by.frame.columns == ["paradigm", "a/counting", "b/counting"]
    assert compare(tmp_path, links=["lp"]).frame["model"].to_list() == ["a/counting", "b/counting"]
    assert by.notes == ()


def test_a_model_may_be_called_as_a_column_is(tmp_path: Path) -> None:
    write_scores(tmp_path, name="paradigm")
    assert compare(tmp_path, by="paradigm").frame.columns == ["paradigm", "paradigm (model)"]


def test_models_scored_on_different_pairs_are_in_different_sets(tmp_path: Path) -> None:
    """Side by side, they would be compared. a has all three pairs (right, tie, wrong), b the first two."""
    write_scores(tmp_path, name="a")
    write_scores(tmp_path, name="b", pairs=PAIRS[:2])
    table = compare(tmp_path, links=["lp"])
    assert table.frame.select("set", "model", "pairs", "accuracy").rows() == [("#1", "a", 3, 0.5), ("#2", "b", 2, 0.75)]
    by_group = compare(tmp_path, by="phenomenon", links=["lp"])
    assert by_group.by == ("set", "phenomenon")
    assert by_group.frame.rows() == [
        ("#1", "p", 0.75, None),
        ("#1", "q", 0.0, None),
        ("#1", "all", 0.5, None),
        ("#2", "p", None, 0.75),
        ("#2", "all", None, 0.75),
    ]
    for one in (table, by_group):
        assert one.notes == (
            "the models were scored on different pairs, so they are compared within each set of pairs only: #1, #2",
        )


def test_one_model_on_two_benchmarks_has_no_average_over_both(tmp_path: Path) -> None:
    """CLiMP 1 of 1, SLING 0 of 1: a half would be an accuracy of nothing."""
    pairs = Pairs((pair("classifier", 0, "甲", "乙"), pair("self_male", 0, "乙", "甲")))
    write_scores(tmp_path, pairs=pairs)
    rows = compare(tmp_path, links=["lp"]).frame.select("set", "accuracy").rows()
    assert rows == [("CLiMP", 1.0), ("SLING", 0.0)]


def test_an_interrupted_run_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An accuracy over the first paradigms would look like one over all; the report warns as well."""
    monkeypatch.setattr(run, "TOGETHER", 4)
    with pytest.raises(RuntimeError, match="broke"):
        run_scoring(PAIRS, Counting("m", breaks_at="丙"), out=tmp_path / "m")
    assert compare(tmp_path, links=["lp"]).notes == (
        f"{tmp_path / 'm'}: only 2 of 3 pairs are scored so far; run bidui score again to finish",
    )
    with pytest.raises(InputError, match=r"nothing here can be shown.*only 2 of 3 pairs"):
        collect(tmp_path)
    write_scores(tmp_path, name="n")
    results = collect(tmp_path)  # the run that is not finished is named, and the other shown
    assert [problem.kind for problem in results.problems] == ["scores-unfinished"]
    assert [model.name for model in results.models] == ["n"]
    run_scoring(PAIRS, Counting("m"), out=tmp_path / "m")
    assert compare(tmp_path, links=["lp"]).notes == collect(tmp_path).problems == ()


def test_tables_are_written_as_csv_json_and_latex(tmp_path: Path) -> None:
    """Shares are in percent and not rounded; what is not there is empty or null."""
    write_scores(tmp_path)
    write_scores(tmp_path, name="other_1")
    table = compare(tmp_path / "counting", links=["lp"])
    assert table.write("csv") == (
        "model,link,pairs,accuracy,D=,D<,D>,delta,ties,near_ties\ncounting,lp,3,50,75,,0,,1,0\n"
    )
    assert json.loads(table.write("json")) == {
        "unit": "percent",
        "rows": [
            {
                **{"model": "counting", "link": "lp", "pairs": 3, "accuracy": 50, "D=": 75, "D<": None, "D>": 0},
                **{"delta": None, "ties": 1, "near_ties": 0},
            }
        ],
        "notes": [],
    }
    by = compare(tmp_path, by="paradigm", links=["slln:0.5"])
    ends = "counting,counting_low,counting_high,other_1,other_1_low,other_1_high"
    assert by.write("csv").splitlines()[0] == f"paradigm,pairs,{ends}"
    assert json.loads(by.write("json"))["link"] == "slln:0.5"
    assert r"other\_1" in by.write("latex") and r"\toprule" in by.write("latex")


# By LP: right, a tie, wrong (see `PAIRS`)
DESIGN = Pairs(
    tuple(
        replace(one, variant=variant, columns=columns)
        for one, variant, columns in zip(
            PAIRS,
            ("x", "y", "y"),
            ((("number", "sg"), ("far", "no")), (("number", "pl"), ("far", "no")), (("number", "pl"), ("far", "yes"))),
            strict=True,
        )
    )
)


def test_a_row_per_value_of_a_column_and_per_combination_of_several(tmp_path: Path) -> None:
    write_scores(tmp_path, pairs=DESIGN)
    table = compare(tmp_path, by="variant", links=["lp"])
    assert table.by == ("variant",) and table.frame.rows() == [("x", 1.0), ("y", 0.25), ("all", 0.5)]
    crossed = compare(tmp_path, by=["number", "far"], links=["lp"])
    assert crossed.frame.columns == ["number", "far", "counting"]
    assert crossed.frame.rows() == [("pl", "no", 0.5), ("pl", "yes", 0.0), ("sg", "no", 1.0), ("all", "", 0.5)]
    # by Wilson's formula for half of one pair: 0.5 ± z √(1/4 + z²/4) / (1 + z²), with z = 1.96
    low, high = (0.5 + sign * 1.96 * (0.25 + 1.96**2 / 4) ** 0.5 / (1 + 1.96**2) for sign in (-1, 1))
    *names, shown_low, shown_high = crossed.write("csv").splitlines()[1].split(",")
    assert names == ["pl", "no", "1", "50"]
    assert (float(shown_low), float(shown_high)) == pytest.approx((100 * low, 100 * high), abs=0.01)
    first = json.loads(crossed.write("json"))["rows"][1]
    assert {name: first[name] for name in list(first)[:4]} == {
        "number": "pl",
        "far": "yes",
        "pairs": 1,
        "counting": 0.0,
    }
    assert list(first)[4:] == ["counting_low", "counting_high"] and first["counting_low"] == 0
    assert "number & far & " in crossed.write("latex")
    assert crossed.pairs == (1, 1, 1, 3) and len(crossed.estimates["counting"]) == 4
    assert compare(tmp_path, by=["paradigm", "number"], links=["lp"]).frame["paradigm"].to_list() == [
        "u",
        "u",
        "v",
        "all",
    ]


def test_a_column_that_only_some_models_have_is_said(tmp_path: Path) -> None:
    """The scores of the second are of a table that had no such column yet."""
    write_scores(tmp_path, pairs=DESIGN)
    write_scores(tmp_path, name="old")
    table = compare(tmp_path, by="number", links=["lp"])
    assert table.frame.rows() == [("", None, 0.5), ("pl", 0.25, None), ("sg", 1.0, None), ("all", 0.5, 0.5)]
    assert table.notes[0].startswith("the pairs of old have no column number")


def test_a_column_that_no_pair_has_is_refused(tmp_path: Path) -> None:
    write_scores(tmp_path, pairs=DESIGN)
    with pytest.raises(
        InputError, match="no column nmber; the scored pairs have: phenomenon, paradigm, variant, number"
    ):
        compare(tmp_path, by="nmber")
    with pytest.raises(InputError, match="overall cannot be combined"):
        compare(tmp_path, by=["overall", "number"])


def test_baselines_are_left_out_of_averages_and_shown_by_paradigm(tmp_path: Path) -> None:
    """Both sentences of a baseline are good. By LP: self_male is right, baseline_male is not."""
    pairs = Pairs((pair("self_male", 0, "甲", "乙"), pair("baseline_male", 0, "乙", "甲")))
    write_scores(tmp_path, pairs=pairs)
    table = compare(tmp_path, links=["lp"])
    assert table.frame.select("pairs", "accuracy").rows() == [(1, 1.0)]
    assert any("bias baselines" in note for note in table.notes)
    assert compare(tmp_path, links=["lp"], by="phenomenon").frame.rows()[0][:2] == ("p", 1.0)
    by_uid = {row[0]: row[1] for row in compare(tmp_path, links=["lp"], by="paradigm").frame.rows()}
    assert (by_uid["self_male"], by_uid["baseline_male"]) == (1.0, 0.0)
    assert by_uid["all"] == 1.0  # as in a report


def test_percentages_of_a_paper_are_shown_where_a_whole_phenomenon_was_scored(tmp_path: Path) -> None:
    """CLiMP's Table 2 has 99.0 for binding, which is one paradigm, and 99.7 for the three of classifiers."""
    uids = {"binding_gender": "binding", "classifier": "classifier", "classifier_adj": "classifier"}
    of = {uid: replace(pair(uid, 0, "甲", "乙"), phenomenon=phenomenon) for uid, phenomenon in uids.items()}
    write_scores(tmp_path, pairs=Pairs(tuple(of.values())))
    table = compare(tmp_path, links=["lp"], by="phenomenon")
    assert table.humans
    assert table.frame.select("phenomenon", "humans").rows() == [("binding", 0.99), ("classifier", None), ("all", None)]


def test_a_table_by_groups_has_the_pairs_of_each_group(tmp_path: Path) -> None:
    """Different pairs are different sets, with rows of their own; a column may be called pairs, too."""
    write_scores(tmp_path, name="a", pairs=Pairs(tuple(replace(one, columns=(("pairs", "x"),)) for one in PAIRS)))
    table = compare(tmp_path, by="paradigm", links=["lp"])
    assert (table.names, table.pairs) == (["paradigm", "pairs", "a"], (2, 1, 3))
    write_scores(tmp_path, name="b", pairs=PAIRS[1:])
    both = compare(tmp_path, by="paradigm", links=["lp"])
    assert (both.names, both.pairs) == (["set", "paradigm", "pairs", "a", "b"], (2, 1, 3, 1, 1, 2))
    assert [one and one.value for one in both.estimates["b"]] == [None, None, None, 0.5, 0.0, 0.25]
    assert compare(tmp_path / "a", by="pairs", links=["lp"]).names == ["pairs", "n", "a"]


def test_links_that_a_table_by_groups_does_not_show_are_named(tmp_path: Path) -> None:
    write_scores(tmp_path)
    assert compare(tmp_path, by="paradigm", links=["lp", "mean_lp", "pen_lp"]).notes == (
        "a table by groups has one linking function, lp; not shown: mean_lp, pen_lp",
    )
    assert compare(tmp_path, by="paradigm").notes == ()
