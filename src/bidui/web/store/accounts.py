"""Who works here: accounts and passwords, sessions and other tokens, roles, invitations, and limits on guessing.

A team has accounts with names and passwords. A laptop has one user without a password, because the machine is hers.
"""

import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from bidui.errors import Place, fail
from bidui.files import sha256
from bidui.web.store import database
from bidui.web.store.database import ROLES, projects, put, storable
from bidui.web.store.workspace import Entry, Store

Role = Literal["viewer", "editor", "owner"]
TokenKind = Literal["start", "session", "invitation", "password"]

LOCAL = ""  # the key of whoever sits at the machine itself; no name that somebody can choose has it
SHORTEST = 10  # characters of a password
LONGEST = 200
LASTS = timedelta(days=30)  # a session
START_LASTS = timedelta(hours=12)
PASSWORD_LASTS = timedelta(days=2)
INVITATION_LASTS = timedelta(days=7)
_LONGEST_NAME = 60
_TOKEN_BYTES = 32  # 256 bits
_USERS, _TOKENS, _MEMBERS, _ATTEMPTS = database.users, database.tokens, database.members, database.attempts
_USER, _TOKEN, _MEMBER = _USERS.c, _TOKENS.c, _MEMBERS.c


# Accounts


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who works here; `local` is whoever sits at the machine itself."""

    id: int
    name: str
    created: datetime
    closed: bool = False
    local: bool = False


def local_user(store: Store) -> User:
    """Return the one user of a laptop."""
    query = select(_USERS).where(_USER.key == LOCAL)
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        with store.filing() as connection:  # alone, so that there is only one
            if connection.execute(query).one_or_none() is None:
                connection.execute(insert(_USERS).values(name="local", key=LOCAL, created=store.now()))
            row = connection.execute(query).one()
    return _user(row)


def add_user(store: Store, name: str, password: str) -> User:
    """Add an account; the name must be free, whatever its case."""
    secret = hash_password(password, name=name)
    with store.writing() as connection:
        return _insert_user(store, connection, name, secret)


def _insert_user(store: Store, connection: Connection, name: str, secret: str) -> User:
    shown = check_user_name(name)
    query = select(_USERS).where(_USER.key == user_key(shown))
    taken = fail("user-taken", Place(), {"name": shown})
    if connection.execute(query).one_or_none():
        raise taken
    for other in connection.scalars(select(_USER.name).where(_USER.key != LOCAL)):
        if _looks(other) == _looks(shown):
            raise fail("user-name-alike", Place(), {"name": shown, "other": other})
    values = {"name": shown, "key": user_key(shown), "password": secret, "created": store.now()}
    try:
        connection.execute(insert(_USERS).values(**values))
    except IntegrityError:  # somebody took it in this very moment
        raise taken from None
    return _user(connection.execute(query).one())


def users(store: Store) -> list[User]:
    """Return all accounts, closed ones too, by name."""
    query = select(_USERS).where(_USER.key != LOCAL).order_by(_USER.key)
    with store.reading() as connection:
        return [_user(row) for row in connection.execute(query)]


def user(store: Store, number: int) -> User:
    """Return the user with that number."""
    with store.reading() as connection:
        row = connection.execute(select(_USERS).where(_USER.id == storable(number))).one_or_none()
    if row is None:
        raise fail("user-unknown", Place(), {"number": number})
    return _user(row)


def log_in(store: Store, name: str, password: str) -> User | None:
    """Return the user with this name and password, or None; a wrong name takes as long as a wrong password."""
    key = user_key(name) if name.isprintable() else "\ufffd"  # which is nobody's
    with store.reading() as connection:
        row = connection.execute(select(_USERS).where(_USER.key == key)).one_or_none()
    is_open = row is not None and row.password is not None and row.closed is None
    right = password_matches(password, row.password if row and is_open else None)
    return _user(row) if row and is_open and right else None


def close_account(store: Store, who: User) -> None:
    """Close an account: nobody gets in by it, or by an invitation of hers; what she did keeps her name."""
    with store.filing() as connection:
        _check_owned(connection, without=who.id)
        connection.execute(update(_USERS).where(_USER.id == who.id).values(closed=store.now()))
        connection.execute(delete(_TOKENS).where(_TOKEN.user == who.id))


def open_account(store: Store, who: User) -> None:
    """Open a closed account again, with the password and roles that it had."""
    with store.writing() as connection:
        connection.execute(update(_USERS).where(_USER.id == who.id).values(closed=None))


def check_user_name(name: str) -> str:
    """Return the name as it is shown; refuse one that is empty, too long, or not printable."""
    shown = unicodedata.normalize("NFC", name).strip()
    key, most = user_key(shown), _LONGEST_NAME
    if not shown.isprintable() or not 0 < len(shown) <= most or not 0 < len(key) <= 2 * most or key == "local":
        raise fail("user-name", Place(), {"name": repr(name), "most": most})
    return shown


def user_key(name: str) -> str:
    """Return the name as it is compared: full-width letters and capitals make no other name."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


_ALIKE = str.maketrans("01аеорсухіјѕһԁոսοαυνικρτ", "olaeopcyxijshdnuoauvikpt")  # Cyrillic, Armenian, Greek


def _looks(name: str) -> str:
    """Return the name without what hardly anybody sees: letters of other scripts that look the same, marks, blanks."""
    plain = unicodedata.normalize("NFKD", user_key(name)).translate(_ALIKE)
    return "".join(character for character in plain if character.isalnum()).replace("i", "l") or plain


def _user(row: Row[Any]) -> User:
    return User(row.id, row.name, row.created, row.closed is not None, row.key == LOCAL)


# Passwords are kept as argon2 hashes, and guessing one takes memory and time.


def hash_password(password: str, *, name: str = "") -> str:
    """Return the hash of a password, not too short, too long or trivial; slow on purpose, so not for a transaction."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise fail("password-length", Place(), {"least": SHORTEST, "most": LONGEST})
    if _is_trivial(user_key(password), user_key(name)):
        raise fail("password-trivial", Place())
    return PasswordHasher().hash(_password_bytes(password))


_COMMON = re.compile(
    r"(passw[o0]rd|[a-z]?qwerty\w*|letmein|welcome|admin(istrator)?|iloveyou|woaini|changeme|secret|bidui)+"
)
_ROWS = ("01234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm", "1qaz2wsx3edc4rfv5tgb6yhn")


def _is_trivial(password: str, name: str) -> bool:
    """Whether a password is among the first that anybody tries: repetitions, rows of keys, common words, the name."""
    bare = password.strip("0123456789!?.,-_*#@ ")
    pieces = password.replace(name, "") if name else password
    rows = (row * 20 for each in _ROWS for row in (each, each[::-1]))
    return (
        len(set(password)) < 5
        or re.fullmatch(r"(.{1,6}?)\1+.{0,2}", password) is not None
        or _COMMON.fullmatch(bare) is not None
        or len(pieces) < 4
        or any(password in row for row in rows)
    )


def password_matches(password: str, secret: str | None) -> bool:
    """Whether a password has this hash; without one, the same time is spent before saying no."""
    if len(password) > LONGEST:
        return False
    try:
        return PasswordHasher().verify(secret or _nobodys_secret(), _password_bytes(password)) and secret is not None
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys_secret() -> str:
    return hash_password("nobody's password")


def _password_bytes(password: str) -> bytes:
    """Return the bytes that are hashed; a keyboard that writes é as two characters gives the same."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")


# Tokens: random words that let somebody in, kept only as hashes, for a time, and some for one use.


def _issue(store: Store, connection: Connection, kind: TokenKind, *, lasts: timedelta, **columns: object) -> str:
    """Return a new token for a user, project or role; this is the only time that it can be read."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    now = store.now()
    connection.execute(delete(_TOKENS).where(_TOKEN.expires < now - timedelta(days=30)))
    values = {"sha256": _hash(token), "kind": kind, "created": now, "expires": now + lasts}
    connection.execute(insert(_TOKENS).values(**values, **columns))
    return token


def _find(store: Store, connection: Connection, kind: TokenKind, token: str) -> Row[Any] | None:
    """Return a token, if it is one of that kind, not used up and not too old."""
    query = select(_TOKENS).where(*_valid(store, kind), _TOKEN.sha256 == _hash(token))
    return connection.execute(query).one_or_none()


def _use(store: Store, connection: Connection, kind: TokenKind, token: str) -> Row[Any] | None:
    """Return a token and use it up: of two people who come at once, one gets it."""
    row = _find(store, connection, kind, token)
    claim = update(_TOKENS).where(*_valid(store, kind), _TOKEN.sha256 == _hash(token))
    return row if connection.execute(claim.values(used=store.now())).rowcount == 1 else None


def _revoke(connection: Connection, kind: TokenKind, user: int) -> None:
    """Take back all tokens of a user, of one kind."""
    connection.execute(delete(_TOKENS).where(_TOKEN.kind == kind, _TOKEN.user == user))


def _valid(store: Store, kind: TokenKind) -> tuple[Any, ...]:
    return (_TOKEN.kind == kind, _TOKEN.used.is_(None), _TOKEN.expires > store.now())


def _hash(text: str) -> str:
    """Return a plain hash; for a token it is enough, since nobody can try out 256 random bits."""
    return sha256(text.encode("utf-8", "surrogatepass"))


# Sessions, the one-time address that opens a laptop's page, and links to a new password


def start_session(store: Store, who: User) -> str:
    """Return the token of a new session."""
    with store.writing() as connection:
        return _issue(store, connection, "session", lasts=LASTS, user=who.id)


def session_user(store: Store, token: str) -> User | None:
    """Return whose session this is, or None where it is nobody's any more."""
    who = _token_user(store, "session", token)
    return who if who and not who.closed else None


def _token_user(store: Store, kind: TokenKind, token: str) -> User | None:
    with store.reading() as connection:
        row = _find(store, connection, kind, token)
    return user(store, row.user) if row and row.user is not None else None


def end_session(store: Store, token: str) -> None:
    """End one session."""
    with store.writing() as connection:
        _use(store, connection, "session", token)


def start_token(store: Store) -> str:
    """Return the token in the address that `bidui serve` prints; it opens one session.

    Older ones open none, and sessions that they have opened end: a copy of the folder, or a cookie that another server
    at this machine has seen, is worth nothing after the next start.
    """
    who = local_user(store)
    with store.writing() as connection:
        _revoke(connection, "start", who.id)
        _revoke(connection, "session", who.id)
        return _issue(store, connection, "start", lasts=START_LASTS, user=who.id)


def use_start_token(store: Store, token: str) -> str:
    """Return the token of a session for whoever sits at the machine."""
    with store.writing() as connection:
        row = _use(store, connection, "start", token)
        if row is None:
            raise fail("token-unknown", Place())
        return _issue(store, connection, "session", lasts=LASTS, user=row.user)


def password_link(store: Store, who: User) -> str:
    """Return a token with which a user who has forgotten the password can choose another."""
    with store.writing() as connection:
        _revoke(connection, "password", who.id)
        return _issue(store, connection, "password", lasts=PASSWORD_LASTS, user=who.id)


def password_user(store: Store, token: str) -> User | None:
    """Return whose password a link is for; None where the link is used up, too old, or unknown."""
    return _token_user(store, "password", token)


def use_password_link(store: Store, token: str, password: str) -> User:
    """Choose another password; all sessions of the user end. Nothing is hashed for a link that is not good."""
    who = password_user(store, token)
    if who is None:
        raise fail("token-unknown", Place())
    secret = hash_password(password, name=who.name)
    with store.writing() as connection:
        row = _use(store, connection, "password", token)
        if row is None or row.user is None:
            raise fail("token-unknown", Place())
        connection.execute(update(_USERS).where(_USER.id == row.user).values(password=secret))
        _revoke(connection, "session", row.user)
        _revoke(connection, "password", row.user)
    return user(store, row.user)


# Roles: viewer, editor or owner, of one project or of the whole workspace, and what each may do.


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody's role; `everywhere` where it holds for the whole workspace."""

    id: int
    name: str
    role: Role
    everywhere: bool


def may(role: Role | None, needed: Role) -> bool:
    """Whether a role is enough for what needs another: an owner may do all, an editor all but manage."""
    return role is not None and ROLES.index(role) >= ROLES.index(needed)


def role_of(store: Store, who: User, entry: Entry | None = None) -> Role | None:
    """Return the role of a user in a project: the higher of the one there and the one in the workspace.

    Without a project, return the one in the workspace. Whoever sits at the machine itself owns everything.
    """
    if who.local:
        return "owner"
    if who.closed:
        return None
    with store.reading() as connection:
        query = select(_MEMBER.role).where(_MEMBER.user == who.id, _in_reach(entry.id if entry else None))
        return max(connection.scalars(query), key=ROLES.index, default=None)


def _in_reach(project: Any) -> Any:
    """Select the roles that count for a project, or (None) for the whole workspace."""
    everywhere = _MEMBER.project.is_(None)
    return everywhere if project is None else or_(everywhere, _MEMBER.project == project)


def check_role(store: Store, who: User, needed: Role, entry: Entry | None = None) -> Role:
    """Return the role of a user, and refuse what it does not allow.

    A project that she may not even see is as unknown as one that is not there.
    """
    role = role_of(store, who, entry)
    if role is not None and may(role, needed):
        return role
    if entry is not None and role is None:
        raise fail("project-unknown", Place(), {"name": entry.name})
    raise fail("role-missing", Place(), {"needed": needed})


def visible(store: Store, who: User, entries: list[Entry]) -> list[Entry]:
    """Return the projects that a user may see."""
    if role_of(store, who) is not None:
        return entries
    with store.reading() as connection:
        projects_seen = set(connection.scalars(select(_MEMBER.project).where(_MEMBER.user == who.id)))
    return [] if who.closed else [entry for entry in entries if entry.id in projects_seen]


def members(store: Store, entry: Entry | None = None) -> list[Member]:
    """Return who has a role in a project, or in the workspace, by name."""
    query = select(_MEMBER.user, _USER.name, _MEMBER.role, _MEMBER.project.is_(None).label("everywhere"))
    query = query.join(_USERS, _USER.id == _MEMBER.user).where(_USER.closed.is_(None), _USER.key != LOCAL)
    query = query.where(_in_reach(entry.id if entry else None)).order_by(_USER.key, _MEMBER.id)
    with store.reading() as connection:
        return [Member(number, name, role, bool(rest)) for number, name, role, rest in connection.execute(query)]


def set_role(store: Store, who: User, role: Role | None, entry: Entry | None = None) -> None:
    """Give a user a role, another one, or none; somebody must go on owning the workspace."""
    with store.filing() as connection:  # alone: two owners might leave at once
        if entry is None and role != "owner":
            _check_owned(connection, without=who.id)
        _put_role(connection, who.id, role, entry.id if entry else None)


def _put_role(connection: Connection, user: int, role: Role | None, project: int | None) -> None:
    where = _own_role(user, project)
    if role is None:
        connection.execute(delete(_MEMBERS).where(*where))
    elif connection.scalar(select(_MEMBER.role).where(*where)) is None:
        connection.execute(insert(_MEMBERS).values(user=user, project=project, role=role))
    else:
        connection.execute(update(_MEMBERS).where(*where).values(role=role))


def _own_role(user: int, project: int | None) -> tuple[Any, ...]:
    """Select the role of a user in just this project, or in the workspace."""
    return (_MEMBER.user == user, _MEMBER.project.is_(None) if project is None else _MEMBER.project == project)


def _check_owned(connection: Connection, *, without: int) -> None:
    """Refuse to let the last owner of the workspace go."""
    query = select(_MEMBER.user).join(_USERS, _USER.id == _MEMBER.user).where(_USER.closed.is_(None))
    if {*connection.scalars(query.where(_MEMBER.role == "owner", _MEMBER.project.is_(None)))} == {without}:
        raise fail("last-owner", Place())


# Invitations: somebody who has the link chooses a name and a password, and gets the role it was made for.


@dataclass(frozen=True, slots=True)
class Invitation:
    """An offer of a role in a project, or (no name) in the whole workspace, made by somebody."""

    id: int
    role: Role
    project: str
    by: str
    expires: datetime


def invite(store: Store, *, who: User, role: Role, entry: Entry | None = None) -> str:
    """Return the token of an invitation for one person; the caller has checked that `who` is an owner."""
    offer = {"user": who.id, "project": entry.id if entry else None, "role": role}
    with store.writing() as connection:
        return _issue(store, connection, "invitation", lasts=INVITATION_LASTS, **offer)


def invitation(store: Store, token: str) -> Invitation:
    """Return what an invitation offers, to be shown before it is taken."""
    with store.reading() as connection:
        offers = _offers(store, connection, _TOKEN.sha256 == _hash(token))
    if not offers:
        raise fail("token-unknown", Place())
    return offers[0]


def invitations(store: Store) -> list[Invitation]:
    """Return the invitations that nobody has taken yet."""
    with store.reading() as connection:
        return _offers(store, connection)


def withdraw(store: Store, number: int) -> None:
    """Take an invitation back."""
    with store.writing() as connection:
        which = (_TOKEN.kind == "invitation", _TOKEN.id == storable(number))
        connection.execute(delete(_TOKENS).where(*which))


def accept(store: Store, token: str, *, name: str, password: str) -> User:
    """Add an account with the role that an invitation offers, which is used up; one that is not good hashes nothing."""
    invitation(store, token)
    secret = hash_password(password, name=check_user_name(name))
    with store.writing() as connection:
        offer = _take_offer(store, connection, token)
        new = _insert_user(store, connection, name, secret)  # a name that is taken leaves the invitation as it was
        _put_role(connection, new.id, offer.role, offer.project)
    return new


def join(store: Store, token: str, *, who: User) -> None:
    """Give the role of an invitation to somebody who has an account; a higher role that she had stays."""
    with store.writing() as connection:
        offer = _take_offer(store, connection, token)
        old = connection.scalar(select(_MEMBER.role).where(*_own_role(who.id, offer.project)))
        if offer.role is not None and not may(old, offer.role):
            _put_role(connection, who.id, offer.role, offer.project)


def _take_offer(store: Store, connection: Connection, token: str) -> Row[Any]:
    stands = _offers(store, connection, _TOKEN.sha256 == _hash(token))
    offer = _use(store, connection, "invitation", token)
    if offer is None or not stands:
        raise fail("token-unknown", Place())
    return offer


def _offers(store: Store, connection: Connection, *conditions: Any) -> list[Invitation]:
    """Return invitations whose maker may still invite: an owner who lost the role may have kept one for herself."""
    owns = select(_MEMBER.id).where(_MEMBER.user == _TOKEN.user, _MEMBER.role == "owner", _in_reach(_TOKEN.project))
    query = select(_TOKEN.id, _TOKEN.role, projects.c.name, _USER.name, _TOKEN.expires).select_from(
        _TOKENS.join(_USERS, _USER.id == _TOKEN.user).outerjoin(projects, projects.c.id == _TOKEN.project)
    )
    query = query.where(*_valid(store, "invitation"), or_(_USER.key == LOCAL, owns.exists()), *conditions)
    rows = connection.execute(query.order_by(_TOKEN.id))
    return [Invitation(number, role, project or "", by, expires) for number, role, project, by, expires in rows]


# Limits on guessing: how often a password was wrong within a stretch of time, by name and by address


def failures(store: Store, keys: Mapping[str, str]) -> dict[str, int]:
    """Return how often each thing (`what` was tried, by a name or an address) has failed lately."""
    table, hashes = _ATTEMPTS, {what: _attempt(what, key) for what, key in keys.items()}
    query = select(table.c.key, table.c.count).where(table.c.key.in_(hashes.values()), table.c.until > store.now())
    with store.reading() as connection:
        counts = {key: number for key, number in connection.execute(query)}
    return {what: counts.get(key, 0) for what, key in hashes.items()}


def count_failure(store: Store, keys: Mapping[str, str], *, within: timedelta) -> None:
    """Count one more failure of each thing.

    The first one opens a stretch of time, and when that is over its row is removed: no address is kept.
    """
    table, now = _ATTEMPTS, store.now()
    with store.writing() as connection:
        connection.execute(delete(table).where(table.c.until <= now))
        for key in (_attempt(what, key) for what, key in keys.items()):
            put(connection, table, {"key": key, "count": 0, "until": now + within}, replace=False)
            connection.execute(update(table).where(table.c.key == key).values(count=table.c.count + 1))


def forget_failures(store: Store, keys: Mapping[str, str]) -> None:
    """Start counting again from zero, after a try that succeeded."""
    with store.writing() as connection:
        hashes = [_attempt(what, key) for what, key in keys.items()]
        connection.execute(delete(_ATTEMPTS).where(_ATTEMPTS.c.key.in_(hashes)))


def _attempt(what: str, key: str) -> str:
    return _hash(f"{what}\n{key}")
