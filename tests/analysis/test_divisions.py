"""Sentences cut into stretches, by hand."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.analysis.regions import Division, Stretch, by_change, by_slot, divide, in_parts
from bidui.errors import InputError
from bidui.pairs import Pair, Region

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
    assert cut(ANY, by_slot()) == {"det": (["那"], []), "m": (["位"], []), "任何": ([], ["任何"])}


def test_by_change_cuts_at_the_first_and_the_last_change_of_either_side() -> None:
    """What moved runs from its first place to its last, on both sides."""
    assert cut(ANY, by_change()) == {
        "before": ([""], [""]),
        "changed": (["那位"], ["任何"]),
        "after": (["记者问了什么？"], ["记者问了什么？"]),
    }
    assert cut(MOVED, by_change()) == {
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
    assert cut(Pair(good, bad, "u", "p", 0), by_change()) == {
        "before": ([before], [before]),
        "changed": ([changed[0]], [changed[1]]),
        "after": ([after], [after]),
    }


@given(st.text("甲乙 ", max_size=6), st.text("甲乙 ", max_size=6))
def test_before_changed_and_after_make_up_the_sentence(good: str, bad: str) -> None:
    found = cut(Pair(good, bad, "u", "p", 0), by_change())
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
    with pytest.raises(InputError, match="u, pair 7: the stretch slot lies outside the bad sentence"):
        divide([Pair("甲乙", "甲", "u", "p", 7, regions=(Region("bad", 0, 2, "slot", "add"),))], by_slot())


def test_characters_know_their_stretch() -> None:
    """那位记者问了什么？ and 任何…, with a place after each for what stands at the end of a sentence."""
    divided = divide([ANY], lambda pair: iter([Stretch("good", 0, 2, "NP"), Stretch("bad", 0, 2, "NP")]))
    assert divided.codes.tolist() == ([1, 1] + [0] * 8) * 2
    assert divided.labels == (("npi", "NP"), ("npi", "rest"))
