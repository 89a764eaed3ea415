"""The guard before every request, and the answer to every failure.

Host            a name that this server was not given is refused: a foreign page that points its own name at this
                machine (DNS rebinding) stays outside
other sites     whatever changes something must come from a page of this server (Sec-Fetch-Site, or Origin), or
                bear a session's token in its Authorization header, which no foreign page knows
bodies          refused by their length before they are read, or as soon as they grow too long; what only members may
                send is not read before the session is looked up, and all else is short
headers         a Content-Security-Policy and the like on every answer; reports, which are files, have one of their own
failures        every error becomes a status and problems in words: JSON for a call, a page for a person
"""

import logging
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic_core import to_jsonable_python
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bidui.errors import BiduiError, InputError, Place, Problem
from bidui.web.accounts import language_of, session_token, someone
from bidui.web.api.files import conflict_answer
from bidui.web.pages.rendering import error_page
from bidui.web.problems import Json, Problems, problem_shapes, status_of
from bidui.web.store.files import Conflict
from bidui.web.workbench import Settings

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
UPLOADS = frozenset({"/api/projects/import"})
FORMS = frozenset({"/api/login", "/api/logout", "/api/join", "/api/password", "/api/language"})
REPORT = re.compile(r"/p/[^/]+/(studies/\d+/)?report/")
PARTICIPANTS = "/api/s/"  # who takes part in a study has no account
_LOG = logging.getLogger("bidui.web")


class Guard:
    """The middleware; it reads nothing of a request that it refuses."""

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self._plain = strict_headers(page_policy(""), secure=settings.secure)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        strict = self._plain
        if not scope["path"].startswith("/api/"):  # what a call returns has no styles
            nonce = scope.setdefault("state", {})["nonce"] = secrets.token_urlsafe(16)
            policy = report_policy() if REPORT.match(scope["path"]) else page_policy(nonce)
            strict = strict_headers(policy, secure=self.settings.secure)
        most = body_limit(request, self.settings)
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                cached = any(name == b"cache-control" for name, _ in message["headers"])
                unless = [] if cached else [(b"cache-control", b"no-store")]
                message["headers"] = [*message["headers"], *strict, *unless]
            await send(message)

        if problem := refused(request, self.settings, most=most):
            await failure(request, [problem])(scope, receive, guarded_send)
            return
        try:
            if await _from_stranger(request):
                await failure(request, [Problem("not-signed-in", Place())])(scope, receive, guarded_send)
            else:
                await self.app(scope, _limited(receive, most), guarded_send)
        except Exception as error:
            if started:  # too late to say anything else
                raise
            await (await _answer(request, error))(scope, receive, guarded_send)


def refused(request: Request, settings: Settings, *, most: int) -> Problem | None:
    """Return why a request is not let in, or None."""
    hosts = request.headers.getlist("host")
    if len(hosts) != 1 or hosts[0].lower() not in settings.hosts:
        return Problem("host-unknown", Place(), {"host": ", ".join(hosts) or "?"})
    if request.method not in SAFE and not _ours(request, hosts[0].lower()):
        return Problem("cross-site", Place())
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or len(length) > 15 or int(length) > most:
        stranger = _for_members(request) and not session_token(request, settings)
        return Problem("not-signed-in", Place()) if stranger else Problem("body-too-large", Place(), {"most": most})
    return None


async def _from_stranger(request: Request) -> bool:
    """Whether nobody is signed in who may send this body; the app would read and parse it before it looks."""
    if request.method in SAFE or not _for_members(request):
        return False
    return await run_in_threadpool(someone, request, request.app.state.bench) is None


def _ours(request: Request, host: str) -> bool:
    """Whether a page of this server asks, or somebody who knows a session's token."""
    if request.headers.get("authorization", "").lower().startswith("bearer "):
        return True
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    same = origin is not None and origin.lower() in {f"http://{host}", f"https://{host}"}
    if site is None:  # an old browser, or a connection without TLS
        return same
    return site == "same-origin" and (origin is None or same)


def body_limit(request: Request, settings: Settings) -> int:
    """Return how many bytes a request may carry; one that needs no session, or bears none, gets little."""
    if not _for_members(request) or not session_token(request, settings):
        return settings.form
    return settings.upload if request.scope["path"] in UPLOADS else settings.body


def _for_members(request: Request) -> bool:
    path = request.scope["path"]
    return path.startswith("/api/") and path not in FORMS and not path.startswith(PARTICIPANTS)


def _limited(receive: Receive, most: int) -> Receive:
    """Receive a body up to a limit: its length may not have been announced, or announced wrongly."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413, str(most))
        return message

    return limited


def page_policy(nonce: str) -> dict[str, str]:
    """Return what a page of the workbench may load; styles with this nonce are allowed."""
    return {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": f"'self' 'nonce-{nonce}'" if nonce else "'self'",
        "connect-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


def report_policy() -> dict[str, str]:
    """Return what the files of a report may load: its own style and pictures; no script ever runs there."""
    return {
        "default-src": "'none'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "form-action": "'none'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "sandbox": "allow-same-origin allow-downloads allow-popups",  # with the origin, for the cookie of its pictures
    }


def strict_headers(policy: Mapping[str, str], *, secure: bool) -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer, as they are sent."""
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",  # `no-referrer` would hide the Origin of our own forms
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


# Failures


def answer_failures(app: FastAPI) -> None:
    """Let the app answer every error in the reader's language."""
    app.add_exception_handler(BiduiError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_shape)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(SQLAlchemyError, _on_database)


def failure(request: Request, problems: Iterable[Problem], status: int | None = None) -> Response:
    """Return the answer that lists these problems: JSON for a call, a page for a person."""
    listed = list(problems)
    status = status_of(listed) if status is None else status
    language = language_of(request)
    shapes = problem_shapes(listed, language)
    headers = {"Cache-Control": "no-store"}
    if request.url.path.startswith("/api/"):
        return Json(to_jsonable_python(Problems(shapes)), status, headers)
    if status == 401 and request.app.state.bench.settings.team and request.method == "GET":
        return RedirectResponse(f"/login?then={quote(request.url.path, safe='')}", 303, headers)
    return error_page(request, shapes, status=status, language=language)


async def _on_error(request: Request, error: Exception) -> Response:
    if isinstance(error, Conflict):
        return Json(to_jsonable_python(conflict_answer(error, language_of(request))), 409)
    if isinstance(error, InputError):
        team = request.app.state.bench.settings.team
        return failure(request, map(_discreet, error.problems) if team else error.problems)
    return failure(request, [Problem("write-failed", Place(), {"reason": str(error)})])


def _discreet(problem: Problem) -> Problem:
    """Return a problem as strangers may see it: what a driver says of the database is for the log."""
    if not problem.kind.startswith("database-") or "reason" not in problem.values:
        return problem
    _LOG.error("%s", problem)
    return replace(problem, values={**problem.values, "reason": "…"})


async def _on_shape(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = []
    for each in error.errors()[:20]:
        values = {"where": ".".join(map(str, each.get("loc", ()))), "reason": str(each.get("msg", ""))}
        problems.append(Problem("request-shape", Place(), values))
    return failure(request, problems)


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


async def _answer(request: Request, error: Exception) -> Response:
    """Return the answer to what the app itself did not answer."""
    if isinstance(error, BiduiError):
        return await _on_error(request, error)
    if isinstance(error, SQLAlchemyError):
        return await _on_database(request, error)
    if isinstance(error, RequestValidationError):
        return await _on_shape(request, error)
    if isinstance(error, HTTPException):
        return await _on_http(request, error)
    return fault(request, error)


async def _on_database(request: Request, error: Exception) -> Response:
    """Answer what the store has no words for, such as a connection lost in the middle of a transaction."""
    _LOG.error("the database failed", exc_info=error)
    return failure(request, [Problem("database-unreachable", Place(), {"reason": type(error).__name__})])


def fault(request: Request, error: Exception) -> Response:
    """Return the answer to a mistake of ours; the log has the details, the answer does not."""
    route = getattr(request.scope.get("route"), "path", "?")  # not the address itself, which may hold a token
    _LOG.error("%s %s", request.method, route, exc_info=error)
    return failure(request, [Problem("server-fault", Place(), {"error": type(error).__name__})], 500)
