"""Counts are exact: against brute force on random paradigms, and against formulas worked out by hand on large ones."""

import random
from dataclasses import replace
from itertools import combinations, islice
from math import comb, prod

import pytest

from bidui.errors import InputError
from bidui.grammar import draw
from bidui.grammar.count import Count, _signed, count_assignments
from bidui.grammar.draw import draw_even, draw_uniform, enumerate_pairs
from bidui.grammar.generate import MANY, count_pairs, generate
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, Settings

from . import brute
from .random_paradigms import random_paradigm, random_project
from .small import all_pairs, drawn, networks_of, number_of_pairs, project_of

SEEDS = range(300)
BRUTE = 2_000  # fillings that brute force may look at


def compiled(seed: int) -> tuple[Project, Paradigm, list[Network]] | None:
    """The paradigm of a seed, unless it is refused or too large for brute force."""
    rng = random.Random(seed)
    project = random_project(rng)
    paradigm = random_paradigm(rng, project)
    try:
        networks = Compiler.of(project).networks(paradigm)
    except InputError as error:
        assert all(problem.text("en") and problem.text("zh") for problem in error.problems)
        return None
    slots = paradigm.variants[0].slots.values()
    sizes = (len(list(islice(brute.fillings(project, slot), BRUTE))) for slot in slots)
    return (project, paradigm, networks) if prod(sizes) <= BRUTE else None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_solver_agrees_with_brute_force(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Brute force shares no code with the solver: count, even draws, enumeration and uniform draws must all agree."""
    found = compiled(seed)
    if found is None:
        return
    project, paradigm, networks = found
    expected = brute.all_pairs(project, paradigm)
    assert count_pairs(networks) == Count(len(expected))
    even = [draw.printer.sentences(draw.pieces) for draw in draw_even(networks, seed="a")]
    assert (len(even), set(even)) == (len(expected), expected)
    listed = [draw.printer.sentences(draw.pieces) for draw in enumerate_pairs(networks)]
    assert (len(listed), set(listed)) == (len(expected), expected)
    shuffled = [draw.printer.sentences(draw.pieces) for draw in draw_uniform(networks, seed="a")]
    assert (len(shuffled), set(shuffled)) == (len(expected), expected)
    monkeypatch.setattr(draw, "SMALL", 0)  # as if it were too large to be enumerated
    monkeypatch.setattr(draw, "REPEATING", 0)
    try:
        sampled = [d.printer.sentences(d.pieces) for d in islice(draw_uniform(networks, seed="a"), len(expected))]
    except InputError as error:
        assert error.problems[0].kind in {"uniform-repeats", "uniform-sparse"}
    else:
        assert (len(sampled), set(sampled)) == (len(expected), expected)


@pytest.mark.parametrize("seed", SEEDS[:60])
def test_asking_for_too_many_gives_all_there_are_and_the_reason(seed: int) -> None:
    found = compiled(seed)
    if found is None:
        return
    _, paradigm, networks = found
    number = count_pairs(networks).value
    made = generate(paradigm, networks, n=number + 1, seed=1)
    (short,) = made.short
    assert (len(made), short.given, short.asked, short.uid) == (number, number, number + 1, "small")
    assert f"only {number} of the {number + 1} requested pairs exist" in short.reason
    assert not generate(paradigm, networks, n=number, seed=1).short


def test_enough_of_the_random_paradigms_are_worth_the_name() -> None:
    """A maker whose paradigms are all refused or empty would let everything pass."""
    found = [compiled(seed) for seed in SEEDS[:100]]
    sizes = [count_pairs(networks).value for _, _, networks in filter(None, found)]
    assert len(sizes) > 35
    assert sum(size > 10 for size in sizes) > 15


def words(n: int, pos: str = "N", mark: str = "词") -> str:
    return "".join(f"{mark}{pos}{k} {pos}\n" for k in range(n))


def test_three_slots_of_one_class_of_ten() -> None:
    project = project_of("expression pos\n" + words(10))
    text = "slots: {a: pos:N, b: pos:N, c: pos:N}\ngood: a b c\nbad: c b a"
    assert number_of_pairs(project, text) == "720"
    assert len(all_pairs(project, text)) == 720


def test_slots_of_overlapping_classes() -> None:
    """Ten words, six of them also in the second class: 10 * 6 less the six that would be the same."""
    rows = "".join(f"词{n} {'N/M' if n < 6 else 'N'}\n" for n in range(10))
    text = "slots: {a: pos:N, b: pos:M}\ngood: a b\nbad: b a"
    assert number_of_pairs(project_of("expression pos\n" + rows), text) == "54"


def test_six_slots_of_one_class() -> None:
    """203 partitions of six slots: the sum of inclusion and exclusion is a falling factorial all the same."""
    names = "abcdef"
    rules = ", ".join(f"{name}: pos:N" for name in names)
    text = f"slots: {{{rules}}}\ngood: {' '.join(names)} 。\nbad: 。 {' '.join(names)}"
    assert number_of_pairs(project_of("expression pos\n" + words(50)), text) == f"{50 * 49 * 48 * 47 * 46 * 45:,}"


def complete(n: int) -> frozenset[tuple[int, int]]:
    return frozenset(combinations(range(n), 2))


@pytest.mark.parametrize(("n", "sign"), [(2, -1), (3, 2), (4, -6), (5, 24), (6, -120)])
def test_n_leaves_that_all_conflict_count_as_the_moebius_function_says(n: int, sign: int) -> None:
    """(-1)^(n-1) (n-1)!: the coefficient that makes n(n-1)(n-2)… out of powers of n."""
    assert _signed(tuple(range(n)), complete(n)) == sign


@pytest.mark.parametrize(
    ("edges", "sign"),
    [
        ([(0, 1), (1, 2)], 1),  # a path: its two edges, the only connected graph
        ([(0, 1), (1, 2), (2, 3)], -1),
        ([(0, 1), (0, 2), (0, 3)], -1),  # a star
        ([(0, 1), (1, 2), (2, 3), (0, 3)], -3),  # a square: four paths of three edges and itself: -4 + 1
    ],
)
def test_leaves_that_conflict_in_part(edges: list[tuple[int, int]], sign: int) -> None:
    members = tuple(sorted({leaf for edge in edges for leaf in edge}))
    assert _signed(members, frozenset(edges)) == sign


def test_chains_of_links_are_counted_by_their_values() -> None:
    """Ten values; 30 nouns of each, 20 verbs, 10 adverbs: 10 * 30 * 20 * 10."""
    rows = "".join(
        f"{p}{v}{n} {p} {v}\n" for p, k in (("N", 30), ("V", 20), ("A", 10)) for v in range(10) for n in range(k)
    )
    text = "slots:\n  n: pos:N\n  v: pos:V mPos:n mPro:f\n  a: pos:A mPos:v mPro:f\ngood: n a v\nbad: a n v"
    assert number_of_pairs(project_of("expression pos f\n" + rows), text) == "60,000"


BILLIONS = "expression pos f\n" + "".join(f"{p}{v}x{n} {p} {v}\n" for p in "NVA" for v in range(4) for n in range(250))


def test_more_than_ten_to_the_twelfth_are_counted_exactly() -> None:
    """1,000 nouns, verbs and adverbs in four classes; three nouns, all different; the verb fits the first noun.

    The second noun is of another class than the first, the adverb of the verb's:
    n1: 1000, v: 250, n2: 750, n3: 998, a: 250.
    """
    text = """
slots:
  n1: pos:N
  v: pos:V mPos:n1 mPro:f
  n2: pos:N mmPos:n1 mmPro:f
  n3: pos:N
  a: pos:A mPos:v mPro:f
good: n1 a v n2 n3
bad: n1 v a n2 n3
"""
    assert number_of_pairs(project_of(BILLIONS), text) == f"{1000 * 250 * 750 * 998 * 250:,}" == "46,781,250,000,000"


def test_a_nested_phrase_is_counted_by_its_alternatives() -> None:
    phrases = """
  NP:
    - pos:N
    - parts: {a: pos:A, n: pos:N mPos:a mPro:f}
      head: n
  Pair:
    - parts: {x: phrase:NP, y: phrase:NP}
      line: x 和 y
      head: x
"""
    text = "slots:\n  p: phrase:Pair\n  v: pos:V mPos:p.head mPro:f\ngood: p v\nbad: v p"
    # an NP: 1,000 nouns, each alone or with one of 250 adverbs; two NPs: the nouns differ, and so do the adverbs.
    # both bare: 1000*999; one with an adverb, either way: 2 * 1000*250 * 999; both: nouns of one class (4*250*249)
    # with different adverbs of it (250*249), nouns of two classes (1000*750) with any (250*250)
    pairs = 1000 * 999 + 2 * 1000 * 250 * 999 + 4 * 250 * 249 * 250 * 249 + 1000 * 750 * 250 * 250
    assert number_of_pairs(project_of(BILLIONS, phrases=phrases), text) == f"{pairs * 250:,}"


def test_a_phrase_of_many_alternatives_in_two_slots() -> None:
    """20 * 20 choices of alternatives, in each of which two of ten nouns must differ."""
    phrases = "  P:\n" + "".join(f"    - parts: {{x: 甲{n}, n: pos:N}}\n" for n in range(20))
    text = "slots: {a: phrase:P, b: phrase:P}\ngood: a 和 b\nbad: 和 a b"
    assert number_of_pairs(project_of("expression pos\n" + words(10), phrases=phrases), text) == f"{20 * 20 * 90:,}"


def test_where_too_many_slots_of_one_class_must_differ_there_is_a_bound() -> None:
    """Thirty slots, 52 words of two lengths: a number of 50 digits and its sum of inclusions out of reach."""
    names = [f"s{n}" for n in range(30)]
    slots = "".join(f"  {name}: pos:N\n" for name in names)
    text = f"slots:\n{slots}good: {' '.join(names)} 。\nbad: 。 {' '.join(names)}"
    networks = networks_of(project_of("expression pos\n" + words(52)), text)
    count = count_assignments(networks[0])
    assert not count.exact
    assert count.value >= prod(range(23, 53))


def test_equal_length_is_counted_by_lengths() -> None:
    """Words of one to five characters, 20 of each; two slots on each side, of different classes."""
    rows = "".join(
        f"{chr(0x4E00 + 1000 * c + 100 * length + n) * length} C{c}\n"
        for c in range(4)
        for length in range(1, 6)
        for n in range(20)
    )
    text = "slots: {a: pos:C0, b: pos:C1, c: pos:C2, d: pos:C3}\ngood: a b 。\nbad: c d 。\nequal_length: true"
    sums = [sum(1 for x in range(1, 6) for y in range(1, 6) if x + y == total) for total in range(2, 11)]
    assert number_of_pairs(project_of("expression pos\n" + rows), text) == f"{sum(n * n for n in sums) * 20**4:,}"


AMBIGUOUS = "slots:\n  a: pos:N | pos:N f:x\n  b: pos:N\n  c: pos:N\ngood: a b c 。\nbad: 。 a b c"


def rows_with_f(n: int) -> str:
    return "expression pos f\n" + "".join(f"词{k} N {'x' if k % 2 else '_'}\n" for k in range(n))


def test_pairs_that_alternatives_make_twice_are_counted_once() -> None:
    """Half of the words fit both alternatives: counted by fillings there would be half as many more."""
    assert number_of_pairs(project_of(rows_with_f(20)), AMBIGUOUS) == f"{20 * 19 * 18:,}"


def test_where_an_exact_count_is_out_of_reach_there_is_a_bound_and_it_is_one() -> None:
    text = number_of_pairs(project_of(rows_with_f(200)), AMBIGUOUS)
    assert text.startswith("≤ ")
    assert int(text.removeprefix("≤ ").replace(",", "")) >= 200 * 199 * 198


def test_a_word_of_two_rows_is_one_word_to_count() -> None:
    """长 is long and grows: two rows, one form, one pair."""
    project = project_of("expression pos f\n长 N a\n长 N b\n短 N a\n")
    assert number_of_pairs(project, "slots: {n: pos:N}\ngood: n 了\nbad: 了 n") == "2"
    assert number_of_pairs(project, "slots: {n: pos:N, m: 'pos:N mPos:n mPro:f'}\ngood: n m\nbad: m n") == "2"


def test_texts_that_run_together_are_told_apart_or_counted_one_by_one() -> None:
    """甲乙 + 丙 and 甲 + 乙丙 print the same sentence."""
    project = project_of("expression pos\n甲 A\n甲乙 A\n丙 B\n乙丙 B\n")
    assert number_of_pairs(project, "slots: {a: pos:A, b: pos:B}\ngood: a b 。\nbad: 。 a b") == "3"
    # the other order tells them apart
    assert number_of_pairs(project, "slots: {a: pos:A, b: pos:B}\ngood: a b 。\nbad: b 。 a") == "4"


def test_a_word_without_values_may_stand_where_the_link_is_not() -> None:
    """An alternative mismatches, the other does not: a blank cell is no reason to leave the other out."""
    project = project_of("expression pos f concept\n甲 P\n乙 P a\n丙 P a k\n丁 Q b\n戊 U a k\n己 U a\n")
    text = "slots:\n  s: pos:P\n  t: pos:Q mmPos:s mmPro:f | 天\n  u: pos:U\ngood: t s u\nbad: 了 t s u"
    # 丁 with 乙 (戊, 己) and 丙 (己); 天 with 甲 (2), 乙 (2) and 丙 (己)
    assert number_of_pairs(project, text) == "8"
    assert len(all_pairs(project, text)) == 8


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("good: a b\nbad: a b u", 2),
        ("good: a u b\nbad: a b", 2),
        ("good: u a b\nbad: w a b", 6),  # 了 or nothing and 吗 or nothing, not twice nothing
        ("good: a e b\nbad: a b", 0),
        ("good: a b e 了\nbad: a e b 了", 0),
    ],
)
def test_what_may_be_empty_may_leave_no_contrast(lines: str, expected: int) -> None:
    project = project_of("expression pos\n甲 A\n乙 A\n丙 B\n")
    slots = {"a": "pos:A", "b": "pos:B", "u": "'了 | \"\"'", "w": "'吗 | \"\"'", "e": "'\"\"'"}
    used = "".join(f"  {name}: {rule}\n" for name, rule in slots.items() if name in lines.replace("good", "").split())
    assert number_of_pairs(project, f"slots:\n{used}{lines}") == str(expected)
    assert len(all_pairs(project, f"slots:\n{used}{lines}")) == expected


def test_a_slot_that_is_empty_in_two_ways_is_empty_once() -> None:
    project = project_of("expression pos\n甲 A\n乙 A\n")
    for lines in ("good: e 把 a\nbad: a 把", "good: a 把\nbad: e 把 a", "good: e 把 a\nbad: e a 把"):
        text = f'slots:\n  a: pos:A\n  e: \'"" | ""\'\n{lines}'
        assert number_of_pairs(project, text) == "2"
        assert len(all_pairs(project, text)) == 2


def test_columns_that_several_words_share_do_not_tell_them_apart() -> None:
    """甲 + 乙丙 and 甲乙 + 丙 on the good side, 子丑 in every case on the bad: three pairs of four fillings."""
    project = project_of("expression pos c d\n一 V 甲 子\n二 V 甲乙 子\n三 W 乙丙 丑\n四 W 丙 丑\n")
    text = "slots: {v: pos:V, w: pos:W}\ngood: v@c w@c\nbad: v@d w@d"
    assert number_of_pairs(project, text) == "3"
    assert len(all_pairs(project, text)) == 3


ENGLISH = Settings("t", "en", " ", capital=True)


@pytest.mark.parametrize(
    ("rows", "text", "expected"),
    [
        # `he` and `He` at the start of a sentence are one
        ("he P\nHe Q\nshe Q\n", 'slots: {a: pos:P, b: pos:Q}\ngood: a "ran"\nbad: b "ran"', 1),
        ("he P\nHe P\nran V\n", "slots: {a: pos:P, v: pos:V}\ngood: a v\nbad: a v v", 1),
        # blanks between words are like blanks within one
        ("New A\nYork B\nNew.York C\nOld.York C\n", "slots: {a: pos:A, b: pos:B, c: pos:C}\ngood: a b\nbad: c", 1),
        ("a P\na.b P\nc Q\nb.c Q\n", 'slots: {a: pos:P, v: pos:Q}\ngood: a v "x"\nbad: a v', 3),
    ],
)
def test_capitals_and_blanks_can_make_two_sentences_one(rows: str, text: str, expected: int) -> None:
    project = project_of(f"expression pos\n{rows}", settings=ENGLISH)
    assert number_of_pairs(project, text) == str(expected)
    assert len(all_pairs(project, text)) == expected


def test_a_paradigm_without_pairs_has_none() -> None:
    project = project_of("expression pos f\n甲 A x\n乙 B y\n")
    text = "slots:\n  a: pos:A\n  b: pos:B mPos:a mPro:f\ngood: a b\nbad: b a"
    assert number_of_pairs(project, text) == "0"
    assert len(drawn(project, text, 3)) == 0


def test_choosing_without_order_is_no_matter_of_counting() -> None:
    """a b c in a fixed order of slots: C(12, 3) sets, each in 3! ways."""
    project = project_of("expression pos\n" + words(12))
    text = "slots: {a: pos:N, b: pos:N, c: pos:N}\ngood: a b c 。\nbad: 。 a b c"
    assert number_of_pairs(project, text) == f"{comb(12, 3) * 6:,}"


def test_counts_are_shown_as_people_write_them() -> None:
    assert str(Count(1234567)) == "1,234,567"
    assert str(Count(1234567, exact=False)) == "≤ 1,234,567"


def test_where_only_a_list_is_exact_many_are_enough() -> None:
    """1 11 looks like 11 1, so that pairs are counted one by one; there are 150 * 149 fillings, and fewer pairs."""
    project = project_of("expression pos\n" + "".join(f"{n} N\n" for n in range(1, 151)))
    networks = networks_of(project, "slots: {a: pos:N, b: pos:N}\ngood: a b 。\nbad: 。 a b")
    assert count_pairs(networks, most=MANY) == Count(150 * 149, exact=False, least=10_001)
    pairs = {f"{a}{b}" for a in range(1, 151) for b in range(1, 151) if a != b}
    assert count_pairs(networks) == Count(len(pairs))
    few = networks_of(project, "slots: {a: expression:1/11, b: expression:1/11/111}\ngood: a b 。\nbad: 。 a b")
    assert count_pairs(few, most=MANY) == Count(len({"111", "1111", "11111"}))


def test_domains_that_count_alike_have_one_fingerprint_and_no_others() -> None:
    """A count is kept while the lexicon changes: if the fingerprints are the same, the number of pairs must be."""
    kept = changed = 0
    for project, paradigm, _ in islice(filter(None, map(compiled, SEEDS)), 15):
        seen: dict[tuple[str, ...], Count] = {}
        for gone in (None, *project.lexicon.words):
            left = [word for word in project.lexicon.words if word is not gone]
            words = tuple(replace(word, index=at) for at, word in enumerate(left))
            edited = replace(project, lexicon=replace(project.lexicon, words=words))
            try:
                networks = Compiler.of(edited).networks(paradigm)
            except InputError:
                continue
            fingerprints = tuple(column.domain.fingerprint for network in networks for column in network.columns)
            count = count_pairs(networks)
            kept += fingerprints in seen
            assert seen.setdefault(fingerprints, count) == count
        changed += len(seen)
    assert min(kept, changed) > 10  # or the test would say nothing


def test_a_phrase_that_is_empty_in_two_ways_at_the_end_is_counted_once() -> None:
    """Both alternatives of s are the same phrase, which says nothing, and nothing after it tells them apart."""
    project = project_of("expression pos\n甲 A\n乙 A\n", phrases="  B:\n    - parts: {w: '\"\"'}\n      line: w\n")
    text = "slots:\n  t: pos:A\n  s: phrase:B | phrase:B\ngood: 把 t s\nbad: t 把 s"
    assert number_of_pairs(project, text) == "2"
