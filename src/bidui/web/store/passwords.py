"""Passwords are kept as argon2 hashes, and guessing one takes memory and time."""

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from bidui.errors import Place, fail

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
