"""Who asks: the session in a cookie, the language, the role in a project; and the ways to sign in.

A request names its user by a session's token, in a cookie or as a bearer. Routes take what they need as a dependency
(`Bench`, `Spoken`, `Who`, `Reader`, `Editor`, `Owner`). Tries to sign in are limited, so that nobody can guess.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response
from itsdangerous import BadSignature, Signer

from bidui.errors import InputError, Place, fail
from bidui.web.store.accounts import (
    LASTS,
    Role,
    User,
    accept,
    allow,
    check_role,
    forget,
    join,
    log_in,
    role_of,
    session_user,
    start_session,
    use_password_link,
    use_start_token,
    user_key,
)
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

    @property
    def store(self) -> Store:
        """The store that the project is in."""
        return self.bench.store


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
    who = session_user(bench.store, token) if token else None
    return None if who and who.local and bench.settings.team else who


def signed_in(who: Annotated[User | None, Depends(someone)]) -> User:
    """Return who asks; refuse strangers."""
    if who is None:
        raise fail("not-signed-in", Place())
    return who


Who = Annotated[User, Depends(signed_in)]
Someone = Annotated[User | None, Depends(someone)]


def reader(project: str, bench: Bench, who: Who) -> Access:
    """Return a project for somebody who may see it."""
    return _access(bench, project, who, "viewer")


def editor(project: str, bench: Bench, who: Who) -> Access:
    """Return a project for somebody who may change it."""
    return _access(bench, project, who, "editor")


def owner(project: str, bench: Bench, who: Who) -> Access:
    """Return a project for somebody who may give roles in it."""
    return _access(bench, project, who, "owner")


def make_editor(bench: Bench, who: Who) -> User:
    """Return somebody who may add projects to the workspace."""
    check_role(bench.store, who, "editor")
    return who


def head_owner(bench: Bench, who: Who) -> User:
    """Return somebody who owns the workspace."""
    check_role(bench.store, who, "owner")
    return who


Reader = Annotated[Access, Depends(reader)]
Editor = Annotated[Access, Depends(editor)]
Owner = Annotated[Access, Depends(owner)]
Maker = Annotated[User, Depends(make_editor)]
HeadOwner = Annotated[User, Depends(head_owner)]


def _access(bench: Workbench, project: str, who: User, needed: Role) -> Access:
    entry = _entry(bench.store, project)
    check_role(bench.store, who, needed, entry)
    role = role_of(bench.store, who, entry)
    assert role is not None
    return Access(bench, entry, who, role)


def sealed(token: str, settings: Settings) -> str:
    """Return a session's token as its cookie holds it: signed where there is a secret, which is not in the database."""
    return _signer(settings).sign(token).decode() if settings.secret else token


def unsealed(value: str, settings: Settings) -> str:
    """Return the token in a cookie; empty where it was not sealed here."""
    if not settings.secret or not value:
        return value
    try:
        return _signer(settings).unsign(value.encode("utf-8", "replace")).decode()
    except (BadSignature, UnicodeDecodeError):
        return ""


def _signer(settings: Settings) -> Signer:
    return Signer(settings.secret, salt="bidui session")


def set_session(response: Response, token: str, settings: Settings) -> None:
    """Let the browser remember a session; no script can read it, and other sites cannot use it."""
    seconds = int(LASTS.total_seconds())
    value = sealed(token, settings)
    response.set_cookie(settings.cookie, value, max_age=seconds, httponly=True, samesite="lax", secure=settings.secure)


def drop_session(response: Response, settings: Settings) -> None:
    """Let the browser forget the session."""
    response.delete_cookie(settings.cookie, httponly=True, samesite="lax", secure=settings.secure)


def set_language(response: Response, language: Language, settings: Settings) -> None:
    """Let the browser remember the language."""
    response.set_cookie(LANGUAGE, language, max_age=_YEAR, samesite="lax", secure=settings.secure)


def session_token(request: Request, settings: Settings) -> str:
    """Return the token of the session that a request belongs to; empty where there is none."""
    return unsealed(_bearer(request) or request.cookies.get(settings.cookie, ""), settings)


def _bearer(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _entry(store: Store, project: str) -> Entry:
    """Return the project of that name, which may have been put into the workspace a moment ago."""
    try:
        return find_entry(store, project)
    except InputError as error:
        if error.problems[0].kind != "project-unknown":
            raise
    refresh(store)
    return find_entry(store, project)


# Signing in: by the address that was printed, by name and password, or by a link; the number of tries is limited

WITHIN = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Limit:
    """How often something may be tried within a quarter of an hour."""

    what: str
    most: int


HERE = Limit("login", 10)  # a name from one address
NAME = Limit("login name", 100)  # a name from anywhere
ADDRESS = Limit("login address", 300)  # anything from one address, which a whole class may share
LINK = Limit("link", 100)  # a link from one address


def sign_in(bench: Workbench, name: str, password: str, *, address: str) -> str:
    """Return the token of a session for whoever knows the password."""
    check_team(bench)
    key = user_key(name)
    here = f"{key}\n{address}"
    _count(bench, ADDRESS, address)
    _count(bench, NAME, key)
    _count(bench, HERE, here)
    with _hashing(bench):
        who = log_in(bench.store, name, password)
    if who is None:
        raise fail("login-wrong", Place())
    forget(bench.store, HERE.what, here)
    forget(bench.store, NAME.what, key)
    return start_session(bench.store, who)


def take_start(bench: Workbench, token: str, *, address: str) -> str:
    """Return the token of a session for whoever has the address that was printed."""
    _count(bench, LINK, address)
    if bench.settings.team:
        raise fail("token-unknown", Place())
    return use_start_token(bench.store, token)


def take_invitation(bench: Workbench, token: str, *, name: str, password: str, address: str) -> str:
    """Return the token of a session for somebody new."""
    check_team(bench)
    _count(bench, LINK, address)
    with _hashing(bench):
        who = accept(bench.store, token, name=name, password=password)
    return start_session(bench.store, who)


def join_by_invitation(bench: Workbench, token: str, *, who: User, address: str) -> None:
    """Give the role of an invitation to somebody who has an account."""
    check_team(bench)
    _count(bench, LINK, address)
    join(bench.store, token, who=who)


def take_password(bench: Workbench, token: str, *, password: str, address: str) -> str:
    """Return the token of a session for somebody who has chosen another password by a link."""
    check_team(bench)
    _count(bench, LINK, address)
    with _hashing(bench):
        who = use_password_link(bench.store, token, password)
    return start_session(bench.store, who)


def check_team(bench: Workbench) -> None:
    """Refuse what only a team has."""
    if not bench.settings.team:
        raise fail("team-off", Place())


def address_of(request: Request) -> str:
    """Return where a request comes from, as far as the server can tell."""
    return request.client.host if request.client else ""


def _hashing(bench: Workbench) -> AbstractContextManager[None]:
    """Hash one password at a time: each takes much memory on purpose, and strangers may send many at once."""
    return bench.turns.take("password")


def _count(bench: Workbench, limit: Limit, key: str) -> None:
    if not allow(bench.store, limit.what, key, most=limit.most, within=WITHIN):
        raise fail("too-many-tries", Place(), {"minutes": int(WITHIN.total_seconds() // 60)})
