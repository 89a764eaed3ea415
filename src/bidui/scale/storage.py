"""Folders on remote storage: any URL that fsspec knows, such as `s3://bucket/runs`, `gs://bucket/runs` or `file:///x`.

Everything else in bidui works on paths. So a remote folder has a copy on this machine: `pull` brings it up to date,
work is done in the copy, and `push` sends what has changed. An object is sent whole or not at all, and the files that
say what is done (manifests) are sent last, so that a run that dies in between resumes anywhere from what is there.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bidui.errors import InputError, Place, fail, import_failed
from bidui.files import reason, write_json

CACHE = "BIDUI_CACHE"  # the environment variable that names the folder of copies
STATES = ".remote.json"  # beside a copy: what was last sent or brought of each file
# What is sent after everything else, in this order: whoever reads it takes the rest to be there.
LAST = ("log.jsonl", "state-before.pt", "state.pt", "scores.json", "manifest.json", "report.json", "finished.json")
_URL = re.compile(r"([a-z][a-z0-9+.-]+):/{1,2}(?!/)(.+)|(file):/{1,3}(.+)", re.IGNORECASE)


def url_of(path: str | Path) -> str:
    """Return the URL that a path is, or nothing; pathlib has made one slash of two."""
    match = _URL.fullmatch(str(path))
    if match is None:
        return ""
    if (match[1] or match[3]).lower() == "file":
        return f"file:///{(match[2] or match[4]).lstrip('/').rstrip('/')}"
    return f"{match[1].lower()}://{match[2].rstrip('/')}"


def is_remote(path: str | Path) -> bool:
    """Return whether a path is a URL."""
    return bool(url_of(path))


def inner_path(folder: str | Path, name: str) -> str:
    """Return the path of what is in a folder, which may be a URL."""
    url = url_of(folder)
    return f"{url}/{name}" if url else str(Path(folder) / name)


def open_folder(path: str | Path, *, reading: bool = False) -> "Folder":
    """Open a folder; nothing is brought from remote storage before `pull`.

    There is another copy for `reading`, so that who looks at a run does not change the copy of who is at work there.
    """
    url = url_of(path)
    if not url:
        return Folder(Path(path))
    root = Path(os.environ.get(CACHE) or Path.home() / ".cache" / "bidui" / "remote") / ("read" if reading else "work")
    # under its own name and that of the folder it is in, since runs, checkpoints and models are called by them
    return Folder(root.joinpath(hashlib.sha256(url.encode()).hexdigest()[:16], *url.split("/")[-2:]), url)


def fetched(path: str | Path) -> Path:
    """Return a path on this machine to read from: of a URL, the copy after it was brought up to date."""
    if not is_remote(path):
        return Path(path)
    folder = open_folder(path, reading=True)
    folder.pull()
    return folder.path


def matching(url: str) -> list[str]:
    """Return the URLs that a pattern with `*` matches."""
    scheme = url.partition(":")[0]
    found = Folder(Path(), url)._do(lambda fs, base: fs.glob(base))
    return [f"{scheme}://{path}" for path in found]


@dataclass(slots=True)
class Folder:
    """A folder, and the URL that it is a copy of, if it is one."""

    path: Path
    url: str = ""
    prefix: str = ""  # of this folder in one that was opened
    root: "Folder | None" = field(default=None, repr=False)
    states: dict[str, list[Any]] | None = field(default=None, repr=False)  # remote state, size and time here

    def inner(self, name: str) -> "Folder":
        """Return a folder in this one."""
        if not self.url:
            return Folder(self.path / name)
        return Folder(self.path / name, f"{self.url}/{name}", f"{self.prefix}{name}/", self.root or self)

    def pull(self, wanted: Callable[[str], bool] = lambda name: True) -> None:
        """Bring the copy up to date: what is remote wins, and what is not there is removed here."""
        if not self.url:
            return
        there, states = self._listed(), self._states()
        for name, (state, size) in there.items():
            if not wanted(name):
                continue
            file, known = self.path / name, states.get(self.prefix + name)
            if known and known[0] == state and file.is_file() and _stamp(file) == known[1:]:
                continue
            self._get(name, size)
            states[self.prefix + name] = [state, *_stamp(file)]
        for file in self._files():
            name = file.relative_to(self.path).as_posix()
            if wanted(name) and name not in there:
                file.unlink(missing_ok=True)
                states.pop(self.prefix + name, None)
        self._save()

    def push(self, names: Sequence[str] | None = None) -> None:
        """Send files that have changed, and remove what is gone here; by default, all of them."""
        if not self.url:
            return
        states = self._states()
        if names is None:
            here = [file.relative_to(self.path).as_posix() for file in self._files()]
            gone = [name.removeprefix(self.prefix) for name in states if name.startswith(self.prefix)]
            names = [*here, *gone]
        order = {name: number for number, name in enumerate(LAST)}
        removed = []
        for name in sorted(dict.fromkeys(names), key=lambda name: (order.get(name.rpartition("/")[2], -1), name)):
            file, known = self.path / name, states.get(self.prefix + name)
            if not file.is_file():
                removed.append(name)
            elif not known or _stamp(file) != known[1:]:
                stamp = _stamp(file)
                states[self.prefix + name] = [self._do(partial(_put, file, name)), *stamp]
        for name in removed:  # after what takes their place is there
            if states.pop(self.prefix + name, None):
                self._do(partial(_remove, name))
        self._save()

    def has(self, name: str) -> bool:
        """Return whether a file is there, on remote storage if this is a copy."""
        if not self.url:
            return (self.path / name).is_file()
        return bool(self._do(lambda fs, base: fs.isfile(f"{base}/{name}")))

    def _files(self) -> Iterable[Path]:
        # Temporary files and locks begin with a dot: they belong to this machine.
        hidden = (file for file in self.path.rglob("*") if file.is_file())
        return [file for file in hidden if not any(p.startswith(".") for p in file.relative_to(self.path).parts)]

    def _listed(self) -> dict[str, tuple[str, int]]:
        def find(fs: Any, base: str) -> dict[str, tuple[str, int]]:
            fs.invalidate_cache()
            below = f"{base}/"
            infos = fs.find(base, detail=True)
            return {
                path.removeprefix(below): (_state(info), int(info["size"] or 0))
                for path, info in infos.items()
                if path.startswith(below) and info["type"] == "file"
            }

        listed: dict[str, tuple[str, int]] = self._do(find)
        if outside := [name for name in listed if ".." in name.split("/") or name.startswith("/")]:
            raise fail("remote-failed", Place(self.url), {"reason": f"a name leads out of the folder: {outside[0]}"})
        return listed

    def _get(self, name: str, size: int) -> None:
        file = self.path / name
        part = file.with_name(f".{file.name[:80]}.{os.urandom(4).hex()}.part")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._do(lambda fs, base: fs.get_file(f"{base}/{name}", str(part)))
            if not part.is_file():  # some file systems make nothing of an empty object
                part.touch()
            if part.stat().st_size != size:
                raise fail("remote-failed", Place(f"{self.url}/{name}"), {"reason": "it changed while it was read"})
            part.replace(file)
        except OSError as error:
            raise fail("write-failed", Place(str(file)), {"reason": reason(error)}) from error
        finally:
            part.unlink(missing_ok=True)

    def _states(self) -> dict[str, list[Any]]:
        owner = self.root or self
        if owner.states is None:
            try:
                owner.states = dict(json.loads((owner.path.parent / STATES).read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError):
                owner.states = {}
        return owner.states

    def _save(self) -> None:
        owner = self.root or self
        write_json(owner.path.parent / STATES, owner.states)

    def _do(self, work: Callable[[Any, str], Any]) -> Any:
        """Do something with the file system of the URL; its errors name the URL."""
        try:
            import fsspec

            fs, base = fsspec.core.url_to_fs(self.url)
            return work(fs, base.rstrip("/"))
        except InputError:
            raise
        except ImportError as error:
            package = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"}.get(self.url.partition(":")[0], "fsspec")
            if "Please install" in str(error) or "nstall " in str(error):
                raise fail("remote-package", Place(self.url), {"package": package}) from error
            raise import_failed(error, extra="cluster") from error
        except Exception as error:  # every file system has errors of its own, and those of the network come on top
            text = str(error).strip().split("\n")[0] or type(error).__name__
            raise fail("remote-failed", Place(self.url), {"reason": text}) from error


def _put(file: Path, name: str, fs: Any, base: str) -> str:
    """Send a file, and return the state that it has there."""
    if fs.protocol in ("file", ("file", "local")):
        fs.makedirs(f"{base}/{name}".rpartition("/")[0], exist_ok=True)
    fs.put_file(str(file), f"{base}/{name}")
    fs.invalidate_cache()
    return _state(fs.info(f"{base}/{name}"))


def _remove(name: str, fs: Any, base: str) -> None:
    fs.rm_file(f"{base}/{name}")


def _state(info: dict[str, Any]) -> str:
    """Return what changes when an object changes: a hash or a version if the storage has one, or else a time."""
    hashes, times = ("ETag", "etag", "md5Hash", "content_md5", "generation"), ("mtime", "LastModified", "updated")
    value = next((info[key] for key in (*hashes, *times) if info.get(key)), "")
    return f"{info.get('size')} {value}"


def _stamp(file: Path) -> list[int]:
    status = file.stat()
    return [status.st_size, status.st_mtime_ns]
