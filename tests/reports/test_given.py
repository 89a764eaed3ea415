"""What pairs, ratings and a word list add to a report, with values worked out by hand."""

from pathlib import Path

import pytest

from bidui.analysis.estimate import Estimate
from bidui.pairs import Pair, Pairs, Region
from bidui.people.ratings import Rating
from bidui.reports.results import collect
from bidui.reports.section import Extras, Picture, Section, Settings
from bidui.reports.sections.regions import parse_regions
from bidui.reports.site import contents
from bidui.scores.links import lp
from tests.reports.small import PAIRS, write_run, write_scores
from tests.reports.test_contents import cells, reasons, tables
from tests.scores.small import pair


def report(folder: Path, given: Extras) -> list[Section]:
    settings = Settings((lp(),), main="lp", usual=False, extras=given)
    return list(contents(collect(folder), settings))


def test_what_was_not_given_is_named_with_its_option(tmp_path: Path) -> None:
    write_scores(tmp_path)
    found = reasons(report(tmp_path, Extras()))
    kinds = {title: kind for title, kind in found.items() if kind == "report-no-given"}
    assert list(kinds) == ["regions: Regions", "ratings: Graded ratings", "frequencies: Word frequencies"]


def test_regions_by_phenomenon_summed_and_averaged(tmp_path: Path) -> None:
    """Sums: 甲 less 乙 is 1 and 甲乙 less 乙甲 is 0, so p has 0.5 with a deviation of √0.5; 甲甲甲甲 less 丙 is -1.

    Averaged over tokens, the last is -1 less -3. What comes before the change is the same, and not shown.
    """
    write_scores(tmp_path)
    found = tables(report(tmp_path, Extras(pairs=tuple(PAIRS))))
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
    found = tables(report(tmp_path, Extras(pairs=pairs, regions=parse_regions(["NP=noun", "VP=verb"]))))
    assert [cells(found["regions"], row) for row in range(len(found["regions"].rows))] == [["p", "NP", 1, 2]]
    assert cells(found["regions-slots-sum"], 0) == ["u", "p", "noun", 1, 2]
    lost = reasons(report(tmp_path, Extras(pairs=pairs, regions={"X": ("other",)})))
    assert lost["regions: Regions"] == "report-no-regions"


def test_a_model_of_other_pairs_is_named_and_the_others_stay(tmp_path: Path) -> None:
    write_scores(tmp_path, name="one")
    write_scores(tmp_path, name="two", pairs=Pairs((pair("u", 0, "丙", "丁"),)))
    sections = report(tmp_path, Extras(pairs=tuple(PAIRS)))
    assert reasons(sections)["regions: Regions, two"] == "regions-other-pairs"
    assert [column.name for column in tables(sections)["regions"].columns] == ["phenomenon", "region", "pairs", "one"]


def test_regions_are_traced_over_the_checkpoints_of_a_run(tmp_path: Path) -> None:
    """Both checkpoints are the same model: u has (1 + 0) / 2, v has -1 + 3, averaged over tokens."""
    write_run(tmp_path / "run", {400: [50]})
    for step in (1, 400):
        write_scores(tmp_path / "run" / "scores", name=f"step-{step:06d}")
    sections = report(tmp_path, Extras(pairs=tuple(PAIRS)))
    pictures = {item.name: item for section in sections for item in section.items if isinstance(item, Picture)}
    lines = pictures["regions-step-000400"].drawing.rows.lines
    assert [(*line[:2], *line[3:5]) for line in lines] == [
        ("u", "changed", 1.0, 0.5),
        ("u", "changed", 400.0, 0.5),
        ("v", "changed", 1.0, 2.0),
        ("v", "changed", 400.0, 2.0),
    ]


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
    found = tables(report(tmp_path, Extras(ratings=tuple(ratings))))
    assert cells(found["ratings-pointwise"], 0) == ["lp", pytest.approx(1)]
    assert cells(found["ratings-pairwise"], 0) == ["lp", pytest.approx(1)]
    assert cells(found["ratings-counts"], 0) == ["counting", 6, 3, 1, 0]
    assert "19 ratings by 3 raters" in found["ratings-counts"].note and "bored" in found["ratings-counts"].note


def test_ratings_of_other_sentences_say_so(tmp_path: Path) -> None:
    write_scores(tmp_path)
    ratings = tuple(Rating("r", "other", number, "good", number) for number in range(4))
    assert "report-unrated" in reasons(report(tmp_path, Extras(ratings=ratings))).values()


def test_ratings_of_single_sentences_correlate_over_sentences(tmp_path: Path) -> None:
    """Good sides alone have LP -2, -3, -4 and are rated so; there is no pair to take a difference in."""
    write_scores(tmp_path)
    sentences = [("u", 0, 3.0), ("u", 1, 2.0), ("v", 0, 1.0)]
    sections = report(
        tmp_path, Extras(ratings=tuple(Rating("r", uid, n, "good", value) for uid, n, value in sentences))
    )
    found = tables(sections)
    assert cells(found["ratings-pointwise"], 0) == ["lp", pytest.approx(1)]
    assert cells(found["ratings-counts"], 0) == ["counting", 3, 0, 0, 3]
    assert "ratings-pairwise" not in found and "report-few-rated" in reasons(sections).values()


def test_raters_who_never_vary_are_the_reason_that_is_given(tmp_path: Path) -> None:
    """It used to be said that no rated sentence was scored."""
    write_scores(tmp_path)
    found = reasons(report(tmp_path, Extras(ratings=tuple(rated("bored", [4.0] * 6)))))
    assert "report-raters-constant" in found.values() and "report-unrated" not in found.values()


def test_words_of_the_pairs_stand_in_bands_of_ranks(tmp_path: Path) -> None:
    """Of 甲 in two pairs, 乙 in one and 丙 in one, the list has 甲 and 乙: two of three words, three of four uses."""
    write_scores(tmp_path)
    pairs = (Pair("甲乙", "乙甲", "u", "p", 0, words=("甲", "乙")), Pair("甲", "丙", "u", "p", 1, words=("甲", "丙")))
    sections = report(tmp_path, Extras(pairs=pairs, frequencies={"甲": 9.0, "丁": 5.0, "乙": 2.0}))
    found = tables(sections)
    assert cells(found["frequencies"], 0) == ["1–1,000", 2, pytest.approx(2 / 3), 0.75]
    assert cells(found["frequencies"], -1) == ["not in the list", 1, pytest.approx(1 / 3), 0.25]
    assert [row[0::3] for row in found["frequencies-words"].rows] == [("甲", 1), ("乙", 3), ("丙", None)]
    assert "frequencies" in {item.name for one in sections for item in one.items if isinstance(item, Picture)}
