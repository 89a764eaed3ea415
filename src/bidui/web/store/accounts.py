"""Users: names and passwords of a team, and the one user of a laptop, who has none."""

import hashlib
import secrets
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from bidui.errors import Place, fail
from bidui.web.store.database import ROLES, projects, put, storable
from bidui.web.store.database import attempts as attempts_table
from bidui.web.store.database import members as members_table
from bidui.web.store.database import tokens as tokens_table
from bidui.web.store.database import users as users_table
from bidui.web.store.workspace import Entry, Store

# Passwords are kept as argon2 hashes, and guessing one takes memory and time.

SHORTEST = 10
LONGEST = 200


def check_password(password: str) -> None:
    """Refuse a password that is too short to be safe or too long to be one."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise fail("password-length", Place(), {"least": SHORTEST, "most": LONGEST})


def hashed(password: str) -> str:
    """The hash of a password, with its own salt."""
    return PasswordHasher().hash(_plain(password))


def matches(password: str, secret: str | None) -> bool:
    """Whether a password has this hash; without one, the same time is spent before saying no."""
    if len(password) > LONGEST:
        return False
    try:
        return PasswordHasher().verify(secret or _nobodys(), _plain(password)) and secret is not None
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    return hashed("nobody's password")


def _plain(password: str) -> bytes:
    """The bytes that are hashed: a keyboard that writes é as two characters gives the same."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")


# Tokens: random words that let somebody in, kept only as hashes, for a time, and some for one use.

Kind = Literal["start", "session", "invitation", "password"]
KINDS: tuple[Kind, ...] = ("start", "session", "invitation", "password")
BYTES = 32  # 256 bits


@dataclass(frozen=True, slots=True)
class Token:
    """What the database knows of a token: what it is for, whose it is, and until when."""

    id: int
    kind: Kind
    user: int | None
    project: int | None
    role: str | None
    created: datetime
    expires: datetime


def issue(
    store: Store,
    connection: Connection,
    kind: Kind,
    *,
    lasts: timedelta,
    user: int | None = None,
    project: int | None = None,
    role: str | None = None,
) -> str:
    """A new token; this is the only time that it can be read."""
    secret = secrets.token_urlsafe(BYTES)
    now = store.now()
    connection.execute(delete(tokens_table).where(tokens_table.c.expires < now - timedelta(days=30)))
    values = {"sha256": _hash(secret), "kind": kind, "user": user, "project": project, "role": role}
    connection.execute(insert(tokens_table).values(**values, created=now, expires=now + lasts))
    return secret


def find(store: Store, connection: Connection, kind: Kind, secret: str) -> Token | None:
    """The token, if it is one of that kind, not used up and not too old."""
    row = connection.execute(
        select(tokens_table).where(*_valid(store, kind), tokens_table.c.sha256 == _hash(secret))
    ).one_or_none()
    return _token(row) if row else None


def use(store: Store, connection: Connection, kind: Kind, secret: str) -> Token | None:
    """The same, and use it up: of two who come at once, one gets it."""
    found = find(store, connection, kind, secret)
    mine = (
        update(tokens_table)
        .where(*_valid(store, kind), tokens_table.c.sha256 == _hash(secret))
        .values(used=store.now())
    )
    return found if connection.execute(mine).rowcount == 1 else None


def valid(store: Store, connection: Connection, kind: Kind) -> list[Token]:
    """All tokens of a kind that would still be taken."""
    return [
        _token(row)
        for row in connection.execute(select(tokens_table).where(*_valid(store, kind)).order_by(tokens_table.c.id))
    ]


def revoke(connection: Connection, kind: Kind, *, id: int | None = None, user: int | None = None) -> None:
    """Take back one token, or all of a user, of one kind."""
    wanted = delete(tokens_table).where(tokens_table.c.kind == kind)
    connection.execute(
        wanted.where(tokens_table.c.id == id) if user is None else wanted.where(tokens_table.c.user == user)
    )


def _valid(store: Store, kind: Kind) -> tuple[Any, ...]:
    return (tokens_table.c.kind == kind, tokens_table.c.used.is_(None), tokens_table.c.expires > store.now())


def _hash(secret: str) -> str:
    """A plain hash will do: nobody can try out 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _token(row: Row[Any]) -> Token:
    return Token(row.id, row.kind, row.user, row.project, row.role, row.created, row.expires)


LOCAL = ""  # the key of whoever sits at the machine itself; no name that somebody can choose has it
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who works here; `local` is whoever sits at the machine itself."""

    id: int
    name: str
    created: datetime
    closed: bool = False
    local: bool = False


def local_user(store: Store) -> User:
    """The one user of a laptop, who needs no password because the machine is theirs."""
    wanted = select(users_table).where(users_table.c.key == LOCAL)
    with store.reading() as connection:
        row = connection.execute(wanted).one_or_none()
    if row is None:
        with store.filing() as connection:  # alone, so that there is only one
            if connection.execute(wanted).one_or_none() is None:
                connection.execute(insert(users_table).values(name="local", key=LOCAL, created=store.now()))
            row = connection.execute(wanted).one()
    return _user(row)


def add_user(store: Store, name: str, password: str) -> User:
    """A new account; the name must be free, whatever the case of its letters."""
    check_password(password)
    secret = hashed(password)  # slow on purpose, so before the transaction
    with store.writing() as connection:
        return insert_user(store, connection, name, secret)


def insert_user(store: Store, connection: Connection, name: str, secret: str) -> User:
    """A new account within a transaction; `secret` is the hash of its password."""
    shown = check_user_name(name)
    if connection.scalar(select(users_table.c.id).where(users_table.c.key == user_key(shown))):
        raise fail("user-taken", Place(), {"name": shown})
    values = {"name": shown, "key": user_key(shown), "password": secret, "created": store.now()}
    try:
        connection.execute(insert(users_table).values(**values))
    except IntegrityError:  # somebody took it in this very moment
        raise fail("user-taken", Place(), {"name": shown}) from None
    return _user(connection.execute(select(users_table).where(users_table.c.key == user_key(shown))).one())


def users(store: Store) -> list[User]:
    """All accounts, closed ones too, by name."""
    with store.reading() as connection:
        return [
            _user(row)
            for row in connection.execute(
                select(users_table).where(users_table.c.key != LOCAL).order_by(users_table.c.key)
            )
        ]


def user(store: Store, number: int) -> User:
    """The user with that number."""
    with store.reading() as connection:
        row = connection.execute(select(users_table).where(users_table.c.id == storable(number))).one_or_none()
    if row is None:
        raise fail("user-unknown", Place(), {"number": number})
    return _user(row)


def log_in(store: Store, name: str, password: str) -> User | None:
    """The user whose name and password these are, or None; a wrong name takes as long as a wrong password."""
    key = user_key(name) if name.isprintable() else "\ufffd"  # which is nobody's
    with store.reading() as connection:
        row = connection.execute(select(users_table).where(users_table.c.key == key)).one_or_none()
    known = row is not None and row.password is not None and row.closed is None
    right = matches(password, row.password if known and row else None)
    return _user(row) if known and right and row else None


def set_password(store: Store, who: User, password: str) -> None:
    """Give a user another password; all sessions of hers end."""
    check_password(password)
    secret = hashed(password)
    with store.writing() as connection:
        put_password(connection, who.id, secret)


def put_password(connection: Connection, user: int, secret: str) -> None:
    """The same within a transaction; `secret` is the hash."""
    connection.execute(update(users_table).where(users_table.c.id == user).values(password=secret))
    for kind in ("session", "password"):
        revoke(connection, kind, user=user)


def check_user_name(name: str) -> str:
    """The name as it is shown, or an error."""
    shown = unicodedata.normalize("NFC", name).strip()
    key = user_key(shown)
    if not shown.isprintable() or not 0 < len(shown) <= _LONGEST or not 0 < len(key) <= 2 * _LONGEST or key == "local":
        raise fail("user-name", Place(), {"name": repr(name), "most": _LONGEST})
    return shown


def user_key(name: str) -> str:
    """The name as it is compared: full-width letters and capitals are no other name."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _user(row: Row[Any]) -> User:
    return User(row.id, row.name, row.created, row.closed is not None, row.key == LOCAL)


# Sessions: who is at the other end, by a token in a cookie; and the one-time address that opens a laptop's page.

LASTS = timedelta(days=30)
START_LASTS = timedelta(hours=12)
PASSWORD_LASTS = timedelta(days=2)


def start_session(store: Store, who: User) -> str:
    """The token of a new session."""
    with store.writing() as connection:
        return issue(store, connection, "session", lasts=LASTS, user=who.id)


def session_user(store: Store, token: str) -> User | None:
    """Whose session this is, or None where it is nobody's any more."""
    with store.reading() as connection:
        found = find(store, connection, "session", token)
    who = user(store, found.user) if found and found.user is not None else None
    return who if who and not who.closed else None


def end_session(store: Store, token: str) -> None:
    """End one session."""
    with store.writing() as connection:
        use(store, connection, "session", token)


def end_sessions(store: Store, who: User) -> None:
    """End all sessions of a user."""
    with store.writing() as connection:
        revoke(connection, "session", user=who.id)


def start_token(store: Store) -> str:
    """The token in the address that `bidui serve` prints; it opens one session, and older ones open none."""
    who = local_user(store)
    with store.writing() as connection:
        revoke(connection, "start", user=who.id)
        return issue(store, connection, "start", lasts=START_LASTS, user=who.id)


def use_start_token(store: Store, token: str) -> str:
    """The token of a session for whoever sits at the machine."""
    with store.writing() as connection:
        found = use(store, connection, "start", token)
        if found is None:
            raise fail("token-unknown", Place())
        return issue(store, connection, "session", lasts=LASTS, user=found.user)


def password_link(store: Store, who: User) -> str:
    """A token with which a user who has forgotten the password can choose another."""
    with store.writing() as connection:
        revoke(connection, "password", user=who.id)
        return issue(store, connection, "password", lasts=PASSWORD_LASTS, user=who.id)


def password_user(store: Store, token: str) -> User | None:
    """Whose password a link is for; None where the link is used up, too old, or none."""
    with store.reading() as connection:
        found = find(store, connection, "password", token)
    return user(store, found.user) if found and found.user is not None else None


def use_password_link(store: Store, token: str, password: str) -> User:
    """Choose another password; all sessions of the user end."""
    check_password(password)
    secret = hashed(password)
    with store.writing() as connection:
        found = use(store, connection, "password", token)
        if found is None or found.user is None:
            raise fail("token-unknown", Place())
        put_password(connection, found.user, secret)
    return user(store, found.user)


# Roles: viewer, editor or owner, of one project or of the whole workspace, and what each may do.

Role = Literal["viewer", "editor", "owner"]


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
    """The role of a user in a project: the higher of the one there and the one in the workspace.

    Without a project, the one in the workspace. Whoever sits at the machine itself owns everything.
    """
    if who.local:
        return "owner"
    if who.closed:
        return None
    here = members_table.c.project.is_(None)
    where = here if entry is None else or_(here, members_table.c.project == entry.id)
    with store.reading() as connection:
        found = list(connection.scalars(select(members_table.c.role).where(members_table.c.user == who.id, where)))
    return max(found, key=ROLES.index, default=None)


def check_role(store: Store, who: User, needed: Role, entry: Entry | None = None) -> None:
    """Refuse what a user may not do; a project that she may not even see is as unknown as one that is not there."""
    role = role_of(store, who, entry)
    if may(role, needed):
        return
    if entry is not None and role is None:
        raise fail("project-unknown", Place(), {"name": entry.name})
    raise fail("role-missing", Place(), {"needed": needed})


def visible(store: Store, who: User, entries: list[Entry]) -> list[Entry]:
    """The projects that a user may see."""
    if role_of(store, who) is not None:
        return entries
    with store.reading() as connection:
        mine = set(connection.scalars(select(members_table.c.project).where(members_table.c.user == who.id)))
    return [] if who.closed else [entry for entry in entries if entry.id in mine]


def members(store: Store, entry: Entry | None = None) -> list[Member]:
    """Who has a role in a project, or in the workspace; by name."""
    here = members_table.c.project.is_(None)
    wanted = select(members_table.c.user, users_table.c.name, members_table.c.role, here.label("everywhere"))
    wanted = wanted.join(users_table, users_table.c.id == members_table.c.user).where(
        users_table.c.closed.is_(None), users_table.c.key != LOCAL
    )
    wanted = wanted.where(here if entry is None else or_(here, members_table.c.project == entry.id))
    with store.reading() as connection:
        rows = connection.execute(wanted.order_by(users_table.c.key, members_table.c.id))
        return [Member(user, name, role, bool(everywhere)) for user, name, role, everywhere in rows]


def set_role(store: Store, who: User, role: Role | None, entry: Entry | None = None) -> None:
    """Give a user a role, another one, or none; somebody must go on owning the workspace."""
    with store.filing() as connection:  # alone: two owners might leave at once
        if entry is None and role != "owner":
            _check_owned(connection, without=who.id)
        put_role(connection, who.id, role, entry.id if entry else None)


def close_account(store: Store, who: User) -> None:
    """Close an account: nobody gets in by it, or by an invitation of hers; what she did keeps her name."""
    with store.filing() as connection:
        _check_owned(connection, without=who.id)
        connection.execute(update(users_table).where(users_table.c.id == who.id).values(closed=store.now()))
        for kind in KINDS:
            revoke(connection, kind, user=who.id)


def open_account(store: Store, who: User) -> None:
    """Open a closed account again, with the password and roles that it had."""
    with store.writing() as connection:
        connection.execute(update(users_table).where(users_table.c.id == who.id).values(closed=None))


def put_role(connection: Connection, user: int, role: Role | None, project: int | None) -> None:
    """The same within a transaction."""
    here = members_table.c.project.is_(None) if project is None else members_table.c.project == project
    mine = (members_table.c.user == user, here)
    old = connection.scalar(select(members_table.c.role).where(*mine))
    if role is None:
        connection.execute(delete(members_table).where(*mine))
    elif old is None:
        connection.execute(insert(members_table).values(user=user, project=project, role=role))
    else:
        connection.execute(update(members_table).where(*mine).values(role=role))


def _check_owned(connection: Connection, *, without: int) -> None:
    """Refuse to let the last owner of the workspace go."""
    owners = (
        select(members_table.c.user)
        .join(users_table, users_table.c.id == members_table.c.user)
        .where(users_table.c.closed.is_(None))
    )
    found = {*connection.scalars(owners.where(members_table.c.role == "owner", members_table.c.project.is_(None)))}
    if found == {without}:
        raise fail("last-owner", Place())


# Counters against guessing: how often something was tried in a stretch of time, by name and by address.


def allow(store: Store, what: str, key: str, *, most: int, within: timedelta) -> bool:
    """Count one more try of `what` by `key` (a name, an address); False where it is one too many.

    The first try opens a stretch of time, and when that is over its row is removed: no address is kept.
    """
    name = hashlib.sha256(f"{what}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()
    now = store.now()
    with store.writing() as connection:
        connection.execute(delete(attempts_table).where(attempts_table.c.until <= now))
        put(connection, attempts_table, {"key": name, "count": 0, "until": now + within}, replace=False)
        connection.execute(
            update(attempts_table).where(attempts_table.c.key == name).values(count=attempts_table.c.count + 1)
        )
        count = connection.scalar(select(attempts_table.c.count).where(attempts_table.c.key == name)) or 0
    return count <= most


def forget(store: Store, what: str, key: str) -> None:
    """Start counting anew, after a try that succeeded."""
    name = hashlib.sha256(f"{what}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()
    with store.writing() as connection:
        connection.execute(delete(attempts_table).where(attempts_table.c.key == name))


# Invitation links: somebody who has one chooses a name and a password, and gets the role it was made for.

INVITATION_LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Invitation:
    """An offer of a role in a project, or (no name) in the whole workspace, made by somebody."""

    id: int
    role: Role
    project: str
    by: str
    expires: datetime


def invite(
    store: Store, *, who: User, role: Role, entry: Entry | None = None, lasts: timedelta = INVITATION_LASTS
) -> str:
    """The token of an invitation, for one person; whoever calls this has checked that `who` is an owner."""
    with store.writing() as connection:
        project = entry.id if entry else None
        return issue(store, connection, "invitation", lasts=lasts, user=who.id, project=project, role=role)


def invitation(store: Store, token: str) -> Invitation:
    """What an invitation offers, to be shown before it is taken."""
    with store.reading() as connection:
        found = _offered(connection, find(store, connection, "invitation", token))
    return _described(store, [found])[0]


def invitations(store: Store) -> list[Invitation]:
    """The invitations that nobody has taken yet."""
    with store.reading() as connection:
        found = [each for each in valid(store, connection, "invitation") if _stands(connection, each)]
    return _described(store, found)


def withdraw(store: Store, number: int) -> None:
    """Take an invitation back."""
    with store.writing() as connection:
        revoke(connection, "invitation", id=storable(number))


def accept(store: Store, token: str, *, name: str, password: str) -> User:
    """A new account with the role that the invitation offers; the invitation is used up."""
    check_password(password)
    secret = hashed(password)
    with store.writing() as connection:
        found = _offered(connection, use(store, connection, "invitation", token))
        new = insert_user(store, connection, name, secret)  # a name that is taken leaves the invitation as it was
        put_role(connection, new.id, _role(found), found.project)
    return new


def join(store: Store, token: str, *, who: User) -> None:
    """The same for somebody who has an account; a higher role that she had stays."""
    with store.writing() as connection:
        found = _offered(connection, use(store, connection, "invitation", token))
        here = members_table.c.project.is_(None) if found.project is None else members_table.c.project == found.project
        old = connection.scalar(select(members_table.c.role).where(members_table.c.user == who.id, here))
        if not may(old, _role(found)):
            put_role(connection, who.id, _role(found), found.project)


def _offered(connection: Connection, found: Token | None) -> Token:
    if found is None or not _stands(connection, found):
        raise fail("token-unknown", Place())
    return found


def _stands(connection: Connection, found: Token) -> bool:
    """Whether its maker may still invite: an owner who is one no more may have kept an invitation for herself."""
    where = or_(members_table.c.project.is_(None), members_table.c.project == found.project)
    owns = select(members_table.c.id).where(members_table.c.user == found.user, members_table.c.role == "owner", where)
    local = select(users_table.c.id).where(users_table.c.id == found.user, users_table.c.key == LOCAL)
    return connection.scalar(owns) is not None or connection.scalar(local) is not None


def _described(store: Store, found: list[Token]) -> list[Invitation]:
    with store.reading() as connection:
        names = {number: name for number, name in connection.execute(select(projects.c.id, projects.c.name))}
        people = {number: name for number, name in connection.execute(select(users_table.c.id, users_table.c.name))}
    return [
        Invitation(each.id, _role(each), names.get(each.project or 0, ""), people.get(each.user or 0, ""), each.expires)
        for each in found
    ]


def _role(token: Token) -> Role:
    assert token.role in ROLES
    return token.role  # type: ignore[return-value]
