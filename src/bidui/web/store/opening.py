"""Opening a workspace: what a killed server left behind is put in order before anybody looks."""

import contextlib
import shutil
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from bidui.pairs.atomic import TEMPORARY
from bidui.web.store.catalogue import entries
from bidui.web.store.names import FOLDERS
from bidui.web.store.outside import recover, refresh
from bidui.web.store.workspace import Store, connect, utc_now

_HOUR = 3600


def open_store(
    root: str | Path, *, database: str | None = None, adopt: bool = False, now: Callable[[], datetime] = utc_now
) -> Store:
    """The store of a folder that is a project or holds several.

    `database` is a `postgresql://` address; without one, a file in the workspace's hidden folder. A database belongs
    to one workspace: `adopt` gives it to this one, where the workspace was moved without its hidden folder.
    """
    store = connect(root, database=database, adopt=adopt, now=now)
    try:
        recover(store)
        refresh(store)
        _sweep(store)
    except BaseException:
        store.close()
        raise
    return store


def _sweep(store: Store) -> None:
    """Remove what was half written when a server died; what is young may be somebody's who is still writing it."""
    for path in (store.hidden / "incoming").glob("*"):
        if _old(path):
            shutil.rmtree(path, ignore_errors=True)
    for entry in entries(store):
        folders = [entry.folder, *(entry.folder / name for name in FOLDERS), *(entry.folder / "paradigms").glob("*/")]
        for path in (path for folder in folders for path in folder.glob(f".*{TEMPORARY}")):
            if _old(path):
                with contextlib.suppress(OSError):
                    path.unlink()


def _old(path: Path) -> bool:
    try:
        return path.lstat().st_mtime < time.time() - _HOUR
    except OSError:
        return False
