"""Sessions: who is at the other end, by a token in a cookie; and the one-time address that opens a laptop's page."""

from datetime import timedelta

from bidui.errors import Place, fail
from bidui.web.store.accounts import User, local_user, put_password, user
from bidui.web.store.passwords import check_password, hashed
from bidui.web.store.tokens import find, issue, revoke, use
from bidui.web.store.workspace import Store

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
