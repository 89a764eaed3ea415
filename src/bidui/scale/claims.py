"""Claims: files by which machines that share a disk, and know nothing else of each other, divide work among them.

The first to make NAME.0.claim has the task, and touches the file while at work. If it is left untouched, the first to
make NAME.1.claim takes the task over, and so on. A claim is removed only by who made it, so a number is never free
again while a later one is held, and no two can take over at once.
"""

import contextlib
import json
import os
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from bidui.errors import Place, fail

GONE = 30.0  # seconds without a touch after which a process that is not to be seen on this machine counts as dead


@dataclass(frozen=True, slots=True)
class Claim:
    """A task that is ours."""

    folder: Path
    name: str
    number: int

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name}.{self.number}.claim"


def take(folder: Path, name: str, *, stale: float) -> Claim | None:
    """The task of that name, unless another has it; `stale` is for how many seconds a claim holds without a touch."""
    try:
        last = _last(folder, name)
        if last is not None and not _abandoned(last.file, stale=stale):
            return None
        claim = Claim(folder, name, 0 if last is None else last.number + 1)
        with claim.file.open("x", encoding="utf-8") as file:
            file.write(_owner(os.getpid()))
    except FileExistsError:
        return None
    except OSError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": error.strerror or str(error)}) from error
    return claim


def hand_to(claim: Claim, process: int) -> None:
    """Say which process is at work: while it is, no other on this machine takes over, even if we are killed."""
    claim.file.write_text(_owner(process), encoding="utf-8")


def touch(claim: Claim) -> bool:
    """Say that we are still at work; False if another took over, as after this machine was asleep."""
    try:
        last = _last(claim.folder, claim.name)
        os.utime(claim.file)
    except OSError:  # removed by hand, or a disk that is away for a while
        return True
    return last is None or last.number <= claim.number


def release(claim: Claim) -> None:
    """The task is done, or others may try it."""
    with contextlib.suppress(OSError):
        claim.file.unlink(missing_ok=True)


def _last(folder: Path, name: str) -> Claim | None:
    """The claim that counts: that of the highest number."""
    shape = re.compile(rf"{re.escape(name)}\.(\d+)\.claim")
    names = (path.name for path in folder.iterdir())
    numbers = [int(found[1]) for found in map(shape.fullmatch, names) if found]
    return Claim(folder, name, max(numbers)) if numbers else None


def _owner(process: int) -> str:
    return json.dumps({"host": socket.gethostname(), "process": process, "since": time.strftime("%Y-%m-%dT%H:%M:%S")})


def _abandoned(file: Path, *, stale: float) -> bool:
    """Whether who made a claim is no longer at work on it."""
    try:
        untouched = time.time() - file.stat().st_mtime
        owner = json.loads(file.read_text(encoding="utf-8"))
        host, process = str(owner["host"]), int(owner["process"])
    except FileNotFoundError:
        return False  # released this moment; there will be another look
    except (ValueError, KeyError, TypeError):  # not yet written to the end, or by a process that was killed meanwhile
        return untouched > stale
    if host != socket.gethostname() or os.name != "posix":
        return untouched > stale
    # Touched all the same, it is on another machine that has the same name.
    return untouched > min(GONE, stale) and not _alive(process)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is there, and another user's
    return True
