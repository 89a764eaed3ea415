"""Files: reading with the place of an error, writing that leaves the old file or the whole new one, and manifests.

Everything that bidui writes goes through `write_file`, `new_file` or `new_folder`: they write beside the target and
rename at the end, so that a crash or a full disk never leaves half a file. A `Manifest` says what the files of a folder
were made from; it decides whether a run may continue there.

This module uses the standard library only, because machines that train models have little else.
"""

import contextlib
import csv
import errno
import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from bidui.errors import OutputRefused, Place, Problem, fail

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
TEMPORARY = ".part"  # the suffix of a file that is not whole yet; its name begins with a dot
# Built once: making an encoder for each of 35,400 pairs would cost more than the encoding.
json_text = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def reason(error: Exception) -> str:
    """Return the system's reason for an error, as a user can read it."""
    return getattr(error, "strerror", None) or str(error)


# Reading


def read_bytes(path: Path, *, name: str = "", limit: int | None = None) -> bytes:
    """Read a file, which messages call `name`.

    With a limit in bytes it must also be a regular file: a pipe or a device might never end.
    """
    place = Place(name or str(path))
    try:
        if limit is not None:
            _refuse_endless(path.stat(), place, limit)
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise fail("file-unreadable", place, {"reason": reason(error)}) from None


def read_inside(folder: Path, name: str, *, limit: int) -> bytes:
    """Read a regular file of a folder that strangers may have filled: never through a link, which may lead anywhere.

    Every part of the name is opened by itself, so that nothing can be exchanged between looking and reading.
    """
    place = Place(name)
    try:
        with os.fdopen(_open_inside(folder, name), "rb") as file:
            _refuse_endless(os.fstat(file.fileno()), place, limit)
            return file.read()
    except (OSError, ValueError) as error:
        if _linked(folder, name):
            raise fail("file-is-link", place) from None
        raise fail("file-unreadable", place, {"reason": reason(error)}) from None


def _refuse_endless(status: os.stat_result, place: Place, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise OSError(code, os.strerror(code))
    if status.st_size > limit:
        raise fail("file-too-large", place, {"bytes": status.st_size, "limit": limit})


def _open_inside(folder: Path, name: str) -> int:
    *parents, last = name.split("/")
    if not all(part not in {"", ".", ".."} for part in (*parents, last)):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    if os.open not in os.supports_dir_fd:  # Windows, where making a link needs a privilege
        if _linked(folder, name):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return os.open(folder / name, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parents:
            above, here = here, os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(above)
        return os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)  # a pipe must not make us wait
    finally:
        os.close(here)


def _linked(folder: Path, name: str) -> bool:
    path = folder / name
    return any(each.is_symlink() for each in (path, *path.parents) if each != folder and folder in each.parents)


def list_folder(folder: Path) -> list[Path]:
    """Return what a folder holds."""
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise fail("read-failed", Place(str(folder)), {"reason": reason(error)}) from None


def natural(name: str | Path) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by their size: step-9 before step-10, 70m before 160m."""
    parts = re.findall(r"\d+|\D+", name.as_posix() if isinstance(name, Path) else name)
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]


def decode(data: bytes, *, file: str) -> str:
    """Decode UTF-8, without the byte order mark that some editors put first."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise fail("not-utf8", Place(file, line), {"byte": f"0x{data[error.start]:02x}"}) from None


def encode(text: str, *, place: Place | None = None) -> bytes:
    """Encode as UTF-8; half a surrogate pair, which Python can hold and a file cannot, is refused."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        values = {"code": f"U+{ord(text[error.start]):04X}", "before": text[max(0, error.start - 20) : error.start]}
        raise fail("text-not-unicode", place, values) from None


def parse_json(text: str, *, place: Place) -> object:
    """Parse a JSON value."""
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        column = 0 if place.part else error.colno  # inside a field of CSV the column would not be the line's
        line = place.line or error.lineno
        raise fail("bad-json", Place(place.file, line, column, place.part), {"reason": error.msg}) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets thousands deep
        raise fail("bad-json", place, {"reason": str(error)}) from None
    if "\\u" in text:  # only an escape can smuggle in half a surrogate pair
        encode(json_text(value), place=place)
    return value


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal: the hash that manifests use."""
    return hashlib.sha256(data).hexdigest()


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file of any size."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise fail("read-failed", Place(str(path)), {"reason": reason(error)}) from error


# Writing


@contextlib.contextmanager
def new_file(path: Path, *, keep: Path | None = None) -> Iterator[IO[bytes]]:
    """Open a new file that takes the place of `path` when the block ends without an error.

    A file that was there is kept as `keep`, if given. A full disk or a closed folder is an error with the reason.
    """
    temporary = _aside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not tempfile: its files are closed to everybody else, and these are to be shared like any other.
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # without it, a power cut after the renaming could leave an empty file
        if keep is not None and path.exists():
            path.replace(keep)
        temporary.replace(path)
    except OSError as error:
        raise fail("write-failed", Place(str(path)), {"reason": reason(error)}) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_file(path: Path, data: bytes) -> None:
    """Write `data` to `path`, creating its folder."""
    with new_file(path) as file:
        file.write(data)


def write_json(path: Path, value: object, *, indent: int = 1, sort: bool = False) -> None:
    """Write a value as indented JSON."""
    write_file(path, encode(json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=sort) + "\n"))


def for_spreadsheets(data: bytes) -> bytes:
    """Return a CSV file that spreadsheets read as UTF-8, with a quote before each text that they would compute."""
    rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    guarded = io.StringIO(newline="")
    guard = re.compile(r"(?=[=+@＝＋－＠\t\r\n]|-(?![\d.]+$))")  # some read full-width signs as ASCII
    csv.writer(guarded).writerows([f"'{cell}" if guard.match(cell) else cell for cell in row] for row in rows)
    return guarded.getvalue().encode("utf-8-sig")


def check_new_folder(folder: str | Path) -> None:
    """Refuse a folder that is not empty; call it before long work, too."""
    folder = Path(folder)
    if folder.is_dir():
        if names := tuple(sorted(path.name for path in list_folder(folder))):
            raise OutputRefused(str(Problem("output-not-empty", Place(str(folder)), {"names": names})))
    elif folder.exists() or folder.is_symlink():
        raise OutputRefused(str(Problem("output-not-folder", Place(str(folder)))))


@contextlib.contextmanager
def new_folder(folder: Path, *, replace: bool = False, durable: bool = False) -> Iterator[Path]:
    """Make a folder that takes the place of `folder` when the block ends without an error.

    A folder that is there must be empty, or else `replace` be true. With `durable`, every file is flushed to the disk
    before the renaming.
    """
    import shutil  # here, so that `import bidui` stays quick

    target = folder.resolve()
    new, old = _aside(target), _aside(target)
    try:
        new.mkdir(parents=True)
        yield new
        if durable:
            for path in new.rglob("*"):
                if path.is_file():
                    with path.open("r+b") as file:
                        os.fsync(file.fileno())
        if target.is_dir() and replace:
            target.rename(old)
        elif target.is_dir():
            target.rmdir()  # empty, or the system refuses; not every system puts a folder in another's place
        new.rename(target)
    except OSError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": reason(error)}) from error
    finally:
        if old.is_dir() and not target.is_dir():
            old.rename(target)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)


def write_new_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write files, by their paths in the folder, to a folder that is absent or empty; all of them or none.

    Returns their number. They may be made one by one as they are written.
    """
    check_new_folder(folder)
    count = 0
    with new_folder(folder) as new:
        for name, data in files:
            write_file(new / name, data)
            count += 1
    return count


def remove_file(path: Path) -> None:
    """Remove a file if it is there."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise fail("write-failed", Place(str(path)), {"reason": reason(error)}) from error


def remove_temporaries(folder: Path, *, name: str = "") -> None:
    """Remove what a killed run left half written in `folder`, or only what it left of `name`."""
    import shutil

    for path in folder.glob(f".{name[:80]}.????????{TEMPORARY}" if name else f".*{TEMPORARY}"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()


@contextlib.contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """Make a folder for temporary files beside `path`, removed at the end; folders that a killed process left go too.

    The folder is locked as long as its process lives, so that several processes can work on one `path`.
    """
    import shutil

    path.parent.mkdir(parents=True, exist_ok=True)
    shape = re.compile(rf"\.{re.escape(path.name[:80])}\.[0-9a-f]{{8}}{re.escape(TEMPORARY)}")
    for left in list_folder(path.parent):
        if shape.fullmatch(left.name):
            with _locked(left) as abandoned:
                if abandoned:
                    shutil.rmtree(left, ignore_errors=True)
    while True:
        folder = _aside(path)
        folder.mkdir()
        with _locked(folder) as ours:
            if ours is False or not folder.is_dir():  # a process that starts just now took it for one that was left
                continue
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            return


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[bool | None]:
    """Try to lock a folder until the block ends; give None if the system or the disk has no locks."""
    if os.name != "posix":
        yield None
        return
    import fcntl

    with contextlib.ExitStack() as stack:
        locked: bool | None = True
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, FileNotFoundError):
            locked = False
        except OSError:
            locked = None
        yield locked


@contextlib.contextmanager
def hold_lock(path: Path, *, on_wait: Callable[[], None] | None = None) -> Iterator[bool]:
    """Hold a lock file while the block runs, and remove it afterwards; a lock ends with its process, however that ends.

    If another process holds it, call `on_wait` and wait; without `on_wait`, BlockingIOError is raised. Yields False
    where there are no locks: on Windows, and on some network drives.
    """
    if os.name != "posix":
        yield False
        return
    import fcntl

    with contextlib.ExitStack() as stack:
        while True:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(path.open("a"))
            except OSError as error:
                raise fail("write-failed", Place(str(path)), {"reason": reason(error)}) from error
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if on_wait is None:
                    raise
                on_wait()
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError:
                yield False
                return
            # While we waited, the holder may have removed the file, and a third process may hold the next one.
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                    break
            file.close()
        try:
            yield True
        finally:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name[:80]}.{os.urandom(4).hex()}{TEMPORARY}")


# Manifests


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the files of a folder were made from, and their hashes: never a time, a host or an absolute path.

    Every kind of folder stores this in a JSON file of its own (`manifest.json` of pairs, `scores.json`, `corpus.json`,
    `recipe.json`, `report.json`), so that equal runs give equal bytes.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)  # name -> hash of what was read
    files: Mapping[str, str] = field(default_factory=dict)  # name in the folder -> hash of what was written

    def differences(self, new: "Manifest") -> tuple[str, ...]:
        """Describe how a new run differs from this one: settings with both values, inputs by name."""
        changed = [
            f"{name} ({_shown(self.settings, name)}, now {_shown(new.settings, name)})"
            for name in _differing(self.settings, new.settings)
        ]
        return (*changed, *sorted(_differing(self.inputs, new.inputs)))

    def state(self, folder: Path, name: str) -> Literal["whole", "changed", "missing"]:
        """Say whether a file is still what was written; a run that resumes keeps the whole ones."""
        if name not in self.files or not (folder / name).is_file():
            return "missing"
        return "whole" if file_hash(folder / name) == self.files[name] else "changed"

    def changed(self, folder: Path) -> tuple[str, ...]:
        """Return the files that are there but are no longer what was written."""
        return tuple(name for name in self.files if self.state(folder, name) == "changed")


def claim_folder(folder: Path, before: Manifest | None, new: Manifest, kind: str) -> None:
    """Refuse a folder that holds a run with other settings or inputs, or anything else where there is no manifest.

    `kind` is the problem that names the differences as `fields`.
    """
    if before is None:
        check_new_folder(folder)
    elif changed := before.differences(new):
        raise OutputRefused(str(Problem(kind, Place(str(folder)), {"fields": changed})))


def tool_version() -> str:
    """Return the installed version of bidui; "unknown" when it runs from its sources without being installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and seldom needed

    try:
        return version("bidui")
    except PackageNotFoundError:
        return "unknown"


def _differing(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    return [name for name in {**old, **new} if old.get(name, old) != new.get(name, new)]


def _shown(values: Mapping[str, object], name: str) -> str:
    if name not in values:
        return "nothing"
    value = values[name]
    if not isinstance(value, str):
        return json_text(value)
    return value[:12] if re.fullmatch("[0-9a-f]{64}", value) else value  # a hash need not be shown whole
