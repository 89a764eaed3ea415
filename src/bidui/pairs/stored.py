"""Large folders of pairs, read as they are needed: memory does not grow with their number.

Only what bidui wrote as JSON lines with a manifest is read like this, since every file there is one paradigm and every
line one pair. A paradigm is a sequence of pairs that remembers where in its file every thousandth line begins.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import reason
from bidui.pairs.folder import NAME, read_manifest
from bidui.pairs.formats import from_jsonl
from bidui.pairs.pair import Origin, Pair, Short

LARGE = 32 << 20  # bytes of files from which a folder is read like this
LINES = 1_000  # that are read at a time


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of a file of pairs as they are on disk, which take next to no time to send to a worker."""

    data: bytes
    file: str
    uid: str
    before: int  # lines of the file before them

    def pairs(self) -> tuple[Pair, ...]:
        """Return their pairs."""
        try:
            pairs = from_jsonl(self.data, file=self.file, uid=self.uid).items
        except InputError as error:  # whose lines are counted from the first of these
            raise InputError([_moved(problem, self.before) for problem in error.problems]) from None
        if other := next((pair for pair in pairs if pair.uid != self.uid), None):
            line = self.before + pairs.index(other) + 1
            raise fail("pairs-other-uid", Place(self.file, line), {"uid": other.uid, "wanted": self.uid})
        return pairs


@dataclass(frozen=True, slots=True)
class StoredParadigm(Sequence[Pair]):
    """The pairs of one file, or some of them."""

    file: Path
    uid: str
    offsets: tuple[int, ...] = field(repr=False)  # of every thousandth line in the file
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __iter__(self) -> Iterator[Pair]:
        at = self.start
        while at < self.stop:
            number = at // LINES
            block = self._block(number)
            yield from block[at - number * LINES : self.stop - number * LINES]
            at = (number + 1) * LINES

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Pair]: ...
    def __getitem__(self, index: int | slice) -> "Pair | Sequence[Pair]":
        places = range(self.start, self.stop)[index]
        if isinstance(places, int):
            return self._block(places // LINES)[places % LINES]
        if places.step != 1:
            return [self[place - self.start] for place in places]
        return replace(self, start=places.start, stop=max(places.start, places.stop))

    def lines(self) -> Lines:
        """Return the lines of all pairs, unread."""
        first, last = self.start // LINES, max(self.start, self.stop - 1) // LINES
        rows = b"".join(self._bytes(number) for number in range(first, last + 1)).split(b"\n")
        data = b"\n".join(rows[self.start - first * LINES : self.stop - first * LINES])
        return Lines(data, str(self.file), self.uid, self.start)

    def _block(self, number: int) -> tuple[Pair, ...]:
        return Lines(self._bytes(number), str(self.file), self.uid, number * LINES).pairs()

    def _bytes(self, number: int) -> bytes:
        end = self.offsets[number + 1] if number + 1 < len(self.offsets) else -1
        try:
            with self.file.open("rb") as file:
                file.seek(self.offsets[number])
                return file.read(end - self.offsets[number] if end >= 0 else -1)
        except OSError as error:
            raise fail("file-unreadable", Place(str(self.file)), {"reason": reason(error)}) from None


def _moved(problem: Problem, lines: int) -> Problem:
    place = problem.place
    return replace(problem, place=replace(place, line=place.line + lines)) if place.line else problem


@dataclass(frozen=True, slots=True)
class StoredPairs:
    """The pairs of a large folder."""

    paradigms: Mapping[str, StoredParadigm]
    short: tuple[Short, ...] = ()
    notes: tuple[Problem, ...] = ()
    benchmarks: tuple[Origin, ...] = ()

    def __len__(self) -> int:
        return sum(map(len, self.paradigms.values()))

    def __iter__(self) -> Iterator[Pair]:
        for paradigm in self.paradigms.values():
            yield from paradigm

    def by_uid(self) -> Mapping[str, Sequence[Pair]]:
        """Return the pairs by paradigm."""
        return self.paradigms


def open_stored(folder: Path) -> StoredPairs | None:
    """Open a large folder of pairs that bidui wrote as JSON lines; None if it is anything else."""
    manifest = read_manifest(folder) if (folder / NAME).is_file() else None
    if manifest is None or not manifest.finished or not all(name.endswith(".jsonl") for name in manifest.files):
        return None
    files = {name: folder / name for name in sorted(manifest.files)}
    there = {path.name for path in folder.iterdir() if path.suffix == ".jsonl" and not path.name.startswith(".")}
    if there != files.keys() or sum(file.stat().st_size for file in files.values()) < LARGE:
        return None
    paradigms = {}
    for name, file in files.items():
        offsets, count = _lines(file)
        if count != manifest.files[name].pairs:
            return None  # a line that is empty, or one too few: whoever reads all of it says what is wrong
        if count:
            paradigms[file.stem] = StoredParadigm(file, file.stem, offsets, 0, count)
    return StoredPairs(paradigms, manifest.short, benchmarks=manifest.benchmarks)


def _lines(file: Path) -> tuple[tuple[int, ...], int]:
    """Return where every thousandth line of a file begins, and the number of lines."""
    offsets, count, at = [0], 0, 0
    with file.open("rb") as lines:
        for line in lines:
            if count and count % LINES == 0:
                offsets.append(at)
            count, at = count + 1, at + len(line)
    return tuple(offsets), count
