"""Projects made from the starter, copied, imported and exported."""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import select

from bidui.benchmarks import shipped
from bidui.errors import Place, Problem, fail
from bidui.grammar.starter import starter_texts
from bidui.pairs import write_new_folder
from bidui.web.store.accounts import User
from bidui.web.store.archives import Unpacked, read_folder, write_zip
from bidui.web.store.catalogue import Entry, add_entry, folder_of
from bidui.web.store.disk import look, scan
from bidui.web.store.imports import incoming
from bidui.web.store.names import check_project_name
from bidui.web.store.outside import refresh
from bidui.web.store.revisions import record
from bidui.web.store.settling import Head, set_head
from bidui.web.store.tables import files as table
from bidui.web.store.workspace import Store


@dataclass(frozen=True, slots=True)
class Imported:
    """A project that has come in, the files that were left out, and what was changed on the way, as warnings."""

    entry: Entry
    files: int
    skipped: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def new_project(store: Store, name: str, *, lang: Literal["zh", "en"], who: User) -> Entry:
    """A project made from the starter of a language."""
    return _add(store, name, {file: text.encode() for file, text in starter_texts(lang).items()}, who=who)


def copy_benchmark(store: Store, benchmark: str, *, name: str, who: User) -> Imported:
    """A shipped benchmark as a project that may be changed."""
    known = shipped()
    if benchmark not in known:
        raise fail("project-missing", Place(), {"path": benchmark, "known": list(known)})
    return import_project(store, read_folder(known[benchmark]), name=name, who=who)


def import_project(store: Store, unpacked: Unpacked, *, name: str, who: User) -> Imported:
    """A project from the files of a zip or folder, ours or classic; it is there whole or not at all."""
    check_project_name(name)
    found = incoming(unpacked)
    entry = _add(store, name, found.files, who=who)
    return Imported(entry, len(found.files), found.skipped, found.problems)


def export_project(store: Store, entry: Entry) -> bytes:
    """The files of a project as a zip that can be imported again."""
    refresh(store, entry)
    with store.reading() as connection:
        known = list(connection.scalars(select(table.c.name).where(table.c.project == entry.id)))
    found = {name: look(entry.folder, name) for name in scan(entry.folder, known=known).stamps}
    return write_zip({name: file.data for name, file in found.items() if file}, top=entry.name)


def _add(store: Store, name: str, files: Mapping[str, bytes], *, who: User) -> Entry:
    """Write the files beside the projects, then give them a number and their place, together.

    Dying in between leaves nothing, or a folder that the next refresh finds.
    """
    check_several(store)
    check_project_name(name)
    with staged(store, files) as folder, store.filing() as connection:
        entry = add_entry(store, connection, name)
        check_place(store, name)
        for file, data in files.items():
            number, sha256 = record(connection, entry, file, data, author=who.id, time=store.now(), reason="import")
            set_head(connection, entry, file, Head(number, sha256))
        move(folder, entry.folder)
    return entry


@contextmanager
def staged(store: Store, files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder with these files, in the workspace but hidden; whatever is still there in the end is removed."""
    folder = store.hidden / "incoming" / secrets.token_hex(8)
    try:
        write_new_folder(folder, files.items())
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def move(source: Path, target: Path) -> None:
    """Move a project's folder; both places are in the workspace."""
    try:
        source.rename(target)
    except OSError as error:
        raise fail("write-failed", Place(target.name), {"reason": error.strerror or str(error)}) from error


def check_several(store: Store) -> None:
    """Refuse to add or remove projects where the workspace is one."""
    if store.alone:
        raise fail("workspace-alone", Place(store.root.name))


def check_place(store: Store, name: str) -> None:
    """Refuse a name under which something else lies in the workspace."""
    if os.path.lexists(folder_of(store, name)):
        raise fail("project-taken", Place(), {"name": name, "other": name})
