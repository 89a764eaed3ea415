"""What threads share: values that are kept for a while, and turns that are taken."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from bidui.web.workbench import Recent, Turns


def test_what_was_used_last_is_kept() -> None:
    recent: Recent[str] = Recent(2)
    made: list[str] = []

    def get(key: str) -> str:
        return recent.get(key, lambda: made.append(key) or key.upper())

    assert [get(key) for key in "abacab"] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]  # b was forgotten for c, since a had been used after it
    recent.put("d", "given")
    assert recent.get("d", lambda: "made") == "given"


def test_one_thing_is_done_by_one_thread_at_a_time() -> None:
    turns = Turns()
    inside: list[str] = []
    most = 0

    def work(thing: str) -> None:
        nonlocal most
        with turns.take(thing):
            inside.append(thing)
            most = max(most, inside.count(thing))
            time.sleep(0.001)
            inside.remove(thing)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, ["a", "b"] * 20))
    assert most == 1


def test_different_things_do_not_wait_for_each_other() -> None:
    turns = Turns()
    with turns.take("a"), ThreadPoolExecutor(1) as pool:
        done = threading.Event()

        def other() -> None:
            with turns.take("b"):
                done.set()

        pool.submit(other)
        assert done.wait(120)
