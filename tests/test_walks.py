"""The walks that CONTRIBUTING describes under "Where to change what" are the ways the code really takes."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import bidui
from bidui.cli.main import app

from .snippets import ROOT

SOURCES = Path(bidui.__file__).parent
EVERY_COMMAND = {"__init__.py", "errors.py", "cli/main.py", "cli/__init__.py"}
MOST = 20  # modules between a paradigm's YAML and its file of pairs


@contextmanager
def modules_that_run(modules: set[str]) -> Iterator[None]:
    """Collects the files of bidui whose functions are called; importing them is not running them."""

    def profile(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(SOURCES)) and frame.f_code.co_flags & 0x2:  # not a module or class
            modules.add(Path(file).relative_to(SOURCES).as_posix())

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def walk(title: str) -> list[str]:
    """The files that a numbered walk names first."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"### {title}\n")[1].split("\n### ")[0]
    return re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)


def test_a_pair_passes_through_the_modules_that_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone who follows a pair from its YAML to the disk opens these files, and no more."""
    monkeypatch.chdir(tmp_path)
    bidui.new_project("p", lang="zh")
    modules: set[str] = set()
    with modules_that_run(modules):
        app(["generate", "p", "-n", "20", "--only", "BA_inversion"], standalone_mode=False)
    assert len((tmp_path / "pairs" / "BA_inversion.jsonl").read_text(encoding="utf-8").splitlines()) == 20
    named = walk("A pair, from YAML to disk")
    assert modules - EVERY_COMMAND == set(named)
    assert len(named) <= MOST


@pytest.mark.parametrize(
    ("title", "most"), [("A new keyword of the rule language", 8), ("A new linking function", 1), ("A new message", 1)]
)
def test_the_other_walks_are_as_short_as_promised_and_lead_somewhere(title: str, most: int) -> None:
    named = walk(title)
    assert 1 <= len(named) <= most
    assert [file for file in named if not ((SOURCES / file).exists() or (ROOT / file).exists())] == []
