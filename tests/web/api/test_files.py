"""Files: nothing typed is lost, whoever is quicker; drafts are listed, and every state can be brought back."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from starlette.testclient import TestClient

from ..editing.small import GENDER as TEXT
from ..editing.small import LEXICON
from ..served import kinds
from .asking import CLASSIFIER, GENDER, SMALL, another, as_browsers_do, get, post, read, write


def test_a_saved_text_is_the_file(client: TestClient, tmp_path: Path) -> None:
    old = read(client)
    assert (old["kind"], old["text"], old["author"], old["may_edit"]) == ("paradigm", TEXT, "", True)
    text = TEXT.replace("总是", "常常")
    answer = write(client, text, base=old["revision"]).json()
    assert (answer["saved"], answer["draft"], answer["changed"], answer["problems"]) == (True, False, True, [])
    assert (tmp_path / "work/small" / GENDER).read_text("utf-8") == text
    new = read(client)
    assert (new["text"], new["revision"], new["author"]) == (text, answer["revision"], "local")
    again = write(client, text, base=new["revision"]).json()
    assert (again["saved"], again["changed"], again["revision"]) == (True, False, new["revision"])


def test_the_tag_of_an_answer_is_the_revision(client: TestClient) -> None:
    answer = client.get(f"{SMALL}/files/{GENDER}")
    assert answer.headers["etag"] == f'"{answer.json()["revision"]}"'


def test_a_change_outside_is_seen(client: TestClient, tmp_path: Path) -> None:
    """The files are the truth: git and other editors may change them while the server runs."""
    old = read(client)
    (tmp_path / "work/small" / GENDER).write_text(TEXT + "# outside\n", "utf-8", newline="")
    new = read(client)
    assert new["text"] == TEXT + "# outside\n" and new["revision"] > old["revision"]


def test_a_text_that_does_not_parse_is_a_draft_and_the_file_stays(client: TestClient, tmp_path: Path) -> None:
    old = read(client)
    broken = TEXT.replace("  who: pos:NR", "  who: pos:")
    answer = write(client, broken, base=old["revision"], tab="one").json()
    assert (answer["saved"], answer["draft"], answer["revision"]) == (False, True, old["revision"])
    assert answer["problems"] and answer["problems"][0]["place"]["line"] == 10
    assert (tmp_path / "work/small" / GENDER).read_text("utf-8") == TEXT
    (draft,) = read(client)["drafts"]
    assert (draft["text"], draft["base"], draft["why"], draft["tab"]) == (broken, old["revision"], "unparsed", "one")
    assert client.get("/api/drafts").json()["drafts"] == [draft]
    assert write(client, TEXT + "# whole\n", base=old["revision"], tab="one").json()["saved"]
    assert read(client)["drafts"] == []


def test_rules_that_no_word_fits_can_be_saved(client: TestClient) -> None:
    """They parse; the preview says what is missing, and the lexicon may come later."""
    text = TEXT.replace("pos:NR", "pos:XX")
    assert write(client, text, base=read(client)["revision"]).json()["saved"]


def test_a_draft_can_hold_half_a_character(client: TestClient) -> None:
    """A browser sends one when a page is left in the middle of typing 𠮷; it must come back, not break the answer."""
    old = read(client)
    half = TEXT + "# \ud842\x00"
    body = as_browsers_do({"text": half, "base": old["revision"]})
    assert client.put(f"{SMALL}/drafts/{GENDER}", **body).status_code == 204
    assert read(client)["drafts"][0]["text"] == half
    answer = write(client, half, base=old["revision"])
    assert answer.status_code == 200 and answer.json()["draft"]
    assert read(client)["drafts"][0]["text"] == half
    assert client.delete(f"{SMALL}/drafts/{GENDER}").status_code == 204
    assert read(client)["drafts"] == []


def test_the_second_writer_gets_all_three_versions_and_can_merge(team: dict[str, TestClient]) -> None:
    li, wang = team["Li"], team["Wang"]
    base = read(li)["revision"]
    mine, theirs = TEXT.replace("edit: agreement", "edit: substitution"), TEXT.replace("  who: pos:NR", "  who: pos:NN")
    saved = write(li, theirs, base=base).json()
    answer = write(wang, mine, base=base, tab="w")
    assert (answer.status_code, kinds(answer)) == (409, ["revision-conflict"])
    assert "Li" in answer.json()["problems"][0]["text"]
    conflict = answer.json()["conflict"]
    assert (conflict["base"], conflict["yours"]) == ({"revision": base, "text": TEXT}, mine)
    shown = {key: conflict["theirs"][key] for key in ("revision", "text", "author", "deleted")}
    assert shown == {"revision": saved["revision"], "text": theirs, "author": "Li", "deleted": False}
    assert [(draft["text"], draft["why"]) for draft in read(wang)["drafts"]] == [(mine, "conflict")]
    merged = post(wang, f"merge/{GENDER}", base=base, mine=mine)
    both = theirs.replace("edit: agreement", "edit: substitution")
    assert merged == {"text": both, "revision": saved["revision"], "conflicts": []}
    assert write(wang, merged["text"], base=merged["revision"], tab="w").json()["saved"]
    assert read(wang)["drafts"] == []
    assert read(li)["text"] == both


def test_a_row_that_both_changed_is_chosen(team: dict[str, TestClient]) -> None:
    base = read(team["Li"])["revision"]
    rules = [TEXT.replace("  who: pos:NR", f"  who: {rule}") for rule in ("pos:NN", "pos:NR gender:male")]
    assert write(team["Li"], rules[0], base=base).json()["saved"]
    found = post(team["Wang"], f"merge/{GENDER}", base=base, mine=rules[1])
    (row,) = found["conflicts"]
    assert (row["row"], row["kind"]) == ("slots › who", "merge-changed")
    assert [row[side].strip() for side in ("base", "mine", "theirs")] == [
        "who: pos:NR",
        "who: pos:NR gender:male",
        "who: pos:NN",
    ]
    chosen = post(team["Wang"], f"merge/{GENDER}", base=base, mine=rules[1], choose={row["row"]: "theirs"})
    assert (chosen["text"], chosen["conflicts"]) == (rules[0], [])


def test_a_deleted_file_can_be_brought_back(client: TestClient, tmp_path: Path) -> None:
    old = read(client)
    gone = client.delete(f"{SMALL}/files/{GENDER}", params={"base": old["revision"]}).json()["revision"]
    assert not (tmp_path / "work/small" / GENDER).exists()
    assert client.get(f"{SMALL}/files/{GENDER}").status_code == 404
    (line,) = get(client, "deleted")["files"]
    assert (line["file"], line["revision"], line["last"], line["author"]) == (GENDER, gone, old["revision"], "local")
    back = post(client, "restore", revision=line["last"], base=line["revision"])
    assert back["saved"] and read(client)["text"] == TEXT
    assert get(client, "deleted")["files"] == []


def test_a_delete_of_what_has_changed_is_refused(client: TestClient) -> None:
    old = read(client)
    write(client, TEXT + "# new\n", base=old["revision"])
    answer = client.delete(f"{SMALL}/files/{GENDER}", params={"base": old["revision"]})
    assert answer.status_code == 409 and answer.json()["conflict"]["yours"] is None
    assert read(client)["text"] == TEXT + "# new\n"


def test_a_renamed_file_keeps_its_past(client: TestClient, tmp_path: Path) -> None:
    to = "paradigms/anaphor/sex.yaml"
    old = read(client)
    text = TEXT.replace("uid: gender", "uid: sex")
    answer = post(client, "rename", file=GENDER, to=to, text=text, base=old["revision"])
    assert answer["saved"] and answer["file"] == to
    assert read(client, to)["text"] == text and not (tmp_path / "work/small" / GENDER).exists()
    (revision,) = get(client, f"history/{to}")["revisions"]
    assert (revision["origin"], revision["renamed_from"]) == (old["revision"], GENDER)
    assert get(client, "deleted")["files"] == []  # it is not gone, only called otherwise
    page = client.get(f"/p/small/history/{to}").text
    assert f'renamed from <a class="mono" href="/p/small/history/{GENDER}">{GENDER}</a>' in page
    assert f"?old={old['revision']}&amp;new={revision['id']}" in page
    client.delete(f"{SMALL}/files/{to}", params={"base": revision["id"]})
    assert [line["file"] for line in get(client, "deleted")["files"]] == [to]


def test_a_renamed_file_does_not_overwrite_another(client: TestClient) -> None:
    old = read(client)
    answer = client.post(
        f"{SMALL}/rename", json={"file": GENDER, "to": CLASSIFIER, "text": TEXT, "base": old["revision"]}
    )
    assert answer.status_code == 409
    assert read(client)["text"] == TEXT and "uid: classifier" in read(client, CLASSIFIER)["text"]


def test_phrases_that_are_not_there_yet_can_be_begun(client: TestClient) -> None:
    """Not every project has phrases; the page that edits them must open all the same."""
    assert client.post("/api/projects", json={"name": "bare", "lang": "en"}).status_code == 201
    there = read(client, "phrases.yaml", project="bare")["revision"]
    client.delete("/api/projects/bare/files/phrases.yaml", params={"base": there})
    found = read(client, "phrases.yaml", project="bare")
    assert found["text"] == "format: 1\nphrases: {}\n"
    body = {"text": found["text"] + "# begun\n", "base": found["revision"]}
    assert client.put("/api/projects/bare/files/phrases.yaml", json=body).json()["saved"]


def test_pages_hear_of_each_other(team: dict[str, TestClient]) -> None:
    where = f"presence/{GENDER}"
    revision = read(team["Li"])["revision"]
    assert post(team["Li"], where, tab="a") == {"others": [], "revision": revision}
    assert post(team["Viewer"], where, tab="b") == {"others": ["Li"], "revision": revision}
    assert read(team["Wang"])["others"] == ["Li", "Viewer"]
    saved = write(team["Li"], TEXT + "# more\n", base=revision).json()
    assert post(team["Viewer"], where, tab="b") == {"others": ["Li"], "revision": saved["revision"]}
    post(team["Li"], where, tab="a", leave=True)
    assert post(team["Viewer"], where, tab="b")["others"] == []


def test_who_may_only_look_changes_nothing(team: dict[str, TestClient], tmp_path: Path) -> None:
    viewer = team["Viewer"]
    found = read(viewer)
    assert found["may_edit"] is False
    revision = found["revision"]
    refused = [
        write(viewer, TEXT + "# no\n", base=revision),
        viewer.delete(f"{SMALL}/files/{GENDER}", params={"base": revision}),
        viewer.post(f"{SMALL}/restore", json={"revision": revision, "base": revision}),
        viewer.post(
            f"{SMALL}/rename", json={"file": GENDER, "to": "paradigms/a/b.yaml", "text": TEXT, "base": revision}
        ),
        viewer.post(f"{SMALL}/tables/lexicon.tsv", json={"base": 1, "ops": [{"do": "column", "name": "x"}]}),
        viewer.post(f"{SMALL}/paradigms", json={"uid": "a", "phenomenon": "b"}),
        viewer.put(f"{SMALL}/drafts/{GENDER}", json={"text": "x", "base": revision}),
    ]
    assert [(answer.status_code, kinds(answer)) for answer in refused] == [(403, ["role-missing"])] * 7
    assert (tmp_path / "work/small" / GENDER).read_text("utf-8") == TEXT


def test_names_that_lead_elsewhere_are_refused(client: TestClient) -> None:
    for name in (
        "..%2F..%2Fetc%2Fpasswd",
        "%2Fetc%2Fpasswd",
        "paradigms/%2e%2e/%2e%2e/x.yaml",
        "a%00.yaml",
        ".bidui/x",
    ):
        assert client.get(f"{SMALL}/files/{name}").status_code in {400, 404}, name
        body = {"text": "x", "base": None}
        assert client.put(f"{SMALL}/files/{name}", json=body).status_code in {400, 404, 405}, name


LINES = "good: 很 word\nbad: word 很\n"


def test_twenty_people_write_at_once(client: TestClient) -> None:
    """Each has a paradigm of her own, and all of them fill the same lexicon: nothing fails and nothing is lost."""
    base = read(client, "lexicon.tsv")["revision"]

    def one(number: int) -> list[int]:
        browser = another(client)
        made = browser.post(f"{SMALL}/paradigms", json={"uid": f"p{number}", "phenomenon": "many"})
        file, revision = made.json()["file"], made.json()["revision"]
        found = [made.status_code]
        for turn in range(3):
            text = f"format: 1\nuid: p{number}\nphenomenon: many\nslots:\n  word: 好{turn}\n{LINES}"
            answer = write(browser, text, base=revision, file=file)
            assert answer.json()["saved"], answer.text
            found.append(answer.status_code)
            revision = answer.json()["revision"]
        row = {"do": "add", "rows": [[f"词{number}", "NN"]]}
        found.append(browser.post(f"{SMALL}/tables/lexicon.tsv", json={"base": base, "ops": [row]}).status_code)
        return found

    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(one, range(20)))
    assert statuses == [[201, 200, 200, 200, 200]] * 20
    words = {row[1] for row in get(client, "lexicon")["files"][0]["rows"]}
    assert {f"词{number}" for number in range(20)} <= words and len(words) == 38
    assert all("好2" in read(client, f"paradigms/many/p{number}.yaml")["text"] for number in range(20))


# Drafts: where there is something typed that is not saved, told without the texts themselves


TABLE = "tables/lexicon.tsv"


def test_a_table_that_is_held_back_is_among_the_drafts_until_it_is_saved(client: TestClient) -> None:
    """Who opens the lexicon at another machine learns that something is not in it yet."""
    base = read(client, "lexicon.tsv")["revision"]
    add = {"do": "add", "rows": [["", "NR"]], "after": 2}
    assert get(client, "drafts")["drafts"] == []
    assert not post(client, TABLE, base=base, tab="grid", ops=[add])["saved"]  # a row without a word
    (draft,) = get(client, "drafts")["drafts"]
    assert (draft["file"], draft["tab"], set(draft)) == ("lexicon.tsv", "grid", {"file", "time", "tab"})
    mended = {"do": "set", "line": 3, "column": "expression", "value": "老周"}
    assert post(client, TABLE, base=base, tab="grid", ops=[add, mended])["saved"]
    assert get(client, "drafts")["drafts"] == []


def test_a_draft_is_gone_when_its_tab_throws_it_away(client: TestClient) -> None:
    base = read(client, "lexicon.tsv")["revision"]
    post(client, TABLE, base=base, tab="grid", ops=[{"do": "add", "rows": [["", "NR"]], "after": 2}])
    assert client.delete(f"{SMALL}/drafts/lexicon.tsv?tab=grid").status_code == 204
    assert get(client, "drafts")["drafts"] == []


# History: every state that a file was in can be seen, compared and brought back


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


def test_the_history_of_a_project_lists_the_changes_of_all_files(client: TestClient) -> None:
    """Whoever comes back after a week sees at a glance what was done, and by whom."""
    first = get(client, "history")
    assert (len(first["revisions"]), first["more"]) == (6, False)  # the files of the small project
    assert {(each["reason"], each["created"], each["author"]) for each in first["revisions"]} == {("outside", True, "")}
    opened = read(client)
    written = write(client, opened["text"] + "# more\n", base=opened["revision"]).json()["revision"]
    gone = client.delete(f"{SMALL}/files/{CLASSIFIER}?base={read(client, CLASSIFIER)['revision']}").json()["revision"]
    back = post(client, "restore", revision=first["revisions"][0]["id"], base=None)  # it is as it was: no change
    assert not back["changed"]
    latest, edited, *others = get(client, "history")["revisions"]
    assert (latest["id"], latest["file"], latest["deleted"], latest["author"]) == (gone, CLASSIFIER, True, "local")
    assert (edited["id"], edited["file"], edited["created"], edited["base"]) == (
        written,
        GENDER,
        False,
        opened["revision"],
    )
    assert others == first["revisions"]
    assert get(client, "history", before=written)["revisions"] == others


def test_a_file_that_comes_back_was_created_again_or_restored(client: TestClient) -> None:
    base = read(client)["revision"]
    gone = client.delete(f"{SMALL}/files/{GENDER}?base={base}").json()["revision"]
    text = get(client, f"revisions/{base}")["text"]
    written = write(client, text + "# new\n", base=gone).json()
    assert written["saved"]
    assert [(each["created"], each["deleted"]) for each in get(client, "history")["revisions"][:2]] == [
        (True, False),
        (False, True),
    ]
