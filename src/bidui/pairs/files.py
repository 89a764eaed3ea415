"""Pair files by their suffix, and reading them, one or a folder full."""

from collections.abc import Iterable
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
    """The pairs of a .jsonl, .csv or .parquet file, or of all such files of a folder, sorted by name.

    Foreign files in BLiMP's layout are read too. With a manifest in the folder, the files must be the ones it names.
    """
    path = Path(path)
    if not path.is_dir():
        return Pairs(_read_file(path))
    manifest = read_manifest(path)
    files = sorted(file for file in listing(path) if file.suffix in SUFFIXES and not file.name.startswith("."))
    if manifest:
        _check_folder(path, manifest, {file.name for file in files})
    elif not files:
        raise fail("pairs-none", Place(str(path)), {"suffixes": SUFFIXES})
    pairs: list[Pair] = []
    problems: list[Problem] = []
    for file in files:
        try:
            pairs.extend(_read_file(file))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return Pairs(tuple(pairs), manifest.short if manifest else ())


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


def _read_file(path: Path) -> tuple[Pair, ...]:
    data = read_bytes(path)
    match path.suffix:
        case ".jsonl":
            return from_jsonl(data, file=str(path), uid=path.stem)
        case ".csv":
            return from_csv(data, file=str(path), uid=path.stem)
        case ".parquet":
            return from_parquet(data, file=str(path), uid=path.stem)
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
