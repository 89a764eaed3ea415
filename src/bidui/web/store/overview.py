"""Coverage at a glance: what a project holds, what is wrong in its files, and when it last changed."""

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy import Connection, func, select

from bidui.errors import InputError, Place, Problem, Severity, fail
from bidui.files import Json
from bidui.grammar.lexicon import parse_features, parse_lexicon, parse_relation
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases
from bidui.grammar.project import read_project
from bidui.grammar.yaml import decode
from bidui.web.store.database import facts as table
from bidui.web.store.database import files, put, revisions, users
from bidui.web.store.names import Kind, check_file_name, kind_of
from bidui.web.store.revisions import content
from bidui.web.store.workspace import Entry, Store

# What can be said of one file without the others: whether it parses, and what it holds.

MOST_TOLD = 20  # problems of a file that are kept with their words; all are counted


def file_problems(name: str, text: str) -> list[Problem]:
    """The problems in the text of a project's file, errors and warnings; a `check` for `save`."""
    return _found(check_file_name(name), text, name=name)[1]


def findings(kind: Kind, data: bytes) -> dict[str, Json]:
    """What a file of that kind holds: how many errors and warnings, the first of them, and what a list shows of it."""
    try:
        found, problems = _found(kind, decode(data, name=""), name="")
    except InputError as error:
        found, problems = {}, list(error.problems)
    counts = Counter(problem.severity for problem in problems)
    worst = sorted(problems, key=lambda problem: problem.severity)[:MOST_TOLD]  # "error" comes before "warning"
    told: list[Json] = [_remembered(problem) for problem in worst]
    return {**found, "errors": counts["error"], "warnings": counts["warning"], "problems": told}


def told_problems(found: Mapping[str, Json], *, file: str) -> tuple[Problem, ...]:
    """The problems in what was found once, as those of a file."""
    told = found.get("problems")
    return tuple(_recalled(each, file) for each in told if isinstance(each, dict)) if isinstance(told, list) else ()


@dataclass(frozen=True, slots=True)
class _Told:
    """A problem as it is remembered: without its file, since the same content may stand in several."""

    kind: str
    severity: Severity
    line: int
    column: int
    values: dict[str, Json]


def _remembered(problem: Problem) -> dict[str, Json]:
    values = {name: _plain(value) for name, value in problem.values.items()}
    return asdict(_Told(problem.kind, problem.severity, problem.place.line, problem.place.column, values))


def _recalled(found: dict[str, Any], file: str) -> Problem:
    told = _Told(**found)
    return Problem(told.kind, Place(file, told.line, told.column), told.values, told.severity)


def _plain(value: object) -> Json:
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return value if isinstance(value, int) else str(value)


def _found(kind: Kind, text: str, *, name: str) -> tuple[dict[str, Json], list[Problem]]:
    match kind:
        case "paradigm":
            paradigm, problems = parse_paradigm(text, name=name)
            if paradigm is None:
                return {}, problems
            return {"uid": paradigm.uid, "phenomenon": paradigm.phenomenon, "status": paradigm.status}, problems
        case "lexicon":
            lexicon, problems = parse_lexicon(text, name=name)
            return {"words": len(lexicon.words)}, problems
        case "phrases":
            return {}, parse_phrases(text, name=name)[1]
        case "features":
            return {}, parse_features(text, name=name)[1]
        case "relation":
            return {}, parse_relation(text, name=name, file=name)[1]
        case "settings":
            return _settings(text)
        case "notes":
            return {}, []


def _settings(text: str) -> tuple[dict[str, Json], list[Problem]]:
    """The settings, read as those of a project that has nothing else: they have no reader of their own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "project.yaml"
        file.write_text(text, "utf-8", newline="")
        project = read_project(folder)
    problems = [problem for problem in project.problems if problem.place.file == file.name]
    name = "" if project.settings.name == file.parent.name else project.settings.name
    return {"name": name, "lang": project.settings.lang}, problems


# Facts: what follows from contents and takes time to find, kept by the hash of what it follows from.
#
# A fact never gets stale, since other contents have another hash; it is only looked up under another key.

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


# Uids: in a project a paradigm's name is one file's alone, whatever its letters, and says where that file lies.


@dataclass(frozen=True, slots=True)
class Named:
    """A paradigm's file, and what the paradigm in it calls itself."""

    file: str
    uid: str
    phenomenon: str

    @property
    def key(self) -> str:
        """The uid as case-blind file systems compare it, and so does the grammar."""
        return self.uid.casefold()


def placing_problem(mine: Named, others: Iterable[Named]) -> Problem | None:
    """What is wrong with a file's name, or with its uid beside those of other files."""
    other = next((each for each in others if each.key == mine.key and each.file != mine.file), None)
    if other is not None:
        return Problem("paradigm-twice", Place(mine.file), {"uid": mine.uid, "other": other.file})
    right = f"paradigms/{mine.phenomenon}/{mine.uid}.yaml"
    return None if mine.file == right else Problem("file-misplaced", Place(mine.file), {"right": right})


def placing_problems(named: Iterable[Named]) -> dict[str, Problem]:
    """The same for all files of a project, by file: as `bidui check` has it, the first of a uid may keep it."""
    first: dict[str, Named] = {}
    found: dict[str, Problem] = {}
    for each in sorted(named, key=lambda one: PurePosixPath(one.file).parts):
        if problem := placing_problem(each, [first[each.key]] if each.key in first else []):
            found[each.file] = problem
        first.setdefault(each.key, each)
    return found


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
