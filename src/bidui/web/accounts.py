"""Who asks: the session in a cookie, the language, the role in a project; and the ways to sign in.

A request names its user by a session's token, in a cookie or as a bearer. Routes take what they need as a dependency
(`Bench`, `Spoken`, `Who`, `Reader`, `Editor`, `Owner`). Tries to sign in are limited, so that nobody can guess.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response
from itsdangerous import BadSignature, Signer

from bidui.errors import InputError, Place, fail
from bidui.web.store import accounts as people
from bidui.web.store.accounts import Role, User, check_role
from bidui.web.store.disk import refresh
from bidui.web.store.workspace import Entry, Store
from bidui.web.store.workspace import entry as find_entry
from bidui.web.workbench import Settings, Workbench
from bidui.words import Language

LANGUAGE = "bidui_lang"
_YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Access:
    """A project, and the user who may do with it what her role allows."""

    bench: Workbench
    entry: Entry
    user: User
    role: Role


async def workbench(request: Request) -> Workbench:
    """Return the workbench that is served."""
    bench: Workbench = request.app.state.bench
    return bench


async def spoken(request: Request) -> Language:
    """Return the language of the answer, as a dependency."""
    return language_of(request)


def language_of(request: Request) -> Language:
    """Return the language of the answer: that in the address, else of the cookie, of the server, of the browser."""
    bench: Workbench = request.app.state.bench
    accepted = [part.split(";")[0].strip() for part in request.headers.get("accept-language", "").lower().split(",")]
    chosen = (request.query_params.get("lang"), request.cookies.get(LANGUAGE), bench.settings.lang)
    for name in (*chosen, *(part.split("-")[0] for part in accepted)):
        if name in {"en", "zh"}:
            return "zh" if name == "zh" else "en"
    return "en"


Bench = Annotated[Workbench, Depends(workbench)]
Spoken = Annotated[Language, Depends(spoken)]


def someone(request: Request, bench: Bench) -> User | None:
    """Return who asks, or None where nobody is signed in; a session of the machine itself does not count in a team."""
    token = session_token(request, bench.settings)
    who = people.session_user(bench.store, token) if token else None
    return None if who and who.local and bench.settings.team else who


def signed_in(who: Annotated[User | None, Depends(someone)]) -> User:
    """Return who asks; refuse strangers."""
    if who is None:
        raise fail("not-signed-in", Place())
    return who


Who = Annotated[User, Depends(signed_in)]
Someone = Annotated[User | None, Depends(someone)]


def _in_project(needed: Role) -> Callable[[str, Workbench, User], Access]:
    def access(project: str, bench: Bench, who: Who) -> Access:
        entry = _entry(bench.store, project)
        return Access(bench, entry, who, check_role(bench.store, who, needed, entry))

    return access


def _in_workspace(needed: Role) -> Callable[[Workbench, User], User]:
    def user(bench: Bench, who: Who) -> User:
        check_role(bench.store, who, needed)
        return who

    return user


Reader = Annotated[Access, Depends(_in_project("viewer"))]
Editor = Annotated[Access, Depends(_in_project("editor"))]
Owner = Annotated[Access, Depends(_in_project("owner"))]
Maker = Annotated[User, Depends(_in_workspace("editor"))]  # may add projects
HeadOwner = Annotated[User, Depends(_in_workspace("owner"))]


def sealed(token: str, settings: Settings) -> str:
    """Return a session's token as its cookie holds it: signed where there is a secret, which is not in the database."""
    return _signer(settings).sign(token).decode() if settings.secret else token


def _signer(settings: Settings) -> Signer:
    return Signer(settings.secret, salt="bidui session")


def set_session(response: Response, token: str, settings: Settings) -> None:
    """Let the browser remember a session; no script can read it, and other sites cannot use it."""
    seconds = int(people.LASTS.total_seconds())
    value = sealed(token, settings)
    response.set_cookie(settings.cookie, value, max_age=seconds, httponly=True, samesite="lax", secure=settings.secure)


def drop_session(response: Response, settings: Settings) -> None:
    """Let the browser forget the session."""
    response.delete_cookie(settings.cookie, httponly=True, samesite="lax", secure=settings.secure)


def set_language(response: Response, language: Language, settings: Settings) -> None:
    """Let the browser remember the language."""
    response.set_cookie(LANGUAGE, language, max_age=_YEAR, samesite="lax", secure=settings.secure)


def session_token(request: Request, settings: Settings) -> str:
    """Return the token of a request's session; empty where there is none, or where it was not sealed here."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if kind.lower() == "bearer" else ""
    value = bearer or request.cookies.get(settings.cookie, "")
    if not settings.secret or not value:
        return value
    try:
        return _signer(settings).unsign(value.encode("utf-8", "replace")).decode()
    except (BadSignature, UnicodeDecodeError):
        return ""


def _entry(store: Store, project: str) -> Entry:
    """Return the project of that name, which may have been put into the workspace a moment ago."""
    try:
        return find_entry(store, project)
    except InputError as error:
        if error.problems[0].kind != "project-unknown":
            raise
    refresh(store)
    return find_entry(store, project)


# Signing in: by the address that was printed, by name and password, or by a link; the number of tries is limited.
# One password is hashed at a time: each takes much memory on purpose, and strangers may send many at once.

WITHIN = timedelta(minutes=15)
MOST = {
    "login": 10,  # a name from one address
    "login name": 100,  # a name from anywhere
    "login address": 300,  # anything from one address, which a whole class may share
    "link": 100,  # a link from one address
}


def sign_in(bench: Workbench, name: str, password: str, *, address: str) -> str:
    """Return the token of a session for whoever knows the password."""
    check_team(bench)
    key = people.user_key(name)
    here = f"{key}\n{address}"
    _count(bench, "login address", address)
    _count(bench, "login name", key)
    _count(bench, "login", here)
    with bench.turns.take("password"):
        who = people.log_in(bench.store, name, password)
    if who is None:
        raise fail("login-wrong", Place())
    people.forget(bench.store, "login", here)
    people.forget(bench.store, "login name", key)
    return people.start_session(bench.store, who)


def take_start(bench: Workbench, token: str, *, address: str) -> str:
    """Return the token of a session for whoever has the address that was printed."""
    _count(bench, "link", address)
    if bench.settings.team:
        raise fail("token-unknown", Place())
    return people.use_start_token(bench.store, token)


def take_invitation(bench: Workbench, token: str, *, name: str, password: str, address: str) -> str:
    """Return the token of a session for somebody new."""
    check_team(bench)
    _count(bench, "link", address)
    with bench.turns.take("password"):
        who = people.accept(bench.store, token, name=name, password=password)
    return people.start_session(bench.store, who)


def join_by_invitation(bench: Workbench, token: str, *, who: User, address: str) -> None:
    """Give the role of an invitation to somebody who has an account."""
    check_team(bench)
    _count(bench, "link", address)
    people.join(bench.store, token, who=who)


def take_password(bench: Workbench, token: str, *, password: str, address: str) -> str:
    """Return the token of a session for somebody who has chosen another password by a link."""
    check_team(bench)
    _count(bench, "link", address)
    with bench.turns.take("password"):
        who = people.use_password_link(bench.store, token, password)
    return people.start_session(bench.store, who)


def check_team(bench: Workbench) -> None:
    """Refuse what only a team has."""
    if not bench.settings.team:
        raise fail("team-off", Place())


def address_of(request: Request) -> str:
    """Return where a request comes from, as far as the server can tell."""
    return request.client.host if request.client else ""


def _count(bench: Workbench, what: str, key: str) -> None:
    if not people.allow(bench.store, what, key, most=MOST[what], within=WITHIN):
        raise fail("too-many-tries", Place(), {"minutes": int(WITHIN.total_seconds() // 60)})
