"""Tasks: each runs once, whoever else is at it, and one that fails stops no other."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.scale.tasks import Claim, Outcome, Status, Task, hand_to, release, run_all, take, touch

ROOT = Path(__file__).parent.parent.parent
EVERY = 0.02


def shell(folder: Path, name: str, script: str) -> Task:
    """A task that is done when the file of its name is there."""
    return Task(name, ("sh", "-c", f"cd '{folder}'; {script}"), (folder / name).exists)


def states(outcomes: tuple[Outcome, ...]) -> dict[str, str]:
    return {outcome.name: outcome.state for outcome in outcomes}


def until(true: Callable[[], bool]) -> None:
    for _ in range(12_000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


def test_what_is_done_is_not_run_again(tmp_path: Path) -> None:
    tasks = [shell(tmp_path, name, f"echo {name} >> ran; touch {name}") for name in ("a", "b", "c")]
    (tmp_path / "b").touch()
    assert states(run_all(tasks, folder=tmp_path / "t", every=EVERY)) == {"a": "done", "b": "there", "c": "done"}
    assert (tmp_path / "ran").read_text() == "a\nc\n"
    assert set(states(run_all(tasks, folder=tmp_path / "t", every=EVERY)).values()) == {"there"}
    assert (tmp_path / "ran").read_text() == "a\nc\n"
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["a.log", "c.log"]  # and no claim is left


def test_one_that_fails_stops_no_other_and_says_why(tmp_path: Path) -> None:
    tasks = [
        shell(tmp_path, "broken", "for n in 1 2 3 4 5 6; do echo line $n; done; echo 坏了 >&2; exit 3"),
        shell(tmp_path, "empty", "exit 0"),
        Task("absent", (str(tmp_path / "no-such-command"),), lambda: False),
        shell(tmp_path, "right", "touch right"),
    ]
    found = {outcome.name: outcome for outcome in run_all(tasks, folder=tmp_path / "t", every=EVERY)}
    assert found["broken"].reason.splitlines() == ["line 3", "line 4", "line 5", "line 6", "坏了", "exit code 3"]
    assert (found["empty"].state, found["empty"].reason) == ("failed", "exit code 0")  # it left nothing behind
    assert (found["absent"].state, found["absent"].reason) == ("failed", "No such file or directory")
    assert found["right"].state == "done"
    assert list((tmp_path / "t").glob("*.claim")) == []


def test_as_many_run_at_once_as_there_are_workers(tmp_path: Path) -> None:
    """Each of the two waits for the other to begin, so one after the other they would never end."""
    wait = "touch began-{0}; until [ -e began-{1} ]; do sleep 0.01; done; echo $GPU > {0}"
    tasks = [shell(tmp_path, "a", wait.format("a", "b")), shell(tmp_path, "b", wait.format("b", "a"))]
    found = run_all(tasks, folder=tmp_path / "t", workers=[{"GPU": "0"}, {"GPU": "1"}], every=EVERY)
    assert set(states(found).values()) == {"done"}
    assert {(tmp_path / name).read_text() for name in ("a", "b")} == {"0\n", "1\n"}


def test_one_worker_does_one_at_a_time(tmp_path: Path) -> None:
    alone = "mkdir busy || exit 1; sleep 0.03; rmdir busy; touch {0}"
    tasks = [shell(tmp_path, name, alone.format(name)) for name in "abc"]
    statuses: list[Status] = []
    found = run_all(tasks, folder=tmp_path / "t", every=EVERY, on_status=statuses.append)
    assert [(outcome.name, outcome.state) for outcome in found] == [("a", "done"), ("b", "done"), ("c", "done")]
    assert {len(status.running) for status in statuses} == {0, 1}
    assert all(len(status.running) + len(status.waiting) + len(status.outcomes) == 3 for status in statuses)
    assert statuses[-1].outcomes == found


def test_machines_that_share_a_disk_divide_the_work(tmp_path: Path) -> None:
    """Each task is run by one of the three, and all three end when all is done."""
    tasks = [shell(tmp_path, name, f"echo {name} >> ran; sleep 0.02; touch {name}") for name in "abcdefgh"]
    found: list[dict[str, str]] = []

    def machine() -> None:
        found.append(states(run_all(tasks, folder=tmp_path / "t", every=EVERY)))

    threads = [threading.Thread(target=machine) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((tmp_path / "ran").read_text().split()) == list("abcdefgh")
    assert all(outcomes.keys() == set("abcdefgh") for outcomes in found)
    assert sorted(state for outcomes in found for state in outcomes.values()) == ["done"] * 8 + ["there"] * 16


def test_the_task_of_a_machine_that_died_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "a.0.claim").write_text('{"host": "another-machine", "process": 1}')
    os.utime(tmp_path / "a.0.claim", (0, 0))
    assert states(run_all([shell(tmp_path, "a", "touch a")], folder=tmp_path, every=EVERY)) == {"a": "done"}


def test_who_slept_lets_go_of_what_another_took_over(tmp_path: Path) -> None:
    """The two would write into each other's files; what the sleeper has is not even saved."""
    slow = shell(tmp_path, "a", "trap 'touch saved' TERM; touch began; while :; do sleep 0.01; done")

    def take_over(status: Status) -> None:
        if (tmp_path / "began").exists() and status.running and not (tmp_path / "a.1.claim").exists():
            (tmp_path / "a.1.claim").write_text('{"host": "another-machine", "process": 1}')
        elif not status.running:
            (tmp_path / "a").touch()  # by the other

    assert states(run_all([slow], folder=tmp_path, every=EVERY, on_status=take_over)) == {"a": "there"}
    assert not (tmp_path / "saved").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_it_stops_its_processes_and_waits_until_they_have_saved(tmp_path: Path, number: int) -> None:
    """A training run left behind would go on in a folder that the next call takes for its own."""
    script = tmp_path / "script.py"
    child = "trap 'sleep 0.2; touch saved; exit 1' TERM; trap '' INT; touch began; while :; do sleep 0.01; done"
    script.write_text(
        "from pathlib import Path\n"
        "from bidui.scale.tasks import Task, run_all\n"
        f"run_all([Task('a', ('sh', '-c', {child!r}), lambda: False)], folder=Path('t'), every=0.02)\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stderr=subprocess.DEVNULL,
    )
    until((tmp_path / "began").exists)
    process.send_signal(number)
    assert process.wait() != 0
    assert (tmp_path / "saved").exists()
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["a.log"]


def test_a_folder_that_cannot_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t").touch()
    with pytest.raises(InputError, match="File exists"):
        run_all([shell(tmp_path, "a", "touch a")], folder=tmp_path / "t", every=EVERY)
    assert not (tmp_path / "a").exists()


def test_nothing_to_do_is_done(tmp_path: Path) -> None:
    assert run_all([], folder=tmp_path / "t") == ()


# Claims: one at a time, whatever dies, sleeps or has the same name.


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
