"""What threads share: values kept for a while, turns that are taken, and who has which file open."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bidui.web import workbench
from bidui.web.workbench import LASTS, FairTurns, Grouped, Presence, Recent, Turns

from .served import complete


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


# Presence: pages that have a file open know of each other, and are forgotten when they fall silent


class Clock:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


FILE = (1, "lexicon.tsv")


def test_others_are_those_in_the_same_file_but_oneself() -> None:
    there = Presence()
    there.arrive(FILE, user=1, name="Li", tab="a")
    there.arrive(FILE, user=2, name="Wang", tab="a")
    there.arrive((2, "lexicon.tsv"), user=3, name="Zhao", tab="a")  # the same name in another project
    there.arrive((1, "phrases.yaml"), user=4, name="Chen", tab="a")
    assert there.others(FILE, user=1, tab="a") == ["Wang"]
    assert there.others(FILE, user=2, tab="a") == ["Li"]


def test_ones_own_other_tab_is_another() -> None:
    """Two tabs of one person can overwrite each other as two persons can."""
    there = Presence()
    there.arrive(FILE, user=1, name="Li", tab="a")
    there.arrive(FILE, user=1, name="Li", tab="b")
    assert there.others(FILE, user=1, tab="a") == ["Li"]
    there.leave(user=1, tab="b")
    assert there.others(FILE, user=1, tab="a") == []


def test_whoever_falls_silent_is_forgotten() -> None:
    """A browser that crashed does not say goodbye."""
    clock = Clock()
    there = Presence(clock=clock)
    there.arrive(FILE, user=1, name="Li", tab="a")
    clock.time = LASTS - 1
    assert there.others(FILE, user=2, tab="a") == ["Li"]
    clock.time = LASTS + 1
    assert there.others(FILE, user=2, tab="a") == []


def test_a_page_is_in_one_file_at_a_time() -> None:
    there = Presence()
    there.arrive(FILE, user=1, name="Li", tab="a")
    there.arrive((1, "phrases.yaml"), user=1, name="Li", tab="a")
    assert there.others(FILE, user=2, tab="a") == []
    assert there.others((1, "phrases.yaml"), user=2, tab="a") == ["Li"]


def test_tabs_made_up_without_end_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench, "MOST_PAGES", 3)
    there = Presence()
    for number in range(5):
        there.arrive(FILE, user=number, name=str(number), tab="a")
    assert there.others(FILE, user=9, tab="a") == ["2", "3", "4"]


def test_long_work_is_done_in_turns_however_much_one_person_asks_for() -> None:
    """Li asks for five exports before Wang and Zhao ask for one each; those two come after the first of hers."""
    li, wang, zhao = 1, 2, 3
    done: list[int] = []

    async def work(turns: FairTurns, who: int) -> None:
        async with turns.take(who):
            await asyncio.sleep(0)
            done.append(who)

    async def ask() -> None:
        turns = FairTurns(1)
        await asyncio.gather(*(work(turns, who) for who in (li, li, li, li, li, wang, zhao)))
        gone = [asyncio.ensure_future(work(turns, who)) for who in (li, wang)]
        await asyncio.sleep(0)
        gone[1].cancel()  # her browser has gone while she waits
        await asyncio.gather(*gone, return_exceptions=True)
        await work(turns, zhao)

    complete(ask())
    assert done == [li, wang, zhao, li, li, li, li, li, zhao]


def test_what_comes_at_once_is_written_together_and_each_gets_its_own_answer() -> None:
    """A burst of answers waits for a few commits; where one fails, nobody is told that hers is stored."""
    groups: list[list[int]] = []

    def write(numbers: list[int]) -> list[int]:
        groups.append(numbers)
        if -1 in numbers:
            raise OSError("the disk is full")
        return [10 * number for number in numbers]

    async def come() -> None:
        assert await grouped.put(0, write) == 0  # alone, and not kept waiting
        assert await asyncio.gather(*(grouped.put(number, write) for number in range(1, 4))) == [10, 20, 30]
        failed = await asyncio.gather(*(grouped.put(each, write) for each in (5, -1)), return_exceptions=True)
        assert [type(each) for each in failed] == [OSError, OSError]
        gone = asyncio.ensure_future(grouped.put(6, write))
        await asyncio.sleep(0)
        gone.cancel()  # whoever has gone keeps nobody from her answer
        assert await grouped.put(7, write) == 70

    grouped = Grouped()
    complete(come())
    grouped.close()
    assert groups == [[0], [1, 2, 3], [5, -1], [6, 7]]
