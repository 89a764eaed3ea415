"""Archives as benchmarks are released: zip, tar and single compressed files, read in memory.

Nothing is unpacked to the disk, so no name in an archive can lead anywhere. The sizes in its headers are not believed:
what is read is counted, and an archive that unpacks to more than `MOST_BYTES` is refused.
"""

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from bidui.errors import Place, fail
from bidui.files import reason

MOST_BYTES = 2_000_000_000
TARS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
SINGLE: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_OPENERS: dict[str, Callable[..., Any]] = {**SINGLE, ".tgz": gzip.open, ".txz": lzma.open, ".tbz2": bz2.open}
READABLE = (".zip", *TARS, *SINGLE)
OTHER = (".7z", ".rar", ".zst")  # these need programs of their own
Contents = list[tuple[str, bytes]]


def is_archive(path: Path) -> bool:
    """Return whether a name is that of an archive or a compressed file, whether or not it can be read here."""
    return path.name.lower().endswith((*READABLE, *OTHER))


def read_archive(path: Path, *, suffixes: tuple[str, ...]) -> tuple[Contents, list[str]]:
    """Return the files with one of the suffixes, by their names in the archive, and the names of archives inside it.

    The name of a file that is compressed alone is that of the archive without its last suffix.
    """
    name, place = path.name.lower(), Place(str(path))
    if not name.endswith(READABLE):
        raise fail("pairs-archive", place)
    contents: Contents = []
    inner: list[str] = []
    left = MOST_BYTES
    try:
        for member, file in _members(path, name):
            posix = PurePosixPath(member)
            if any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in posix.parts):
                continue
            if is_archive(Path(posix.name)):
                inner.append(member)
            elif posix.suffix.lower() in suffixes:
                data = file.read(left + 1)
                left -= len(data)
                if left < 0:
                    raise fail("pairs-archive-large", place, {"most": f"{MOST_BYTES:,}"})
                contents.append((member, data))
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise fail("pairs-archive-broken", place, {"reason": reason(error)}) from None
    except (RuntimeError, NotImplementedError, ValueError) as error:  # a password, an unknown compression
        raise fail("pairs-archive-broken", place, {"reason": str(error)}) from None
    return sorted(contents, key=_files_first), inner


def _files_first(content: tuple[str, bytes]) -> list[tuple[bool, str]]:
    """Return a key that sorts files before the folders beside them, as a folder is read."""
    *folders, name = PurePosixPath(content[0]).parts
    return [*((True, folder) for folder in folders), (False, name)]


def _members(path: Path, name: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Open the plain files of an archive, one after the other; links are not followed."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for item in archive.infolist():
                if not item.is_dir():
                    with archive.open(item) as file:
                        yield item.filename, file
    elif name.endswith(TARS):
        opener: Callable[..., Any] = next((one for end, one in _OPENERS.items() if name.endswith(end)), open)
        with opener(path, "rb") as stream:
            counted = _Counted(stream)
            with tarfile.open(fileobj=counted, mode="r|") as tar:  # type: ignore[call-overload]
                for entry in tar:
                    if entry.isfile() and (opened := tar.extractfile(entry)):
                        yield entry.name, opened
            while counted.read(1 << 20):  # to the end, where a compressed file has its check sum
                pass
            if counted.count < tar.offset + 512:  # to tarfile, an archive without the mark of its end is whole
                raise EOFError("its end is missing")
    else:
        with SINGLE[path.suffix.lower()](path, "rb") as file:
            yield path.stem, file


@dataclass(slots=True)
class _Counted:
    """A stream that counts the bytes read from it."""

    stream: IO[bytes]
    count: int = 0

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.count += len(data)
        return data
