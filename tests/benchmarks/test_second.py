"""A second benchmark with human figures is found by its files: nothing outside a folder knows a benchmark by name."""

from pathlib import Path

import pytest

from bidui import benchmarks
from bidui.benchmarks import generate, judged_benchmarks, open_project, shipped
from bidui.grammar.project import new_project
from bidui.people.agreement import human_agreement, read_review
from bidui.reports.compare import compare
from bidui.reports.published import read_published
from bidui.reports.site import report
from bidui.scores.run import run_scoring
from tests.scores.small import Counting

PUBLISHED = {
    "sources.tsv": [
        ("name", "paper", "table", "benchmark", "about", "link", "whole", "remarks"),
        ("second-1", "Somebody 2030, A second benchmark", "1", "second", "Accuracy by paradigm", "lp", "pairs", ""),
    ],
    "second-1.tsv": [("model", "group", "level", "name", "link", "measure", "value", "unit", "remarks")],
}


def write_table(file: Path, rows: list[tuple[str, ...]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark made from the starter project, judged by ten people of whom nine were right, and published."""
    folder = tmp_path / "shipped" / "second"
    new_project(folder, lang="zh")
    monkeypatch.setattr(benchmarks, "HOME", folder.parent)
    uids = [paradigm.uid for paradigm in open_project("second").paradigms]
    heads = ("source", "level", "name", "correct", "judgements", "accuracy")
    write_table(folder / "human.tsv", [heads, *(("counts", "paradigm", uid, "9", "10", "") for uid in uids)])
    heads = ("uid", "read", "missed", "odd_good", "fine_bad", "not_minimal", "second_violation")
    write_table(folder / "review.tsv", [heads, (uids[0], "6", "1", "0", "0", "2", "0")])
    cells = [("old model", uid, "paradigm", uid, "lp", "accuracy", "70", "%", "") for uid in uids]
    cells.append(("old model", "all", "overall", "all", "lp", "accuracy", "70", "%", ""))
    for name, rows in PUBLISHED.items():
        write_table(folder / "published" / name, [*rows, *(cells if name == "second-1.tsv" else [])])
    return folder


def test_a_folder_with_a_project_is_a_benchmark(second: Path) -> None:
    assert shipped() == {"second": second}
    assert len(generate("second", n=2, seed=0)) == 2 * len(open_project("second").paradigms)


def test_its_human_figures_review_and_tables_are_found(second: Path) -> None:
    uids = [paradigm.uid for paradigm in open_project("second").paradigms]
    (found,) = judged_benchmarks(uids)
    assert found.name == "second"
    assert set(found.people.values()) == {(9, 10)} and found.kinds.keys() == set(uids)
    assert {row.accuracy for row in human_agreement(second)} == {90.0}
    assert read_review(second)[uids[0]].missed == 1
    assert read_published("second-1").benchmark == "second"


def test_compare_and_report_set_models_beside_its_humans(second: Path, tmp_path: Path) -> None:
    """9 of 10 in every paradigm, so 90 percent everywhere; the table of the paper stands beside the model."""
    run_scoring(generate("second", n=2, seed=0), Counting(), out=tmp_path / "results")
    table = compare(tmp_path / "results", by="paradigm")
    assert table.humans and table.link == "slln:0.5"
    assert table.frame.columns == ["paradigm", "counting", "humans"]
    assert set(table.frame["humans"].to_list()) == {0.9}
    site = report(tmp_path / "results", out=tmp_path / "site")
    assert site.models == 1
    people = (tmp_path / "site" / "tables" / "people.csv").read_text(encoding="utf-8").splitlines()
    assert people[0].startswith("phenomenon,people,") and all(row.split(",")[1] == "90" for row in people[1:])
    published = (tmp_path / "site" / "tables" / "published-second-1.csv").read_text(encoding="utf-8").splitlines()
    assert published[0] == "paradigm,counting,published old model" and published[1].endswith(",70")
