"""Calls while somebody types: previews, edits and completion, counted as browsers count, and phrases renamed."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message

import bidui.web.api.editing as renaming
from bidui.errors import Problem
from bidui.web.editing.preview import Answer
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.jobs import until_gone
from bidui.web.store.overview import ParadigmName, named_paradigms
from bidui.web.store.workspace import Entry
from bidui.web.workbench import Workbench

from ..editing.small import CLASSIFIER as CLASSIFIERS
from ..editing.small import CLASSIFIER as CLASSIFIER_TEXT
from ..editing.small import GENDER as TEXT
from ..editing.small import PHRASES
from ..served import complete, files_of, kinds, local
from .asking import CLASSIFIER, GENDER, SMALL, another, applied, as_browsers_do, get, js, post, read, write

RARE = TEXT.replace("# a comment at the top", "# 𠮷𠮷 at the top")  # two characters that a browser counts twice


def rows_of(client: TestClient, kind: str, text: str) -> Any:
    """The rows of a text, in the answer to a page that shows it."""
    if kind == "phrases":
        return post(client, "diagnose", kind="phrases", file="phrases.yaml", text=text)["rows"]
    return post(client, "preview", file=GENDER, text=text)["rows"]


def test_rows_have_their_places_in_the_text(client: TestClient) -> None:
    rows = rows_of(client, "paradigm", RARE)
    (wording,) = rows["wordings"]
    who = wording["slots"][0]
    assert (who["name"], who["rule"], who["path"]) == ("who", "pos:NR", ["slots", "who"])
    assert (who["rule_span"]["start"], who["rule_span"]["end"]) == js(RARE, "pos:NR")
    fields = {field["name"]: field for field in rows["fields"]}
    assert (fields["uid"]["value"], fields["source"]) == ("gender", {"name": "source", "value": "", "span": None})
    assert [item["text"] for item in wording["good"]["items"]] == ["who", "总是责怪", "right", "自己", "。"]
    assert [row["fate"] for row in wording["rows"]] == ["same", "same", "agree", "same", "same"]


def test_items_count_from_the_start_of_their_line(client: TestClient) -> None:
    text = TEXT.replace("good: who 总是责怪 right", "good: who 𠮷 right")
    (wording,) = rows_of(client, "paradigm", text)["wordings"]
    places = [(item["text"], item["start"], item["end"]) for item in wording["good"]["items"]]
    assert places[:3] == [("who", 0, 3), ("𠮷", 4, 6), ("right", 7, 12)]


def test_phrases_are_rows_too(client: TestClient) -> None:
    (person,) = rows_of(client, "phrases", PHRASES)
    assert (person["name"], len(person["alternatives"])) == ("Person", 2)
    assert person["alternatives"][0]["rule"] == "2* pos:NR gender:*"
    assert [part["name"] for part in person["alternatives"][1]["parts"]] == ["whose", "kin"]
    assert person["alternatives"][1]["head"] == "kin"


def test_what_is_not_yaml_has_no_rows_and_says_where(client: TestClient) -> None:
    answer = post(client, "preview", file=GENDER, text="uid: [\n")
    (problem,) = answer["problems"]
    assert answer["rows"] is None
    assert (problem["kind"], problem["place"]["line"]) == ("yaml-broken", 2)


STEPS: list[tuple[dict[str, Any], str, str]] = [
    ({"do": "set_field", "name": "edit", "value": "order"}, "edit: agreement", "edit: order"),
    ({"do": "set_rule", "slot": "who", "rule": "pos:NN 𠮷:*"}, "who: pos:NR", "who: pos:NN 𠮷:*"),
    ({"do": "add_slot", "slot": "verb", "rule": "pos:VV", "at": 0}, "  who: pos:NR", "  verb: pos:VV\n  who: pos:NR"),
    ({"do": "set_line", "side": "bad", "line": "自己 who"}, "bad: who 总是责怪 wrong 自己 。", "bad: 自己 who"),
    ({"do": "drop_bad", "row": 3}, "wrong 自己 。", "wrong 。"),
    ({"do": "move_bad", "row": 0, "to": 1}, "bad: who 总是责怪 wrong", "bad: 总是责怪 who wrong"),
]


@pytest.mark.parametrize(("step", "old", "new"), STEPS, ids=[step["do"] for step, _, _ in STEPS])
def test_a_step_changes_what_it_says_and_nothing_else(
    client: TestClient, step: dict[str, Any], old: str, new: str
) -> None:
    answer = post(client, "edit", kind="paradigm", text=RARE, **step)
    assert answer["text"] == RARE.replace(old, new)
    assert applied(RARE, answer["changes"]) == answer["text"]
    assert answer["rows"] == rows_of(client, "paradigm", answer["text"])


def test_every_other_step_of_a_paradigm_is_known(client: TestClient) -> None:
    steps: list[dict[str, Any]] = [
        {"do": "rename_slot", "slot": "who", "name": "person"},
        {"do": "move_slot", "slot": "who", "to": 1},
        {"do": "delete_slot", "slot": "wrong"},
        {"do": "move_row", "row": 0, "to": 1},
        {"do": "copy_bad", "row": 0, "to": 1},
        {"do": "delete_row", "row": 3},
        {"do": "same_again", "row": 2},
        {"do": "add_variant", "name": "second"},
        {"do": "set_option", "key": "weight", "value": "2"},
        {"do": "set_group", "key": "repeat", "groups": [["right", "wrong"]]},
    ]
    for step in steps:
        answer = post(client, "edit", kind="paradigm", text=RARE, **step)
        assert answer["text"] != RARE and applied(RARE, answer["changes"]) == answer["text"], step
    for step in ({"do": "delete_variant", "variant": 0}, {"do": "move_variant", "variant": 0, "to": 1}):
        assert post(client, "edit", kind="paradigm", text=CLASSIFIER_TEXT, **step)["text"] != CLASSIFIER_TEXT


def test_every_step_of_phrases_is_known(client: TestClient) -> None:
    second = {"phrase": "Person", "number": 1}
    steps: list[dict[str, Any]] = [
        {"do": "add_phrase", "name": "Thing", "rule": "pos:NN kind:thing"},
        {"do": "rename_phrase", "name": "Person", "to": "Human"},
        {"do": "delete_phrase", "name": "Person"},
        {"do": "set_depth", "name": "Person", "depth": "2"},
        {"do": "add_alternative", "phrase": "Person", "value": "pos:PN"},
        {"do": "add_alternative", "phrase": "Person", "value": {"parts": {"a": "我", "b": "pos:NN"}, "head": "b"}},
        {"do": "delete_alternative", **second},
        {"do": "move_alternative", **second, "to": 0},
        {"do": "set_alternative", **second, "key": "weight", "value": "3"},
        {"do": "set_part", **second, "part": "whose", "rule": "他"},
        {"do": "add_part", **second, "part": "de", "rule": "的"},
        {"do": "delete_part", **second, "part": "whose"},
        {"do": "move_part", **second, "part": "whose", "to": 1},
        {"do": "rename_part", **second, "part": "kin", "name": "relative"},
    ]
    for step in steps:
        answer = post(client, "edit", kind="phrases", text=PHRASES, **step)
        assert answer["text"] != PHRASES and applied(PHRASES, answer["changes"]) == answer["text"], step
    assert "head: relative" in answer["text"]
    two = post(client, "edit", kind="phrases", text=PHRASES, do="add_phrase", name="A", rule="我")["text"]
    assert post(client, "edit", kind="phrases", text=two, do="move_phrase", name="A", to=0)["rows"][0]["name"] == "A"


def test_a_step_that_cannot_be_done_says_why(client: TestClient) -> None:
    answer = post(client, "edit", 400, kind="paradigm", text=TEXT, do="set_rule", slot="nobody", rule="x")
    assert answer["problems"][0]["kind"] == "row-missing"
    post(client, "edit", 422, kind="paradigm", text=TEXT, do="explode")
    post(client, "edit", 422, kind="phrases", text=TEXT, do="set_rule", slot="who", rule="x")


def test_phrases_and_other_texts_are_diagnosed(client: TestClient) -> None:
    text = PHRASES.replace("kind:kin", "kind:kim")
    (found,) = post(client, "diagnose", kind="phrases", file="phrases.yaml", text=text)["diagnostics"]
    assert found["kind"] == "value-unknown" and (found["range"]["start"], found["range"]["end"]) == js(text, "kim")
    table = "expression\tpos\n\tNN\n"
    (found,) = post(client, "diagnose", kind="text", file="lexicon.tsv", text=table)["diagnostics"]
    assert (found["kind"], found["range"]["line"]) == ("lexicon-empty-expression", 2)
    assert post(client, "diagnose", kind="text", file="project.yaml", text="format: 1\nname: a\n") == {
        "diagnostics": []
    }


def test_the_diagnosis_of_phrases_has_their_rows(client: TestClient) -> None:
    answer = post(client, "diagnose", kind="phrases", file="phrases.yaml", text=PHRASES)
    assert answer == {
        "diagnostics": [],
        "rows": rows_of(client, "phrases", PHRASES),
        "problems": [],
    }
    broken = post(client, "diagnose", kind="phrases", file="phrases.yaml", text="phrases: [")
    assert (broken["rows"], broken["problems"][0]["kind"]) == (None, "yaml-broken")


def completed(client: TestClient, kind: str, text: str, cursor: int, **more: Any) -> Any:
    return post(client, "complete", kind=kind, text=text, cursor=cursor, **more)


def test_values_are_offered_with_the_words_they_leave(client: TestClient) -> None:
    """Of six nouns, four are things and two are kin."""
    found = completed(client, "rule", "pos:NN kind:", 12, slots={"who": "pos:NN kind:"}, slot="who")
    assert (found["start"], found["end"], found["more"]) == (12, 12, 0)
    counts = {option["text"]: option["count"] for option in found["options"]}
    assert (counts["thing"], counts["kin"], counts["*"]) == (4, 2, 6)


def test_slots_are_offered_in_lines_and_links(client: TestClient) -> None:
    slots = {"who": "pos:NR", "right": "pos:PN"}
    found = completed(client, "line", "𠮷 wh", 5, slots=slots)
    assert (found["start"], found["end"]) == (3, 5)
    assert found["options"][0]["text"] == "who"
    found = completed(client, "rule", "pos:PN mPos:", 12, slots=slots, slot="right")
    assert [option["text"] for option in found["options"]] == ["who"]


def test_the_plain_text_is_completed_at_the_cursor(client: TestClient) -> None:
    text = RARE.replace("who: pos:NR", "who: pos:N")
    cursor = js(text, "who: pos:N\n")[1] - 1
    found = completed(client, "text", text, cursor)
    assert (found["start"], found["end"]) == (cursor - 1, cursor)
    assert [(o["text"], o["count"]) for o in found["options"]][:2] == [("NN", 6), ("NR", 4)]


def test_odd_texts_get_an_answer(client: TestClient) -> None:
    """Whatever a browser may send in the middle of typing; each is answered, none breaks the server."""
    for text in ("\ud842", "a\x00b", "", "\ufeff", "x" * 100_001, "[" * 500, "slots: {a: &x [*x]}", "a: 1\na: 2"):
        for path, body in (
            ("edit", {"kind": "paradigm", "text": text, "do": "set_field", "name": "uid", "value": text[:9]}),
            ("edit", {"kind": "paradigm", "text": TEXT, "do": "set_rule", "slot": "who", "rule": text[:99]}),
            ("preview", {"file": GENDER, "text": text}),
            ("diagnose", {"kind": "phrases", "file": "phrases.yaml", "text": text}),
            ("diagnose", {"kind": "text", "file": "lexicon.tsv", "text": text}),
            ("diagnose", {"kind": "text", "file": "project.yaml", "text": text}),
            ("diagnose", {"kind": "text", "file": GENDER, "text": text}),
            ("diagnose", {"kind": "text", "file": "relations/a.tsv", "text": text}),
            (f"merge/{GENDER}", {"base": None, "mine": text}),
            ("merge/lexicon.tsv", {"base": None, "mine": text}),
            ("complete", {"kind": "rule", "text": text, "cursor": 10**30}),
            ("complete", {"kind": "text", "text": text, "cursor": -5}),
        ):
            answer = client.post(f"{SMALL}/{path}", **as_browsers_do(body))
            assert answer.status_code in {200, 400}, (path, text[:20], answer.text)
            assert answer.json()


def test_bodies_of_another_shape_are_refused(client: TestClient) -> None:
    """Whoever writes a script against the calls is told what is wrong, and nobody can break the server by a body."""
    bodies = (b"", b"{", b"[" * 100_000, b"null", b"3", b'"\xff"', b'{"kind": "paradigm"}', b'{"kind": 1, "text": []}')
    for body in bodies:
        for path in ("diagnose", "edit", "preview", "complete", "tables/lexicon.tsv", "restore", "counts"):
            answer = client.post(f"{SMALL}/{path}", content=body, headers={"Content-Type": "application/json"})
            refused = answer.status_code in {400, 422} and answer.json()["problems"]
            assert refused or path == "counts", (path, body[:20], answer.status_code)


def test_a_preview_shows_pairs_and_where_they_differ(client: TestClient) -> None:
    """Two names have one gender each, so there are two pairs; 𠮷 counts twice before the pronoun."""
    text = TEXT.replace("总是责怪", "𠮷")
    answer = post(client, "preview", file=GENDER, text=text, n=10, seed=3, editor="one")
    assert (answer["seed"], answer["complete"], answer["diagnostics"]) == (3, True, [])
    pairs = {pair["good"]: pair for pair in answer["pairs"]}
    assert set(pairs) == {"王先生𠮷他自己。", "李太太𠮷她自己。"}
    pair = pairs["王先生𠮷他自己。"]
    assert pair["bad"] == "王先生𠮷她自己。"
    assert pair["good_regions"] == [{"start": 5, "end": 6, "slot": "right", "edit": "agree"}]
    assert pair["bad_regions"] == [{"start": 5, "end": 6, "slot": "wrong", "edit": "agree"}]
    assert pair["slots"] == [["who", "王先生"], ["right", "他"], ["wrong", "她"]]


def test_a_problem_stands_under_its_characters(client: TestClient) -> None:
    text = RARE.replace("pos:NR", "pos:NR gendr:male")
    (found,) = post(client, "preview", file=GENDER, text=text, editor="one")["diagnostics"]
    assert (found["kind"], found["slot"], found["row"]) == ("feature-unknown", "who", ["slots", "who"])
    assert (found["range"]["start"], found["range"]["end"]) == js(text, "gendr")
    assert (found["range"]["line"], found["range"]["column"]) == (10, 15)
    assert found["inner"] == {"start": 7, "end": 12}
    assert "gendr" in found["text"]


def test_inside_a_quoted_rule_places_are_those_of_the_rule(client: TestClient) -> None:
    """The one-line editor shows the rule without YAML's quotes."""
    text = TEXT.replace("'pos:PN mmPos:who mmPro:gender'", "'pos:PN mmPos:whom mmPro:gender'")
    found = post(client, "preview", file=GENDER, text=text, editor="one")["diagnostics"]
    unknown = next(each for each in found if each["kind"] == "slot-unknown")
    assert (unknown["slot"], unknown["inner"]) == ("wrong", {"start": 13, "end": 17})


def test_in_a_line_with_a_rare_character_places_are_utf16(client: TestClient) -> None:
    text = TEXT.replace("good: who 总是责怪 right", "good: who 𠮷 rigth")
    found = post(client, "preview", file=GENDER, text=text, editor="one")["diagnostics"]
    unknown = next(each for each in found if each["row"] == ["good"])
    assert unknown["inner"] == {"start": 7, "end": 12}


def test_messages_are_in_the_language_asked_for(client: TestClient) -> None:
    body = {"file": GENDER, "text": TEXT.replace("pos:NR", "pos:"), "editor": "one"}
    texts = {
        lang: client.post(f"{SMALL}/preview", params={"lang": lang}, json=body).json()["diagnostics"][0]["text"]
        for lang in ("en", "zh")
    }
    assert texts["en"].isascii() and not texts["zh"].isascii()


def test_each_slot_says_how_many_words_fit(client: TestClient) -> None:
    """Four names, of which two have one gender and so a pronoun that agrees and one that does not."""
    slots = post(client, "preview", file=GENDER, text=TEXT, editor="one")["words"]
    shown = [(slot["slot"], slot["alone"], slot["joint"], slot["examples"]) for slot in slots]
    assert shown[0] == ("who", 4, 2, ["王先生", "李太太"])
    assert [slot[1:3] for slot in shown[1:]] == [(2, 2), (2, 2)]


def test_one_answer_has_everything_that_a_page_shows(client: TestClient) -> None:
    """At a pause in typing the text travels once."""
    answer = post(client, "preview", file=GENDER, text=TEXT, editor="one")
    assert [slot["name"] for slot in answer["rows"]["wordings"][0]["slots"]] == ["who", "right", "wrong"]
    assert [words["slot"] for words in answer["words"]] == ["who", "right", "wrong"]
    assert (len(answer["pairs"]), answer["problems"]) == (2, [])


def test_what_is_not_yaml_has_no_rows_in_a_preview_and_says_why(client: TestClient) -> None:
    answer = post(client, "preview", file=GENDER, text="uid: [\n", editor="one")
    assert (answer["rows"], answer["words"], answer["pairs"]) == (None, [], [])
    assert [(each["kind"], each["place"]["line"]) for each in answer["problems"]] == [("yaml-broken", 2)]
    assert answer["diagnostics"][0]["kind"] == "yaml-broken"


def test_rows_come_also_where_no_pairs_can_be_drawn(bench: Workbench) -> None:
    slow = replace(bench, workers=cast(PreviewWorkers, _Failing(Problem("preview-too-long", values={"seconds": "3"}))))
    answer = post(local(slow), "preview", file=GENDER, text=TEXT)
    assert [problem["kind"] for problem in answer["problems"]] == ["preview-too-long"]
    assert answer["rows"]["wordings"][0]["slots"][0]["name"] == "who" and answer["pairs"] == []
    crashed = replace(bench, workers=cast(PreviewWorkers, _Failing(Problem("preview-crashed"))))
    post(local(crashed), "preview", 503, file=GENDER, text=TEXT)


@dataclass(frozen=True)
class _Failing:
    """Workers that answer every question with the same problem."""

    problem: Problem

    def ask(self, *_: object, **__: object) -> "Future[Answer]":
        future: Future[Answer] = Future()
        future.set_result(Answer(problem=self.problem))
        return future


def test_where_no_word_is_left_each_condition_says_its_share(client: TestClient) -> None:
    text = TEXT.replace("pos:NR", "pos:NR kind:kin")
    slots = post(client, "preview", file=GENDER, text=text, editor="one")["words"]
    who = next(slot for slot in slots if slot["slot"] == "who")
    assert who["alone"] == 0
    assert {(n["text"], n["alone"], n["without"]) for n in who["narrowings"]} == {("pos:NR", 4, 2), ("kind:kin", 2, 4)}


def test_counts_are_exact(client: TestClient) -> None:
    """Classifiers: 3 + 3 + 4 + 3 wrong ones for four things; with 他 and with the seven people of the phrase."""
    answer = post(client, "count", file=CLASSIFIER, text=CLASSIFIER_TEXT, editor="one")
    assert (answer["value"], answer["exact"]) == (13 + 7 * 13, True)
    few = post(client, "count", file=GENDER, text=TEXT, editor="one")
    assert few["value"] == 2 and few["reasons"][0]["kind"] == "pairs-few"


def test_only_the_last_text_of_a_page_is_worked_on(client: TestClient) -> None:
    """Whoever types fast asks often; older questions are dropped, and nothing worse happens to them."""
    client.get("/api/me")

    def ask(number: int) -> int:
        body = {"file": GENDER, "text": f"{TEXT}# {number}\n", "editor": "typing"}
        return another(client).post(f"{SMALL}/preview", json=body).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(ask, range(16)))
    assert set(statuses) <= {200, 409} and 200 in statuses


class _Dropping:
    """Workers that have always had a newer question."""

    def ask(self, *_: object, **__: object) -> "Future[Answer]":
        future: Future[Answer] = Future()
        future.cancel()
        return future


def test_a_dropped_question_says_so(bench: Workbench) -> None:
    dropping = replace(bench, workers=cast(PreviewWorkers, _Dropping()))
    client = local(dropping)
    found = [post(client, path, 409, file=GENDER, text=TEXT) for path in ("preview", "count")]
    assert [answer["problems"][0]["kind"] for answer in found] == ["superseded"] * 2


def test_a_browser_that_goes_away_is_not_worked_for() -> None:
    """A closed page must not keep a worker busy for half a minute."""

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    future: Future[Answer] = Future()
    request = Request({"type": "http"}, gone)

    async def answer() -> Answer | None:
        return await until_gone(asyncio.wrap_future(future), request)

    assert complete(answer()) is None
    assert future.cancelled()


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


def test_the_names_of_paradigms_are_looked_up_once_for_each_state_of_the_files(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fifty people who type, reading all of them with every key would hold up everybody."""
    read_names: list[Entry] = []

    def watched(entry: Entry) -> tuple[ParadigmName, ...]:
        read_names.append(entry)
        return named_paradigms(entry)

    monkeypatch.setattr(renaming, "named_paradigms", watched)
    for number in range(3):
        shown = post(client, "preview", file=GENDER, text=f"{TEXT}# {number}\n")["diagnostics"]
        assert [each["kind"] for each in shown] == []
    assert len(read_names) == 1
    post(client, "paradigms", 201, uid="other", phenomenon="anaphor")
    shown = post(client, "preview", file=GENDER, text=TEXT.replace("uid: gender", "uid: Other"))["diagnostics"]
    assert [each["kind"] for each in shown] == ["paradigm-twice"]
    assert len(read_names) == 2
