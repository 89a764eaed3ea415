"""Models beside the people of a study: on the same pairs, in every table, with values worked out by hand."""

from pathlib import Path

import pytest

from bidui.analysis.people import read_people
from bidui.errors import InputError
from bidui.intervals import Estimate
from bidui.pairs import Pairs
from bidui.people.design import Design
from bidui.people.responses import add_responses, answer_trial
from bidui.people.study import draw_study, write_study
from bidui.reports.compare import compare
from bidui.reports.results import collect, on_study
from bidui.reports.section import Absent, Extras, Settings
from bidui.reports.site import _benchmarks, _with_people, contents
from bidui.reports.tables import Table
from bidui.scores.links import lp
from tests.reports.small import write_run, write_scores
from tests.scores.small import pair

# By `Counting`, 甲 is -1, 乙 -2, 丙 -3. LP: right, a tie, wrong, right.
PAIRS = Pairs(
    (
        pair("u", 0, "甲甲", "甲乙", phenomenon="p"),
        pair("u", 1, "甲乙", "乙甲", phenomenon="p"),
        pair("v", 0, "甲甲甲甲", "丙", phenomenon="q"),
        pair("v", 1, "甲", "乙", phenomenon="q"),
    )
)
MORE = Pairs((*PAIRS, pair("u", 7, "丙", "甲", phenomenon="p")))
OTHER = Pairs((*PAIRS[:3], pair("v", 1, "甲甲", "乙乙", phenomenon="q")))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Scores of two models, one of them on a further pair, a third on another sentence; a study of three people a pair.

    Everybody is right, except that all three choose the bad sentence of v/0.
    """
    root = tmp_path_factory.mktemp("study")
    write_scores(root / "scores", pairs=PAIRS)
    write_scores(root / "scores", name="more", pairs=MORE)
    write_scores(root / "scores", name="other", pairs=OTHER)
    study = draw_study(PAIRS, Design(per_paradigm=2, lists=2, raters=3), name="panel")
    write_study(study, root / "s")
    rows = []
    for trial in study.trials:
        good = 1 if trial.shown == "good-bad" else 2
        answer = 3 - good if trial.item == "v/0" else good
        rows.append(answer_trial(study, trial, participant=f"p{trial.list}.{trial.slot}", answer=answer))
    add_responses(root / "s", study, rows)
    return root / "scores", root / "s"


def test_people_are_rows_beside_models_on_the_same_pairs(folders: tuple[Path, Path]) -> None:
    """Models: 2.5 of 4. People: 9 of 12 judgements, and 3 of 4 majorities."""
    scores, study = folders
    table = compare(scores, links=["lp"], study=study)
    rows = [(row["model"], row["link"], row["pairs"], row["accuracy"]) for row in table.frame.to_dicts()]
    assert rows == [
        ("counting", "lp", 4, 0.625),
        ("more", "lp", 4, 0.625),
        ("humans", "judgements", 4, 0.75),
        ("humans", "majority", 4, 0.75),
    ]
    assert (table.humans, table.study) == (True, "panel")
    assert any("other was scored on 3 of the 4 pairs that people judged in panel" in note for note in table.notes)


def test_people_are_a_column_beside_models(folders: tuple[Path, Path]) -> None:
    scores, study = folders
    table = compare(scores, by="paradigm", links=["lp"], study=study)
    assert table.frame.columns == ["paradigm", "counting", "more", "humans"]
    assert table.frame.rows() == [("u", 0.75, 0.75, 1.0), ("v", 0.5, 0.5, 0.5), ("all", 0.625, 0.625, 0.75)]
    humans = table.estimates["humans"]
    assert {one.kind for one in humans if one} == {"pairs"}
    # 6 of 6: people and pairs do not vary, so the interval is Wilson's, from 1 / (1 + 1.96² / 6)
    assert humans[0] is not None and humans[0].interval == pytest.approx((0.6097, 1), abs=5e-5)


def test_scores_of_other_pairs_are_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Numbers of pairs may be the same where the sentences are not."""
    write_scores(tmp_path, pairs=OTHER)
    with pytest.raises(InputError, match=r"scored on 3 of the 4 pairs .* score the pairs.jsonl of the study"):
        compare(tmp_path, study=folders[1])


def test_people_stand_in_every_table_of_the_report(folders: tuple[Path, Path]) -> None:
    scores, study = folders
    people = read_people(study)
    results = on_study(collect(scores), people)
    settings = Settings(
        (lp(),),
        main="lp",
        usual=False,
        benchmarks=_benchmarks(results, people),
        extras=_with_people(Extras(), people),
    )
    sections = list(contents(results, settings))
    items = [item for section in sections for item in (*section.items, *section.files)]
    tables = {item.name: item for item in items if isinstance(item, Table)}

    def shares(name: str, row: int) -> list[float]:
        return [cell.value for cell in tables[name].rows[row] if isinstance(cell, Estimate)]

    assert tables["accuracy"].rows[-1][0] == "Humans" and shares("accuracy", -1) == [0.75]
    assert tables["accuracy-averages"].rows[-1][:3] == ("Humans", "–", 4)
    assert shares("accuracy-averages", -1) == [0.75] and tables["accuracy-averages"].rows[-1][6:8] == (0.75, 0.75)
    by_paradigm = tables["accuracy-paradigm-lp"]
    assert [row[-1].value for row in by_paradigm.rows if isinstance(row[-1], Estimate)] == [1, 0.5, 0.75]
    assert "the study panel, on the same pairs" in by_paradigm.note
    assert [row[:2] for row in tables["compared"].rows] == [
        ("counting", "more"),
        ("counting", "humans (majority)"),
        ("more", "humans (majority)"),
    ]
    assert tables["people"].rows[-1][:2] == ("all pairs", tables["people"].rows[-1][1])
    assert shares("people", -1) == [0.75, pytest.approx(0.125)]
    # judgements, people, crossed, Wilson, majority, and the two models
    assert tables["study"].rows[1][:3] == ("v", 6, 6) and tables["study"].rows[1][5:] == (0.5, 0.5, 0.5)
    assert "coded by a fixed side: 1.000" in tables["study"].note
    assert tables["study-doubtful"].rows == (("v/0", "甲甲甲甲", "丙", 3, 3, 0.0, 0.0),)
    left_out = [problem.kind for item in items if isinstance(item, Absent) for problem in item.problems]
    assert "study-other-pairs" in left_out


def test_runs_are_named_where_they_cannot_be_limited_to_a_study(folders: tuple[Path, Path], tmp_path: Path) -> None:
    write_scores(tmp_path, pairs=PAIRS)
    write_run(tmp_path / "run", {400: [50.0]})
    results = on_study(collect(tmp_path), read_people(folders[1]))
    assert results.runs == () and [problem.kind for problem in results.problems] == ["study-no-runs"]
