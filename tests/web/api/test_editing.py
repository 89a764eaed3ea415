"""Editing: what is typed is seen as rows, previewed and completed, with every place counted as browsers count."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from ..editing.small import CLASSIFIER as CLASSIFIER_TEXT
from ..editing.small import GENDER as TEXT
from ..editing.small import PHRASES
from .asking import GENDER, SMALL, applied, as_browsers_do, js, post

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
    ({"do": "set_bad", "row": 1, "item": "常常"}, "bad: who 总是责怪 wrong", "bad: who 常常 wrong"),
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
        {"do": "set_good", "row": 1, "item": "常常"},
        {"do": "add_row", "at": 0, "item": "今天"},
        {"do": "move_row", "row": 0, "to": 1},
        {"do": "copy_bad", "row": 0, "to": 1},
        {"do": "delete_row", "row": 3},
        {"do": "same_again", "row": 2},
        {"do": "same_again"},
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
