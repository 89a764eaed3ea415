"""The projects of a workspace: a folder with a `project.yaml` each, known to the database by a number."""

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, insert, select

from bidui.errors import Place, Problem, fail
from bidui.web.store.names import check_project_name, name_fits
from bidui.web.store.tables import projects
from bidui.web.store.workspace import Store


@dataclass(frozen=True, slots=True)
class Entry:
    """A project of the workspace: its number, its name, and the folder that holds its files."""

    id: int
    name: str
    folder: Path


def name_key(name: str) -> str:
    """The name as case-blind file systems compare it."""
    return name.casefold()


def here(store: Store) -> tuple[ColumnElement[bool], ...]:
    """What holds of the projects that are served: not in the bin, and as the workspace is now, one or several."""
    return (projects.c.binned.is_(None), projects.c.alone.is_(store.alone))


def entries(store: Store) -> list[Entry]:
    """The projects that the database knows and the bin does not hold, by name."""
    wanted = select(projects.c.id, projects.c.name).where(*here(store)).order_by(projects.c.name)
    with store.reading() as connection:
        return [Entry(number, name, folder_of(store, name)) for number, name in connection.execute(wanted)]


def entry(store: Store, name: str) -> Entry:
    """The project of that name."""
    check_project_name(name)
    wanted = select(projects.c.id).where(*here(store), projects.c.name == name)
    with store.reading() as connection:
        number = connection.scalar(wanted)
    if number is None:
        raise fail("project-unknown", Place(), {"name": name})
    return Entry(number, name, folder_of(store, name))


def folder_of(store: Store, name: str) -> Path:
    """Where a project of that name lies."""
    return store.root if store.alone else store.root / check_project_name(name)


def bin_folder(store: Store, number: int) -> Path:
    """Where the folder of a project lies while it is in the bin."""
    return store.hidden / "bin" / str(number)


def check_live(connection: Connection, entry: Entry) -> None:
    """Refuse to touch the files of a project that has gone meanwhile: its name may be another's now."""
    wanted = select(projects.c.id).where(projects.c.id == entry.id, projects.c.binned.is_(None))
    there = connection.scalar(wanted.where(projects.c.name == entry.name)) is not None
    if not there or not entry.folder.is_dir():
        raise fail("project-unknown", Place(), {"name": entry.name})


def check_name_free(store: Store, connection: Connection, name: str) -> None:
    """Refuse a name that another project has, be it in other letters."""
    if other := connection.scalar(select(projects.c.name).where(*here(store), projects.c.key == name_key(name))):
        raise fail("project-taken", Place(), {"name": name, "other": other})


def add_entry(store: Store, connection: Connection, name: str) -> Entry:
    """Give a project that is about to be there, or was found, a number; the name must be free."""
    folder = folder_of(store, name)
    check_name_free(store, connection, name)
    values = {"name": name, "key": name_key(name), "alone": store.alone, "created": store.now()}
    key = connection.execute(insert(projects).values(**values)).inserted_primary_key
    assert key is not None
    return Entry(int(key[0]), name, folder)


def names_on_disk(store: Store) -> tuple[list[str], list[Problem]]:
    """The names of the projects that lie in the workspace, and folders that are projects but cannot be served."""
    if store.alone:
        there = (store.root / "project.yaml").is_file()
        return ([store.root.name if name_fits(store.root.name) else "project"] if there else []), []
    names: list[str] = []
    problems: list[Problem] = []
    try:
        with os.scandir(store.root) as items:
            folders = sorted(item.name for item in items if item.is_dir() and not item.name.startswith("."))
    except OSError as error:
        raise fail("read-failed", Place(str(store.root)), {"reason": error.strerror or str(error)}) from None
    for name in folders:
        folder = store.root / name
        if not (folder / "project.yaml").is_file():
            continue
        shown = Place(name.encode("utf-8", "backslashreplace").decode())
        if folder.is_symlink():
            problems.append(Problem("file-is-link", shown))
        elif not name_fits(name):
            problems.append(Problem("project-name", shown, {"name": repr(name)}))
        elif any(name_key(name) == name_key(other) for other in names):
            problems.append(Problem("project-name-twice", shown))
        else:
            names.append(name)
    return names, problems
