"""Revisions: every state that a file of a project was ever in, with its author, time and reason; never changed."""

import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher, unified_diff
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, and_, func, insert, select

from bidui.errors import Place, fail
from bidui.files import sha256 as hash_of
from bidui.grammar.names import Kind, check_file_name, kind_of
from bidui.grammar.yaml import decode
from bidui.web.store.database import contents, files, put, revisions, storable, users
from bidui.web.store.workspace import Entry

# Contents: the bytes of revisions, each kept once, whole or as the difference from the content it was made from
#
# A lexicon of 5,000 words may be saved once a second while it is edited, each time with one row changed. So a content
# may say "the first `head` bytes and the last `tail` bytes of `near`, and this between them". Chains are short, and
# what comes out is compared with its hash.

LONGEST_CHAIN = 30


def keep(connection: Connection, data: bytes, *, near: str | None = None) -> str:
    """Keep `data`, which was made from the content whose hash is `near`; return its own hash."""
    name = hash_of(data)
    if connection.scalar(select(contents.c.sha256).where(contents.c.sha256 == name)):
        return name
    row: dict[str, object] = {"sha256": name, "size": len(data), "near": None, "depth": 0, "head": 0, "tail": 0}
    packed = zlib.compress(data)
    depth = connection.scalar(select(contents.c.depth).where(contents.c.sha256 == near)) if near else None
    if near and depth is not None and depth < LONGEST_CHAIN:
        other = content(connection, near)
        head = _shared(other, data)
        tail = _shared_end(other, data, most=min(len(other), len(data)) - head)
        piece = zlib.compress(data[head : len(data) - tail])
        if 2 * len(piece) < len(packed):
            packed = piece
            row |= {"near": near, "depth": depth + 1, "head": head, "tail": tail}
    put(connection, contents, {**row, "packed": packed}, replace=False)
    return name


def content(connection: Connection, sha256: str) -> bytes:
    """Return the bytes with that hash."""
    pieces: list[tuple[int, int, bytes]] = []
    at: str | None = sha256
    while at is not None:
        query = select(contents.c.near, contents.c.head, contents.c.tail, contents.c.packed)
        near, head, tail, packed = connection.execute(query.where(contents.c.sha256 == at)).one()
        try:
            pieces.append((head, tail, zlib.decompress(packed)))
        except zlib.error:
            raise fail("database-damaged", Place(), {"sha256": at}) from None
        at = near
    data = b""
    for head, tail, piece in reversed(pieces):
        data = data[:head] + piece + data[len(data) - tail :]
    if hash_of(data) != sha256:
        raise fail("database-damaged", Place(), {"sha256": sha256})
    return data


def _shared(first: bytes, second: bytes) -> int:
    """Count the bytes that two contents begin with together; by halving, since comparing slices is quick."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shared_end(first: bytes, second: bytes, *, most: int) -> int:
    """Count the bytes that two contents end with together, up to `most`."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if first[len(first) - middle : len(first) - low] == second[len(second) - middle : len(second) - low]:
            low = middle
        else:
            high = middle - 1
    return low


Reason = Literal["edit", "outside", "restore", "import", "delete"]
PAGE = 100


@dataclass(frozen=True, slots=True)
class Revision:
    """One state of one file, which may be that it is `deleted`. `base` is the state before it.

    It is `created` where there was no such file before. `origin` is the revision it was restored from or, where the
    file was renamed, the last one under its old name, which is then `renamed_from`. `study` is the one that decided it.
    """

    id: int
    file: str
    author: str  # empty: somebody outside the workbench
    time: datetime
    reason: Reason
    base: int | None
    origin: int | None
    renamed_from: str | None
    study: int | None
    created: bool
    deleted: bool
    size: int


@dataclass(frozen=True, slots=True)
class Version:
    """A revision with its bytes."""

    revision: Revision
    data: bytes

    @property
    def text(self) -> str:
        """The text; raises `InputError` with the place of bytes that are no text."""
        return decode(self.data, name=self.revision.file)

    @property
    def shown(self) -> str:
        """The text as far as it can be shown: a file that was changed outside may hold other bytes."""
        return self.data.decode("utf-8-sig", "replace")


def history(entry: Entry, file: str | None = None, *, before: int | None = None, most: int = PAGE) -> list[Revision]:
    """Return the revisions of a file, or of all files, the latest first; `before` a revision for the next page."""
    query = _select(entry).order_by(revisions.c.id.desc()).limit(most)
    if file is not None:
        check_file_name(file)
        query = query.where(revisions.c.file == file)
    if before is not None:
        query = query.where(revisions.c.id < storable(before))
    with entry.store.reading() as connection:
        return [_revision(row) for row in connection.execute(query)]


def revision(entry: Entry, number: int) -> Version:
    """Return one revision of a project, with its bytes."""
    with entry.store.reading() as connection:
        return version(connection, entry, number)


def number_of(entry: Entry, file: str, sha256: str) -> int | None:
    """Return the latest revision of a file with that content."""
    query = select(func.max(revisions.c.id)).where(revisions.c.project == entry.id, revisions.c.file == file)
    with entry.store.reading() as connection:
        number: int | None = connection.scalar(query.where(revisions.c.sha256 == sha256, revisions.c.state == "done"))
    return number


def deleted_files(entry: Entry) -> list[Revision]:
    """Return the deletion of each file that is gone; its `base` can be restored.

    A file that was renamed is not gone: its new name's history leads to what was before.
    """
    gone = and_(files.c.head == revisions.c.id, files.c.sha256.is_(None))
    newer = revisions.alias()
    renamed = select(newer.c.id).where(newer.c.origin == revisions.c.base, newer.c.file != revisions.c.file)
    query = _select(entry).join(files, gone).where(~renamed.where(newer.c.state == "done").exists())
    with entry.store.reading() as connection:
        return [_revision(row) for row in connection.execute(query.order_by(revisions.c.file))]


def version(connection: Connection, entry: Entry, number: int) -> Version:
    """Return one revision with its bytes, within a transaction."""
    row = _row(connection, entry, number)
    return Version(_revision(row), content(connection, row.sha256) if row.sha256 else b"")


def by_number(connection: Connection, entry: Entry, number: int) -> Revision:
    """Return one revision; a number of another project is unknown here."""
    return _revision(_row(connection, entry, number))


def _row(connection: Connection, entry: Entry, number: int) -> Row[Any]:
    row = connection.execute(_select(entry).where(revisions.c.id == storable(number))).one_or_none()
    if row is None:
        raise fail("revision-unknown", Place(entry.name), {"number": number})
    return row


def check_base(connection: Connection, entry: Entry, file: str, number: int | None) -> None:
    """Refuse to start from a revision of another file."""
    if number is not None and by_number(connection, entry, number).file != file:
        raise fail("revision-unknown", Place(file), {"number": number})


def record(
    connection: Connection,
    entry: Entry,
    file: str,
    data: bytes | None,
    *,
    author: int | None,
    reason: Reason,
    state: Literal["pending", "done"] = "done",
    base: int | None = None,
    origin: int | None = None,
    study: int | None = None,
) -> tuple[int, str | None]:
    """Add a revision; return its number and hash."""
    near = connection.scalar(select(revisions.c.sha256).where(revisions.c.id == base)) if base else None
    sha256 = None if data is None else keep(connection, data, near=near)
    values = {"project": entry.id, "file": file, "sha256": sha256, "size": len(data or b""), "author": author}
    values |= {"time": entry.store.now(), "reason": reason, "state": state, "base": base, "origin": origin}
    values |= {"study": study}
    key = connection.execute(insert(revisions).values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0]), sha256


def _select(entry: Entry) -> Select[Any]:
    """Select the revisions of a project that were carried out, with their authors' names and the files' old names."""
    old, before = revisions.alias(), revisions.alias()
    joined = revisions.outerjoin(users, revisions.c.author == users.c.id).outerjoin(old, revisions.c.origin == old.c.id)
    joined = joined.outerjoin(before, revisions.c.base == before.c.id)
    more = (users.c.name.label("name"), old.c.file.label("old_file"), before.c.sha256.label("before"))
    query = select(revisions, *more).select_from(joined)
    return query.where(revisions.c.project == entry.id, revisions.c.state == "done")


def _revision(row: Row[Any]) -> Revision:
    return Revision(
        id=row.id,
        file=row.file,
        author=row.name or "",
        time=row.time,
        reason=row.reason,
        base=row.base,
        origin=row.origin,
        renamed_from=row.old_file if row.reason == "edit" else None,
        study=row.study,
        created=row.before is None and row.sha256 is not None,
        deleted=row.sha256 is None,
        size=row.size,
    )


# The latest revisions of several files at once


def latest(entry: Entry, kinds: Collection[Kind]) -> dict[str, Version]:
    """Return the files of some kinds by name, all at one moment; `refresh` first, to see what changed outside."""
    with entry.store.reading() as connection:
        numbers = _numbers(connection, entry, kinds)
        return {name: version(connection, entry, number) for name, number in numbers.items()}


def heads(entry: Entry, kinds: Collection[Kind]) -> dict[str, int]:
    """Return the numbers of the latest revisions of the files of some kinds."""
    with entry.store.reading() as connection:
        return _numbers(connection, entry, kinds)


def _numbers(connection: Connection, entry: Entry, kinds: Collection[Kind]) -> dict[str, int]:
    query = select(files.c.name, files.c.head).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    rows = connection.execute(query.order_by(files.c.name)).all()
    return {name: head for name, head in rows if head and kind_of(name) in kinds}


def newest_number(entry: Entry) -> int:
    """Return the number of the last revision of any file of a project: it changes whenever a file does."""
    query = select(func.max(files.c.head)).where(files.c.project == entry.id)
    with entry.store.reading() as connection:
        return connection.scalar(query) or 0


def latest_number(entry: Entry, file: str) -> int | None:
    """Return the number of a file's latest revision, which may be its deletion; None where there never was one."""
    query = select(files.c.head).where(files.c.project == entry.id, files.c.name == file)
    with entry.store.reading() as connection:
        return connection.scalar(query)


# Two versions of a file compared: line by line, as git does, and row by row, as people edit

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that changed: its number (from 1; 0 where it is not there) and its cells, before and after.

    In a YAML file a row is a line, and its cells are the key and the value.
    """

    kind: Literal["added", "removed", "changed"]
    before: int
    after: int
    old: Lines
    new: Lines


def unified(old: str, new: str, *, name: str) -> str:
    """Return the difference as `diff -u` and git show it."""
    lines = unified_diff(_lines(old), _lines(new), f"a/{name}", f"b/{name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def row_changes(old: str, new: str, *, name: str) -> tuple[RowChange, ...]:
    """Return the rows of a TSV, or the lines of a YAML file, that were added, removed or changed."""
    before, after = _lines(old), _lines(new)
    header = before[0].split("\t") if before and name.endswith(".tsv") else []
    key = header.index("expression") if "expression" in header else 0
    least = min(len(before), len(after))
    head = next((n for n in range(least) if before[n] != after[n]), least)
    tail = next((n for n in range(least - head) if before[-1 - n] != after[-1 - n]), least - head)
    # What is left between the common start and end is mostly little; searching the whole would take long.
    matcher = SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail])
    changes: list[RowChange] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            olds = [(at + 1, _cells(before[at], name)) for at in range(head + a, head + b)]
            news = [(at + 1, _cells(after[at], name)) for at in range(head + c, head + d)]
            changes += _paired(olds, news, key=key)
    return tuple(changes)


def _lines(text: str) -> list[str]:
    """Split at line feeds alone: Python takes other characters, too, for the end of a line."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _cells(line: str, name: str) -> Lines:
    if name.endswith(".tsv"):
        return tuple(line.split("\t"))
    key, colon, value = line.partition(":")
    return (key.strip(), value.strip()) if colon else (line.strip(),)


Numbered = list[tuple[int, Lines]]


def _paired(olds: Numbered, news: Numbered, *, key: int) -> Iterator[RowChange]:
    """Pair old rows with the new ones of the same key; one that is left on each side is the same row renamed."""
    named: dict[str, Numbered] = {}
    for row in olds:
        named.setdefault(_key(row[1], key), []).append(row)
    pairs = {new: named[name].pop(0) for new in news if named.get(name := _key(new[1], key))}
    paired = {number for number, _ in pairs.values()}
    gone = [row for row in olds if row[0] not in paired]
    come = [row for row in news if row not in pairs]
    if len(gone) == len(come) == 1:
        pairs[come[0]] = gone.pop()
    for number, cells in gone:
        yield RowChange("removed", number, 0, cells, ())
    for new in news:
        old = pairs.get(new)
        if old is None:
            yield RowChange("added", 0, new[0], (), new[1])
        elif old[1] != new[1]:
            yield RowChange("changed", old[0], new[0], old[1], new[1])


def _key(cells: Lines, key: int) -> str:
    return cells[key] if key < len(cells) else ""
