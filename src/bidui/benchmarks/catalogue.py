"""Which benchmark does a name or a path mean? Those shipped with bidui, those of packages, zips and project folders.

A package offers a benchmark as an entry point of the group `bidui.benchmarks`: its name, and the package whose folder
is the project. The folders in `BIDUI_BENCHMARKS` hold more of them, as folders or zips, by their file names. A name
goes before a path: `./zhoblimp` is always a path.
"""

import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bidui.errors import InputError, Place, fail
from bidui.files import tool_version

HOME = Path(__file__).parent
GROUP = "bidui.benchmarks"  # of entry points
FOLDERS = "BIDUI_BENCHMARKS"  # the environment variable
SETTINGS = "project.yaml"


@dataclass(frozen=True, slots=True)
class Entry:
    """A benchmark that can be opened by name: its folder or zip, who brings it, and the version of a package."""

    name: str
    path: Path
    provider: str
    version: str = ""


def shipped() -> dict[str, Path]:
    """Return the folder of each shipped benchmark, by name."""
    return {file.parent.name: file.parent for file in sorted(HOME.glob(f"*/{SETTINGS}"))}


def entries() -> dict[str, list[Entry]]:
    """Return every benchmark that has a name; where two have the same one, opening it is an error."""
    by_name: dict[str, list[Entry]] = {}
    for name, folder in shipped().items():
        by_name.setdefault(name, []).append(Entry(name, folder, "bidui", tool_version()))
    for entry in (*_packaged(), *_collected()):
        by_name.setdefault(entry.name, []).append(entry)
    return by_name


def find_entry(name: str) -> Entry | None:
    """Return the benchmark of that name, if there is one; a name that means two things is an error."""
    claims = entries().get(name, [])
    if not claims:
        return None
    entry = claims[0]
    if len(claims) > 1:
        providers = [claim.provider for claim in claims]
        raise fail("benchmark-claimed", Place(), {"name": name, "providers": providers})
    if not (is_project_zip(entry.path) or (entry.path / SETTINGS).is_file()):
        raise fail("benchmark-broken", Place(), {"name": name, "provider": entry.provider, "path": str(entry.path)})
    here = Path(name)
    if (here / SETTINGS).is_file() and not here.samefile(entry.path):
        raise fail("benchmark-or-folder", Place(), {"name": name, "provider": entry.provider})
    return entry


def is_project(name_or_path: str | Path) -> bool:
    """Return whether this is a benchmark or a project; if not, it may be pairs."""
    if isinstance(name_or_path, str) and find_entry(name_or_path):
        return True
    path = Path(name_or_path)
    return (path / SETTINGS).is_file() or is_project_zip(path)


@contextmanager
def project_folder(name_or_path: str | Path) -> Iterator[tuple[Path, str]]:
    """Open the folder of a benchmark or project to read it; yield it with the version of its package, if it has one.

    A zip is unpacked for the time being, under its own name, since that is the name of a project without another.
    """
    entry = find_entry(name_or_path) if isinstance(name_or_path, str) else None
    path, version = (entry.path, entry.version) if entry else (Path(name_or_path), "")
    if not path.exists():
        raise fail("project-missing", Place(), {"path": str(name_or_path), "known": sorted(entries())})
    if path.is_dir():
        yield path, version
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield _unpack(path, Path(folder) / path.stem), version


def is_project_zip(path: Path) -> bool:
    """Return whether a file is a zip with a project at its top, or in its one folder."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.rpartition("/")[2] == SETTINGS and name.count("/") < 2 for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def _packaged() -> Iterator[Entry]:
    """Yield what installed packages offer; their code is not run."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for point in entry_points(group=GROUP):
        try:
            spec = find_spec(point.module)
        except (ImportError, ValueError):
            spec = None
        folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
        folder = next((each for each in folders if (each / SETTINGS).is_file()), Path(point.module))
        distribution = point.dist
        provider, version = (distribution.name, distribution.version) if distribution else (point.module, "")
        yield Entry(point.name, folder, provider, version)


def _collected() -> Iterator[Entry]:
    """Yield the folders and zips with projects in the folders that the environment names."""
    for folder in filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)):
        for path in sorted(Path(folder).glob("*")):
            if (path / SETTINGS).is_file():
                yield Entry(path.name, path, str(path))
            elif is_project_zip(path):
                yield Entry(path.stem, path, str(path))


def _unpack(path: Path, folder: Path) -> Path:
    """Unpack the project in a zip into a folder; a zip that plays tricks is refused, and so is any other file."""
    from bidui.grammar.archives import read_project_zip

    if path.suffix.lower() != ".zip":
        raise fail("not-a-project", Place(str(path)))
    try:
        with path.open("rb") as file:
            files = read_project_zip(file)
    except OSError as error:
        raise fail("file-unreadable", Place(str(path)), {"reason": error.strerror or str(error)}) from None
    except InputError as error:  # its places are names in the zip
        places = [str(path / problem.place.file) if problem.place.file else str(path) for problem in error.problems]
        moved = [replace(problem, place=Place(place)) for problem, place in zip(error.problems, places, strict=True)]
        raise InputError(moved) from None
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder
