"""Shard files: token ids as little-endian whole numbers after a header that says what they are.

The header has 64 bytes: `BIDUITOK`, the version of the format (4 bytes), the bytes of a token (4; 2 or 4), how many
tokens there are (8), the size of the vocabulary (8), and the hash of the tokenizer's vocabulary (32).
"""

import hashlib
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail

Tokens: TypeAlias = NDArray[np.unsignedinteger[Any]]

MAGIC = b"BIDUITOK"
VERSION = 1
HEADER = struct.Struct("<8sIIQQ32s")
MOST_TOKENS = 1 << 26  # in a shard: 128 MiB of two bytes each


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: its name, how many tokens it has, and the hash of its bytes."""

    file: str
    tokens: int
    sha256: str


def token_type(vocabulary: int) -> "np.dtype[np.unsignedinteger[Any]]":
    """Two bytes a token where all ids fit into them, else four."""
    return np.dtype("<u2") if vocabulary <= 1 << 16 else np.dtype("<u4")


@dataclass(slots=True)
class ShardWriter:
    """Writes one part of a stream, `train` or `validation`, into as many shards as it needs; at least one."""

    folder: Path
    part: str
    vocabulary: int
    tokenizer: str  # the hash of its vocabulary
    most: int = MOST_TOKENS
    shards: list[Shard] = field(default_factory=list)
    count: int = 0  # of tokens in the shard that is not full yet

    def write(self, ids: Tokens) -> None:
        """Put tokens at the end of the stream."""
        while len(ids):
            if self.count == self.most:
                self._end_shard()
            taken = ids[: self.most - self.count]
            with self._path().open("ab") as file:
                if not self.count:
                    file.write(self._header())  # again at the end, when the count is known
                file.write(taken.astype(token_type(self.vocabulary)).tobytes())
            self.count += len(taken)
            ids = ids[len(taken) :]

    def finish(self) -> tuple[Shard, ...]:
        """All shards, down on the disk."""
        if self.count or not self.shards:
            self._end_shard()
        return tuple(self.shards)

    def _end_shard(self) -> None:
        path = self._path()
        with path.open("r+b" if self.count else "xb") as file:
            file.write(self._header())
            file.flush()
            os.fsync(file.fileno())
        self.shards.append(Shard(path.name, self.count, file_hash(path)))
        self.count = 0

    def _path(self) -> Path:
        return self.folder / f"{self.part}-{len(self.shards):05}.bin"

    def _header(self) -> bytes:
        width = token_type(self.vocabulary).itemsize
        return HEADER.pack(MAGIC, VERSION, width, self.count, self.vocabulary, bytes.fromhex(self.tokenizer))


def open_shard(path: Path, *, tokens: int, vocabulary: int, tokenizer: str) -> Tokens:
    """The tokens of a shard, mapped into memory; a header that says anything else than expected is an error."""
    kind = token_type(vocabulary)
    try:
        with path.open("rb") as file:
            header = file.read(HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise fail("read-failed", Place(str(path)), {"reason": error.strerror or str(error)}) from error
    if len(header) < HEADER.size or header[: len(MAGIC)] != MAGIC:
        raise fail("shard-no-header", Place(str(path)), {})
    _, version, width, count, entries, found = HEADER.unpack(header)
    if version != VERSION:
        raise fail("shard-version", Place(str(path)), {"version": version, "known": VERSION})
    if found.hex() != tokenizer:
        raise fail("shard-tokenizer", Place(str(path)), {"own": found.hex()[:12], "wanted": tokenizer[:12]})
    if (width, count, entries) != (kind.itemsize, tokens, vocabulary) or size != HEADER.size + count * width:
        raise fail("shard-size", Place(str(path)), {"tokens": tokens, "size": size})
    if not count:
        return np.zeros(0, kind)
    mapped: Tokens = np.memmap(path, kind, "r", HEADER.size, (count,))
    return mapped


def file_hash(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise fail("read-failed", Place(str(path)), {"reason": error.strerror or str(error)}) from error
