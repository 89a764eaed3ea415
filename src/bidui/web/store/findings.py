"""What can be said of one file without the others: whether it parses, and what it holds."""

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bidui.errors import InputError, Place, Problem, Severity
from bidui.grammar.documents import decode
from bidui.grammar.features import parse_features
from bidui.grammar.lexicon_file import parse_lexicon
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.phrase_file import parse_phrases
from bidui.grammar.project import read_project
from bidui.grammar.relations import parse_relation
from bidui.pairs import Json
from bidui.web.store.names import Kind, check_file_name

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
