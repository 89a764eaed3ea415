"""What a run resumes from: a state that cannot be read is never taken for a run that has not begun."""

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from bidui.errors import InputError, OutputRefused
from bidui.training.checkpoints import (
    State,
    claim,
    cut_log,
    describe,
    load_state,
    moved,
    save_milestone,
    save_state,
    write_line,
)
from bidui.training.loop import Data, Watch, train_network
from tests.training import small

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Enough for a small network, and quicker where others use the machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def state(step: int) -> State:
    weights = {"w": torch.full((3,), float(step))}
    return State(step, weights, {"state": {}, "param_groups": []}, (1.5, 2.5), small.recipe().hash)


def test_the_last_state_is_taken_and_the_one_before_kept(tmp_path: Path) -> None:
    assert load_state(tmp_path, small.recipe(), device=CPU) is None
    for step in (1, 2, 3):
        save_state(tmp_path, state(step))
    found = load_state(tmp_path, small.recipe(), device=CPU)
    assert found is not None and (found.step, found.losses, found.weights["w"].tolist()) == (3, (1.5, 2.5), [3.0] * 3)
    (tmp_path / "state.pt").unlink()  # as if killed between the two renamings
    before = load_state(tmp_path, small.recipe(), device=CPU)
    assert before is not None and before.step == 2


def test_states_that_cannot_be_read_are_an_error_and_not_a_new_run(tmp_path: Path) -> None:
    """A run that began again by itself would cut its log, and train for days what was trained."""
    for name in ("state.pt", "state-before.pt"):
        (tmp_path / name).write_bytes(b"not a state")
    with pytest.raises(InputError, match=r"state cannot be read \(state.pt: .*state-before.pt: .*start again"):
        load_state(tmp_path, small.recipe(), device=CPU)
    for name in ("state.pt", "state-before.pt"):
        (tmp_path / name).unlink()
    save_state(tmp_path, state(1))
    with pytest.raises(InputError, match=r"state.pt: of another recipe"):
        load_state(tmp_path, small.recipe(seed=9), device=CPU)


@pytest.mark.parametrize("text", ["[]", "null", '{"half', ""])
def test_a_recipe_that_cannot_be_read_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "recipe.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"recipe.json: cannot be read"):
        claim(tmp_path, small.recipe())


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(OutputRefused):
        claim(tmp_path / "run", small.recipe())
    assert (tmp_path / "run").read_text() == "mine"


def test_a_milestone_is_down_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is removed when the last milestone is there; after a power cut, nothing else would be left."""
    synced: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda number: synced.add(os.fstat(number).st_ino))

    def save(folder: Path) -> None:
        (folder / "deep").mkdir()
        (folder / "deep" / "model.safetensors").write_bytes(b"weights")
        (folder / "config.json").write_text("{}")

    save_milestone(tmp_path / "step-000001", save, {"step": 1}, card="# a model")
    files = {path for path in (tmp_path / "step-000001").rglob("*") if path.is_file()}
    assert {path.name for path in files} == {"model.safetensors", "config.json", "training.json", "README.md"}
    assert {path.stat().st_ino for path in files} <= synced


def test_weights_that_are_not_finite_are_neither_kept_nor_saved(tmp_path: Path) -> None:
    """The log reads losses seldom; a milestone or a state in between must not take the place of a good one."""
    chosen = small.recipe(peak=1e30, optimizer="pythia")
    seen: list[int] = []
    watch = Watch(log_every=1000, save_seconds=0, on_milestone=lambda step, trainee: seen.append(step))
    with pytest.raises(InputError, match=r"the validation loss after step \d is (nan|inf)"):
        train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=watch)
    kept = sorted(path.name for path in (tmp_path / "run").glob("step-*"))
    assert kept == [f"step-{step:06d}" for step in seen] and seen == list(range(len(seen)))
    found = load_state(tmp_path / "run", chosen, device=CPU)
    assert found is not None and all(map(math.isfinite, found.losses))


def test_a_log_that_cannot_be_written_is_an_error_with_the_reason(tmp_path: Path) -> None:
    chosen = small.recipe()
    made = small.trainee(chosen)

    def block(step: int, trainee: object) -> None:
        (tmp_path / "run" / "log.jsonl").unlink()
        (tmp_path / "run" / "log.jsonl").mkdir()

    rows = Data(small.data().train, np.zeros((0, 16), np.uint16), math.nan)
    with pytest.raises(InputError, match=r"log.jsonl: .*[Dd]irectory"):
        train_network(chosen, rows, made, out=tmp_path / "run", watch=Watch(on_milestone=block))


# What a run says of itself: the log has each step once, and `run.json` what the last bits depend on.


def test_the_log_is_cut_to_the_step_and_its_milestone_comes_again(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    written = [{"step": 1, "validation": 4.0}, {"step": 1, "loss": 3.0}, {"step": 2, "loss": 2.0}]
    for line in (*written, {"step": 2, "validation": 3.5}, {"step": 3, "loss": 1.0}):
        write_line(tmp_path, line)
    with log.open("a", encoding="utf-8") as file:
        file.write('{"step": 2, "lo')
    cut_log(tmp_path, step=2)
    assert [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] == written


def test_what_a_power_cut_left_in_the_log_does_not_keep_a_run_from_going_on(tmp_path: Path) -> None:
    """NULs, half a character, and JSON that is no line of ours."""
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"step": 1, "loss": 3.0}\n5\n{}\n{"step": "two"}\n\0\0\xe7\n')
    cut_log(tmp_path, step=2)
    assert log.read_text(encoding="utf-8") == '{"step": 1, "loss": 3.0}\n'


def test_a_run_says_what_its_last_bits_depend_on(tmp_path: Path) -> None:
    """14M with a vocabulary of 60: 1,189,888 of the body, and two matrices of 60 x 128."""
    chosen = small.recipe()
    describe(tmp_path, chosen, small.trainee(chosen), steps=25, validation=512, held_out=600)
    found = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (found["parameters"], found["steps"], found["tokens_per_step"]) == (1_189_888 + 2 * 60 * 128, 25, 4 * 16)
    assert (found["validation_rows"], found["held_out_rows"], found["validation_seed"]) == (512, 600, 0)
    assert (found["device"], found["threads"], found["torch"]) == ("cpu", torch.get_num_threads(), torch.__version__)


def test_a_run_that_goes_on_with_other_threads_or_versions_says_so(tmp_path: Path) -> None:
    """Bits are promised where nothing changed; whoever changed something must be able to know."""
    chosen = small.recipe()
    made = small.trainee(chosen)
    (tmp_path / "state.pt").touch()
    assert moved(tmp_path, made) == []
    describe(tmp_path, chosen, made, steps=25)
    assert moved(tmp_path, made) == []
    file = tmp_path / "run.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**found, "threads": 99, "torch": "1.0"}), encoding="utf-8")
    assert moved(tmp_path, made) == [f"threads 99 -> {torch.get_num_threads()}", f"torch 1.0 -> {torch.__version__}"]
    (tmp_path / "state.pt").unlink()
    assert moved(tmp_path, made) == []  # it is finished, or begins anew
