"""Studies on the researcher's side: what a design costs, drawing, opening, watching, results, decisions, and rights."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from bidui.people.agreement import study_results
from bidui.people.design import PRESETS
from bidui.people.lists import Item, fitted
from bidui.people.participants import read_participants
from bidui.people.progress import study_progress
from bidui.people.responses import read_responses, to_jsonl
from bidui.people.study import read_study
from bidui.web.fieldwork import check_design
from bidui.web.store.accounts import local_user
from bidui.web.store.files import save
from bidui.web.store.studies import (
    GivenAnswer,
    Receipt,
    Sheet,
    StudyRecord,
    create_study,
    join,
    participants_of,
    responses_of,
    save_answers,
    study_of,
    withdraw,
)
from bidui.web.store.workspace import entry
from bidui.web.workbench import Workbench

from ..served import browser_of, kinds, local, member, served, stranger
from ..store.small import PARADIGM, TEXTS, the_entry
from ..surveys import a_study, answered, opened

STUDIES = "/api/projects/small/studies"
DESIGN = {"name": "custom", "per_paradigm": 2, "lists": 2, "raters": 3, "language": "zh"}
PLAN = {"name": "pilot", "design": DESIGN, "uids": ["gender"]}


def all_right(_: str, item: Item) -> bool:
    return True


def gender_is_bad(who: str, item: Item) -> bool:
    """Everybody prefers the bad sentences of `gender`, and person 2 fails the catch trials."""
    return item.uid != "gender" if item.kind == "test" else who != "2"


# What it costs


def test_the_size_of_a_design_is_what_one_computes_by_hand(laptop: Workbench) -> None:
    design = {"per_paradigm": 6, "lists": 6, "raters": 10, "catch": 4}
    answer = local(laptop).post(f"{STUDIES}/size", json={"design": design, "paradigms": 15}).json()
    assert (answer["people"], answer["trials"]) == (60, 15 + 4)  # one item of each paradigm, and the catch trials
    assert (answer["judgements"], answer["per_paradigm"]) == (900, 60)
    z = 1.959963984540054
    assert answer["half_width"] == pytest.approx(z / (1 + z * z / 60) * sqrt(0.9 * 0.1 / 60 + z * z / (4 * 60**2)))
    assert answer["guesser"] == 1 / 16
    assert answer["lines"][0] == "60 people × 3 min (19 trials)"


@pytest.mark.parametrize(
    ("design", "paradigms", "kind"),
    [
        ({"per_paradigm": 6, "lists": 2}, 15, "study-lists-few"),  # three items of a paradigm for one person
        ({"per_paradigm": 2, "lists": 2, "catch": 4}, 3, "study-catch-many"),
        ({"lists": 0}, 15, "design-no-lists"),
        ({"per_paradigm": 1000, "lists": 1000, "raters": 1000}, 200, "study-too-large"),
    ],
)
def test_a_design_that_cannot_be_is_refused_before_it_is_drawn(
    laptop: Workbench, design: dict[str, int], paradigms: int, kind: str
) -> None:
    client = local(laptop)
    assert kinds(client.post(f"{STUDIES}/size", json={"design": design, "paradigms": paradigms})) == [kind]


@pytest.mark.parametrize("paradigms", [1, 2, 5, 12, 118])
@pytest.mark.parametrize("preset", list(PRESETS))
def test_every_preset_can_be_had_for_a_project_of_any_size(preset: str, paradigms: int) -> None:
    design = fitted(PRESETS[preset], paradigms=paradigms)
    check_design(design, paradigms=paradigms)
    assert paradigms < 118 or design == PRESETS[preset]


# From the form to an open study


def test_a_study_is_drawn_opened_and_never_changed_again(laptop: Workbench) -> None:
    client = local(laptop)
    form = client.get(f"{STUDIES}/form").json()
    assert form["uids"] == ["gender"] and form["id"] is None and form["design"]["language"] == "zh"
    number = client.post(STUDIES, json=PLAN).json()["id"]
    draft = client.get(f"{STUDIES}/{number}").json()
    assert (draft["state"], draft["pairs"], draft["address"]) == ("draft", 2, "")
    assert client.get(f"{STUDIES}/form?study={number}").json()["uids"] == ["gender"]
    assert draft["progress"]["slots"] == 6
    more = {**PLAN, "design": {**DESIGN, "raters": 5}, "base": draft["base"]}
    assert client.put(f"{STUDIES}/{number}", json=more).json() == {"id": number}
    assert client.get(f"{STUDIES}/{number}").json()["progress"]["slots"] == 10
    # Somebody else has the draft as it was before on her screen: she neither draws it again nor opens it.
    late = client.put(f"{STUDIES}/{number}", json={**more, "name": "late"})
    assert (late.status_code, kinds(late)) == (409, ["study-redrawn"])
    opens = {"state": "open", "base": draft["base"]}
    assert kinds(client.post(f"{STUDIES}/{number}/state", json=opens)) == ["study-redrawn"]
    assert kinds(client.post(STUDIES, json={**PLAN, "earlier": number})) == ["study-follows-draft"]
    assert client.get(f"{STUDIES}/form").json()["others"] == []
    pairs = client.get(f"{STUDIES}/{number}/export?format=pairs").text
    assert sorted(json.loads(line)["sentence_good"] for line in pairs.splitlines()) == [
        "张三喜欢他自己",
        "李梅喜欢她自己",
    ]

    assert client.post(f"{STUDIES}/{number}/state", json={"state": "open"}).json() == {"id": number}
    link = client.get(f"{STUDIES}/{number}").json()["address"]
    assert link == f"/s/{study_of(entry(laptop.store, 'small'), number).token}"
    base = client.get(f"/api/projects/small/files/{PARADIGM}").json()["revision"]
    edit = {"text": TEXTS[PARADIGM].replace("喜欢", "讨厌"), "base": base, "tab": ""}
    assert client.put(f"/api/projects/small/files/{PARADIGM}", json=edit).json()["saved"]
    assert client.get(f"{STUDIES}/{number}/export?format=pairs").text == pairs

    refused = client.put(f"{STUDIES}/{number}", json={**PLAN, "name": "another"})
    assert refused.status_code == 409 and kinds(refused) == ["study-state"]
    follower = client.post(STUDIES, json={**PLAN, "name": "second", "earlier": number}).json()["id"]
    second = client.get(f"{STUDIES}/{follower}").json()
    assert second["earlier"] == {"id": number, "name": "pilot", "state": "open"} and second["edited"] == ["gender"]
    assert [each["id"] for each in client.get(f"{STUDIES}/{number}").json()["later"]] == [follower]


def test_what_cannot_be_drawn_leaves_no_study(laptop: Workbench) -> None:
    client = local(laptop)
    many = {**PLAN, "design": {**DESIGN, "per_paradigm": 3, "lists": 3}}
    assert kinds(client.post(STUDIES, json=many)) == ["study-pairs-few"]
    assert kinds(client.post(STUDIES, json={**PLAN, "uids": ["gender", "*"]})) == ["uid-unknown"]
    assert kinds(client.post(STUDIES, json={**PLAN, "earlier": 7})) == ["study-unknown"]
    assert client.get(STUDIES).json() == {"studies": []}


def test_states_go_one_way(laptop: Workbench) -> None:
    client, number = local(laptop), opened(laptop).id
    for state, status in (("paused", 200), ("open", 200), ("closed", 200), ("open", 409)):
        assert client.post(f"{STUDIES}/{number}/state", json={"state": state}).status_code == status, state
    assert client.delete(f"{STUDIES}/{number}").status_code == 409
    draft = create_study(the_entry(laptop.store), a_study())
    assert client.delete(f"{STUDIES}/{draft.id}").status_code == 204
    assert client.get(f"{STUDIES}/{draft.id}").status_code == 404


# Who is where, and what they say


def test_progress_is_what_people_have_done(laptop: Workbench) -> None:
    record = opened(laptop)
    names = answered(laptop, record, 3, gender_is_bad)
    client = local(laptop)
    far = client.get(f"{STUDIES}/{record.id}").json()["progress"]
    # Each list has two items of both paradigms and two catch trials; person 2 is left out for failing these.
    assert (far["people"], far["done"], far["left_out"], far["slots"], far["answers"]) == (3, 2, 1, 12, 18)
    assert (far["agreement"]["correct"], far["agreement"]["all"]) == (4, 8)
    assert (far["catch"]["correct"], far["catch"]["all"]) == (4, 6)
    assert (far["median_ms"], far["median_minutes"]) == (2000, pytest.approx(6 * 2 / 60))
    assert [(each["participant"], each["answered"], each["trials"], each["state"]) for each in far["persons"]] == [
        (name, 6, 6, "done") for name in names
    ]
    assert [len(each["excluded"]) for each in far["persons"]] == [0, 1, 0]
    assert [(each["slots"], each["done"]) for each in far["lists"]] == [(6, 1), (6, 1)]  # her place is free again
    line = client.get(STUDIES).json()["studies"][0]
    assert (line["name"], line["state"], line["done"], line["agreement"]["correct"]) == ("pilot", "open", 2, 4)


def test_an_owner_deletes_what_somebody_answered(laptop: Workbench) -> None:
    record = opened(laptop)
    first, second = answered(laptop, record, 2, all_right)
    client = local(laptop)
    assert client.delete(f"{STUDIES}/{record.id}/participants/{first}").status_code == 204
    assert {one.participant for one in responses_of(record)} == {second}
    assert client.delete(f"{STUDIES}/{record.id}/participants/{first}").status_code == 410


# Answers that were collected elsewhere


def upload(bench: Workbench, record: StudyRecord, text: str | bytes, *, name: str = "answers.csv") -> Any:
    """Import a file as the page does."""
    return local(bench).post(f"{STUDIES}/{record.id}/responses", files={"answers": (name, text)})


def table(*rows: str) -> str:
    return "\n".join(("participant,uid,pair,chosen,rt_ms", *rows, ""))


def test_answers_from_elsewhere_count_once_beside_those_given_here(laptop: Workbench) -> None:
    record = opened(laptop)
    answered(laptop, record, 1, all_right)
    pair = record.study.pairs.by_uid()["gender"][0].pair_id
    rows = [f"ann,gender,{pair},good,2310", f"bob,gender,{pair},bad,900"]
    assert upload(laptop, record, table(*rows)).json() == {"answers": 2, "people": 2, "new": 2}
    longer = table(*rows, f"cleo,gender,{pair},good,")
    assert upload(laptop, record, longer).json() == {"answers": 3, "people": 3, "new": 1}
    assert upload(laptop, record, longer).json() == {"answers": 3, "people": 3, "new": 0}
    found = {one.participant: one.chosen for one in responses_of(record) if one.slot == 0}
    assert found == {"ann": "good", "bob": "bad", "cleo": "good"}
    far = local(laptop).get(f"{STUDIES}/{record.id}").json()["progress"]
    assert (far["people"], far["answers"]) == (4, 9)  # six here, three elsewhere
    assert local(laptop).delete(f"{STUDIES}/{record.id}/participants/bob").status_code == 204
    assert {one.participant for one in responses_of(record) if one.slot == 0} == {"ann", "cleo"}


def test_if_a_row_is_wrong_nothing_is_imported_and_its_line_is_named(laptop: Workbench) -> None:
    record = opened(laptop)
    pair = record.study.pairs.by_uid()["gender"][0].pair_id
    wrong = table(f"ann,gender,{pair},good,2310", "ann,gender,99,good,1", f"bob,gender,{pair},worse,1")
    answer = upload(laptop, record, wrong)
    assert answer.status_code == 400
    problems = [(each["kind"], each["place"]["file"], each["place"]["line"]) for each in answer.json()["problems"]]
    assert problems == [("response-item", "answers.csv", 3), ("response-field", "answers.csv", 4)]
    twice = table(f"ann,gender,{pair},good,1", f"ann,gender,{pair},bad,1")
    (problem,) = upload(laptop, record, twice).json()["problems"]
    assert (problem["kind"], problem["place"]["line"]) == ("response-twice", 3)
    assert kinds(upload(laptop, record, table(*["ann,gender,99,good,1"] * 23)))[19:] == [
        "response-item",
        "more-problems",
    ]
    assert kinds(upload(laptop, record, "participant,age\nann,30\n")) == ["study-columns"]
    assert kinds(upload(laptop, record, "学生".encode("gbk"))) == ["not-utf8"]
    assert responses_of(record) == ()
    draft = create_study(the_entry(laptop.store), a_study())
    pair = draft.study.pairs.by_uid()["gender"][0].pair_id
    assert kinds(upload(laptop, draft, table(f"ann,gender,{pair},good,1"))) == ["study-import-draft"]


def test_an_export_brings_back_nothing_that_somebody_withdrew(laptop: Workbench) -> None:
    record = opened(laptop)
    settings = {"language": "zh", "version": record.study.version, "background": {}}
    token, _ = join(laptop.store, record.token, **settings)  # type: ignore[arg-type]
    given = GivenAnswer(1, 1, 900, 0, "rows", "zh")
    assert save_answers(laptop.store, [Sheet(token, (given,))]) == [Receipt(1)]
    rows = to_jsonl(responses_of(record))
    assert upload(laptop, record, rows, name="responses.jsonl").json() == {"answers": 1, "people": 1, "new": 0}
    withdraw(laptop.store, token)
    assert kinds(upload(laptop, record, rows, name="responses.jsonl")) == ["study-import-here"]
    assert responses_of(record) == ()


def test_a_slot_that_was_filled_elsewhere_is_not_given_out(laptop: Workbench) -> None:
    """Somebody who answered all of list 1, slot 1 on another platform has filled it."""
    record = opened(laptop)
    trials = [trial for trial in record.study.trials if (trial.list, trial.slot) == (1, 1)]
    rows = [f"ann,{trial.item},1,1,{trial.shown},{1 if trial.shown == 'good-bad' else 2}" for trial in trials]
    text = "\n".join(("participant,item,list,slot,shown,answer", *rows, ""))
    assert upload(laptop, record, text).json()["new"] == 6
    settings = {"language": "zh", "version": record.study.version, "background": {}}
    join(laptop.store, record.token, **settings)  # type: ignore[arg-type]
    assert [(each.list, each.slot) for each in participants_of(record)] == [(2, 1)]


# Results and decisions


@pytest.fixture
def finished(laptop: Workbench) -> StudyRecord:
    """Twelve people, one of whom is left out; all of the others prefer the bad sentences of `gender`."""
    record = opened(laptop)
    answered(laptop, record, 12, gender_is_bad)
    return record


def test_results_are_what_one_counts_by_hand(laptop: Workbench, finished: StudyRecord) -> None:
    client = local(laptop)
    found = client.get(f"{STUDIES}/{finished.id}/results").json()
    results = found["results"]
    assert (results["people"], results["responses"], results["kept"]) == (12, 72, 44)
    assert (results["overall"]["correct"], results["overall"]["judgements"], results["overall"]["majority"]) == (
        22,
        44,
        4,
    )
    by_name = {each["name"]: each for each in results["paradigms"]}
    assert {name: (each["correct"], each["judgements"], each["people"]) for name, each in by_name.items()} == {
        "gender": (0, 22, 11),
        "other": (22, 22, 11),
    }
    high = 1.959963984540054**2 / 22
    assert by_name["gender"]["wilson"] == {"value": 0.0, "low": 0.0, "high": pytest.approx(high / (1 + high))}
    assert results["doubtful"] == 4 and {pair["uid"] for pair in results["pairs"][:4]} == {"gender"}
    assert [each["rule"] for each in found["exclusions"]] == ["catch"]
    assert [(each["catch"]["correct"], each["catch"]["all"]) for each in found["failed"]] == [(0, 2)]
    assert {each["uid"]: (each["verdict"], each["status"]) for each in found["proposals"]} == {
        "gender": ("exclude", "included"),
        "other": ("keep", "missing"),  # 22 of 22: Wilson's interval begins at 1 / (1 + 1.96² / 22) = 85.1%
    }
    assert results["kappas"]["good/bad"] == pytest.approx(1)  # everybody says the same of every pair


def test_nothing_is_said_before_somebody_has_answered(laptop: Workbench) -> None:
    number = opened(laptop).id
    assert kinds(local(laptop).get(f"{STUDIES}/{number}/results")) == ["responses-none"]


def test_a_decision_is_a_revision_with_the_figures(laptop: Workbench, finished: StudyRecord) -> None:
    client = local(laptop)
    decision = {"threshold": 0.85, "exclude": ["gender"]}
    answer = client.post(f"{STUDIES}/{finished.id}/decisions", json=decision).json()
    assert answer == {"statuses": {"gender": "excluded"}}
    text = client.get(f"/api/projects/small/files/{PARADIGM}").json()["text"]
    assert "status: excluded\n" in text
    assert "In the study pilot, 0 of 22 judgements by 11 people on 4 pairs chose the good sentence" in text
    decided, found = client.get(f"/api/projects/small/history/{PARADIGM}").json()["revisions"]
    assert (decided["study"], found["study"]) == (finished.id, None)
    page = client.get("/p/small/history").text
    assert f'<a href="/p/small/studies/{finished.id}">decision of study {finished.id}</a>' in page
    proposals = client.get(f"{STUDIES}/{finished.id}/results").json()["proposals"]
    assert [each["status"] for each in proposals if each["uid"] == "gender"] == ["excluded"]


def test_what_is_undecided_is_not_excluded(laptop: Workbench) -> None:
    record = opened(laptop)
    answered(laptop, record, 4, lambda who, item: item.uid != "gender" or who in "12")  # half of them
    before = TEXTS[PARADIGM]
    client = local(laptop)
    proposals = client.get(f"{STUDIES}/{record.id}/results?threshold=0.7").json()["proposals"]
    assert {each["uid"]: each["verdict"] for each in proposals}["gender"] == "undecided"
    address = f"{STUDIES}/{record.id}/decisions"
    for uids, kind in ((["gender"], "decide-reason"), (["gender", "other"], "decide-missing"), ([], "decide-nothing")):
        refused = client.post(address, json={"threshold": 0.7, "exclude": uids})
        assert refused.status_code == 400 and kinds(refused) == [kind]
    assert client.get(f"/api/projects/small/files/{PARADIGM}").json()["text"] == before
    by_hand = {"threshold": 0.7, "exclude": ["gender"], "why": "two readings"}
    assert client.post(address, json=by_hand).status_code == 200
    text = client.get(f"/api/projects/small/files/{PARADIGM}").json()["text"]
    assert "status: excluded" in text and "Decided by hand: two readings" in text
    again = {"threshold": 0.7, "include": ["gender"], "why": "on second thoughts"}
    assert client.post(address, json=again).json() == {"statuses": {"gender": "included"}}
    assert "status: included" in client.get(f"/api/projects/small/files/{PARADIGM}").json()["text"]


def test_a_paradigm_that_was_edited_since_is_marked(laptop: Workbench, finished: StudyRecord) -> None:
    client = local(laptop)
    base = client.get(f"/api/projects/small/files/{PARADIGM}").json()["revision"]
    outcome = save(
        the_entry(laptop.store),
        PARADIGM,
        TEXTS[PARADIGM].replace("喜欢", "爱"),
        base=base,
        who=local_user(laptop.store),
    )
    assert outcome
    proposals = client.get(f"{STUDIES}/{finished.id}/results").json()["proposals"]
    assert [each["edited"] for each in proposals if each["uid"] == "gender"] == [True]
    decision = {"threshold": 0.85, "exclude": ["gender"]}
    assert kinds(client.post(f"{STUDIES}/{finished.id}/decisions", json=decision)) == ["decide-edited"]


# Models


def _scores(record: StudyRecord, **changes: object) -> bytes:
    lines: list[dict[str, object]] = [
        {"UID": item.uid, "pairID": item.pair, "sentence_good": item.good, "sentence_bad": item.bad, "correct": 1}
        for item in record.study.items
        if item.kind == "test"
    ]
    lines[0] |= changes
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def _upload(bench: Workbench, record: StudyRecord, data: bytes, name: str = "gpt.jsonl") -> Any:
    return local(bench).post(f"{STUDIES}/{record.id}/models", files={"scores": (name, data)})


def test_models_stand_beside_people_on_the_same_pairs(laptop: Workbench, finished: StudyRecord) -> None:
    assert _upload(laptop, finished, _scores(finished, correct=0.5)).json() == {"name": "gpt"}
    client = local(laptop)
    model = client.get(f"{STUDIES}/{finished.id}/results").json()["models"][0]
    assert (model["name"], model["pairs"], model["overall"]["value"]) == ("gpt", 8, 7.5 / 8)  # a tie is one half
    assert sorted(each["value"] for each in model["paradigms"].values()) == [3.5 / 4, 1.0]
    assert client.delete(f"{STUDIES}/{finished.id}/models/gpt").status_code == 204
    assert client.get(f"{STUDIES}/{finished.id}/results").json()["models"] == []
    assert kinds(client.delete(f"{STUDIES}/{finished.id}/models/gpt")) == ["model-unknown"]


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"sentence_bad": "别的句子。"}, "model-scores-sentence"),
        ({"pairID": 99}, "model-scores-missing"),
        ({"correct": 2}, "model-scores-value"),
        ({"correct": True}, "model-scores-value"),
    ],
)
def test_scores_of_other_pairs_are_refused(
    laptop: Workbench, finished: StudyRecord, changes: dict[str, object], kind: str
) -> None:
    assert kinds(_upload(laptop, finished, _scores(finished, **changes))) == [kind]
    assert kinds(_upload(laptop, finished, b'{"a": 1}\n')) == ["model-scores-shape"]
    assert local(laptop).get(f"{STUDIES}/{finished.id}/results").json()["models"] == []


# Export


@pytest.mark.parametrize(
    ("format", "files"),
    [
        ("csv", {"responses.csv", "codebook.md"}),
        ("jsonl", {"responses.jsonl", "codebook.md"}),
        ("pcibex", {"README.md", "data_includes/main.js", "chunk_includes/trials.csv"}),
    ],
)
def test_exports_hold_every_response(laptop: Workbench, finished: StudyRecord, format: str, files: set[str]) -> None:
    answer = local(laptop).get(f"{STUDIES}/{finished.id}/export?format={format}")
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    names = {name.partition("/")[2] for name in archive.namelist()}
    assert files <= names
    if format == "jsonl":
        rows = archive.read("pilot-jsonl/responses.jsonl").decode().splitlines()
        assert len(rows) == 72 and json.loads(rows[0])["study"] == "pilot"


def test_the_command_line_takes_the_study_that_is_exported(
    laptop: Workbench, finished: StudyRecord, tmp_path: Path
) -> None:
    answer = local(laptop).get(f"{STUDIES}/{finished.id}/export?format=study")
    zipfile.ZipFile(io.BytesIO(answer.content)).extractall(tmp_path)
    study = read_study(tmp_path / "pilot")
    assert len(read_responses(tmp_path / "pilot", study)) == 72
    assert len(read_participants(tmp_path / "pilot", study)) == 12
    there = {each.name: (each.correct, each.judgements) for each in study_results(tmp_path / "pilot").figures.values()}
    assert there == {"gender": (0, 22), "other": (22, 22)}
    far = json.loads(json.dumps(asdict(study_progress(tmp_path / "pilot"))))
    page = local(laptop).get(f"{STUDIES}/{finished.id}").json()["progress"]
    for each in (*far["persons"], *page["persons"]):
        each.pop("seen")  # the server also knows who has only looked at a page
    assert far == page


def test_the_name_of_a_study_leads_nowhere(laptop: Workbench) -> None:
    draft = create_study(the_entry(laptop.store), a_study(name="../../人 1/.."))
    answer = local(laptop).get(f"{STUDIES}/{draft.id}/export?format=study")
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert {name.rpartition("/")[0] for name in names} == {"人-1"}


def test_ids_of_a_panel_are_exported_only_if_asked_for(laptop: Workbench) -> None:
    record = opened(laptop)
    settings = {"language": "zh", "version": record.study.version, "background": {}}
    join(laptop.store, record.token, external="panel-7", **settings)  # type: ignore[arg-type]
    for query, there in (("", False), ("?external=true", True)):
        answer = local(laptop).get(f"{STUDIES}/{record.id}/export{query}")
        table = zipfile.ZipFile(io.BytesIO(answer.content)).read("pilot-csv/participants.csv")
        assert (b"panel-7" in table) == there


# Rights


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Workbench]:
    with served(tmp_path, None, team=True) as bench:
        member(bench, "Owner", "owner")
        yield bench


def test_everybody_may_do_what_her_role_allows(team: Workbench) -> None:
    record = opened(team)
    answered(team, record, 2, all_right)
    draft = create_study(the_entry(team.store), a_study())
    people = {
        "stranger": stranger(team),
        "outsider": browser_of(team, member(team, "Outsider", None)),
        "viewer": browser_of(team, member(team, "Viewer", "viewer", project="small")),
        "editor": browser_of(team, member(team, "Editor", "editor", project="small")),
    }
    one, other = f"{STUDIES}/{record.id}", f"{STUDIES}/{draft.id}"
    size = {"design": {"lists": 5}, "paradigms": 2}
    calls = [  # the call, its body, and the statuses of a viewer and an editor
        ("GET", STUDIES, None, 200, 200),
        ("GET", f"{STUDIES}/form", None, 200, 200),
        ("POST", f"{STUDIES}/size", size, 200, 200),
        ("GET", one, None, 200, 200),
        ("GET", f"{one}/results", None, 200, 200),
        ("POST", STUDIES, {**PLAN, "uids": ["none"]}, 403, 400),
        ("PUT", other, {**PLAN, "uids": ["none"]}, 403, 400),
        ("GET", f"{one}/export", None, 403, 200),
        ("POST", f"{one}/decisions", {"threshold": 0.5, "exclude": ["none"]}, 403, 400),
        ("DELETE", f"{one}/models/none", None, 403, 404),
        ("GET", f"{one}/export?external=true", None, 403, 403),
        ("DELETE", f"{one}/participants/none", None, 403, 403),
        ("POST", f"{one}/state", {"state": "paused"}, 403, 200),
        ("DELETE", other, None, 403, 204),
    ]
    for method, address, body, viewer, editor in calls:
        statuses = {who: client.request(method, address, json=body).status_code for who, client in people.items()}
        expected = {"stranger": 401, "outsider": 404, "viewer": viewer, "editor": editor}
        assert statuses == expected, (method, address)
    for who, status in (("stranger", 401), ("outsider", 404), ("viewer", 403), ("editor", 400)):
        sent = people[who].post(f"{one}/models", files={"scores": ("a.jsonl", b"{}")})
        assert sent.status_code == status, who
        sent = people[who].post(f"{one}/responses", files={"answers": ("a.jsonl", b"{}")})
        assert sent.status_code == status, who
    assert people["viewer"].get(one).json()["address"] == ""  # whoever has the link may answer


def test_a_study_of_another_project_is_not_found(laptop: Workbench) -> None:
    record = opened(laptop)
    client = local(laptop)
    client.post("/api/projects", json={"name": "second", "lang": "zh"})
    assert client.get(f"/api/projects/second/studies/{record.id}").status_code == 404
    assert client.get(f"/api/projects/second/studies/{record.id}/results").status_code == 404
