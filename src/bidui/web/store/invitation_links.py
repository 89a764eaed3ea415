"""Invitation links: somebody who has one chooses a name and a password, and gets the role it was made for."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select

from bidui.errors import Place, fail
from bidui.web.store.accounts import LOCAL, User, insert_user
from bidui.web.store.catalogue import Entry
from bidui.web.store.database import storable
from bidui.web.store.passwords import check_password, hashed
from bidui.web.store.roles import Role, may, put_role
from bidui.web.store.tables import ROLES, members, projects, users
from bidui.web.store.tokens import Token, find, issue, revoke, use, valid
from bidui.web.store.workspace import Store

LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Invitation:
    """What an invitation offers: a role in a project, or (no name) in the whole workspace."""

    id: int
    role: Role
    project: str
    inviter: str
    expires: datetime


def invite(store: Store, *, who: User, role: Role, entry: Entry | None = None, lasts: timedelta = LASTS) -> str:
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
        here = members.c.project.is_(None) if found.project is None else members.c.project == found.project
        old = connection.scalar(select(members.c.role).where(members.c.user == who.id, here))
        if not may(old, _role(found)):
            put_role(connection, who.id, _role(found), found.project)


def _offered(connection: Connection, found: Token | None) -> Token:
    if found is None or not _stands(connection, found):
        raise fail("token-unknown", Place())
    return found


def _stands(connection: Connection, found: Token) -> bool:
    """Whether its maker may still invite: an owner who is one no more may have kept an invitation for herself."""
    where = or_(members.c.project.is_(None), members.c.project == found.project)
    owns = select(members.c.id).where(members.c.user == found.user, members.c.role == "owner", where)
    local = select(users.c.id).where(users.c.id == found.user, users.c.key == LOCAL)
    return connection.scalar(owns) is not None or connection.scalar(local) is not None


def _described(store: Store, found: list[Token]) -> list[Invitation]:
    with store.reading() as connection:
        names = {number: name for number, name in connection.execute(select(projects.c.id, projects.c.name))}
        people = {number: name for number, name in connection.execute(select(users.c.id, users.c.name))}
    return [
        Invitation(each.id, _role(each), names.get(each.project or 0, ""), people.get(each.user or 0, ""), each.expires)
        for each in found
    ]


def _role(token: Token) -> Role:
    assert token.role in ROLES
    return token.role  # type: ignore[return-value]
