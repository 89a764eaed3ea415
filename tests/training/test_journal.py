"""What a run says of itself: the log has each step once, and `run.json` what the last bits depend on."""

import json
from pathlib import Path

import torch

from bidui.training.checkpoints import cut_log, describe, moved, write_line
from tests.training import small


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
    describe(tmp_path, chosen, small.trainee(chosen), steps=25)
    found = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (found["parameters"], found["steps"], found["tokens_per_step"]) == (1_189_888 + 2 * 60 * 128, 25, 4 * 16)
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
