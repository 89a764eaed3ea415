"""Grammars that are plausible and too hard: time and memory are bounded, and what is said stays true.

Where a limit is met, a count is an interval that holds the true number, and a draw is a pair; nothing runs for ever.
"""

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.grammar import count as counting
from bidui.grammar import draw as drawing
from bidui.grammar.check import check_project
from bidui.grammar.count import Count, count_assignments
from bidui.grammar.draw import draw_even, draw_uniform, enumerate_pairs
from bidui.grammar.generate import count_pairs, enumerate_all, generate
from bidui.grammar.project import Project, read_project

from .small import HEADER, drawn, networks_of, number_of_pairs, paradigm_of, project_of
from .wild import Case, case_of, differences

# Words that must differ and are too few.


def differing(slots: int, words: int, *, free: int = 0) -> tuple[Project, str]:
    """So many slots that must differ, over so many words, after some slots with words of their own."""
    rows = [f"词{n} N" for n in range(words)] + [f"动{n} V" for n in range(50 if free else 0)]
    rules = {f"x{n}": "pos:V" for n in range(free)} | {f"s{n}": "pos:N" for n in range(slots)}
    body = "".join(f"  {name}: {rule}\n" for name, rule in rules.items())
    names = " ".join(rules)
    return project_of("\n".join(["expression pos", *rows])), f"slots:\n{body}good: {names} 。\nbad: 。 {names}"


@pytest.mark.parametrize(("slots", "words", "free"), [(9, 8, 0), (13, 12, 0), (20, 19, 0), (9, 8, 3), (13, 12, 4)])
def test_one_word_too_few_is_noticed_however_many_orders_there_are(slots: int, words: int, free: int) -> None:
    """Nine slots over eight words: drawing uniformly tried for ever, and thirteen over twelve hung counting too."""
    project, text = differing(slots, words, free=free)
    assert number_of_pairs(project, text) == "0"
    for method in ("even", "uniform"):
        made = drawn(project, text, 5, draw=method)
        (short,) = made.short
        assert (len(made), short.given) == (0, 0)
        assert "only 0 of the 5 requested pairs exist" in short.reason
        fillings = 50**free * words**slots
        assert f"if words could be repeated within a sentence, there would be {fillings} fillings" in short.reason


def test_as_many_words_as_slots_are_enough() -> None:
    """Seven words in every order: 5,040, by search as by shuffling."""
    project, text = differing(7, 7)
    assert number_of_pairs(project, text) == "5,040"
    assert len({(pair.good, pair.bad) for pair in drawn(project, text, 6_000)}) == 5_040


def test_too_few_words_behind_a_link_are_noticed_for_each_class() -> None:
    """There are 36 nouns, but twelve of each class, and thirteen slots of the class of the first word."""
    rows = [f"词{c}{n} N {c}" for c in "abc" for n in range(12)] + [f"动{c} V {c}" for c in "abc"]
    names = [f"s{n}" for n in range(13)]
    rules = "".join(f"  {name}: pos:N mPos:v mPro:f\n" for name in names)
    text = f"slots:\n  v: pos:V\n{rules}good: v {' '.join(names)}\nbad: {' '.join(names)} v"
    project = project_of("\n".join(["expression pos f", *rows]))
    assert number_of_pairs(project, text) == "0"
    assert "only 0 of" in drawn(project, text, 1).short[0].reason


# Links in circles.


def circle(
    slots: int, words: int, *, extra: str = ""
) -> tuple[Project, str, list[tuple[frozenset[str], frozenset[str]]]]:
    """Slots in a circle, each linked with the next by f and g in turn, and the last with the first."""
    rng = random.Random(slots)
    values = [(frozenset(rng.sample("abcdefgh", 2)), frozenset(rng.sample("stuvwxyz", 2))) for _ in range(words)]
    rows = [f"词{n} N {'/'.join(sorted(f))} {'/'.join(sorted(g))}" for n, (f, g) in enumerate(values)]
    rules = ["  s0: pos:N"]
    for n in range(1, slots):
        last = f" mPos:s0 mPro:{'fg'[(slots - 1) % 2]}" if n == slots - 1 else ""
        rules.append(f"  s{n}: pos:N mPos:s{n - 1} mPro:{'fg'[(n - 1) % 2]}{last}")
    names = " ".join(f"s{n}" for n in range(slots))
    text = "slots:\n" + "\n".join(rules) + f"\ngood: {names} 。\nbad: 。 {names}\n{extra}"
    return project_of("\n".join(["expression pos f g", *rows])), text, values


def closed(slots: int, values: list[tuple[frozenset[str], frozenset[str]]]) -> Iterator[tuple[int, ...]]:
    """The fillings of a circle, by trying every combination."""
    for filling in product(range(len(values)), repeat=slots):
        sides = [(filling[n], filling[(n + 1) % slots], n % 2) for n in range(slots)]
        if len(set(filling)) == slots and all(values[a][side] & values[b][side] for a, b, side in sides):
            yield filling


@pytest.mark.parametrize(("slots", "words"), [(3, 9), (4, 8), (5, 6), (6, 6)])
def test_where_tables_are_too_large_a_count_is_a_bound_and_draws_are_pairs_all_the_same(
    monkeypatch: pytest.MonkeyPatch, slots: int, words: int
) -> None:
    """Links that close the circle are left out of the tables, and what they forbid is skipped: every pair stays."""
    project, text, values = circle(slots, words)
    true = {"".join(f"词{n}" for n in filling) + "。" for filling in closed(slots, values)}
    networks = networks_of(project, text)
    assert count_assignments(networks[0]) == Count(len(true))
    monkeypatch.setattr(counting, "MAX_ROWS", 20)
    bound = count_assignments(networks_of(project, text)[0])
    assert not bound.exact
    assert bound.value > len(true)
    assert count_pairs(networks) == Count(len(true))  # few enough to be listed
    monkeypatch.setattr(drawing, "SMALL", 0)
    sampled = [draw.printer.sentences(draw.pieces)[0] for draw in draw_uniform(networks, seed="a")]
    assert (len(sampled), set(sampled)) == (len(true), true)


def test_draws_from_tables_with_links_left_out_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first five pairs of forty seeds: each pair's share is near the mean, by chi-square."""
    project, text, values = circle(3, 7)
    true = {"".join(f"词{n}" for n in filling) + "。" for filling in closed(3, values)}
    monkeypatch.setattr(counting, "MAX_ROWS", 12)
    monkeypatch.setattr(drawing, "SMALL", 0)
    networks = networks_of(project, text)
    first = dict.fromkeys(true, 0)
    for seed in range(40):
        for number, draw in enumerate(draw_uniform(networks, seed=str(seed))):
            if number < 5:
                first[draw.printer.sentences(draw.pieces)[0]] += 1
    expected = 200 / len(true)
    chi = sum((n - expected) ** 2 / expected for n in first.values())
    freedom = len(true) - 1
    assert chi < freedom + 5 * (2 * freedom) ** 0.5 + 12


@pytest.mark.slow
def test_a_circle_of_four_over_a_thousand_words_is_counted_and_drawn_within_limits() -> None:
    """It took 39 s and 0.9 GB to count, and 67 s and 1.4 GB to draw; a bound that holds and pairs that are right do."""
    rng = random.Random(1)
    values = [[frozenset(rng.sample(range(60), 3)) for _ in "fg"] for _ in range(1_000)]
    rows = [
        f"词{n}。 N {'/'.join(map(str, sorted(f)))} {'/'.join(map(str, sorted(g)))}" for n, (f, g) in enumerate(values)
    ]
    project = project_of("\n".join(["expression pos f g", *rows]))
    _, text, _ = circle(4, 4)
    count = count_assignments(networks_of(project, text)[0])
    # a chain of three links has at least as many fillings as the circle; and each word has at most 999 others
    assert not count.exact
    assert count.value <= 1_000 * 1_000 * 1_000 * 1_000
    made = drawn(project, text, 5, draw="uniform")
    assert len(made) == 5
    for pair in made:
        filling = [int(word.strip("词。 ")) for _, word in pair.slots]
        assert all(values[filling[n]][n % 2] & values[filling[(n + 1) % 4]][n % 2] for n in range(4))


def clique(slots: int, words: int, keyword: str) -> tuple[Project, str]:
    """Every slot is linked with every other."""
    rng = random.Random(1)
    rows = [f"词{n} N {'/'.join(sorted(rng.sample('abcdefghijklmnopqrst', 3)))}" for n in range(words)]
    rules = [f"  s{n}: pos:N" + "".join(f" {keyword}Pos:s{k} {keyword}Pro:f" for k in range(n)) for n in range(slots)]
    names = " ".join(f"s{n}" for n in range(slots))
    return project_of("\n".join(["expression pos f", *rows])), "slots:\n" + "\n".join(
        rules
    ) + f"\ngood: {names} 。\nbad: 。 {names}"


def test_a_clique_of_links_is_bounded_and_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "COUNTED", 1_000)
    project, text = clique(6, 120, "m")
    count = count_assignments(networks_of(project, text)[0], steps=200_000)
    assert not count.exact
    made = drawn(project, text, 20)
    assert len({pair.good for pair in made}) == 20


@pytest.mark.slow
def test_a_search_without_an_end_in_sight_is_given_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven words of three values each cannot be disjoint among twenty values, but that takes long to prove."""
    monkeypatch.setattr(drawing, "STEPS", 3_000)
    monkeypatch.setattr(drawing, "STEPS_PER_PAIR", 100)
    monkeypatch.setattr(drawing, "TRIES", 2_000)
    project, text = clique(7, 150, "mm")
    networks = networks_of(project, text)
    given_up: list[bool] = []
    assert not list(draw_even(networks, seed="a", on_give_up=lambda: given_up.append(True)))
    assert given_up == [True]
    made = generate(paradigm_of(text), networks, n=3, seed=0)
    assert "0 of the 3 requested pairs were found before the search was given up" in made.short[0].reason
    count = count_pairs(networks)
    assert (count.exact, count.least) == (False, 0)
    with pytest.raises(InputError, match="too few to draw uniformly; use `--draw even`"):
        drawn(project, text, 3, draw="uniform")


def test_what_is_given_up_is_no_silent_end_of_a_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`enumerate_all` promises every pair; `check` cannot say that there are none."""
    monkeypatch.setattr(drawing, "STEPS", 20)
    monkeypatch.setattr(drawing, "STEPS_PER_PAIR", 0)
    (tmp_path / "paradigms" / "tests").mkdir(parents=True)
    (tmp_path / "project.yaml").write_text("format: 1\n")
    rows = [f"词{n}\tN\t{n}\t{n % 2}\n" for n in range(9)]
    (tmp_path / "lexicon.tsv").write_text("expression\tpos\tf\tg\n" + "".join(rows))
    rules = "  a: pos:N\n  b: pos:N mmPos:a mmPro:f\n  c: pos:N mPos:a mPro:f mPos:b mPro:f\n"
    text = f"{HEADER}slots:\n{rules}good: a b c\nbad: c b a\n"
    (tmp_path / "paradigms" / "tests" / "small.yaml").write_text(text)
    project = read_project(tmp_path)
    with pytest.raises(InputError, match="0 pairs were listed before the search for more was given up"):
        list(enumerate_all(project, "small"))


def test_counts_say_what_is_known() -> None:
    assert str(Count(2_000_000, exact=False, least=1_000_001)) == "≥ 1,000,001, ≤ 2,000,000"


# Random grammars, held against brute force; `python -m tests.grammar.wild --cases 10000` runs many more.


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 400, 20))
def test_wild_grammars_agree_with_brute_force(first: int) -> None:
    for seed in range(first, first + 20):
        case = case_of(seed)
        if isinstance(case, Case):
            assert differences(case) == [], f"seed {seed}"


def test_most_wild_grammars_can_be_compared() -> None:
    """A maker whose grammars are all refused or empty would let everything pass."""
    cases = [case for case in map(case_of, range(60)) if isinstance(case, Case)]
    assert len(cases) > 20
    assert sum(next(enumerate_pairs(case.networks), None) is not None for case in cases) > 15


def test_a_word_may_stand_in_two_columns_of_a_relation() -> None:
    """Only 乙 is in both columns of one row; the first column was forgotten, so that 丙 passed too."""
    project = project_of("expression pos\n甲 N\n乙 N\n丙 N\n丁 V\n", relations={"r": "a b c\n甲/乙 乙/丙 丁\n"})
    text = "slots:\n  n: pos:N\n  v: pos:V rel:r(n, n, v)\ngood: n v\nbad: v n"
    assert number_of_pairs(project, text) == "1"
    assert [pair.good for pair in drawn(project, text, 3)] == ["乙丁"]


def test_groups_of_linked_slots_with_a_slot_in_common_are_one_group() -> None:
    """a with b and b with c: all first or all second alternatives; a was linked with nothing before."""
    project = project_of("expression pos\n甲 N\n")
    rules = "".join(
        f"  {name}: {one} | {two}\n" for name, one, two in (("a", "一", "二"), ("b", "三", "四"), ("c", "五", "六"))
    )
    text = f"slots:\n{rules}good: a b c\nbad: c b a\nlink: [[a, b], [b, c]]"
    assert {pair.good for pair in drawn(project, text, 9)} == {"一三五", "二四六"}
    assert number_of_pairs(project, text) == "2"


def test_a_value_shared_by_seventy_slots_is_counted() -> None:
    """More than 64 ends of one constraint were numbered like those of the next; each value has one word of a class."""
    names = [f"s{n}" for n in range(70)]
    rules = "".join(f"  {name}: pos:N mPos:hub mPro:f#1\n" for name in names)
    lines = f"good: hub {' '.join(names[:35])} x\nbad: hub {' '.join(names[35:])} x\nrepeat: [{', '.join(names)}]"
    text = f"slots:\n  hub: pos:H\n{rules}  x: pos:X mPos:hub mPro:f\n{lines}"
    project = project_of("expression pos f\n甲 H a\n乙 H b\n丙 N a\n丁 N b\n戊 X a\n己 X b\n庚 X c\n")
    assert count_assignments(networks_of(project, text)[0]) == Count(2)


def test_a_word_of_a_megabyte_can_be_checked(tmp_path: Path) -> None:
    """All its beginnings, and the word without each of its letters, took terabytes of memory."""
    (tmp_path / "paradigms" / "tests").mkdir(parents=True)
    (tmp_path / "project.yaml").write_text("format: 1\n")
    rows = f"{'长' * 350_000}\tN\t{'ab' * 400_000}\n乙\tN\taba\n走\tV\n"
    (tmp_path / "lexicon.tsv").write_text("expression\tpos\tf\n" + rows)
    for uid, extra in (("one", ""), ("two", "equal_length: true\n")):
        text = f"format: 1\nuid: {uid}\nphenomenon: tests\n{extra}slots: {{a: pos:N, b: pos:V}}\n"
        (tmp_path / "paradigms" / "tests" / f"{uid}.yaml").write_text(f'{text}good: a b "{uid}"\nbad: b a "{uid}"\n')
    problems = check_project(read_project(tmp_path), seconds=1)
    assert [problem.kind for problem in problems if problem.severity == "error"] == []
