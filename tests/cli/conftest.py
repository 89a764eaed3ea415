"""The command line for its tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from bidui.cli import main
from bidui.grammar.project import new_project
from tests.cli.typed import Bidui, Ended, Run

from ..snippets import command


@pytest.fixture
def bidui(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Bidui:
    """The command's own entry point, in this process, where torch is loaded once, and in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def typed(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["bidui", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main.run()
        printed = capsys.readouterr()
        return Ended(int(ended.value.code or 0), printed.out, printed.err)

    return typed


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return command(tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project that `bidui new` writes."""
    folder = tmp_path_factory.mktemp("new") / "project"
    new_project(folder, lang="zh")
    return folder


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """The installed command, in a process of its own and in an empty folder: where the process is the point."""

    def bidui_command(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bidui", *map(str, arguments)],
            cwd=tmp_path,
            env={**environment, **variables},
            capture_output=True,
            check=False,
            text=True,
        )

    return bidui_command
