"""Seams: strings that may not arise where two slots meet, and may well stand inside a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.grammar.printing import broken, crosses
from bidui.grammar.project import Settings

from .small import goods, number_of_pairs, project_of, sentences

WORDS = "expression pos\n走了 V\n看 V\n在 P\n好在 A\n王一 N\n李 N\n一 D\n两 D\n"


def test_a_seam_does_not_arise_on_either_side() -> None:
    project = project_of(WORDS)
    text = "slots: {v: pos:V}\ngood: v 了 吗\nbad: v 吗 了\n"
    assert sentences(project, text) == {("走了了吗", "走了吗了"), ("看了吗", "看吗了")}
    assert sentences(project, text + "seams: [了了]") == {("看了吗", "看吗了")}
    text = "slots: {v: pos:V}\ngood: v 吗 了\nbad: v 了 吗\n"
    assert sentences(project, text + "seams: [了了]") == {("看吗了", "看了吗")}


def test_a_seam_of_the_project_holds_for_every_paradigm() -> None:
    project = project_of(WORDS, settings=Settings("t", seams=("一一", "在在")))
    assert goods(project, "slots: {n: pos:N, d: pos:D}\ngood: n d 个\nbad: d n 个") == {"王一两个", "李一个", "李两个"}
    assert goods(project, "slots: {a: pos:A/N, p: pos:P}\ngood: a p 家\nbad: p a 家") == {"王一在家", "李在家"}


def test_inside_a_word_it_is_no_seam() -> None:
    project = project_of("expression pos\n慢慢 A\n慢 A\n走 V\n")
    text = "slots: {a: pos:A, v: pos:V}\ngood: a v\nbad: v a\nseams: [慢慢]"
    assert goods(project, text) == {"慢慢走", "慢走"}


def test_a_seam_may_reach_over_three_items() -> None:
    project = project_of("expression pos\n甲 A\n乙 A\n丙 B\n丁 B\n")
    text = "slots: {a: pos:A, b: pos:B}\ngood: a 了 b\nbad: b a 了\nseams: [甲了丙]"
    assert goods(project, text) == {"甲了丁", "乙了丙", "乙了丁"}


def test_an_empty_slot_lets_its_neighbours_meet() -> None:
    project = project_of(WORDS)
    text = "slots: {v: pos:V, x: '过 | \"\"'}\ngood: v x 了\nbad: x v 吧\nseams: [了了]"
    assert goods(project, text) == {"走了过了", "看过了", "看了"}


def test_the_count_is_of_what_is_left() -> None:
    project = project_of(WORDS, settings=Settings("t", seams=("一一",)))
    assert number_of_pairs(project, "slots: {n: pos:N, d: pos:D}\ngood: n d 个\nbad: d n 个") == "3"


@pytest.mark.parametrize(
    ("texts", "seam", "expected"),
    [
        (["走了", "了"], "了了", True),
        (["了了"], "了了", False),
        (["了了", "吗"], "了了", False),
        (["a", "b", "c"], "abc", True),
        (["ab", "c"], "abc", True),
        (["abc", "x"], "abc", False),
        (["xabc", "abc"], "ca", True),
        (["a", "", "a"], "aa", True),
        ([], "aa", False),
        (["a", "a"], "", False),
    ],
)
def test_by_hand(texts: list[str], seam: str, expected: bool) -> None:
    assert broken(texts, [seam]) is expected


@given(st.lists(st.text("ab", max_size=3), max_size=5), st.text("ab", min_size=1, max_size=3))
def test_a_seam_is_broken_where_the_string_arises_across_a_boundary(texts: list[str], seam: str) -> None:
    ends = {sum(map(len, texts[:n])) for n in range(1, len(texts))}
    whole = "".join(texts)
    starts = [n for n in range(len(whole)) if whole.startswith(seam, n)]
    assert broken(texts, [seam]) == any(start < end < start + len(seam) for start in starts for end in ends)


@given(
    st.text("ab", min_size=1, max_size=3), st.text("ab", min_size=1, max_size=3), st.text("ab", min_size=1, max_size=4)
)
def test_two_texts_are_the_simplest_case(left: str, right: str, seam: str) -> None:
    assert crosses(left, right, seam) == broken([left, right], [seam])
