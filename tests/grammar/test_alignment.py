"""What the bad line does to each item of the good one, and the kind of edit that this is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.grammar.printing import Change, Token, align, edit_kinds

from .small import all_pairs, project_of

PROJECT = project_of("""
expression pos gender first
小明       NR  male   小
小红       NR  female 小
他         PN  male
她         PN  female
喜欢       VV  _      喜
讨厌       VV  _      讨
书         NN
""")
SLOTS = """
slots:
  who: expression:小明
  verb: expression:喜欢
  other: expression:讨厌
  obj: expression:书
  right: pos:PN mPos:who mPro:gender
  wrong: pos:PN mmPos:who mmPro:gender
"""
GOOD, BAD = 0, 1


def changes(good: str, bad: str) -> tuple[str, list[tuple[int, str, str]]]:
    """The edit of a pair, and side, slot and kind of each change."""
    used = set(f"{good} {bad}".replace("@first", "").split())
    slots = "".join(
        f"{line}\n" for line in SLOTS.strip().splitlines() if line.split(":")[0].strip() in used | {"slots"}
    )
    (pair,) = all_pairs(PROJECT, f"{slots}good: {good}\nbad: {bad}\n")
    return pair.edit, [(int(region.side == "bad"), region.slot, region.edit) for region in pair.regions]


@pytest.mark.parametrize(
    ("good", "bad", "edit", "expected"),
    [
        # of two that change places, one is kept and the other moved: the earlier one, where both weigh the same
        ("who verb obj", "verb who obj", "order", [(GOOD, "who", "move"), (BAD, "who", "move")]),
        ("who verb obj", "who obj verb", "order", [(GOOD, "verb", "move"), (BAD, "verb", "move")]),
        # a literal moves rather than a word
        ("who 把 obj verb", "who obj 把 verb", "order", [(GOOD, "把", "move"), (BAD, "把", "move")]),
        ("who 了 verb", "who verb 了", "order", [(GOOD, "了", "move"), (BAD, "了", "move")]),
        ("who verb 了", "who verb", "deletion", [(GOOD, "了", "drop")]),
        ("who verb obj", "who verb", "deletion", [(GOOD, "obj", "drop")]),
        ("who verb", "who verb 了", "insertion", [(BAD, "了", "add")]),
        ("who verb", "who verb obj", "insertion", [(BAD, "obj", "add")]),
        ("who verb", "who verb who", "insertion", [(BAD, "who", "copy")]),
        ("who verb 了", "who verb 了 了", "insertion", [(BAD, "了", "add")]),
        ("who verb 。", "who verb ？", "substitution", [(GOOD, "。", "replace"), (BAD, "？", "replace")]),
        ("who verb obj", "who other obj", "substitution", [(GOOD, "verb", "replace"), (BAD, "other", "replace")]),
        ("who verb right", "who verb wrong", "agreement", [(GOOD, "right", "agree"), (BAD, "wrong", "agree")]),
        # another column of the same word is another item
        ("who verb", "who verb@first verb", "insertion", [(BAD, "verb", "add")]),
        ("who verb", "who verb@first", "substitution", [(GOOD, "verb", "replace"), (BAD, "verb", "replace")]),
    ],
)
def test_by_hand(good: str, bad: str, edit: str, expected: list[tuple[int, str, str]]) -> None:
    assert changes(good, bad) == (edit, expected)


def test_several_kinds_of_edit_are_joined_in_a_fixed_order() -> None:
    edit, found = changes("who 了 verb 。", "who verb obj ？")
    assert edit == "insertion+deletion+substitution"
    # 了 is gone; in the gap after the verb the first of each side go together
    assert found == [(GOOD, "了", "drop"), (GOOD, "。", "replace"), (BAD, "obj", "replace"), (BAD, "？", "add")]


def test_a_pair_that_moves_and_replaces() -> None:
    edit, found = changes("who verb obj 。", "obj who verb ？")
    assert edit == "order+substitution"
    assert found == [(GOOD, "obj", "move"), (GOOD, "。", "replace"), (BAD, "obj", "move"), (BAD, "？", "replace")]


def test_a_mismatch_written_where_a_phrase_is_used_is_agreement_too() -> None:
    """The wrong word is wrong by a mismatch, whether it stands alone or heads a phrase."""
    project = project_of(PROJECT.lexicon, phrases="  Self:\n    - parts: {pn: pos:PN, self: 自己}\n      head: pn\n")
    text = """
slots:
  who: pos:NR
  right: phrase:Self head:<mPos:who mPro:gender>
  wrong: phrase:Self head:<mmPos:who mmPro:gender>
good: who right
bad: who wrong
"""
    pairs = all_pairs(project, text)
    assert {(pair.good, pair.bad) for pair in pairs} == {("小明他自己", "小明她自己"), ("小红她自己", "小红他自己")}
    assert {pair.edit for pair in pairs} == {"agreement"}


def tokens(text: str) -> list[Token]:
    """Words in upper case, literals in lower."""
    return [Token(word, word, literal=word.islower(), mismatched=False) for word in text.split()]


def test_equal_lines_have_no_changes() -> None:
    assert align(tokens("a B c"), tokens("a B c")) == []
    assert edit_kinds([]) == []


def test_every_item_that_is_not_kept_is_accounted_for() -> None:
    """Of a b c d and c d a x, two are kept."""
    assert align(tokens("a b c d"), tokens("c d a x")) == [
        Change(GOOD, 0, "a", "move"),
        Change(GOOD, 1, "b", "drop"),
        Change(BAD, 2, "a", "move"),
        Change(BAD, 3, "x", "add"),
    ]


lines = st.lists(st.sampled_from("ABCabc"), max_size=6).map(" ".join).map(tokens)


@given(lines, lines)
def test_undoing_the_changes_leaves_the_same_items_in_the_same_order(good: list[Token], bad: list[Token]) -> None:
    changed = {(change.side, change.item) for change in align(good, bad)}
    kept = [
        [item for n, item in enumerate(line) if (side, n) not in changed] for side, line in ((GOOD, good), (BAD, bad))
    ]
    assert kept[0] == kept[1]


@given(lines, lines)
def test_each_change_is_what_its_name_says(good: list[Token], bad: list[Token]) -> None:
    changes = align(good, bad)
    moved = [sorted(good[c.item].text for c in changes if c.kind == "move" and c.side == GOOD)]
    moved += [sorted(bad[c.item].text for c in changes if c.kind == "move" and c.side == BAD)]
    assert moved[0] == moved[1]
    assert all(bad[c.item] in good for c in changes if c.kind == "copy")
    assert all(c.side == GOOD for c in changes if c.kind == "drop")
    assert all(c.side == BAD for c in changes if c.kind in {"add", "copy"})
    replaced = [sum(c.kind == "replace" for c in changes if c.side == side) for side in (GOOD, BAD)]
    assert replaced[0] == replaced[1]
