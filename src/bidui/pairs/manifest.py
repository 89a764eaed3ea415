"""The manifest beside the pairs: what was asked, from which inputs, and which files came of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bidui.errors import Place, fail
from bidui.pairs.pair import Short
from bidui.pairs.text import encoded, parsed

NAME = "manifest.json"
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class PairFile:
    """What a pair file must be: the hash of its bytes, and the number of its pairs."""

    sha256: str
    pairs: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Where a folder of pairs came from, without time, host or absolute path, so that equal runs give equal bytes.

    While a run is under way, `files` holds what an earlier manifest named: ours to replace or remove at the end.
    """

    version: str  # of bidui
    asked: Mapping[str, Json] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)  # relative path, and the hash of what was read
    files: Mapping[str, PairFile] = field(default_factory=dict)
    short: tuple[Short, ...] = ()
    finished: bool = False


def sha256(data: bytes) -> str:
    """The hash that manifests use, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def tool_version() -> str:
    """The installed version of bidui; "unknown" when it is run from its sources without being installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and seldom needed

    try:
        return version("bidui")
    except PackageNotFoundError:
        return "unknown"


def to_json(manifest: Manifest) -> bytes:
    """The manifest as indented JSON; mappings are sorted, since the order of asking is not a difference."""
    value = {
        "version": manifest.version,
        "asked": dict(sorted(manifest.asked.items())),
        "inputs": dict(sorted(manifest.inputs.items())),
        "files": {name: {"sha256": f.sha256, "pairs": f.pairs} for name, f in sorted(manifest.files.items())},
        "short": {s.uid: {"asked": s.asked, "given": s.given, "reason": s.reason} for s in manifest.short},
        "finished": manifest.finished,
    }
    return encoded(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def from_json(text: str, *, file: str) -> Manifest:
    """The manifest that `text` holds; anything missing or of another type is an `InputError`."""
    value: Any = parsed(text, place=Place(file))
    try:
        manifest = Manifest(
            version=str(value["version"]),
            asked=dict(value["asked"]),
            inputs=dict(value["inputs"]),
            files={name: PairFile(str(f["sha256"]), int(f["pairs"])) for name, f in value["files"].items()},
            short=tuple(
                Short(int(s["asked"]), int(s["given"]), uid, str(s["reason"])) for uid, s in value["short"].items()
            ),
            finished=value["finished"] is True,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise fail("manifest-broken", Place(file), {"reason": f"{type(error).__name__}: {error}"}) from None
    # These names are removed by a forced run: one that leads out of the folder must never be believed.
    if any("/" in name or "\\" in name or name.startswith(".") or name == NAME for name in manifest.files):
        raise fail("manifest-broken", Place(file), {"reason": "a file name leads out of the folder"})
    return manifest


def differences(old: Manifest, new: Manifest) -> tuple[str, ...]:
    """How what was asked in `old` differs from `new`: the fields with both values, and the inputs by name."""
    changed = [] if old.version == new.version else [f"version ({old.version}, now {new.version})"]
    for name in _differing(old.asked, new.asked):
        changed.append(f"{name} ({_shown(old.asked, name)}, now {_shown(new.asked, name)})")
    return (*changed, *_differing(old.inputs, new.inputs))


def _differing(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    return [name for name in sorted(old.keys() | new.keys()) if old.get(name, old) != new.get(name, new)]


def _shown(values: Mapping[str, Json], name: str) -> str:
    return json.dumps(values[name], ensure_ascii=False) if name in values else "nothing"
