"""Names of paradigms: a uid is one file's alone, and where it is not, the page says so."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ..editing.small import CLASSIFIER as CLASSIFIERS
from ..editing.small import GENDER as TEXT
from ..served import kinds
from .asking import CLASSIFIER, GENDER, SMALL, get, post, read, write


def refused(client: TestClient, path: str, **body: Any) -> tuple[int, list[str], str]:
    answer = client.post(f"{SMALL}/{path}", json=body)
    return answer.status_code, kinds(answer), answer.json()["problems"][0]["text"]


@pytest.mark.parametrize("uid", ["gender", "GENDER"])
@pytest.mark.parametrize("copy_of", [None, CLASSIFIER])
def test_a_new_paradigm_cannot_have_the_uid_of_another(client: TestClient, uid: str, copy_of: str | None) -> None:
    """Not in another phenomenon, nor in other letters: `bidui generate` would refuse the whole project."""
    status, found, text = refused(client, "paradigms", uid=uid, phenomenon="classifier", copy_of=copy_of)
    assert (status, found) == (409, ["paradigm-taken"])
    assert text.startswith(f"the paradigm gender already exists in {GENDER}")
    assert [line["file"] for line in get(client, "")["paradigms"]] == [GENDER, CLASSIFIER]


def test_a_paradigm_that_was_put_there_outside_has_its_uid_too(client: TestClient, tmp_path: Path) -> None:
    file = tmp_path / "work/small/paradigms/anaphor/other.yaml"
    file.write_text(TEXT.replace("uid: gender", "uid: other"), "utf-8", newline="")
    assert refused(client, "paradigms", uid="other", phenomenon="p")[:2] == (409, ["paradigm-taken"])


def test_a_file_that_calls_itself_otherwise_is_not_overwritten(client: TestClient) -> None:
    write(client, TEXT.replace("uid: gender", "uid: sex"), base=read(client)["revision"])
    status, found, text = refused(client, "paradigms", uid="gender", phenomenon="anaphor")
    assert (status, found, text) == (409, ["file-there"], f"{GENDER} already exists; choose another name")


@pytest.mark.parametrize("to", ["paradigms/anaphor/classifier.yaml", CLASSIFIER, "paradigms/x/Classifier.yaml"])
def test_a_paradigm_is_not_renamed_to_a_uid_that_there_is(client: TestClient, to: str) -> None:
    """Nothing was changed outside, and there is nothing to merge: another name must be chosen."""
    text = TEXT.replace("uid: gender", "uid: classifier")
    found = refused(client, "rename", file=GENDER, to=to, text=text, base=read(client)["revision"], tab="t")
    assert found[:2] == (409, ["paradigm-taken"]) and CLASSIFIER in found[2]
    assert read(client)["text"] == TEXT and read(client)["drafts"] == []
    assert read(client, CLASSIFIER)["text"] == CLASSIFIERS


def test_a_paradigm_is_not_moved_to_where_a_file_is(client: TestClient, tmp_path: Path) -> None:
    there = "paradigms/other/gender.yaml"
    file = tmp_path / "work/small" / there
    file.parent.mkdir()
    file.write_text("half a pa", "utf-8", newline="")
    text = TEXT.replace("phenomenon: anaphor", "phenomenon: other")
    found = refused(client, "rename", file=GENDER, to=there, text=text, base=read(client)["revision"])
    assert found == (409, ["file-there"], f"{there} already exists; choose another name")
    assert read(client)["drafts"] == [] and file.read_text("utf-8") == "half a pa"


def test_a_name_may_change_its_letters(client: TestClient) -> None:
    to = "paradigms/anaphor/Gender.yaml"
    text = TEXT.replace("uid: gender", "uid: Gender")
    assert post(client, "rename", file=GENDER, to=to, text=text, base=read(client)["revision"])["saved"]
    assert read(client, to)["text"] == text


def diagnosed(client: TestClient, file: str, text: str) -> list[tuple[str, list[str], dict[str, Any]]]:
    answer = post(client, "preview", file=file, text=text)
    assert answer["pairs"]
    return [(each["kind"], each["row"], each["values"]) for each in answer["diagnostics"]]


def test_a_page_says_that_another_file_has_its_uid(client: TestClient) -> None:
    """Both pages do, and at the uid: on either the one who reads it can mend it."""
    text = CLASSIFIERS.replace("uid: classifier", "uid: Gender")
    write(client, text, base=read(client, CLASSIFIER)["revision"], file=CLASSIFIER)
    assert diagnosed(client, CLASSIFIER, text) == [("paradigm-twice", ["uid"], {"uid": "Gender", "other": GENDER})]
    assert diagnosed(client, GENDER, TEXT) == [("paradigm-twice", ["uid"], {"uid": "gender", "other": CLASSIFIER})]


def test_a_page_says_that_its_file_lies_elsewhere(client: TestClient) -> None:
    text = TEXT.replace("uid: gender", "uid: sex")
    right = "paradigms/anaphor/sex.yaml"
    assert diagnosed(client, GENDER, text) == [("file-misplaced", ["uid"], {"right": right})]
    assert diagnosed(client, GENDER, TEXT) == []
