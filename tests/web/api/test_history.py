"""History: every state that a file was in can be seen, compared and brought back."""

from starlette.testclient import TestClient

from ..editing.small import GENDER as TEXT
from ..editing.small import LEXICON
from ..served import kinds
from .asking import GENDER, SMALL, get, post, read, write


def test_revisions_are_listed_latest_first(client: TestClient) -> None:
    first = read(client)["revision"]
    second = write(client, TEXT + "# two\n", base=first).json()["revision"]
    found = get(client, f"history/{GENDER}")
    shown = [(r["id"], r["author"], r["reason"], r["base"], r["deleted"], r["size"]) for r in found["revisions"]]
    size = len(TEXT.encode())
    assert shown == [(second, "local", "edit", first, False, size + 6), (first, "", "outside", None, False, size)]
    assert found["more"] is False
    assert [r["id"] for r in get(client, f"history/{GENDER}", before=second)["revisions"]] == [first]
    assert get(client, f"revisions/{first}")["text"] == TEXT


def test_a_long_history_comes_in_pages(client: TestClient) -> None:
    revision = read(client)["revision"]
    for number in range(101):
        revision = write(client, f"{TEXT}# {number}\n", base=revision).json()["revision"]
    page = get(client, f"history/{GENDER}")
    assert (len(page["revisions"]), page["more"]) == (100, True)
    rest = get(client, f"history/{GENDER}", before=page["revisions"][-1]["id"])
    assert (len(rest["revisions"]), rest["more"]) == (2, False)


def test_two_revisions_are_compared_by_rows(client: TestClient) -> None:
    old = read(client, "lexicon.tsv")["revision"]
    new = write(client, LEXICON.replace("小林\tNR\n", "小林\tNR\t\tmale\n"), base=old, file="lexicon.tsv").json()
    found = get(client, "difference", old=old, new=new["revision"])
    assert found["rows"] == [
        {"kind": "changed", "before": 5, "after": 5, "old": ["小林", "NR"], "new": ["小林", "NR", "", "male"]}
    ]
    assert "-小林\tNR\n+小林\tNR\t\tmale\n" in found["unified"]


def test_an_old_revision_becomes_the_latest_again(client: TestClient) -> None:
    first = read(client)["revision"]
    second = write(client, TEXT + "# two\n", base=first).json()["revision"]
    done = post(client, "restore", revision=first, base=second)
    assert done["saved"] and read(client)["text"] == TEXT
    latest = get(client, f"history/{GENDER}")["revisions"][0]
    assert (latest["id"], latest["reason"], latest["origin"]) == (done["revision"], "restore", first)


def test_restoring_over_somebody_elses_change_is_a_conflict(client: TestClient) -> None:
    first = read(client)["revision"]
    write(client, TEXT + "# two\n", base=first)
    answer = client.post(f"{SMALL}/restore", json={"revision": first, "base": first})
    assert (answer.status_code, kinds(answer)) == (409, ["revision-conflict"])
    assert read(client)["text"] == TEXT + "# two\n"


def test_revisions_of_other_projects_are_unknown(client: TestClient) -> None:
    client.post("/api/projects", json={"name": "other", "lang": "zh"})
    theirs = read(client, "lexicon.tsv", project="other")["revision"]
    for path in (f"revisions/{theirs}", "revisions/999999999999999999999999", "revisions/-1", "revisions/0"):
        answer = client.get(f"{SMALL}/{path}")
        assert (answer.status_code, kinds(answer)) == (404, ["revision-unknown"]), path
    assert write(client, TEXT, base=theirs).status_code == 404
    assert client.get(f"{SMALL}/difference", params={"old": theirs, "new": theirs}).status_code == 404


def test_files_that_never_were_have_no_history(client: TestClient) -> None:
    assert get(client, "history/paradigms/a/b.yaml") == {"revisions": [], "more": False}
    assert client.get(f"{SMALL}/history/nonsense").status_code == 400
