"""Who asks: the session in a cookie, the language, the role in a project; and the ways to sign in.

A request names its user by a session's token, in a cookie or as a bearer. Routes take what they need as a dependency
(`Bench`, `Spoken`, `Who`, `Reader`, `Editor`, `Owner`). Wrong passwords are limited, so that nobody can guess.
"""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response
from itsdangerous import BadSignature, Signer
from starlette.concurrency import run_in_threadpool

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
    """Return who asks, or None where nobody is signed in; a session of the machine itself does not count in a team.

    It is looked up once for each request: the guard may have done so before the body was read.
    """
    if not hasattr(request.state, "who"):
        token = session_token(request, bench.settings)
        who = people.session_user(bench.store, token) if token else None
        request.state.who = None if who and who.local and bench.settings.team else who
    found: User | None = request.state.who
    return found


async def signed_in(who: Annotated[User | None, Depends(someone)]) -> User:
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


# Signing in: by the address that was printed, by name and password, or by a link. Only passwords can be guessed, so
# only wrong ones are counted; a link has 256 random bits. A link is looked up before anything is hashed for it.

WITHIN = timedelta(minutes=15)
MOST = {  # wrong passwords within that time; in this order, so that one stranger adds little to the last
    "login address": 300,  # for any name from one address, which a whole class may share
    "login": 10,  # for a name from one address
    "login name": 100,  # for a name from anywhere
}


async def sign_in(bench: Workbench, name: str, password: str, *, address: str) -> str:
    """Return the token of a session for whoever knows the password."""
    check_team(bench)
    await run_in_threadpool(_check_tries, bench.store, name, address)  # before it takes somebody's place in the queue
    return await bench.hashing.run(lambda: _signed_in(bench.store, name, password, address))


def _signed_in(store: Store, name: str, password: str, address: str) -> str:
    """Try a password; one at a time, so that nobody gets more tries by asking at once."""
    _check_tries(store, name, address)
    who = people.log_in(store, name, password)
    if who is None:
        people.count_failure(store, _tries(name, address), within=WITHIN)
        raise fail("login-wrong", Place())
    keys = _tries(name, address)
    people.forget_failures(store, {what: keys[what] for what in ("login", "login name")})
    return people.start_session(store, who)


def _check_tries(store: Store, name: str, address: str) -> None:
    keys = _tries(name, address)
    failures = people.failures(store, keys)
    if any(failures[what] >= MOST[what] for what in keys):
        raise fail("too-many-tries", Place(), {"minutes": int(WITHIN.total_seconds() // 60)})


def _tries(name: str, address: str) -> dict[str, str]:
    """Return what failures are counted by: the address, the name from there, and the name."""
    key, place = people.user_key(name), network(address)
    return {"login address": place, "login": f"{key}\n{place}", "login name": key}


def network(address: str) -> str:
    """Return the address, or for IPv6 the network that one household or machine is given whole."""
    if ":" not in address:
        return address
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 and not ip.ipv4_mapped else address


async def take_start(bench: Workbench, token: str) -> str:
    """Return the token of a session for whoever has the address that was printed."""
    if bench.settings.team:
        raise fail("token-unknown", Place())
    return await run_in_threadpool(people.use_start_token, bench.store, token)


async def take_invitation(bench: Workbench, token: str, *, name: str, password: str) -> str:
    """Return the token of a session for somebody new."""
    check_team(bench)
    await run_in_threadpool(people.invitation, bench.store, token)
    who = await bench.hashing.run(lambda: people.accept(bench.store, token, name=name, password=password))
    return await run_in_threadpool(people.start_session, bench.store, who)


async def join_by_invitation(bench: Workbench, token: str, *, who: User) -> None:
    """Give the role of an invitation to somebody who has an account."""
    check_team(bench)
    await run_in_threadpool(people.join, bench.store, token, who=who)


async def take_password(bench: Workbench, token: str, *, password: str) -> str:
    """Return the token of a session for somebody who has chosen another password by a link."""
    check_team(bench)
    if await run_in_threadpool(people.password_user, bench.store, token) is None:
        raise fail("token-unknown", Place())
    who = await bench.hashing.run(lambda: people.use_password_link(bench.store, token, password))
    return await run_in_threadpool(people.start_session, bench.store, who)


def check_team(bench: Workbench) -> None:
    """Refuse what only a team has."""
    if not bench.settings.team:
        raise fail("team-off", Place())


def address_of(request: Request) -> str:
    """Return where a request comes from, as far as the server can tell."""
    return request.client.host if request.client else ""
