"""The log of a run for TensorBoard, which is no part of bidui; `log.jsonl` has the same numbers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bidui.errors import Place, fail
from bidui.train.loop import Progress


@contextmanager
def tensorboard(folder: Path) -> Iterator[Callable[[Progress], None]]:
    """A function for `Watch.on_log` that writes to a folder that TensorBoard shows; all is written when it ends.

    A run that goes on after it was killed comes by some steps again: TensorBoard shows only the later ones.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise fail("tensorboard-missing", Place(), {}) from error
    writers: list[Any] = []  # one, from the first step that is logged

    def on_log(progress: Progress) -> None:
        if not writers:
            writers.append(SummaryWriter(str(folder), purge_step=progress.step))
        for name in ("loss", "rate", "norm", "tokens_per_second"):
            writers[0].add_scalar(f"train/{name}", getattr(progress, name), progress.step)

    try:
        yield on_log
    finally:
        for writer in writers:
            writer.close()
