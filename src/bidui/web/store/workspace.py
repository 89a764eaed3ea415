"""A store: one workspace, the folder whose project files are the truth, and the database beside it."""

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, select

from bidui.errors import Place, fail
from bidui.pairs import write_file
from bidui.web.store.database import open_database, put, reading, writing
from bidui.web.store.schema import migrate
from bidui.web.store.tables import workspaces

HIDDEN = ".bidui"  # the workbench's own folder in the workspace
DATABASE = "workbench.sqlite"


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Store:
    """An open workspace; `alone` where its folder is itself the one project, and does not hold several."""

    root: Path
    engine: Engine = field(repr=False)
    alone: bool
    now: Callable[[], datetime] = field(default=utc_now, repr=False)

    @property
    def hidden(self) -> Path:
        """The workbench's own folder: the database, the bin, what is being imported."""
        return self.root / HIDDEN

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that only looks."""
        return reading(self.engine)

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction that changes something: all of it, or nothing."""
        return writing(self.engine)

    def filing(self) -> AbstractContextManager[Connection]:
        """The same for what changes files on disk, too: one at a time, over all threads and processes."""
        return writing(self.engine, alone=True)

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()


def connect(root: str | Path, *, database: str | None, adopt: bool, now: Callable[[], datetime]) -> Store:
    """The store of a folder that is there, its schema up to date; see `open_store`."""
    folder = Path(root).resolve()
    if not folder.is_dir():
        raise fail("workspace-missing", Place(str(root)))
    hidden = folder / HIDDEN
    if hidden.is_symlink():
        raise fail("file-is-link", Place(HIDDEN))
    try:
        hidden.mkdir(mode=0o700, exist_ok=True)  # hashes of passwords are for nobody else
    except OSError as error:
        raise fail("write-failed", Place(str(hidden)), {"reason": error.strerror or str(error)}) from error
    if not (hidden / ".gitignore").exists():
        write_file(hidden / ".gitignore", b"*\n")
    engine = open_database(hidden / DATABASE if database is None else database)
    store = Store(folder, engine, (folder / "project.yaml").is_file(), now)
    try:
        migrate(store.engine)
        _check_owner(store, adopt=adopt or database is None)
    except BaseException:
        store.close()
        raise
    return store


def _check_owner(store: Store, *, adopt: bool) -> None:
    """Refuse the database of another workspace: all of its files would seem to have been deleted here."""
    file = store.hidden / "workspace"
    with store.filing() as connection:
        own = file.read_text("utf-8").strip() if file.is_file() else ""
        known = connection.scalar(select(workspaces.c.id))
        if known is not None and known != own and not adopt:
            raise fail("database-of-another", Place(str(store.root)))
        if known is None:
            known = own or secrets.token_hex(16)
            put(connection, workspaces, {"id": known})
        if known != own:
            write_file(file, f"{known}\n".encode())  # before the database has it: the other way round would lock out
