"""A folder of pairs, one file a paradigm and a manifest, that is never overwritten by mistake and never half done."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Literal

from bidui.errors import InputError, OutputRefused, Place, Problem, fail
from bidui.pairs.atomic import remove_file, remove_temporaries, write_file
from bidui.pairs.formats import Format, listing, pairs_to_bytes, read_bytes, read_manifest, to_jsonl
from bidui.pairs.manifest import NAME, Json, Manifest, PairFile, differences, sha256, to_json, tool_version
from bidui.pairs.pair import Pair, Pairs, Short
from bidui.pairs.text import encoded, json_text, parsed

# What no file system, or not every one, takes in a name: Windows is the strictest, and its users get our folders too.
_UNFIT = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]|^[.\s]|[.\s]$')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_LONGEST = 200  # bytes; most file systems take 255, and the temporary name is longer


@dataclass(frozen=True, slots=True)
class Plan:
    """What writing to a folder will mean: nothing to do, or the unfinished manifest to begin with."""

    folder: Path
    format: Format
    manifest: Manifest
    unchanged: bool


@dataclass(frozen=True, slots=True)
class Written:
    """What writing came to; `unchanged` means that the folder already held just this."""

    outcome: Literal["written", "unchanged"]
    folder: Path
    manifest: Manifest


def plan_folder(
    out: str | Path,
    *,
    asked: Mapping[str, Json],
    inputs: Mapping[str, str],
    format: Format = "jsonl",
    force: bool = False,
) -> Plan:
    """Look at `out` before any work is done, and refuse it if it holds something else and `force` is off.

    The pairs must follow from `asked` and `inputs` alone: a folder that was made from the same is left as it is.
    With `force` it is written in any case, for whoever has changed bidui itself.
    """
    folder = Path(out)
    # Through JSON and back, so that a tuple compares equal to the list that the old manifest has.
    plain: dict[str, Json] = parsed(json_text({**asked, "format": format}), place=Place())  # type: ignore[assignment]
    new = Manifest(version=tool_version(), asked=plain, inputs=dict(inputs))
    if not folder.exists():
        return Plan(folder, format, new, unchanged=False)
    if not folder.is_dir():
        raise OutputRefused(str(Problem("output-not-folder", Place(str(folder)))))
    old = _old_manifest(folder, force=force)
    if old is None:
        return Plan(folder, format, new, unchanged=False)
    changed = differences(old, new)
    if changed and not force:
        raise OutputRefused(str(Problem("output-differs", Place(str(folder)), {"fields": changed})))
    present = {name: sha256(read_bytes(folder / name)) for name in old.files if (folder / name).is_file()}
    if old.finished and not force:
        spoilt = tuple(name for name, found in present.items() if found != old.files[name].sha256)
        if spoilt:
            raise OutputRefused(str(Problem("output-changed", Place(str(folder)), {"names": spoilt})))
        if len(present) == len(old.files):
            return Plan(folder, format, old, unchanged=True)
    return Plan(folder, format, replace(new, files=old.files), unchanged=False)


def write_folder(plan: Plan, paradigms: Iterable[Pairs]) -> Written:
    """Write the files of `paradigms` as they come, then the manifest that says it is all there.

    Each item holds one or more whole paradigms; one that gave no pairs but says so in `short` gets an empty file.
    A run that is killed leaves an unfinished manifest, and the same run simply goes over it.
    """
    if plan.unchanged:
        return Written("unchanged", plan.folder, plan.manifest)
    write_file(plan.folder / NAME, to_json(plan.manifest))
    remove_temporaries(plan.folder)
    files: dict[str, PairFile] = {}
    short: list[Short] = []
    for pairs in paradigms:
        groups = _by_uid(pairs)
        _check_uids(groups, taken=files, suffix=plan.format)
        for uid, group in groups.items():
            data = pairs_to_bytes(group, format=plan.format)
            write_file(plan.folder / f"{uid}.{plan.format}", data)
            files[f"{uid}.{plan.format}"] = PairFile(sha256(data), len(group))
        short += pairs.short
    for name in plan.manifest.files.keys() - files.keys():
        remove_file(plan.folder / name)
    manifest = replace(plan.manifest, files=files, short=tuple(short), finished=True)
    write_file(plan.folder / NAME, to_json(manifest))
    return Written("written", plan.folder, manifest)


def write_pairs(
    pairs: Pairs,
    out: str | Path,
    *,
    asked: Mapping[str, Json] | None = None,
    inputs: Mapping[str, str] | None = None,
    format: Format = "jsonl",
    force: bool = False,
) -> Written:
    """Write pairs that are at hand, one file a paradigm; without `asked`, the pairs themselves are what was asked."""
    _check_uids(_by_uid(pairs), taken=(), suffix=format)  # before anything is touched
    if asked is None:
        asked = {"pairs": sha256(to_jsonl(pairs) + encoded(json_text([astuple(short) for short in pairs.short])))}
    plan = plan_folder(out, asked=asked, inputs=inputs or {}, format=format, force=force)
    return write_folder(plan, [pairs])


def uid_fits(uid: str) -> bool:
    """Whether `uid` can be a file's name on every machine."""
    return bool(uid) and not _UNFIT.search(uid) and not _RESERVED.fullmatch(uid) and len(uid.encode()) <= _LONGEST


def _old_manifest(folder: Path, *, force: bool) -> Manifest | None:
    """The manifest in `folder`, or none where it is ours to fill."""
    try:
        old = read_manifest(folder)
    except InputError as error:
        if force:
            return None
        raise OutputRefused(str(Problem("output-unknown", Place(str(folder)), {"reason": str(error)}))) from None
    others = tuple(sorted(path.name for path in listing(folder) if not path.name.startswith(".")))
    if old is None and others and not force:
        raise OutputRefused(str(Problem("output-not-ours", Place(str(folder)), {"names": others})))
    return old


def _by_uid(pairs: Pairs) -> dict[str, tuple[Pair, ...]]:
    """The paradigms, those that gave nothing among them."""
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
