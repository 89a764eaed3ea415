"""Problems as JSON: what is wrong, in the reader's language, with its place and the status of the answer."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from starlette.responses import JSONResponse

from bidui.errors import Place, Problem, Severity
from bidui.words import Language

# Answers in JSON that can hold every text a browser may send, half a character in the middle of typing included.


class Json(JSONResponse):
    """JSON in UTF-8; what UTF-8 cannot say (half a surrogate pair) is an escape, which every reader takes."""

    def render(self, content: Any) -> bytes:
        """The bytes of the answer."""
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


STATUS: Mapping[str, int] = {
    "not-signed-in": 401,
    "login-wrong": 401,
    "role-missing": 403,
    "cross-site": 403,
    "project-unknown": 404,
    "file-unknown": 404,
    "revision-unknown": 404,
    "bin-unknown": 404,
    "user-unknown": 404,
    "invitation-unknown": 404,
    "page-unknown": 404,
    "method-unknown": 405,
    "project-taken": 409,
    "file-taken": 409,
    "file-there": 409,
    "paradigm-taken": 409,
    "phrase-taken": 409,
    "phrase-gone": 404,
    "rename-busy": 409,
    "user-taken": 409,
    "last-owner": 409,
    "revision-conflict": 409,
    "revision-conflict-outside": 409,
    "superseded": 409,
    "token-unknown": 410,
    "body-too-large": 413,
    "host-unknown": 421,
    "request-shape": 422,
    "too-many-tries": 429,
    "database-busy": 503,
    "database-unreachable": 503,
    "preview-crashed": 503,
}


@dataclass(frozen=True, slots=True)
class PlaceShape:
    """Where in the files of a project; line and column from 1, 0 where unknown."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ProblemShape:
    """One thing that is wrong; `text` is in the reader's language."""

    kind: str
    severity: Severity
    text: str
    place: PlaceShape | None
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Problems:
    """What every call answers where it cannot do what was asked."""

    problems: list[ProblemShape]


def status_of(problems: Iterable[Problem]) -> int:
    """The status of an answer that lists these problems: that of the first, or 400."""
    return next((STATUS[problem.kind] for problem in problems if problem.kind in STATUS), 400)


def problem_shape(problem: Problem, language: Language) -> ProblemShape:
    """A problem as it travels."""
    return ProblemShape(
        kind=problem.kind,
        severity=problem.severity,
        text=problem.text(language),
        place=_place(problem.place),
        values={name: _plain(value) for name, value in problem.values.items()},
    )


def problem_shapes(problems: Iterable[Problem], language: Language) -> list[ProblemShape]:
    """Problems as they travel, in their order."""
    return [problem_shape(problem, language) for problem in problems]


def fails(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route, for the description of the calls: these statuses come with problems."""
    return {status: {"model": Problems, "description": _MEANING[status]} for status in statuses}


_MEANING = {
    400: "Something given does not work",
    401: "Nobody is signed in",
    403: "Not for this role, or asked by another site",
    404: "There is no such thing",
    409: "Something else is there, or has changed meanwhile",
    410: "The link was used, is too old, or was taken back",
    413: "Too large",
    421: "Not the name of this server",
    422: "The request does not have the shape described here",
    429: "Too many tries",
    503: "The database or a worker does not answer now",
}


def _place(place: Place) -> PlaceShape | None:
    """A place in a project; of a path on the server's disk, which is nobody's business, only the last part."""
    path = PurePath(place.file)
    file = path.name if path.is_absolute() else place.file
    return PlaceShape(file=file, line=place.line, column=place.column) if place.file or place.line else None


def _plain(value: object) -> Any:
    """A value that JSON has; what it has not is said in words."""
    if isinstance(value, tuple | list | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str | int | bool) else str(value)
