"""Failures: every error becomes a status and problems in words, as JSON for a call and as a page for a person."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from bidui.errors import BiduiError, InputError, Place, Problem
from bidui.web.answers import Json
from bidui.web.api.conflicts import conflict_answer
from bidui.web.identity import language_of
from bidui.web.pages.rendering import error_page
from bidui.web.problems import Problems, problem_shapes, status_of
from bidui.web.store import Conflict

_LOG = logging.getLogger("bidui.web")


def answer_failures(app: FastAPI) -> None:
    """Let the app answer every error in the reader's language."""
    app.add_exception_handler(BiduiError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_shape)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(SQLAlchemyError, _on_database)


def failure(request: Request, problems: Iterable[Problem], status: int | None = None) -> Response:
    """The answer that lists these problems."""
    found = list(problems)
    status = status_of(found) if status is None else status
    language = language_of(request)
    shapes = problem_shapes(found, language)
    headers = {"Cache-Control": "no-store"}
    if request.url.path.startswith("/api/"):
        return Json(Problems(problems=shapes).model_dump(), status, headers)
    if status == 401 and request.app.state.bench.settings.team and request.method == "GET":
        return RedirectResponse(f"/login?then={quote(request.url.path, safe='')}", 303, headers)
    return error_page(request, shapes, status=status, language=language)


async def _on_error(request: Request, error: Exception) -> Response:
    if isinstance(error, Conflict):
        return Json(conflict_answer(error, language_of(request)).model_dump(mode="json"), 409)
    if isinstance(error, InputError):
        team = request.app.state.bench.settings.team
        return failure(request, map(_discreet, error.problems) if team else error.problems)
    return failure(request, [Problem("write-failed", Place(), {"reason": str(error)})])


def _discreet(problem: Problem) -> Problem:
    """The problem for strangers: what a driver says of the database, such as its host and user, is for the log."""
    if not problem.kind.startswith("database-") or "reason" not in problem.values:
        return problem
    _LOG.error("%s", problem)
    return replace(problem, values={**problem.values, "reason": "…"})


async def _on_shape(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return failure(request, [_shape_problem(each) for each in error.errors()[:20]])


def _shape_problem(found: dict[str, object]) -> Problem:
    place = found.get("loc")
    where = ".".join(str(part) for part in place) if isinstance(place, tuple | list) else ""
    return Problem("request-shape", Place(), {"where": where, "reason": str(found.get("msg", ""))})


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    match error.status_code:
        case 404:
            problem = Problem("page-unknown", Place(), {"path": request.url.path})
        case 405:
            problem = Problem("method-unknown", Place(), {"method": request.method})
        case 413:
            problem = Problem("body-too-large", Place(), {"most": str(error.detail)})
        case _:
            problem = Problem("request-shape", Place(), {"where": "body", "reason": str(error.detail)})
    answer = failure(request, [problem], error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def _on_database(request: Request, error: Exception) -> Response:
    """What the store has no words for: a connection lost in the middle of a transaction, and the like."""
    _LOG.error("the database failed", exc_info=error)
    return failure(request, [Problem("database-unreachable", Place(), {"reason": type(error).__name__})])


def fault(request: Request, error: Exception) -> Response:
    """The answer to a mistake of ours: it is logged, and nobody sees its insides."""
    route = getattr(request.scope.get("route"), "path", "?")  # not the address itself, which may hold a token
    _LOG.error("%s %s", request.method, route, exc_info=error)
    return failure(request, [Problem("server-fault", Place(), {"error": type(error).__name__})], 500)
