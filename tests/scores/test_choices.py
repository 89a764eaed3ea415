"""Which sentence is preferred, what ties are worth, and what length has to do with it: by hand."""

import json
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.significance import SLING_BASELINES
from bidui.errors import InputError
from bidui.models.model import TokenScores
from bidui.pairs import Pair
from bidui.scores.choices import (
    BASELINES,
    NEAR_TIE,
    Choices,
    PairTotals,
    choose,
    choose_from,
    delta_acc,
    file_of,
    length_split,
    pair_totals,
    published_lines,
    sides,
)
from bidui.scores.links import Floats, Link, lp, mean_lp, parse_link, slor
from bidui.scores.run import score
from bidui.scores.table import ScoreTable, score_table

from .small import Counting, pair, paradigms, scores, table_of


def choices(good: list[float], bad: list[float], signs: list[int]) -> Choices:
    count = len(good)
    uids = np.array(["u"] * count, object)
    numbers = np.arange(count, dtype=np.int32)
    return Choices("lp", uids, uids, numbers, np.array(good), np.array(bad), np.array(signs, np.int8))


# LP: 甲乙 -3 and 乙乙 -4; 丙 -3 and 甲甲甲 -3; 丁甲 -5 and 丙 -3.
TABLE = table_of(("甲乙", "乙乙"), ("丙", "甲甲甲"), ("丁甲", "丙"))


@pytest.mark.parametrize(
    ("link", "good", "bad", "worth"),
    [
        (lp(), [-3, -3, -5], [-4, -3, -3], [1, 0.5, 0]),
        # -1.5 and -2; -3 and -1; -2.5 and -3
        (mean_lp(), [-1.5, -3, -2.5], [-2, -1, -3], [1, 0, 1]),
    ],
)
def test_the_higher_score_is_preferred_and_a_tie_is_worth_one_half(
    link: Link, good: list[float], bad: list[float], worth: list[float]
) -> None:
    found = choose(TABLE, link)
    assert (found.good.tolist(), found.bad.tolist()) == (good, bad)
    assert found.worth.tolist() == worth
    assert found.link == link.name
    assert (found.uids.tolist(), found.pairs.tolist()) == (["u", "u", "u"], [0, 1, 2])


def two_for_one() -> ScoreTable:
    """甲乙 is one token against 丙丁, two; 丙丁 two against 甲, one; 甲 one against 甲乙, one: three ways to differ."""
    one = TokenScores("甲乙", *(np.array([number], np.int32) for number in (6, 0, 2)), np.array([-3], np.float32))
    both = [one, scores("丙丁"), scores("丙丁"), scores("甲"), scores("甲"), one]
    sides = (("甲乙", "丙丁"), ("丙丁", "甲"), ("甲", "甲乙"))
    pairs = [pair("u", number, good, bad) for number, (good, bad) in enumerate(sides)]
    return score_table(pairs, both, {1: "甲", 3: "丙", 4: "丁", 6: "甲乙"})


def test_which_side_is_longer_is_counted_in_tokens_or_as_asked() -> None:
    """Liu et al. count tokens: their Table 5 has other numbers of pairs in D=, D< and D> for each tokenizer."""
    table = two_for_one()
    assert choose(table, lp()).length_sign.tolist() == [-1, 1, 0]
    assert choose(table, lp(), groups="characters").length_sign.tolist() == [0, 1, -1]
    assert choose(table, lp(), groups="bytes").length_sign.tolist() == [0, 1, -1]
    for unit in ("tokens", "characters", "bytes"):  # of the linking function: it makes no groups
        assert choose(table, mean_lp(), unit=unit).length_sign.tolist() == [-1, 1, 0]  # type: ignore[arg-type]


def test_totals_serve_for_any_number_of_links() -> None:
    totals = pair_totals(TABLE)
    for link in (lp(), mean_lp(), parse_link("slln:0.5")):
        one, other = choose_from(totals, link), choose(TABLE, link)
        assert (one.good.tolist(), one.bad.tolist()) == (other.good.tolist(), other.bad.tolist())


def test_a_link_sees_all_sentences_at_once() -> None:
    """A link of one's own may standardise over them; from the good ones alone it would make other numbers."""
    centred = Link("centred", lambda x: x.logprob - x.logprob.mean())
    assert choose(TABLE, centred).good.tolist() == [0.5, 0.5, -1.5]  # LP -3, -4, -3, -3, -5, -3: the mean is -3.5


sentences = st.text("甲乙丙丁", min_size=1, max_size=6)


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=20))
def test_pairs_of_equal_length_fall_alike_by_every_link_that_divides_by_a_length(pairs: list[tuple[str, str]]) -> None:
    """So D= stands still in Table 5, and is what the other groups are held against."""
    totals = pair_totals(table_of(*pairs))
    found = [length_split(choose_from(totals, parse_link(name))) for name in ("lp", "mean_lp", "pen_lp", "slln:0.3")]
    assert len({repr(split.equal) for split in found}) == 1


def test_the_unit_of_length_changes_the_choice() -> None:
    """甲甲 -2 over 2 characters, 6 bytes; xx -18 over 2 characters, 2 bytes: by bytes -1/3 and -9, by tokens -1, -9."""
    table = table_of(("甲甲", "xx"))
    assert choose(table, mean_lp(), unit="tokens").good.tolist() == [-1]
    assert choose(table, mean_lp(), unit="bytes").good == pytest.approx([-1 / 3])
    assert choose(table, mean_lp(), unit="bytes").bad.tolist() == [-9]


def test_slor_subtracts_the_unigrams() -> None:
    """With U of 甲 -1, 乙 -4, 丙 -3, 丁 -9: (-3 + 5)/2, (-4 + 8)/2; 0, 0; (-5 + 10)/2, 0."""
    unigrams = np.array([0.0, -1, -4, -3, -9, 0])
    found = choose(TABLE, slor(), unigrams=unigrams)
    assert (found.good.tolist(), found.bad.tolist()) == ([1, 0, 2.5], [2, 0, 0])
    assert found.worth.tolist() == [0, 0.5, 1]
    with pytest.raises(InputError, match="--unigrams"):
        choose(TABLE, slor())


def test_unigrams_do_not_disturb_a_link_without() -> None:
    """They may be too few for the ids; nobody looks at them."""
    assert choose(TABLE, lp(), unigrams=np.zeros(1)).good.tolist() == [-3, -3, -5]


@pytest.mark.parametrize("name", ["lp", "mean_lp", "pen_lp", "slor", "morcela:0.6,18", "slln:0.5", "log_norm"])
def test_sides_that_look_the_same_to_the_model_tie_by_every_link(name: str) -> None:
    """x and y are both unknown: the same ids, so the same numbers, and no link may make a choice of that."""
    table = table_of(*[("甲乙丙丁x", "甲乙丙丁y")] * 50)
    unigrams = np.log(np.array([0.1, 0.3, 0.07, 0.2, 0.11, 0.22]))
    assert choose(table, parse_link(name), unigrams=unigrams).ties == 50


def test_near_ties_are_those_that_a_rounding_error_could_turn() -> None:
    near, far = NEAR_TIE / 2, NEAR_TIE * 2
    found = choices([-1, -1, -1, -1, -1], [-1, -1 - near, -1 + near, -1 - far, -1 + far], [0] * 5)
    assert (found.ties, found.near_ties) == (1, 2)
    assert found.worth.tolist() == [0.5, 1, 0, 1, 0]


def test_near_ties_are_scaled_by_length_as_the_scores_are() -> None:
    """An error of 2e-4 in LP is one of 2e-5 in a mean over ten tokens: 1e-4 apart is near by LP, not by mean LP."""
    uids = np.array(["u"], object)
    lengths = {"tokens": np.array([10.0, 10.0])}
    pairs = PairTotals(uids, uids, np.zeros(1, np.int32), np.array([-20.0, -20.0001]), lengths)
    assert choose_from(pairs, "lp").near_ties == choose_from(pairs, "mean_lp").near_ties == 1
    apart = PairTotals(uids, uids, np.zeros(1, np.int32), np.array([-20.0, -20.0005]), lengths)
    # by mean LP the two are 5e-5 apart, which a fixed threshold of 2e-4 took for a near tie
    assert choose_from(apart, "lp").near_ties == choose_from(apart, "mean_lp").near_ties == 0


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_a_score_that_is_no_number_is_refused_with_its_pair(value: float) -> None:
    """It used to count as a wrong choice."""
    uids = np.array(["u", "v"], object)
    logprob = np.array([-1.0, -2.0, -1.0, value])
    pairs = PairTotals(uids, uids, np.array([3, 7], np.int32), logprob, {"tokens": np.ones(4)})
    with pytest.raises(InputError, match=f"the bad sentence of pair 7 of v has the score {value:g} by slln:0.5"):
        choose_from(pairs, "slln:0.5")


def test_ties_everywhere_are_no_accuracy_of_one_half() -> None:
    found = choices([-1, -2], [-1, -2], [0, 0])
    assert found.undecided and "no pair is decided" in repr(found)


def test_delta_is_the_mean_distance_from_pairs_of_equal_length() -> None:
    """D= 1, 1, 0.5, 0: 0.625; D< 1, 1: 1; D> 0, 0.5, 0, 1: 0.375. Delta (0.375 + 0.25) / 2 = 0.3125."""
    good = [2, 2, 1, 0, 2, 2, 0, 1, 0, 2]
    signs = [0, 0, 0, 0, -1, -1, 1, 1, 1, 1]
    split = length_split(choices(good, [1.0] * 10, signs))
    assert (split.equal, split.good_shorter, split.good_longer) == (0.625, 1.0, 0.375)
    assert split.delta == 0.3125


@pytest.mark.parametrize(
    ("cells", "delta"),
    [
        ("88.20 60.77 95.62  84.13 52.85 98.73  86.19 56.55 94.28", 19.74),  # LP
        ("88.20 83.47 87.09  84.13 81.63 87.63  86.19 82.97 80.98", 3.38),  # PenLP
        ("88.20 81.60 87.55  84.13 81.18 87.66  86.19 79.85 82.93", 3.89),  # SLLN-LP, alpha 0.5
    ],
)
def test_delta_is_that_of_the_published_table(cells: str, delta: float) -> None:
    """Liu et al., Table 5: D=, D> and D< with three tokenizers; the published delta is the mean over these."""
    equal, longer, shorter = np.array(cells.split(), float).reshape(3, 3).T
    assert delta_acc(equal, shorter, longer).mean() == pytest.approx(delta, abs=0.02)


def test_distances_on_the_same_side_do_not_cancel() -> None:
    """D= 0, D< 1, D> 1: a delta of 1; and D= 0.5, D< 1, D> 0: a delta of 0.5, not 0."""
    assert length_split(choices([0, 2, 2], [1, 1, 1], [0, -1, 1])).delta == 1
    assert length_split(choices([1, 2, 0], [1, 1, 1], [0, -1, 1])).delta == 0.5


@pytest.mark.parametrize(("signs", "part"), [([0, 0], "good_longer"), ([-1, 1], "equal"), ([0, 1], "good_shorter")])
def test_where_no_pair_is_of_a_kind_there_is_no_accuracy_and_no_delta(signs: list[int], part: str) -> None:
    """Zero would be read as a model that is always wrong."""
    split = length_split(choices([2, 2], [1, 1], signs))
    assert isnan(getattr(split, part))
    assert isnan(split.delta)


# Totals of pairs: what linking functions need of both sides, by hand.


# Of <unk>, 甲, 乙, 丙, 丁, 戊.
UNIGRAMS: Floats = np.array([-10.0, -0.5, -1.25, -2.0, -4.0, -8.0])


def test_two_rows_a_pair_hold_lp_lengths_and_unigrams() -> None:
    """甲乙 -3 and 乙x -11; 丙 -3 and 甲甲 -2: 2, 2, 1, 2 tokens; x is one byte, the others three each."""
    table = table_of(("甲乙", "乙x"), ("丙", "甲甲"))
    found = pair_totals(table, unigrams=UNIGRAMS)
    assert len(found) == 2
    assert (found.uids.tolist(), found.phenomena.tolist(), found.pairs.tolist()) == (["u", "u"], ["p", "p"], [0, 1])
    assert found.logprob.tolist() == [-3, -11, -3, -2]
    assert {unit: lengths.tolist() for unit, lengths in found.lengths.items()} == {
        "tokens": [2, 2, 1, 2],
        "characters": [2, 2, 1, 2],
        "bytes": [6, 4, 3, 6],
    }
    assert found.unigram == pytest.approx([-1.75, -11.25, -2, -1])
    assert pair_totals(table).unigram is None
    good, bad = sides(found.logprob)
    assert (good.tolist(), bad.tolist()) == ([-3, -3], [-11, -2])


def test_the_sign_says_which_side_is_longer() -> None:
    found = pair_totals(table_of(("甲乙", "乙x"), ("丙", "甲甲"), ("甲甲", "丙")))
    assert found.length_sign().tolist() == [0, -1, 1]
    assert found.length_sign("bytes").tolist() == [1, -1, 1]


def test_links_are_given_lengths_in_the_unit_asked_for() -> None:
    found = pair_totals(table_of(("甲乙", "乙x")), unigrams=UNIGRAMS)
    assert found.totals("bytes").length.tolist() == [6, 4]
    assert found.totals().length.tolist() == [2, 2]
    assert found.totals().logprob is found.logprob


def test_no_pairs_have_totals_without_rows() -> None:
    found = pair_totals(table_of(), unigrams=UNIGRAMS)
    assert (len(found), len(found.logprob), found.length_sign().tolist()) == (0, 0, [])


def test_pairs_are_in_the_order_of_the_table() -> None:
    found = pair_totals(score(paradigms(2), Counting()).table)
    assert found.uids.tolist() == ["a"] * 3 + ["b"] * 3
    assert found.pairs.tolist() == [1, 2, 3, 1, 2, 3]
    assert found.logprob.tolist()[:4] == [-12, -15, -14, -17]  # 甲a乙 is -1 - 9 - 2, and 丙 after it -3 more


# Exported scores are the ones that were compared, one line per pair.


# By `Counting`: 甲 is -1, 乙 -2, 丙 -3.
EXPORT_TABLE = table_of(("甲乙", "甲丙"), ("丙", "甲乙"), ("乙丙", "甲甲"))


def test_a_line_has_both_sentences_scores_and_lengths_and_the_choice() -> None:
    """-3 against -4 is right, -3 against -3 a tie, -5 against -2 wrong."""
    found = [json.loads(line) for line in published_lines(EXPORT_TABLE, lp()).decode().splitlines()]
    assert found[0] == {
        "sentence_good": "甲乙",
        "sentence_bad": "甲丙",
        "UID": "u",
        "phenomenon": "p",
        "pairID": "0",
        "score_good": -3.0,
        "score_bad": -4.0,
        "length_good": 2,
        "length_bad": 2,
        "correct": 1,
    }
    assert [line["correct"] for line in found] == [1, 0.5, 0]
    assert '"correct": 1}' in published_lines(EXPORT_TABLE, lp()).decode().splitlines()[0]


def test_lines_of_baselines_are_marked() -> None:
    """Who averages over the file must be able to leave them out; SLING has eight."""
    uids = pl.Series("uid", ["baseline_male", "baseline_male", "u", "u", "u", "u"])
    table = replace(EXPORT_TABLE, frame=EXPORT_TABLE.frame.with_columns(uids))
    found = [json.loads(line) for line in published_lines(table, lp()).decode().splitlines()]
    assert [line["baseline"] for line in found] == [True, False, False]
    assert set(SLING_BASELINES.values()) == BASELINES and len(BASELINES) == 8


def test_link_and_unit_are_those_asked_for() -> None:
    """丙 against 甲乙: -3 / 1 and -3 / 2 by characters, -3 / 3 and -3 / 6 by bytes."""
    second = json.loads(published_lines(EXPORT_TABLE, mean_lp(), unit="characters").decode().splitlines()[1])
    assert (second["score_good"], second["score_bad"], second["correct"]) == (-3, -1.5, 0)
    second = json.loads(published_lines(EXPORT_TABLE, mean_lp(), unit="bytes").decode().splitlines()[1])
    assert (second["score_good"], second["length_bad"]) == (-1, 6)


@pytest.mark.parametrize(
    ("folder", "name"),
    [("r/pythia-1.4b", "pythia-1.4b.jsonl"), ("r/sweep/step-9", "sweep/step-9.jsonl"), ("r", "r.jsonl")],
)
def test_a_file_is_named_as_its_folder(folder: str, name: str) -> None:
    assert file_of(Path(folder), results=Path("r")) == name


def test_groups_of_crossed_columns_never_fall_together() -> None:
    """Without care, a × b with c and a with b × c would be one group, and its accuracy a wrong number."""
    pairs = [
        Pair("甲", "乙", "u", "p", n, columns=own)
        for n, own in enumerate([(("x", "a"), ("y", "b × c")), (("x", "a × b"), ("y", "c"))])
    ]
    table = score_table(pairs, [scores(side) for one in pairs for side in (one.good, one.bad)], {1: "甲", 2: "乙"})
    crossed = choose(table, "lp").groups("x", "y").tolist()
    assert crossed == ['["a", "b × c"]', '["a × b", "c"]']
    with pytest.raises(InputError, match="there is no column z; the scored pairs have: paradigm, phenomenon, x, y"):
        choose(table, "lp").groups("z")
