"""ARPA files: n-gram models as text, a line an n-gram: log10 of its probability, its words, log10 of its back-off."""

import gzip
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from bidui.pairs.atomic import TEMPORARY
from bidui.train.columns import slices
from bidui.train.ngram_tables import Table, Tables, suffix_rows

Array: TypeAlias = NDArray[Any]
ROWS = 1 << 17  # lines that are laid out at a time
LEAST = -99.0  # what ARPA has for the logarithm of 0; KenLM does not read -inf
WIDEST = 24  # bytes of a word that is laid out with all others; longer ones are put in afterwards


def write_arpa(
    tables: Tables,
    words: Sequence[str],
    path: Path,
    *,
    on_progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> None:
    """Write the model to `path`, whole or not at all; compressed if its name ends with `.gz`."""
    texts = [word.encode() for word in words]
    done = 0
    with _new_file(path) as file:
        counts = "".join(f"ngram {order}={len(table)}\n" for order, table in enumerate(tables.orders, start=1))
        file.write(f"\\data\\\n{counts}".encode())
        for order, table in enumerate(tables.orders, start=1):
            file.write(f"\n\\{order}-grams:\n".encode())
            lines = _layout(texts, order)
            for start, stop in slices(len(table), ROWS):
                file.write(lines(tables, start, stop))
                done += stop - start
                on_progress("writing", done, tables.ngrams)
        file.write(b"\n\\end\\\n")


def _layout(texts: Sequence[bytes], order: int) -> Callable[[Tables, int, int], bytes]:
    """How the lines of an order are made: in fields of fixed widths, from which the NULs that fill them are taken out.

    A word that is longer than its field stands there as its number between two carriage returns, since no word has
    any of these in it.
    """
    short = np.array([text if len(text) <= WIDEST else b"\r%d\r" % number for number, text in enumerate(texts)])
    long = any(len(text) > WIDEST for text in texts)
    # Seven decimals, as many as single precision has; in parts of which tables are small.
    whole, three, four = (
        np.array([pattern % number for number in range(count)])
        for pattern, count in ((b"-%d.", 100), (b"%03d", 1000), (b"%04d", 10_000))
    )
    number = [("whole", whole.dtype), ("three", three.dtype), ("four", four.dtype)]
    words = [(name, kind) for n in range(order) for name, kind in ((f"blank{n}", "S1"), (f"word{n}", short.dtype))]
    line = np.dtype([("probability", number), *words, ("tab", "S1"), ("backoff", number), ("newline", "S1")])

    def fill(field: Array, values: Array) -> None:
        scaled = np.rint(np.log10(np.maximum(values, 10**LEAST)) * -(10**7)).astype(np.int64)
        rest, fourth = np.divmod(np.maximum(scaled, 0), len(four))
        first, third = np.divmod(rest, len(three))
        field["whole"], field["three"], field["four"] = whole[first], three[third], four[fourth]
        zero = scaled <= 0
        field["whole"][zero], field["three"][zero], field["four"][zero] = b"0", b"", b""

    def lines(tables: Tables, start: int, stop: int) -> bytes:
        table = tables.orders[order - 1]
        found = np.zeros(stop - start, line)
        fill(found["probability"], table.probabilities.read(start, stop).astype(np.float64))
        for n, word in enumerate(_words(tables.orders[:order], start, stop)):
            found[f"blank{n}"] = b" " if n else b"\t"
            found[f"word{n}"] = short[word]
        if order < len(tables.orders):
            found["tab"] = b"\t"
            fill(found["backoff"], table.backoffs.read(start, stop).astype(np.float64))
        found["newline"] = b"\n"
        data = found.tobytes().translate(None, b"\0")
        return re.sub(rb"\r(\d+)\r", lambda match: texts[int(match[1])], data) if long else data

    return lines


def _words(tables: Sequence[Table], start: int, stop: int) -> Iterator[Array]:
    """The words of n-grams, from the first to the last: each table has the first, and leads to the one below."""
    at = np.arange(stop - start)
    for table in reversed(tables):
        yield table.words.read(start, stop)[at]
        if len(table.suffixes):
            start, stop, rows = suffix_rows(table, start, stop)
            at = rows[at]


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its name when all is written."""
    temporary = path.with_name(f".{path.name[:80]}.{os.urandom(4).hex()}{TEMPORARY}")
    try:
        with temporary.open("xb") as file:
            if path.suffix == ".gz":
                # Without a time and a name in it, so that equal models are equal files.
                with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
                    yield cast(IO[bytes], packed)
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
