"""Designs, lists and pinned studies: balanced as promised, the same for the same seed, and never changed later."""

from collections import Counter
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidui.benchmarks import new_study
from bidui.errors import InputError
from bidui.grammar.project import load_project, new_project
from bidui.people.decisions import set_status
from bidui.people.design import PRESETS, Design, Rules, design_of, design_record, estimate, pass_by_guessing
from bidui.people.lists import Assignment, Slot, next_slot, slots_of
from bidui.people.study import (
    PAIRS,
    Study,
    draw_pairs,
    draw_study,
    parse_study,
    read_study,
    study_files,
    write_study,
)

from .small import pool, study


def test_presets_have_the_sizes_of_the_papers() -> None:
    """ZhoBLiMP: 645 pairs by 50 people, 5 each; SLING: 600 by 11; CLiMP: 240 by 16, and 100 pairs of a paradigm."""
    sizes = {name: estimate(PRESETS[name], paradigms=n) for name, n in
             {"zhoblimp": 129, "sling": 30, "climp": 16, "climp-first": 17}.items()}  # fmt: skip
    assert (sizes["zhoblimp"].people, sizes["zhoblimp"].judgements, sizes["zhoblimp"].trials) == (50, 645 * 5, 67)
    assert (sizes["sling"].people, sizes["sling"].judgements, sizes["sling"].trials) == (11, 6600, 634)
    assert (sizes["climp"].people, sizes["climp"].judgements) == (16, 240 * 16)
    assert (sizes["climp-first"].people, sizes["climp-first"].trials) == (17, 100)
    assert "50 people" in sizes["zhoblimp"].text() and "50 人" in sizes["zhoblimp"].text("zh")


def test_a_guesser_passes_two_catch_trials_often_and_eight_seldom() -> None:
    """By hand: 1/4; one or no mistake in eight is 9/256."""
    assert pass_by_guessing(2, allowed=0) == 0.25
    assert pass_by_guessing(8, allowed=1) == 9 / 256


def test_a_design_survives_json_and_refuses_what_it_does_not_know() -> None:
    for design in PRESETS.values():
        assert design_of(design_record(design)) == design
    with pytest.raises(InputError, match="unknown settings raterz"):
        design_of({"raterz": 3})
    with pytest.raises(InputError, match="raters must be"):
        Design(raters=0)
    with pytest.raises(InputError, match="catch_failures must be 0–1"):
        Design(catch=2, rules=Rules(catch_failures=2))


def test_pairs_are_spread_over_variants() -> None:
    drawn = draw_pairs(pool(), per_paradigm=4, seed=1)
    for own in drawn.by_uid().values():
        assert Counter(pair.variant for pair in own) == {"v0": 2, "v1": 2}
    with pytest.raises(InputError, match=r"needs 11 pairs .* u0 \(10\)"):
        draw_pairs(pool(), per_paradigm=11, seed=1)


def test_nobody_sees_a_paradigm_twice_and_phenomena_are_balanced() -> None:
    """48 pairs in 4 lists are 12 each: one of every paradigm, three of every phenomenon."""
    made = study()
    for _, own in groupby(made.trials, key=lambda trial: (trial.list, trial.slot)):
        tests = [made.item[trial.item] for trial in own if trial.kind == "test"]
        assert max(Counter(item.uid for item in tests).values()) == 1
        assert set(Counter(item.phenomenon for item in tests).values()) == {3}
    with pytest.raises(InputError, match="at least 4 lists"):
        study(lists=3)


def test_sides_are_balanced_within_items_and_within_people() -> None:
    """Counterbalanced, not drawn: with 4 raters every item has its good sentence first exactly twice."""
    made = study()
    by_item = Counter((trial.list, trial.item) for trial in made.trials if trial.shown == "good-bad")
    assert {by_item[trial.list, trial.item] for trial in made.trials} == {2}
    for _, own in groupby(made.trials, key=lambda trial: (trial.list, trial.slot)):
        tests = [trial.shown for trial in own if trial.kind == "test"]
        assert Counter(tests) == {"good-bad": 6, "bad-good": 6}


def test_neighbours_differ_in_phenomenon_and_catch_trials_are_in_between() -> None:
    made = study()
    for _, own in groupby(made.trials, key=lambda trial: (trial.list, trial.slot)):
        trials = list(own)
        assert [trial.kind for trial in trials[:2]] == ["practice", "practice"]
        rest = trials[2:]
        assert rest[0].kind != "catch" and rest[-1].kind != "catch"
        for one, two in pairwise(rest):
            assert not (one.kind == two.kind == "catch")
            phenomena = [made.item[trial.item].phenomenon for trial in (one, two)]
            assert phenomena[0] != phenomena[1] or "test" not in (one.kind, two.kind)


def test_a_pairs_two_sentences_are_rated_by_different_people() -> None:
    made = study(lists=0, rating_lists=4)
    shown = Counter((trial.item, trial.shown) for trial in made.trials if trial.kind == "test")
    assert set(shown.values()) == {2} and len(shown) == 2 * 48
    assert max(Counter((t.list, t.slot, t.item) for t in made.trials).values()) == 1


def test_catch_trials_look_like_items() -> None:
    made = study()
    for item in (item for item in made.items if item.kind == "catch"):
        assert item.good != item.bad and sorted(item.good) == sorted(item.bad) and item.bad.endswith("。")


DESIGNS = st.builds(
    lambda per, lists, most, raters, catch, rating, seed: Design(
        per_paradigm=per,
        lists=0 if rating else lists,
        rating_lists=lists if rating else 0,
        most_per_paradigm=most,
        raters=raters,
        catch=catch,
        practice=2,
        seed=seed,
    ),
    *(st.integers(1, 6), st.integers(1, 6), st.integers(1, 3), st.integers(1, 5), st.integers(0, 8)),
    *(st.booleans(), st.integers(0, 99)),
)


@settings(max_examples=60, deadline=None)
@given(DESIGNS, st.integers(1, 9), st.integers(1, 4))
def test_every_design_is_balanced_or_refused(design: Design, paradigms: int, phenomena: int) -> None:
    """What cannot be promised is refused; the rest holds for each person, each item and each list."""
    try:
        made = draw_study(pool(paradigms, 16, phenomena), design, name="any")
    except InputError as error:
        (problem,) = error.problems
        fewest = -(-design.per_paradigm // design.most_per_paradigm)
        lists = max(design.lists, design.rating_lists)
        many = lists > design.per_paradigm * paradigms
        expected = "study-lists-few" if lists < fewest else "study-lists-many" if many else "study-catch-many"
        assert problem.kind == expected, problem
        return
    in_list: dict[int, Counter[str]] = {}
    first: Counter[tuple[int, str]] = Counter()
    for (number, _), own in groupby(made.trials, key=lambda trial: (trial.list, trial.slot)):
        trials = list(own)
        tests = [made.item[trial.item] for trial in trials if trial.kind == "test"]
        in_list[number] = Counter(item.phenomenon for item in tests)
        assert max(Counter(item.uid for item in tests).values(), default=0) <= design.most_per_paradigm
        assert [trial.kind for trial in trials[:2]] == ["practice"] * 2
        assert sum(trial.kind == "catch" for trial in trials) == design.catch
        assert "catch" not in (trials[2].kind, trials[-1].kind)
        for kind in ("test", "catch", "practice"):
            good = [trial.shown.startswith("good") for trial in trials if trial.kind == kind]
            assert abs(2 * sum(good) - len(good)) <= 1
        first.update((number, trial.item) for trial in trials if trial.shown.startswith("good"))
    for item in {(trial.list, trial.item) for trial in made.trials}:
        assert abs(2 * first[item] - design.raters) <= 1
    for name in {item.phenomenon for item in made.items if item.kind == "test"}:
        counts = [own[name] for own in in_list.values()]
        assert max(counts) - min(counts) <= 1
    dealt = Counter((trial.item, trial.slot) for trial in made.trials if trial.kind == "test")
    assert set(dealt.values()) == {1} and len(dealt) == len(made.pairs) * design.raters


def test_our_preset_has_eight_catch_trials_that_look_like_its_items() -> None:
    """Each is from another paradigm, and its bad sentence has the characters of the good one, in another order."""
    made = draw_study(pool(12, 30), PRESETS["bidui"], name="ours")
    catch = [item for item in made.items if item.kind == "catch"]
    assert len(catch) == 8 and len({item.good[:3] for item in catch}) == 8
    drawn = {item.good for item in made.items if item.kind == "test"}
    for item in catch:
        assert item.good not in drawn and item.good != item.bad and sorted(item.good) == sorted(item.bad)
    assert made.design.rules.catch_failures == 1


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 11)), max_size=40))
def test_whoever_comes_gets_the_emptiest_list_and_abandoned_slots_come_first(events: list[tuple[int, int]]) -> None:
    """People come (0, 1), and one of those there finishes (2) or is never seen again (3)."""
    slots = slots_of(study(raters=3).trials)
    people: list[Assignment] = []
    for now, (event, which) in enumerate(events):
        if event > 1 and people:
            one = people[which % len(people)]
            if one.state == "active":
                people[which % len(people)] = replace(one, state="done" if event == 2 else "withdrawn")
            continue
        slot = next_slot(slots, people, now=now)
        taken = Counter(one.slot.list for one in people if one.state in ("active", "done"))
        assert (slot is None) == (sum(taken.values()) == len(slots))
        if slot is not None:
            assert taken[slot.list] == min(taken[number] for number in range(1, 5))
            assert slot not in [one.slot for one in people if one.state in ("active", "done")]
            people.append(Assignment(f"p{now}", slot, "active", now))


def test_slots_fill_evenly_and_abandoned_ones_are_given_again() -> None:
    slots = slots_of(study(raters=2).trials)
    taken: list[Assignment] = []
    for number in range(4):
        slot = next_slot(slots, taken, now=0)
        assert slot == Slot(number + 1, 1)
        taken.append(Assignment(f"p{number}", slot, "active", 0))
    taken[2] = Assignment("p2", Slot(3, 1), "excluded", 0)
    assert next_slot(slots, taken, now=0) == Slot(3, 1)
    assert next_slot(slots, taken, now=10_000) == Slot(1, 1)
    done = [Assignment(f"q{n}", slot, "done", 0) for n, slot in enumerate(slots)]
    assert next_slot(slots, done, now=10**9) is None


def test_a_study_is_pinned(tmp_path: Path) -> None:
    """The same seed gives the same bytes; a changed file is refused."""
    made = study()
    assert study_files(made) == study_files(study()) != study_files(study(seed=8))
    assert parse_study(study_files(made)) == made
    write_study(made, tmp_path / "s")
    assert read_study(tmp_path / "s") == made
    (tmp_path / "s" / PAIRS).write_text("{}\n")
    with pytest.raises(InputError, match="not what the study was made with"):
        read_study(tmp_path / "s")


def test_a_decision_on_a_paradigm_is_no_edit_of_it(tmp_path: Path) -> None:
    """The first study asks about it as it was; then it is excluded; in the end it is included again."""
    new_project(tmp_path / "p")
    file = tmp_path / "p" / load_project(tmp_path / "p").paradigm("BA_inversion").place.file
    text = file.read_text(encoding="utf-8")
    design = Design(per_paradigm=2, lists=2)
    versions = [
        text,
        set_status(text, status="excluded", reason="people did not agree", name=""),
        set_status(text, status="included", reason="people agree", name=""),
        text.replace("把", "将"),
    ]
    studies: list[Study] = []
    for number, version in enumerate(versions):
        file.write_text(version, encoding="utf-8")
        follows = tmp_path / f"s{number - 1}" if number else None
        options = {"design": design, "only": "BA_inversion", "follows": follows}
        studies.append(new_study(tmp_path / "p", out=tmp_path / f"s{number}", **options))  # type: ignore[arg-type]
    assert [study.follows and study.follows.change("BA_inversion") for study in studies] == [
        *(None, "same", "same", "edited"),
    ]


def test_a_study_of_edited_paradigms_is_linked_to_the_earlier_one() -> None:
    design = Design(per_paradigm=2, lists=2, seed=1)
    first = draw_study(pool(3), design, name="first", paradigms={"u0": "a", "u1": "b", "u2": "c"})
    second = draw_study(pool(4), design, name="second", paradigms={"u0": "a", "u1": "x", "u2": "c", "u3": "d"},
                        follows=first)  # fmt: skip
    assert second.follows is not None
    assert (second.follows.name, second.follows.edited, second.follows.same, second.follows.new) == (
        *("first", ("u1",), ("u0", "u2"), ("u3",)),
    )
