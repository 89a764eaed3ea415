"""An n-gram model from text, as an ARPA file: numbered, counted, smoothed and written, in bounded memory."""

import errno
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkdtemp

from bidui.errors import Place, fail
from bidui.pairs.atomic import TEMPORARY, write_file
from bidui.pairs.manifest import tool_version
from bidui.train.arpa import write_arpa
from bidui.train.documents import Seen, read_documents, source_files
from bidui.train.kneser_ney import Discounts, Progress, Smoothing, estimate
from bidui.train.ngram_counts import count_ngrams
from bidui.train.ngram_tables import build_tables
from bidui.train.ngram_text import SPECIAL, Unit, number_text
from bidui.train.shard_files import file_hash

ORDERS = range(2, 7)  # of the models that KenLM reads, unless it is built for more
MEMORY = 1 << 30


@dataclass(frozen=True, slots=True)
class NgramTraining:
    """What a model was made of: the size of its text, how many n-grams each order has, and their discounts."""

    order: int
    unit: Unit
    sentences: int
    tokens: int  # without the ends of sentences
    words: int  # distinct
    ngrams: tuple[int, ...]
    smoothing: Smoothing


def train_ngram(
    source: Path,
    out: Path,
    *,
    order: int = 5,
    unit: Unit = "char",
    memory: int = MEMORY,
    fallback: Discounts | None = None,
    field: str = "text",
    seen: Seen | None = None,
    on_progress: Progress = lambda step, done, total: None,
) -> NgramTraining:
    """Train on the lines of a file or folder; beside the model, a `.json` says what it was made of.

    A line is a sentence. Empty lines are none, though lmplz takes them for sentences without words.
    """
    files, _ = source_files(source)
    size = sum(path.stat().st_size for path in files.values())

    def on_bytes(done: int) -> None:
        on_progress("reading", done, size)

    def sentences() -> Iterator[str]:
        for document in read_documents(source, field=field, seen=seen, on_bytes=on_bytes):
            yield from document.split("\n")

    made = train_ngram_on(
        sentences(), out, order=order, unit=unit, memory=memory, fallback=fallback, on_progress=on_progress
    )
    value = {
        "bidui": tool_version(),
        "sha256": file_hash(out),
        "sources": {name: file_hash(path) for name, path in files.items()},
        **asdict(made),
    }
    write_file(out.with_name(f"{out.name}.json"), (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())
    return made


def train_ngram_on(
    sentences: Iterable[str],
    out: Path,
    *,
    order: int = 5,
    unit: Unit = "char",
    memory: int = MEMORY,
    fallback: Discounts | None = None,
    on_progress: Progress = lambda step, done, total: None,
) -> NgramTraining:
    """Estimate an n-gram model as KenLM's lmplz does, and write it to `out`; `.gz` at its end compresses it.

    About `memory` bytes are used beside the vocabulary; everything else is kept in a folder beside `out`, which is
    removed at the end. `fallback` has the discounts of orders for which the text does not give any.
    """
    if order not in ORDERS:
        raise fail("ngram-order", Place(), {"order": order, "least": ORDERS[0], "most": ORDERS[-1]})
    if out.is_dir():  # not after minutes of work
        raise fail("write-failed", Place(str(out)), {"reason": os.strerror(errno.EISDIR)})
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(mkdtemp(prefix=f".{out.name[:80]}.", suffix=TEMPORARY, dir=out.parent))
        try:
            text = number_text(sentences, folder / "numbers", unit=unit)
            if not text.tokens:
                raise fail("ngram-no-text", Place(), {"sentences": text.sentences})
            blocks = count_ngrams(text, folder, order=order, memory=memory, on_progress=on_progress)
            tables = build_tables(blocks, folder, order=order, rows=len(text.numbers) + len(text.words))
            smoothing = estimate(tables, memory=memory, fallback=fallback, on_progress=on_progress)
            write_arpa(tables, text.words, out, on_progress=on_progress)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise fail("write-failed", Place(str(out)), {"reason": error.strerror or str(error)}) from error
    ngrams = tuple(map(len, tables.orders))
    return NgramTraining(order, unit, text.sentences, text.tokens, len(text.words) - len(SPECIAL), ngrams, smoothing)
