"""Studies of a project in the database, the people who take part, and their answers.

A study holds its files whole (`bidui.people.study_files`): later edits of the project never change them. A participant
is known by the hash of a token that only she holds; nothing here knows her name or address. An answer is there once,
whatever is sent again, and what the first part of this module reads of it are the responses of `bidui.people`.

The first half is for researchers, the second (`join` and what follows) for participants.
"""

import json
import secrets
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, Row, delete, func, insert, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bidui.errors import InputError, Place, fail
from bidui.files import sha256
from bidui.people.design import SCALE, Layout, Task
from bidui.people.lists import Assignment, Slot, State, next_slot, slots_of
from bidui.people.responses import (
    Response,
    distinct,
    parse_responses,
    response_to,
    study_exclusions,
    to_jsonl,
)
from bidui.people.study import STUDY, Study, parse_study, study_files
from bidui.web.store import database
from bidui.web.store.database import projects, put, reading, storable
from bidui.web.store.revisions import newest_number
from bidui.web.store.workspace import Entry, Store
from bidui.words import Language

StudyState = Literal["draft", "open", "paused", "closed"]
_NEXT: Mapping[StudyState, tuple[StudyState, ...]] = {
    "draft": ("open",),
    "open": ("paused", "closed"),
    "paused": ("open", "closed"),
    "closed": (),  # for good: the links are dead
}
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none is taken for another
_ELSEWHERE = "imported/responses.jsonl"  # a further file of a study
_STUDIES, _FILES, _PEOPLE, _ANSWERS = (
    database.studies,
    database.study_files,
    database.participants,
    database.answers,
)


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """A study in the database; `token` is in the link for participants, `code` is shown to those who have finished.

    `sha256` tells the states of a draft apart, which may be drawn again.
    """

    id: int
    project: Entry
    name: str
    state: StudyState
    sha256: str
    revision: int  # the newest of the project when it was pinned
    earlier: int | None  # the study that it follows
    created: datetime
    opened: datetime | None
    closed: datetime | None
    token: str
    code: str
    study: Study = field(repr=False)


@dataclass(frozen=True, slots=True)
class StudyName:
    """What a list of studies needs to know, without the files of any; `earlier` is the study that one follows."""

    id: int
    name: str
    state: StudyState
    earlier: int | None


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who takes part, as researchers see her."""

    pseudonym: str
    list: int
    slot: int
    started: datetime
    seen: datetime
    finished: datetime | None
    withdrawn: datetime | None
    external: str | None  # her number in a panel; never part of what is exported with the answers
    language: Language
    version: str  # of the texts that she consented to
    background: Mapping[str, str]


# Studies, for those who make them


def create_study(entry: Entry, study: Study, *, earlier: int | None = None) -> StudyRecord:
    """Add a draft that pins the files of a study; an `earlier` one that was never opened has nothing to follow."""
    before = study_of(entry, earlier) if earlier is not None else None
    if before is not None and before.state == "draft":
        raise fail("study-follows-draft", Place(), {"study": before.name})
    values = {
        "project": entry.id,
        "name": study.name,
        "state": "draft",
        "token": secrets.token_urlsafe(16),
        "code": _word(8).upper(),
        "revision": newest_number(entry),
        "earlier": before.id if before is not None else None,
        "created": entry.store.now(),
    }
    with entry.store.writing() as connection:
        row = connection.execute(insert(_STUDIES).values(**values, sha256=""))
        assert row.inserted_primary_key is not None
        number = int(row.inserted_primary_key[0])
        _pin(connection, number, study)
    return study_of(entry, number)


def update_draft(record: StudyRecord, study: Study) -> StudyRecord:
    """Pin other files in place of those of a draft, unless somebody else has done so since the record was read."""
    revision = newest_number(record.project)
    with record.project.store.writing() as connection:
        _check_draft(connection, record)
        _check_same(connection, record)
        _pin(connection, record.id, study)
        values = {"name": study.name, "revision": revision}
        connection.execute(update(_STUDIES).where(_STUDIES.c.id == record.id).values(**values))
    return study_of(record.project, record.id)


def delete_draft(record: StudyRecord) -> None:
    """Delete a draft; a study that was opened stays."""
    with record.project.store.writing() as connection:
        _check_draft(connection, record)
        connection.execute(delete(_FILES).where(_FILES.c.study == record.id))
        connection.execute(delete(_STUDIES).where(_STUDIES.c.id == record.id))


def study_of(entry: Entry, number: int) -> StudyRecord:
    """Return a study of a project."""
    query = select(_STUDIES).where(_STUDIES.c.id == storable(number), _STUDIES.c.project == entry.id)
    with entry.store.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise fail("study-unknown", Place(), {"study": number})
    return _record(entry, row)


def study_names(entry: Entry) -> list[StudyName]:
    """Return the names of a project's studies, the newest first."""
    columns = (_STUDIES.c.id, _STUDIES.c.name, _STUDIES.c.state, _STUDIES.c.earlier)
    query = select(*columns).where(_STUDIES.c.project == entry.id).order_by(_STUDIES.c.id.desc())
    with entry.store.reading() as connection:
        return [StudyName(*row) for row in connection.execute(query)]


def studies_of_project(entry: Entry) -> list[StudyRecord]:
    """Return the studies of a project, the newest first."""
    query = select(_STUDIES).where(_STUDIES.c.project == entry.id).order_by(_STUDIES.c.id.desc())
    with entry.store.reading() as connection:
        rows = connection.execute(query).all()
    return [_record(entry, row) for row in rows]


def set_state(record: StudyRecord, state: StudyState) -> StudyRecord:
    """Open, pause or close a study; closing is for good, since it ends all links.

    A draft is opened only as it is in the record: opening pins its pairs for good.
    """
    store = record.project.store
    with store.writing() as connection:
        now = _locked_state(connection, record)
        if state not in _NEXT[now]:
            raise fail("study-state", Place(), {"state": now, "wanted": state})
        _check_same(connection, record)
        values: dict[str, object] = {"state": state}
        if now == "draft":
            values["opened"] = store.now()
        if state == "closed":
            values["closed"] = store.now()
        connection.execute(update(_STUDIES).where(_STUDIES.c.id == record.id).values(**values))
    return study_of(record.project, record.id)


def participants_of(record: StudyRecord) -> list[Participant]:
    """Return everybody who takes part, in the order in which they came."""
    with record.project.store.reading() as connection:
        rows = connection.execute(select(_PEOPLE).where(_PEOPLE.c.study == record.id).order_by(_PEOPLE.c.id)).all()
    return [
        Participant(
            row.pseudonym,
            row.list,
            row.slot,
            row.started,
            row.seen,
            row.finished,
            row.withdrawn,
            row.external,
            row.language,
            row.version,
            json.loads(row.background),
        )
        for row in rows
    ]


def responses_of(record: StudyRecord) -> tuple[Response, ...]:
    """Return one response per answer, by participant and position; those that were imported come last."""
    with record.project.store.reading() as connection:
        here = _responses(connection, record.study, _PEOPLE.c.study == record.id)
        return (*here, *_elsewhere(connection, record))


def pulse_of(record: StudyRecord) -> tuple[object, ...]:
    """Return figures that change whenever anybody joins, answers, finishes or withdraws; cheaper than all answers."""
    people = select(
        func.count(), func.max(_PEOPLE.c.seen), func.count(_PEOPLE.c.withdrawn), func.count(_PEOPLE.c.finished)
    )
    count = select(func.count()).select_from(_ANSWERS).join(_PEOPLE, _PEOPLE.c.id == _ANSWERS.c.participant)
    with record.project.store.reading() as connection:
        row = connection.execute(people.where(_PEOPLE.c.study == record.id)).one()
        imported = sha256(_packed_elsewhere(connection, record))
        return (record.state, connection.scalar(count.where(_PEOPLE.c.study == record.id)), imported, *row)


def delete_participant(record: StudyRecord, pseudonym: str) -> None:
    """Delete somebody and everything that she answered, here or elsewhere."""
    with record.project.store.writing() as connection:
        _locked_state(connection, record)
        query = select(_PEOPLE.c.id).where(_PEOPLE.c.study == record.id, _PEOPLE.c.pseudonym == pseudonym)
        number = connection.scalar(query.with_for_update())
        if number is None:
            imported = _elsewhere(connection, record)
            others = [each for each in imported if each.participant != pseudonym]
            if len(others) == len(imported):
                raise fail("participant-unknown", Place())
            _keep_elsewhere(connection, record, others)
            return
        connection.execute(delete(_ANSWERS).where(_ANSWERS.c.participant == number))
        connection.execute(delete(_PEOPLE).where(_PEOPLE.c.id == number))


# The scores of models on the pairs of a study: further files of it, which are gone when a draft is drawn again

_SCORES = "scores/"


def keep_scores(record: StudyRecord, name: str, worth: Mapping[str, float]) -> None:
    """Keep what each pair is worth to a model, by item; scores of the same name are replaced."""
    row = {"study": record.id, "name": _SCORES + name, "packed": zlib.compress(json.dumps(dict(worth)).encode())}
    with record.project.store.writing() as connection:
        _locked_state(connection, record)
        _check_same(connection, record)
        put(connection, _FILES, row)


def scores_of(record: StudyRecord) -> dict[str, dict[str, float]]:
    """Return the scores that were kept, by the name of the model."""
    query = select(_FILES.c.name, _FILES.c.packed).where(_FILES.c.study == record.id)
    with record.project.store.reading() as connection:
        rows = connection.execute(query.where(_FILES.c.name.like(f"{_SCORES}%")).order_by(_FILES.c.name)).all()
    return {name.removeprefix(_SCORES): json.loads(zlib.decompress(packed)) for name, packed in rows}


def drop_scores(record: StudyRecord, name: str) -> None:
    """Delete the scores of a model."""
    with record.project.store.writing() as connection:
        gone = connection.execute(delete(_FILES).where(_FILES.c.study == record.id, _FILES.c.name == _SCORES + name))
        if not gone.rowcount:
            raise fail("model-unknown", Place(), {"name": name})


def count_external(record: StudyRecord) -> int:
    """Return how many participants came with a number in a panel."""
    query = select(func.count()).where(_PEOPLE.c.study == record.id, _PEOPLE.c.external.is_not(None))
    with record.project.store.reading() as connection:
        return connection.scalar(query) or 0


def forget_external(record: StudyRecord) -> None:
    """Erase all numbers in panels; somebody may then take part again under hers."""
    with record.project.store.writing() as connection:
        connection.execute(update(_PEOPLE).where(_PEOPLE.c.study == record.id).values(external=None))


def _record(entry: Entry, row: Row[Any]) -> StudyRecord:
    study = _pinned(entry.store.engine, row.id, row.sha256)
    return StudyRecord(
        row.id,
        entry,
        row.name,
        row.state,
        row.sha256,
        row.revision,
        row.earlier,
        row.created,
        row.opened,
        row.closed,
        row.token,
        row.code,
        study,
    )


def _pin(connection: Connection, number: int, study: Study) -> None:
    files = study_files(study)
    connection.execute(delete(_FILES).where(_FILES.c.study == number))
    rows = [{"study": number, "name": name, "packed": zlib.compress(data)} for name, data in files.items()]
    connection.execute(insert(_FILES), rows)
    connection.execute(update(_STUDIES).where(_STUDIES.c.id == number).values(sha256=sha256(files[STUDY])))


@lru_cache(maxsize=16)
def _pinned(engine: Engine, number: int, version: str) -> Study:
    """Return what a study pins; the version, which is a hash of everything in it, tells the states of a draft apart."""
    with reading(engine) as connection:
        rows = connection.execute(select(_FILES.c.name, _FILES.c.packed).where(_FILES.c.study == number)).all()
    files = {name: zlib.decompress(packed) for name, packed in rows}
    if STUDY not in files or sha256(files[STUDY]) != version:  # the draft was changed or deleted in this very moment
        raise fail("study-unknown", Place(), {"study": number})
    return parse_study(files)


def _locked_state(connection: Connection, record: StudyRecord) -> StudyState:
    """Return the state of a study, which stays so until the transaction ends."""
    query = select(_STUDIES.c.state).where(_STUDIES.c.id == record.id)
    state: StudyState | None = connection.scalar(query.with_for_update())
    if state is None:
        raise fail("study-unknown", Place(), {"study": record.id})
    return state


def _check_same(connection: Connection, record: StudyRecord) -> None:
    """Refuse to go on with a draft that was drawn again since the record was read."""
    if connection.scalar(select(_STUDIES.c.sha256).where(_STUDIES.c.id == record.id)) != record.sha256:
        raise fail("study-redrawn", Place(), {"study": record.name})


def _check_draft(connection: Connection, record: StudyRecord) -> None:
    if (state := _locked_state(connection, record)) != "draft":
        raise fail("study-state", Place(), {"state": state, "wanted": "draft"})


def _responses(connection: Connection, study: Study, *where: ColumnElement[bool]) -> tuple[Response, ...]:
    items = study.item
    trials = {(trial.list, trial.slot, trial.position): trial for trial in study.trials}
    who = (_PEOPLE.c.pseudonym, _PEOPLE.c.list, _PEOPLE.c.slot, _PEOPLE.c.version)
    query = select(*who, _ANSWERS).join(_ANSWERS, _ANSWERS.c.participant == _PEOPLE.c.id).where(*where)
    found = []
    for row in connection.execute(query.order_by(_PEOPLE.c.id, _ANSWERS.c.position)):
        trial = trials[row.list, row.slot, row.position]
        response = response_to(
            trial,
            items[trial.item],
            study=study.name,
            version=row.version,
            participant=row.pseudonym,
            answer=row.answer,
            rt_ms=row.rt_ms,
            at=row.at.isoformat(timespec="seconds").replace("+00:00", "Z"),
            layout=row.layout,
            language=row.language,
        )
        found.append(response)
    return tuple(found)


# Answers that were collected elsewhere: a further file of a study, since nobody here gave them


def import_responses(record: StudyRecord, new: Iterable[Response]) -> int:
    """Add answers that were collected elsewhere, all or none; return how many were new. What is there stays.

    Nothing is added to those who took part here: an old export must not bring back what somebody has withdrawn.
    """
    with record.project.store.writing() as connection:
        if _locked_state(connection, record) == "draft":
            raise fail("study-import-draft", Place())
        own = _PEOPLE.c.study == record.id
        before = [*_responses(connection, record.study, own), *_elsewhere(connection, record)]
        added = distinct([*before, *new])[len(before) :]
        names = set(connection.scalars(select(_PEOPLE.c.pseudonym).where(own)))
        if here := next((each for each in added if each.participant in names), None):
            raise fail("study-import-here", Place(), {"participant": here.participant, "item": here.item})
        if added:
            _keep_elsewhere(connection, record, [*_elsewhere(connection, record), *added])
    return len(added)


def _elsewhere(connection: Connection, record: StudyRecord) -> tuple[Response, ...]:
    packed = _packed_elsewhere(connection, record)
    return parse_responses(zlib.decompress(packed), record.study, file=_ELSEWHERE) if packed else ()


def _packed_elsewhere(connection: Connection, record: StudyRecord) -> bytes:
    query = select(_FILES.c.packed).where(_FILES.c.study == record.id, _FILES.c.name == _ELSEWHERE)
    return connection.scalar(query) or b""


def _keep_elsewhere(connection: Connection, record: StudyRecord, responses: Iterable[Response]) -> None:
    row = {"study": record.id, "name": _ELSEWHERE, "packed": zlib.compress(to_jsonl(responses))}
    put(connection, _FILES, row)


def _word(length: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


# Participants


@dataclass(frozen=True, slots=True)
class TrialScreen:
    """One trial as it is shown: the sentences in their order, and nothing about them."""

    position: int
    sentences: tuple[str, ...]  # two, or the one to be rated


@dataclass(frozen=True, slots=True)
class Seat:
    """What a participant is given: her code name, her trials, which of them she has answered, and how it is shown."""

    pseudonym: str
    task: Task
    layout: Layout
    practice: int  # so many trials at the beginning do not count
    trials: tuple[TrialScreen, ...]
    answered: tuple[int, ...] = ()
    code: str = ""  # once she has finished


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as the page sends it; `ago_ms` is how long ago it was given, since clocks of phones are wrong."""

    position: int
    answer: int
    rt_ms: int | None
    ago_ms: int
    layout: Layout
    language: Language


@dataclass(frozen=True, slots=True)
class Sheet:
    """Answers of one participant, who is known by her token."""

    token: str
    answers: tuple[GivenAnswer, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is stored now: how many answers there are, and the code once all are."""

    answered: int
    code: str = ""


def study_by_token(store: Store, token: str) -> StudyRecord:
    """Return the study of a link; a draft has no participants, and neither has a project in the bin."""
    if not token.isprintable():  # PostgreSQL takes no NUL
        raise fail("study-link", Place())
    query = select(_STUDIES, projects.c.name.label("in_project")).join(projects, projects.c.id == _STUDIES.c.project)
    query = query.where(_STUDIES.c.token == token[:100], _STUDIES.c.state != "draft", projects.c.binned.is_(None))
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise fail("study-link", Place())
    return _record(Entry(store, row.project, row.in_project), row)


def join(
    store: Store,
    token: str,
    *,
    language: Language,
    version: str,
    background: Mapping[str, str],
    external: str | None = None,
) -> tuple[str, Seat]:
    """Give the slot that is least filled to somebody who has consented to the texts of that version.

    Returns the token by which she is known from now on, and her trials.
    """
    record = study_by_token(store, token)
    study = record.study
    if version != study.version:
        raise fail("study-texts-old", Place())
    if unknown := [key for key in background if key not in study.design.background]:
        raise fail("response-field", Place(), {"field": "background", "value": unknown})
    judged = _judge(store, record)
    tasks = {Slot(trial.list, trial.slot): trial.task for trial in study.trials}
    sizes = Counter(Slot(trial.list, trial.slot) for trial in study.trials)
    secret, now = secrets.token_urlsafe(32), store.now()
    with store.writing() as connection:
        _check_open(_locked_state(connection, record))
        for number, excluded in judged.items():
            connection.execute(update(_PEOPLE).where(_PEOPLE.c.id == number).values(excluded=excluded))
        rows = connection.execute(select(_PEOPLE).where(_PEOPLE.c.study == record.id)).all()
        _check_new(connection, rows, external)
        taken = [*map(_assignment, rows), *_assigned_elsewhere(study, _elsewhere(connection, record))]
        slot = next_slot(tasks, taken, now=now.timestamp(), patience=study.design.patience)
        if slot is None:
            raise fail("study-full", Place())
        name = _fresh_name({row.pseudonym for row in rows})
        values = {
            "study": record.id,
            "sha256": _hash(secret),
            "pseudonym": name,
            "list": slot.list,
            "slot": slot.slot,
            "task": tasks[slot],
            "trials": sizes[slot],
            "version": version,
            "language": language,
            "background": json.dumps(dict(background), ensure_ascii=False),
            "external": external,
            "started": now,
            "seen": now,
        }
        connection.execute(insert(_PEOPLE).values(**values))
    return secret, _seat(study, slot, name)


def seat_of(store: Store, token: str) -> Seat:
    """Return the trials of a participant who comes back, and which of them she has answered."""
    with store.reading() as connection:
        row = _participant(connection, token)
        _check_open(row.state)
        query = select(_ANSWERS.c.position).where(_ANSWERS.c.participant == row.id).order_by(_ANSWERS.c.position)
        answered = tuple(connection.scalars(query))
    study = _pinned(store.engine, row.study, row.study_sha256)
    return _seat(study, Slot(row.list, row.slot), row.pseudonym, answered, row.code if row.finished else "")


def trial_seat(study: Study, *, list: int = 1, slot: int = 1) -> Seat:
    """Return what somebody on this slot would be given, to try a study; a slot that is not there is an error."""
    if Slot(list, slot) not in slots_of(study.trials):
        raise fail("study-slot", Place(), {"list": list, "slot": slot})
    return _seat(study, Slot(list, slot), "")


def save_answers(store: Store, sheets: Sequence[Sheet]) -> list[Receipt | InputError]:
    """Store answers of several participants in one transaction; return for each sheet what is there, or what is wrong.

    An answer that is there already stays: whatever is sent again is counted once.
    """
    now = store.now()
    hashes = [_hash(sheet.token) for sheet in sheets]
    with store.writing() as connection:
        found = _locked_people(connection, set(hashes))
        senders = [_sender(sheet, found.get(key)) for sheet, key in zip(sheets, hashes, strict=True)]
        rows = [
            _answer_row(row, given, now)
            for sheet, row in zip(sheets, senders, strict=True)
            if not isinstance(row, InputError)
            for given in sheet.answers
        ]
        if rows:
            _insert_answers(connection, rows)
        people = {row.id: row for row in senders if not isinstance(row, InputError)}
        counts = _count_answers(connection, people)
        _note_seen(connection, people.values(), counts, now)
    return [row if isinstance(row, InputError) else _receipt(row, counts[row.id]) for row in senders]


def withdraw(store: Store, token: str) -> None:
    """Delete all that somebody answered or said about herself; that she was there remains, so that her slot is free.

    It works also after the study was closed.
    """
    with store.writing() as connection:
        row = _participant(connection, token, lock=True)
        connection.execute(delete(_ANSWERS).where(_ANSWERS.c.participant == row.id))
        values = {"background": "{}", "external": None, "withdrawn": row.withdrawn or store.now(), "finished": None}
        connection.execute(update(_PEOPLE).where(_PEOPLE.c.id == row.id).values(**values))


def _seat(study: Study, slot: Slot, pseudonym: str, answered: tuple[int, ...] = (), code: str = "") -> Seat:
    trials = [trial for trial in study.trials if (trial.list, trial.slot) == (slot.list, slot.slot)]
    items = study.item
    screens = []
    for trial in trials:
        item = items[trial.item]
        order = {"good-bad": (item.good, item.bad), "bad-good": (item.bad, item.good)}
        alone = (item.good if trial.shown == "good" else item.bad,)
        screens.append(TrialScreen(trial.position, order.get(trial.shown, alone)))
    practice = sum(trial.kind == "practice" for trial in trials)
    return Seat(pseudonym, trials[0].task, study.design.layout, practice, tuple(screens), answered, code)


def _judge(store: Store, record: StudyRecord) -> dict[int, bool]:
    """Return for those who have finished since somebody last joined whether the rules leave them out."""
    new = (_PEOPLE.c.study == record.id, _PEOPLE.c.finished.is_not(None), _PEOPLE.c.excluded.is_(None))
    with store.reading() as connection:
        people = connection.execute(select(_PEOPLE).where(*new)).all()
        responses = _responses(connection, record.study, *new) if people else ()
    found = study_exclusions(record.study, responses)
    out = {one.participant for one in found if not one.item}
    return {row.id: row.pseudonym in out for row in people}


def _assignment(row: Row[Any]) -> Assignment:
    state: State = "active"
    if row.withdrawn:
        state = "withdrawn"
    elif row.excluded:
        state = "excluded"
    elif row.finished:
        state = "done"
    return Assignment(row.pseudonym, Slot(row.list, row.slot), state, row.seen.timestamp())


def _assigned_elsewhere(study: Study, responses: Sequence[Response]) -> list[Assignment]:
    """Return the slots that people filled elsewhere, as far as they are known and no rule leaves these people out."""
    out = {each.participant for each in study_exclusions(study, responses) if not each.item}
    filled = {each.participant: Slot(each.list, each.slot) for each in responses if each.slot}
    return [Assignment(who, slot, "done", 0.0) for who, slot in filled.items() if who not in out]


def _check_new(connection: Connection, rows: Iterable[Row[Any]], external: str | None) -> None:
    """Refuse somebody whose number in a panel has answered already; who has not answered anything may start again."""
    same = [row.id for row in rows if external is not None and row.external == external]
    if same and connection.scalar(select(func.count()).where(_ANSWERS.c.participant.in_(same))):
        raise fail("study-taken", Place())


def _fresh_name(taken: set[str]) -> str:
    while (name := f"p{_word(7)}") in taken:
        pass
    return name


def _check_open(state: StudyState) -> None:
    if state == "paused":
        raise fail("study-paused", Place())
    if state != "open":
        raise fail("study-closed", Place())


def _participant(connection: Connection, token: str, *, lock: bool = False) -> Row[Any]:
    """Return who holds a token, with her study's state; a token that nobody holds is refused."""
    query = _people().where(_PEOPLE.c.sha256 == _hash(token))
    row = connection.execute(query.with_for_update(of=_PEOPLE) if lock else query).one_or_none()
    if row is None or (row.withdrawn and not lock):
        raise fail("participant-unknown", Place())
    return row


def _people(*columns: ColumnElement[Any]) -> Any:
    """Select people, or these columns of them, with the state and the code of their studies."""
    query = select(*columns or (_PEOPLE,), _STUDIES.c.state, _STUDIES.c.code, _STUDIES.c.sha256.label("study_sha256"))
    query = query.join(_STUDIES, _STUDIES.c.id == _PEOPLE.c.study).join(projects, projects.c.id == _STUDIES.c.project)
    return query.where(projects.c.binned.is_(None))


def _locked_people(connection: Connection, hashes: set[str]) -> dict[str, Row[Any]]:
    """Return people by the hashes of their tokens; nobody closes their studies or withdraws until it is written.

    Studies are locked before people, as `join` does, so that the two never wait for each other.
    """
    if connection.dialect.name == "postgresql":  # SQLite has one writer as it is
        own = select(_PEOPLE.c.study).where(_PEOPLE.c.sha256.in_(hashes))
        locks = select(_STUDIES.c.id).where(_STUDIES.c.id.in_(own)).order_by(_STUDIES.c.id)
        connection.execute(locks.with_for_update(read=True))
    names = ("id", "sha256", "task", "trials", "started", "finished", "withdrawn")
    query = _people(*(_PEOPLE.c[name] for name in names)).where(_PEOPLE.c.sha256.in_(hashes))
    query = query.order_by(_PEOPLE.c.id).with_for_update(of=_PEOPLE)
    return {row.sha256: row for row in connection.execute(query)}


def _sender(sheet: Sheet, row: Row[Any] | None) -> Row[Any] | InputError:
    """Return who sent a sheet, or what is wrong with it: an answer to something that is not on her screen."""
    try:
        if row is None or row.withdrawn:
            raise fail("participant-unknown", Place())
        _check_open(row.state)
        most = 2 if row.task == "choice" else SCALE
        for given in sheet.answers:
            if not 1 <= given.position <= row.trials:
                raise fail("response-field", Place(), {"field": "position", "value": given.position})
            if not 1 <= given.answer <= most:
                raise fail("response-answer", Place(), {"most": most, "value": given.answer})
    except InputError as error:
        return error
    return row


def _insert_answers(connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert answers where there are none: on PostgreSQL by one statement, as each would be a trip of its own."""
    if connection.dialect.name != "postgresql":
        connection.execute(sqlite.insert(_ANSWERS).on_conflict_do_nothing(), rows)
        return
    columns = list(_ANSWERS.c)
    arrays = {
        column.name: literal([row[column.name] for row in rows], postgresql.ARRAY(column.type)) for column in columns
    }
    table = func.unnest(*arrays.values()).table_valued(*arrays).render_derived()
    statement = postgresql.insert(_ANSWERS).from_select(list(arrays), select(table))
    connection.execute(statement.on_conflict_do_nothing())


def _answer_row(row: Row[Any], given: GivenAnswer, now: datetime) -> dict[str, object]:
    return {
        "participant": row.id,
        "position": given.position,
        "answer": given.answer,
        "rt_ms": given.rt_ms,
        "layout": given.layout,
        "language": given.language,
        "at": max(row.started, now - timedelta(milliseconds=given.ago_ms)),
    }


def _count_answers(connection: Connection, people: Iterable[int]) -> dict[int, int]:
    query = select(_ANSWERS.c.participant, func.count()).where(_ANSWERS.c.participant.in_(list(people)))
    found = {number: count for number, count in connection.execute(query.group_by(_ANSWERS.c.participant))}
    return {number: found.get(number, 0) for number in people}


def _note_seen(connection: Connection, people: Iterable[Row[Any]], counts: Mapping[int, int], now: datetime) -> None:
    listed = list(people)
    if listed:
        numbers = [row.id for row in listed]
        connection.execute(update(_PEOPLE).where(_PEOPLE.c.id.in_(numbers)).values(seen=now))
    if done := [row.id for row in listed if not row.finished and counts[row.id] >= row.trials]:
        connection.execute(update(_PEOPLE).where(_PEOPLE.c.id.in_(done)).values(finished=now))


def _receipt(row: Row[Any], count: int) -> Receipt:
    return Receipt(count, row.code if count >= row.trials else "")


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass"))
