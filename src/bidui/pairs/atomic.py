"""Writing a file so that, whatever happens, it is either the old one or the whole new one."""

import contextlib
import os
from pathlib import Path

from bidui.errors import Place, fail

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
