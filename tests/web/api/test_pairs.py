"""Calls that show pairs: those of the command, with the same numbers, found by paradigm and text, and made once."""

import json
import shutil
from array import array
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bidui.pairs.pair import Short
from bidui.web import jobs
from bidui.web.pair_sets import PairSet, UnnamedFile
from bidui.web.workbench import Workbench

from .asking import CLASSIFIER, GENDER, SMALL, get, read, write


@pytest.fixture
def database() -> None:
    """One kind of database is enough: pairs are made from files, in processes that take a second each."""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What sets of pairs were made for: each costs a process."""
    calls: list[dict[str, Any]] = []
    make = jobs.make_pair_set

    async def counted(folder: Path, **options: Any) -> Any:
        calls.append(options)
        return await make(folder, **options)

    monkeypatch.setattr(jobs, "make_pair_set", counted)
    return calls


def page(client: TestClient, **query: Any) -> Any:
    return get(client, "pairs/page", **query)


def test_the_pairs_are_those_of_the_command(client: TestClient, made: list[dict[str, Any]]) -> None:
    """Whoever looks at pair 3 here finds it as pair 3 in the download, which is what `bidui generate` writes.

    There are two sentences of gender (王先生 and 李太太; the others agree with both pronouns or with none), and the
    phenomenon anaphor comes before classifier.
    """
    shown = page(client, n=5, seed=3)
    assert (shown["total"], shown["all"], shown["start"]) == (7, 7, 0)
    assert [(pair["uid"], pair["pair"]) for pair in shown["pairs"]] == [
        *(("gender", number) for number in range(2)),
        *(("classifier", number) for number in range(5)),
    ]
    for uid in ("gender", "classifier"):
        lines = client.get(f"{SMALL}/pairs", params={"n": 5, "seed": 3, "uid": uid}).text.splitlines()
        expected = [(record["sentence_good"], record["sentence_bad"]) for record in map(json.loads, lines)]
        assert [(pair["good"], pair["bad"]) for pair in shown["pairs"] if pair["uid"] == uid] == expected
    assert made == [{"n": 5, "seed": 3, "uid": None}]


def test_pairs_are_found_and_their_difference_is_marked(client: TestClient, made: list[dict[str, Any]]) -> None:
    shown = page(client, n=5, text="王先生")
    (pair,) = [pair for pair in shown["pairs"] if pair["uid"] == "gender"]
    assert (pair["good"], pair["bad"]) == ("王先生总是责怪他自己。", "王先生总是责怪她自己。")
    assert [(each["start"], each["end"]) for each in pair["good_regions"]] == [(7, 8)]
    assert [(each["start"], each["end"]) for each in pair["bad_regions"]] == [(7, 8)]
    assert (pair["file"], pair["phenomenon"], pair["variant"]) == (GENDER, "anaphor", "")
    assert page(client, n=5, phenomenon="classifier")["total"] == 5
    assert {pair["uid"] for pair in page(client, n=5, phenomenon="classifier")["pairs"]} == {"classifier"}
    assert page(client, n=5, uid="gender")["total"] == 2
    assert page(client, n=5, phenomenon="classifier", text="责怪")["total"] == 0
    assert page(client, n=5, text="没有这样的句子")["pairs"] == []
    second = page(client, n=5, start=5, most=1)
    assert ([pair["pair"] for pair in second["pairs"]], second["total"]) == ([3], 7)
    assert len(made) == 1  # whatever is looked for, the pairs are made once


def test_pairs_are_made_again_when_the_project_changes(client: TestClient, made: list[dict[str, Any]]) -> None:
    """A page never shows pairs of files that are not saved any more."""
    assert page(client, n=5, uid="gender")["total"] == 2
    opened = read(client)
    assert write(client, opened["text"].replace("总是", "常常"), base=opened["revision"]).json()["saved"]
    assert all("常常" in pair["good"] for pair in page(client, n=5, uid="gender")["pairs"])
    assert page(client, n=5, uid="gender")["total"] == 2
    assert made == [{"n": 5, "seed": 0, "uid": "gender"}] * 2


def test_few_sets_are_kept(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes room on the disk; beyond four, the one that was made longest ago goes."""
    seeds: list[int] = []
    empty = PairSet(UnnamedFile(), array("Q", [0]), (), (Short(1, 0, "gender", "a test"),))

    async def make(folder: Path, *, seed: int, **_: Any) -> PairSet:
        seeds.append(seed)
        return empty

    monkeypatch.setattr(jobs, "make_pair_set", make)
    for seed in (0, 1, 2, 3, 3, 0, 4, 0):
        assert page(client, n=1, seed=seed)["all"] == 0
    assert seeds == [0, 1, 2, 3, 4, 0]


def test_paradigms_that_fall_short_say_why(client: TestClient) -> None:
    shown = page(client, n=5)
    (short,) = shown["short"]
    assert (short["uid"], short["file"], short["given"], short["asked"]) == ("gender", GENDER, 2, 5)
    assert "2" in short["reason"]
    assert {each["uid"]: each["pairs"] for each in shown["paradigms"]} == {"gender": 2, "classifier": 5}


def test_errors_are_shown_with_their_places(client: TestClient, bench: Workbench) -> None:
    """An empty page would leave the reader without a clue; one paradigm's error does not hide another's pairs."""
    file = bench.store.root / "small" / CLASSIFIER
    file.write_text(file.read_text("utf-8").replace("kind:thing", "kind:thong"), "utf-8")
    problem = get(client, "pairs/page", 400, n=5)["problems"][0]
    assert (problem["place"]["file"], problem["values"]["value"]) == (CLASSIFIER, "thong")
    assert page(client, n=5, uid="gender")["total"] == 2
    shutil.rmtree(bench.store.root / "small" / "paradigms" / "classifier")
    assert page(client, n=5)["all"] == 2


def test_an_excluded_paradigm_is_shown_when_it_is_chosen(client: TestClient) -> None:
    """`bidui generate` leaves it out, but somebody decides on it, and wants to see its pairs."""
    opened = read(client)
    changed = opened["text"].replace("edit: agreement", "status: excluded\nreason: a test\nedit: agreement")
    assert write(client, changed, base=opened["revision"]).json()["saved"]
    shown = page(client, n=5)
    assert {each["uid"]: (each["excluded"], each["pairs"]) for each in shown["paradigms"]} == {
        "gender": (True, None),
        "classifier": (False, 5),
    }
    assert shown["all"] == 5 and page(client, n=5, uid="gender")["total"] == 2


def test_the_diversity_is_that_of_the_command(client: TestClient) -> None:
    """Two pairs of eleven characters; 王先生 and 李太太, 他 and 她 are the words of the lexicon in them."""
    figures = get(client, "pairs/diversity", n=5, uid="gender")
    assert (figures["sentences"], figures["distinct_sentences"], figures["lexicon_words"]) == (4, 4, 4)
    assert (figures["mean_length"], figures["equal"], figures["unit"]) == (11, 2, "characters")
    assert get(client, "pairs/diversity", n=5, uid="gender") == figures


def test_a_draft_is_not_in_the_pairs_and_is_named(client: TestClient) -> None:
    opened = read(client)
    assert write(client, opened["text"].replace("good:", "godo:"), base=opened["revision"]).json()["draft"]
    shown = page(client, n=5, uid="gender")
    assert (shown["drafts"], shown["total"]) == ([GENDER], 2)


def test_what_cannot_be_asked_is_refused(client: TestClient) -> None:
    assert get(client, "pairs/page", 400, uid="*")["problems"][0]["kind"] == "uid-unknown"
    assert client.get(f"{SMALL}/pairs/page", params={"n": 1_001}).status_code == 422
    assert client.get(f"{SMALL}/pairs/page", params={"start": -1}).status_code == 422
