"""Speed, memory and agreement of n-gram estimation, beside KenLM's lmplz on the same text.

    python bench/ngram.py TEXT … [--lmplz PATH]      prints the figures that docs/benchmarks.md quotes

TEXT is plain text, compressed or not; without any, random characters are taken. Lines are cut into sentences at the
marks 。！？； and after 50 characters; characters are separated by blanks, so that both programs read the same file.
Each runs in a process of its own, with the same bound on its memory. lmplz is no part of the kenlm package: it is built
with CMake and Boost from the sources that `pip download --no-binary kenlm kenlm` brings.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from bidui.training.documents import read_documents

SENTENCE = re.compile("[^。！？；]{1,50}[。！？；”」』]*|[。！？；]+")


@dataclass(frozen=True)
class Cost:
    """What a process took."""

    wall: float
    cpu: float
    peak: float  # GB

    def __str__(self) -> str:
        return f"{self.wall:.1f} s, {self.cpu:.1f} s of CPU, at most {self.peak:.2f} GB"


def run(command: list[str], *, output: Path | None = None, source: Path | None = None) -> Cost:
    """The cost of a command, which may read one file and write another."""
    start = time.perf_counter()
    with (source or Path(os.devnull)).open("rb") as given, (output or Path(os.devnull)).open("wb") as taken:
        process = subprocess.Popen(command, stdin=given, stdout=taken, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed with {status}")
    return Cost(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20)


def sentences(texts: list[Path]) -> Iterator[str]:
    """Sentences of the texts, or random ones with the frequencies of characters."""
    for text in texts:
        for document in read_documents(text):
            for line in document.split("\n"):
                yield from SENTENCE.findall("".join(line.split()))
    random = np.random.default_rng(0)
    while not texts:
        codes = 0x4E00 + random.zipf(1.3, (10_000, 28)) % 8000
        yield from ("".join(map(chr, row)) for row in codes.tolist())


def furthest(ours: Path, theirs: Path) -> tuple[int, float]:
    """How many lines the files have, and how far apart any two values are; other differences end the program."""
    count, most = 0, 0.0
    with ours.open("rb") as first, theirs.open("rb") as second:
        for one, other in zip(first, second, strict=True):
            values, wanted = one.split(b"\t"), other.split(b"\t")
            if len(values) != len(wanted) or values[1:2] != wanted[1:2] or (len(values) == 1 and one != other):
                sys.exit(f"the files differ: {one!r} and {other!r}")
            for value, want in zip(values[::2], wanted[::2], strict=True):
                most = max(most, abs(float(value) - float(want))) if len(values) > 1 else most
            count += 1
    return count, most


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", type=Path)
    parser.add_argument("--lmplz", type=Path)
    parser.add_argument("--sentences", type=int, default=2_000_000)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--memory", default="1G")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "text.txt"
        with text.open("w", encoding="utf-8") as file:
            lines = [0, 0]
            for sentence in islice(sentences(given.texts), given.sentences):
                file.write(" ".join(sentence) + "\n")
                lines = [lines[0] + 1, lines[1] + len(sentence)]
        print(f"{lines[0]:,} sentences, {lines[1]:,} characters, order {given.order}, --memory {given.memory}")
        bidui = [sys.executable, "-m", "bidui", "ngram", str(text), "--unit", "char"]
        options = ["--order", str(given.order), "--memory", given.memory, "-o", str(folder / "ours.arpa")]
        ours = run([*bidui, *options])
        print(f"bidui: {ours}; {(folder / 'ours.arpa').stat().st_size / 2**30:.2f} GB of ARPA", flush=True)
        if given.lmplz:
            lmplz = [str(given.lmplz), "-o", str(given.order), "-S", given.memory, "-T", f"{folder}/"]
            theirs = run(lmplz, source=text, output=folder / "theirs.arpa")
            print(f"lmplz: {theirs}")
            print(f"bidui / lmplz: {ours.wall / theirs.wall:.2f} by the clock, {ours.cpu / theirs.cpu:.2f} of CPU")
            count, most = furthest(folder / "ours.arpa", folder / "theirs.arpa")
            print(f"{count:,} lines, the same n-grams in the same order; values at most {most:.1g} apart")


if __name__ == "__main__":
    main()
