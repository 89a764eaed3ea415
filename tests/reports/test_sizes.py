"""Accuracy by model size and alpha by benchmark: what a report shows, with values worked out by hand."""

from pathlib import Path

import pytest

from bidui.benchmarks import Benchmark
from bidui.pairs import Pairs
from bidui.reports.results import collect, pair_sets
from bidui.reports.section import Picture, Section
from bidui.reports.sections.sizes import size_in
from bidui.scores.run import run_scoring
from tests.reports.small import write_run, write_scores
from tests.reports.test_sections import judged
from tests.reports.test_site import Backwards, cells, reasons, report, tables
from tests.scores.small import Counting, pair

# By `Counting`, 甲 is -1, 乙 -2, 丙 -3. D= is right. D<, 甲 against 甲甲, and D>, 甲甲 against 丙, are right at every
# alpha below 1, where the first is a tie: -1 against -2 / 2.
FIRST = Pairs((pair("u", 0, "甲", "乙"), pair("u", 1, "甲", "甲甲"), pair("u", 2, "甲甲", "丙")))
# The bad sentence of D> has LP -1 against -2, and a tie at mean LP; that of D< is right as above.
SECOND = Pairs((pair("v", 0, "甲", "乙"), pair("v", 1, "甲", "甲甲"), pair("v", 2, "甲甲", "甲")))


def figures(sections: list[Section]) -> dict[str, Picture]:
    return {item.name: item for one in sections for item in one.items if isinstance(item, Picture)}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Qwen2.5-0.5B", (5e8, "Qwen2.5")),
        ("Zh-Pythia-160M", (1.6e8, "Zh-Pythia")),
        ("pythia-1.4b-deduped", (1.4e9, "pythia-deduped")),
        ("70m", (7e7, "70m")),
        ("bert-base-chinese", None),
        ("InternLM2.5", None),
        ("model-0B", None),  # a logarithm has no place for it
        ("mt5x7B2", None),
    ],
)
def test_sizes_are_read_from_names(name: str, found: tuple[float, str] | None) -> None:
    assert size_in(name) == found


def test_families_are_ordered_by_the_parameters_that_scores_store(tmp_path: Path) -> None:
    """The name of the first says 1B, its network has 900 million weights; of the second, only the name is known.

    The second gets 3 of 4 right, the first, which has it all backwards, 1. A 5-gram model has no size.
    """
    pairs = Pairs(tuple(judged("u", right=3, of=4)))
    run_scoring(pairs, Backwards("Qwen-1B"), out=tmp_path / "1", parameters=900_000_000)
    run_scoring(pairs, Counting("Qwen-7B"), out=tmp_path / "7")
    run_scoring(pairs, Counting("five-gram"), out=tmp_path / "5")
    found = report(tmp_path)
    table = tables(found)["accuracy-size"]
    assert [cells(table, row)[:6] for row in range(len(table.rows))] == [
        ["Qwen", "Qwen-1B", 900_000_000, "network", None, 0.25],
        ["Qwen", "Qwen-7B", 7_000_000_000, "name", None, 0.75],
    ]
    assert "not known: five-gram." in table.note
    lines = figures(found)["accuracy-size"].drawing.rows.lines
    assert [line[1:5] for line in lines] == [("Qwen", "run", 9e8, 0.25), ("Qwen", "run", 7e9, 0.75)]


def test_models_without_a_size_say_why_there_is_no_figure(tmp_path: Path) -> None:
    write_scores(tmp_path)
    why = reasons(report(tmp_path))
    assert why["sizes: Accuracy by model size (lp)"] == "report-no-sizes"
    assert why["several: SLLN-LP with alpha from 0 to 1, by benchmark"] == "report-one-set"


def test_runs_are_a_family_by_their_data_and_give_the_levels(tmp_path: Path) -> None:
    """Three sizes, the first with two seeds: 50 and 60 of 100 in a, 60 and 60 in e. Paradigms a, c, e are of p.

    At best a has 90 (easy), b 95 (easy), c 30 and grows (difficult). The easy ones of 10m: 70 and 80, so that the mean
    is 75 and the deviation sqrt(50) = 7.07.
    """
    ends = {"1m-0": [50, 60, 10], "1m-1": [60, 60, 10], "10m": [70, 80, 20], "100m": [90, 95, 30]}
    for name, rights in ends.items():
        size, _, seed = name.partition("-")
        recipe = {"size": size, "seed": int(seed or 0)}
        facts = {"parameters": int(size[:-1]) * 10**6}
        write_run(tmp_path / name, {400: rights}, recipe=recipe, facts=facts)
    found = report(tmp_path, link="slln:0.5")
    table = tables(found)["accuracy-size"]
    # all three: 120 and 130 of 300
    first = cells(table, 0)
    assert first[:5] == ["runs, 400k tokens", "1m, 400k", 10**6, "network", 2]
    assert first[5:] == [pytest.approx(125 / 300), pytest.approx(0.5**0.5 * 10 / 300)]
    levels = tables(found)["accuracy-levels"]
    assert [cells(levels, row)[:3] for row in (0, 3)] == [
        ["easy", 2, "runs, 400k tokens"],
        ["difficult", 1, "runs, 400k tokens"],
    ]
    assert cells(levels, 1)[5:] == [pytest.approx(0.75), pytest.approx(0.0707, abs=5e-5)]
    panels = {line[0] for line in figures(found)["accuracy-levels"].drawing.rows.lines}
    assert panels == {"easy (2)", "difficult (1)"}


def test_published_models_are_grey_with_the_number_of_their_table(tmp_path: Path) -> None:
    """Overall, by LP: 78.44 for 14M in Table 6; the first version has 69.9, by mean LP."""
    pairs = Pairs(tuple(pair("BA_deletion", n, "甲", "乙", phenomenon="BA") for n in range(2)))
    run_scoring(pairs, Counting("own-1B"), out=tmp_path / "own")
    known = Benchmark("zhoblimp", {"BA_deletion": "included"}, {})
    picture = figures(report(tmp_path, known))["accuracy-size"]
    printed = {line[1:4]: line[4] for line in picture.drawing.rows.lines if line[2] == "published"}
    assert printed["Zh-Pythia †6", "published", 1.4e7] == pytest.approx(0.7844)
    assert printed["Zh-Pythia †4", "published", 1.4e7] == pytest.approx(0.699)
    assert printed["InternLM2.5 †4", "published", 2e10] == pytest.approx(0.805)
    assert "by mean_lp, on the published pairs" in picture.note


def test_alpha_is_swept_on_every_benchmark_and_never_over_both(tmp_path: Path) -> None:
    """Two models on one, one on the other; sets are called after their folders.

    `FIRST`: D< and D> are right by LP; at mean LP, D< is a tie and D> right: 0.75. `SECOND`: D> is wrong by LP, and a
    tie at mean LP, as is D<: 0.5 at either end. D= is always right, so delta-acc is 1 less the accuracy.
    """
    write_scores(tmp_path / "blimp", pairs=FIRST)
    write_scores(tmp_path / "blimp", name="again", pairs=FIRST)
    write_scores(tmp_path / "german", pairs=SECOND)
    assert [one.name for one in pair_sets(collect(tmp_path))] == ["BLiMP", "german"]
    found = report(tmp_path)
    lines = {line[:2]: line[2:] for line in figures(found)["alpha-sets"].drawing.rows.lines}
    assert lines["BLiMP, n = 2", 0.0][:4] == (1, 0, 0, 0) and lines["BLiMP, n = 2", 1.0][:2] == (0.75, 0.25)
    assert lines["german, n = 1", 0.0][:2] == (0.5, 0.5) and lines["german, n = 1", 1.0][:2] == (0.5, 0.5)
    row = cells(tables(found)["alpha-sets"], 0)
    assert row[:8] == ["BLiMP", 2, 3, pytest.approx(2 / 3), 0, 1, 0, 0]
    assert row[8:] == [1, 1, 0.75, 0, 0, 0.25]


def test_sizes_on_two_benchmarks_have_one_line_per_family_and_benchmark(tmp_path: Path) -> None:
    """The larger gets 3 of 4 and 2 of 4 right, the smaller, backwards, 1 and 2."""
    for folder, uid, right in (("blimp", "u", 3), ("jblimp", "v", 2)):
        pairs = Pairs(tuple(judged(uid, right=right, of=4)))
        run_scoring(pairs, Backwards("Qwen-1B"), out=tmp_path / folder / "Qwen-1B")
        run_scoring(pairs, Counting("Qwen-7B"), out=tmp_path / folder / "Qwen-7B")
    lines = figures(report(tmp_path))["accuracy-size-sets"].drawing.rows.lines
    assert [line[1:5] for line in lines] == [
        ("Qwen, BLiMP", "run", 1e9, 0.25),
        ("Qwen, BLiMP", "run", 7e9, 0.75),
        ("Qwen, JBLiMP", "run", 1e9, 0.5),
        ("Qwen, JBLiMP", "run", 7e9, 0.5),
    ]
