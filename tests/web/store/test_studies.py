"""Studies in the database: pinned whole, joined evenly, answered once, and forgotten when somebody withdraws."""

import json
import os
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bidui.errors import InputError
from bidui.people.lists import Slot
from bidui.people.responses import answer_trial
from bidui.people.study import Study, study_files
from bidui.web.store.accounts import local_user
from bidui.web.store.database import participants as people_table
from bidui.web.store.disk import open_store
from bidui.web.store.projects import delete_project
from bidui.web.store.studies import (
    GivenAnswer,
    Receipt,
    Seat,
    Sheet,
    StudyRecord,
    create_study,
    delete_draft,
    delete_participant,
    join,
    participants_of,
    responses_of,
    save_answers,
    seat_of,
    set_state,
    studies_of_project,
    study_by_token,
    study_of,
    trial_seat,
    update_draft,
    withdraw,
)
from bidui.web.store.workspace import Entry, Store

from ...people.small import study
from .conftest import Clock
from .small import the_entry

TINY: dict[str, object] = {"per_paradigm": 1, "lists": 2, "raters": 3, "catch": 1, "practice": 1, "fillers": 0}
TINY |= {"background": ("raised",), "patience": 3600}


@pytest.fixture(scope="module")
def tiny() -> Study:
    """Twelve paradigms with a pair each, on two lists of three people: eight trials for each."""
    return study(**TINY)


@pytest.fixture
def record(store: Store, tiny: Study) -> StudyRecord:
    return set_state(create_study(the_entry(store), tiny), "open")


def enter(store: Store, record: StudyRecord, external: str | None = None) -> tuple[str, Seat]:
    version = record.study.version
    return join(store, record.token, language="zh", version=version, background={}, external=external)


def given(*positions: int, answer: int = 1, ago_ms: int = 0) -> tuple[GivenAnswer, ...]:
    return tuple(GivenAnswer(position, answer, 1500, ago_ms, "rows", "zh") for position in positions)


def save(store: Store, token: str, *positions: int, answer: int = 1, ago_ms: int = 0) -> Receipt | InputError:
    return save_answers(store, [Sheet(token, given(*positions, answer=answer, ago_ms=ago_ms))])[0]


def kind(error: InputError | Receipt) -> str:
    assert isinstance(error, InputError)
    return error.problems[0].kind


def refusal(store: Store, record: StudyRecord) -> str:
    with pytest.raises(InputError) as caught:
        enter(store, record)
    return kind(caught.value)


def test_a_draft_is_pinned_and_changed_and_deleted_and_then_opened_for_good(store: Store, tiny: Study) -> None:
    entry = the_entry(store)
    first = create_study(entry, tiny)
    assert (first.state, first.project, first.earlier, first.opened) == ("draft", entry, None, None)
    assert study_files(first.study) == study_files(tiny)
    other = study(**TINY, seed=8)
    changed = update_draft(first, other)
    assert (changed.id, changed.token) == (first.id, first.token)
    assert study_files(study_of(entry, first.id).study) == study_files(other)
    with pytest.raises(InputError) as caught:
        create_study(entry, tiny, earlier=first.id)
    assert kind(caught.value) == "study-follows-draft"
    with pytest.raises(InputError) as caught:
        set_state(first, "open")  # as it was before it was changed
    assert kind(caught.value) == "study-redrawn"
    opened = set_state(changed, "open")
    second = create_study(entry, tiny, earlier=first.id)
    assert [(each.id, each.earlier) for each in studies_of_project(entry)] == [(second.id, first.id), (first.id, None)]
    delete_draft(second)
    assert [each.id for each in studies_of_project(entry)] == [first.id]
    assert opened.opened is not None and opened.closed is None
    for refused in (
        lambda: update_draft(opened, tiny),
        lambda: delete_draft(opened),
        lambda: set_state(opened, "open"),
    ):
        with pytest.raises(InputError) as caught:
            refused()
        assert kind(caught.value) == "study-state"
    closed = set_state(set_state(set_state(opened, "paused"), "open"), "closed")
    assert closed.closed is not None
    with pytest.raises(InputError):
        set_state(closed, "open")


def test_a_study_belongs_to_its_project(store: Store, record: StudyRecord) -> None:
    with pytest.raises(InputError) as caught:
        study_of(Entry(store, record.project.id + 1, "other"), record.id)
    assert kind(caught.value) == "study-unknown"


def test_lists_fill_evenly_and_when_all_slots_are_taken_nobody_joins(store: Store, record: StudyRecord) -> None:
    seats = [enter(store, record)[1] for _ in range(6)]
    people = participants_of(record)
    assert [person.list for person in people] == [1, 2, 1, 2, 1, 2]
    assert Counter((person.list, person.slot) for person in people) == Counter(
        {(number, slot): 1 for number in (1, 2) for slot in (1, 2, 3)}
    )
    assert len({seat.pseudonym for seat in seats}) == 6
    assert refusal(store, record) == "study-full"


def test_people_who_join_at_once_get_different_slots(store: Store, record: StudyRecord) -> None:
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda _: enter(store, record), range(6)))
    slots = {(person.list, person.slot) for person in participants_of(record)}
    assert slots == {(number, slot) for number in (1, 2) for slot in (1, 2, 3)}


def test_a_seat_tells_nothing_but_sentences(store: Store, record: StudyRecord, tiny: Study) -> None:
    _, seat = enter(store, record)
    own = [trial for trial in tiny.trials if (trial.list, trial.slot) == (1, 1)]
    assert (seat.task, seat.layout, seat.practice, seat.answered, seat.code) == ("choice", "rows", 1, (), "")
    assert [screen.position for screen in seat.trials] == list(range(1, 9))
    for screen, trial in zip(seat.trials, own, strict=True):
        item = tiny.item[trial.item]
        assert screen.sentences == ((item.good, item.bad) if trial.shown == "good-bad" else (item.bad, item.good))
    assert trial_seat(tiny).trials == seat.trials
    with pytest.raises(InputError):
        trial_seat(tiny, list=3)


def test_a_slot_is_free_again_when_its_holder_left_failed_or_withdrew(
    store: Store, record: StudyRecord, clock: Clock, tiny: Study
) -> None:
    tokens = [enter(store, record)[0] for _ in range(6)]
    own = {trial.position: trial for trial in tiny.trials if (trial.list, trial.slot) == (1, 1)}
    for position, trial in own.items():  # the first person does all, and chooses the scrambled sentence
        right = 1 if trial.shown == "good-bad" else 2
        assert not isinstance(
            save(store, tokens[0], position, answer=3 - right if trial.kind == "catch" else right), InputError
        )
    assert [each.chosen for each in responses_of(record) if each.kind == "catch"] == ["bad"]
    enter(store, record)
    withdraw(store, tokens[1])
    enter(store, record)
    assert refusal(store, record) == "study-full"
    clock.ahead += timedelta(seconds=3400)
    save(store, tokens[2], 1)
    clock.ahead += timedelta(seconds=300)  # all others were not seen for more than an hour
    enter(store, record)
    people = participants_of(record)
    slots = [Slot(person.list, person.slot) for person in people]
    assert slots[6:8] == [slots[0], slots[1]]
    assert slots[8] != slots[2]
    assert not isinstance(save(store, tokens[3], 1), InputError)  # who comes back late still counts


def test_an_answer_is_there_once_whatever_is_sent_again(store: Store, record: StudyRecord, tiny: Study) -> None:
    token, seat = enter(store, record)
    assert save(store, token, 1, 2) == Receipt(2)
    assert save(store, token, 2, 3, answer=2, ago_ms=60_000) == Receipt(3)  # 2 is there already
    assert seat_of(store, token).answered == (1, 2, 3)
    twice = [Sheet(token, given(4)), Sheet(token, given(4, answer=2))]
    assert save_answers(store, twice) == [Receipt(4), Receipt(4)]
    assert [(one.position, one.answer) for one in responses_of(record)] == [(1, 1), (2, 1), (3, 2), (4, 1)]
    assert save(store, token, *range(1, 9)) == Receipt(8, record.code)
    assert seat_of(store, token).code == record.code
    responses = responses_of(record)
    own = [trial for trial in tiny.trials if (trial.list, trial.slot) == (1, 1)]
    for one, trial in zip(responses, own, strict=True):
        settings = {"participant": seat.pseudonym, "rt_ms": 1500, "at": one.at, "language": "zh"}
        answer = 2 if trial.position == 3 else 1
        assert one == answer_trial(tiny, trial, answer=answer, **settings)  # type: ignore[arg-type]
    person = participants_of(record)[0]
    assert len(responses) == 8 and person.finished is not None
    assert responses[2].at == person.started.isoformat(timespec="seconds").replace("+00:00", "Z")  # not before she came


def test_only_her_own_trials_can_be_answered_and_a_bad_sheet_spoils_no_other(store: Store, record: StudyRecord) -> None:
    token, _ = enter(store, record)
    other, _ = enter(store, record)
    sheets = [
        Sheet(token, given(9)),
        Sheet("x" * 43, given(1)),
        Sheet(token, given(1, answer=3)),
        Sheet(other, given(1)),
    ]
    outcomes = save_answers(store, sheets)
    assert [kind(outcome) for outcome in outcomes[:3]] == ["response-field", "participant-unknown", "response-answer"]
    assert outcomes[3] == Receipt(1)
    assert len(responses_of(record)) == 1


def test_a_study_that_is_paused_or_closed_or_in_the_bin_takes_nothing(store: Store, record: StudyRecord) -> None:
    token, _ = enter(store, record)
    set_state(record, "paused")
    assert (kind(save(store, token, 1)), refusal(store, record)) == ("study-paused", "study-paused")
    set_state(record, "open")
    assert save(store, token, 1) == Receipt(1)
    set_state(record, "closed")
    assert (kind(save(store, token, 2)), refusal(store, record)) == ("study-closed", "study-closed")
    with pytest.raises(InputError):
        seat_of(store, token)
    withdraw(store, token)  # still her right
    assert responses_of(record) == ()
    delete_project(record.project, who=local_user(store))
    with pytest.raises(InputError) as caught:
        study_by_token(store, record.token)
    assert kind(caught.value) == "study-link"


def test_a_draft_cannot_be_joined(store: Store, tiny: Study) -> None:
    with pytest.raises(InputError) as caught:
        enter(store, create_study(the_entry(store), tiny))
    assert kind(caught.value) == "study-link"


def test_what_is_no_link_leads_nowhere(store: Store, record: StudyRecord) -> None:
    for token in ("", "x\0y", record.token[:-1], record.token + "x", "%" * 22, "_" * 22, "链接", "x" * 1000):
        with pytest.raises(InputError) as caught:
            study_by_token(store, token)
        assert kind(caught.value) == "study-link"


def test_whoever_withdraws_leaves_nothing_but_that_she_was_there(store: Store, record: StudyRecord) -> None:
    version = record.study.version
    token, seat = join(
        store, record.token, language="en", version=version, background={"raised": "Xi'an"}, external="panel-7"
    )
    save(store, token, 1, 2)
    person = participants_of(record)[0]
    assert (person.background, person.external, person.language) == ({"raised": "Xi'an"}, "panel-7", "en")
    withdraw(store, token)
    withdraw(store, token)
    left = participants_of(record)[0]
    assert left.withdrawn is not None
    assert (left.pseudonym, left.background, left.external) == (seat.pseudonym, {}, None)
    assert responses_of(record) == ()
    assert kind(save(store, token, 3)) == "participant-unknown"
    delete_participant(record, seat.pseudonym)
    assert participants_of(record) == []
    with pytest.raises(InputError):
        delete_participant(record, seat.pseudonym)


def test_a_number_of_a_panel_takes_part_once(store: Store, record: StudyRecord) -> None:
    enter(store, record, "panel-7")
    token, _ = enter(store, record, "panel-7")  # she had not answered anything, and may have lost the page
    save(store, token, 1)
    with pytest.raises(InputError) as caught:
        enter(store, record, "panel-7")
    assert kind(caught.value) == "study-taken"


def test_tokens_are_long_and_only_their_hashes_are_stored(store: Store, record: StudyRecord) -> None:
    tokens = [enter(store, record)[0] for _ in range(3)]
    assert len(set(tokens)) == 3 and all(len(token) == 43 for token in tokens)  # 256 bits in base64
    assert len(record.token) == 22  # 128 bits
    with store.reading() as connection:
        rows = connection.execute(select(people_table)).mappings().all()
    assert not any(token in json.dumps([dict(row) for row in rows], default=str) for token in tokens)


def test_consent_is_to_the_texts_as_they_are(store: Store, record: StudyRecord) -> None:
    with pytest.raises(InputError) as caught:
        join(store, record.token, language="en", version="0123456789ab", background={})
    assert kind(caught.value) == "study-texts-old"
    enter(store, record)
    assert participants_of(record)[0].version == record.study.version


# Forking beside the threads of pytest-xdist is safe here: the child opens its own database and uses no thread.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_what_was_acknowledged_is_there_once_when_the_server_is_killed(
    store: Store, record: StudyRecord, tmp_path: Path, database: str | None
) -> None:
    """It dies in the middle of its work; the pages send what was not acknowledged again, and some that was."""
    tokens = [enter(store, record)[0] for _ in range(6)]
    sheets = [Sheet(token, given(position)) for position in range(1, 9) for token in tokens]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        own = open_store(tmp_path / "work", database=database)
        for sheet in sheets:
            save_answers(own, [sheet])
            os.write(writing, b".")
        os._exit(0)
    os.close(writing)
    acknowledged = len(os.read(reading, 1))
    while acknowledged < 20:
        acknowledged += len(os.read(reading, 20 - acknowledged))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    acknowledged += len(os.read(reading, 1000))
    os.close(reading)
    stored = {(one.participant, one.position) for one in responses_of(record)}
    names = [person.pseudonym for person in participants_of(record)]
    places = [(name, position) for position in range(1, 9) for name in names]
    assert stored >= set(places[:acknowledged])
    assert len(stored) <= acknowledged + 1  # the last one may be there, and unknown to its page
    again = [Sheet(sheet.token, given(sheet.answers[0].position, answer=2)) for sheet in sheets]
    save_answers(store, again)
    responses = responses_of(record)
    assert Counter((one.participant, one.position) for one in responses) == Counter(places)
    assert {(one.participant, one.position) for one in responses if one.answer == 1} == stored
