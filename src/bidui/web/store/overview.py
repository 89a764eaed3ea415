"""Coverage at a glance: what a project holds, what is wrong in its files, and when it last changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from bidui.errors import Place, Problem, fail
from bidui.pairs import Json
from bidui.web.store.catalogue import Entry
from bidui.web.store.contents import content
from bidui.web.store.facts import recalled, remember
from bidui.web.store.findings import findings, told_problems
from bidui.web.store.names import Kind, check_file_name, kind_of
from bidui.web.store.tables import files, revisions, users
from bidui.web.store.uids import Named, placing_problems
from bidui.web.store.workspace import Store

_VERSION = 2  # of the findings that are remembered


@dataclass(frozen=True, slots=True)
class ParadigmLine:
    """A paradigm in a list; one that does not parse is called as its file is. `problems` are the first of them."""

    file: str
    uid: str
    phenomenon: str
    status: str
    parsed: bool
    errors: int
    warnings: int
    problems: tuple[Problem, ...]
    revision: int
    time: datetime
    author: str


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file that is not a paradigm, in a list; `problems` are the first of them."""

    file: str
    kind: Kind
    errors: int
    warnings: int
    problems: tuple[Problem, ...]
    revision: int
    time: datetime
    author: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a project holds; the errors and warnings are those of its files, found without making any pair."""

    name: str
    title: str
    lang: str
    phenomena: Mapping[str, int]  # paradigms of each that are included
    paradigms: tuple[ParadigmLine, ...]
    files: tuple[FileLine, ...]
    words: int
    errors: int
    warnings: int
    changed: datetime | None
    author: str


def coverage(store: Store, entry: Entry) -> Coverage:
    """What a project holds by its latest revisions; `refresh` first, to see what was changed outside.

    A content is parsed once and what was found is remembered, so that asking again costs little.
    """
    with store.reading() as connection:
        every = _latest(connection, entry)
        rows = [row for row in every if row.sha256]
        found, new = _findings(connection, rows)
    for kind, facts in new.items():
        remember(store, kind, facts)
    paradigms = [row for row in rows if kind_of(row.name) == "paradigm"]
    placing = placing_problems(_named(paradigms, found))
    lines = [_line(row, found[row.name], placing.get(row.name)) for row in paradigms]
    settings = found.get("project.yaml", {})
    others = [_other(row, found[row.name]) for row in rows if kind_of(row.name) != "paradigm"]
    last = max(every, key=lambda row: row.head, default=None)
    return Coverage(
        name=entry.name,
        title=str(settings.get("name") or entry.name),
        lang=str(settings.get("lang") or "zh"),
        phenomena=dict(sorted(Counter(line.phenomenon for line in lines if line.status == "included").items())),
        paradigms=tuple(sorted(lines, key=lambda line: (line.phenomenon, line.uid, line.file))),
        files=tuple(others),
        words=sum(_count(each, "words") for each in found.values()),
        errors=sum(line.errors for line in lines) + sum(line.errors for line in others),
        warnings=sum(line.warnings for line in lines) + sum(line.warnings for line in others),
        changed=last.time if last else None,
        author=last.author if last else "",
    )


def named_paradigms(store: Store, entry: Entry) -> tuple[Named, ...]:
    """What the paradigms of a project call themselves, those that parse; `refresh` first, as for `coverage`."""
    with store.reading() as connection:
        rows = [row for row in _latest(connection, entry) if row.sha256 and kind_of(row.name) == "paradigm"]
        found, new = _findings(connection, rows)
    for kind, facts in new.items():
        remember(store, kind, facts)
    return _named(rows, found)


def check_uid_free(store: Store, entry: Entry, uid: str, *, but: str = "") -> None:
    """Refuse a uid that a paradigm in another file than `but` has; `refresh` first."""
    key = uid.casefold()
    other = next((each for each in named_paradigms(store, entry) if each.key == key and each.file != but), None)
    if other is not None:
        raise fail("paradigm-taken", Place(), {"uid": other.uid, "other": other.file})


@dataclass(frozen=True, slots=True)
class _Latest:
    """The latest revision of a file, which may be its deletion."""

    name: str
    sha256: str | None
    head: int
    time: datetime
    author: str


def _latest(connection: Connection, entry: Entry) -> list[_Latest]:
    joined = files.join(revisions, revisions.c.id == files.c.head).outerjoin(users, users.c.id == revisions.c.author)
    author = func.coalesce(users.c.name, "")
    wanted = select(files.c.name, files.c.sha256, files.c.head, revisions.c.time, author).select_from(joined)
    rows = connection.execute(wanted.where(files.c.project == entry.id).order_by(files.c.name))
    return [_Latest(*row) for row in rows]


def _findings(
    connection: Connection, rows: Sequence[_Latest]
) -> tuple[dict[str, dict[str, Json]], dict[str, dict[str, Json]]]:
    """What is known of each file by its name, and by kind and hash what had to be found out just now."""
    found: dict[str, dict[str, Json]] = {}
    new: dict[str, dict[str, Json]] = {}
    kinds: dict[Kind, dict[str, str]] = {}
    for row in rows:
        kind = kind_of(row.name)
        if kind is not None and row.sha256 is not None:
            kinds.setdefault(kind, {})[row.name] = row.sha256
    for kind, hashes in kinds.items():
        fact = f"{kind}-{_VERSION}"
        known = recalled(connection, fact, set(hashes.values()))
        for name, sha256 in hashes.items():
            if sha256 not in known:
                known[sha256] = new.setdefault(fact, {})[sha256] = findings(kind, content(connection, sha256))
            value = known[sha256]
            found[name] = value if isinstance(value, dict) else {}
    return found, new


def _named(rows: Sequence[_Latest], found: Mapping[str, Mapping[str, Json]]) -> tuple[Named, ...]:
    known = {row.name: found[row.name] for row in rows if "uid" in found[row.name]}
    return tuple(Named(file, str(each["uid"]), str(each["phenomenon"])) for file, each in known.items())


def _line(row: _Latest, found: Mapping[str, Json], placing: Problem | None) -> ParadigmLine:
    parts = row.name.removesuffix(".yaml").removesuffix(".yml").split("/")
    return ParadigmLine(
        file=row.name,
        uid=str(found.get("uid") or parts[-1]),
        phenomenon=str(found.get("phenomenon") or (parts[1] if len(parts) > 2 else "")),
        status=str(found.get("status") or "included"),
        parsed=_count(found, "errors") == 0,
        errors=_count(found, "errors") + (placing is not None),
        warnings=_count(found, "warnings"),
        problems=((placing,) if placing else ()) + told_problems(found, file=row.name),
        revision=row.head,
        time=row.time,
        author=row.author,
    )


def _other(row: _Latest, found: Mapping[str, Json]) -> FileLine:
    kind = check_file_name(row.name)
    errors, warnings = _count(found, "errors"), _count(found, "warnings")
    told = told_problems(found, file=row.name)
    return FileLine(row.name, kind, errors, warnings, told, row.head, row.time, row.author)


def _count(found: Mapping[str, Json], key: str) -> int:
    value = found.get(key)
    return value if isinstance(value, int) else 0
