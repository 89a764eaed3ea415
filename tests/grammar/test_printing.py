"""Tests for what a pair prints: alignment, regions, columns and lengths."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.grammar.draw import enumerate_pairs
from bidui.grammar.generate import as_pair
from bidui.grammar.network import Compiler
from bidui.grammar.printing import Change, Style, Token, align, edit_kinds
from bidui.grammar.project import Settings
from bidui.pairs import Pair, Region

from .random_paradigms import random_paradigm, random_project
from .small import all_pairs, drawn, kinds, number_of_pairs, problems_of, project_of, sentences

# What the bad line does to each item of the good one, and the kind of edit that this is.

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


# Every pair says where its sentences differ, in characters, and which slot each stretch came from.

REGION_PROJECT = project_of(
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
    pair = all_pairs(REGION_PROJECT, f"slots:\n{slots}\ngood: {good}\nbad: {bad}")[0]
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


# `slot@column` prints another column of the word's row: first syllables, separable verbs, results, events.

VERBS = project_of("""
expression pos first verb object result
喜欢       V   喜
讨厌       V   讨
跑步       S   _     跑   步
跳舞       S   _     跳   舞
吃         R   _     _    _      吃掉
喝         R   _     _    _      喝完
看         R
""")


def test_a_first_syllable_is_repeated() -> None:
    """喜不喜欢, not 喜欢不喜欢."""
    text = "slots: {v: pos:V}\ngood: v@first 不 v\nbad: v 不 v@first"
    assert sentences(VERBS, text) == {("喜不喜欢", "喜欢不喜"), ("讨不讨厌", "讨厌不讨")}


def test_a_separable_word_comes_apart() -> None:
    text = "slots: {v: pos:S}\ngood: v@verb 了 一小时 v@object\nbad: v 了 一小时"
    assert sentences(VERBS, text) == {("跑了一小时步", "跑步了一小时"), ("跳了一小时舞", "跳舞了一小时")}


def test_a_word_whose_cell_is_blank_does_not_fit() -> None:
    """看 has no result form, so it cannot stand where one is printed."""
    text = "slots: {v: pos:R}\ngood: 把 v@result 了\nbad: 把 v 了"
    assert sentences(VERBS, text) == {("把吃掉了", "把吃了"), ("把喝完了", "把喝了")}
    assert number_of_pairs(VERBS, text) == "2"


def test_a_cell_with_several_values_cannot_be_printed() -> None:
    project = project_of("expression pos form\n甲 N a/b\n")
    (problem,) = problems_of(project, "slots: {n: pos:N}\ngood: n@form 了\nbad: 了 n@form")
    assert problem.kind == "column-several"
    assert (problem.values["form"], problem.values["values"]) == ("甲", ["a", "b"])


def test_a_row_may_be_an_event_of_several_words() -> None:
    project = project_of("""
expression subj verb obj m
写信       老师 写   信  封
看书       学生 看   书  本
""")
    text = "slots: {e: 'verb:*'}\ngood: e@subj e@verb 一 e@m e@obj\nbad: e@subj 一 e@m e@verb e@obj"
    assert sentences(project, text) == {("老师写一封信", "老师一封写信"), ("学生看一本书", "学生一本看书")}


def test_links_hold_for_the_row_whatever_is_printed() -> None:
    project = project_of("expression pos f col\n甲 A 1 子\n乙 A 2 丑\n丙 B 1 寅\n丁 B 2 卯\n")
    text = "slots:\n  a: pos:A\n  b: pos:B mPos:a mPro:f\ngood: a@col b@col\nbad: b@col a@col"
    assert sentences(project, text) == {("子寅", "寅子"), ("丑卯", "卯丑")}


def test_two_words_with_one_printed_form_make_one_pair() -> None:
    """Only what can be told apart in print is counted."""
    project = project_of("expression pos col\n甲 A 子\n乙 A 子\n丙 A 丑\n")
    text = "slots: {a: pos:A}\ngood: a@col 了\nbad: 了 a@col"
    assert number_of_pairs(project, text) == "2"
    assert len(all_pairs(project, text)) == 2


def test_a_column_of_a_part_of_a_phrase() -> None:
    project = project_of(VERBS.lexicon, phrases="  VP:\n    - parts: {adv: 很, v: pos:V}\n      head: v\n")
    text = "slots: {p: phrase:VP}\ngood: p.v@first 不 p.head\nbad: p.head@first p"
    assert sentences(project, text) == {("喜不喜欢", "喜很喜欢"), ("讨不讨厌", "讨很讨厌")}


def test_a_line_inside_a_phrase_may_print_columns() -> None:
    project = project_of(VERBS.lexicon, phrases="  VP:\n    - parts: {v: pos:V}\n      line: v@first 不 v\n")
    assert sentences(project, "slots: {p: phrase:VP}\ngood: p 他\nbad: 他 p") == {
        *(("喜不喜欢他", "他喜不喜欢"), ("讨不讨厌他", "他讨不讨厌")),
    }


def test_columns_that_are_not_there_are_refused() -> None:
    (problem,) = problems_of(VERBS, "slots: {v: pos:V}\ngood: v@frist 不 v\nbad: v 不 v@frist")
    assert (problem.kind, problem.values["feature"]) == ("feature-unknown", "frist")
    assert problem.values["near"][0] == "first"  # type: ignore[index]
    assert (problem.place.line, problem.place.column, problem.place.part) == (5, 7, "good line")
    assert kinds(problems_of(VERBS, "slots: {v: pos:R first:*}\ngood: v@first 不\nbad: 不 v")) == ["no-word-fits"]


# Equal length is a constraint on the words, in characters or, where blanks separate them, in words.

WORDS = """
expression pos
他         P
我们       Q
你们       Q
她         Q
"""
SWAP = "slots: {a: pos:P, b: pos:Q}\ngood: a 来\nbad: b 来\n"


def test_sides_of_unequal_length_are_not_made() -> None:
    project = project_of(WORDS)
    assert sentences(project, SWAP + "equal_length: true") == {("他来", "她来")}
    assert len(sentences(project, SWAP)) == 3


def test_literals_count() -> None:
    project = project_of(WORDS)
    text = "slots: {a: pos:P, b: pos:Q}\ngood: a 来 了\nbad: b 来\nequal_length: true"
    assert sentences(project, text) == {("他来了", "我们来"), ("他来了", "你们来")}


def test_lengths_may_be_made_up_elsewhere() -> None:
    """It is the whole sentence that counts: two words may trade a character."""
    project = project_of("expression pos\n甲 A\n乙乙 A\n丙 B\n丁丁 B\n")
    text = "slots: {a: pos:A, b: pos:B, c: pos:A, d: pos:B}\ngood: a b\nbad: c d\nequal_length: true"
    made = sentences(project, text)
    assert ("甲丁丁", "乙乙丙") in made and ("甲丙", "乙乙丁丁") not in made
    assert all(len(good) == len(bad) for good, bad in made)
    # lengths 2, 3, 3, 4: one filling of 2, two of 3, one of 4; 1 + 4 + 1 pairs less the four whose sides are equal
    assert len(made) == 2
    assert number_of_pairs(project, text) == "2"


def test_alternatives_and_phrases_of_different_length() -> None:
    phrases = "  P:\n    - 甲\n    - parts: {x: 这, y: 甲}\n"
    project = project_of(WORDS, phrases=phrases)
    text = "slots: {p: phrase:P, q: pos:Q}\ngood: p 来\nbad: q 来\nequal_length: true"
    assert sentences(project, text) == {("甲来", "她来"), ("这甲来", "我们来"), ("这甲来", "你们来")}
    assert number_of_pairs(project, text) == "3"


def test_an_empty_slot_has_no_length() -> None:
    project = project_of(WORDS)
    text = "slots: {a: pos:P, b: pos:Q, c: '了 | \"\"'}\ngood: a 来 c\nbad: b 来\nequal_length: true"
    assert sentences(project, text) == {("他来了", "我们来"), ("他来了", "你们来"), ("他来", "她来")}


def test_lengths_are_compared_even_where_no_word_is_left() -> None:
    """Nothing but literals, of unequal number: no pair, however empty the slot."""
    project = project_of(WORDS)
    text = "slots: {s: '\"\" | pos:P'}\ngood: 把 s\nbad: 了 把 s\nequal_length: true"
    assert sentences(project, text) == set()
    assert len(drawn(project, text, 3)) == 0
    assert number_of_pairs(project, text) == "0"


def test_printed_columns_count_by_what_is_printed() -> None:
    project = project_of("expression pos col\n甲 A 乙乙\n丙丙 A 丁丁\n")
    text = "slots: {a: pos:A}\ngood: a 来\nbad: a@col 来\nequal_length: true"
    assert sentences(project, text) == {("丙丙来", "丁丁来")}


def test_words_are_counted_where_blanks_separate_them() -> None:
    """`New York` is two words, whatever its letters; a full stop is none."""
    project = project_of(
        "expression pos\nKim P\nNew.York Q\nBo Q\nAlexandria Q\n", settings=Settings("t", "en", " ", True)
    )
    text = 'slots: {a: pos:P, b: pos:Q}\ngood: a "sleeps" .\nbad: b "sleeps" .\nequal_length: true'
    assert sentences(project, text) == {("Kim sleeps.", "Bo sleeps."), ("Kim sleeps.", "Alexandria sleeps.")}


def test_two_columns_of_one_word_are_compared() -> None:
    """The sides differ in the column of a alone; 甲, whose column says 甲, would give a good sentence that is bad."""
    project = project_of("expression pos col\n甲 A 甲\n乙 A 丁\n丙 A 甲\n")
    text = "slots: {a: pos:A}\ngood: 把 a a@col\nbad: 把 a a"
    assert sentences(project, text) == {("把乙丁", "把乙乙"), ("把丙甲", "把丙丙")}
    assert number_of_pairs(project, text) == "2"


@pytest.mark.parametrize(
    ("separator", "text", "length"),
    [
        ("", "你好", 2),
        ("", "你好。", 3),
        ("", "a b", 3),
        (" ", "good day", 2),
        (" ", ".", 0),
        (" ", "?!", 0),
        (" ", "it's", 1),
        ("-", "good-day", 8),
    ],
)
def test_what_a_length_is(separator: str, text: str, length: int) -> None:
    assert Style(separator).length(text) == length


def test_when_length_costs_pairs_the_reason_says_so() -> None:
    (short,) = drawn(project_of(WORDS), SWAP + "equal_length: true", 5).short
    assert "if the two sentences could differ in length, there would be 3 fillings instead of 1" in short.reason


def test_equal_length_and_distinctness_are_counted_together() -> None:
    """Ten words of one character and five of two, two slots a side."""
    words = "".join(f"{chr(0x4E00 + n)} N\n" for n in range(10)) + "".join(f"双{chr(0x4E20 + n)} N\n" for n in range(5))
    text = "slots: {a: pos:N, b: pos:N, c: pos:N}\ngood: a b 。\nbad: a c 。\nequal_length: true"
    # a of 15; b and c of the same length, different from each other (or good is bad) and from a:
    # a short: b, c short 9 * 8 or long 5 * 4; a long: short 10 * 9 or long 4 * 3
    assert number_of_pairs(project_of("expression pos\n" + words), text) == f"{10 * (72 + 20) + 5 * (90 + 12):,}"
