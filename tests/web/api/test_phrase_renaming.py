"""A phrase gets another name in the whole project: in all files that name it, or in none."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

import bidui.web.api.editing as renaming

from ..editing.small import CLASSIFIER as CLASSIFIERS
from ..editing.small import GENDER as TEXT
from ..editing.small import PHRASES
from ..served import files_of, kinds
from .asking import CLASSIFIER, GENDER, SMALL, get, post, read, write

FILE = "phrases.yaml"
USING = TEXT.replace("  who: pos:NR\n", "  who: 'phrase:Person | phrase:Personal'  # phrase:Person it is\n")


def test_a_new_name_reaches_every_rule_and_nothing_else(client: TestClient, tmp_path: Path) -> None:
    """Comments, quotes and names that only begin alike stay; each file can be taken back by its history."""
    write(client, USING, base=read(client)["revision"])
    write(client, PHRASES + "  Two: [phrase:Person]\n", base=read(client, FILE)["revision"], file=FILE)
    done = post(client, "phrases/rename", old="Person", new="People")
    assert done == {"files": [GENDER, CLASSIFIER, FILE], "revision": read(client, FILE)["revision"]}
    assert read(client)["text"] == USING.replace("'phrase:Person |", "'phrase:People |")
    assert read(client, CLASSIFIER)["text"] == CLASSIFIERS.replace("phrase:Person", "phrase:People")
    assert read(client, FILE)["text"] == PHRASES.replace("Person:", "People:") + "  Two: [phrase:People]\n"
    assert (tmp_path / "work/small" / CLASSIFIER).read_text("utf-8") == read(client, CLASSIFIER)["text"]
    for file in done["files"]:
        first = get(client, f"history/{file}")["revisions"][0]
        assert (first["author"], first["reason"]) == ("local", "edit")
    uses = {name: get(client, "phrases/uses", phrase=name)["total"] for name in ("Person", "People")}
    assert uses == {"Person": 0, "People": 3}


@pytest.mark.parametrize(
    ("old", "new", "status", "kind"),
    [
        ("Person", "Other", 409, "phrase-taken"),
        ("Person", "a b", 400, "slot-name"),
        ("Person", "", 400, "slot-name"),
        ("Nobody", "Somebody", 404, "phrase-gone"),
    ],
)
def test_a_name_that_cannot_be_changes_nothing(
    client: TestClient, tmp_path: Path, old: str, new: str, status: int, kind: str
) -> None:
    write(client, PHRASES + "  Other: [pos:NN]\n", base=read(client, FILE)["revision"], file=FILE)
    before = files_of(tmp_path)
    answer = client.post(f"{SMALL}/phrases/rename", json={"old": old, "new": new})
    assert (answer.status_code, kinds(answer)) == (status, [kind])
    assert files_of(tmp_path) == before


def test_the_same_name_is_no_change(client: TestClient) -> None:
    there = read(client, FILE)["revision"]
    assert post(client, "phrases/rename", old="Person", new="Person") == {"files": [], "revision": there}


def test_a_file_that_cannot_be_read_is_not_left_behind(client: TestClient, tmp_path: Path) -> None:
    """It names the phrase, but its rules cannot be told from the rest: nothing is renamed, and it is named."""
    (tmp_path / "work/small" / GENDER).write_text(USING.replace("good: who", "good: [who"), "utf-8", newline="")
    before = files_of(tmp_path)
    answer = client.post(f"{SMALL}/phrases/rename", json={"old": "Person", "new": "People"})
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["place"]["file"] == GENDER
    assert files_of(tmp_path) == before


def test_what_was_changed_outside_meanwhile_is_renamed_too(client: TestClient, tmp_path: Path) -> None:
    file = tmp_path / "work/small" / CLASSIFIER
    read(client, CLASSIFIER)
    file.write_text("\ufeff# outside\r\n" + CLASSIFIERS.replace("\n", "\r\n"), "utf-8", newline="")
    post(client, "phrases/rename", old="Person", new="People")
    expected = "\ufeff# outside\r\n" + CLASSIFIERS.replace("phrase:Person", "phrase:People").replace("\n", "\r\n")
    assert file.read_bytes() == expected.encode()


def test_whoever_is_quicker_is_not_overwritten(team: dict[str, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody saves a paradigm between our looking and our writing: her text stays, with the new name in it."""
    real, quicker = renaming.commit, [CLASSIFIERS + "# one\n", CLASSIFIERS + "# two\n"]

    def late(*args: object, **kwargs: object) -> object:
        if quicker:
            base = read(team["Wang"], CLASSIFIER)["revision"]
            assert write(team["Wang"], quicker.pop(0), base=base, file=CLASSIFIER).json()["saved"]
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(renaming, "commit", late)
    post(team["Li"], "phrases/rename", old="Person", new="People")
    assert read(team["Li"], CLASSIFIER)["text"] == (CLASSIFIERS + "# two\n").replace("phrase:Person", "phrase:People")
    renamed = read(team["Li"], CLASSIFIER)["text"]
    quicker[:] = [f"{renamed}# {number}\n" for number in range(9)]
    answer = team["Li"].post(f"{SMALL}/phrases/rename", json={"old": "People", "new": "Person"})
    assert (answer.status_code, kinds(answer)) == (409, ["rename-busy"])
    assert "People:" in read(team["Li"], FILE)["text"]


def test_what_others_are_typing_stays_theirs(team: dict[str, TestClient]) -> None:
    base = read(team["Wang"], CLASSIFIER)["revision"]
    typed = CLASSIFIERS.replace("weight: 2", "weight: 3")
    body = {"text": typed, "base": base, "tab": "w"}
    assert team["Wang"].put(f"{SMALL}/drafts/{CLASSIFIER}", json=body).status_code == 204
    post(team["Li"], "phrases/rename", old="Person", new="People")
    assert [draft["text"] for draft in read(team["Wang"], CLASSIFIER)["drafts"]] == [typed]
    assert write(team["Wang"], typed, base=base, file=CLASSIFIER, tab="w").status_code == 409
    merged = post(team["Wang"], f"merge/{CLASSIFIER}", base=base, mine=typed)
    assert (merged["text"], merged["conflicts"]) == (typed.replace("phrase:Person", "phrase:People"), [])


def test_who_may_only_look_renames_nothing(team: dict[str, TestClient]) -> None:
    answer = team["Viewer"].post(f"{SMALL}/phrases/rename", json={"old": "Person", "new": "People"})
    assert (answer.status_code, kinds(answer)) == (403, ["role-missing"])
    assert read(team["Viewer"], FILE)["text"] == PHRASES
