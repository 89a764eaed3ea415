"""A workbench as people run it: the command `bidui serve` as a process, which can be killed and started again."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "bidui")
SECONDS = 120  # for anything to happen, on a machine that is busy
SECRET = "sixteen letters or more"


@dataclass(slots=True)
class Running:
    """A server over the folder `folder`, and the project that a test is about.

    `address` is what it printed, which lets the first person in, once; `session` is the browser's memory of it.
    """

    folder: Path
    options: tuple[str, ...] = ()
    project: str = "small"
    address: str = ""
    home: str = ""
    session: Any = field(default=None, repr=False)
    process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, on the port it had before if it had one, and wait until it says where it is."""
        port = self.home.rpartition(":")[2] or "0"
        self.process = subprocess.Popen(
            [*COMMAND, "serve", str(self.folder), "--port", port, "--no-browser", *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "BIDUI_SECRET": SECRET},
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(https?://[^/\s]+)\S*", line)
        assert found, line + self.process.stdout.read()
        self.address, self.home = found[0], found[1]

    def kill(self) -> str:
        """End it at once, as a crash or a cut of power would; what it printed since it started."""
        if self.process is None:
            return ""
        self.process.kill()
        said, _ = self.process.communicate()
        self.process = None
        return said

    def stop(self) -> str:
        """End it as Ctrl-C does; what it printed since it started."""
        if self.process is None:
            return ""
        self.process.terminate()
        said, _ = self.process.communicate(timeout=SECONDS)
        self.process = None
        return said

    def at(self, page: str = "") -> str:
        """The address of a page of the project."""
        return f"{self.home}/p/{self.project}{page}"

    def read(self, file: str, project: str = "") -> str:
        """A file of the project, or of another, as it stands on disk."""
        return (self.folder / (project or self.project) / file).read_text("utf-8")

    def write(self, file: str, text: str) -> None:
        """Write a file of the project as any other program would."""
        (self.folder / self.project / file).write_text(text, "utf-8", newline="\n")


def generated(project: Path, out: Path, *arguments: str) -> Path:
    """The folder of pairs that `bidui generate` writes for a project."""
    command = [*COMMAND, "generate", str(project), "-o", str(out), *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=5 * SECONDS)
    return out
