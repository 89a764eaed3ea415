"""Sets of pairs to look at: thousands of pairs in one temporary file, of which a page reads a few at a time.

A set keeps in memory only where each pair begins, so that several large ones can be kept between requests. Its file has
no name: it is gone when the last reader lets go of the set, and nothing is left behind when the server is killed.
"""

import json
import tempfile
import threading
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO

from bidui.errors import fail
from bidui.pairs.diversity import Diversity
from bidui.pairs.folder import read_manifest
from bidui.pairs.formats import read_file
from bidui.pairs.pair import Pair, Short


class UnnamedFile:
    """A temporary file that several threads may read, and that is gone with this object."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
        self._lock = threading.Lock()

    def __del__(self) -> None:
        self._file.close()

    def add(self, data: bytes) -> int:
        """Write at the end; return how many bytes."""
        return self._file.write(data)

    def read(self, start: int, end: int) -> bytes:
        """Return a stretch of it."""
        with self._lock:
            self._file.seek(start)
            return self._file.read(end - start)


@dataclass(frozen=True, slots=True)
class ParadigmPairs:
    """The pairs of a paradigm in a set: where the first stands, and how many there are."""

    uid: str
    phenomenon: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pairs as `bidui generate` wrote them, paradigm after paradigm, and those paradigms that fell short."""

    file: UnnamedFile
    starts: "array[int]"  # of each pair, and the end of the last
    paradigms: tuple[ParadigmPairs, ...]
    short: tuple[Short, ...]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def has(self, uid: str) -> bool:
        """Tell whether the pairs of a paradigm are in the set, or would be if it had any."""
        return uid in {each.uid for each in self.paradigms} | {each.uid for each in self.short}

    def find(self, *, phenomenon: str = "", uid: str = "", text: str = "") -> list[int] | range:
        """Return the numbers of the pairs of a phenomenon or paradigm that have a text in one of their sentences."""
        chosen = [p for p in self.paradigms if uid in ("", p.uid) and phenomenon in ("", p.phenomenon)]
        if not text.strip():
            if len(chosen) == len(self.paradigms):
                return range(len(self))
            return [number for each in chosen for number in range(each.first, each.first + each.count)]
        return [number for each in chosen for number in self._search(each, text.strip().casefold())]

    def read(self, numbers: list[int] | range) -> tuple[Pair, ...]:
        """Return some pairs by their numbers."""
        lines = b"".join(self.file.read(self.starts[number], self.starts[number + 1]) for number in numbers)
        return read_file(Path("pairs.jsonl"), data=lines).items if lines else ()

    def copy_to(self, path: Path, *, uid: str = "") -> None:
        """Write all pairs, or those of one paradigm, into one file."""
        with path.open("wb") as target:
            for each in self.paradigms:
                if uid in ("", each.uid):
                    target.write(self.file.read(self.starts[each.first], self.starts[each.first + each.count]))

    def _search(self, paradigm: ParadigmPairs, text: str) -> Iterator[int]:
        end = paradigm.first + paradigm.count
        lines = self.file.read(self.starts[paradigm.first], self.starts[end]).decode().split("\n")
        likely = json.dumps(text, ensure_ascii=False)[1:-1]  # as a line would have it, so that few lines are parsed
        for number, line in zip(range(paradigm.first, end), lines, strict=False):
            if likely in line.casefold():
                record = json.loads(line)
                if text in record["sentence_good"].casefold() or text in record["sentence_bad"].casefold():
                    yield number


def pack_pairs(folder: Path) -> PairSet:
    """Read a folder of JSONL files into a set."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise fail("pairs-none", None, {"suffixes": [".jsonl"]})
    target, starts, paradigms = UnnamedFile(), array("Q", [0]), []
    names = [name for name, file in manifest.files.items() if file.pairs]
    for phenomenon, name in sorted((_phenomenon(folder / name), name) for name in names):
        first = len(starts) - 1
        with (folder / name).open("rb") as source:
            for line in source:
                starts.append(starts[-1] + target.add(line))
        paradigms.append(ParadigmPairs(name.removesuffix(".jsonl"), phenomenon, first, len(starts) - 1 - first))
    return PairSet(target, starts, tuple(paradigms), manifest.short)


def _phenomenon(path: Path) -> str:
    with path.open("rb") as source:
        return str(json.loads(source.readline())["phenomenon"])


def read_diversity(output: str) -> Diversity:
    """Return the figures that `bidui diversity --format json` printed."""
    values = json.loads(output)
    ngrams = (values["1-grams"], values["2-grams"], values["3-grams"], values["4-grams"])
    names = {each.name for each in fields(Diversity)} - {"ngrams"}
    return Diversity(ngrams=ngrams, **{name: values[name] for name in names})
