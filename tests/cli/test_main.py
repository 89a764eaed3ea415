"""What all commands have in common: help, completion, and terminals that lack most characters."""

import io
import sys

import pytest
import typer.main
from typer.core import TyperGroup

from bidui.cli import main
from tests.cli.typed import Bidui


def commands() -> list[tuple[str, ...]]:
    """Every command as it is typed, groups included."""
    root = typer.main.get_command(main.app)
    assert isinstance(root, TyperGroup)
    paths: list[tuple[str, ...]] = [()]
    for name, command in root.commands.items():
        paths.append((name,))
        paths += [(name, inner) for inner in getattr(command, "commands", {})]
    return paths


def test_h_is_help_for_every_command(bidui: Bidui) -> None:
    paths = commands()
    assert ("generate",) in paths and ("corpus", "build") in paths
    for path in paths:
        done = bidui(*path, "-h")
        assert (done.code, done.out) == (0, bidui(*path, "--help").out)
        assert done.out.startswith(f"Usage: {' '.join(('bidui', *path))}")


@pytest.mark.parametrize(
    ("encoding", "title"), [("cp1252", r"bidui \u6bd4\u5bf9: write"), ("cp936", "bidui 比对: write")]
)
def test_help_survives_the_code_pages_of_windows(monkeypatch: pytest.MonkeyPatch, encoding: str, title: str) -> None:
    """Redirected output has the code page of the system, and the first character that it lacked ended the command."""
    for path in commands():
        printed = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding=encoding))
        monkeypatch.setattr(sys, "argv", ["bidui", *path, "--help"])
        with pytest.raises(SystemExit) as ended:
            main.run()
        sys.stdout.flush()
        assert not ended.value.code
        text = printed.getvalue().decode(encoding)
        assert "Usage: bidui" in text and (path or title in text)


@pytest.mark.parametrize("typed", ["score none", "generate none", "report none -o site"])
def test_an_unknown_place_is_refused_before_anything_is_read(bidui: Bidui, typed: str) -> None:
    """What is named does not exist, which would be the next mistake to tell."""
    done = bidui(*typed.split(), "--on", "processes:0")
    assert done.code == 2
    assert done.err.strip().startswith("--on: processes:0 is no place to run at") and "none" not in done.err


def test_the_shell_can_complete_commands(bidui: Bidui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_BIDUI_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "bidui export-l")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert bidui().out == "export-lm-eval\n"
