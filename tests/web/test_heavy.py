"""Heavy work: it has a time limit, a queue and its own processes, so that the server keeps answering and can stop."""

import json
import random
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future
from math import factorial
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.web.heavy import MOST_EACH, HeavyWork, are_light, change_table, is_light

from .browser.running import SECONDS, Running
from .served import complete
from .store.small import write_small


@pytest.fixture
def work() -> Iterator[HeavyWork]:
    pool = HeavyWork(seconds=4)
    yield pool
    pool.close()


def test_what_does_not_end_is_stopped_and_others_go_on(work: HeavyWork) -> None:
    with pytest.raises(InputError, match="more than 4 seconds"):
        work.submit(time.sleep, 3600, who=1).result(SECONDS)
    assert work.submit(factorial, 5, who=1).result(SECONDS) == 120
    assert complete(work.run(factorial, 4, who=1, light=True)) == 24


def test_errors_come_back_as_they_are(work: HeavyWork) -> None:
    step = ("set", {"line": 7, "column": "expression", "value": "b"})
    with pytest.raises(InputError) as error:
        work.submit(change_table, "expression\na\n", [step], who=1).result(SECONDS)
    assert [(each.kind, each.values["row"]) for each in error.value.problems] == [("row-missing", 7)]


def test_nobody_takes_the_whole_queue(work: HeavyWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_call", lambda *_: go.wait(SECONDS))
    go = threading.Event()
    waiting: list[Future[object]] = [work.submit(factorial, 1, who=1) for _ in range(MOST_EACH)]
    with pytest.raises(InputError, match="try again"):
        work.submit(factorial, 1, who=1)
    waiting.append(work.submit(factorial, 1, who=2))
    go.set()
    for each in waiting:
        each.result(SECONDS)
    assert work.submit(factorial, 1, who=1).result(SECONDS)


def test_closing_ends_what_is_at_work() -> None:
    pool = HeavyWork(seconds=3600)
    future = pool.submit(time.sleep, 3600, who=1)
    while not pool._busy:
        time.sleep(0.01)
    pool.close()
    with pytest.raises(InputError):
        future.result(SECONDS)


def test_small_texts_are_light_and_many_steps_on_large_ones_are_not() -> None:
    assert is_light("a\n" * 1000, "") and not is_light("a\n" * 1001) and not is_light("", "a" * 100_001)
    columns = [("column", {"name": f"c{number}"}) for number in range(500)]
    cells = [("set", {"line": line, "column": "pos", "value": "NN"}) for line in range(2, 502)]
    table = "expression\tpos\n" + "x\ty\n" * 10_000
    assert are_light(table, cells) and not are_light(table, columns)
    assert change_table("expression\na\n", columns[:2]).split("\n")[0] == "expression\tc0\tc1"


def shuffled(seed: int) -> str:
    """60,000 lines of 100 kinds: the worst for a comparison, since none of them is common enough to be left out."""
    lines = [f"line {number % 100}\n" for number in range(60_000)]
    random.Random(seed).shuffle(lines)
    return "".join(lines)


def test_no_comparison_holds_up_the_server_or_keeps_it_from_ending(tmp_path: Path) -> None:
    write_small(tmp_path / "work" / "small")
    server = Running(tmp_path / "work")
    server.start()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.open(server.address).close()
    api = f"{server.home}/api/projects/small"
    numbers, base = [], None
    try:
        for seed in (1, 2):
            body = json.dumps({"text": shuffled(seed), "base": base}).encode()
            headers = {"Content-Type": "application/json", "Origin": server.home}
            request = urllib.request.Request(f"{api}/files/notes.md", body, headers, method="PUT")
            with browser.open(request) as answer:
                numbers.append(base := json.load(answer)["revision"])
        statuses: list[int] = []

        def ask() -> None:
            try:
                statuses.append(browser.open(f"{api}/difference?old={numbers[0]}&new={numbers[1]}").status)
            except OSError as error:
                statuses.append(getattr(error, "code", 0))

        asking = [threading.Thread(target=ask) for _ in range(45)]
        for thread in asking:
            thread.start()
        while len(statuses) < 45 - MOST_EACH:  # these are refused at once
            time.sleep(0.05)
        assert set(statuses) == {503}
        with browser.open(f"{server.home}/api/me") as answer:
            assert json.load(answer)["role"] == "owner"
        server.stop()
        for thread in asking:
            thread.join()
        assert 200 not in statuses
    finally:
        server.kill()
