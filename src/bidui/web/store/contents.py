"""The bytes of revisions, each kept once: whole, or as what differs from the content that it was made from.

A lexicon of 5,000 words may be saved once a second while it is edited, each time with one row changed. So a content
may say "the first `head` bytes and the last `tail` bytes of `near`, and this between them". Chains are short, and
what comes out is compared with its hash.
"""

import hashlib
import zlib

from sqlalchemy import Connection, select

from bidui.errors import Place, fail
from bidui.web.store.database import put
from bidui.web.store.tables import contents

LONGEST_CHAIN = 30


def keep(connection: Connection, data: bytes, *, near: str | None = None) -> str:
    """Keep `data`, which was made from the content whose hash is `near`; its own hash is given back."""
    name = hashlib.sha256(data).hexdigest()
    if connection.scalar(select(contents.c.sha256).where(contents.c.sha256 == name)):
        return name
    row: dict[str, object] = {"sha256": name, "size": len(data), "near": None, "depth": 0, "head": 0, "tail": 0}
    packed = zlib.compress(data)
    depth = connection.scalar(select(contents.c.depth).where(contents.c.sha256 == near)) if near else None
    if near and depth is not None and depth < LONGEST_CHAIN:
        other = content(connection, near)
        head = _shared(other, data)
        tail = _shared(other[head:][::-1], data[head:][::-1])
        piece = zlib.compress(data[head : len(data) - tail])
        if 2 * len(piece) < len(packed):
            packed = piece
            row |= {"near": near, "depth": depth + 1, "head": head, "tail": tail}
    put(connection, contents, {**row, "packed": packed}, replace=False)
    return name


def content(connection: Connection, sha256: str) -> bytes:
    """The bytes with that hash."""
    pieces: list[tuple[int, int, bytes]] = []
    at: str | None = sha256
    while at is not None:
        found = select(contents.c.near, contents.c.head, contents.c.tail, contents.c.packed)
        near, head, tail, packed = connection.execute(found.where(contents.c.sha256 == at)).one()
        try:
            pieces.append((head, tail, zlib.decompress(packed)))
        except zlib.error:
            raise fail("database-damaged", Place(), {"sha256": at}) from None
        at = near
    data = b""
    for head, tail, piece in reversed(pieces):
        data = data[:head] + piece + data[len(data) - tail :]
    if hashlib.sha256(data).hexdigest() != sha256:
        raise fail("database-damaged", Place(), {"sha256": sha256})
    return data


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes two contents begin with together; halving, since comparing slices is quick and a loop is not."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
