"""A workspace: a folder whose project files are the truth, the database beside it, and the projects in it."""

import os
import secrets
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Engine, insert, select

from bidui.errors import Place, Problem, fail
from bidui.files import reason, write_file
from bidui.grammar.names import check_project_name, name_fits
from bidui.web.store.database import open_database, projects, put, reading, workspaces, writing

HIDDEN = ".bidui"  # the workbench's own folder in the workspace
DATABASE = "workbench.sqlite"


def utc_now() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Store:
    """An open workspace; `alone` where its folder is itself the one project, and does not hold several."""

    root: Path
    engine: Engine = field(repr=False)
    alone: bool
    now: Callable[[], datetime] = field(default=utc_now, repr=False)
    reading_facts: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def hidden(self) -> Path:
        """The workbench's own folder: the database, the bin, what is being imported."""
        return self.root / HIDDEN

    def reading(self) -> AbstractContextManager[Connection]:
        """Open a transaction that only reads."""
        return reading(self.engine)

    def writing(self) -> AbstractContextManager[Connection]:
        """Open a transaction that writes all or nothing."""
        return writing(self.engine)

    def filing(self) -> AbstractContextManager[Connection]:
        """Open a transaction that also changes files on disk: one at a time, over all threads and processes."""
        return writing(self.engine, alone=True)

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()


def connect(root: str | Path, *, database: str | None, now: Callable[[], datetime]) -> Store:
    """Return the store of a folder, whose database is not contacted yet; see `open_store`."""
    folder = Path(root).resolve()
    if not folder.is_dir():
        raise fail("workspace-missing", Place(str(root)))
    hidden = folder / HIDDEN
    if hidden.is_symlink():
        raise fail("file-is-link", Place(HIDDEN))
    try:
        hidden.mkdir(mode=0o700, exist_ok=True)  # hashes of passwords are for nobody else
    except OSError as error:
        raise fail("write-failed", Place(str(hidden)), {"reason": reason(error)}) from error
    if not (hidden / ".gitignore").exists():
        write_file(hidden / ".gitignore", b"*\n")
    engine = open_database(hidden / DATABASE if database is None else database)
    return Store(folder, engine, (folder / "project.yaml").is_file(), now)


def check_owner(store: Store, *, adopt: bool) -> None:
    """Refuse the database of another workspace: all of its files would seem to have been deleted here."""
    file = store.hidden / "workspace"
    with store.filing() as connection:
        on_disk = file.read_text("utf-8").strip() if file.is_file() else ""
        number = connection.scalar(select(workspaces.c.id))
        if number is not None and number != on_disk and not adopt:
            raise fail("database-of-another", Place(str(store.root)))
        if number is None:
            number = on_disk or secrets.token_hex(16)
            put(connection, workspaces, {"id": number})
        if number != on_disk:
            write_file(file, f"{number}\n".encode())  # before the commit: the other way round would lock us out


# Projects: folders with a `project.yaml` each, known to the database by a number


@dataclass(frozen=True, slots=True)
class Entry:
    """A project: the workspace it is in, its number, and its name."""

    store: Store = field(repr=False)
    id: int
    name: str

    @property
    def folder(self) -> Path:
        """The folder that holds its files."""
        return self.store.root if self.store.alone else self.store.root / check_project_name(self.name)


def name_key(name: str) -> str:
    """Return the name as case-blind file systems compare it."""
    return name.casefold()


def here(store: Store) -> tuple[ColumnElement[bool], ...]:
    """Select the projects that are served: not in the bin; either the workspace itself, or those in it."""
    return (projects.c.binned.is_(None), projects.c.alone.is_(store.alone))


def entries(store: Store) -> list[Entry]:
    """Return the projects that are not in the bin, by name."""
    query = select(projects.c.id, projects.c.name).where(*here(store)).order_by(projects.c.name)
    with store.reading() as connection:
        return [Entry(store, number, name) for number, name in connection.execute(query)]


def entry(store: Store, name: str) -> Entry:
    """Return the project of that name."""
    check_project_name(name)
    query = select(projects.c.id).where(*here(store), projects.c.name == name)
    with store.reading() as connection:
        number = connection.scalar(query)
    if number is None:
        raise fail("project-unknown", Place(), {"name": name})
    return Entry(store, number, name)


def bin_folder(store: Store, number: int) -> Path:
    """Return where the folder of a project lies while it is in the bin."""
    return store.hidden / "bin" / str(number)


def check_live(connection: Connection, entry: Entry) -> None:
    """Refuse to touch the files of a project that is gone meanwhile: its name may be another's now."""
    query = select(projects.c.id).where(projects.c.id == entry.id, projects.c.binned.is_(None))
    there = connection.scalar(query.where(projects.c.name == entry.name)) is not None
    if not there or not entry.folder.is_dir():
        raise fail("project-unknown", Place(), {"name": entry.name})


def check_name_free(store: Store, connection: Connection, name: str) -> None:
    """Refuse a name that another project has, whatever its case."""
    if other := connection.scalar(select(projects.c.name).where(*here(store), projects.c.key == name_key(name))):
        raise fail("project-taken", Place(), {"name": name, "other": other})


def add_entry(store: Store, connection: Connection, name: str) -> Entry:
    """Give a project that is being added, or was found, a number; the name must be free."""
    check_name_free(store, connection, name)
    values = {"name": name, "key": name_key(name), "alone": store.alone, "created": store.now()}
    key = connection.execute(insert(projects).values(**values)).inserted_primary_key
    assert key is not None
    return Entry(store, int(key[0]), name)


def names_on_disk(store: Store) -> tuple[list[str], list[Problem]]:
    """Return the names of the projects in the workspace, and problems with folders that cannot be served."""
    if store.alone:
        there = (store.root / "project.yaml").is_file()
        return ([store.root.name if name_fits(store.root.name) else "project"] if there else []), []
    names: list[str] = []
    problems: list[Problem] = []
    try:
        with os.scandir(store.root) as items:
            folders = sorted(item.name for item in items if item.is_dir() and not item.name.startswith("."))
    except OSError as error:
        raise fail("read-failed", Place(str(store.root)), {"reason": reason(error)}) from None
    for name in folders:
        folder = store.root / name
        shown = Place(name.encode("utf-8", "backslashreplace").decode())
        try:
            if not (folder / "project.yaml").is_file():
                continue
        except OSError as error:  # a folder that may not be read
            problems.append(Problem("read-failed", shown, {"reason": reason(error)}))
            continue
        if folder.is_symlink():
            problems.append(Problem("file-is-link", shown))
        elif not name_fits(name):
            problems.append(Problem("project-name", shown, {"name": repr(name)}))
        elif any(name_key(name) == name_key(other) for other in names):
            problems.append(Problem("project-name-twice", shown))
        else:
            names.append(name)
    return names, problems
