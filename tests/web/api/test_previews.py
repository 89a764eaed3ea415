"""Previews: pairs, words and counts of what is typed, with problems under the characters that caused them."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import cast

from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message

from bidui.errors import Problem
from bidui.web.editing.preview import Answer
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.jobs import answered
from bidui.web.store.accounts import local_user
from bidui.web.workbench import Workbench

from ..editing.small import CLASSIFIER as CLASSIFIER_TEXT
from ..editing.small import GENDER as TEXT
from .asking import CLASSIFIER, GENDER, SMALL, another, js, post
from .conftest import Browser

RARE = TEXT.replace("# a comment at the top", "# 𠮷𠮷 at the top")  # two characters that a browser counts twice


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


def test_rows_come_also_where_no_pairs_can_be_drawn(bench: Workbench, browser: Browser) -> None:
    slow = replace(bench, workers=cast(PreviewWorkers, _Failing(Problem("preview-too-long", values={"seconds": "3"}))))
    answer = post(browser(slow, local_user(bench.store)), "preview", file=GENDER, text=TEXT)
    assert [problem["kind"] for problem in answer["problems"]] == ["preview-too-long"]
    assert answer["rows"]["wordings"][0]["slots"][0]["name"] == "who" and answer["pairs"] == []
    crashed = replace(bench, workers=cast(PreviewWorkers, _Failing(Problem("preview-crashed"))))
    post(browser(crashed, local_user(bench.store)), "preview", 503, file=GENDER, text=TEXT)


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


def test_a_dropped_question_says_so(bench: Workbench, browser: Browser) -> None:
    dropping = replace(bench, workers=cast(PreviewWorkers, _Dropping()))
    client = browser(dropping, local_user(bench.store))
    found = [post(client, path, 409, file=GENDER, text=TEXT) for path in ("preview", "count")]
    assert [answer["problems"][0]["kind"] for answer in found] == ["superseded"] * 2


def test_a_browser_that_goes_away_is_not_worked_for() -> None:
    """A closed page must not keep a worker busy for half a minute."""

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    future: Future[Answer] = Future()
    request = Request({"type": "http"}, gone)
    assert asyncio.run(answered(future, request)) is None
    assert future.cancelled()
