"""How far a study is, for answers so few that every figure was worked out by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from bidui.people.agreement import study_results
from bidui.people.participants import Participant, add_participants
from bidui.people.progress import Person, progress_of, share_of, study_progress
from bidui.people.responses import add_responses
from bidui.people.study import write_study

from .small import by_hand, given_by_hand

PEOPLE = (
    Person("ann", 1, 1, "done", ""),
    Person("bob", 1, 2, "done", ""),
    Person("cleo", 2, 1, "active", ""),
    Person("eve", 2, 2, "active", ""),  # Dan, whom nobody knows, has answered on the same slot elsewhere
)


def test_everybody_has_a_line_with_what_she_did() -> None:
    """Bob fails the catch trial; Dan has finished for all we know, and lacks two trials; Cleo may still go on."""
    study = by_hand()
    far = progress_of(study, PEOPLE, given_by_hand(study))
    lines = {one.participant: one for one in far.persons}
    assert {who: (one.list, one.state, one.answered, one.trials) for who, one in lines.items()} == {
        "ann": (1, "done", 3, 3),
        "bob": (1, "done", 3, 3),
        "cleo": (2, "active", 2, 3),
        "eve": (2, "active", 0, 3),
        "dan": (2, "done", 1, 3),
    }
    assert {who: (one.catch.correct, one.catch.all) for who, one in lines.items()} == {
        **{"ann": (1, 1), "bob": (0, 1), "cleo": (1, 1)},
        **{"eve": (0, 0), "dan": (0, 0)},
    }
    assert {who: (one.agreement.correct, one.agreement.all) for who, one in lines.items()} == {
        **{"ann": (1, 2), "bob": (2, 2), "cleo": (1, 1)},
        **{"eve": (0, 0), "dan": (0, 1)},
    }
    medians = {"ann": 2000, "bob": 1000, "cleo": 3500, "eve": None, "dan": 500}
    assert {who: one.median_ms for who, one in lines.items()} == medians
    assert {who: one.excluded for who, one in lines.items() if one.excluded} == {
        "bob": ("catch trials wrong or skipped: 1, 0 allowed",),
        "dan": ("33% of the trials answered, at least 100% required",),
    }
    chinese = progress_of(study, PEOPLE, given_by_hand(study), language="zh")
    assert chinese.persons[1].excluded == ("检测题答错或跳过 1 道，最多允许 0 道",)


def test_totals_are_without_those_who_are_left_out() -> None:
    """Of test items, Ann has 1 of 2 right and Cleo 1 of 1, in 1, 9 and 4 seconds; Ann took 12 seconds in all."""
    study = by_hand()
    far = progress_of(study, PEOPLE, given_by_hand(study))
    assert (far.people, far.done, far.left_out, far.slots, far.answers) == (5, 1, 2, 4, 9)
    assert far.agreement == share_of(2, 3) and far.catch == share_of(2, 3)  # Bob fails one of three catch trials
    # Wilson, n = 3: z²/3 = 1.28049, (2/3 + 0.64024 ± 1.95996 √(2/27 + 0.10671)) / 2.28049
    assert far.agreement.interval is not None
    assert far.agreement.interval.interval == pytest.approx((0.20766, 0.93851), abs=1e-5)
    assert (far.median_ms, far.median_minutes) == (4000, pytest.approx(0.2))


def test_a_list_has_free_places_where_somebody_is_left_out() -> None:
    study = by_hand()
    far = progress_of(study, PEOPLE, given_by_hand(study))
    assert [(one.list, one.task, one.trials, one.slots, one.done, one.active) for one in far.lists] == [
        (1, "choice", 3, 2, 1, 0),
        (2, "choice", 3, 2, 0, 2),
    ]


def test_the_slowest_items_are_those_with_the_highest_medians() -> None:
    """u1/0 took 9 and 2 s, u0/1 4 and 0.5, the catch trial 2, 1 and 3, u0/0 1 and 1."""
    study = by_hand()
    far = progress_of(study, PEOPLE, given_by_hand(study), slowest=3)
    assert [(one.item, one.kind, one.answers, one.median_ms, one.agreement) for one in far.slowest] == [
        ("u1/0", "test", 2, 5500, share_of(1, 2)),
        ("u0/1", "test", 2, 2250, share_of(1, 2)),
        ("catch/1", "catch", 3, 2000, share_of(2, 3)),
    ]


def test_the_participants_of_a_folder_tell_who_is_still_answering(tmp_path: Path) -> None:
    """A time of consent without one of the end says so; a row about somebody's background alone says nothing."""
    study = by_hand()
    folder = tmp_path / "s"
    write_study(study, folder)
    empty = study_progress(folder)
    assert (empty.people, empty.slots, empty.answers, empty.agreement, empty.persons) == (0, 4, 0, share_of(0, 0), ())
    answers = [replace(one, at=f"2026-11-16T20:0{one.position}:00Z") for one in given_by_hand(study)]
    add_responses(folder, study, answers)
    assert [(one.participant, one.state) for one in study_progress(folder).persons] == [
        *(("ann", "done"), ("bob", "done")),
        *(("cleo", "done"), ("dan", "done")),
    ]
    begun, ended = "2026-11-16T20:00:00Z", "2026-11-16T20:09:00Z"
    people = [
        Participant("ann", 1, 1, started=begun, finished=ended),
        Participant("cleo", started=begun),  # her place is known by her answers
        Participant("dan", background={"age": "25–34"}),
        Participant("eve", 2, 2, started=begun),
    ]
    add_participants(folder, study, people)
    far = study_progress(folder)
    assert [(one.participant, one.list, one.state, one.seen[11:16], one.trials) for one in far.persons] == [
        ("ann", 1, "done", "20:09", 3),
        ("cleo", 2, "active", "20:02", 3),
        ("dan", 2, "done", "20:01", 3),
        ("eve", 2, "active", "20:00", 3),
        ("bob", 1, "done", "", 3),
    ]
    assert (far.done, far.left_out, far.agreement) == (1, 2, share_of(2, 3))


def test_progress_and_results_agree_when_nobody_is_answering_any_more(tmp_path: Path) -> None:
    """Without participants Cleo did not finish either, and only Ann is left: one of two."""
    study = by_hand()
    write_study(study, tmp_path / "s")
    add_responses(tmp_path / "s", study, given_by_hand(study))
    (overall,) = study_results(tmp_path / "s", by="overall").figures.values()
    assert (overall.correct, overall.judgements) == (1, 2)
    assert study_progress(tmp_path / "s").agreement == share_of(1, 2)
