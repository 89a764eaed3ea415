"""What torchrun starts in `test_processes`: runs of a small Zh-Pythia and of an LSTM, the last of which is stopped.

    torchrun --nproc-per-node 2 -m tests.training.worker FOLDER [stop]

With `stop`, the first process asks torchrun to end all of them in the midst of the last run, as a cluster does.
"""

import os
import select
import signal
import sys
from pathlib import Path

import numpy as np
import torch

from bidui.errors import Interruption
from bidui.scores.unigrams import Unigrams
from bidui.training import loop
from bidui.training.loop import Progress, Watch, processes, together, train_network
from bidui.training.network import Trainee, make_lstm
from bidui.training.recipe import RunRecipe
from tests.training import small

STOP = 7  # the step after which all are asked to stop


def main(folder: Path, *, stop: bool) -> None:
    """The three runs; those that are finished are left as they are."""
    found = processes()
    if found.rank > 0:
        loop.validation_loss = refuse_validation  # only the first process measures it, and the others wait
        sys.addaudithook(lambda event, arguments: refuse_writing(event, arguments, folder=folder))
    torch.set_num_threads(1)
    with together(found, device=torch.device("cpu")):
        for name in ("14m", "lstm", "stopped"):
            size = "14m" if name == "14m" else "lstm"
            chosen = small.recipe(size=size, world=found.world, milestones="geometric:3")
            asking = ask_to_stop if stop and name == "stopped" else ignore
            try:
                watch = Watch(on_log=asking, log_every=1)
                train_network(chosen, small.data(), trainee(chosen), out=folder / name, watch=watch, rank=found.rank)
            except Interruption as error:
                print(f"rank {found.rank}: {error}", flush=True)


def trainee(chosen: RunRecipe) -> Trainee:
    """The network of a recipe, on the CPU."""
    if chosen.size != "lstm":
        return small.trainee(chosen)
    unigrams = Unigrams(np.ones(small.VOCABULARY, np.int64), "tokenizer")
    return make_lstm(chosen, small.tokenizer(), unigrams, bos=1, device=torch.device("cpu"))


def ignore(progress: Progress) -> None:
    """Nothing is done at this line of the log."""


def ask_to_stop(progress: Progress) -> None:
    """Send torchrun the signal, and go on when it has come back to this process."""
    if progress.step == STOP:
        come, put = os.pipe()
        os.set_blocking(put, False)
        signal.set_wakeup_fd(put)
        os.kill(os.getppid(), signal.SIGTERM)
        select.select([come], [], [], 60)


def refuse_validation(trainee: Trainee, rows: object, *, recipe: RunRecipe) -> float:
    """Only the first process may read the held-out rows."""
    raise AssertionError("validation in a process that is not the first")


def refuse_writing(event: str, arguments: tuple[object, ...], *, folder: Path) -> None:
    """Only the first process may write into the folders of runs."""
    changing = event in ("os.mkdir", "os.rename", "os.remove", "shutil.rmtree")
    if event == "open" and isinstance(arguments[2], int):
        changing = bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
    if changing and str(arguments[0]).startswith(str(folder)):
        raise AssertionError(f"{event} {arguments[0]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), stop=sys.argv[2:] == ["stop"])
