"""Processes that tests kill: forked from one that has loaded torch, which takes seconds, and has not used it yet."""

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parent.parent.parent
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.training.worker", "transformers.models.gpt_neox.modeling_gpt_neox"])


def fork(work: Callable[..., None], *arguments: object) -> BaseProcess:
    """Start a function of this package in a process of its own."""
    with patch.dict(os.environ, PYTHONPATH=f"{ROOT / 'src'}{os.pathsep}{ROOT}"):  # for the first one, which is kept
        process = SERVER.Process(target=work, args=arguments)
        process.start()
    return process


def ended(process: BaseProcess) -> int | None:
    """Wait for the end of a process, and return its exit code, or the negative number of the signal that killed it."""
    process.join()
    code = process.exitcode
    process.close()
    return code


def train(out: Path, kill: str = "") -> None:
    """Train the small run, saving its state after every step; it kills itself where `kill` says."""
    import torch
    from transformers import GPTNeoXForCausalLM

    from bidui.training.loop import Watch, train_network
    from tests.training import small

    torch.set_num_threads(1)
    save, save_pretrained = torch.save, GPTNeoXForCausalLM.save_pretrained
    calls = 0

    def half_a_state(value: object, file: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 7:
            file.write(b"half a state")  # type: ignore[attr-defined]
            file.flush()  # type: ignore[attr-defined]
            os.kill(os.getpid(), signal.SIGKILL)
        save(value, file)  # type: ignore[arg-type]

    def half_a_milestone(self: GPTNeoXForCausalLM, folder: Path) -> None:
        save_pretrained(self, folder)
        if "step-000006" in str(folder):
            os.kill(os.getpid(), signal.SIGKILL)

    if kill == "state":
        torch.save = half_a_state
    elif kill == "milestone":
        GPTNeoXForCausalLM.save_pretrained = half_a_milestone  # type: ignore[method-assign, assignment]
    chosen = small.recipe()
    watch = Watch(log_every=1, save_seconds=0)
    train_network(chosen, small.data(), small.trainee(chosen), out=out, watch=watch)


def build(folder: Path, name: str) -> None:
    """Build a corpus, and write what came of it; the first one stops in the middle until there is a file `go`."""
    from bidui.training.build import build_corpus
    from bidui.training.tokenizers import load_tokenizer

    def show(what: str, done: int, total: int) -> None:
        (folder / f"{name}-{what}").touch()
        while what == "encoding" and name == "first" and not (folder / "go").exists():
            time.sleep(0.01)

    made = build_corpus(folder / "books", load_tokenizer(str(folder / "tok")), out=folder / "out", on_progress=show)
    (folder / f"{name}-made").write_text(f"{made.made} {made.train.documents + made.validation.documents}")


def as_torchrun(folder: Path, *, world: int) -> Sequence[int | None]:
    """Run the worker in so many processes that find each other as torchrun lets them; return their exit codes."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return [ended(process) for process in [fork(_rank, folder, rank, world, port) for rank in range(world)]]


def _rank(folder: Path, rank: int, world: int, port: int) -> None:
    from tests.training.worker import main

    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": world}
    os.environ.update({name: str(value) for name, value in place.items()})
    main(folder, stop=False)
