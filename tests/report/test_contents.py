"""Which tables a set of results gives, with values worked out by hand, and what stands where a table cannot be made."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from bidui.messages import Language
from bidui.models.tokens import TokenScores
from bidui.pairs import Pairs
from bidui.report.contents import contents
from bidui.report.results import collect
from bidui.report.section import Absent, Asked, Benchmark, Picture, Section
from bidui.report.tables import Ranged, Table, Value
from bidui.report.words import words
from bidui.scores.links import lp, slln_lp
from bidui.scores.run import run_scoring
from tests.report.small import PAIRS, write_run, write_scores
from tests.scores.small import Counting, pair, scores

TOY = Benchmark("toy", {"u": "included", "v": "excluded"}, {"u": (9, 10), "v": (1, 2)})


@dataclass
class Backwards(Counting):
    """What `Counting` thinks likely is unlikely to it: 甲 has -5, 乙 -4, 丙 -3."""

    name: str = "backwards"

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        for sentence in sentences:
            found = scores(sentence)
            yield TokenScores(sentence, found.ids, found.starts, found.ends, (found.ids - 6).astype(np.float32))


def report(folder: Path, *benchmarks: Benchmark, link: str = "lp", language: Language = "en") -> list[Section]:
    asked = Asked(
        (lp(), slln_lp()), main=link, usual=False, say=words(language), language=language, benchmarks=benchmarks
    )
    return list(contents(collect(folder), asked))


def tables(sections: Iterable[Section]) -> dict[str, Table]:
    items = [item for section in sections for item in (*section.items, *section.files)]
    return {item.name: item for item in items if isinstance(item, Table)}


def reasons(sections: Iterable[Section]) -> dict[str, str]:
    """Why something is absent: the kind of problem by the section."""
    return {
        f"{section.name}: {item.title}": item.problems[0].kind
        for section in sections
        for item in section.items
        if isinstance(item, Absent)
    }


def cells(table: Table, row: int) -> list[Value]:
    """The values of a row, without intervals."""
    return [value.value if isinstance(value, Ranged) else value for value in table.rows[row]]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> list[Section]:
    """Of one model: right, a tie, wrong by LP; u and v are of a benchmark that people judged."""
    folder = tmp_path_factory.mktemp("scored")
    write_scores(folder)
    return report(folder, TOY)


def test_accuracy_by_linking_function_phenomenon_and_paradigm(scored: list[Section]) -> None:
    """LP: 1.5 of 3 pairs; p has 1.5 of 2, q none of 1. The macro averages are both (0.75 + 0) / 2; the deviation over
    the two phenomena is 0.75 / sqrt(2).

    By SLLN-LP the third pair has -4 / 2 against -3 / 1, so it is right too.
    """
    found = tables(scored)
    assert cells(found["accuracy"], 0) == ["counting", 0.5, pytest.approx(2.5 / 3)]
    spread = pytest.approx(0.75 / 2**0.5)
    assert cells(found["accuracy-averages"], 0) == ["counting", "lp", 3, 1, 0, 0.5, 0.375, 0.375, spread]
    assert [cells(found["accuracy-phenomenon-lp"], n) for n in range(3)] == [["p", 0.75], ["q", 0], ["all pairs", 0.5]]
    assert [cells(found["accuracy-paradigm-lp"], n) for n in range(2)] == [["u", "p", 0.75], ["v", "q", 0]]
    value = found["accuracy-phenomenon-lp"].rows[0][1]
    assert isinstance(value, Ranged) and value.ties == 1


def test_length_groups_and_what_they_lack(scored: list[Section]) -> None:
    """Two pairs of equal length, none with the good side shorter, one longer; so there is no delta-acc."""
    found = tables(scored)
    *shown, delta = cells(found["length-groups"], 0)
    assert shown == ["counting", "lp", 2, 0.75, 0, None, 1, 0]
    assert np.isnan(float(delta))  # type: ignore[arg-type]
    best = found["alpha-best"]
    assert [row[1] for row in best.rows] == ["least delta-acc", "highest accuracy"]
    assert "no pairs in D<" in str(best.rows[0][-1])


def test_people_and_how_far_the_model_is_behind(scored: list[Section]) -> None:
    """People had 9 of 10 in p and 1 of 2 in q, 10 of 12 together; the model 0.75, 0 and 0.5."""
    rows = [cells(tables(scored)["people"], number) for number in range(3)]
    assert rows == [
        ["p", 0.9, "counting", pytest.approx(0.15), 0.75],
        ["q", 0.5, "counting", 0.5, 0],
        ["all pairs", pytest.approx(10 / 12), "counting", pytest.approx(1 / 3), 0.5],
    ]


def test_included_and_excluded_paradigms(scored: list[Section]) -> None:
    """One paradigm each: 0.75 and 0."""
    assert cells(tables(scored)["kinds"], 0) == ["counting", "lp", 0.75, 1, 0, 1, 0.75]


def test_what_cannot_be_made_says_why(scored: list[Section]) -> None:
    """One model, no unigrams, no runs, nothing published: each stands on the page with its reason."""
    assert set(reasons(scored).values()) >= {
        "report-one-model",
        "report-no-unigrams",
        "report-no-runs",
        "report-not-published",
    }


def test_figures_are_drawn(scored: list[Section]) -> None:
    """All that one model gives."""
    names = {item.name for section in scored for item in section.items if isinstance(item, Picture)}
    assert names >= {"accuracy-by-phenomenon", "heatmap-phenomena", "heatmap-paradigms", "accuracy-boxes", "human-gap"}


def test_two_models_are_compared_on_the_same_pairs(tmp_path: Path) -> None:
    """Right against wrong in 6 pairs and a tie in one: McNemar's p is 2 / 2^6, the difference 6 of 7."""
    pairs = [pair("u", number, f"甲{'甲' * number}", f"乙{'甲' * number}") for number in range(6)]
    both = Pairs((*pairs, pair("u", 6, "甲乙", "乙甲")))
    for model in (Counting(), Backwards()):
        run_scoring(both, model, out=tmp_path / model.name)
    found = tables(report(tmp_path))["compared"]
    assert cells(found, 0) == ["backwards", "counting", pytest.approx(-6 / 7), 0, 6, *[pytest.approx(2 / 64)] * 2]


def test_choices_that_turn_in_another_dtype_are_counted(tmp_path: Path) -> None:
    """Of three pairs the right one turns; the tie stays one, and 丙 at -3 beats 甲甲甲甲 both at -4 and at -20."""
    declared = {"kind": "causal", "model": "m"}
    run_scoring(PAIRS, Counting("m", {**declared, "dtype": "float32"}), out=tmp_path / "exact" / "m")
    run_scoring(PAIRS, Backwards("m", {**declared, "dtype": "bfloat16"}), out=tmp_path / "rough" / "m")
    found = tables(report(tmp_path))["models"]
    assert [row[2] for row in found.rows] == ["float32", "bfloat16"]
    assert "choices that turn: 1 (lp)" in found.note


def test_models_of_other_pairs_are_not_compared(tmp_path: Path) -> None:
    """Their accuracies stand side by side, but a test of the same pairs there is not."""
    write_scores(tmp_path, name="one")
    write_scores(tmp_path, name="two", pairs=Pairs(tuple(PAIRS)[:2]))
    found = report(tmp_path)
    assert "report-other-pairs" in reasons(found).values()
    assert cells(tables(found)["accuracy-phenomenon-lp"], 1) == ["q", 0, None]


def test_published_results_stand_beside_ones_own(tmp_path: Path) -> None:
    """CLiMP by the models of SLING, Table 7: there the LSTM has 82.6 on anaphor_agreement_gender, by mean LP."""
    write_scores(tmp_path, pairs=Pairs((pair("anaphor_agreement_gender", 0, "甲", "乙"),)))
    table = tables(report(tmp_path))["published-sling-7"]
    row = dict(zip([column.head for column in table.columns], cells(table, 0), strict=True))
    assert row["paradigm"] == "anaphor_agreement_gender"
    assert row["counting (lp)"] == 1
    assert row["lstm †"] == pytest.approx(0.826)
    assert "SLING" in table.note and "mean_lp" in table.title


def test_published_results_of_more_paradigms_say_so(tmp_path: Path) -> None:
    """A phenomenon of one paradigm stands beside one of thirteen; the note keeps readers from comparing them."""
    known = Benchmark("zhoblimp", {"BA_deletion": "included", "BA_inversion": "included"}, {})
    write_scores(tmp_path, pairs=Pairs((pair("BA_deletion", 0, "甲", "乙", phenomenon="BA"),)))
    table = tables(report(tmp_path, known, link="slln:0.5"))["published-zhoblimp-6"]
    row = dict(zip([column.head for column in table.columns], cells(table, 0), strict=True))
    assert (row["counting"], row["Zh-Pythia-14M †"]) == (1, pytest.approx(0.9037))  # Table 6
    assert "Only 1 of 2 paradigms were scored here" in table.note


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> list[Section]:
    """Three sizes on the same data, with four paradigms of 100 pairs; the largest is at half of its way."""
    folder = tmp_path_factory.mktemp("trained")
    for size, rights in {"1m": [60, 75, 10, 30], "10m": [90, 80, 20, 20], "100m": [80, 70, 30, 10]}.items():
        steps = {0: [50, 50, 50, 50], 100: [40, 50, 30, 30], 200: rights}
        facts = {"parameters": int(size[:-1]) * 10**6, "steps": 400 if size == "100m" else 200}
        write_run(folder / size, steps, recipe={"size": size}, facts=facts)
    return report(folder, link="slln:0.5")


def test_difficulty_is_by_the_best_accuracy_and_by_size(trained: list[Section]) -> None:
    """By hand: a has 90 at best, b 80; c and d have 30, and only c grows with size."""
    classes = {row[0]: row[2] for row in tables(trained)["difficulty-paradigms"].rows}
    assert classes == {"a": "easy", "b": "medium", "c": "difficult", "d": "other"}
    assert cells(tables(trained)["difficulty"], 0) == ["400k", 1, 1, 1, 1]


def test_a_run_that_is_not_finished_is_shown_and_named(trained: list[Section]) -> None:
    """With what it has, under every table and figure it is in."""
    found = tables(trained)
    assert {row[0]: row[7] for row in found["runs"].rows} == {"1m": "yes", "10m": "yes", "100m": "no"}
    assert cells(found["accuracy"], 0) == ["1m", pytest.approx(0.4375)]
    assert found["accuracy"].rows[2][0] == "100m (200/400)"
    for name in ("runs", "series", "scaling-fits", "difficulty"):
        assert "100m is not finished: it stands at step 200 of 400." in found[name].note


def test_series_have_their_flops(trained: list[Section]) -> None:
    """6 x 10^6 parameters x 200,000 tokens."""
    assert cells(tables(trained)["series"], 0)[1:5] == [10**6, 200_000, pytest.approx(1.2e12), 1]


def test_fits_and_tests_that_have_too_few_points_say_so_in_their_rows(trained: list[Section]) -> None:
    """Three sizes are too few for a curve with four parameters, and two checkpoints for a dip."""
    found = tables(trained)
    assert {"too few" in str(row[-1]) for row in found["scaling-fits"].rows} == {True}
    assert {"from 3 checkpoints" in str(row[-1]) for row in found["dips"].rows} == {True}


def test_a_dip_is_found_and_fitted(tmp_path: Path) -> None:
    """From 80 of 100 to 20 and back to 90: beyond all noise. Ten checkpoints show the U-shape."""
    curve = [80, 78, 60, 40, 20, 30, 55, 75, 88, 90]
    steps = {2**number: [right, right] for number, right in enumerate(curve)}
    write_run(tmp_path / "r", steps, pairs=100, facts={"steps": 512})
    found = tables(report(tmp_path, link="slln:0.5"))
    head, *_ = found["dips"].rows
    assert head[0] == "all pairs" and head[3] == 16_000 and head[-1] == "dip"
    assert found["u-shape"].rows[0][0] == "all pairs"


def test_a_report_speaks_chinese(tmp_path: Path) -> None:
    """Titles, heads, notes and reasons."""
    write_scores(tmp_path)
    sections = report(tmp_path, language="zh")
    assert [section.title for section in sections][:2] == ["内容概览", "正确率"]
    assert tables(sections)["models"].columns[0].head == "模型"
