"""Projects as zips and folders: read within limits, protected against tricks, and written the same on every machine."""

import errno
import io
import json
import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from bidui.errors import Place, Problem, fail
from bidui.grammar.classic import read_classic, refusal
from bidui.grammar.names import DEEPEST, expected, name_fits, named_tables
from bidui.grammar.project import OTHER_TABLES, project_texts
from bidui.grammar.yaml import MAX_BYTES, read_bytes

MOST_FILES = 5_000
MOST_BYTES = 100_000_000
HIGHEST_RATIO = 200  # a table of one word repeated has 100; a bomb has 1,000
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files by their names from the top folder, the names of what was left out, and what was changed, as warnings."""

    files: Mapping[str, bytes]
    skipped: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_zip(source: bytes | IO[bytes]) -> Bundle:
    """Read the files of a zip; one that is too large, or that would write outside its folder, is refused whole."""
    try:
        with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
            return _unpacked(_members(archive))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError, RuntimeError) as error:
        raise fail("zip-unreadable", Place(), {"reason": str(error)}) from None


def read_project_zip(source: bytes | IO[bytes]) -> dict[str, bytes]:
    """Return the files of the project in a zip, by name.

    A table or YAML file whose name or format no project can have is refused, since nobody would notice that it is
    missing.
    """
    bundle = read_zip(source)
    if "project.yaml" not in bundle.files:
        raise fail("zip-no-project", Place(), {"names": sorted({*bundle.files, *bundle.skipped})})
    for name in bundle.skipped:
        hidden = any(part == "__MACOSX" or part.startswith(".") for part in name.split("/"))
        if not hidden and name.lower().endswith((".yaml", ".yml", *OTHER_TABLES)):
            raise fail("zip-file-unfit", Place(name))
    return dict(bundle.files)


def read_folder(folder: Path) -> Bundle:
    """Read the files of a folder on this machine, within the same limits; a link in it is refused."""
    if not folder.is_dir():
        raise fail("read-failed", Place(str(folder)), {"reason": os.strerror(errno.ENOTDIR)})
    return _unpacked(_entries(folder, ""))


def read_files(files: Iterable[tuple[str, IO[bytes]]]) -> Bundle:
    """Read files that were chosen one by one, by their names, within the same limits."""
    return _unpacked((name, partial(_taken, file)) for name, file in files)


def write_zip(files: Mapping[str, bytes], *, top: str) -> bytes:
    """Write a zip with one folder; the same files give the same bytes on any machine."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            add_to_zip(archive, f"{top}/{name}", files[name])
    return out.getvalue()


def add_to_zip(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Add a file to a zip, stored and undated."""
    item = zipfile.ZipInfo(name, _DATE)
    item.create_system = 3
    item.external_attr = (stat.S_IFREG | 0o644) << 16
    archive.writestr(item, data, zipfile.ZIP_STORED)


Read = Callable[[int], bytes]  # the bytes of a file, up to a limit and one more


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, Read]]:
    """Walk the files of a zip."""
    items = archive.infolist()
    if len(items) > MOST_FILES:
        raise fail("archive-too-many", Place(), {"count": len(items), "most": MOST_FILES})
    for item in items:
        name = _name(item)
        mode = item.external_attr >> 16
        if item.is_dir():
            check_member(name.rstrip("/"))
        elif stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            raise fail("archive-not-file", Place(_shown(name)))
        else:
            yield name, partial(_data, archive, item)


def _data(archive: zipfile.ZipFile, item: zipfile.ZipInfo, most: int) -> bytes:
    """Read the bytes of a file; the size in its header is not believed."""
    place = Place(_shown(item.filename))
    if item.flag_bits & 1:
        raise fail("archive-encrypted", place)
    if item.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError("bzip2 and LZMA unpack without a limit")  # reported like any broken archive
    with archive.open(item) as member:
        data = member.read(most + 1)
    if most >= len(data) > HIGHEST_RATIO * max(item.compress_size, 1_000):
        raise fail("archive-ratio", place, {"most": HIGHEST_RATIO})
    return data


def _name(item: zipfile.ZipInfo) -> str:
    """Return the name of a member; Windows in China writes GBK and does not say so."""
    if item.flag_bits & 0x800:
        return item.orig_filename
    try:
        raw = item.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return item.orig_filename
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return item.orig_filename


def check_member(name: str) -> bool:
    """Refuse a name that could lead out of its folder; True where it is hidden or not one for every machine."""
    parts = name.split("/")
    drive = parts[0][1:2] == ":"
    unsafe = drive or "\\" in name or "\x00" in name or ".." in parts or "" in parts
    if unsafe or len(parts) > DEEPEST + 4:
        raise fail("archive-name", Place(_shown(name)))
    return parts[0] == "__MACOSX" or any(not name_fits(part) for part in parts)


def _shown(name: str) -> str:
    return repr(name)[1:-1]


def _entries(folder: Path, prefix: str) -> Iterator[tuple[str, Read]]:
    try:
        items = sorted(folder.iterdir())
    except OSError as error:
        raise fail("read-failed", Place(prefix), {"reason": error.strerror or str(error)}) from None
    for path in items:
        name = prefix + path.name
        if path.is_symlink():
            raise fail("archive-not-file", Place(_shown(name)))
        if path.is_dir() and not check_member(name):
            yield from _entries(path, f"{name}/")
        else:
            yield name, partial(_read, path, name)


def _read(path: Path, name: str, _: int) -> bytes:
    return read_bytes(path, name=name)


def _taken(file: IO[bytes], most: int) -> bytes:
    return file.read(most + 1)


def _unpacked(members: Iterable[tuple[str, Read]]) -> Bundle:
    """Return files within the limits, each name once, without the one folder that all files lie in."""
    files: dict[str, bytes] = {}
    skipped: list[str] = []
    keys: set[str] = set()
    size = 0
    for name, read in members:
        left_out = check_member(name) or not name.lower().endswith((".yaml", ".yml", ".tsv", ".json", ".md"))
        if name.casefold() in keys:
            raise fail("archive-twice", Place(_shown(name)))
        keys.add(name.casefold())
        if left_out:
            skipped.append(_shown(name))
            continue
        most = min(MAX_BYTES, MOST_BYTES - size)
        files[name] = read(most)
        size += len(files[name])
        if len(keys) > MOST_FILES:
            raise fail("archive-too-many", Place(), {"count": len(keys), "most": MOST_FILES})
        if len(files[name]) > most:
            raise fail("archive-too-large", Place(_shown(name)), {"file": MAX_BYTES, "all": MOST_BYTES})
    tops = {name.partition("/")[0] for name in files}
    if len(tops) == 1 and all("/" in name for name in files):
        files = {name.partition("/")[2]: data for name, data in files.items()}
    return Bundle(files, tuple(skipped))


# Which files make a project of ours, or one in the papers' own format, which is converted


def project_files(bundle: Bundle) -> Bundle:
    """Return the project in some files: one with a `project.yaml`, else templates in JSON and a vocabulary in TSV."""
    files = bundle.files
    if "project.yaml" not in files:
        return _converted(bundle)
    tables = named_tables(files["project.yaml"].decode("utf-8-sig", "replace"))
    taken = {name: files[name] for name in sorted(files) if expected(name) or name in tables}
    return Bundle(taken, (*bundle.skipped, *sorted(files.keys() - taken.keys())))


def _converted(bundle: Bundle) -> Bundle:
    """Convert a project as the papers published it; raises `InputError` with every error of the templates.

    Templates have a `good_rule`, another JSON object holds the phrases, and a TSV with a column `expression` the words.
    """
    files = bundle.files
    keys = {name: _keys(data) for name, data in files.items() if name.lower().endswith(".json")}
    templates = sorted(name for name, each in keys.items() if each and "good_rule" in each)
    others = sorted(name for name, each in keys.items() if each is not None and name not in templates)
    phrases = [name for name in others if "phrase" in name.lower()] or others
    tables = sorted(name for name, data in files.items() if name.lower().endswith(".tsv") and _has_words(data))
    if not templates or not tables:
        raise fail("import-no-project", Place(), {"names": sorted({*files, *bundle.skipped})})
    if len(tables) > 1 or len(phrases) > 1:
        raise fail("import-unclear", Place(), {"tables": tables, "phrases": phrases})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "templates").mkdir()
        for template in templates:
            if (folder / "templates" / PurePosixPath(template).name).exists():
                raise fail("archive-twice", Place(PurePosixPath(template).name))
            _put(folder / "templates", template, files)
        vocabulary = _put(folder, tables[0], files)
        classic = read_classic(
            folder / "templates", vocabulary=vocabulary, phrases=_put(folder, phrases[0], files) if phrases else None
        )
    if classic.errors:
        raise refusal(classic)
    texts = project_texts(classic)
    rest = sorted(files.keys() - {*templates, *tables, *phrases})
    return Bundle({name: text.encode() for name, text in texts.items()}, (*bundle.skipped, *rest), classic.problems)


def _put(folder: Path, name: str, files: Mapping[str, bytes]) -> Path:
    path = folder / PurePosixPath(name).name
    path.write_bytes(files[name])
    return path


def _keys(data: bytes) -> set[str] | None:
    """Return the keys of a JSON object; None where it is something else."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {"good_rule"}  # read as a template, so that its fault is reported
    return {*value} if isinstance(value, dict) else None


def _has_words(data: bytes) -> bool:
    header = data.decode("utf-8-sig", "replace").partition("\n")[0]
    return "expression" in [cell.strip() for cell in header.split("\t")]
