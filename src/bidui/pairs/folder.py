"""A folder of pairs: one file per paradigm and a manifest; never overwritten by mistake, never half done.

`manifest.json` says what was asked for, from which inputs, and which files came of it. A run that is killed leaves it
unfinished: the folder is refused as input, and the same run simply writes it again.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bidui.errors import InputError, OutputRefused, Place, Problem, fail
from bidui.files import (
    Json,
    Manifest,
    decode,
    encode,
    json_text,
    list_folder,
    parse_json,
    read_bytes,
    remove_file,
    remove_temporaries,
    sha256,
    tool_version,
    write_file,
    write_json,
)
from bidui.notebooks import counted
from bidui.pairs.archives import is_archive, read_archive
from bidui.pairs.formats import SUFFIXES, WRITTEN, Format, NoPairs, from_records, pairs_to_bytes, read_file
from bidui.pairs.layouts import Columns
from bidui.pairs.pair import Origin, Pair, Pairs, Short, column_names

if TYPE_CHECKING:
    import pandas
    import polars

NAME = "manifest.json"
# Everything that pairs can be given as: see `as_pairs`.
AnyPairs: TypeAlias = (
    "str | Path | Pairs | polars.DataFrame | pandas.DataFrame | Iterable[Pair | Mapping[str, object] | tuple[str, str]]"
)
# What no file system, or not every one, takes in a name: Windows is the strictest, and its users get our folders too.
_UNFIT = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]|^[.\s]|[.\s]$')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_LONGEST = 200  # bytes; most file systems take 255, and the temporary name is longer


# The manifest


@dataclass(frozen=True, slots=True)
class PairFile:
    """What a pair file must be: the hash of its bytes, and the number of its pairs."""

    sha256: str
    pairs: int


@dataclass(frozen=True, slots=True, repr=False)
class PairsManifest:
    """The content of `manifest.json`.

    While a run is under way, `files` holds what an earlier manifest named: ours to replace or remove at the end.
    """

    version: str  # of bidui
    asked: Mapping[str, Json] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)  # relative path -> hash of what was read
    files: Mapping[str, PairFile] = field(default_factory=dict)
    short: tuple[Short, ...] = ()
    finished: bool = False
    benchmarks: tuple[Origin, ...] = ()  # the benchmarks that the pairs are of; an early version did not store them

    def __repr__(self) -> str:
        pairs = counted(sum(file.pairs for file in self.files.values()), "pair")
        state = "finished" if self.finished else "unfinished"
        return f"<PairsManifest: {pairs} in {counted(len(self.files), 'file')}, {state}>"

    @property
    def manifest(self) -> Manifest:
        """What two runs are compared by."""
        files = {name: file.sha256 for name, file in self.files.items()}
        return Manifest({"version": self.version, **self.asked}, self.inputs, files)


def read_manifest(folder: Path) -> PairsManifest | None:
    """Read the manifest of a folder of pairs, if it has one; anything missing or of another type is an error."""
    path = folder / NAME
    if not path.exists():
        return None
    place = Place(str(path))
    value: Any = parse_json(decode(read_bytes(path), file=str(path)), place=place)
    try:
        manifest = PairsManifest(
            version=str(value["version"]),
            asked=dict(value["asked"]),
            inputs=dict(value["inputs"]),
            files={name: PairFile(str(f["sha256"]), int(f["pairs"])) for name, f in value["files"].items()},
            short=tuple(
                Short(int(s["asked"]), int(s["given"]), uid, str(s["reason"])) for uid, s in value["short"].items()
            ),
            finished=value["finished"] is True,
            benchmarks=tuple(Origin(**origin) for origin in value.get("benchmarks", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise fail("manifest-broken", place, {"reason": f"{type(error).__name__}: {error}"}) from None
    # These names are removed by a forced run: one that leads out of the folder must never be believed.
    if any("/" in name or "\\" in name or name.startswith(".") or name == NAME for name in manifest.files):
        raise fail("manifest-broken", place, {"reason": "a file name leads out of the folder"})
    return manifest


def _write_manifest(folder: Path, manifest: PairsManifest) -> None:
    """Write indented JSON with sorted mappings, since the order of the options is not a difference."""
    value = {
        "version": manifest.version,
        "asked": dict(sorted(manifest.asked.items())),
        "benchmarks": [asdict(origin) for origin in manifest.benchmarks],
        "inputs": dict(sorted(manifest.inputs.items())),
        "files": {name: {"sha256": f.sha256, "pairs": f.pairs} for name, f in sorted(manifest.files.items())},
        "short": {s.uid: {"asked": s.asked, "given": s.given, "reason": s.reason} for s in manifest.short},
        "finished": manifest.finished,
    }
    write_json(folder / NAME, value, indent=2)


# Reading


def read_pairs(
    path: str | Path,
    *,
    good: str | None = None,
    bad: str | None = None,
    paradigm: str | None = None,
    phenomenon: str | None = None,
) -> Pairs:
    """Read a file of pairs (.jsonl, .csv, .tsv, .json, .parquet, .txt), an archive, or all such files of a folder.

    BLiMP, CLiMP, SLING, JBLiMP, RuBLiMP, MultiBLiMP, BLiMP-NL, TurBLiMP and suites of SyntaxGym are read as they were
    released; for other tables, `good`, `bad`, `paradigm` and `phenomenon` name the columns. Where a file names no
    paradigm, its name is the uid. `notes` says which layouts were recognised, and what could not be read as pairs. A
    release that holds the same pairs in two formats is read once; other pairs under the same uid are an error. With a
    manifest in a folder, the files must be the ones it names.
    """
    path, columns = Path(path), Columns(good, bad, paradigm, phenomenon)
    if not path.exists():
        raise fail("file-missing", Place(), {"path": str(path)})
    if not path.is_dir() and not is_archive(path):
        return read_file(path, columns=columns)
    files, archives, manifests = _files(path) if path.is_dir() else ([], [path], [])
    pairs, unknown = _read_files(dict.fromkeys(files), columns)
    notes: list[Problem] = []
    if archives and (pairs or manifests):  # most likely they hold the same
        notes.append(Problem("pairs-archives-left", Place(str(path)), {"names": [*map(str, archives)]}, "warning"))
    elif archives:
        contents, notes = _unpacked(archives)
        pairs, more = _read_files(contents, columns)
        unknown += more
    if not pairs and not manifests:
        raise InputError(unknown) if unknown else fail("pairs-none", Place(str(path)), {"suffixes": SUFFIXES})
    if unknown:
        names = list(dict.fromkeys(problem.place.file for problem in unknown))
        notes.append(Problem("pairs-files-left", Place(str(path)), {"count": len(names), "names": names}, "warning"))
    notes += _summed((note for own in pairs.values() for note in own.notes), path)
    short = tuple(short for manifest in manifests for short in manifest.short)
    benchmarks = dict.fromkeys(origin for manifest in manifests for origin in manifest.benchmarks)
    return Pairs(tuple(pair for own in pairs.values() for pair in own), short, tuple(notes), tuple(benchmarks))


def as_pairs(
    source: AnyPairs,
    *,
    good: str | None = None,
    bad: str | None = None,
    paradigm: str | None = None,
    phenomenon: str | None = None,
) -> Pairs:
    """Return pairs as they are, from a file or folder, from a data frame, or from a list.

    A list holds pairs; mappings with the fields of files, such as a data set of Hugging Face has; or tuples of two
    sentences, the good one first. The columns can be named as for `read_pairs`.
    """
    if isinstance(source, Pairs):
        return source
    if isinstance(source, str | Path):
        return read_pairs(source, good=good, bad=bad, paradigm=paradigm, phenomenon=phenomenon)
    rows: Any = source
    if hasattr(source, "to_dicts"):  # polars
        rows = source.to_dicts()
    elif hasattr(source, "to_dict") and hasattr(source, "columns"):  # pandas
        rows = source.to_dict("records")
    return from_records(rows, columns=Columns(good, bad, paradigm, phenomenon))


def _read_files(files: Mapping[Path, bytes | None], columns: Columns) -> tuple[dict[Path, Pairs], list[Problem]]:
    """Read files, or their bytes, and return their pairs and the problems of tables that are not of pairs.

    A folder may have such tables and JSON files beside its pairs; in the formats that we write, they are errors.
    """
    pairs: dict[Path, Pairs] = {}
    problems: list[Problem] = []
    unknown: list[Problem] = []
    for file, data in files.items():
        try:
            pairs[file] = read_file(file, columns=columns, data=data)
        except NoPairs as error:
            if file.suffix.lower() != ".txt":  # most texts in a folder, such as a readme, are no tables at all
                (problems if file.suffix.lower() in WRITTEN else unknown).extend(error.problems)
        except InputError as error:
            problems.extend(error.problems)
    distinct, clashes = _distinct({file: own.items for file, own in pairs.items()})
    if problems or clashes:
        raise InputError([*problems, *clashes])
    return {file: pairs[file] for file in distinct}, unknown


def _unpacked(archives: Iterable[Path]) -> tuple[dict[Path, bytes | None], list[Problem]]:
    """Return the files in archives by their paths, which begin with that of the archive, and what was read."""
    files: dict[Path, bytes | None] = {}
    notes: list[Problem] = []
    for archive in archives:
        contents, inner = read_archive(archive, suffixes=SUFFIXES)
        own = {archive / name: data for name, data in contents if Path(name).name != NAME}
        size = f"{sum(map(len, own.values())):,}"
        notes.append(Problem("pairs-unpacked", Place(str(archive)), {"count": len(own), "bytes": size}, "warning"))
        if inner:
            notes.append(Problem("pairs-archives-left", Place(str(archive)), {"names": inner}, "warning"))
        files |= own
    return files, notes


def _summed(notes: Iterable[Problem], path: Path) -> list[Problem]:
    """Make one note of those that name the same layout for several files."""
    groups: dict[str, list[Problem]] = {}
    for note in notes:
        same = note.kind.startswith("pairs-layout")
        groups.setdefault(repr((note.kind, note.values) if same else note), []).append(note)
    return [
        own[0]
        if len(own) == 1
        else replace(own[0], place=Place(str(path)), values={**own[0].values, "count": len(own)})
        for own in groups.values()
    ]


def _files(folder: Path, *, above: frozenset[Path] = frozenset()) -> tuple[list[Path], list[Path], list[PairsManifest]]:
    """List the pair files of a folder, then those of its subfolders; archives; and their manifests.

    Hidden files are left out, and so is what macOS adds to an archive. A folder with a manifest holds all its pairs.
    """
    paths = sorted(path for path in list_folder(folder) if not path.name.startswith(".") and path.name != "__MACOSX")
    archives = [path for path in paths if is_archive(path) and not path.is_dir()]
    files = [path for path in paths if path.suffix.lower() in SUFFIXES and not path.is_dir()]
    manifest = read_manifest(folder)
    if manifest:
        files = [file for file in files if file.suffix.lower() in WRITTEN]
        _check_files(folder, manifest, {file.name for file in files})
        return files, [], [manifest]
    manifests: list[PairsManifest] = []
    above |= {folder.resolve()}
    for inner in paths:
        if inner.is_dir() and inner.resolve() not in above:  # a link may lead back up
            more, packed, others = _files(inner, above=above)
            files += more
            archives += packed
            manifests += others
    return files, archives, manifests


def _check_files(folder: Path, manifest: PairsManifest, names: set[str]) -> None:
    """Refuse half a run, or a folder with files of another run."""
    place = Place(str(folder / NAME))
    if not manifest.finished:
        raise fail("pairs-unfinished", place)
    missing = tuple(sorted(manifest.files.keys() - names))
    stray = tuple(sorted(names - manifest.files.keys()))
    problems = [Problem("pairs-gone", place, {"names": missing})] if missing else []
    problems += [Problem("pairs-stray", place, {"names": stray})] if stray else []
    if problems:
        raise InputError(problems)


def _distinct(pairs: Mapping[Path, tuple[Pair, ...]]) -> tuple[list[Path], list[Problem]]:
    """Leave out files that hold the very pairs of another, and report files that share a uid for other pairs.

    Files of one folder may share a paradigm out among them, if no pair number occurs twice.
    """
    distinct: list[Path] = []
    problems: list[Problem] = []
    homes: dict[str, dict[Path, set[int]]] = {}
    for file, group in pairs.items():
        numbers: dict[str, set[int]] = {}
        for pair in group:
            numbers.setdefault(pair.uid, set()).add(pair.pair_id)
        clashes: dict[Path, str] = {}
        for uid, ours in numbers.items():
            for other, theirs in homes.get(uid, {}).items():
                if other.parent != file.parent or ours & theirs:
                    clashes.setdefault(other, uid)
        if any(_bare(pairs[other]) == _bare(group) for other in clashes):
            continue
        distinct.append(file)
        problems += [
            Problem("pairs-uid-shared", Place(str(file)), {"uid": uid, "other": str(other)})
            for other, uid in clashes.items()
        ]
        for uid, ours in numbers.items():
            homes.setdefault(uid, {})[file] = ours
    return distinct, problems


def _bare(pairs: Iterable[Pair]) -> list[Pair]:
    """Return pairs without their further columns, which the formats of a release may write differently."""
    return [replace(pair, columns=()) if pair.columns else pair for pair in pairs]


# Writing


@dataclass(frozen=True, slots=True)
class Plan:
    """What writing to a folder will mean: nothing to do, or the unfinished manifest to begin with."""

    folder: Path
    format: Format
    manifest: PairsManifest
    unchanged: bool


@dataclass(frozen=True, slots=True)
class Written:
    """The result of writing; `unchanged` means that the folder already held just this."""

    outcome: Literal["written", "unchanged"]
    folder: Path
    manifest: PairsManifest


def plan_folder(
    out: str | Path,
    *,
    asked: Mapping[str, Json],
    inputs: Mapping[str, str],
    benchmarks: Iterable[Origin] = (),
    format: Format = "jsonl",
    force: bool = False,
) -> Plan:
    """Look at `out` before any work is done, and refuse it if it holds something else and `force` is off.

    The pairs must follow from `asked` and `inputs` alone: a folder that was made from the same is left as it is.
    With `force` it is written in any case, for those who have changed bidui itself.
    """
    folder = Path(out)
    # Through JSON and back, so that a tuple compares equal to the list that the old manifest has.
    plain: dict[str, Json] = parse_json(json_text({**asked, "format": format}), place=Place())  # type: ignore[assignment]
    new = PairsManifest(version=tool_version(), asked=plain, inputs=dict(inputs), benchmarks=tuple(benchmarks))
    if not folder.exists():
        return Plan(folder, format, new, unchanged=False)
    if not folder.is_dir():
        raise OutputRefused(str(Problem("output-not-folder", Place(str(folder)))))
    old = _old_manifest(folder, force=force)
    if old is None:
        return Plan(folder, format, new, unchanged=False)
    if not force:
        if changed := old.manifest.differences(new.manifest):
            raise OutputRefused(str(Problem("output-differs", Place(str(folder)), {"fields": changed})))
        if old.finished:
            if damaged := old.manifest.changed(folder):
                raise OutputRefused(str(Problem("output-changed", Place(str(folder)), {"names": damaged})))
            if all((folder / name).is_file() for name in old.files):
                return Plan(folder, format, old, unchanged=True)
    return Plan(folder, format, replace(new, files=old.files), unchanged=False)


def write_folder(plan: Plan, paradigms: Iterable[Pairs]) -> Written:
    """Write the files of `paradigms` as they come, then the manifest that says it is all there.

    Each item holds one or more whole paradigms; one that gave no pairs but says so in `short` gets an empty file.
    """
    if plan.unchanged:
        return Written("unchanged", plan.folder, plan.manifest)
    _write_manifest(plan.folder, plan.manifest)
    remove_temporaries(plan.folder)
    files: dict[str, PairFile] = {}
    short: list[Short] = []
    for pairs in paradigms:
        groups = _by_uid(pairs)
        _check_uids(groups, taken=files, suffix=plan.format)
        columns = column_names(pairs)  # the same in all files, since others load a whole folder as one table
        for uid, group in groups.items():
            data = pairs_to_bytes(group, format=plan.format, columns=columns)
            write_file(plan.folder / f"{uid}.{plan.format}", data)
            files[f"{uid}.{plan.format}"] = PairFile(sha256(data), len(group))
        short += pairs.short
    for name in plan.manifest.files.keys() - files.keys():
        remove_file(plan.folder / name)
    manifest = replace(plan.manifest, files=files, short=tuple(short), finished=True)
    _write_manifest(plan.folder, manifest)
    return Written("written", plan.folder, manifest)


def write_pairs(
    pairs: AnyPairs,
    out: str | Path,
    *,
    asked: Mapping[str, Json] | None = None,
    inputs: Mapping[str, str] | None = None,
    format: Format = "jsonl",
    force: bool = False,
) -> Written:
    """Write pairs, one file per paradigm; without `asked`, the manifest has the hash of the pairs instead."""
    pairs = as_pairs(pairs)
    _check_uids(_by_uid(pairs), taken=(), suffix=format)  # before anything is touched
    if asked is None:
        shortages = encode(json_text([astuple(short) for short in pairs.short]))
        asked = {"pairs": sha256(pairs_to_bytes(pairs, format="jsonl") + shortages)}
    plan = plan_folder(out, asked=asked, inputs=inputs or {}, benchmarks=pairs.benchmarks, format=format, force=force)
    return write_folder(plan, [pairs])


def uid_fits(uid: str) -> bool:
    """Return whether `uid` can be a file name on every system."""
    return bool(uid) and not _UNFIT.search(uid) and not _RESERVED.fullmatch(uid) and len(uid.encode()) <= _LONGEST


def _old_manifest(folder: Path, *, force: bool) -> PairsManifest | None:
    """Read the manifest in `folder`; none where the folder is ours to fill."""
    try:
        old = read_manifest(folder)
    except InputError as error:
        if force:
            return None
        raise OutputRefused(str(Problem("output-unknown", Place(str(folder)), {"reason": str(error)}))) from None
    names = tuple(sorted(path.name for path in list_folder(folder) if not path.name.startswith(".")))
    if old is None and names and not force:
        raise OutputRefused(str(Problem("output-not-ours", Place(str(folder)), {"names": names})))
    return old


def _by_uid(pairs: Pairs) -> dict[str, tuple[Pair, ...]]:
    """Group the pairs by paradigm, including paradigms that gave none."""
    return {short.uid: () for short in pairs.short} | pairs.by_uid()


def _check_uids(uids: Iterable[str], *, taken: Iterable[str], suffix: str) -> None:
    """Refuse a uid that cannot name a file, or names one that another paradigm of this run has."""
    names = {name.casefold() for name in taken}
    for uid in uids:
        if not uid_fits(uid):
            raise fail("uid-unfit", Place(), {"uid": repr(uid)})
        name = f"{uid}.{suffix}".casefold()  # Mac and Windows would put BA and ba into one file
        if name in names:
            raise fail("uid-twice", Place(), {"uid": uid})
        names.add(name)
