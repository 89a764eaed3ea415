"""Every pair says where its sentences differ, in characters, and which slot each stretch came from."""

import itertools
import random

import pytest

from bidui.errors import InputError
from bidui.grammar.draw import enumerate_pairs
from bidui.grammar.generate import as_pair
from bidui.grammar.network import Compiler
from bidui.grammar.project import Settings
from bidui.pairs import Pair, Region

from .random_paradigms import random_paradigm, random_project
from .small import all_pairs, project_of

PROJECT = project_of(
    """
expression pos gender first
小明       NR  male
小红       NR  female
他         PN  male
她         PN  female
喜欢       VV  _      喜
书         NN
""",
    phrases="  NP:\n    - parts: {det: 这, noun: pos:NN}\n      line: det 本 noun\n      head: noun\n",
)


def regions(good: str, bad: str, slots: str) -> tuple[Pair, list[tuple[str, str, str, str]]]:
    """The first pair, and side, text, slot and kind of each region."""
    pair = all_pairs(PROJECT, f"slots:\n{slots}\ngood: {good}\nbad: {bad}")[0]
    return pair, [(r.side, text_of(pair, r), r.slot, r.edit) for r in pair.regions]


def text_of(pair: Pair, region: Region) -> str:
    return (pair.good if region.side == "good" else pair.bad)[region.start : region.end]


def test_a_substituted_word() -> None:
    slots = """
  who: expression:小明
  v: expression:喜欢
  r: pos:PN mPos:who mPro:gender
  w: pos:PN mmPos:who mmPro:gender"""
    pair, found = regions("who v r 自己 。", "who v w 自己 。", slots)
    assert (pair.good, pair.bad) == ("小明喜欢他自己。", "小明喜欢她自己。")
    assert pair.regions == (Region("good", 4, 5, "r", "agree"), Region("bad", 4, 5, "w", "agree"))
    assert found == [("good", "他", "r", "agree"), ("bad", "她", "w", "agree")]


def test_a_moved_phrase_is_one_region_on_each_side() -> None:
    slots = "  who: expression:小明\n  v: expression:喜欢\n  np: phrase:NP"
    pair, found = regions("who v np 。", "who np v 。", slots)
    assert (pair.good, pair.bad) == ("小明喜欢这本书。", "小明这本书喜欢。")
    moved = {(side, text) for side, text, _, kind in found if kind == "move"}
    assert moved in ({("good", "喜欢"), ("bad", "喜欢")}, {("good", "这本书"), ("bad", "这本书")})


def test_what_is_dropped_stands_on_the_good_side_and_what_is_added_on_the_bad() -> None:
    slots = "  who: expression:小明\n  v: expression:喜欢"
    assert regions("who 很 v", "who v", slots)[1] == [("good", "很", "很", "drop")]
    assert regions("who v", "who 很 v", slots)[1] == [("bad", "很", "很", "add")]


def test_a_printed_column_is_a_region_of_its_slot() -> None:
    pair, found = regions("who v@first 不 v", "who v 不 v", "  who: expression:小明\n  v: expression:喜欢")
    assert (pair.good, pair.bad) == ("小明喜不喜欢", "小明喜欢不喜欢")
    assert [(side, text, slot) for side, text, slot, _ in found] == [("good", "喜", "v"), ("bad", "喜欢", "v")]


def test_blanks_between_words_belong_to_no_slot() -> None:
    project = project_of("expression pos\nKim N\nshe P\nher Q\n", settings=Settings("t", "en", " ", True))
    (pair,) = all_pairs(project, 'slots: {n: pos:N, a: pos:P, b: pos:Q}\ngood: a "saw" n .\nbad: b "saw" n .')
    assert (pair.good, pair.bad) == ("She saw Kim.", "Her saw Kim.")
    assert [text_of(pair, region) for region in pair.regions] == ["She", "Her"]
    (pair,) = all_pairs(project, 'slots: {n: pos:N, a: pos:P}\ngood: a "saw" n .\nbad: \'"saw" a n .\'')
    assert (pair.good, pair.bad) == ("She saw Kim.", "Saw she Kim.")
    assert {text_of(pair, region).lower() for region in pair.regions} in ({"she"}, {"saw"})


def test_the_words_of_all_slots_are_recorded_by_their_paths() -> None:
    slots = "  who: expression:小明\n  v: expression:喜欢\n  np: phrase:NP"
    pair, _ = regions("who v np 。", "who np v 。", slots)
    assert dict(pair.slots) == {"who": "小明", "v": "喜欢", "np.det": "这", "np.noun": "书"}
    assert pair.words == ("小明", "喜欢", "书")  # 这 is not in the lexicon


def without_regions(pair: Pair, side: str) -> str:
    text = pair.good if side == "good" else pair.bad
    for region in sorted((r for r in pair.regions if r.side == side), key=lambda r: -r.start):
        text = text[: region.start] + text[region.end :]
    return text


@pytest.mark.parametrize("seed", range(60))
def test_outside_of_regions_the_sides_are_equal(seed: int) -> None:
    """And a region's text is what fills its slot: by hand above, here on whatever comes."""
    rng = random.Random(seed)
    project = random_project(rng)
    paradigm = random_paradigm(rng, project)
    try:
        networks = Compiler.of(project).networks(paradigm)
    except InputError:
        return
    for number, draw in zip(range(50), enumerate_pairs(networks), strict=False):
        pair = as_pair(draw, paradigm, number)
        assert without_regions(pair, "good") == without_regions(pair, "bad")
        assert pair.regions and pair.edit
        for side in ("good", "bad"):
            spans = [(r.start, r.end) for r in pair.regions if r.side == side]
            assert spans == sorted(spans)
            assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
        filled = dict(pair.slots)
        for region in pair.regions:
            if filled.get(region.slot) and "@" not in paradigm_lines(paradigm):
                assert text_of(pair, region) == filled[region.slot]


def paradigm_lines(paradigm: object) -> str:
    return " ".join(str(line) for variant in paradigm.variants for line in (variant.good, variant.bad))  # type: ignore[attr-defined]
