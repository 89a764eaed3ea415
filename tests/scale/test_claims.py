"""Claims: one at a time, whatever dies, sleeps or has the same name."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bidui.scale.tasks import Claim, hand_to, release, take, touch

DAY = 86_400.0


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def claimed(folder: Path, *, host: str, process: int, age: float, number: int = 0) -> Path:
    """The claim of somebody else, last touched `age` seconds ago."""
    file = folder / f"a.{number}.claim"
    file.write_text(json.dumps({"host": host, "process": process, "since": "2026-01-01T00:00:00"}))
    os.utime(file, (time.time() - age,) * 2)
    return file


def test_of_many_at_once_one_gets_the_task(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)
    found: list[Claim | None] = []

    def try_it() -> None:
        barrier.wait()
        found.append(take(tmp_path, "a", stale=60))

    threads = [threading.Thread(target=try_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in found) == 1


def test_what_is_released_can_be_had_again(tmp_path: Path) -> None:
    first = take(tmp_path, "a", stale=60)
    assert first is not None and take(tmp_path, "a", stale=60) is None
    release(first)
    assert list(tmp_path.iterdir()) == []
    assert take(tmp_path, "a", stale=60) is not None


def test_names_that_look_like_each_other_do_not_meet(tmp_path: Path) -> None:
    """1.4b has a dot in it."""
    names = ("a", "a.0", "a.0.claim", "[a]")
    assert all(take(tmp_path, name, stale=60) is not None for name in names)
    assert all(take(tmp_path, name, stale=60) is None for name in names)


@pytest.mark.parametrize(
    ("host", "alive", "age", "to_be_had"),
    [
        ("another", True, 0, False),
        ("another", True, 50, False),
        ("another", True, 70, True),  # nothing was heard of it for longer than a minute
        ("here", True, DAY, False),  # it is there, so it is at work, even if who started it is gone
        ("here", False, 40, True),  # it is not there: no need to wait
        ("here", False, 0, False),  # but it was touched just now: another machine has the same name
    ],
)
def test_a_claim_holds_while_its_owner_is_at_work(
    tmp_path: Path, host: str, alive: bool, age: float, to_be_had: bool
) -> None:
    name = socket.gethostname() if host == "here" else "another-machine"
    claimed(tmp_path, host=name, process=os.getpid() if alive else dead_process(), age=age)
    assert (take(tmp_path, "a", stale=60) is not None) is to_be_had


def test_only_one_takes_over(tmp_path: Path) -> None:
    """If the void claim were removed first, the second to see it could remove that of the one who took over."""
    file = claimed(tmp_path, host="another-machine", process=1, age=DAY)
    first = take(tmp_path, "a", stale=60)
    assert first is not None and first.number == 1
    assert take(tmp_path, "a", stale=60) is None
    release(first)
    assert list(tmp_path.iterdir()) == [file]  # else a number would be free that somebody may have seen taken
    again = take(tmp_path, "a", stale=60)
    assert again is not None and again.number == 1


def test_who_slept_learns_that_another_took_over(tmp_path: Path) -> None:
    mine = take(tmp_path, "a", stale=60)
    assert mine is not None and touch(mine)
    claimed(tmp_path, host="another-machine", process=1, age=0, number=1)
    assert not touch(mine)


def test_touching_keeps_a_claim(tmp_path: Path) -> None:
    mine = take(tmp_path, "a", stale=60)
    assert mine is not None
    os.utime(mine.file, (0, 0))
    assert touch(mine)
    assert time.time() - mine.file.stat().st_mtime < 60
    mine.file.unlink()
    assert touch(mine)  # removed by hand: not taken over


def test_the_process_at_work_is_named(tmp_path: Path) -> None:
    mine = take(tmp_path, "a", stale=60)
    assert mine is not None
    hand_to(mine, 12345)
    assert json.loads(mine.file.read_text())["process"] == 12345


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"host": "x", "process": "y"}'])
def test_half_a_claim_holds_until_it_is_old(tmp_path: Path, text: str) -> None:
    """Another may be about to write the rest of it."""
    file = tmp_path / "a.0.claim"
    file.write_text(text)
    assert take(tmp_path, "a", stale=60) is None
    os.utime(file, (0, 0))
    assert take(tmp_path, "a", stale=60) is not None
