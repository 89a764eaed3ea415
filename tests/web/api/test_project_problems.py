"""What is wrong in a project: counted where it is, and told in words with its place."""

from typing import Any

from starlette.testclient import TestClient

from ..editing.small import CLASSIFIER as CLASSIFIERS
from ..editing.small import GENDER as TEXT
from .asking import CLASSIFIER, GENDER, get, post, read, write


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
