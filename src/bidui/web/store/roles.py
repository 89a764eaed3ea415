"""Roles: viewer, editor or owner, of one project or of the whole workspace, and what each may do."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, insert, or_, select, update

from bidui.errors import Place, fail
from bidui.web.store.accounts import LOCAL, User
from bidui.web.store.catalogue import Entry
from bidui.web.store.tables import ROLES, users
from bidui.web.store.tables import members as table
from bidui.web.store.tokens import KINDS, revoke
from bidui.web.store.workspace import Store

Role = Literal["viewer", "editor", "owner"]


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody's role; `everywhere` where it holds for the whole workspace."""

    user: int
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
    here = table.c.project.is_(None)
    where = here if entry is None else or_(here, table.c.project == entry.id)
    with store.reading() as connection:
        found = list(connection.scalars(select(table.c.role).where(table.c.user == who.id, where)))
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
        mine = set(connection.scalars(select(table.c.project).where(table.c.user == who.id)))
    return [] if who.closed else [entry for entry in entries if entry.id in mine]


def members(store: Store, entry: Entry | None = None) -> list[Member]:
    """Who has a role in a project, or in the workspace; by name."""
    here = table.c.project.is_(None)
    wanted = select(table.c.user, users.c.name, table.c.role, here.label("everywhere"))
    wanted = wanted.join(users, users.c.id == table.c.user).where(users.c.closed.is_(None), users.c.key != LOCAL)
    wanted = wanted.where(here if entry is None else or_(here, table.c.project == entry.id))
    with store.reading() as connection:
        rows = connection.execute(wanted.order_by(users.c.key, table.c.id))
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
        connection.execute(update(users).where(users.c.id == who.id).values(closed=store.now()))
        for kind in KINDS:
            revoke(connection, kind, user=who.id)


def open_account(store: Store, who: User) -> None:
    """Open a closed account again, with the password and roles that it had."""
    with store.writing() as connection:
        connection.execute(update(users).where(users.c.id == who.id).values(closed=None))


def put_role(connection: Connection, user: int, role: Role | None, project: int | None) -> None:
    """The same within a transaction."""
    here = table.c.project.is_(None) if project is None else table.c.project == project
    mine = (table.c.user == user, here)
    old = connection.scalar(select(table.c.role).where(*mine))
    if role is None:
        connection.execute(delete(table).where(*mine))
    elif old is None:
        connection.execute(insert(table).values(user=user, project=project, role=role))
    else:
        connection.execute(update(table).where(*mine).values(role=role))


def _check_owned(connection: Connection, *, without: int) -> None:
    """Refuse to let the last owner of the workspace go."""
    owners = select(table.c.user).join(users, users.c.id == table.c.user).where(users.c.closed.is_(None))
    found = {*connection.scalars(owners.where(table.c.role == "owner", table.c.project.is_(None)))}
    if found == {without}:
        raise fail("last-owner", Place())
