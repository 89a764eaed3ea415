"""Draws: even over alternatives and words or uniform over pairs, without repetition, and from the seed alone."""

import os
import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.grammar import draw as drawing
from bidui.grammar.draw import draw_even, draw_uniform, enumerate_pairs
from bidui.grammar.generate import generate_from
from bidui.grammar.network import Compiler
from bidui.grammar.project import Project
from bidui.pairs import Pairs

from .random_paradigms import random_paradigm, random_project
from .small import all_pairs, drawn, networks_of, number_of_pairs, paradigm_of, project_of


def words(pos: str, n: int, classes: int = 3) -> str:
    return "".join(f"{pos}{k} {pos} {k % classes}\n" for k in range(n))


PROJECT = project_of("expression pos f\n" + words("N", 30) + words("V", 17) + words("A", 7))
FREE = "slots: {n: pos:N, v: pos:V, a: pos:A}\ngood: n v a\nbad: v n a"
LINKED = "slots:\n  n: pos:N\n  v: pos:V mPos:n mPro:f\n  a: pos:A\ngood: n v a\nbad: v n a"
MISMATCHED = "slots:\n  n: pos:N\n  v: pos:V mmPos:n mmPro:f\n  a: pos:A mPos:v mPro:f\ngood: n v a\nbad: v n a"
SWAPPED = "slots: {n: pos:N, v: pos:V, w: pos:V}\ngood: n v\nbad: n w"
TWICE = "slots: {n: pos:N, m: pos:N, v: pos:V}\ngood: n v m\nbad: v n m"
THRICE = "slots: {a: pos:A, b: pos:A, c: pos:A, v: pos:V}\ngood: a v b c\nbad: v a b c"
SAME_CLASS = "slots:\n  n: pos:N\n  m: pos:N mPos:n mPro:f\n  v: pos:V\ngood: n v m\nbad: v n m"


def spread(made: Pairs, slot: str) -> int:
    """By how much, at worst and at any time, the uses of two words of a slot differ that nothing tells apart."""
    used: Counter[str] = Counter()
    alike: dict[int, list[str]] = {}
    for word in {dict(pair.slots)[slot] for pair in made}:
        alike.setdefault(int(word[1:]) % 3, []).append(word)
    worst = 0
    for pair in made:
        used[dict(pair.slots)[slot]] += 1
        worst = max(worst, *(max(used[w] for w in group) - min(used[w] for w in group) for group in alike.values()))
    return worst


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", [FREE, LINKED], ids=["free", "linked"])
def test_words_that_nothing_tells_apart_are_used_equally_often_give_or_take_one(text: str, seed: int) -> None:
    """At any time, as long as most pairs have not been drawn yet; words of one class are told apart by nothing."""
    made = drawn(PROJECT, text, 90, seed=seed)
    assert [spread(made, slot) for slot, _ in made[0].slots] == [1, 1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_a_word_gives_way_where_its_turn_would_repeat_a_pair(seed: int) -> None:
    """Seven adverbs in three classes under a noun and a verb: the few combinations come again soon."""
    made = drawn(PROJECT, MISMATCHED, 90, seed=seed)
    assert [spread(made, slot) <= limit for slot, limit in (("n", 1), ("v", 1), ("a", 3))] == [True] * 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", [SWAPPED, TWICE, THRICE, SAME_CLASS], ids=["swapped", "twice", "thrice", "same class"])
def test_where_words_must_differ_it_is_give_or_take_two(text: str, seed: int) -> None:
    """A word whose turn it is may stand in the sentence already; the next one goes first, and it waits."""
    made = drawn(PROJECT, text, 200, seed=seed)
    assert max(spread(made, slot) for slot, _ in made[0].slots) <= 2


@pytest.mark.parametrize("text", [FREE, TWICE])
def test_every_word_has_its_turn_before_any_has_its_second(text: str) -> None:
    assert len({dict(pair.slots)["n"] for pair in drawn(PROJECT, text, 30)}) == 30


def test_alternatives_are_drawn_by_weight_exactly() -> None:
    text = "slots:\n  s: 2* pos:N | pos:V\n  a: pos:A\n  t: 甲 乙 丙 丁\ngood: s a t\nbad: a s t"
    made = drawn(PROJECT, text, 300)
    assert Counter(pair.good[0] for pair in made) == {"N": 200, "V": 100}


@pytest.mark.parametrize(("weights", "expected"), [((1, 1, 1), (100, 100, 100)), ((3, 2, 1), (150, 100, 50))])
def test_at_any_time_alternatives_are_as_close_to_their_weights_as_whole_numbers_can_be(
    weights: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    rule = " | ".join(f"{weight}* {word}" for weight, word in zip(weights, "甲乙丙", strict=True))
    made = drawn(PROJECT, f"slots: {{s: '{rule}', n: pos:N, v: pos:V}}\ngood: s n v\nbad: n s v", 300)
    used = dict.fromkeys("甲乙丙", 0)
    for number, pair in enumerate(made, start=1):
        used[pair.good[0]] += 1
        for weight, word in zip(weights, "甲乙丙", strict=True):
            assert abs(used[word] - number * weight / sum(weights)) <= 1.5
    assert tuple(used.values()) == expected


def test_a_productive_phrase_does_not_swamp_the_rest() -> None:
    """Three names and 3,570 noun phrases: half of each, not one in a thousand."""
    phrases = "  NP:\n    - 甲 乙 丙\n    - parts: {a: pos:A, v: pos:V, n: pos:N}\n"
    text = "slots: {np: phrase:NP, n: pos:N}\ngood: np 和 n\nbad: 和 np n"
    made = drawn(project_of(PROJECT.lexicon, phrases=phrases), text, 60)
    assert sum(pair.good[0] in "甲乙丙" for pair in made) == 30


def test_alternatives_inside_a_phrase_take_turns_whatever_is_around_them() -> None:
    phrases = "  NP: [pos:N, pos:V]\n"
    text = "slots: {x: '甲 | 乙 | 丙', np: phrase:NP, a: pos:A}\ngood: x np a\nbad: np x a"
    made = drawn(project_of(PROJECT.lexicon, phrases=phrases), text, 60)
    assert Counter(pair.good[1] for pair in made) == {"N": 30, "V": 30}
    assert Counter(pair.good[0] for pair in made) == {"甲": 20, "乙": 20, "丙": 20}


def test_a_word_with_many_values_is_not_drawn_more_often() -> None:
    """In the published program a word weighed as much as it had values: an adverb with 39 verbs weighed 39."""
    rows = "东西 N 1/2/3/4/5/6\n" + "".join(f"物{n} N {n % 6 + 1}\n" for n in range(11))
    rows += "".join(f"个{n} M {n}\n" for n in range(1, 7))
    text = "slots:\n  n: pos:N\n  m: pos:M mPos:n mPro:f\n  q: 甲 乙 丙 丁 戊 己\ngood: q m n\nbad: q n m"
    made = drawn(project_of("expression pos f\n" + rows), text, 36)
    assert set(Counter(dict(pair.slots)["n"] for pair in made).values()) == {3}


def test_when_a_word_is_used_up_the_others_go_on() -> None:
    """N0 has one partner, N1 has twelve: thirteen pairs, and none is left out."""
    rows = "N0 N a\nN1 N b\nV0 V a\n" + "".join(f"V{n} V b\n" for n in range(1, 13))
    text = "slots:\n  n: pos:N\n  v: pos:V mPos:n mPro:f\ngood: n v\nbad: v n"
    made = drawn(project_of("expression pos f\n" + rows), text, 20)
    assert Counter(dict(pair.slots)["n"] for pair in made) == {"N0": 1, "N1": 12}
    assert len(made.short) == 1


WAYS = ["even", "uniform"]


@pytest.mark.parametrize("draw", WAYS)
@pytest.mark.parametrize("text", [FREE, TWICE, MISMATCHED])
def test_the_first_300_of_1000_are_the_300_one_gets_by_asking_for_300(text: str, draw: str) -> None:
    assert tuple(drawn(PROJECT, text, 1000, draw=draw))[:300] == tuple(drawn(PROJECT, text, 300, draw=draw))


@pytest.mark.parametrize("draw", WAYS)
def test_the_prefix_law_holds_where_pairs_are_sampled(monkeypatch: pytest.MonkeyPatch, draw: str) -> None:
    monkeypatch.setattr(drawing, "SMALL", 0)
    assert tuple(drawn(PROJECT, TWICE, 400, draw=draw))[:150] == tuple(drawn(PROJECT, TWICE, 150, draw=draw))


@pytest.mark.parametrize("draw", WAYS)
def test_one_seed_one_result_another_seed_another(draw: str) -> None:
    one, again, other = (drawn(PROJECT, FREE, 50, seed=seed, draw=draw) for seed in (7, 7, 8))
    assert one == again
    assert {pair.good for pair in one} != {pair.good for pair in other}


def test_the_two_ways_and_two_paradigms_draw_from_different_chances() -> None:
    other = "format: 1\nuid: other\nphenomenon: tests\n" + FREE
    assert [p.good for p in drawn(PROJECT, FREE, 50)] != [p.good for p in drawn(PROJECT, other, 50)]


def project_with(*texts: tuple[str, str]) -> Project:
    paradigms = tuple(paradigm_of(f"format: 1\nuid: {uid}\nphenomenon: p\n{text}") for uid, text in texts)
    return replace(PROJECT, paradigms=paradigms)


def test_a_paradigm_has_the_same_pairs_alone_and_among_others() -> None:
    alone = generate_from(project_with(("b", FREE)), n=40)
    among = generate_from(project_with(("a", TWICE), ("b", FREE), ("c", LINKED)), n=40)
    assert tuple(pair for pair in among if pair.uid == "b") == tuple(alone)
    assert tuple(generate_from(project_with(("a", TWICE), ("b", FREE)), n=40, only=["b"])) == tuple(alone)


PROGRAM = """
import hashlib, random
from itertools import islice
from bidui.errors import InputError
from bidui.grammar.network import Compiler
from bidui.grammar.generate import as_pair, draws
from tests.grammar.random_paradigms import random_paradigm, random_project

found = hashlib.sha256()
for seed in range(60):
    rng = random.Random(seed)
    project = random_project(rng)
    paradigm = random_paradigm(rng, project)
    try:
        networks = Compiler.of(project).networks(paradigm)
    except InputError as error:
        found.update(str(error).encode())
        continue
    for way in ("even", "uniform"):
        for number, draw in enumerate(islice(draws(paradigm, networks, seed=1, draw=way), 30)):
            found.update(repr(as_pair(draw, paradigm, number)).encode())
print(found.hexdigest())
"""


@pytest.mark.slow
def test_pairs_do_not_depend_on_how_python_hashes() -> None:
    """The published program drew from `list(set(…))`: two runs with one seed differed."""
    root = Path(__file__).parents[2]
    path = os.pathsep.join((str(root), str(root / "src")))
    found = set()
    for hashing in ("0", "1", "2"):
        env = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": hashing}
        run = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        found.add(run.stdout)
    assert len(found) == 1


@pytest.mark.parametrize("draw", WAYS)
@pytest.mark.parametrize("small", [50_000, 0])
@pytest.mark.parametrize("text", [FREE, TWICE, SAME_CLASS])
def test_no_pair_comes_twice(monkeypatch: pytest.MonkeyPatch, text: str, draw: str, small: int) -> None:
    monkeypatch.setattr(drawing, "SMALL", small)
    made = drawn(PROJECT, text, 1500, draw=draw)
    assert len({(pair.good, pair.bad) for pair in made}) == 1500


UNEVEN = {
    # alternatives of very different size, so that taking turns would show: 2 + 12 pairs
    "alternatives": "slots:\n  s: 甲 | pos:B\n  t: pos:T\ngood: s t 了\nbad: t s 了",
    # words with one and with many partners: 1 + 1 + 5 + 3 pairs
    "links": "slots:\n  s: pos:B\n  t: pos:L mPos:s mPro:f\ngood: s t\nbad: t s",
    # 6 * 5 less those of one concept
    "conflicts": "slots: {s: pos:B, t: pos:B}\ngood: s 和 t\nbad: t s 和",
    # phrases of unequal productivity
    "phrases": "slots:\n  s: phrase:P\n  t: pos:T\ngood: s t\nbad: t s",
    "lengths": "slots: {s: pos:B, t: pos:B}\ngood: s 来\nbad: t 来\nequal_length: true",
    "shared": "slots:\n  s: pos:B\n  t: pos:L mPos:s mPro:f#1\n  u: pos:L mPos:s mPro:f#1\ngood: s t u\nbad: t u s",
}
UNEVEN_WORDS = """
expression pos f   concept
一         B   a
二         B   b
三         B   a/b
四         B   c   k
五五       B   c   k
六六       B   a/c
天         T
地         T
子         L   a
丑         L   b
寅         L   b
卯         L   c
"""


def chi_square(counts: Counter[tuple[str, str]], cells: int) -> float:
    expected = sum(counts.values()) / cells
    return sum((n - expected) ** 2 / expected for n in counts.values()) + (cells - len(counts)) * expected


@pytest.mark.parametrize("small", [50_000, 0], ids=["shuffled", "sampled"])
@pytest.mark.parametrize("name", UNEVEN)
def test_uniform_draws_are_equally_likely(monkeypatch: pytest.MonkeyPatch, name: str, small: int) -> None:
    """First draws of many seeds, against equal chances: six standard deviations is out of the question."""
    monkeypatch.setattr(drawing, "SMALL", small)
    phrases = "  P:\n    - 甲\n    - parts: {x: pos:B, y: pos:L mPos:x mPro:f}\n"
    project = project_of(UNEVEN_WORDS, phrases=phrases)
    networks = networks_of(project, UNEVEN[name])
    cells = len(all_pairs(project, UNEVEN[name]))
    draws = 40 * cells
    firsts: Counter[tuple[str, str]] = Counter()
    seconds: Counter[tuple[str, str]] = Counter()
    for seed in range(draws):
        first, second = islice(draw_uniform(networks, seed=str(seed)), 2)
        firsts[first.printer.sentences(first.pieces)] += 1
        seconds[second.printer.sentences(second.pieces)] += 1
    freedom = cells - 1
    for counts in (firsts, seconds):
        assert chi_square(counts, cells) < freedom + 6 * (2 * freedom) ** 0.5


def test_the_test_of_uniformity_can_fail() -> None:
    """Even draws of the same paradigm are not equally likely, and it says so."""
    project = project_of(UNEVEN_WORDS)
    networks = networks_of(project, UNEVEN["alternatives"])
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(560):
        draw = next(draw_even(networks, seed=str(seed)))
        counts[draw.printer.sentences(draw.pieces)] += 1
    assert chi_square(counts, 14) > 13 + 6 * 26**0.5


def test_uniform_draws_are_refused_where_they_could_not_be_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that two fillings print would come twice as often."""
    monkeypatch.setattr(drawing, "SMALL", 0)
    text = "slots: {s: 'pos:N | pos:N f:1', v: pos:V}\ngood: s v\nbad: v s"
    # while all fillings can be listed, each pair is taken once, though a third of the nouns fit both alternatives
    assert sorted(len(drawn(PROJECT, text, n, draw="uniform")) for n in (5, 1000)) == [5, 30 * 17]
    monkeypatch.setattr(drawing, "REPEATING", 0)
    with pytest.raises(InputError, match="use `--draw even`"):
        drawn(PROJECT, text, 5, draw="uniform")


HUGE = project_of("expression pos f\n" + "".join(words(pos, 2000, 4) for pos in "NVA"))
HUGE_TEXT = """
slots:
  n: pos:N
  m: pos:N
  o: pos:N
  v: pos:V mPos:n mPro:f
  a: pos:A mPos:v mPro:f
good: n v m o a
bad: v n m o a
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw",
    [
        lambda networks: islice(draw_even(networks, seed="x"), 500),
        lambda networks: islice(draw_uniform(networks, seed="x"), 500),
        lambda networks: islice(enumerate_pairs(networks), 20_000),
    ],
    ids=["even", "uniform", "enumeration"],
)
def test_memory_does_not_grow_with_the_space(draw: Callable[..., islice]) -> None:  # type: ignore[type-arg]
    """2000 * 1999 * 1998 * 500 * 500 pairs: two millions of billions, in a few megabytes."""
    networks = networks_of(HUGE, HUGE_TEXT)
    tracemalloc.start()
    try:
        for _ in draw(networks):
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000


def test_the_huge_paradigm_is_as_huge_as_is_said() -> None:
    assert number_of_pairs(HUGE, HUGE_TEXT) == f"{2000 * 1999 * 1998 * 500 * 500:,}"


@pytest.mark.parametrize("seed", range(40))
def test_even_draws_of_random_paradigms_keep_the_prefix_law_and_never_repeat(seed: int) -> None:
    rng = random.Random(seed)
    project = random_project(rng)
    paradigm = random_paradigm(rng, project)
    try:
        networks = Compiler.of(project).networks(paradigm)
    except InputError:
        return
    made = [d.printer.sentences(d.pieces) for d in islice(draw_even(networks, seed="s"), 60)]
    assert len(set(made)) == len(made)
    fewer = [d.printer.sentences(d.pieces) for d in islice(draw_even(networks, seed="s"), 20)]
    assert made[:20] == fewer
