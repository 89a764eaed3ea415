"""Facts: what follows from contents and takes time to find, kept by the hash of what it follows from.

A fact never gets stale, since other contents have another hash; it is only looked up under another key.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from bidui.pairs import Json
from bidui.web.store.catalogue import Entry
from bidui.web.store.database import put
from bidui.web.store.names import kind_of
from bidui.web.store.tables import facts as table
from bidui.web.store.tables import files
from bidui.web.store.workspace import Store

_AT_ONCE = 500


def remember(store: Store, kind: str, found: Mapping[str, Json]) -> None:
    """Keep facts of one kind, by the hash of what each follows from."""
    with store.writing() as connection:
        for key, value in found.items():
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            put(connection, table, {"kind": kind, "key": key, "value": text})


def recall(store: Store, kind: str, keys: Iterable[str]) -> dict[str, Json]:
    """The facts of one kind that are known."""
    with store.reading() as connection:
        return recalled(connection, kind, keys)


def recalled(connection: Connection, kind: str, keys: Iterable[str]) -> dict[str, Json]:
    """The same within a transaction."""
    wanted = list(keys)
    found: dict[str, Json] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        rows = connection.execute(select(table.c.key, table.c.value).where(table.c.kind == kind, table.c.key.in_(some)))
        found |= {key: json.loads(value) for key, value in rows}
    return found


def project_key(store: Store, entry: Entry) -> str:
    """A hash of all files of a project: facts of the whole, such as what `bidui check` finds, are kept by it."""
    with store.reading() as connection:
        return _hash(sorted(_contents(connection, entry).items()))


def paradigm_keys(store: Store, entry: Entry) -> dict[str, str]:
    """For each paradigm's file, a hash of it and of all that is not a paradigm: its pairs follow from that."""
    with store.reading() as connection:
        contents = _contents(connection, entry)
    shared = _hash(sorted(item for item in contents.items() if kind_of(item[0]) not in {"paradigm", "notes"}))
    return {name: _hash([(shared, sha256)]) for name, sha256 in sorted(contents.items()) if kind_of(name) == "paradigm"}


def _contents(connection: Connection, entry: Entry) -> dict[str, str]:
    wanted = select(files.c.name, files.c.sha256).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    return {name: sha256 for name, sha256 in connection.execute(wanted)}


def _hash(items: Iterable[tuple[str, str]]) -> str:
    return hashlib.sha256("".join(f"{one}\n{other}\n" for one, other in items).encode()).hexdigest()
