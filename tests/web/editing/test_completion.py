"""Completion offers what fits at a place, with how many words each would leave, best first.

The counts are those of the small lexicon: 4 NR, 6 NN (2 kin, 4 things), 2 PN, 4 M and 2 VV.
"""

from dataclasses import replace

import pytest

from bidui.web.editing.completion import MOST, Completion, complete_line, complete_rule, complete_text
from bidui.web.editing.preview import OpenProject
from tests.web.editing.small import CLASSIFIER, PHRASES

SLOTS = {"who": "phrase:Person", "thing": "pos:NN kind:thing", "verb": "pos:VV", "m": "pos:M"}


def offered(done: Completion, most: int = 99) -> list[tuple[str, int | None]]:
    return [(option.text, option.count) for option in done.options[:most]]


def rule(text: str, small: OpenProject, slot: str = "new") -> Completion:
    """What is offered at `‸`."""
    cursor = text.index("‸")
    return complete_rule(text.replace("‸", ""), cursor=cursor, fitting=small.fitting, slots=SLOTS, slot=slot)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pos:‸", [("*", 18), ("NN", 6), ("M", 4), ("NR", 4), ("PN", 2), ("VV", 2), ("-", 0)]),
        ("pos:N‸", [("NN", 6), ("NR", 4), ("PN", 2)]),
        ("pos:NN kind:‸", [("*", 6), ("thing", 4), ("kin", 2), ("-", 0)]),
        ("kind:‸ pos:NR", [("-", 4), ("*", 0)]),
        ("pos:NN gender:female/‸", [("male", 1)]),
        ("gender:!‸", [("female", 3), ("male", 3)]),
        ("pos:NR | pos:PN gender:‸", [("*", 2), ("female", 1), ("male", 1), ("-", 0)]),
        ("pos:M mPos:‸", [("thing", 4), ("who.head", 5), ("verb", 2), ("m", 4)]),
        ("pos:NN expression:红‸", [("红酒", 1)]),
        ("phrase:‸", [("Person", 5)]),
        ("phrase:Person ‸", [("head:<", 5)]),
        ("phrase:Person head:<gender:‸>", [("*", 5), ("male", 3), ("female", 3), ("-", 0)]),
        ("rel:‸", [("acts", 4)]),
        ("pos:NN rel:acts(verb, ‸)", [("thing", 4), ("new", 4), ("_", None)]),
    ],
)
def test_values_and_targets_come_with_the_words_they_leave(
    text: str, expected: list[tuple[str, int | None]], small: OpenProject
) -> None:
    found = offered(rule(text, small))
    assert {option: count for option, count in found if count != 0 or option in {"-", "*"}} == dict(expected)


def test_a_match_offers_the_features_that_have_something_in_common(small: OpenProject) -> None:
    """By hand: of 本 瓶 杯 条, three stand in the classifiers of some thing; mismatched with one thing are all four."""
    done = offered(rule("pos:M mPos:thing mPro:‸", small))
    assert done[0] == ("expression=classifier", 3)
    assert ("classifier", 3) in offered(rule("pos:M mPos:thing mPro:expression=‸", small))
    assert ("classifier", 4) in offered(rule("pos:M mmPos:thing mmPro:expression=‸", small))
    # 王先生, 李太太 and 张老师 share a gender with some person; 小林 has none
    assert ("gender", 3) in offered(rule("pos:NR mPos:who.head mPro:‸", small))


def test_the_other_half_of_a_link_comes_first(small: OpenProject) -> None:
    assert offered(rule("pos:M mPos:thing ‸", small))[0] == ("mPro:", None)
    assert offered(rule("pos:M mmPos:thing ‸", small))[0] == ("mmPro:", None)


def test_features_are_offered_with_the_words_that_have_them(small: OpenProject) -> None:
    done = dict(offered(rule("pos:NN ‸", small)))
    assert (done["kind:"], done["class:"], done["classifier:"], done["gender:"]) == (6, 4, 4, 2)
    assert "pos:" not in done
    assert offered(rule("ge‸", small)) == [("gender:", 7)]


def test_what_is_typed_is_replaced_and_the_rest_stays(small: OpenProject) -> None:
    done = rule("pos:NN ki‸nd:thing", small)
    assert (done.start, done.end) == (7, 11)
    assert offered(done)[0][0] == "kind"
    done = rule("pos:N‸N kind:thing", small)
    assert (done.start, done.end) == (4, 6)


def test_a_slot_is_not_offered_to_itself(small: OpenProject) -> None:
    assert "m" not in dict(offered(rule("pos:M mPos:‸", small, slot="m")))


def test_a_list_that_is_too_long_says_how_much_more_there_is(small: OpenProject) -> None:
    phrases = dict.fromkeys((f"P{n}" for n in range(60)), small.project.phrases["Person"])
    many = replace(small.fitting, phrases=phrases, part_words={})
    done = complete_rule("phrase:", cursor=7, fitting=many, slots={})
    assert (len(done.options), done.more) == (MOST, 10)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("‸", {"who": 5, "who.head": 5, "thing": 4, "verb": 2, "m": 4}),
        ("who th‸", {"thing": 4}),
        ("who.‸", {"who.head": 5}),
        ("thing@cl‸", {"thing@classifier": 4, "thing@class": 4}),
        ("自‸己", {}),
    ],
)
def test_lines_offer_slots_parts_and_columns(line: str, expected: dict[str, int], small: OpenProject) -> None:
    cursor = line.index("‸")
    done = complete_line(line.replace("‸", ""), cursor=cursor, fitting=small.fitting, slots=SLOTS)
    assert dict(offered(done)) == expected


@pytest.mark.parametrize(
    ("old", "new", "typed", "first"),
    [
        ("thing: \"pos:NN kind:thing\"", "thing: \"pos:NN kind:th‸\"", "th", ("thing", 4)),
        ("phrase:Person", "phrase:Per‸", "Per", ("Person", 5)),
        ("who: phrase:Person", "who: pos:‸", "", ("*", 18)),  # not YAML at the moment
        ("bad: who verb", "bad: who v‸", "v", ("verb", 1)),
        ("edit: agreement", "edit: ag‸", "ag", ("agreement", None)),
        ("edit: agreement", "edit: order+ag‸", "ag", ("agreement", None)),
        ("edit: agreement", "so‸", "so", ("source: ", None)),
    ],
)  # fmt: skip
def test_the_plain_text_is_completed_as_the_rows_are(
    old: str, new: str, typed: str, first: tuple[str, int | None], small: OpenProject
) -> None:
    assert CLASSIFIER.count(old) == 1
    text = CLASSIFIER.replace(old, new)
    cursor = text.index("‸")
    text = text.replace("‸", "")
    done = complete_text(text, cursor=cursor, fitting=small.fitting)
    assert text[done.start : done.end].startswith(typed)
    assert done.start == cursor - len(typed)
    assert offered(done)[0][0] == first[0]


def test_links_in_a_phrase_are_offered_its_parts(small: OpenProject) -> None:
    text = PHRASES.replace("kind:kin", "kind:kin mPos:")
    cursor = text.index("mPos:") + 5
    text = text.replace("mPos:", "mPos:x")
    done = complete_text(text, cursor=cursor, fitting=small.fitting, phrases=True)
    assert [option.text for option in done.options] == ["whose"]
