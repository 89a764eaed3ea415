"""The files of a project as they lie on disk: which there are, and whether one has changed since it was last seen."""

import hashlib
import os
import stat
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.documents import MAX_BYTES, read_bytes
from bidui.web.store.names import DEEPEST, FOLDERS, expected, file_path, kind_of, named_tables

# A file changed twice within one tick of the file system's clock (two seconds on a USB stick) looks the same after.
_TICK = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """A file's bytes, their hash, and its stamp."""

    data: bytes
    sha256: str
    stamp: str


@dataclass(frozen=True, slots=True)
class Scan:
    """The stamps of a project's files by name, and what lies among them but is not read."""

    stamps: dict[str, str]
    skipped: tuple[Problem, ...]


def scan(folder: Path, *, known: Collection[str] = ()) -> Scan:
    """Look at the files of a project without reading them.

    `known` are files that were part of it before: they stay so while they are there, so that a mistake in
    `project.yaml` does not make a table that it names look deleted.
    """
    stamps: dict[str, str] = {}
    skipped: list[Problem] = []
    wanted = {*known, *_named(folder)}
    for name, status in _walk(folder, wanted):
        place = Place(name.encode("utf-8", "backslashreplace").decode())
        if stat.S_ISLNK(status.st_mode):
            skipped.append(Problem("file-is-link", place))
        elif kind_of(name) is None:
            skipped.append(Problem("project-file-name", place, {"name": repr(name)}))
        elif not stat.S_ISREG(status.st_mode):
            skipped.append(Problem("file-not-regular", place))
        elif status.st_size > MAX_BYTES:
            skipped.append(Problem("file-too-large", place, {"bytes": status.st_size, "limit": MAX_BYTES}))
        else:
            stamps[name] = _stamp(status)
    return Scan(stamps, tuple(skipped))


def look(folder: Path, name: str) -> Found | None:
    """The file as it is, or None where there is none; one that cannot be read is an error."""
    path = file_path(folder, name)
    return read(folder, name) if path.name in _listing(path.parent) else None


def read(folder: Path, name: str) -> Found:
    """The same for a file that is known to be there under just this name."""
    path = file_path(folder, name)
    try:
        stamp = _stamp(path.lstat())  # before the reading: a change in between shows next time
    except OSError as error:
        raise fail("file-unreadable", Place(name), {"reason": error.strerror or str(error)}) from None
    data = read_bytes(path, name=name)
    return Found(data, hashlib.sha256(data).hexdigest(), stamp)


def _stamp(status: os.stat_result) -> str:
    """What tells a changed file; empty while the file is so young that a change might not show."""
    if abs(time.time_ns() - status.st_mtime_ns) < _TICK:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def _named(folder: Path) -> tuple[str, ...]:
    try:
        found = look(folder, "project.yaml")
        return named_tables(found.data.decode("utf-8", "replace")) if found else ()
    except InputError:
        return ()


def _walk(folder: Path, wanted: Collection[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Names that belong to the project by their place, and those that are wanted; hidden ones never do."""
    seen = set()
    for name, status in _entries(folder, "", deep=False):
        if expected(name) or name in wanted or (name in FOLDERS and stat.S_ISLNK(status.st_mode)):
            seen.add(name)
            yield name, status
    for first in FOLDERS:
        for name, status in _entries(folder / first, f"{first}/", deep=first == "paradigms"):
            endings = (".yaml", ".yml") if first == "paradigms" else (".tsv",)
            if name.endswith(endings) or stat.S_ISLNK(status.st_mode):
                seen.add(name)
                yield name, status
    for name in sorted({*wanted} - seen):
        path = folder / name
        if kind_of(name) and path.name in _listing(path.parent):
            yield name, path.lstat()


def _entries(folder: Path, prefix: str, *, deep: bool) -> Iterator[tuple[str, os.stat_result]]:
    """What lies in a folder, and with `deep` in the folders below it, without what is hidden."""
    if prefix and folder.is_symlink():
        return  # whoever lists the folder above has seen the link
    for item in _listing(folder).values():
        name = prefix + item.name
        if item.name.startswith("."):
            continue
        if not item.is_dir(follow_symlinks=False):
            yield name, item.stat(follow_symlinks=False)
        elif deep and name.count("/") + 1 < DEEPEST:
            yield from _entries(folder / item.name, f"{name}/", deep=True)


def _listing(folder: Path) -> dict[str, os.DirEntry[str]]:
    """The names in a folder as they are written: Windows and macOS would also open A.yaml as a.yaml.

    A folder that may not be read is an error: its files must not look deleted.
    """
    try:
        with os.scandir(folder) as items:
            return {item.name: item for item in sorted(items, key=lambda item: item.name)}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise fail("read-failed", Place(folder.name), {"reason": error.strerror or str(error)}) from None
