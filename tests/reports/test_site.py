"""Which tables a set of results gives, with values worked out by hand, and what stands where a table cannot be made."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from math import nan
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from matplotlib.figure import Figure

import bidui
from bidui.analysis.accuracy import Accuracy
from bidui.benchmarks import Benchmark
from bidui.errors import InputError, OutputRefused, Problem
from bidui.files import sha256
from bidui.intervals import Estimate
from bidui.models.model import TokenScores
from bidui.pairs import Pair, Pairs, Region, Side, write_pairs
from bidui.people.ratings import Rating
from bidui.reports.figures import Drawing, Rows
from bidui.reports.results import collect
from bidui.reports.section import Absent, Extras, Item, Picture, Section, Settings, pictures
from bidui.reports.sections.regions import parse_regions
from bidui.reports.site import INDEX, MANIFEST, alt_text, check_place, contents, page, page_panels, write_report
from bidui.reports.tables import Below, Column, Table, Value
from bidui.scores.links import lp, slln_lp
from bidui.scores.milestones import AlphaCount, write_alphas
from bidui.scores.run import run_scoring
from bidui.scores.unigrams import UNIGRAMS, Unigrams, write_unigrams
from bidui.words import Language, texts
from tests.reports.small import PAIRS, write_run, write_scores
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
    links = (lp(), slln_lp())
    settings = Settings(links, main=link, usual=False, language=language, benchmarks=benchmarks)
    return list(contents(collect(folder), settings))


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
    return [value.value if isinstance(value, Estimate | Accuracy) else value for value in table.rows[row]]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> list[Section]:
    """Of one model: right, a tie, wrong by LP; u and v are of a benchmark that people judged."""
    folder = tmp_path_factory.mktemp("scored")
    write_scores(folder)
    return report(folder, TOY)


def test_conditions_have_a_table_and_a_figure_and_other_columns_are_left_out(tmp_path: Path) -> None:
    """`far` is a condition. `item` differs in every pair, and `type` is another name of the paradigm.

    By LP the three pairs are right, a tie and wrong: far=no has 1 of 1, far=yes 0.5 of 2. Without phenomena, a table or
    figure by phenomenon would have a single row without a name.
    """
    own = zip(PAIRS, ("1", "2", "3"), ("U", "U", "V"), ("no", "yes", "yes"), strict=True)
    pairs = [
        replace(one, phenomenon="", columns=(("item", item), ("type", kind), ("far", far)))
        for one, item, kind, far in own
    ]
    write_scores(tmp_path, pairs=Pairs(tuple(pairs)))
    sections = report(tmp_path)
    found = tables(sections)
    assert [cells(found["accuracy-column-far-lp"], row) for row in range(3)] == [
        ["no", 1],
        ["yes", 0.25],
        ["all pairs", 0.5],
    ]
    pictures = {item.name: item for section in sections for item in section.items if isinstance(item, Picture)}
    assert [row[:3] for row in pictures["accuracy-column-far"].drawing.rows.lines] == [
        ("no", "counting", 1.0),
        ("yes", "counting", 0.25),
    ]
    absent = {
        title: kind for title, kind in reasons(sections).items() if kind.startswith(("report-column", "report-no-ph"))
    }
    assert absent == {
        "accuracy: Accuracy by phenomenon with intervals (lp)": "report-no-phenomena",
        "accuracy: Accuracy by item (lp)": "report-column-single",
        "accuracy: Accuracy by type (lp)": "report-column-same",
    }
    assert not {
        name for name in (*found, *pictures) if name.startswith(("accuracy-phenomenon", "accuracy-by-ph", "heatmap-ph"))
    }


def test_accuracy_by_linking_function_phenomenon_and_paradigm(scored: list[Section]) -> None:
    """LP: 1.5 of 3 pairs; p has 1.5 of 2, q none of 1. The macro averages are both (0.75 + 0) / 2; the deviation over
    the two phenomena is 0.75 / sqrt(2).

    By SLLN-LP the third pair has -4 / 2 against -3 / 1, so it is right too. People, last, had 9 of 10 and 1 of 2.
    """
    found = tables(scored)
    assert cells(found["accuracy"], 0) == ["counting", 0.5, pytest.approx(2.5 / 3)]
    spread = pytest.approx(0.75 / 2**0.5)
    assert cells(found["accuracy-averages"], 0) == ["counting", "lp", 3, 1, 0, 0.5, 0.375, 0.375, spread]
    rows = [cells(found["accuracy-phenomenon-lp"], n) for n in range(3)]
    ranges = ["75.0–75.0", "0.0–100.0", "50.0–83.3"]  # over the two linking functions
    assert [row[:-1] for row in rows] == [["p", 0.75, 0.9], ["q", 0, 0.5], ["all pairs", 0.5, pytest.approx(10 / 12)]]
    assert [row[-1] for row in rows] == ranges
    assert [cells(found["accuracy-paradigm-lp"], n) for n in range(2)] == [["u", "p", 0.75, 0.9], ["v", "q", 0, 0.5]]
    value = found["accuracy-phenomenon-lp"].rows[0][1]
    assert isinstance(value, Accuracy) and value.ties == 1


def test_length_groups_and_what_they_lack(scored: list[Section]) -> None:
    """Two pairs of equal length, none with the good side shorter, one longer; so there is no delta-acc."""
    found = tables(scored)
    *shown, delta = cells(found["length-groups"], 0)
    assert shown == ["counting", "lp", 2, 0.75, 0, None, 1, 0]
    assert np.isnan(float(delta))  # type: ignore[arg-type]
    best = found["alpha-best"]
    assert [row[1] for row in best.rows] == ["lowest delta-acc", "highest accuracy"]
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


def test_table_8_stands_below_ones_own_kinds(tmp_path: Path) -> None:
    """Ours has 1 and 0 of 1; the paper's last row, SLLN-LP, has 87.0 and 78.2 of 118 and 11 paradigms."""
    known = Benchmark("zhoblimp", {"u": "included", "v": "excluded"}, {})
    write_scores(tmp_path, pairs=Pairs((pair("u", 0, "甲", "乙"), pair("v", 0, "乙", "甲"))))
    table = tables(report(tmp_path, known))["kinds"]
    assert cells(table, 0) == ["counting", "lp", 1, 1, 0, 1, 1]
    last = ["Zh-Pythia-160M †", "slln:0.5", 0.87, 118, 0.782, 11, pytest.approx(0.088)]
    assert cells(table, -1) == last and "Table 8" in table.note


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


def test_people_stand_in_the_figures_of_accuracy(scored: list[Section]) -> None:
    """Last, after the models: 9 of 10 in p, and in u, which is all of it."""
    drawn = {item.name: item.drawing.rows for one in scored for item in one.items if isinstance(item, Picture)}
    for name, group in (("heatmap-phenomena", "p"), ("heatmap-paradigms", "u")):
        assert drawn[name].head[-1] == "Humans"
        assert drawn[name].lines[0][1] == group and drawn[name].lines[0][-1] == 0.9
    assert any("Humans" in line for line in drawn["accuracy-by-phenomenon"].lines)


def test_two_models_are_compared_on_the_same_pairs(tmp_path: Path) -> None:
    """Right against wrong in 6 pairs and a tie in one: McNemar's p is 2 / 2^6, the difference 6 of 7."""
    pairs = [pair("u", number, f"甲{'甲' * number}", f"乙{'甲' * number}") for number in range(6)]
    both = Pairs((*pairs, pair("u", 6, "甲乙", "乙甲")))
    for model in (Counting(), Backwards()):
        run_scoring(both, model, out=tmp_path / model.name)
    found = tables(report(tmp_path))["compared"]
    p = pytest.approx(2 / 64)
    assert cells(found, 0) == ["backwards", "counting", pytest.approx(-6 / 7), p, p, 1.0, 0, 6, p]
    assert "nothing can be said about other paradigms" in found.note and "for these paradigms" in found.note


def test_choices_that_turn_in_another_dtype_are_counted(tmp_path: Path) -> None:
    """Of three pairs the right one turns; the tie stays one, and 丙 at -3 beats 甲甲甲甲 both at -4 and at -20."""
    declared = {"kind": "causal", "model": "m"}
    run_scoring(PAIRS, Counting("m", {**declared, "dtype": "float32"}), out=tmp_path / "exact" / "m")
    run_scoring(PAIRS, Backwards("m", {**declared, "dtype": "bfloat16"}), out=tmp_path / "rough" / "m")
    found = tables(report(tmp_path))["models"]
    assert [row[2] for row in found.rows] == ["float32", "bfloat16"]
    assert "choices that differ: 1 (lp)" in found.note


def test_models_of_other_pairs_are_not_compared(tmp_path: Path) -> None:
    """Each set of pairs has its own tables."""
    write_scores(tmp_path, name="one")
    write_scores(tmp_path, name="two", pairs=Pairs(tuple(PAIRS)[:2]))
    found = report(tmp_path)
    assert list(reasons(found).values()).count("report-one-model") == 2
    assert cells(tables(found)["accuracy-phenomenon-lp-1"], 1) == ["q", 0, "0.0–100.0"]
    assert [row[0] for row in tables(found)["accuracy-phenomenon-lp-2"].rows] == ["p", "all pairs"]


def test_published_results_stand_beside_ones_own(tmp_path: Path) -> None:
    """CLiMP by the models of SLING, Table 7: there the LSTM has 82.6 on anaphor_agreement_gender, by mean LP."""
    write_scores(tmp_path, pairs=Pairs((pair("anaphor_agreement_gender", 0, "甲", "乙"),)))
    table = tables(report(tmp_path))["published-sling-7"]
    row = dict(zip([column.head for column in table.columns], cells(table, 0), strict=True))
    assert row["paradigm"] == "anaphor_agreement_gender"
    assert row["counting (lp)"] == 1
    assert row["lstm †"] == pytest.approx(0.826)
    assert "SLING" in table.note and "mean_lp" in table.title


def test_people_and_own_models_stand_in_every_table_of_zhoblimp(tmp_path: Path) -> None:
    """Table 6 prints 96.15 for people on BA; Table 5 has D= 88.20 by LP, and ours has one pair there, chosen right."""
    known = Benchmark("zhoblimp", {"BA_deletion": "included"}, {"BA_deletion": (28, 28)})
    write_scores(tmp_path, pairs=Pairs((pair("BA_deletion", 0, "甲", "乙", phenomenon="BA"),)))
    sections = report(tmp_path, known)
    found = tables(sections)
    for name, people in (("published-zhoblimp-6", 0.9615), ("published-zhoblimp-first-4", 0.962)):
        row = dict(zip([column.head for column in found[name].columns], cells(found[name], 0), strict=True))
        assert (cells(found[name], 0)[1], row["human †"]) == (1, pytest.approx(people))
    first, second = (cells(found["published-zhoblimp-5"], row) for row in (0, 1))
    assert first[:3] == ["lp", "counting", 1] and second[:3] == ["lp", "Zh-Pythia-160m-cllama †", 0.882]
    by_lp = [row for row in found["published-zhoblimp-5"].rows if row[0] == "lp"]
    assert by_lp[-1] == ("lp", "mean of 3 models †", None, None, None, pytest.approx(0.1974), pytest.approx(0.8344))
    drawn = {item.name: item for one in sections for item in one.items if isinstance(item, Picture)}
    rows = drawn["published-zhoblimp-6"].drawing.rows
    assert dict(zip(rows.head, rows.lines[0], strict=True))["human †"] == pytest.approx(0.9615)


def test_own_models_have_a_mean_for_each_linking_function_as_table_5_has(tmp_path: Path) -> None:
    """One is right and one wrong, on a pair of equal length; settings of MORCELA stay together with their mean."""
    known = Benchmark("zhoblimp", {"BA_deletion": "included"}, {"BA_deletion": (28, 28)})
    pairs = Pairs((pair("BA_deletion", 0, "甲", "乙", phenomenon="BA"),))
    for model in (Backwards(), Counting()):
        run_scoring(pairs, model, out=tmp_path / model.name)
    table = tables(report(tmp_path, known))["published-zhoblimp-5"]
    assert [(*cells(table, row)[:3], cells(table, row)[-1]) for row in range(3)] == [
        ("lp", "backwards", 0, 0),
        ("lp", "counting", 1, 1),
        ("lp", "mean of 2 models", 0.5, 0.5),
    ]
    assert cells(table, 2)[3:6] == [None, None, None]  # no pairs of D< and D>
    links = [row[0] for row in table.rows]
    assert [link for link in links if str(link).startswith("morcela")] == links[links.index("morcela:0.6,18") :][:4]


def test_climp_as_released_stands_beside_its_people(tmp_path: Path) -> None:
    """By hand: classifiers 1 and 0 of 1, ba 1 of 1. Over paradigms 2/3; over phenomena, as SLING averages, 3/4.

    The released file of the ba construction has no name for its paradigm, so its pairs are called as the file.
    """
    made = [
        pair("classifier", 0, "甲", "乙"),
        pair("classifier_adj", 0, "乙", "甲"),
        pair("ba_construction_1000", 0, "甲", "乙"),
    ]
    write_scores(tmp_path, pairs=Pairs(tuple(made)))
    found = tables(report(tmp_path))
    climp, sling = found["published-climp-2"], found["published-sling-7"]
    heads = [column.head for column in climp.columns]
    assert heads[1:3] == ["counting", "human †"]  # both by LP
    assert [cells(climp, row)[:3] for row in range(3)] == [
        ["Classifier", 0.5, pytest.approx(0.997)],
        ["ba construction", 1, pytest.approx(0.85)],
        ["over paradigms (macro)", pytest.approx(2 / 3), pytest.approx(0.958)],
    ]
    assert [cells(sling, row)[:2] for row in range(4)] == [
        ["ba_construction", 1],
        ["classifier", 1],
        ["classifier_adj", 0],
        ["over phenomena (macro)", 0.75],
    ]
    assert "Only 3 of 16 paradigms were scored here" in climp.note
    assert cells(found["kinds-local"], 0)[2:] == [0.5, 2, 1, 1, -0.5]


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
        assert "100m is not finished: it is at step 200 of 400." in found[name].note


def test_series_have_their_flops(trained: list[Section]) -> None:
    """6 x 10^6 parameters x 200,000 tokens."""
    assert cells(tables(trained)["series"], 0)[1:5] == [10**6, 200_000, pytest.approx(1.2e12), 1]


def test_fits_and_tests_that_have_too_few_points_say_so_in_their_rows(trained: list[Section]) -> None:
    """Three sizes are too few for a curve with four parameters, and two checkpoints for a dip."""
    found = tables(trained)
    assert {"too few" in str(row[-1]) for row in found["scaling-fits"].rows} == {True}
    assert {"too few to test for a dip" in str(row[-1]) for row in found["dips"].rows} == {True}


@pytest.mark.slow
def test_a_dip_is_found_where_most_runs_have_it(tmp_path: Path) -> None:
    """From 80 of 100 to 20 and back to 90 in three seeds: beyond all noise. One run says nothing about others."""
    curve = [80, 78, 60, 40, 20, 30, 55, 75, 88, 90]
    for seed in range(3):
        steps = {2**number: [right + seed, right - seed] for number, right in enumerate(curve)}
        write_run(tmp_path / f"r{seed}", steps, pairs=100, recipe={"seed": seed}, facts={"steps": 512})
    sections = report(tmp_path, link="slln:0.5")
    found = tables(sections)
    head, *_ = found["dips"].rows
    assert head[0] == "all pairs" and head[3] == 16_000 and head[5] == pytest.approx(0.58)  # from 78
    assert head[7] == "3 of 3" and isinstance(head[8], Below) and head[-1] == "dip"
    pictures = {item.name: item for one in sections for item in one.items if isinstance(item, Picture)}
    assert "learning-curves-fitted" in pictures
    (row,) = found["series"].rows
    assert isinstance(row[5], Estimate) and row[5].value == pytest.approx(0.9)


def test_a_learning_curve_is_averaged_over_sizes_and_seeds(tmp_path: Path) -> None:
    """At 1,000 tokens two seeds of one size have 50 and 60 of 100, another size 75: the mean of 55 and 75 is 65.

    The deviation is that of the two sizes, √200 = 14.14: the band is 50.86 to 79.14.
    """
    for number, (size, seed, right) in enumerate((("1m", 0, 50), ("1m", 1, 60), ("2m", 0, 75))):
        facts = {"parameters": 1_000_000 * int(size[0]), "steps": 2}
        write_run(tmp_path / f"r{number}", {1: [right], 2: [90]}, recipe={"size": size, "seed": seed}, facts=facts)
    sections = report(tmp_path, link="slln:0.5")
    pictures = {item.name: item for one in sections for item in one.items if isinstance(item, Picture)}
    line = pictures["learning-curves-mean"].drawing.rows.lines[0]
    ends = (pytest.approx(x, abs=1e-4) for x in (0.65, 0.5086, 0.7914))
    assert line == ("all pairs", "mean of 2 sizes (3 runs)", "run", 1000, *ends)


def test_a_report_speaks_chinese(tmp_path: Path) -> None:
    """Titles, heads, notes and reasons."""
    write_scores(tmp_path)
    sections = report(tmp_path, language="zh")
    assert [section.title for section in sections][:2] == ["概览", "正确率"]
    assert tables(sections)["models"].columns[0].head == "模型"


def test_a_run_that_counted_by_alpha_has_its_sweep_without_any_scores(tmp_path: Path) -> None:
    """So the alpha sweep of published results can be drawn again from tables of some lines."""
    write_run(tmp_path / "r", {100: [50, 60], 400: [70, 80]})
    counts = [AlphaCount(100, 0.0, (9, 9, 9), (9, 9, 9))]  # of an earlier checkpoint
    counts += [AlphaCount(400, 0.0, (2, 4, 5), (1, 4, 1)), AlphaCount(400, 1.0, (2, 4, 5), (1, 3, 4))]
    write_alphas(tmp_path / "r", counts)
    found = report(tmp_path, link="slln:0.5")
    rows = tables(found)["alpha-sweep-values"].rows
    assert [list(row[:3]) for row in rows] == [["r", 0.0, 6 / 11], ["r", 1.0, 8 / 11]]
    assert [list(row[3:6]) for row in rows] == [[0.5, 1.0, 0.2], [0.5, 0.75, 0.8]]
    (section,) = [section for section in found if section.name == "length"]
    assert "alpha-sweep" in [item.name for item in section.items if isinstance(item, Picture)]


def test_a_run_that_did_not_count_by_alpha_says_why_there_is_no_sweep(tmp_path: Path) -> None:
    write_run(tmp_path / "r", {400: [70, 80]})
    title = texts("report", "en")["alpha-sweep"]
    assert reasons(report(tmp_path, link="slln:0.5"))[f"length: {title}"] == "report-no-scores"


# What pairs, ratings and a word list add to a report, with values worked out by hand.


def report_with(folder: Path, given: Extras) -> list[Section]:
    settings = Settings((lp(),), main="lp", usual=False, extras=given)
    return list(contents(collect(folder), settings))


def test_where_all_pairs_are_ties_no_table_says_one_half(tmp_path: Path) -> None:
    """50.00 with an interval would look like chance that was measured."""
    ties = Pairs(tuple(pair("u", number, "甲乙", "乙甲", phenomenon="p") for number in range(30)))
    write_scores(tmp_path, pairs=ties)
    sections = report_with(tmp_path, Extras())
    found = tables(sections)
    names = ("accuracy", "accuracy-averages", "accuracy-phenomenon-lp", "accuracy-paradigm-lp")
    assert all("no pair is decided" in found[name].rows[0] for name in names)
    assert cells(found["length-groups"], 0) == ["counting", "lp", 30, None, 0, None, 0, None, None]
    assert reasons(sections)["accuracy: Figures"] == "report-link-absent"


def test_the_only_linking_function_is_not_called_the_least_biased(tmp_path: Path) -> None:
    """LP is right in D= and D<, and wrong in D>: its delta-acc is half of 100 points."""
    sentences = (("甲甲", "甲乙"), ("甲", "甲甲"), ("甲甲甲甲", "丙"))
    write_scores(tmp_path, pairs=Pairs(tuple(pair("u", n, *both, phenomenon="p") for n, both in enumerate(sentences))))
    about = {section.name: section.about for section in report_with(tmp_path, Extras())}["accuracy"]
    assert about.startswith("Details are shown by lp, whose delta-acc is 50.0 points here.")


def test_what_was_not_given_is_named_with_its_option(tmp_path: Path) -> None:
    write_scores(tmp_path)
    found = reasons(report_with(tmp_path, Extras()))
    kinds = {title: kind for title, kind in found.items() if kind == "report-no-given"}
    assert list(kinds) == ["regions: Regions", "ratings: Graded ratings", "frequencies: Word frequencies"]


def test_regions_by_phenomenon_summed_and_averaged(tmp_path: Path) -> None:
    """Sums: 甲 less 乙 is 1 and 甲乙 less 乙甲 is 0, so p has 0.5 with a deviation of √0.5; 甲甲甲甲 less 丙 is -1.

    Averaged over tokens, the last is -1 less -3. What comes before the change is the same, and not shown.
    """
    write_scores(tmp_path)
    found = tables(report_with(tmp_path, Extras(pairs=tuple(PAIRS))))
    assert [cells(found["regions"], row) for row in range(2)] == [["p", "changed", 2, 0.5], ["q", "changed", 1, -1]]
    value = found["regions"].rows[0][3]
    assert isinstance(value, Estimate) and value.high - 0.5 == pytest.approx(1.959964 * 0.5)
    assert cells(found["regions-phenomenon-mean"], 1) == ["q", "changed", 1, 2]
    assert cells(found["regions-paradigm-sum"], 1) == ["v", "q", "changed", 1, -1]
    assert len(found["regions"].rows) == 2


def test_regions_of_ones_own_are_made_of_slots(tmp_path: Path) -> None:
    """The noun is 甲 against 丙: 2 nats; the verb 乙 is on both sides; of v nothing is named, so it is left out."""
    named = Pair(
        "甲乙",
        "丙乙",
        "u",
        "p",
        0,
        regions=(Region("good", 0, 1, "noun", ""), Region("bad", 0, 1, "noun", "")),
        slots=(("noun", "甲"), ("verb", "乙")),
    )
    pairs = (named, pair("v", 0, "甲", "乙", phenomenon="q"))
    write_scores(tmp_path, pairs=Pairs(pairs))
    found = tables(report_with(tmp_path, Extras(pairs=pairs, regions=parse_regions(["NP=noun", "VP=verb"]))))
    assert [cells(found["regions"], row) for row in range(len(found["regions"].rows))] == [["p", "NP", 1, 2]]
    assert cells(found["regions-slots-sum"], 0) == ["u", "p", "noun", 1, 2]


@pytest.mark.parametrize(
    ("regions", "told"),
    [
        (
            ["NP=noun,vreb"],
            "no scored pair has the slot or word vreb of the region NP; there are: verb, noun, head, head.word, 乙",
        ),
        (["NP=noun", "VP=head.adv"], "no scored pair has the slot or word head.adv of the region VP"),
        (["NP=noun", "VP=noun"], "the slot noun is in two regions, NP and VP"),
        (["rest=noun"], "rest=noun: the name rest stands for what no region covers"),
    ],
)
def test_a_mistyped_region_is_refused_with_the_names_that_exist(tmp_path: Path, regions: list[str], told: str) -> None:
    """A slot that no pair has was accepted, and its region got the number of whatever else was in it."""
    own = pair("u", 0, "甲乙丁", "丙乙丁", phenomenon="p")
    slots = (("noun", "甲"), ("verb", "乙"), ("head.word", "丁"))
    pairs = Pairs((replace(own, slots=slots, regions=(Region("good", 1, 2, "乙", "keep"),)),))
    write_scores(tmp_path / "results", pairs=pairs)
    write_pairs(pairs, tmp_path / "pairs")
    with pytest.raises(InputError) as caught:
        bidui.report(tmp_path / "results", out=tmp_path / "site", pairs=tmp_path / "pairs", regions=regions)
    assert told in str(caught.value) and all(problem.text("zh") for problem in caught.value.problems)
    assert not (tmp_path / "site").exists()


def test_a_model_of_other_pairs_is_named_and_the_others_stay(tmp_path: Path) -> None:
    write_scores(tmp_path, name="one")
    write_scores(tmp_path, name="two", pairs=Pairs((pair("u", 0, "丙", "丁"),)))
    sections = report_with(tmp_path, Extras(pairs=tuple(PAIRS)))
    assert reasons(sections)["regions-2: Regions, two (#2)"] == "regions-other-pairs"
    assert [column.name for column in tables(sections)["regions-1"].columns][3:] == ["one"]


def test_regions_are_traced_over_the_checkpoints_of_a_run(tmp_path: Path) -> None:
    """Both checkpoints are the same model: u has (1 + 0) / 2, v has -1 + 3, averaged over tokens.

    The accuracy is there too: by LP, u is right and a tie, v is wrong (-4 against -3).
    """
    write_run(tmp_path / "run", {400: [2, 1]}, uids={"u": ("p", 2), "v": ("q", 1)})
    for step in (1, 400):
        write_scores(tmp_path / "run" / "scores", name=f"step-{step:06d}")
    sections = report_with(tmp_path, Extras(pairs=tuple(PAIRS)))
    pictures = {item.name: item for section in sections for item in section.items if isinstance(item, Picture)}
    lines = pictures["regions-step-000400"].drawing.rows.lines
    assert [(*line[:2], *line[3:5]) for line in lines] == [
        ("u", "changed", 1.0, 0.5),
        ("u", "changed", 400.0, 0.5),
        ("v", "changed", 1.0, 2.0),
        ("v", "changed", 400.0, 2.0),
        ("u", "", 1.0, 0.75),
        ("u", "", 400.0, 0.75),
        ("v", "", 1.0, 0.0),
        ("v", "", 400.0, 0.0),
    ]
    assert [line[2] for line in lines[4:]] == ["accuracy"] * 4


def rated(rater: str, values: list[float]) -> list[Rating]:
    """Of all sentences of PAIRS, good and bad in turn."""
    sides = [(one, side) for one in PAIRS for side in ("good", "bad")]
    found = zip(sides, values, strict=True)
    return [Rating(rater, one.uid, one.pair_id, "good" if s == "good" else "bad", v) for (one, s), v in found]


def test_ratings_that_follow_lp_correlate_with_it_whatever_the_scale_of_the_rater(tmp_path: Path) -> None:
    """LP is -2, -3, -3, -3, -4, -3. One rater adds 10, another doubles that; z-scored, both say the same.

    A third gives 4 to everything, and is named. One sentence was not scored, and one other side not rated.
    """
    write_scores(tmp_path)
    mild, strict = [8.0, 7, 7, 7, 6, 7], [16.0, 14, 14, 14, 12, 14]
    ratings = [*rated("mild", mild), *rated("strict", strict), *rated("bored", [4.0] * 6)]
    ratings += [Rating("mild", "w", 0, "good", 3)]
    found = tables(report_with(tmp_path, Extras(ratings=tuple(ratings))))
    assert cells(found["ratings-pointwise"], 0)[:3] == ["lp", pytest.approx(1), pytest.approx(0.3244)]  # Table 7
    assert cells(found["ratings-pairwise"], 0)[:2] == ["lp", pytest.approx(1)]
    assert {row[0]: row[1] for row in found["ratings-pointwise"].rows}["morcela"] is None  # printed only
    assert cells(found["ratings-counts"], 0) == ["counting", 6, 3, 1, 0]
    assert "19 ratings by 3 raters" in found["ratings-counts"].note and "bored" in found["ratings-counts"].note


def test_morcela_is_fitted_to_ratings_and_judged_on_other_paradigms(tmp_path: Path) -> None:
    """Ratings are twice LP per token: beta and gamma are 0, and r is 1 on paradigms that were left out, too.

    All models and linking functions have their dots, with r.
    """
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice([*"甲乙丙丁"], rng.integers(2, 7))) for _ in range(48)]
    made = [pair("uvw"[n % 3], n // 3, texts[2 * n], texts[2 * n + 1]) for n in range(24)]
    write_scores(tmp_path, pairs=Pairs(tuple(made)))
    counts = Unigrams(np.array([0, 40, 30, 5, 9, 1]), "")
    (tmp_path / "counting" / UNIGRAMS).write_bytes(write_unigrams(counts))
    ratings = tuple(
        Rating("r", one.uid, one.pair_id, side, 2 * scores(getattr(one, side)).logprob / len(getattr(one, side)))
        for one in made
        for side in get_args(Side)
    )
    sections = report_with(tmp_path, Extras(ratings=ratings))
    found = tables(sections)
    own = {row[0]: row[1] for row in found["ratings-pointwise"].rows}["morcela"]
    assert isinstance(own, Estimate) and own.value == pytest.approx(1)
    for row in (0, 1):
        model, over, beta, gamma, _, _, default, fitted, held_out, _ = cells(found["ratings-morcela"], row)
        assert (model, over) == ("counting", ("sentences", "pairs")[row])
        assert (beta, gamma) == (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9))
        assert (fitted, held_out) == (pytest.approx(1), pytest.approx(1))
        assert isinstance(default, float) and default < 1
    drawn = {item.name: item for one in sections for item in one.items if isinstance(item, Picture)}
    assert len(drawn["ratings-scatter-pointwise"].drawing.rows.lines) == 48
    assert len(drawn["ratings-scatter-pairwise"].drawing.rows.lines) == 24
    assert {line[0] for line in drawn["ratings-scatter-links"].drawing.rows.lines} == {"lp"}


def test_ratings_of_other_sentences_say_so(tmp_path: Path) -> None:
    write_scores(tmp_path)
    ratings = tuple(Rating("r", "other", number, "good", number) for number in range(4))
    assert "report-unrated" in reasons(report_with(tmp_path, Extras(ratings=ratings))).values()


def test_ratings_of_single_sentences_correlate_over_sentences(tmp_path: Path) -> None:
    """Good sides alone have LP -2, -3, -4 and are rated so; there is no pair to take a difference in."""
    write_scores(tmp_path)
    sentences = [("u", 0, 3.0), ("u", 1, 2.0), ("v", 0, 1.0)]
    sections = report_with(
        tmp_path, Extras(ratings=tuple(Rating("r", uid, n, "good", value) for uid, n, value in sentences))
    )
    found = tables(sections)
    assert cells(found["ratings-pointwise"], 0)[:2] == ["lp", pytest.approx(1)]
    assert cells(found["ratings-counts"], 0) == ["counting", 3, 0, 0, 3]
    assert "ratings-pairwise" not in found and "report-few-rated" in reasons(sections).values()


def test_raters_who_never_vary_are_the_reason_that_is_given(tmp_path: Path) -> None:
    """It used to be said that no rated sentence was scored."""
    write_scores(tmp_path)
    found = reasons(report_with(tmp_path, Extras(ratings=tuple(rated("bored", [4.0] * 6)))))
    assert "report-raters-constant" in found.values() and "report-unrated" not in found.values()


def test_words_of_the_pairs_stand_in_bands_of_ranks(tmp_path: Path) -> None:
    """Of 甲 in two pairs, 乙 in one and 丙 in one, the list has 甲 and 乙: two of three words, three of four uses."""
    write_scores(tmp_path)
    pairs = (Pair("甲乙", "乙甲", "u", "p", 0, words=("甲", "乙")), Pair("甲", "丙", "u", "p", 1, words=("甲", "丙")))
    sections = report_with(tmp_path, Extras(pairs=pairs, frequencies={"甲": 9.0, "丁": 5.0, "乙": 2.0}))
    found = tables(sections)
    assert cells(found["frequencies"], 0) == ["1–1,000", 2, pytest.approx(2 / 3), 0.75]
    assert cells(found["frequencies"], -1) == ["not in the list", 1, pytest.approx(1 / 3), 0.25]
    assert [row[0::3] for row in found["frequencies-words"].rows] == [("甲", 1), ("乙", 3), ("丙", None)]
    assert "frequencies" in {item.name for one in sections for item in one.items if isinstance(item, Picture)}
    assert "Half of them have a rank of at most 3." in found["frequencies"].note
    rare = tables(report_with(tmp_path, Extras(pairs=pairs, frequencies={"甲": 9.0})))
    assert "More than half of them are not in the list." in rare["frequencies"].note


# The page: whole HTML, safe, in both languages, and without anything from elsewhere.


VOID = {"meta", "img", "br", "link", "hr", "input"}
EVIL = '<script>alert(1)</script> & "it\'s"'
TABLE = Table(
    "t", "A table", (Column("a", EVIL), Column("b", "b", "percent")), ((EVIL, Estimate(0.5, 0.4, 0.6)),), note=EVIL
)


@dataclass
class Reader(HTMLParser):
    """Follows the tags of a page: those still open, all links and sources, ids, and the text."""

    open: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.targets += [str(found[name]) for name in ("href", "src") if name in found]
        self.ids += [str(found["id"])] if "id" in found else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def made(*items: Item, language: Language = "en", files: tuple[Table, ...] = ()) -> tuple[str, Reader]:
    section = Section("one", "One", "About it.", items, files)
    html = page([section], title=EVIL, footer="made by hand", language=language)
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return html, reader


def picture(name: str = "f") -> Picture:
    return Picture(name, "A figure", Drawing(Figure(figsize=(6.9, 3)), Rows(("a",), ((1,),))), "How to read it.")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_is_whole_html_without_anything_from_elsewhere(language: Language) -> None:
    """It is opened from a disk, on a train, and by a screen reader."""
    html, reader = made(TABLE, picture(), Absent("gone", (Problem("report-no-runs"),)), language=language)
    assert html.startswith("<!DOCTYPE html>")
    assert f'<html lang="{"zh-Hans" if language == "zh" else "en"}">' in html
    assert not re.search(r"https?:|//[a-z]|@import|url\(", html)
    assert "script" not in reader.tags
    assert {"h1", "h2", "h3", "main", "nav", "footer"} <= set(reader.tags)
    assert len(reader.ids) == len(set(reader.ids))
    assert {target[1:] for target in reader.targets if target.startswith("#")} <= set(reader.ids)


def test_what_a_user_named_cannot_become_a_tag() -> None:
    """Names of models come from folders and files of others."""
    _, reader = made(TABLE)
    assert "script" not in reader.tags
    assert reader.text.count(EVIL) == 5  # the title twice, head, cell, note


def test_links_go_to_the_files_of_every_table_and_figure() -> None:
    """By hand: three formats of two tables, four of the figure, and the figure itself as SVG."""
    _, reader = made(TABLE, picture("g"), files=(Table("u", "U", (), ()),))
    files = [target for target in reader.targets if not target.startswith("#")]
    assert sorted(files) == sorted(
        [f"tables/{name}.{end}" for name in "tu" for end in ("csv", "md", "tex")]
        + [f"figures/g.{end}" for end in ("svg", "svg", "pdf", "png", "csv")]
    )


def test_what_is_absent_is_named_with_the_reason_in_the_language_of_the_page() -> None:
    """It must not vanish; and three things with one reason are said once."""
    gone = tuple(Absent(title, (Problem("report-no-unigrams"),)) for title in ("A", "B"))
    _, english = made(*gone)
    assert "A · B" in english.text and english.text.count("which MORCELA needs") == 1
    _, chinese = made(*gone, language="zh")
    assert "一元词频" in chinese.text


def test_a_reason_begins_with_a_capital_but_an_option_or_a_name_stays_as_it_is() -> None:
    """A style of the page once made --Pairs of --pairs, which nobody can type."""
    reasons = (Problem("report-no-given", values={"option": "--pairs"}), Problem("report-no-runs"))
    text, found = made(Absent("A", reasons))
    assert "--pairs was not given" in found.text and "There are no training runs" in found.text
    assert "first-letter" not in text


def test_what_is_absent_stands_in_a_fold_at_the_end_and_empty_sections_do_not_stand_at_all() -> None:
    """Pages were full of dashed boxes. What was left out of the results stays where it is seen."""
    gone, left = Absent("Gone", (Problem("report-no-runs"),)), Absent("Left", (Problem("report-no-scores"),), here=True)
    sections = [Section("a", "A", "", (gone,)), Section("b", "B", "", (TABLE, gone, left))]
    html = page(sections, title="T", footer="", language="en")
    assert 'href="#a"' not in html and 'id="a"' not in html and 'id="b"' in html
    assert html.index("<h3>Left") < html.index('id="absent"') < html.index("<details") < html.index("<h3>Gone")
    assert html.count("<h3>Gone") == 1


def test_a_wide_table_is_divided_on_the_page() -> None:
    """Twenty models at 1280 pixels: every one in one panel, after the names of the rows."""
    columns = (Column("g", "phenomenon"), *(Column(f"m{n}", f"model-{n}", "percent") for n in range(20)))
    table = Table("t", "T", columns, (("argument_structure", *[Estimate(0.5, 0.4, 0.6)] * 20),))
    panels = page_panels(table)
    assert len(panels) > 1 and all(panel[0] == 0 for panel in panels)
    assert [number for panel in panels for number in panel[1:]] == list(range(1, 21))
    assert made(table)[0].count("<table") == len(panels)
    assert page_panels(TABLE) == [[0, 1]]


def test_sentences_are_wrapped_and_stand_in_the_first_panel_only() -> None:
    """A Chinese sentence of 25 characters is as wide as 50 letters; repeated in every panel, it left room for one."""
    columns = (
        Column("pair", "pair"),
        Column("good", "good"),
        *(Column(f"m{n}", f"m{n}", "percent") for n in range(12)),
    )
    table = Table("pairs", "Pairs", columns, (("u/0", "好" * 25, *(0.5 for _ in range(12))),))
    first, *others = page_panels(table)
    assert first[:2] == [0, 1] and all(panel[0] == 0 and 1 not in panel for panel in others)
    assert '<td class="sentence">' in page([Section("s", "S", "", (table,))], title="t", footer="", language="en")


def test_a_short_table_is_shown_whole_and_no_dagger_stands_alone() -> None:
    """A box of a fixed height once hid the last rows of tables that are not folded, without a sign of it."""
    table = Table("t", "T", (Column("g", "g"), Column("x", "Qwen2.5-7B †", "percent")), (("a", 0.5),))
    html = made(table)[0]
    assert "details .scroll { max-height: 34rem; }" in html and html.count("34rem") == 1
    assert "Qwen2.5-7B\u00a0†" in html


def test_a_figure_is_described_by_what_it_shows() -> None:
    """The title alone tells a blind reader nothing; the lowest and highest values do, with their names."""
    rows = Rows(("group", "model", "accuracy"), (("BA", "a", 0.5), ("question", "b", 0.875), ("BA", "b", nan)))
    drawn = Picture("f", "Accuracy", Drawing(Figure(), rows))
    assert alt_text(drawn, "en") == (
        "Accuracy. 2 values, from 50.0 (BA, a) to 87.5 (question, b); the CSV file lists them all."
    )


def test_more_models_than_colours_are_divided_among_figures() -> None:
    """Thirteen in one would share colours: seven and six."""
    models = {f"m{n}": n for n in range(13)}
    drawn: list[list[str]] = []

    def draw(some: Mapping[str, int]) -> Drawing:
        drawn.append(list(some))
        return Drawing(Figure(), Rows(("a",), ()))

    found = list(pictures("f", "F", models, draw))
    assert [len(some) for some in drawn] == [7, 6] and [name for some in drawn for name in some] == list(models)
    assert [(one.name, one.title) for one in found if isinstance(one, Picture)] == [
        ("f-part1", "F (1/2)"),
        ("f-part2", "F (2/2)"),
    ]


def test_phenomena_have_chinese_names_in_chinese_reports(tmp_path: Path) -> None:
    write_scores(tmp_path, pairs=Pairs((pair("BA_deletion", 0, "甲", "乙", phenomenon="BA"),)))
    sections = report(tmp_path, language="zh")
    assert cells(tables(sections)["accuracy-phenomenon-lp"], 0)[0] == "把字句"
    drawn = {item.name: item for one in sections for item in one.items if isinstance(item, Picture)}
    assert [line[1] for line in drawn["heatmap-phenomena"].drawing.rows.lines] == ["把字句"]
    other = tmp_path / "climp"  # a paradigm that is called as a phenomenon keeps its name
    write_scores(other, pairs=Pairs((pair("classifier", 0, "甲", "乙", phenomenon="classifier"),)))
    assert cells(tables(report(other, language="zh"))["accuracy-paradigm-lp"], 0)[:2] == ["classifier", "量词"]


def test_a_long_table_is_folded_and_a_short_one_is_not() -> None:
    """118 paradigms would push everything else away."""
    assert "details" not in made(TABLE)[1].tags
    long = Table("long", "L", (Column("a", "a"),), tuple((str(n),) for n in range(118)))
    _, reader = made(long)
    assert "details" in reader.tags and "118" in reader.text


def test_values_are_as_in_the_other_formats() -> None:
    """50.00 [40.00, 60.00] here and in Markdown and LaTeX."""
    html, _ = made(TABLE)
    assert '<td class="number">50.00 <span class="interval">[40.00, 60.00]</span></td>' in html


# Writing a report: whole or not at all, and never over anything else.


FIRST = Table("first", "First", (Column("a", "a"),), (("x",),))
SECOND = Table("second", "Second", (Column("a", "a"),), (("y",),))


def written(out: Path, *tables: Table, files: tuple[Table, ...] = ()) -> Path:
    section = Section("one", "One", "", tables, files)
    write_report([section], out=out, title="T", asked={"lang": "en"}, inputs={"a": "b"})
    return out / INDEX


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_every_table_is_written_in_three_formats_with_a_page_and_a_manifest(tmp_path: Path) -> None:
    """Those that the page only links to, too."""
    assert written(tmp_path / "site", FIRST, files=(SECOND,)) == tmp_path / "site" / INDEX
    tables = [f"tables/{name}.{end}" for name in ("first", "second") for end in ("csv", "md", "tex")]
    assert names(tmp_path / "site") == sorted([INDEX, MANIFEST, *tables])
    manifest = json.loads((tmp_path / "site" / MANIFEST).read_text(encoding="utf-8"))
    assert manifest["asked"] == {"lang": "en"} and manifest["inputs"] == {"a": "b"}
    data = (tmp_path / "site" / "tables" / "first.csv").read_bytes()
    assert manifest["files"]["tables/first.csv"] == sha256(data)


def test_a_second_report_replaces_the_first_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    """A table that is no longer made must not lie there as if it were; and nothing half written stays."""
    written(tmp_path / "site", FIRST)
    before = (tmp_path / "site" / INDEX).read_bytes()
    written(tmp_path / "site", FIRST)
    assert (tmp_path / "site" / INDEX).read_bytes() == before
    written(tmp_path / "site", SECOND)
    tables = [f"tables/second.{end}" for end in ("csv", "md", "tex")]
    assert names(tmp_path / "site") == sorted([INDEX, MANIFEST, *tables])
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """`-o .` in a folder of results must not cost anybody their results."""
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputRefused, match=r"thesis\.tex"):
        written(tmp_path, FIRST)
    assert names(tmp_path) == ["thesis.tex"]


def test_a_report_with_a_file_of_the_users_is_refused(tmp_path: Path) -> None:
    """It would be lost with the rest of the folder."""
    written(tmp_path / "site", FIRST)
    (tmp_path / "site" / "notes.txt").write_text("mine")
    with pytest.raises(OutputRefused, match=r"notes\.txt"):
        written(tmp_path / "site", SECOND)
    assert (tmp_path / "site" / "tables" / "first.csv").is_file()


def test_a_table_that_the_user_has_edited_is_not_overwritten(tmp_path: Path) -> None:
    """Tables for a paper are often finished by hand."""
    written(tmp_path / "site", FIRST)
    (tmp_path / "site" / "tables" / "first.tex").write_text("by hand")
    with pytest.raises(OutputRefused, match=r"tables/first\.tex"):
        check_place(tmp_path / "site")


def test_a_broken_manifest_is_told(tmp_path: Path) -> None:
    """Then nobody knows what is the report's."""
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(InputError, match="manifest of a report"):
        check_place(tmp_path)


def test_a_report_that_fails_leaves_the_old_one_as_it_was(tmp_path: Path) -> None:
    """Two tables of one name are a mistake of ours; the old page still opens."""
    written(tmp_path / "site", FIRST)
    with pytest.raises(AssertionError):
        written(tmp_path / "site", SECOND, SECOND)
    assert "tables/first.csv" in names(tmp_path / "site")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
