"""What a project holds at a glance: its paradigms and files, what is wrong in them, and when it last changed.

Nothing here makes a pair. What can be said of one file without the others (`FileFacts`) is computed once for each
content and remembered by its hash; such a fact never gets stale, since other contents have another hash.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, func, select

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import Json, encode
from bidui.files import sha256 as hash_of
from bidui.grammar.generate import inputs_hash
from bidui.grammar.lexicon import parse_features, parse_lexicon, parse_relation
from bidui.grammar.names import Kind, check_file_name, kind_of
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases
from bidui.grammar.project import read_project
from bidui.grammar.yaml import decode
from bidui.web.store.database import facts as table
from bidui.web.store.database import files, put, revisions, users
from bidui.web.store.disk import is_source, scan
from bidui.web.store.drafts import Why, draft_bytes, drafts
from bidui.web.store.revisions import content
from bidui.web.store.workspace import Entry, Store

_VERSION = 3  # of the facts that are remembered
_AT_ONCE = 500
MOST_PROBLEMS = 20  # of one file that are remembered; all are counted
_Latest = Row[Any, Any, Any, Any, Any]  # the name, sha256, head, time and author of a file's latest revision


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file in a list: how many problems it has, and its last change."""

    file: str
    kind: Kind
    errors: int
    warnings: int
    revision: int
    time: datetime
    author: str


@dataclass(frozen=True, slots=True)
class ParadigmLine(FileLine):
    """A paradigm in a list; one that does not parse gets the name of its file."""

    parsed: bool
    uid: str
    phenomenon: str
    status: str


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """A project in a list: its name and language, what is in its files, and their last change."""

    name: str
    title: str
    lang: str
    words: int
    errors: int
    warnings: int
    changed: datetime | None
    author: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a project holds; the problems are those of its files, found without making any pair.

    `problems` are the first of each file, all others are only counted. `phenomena` counts the included paradigms.
    """

    facts: ProjectFacts
    phenomena: Mapping[str, int]
    paradigms: tuple[ParadigmLine, ...]
    files: tuple[FileLine, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A draft in a list: who has a text for which file that is not in it, and what is wrong with that text."""

    file: str
    kind: Kind
    author: str
    time: datetime
    why: Why
    base: int | None
    errors: int
    warnings: int
    problems: tuple[Problem, ...]


def draft_lines(entry: Entry) -> tuple[DraftLine, ...]:
    """Return everybody's drafts in a project, the latest first; not those that say what the file says."""
    saved = {row.name: row.sha256 for row in _latest(entry)}
    lines = []
    for each in drafts(entry.store, entry=entry):
        kind, data = kind_of(each.file), draft_bytes(each.text)
        sha256 = hash_of(data)
        if kind is None or saved.get(each.file) == sha256:
            continue
        facts = _facts(entry.store, kind, {sha256}, {sha256: data})[sha256]
        problems = tuple(replace(problem, place=replace(problem.place, file=each.file)) for problem in facts.problems)
        who = (each.file, kind, each.author, each.time, each.why, each.base)
        lines.append(DraftLine(*who, facts.errors, facts.warnings, problems))
    return tuple(lines)


def coverage(entry: Entry) -> Coverage:
    """Return what a project holds by its latest revisions; `refresh` first, to see what was changed outside."""
    rows = _latest(entry)
    facts = _all_facts(entry.store, rows)
    misnamed = placing_problems(_named(facts))
    lines = [_line(row, facts[row.name], misnamed) for row in rows if row.name in facts]
    paradigms = [line for line in lines if isinstance(line, ParadigmLine)]
    paradigms.sort(key=lambda line: (line.phenomenon, line.uid, line.file))
    others = [line for line in lines if not isinstance(line, ParadigmLine)]
    problems: list[Problem] = []
    for line in (*others, *paradigms):
        problems += [misnamed[line.file]] if line.file in misnamed else []
        problems += [replace(each, place=replace(each.place, file=line.file)) for each in facts[line.file].problems]
    settings = facts.get("project.yaml", FileFacts())
    last = max(rows, key=lambda row: row.head, default=None)
    project = ProjectFacts(
        name=entry.name,
        title=settings.name or entry.name,
        lang=settings.lang or "zh",
        words=sum(each.words for each in facts.values()),
        errors=sum(line.errors for line in lines),
        warnings=sum(line.warnings for line in lines),
        changed=last.time if last else None,
        author=last.author if last else "",
    )
    phenomena = dict(sorted(Counter(line.phenomenon for line in paradigms if line.status == "included").items()))
    return Coverage(project, phenomena, tuple(paradigms), tuple(others), tuple(problems))


# Uids: in a project a paradigm's name belongs to one file, whatever its case, and says where that file lies.


@dataclass(frozen=True, slots=True)
class ParadigmName:
    """A paradigm's file, with the uid and the phenomenon that the paradigm in it gives itself."""

    file: str
    uid: str
    phenomenon: str

    @property
    def key(self) -> str:
        """The uid as case-blind file systems compare it, and so does the grammar."""
        return self.uid.casefold()


def named_paradigms(entry: Entry) -> tuple[ParadigmName, ...]:
    """Return the names of a project's paradigms, those that parse; `refresh` first, as for `coverage`."""
    rows = _latest(entry)
    return _named(_all_facts(entry.store, [row for row in rows if kind_of(row.name) == "paradigm"]))


def check_uid_free(entry: Entry, uid: str, *, but: str = "") -> None:
    """Refuse a uid that a paradigm in another file than `but` has; `refresh` first."""
    key = uid.casefold()
    other = next((each for each in named_paradigms(entry) if each.key == key and each.file != but), None)
    if other is not None:
        raise fail("paradigm-taken", Place(), {"uid": other.uid, "other": other.file})


def placing_problem(paradigm: ParadigmName, others: Iterable[ParadigmName]) -> Problem | None:
    """Return what is wrong with a file's name, or with its uid beside those of other files."""
    other = next((each for each in others if each.key == paradigm.key and each.file != paradigm.file), None)
    if other is not None:
        return Problem("paradigm-twice", Place(paradigm.file), {"uid": paradigm.uid, "other": other.file})
    right = f"paradigms/{paradigm.phenomenon}/{paradigm.uid}.yaml"
    return None if paradigm.file == right else Problem("file-misplaced", Place(paradigm.file), {"right": right})


def placing_problems(paradigms: Iterable[ParadigmName]) -> dict[str, Problem]:
    """Return the same for all files of a project, by file; the first file of a uid may keep it, as in `bidui check`."""
    first: dict[str, ParadigmName] = {}
    problems: dict[str, Problem] = {}
    for each in sorted(paradigms, key=lambda paradigm: PurePosixPath(paradigm.file).parts):
        if problem := placing_problem(each, [first[each.key]] if each.key in first else []):
            problems[each.file] = problem
        first.setdefault(each.key, each)
    return problems


# One file without the others


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file holds; its problems have no file, since the same content may stand in several.

    Of a paradigm: its uid, phenomenon and status. Of a lexicon: how many words. Of the settings: name and language.
    """

    errors: int = 0
    warnings: int = 0
    problems: tuple[Problem, ...] = ()
    uid: str = ""
    phenomenon: str = ""
    status: str = ""
    words: int = 0
    name: str = ""
    lang: str = ""


_FACTS = TypeAdapter(FileFacts)


def file_problems(name: str, text: str) -> list[Problem]:
    """Return the problems in the text of a project's file, errors and warnings."""
    kind = check_file_name(name)
    try:
        encode(text, place=Place(name))  # half a surrogate pair, which a browser sends in the middle of a character
    except InputError as error:
        return list(error.problems)
    return _parsed(kind, text, name=name)[1]


def file_facts(kind: Kind, data: bytes) -> FileFacts:
    """Return what a file of that kind holds."""
    try:
        facts, problems = _parsed(kind, decode(data, name=""), name="")
    except InputError as error:
        facts, problems = FileFacts(), list(error.problems)
    counts = Counter(problem.severity for problem in problems)
    worst = sorted(problems, key=lambda problem: problem.severity)[:MOST_PROBLEMS]  # "error" comes before "warning"
    return replace(facts, errors=counts["error"], warnings=counts["warning"], problems=tuple(worst))


def _parsed(kind: Kind, text: str, *, name: str) -> tuple[FileFacts, list[Problem]]:
    match kind:
        case "paradigm":
            paradigm, problems = parse_paradigm(text, name=name)
            if paradigm is None:
                return FileFacts(), problems
            return FileFacts(uid=paradigm.uid, phenomenon=paradigm.phenomenon, status=paradigm.status), problems
        case "lexicon":
            lexicon, problems = parse_lexicon(text, name=name)
            return FileFacts(words=len(lexicon.words)), problems
        case "phrases":
            return FileFacts(), parse_phrases(text, name=name)[1]
        case "features":
            return FileFacts(), parse_features(text, name=name)[1]
        case "relation":
            return FileFacts(), parse_relation(text, name=name, file=name)[1]
        case "settings":
            return _settings(text)
        case "notes":
            return FileFacts(), []


def _settings(text: str) -> tuple[FileFacts, list[Problem]]:
    """Read the settings as those of a project that has nothing else: they have no reader of their own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "project.yaml"
        file.write_text(text, "utf-8", newline="")
        project = read_project(folder)
    problems = [problem for problem in project.problems if problem.place.file == file.name]
    name = "" if project.settings.name == file.parent.name else project.settings.name
    return FileFacts(name=name, lang=project.settings.lang), problems


# Facts that are remembered


def remember(store: Store, kind: str, facts: Mapping[str, Json]) -> None:
    """Keep facts of one kind, by the hash of what each follows from; not on a full disk, where they are found again."""
    try:
        with store.writing() as connection:
            for key, value in sorted(facts.items()):  # in one order, so that two writers never wait for each other
                text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                put(connection, table, {"kind": kind, "key": key, "value": text})
    except InputError as error:
        if error.problems[0].kind != "disk-full":
            raise


def recall(store: Store, kind: str, keys: Iterable[str]) -> dict[str, Json]:
    """Return the facts of one kind that are known."""
    hashes = list(keys)
    facts: dict[str, Json] = {}
    with store.reading() as connection:
        for start in range(0, len(hashes), _AT_ONCE):
            chunk = table.c.key.in_(hashes[start : start + _AT_ONCE])
            rows = connection.execute(select(table.c.key, table.c.value).where(table.c.kind == kind, chunk))
            facts |= {key: json.loads(value) for key, value in rows}
    return facts


def paradigm_keys(entry: Entry, *, without: Collection[Kind] = ()) -> dict[str, str]:
    """Return, for each paradigm's file, a hash of it and of all that is not a paradigm: its pairs follow from that.

    Files of the kinds in `without` are left out.
    """
    left_out = {"paradigm", "notes", *without}
    query = select(files.c.name, files.c.sha256).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    with entry.store.reading() as connection:
        contents = {name: sha256 for name, sha256 in connection.execute(query)}
    shared = _hash(sorted(item for item in contents.items() if kind_of(item[0]) not in left_out))
    return {name: _hash([(shared, sha256)]) for name, sha256 in sorted(contents.items()) if kind_of(name) == "paradigm"}


def source_hash(entry: Entry) -> str:
    """Return the hash of all files that pairs are made from, as scores hold it; `refresh` first."""
    query = select(files.c.name, files.c.sha256).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    with entry.store.reading() as connection:
        contents = {name: sha256 for name, sha256 in connection.execute(query)}
    return inputs_hash({name: contents[name] for name in scan(entry.folder)[0] if is_source(name) and name in contents})


def _hash(items: Iterable[tuple[str, str]]) -> str:
    return hash_of("".join(f"{first}\n{second}\n" for first, second in items).encode())


def _latest(entry: Entry) -> Sequence[_Latest]:
    """Return the latest revision of each file, which may be its deletion, with its author."""
    joined = files.join(revisions, revisions.c.id == files.c.head).outerjoin(users, users.c.id == revisions.c.author)
    author = func.coalesce(users.c.name, "").label("author")
    query = select(files.c.name, files.c.sha256, files.c.head, revisions.c.time, author).select_from(joined)
    with entry.store.reading() as connection:
        return connection.execute(query.where(files.c.project == entry.id).order_by(files.c.name)).all()


def _all_facts(store: Store, rows: Sequence[_Latest]) -> dict[str, FileFacts]:
    """Return the facts of each file that is there, by its name; those that are new are remembered."""
    facts: dict[str, FileFacts] = {}
    by_kind: dict[Kind, dict[str, str]] = {}
    for row in rows:
        kind = kind_of(row.name)
        if kind is not None and row.sha256 is not None:
            by_kind.setdefault(kind, {})[row.name] = row.sha256
    for kind, hashes in by_kind.items():
        by_hash = _facts(store, kind, {*hashes.values()})
        facts |= {name: by_hash[sha256] for name, sha256 in hashes.items()}
    return facts


def _facts(
    store: Store, kind: Kind, hashes: set[str], texts: Mapping[str, bytes] | None = None
) -> dict[str, FileFacts]:
    """Return the facts of some contents by their hashes: of revisions, or of the given texts."""
    facts = _known_facts(store, kind, hashes)
    if facts.keys() >= hashes:
        return facts
    with store.reading_facts:  # all who open a new project at once wait for one of them
        facts |= _known_facts(store, kind, hashes - facts.keys())
        missing = hashes - facts.keys()
        with store.reading() as connection:
            contents = texts or {sha256: content(connection, sha256) for sha256 in missing}
        new = {sha256: file_facts(kind, contents[sha256]) for sha256 in missing}
        values = {sha256: _FACTS.dump_python(each, mode="json", fallback=str) for sha256, each in new.items()}
        remember(store, f"{kind}-{_VERSION}", values)
    return facts | new


def _known_facts(store: Store, kind: Kind, hashes: set[str]) -> dict[str, FileFacts]:
    stored = recall(store, f"{kind}-{_VERSION}", hashes)
    return {sha256: _FACTS.validate_python(value) for sha256, value in stored.items()}


def _named(facts: Mapping[str, FileFacts]) -> tuple[ParadigmName, ...]:
    return tuple(ParadigmName(file, each.uid, each.phenomenon) for file, each in facts.items() if each.uid)


def _line(row: _Latest, facts: FileFacts, misnamed: Mapping[str, Problem]) -> FileLine:
    kind, errors = check_file_name(row.name), facts.errors + (row.name in misnamed)
    if kind != "paradigm":
        return FileLine(row.name, kind, errors, facts.warnings, row.head, row.time, row.author)
    parts = row.name.removesuffix(".yaml").removesuffix(".yml").split("/")
    return ParadigmLine(
        *(row.name, kind, errors, facts.warnings, row.head, row.time, row.author),
        parsed=facts.errors == 0,
        uid=facts.uid or parts[-1],
        phenomenon=facts.phenomenon or (parts[1] if len(parts) > 2 else ""),
        status=facts.status or "included",
    )
