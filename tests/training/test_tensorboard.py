"""TensorBoard, which need not be there."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from bidui.errors import InputError
from bidui.training.loop import Progress, tensorboard_log


def test_where_it_is_missing_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)  # so an import fails, also where it is installed
    monkeypatch.delitem(sys.modules, "torch.utils.tensorboard", raising=False)
    with pytest.raises(InputError, match="pip install tensorboard"), tensorboard_log(tmp_path / "board"):
        pass
    assert not (tmp_path / "board").exists()


def test_every_line_of_the_log_is_written_and_what_an_earlier_try_wrote_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that goes on at step 20 comes by steps that TensorBoard has seen: from there on it shows the later ones."""
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
