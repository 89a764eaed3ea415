"""Writing a file, or a new folder, so that, whatever happens, there is either the old one or the whole new one."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from bidui.errors import OutputRefused, Place, Problem, fail

TEMPORARY = ".part"  # the ending of a file not yet whole; its name begins with a dot


def write_file(path: Path, data: bytes) -> None:
    """Put `data` at `path`, making its folder; a full disk or a closed folder is an error with the system's reason."""
    temporary = path.with_name(f".{path.name[:80]}.{os.urandom(4).hex()}{TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not tempfile: its files are closed to everybody else, and these are to be shared like any other.
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # without it, a power cut after the renaming could leave an empty file
        temporary.replace(path)
    except OSError as error:
        raise fail("write-failed", Place(str(path)), {"reason": error.strerror or str(error)}) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_new_folder(folder: Path) -> None:
    """Refuse `folder` if there is anything in it; to be asked before long work, too."""
    if folder.is_dir():
        try:
            names = tuple(sorted(path.name for path in folder.iterdir()))
        except OSError as error:
            raise fail("read-failed", Place(str(folder)), {"reason": error.strerror or str(error)}) from None
        if names:
            raise OutputRefused(str(Problem("output-not-empty", Place(str(folder)), {"names": names})))
    elif folder.exists():
        raise OutputRefused(str(Problem("output-not-folder", Place(str(folder)))))


def write_new_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Put `files`, by their paths in it, into a folder that is not there or empty; all of them or none.

    How many there were is given back; they may be made one by one as they are written.
    """
    import shutil  # here, so that `import bidui` stays quick

    check_new_folder(folder)
    whole = folder.resolve()
    temporary = whole.with_name(f".{whole.name[:80]}.{os.urandom(4).hex()}{TEMPORARY}")
    count = 0
    try:
        for name, data in files:
            write_file(temporary / name, data)
            count += 1
        temporary.mkdir(parents=True, exist_ok=True)  # where there are no files
        if whole.is_dir():
            whole.rmdir()  # empty; not every system puts a folder in another's place
        temporary.rename(whole)
    except OSError as error:
        raise fail("write-failed", Place(str(folder)), {"reason": error.strerror or str(error)}) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return count


def remove_file(path: Path) -> None:
    """Remove `path` if it is there; a refusal of the system is an error with its reason."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise fail("write-failed", Place(str(path)), {"reason": error.strerror or str(error)}) from error


def remove_temporaries(folder: Path) -> None:
    """Remove what a killed run left half written in `folder`."""
    for path in folder.glob(f".*{TEMPORARY}"):
        with contextlib.suppress(OSError):
            path.unlink()
