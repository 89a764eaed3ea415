"""Projects: listed, added, imported, exported, deleted and brought back without loss; their problems and pairs."""

import asyncio
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from bidui.errors import InputError, Problem
from bidui.files import hold_lock
from bidui.grammar.project import starter_texts, write_texts
from bidui.web import jobs
from bidui.web.editing.preview import Answer, Tally
from bidui.web.editing.preview import Request as Question
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.workbench import Workbench

from ..editing.small import CLASSIFIER as CLASSIFIERS
from ..editing.small import FILES
from ..editing.small import GENDER as TEXT
from ..served import complete, kinds, local
from .asking import CLASSIFIER, GENDER, SMALL, get, post, read, write


def zipped(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_list_says_what_each_project_holds(client: TestClient) -> None:
    found = client.get("/api/projects").json()
    (line,) = found["projects"]
    shown = {key: line[key] for key in ("name", "title", "lang", "role", "paradigms", "phenomena", "words", "errors")}
    assert shown == {
        "name": "small",
        "title": "small",
        "lang": "zh",
        "role": "owner",
        "paradigms": 2,
        "phenomena": 2,
        "words": 18,
        "errors": 0,
    }
    assert (found["alone"], found["may_add"], found["skipped"]) == (False, True, [])
    assert "zhoblimp" in found["benchmarks"]


def test_a_new_project_is_the_starter(client: TestClient, tmp_path: Path) -> None:
    answer = client.post("/api/projects", json={"name": "新项目", "lang": "zh"})
    assert (answer.status_code, answer.json()) == (201, {"name": "新项目"})
    for name, text in starter_texts("zh").items():
        assert (tmp_path / "work" / "新项目" / name).read_text("utf-8") == text
    again = client.post("/api/projects", json={"name": "新项目", "lang": "en"})
    assert (again.status_code, kinds(again)) == (409, ["project-taken"])


def test_a_project_starts_from_one_thing(client: TestClient) -> None:
    for body in ({"name": "a"}, {"name": "a", "lang": "zh", "benchmark": "zhoblimp"}):
        answer = client.post("/api/projects", json=body)
        assert (answer.status_code, kinds(answer)) == (400, ["project-start"])
    assert client.post("/api/projects", json={"name": "a", "benchmark": "nothing"}).status_code == 400
    assert client.post("/api/projects", json={"name": "../a", "lang": "zh"}).status_code == 400
    assert client.post("/api/projects", json={"name": "a", "lang": "fr"}).status_code == 422


def test_what_is_exported_can_be_imported(client: TestClient) -> None:
    answer = client.get(f"{SMALL}/export")
    assert answer.headers["content-type"] == "application/zip"
    assert "small.zip" in answer.headers["content-disposition"]
    assert unzipped(answer.content) == {f"small/{name}": text.encode() for name, text in FILES.items()}
    back = client.post("/api/projects/import", data={"name": "back"}, files=[("files", ("small.zip", answer.content))])
    assert back.status_code == 201
    assert back.json() == {"name": "back", "files": len(FILES), "skipped": [], "problems": []}
    assert read(client, GENDER, project="back")["text"] == FILES[GENDER]


def test_files_that_are_none_of_a_project_are_named(client: TestClient) -> None:
    data = zipped({**FILES, "notes.pdf": "x", "extra/deep.yaml": "a: 1"})
    answer = client.post("/api/projects/import", data={"name": "more"}, files=[("files", ("a.ZIP", data))])
    assert answer.json()["skipped"] == ["notes.pdf", "extra/deep.yaml"]


def test_classic_files_become_a_project(client: TestClient) -> None:
    """As the paper published them: templates in JSON with numbered positions, and a vocabulary."""
    template = {
        "uid": "gender_agreement",
        "phenomenon": "Anaphor",
        "good_rule": ["pos:NR", "爱", "pos:PN mPos:0 mPro:gender"],
        "bad_rule": ["pos:NR", "爱", "pos:PN mmPos:0 mmPro:gender"],
        "strict_MP": True,
        "sep": "",
    }
    files = [
        ("files", ("gender_agreement.json", json.dumps(template))),
        ("files", ("vocabulary.tsv", "expression\tpos\tgender\n王先生\tNR\tmale\n她\tPN\tfemale\n他\tPN\tmale\n")),
    ]
    answer = client.post("/api/projects/import", data={"name": "classic"}, files=files)
    assert answer.status_code == 201, answer.text
    (line,) = client.get("/api/projects/classic").json()["paradigms"]
    assert (line["uid"], line["errors"]) == ("gender_agreement", 0)
    count = client.post("/api/projects/classic/counts", json={}).json()["counts"][line["file"]]
    assert (count["value"], count["exact"]) == (1, True)


def test_imports_that_make_no_project_are_refused_whole(client: TestClient, tmp_path: Path) -> None:
    slip = zipped({"../../evil.yaml": "x", **FILES})
    refused = [
        client.post("/api/projects/import", data={"name": "x"}, files=[("files", ("a.zip", slip))]),
        client.post("/api/projects/import", data={"name": "x"}, files=[("files", ("a.zip", b"no zip"))]),
        client.post("/api/projects/import", data={"name": "x"}, files=[("files", ("notes.txt", b"hello"))]),
        client.post("/api/projects/import", data={"name": "x"}, files=[("files", ("../a.tsv", b"expression\n"))]),
        client.post("/api/projects/import", data={"name": "../x"}, files=[("files", ("a.zip", zipped(FILES)))]),
    ]
    assert [answer.status_code for answer in refused] == [400] * 5
    assert kinds(refused[0]) == ["archive-name"]
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == [".bidui", "small"]
    assert not list((tmp_path / "work" / ".bidui" / "incoming").glob("*"))


def test_a_deleted_project_can_be_brought_back(client: TestClient, tmp_path: Path) -> None:
    write(client, FILES[GENDER] + "# last\n", base=read(client)["revision"])
    assert client.delete(SMALL).status_code == 204
    assert client.get(SMALL).status_code == 404 and not (tmp_path / "work" / "small").exists()
    (line,) = client.get("/api/bin").json()["projects"]
    assert (line["name"], line["by"]) == ("small", "local")
    answer = client.post(f"/api/bin/{line['id']}", json={"name": "again"})
    assert (answer.status_code, answer.json()) == (200, {"name": "again"})
    found = read(client, project="again")
    assert found["text"].endswith("# last\n")
    assert client.get("/api/bin").json() == {"projects": []}
    assert client.post(f"/api/bin/{line['id']}", json={}).status_code == 404


def test_only_an_owner_deletes_and_brings_back(team: dict[str, TestClient]) -> None:
    assert team["Li"].delete(SMALL).status_code == 403
    assert team["Owner"].delete(SMALL).status_code == 204
    (line,) = team["Owner"].get("/api/bin").json()["projects"]
    assert team["Li"].get("/api/bin").json() == {"projects": []}
    assert team["Li"].post(f"/api/bin/{line['id']}", json={}).status_code == 403
    assert team["Owner"].post(f"/api/bin/{line['id']}", json={}).status_code == 200
    assert team["Viewer"].post("/api/projects", json={"name": "x", "lang": "zh"}).status_code == 403


def test_the_coverage_lists_paradigms_with_their_counts(client: TestClient) -> None:
    """104 pairs of classifiers: 13 with 他, and 13 with each of the seven people; two of gender."""
    found = get(client, "")
    assert found["phenomena"] == {"anaphor": 1, "classifier": 1}
    assert [line["count"] for line in found["paradigms"]] == [None, None]
    assert [line["file"] for line in found["files"]] == [
        "lexicon.tsv",
        "phrases.yaml",
        "project.yaml",
        "relations/acts.tsv",
    ]
    done = post(client, "counts", most=1)
    assert (set(done["counts"]), done["left"]) == ({GENDER}, 1)
    rest = post(client, "counts", most=5)
    assert (set(rest["counts"]), rest["left"]) == ({CLASSIFIER}, 0)
    counts = {line["file"]: line["count"] for line in get(client, "")["paradigms"]}
    assert {file: (count["value"], count["exact"]) for file, count in counts.items()} == {
        GENDER: (2, True),
        CLASSIFIER: (104, True),
    }
    assert post(client, "counts") == {"counts": {}, "left": 0}


def test_counts_follow_what_they_depend_on(client: TestClient) -> None:
    """A word more changes the number; a comment in another paradigm does not make it unknown."""
    post(client, "counts")
    write(client, FILES[GENDER] + "# a comment\n", base=read(client)["revision"])
    counts = {line["file"]: line["count"] for line in get(client, "")["paradigms"]}
    assert counts[GENDER] is None and counts[CLASSIFIER]["value"] == 104
    row = {"do": "add", "rows": [["老陈", "NR", "", "male"]]}
    post(client, "tables/lexicon.tsv", base=read(client, "lexicon.tsv")["revision"], ops=[row])
    assert [line["count"] for line in get(client, "")["paradigms"]] == [None, None]
    assert post(client, "counts")["counts"][GENDER]["value"] == 3


@dataclass
class _Watched:
    """Workers, and which counts they made; a count that was known is not made."""

    workers: PreviewWorkers
    made: dict[str, bool] = field(default_factory=dict)

    def ask(self, request: Question, **others: Any) -> "Future[Answer]":
        future = self.workers.ask(request, **others)
        result = future.result(timeout=240).result
        assert isinstance(result, Tally)
        self.made[request.name] = result.counts is not None
        return future


def test_an_edit_of_the_lexicon_counts_again_only_what_it_touches(bench: Workbench) -> None:
    """By hand: a name without gender fits the names of one paradigm, and not the phrase of the other (gender:*)."""
    post(local(bench), "counts")
    watched = _Watched(bench.workers)
    client = local(replace(bench, workers=cast(PreviewWorkers, watched)))
    base = read(client, "lexicon.tsv")["revision"]
    added = post(client, "tables/lexicon.tsv", base=base, ops=[{"do": "add", "rows": [["老陈", "NR"]]}])
    assert [line["count"] for line in get(client, "")["paradigms"]] == [None, None]
    counts = post(client, "counts")["counts"]
    assert {file: count["value"] for file, count in counts.items()} == {GENDER: 2, CLASSIFIER: 104}
    assert watched.made == {GENDER: True, CLASSIFIER: False}
    assert {line["file"]: line["count"]["value"] for line in get(client, "")["paradigms"]} == {
        GENDER: 2,
        CLASSIFIER: 104,
    }
    watched.made.clear()
    gender = {"do": "set", "line": 20, "column": "gender", "value": "female"}
    post(client, "tables/lexicon.tsv", base=added["revision"], ops=[gender])
    counts = post(client, "counts")["counts"]
    assert {file: count["value"] for file, count in counts.items()} == {GENDER: 3, CLASSIFIER: 104 + 13}
    assert watched.made == {GENDER: True, CLASSIFIER: True}


def test_what_is_on_the_screen_is_counted_first(client: TestClient) -> None:
    assert set(post(client, "counts", most=1, first=["no such file", CLASSIFIER])["counts"]) == {CLASSIFIER}


@dataclass(frozen=True)
class _Busy:
    """Workers that have no time."""

    def ask(self, *_: object, **__: object) -> "Future[Answer]":
        future: Future[Answer] = Future()
        future.set_result(Answer(problem=Problem("preview-too-long", values={"seconds": "30"})))
        return future


def test_that_a_count_takes_long_is_no_answer_and_is_not_remembered(bench: Workbench) -> None:
    """The page says that it is still counting, and asks again."""
    client = local(replace(bench, workers=cast(PreviewWorkers, _Busy())))
    assert post(client, "counts") == {"counts": {}, "left": 2}
    assert post(client, "count", file=GENDER, text=TEXT) == {"value": None, "exact": False, "reasons": [], "least": 0}
    later = post(local(bench), "counts")
    assert (later["counts"][GENDER]["value"], later["left"]) == (2, 0)


def test_reasons_are_remembered_in_every_language(client: TestClient) -> None:
    post(client, "counts")
    texts = {}
    for lang in ("en", "zh"):
        line = next(line for line in get(client, "", lang=lang)["paradigms"] if line["file"] == GENDER)
        texts[lang] = line["count"]["reasons"][0]["text"]
    assert texts["en"] == "there are only 2 distinct pairs; a paradigm should have at least 1000"
    assert "1000" in texts["zh"] and texts["zh"] != texts["en"]


def test_a_new_paradigm_is_small_and_whole(client: TestClient) -> None:
    made = post(client, "paradigms", 201, uid="question", phenomenon="疑问")
    assert made["file"] == "paradigms/疑问/question.yaml"
    text = read(client, made["file"])["text"]
    assert "uid: question\nphenomenon: 疑问\n" in text
    pairs = post(client, "preview", file=made["file"], text=text)["pairs"]
    assert [(pair["good"], pair["bad"]) for pair in pairs] == [("这是例子。", "这例子是。")]
    again = client.post(f"{SMALL}/paradigms", json={"uid": "question", "phenomenon": "疑问"})
    assert (again.status_code, kinds(again)) == (409, ["paradigm-taken"])
    assert client.get("/api/drafts").json() == {"drafts": []}
    for uid, phenomenon in (("../x", "a"), ("a", "x/y"), ("", "a"), ("a\x00", "b"), ("true", ".")):
        assert client.post(f"{SMALL}/paradigms", json={"uid": uid, "phenomenon": phenomenon}).status_code == 400


def test_a_copy_of_a_paradigm_has_its_own_name(client: TestClient) -> None:
    made = post(client, "paradigms", 201, uid="gender_2", phenomenon="anaphor", copy_of=GENDER)
    assert read(client, made["file"])["text"] == FILES[GENDER].replace("uid: gender", "uid: gender_2")
    assert post(client, "paradigms", 404, uid="x", phenomenon="y", copy_of="paradigms/a/b.yaml")


def test_an_english_project_begins_paradigms_in_english(client: TestClient) -> None:
    client.post("/api/projects", json={"name": "english", "lang": "en"})
    made = client.post("/api/projects/english/paradigms", json={"uid": "a", "phenomenon": "b"}).json()
    text = read(client, made["file"], project="english")["text"]
    answer = client.post("/api/projects/english/preview", json={"file": made["file"], "text": text}).json()
    assert [(pair["good"], pair["bad"]) for pair in answer["pairs"]] == [("These are examples", "These examples are")]


def test_a_project_that_was_put_there_while_served_is_found_by_its_address(client: TestClient, tmp_path: Path) -> None:
    """Whoever unpacks a project into the folder expects its page, not one that says there is none."""
    shutil.copytree(tmp_path / "work/small", tmp_path / "work/other")
    assert client.get("/api/projects/other").status_code == 200
    assert client.get("/api/projects/nothing").status_code == 404


# Pairs to take away: the same bytes as `bidui generate` writes, and no process that outlives its reader


def generated(project: Path, out: Path, *options: str) -> dict[str, bytes]:
    """What the command writes."""
    command = [sys.executable, "-m", "bidui", "generate", str(project), "-o", str(out)]
    done = subprocess.run([*command, *options], capture_output=True, check=False, timeout=600)
    assert done.returncode in {0, 1}, done.stderr
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_all_pairs_are_those_of_the_command(client: TestClient, tmp_path: Path) -> None:
    """104 of one paradigm and 2 of the other, both fewer than 300, which the header says."""
    expected = generated(tmp_path / "work/small", tmp_path / "out", "-n", "300", "--seed", "7")
    answer = client.get(f"{SMALL}/pairs", params={"n": 300, "seed": 7})
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {name.removeprefix("small-pairs/"): archive.read(name) for name in archive.namelist()}
    assert found == expected and set(found) == {"classifier.jsonl", "gender.jsonl", "manifest.json"}
    assert answer.headers["bidui-short"] == "classifier=104, gender=2"


def test_one_paradigm_comes_as_its_file(client: TestClient, tmp_path: Path) -> None:
    options = ("-n", "5", "--only", "classifier", "--format", "csv")
    expected = generated(tmp_path / "work/small", tmp_path / "out", *options)
    answer = client.get(f"{SMALL}/pairs", params={"n": 5, "uid": "classifier", "format": "csv"})
    assert answer.content == expected["classifier.csv"]
    assert "bidui-short" not in answer.headers
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''classifier.csv"


def test_pairs_for_spreadsheets_are_marked_as_utf8_and_compute_nothing(client: TestClient, tmp_path: Path) -> None:
    """Excel takes UTF-8 without a mark for another encoding, and computes a cell that begins with an equals sign."""
    text = "format: 1\nuid: sums\nphenomenon: p\nslots:\n  a: '\"=1+1\"'\ngood: a 好\nbad: a 坏\n"
    write(client, text, base=None, file="paradigms/p/sums.yaml")
    options = {"n": 1, "uid": "sums"}
    plain = client.get(f"{SMALL}/pairs", params={**options, "format": "csv"})
    guarded = client.get(f"{SMALL}/pairs", params={**options, "format": "spreadsheet"})
    assert b"=1+1" in plain.content and b"'=1+1" not in plain.content
    assert guarded.content.startswith("\ufeff".encode())
    rows = list(csv.DictReader(io.StringIO(guarded.content.decode("utf-8-sig"), newline="")))
    assert [(row["sentence_good"], row["sentence_bad"]) for row in rows] == [("'=1+1好", "'=1+1坏")]
    assert guarded.headers["content-disposition"] == "attachment; filename*=UTF-8''sums.csv"
    assert guarded.headers["content-type"].startswith("text/csv")
    every = client.get(f"{SMALL}/pairs", params={"n": 1, "format": "spreadsheet"})
    with zipfile.ZipFile(io.BytesIO(every.content)) as archive:
        names = sorted(name.partition("/")[2] for name in archive.namelist())
        assert names == ["classifier.csv", "gender.csv", "sums.csv"]  # the manifest describes other bytes
        assert all(archive.read(name).startswith("\ufeff".encode()) for name in archive.namelist())


def test_pairs_say_which_revision_they_are_of_and_which_drafts_they_leave_out(client: TestClient) -> None:
    """Beside a text with errors, pairs are those of the text saved before it; the answer says so."""
    old = read(client)
    saved = write(client, old["text"].replace("总是", "常常"), base=old["revision"]).json()
    first = client.get(f"{SMALL}/pairs", params={"uid": "gender"})
    assert first.headers["Bidui-Revision"] == str(saved["revision"]) and "Bidui-Drafts" not in first.headers
    broken = read(client)["text"].replace("who: pos:NR", 'who: "pos:NR ("')
    assert write(client, broken, base=saved["revision"]).json()["draft"]
    second = client.get(f"{SMALL}/pairs", params={"uid": "gender"})
    assert second.content == first.content
    assert second.headers["Bidui-Revision"] == str(saved["revision"])
    assert second.headers["Bidui-Drafts"] == GENDER
    assert "Bidui-Drafts" not in client.get(f"{SMALL}/pairs", params={"uid": "classifier"}).headers
    assert client.get(f"{SMALL}/pairs", params={"n": 1}).headers["Bidui-Drafts"] == GENDER


def test_the_overview_shows_drafts_and_their_errors(client: TestClient) -> None:
    assert get(client, "")["drafts"] == []
    base = read(client)["revision"]
    assert write(client, "uid: [", base=base).json()["draft"]
    (draft,) = get(client, "")["drafts"]
    assert (draft["file"], draft["mine"], draft["base"], draft["why"]) == (GENDER, True, base, "unparsed")
    assert draft["errors"] == len(draft["problems"]) == 1 and draft["problems"][0]["place"]["file"] == GENDER
    assert get(client, "")["errors"] == 0  # of what is saved
    (line,) = client.get("/api/projects").json()["projects"]
    assert line["drafts"] == 1
    assert write(client, TEXT.replace("总是", "常常"), base=base).json()["saved"]
    assert get(client, "")["drafts"] == []


def test_of_drafts_of_others_only_their_place_is_seen(team: dict[str, TestClient]) -> None:
    """The text, and so what is said about it, is its author's alone."""
    base = read(team["Li"])["revision"]
    assert write(team["Li"], "uid: [秘密", base=base).json()["draft"]
    (mine,), (theirs,) = (get(team[name], "")["drafts"] for name in ("Li", "Viewer"))
    assert (mine["mine"], theirs["mine"], theirs["problems"]) == (True, False, [])
    assert (theirs["author"], theirs["errors"]) == (mine["author"], mine["errors"]) != ("", 0)
    assert "秘密" not in json.dumps(theirs, ensure_ascii=False)
    assert "Bidui-Drafts" not in team["Viewer"].get(f"{SMALL}/pairs", params={"uid": "gender"}).headers


def test_a_paradigm_that_is_not_there_is_said(client: TestClient) -> None:
    for uid in ("nothing", "*", "[a-z]*", "a\x00", ""):
        answer = client.get(f"{SMALL}/pairs", params={"uid": uid})
        assert (answer.status_code, kinds(answer)) == (400, ["uid-unknown"]), uid
    assert client.get(f"{SMALL}/pairs", params={"n": 0}).status_code == 422
    assert client.get(f"{SMALL}/pairs", params={"n": 10**9}).status_code == 422
    assert client.get(f"{SMALL}/pairs", params={"format": "parquet"}).status_code == 422


def test_pairs_are_made_from_the_files_of_the_project_alone(client: TestClient, tmp_path: Path) -> None:
    """Editors leave locks, runs leave folders, and a link may lead anywhere or in a circle: none of it is copied."""
    plain = {uid: client.get(f"{SMALL}/pairs", params={"n": 5, "uid": uid}).content for uid in ("classifier", "gender")}
    folder = tmp_path / "work" / "small"
    (folder / ".#lexicon.tsv").symlink_to("somebody@nowhere.1234")
    (folder / "lock.tsv").symlink_to("somebody@nowhere.1234")
    (folder / "one").symlink_to(".")
    (folder / "two").symlink_to(".")
    (folder / "runs").mkdir()
    os.mkfifo(folder / "runs" / "pipe")
    os.mkfifo(folder / "pipe.tsv")
    for uid, expected in plain.items():
        answer = client.get(f"{SMALL}/pairs", params={"n": 5, "uid": uid})
        assert (answer.status_code, answer.content) == (200, expected)
    assert client.get(f"{SMALL}/pairs", params={"n": 5}).status_code == 200


def test_what_a_link_leads_to_is_not_shown(client: TestClient, tmp_path: Path) -> None:
    """Preview, words, counts and pairs read the files themselves; none of them may read what lies elsewhere."""
    folder = tmp_path / "work" / "small"
    words = (folder / "lexicon.tsv").read_text("utf-8")
    (tmp_path / "elsewhere.tsv").write_text(words.replace("太太", "秘密"), "utf-8")
    (folder / "lexicon.tsv").unlink()
    (folder / "lexicon.tsv").symlink_to(tmp_path / "elsewhere.tsv")
    text = read(client, GENDER)["text"]
    for answer in (
        client.post(f"{SMALL}/preview", json={"file": GENDER, "text": text}),
        client.post(f"{SMALL}/count", json={"file": GENDER, "text": text}),
        client.post(f"{SMALL}/complete", json={"kind": "rule", "text": "pos:", "cursor": 4}),
        client.get(f"{SMALL}/pairs", params={"uid": "gender"}),
        client.get(f"{SMALL}/lexicon"),
    ):
        assert answer.status_code < 500 and "秘密" not in answer.text, answer.text


def test_no_cell_for_spreadsheets_begins_with_a_formula() -> None:
    """Also not with full-width signs, which spreadsheets of East Asia read as ASCII; numbers stay numbers."""
    signs = ["=1", "+1", "@a", "-a", "＝1", "＋1", "－1", "＠a", "\ta", "\na", "-1.5", "a=b", "——好"]
    out = io.StringIO(newline="")
    csv.writer(out).writerow(signs)
    (row,) = csv.reader(io.StringIO(jobs.for_spreadsheets(out.getvalue().encode()).decode("utf-8-sig"), newline=""))
    assert row == [*(f"'{sign}" for sign in signs[:10]), *signs[10:]]


def test_what_keeps_pairs_from_being_made_is_said(client: TestClient) -> None:
    text = read(client)["text"].replace("  who: pos:NR", "  who: pos:XX")
    assert write(client, text, base=read(client)["revision"]).json()["saved"]
    answer = client.get(f"{SMALL}/pairs", params={"uid": "gender"})
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["place"]["file"] == GENDER


def test_a_fault_in_another_paradigm_keeps_nobody_from_her_pairs(client: TestClient, tmp_path: Path) -> None:
    """A project is half finished most of the time; a file that was changed outside may not even parse."""
    expected = generated(tmp_path / "work/small", tmp_path / "out", "-n", "5", "--only", "classifier")
    (tmp_path / "work/small" / GENDER).write_text("slots: [", encoding="utf-8")
    answer = client.get(f"{SMALL}/pairs", params={"n": 5, "uid": "classifier"})
    assert answer.content == expected["classifier.jsonl"]


def test_an_excluded_paradigm_gives_its_pairs_when_asked_for_by_name(client: TestClient) -> None:
    text = read(client)["text"] + "status: excluded\nreason: people disagreed\n"
    assert write(client, text, base=read(client)["revision"]).json()["saved"]
    answer = client.get(f"{SMALL}/pairs", params={"uid": "gender"})
    assert answer.status_code == 200 and answer.content.count(b"\n") == 2


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_a_command_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that it started, and nothing of it is left behind."""
    mark = tmp_path / "pid"
    sleeper = (
        "import subprocess, sys, pathlib; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    )
    sleeper += f"pathlib.Path({str(mark)!r}).write_text(str(p.pid)); p.wait()"
    monkeypatch.setattr(jobs, "_BIDUI", (sys.executable, "-c", sleeper))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    wait_for = asyncio.wait_for

    async def impatient(process: Coroutine[Any, Any, int], _: float) -> int:
        """Wait no longer than until the command has started its own process, however long that takes."""
        while not (mark.is_file() and mark.read_text()):
            await asyncio.sleep(0.05)
        return await wait_for(process, 0.1)

    monkeypatch.setattr(asyncio, "wait_for", impatient)
    with pytest.raises(InputError) as caught:
        complete(jobs.export_pairs(tmp_path, name="x", n=1, seed=0, format="jsonl", uid=None, seconds=3.0))
    assert caught.value.problems[0].kind == "pairs-too-long"
    assert _ended(int(mark.read_text()))
    assert not list(tmp_path.glob("bidui-pairs-*"))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_a_command_ends_with_the_server_that_was_killed(tmp_path: Path) -> None:
    """`kill -9` leaves the server no time to end anything: its exports notice that it is gone."""
    folder = tmp_path / "small"
    write_texts(folder, FILES)
    arguments = ["serve", str(folder), "--port", "0", "--no-browser"]  # a command that does not end by itself
    code = f"import asyncio, pathlib; from bidui.web import jobs; asyncio.run(jobs._run({arguments!r}, "
    code += f"place=pathlib.Path({str(tmp_path)!r}), seconds=3600))"
    server = subprocess.Popen([sys.executable, "-c", code])
    lock = folder / ".bidui" / "serving"
    while not lock.exists():
        assert server.poll() is None
        time.sleep(0.05)
    server.kill()
    server.wait()
    with hold_lock(lock, on_wait=lambda: None):  # waits until nobody serves the folder any more
        pass


def _ended(process: int) -> bool:
    for _ in range(2_400):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


# What is wrong in a project: counted where it is, and told in words with its place


def told(client: TestClient, **query: Any) -> list[tuple[str, str, int]]:
    found = get(client, "", **query)["problems"]
    return [(each["kind"], each["place"]["file"], each["place"]["line"]) for each in found]


def errors(client: TestClient) -> tuple[int, dict[str, int]]:
    found = get(client, "")
    return found["errors"], {line["file"]: line["errors"] for line in found["paradigms"]}


def test_a_paradigm_that_can_give_no_pairs_is_an_error(client: TestClient) -> None:
    """Its file parses, so only the count can tell; "0 pairs" in grey would be overlooked."""
    write(client, TEXT.replace("who: pos:NR", "who: phrase:Nobody"), base=read(client)["revision"])
    post(client, "counts")
    assert errors(client) == (1, {GENDER: 1, CLASSIFIER: 0})
    assert told(client) == [("phrase-unknown", GENDER, 10)]
    assert [line["errors"] for line in client.get("/api/projects").json()["projects"]] == [1]
    zh = get(client, "", lang="zh")["problems"][0]["text"]
    assert "Nobody" in zh and zh != get(client, "")["problems"][0]["text"]


def test_every_paradigm_that_a_missing_phrase_breaks_is_counted(client: TestClient) -> None:
    base = read(client, "phrases.yaml")["revision"]
    write(client, TEXT.replace("who: pos:NR", "who: phrase:Person"), base=read(client)["revision"])
    text = read(client, "phrases.yaml")["text"].replace("Person:", "People:")
    assert write(client, text, base=base, file="phrases.yaml").json()["saved"]
    post(client, "counts")
    assert errors(client) == (2, {GENDER: 1, CLASSIFIER: 1})
    assert [file for _, file, _ in told(client)] == [GENDER, CLASSIFIER]


def test_a_paradigm_that_does_not_parse_is_told_once(client: TestClient, tmp_path: Any) -> None:
    (tmp_path / "work/small" / GENDER).write_text(TEXT.replace("who: pos:NR", "who: 'pos:'"), "utf-8", newline="")
    before = errors(client)
    post(client, "counts")
    assert errors(client) == before == (1, {GENDER: 1, CLASSIFIER: 0})
    ((_, file, line),) = told(client)
    assert (file, line) == (GENDER, 10)


def test_an_error_of_another_file_and_a_uid_that_is_there_twice_are_told(client: TestClient) -> None:
    text = CLASSIFIERS.replace("uid: classifier", "uid: gender")
    write(client, text, base=read(client, CLASSIFIER)["revision"], file=CLASSIFIER)
    assert told(client) == [("paradigm-twice", CLASSIFIER, 0)]
    assert errors(client) == (1, {GENDER: 0, CLASSIFIER: 1})


def test_a_paradigm_that_says_why_it_is_small_gives_no_reason(client: TestClient) -> None:
    write(client, TEXT + "closed_class: there are but two\n", base=read(client)["revision"])
    assert post(client, "counts")["counts"][GENDER]["reasons"] == []
