"""A shuffle of documents that depends on nothing but the documents and the seed, in bounded memory.

Every document gets a key, a hash of its text and the seed, and the order of keys is the order of documents. They are
scattered over files by the beginnings of their keys; then one file at a time is sorted. Equal documents have equal
keys, so duplicates meet in one file and are dropped there, and no hash need be remembered.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from struct import Struct

BUCKETS = 128  # a power of 2; 12 GB of text make files of some 100 MB, and systems allow 256 open files at least
RECORD = Struct("<16sQ")  # the key, and the bytes of the text after it


def scatter(documents: Iterable[str], folder: Path, *, seed: int) -> None:
    """Write documents into the files of a new folder."""
    folder.mkdir()
    with ExitStack() as stack:
        files = [stack.enter_context((folder / f"{n:03}").open("xb")) for n in range(BUCKETS)]
        for document in documents:
            text = document.encode()
            key = blake2b(text, digest_size=16, key=str(seed).encode()).digest()
            files[key[0] * BUCKETS // 256].write(RECORD.pack(key, len(text)) + text)


def gather(folder: Path) -> Iterator[tuple[bytes, int]]:
    """The text of every distinct document in the shuffled order, and how often it was scattered."""
    for bucket in sorted(folder.iterdir()):
        data = bucket.read_bytes()
        bucket.unlink()  # the disk need not hold both the text and all tokens
        found: dict[bytes, tuple[int, int, int]] = {}  # by key: start, end, copies
        at = 0
        while at < len(data):
            key, length = RECORD.unpack_from(data, at)
            at += RECORD.size
            found[key] = (at, at + length, found[key][2] + 1 if key in found else 1)
            at += length
        for _, (start, end, copies) in sorted(found.items()):
            yield data[start:end], copies


def held_out(text: bytes, *, share: float) -> bool:
    """Whether a document is for validation: by its own hash, so that neither seed nor other documents change it."""
    place = int.from_bytes(blake2b(text, digest_size=8, person=b"validation").digest(), "big")
    return place < share * 2**64
