"""Tasks: what is done is not run again, and one that fails stops no other."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.scale.tasks import Outcome, Status, Task, run_all

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
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["a.log", "c.log"]


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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can")
def test_a_process_dies_with_its_parent_if_it_is_asked_to() -> None:
    """A run whose torchrun was killed would go on beside the one that is started again."""
    child = "from bidui.signals import die_with_parent; die_with_parent(); print(1, flush=True); input()"
    command = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    parent = subprocess.Popen(
        [sys.executable, "-c", command], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None and parent.stdout.readline() == b"1\n"
    parent.kill()
    assert parent.stdout.read() == b""  # nobody has it open any more
    parent.communicate()


def test_a_folder_that_cannot_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t").touch()
    with pytest.raises(InputError, match="File exists"):
        run_all([shell(tmp_path, "a", "touch a")], folder=tmp_path / "t", every=EVERY)
    assert not (tmp_path / "a").exists()


def test_nothing_to_do_is_done(tmp_path: Path) -> None:
    assert run_all([], folder=tmp_path / "t") == ()
