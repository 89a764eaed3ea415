"""Runs the fenced blocks of a Markdown page in an empty folder, in their order, and says what the page should show.

    yaml, tsv … with file=NAME   is written to that file
    console                      lines after `$ ` are run in a shell; what is shown below one must be what it prints
                                 (both streams), `[exit code N]` at the end if that is not 0
    python                       is executed, all blocks of a page in one namespace
    output                       right after a python block: must be what that block prints

A command with nothing below it, and a python block without output, only have to succeed. Other blocks are left alone.
`python tests/snippets.py PAGE …` writes into the pages what really comes out.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def performed(page: str, folder: Path) -> str:
    """The page as it would be if every shown output were true; raises where something fails that is not shown to."""
    return BLOCK.sub(_Stage(folder).play, page)


def command(folder: Path) -> dict[str, str]:
    """An environment in which `bidui` runs these sources with this interpreter."""
    shim = folder / "bidui"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m bidui "$@"\n')
    shim.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100", "NO_COLOR": "1"}


@dataclass
class _Stage:
    folder: Path
    names: dict[str, object] = field(default_factory=dict)
    printed: str | None = None  # by the last block, if that was Python

    def play(self, block: re.Match[str]) -> str:
        kind, _, rest = block["info"].strip().partition(" ")
        body, printed = block["body"], self.printed
        self.printed = None
        if file := re.fullmatch(r"file=(\S+)", rest):
            path = self.folder / file[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8")
        elif kind == "console":
            body = "".join(self.command(part) for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE))
        elif kind == "python":
            self.printed = self.python(body)
        elif kind == "output":
            assert printed is not None, f"no python block before the output {body!r}"
            body = printed
        return f"```{block['info']}\n{body}```"

    def command(self, part: str) -> str:
        line, _, shown = part.partition("\n")
        if not line:
            return part
        assert line.startswith("$ "), f"a console block begins with a command, not with {line!r}"
        with tempfile.TemporaryDirectory() as shims:
            done = subprocess.run(
                ["sh", "-c", line[2:]],
                cwd=self.folder,
                env=command(Path(shims)),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        text = "".join(f"{row.rstrip()}\n" for row in done.stdout.decode().strip("\n").splitlines())
        if done.returncode:
            text += f"[exit code {done.returncode}]\n"
        assert shown or not done.returncode, f"{line}\n{text}"
        return f"{line}\n{text if shown else ''}"

    def python(self, body: str) -> str:
        out = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out):
            exec(compile(body, "<page>", "exec"), self.names)
        return "".join(f"{row.rstrip()}\n" for row in out.getvalue().splitlines())


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            text = Path(name).read_text(encoding="utf-8")
            Path(name).write_text(performed(text, Path(folder)), encoding="utf-8")
