"""Documents of a corpus, one by one, from text and JSONL files, compressed or not.

A document is its lines, joined by a newline; blanks at the ends of lines and empty lines are layout and are left out.
In `.txt`, a line is a paragraph and an empty line ends the document; in `.jsonl`, a line is a document, with its text
in the field `text`. What cannot be used is left out and counted, and the first places are recorded.
"""

import bz2
import gzip
import json
import lzma
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from bidui.errors import Place, fail, import_failed

KINDS = (".txt", ".jsonl")
COMPRESSIONS = (".gz", ".xz", ".bz2", ".zst")
LONGEST = 100_000  # characters: otherwise a file without empty lines would be a single document in memory
MOST_PLACES = 10

OnProgress = Callable[[str, int, int], None]  # the activity, how much of it is done, and the total


@dataclass(slots=True)
class SourceCounts:
    """What a source contains; the counts grow while documents are read."""

    documents: int = 0  # including duplicates
    characters: int = 0  # of these
    duplicates: int = 0
    divided: int = 0  # places where a document longer than `LONGEST` was split
    empty: int = 0  # records without text
    broken_encodings: int = 0  # lines that are not UTF-8, or have NUL in them: left out
    broken_records: int = 0  # lines of JSONL that are not a JSON object with a text in the field: left out
    places: list[str] = field(default_factory=list)  # the first places that were left out, as file:line
    unknown_files: list[str] = field(default_factory=list)  # of kinds that cannot be read

    def leave_out(self, what: str, place: Place) -> None:
        """Count one more in the field `what`."""
        setattr(self, what, getattr(self, what) + 1)
        if len(self.places) < MOST_PLACES:
            self.places.append(f"{place}: {what.replace('_', ' ')}")

    def refuse_nothing(self, source: Path) -> None:
        """Raise an error if there was no text."""
        if not self.documents:
            values = {"broken": self.broken_encodings + self.broken_records, "empty": self.empty}
            raise fail("source-no-text", Place(str(source)), values)


def source_files(source: Path) -> tuple[dict[str, Path], list[str]]:
    """Return the files that can be read, by their names in the source, and the names of all others.

    The source is a file, or a folder with any folders in it; names that begin with a dot are ignored.
    """
    if source.is_file():
        files, root = [source], source.parent
    elif source.is_dir():
        files, root = sorted(path for path in source.rglob("*") if path.is_file()), source
    else:
        raise fail("source-missing", Place(str(source)), {})
    named = {path.relative_to(root).as_posix(): path for path in files}
    shown = {name: path for name, path in named.items() if not f"/{name}".count("/.")}
    known = {name: path for name, path in shown.items() if _kind(path) in KINDS}
    if not known:
        raise fail("source-empty", Place(str(source)), {"kinds": KINDS, "compressions": COMPRESSIONS})
    return known, sorted(shown.keys() - known.keys())


def read_documents(
    source: Path,
    *,
    field: str = "text",
    seen: SourceCounts | None = None,
    on_progress: OnProgress = lambda activity, done, total: None,
) -> Iterator[str]:
    """Yield every document of a file or folder, counting in `seen`; `on_progress` gets the bytes read so far."""
    seen = SourceCounts() if seen is None else seen
    files, unknown = source_files(source)
    seen.unknown_files += unknown
    total = sum(path.stat().st_size for path in files.values())
    before = 0
    for name, path in files.items():
        try:
            with path.open("rb") as raw:
                lines = _lines(_unpacked(raw, path), name, seen)
                for text in _paragraphs(lines, seen) if _kind(path) == ".txt" else _records(lines, name, field, seen):
                    seen.documents += 1
                    seen.characters += len(text)
                    on_progress("reading", before + raw.tell(), total)
                    yield text
                before += raw.tell()
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            # not left out: a truncated file would give a different corpus, and hardly anybody would notice
            raise fail("source-unreadable", Place(str(path)), {"reason": str(error)}) from error


def _kind(path: Path) -> str:
    """Return `.txt` for `a.txt` and for `a.txt.xz`."""
    packed = path.suffix.lower() in COMPRESSIONS
    return (Path(path.stem) if packed else path).suffix.lower()


def _unpacked(raw: BinaryIO, path: Path) -> Iterable[bytes]:
    match path.suffix.lower():
        case ".gz":
            return gzip.open(raw)
        case ".xz":
            return lzma.open(raw)
        case ".bz2":
            return bz2.open(raw)
        case ".zst":
            return _zstandard(raw, path)
    return raw


def _zstandard(raw: BinaryIO, path: Path) -> Iterator[bytes]:
    """Decompress with Python's own module from 3.14 on, and with its backport before."""
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ModuleNotFoundError as error:
        raise fail("source-zstandard", Place(str(path)), {}) from error
    except ImportError as error:
        raise import_failed(error, extra="lm", place=Place(str(path))) from error
    try:
        yield from zstd.ZstdFile(raw)
    except zstd.ZstdError as error:
        raise OSError(str(error)) from error


def _lines(raw: Iterable[bytes], name: str, seen: SourceCounts) -> Iterator[tuple[int, str]]:
    """Yield the lines that can be read, with their numbers."""
    for number, line in enumerate(raw, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:  # UTF-16 passes for UTF-8 where it holds ASCII
            seen.leave_out("broken_encodings", Place(name, number))
        else:
            yield number, text.strip()


def _paragraphs(lines: Iterable[tuple[int, str]], seen: SourceCounts) -> Iterator[str]:
    """Yield documents made of lines; an empty line ends one, and so does too great a length."""
    parts: list[str] = []
    length = 0
    for _, line in lines:
        if length + len(line) > LONGEST and parts and line:
            seen.divided += 1
            yield "\n".join(parts)
            parts, length = [], 0
        if line:
            parts.append(line)
            length += len(line) + 1
        elif parts:
            yield "\n".join(parts)
            parts, length = [], 0
    if parts:
        yield "\n".join(parts)


def _records(lines: Iterable[tuple[int, str]], name: str, field: str, seen: SourceCounts) -> Iterator[str]:
    """Yield the documents of lines of JSONL; a line that is too long makes several."""
    for number, line in lines:
        if not line:
            continue
        try:
            text = json.loads(line)[field]
            text.encode()  # JSON can encode half of a surrogate pair, which is not text
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            seen.leave_out("broken_records", Place(name, number))
            continue
        if "\0" in text:
            seen.leave_out("broken_encodings", Place(name, number))
            continue
        parts = ((number, part.strip()) for part in text.split("\n") if part.strip())
        documents = list(_paragraphs(parts, seen))
        if not documents:
            seen.leave_out("empty", Place(name, number))
        yield from documents
