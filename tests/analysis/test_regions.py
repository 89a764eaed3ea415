"""Sentences cut into stretches, by hand."""

from collections.abc import Mapping, Sequence
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.regions import (
    Division,
    RegionDifference,
    Stretch,
    Stretches,
    by_change,
    by_slot,
    divide,
    in_parts,
    pooled,
    region_differences,
    trace_regions,
)
from bidui.errors import InputError
from bidui.models.model import TokenScores
from bidui.pairs import Pair, Region
from bidui.scores.table import ScoreTable, score_table

ANY = Pair(
    "那位记者问了什么？",
    "任何记者问了什么？",
    "npi",
    "npi_licensing",
    0,
    regions=(
        Region("good", 0, 1, "det", "replace"),
        Region("good", 1, 2, "m", "drop"),
        Region("bad", 0, 2, "任何", ""),
    ),
    slots=(("det", "那"), ("m", "位"), ("person", "记者"), ("verb", "问")),
)
MOVED = Pair(
    "他已经把书放好了。",
    "把书他已经放好了。",
    "BA",
    "BA",
    0,
    regions=tuple(
        Region(side, start + at, start + at + 1, slot, "move")
        for side, start in (("good", 3), ("bad", 0))
        for at, slot in enumerate(("把", "thing"))
    ),
    slots=(("who", "他"), ("thing", "书")),
)


def cut(pair: Pair, division: Division) -> dict[str, tuple[list[str], list[str]]]:
    """The texts of the stretches of good and bad, by name; None stands for one that could not be placed."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for stretch in division(pair):
        sentence = pair.good if stretch.side == "good" else pair.bad
        text = sentence[stretch.start : stretch.end] if stretch.start >= 0 else "?"
        found.setdefault(stretch.name, ([], []))[stretch.side == "bad"].append(text)
    return found


def test_by_slot_takes_the_regions_of_the_pair() -> None:
    assert cut(ANY, by_slot) == {"det": (["那"], []), "m": (["位"], []), "任何": ([], ["任何"])}


def test_by_change_cuts_at_the_first_and_the_last_change_of_either_side() -> None:
    """What moved runs from its first place to its last, on both sides."""
    assert cut(ANY, by_change) == {
        "before": ([""], [""]),
        "changed": (["那位"], ["任何"]),
        "after": (["记者问了什么？"], ["记者问了什么？"]),
    }
    assert cut(MOVED, by_change) == {
        "before": ([""], [""]),
        "changed": (["他已经把书"], ["把书他已经"]),
        "after": (["放好了。"], ["放好了。"]),
    }


@pytest.mark.parametrize(
    ("good", "bad", "before", "changed", "after"),
    [
        ("the books are new", "the books is new", "the books ", ("are", "is"), " new"),
        ("甲甲", "甲", "甲", ("甲", ""), ""),
        ("甲", "乙", "", ("甲", "乙"), ""),
        ("甲乙", "甲乙", "甲乙", ("", ""), ""),
    ],
)
def test_pairs_without_regions_are_cut_where_they_differ(
    good: str, bad: str, before: str, changed: tuple[str, str], after: str
) -> None:
    """Pairs of other benchmarks have no regions; a character is never in two stretches, even where sides repeat."""
    assert cut(Pair(good, bad, "u", "p", 0), by_change) == {
        "before": ([before], [before]),
        "changed": ([changed[0]], [changed[1]]),
        "after": ([after], [after]),
    }


@given(st.text("甲乙 ", max_size=6), st.text("甲乙 ", max_size=6))
def test_before_changed_and_after_make_up_the_sentence(good: str, bad: str) -> None:
    found = cut(Pair(good, bad, "u", "p", 0), by_change)
    for side, sentence in enumerate((good, bad)):
        assert "".join(found[name][side][0] for name in ("before", "changed", "after")) == sentence


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"NP": ("det", "m", "任何", "person")}, {"NP": (["那", "位", "记者"], ["任何", "记者"])}),
        ({"V": ("verb",)}, {"V": (["问"], ["问"])}),
        ({"M": ("m",)}, {"M": (["位"], [])}),  # dropped from the bad side, so not looked for there
        ({"X": ("nothing",)}, {}),
    ],
)
def test_parts_are_made_of_slots(
    parts: Mapping[str, Sequence[str]], expected: dict[str, tuple[list[str], list[str]]]
) -> None:
    """The noun phrase of Figure 6 is a changed word and a shared one; only the first has a region."""
    assert cut(ANY, in_parts(parts)) == expected


def test_a_form_that_occurs_twice_or_not_at_all_is_not_placed() -> None:
    """他 is the subject, and also in 他们; which is meant cannot be told from the form."""
    twice = Pair("他看了他们的书。", "他看他们的书。", "u", "p", 0, slots=(("who", "他"), ("thing", "报")))
    assert cut(twice, in_parts({"S": ("who",), "O": ("thing",)})) == {"S": (["?"], ["?"]), "O": (["?"], ["?"])}


def test_a_phrase_means_all_its_parts() -> None:
    pair = Pair(
        "我舅妈来了。", "我舅妈来。", "u", "p", 0, slots=(("who.whose", "我"), ("who.kin", "舅妈"), ("whom", "来"))
    )
    assert cut(pair, in_parts({"S": ("who",)})) == {"S": (["我", "舅妈"], ["我", "舅妈"])}


def test_a_stretch_beyond_the_sentence_is_refused() -> None:
    """Regions of other sentences would be read off the wrong characters."""
    with pytest.raises(InputError, match="u, pair 7: the region slot is outside the bad sentence"):
        divide([Pair("甲乙", "甲", "u", "p", 7, regions=(Region("bad", 0, 2, "slot", "add"),))], by_slot)


def test_characters_know_their_stretch() -> None:
    """那位记者问了什么？ and 任何…, with a place after each for what stands at the end of a sentence."""
    divided = divide([ANY], lambda pair: iter([Stretch("good", 0, 2, "NP"), Stretch("bad", 0, 2, "NP")]))
    assert divided.codes.tolist() == ([1, 1] + [0] * 8) * 2
    assert divided.labels == (("npi", "NP"), ("npi", "rest"))


# Differences by stretch, by hand and by what they add up to.


Token = tuple[str, float]


def scored(*tokens: Token, eos: float | None = None) -> TokenScores:
    """A sentence of tokens that stand one after another, with their log-probabilities."""
    texts = [text for text, _ in tokens]
    ends = np.cumsum([len(text) for text in texts])
    starts = ends - [len(text) for text in texts]
    values = [value for _, value in tokens]
    if eos is not None:
        starts, ends, values = np.append(starts, ends[-1]), np.append(ends, ends[-1]), [*values, eos]
    spans = [array.astype(np.int32) for array in (starts, ends)]
    return TokenScores("".join(texts), np.zeros(len(values), np.int32), *spans, np.array(values, np.float32))


def table(pairs: Sequence[Pair], *sentences: TokenScores) -> ScoreTable:
    return score_table(pairs, sentences, {0: "x"})


def by_name(found: Sequence[RegionDifference]) -> dict[str, RegionDifference]:
    return {one.region: one for one in found}


def differing(good: str, bad: str, number: int = 0, *, uid: str = "u") -> Pair:
    """A pair whose first two characters are the slot NP on both sides."""
    return Pair(good, bad, uid, "p", number, regions=(Region("good", 0, 2, "NP", ""), Region("bad", 0, 2, "NP", "")))


FIRST, SECOND = differing("甲乙丙丁", "戊己丙丁"), differing("甲乙丙", "戊己丙", 1)
# NP: good -1 -2, bad -4 -3; rest: good -1 -1, bad -2 -3. Second: NP -2 and -5 -5, rest -1 and -1; good has one token.
SCORES = (
    scored(("甲", -1), ("乙", -2), ("丙", -1), ("丁", -1)),
    scored(("戊", -4), ("己", -3), ("丙", -2), ("丁", -3)),
    scored(("甲乙", -2), ("丙", -1)),
    scored(("戊", -5), ("己", -5), ("丙", -1)),
)
PAIRS = (FIRST, SECOND)


def test_sums_by_hand() -> None:
    """NP: -3 + 7 = 4 and -2 + 10 = 8, the mean 6, the deviation √8; rest: -2 + 5 = 3 and 0."""
    found = by_name(region_differences(table(PAIRS, *SCORES), divide(PAIRS, by_slot), how="sum"))
    assert found["NP"] == RegionDifference("u", "NP", 6.0, pytest.approx(sqrt(8)), 2, 0, 0)
    assert found["rest"] == RegionDifference("u", "rest", 1.5, pytest.approx(sqrt(4.5)), 2, 0, 0)


def test_means_by_hand() -> None:
    """NP: -1.5 + 3.5 = 2 and -2 + 5 = 3; rest: -1 + 2.5 = 1.5 and 0. MLP(NP) and MLP(VP | NP) of the paper."""
    found = by_name(region_differences(table(PAIRS, *SCORES), divide(PAIRS, by_slot)))
    assert (found["NP"].mean, found["NP"].deviation) == pytest.approx((2.5, sqrt(0.5)))
    assert found["rest"].mean == pytest.approx(0.75)


def test_a_token_across_a_border_belongs_where_it_begins_and_is_counted() -> None:
    """乙丙 begins in the NP: so all of it counts there, on the good side only."""
    scores = (scored(("甲", -1), ("乙丙", -2), ("丁", -1)), SCORES[1])
    found = by_name(region_differences(table([FIRST], *scores), divide([FIRST], by_slot), how="sum"))
    assert (found["NP"].mean, found["NP"].straddling) == (-3 + 7, 1)
    assert (found["rest"].mean, found["rest"].straddling) == (-1 + 5, 0)


def test_blanks_before_a_word_belong_to_the_word() -> None:
    """Tokens of English begin with the blank before them; else every word would be counted one too early."""
    pair = Pair("it is so", "it are so", "u", "p", 0)
    pair = Pair(pair.good, pair.bad, "u", "p", 0, regions=(Region("good", 3, 5, "V", ""), Region("bad", 3, 6, "V", "")))
    scores = (scored(("it", -1), (" is", -2), (" so", -3)), scored(("it", -1), (" are", -7), (" so", -4)))
    found = by_name(region_differences(table([pair], *scores), divide([pair], by_slot)))
    assert (found["V"].mean, found["V"].straddling) == (5, 0)
    assert found["rest"].mean == -2 + 2.5


def test_a_token_of_blanks_alone_stays_where_it_is() -> None:
    pair = differing("甲乙 丙", "戊己 丙")
    scores = (scored(("甲乙", -1), (" ", -2), ("丙", -3)), scored(("戊己", -1), (" ", -4), ("丙", -3)))
    found = by_name(region_differences(table([pair], *scores), divide([pair], by_slot), how="sum"))
    assert (found["NP"].mean, found["rest"].mean) == (0, 2)


def test_the_end_of_the_sentence_belongs_to_the_rest() -> None:
    """EOS covers no character."""
    pair = differing("甲乙", "戊己")
    scores = (scored(("甲乙", -1), eos=-1), scored(("戊己", -2), eos=-5))
    found = by_name(region_differences(table([pair], *scores), divide([pair], by_slot)))
    assert (found["NP"].mean, found["rest"].mean) == (1, 4)


def test_what_one_side_lacks_sums_to_zero_there_but_has_no_mean() -> None:
    """A dropped word: its log-probability is a difference in sums, and nothing to compare in means; it is counted."""
    pair = Pair("甲乙丙", "甲丙", "u", "p", 0, regions=(Region("good", 1, 2, "le", "drop"),))
    scores = (scored(("甲", -1), ("乙", -2), ("丙", -3)), scored(("甲", -1), ("丙", -4)))
    divided, made = divide([pair], by_slot), table([pair], *scores)
    assert by_name(region_differences(made, divided, how="sum"))["le"].mean == -2
    lacking = by_name(region_differences(made, divided))["le"]
    assert (lacking.pairs, lacking.left_out, isnan(lacking.mean)) == (0, 1, True)


def test_an_empty_rest_is_not_listed() -> None:
    found = region_differences(table([FIRST], *SCORES[:2]), divide([FIRST], by_change))
    assert [one.region for one in found] == ["before", "changed", "after"]
    assert [one.pairs for one in found] == [0, 1, 1]


def test_a_pair_whose_slot_cannot_be_placed_is_left_out_of_it_and_of_the_rest() -> None:
    """甲 occurs twice in the first pair: its tokens must not be counted as the rest instead."""
    pairs = (
        Pair("甲甲乙", "甲甲丙", "u", "p", 0, slots=(("a", "甲"),)),
        Pair("甲乙", "甲丙", "u", "p", 1, slots=(("a", "甲"),)),
    )
    scores = [scored(*((char, -1) for char in side)) for pair in pairs for side in (pair.good, pair.bad)]
    found = by_name(region_differences(table(pairs, *scores), divide(pairs, in_parts({"A": ("a",)}))))
    assert {name: (one.pairs, one.left_out) for name, one in found.items()} == {"A": (1, 1), "rest": (1, 1)}


def test_paradigms_are_kept_apart_and_scored_pairs_may_be_fewer_and_in_another_order() -> None:
    other = differing("甲乙丙", "戊己丙", 1, uid="v")
    divided = divide((FIRST, SECOND, other, differing("庚庚", "辛辛", 9, uid="w")), by_slot)
    scores = (*SCORES[2:], *SCORES[:2])
    found = region_differences(table((other, FIRST), *scores), divided, how="sum")
    assert [(one.uid, one.region, one.mean, one.pairs) for one in found] == [
        *(("u", "NP", 4, 1), ("u", "rest", 3, 1), ("v", "NP", 8, 1), ("v", "rest", 0, 1)),
    ]


@given(
    st.lists(st.tuples(st.text("甲 乙", min_size=1, max_size=7), st.integers(1, 3)), min_size=2, max_size=6), st.data()
)
def test_sums_of_all_stretches_add_up_to_the_difference_in_lp(
    sides: list[tuple[str, int]], data: st.DataObject
) -> None:
    """However sentences are divided and tokens cut, no token is lost or counted twice."""
    texts = [text for text, _ in sides[: len(sides) // 2 * 2]]
    values = st.integers(-20, 0)

    def scores(text: str, width: int) -> TokenScores:
        return scored(*((text[at : at + width], data.draw(values)) for at in range(0, len(text), width)), eos=-1)

    def region(side: str, text: str) -> Region:
        start = data.draw(st.integers(0, len(text)))
        which = "good" if side == "good" else "bad"
        return Region(which, start, data.draw(st.integers(start, len(text))), data.draw(st.sampled_from("ab")), "")

    pairs = [
        Pair(good, bad, "u", "p", n, regions=(region("good", good), region("good", good), region("bad", bad)))
        for n, (good, bad) in enumerate(zip(texts[::2], texts[1::2], strict=True))
    ]
    made = table(pairs, *(scores(text, width) for text, width in zip(texts, (w for _, w in sides), strict=False)))
    totals = made.totals().logprob
    for division in (by_slot, by_change):
        found = region_differences(made, divide(pairs, division), how="sum")
        assert sum(one.mean * one.pairs for one in found if one.pairs) == pytest.approx(
            (totals[::2] - totals[1::2]).sum()
        )


def test_a_trace_has_every_checkpoint() -> None:
    """Figure 6: the difference at every checkpoint, by stretch."""
    halved = tuple(TokenScores(s.sentence, s.ids, s.starts, s.ends, s.logprobs / 2) for s in SCORES)
    tables = ((tokens, table(PAIRS, *scores)) for tokens, scores in ((1e6, halved), (1e7, SCORES)))
    trace = trace_regions(tables, divide(PAIRS, by_slot), how="sum")["u", "NP"]
    assert trace.at.tolist() == [1e6, 1e7]
    assert trace.mean.tolist() == [3, 6]
    half = 1.959963984540054 * np.array([sqrt(2), sqrt(8)]) / sqrt(2)  # the deviations of two pairs
    assert trace.high == pytest.approx(trace.mean + half) and trace.low == pytest.approx(trace.mean - half)


def refused(divided: Stretches) -> None:
    with pytest.raises(InputError, match="1 scored pair is not among the given pairs, such as pair 1 of u"):
        region_differences(table(PAIRS, *SCORES), divided)


def test_scores_of_other_pairs_are_refused() -> None:
    """A pair that is missing, and one with the same number and another sentence."""
    refused(divide([FIRST], by_slot))
    refused(divide([FIRST, differing("甲乙庚", "戊己庚", 1)], by_slot))


def test_scores_that_were_read_twice_are_refused() -> None:
    """Every token would count double, and the sums would still look right."""
    with pytest.raises(InputError, match="1 pair occurs more than once in the scores"):
        region_differences(table((FIRST, FIRST), *SCORES[:2], *SCORES[:2]), divide([FIRST], by_slot))


def test_paradigms_pool_to_what_their_pairs_give_together() -> None:
    """By hand: 4, 8 and 0, 3 in the NP: the mean 15 / 4 and the deviation that of the four values."""
    one = RegionDifference("a", "NP", 6.0, sqrt(8), 2, 1, 3)
    two = RegionDifference("b", "NP", 1.5, sqrt(4.5), 2, 0, 1)
    alone = RegionDifference("c", "NP", float("nan"), float("nan"), 0, 2, 0)
    (found,) = pooled([one, two, alone], {"a": "p", "b": "p", "c": "p"})
    four = np.array([4.0, 8.0, 0.0, 3.0])
    assert (found.uid, found.region, found.pairs, found.left_out, found.straddling) == ("p", "NP", 4, 3, 4)
    assert (found.mean, found.deviation) == pytest.approx((3.75, float(four.std(ddof=1))))
    assert found.estimate.high - found.mean == pytest.approx(1.959964 * float(four.std(ddof=1)) / 2)


def test_groups_without_a_pair_to_compare_have_no_mean() -> None:
    nothing = RegionDifference("c", "NP", float("nan"), float("nan"), 0, 2, 0)
    (found,) = pooled([nothing], {"c": "p"})
    assert isnan(found.mean) and isnan(found.estimate.high) and found.left_out == 2
