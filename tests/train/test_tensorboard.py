"""TensorBoard, which need not be there."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from bidui.errors import InputError
from bidui.train.loop import Watch, train
from bidui.train.tensorboard import tensorboard
from tests.train import small


def test_where_it_is_missing_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)  # so an import fails, also where it is installed
    monkeypatch.delitem(sys.modules, "torch.utils.tensorboard", raising=False)
    with pytest.raises(InputError, match="pip install tensorboard"), tensorboard(tmp_path / "board"):
        pass
    assert not (tmp_path / "board").exists()


class Writer:
    """What is written, instead of a file: the calls that torch's SummaryWriter gets."""

    made: list["Writer"] = []

    def __init__(self, folder: str, *, purge_step: int) -> None:
        self.folder, self.purge_step, self.closed = folder, purge_step, False
        self.scalars: dict[tuple[str, int], float] = {}
        Writer.made.append(self)

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.scalars[name, step] = value

    def close(self) -> None:
        self.closed = True


def test_every_line_of_the_log_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """25 steps, a line every ten and one at the end; what an earlier try wrote from step 10 on is not shown."""
    there = ModuleType("torch.utils.tensorboard")
    monkeypatch.setattr(there, "SummaryWriter", Writer, raising=False)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", there)
    chosen = small.recipe(milestones="last")
    with tensorboard(tmp_path / "board") as on_log:
        train(chosen, small.data(), small.trainee(chosen), out=tmp_path / "run", watch=Watch(on_log=on_log))
    (found,) = Writer.made
    assert (found.folder, found.purge_step, found.closed) == (str(tmp_path / "board"), 10, True)
    names = ("train/loss", "train/rate", "train/norm", "train/tokens_per_second")
    assert found.scalars.keys() == {(name, step) for name in names for step in (10, 20, 25)}
    assert found.scalars["train/loss", 25] < found.scalars["train/loss", 10]
