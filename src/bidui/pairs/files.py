"""Pair files by their suffix, and reading them, one or a folder full, ours or as others released them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args

from bidui.errors import InputError, Place, Problem, fail
from bidui.pairs.csv import from_csv, to_csv
from bidui.pairs.jsonl import from_jsonl, to_jsonl
from bidui.pairs.manifest import NAME, Manifest, from_json
from bidui.pairs.pair import Pair, Pairs
from bidui.pairs.parquet import from_parquet, to_parquet
from bidui.pairs.text import decoded

Format = Literal["jsonl", "csv", "parquet"]
SUFFIXES = tuple(f".{name}" for name in get_args(Format))
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".rar", ".zst")


def pairs_to_bytes(pairs: Iterable[Pair], *, format: Format) -> bytes:
    """The whole content of a pair file."""
    match format:
        case "jsonl":
            return to_jsonl(pairs)
        case "csv":
            return to_csv(pairs)
        case "parquet":
            return to_parquet(pairs)
        case _:
            raise fail("pairs-format", Place(), {"given": format, "formats": get_args(Format)})


def read_pairs(path: str | Path) -> Pairs:
    """The pairs of a .jsonl, .csv or .parquet file, or of all such files of a folder and the folders in it, by name.

    The releases of BLiMP, CLiMP, SLING and JBLiMP are read as they are; where a file names no paradigm, its own name is
    the uid. A release that holds the same pairs in two formats is read once; other pairs under the same uid are an
    error. With a manifest in a folder, the files must be the ones it names.
    """
    path = Path(path)
    if not path.is_dir():
        return Pairs(_read_file(path))
    files, manifests = _files(path)
    if not files and not manifests:
        raise _none(path)
    found: dict[Path, tuple[Pair, ...]] = {}
    problems: list[Problem] = []
    for file in files:
        try:
            found[file] = _read_file(file)
        except InputError as error:
            problems.extend(error.problems)
    kept, clashes = _apart(found)
    if problems or clashes:
        raise InputError([*problems, *clashes])
    short = tuple(short for manifest in manifests for short in manifest.short)
    return Pairs(tuple(pair for file in kept for pair in found[file]), short)


def read_bytes(path: Path) -> bytes:
    """The content of a file that should be there."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise fail("file-missing", Place(), {"path": str(path)}) from None
    except OSError as error:
        raise fail("read-failed", Place(str(path)), {"reason": error.strerror or str(error)}) from None


def listing(folder: Path) -> list[Path]:
    """What is in a folder that should be there."""
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise fail("read-failed", Place(str(folder)), {"reason": error.strerror or str(error)}) from None


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder of pairs, if it has one."""
    path = folder / NAME
    return from_json(decoded(read_bytes(path), file=str(path)), file=str(path)) if path.exists() else None


def _files(folder: Path, *, above: frozenset[Path] = frozenset()) -> tuple[list[Path], list[Manifest]]:
    """The pair files of a folder, then those of the folders in it, with the manifests found.

    Hidden files are left out, and so is what macOS adds to an archive. A folder with a manifest holds all its pairs.
    """
    paths = sorted(path for path in listing(folder) if not path.name.startswith(".") and path.name != "__MACOSX")
    files = [path for path in paths if path.suffix.lower() in SUFFIXES and not path.is_dir()]
    manifest = read_manifest(folder)
    if manifest:
        _check_folder(folder, manifest, {file.name for file in files})
        return files, [manifest]
    manifests: list[Manifest] = []
    above |= {folder.resolve()}
    for inner in paths:
        if inner.is_dir() and inner.resolve() not in above:  # a link may lead back up
            more, others = _files(inner, above=above)
            files += more
            manifests += others
    return files, manifests


def _none(folder: Path) -> InputError:
    archive = next((path for path in sorted(listing(folder)) if path.suffix.lower() in _ARCHIVES), None)
    if archive:
        return fail("pairs-archive", Place(str(archive)))
    return fail("pairs-none", Place(str(folder)), {"suffixes": SUFFIXES})


def _apart(found: Mapping[Path, tuple[Pair, ...]]) -> tuple[list[Path], list[Problem]]:
    """The files without those that hold the very pairs of another, and every two that share a uid for other pairs.

    Files of one folder may share a paradigm out among them, if no number comes twice.
    """
    kept: list[Path] = []
    problems: list[Problem] = []
    homes: dict[str, dict[Path, set[int]]] = {}
    for file, pairs in found.items():
        numbers: dict[str, set[int]] = {}
        for pair in pairs:
            numbers.setdefault(pair.uid, set()).add(pair.pair_id)
        clashes: dict[Path, str] = {}
        for uid, own in numbers.items():
            for other, theirs in homes.get(uid, {}).items():
                if other.parent != file.parent or own & theirs:
                    clashes.setdefault(other, uid)
        if any(found[other] == pairs for other in clashes):
            continue
        kept.append(file)
        problems += [
            Problem("pairs-uid-shared", Place(str(file)), {"uid": uid, "other": str(other)})
            for other, uid in clashes.items()
        ]
        for uid, own in numbers.items():
            homes.setdefault(uid, {})[file] = own
    return kept, problems


def _read_file(path: Path) -> tuple[Pair, ...]:
    data = read_bytes(path)
    match path.suffix.lower():
        case ".jsonl":
            return from_jsonl(data, file=str(path), uid=path.stem)
        case ".csv":
            return from_csv(data, file=str(path), uid=path.stem)
        case ".parquet":
            return from_parquet(data, file=str(path), uid=path.stem)
        case suffix if suffix in _ARCHIVES:
            raise fail("pairs-archive", Place(str(path)))
        case _:
            raise fail("pairs-suffix", Place(str(path)), {"suffixes": SUFFIXES})


def _check_folder(folder: Path, manifest: Manifest, found: set[str]) -> None:
    """Half a run, or a file of another run, must not be taken for the whole."""
    place = Place(str(folder / NAME))
    if not manifest.finished:
        raise fail("pairs-unfinished", place)
    missing = tuple(sorted(manifest.files.keys() - found))
    strange = tuple(sorted(found - manifest.files.keys()))
    problems = [Problem("pairs-gone", place, {"names": missing})] if missing else []
    problems += [Problem("pairs-stray", place, {"names": strange})] if strange else []
    if problems:
        raise InputError(problems)
