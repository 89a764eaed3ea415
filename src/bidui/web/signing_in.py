"""Signing in and out: by the address that is printed, by name and password, or by a link; tried out only so often."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta

from starlette.requests import Request

from bidui.errors import Place, fail
from bidui.web.store import (
    User,
    accept,
    allow,
    forget,
    join,
    log_in,
    start_session,
    use_password_link,
    use_start_token,
)
from bidui.web.store.accounts import user_key
from bidui.web.workbench import Workbench

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
    """The token of a session for whoever knows the password."""
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
    """The token of a session for whoever has the address that was printed."""
    _count(bench, LINK, address)
    if bench.settings.team:
        raise fail("token-unknown", Place())
    return use_start_token(bench.store, token)


def take_invitation(bench: Workbench, token: str, *, name: str, password: str, address: str) -> str:
    """The token of a session for somebody new."""
    check_team(bench)
    _count(bench, LINK, address)
    with _hashing(bench):
        who = accept(bench.store, token, name=name, password=password)
    return start_session(bench.store, who)


def join_by_invitation(bench: Workbench, token: str, *, who: User, address: str) -> None:
    """The role of an invitation for somebody who has an account."""
    check_team(bench)
    _count(bench, LINK, address)
    join(bench.store, token, who=who)


def take_password(bench: Workbench, token: str, *, password: str, address: str) -> str:
    """The token of a session for whoever has chosen another password by a link."""
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
    """Where a request comes from, as far as the server can tell."""
    return request.client.host if request.client else ""


def _hashing(bench: Workbench) -> AbstractContextManager[None]:
    """One password at a time: each takes much memory on purpose, and strangers may send many at once."""
    return bench.turns.take("password")


def _count(bench: Workbench, limit: Limit, key: str) -> None:
    if not allow(bench.store, limit.what, key, most=limit.most, within=WITHIN):
        raise fail("too-many-tries", Place(), {"minutes": int(WITHIN.total_seconds() // 60)})
