"""The loop: it learns, and a run killed at any moment resumes and ends with the very same model."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from bidui.errors import InputError, Interruption, OutputRefused
from bidui.models.huggingface import load_huggingface
from bidui.training import loop
from bidui.training.loop import (
    Data,
    Processes,
    Progress,
    Watch,
    processes,
    tensorboard_log,
    together,
    train_network,
)
from bidui.training.network import Trainee
from tests.training import forks, small
from tests.training.forks import as_torchrun, ended, fork
from tests.training.worker import STOP, trainee

ROOT = Path(__file__).parent.parent.parent


def finish(out: Path) -> None:
    """Train to the end in this process, which is quicker than in one that must load torch first."""
    chosen = small.recipe()
    watch = Watch(log_every=1, save_seconds=0)
    train_network(chosen, small.data(), small.trainee(chosen), out=out, watch=watch)


def lines(out: Path) -> list[dict[str, float]]:
    """The log without what depends on the clock."""
    found = [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{k: v for k, v in line.items() if k != "tokens_per_second"} for line in found]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Sums over another number of threads have other last bits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody disturbed."""
    out = tmp_path_factory.mktemp("whole") / "run"
    finish(out)
    return out


def test_the_loss_falls(whole: Path) -> None:
    losses = [line["loss"] for line in lines(whole) if "loss" in line]
    assert losses[0] == pytest.approx(np.log(small.VOCABULARY), rel=0.05)  # at first every token is as likely
    assert losses[-1] < 0.6 * losses[0]
    validation = [line["validation"] for line in lines(whole) if "validation" in line]
    assert validation[-1] < 0.6 * validation[0]


def test_there_is_a_checkpoint_at_every_milestone(whole: Path) -> None:
    """25 steps: 0, 1 to 9, 10, 20, and the last; and nothing is left of the state."""
    names = [f"step-{step:06d}" for step in (*range(11), 20, 25)]
    assert sorted(path.name for path in whole.glob("step-*")) == names
    assert not list(whole.glob("*.pt"))
    assert [line["step"] for line in lines(whole) if "validation" in line] == [*range(11), 20, 25]


def test_the_first_step_of_hf_has_no_learning_rate(whole: Path) -> None:
    assert same(weights(whole / "step-000000"), weights(whole / "step-000001"))
    assert not same(weights(whole / "step-000001"), weights(whole / "step-000002"))


def test_killed_at_some_step_it_ends_with_the_same_bits(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    running = fork(forks.train, out)
    log = out / "log.jsonl"
    while running.is_alive() and not (log.is_file() and log.read_text(encoding="utf-8").count('"loss"') >= 13):
        time.sleep(0.005)
    running.kill()
    assert ended(running) == -signal.SIGKILL
    finish(out)
    assert lines(out) == lines(whole)
    for folder in whole.glob("step-*"):
        assert same(weights(out / folder.name), weights(folder)), folder.name


@pytest.mark.parametrize("what", ["state", "milestone"])
def test_killed_in_the_middle_of_writing_it_ends_with_the_same_bits(whole: Path, tmp_path: Path, what: str) -> None:
    out = tmp_path / "run"
    assert ended(fork(forks.train, out, what)) == -signal.SIGKILL
    assert not (out / "step-000006" / "training.json").exists() or what == "state"
    finish(out)
    assert lines(out) == lines(whole)
    assert same(weights(out / "step-000025"), weights(whole / "step-000025"))
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_sigterm_saves_and_says_how_to_go_on(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    chosen = small.recipe()
    asked = Watch(log_every=1, on_log=lambda progress: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(Interruption, match="after step 1 of 25") as stopped:
        train_network(chosen, small.data(), small.trainee(chosen), out=out, watch=asked)
    assert stopped.value.signal == signal.SIGTERM
    assert (out / "state.pt").is_file()
    finish(out)
    assert lines(out) == lines(whole)


def test_every_step_is_told_and_a_resumed_run_starts_where_it_was(tmp_path: Path) -> None:
    """A bar that moves with the log stands still for a minute, and one that starts at 0 shows a wrong rest."""
    chosen = small.recipe(milestones="last")
    steps: list[int] = []

    def note(step: int) -> None:
        steps.append(step)
        if step == 7:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interruption) as stopped:
        train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=Watch(on_step=note))
    assert stopped.value.signal == signal.SIGINT
    assert steps == list(range(8))
    train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=Watch(on_step=steps.append))
    assert steps[8:] == list(range(7, 26))


def test_a_second_process_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    """Two would cut each other's log and write over each other's states."""
    out = tmp_path / "run"
    chosen = small.recipe()

    def intrude(step: int, trainee: Trainee) -> None:
        if step == 3:
            (out / ".state.pt.0000.part").write_bytes(b"being written")
            with pytest.raises(InputError, match="another process"):
                train_network(chosen, small.data(), small.trainee(chosen), out=out)
            assert (out / ".state.pt.0000.part").exists()

    train_network(chosen, small.data(), small.trainee(chosen), out=out, watch=Watch(on_milestone=intrude))
    assert not (out / ".lock").exists()


def test_whoever_asks_twice_need_not_wait(tmp_path: Path) -> None:
    """Scoring at a milestone may take minutes; what is lost is what came after the last state."""

    def press_twice(step: int, trainee: Trainee) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    chosen = small.recipe()
    with pytest.raises(KeyboardInterrupt):
        watch = Watch(on_milestone=press_twice)
        train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=watch)


def test_a_broken_state_is_passed_over_for_the_one_before(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    chosen = small.recipe()

    def stop(step: int, trainee: Trainee) -> None:
        if step == 9:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Interruption):
        train_network(
            chosen,
            small.data(),
            small.trainee(chosen),
            out=out,
            watch=Watch(log_every=1, save_seconds=0, on_milestone=stop),
        )
    (out / "state.pt").write_bytes(b"not a state")
    finish(out)
    assert lines(out) == lines(whole)


def test_a_finished_run_is_left_as_it_is(whole: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in whole.rglob("*")}
    chosen = small.recipe()
    assert not train_network(chosen, small.data(), small.trainee(chosen), out=whole)
    assert {path: path.stat().st_mtime_ns for path in whole.rglob("*")} == before


def test_another_recipe_in_the_same_folder_is_refused_with_what_differs(whole: Path) -> None:
    chosen = small.recipe(seed=4, corpus="another")
    with pytest.raises(OutputRefused, match=r"corpus \(corpus, now another\), seed \(3, now 4\)"):
        train_network(chosen, small.data(), small.trainee(chosen), out=whole)


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OutputRefused, match="thesis"):
        train_network(small.recipe(), small.data(), small.trainee(small.recipe()), out=tmp_path)


def test_too_few_tokens_for_one_step_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="48 tokens are too few for one step of 64"):
        train_network(small.recipe(), small.data(rows=3), small.trainee(small.recipe()), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_loss_that_is_not_finite_stops_the_run(tmp_path: Path) -> None:
    chosen = small.recipe(peak=1e30, optimizer="pythia")
    rows = Data(small.data().train, np.zeros((0, small.CONTEXT), np.uint16), math.nan)
    with pytest.raises(InputError, match=r"the loss at step \d is (nan|inf)"):
        train_network(chosen, rows, small.trainee(chosen), out=tmp_path / "run", watch=Watch(log_every=1))


def saved_weights_are_finite(run: Path) -> list[str]:
    folders = sorted(run.glob("step-*"))
    assert all(bool(torch.isfinite(tensor).all()) for folder in folders for tensor in weights(folder).values())
    return [folder.name for folder in folders]


def test_infinite_weights_are_never_saved(tmp_path: Path) -> None:
    """AdamW divides the first learning rate by 0.1, which makes 9e37 infinite in fp32.

    The loss of that step is that of the weights before it, and its gradient is good: neither tells.
    """
    chosen = small.recipe(peak=9e37, warmup=0.0)
    with pytest.raises(
        InputError, match=r"some weights are infinite or undefined after step 1 \(learning rate 9e\+37\)"
    ):
        train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run")
    assert saved_weights_are_finite(tmp_path / "run") == ["step-000000"]


def test_infinite_weights_are_not_kept_in_a_state(tmp_path: Path) -> None:
    chosen = small.recipe(peak=9e37, warmup=0.0, milestones="last")
    with pytest.raises(InputError, match="infinite or undefined after step 1"):
        watch = Watch(save_seconds=0, log_every=1000)
        train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=watch)
    state = torch.load(tmp_path / "run" / "state.pt", weights_only=True)
    assert state["step"] == 0 and all(bool(torch.isfinite(tensor).all()) for tensor in state["weights"].values())


def test_a_validation_loss_that_is_not_finite_stops_the_run(tmp_path: Path) -> None:
    """Weights of 1e30 are finite and worthless; the log said null, as if no text had been held out."""
    chosen = small.recipe(peak=1e30, warmup=0.0)
    with pytest.raises(InputError, match=r"the validation loss after step 1 is (nan|inf)"):
        train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run")
    assert saved_weights_are_finite(tmp_path / "run") == ["step-000000"]
    assert all(line["validation"] > 0 for line in lines(tmp_path / "run") if "validation" in line)


def test_a_gradient_that_is_not_finite_stops_the_run_before_its_weights_are_kept(tmp_path: Path) -> None:
    """The loss of a step is that of the weights before it: a good one says nothing of the weights that are saved."""
    chosen = small.recipe()
    made = small.trainee(chosen)
    made.head.weight.register_hook(lambda gradient: gradient * torch.inf)
    with pytest.raises(InputError, match=r"the gradient norm at step 1 is (nan|inf) \(learning rate 0.0"):
        train_network(chosen, small.data(), made, out=tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").glob("step-*")] == ["step-000000"]


def test_a_run_that_another_process_just_finished_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its state is gone: to begin again would cut its log."""

    @contextmanager
    def waited(folder: Path) -> Iterator[None]:
        (folder / "log.jsonl").write_text("all of it")
        (folder / "finished.json").write_text("{}")
        yield

    monkeypatch.setattr(loop, "only_one", waited)
    chosen = small.recipe()
    assert not train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run")
    assert (tmp_path / "run" / "log.jsonl").read_text() == "all of it"


def test_what_is_done_at_milestones_changes_nothing(whole: Path, tmp_path: Path) -> None:
    """Scoring and validation draw no random number; nor does training."""
    chosen = small.recipe(milestones="last")
    made = small.trainee(chosen)
    before = torch.get_rng_state()

    def score(step: int, trainee: Trainee) -> None:
        list(trainee.model("m").score(["一丁", "七"]))

    train_network(chosen, small.data(), made, out=tmp_path / "run", watch=Watch(on_milestone=score))
    assert torch.equal(torch.get_rng_state(), before)
    assert same(weights(tmp_path / "run" / "step-000025"), weights(whole / "step-000025"))


def test_micro_batches_change_the_last_bits_only(whole: Path, tmp_path: Path) -> None:
    chosen = small.recipe(micro_batch=4, milestones="last")
    train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=Watch(log_every=1))
    one, other = ([line["loss"] for line in lines(out) if "loss" in line] for out in (whole, tmp_path / "run"))
    assert one == pytest.approx(other, rel=1e-4)


def test_checkpoints_load_in_transformers_with_equal_logits_and_score_as_declared(tmp_path: Path) -> None:
    chosen = small.recipe(milestones="last")
    made = small.trainee(chosen)
    train_network(chosen, small.data(), made, out=tmp_path / "run")
    folder = tmp_path / "run" / "step-000025"
    loaded = AutoModelForCausalLM.from_pretrained(folder)
    tokens = torch.tensor([[1, 5, 6, 7]])
    made.network.eval()
    assert torch.equal(loaded(tokens).logits, made.network(tokens).logits)
    assert AutoTokenizer.from_pretrained(folder).bos_token_id == 1
    scored, declared = load_huggingface(str(folder)), made.model("run@step-000025")
    assert scored.declared == declared.declared
    assert scored.declared["bos_rule"] == "declared by the model"
    assert scored.name == "run@step-000025"
    one, other = next(iter(scored.score(["一丁"]))), next(iter(declared.score(["一丁"])))
    assert one.logprobs.tolist() == other.logprobs.tolist()


def test_a_model_trained_without_bos_declares_so(tmp_path: Path) -> None:
    from bidui.scores.unigrams import Unigrams
    from bidui.training.network import make_neox

    unigrams = Unigrams(np.ones(small.VOCABULARY, np.int64), "t")
    made = make_neox(small.recipe(), small.tokenizer(), unigrams, bos=None, device=torch.device("cpu"))
    made.save(tmp_path)
    assert load_huggingface(str(tmp_path)).declared["first_token"] is False


def test_a_full_disk_loses_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written before stays, and the run can go on when there is room again."""
    chosen = small.recipe()

    def full(value: object, file: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(torch, "save", full)
        with pytest.raises(InputError, match="No space left"):
            train_network(
                chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=Watch(save_seconds=0)
            )
    assert (tmp_path / "run" / "step-000000" / "training.json").is_file()
    assert train_network(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run")


def test_padding_the_head_changes_no_probability() -> None:
    """On a GPU the vocabulary is widened to a multiple of 128; what is added must have no probability at all."""
    from bidui.training.step import mean_loss

    torch.manual_seed(0)
    head = torch.nn.Linear(8, 130, bias=True)
    hidden, targets = torch.randn(2, 3, 8), torch.randint(0, 130, (2, 3))
    losses = [mean_loss(hidden, head, targets, align=align) for align in (False, True)]
    assert losses[0].item() == pytest.approx(losses[1].item(), abs=1e-6)
    gradients: Sequence[torch.Tensor] = [torch.autograd.grad(loss, head.weight)[0] for loss in losses]
    assert torch.allclose(gradients[0], gradients[1], atol=1e-7)


# Several processes under torchrun: the same order and losses as one, one writer, and a stop that loses nothing.


STEPS = ("step-000000", "step-000001", "step-000025")


def torchrun(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Two processes on this machine; they meet at a port that torchrun finds."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
    return subprocess.run(
        [*command, "tests.training.worker", *arguments], env=environment, capture_output=True, text=True, timeout=600
    )


def processes_lines(out: Path) -> list[dict[str, float]]:
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
    alone, two = processes_lines(tmp_path / "run"), processes_lines(folder / size)
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
    assert as_torchrun(folder, world=2) == [0, 0]
    assert processes_lines(folder / "stopped") == processes_lines(folder / "lstm")
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


# TensorBoard, which need not be there.


def test_where_it_is_missing_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)  # so an import fails, also where it is installed
    monkeypatch.delitem(sys.modules, "torch.utils.tensorboard", raising=False)
    with pytest.raises(InputError, match="pip install tensorboard"), tensorboard_log(tmp_path / "board"):
        pass
    assert not (tmp_path / "board").exists()


def test_every_line_of_the_log_is_written_and_what_an_earlier_try_wrote_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that resumes at step 20 repeats steps that TensorBoard has seen; from there on it shows the later ones."""
    calls: list[object] = []

    class Writer:
        """The part of torch's SummaryWriter that is used."""

        def __init__(self, folder: str, *, purge_step: int) -> None:
            calls.append((folder, purge_step))

        def add_scalar(self, name: str, value: float, step: int) -> None:
            calls.append((name, value, step))

        def close(self) -> None:
            calls.append("closed")

    there = ModuleType("torch.utils.tensorboard")
    monkeypatch.setattr(there, "SummaryWriter", Writer, raising=False)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", there)
    with pytest.raises(KeyboardInterrupt), tensorboard_log(tmp_path) as on_log:
        on_log(Progress(step=20, steps=40, loss=3.5, rate=1e-3, norm=0.5, tokens_per_second=9.0))
        on_log(Progress(step=30, steps=40, loss=3.0, rate=5e-4, norm=0.25, tokens_per_second=8.0))
        raise KeyboardInterrupt
    assert calls == [
        (str(tmp_path), 20),
        *(("train/loss", 3.5, 20), ("train/rate", 1e-3, 20), ("train/norm", 0.5, 20)),
        ("train/tokens_per_second", 9.0, 20),
        *(("train/loss", 3.0, 30), ("train/rate", 5e-4, 30), ("train/norm", 0.25, 30)),
        ("train/tokens_per_second", 8.0, 30),
        "closed",
    ]
