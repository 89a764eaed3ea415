"""Writes the reference of the command line, `docs/cli.md`, from the commands themselves."""

import sys
from pathlib import Path

import typer
from typer.core import TyperGroup  # typer's own, since it may or may not bring click along

from bidui.cli.main import app


def reference() -> str:
    """The help of every command, as Markdown."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    lines = ["# The command line", "", "Made by `make docs` from the commands themselves; do not edit.", ""]
    root = typer.Context(group, info_name="bidui", max_content_width=100, terminal_width=100)
    for name in sorted(group.commands):
        command = group.commands[name]
        context = typer.Context(command, info_name=name, parent=root, max_content_width=100, terminal_width=100)
        help_text = command.get_help(context).rstrip()
        lines += [f"## bidui {name}", "", "```text", *(line.rstrip() for line in help_text.splitlines()), "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
