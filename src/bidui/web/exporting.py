"""Pairs to take away: made by `bidui generate` in a process of its own, so that they are the same byte for byte."""

import asyncio
import os
import shutil
import signal
import stat
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from starlette.concurrency import run_in_threadpool

from bidui.errors import fail
from bidui.grammar.network import Compiler
from bidui.grammar.project import chosen, load_project
from bidui.pairs.files import read_manifest
from bidui.pairs.pair import Short
from bidui.web.store.workspace import HIDDEN

SECONDS = 300.0
MOST = 10_000  # pairs of a paradigm
_BIDUI = (sys.executable, "-P", "-m", "bidui")
_DATE = (1980, 1, 1, 0, 0, 0)
Format = Literal["jsonl", "csv"]


@dataclass(frozen=True, slots=True)
class Exported:
    """A file to take away, open at its start and nowhere else to be found; and which paradigms fell short."""

    name: str
    file: IO[bytes]
    size: int
    short: tuple[Short, ...]


async def export_pairs(
    folder: Path, *, name: str, n: int, seed: int, format: Format, uid: str | None, seconds: float = SECONDS
) -> Exported:
    """The pairs of one paradigm, or of all in a zip; raises `InputError` where there are none to be had.

    Whoever cancels this also ends the process.
    """
    place = Path(await run_in_threadpool(tempfile.mkdtemp, prefix="bidui-pairs-"))
    try:
        source = folder if uid is None else await run_in_threadpool(_alone, folder, uid, place / "project")
        arguments = ["generate", str(source), "-n", str(n), "--seed", str(seed), "--format", format]
        arguments += ["-o", str(place / name), *(["--only", uid, "--include-excluded"] if uid is not None else [])]
        status, said = await _run(arguments, place=place, seconds=seconds)
        if status not in {0, 1}:  # 1: some paradigms fell short
            await run_in_threadpool(_explain, source, uid, said)
        return await run_in_threadpool(_packed, place / name, f"{uid}.{format}" if uid is not None else None)
    finally:
        await asyncio.shield(run_in_threadpool(shutil.rmtree, place, ignore_errors=True))


def _alone(folder: Path, uid: str, target: Path) -> Path:
    """A copy of the project with this paradigm alone: what is wrong in another one is no reason to give no pairs."""
    mine = [
        path for path in (folder / "paradigms").glob("*/*") if path.stem == uid and path.suffix in {".yaml", ".yml"}
    ]
    if len(mine) != 1:
        return folder  # the command says what is wrong
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(HIDDEN, "paradigms", ".git"))
    place = target / mine[0].relative_to(folder)
    place.parent.mkdir(parents=True)
    shutil.copyfile(mine[0], place)
    return target


async def _run(arguments: Sequence[str], *, place: Path, seconds: float) -> tuple[int, str]:
    """The exit status of a command and the end of what it said; it is ended with all that it started."""
    with (place / "said").open("wb") as said:
        process = await asyncio.create_subprocess_exec(
            *(*_BIDUI, *arguments),
            cwd=place,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        try:
            status = await asyncio.wait_for(process.wait(), seconds)
        except TimeoutError:
            raise fail("pairs-too-long", None, {"seconds": f"{seconds:g}"}) from None
        finally:
            _end(process)
            await asyncio.shield(process.wait())
    return status, (place / "said").read_text("utf-8", "replace")[-2_000:]


def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)  # it leads its group
            else:
                process.kill()


def _explain(folder: Path, uid: str | None, said: str) -> None:
    """Raise what kept the command from making pairs, as problems with their places."""
    project = load_project(folder)
    compiler = Compiler.of(project)
    for paradigm in chosen(project.paradigms, only=[] if uid is None else [uid]):
        compiler.networks(paradigm)
    raise fail("pairs-failed", None, {"reason": said.strip().rpartition("\n")[2] or "?"})


def _packed(folder: Path, only: str | None) -> Exported:
    """One file of a folder of pairs, or all of it in a zip, as a file without a name."""
    manifest = read_manifest(folder)
    target: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (whoever sends it closes it)
    if only is not None:
        with (folder / only).open("rb") as source:
            shutil.copyfileobj(source, target)
    else:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                item = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", _DATE)
                item.create_system = 3
                item.external_attr = (stat.S_IFREG | 0o644) << 16
                archive.writestr(item, path.read_bytes())
    size = target.tell()
    target.seek(0)
    return Exported(only or f"{folder.name}.zip", target, size, manifest.short if manifest else ())
