"""What a report says of CLiMP and SLING: kinds, biases, contrasts and rankings, with values worked out by hand."""

from pathlib import Path

import pytest

from bidui.benchmarks import Benchmark
from bidui.pairs import Pair, Pairs
from bidui.reports.published import all_published
from bidui.reports.results import collect
from bidui.reports.section import Picture, Settings
from bidui.reports.sections.published import cell_remarks
from bidui.scores.links import lp
from bidui.scores.run import run_scoring
from tests.reports.small import write_run, write_scores
from tests.reports.test_site import Backwards, cells, reasons, report, tables
from tests.scores.small import Counting, pair


def judged(uid: str, *, right: int, of: int) -> list[Pair]:
    """Pairs of which `Counting` gets so many right: 甲 is likelier than 乙."""
    return [pair(uid, n, *(("甲", "乙") if n < right else ("乙", "甲")), phenomenon=uid) for n in range(of)]


def test_local_against_hierarchical_paradigms_of_climp(tmp_path: Path) -> None:
    """Classifiers 2 of 2, ba 1 of 2; passives are neither, and count for neither."""
    pairs = [*judged("classifier", right=2, of=2), *judged("ba_construction", right=1, of=2)]
    write_scores(tmp_path, pairs=Pairs((*pairs, *judged("passive_formal", right=0, of=2))))
    assert cells(tables(report(tmp_path))["kinds-local"], 0) == ["counting", "lp", 1, 1, 0.5, 1, 0.5]


def test_baselines_are_read_as_bias_and_are_part_of_no_average(tmp_path: Path) -> None:
    """The test has 4 of 4; in the baseline 3 of 4 go the same way: a bias of 0.5, with p 2 (1 + 4) / 16; gain 0.25."""
    pairs = [*judged("self_male", right=4, of=4), *judged("baseline_male", right=3, of=4)]
    write_scores(tmp_path, pairs=Pairs(tuple(pairs)))
    found = tables(report(tmp_path))
    assert cells(found["biases"], 0) == ["baseline_male", "counting", 4, 0.75, 0.5, pytest.approx(0.625)]
    assert cells(found["readings"], 0) == ["self_male", "baseline_male", "counting", 1, 0.75, 0.25, "no"]
    assert cells(found["accuracy"], 0)[1] == 1
    assert [row[0] for row in found["accuracy-paradigm-lp"].rows] == ["self_male", "all pairs"]
    assert (
        cells(found["models"], 0)[3:5] == [4, 1] and "4 pairs of counting belong to baselines" in found["models"].note
    )


def test_paradigms_of_sling_are_drawn_for_all_models_with_their_baselines(tmp_path: Path) -> None:
    """As in Figures 9 and 10: the bias towards a male object, and what the reflexive adds to it."""
    pairs = [*judged("self_male", right=4, of=4), *judged("baseline_male", right=3, of=4)]
    pairs += judged("of_a_later_paper", right=1, of=4)  # is in the release, and not in these figures
    write_scores(tmp_path, pairs=Pairs(tuple(pairs)))
    drawn = {item.name: item for one in report(tmp_path) for item in one.items if isinstance(item, Picture)}
    lines = drawn["sling-anaphor-gender"].drawing.rows.lines
    assert [line[:3] for line in lines] == [("baseline_male", "counting", 0.75), ("self_male", "counting", 1)]


def test_scores_and_runs_of_baselines_alone_are_left_out(tmp_path: Path) -> None:
    """They have no accuracy."""
    write_scores(tmp_path, name="one", pairs=Pairs(tuple(judged("baseline_male", right=1, of=2))))
    write_scores(tmp_path, name="two", pairs=Pairs(tuple(judged("self_male", right=1, of=2))))
    found = collect(tmp_path)
    assert [model.name for model in found.models] == ["two"]
    assert [problem.kind for problem in found.problems] == ["report-only-baselines"]


def test_a_distractor_is_tested_over_models(tmp_path: Path) -> None:
    """Five models have 1 and 0, so V is 15 with all ranks shared: by the normal rule z = 7 / sqrt(11.25), p 0.0369.

    The other way, the correction goes the other way too: 8 / sqrt(11.25) is 2.385, and 0.9915 lies below.
    """
    pairs = Pairs((*judged("self_male", right=1, of=1), *judged("pp_male", right=0, of=1)))
    for number in range(5):
        write_scores(tmp_path, name=f"m{number}", pairs=pairs)
    sections = report(tmp_path)
    row = cells(tables(sections)["contrasts"], 0)
    assert row[:13] == ["self_male", "pp_male", 5, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]  # minimum, median, mean, maximum, SD
    assert row[13:] == pytest.approx([0.0369, 0.0369, 0.01845, 0.9915], abs=1e-4)
    printed = cells(tables(sections)["contrasts"], 1)  # Table 11
    assert printed[:3] == ["self_male †", "pp_male †", 18] and printed[13:] == [0.002, None, None, None]
    assert printed[3:13] == pytest.approx([0.076, 0.8425, 0.7, 1, 0.3127, 0.139, 0.406, 0.5252, 0.999, 0.2942])
    assert "accuracy-spread" in {item.name for one in sections for item in one.items if isinstance(item, Picture)}


def test_fewer_than_five_models_give_no_contrast(tmp_path: Path) -> None:
    write_scores(tmp_path, pairs=Pairs((*judged("self_male", right=1, of=1), *judged("pp_male", right=0, of=1))))
    assert list(reasons(report(tmp_path)).values()).count("report-few-models") == 2  # and the box plot over models


def test_two_models_are_tested_over_paradigms(tmp_path: Path) -> None:
    """Counting is ahead by 1, 1/2 and 1/4: V is 6, and p 2 / 8; one-sided 1 / 8, and 1 the other way."""
    pairs = [*judged("a", right=1, of=1), *judged("b", right=3, of=4), *judged("c", right=5, of=8)]
    for model in (Counting(), Backwards()):
        run_scoring(Pairs(tuple(pairs)), model, out=tmp_path / model.name)
    row = cells(tables(report(tmp_path))["wilcoxon"], 0)
    assert row == ["backwards", "counting", 3, 0, 0, 0.25, 0.25, 1, 0.125]


def test_tau_is_of_models_on_two_benchmarks(tmp_path: Path) -> None:
    """Both put counting first: τ is 1; the models are known by their names, though their folders differ."""
    for benchmark, uid in (("climp", "classifier"), ("sling", "self_male")):
        for model in (Counting(), Backwards()):
            run_scoring(Pairs(tuple(judged(uid, right=1, of=1))), model, out=tmp_path / benchmark / model.name)
    found = tables(report(tmp_path))
    assert cells(found["rankings"], 0) == ["CLiMP", "SLING", 2, 1]
    assert {row[0]: (row[1], row[3]) for row in found["benchmarks"].rows} == {"backwards": (0, 0), "counting": (1, 1)}


def test_two_benchmarks_in_one_folder_have_both_published_tables(tmp_path: Path) -> None:
    """One model scored on CLiMP and SLING: 1 of 1 and 0 of 1, and nowhere a half; SLING's mean is over phenomena."""
    pairs = (*judged("classifier", right=1, of=1), *judged("self_male", right=0, of=3), *judged("any", right=1, of=1))
    write_scores(tmp_path, pairs=Pairs(pairs))
    sections = report(tmp_path)
    found = tables(sections)
    assert {"published-climp-2-2", "published-sling-7-2", "published-sling-5-1", "published-sling-8-1"} <= found.keys()
    assert cells(found["accuracy-1"], 0)[1] == 0.25 and cells(found["accuracy-2"], 0)[1] == 1
    assert [cells(found["sets"], row)[:4] for row in (0, 1)] == [["SLING", 2, 4, 1], ["CLiMP", 1, 1, 1]]
    whole = cells(found["published-sling-5-1"], -1)  # anaphors 0, polarity items 1
    assert whole[:2] == ["over phenomena (macro)", 0.5]
    assert [one.title for one in sections][1:3] == ["Accuracy · SLING", "Model comparison · SLING"]


def test_one_benchmark_has_no_ranking_to_compare(tmp_path: Path) -> None:
    write_scores(tmp_path, pairs=Pairs(tuple(judged("classifier", right=1, of=1))))
    write_run(tmp_path / "run", {400: [60]})
    assert "report-one-benchmark" in reasons(report(tmp_path)).values()


def test_humans_of_climp_stand_beside_models_as_printed(tmp_path: Path) -> None:
    """Table 2 prints 99.7 for classifiers, 85.0 for ba and 95.8 overall; by LP the model has 1/2, 1 and, over the
    three paradigms, 2/3. There are no counts, and so no intervals.
    """
    pairs = [*judged("classifier", right=1, of=1), *judged("classifier_adj", right=0, of=1)]
    write_scores(tmp_path, pairs=Pairs((*pairs, *judged("ba_construction", right=1, of=1))))
    table = tables(report(tmp_path))["people"]
    assert [cells(table, row)[:4] for row in range(3)] == [
        ["Classifier", pytest.approx(0.997), "counting", pytest.approx(0.497)],
        ["ba construction", pytest.approx(0.85), "counting", pytest.approx(-0.15)],
        ["over paradigms (macro)", pytest.approx(0.958), "counting", pytest.approx(0.958 - 2 / 3)],
    ]
    assert "Table 2" in table.note and "no counts" in table.note


def test_remarks_on_printed_numbers_reach_the_page() -> None:
    """38 cells are remarked on; each is named in the note of its table, with the number."""
    settings = Settings((lp(),), main="lp", usual=False)
    notes = {table.name: cell_remarks(table, settings) for table in all_published()}
    remarked = [(table.name, cell) for table in all_published() for cell in table.cells if cell.remarks]
    assert len(remarked) == 38
    assert all(cell.remarks in notes[name] and f"{cell.group} {cell.value:g}" in notes[name] for name, cell in remarked)
    assert notes["zhoblimp-5"] == ""


def test_printed_human_figures_that_differ_from_the_counts_say_so(tmp_path: Path) -> None:
    """Table 6 prints 96.15 for BA; counts of 9 in 10 make 90, so the column needs a word."""
    known = Benchmark("zhoblimp", {"BA_deletion": "included"}, {"BA_deletion": (9, 10)})
    write_scores(tmp_path, pairs=Pairs((pair("BA_deletion", 0, "甲", "乙", phenomenon="BA"),)))
    note = tables(report(tmp_path, known))["published-zhoblimp-6"].note
    assert "differ most for BA (96.15 printed, 90.00 from the counts)" in note
