"""N-gram models in ARPA files, read without KenLM: what is needed to score sentences, with the same results.

A model is one table from n-grams, as texts, to their weights, which takes about 300 MB of memory per million n-grams.
KenLM takes a tenth of that, and is used where it is installed.
"""

import bz2
import gzip
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bidui.errors import Place, fail

_OPEN = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
BINARY = b"mmap lm http://kheafield.com/code"  # how KenLM's binary files begin
UNKNOWN = "<unk>"
MISSING = -100.0  # the weight of an unknown word where a file has no <unk>, as in KenLM


@dataclass(frozen=True, slots=True, repr=False)
class ArpaModel:
    """The weights of n-grams, in decimal logarithms: the probability, and the back-off."""

    order: int
    weights: dict[str, tuple[np.float32, np.float32]]

    def __contains__(self, word: str) -> bool:
        return word != UNKNOWN and word in self.weights

    def full_scores(self, text: str, *, bos: bool, eos: bool) -> Iterator[tuple[float, int, bool]]:
        """Yield the weight of each word, the length of the n-gram found, and whether the word is unknown, as KenLM.

        Sums are made of 32-bit numbers in KenLM's order, so that they are the same to the last bit.
        """
        words = ["<s>"] * bos + list(filter(None, text.split(" "))) + ["</s>"] * eos
        known = [word if word in self else UNKNOWN for word in words]
        for at in range(bos, len(words)):
            context = known[max(0, at - self.order + 1) : at]
            size = next(
                (n for n in range(len(context), 0, -1) if " ".join([*context[-n:], known[at]]) in self.weights), 0
            )
            ngram = " ".join([*context[len(context) - size :], known[at]])
            total = self.weights[ngram][0]
            for n in range(size + 1, len(context) + 1):  # contexts that are longer than the one that was found
                total += self.weights.get(" ".join(context[-n:]), (total, np.float32(0)))[1]
            yield float(total), size + 1, known[at] == UNKNOWN


def is_binary(path: Path) -> bool:
    """Return whether a file is in KenLM's binary format."""
    with path.open("rb") as file:
        return file.read(len(BINARY)) == BINARY


def read_arpa(path: Path) -> ArpaModel:
    """Read an ARPA file, plain or compressed (gzip, bzip2, xz); a broken one is an error that names the line."""
    with path.open("rb") as file:
        magic = file.read(2)
    weights: dict[str, tuple[np.float32, np.float32]] = {}
    counts: dict[int, int] = {}
    read = dict.fromkeys(range(1, 100), 0)
    order, number, ended = 0, 0, False
    try:
        with _OPEN.get(magic, open)(path, "rt", encoding="utf-8", newline="\n") as lines:  # type: ignore[operator]
            for line in lines:
                number += 1
                text = line.strip(" \t\r\n")
                if text == "\\end\\":
                    ended = True
                    break
                if text.startswith("ngram ") and not order:
                    size, count = text.removeprefix("ngram ").split("=")
                    counts[int(size)] = int(count)
                elif text.startswith("\\") and text.endswith("-grams:"):
                    order = int(text[1:-7])
                elif text and order:
                    fields = text.replace("\t", " ").split(" ")
                    rest = fields[order + 1 :]
                    if len(fields) <= order or len(rest) > 1:
                        raise ValueError(f"{len(fields)} fields")
                    words = " ".join(UNKNOWN if word == "<UNK>" else word for word in fields[1 : order + 1])
                    weights[words] = np.float32(fields[0]), np.float32(rest[0] if rest else 0)
                    read[order] += 1
    except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
        raise fail("arpa-broken", Place(str(path), number), {"reason": str(error)}) from None
    if not counts or not ended:
        raise fail("arpa-broken", Place(str(path), number), {"reason": "no \\data\\ or no \\end\\"})
    for size, count in counts.items():
        if read[size] != count:
            reason = f"{read[size]:,} {size}-grams, but the head says {count:,}"
            raise fail("arpa-broken", Place(str(path)), {"reason": reason})
    weights.setdefault(UNKNOWN, (np.float32(MISSING), np.float32(0)))
    return ArpaModel(max(counts), weights)
