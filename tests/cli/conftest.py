"""The command line for its tests."""

import sys
from pathlib import Path

import pytest

from bidui.cli.main import run
from tests.cli.typed import Bidui, Ended


@pytest.fixture
def bidui(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Bidui:
    """The command's own entry point, in this process, where torch is loaded once, and in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def typed(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["bidui", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
        printed = capsys.readouterr()
        return Ended(int(ended.value.code or 0), printed.out, printed.err)

    return typed
