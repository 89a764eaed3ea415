"""Writes the reference of the command line, `docs/cli.md`, from the commands themselves."""

import sys
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup  # typer's own, since it may or may not bring click along

from bidui.cli.main import app


def reference() -> str:
    """The help of every command, as Markdown; a command with commands of its own is followed by these."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    lines = ["# The command line", "", "Made by `make docs` from the commands themselves; do not edit.", ""]
    root = typer.Context(group, info_name="bidui", max_content_width=100, terminal_width=100)
    for path, help_text in _helps(group, root):
        lines += [f"## {path}", "", "```text", *(line.rstrip() for line in help_text.splitlines()), "```", ""]
    return "\n".join(lines)


def _helps(group: TyperGroup, parent: typer.Context) -> Iterator[tuple[str, str]]:
    for name in sorted(group.commands):
        command = group.commands[name]
        context = typer.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
        yield context.command_path, command.get_help(context).rstrip()
        if isinstance(command, TyperGroup):
            yield from _helps(command, context)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
