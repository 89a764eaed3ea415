"""Several processes under torchrun: the same order and losses as one, one writer, and a stop that loses nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bidui.errors import InputError
from bidui.training.loop import Processes, Watch, processes, together, train_network
from tests.training import small
from tests.training.worker import STOP, trainee

ROOT = Path(__file__).parent.parent.parent
STEPS = ("step-000000", "step-000001", "step-000005", "step-000025")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """As each of several processes has."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def torchrun(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Two processes on this machine; they meet at a port that torchrun finds."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
    return subprocess.run(
        [*command, "tests.training.worker", *arguments], env=environment, capture_output=True, text=True, timeout=600
    )


def lines(out: Path) -> list[dict[str, float]]:
    """The log without what depends on the clock."""
    found = [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{k: v for k, v in line.items() if k != "tokens_per_second"} for line in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two whole runs, and one that was stopped in its midst."""
    found = tmp_path_factory.mktemp("together")
    ran = torchrun(str(found), "stop")
    for rank in range(2):  # who got the signal first does not matter: all stop after the same step
        assert f"rank {rank}: {found / 'stopped'}: stopped after step {STOP} of 25" in ran.stdout, ran.stderr
    return found


@pytest.mark.parametrize("size", ["14m", "lstm"])
def test_two_processes_learn_what_one_does(folder: Path, tmp_path: Path, size: str) -> None:
    """The same rows in the same order, and the same dropout, so only the last bits of sums may differ."""
    chosen = small.recipe(size=size, milestones="geometric:3")
    train_network(chosen, small.data(), trainee(chosen), out=tmp_path / "run", watch=Watch(log_every=1))
    alone, two = lines(tmp_path / "run"), lines(folder / size)
    assert [line["step"] for line in alone] == [line["step"] for line in two]
    for name in ("loss", "norm", "validation"):
        one, other = ([line[name] for line in found if name in line] for found in (alone, two))
        assert one == pytest.approx(other, abs=1e-5, rel=1e-4 if name == "norm" else 1e-5), name


def test_a_finished_run_holds_what_one_process_leaves(folder: Path) -> None:
    names = {"recipe.json", "run.json", "log.jsonl", "finished.json", *STEPS}
    assert {path.name for path in (folder / "lstm").iterdir()} == names


def test_stopped_by_torchrun_and_started_again_they_end_with_the_same_bits(folder: Path) -> None:
    """A cluster sends SIGTERM; the state is that of the step at which all processes stopped."""
    assert (folder / "stopped" / "state.pt").is_file()
    assert not (folder / "stopped" / "finished.json").exists()
    ran = torchrun(str(folder))
    assert ran.returncode == 0, ran.stderr
    assert lines(folder / "stopped") == lines(folder / "lstm")
    for step in STEPS:
        one, other = (load_file(folder / name / step / "model.safetensors") for name in ("lstm", "stopped"))
        assert all(torch.equal(one[name], other[name]) for name in one)


def test_without_torchrun_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some clusters set WORLD_SIZE for every program."""
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert processes() == Processes(rank=0, local=0, world=1)
    with together(processes(), device=torch.device("cpu")):
        assert not torch.distributed.is_initialized()
    assert Processes().device("cuda") == "cuda"


def test_the_environment_of_torchrun_says_who_this_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("RANK", "5"), ("LOCAL_RANK", "1"), ("WORLD_SIZE", "8")):
        monkeypatch.setenv(name, value)
    found = processes()
    assert found == Processes(rank=5, local=1, world=8)
    assert (found.device("cuda"), found.device("cuda:0"), found.device("cpu")) == ("cuda:1", "cuda:0", "cpu")


@pytest.mark.parametrize("changes", [{"WORLD_SIZE": "two"}, {"LOCAL_RANK": None}])
def test_half_an_environment_is_an_error(monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | None]) -> None:
    for name, value in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "2", **changes}.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=r"incomplete or wrong: RANK=0, .*start the processes with torchrun"):
        processes()


def test_processes_that_cannot_meet_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    with (
        pytest.raises(InputError, match=r"process 0 cannot reach the others .*MASTER_ADDR"),
        together(Processes(0, 0, 2), device=torch.device("cpu")),
    ):
        pass
