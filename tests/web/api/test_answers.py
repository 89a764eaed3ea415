"""Participants' calls: what they are told, that their answers count once, and that nobody gets at anybody else's."""

import csv
import io
import json
import logging
import re
import secrets
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from bidui.people.study import Study
from bidui.web.api import answers
from bidui.web.pages.rendering import STATIC
from bidui.web.store import database
from bidui.web.store.studies import StudyRecord, create_study, participants_of, responses_of, set_state
from bidui.web.store.workspace import entry
from bidui.web.workbench import Rates, Workbench

from ...people.small import study
from ..served import browser_of, kinds, local, member, served, stranger

QUESTIONS = ("raised", "dialect", "age", "linguistics")


@pytest.fixture(scope="module")
def tiny() -> Study:
    """Twelve pairs on two lists of three people: eight trials for each, with one of practice and a catch trial."""
    return study(per_paradigm=1, lists=2, raters=3, catch=1, practice=1, fillers=0, background=QUESTIONS)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with served(tmp_path_factory.mktemp("answers"), None) as opened:
        yield opened


@pytest.fixture
def record(bench: Workbench, tiny: Study) -> StudyRecord:
    """A study of its own for each test, and counters that begin anew."""
    object.__setattr__(bench, "rates", Rates())
    return set_state(create_study(entry(bench.store, "small"), tiny), "open")


def join(bench: Workbench, record: StudyRecord, **more: Any) -> Any:
    body = {"version": record.study.version, "language": "zh", **more}
    return stranger(bench).post(f"/api/s/{record.token}/join", json=body)


def participant(bench: Workbench, record: StudyRecord, **more: Any) -> tuple[TestClient, Any]:
    """A browser that bears the token of somebody who has just joined, and her seat."""
    answer = join(bench, record, **more)
    assert answer.status_code == 201, answer.text
    return bearing(bench, answer.json()["token"]), answer.json()["seat"]


def bearing(bench: Workbench, token: str, address: str = "testclient") -> TestClient:
    return stranger(bench, {"Authorization": f"Bearer {token}"}, address=address)


def given(*positions: int, answer: int = 1, **more: Any) -> dict[str, Any]:
    shown = {"answer": answer, "rt_ms": 1500, "layout": "rows", "language": "zh", **more}
    return {"answers": [{"position": position, **shown} for position in positions]}


def test_a_participant_answers_comes_back_finishes_and_withdraws(bench: Workbench, record: StudyRecord) -> None:
    client, seat = participant(bench, record, background={"raised": " 西安\n", "age": ""}, external="panel-7")
    assert client.post("/api/s/answers", json=given(1, 2)).json() == {"answered": 2, "code": ""}
    assert client.post("/api/s/answers", json=given(2, answer=2)).json() == {"answered": 2, "code": ""}
    back = client.get("/api/s/seat").json()
    assert (back["answered"], back["trials"], back["pseudonym"]) == ([1, 2], seat["trials"], seat["pseudonym"])
    assert client.post("/api/s/answers", json=given(*range(1, 9))).json() == {"answered": 8, "code": record.code}
    assert [(one.position, one.answer) for one in responses_of(record)] == [(number, 1) for number in range(1, 9)]
    person = participants_of(record)[0]
    assert (dict(person.background), person.external) == ({"raised": "西安"}, "panel-7")
    assert client.post("/api/s/withdraw").status_code == 204
    assert responses_of(record) == ()
    assert kinds(client.get("/api/s/seat")) == ["participant-unknown"]


def test_a_seat_and_the_page_say_nothing_about_the_sentences(bench: Workbench, record: StudyRecord) -> None:
    _, seat = participant(bench, record)
    assert set(seat) == {"pseudonym", "task", "layout", "practice", "trials", "answered", "code"}
    assert all(set(trial) == {"position", "sentences"} for trial in seat["trials"])
    page = stranger(bench).get(f"/s/{record.token}").text
    sent = json.dumps({**seat, "pseudonym": ""}) + page.partition('id="words"')[0].replace(record.token, "")
    for hidden in ("catch", "filler", "good", "bad", "uid", "phenomenon"):
        assert hidden not in sent, hidden
    for item in record.study.items:
        assert item.id not in sent
        assert item.good not in page


def test_nobody_gets_at_the_trials_of_another(bench: Workbench, record: StudyRecord) -> None:
    one, seat = participant(bench, record)
    other, seats = participant(bench, record)
    assert seat["trials"] != seats["trials"]
    assert kinds(one.post("/api/s/answers", json=given(9))) == ["response-field"]  # she has eight
    assert kinds(one.post("/api/s/answers", json=given(1, answer=3))) == ["response-answer"]
    one.post("/api/s/answers", json=given(1))
    assert other.get("/api/s/seat").json()["answered"] == []
    for token in ("", "x", secrets.token_urlsafe(32), record.token, seat["pseudonym"]):
        client = bearing(bench, token)
        for answer in (client.get("/api/s/seat"), client.post("/api/s/withdraw")):
            assert answer.status_code == 410 and kinds(answer) == ["participant-unknown"]
        assert kinds(client.post("/api/s/answers", json=given(1))) == ["participant-unknown"]
    assert [(one.participant, one.position) for one in responses_of(record)] == [(seat["pseudonym"], 1)]


def test_a_token_is_dead_once_the_study_is_closed(bench: Workbench, record: StudyRecord) -> None:
    client, _ = participant(bench, record)
    client.post("/api/s/answers", json=given(1))
    set_state(record, "paused")
    assert kinds(client.post("/api/s/answers", json=given(2))) == ["study-paused"]
    assert kinds(join(bench, record)) == ["study-paused"]
    set_state(record, "closed")
    for answer in (client.post("/api/s/answers", json=given(1)), client.get("/api/s/seat"), join(bench, record)):
        assert answer.status_code == 410 and kinds(answer) == ["study-closed"]
    assert '"state": "closed"' in stranger(bench).get(f"/s/{record.token}").text
    assert [one.position for one in responses_of(record)] == [1]
    assert client.post("/api/s/withdraw").status_code == 204  # the right to have them deleted remains


def test_a_participant_reaches_nothing_else(bench: Workbench, record: StudyRecord) -> None:
    client, _ = participant(bench, record)
    number = f"/api/projects/small/studies/{record.id}"
    for path in ("/api/projects", "/api/projects/small", f"{number}/try", "/api/me"):
        assert client.get(path).status_code == 401, path
    assert stranger(bench).get("/s/nosuchtoken").status_code == 404
    assert kinds(stranger(bench).post("/api/s/nosuch/join", json={"version": "v", "language": "en"})) == ["study-link"]


@pytest.mark.parametrize(
    "body",
    [
        {"answers": []},
        {"answers": given(1)["answers"] * 101},
        given(0),
        given(1, answer=8),
        given(1, rt_ms=-1),
        given(1, layout="circle"),
        given(1, language="xx"),
        {"answers": [{"position": 1}]},
        [],
    ],
)
def test_what_is_no_answer_is_refused_whole(bench: Workbench, record: StudyRecord, body: Any) -> None:
    client, _ = participant(bench, record)
    assert client.post("/api/s/answers", json=body).status_code == 422
    assert responses_of(record) == ()


def test_bodies_are_short_and_come_from_our_own_pages(bench: Workbench, record: StudyRecord) -> None:
    client, _ = participant(bench, record)
    assert client.post("/api/s/answers", content=b" " * 30_000).status_code == 413
    body = {"version": record.study.version, "language": "zh"}
    foreign = stranger(bench, {"Sec-Fetch-Site": "cross-site"})
    assert kinds(foreign.post(f"/api/s/{record.token}/join", json=body)) == ["cross-site"]
    for more in ({"background": {"raised": "x" * 201}}, {"external": "x" * 101}, {"language": "fr"}):
        assert join(bench, record, **more).status_code == 422
    assert kinds(join(bench, record, background={"secret": "x"})) == ["response-field"]
    assert kinds(join(bench, record, version="old")) == ["study-texts-old"]


def test_how_often_she_may_answer_and_how_often_somebody_may_guess_is_limited(
    bench: Workbench, record: StudyRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"join": (3, 10), "read": (10, 1), "answer": (30, 1), "own answer": (4, 1), "wrong": (5, 10)}
    monkeypatch.setattr(answers, "LIMITS", small)
    time = 0.0
    object.__setattr__(bench, "rates", Rates(clock=lambda: time))
    client, _ = participant(bench, record)
    participant(bench, record)
    statuses = [client.post("/api/s/answers", json=given(1)).status_code for _ in range(6)]
    assert statuses == [200] * 4 + [429] * 2
    participant(bench, record)
    assert join(bench, record).status_code == 429
    guesses = [bearing(bench, secrets.token_urlsafe(32), "203.0.113.9") for _ in range(7)]
    assert [guess.get("/api/s/seat").status_code for guess in guesses] == [410] * 5 + [429] * 2
    assert client.get("/api/s/seat").status_code == 200  # from elsewhere
    networks = [bearing(bench, "wrong", f"2001:db8::{number}") for number in range(1, 8)]  # one household
    assert [guess.get("/api/s/seat").status_code for guess in networks] == [410] * 5 + [429] * 2
    time = 61.0
    assert client.post("/api/s/answers", json=given(2)).status_code == 200


def test_counters_are_few_and_hold_no_address() -> None:
    rates = Rates()
    for number in range(60_000):
        rates.check("read", f"192.0.2.{number}", most=5, minutes=1)
    assert len(rates._counts) == 50_000
    assert b"192.0.2" not in b"".join(rates._counts)


def test_no_address_is_stored_or_logged(
    bench: Workbench, record: StudyRecord, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client = stranger(bench, address="203.0.113.77")
    body = {"version": record.study.version, "language": "en"}
    token = client.post(f"/api/s/{record.token}/join", json=body).json()["token"]
    bearing(bench, token, "203.0.113.77").post("/api/s/answers", json=given(1))
    bearing(bench, "wrong", "203.0.113.77").post("/api/s/answers", json=given(1))
    with bench.store.reading() as connection:
        for table in database.metadata.sorted_tables:
            assert "203.0.113.77" not in str(connection.execute(select(table)).all()), table.name
    assert "203.0.113.77" not in caplog.text
    assert not any(token in line for line in caplog.messages)


def test_a_study_is_tried_before_it_opens_and_nothing_is_kept(bench: Workbench, tiny: Study) -> None:
    draft = create_study(entry(bench.store, "small"), tiny)
    owner = local(bench)
    path = f"/api/projects/small/studies/{draft.id}/try"
    assert len(owner.get(path).json()["trials"]) == 8
    assert owner.get(f"{path}?list=2&slot=3").json()["trials"] != owner.get(path).json()["trials"]
    assert kinds(owner.get(f"{path}?list=9")) == ["study-slot"]
    page = owner.get(f"/p/small/studies/{draft.id}/try")
    assert page.status_code == 200 and path in page.text
    assert stranger(bench).get(f"/s/{draft.token}").status_code == 404
    assert participants_of(draft) == []
    assert kinds(owner.get("/api/projects/small/studies/999/try")) == ["study-unknown"]


def test_a_study_is_tried_only_by_members_of_its_project(tmp_path: Path, tiny: Study) -> None:
    with served(tmp_path, None, team=True) as bench:
        member(bench, "Owner", "owner")
        other = member(bench, "Other", None)
        draft = create_study(entry(bench.store, "small"), tiny)
        path = f"/api/projects/small/studies/{draft.id}/try"
        assert browser_of(bench, other).get(path).status_code == 404
        assert stranger(bench).get(path).status_code == 401


def test_formulas_are_defused_and_numbers_of_a_panel_are_only_in_the_list_for_payment(
    bench: Workbench, record: StudyRecord
) -> None:
    texts = {"raised": "=HYPERLINK(0)", "dialect": "+cmd", "age": "-2+3", "linguistics": "＝1"}
    client, seat = participant(bench, record, background=texts, external="@SUM(A1)")
    client.post("/api/s/answers", json=given(1))
    owner, path = local(bench), f"/api/projects/small/studies/{record.id}"
    with zipfile.ZipFile(io.BytesIO(owner.get(f"{path}/export?format=csv").content)) as archive:
        files = {Path(name).name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}
    assert not any("SUM(A1)" in text for text in files.values())
    row = next(csv.DictReader(io.StringIO(files["participants.csv"])))
    assert {name: row[name] for name in texts} == {name: f"'{text}" for name, text in texts.items()}
    paid = next(csv.DictReader(io.StringIO(owner.get(f"{path}/panel").content.decode("utf-8-sig"))))
    assert (paid["participant"], paid["external"]) == (seat["pseudonym"], "'@SUM(A1)")
    assert owner.get(path).status_code == 200, owner.get(path).text
    assert (owner.get(path).json()["panel"], owner.get(path).json()["code"]) == (1, record.code)
    assert f"/api/projects/small/studies/{record.id}/panel" in owner.get(f"/p/small/studies/{record.id}").text
    assert owner.delete(f"{path}/panel").status_code == 204
    assert participants_of(record)[0].external is None
    assert [one.position for one in responses_of(record)] == [1]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_of_a_trial_is_smaller_than_40_kilobytes(bench: Workbench, record: StudyRecord, lang: str) -> None:
    """Everything that is loaded, uncompressed: the page with its texts, its script and its style."""
    page = stranger(bench).get(f"/s/{record.token}?lang={lang}", headers={"Accept-Encoding": "identity"})
    loaded = re.findall(r'(?:src|href)="/static/([^"?]+)', page.text)
    assert sorted(loaded) == ["dist/answer.css", "dist/answer.js"]
    assert len(page.content) + sum((STATIC / name).stat().st_size for name in loaded) < 40_000
