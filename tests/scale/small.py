"""A unigram model that loads without torch, pairs for it, and what workers are given to do."""

import os
from pathlib import Path

from bidui.errors import fail
from bidui.pairs import Pair, Pairs

LETTERS = "甲乙丙丁戊"


def write_arpa(file: Path) -> str:
    """A model in which 甲 has the log-probability -1 to the base of ten, 乙 -2, and so on; return its spec.

    KenLM wants a bigram, and gets one that no sentence has.
    """
    lines = [f"-{number}.0\t{letter}\t0.0" for number, letter in enumerate(LETTERS, start=1)]
    words = ["-9.0\t<unk>\t0.0", "-99.0\t<s>\t0.0", "-9.0\t</s>\t0.0", *lines]
    counts = [f"ngram 1={len(words)}", "ngram 2=1"]
    parts = ["\\data\\", *counts, "", "\\1-grams:", *words, "", "\\2-grams:", "-1.0\t戊 戊", "", "\\end\\", ""]
    file.write_text("\n".join(parts), encoding="utf-8")
    return f"ngram:{file}"


def pairs_of(paradigms: int, each: int) -> Pairs:
    """Paradigms p0, p1, … of sentences that are all different: 乙 against 丙 at the end, after a number in letters."""
    numbers = ["".join(LETTERS[int(digit)] for digit in f"{number:o}" if digit < "5") for number in range(each)]
    return Pairs(
        tuple(
            Pair(f"{text}{'甲' * number}乙", f"{text}{'甲' * number}丙", f"p{number}", "x", at)
            for number in range(paradigms)
            for at, text in enumerate(numbers)
        )
    )


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def ten() -> int:
    return 10


def add(state: int, item: int) -> int:
    if item < 0:
        raise fail("value-not-finite", None, {"number": item, "value": 0})
    return state + item


def die(state: int, item: int) -> int:
    os._exit(1)


def environment(state: int, item: str) -> str | None:
    return os.environ.get(item)


def broken() -> int:
    raise fail("value-not-finite", None, {"number": 1, "value": 0})
