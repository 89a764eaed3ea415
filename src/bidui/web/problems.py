"""Problems as they are sent: in the reader's language, with their places, under the status that fits them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from starlette.responses import JSONResponse

from bidui.errors import Problem, Severity
from bidui.words import Language

STATUS: Mapping[str, int] = {
    "not-signed-in": 401,
    "login-wrong": 401,
    "role-missing": 403,
    "model-not-allowed": 403,
    "cross-site": 403,
    "project-unknown": 404,
    "file-unknown": 404,
    "revision-unknown": 404,
    "bin-unknown": 404,
    "user-unknown": 404,
    "invitation-unknown": 404,
    "page-unknown": 404,
    "model-unknown": 404,
    "study-unknown": 404,
    "run-unknown": 404,
    "results-unknown": 404,
    "report-none": 404,
    "study-link": 404,
    "study-slot": 404,
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
    "study-state": 409,
    "study-redrawn": 409,
    "study-import-draft": 409,
    "study-paused": 409,
    "study-full": 409,
    "study-taken": 409,
    "study-texts-old": 409,
    "run-there": 409,
    "results-busy": 409,
    "study-closed": 410,
    "participant-unknown": 410,
    "token-unknown": 410,
    "body-too-large": 413,
    "host-unknown": 421,
    "request-shape": 422,
    "too-many-tries": 429,
    "sign-in-busy": 503,
    "work-busy": 503,
    "runs-full": 503,
    "work-too-long": 503,
    "disk-full": 503,
    "database-busy": 503,
    "database-unreachable": 503,
    "preview-crashed": 503,
}


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
    503: "The database or a worker does not answer now, or too many people sign in",
}


class Json(JSONResponse):
    """JSON in UTF-8; half a character, which browsers send in the middle of typing, becomes an escape."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of the answer."""
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


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
    """The answer of a call that cannot do what was asked."""

    problems: list[ProblemShape]


def status_of(problems: Iterable[Problem]) -> int:
    """Return the status of an answer that lists these problems: that of the first, or 400."""
    return next((STATUS[problem.kind] for problem in problems if problem.kind in STATUS), 400)


def problem_shape(problem: Problem, language: Language) -> ProblemShape:
    """Return a problem as it is sent."""
    values = {name: plain(value) for name, value in problem.values.items()}
    at, path = problem.place, PurePath(problem.place.file)
    file = path.name if path.is_absolute() else at.file  # a path on the server's disk is nobody's business
    place = PlaceShape(file, at.line, at.column) if at.file or at.line else None
    return ProblemShape(problem.kind, problem.severity, problem.text(language), place, values)


def problem_shapes(problems: Iterable[Problem], language: Language) -> list[ProblemShape]:
    """Return problems as they are sent, in their order."""
    return [problem_shape(problem, language) for problem in problems]


def fails(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route for OpenAPI: these statuses come with problems.

    They name `Problems` by its address, since FastAPI would build a validator for each status of each route, which took
    most of the time of a server's first answer. Status 400 of the app gives it as a model, so that it is described.
    """
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Problems"}}}
    return {status: {"description": _MEANING[status], "content": content} for status in statuses}


def plain(value: object) -> Any:
    """Return a value that JSON has; anything else as a text."""
    if isinstance(value, tuple | list | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str | int | bool) else str(value)
