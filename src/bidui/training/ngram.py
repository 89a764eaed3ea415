"""N-gram models from text, as ARPA files: counted (`ngram_counts`), smoothed and written, in bounded memory.

This is home-made because the Python package of KenLM only reads models: its estimator, lmplz, is a C++ program with
dependencies of its own, which a `pip install` does not bring. Models are equal to those of lmplz; a test compares them.
"""

import errno
import gzip
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np

from bidui.errors import InputError, OutputRefused, Place, Problem, fail
from bidui.files import Manifest, file_hash, new_file, reason, scratch_folder, tool_version, write_json
from bidui.training.documents import OnProgress, SourceCounts, read_documents, source_files
from bidui.training.ngram_counts import (
    BOS,
    SPECIAL,
    Array,
    Table,
    Tables,
    Unit,
    build_tables,
    count_ngrams,
    number_text,
    slices,
    suffix_rows,
)

# Interpolated modified Kneser-Ney smoothing (Chen and Goodman 1998; Heafield et al. 2013), as KenLM's lmplz has it.
#
# For the word w after the words h, with the adjusted count c, and with h' for h without its first word,
#
#     p(w | h) = (c - D(c)) / (sum of the counts after h)  +  b(h) p(w | h')
#     b(h)     = (sum of the D(c) after h) / (sum of the counts after h)
#
# D(c) is one of the three discounts that an order has: for counts of 1, of 2, and of 3 and more. Unigrams are
# interpolated with the uniform distribution over all words, `</s>` and `<unk>`; `<s>` has the probability 1.
#
# Pruned n-grams are those that occur (not: that have adjusted counts) no more often than the threshold of their order.
# Discounts are estimated from all n-grams, and sums are over all of them. What a pruned n-gram would have had goes to
# b(h) in full, so that all probabilities still add up to 1. Thresholds do not decrease with the order, so the parts of
# an n-gram that is kept are kept.

Discounts: TypeAlias = tuple[float, float, float]

FALLBACK: Discounts = (0.5, 1.0, 1.5)  # those of lmplz
LOOKUP_BYTES = 150  # most bytes per n-gram while its context is looked up
CONTEXT_BYTES = 50  # most bytes per context while the counts after it are summed


@dataclass(frozen=True, slots=True)
class Smoothing:
    """The discounts of each order, and the orders whose discounts could not be estimated."""

    discounts: tuple[Discounts, ...]
    fallen_back: tuple[int, ...]


def estimate(
    tables: Tables,
    *,
    memory: int,
    fallback: Discounts | None = None,
    on_progress: OnProgress = lambda step, done, total: None,
) -> Smoothing:
    """Fill in the contexts, probabilities and back-offs of all tables; `fallback` is for orders without discounts."""
    having = [counts_of_counts(tables, number) for number in range(len(tables.orders))]
    estimates = [discounts_of(counts) for counts in having]
    without = tuple(order for order, discounts in enumerate(estimates, start=1) if discounts is None)
    if without and fallback is None:
        raise InputError(
            Problem("ngram-no-discounts", Place(), {"order": order, "numbers": having[order - 1]}) for order in without
        )
    smoothing = Smoothing(tuple(discounts or fallback or FALLBACK for discounts in estimates), without)
    unigrams = tables.orders[0]
    _estimate_unigrams(unigrams, smoothing.discounts[0])
    done = len(unigrams)
    on_progress("estimating", done, tables.ngrams)
    for below, table, discounts in zip(tables.orders, tables.orders[1:], smoothing.discounts[1:], strict=False):
        _find_contexts(table, below, vocabulary=len(unigrams), memory=memory)
        _estimate_order(table, below, discounts, memory=memory)
        done += len(table)
        on_progress("estimating", done, tables.ngrams)
    return smoothing


def counts_of_counts(tables: Tables, number: int) -> list[int]:
    """Return how many n-grams of a table have the counts 1, 2, 3 and 4.

    In each lower order, lmplz counts the very last n-gram by how often it occurs, not by its adjusted count. Models
    must be equal to its models, so this is done here too; it matters in tiny texts only.
    """
    counts = tables.orders[number].counts
    having = np.zeros(6, np.int64)
    for start, stop in slices(len(counts)):
        having += np.bincount(np.minimum(counts.read(start, stop), 5), minlength=6)
    if occurs := tables.last_counts[number]:
        having[min(5, int(counts.read(len(counts) - 1, len(counts))[0]))] -= 1
        having[min(5, occurs)] += 1
    return [int(count) for count in having[1:5]]


def discounts_of(having: list[int]) -> Discounts | None:
    """Return the discounts from the numbers of n-grams with counts 1, 2, 3 and 4 (Chen and Goodman, equation 26).

    There are none if one of the first three is 0, or if a discount would be below 0 or above its count.
    """
    if not all(having[:3]):
        return None
    n1, n2, n3, n4 = map(np.float32, having)  # in single precision, so that the decision is that of lmplz
    y = n1 / np.float32(having[0] + 2.0 * having[1])
    one, two, three = (
        np.float32(c) - np.float32(c + 1) * y * more / n for c, n, more in ((1, n1, n2), (2, n2, n3), (3, n3, n4))
    )
    return (float(one), float(two), float(three)) if 0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3 else None


def _estimate_unigrams(table: Table, discounts: Discounts) -> None:
    counts, kept = table.counts.read(0, len(table)).astype(np.int64), table.kept(0, len(table))
    taken = np.where(kept, _taken(counts, discounts), counts)
    uniform = 1 / (int(kept.sum()) - 1)  # of all but `<s>`
    probabilities = (counts - taken + taken.sum() * uniform) / counts.sum()
    probabilities[BOS] = 1
    table.probabilities.append(probabilities)


def _find_contexts(table: Table, below: Table, *, vocabulary: int, memory: int) -> None:
    """Look up the row of each n-gram's context, w1 … wn-1, in the table below.

    The n-gram without w1 is there too, and its own context, w2 … wn-1, is known by now: that is the suffix of the
    wanted n-gram, and w1 its first word. Many are looked up at a time, in the order of the table.
    """
    if not len(below.suffixes):  # the context of a bigram is a word, and words are the rows of unigrams
        for start, stop in slices(len(table)):
            table.contexts.append(table.words.read(start, stop))
        return
    for start, stop in slices(len(table), max(1, memory // LOOKUP_BYTES)):
        low, high, suffixes = suffix_rows(table, start, stop)
        wanted = below.contexts.read(low, high).astype(np.int64)[suffixes] * vocabulary + table.words.read(start, stop)
        order = np.argsort(wanted)
        contexts = np.empty(len(wanted), np.int64)
        contexts[order] = _look_up(wanted[order], below, vocabulary)
        table.contexts.append(contexts)


def _look_up(wanted: Array, table: Table, vocabulary: int) -> Array:
    """Return the rows of n-grams, given in order as: row of the suffix x vocabulary + first word."""
    rows = np.empty(len(wanted), np.int64)
    done = 0
    for start, stop in slices(len(table)):
        keys = table.suffixes.read(start, stop).astype(np.int64) * vocabulary + table.words.read(start, stop)
        until = done + int(wanted[done:].searchsorted(keys[-1], "right"))
        rows[done:until] = start + keys.searchsorted(wanted[done:until])
        done = until
    return rows


def _estimate_order(table: Table, below: Table, discounts: Discounts, *, memory: int) -> None:
    """Fill in the back-offs of the table below and the probabilities of this one, as many contexts at a time as fit."""
    for low, high in slices(len(below), max(1, memory // CONTEXT_BYTES)):
        sums, taken = np.zeros(high - low), np.zeros(high - low)
        for start, stop in slices(len(table)):
            contexts, inside = _within(table.contexts.read(start, stop), low, high)
            counts = table.counts.read(start, stop)[inside]
            np.add.at(sums, contexts, counts.astype(np.float64))
            kept = table.kept(start, stop)[inside]
            np.add.at(taken, contexts, np.where(kept, _taken(counts, discounts), counts))
        backoffs = np.divide(taken, sums, out=np.ones_like(sums), where=sums > 0)
        below.backoffs.append(backoffs)
        for start, stop in slices(len(table)):
            contexts, inside = _within(table.contexts.read(start, stop), low, high)
            counts = table.counts.read(start, stop)[inside]
            first, last, suffixes = suffix_rows(table, start, stop)
            lower = below.probabilities.read(first, last)[suffixes[inside]]
            values = table.probabilities.read(start, stop) if low else np.zeros(stop - start)
            values[inside] = (counts - _taken(counts, discounts)) / sums[contexts] + backoffs[contexts] * lower
            table.probabilities.write(start, values)


def _within(rows: Array, low: int, high: int) -> tuple[Array, Array]:
    """Return the rows from `low` to before `high`, counted from `low`, and a mask of them."""
    inside = (rows >= low) & (rows < high)
    return rows[inside].astype(np.int64) - low, inside


def _taken(counts: Array, discounts: Discounts) -> Array:
    """Return the discount of each count."""
    taken: Array = np.array([0.0, *discounts])[np.minimum(counts, 3)]
    return taken


# ARPA files: n-gram models as text, one n-gram per line: log10 of its probability, its words, log10 of its back-off.

ROWS = 1 << 17  # lines that are formatted at a time
LEAST = -99.0  # ARPA's logarithm of 0; KenLM does not read -inf
WIDEST = 24  # bytes of a word that has a field of fixed width; longer words are inserted afterwards


def write_arpa(
    tables: Tables,
    words: Sequence[str],
    path: Path,
    *,
    on_progress: OnProgress = lambda step, done, total: None,
) -> None:
    """Write the model to `path`, whole or not at all; compressed if its name ends in `.gz`."""
    texts = [word.encode() for word in words]
    done = 0
    with new_file(path) as plain, ExitStack() as stack:
        file: IO[bytes] | gzip.GzipFile = plain
        if path.suffix == ".gz":  # without a time and a name in it, so that equal models give equal files
            file = stack.enter_context(gzip.GzipFile("", "wb", compresslevel=6, fileobj=plain, mtime=0))
        counts = "".join(f"ngram {order}={table.kept_count()}\n" for order, table in enumerate(tables.orders, start=1))
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
    """Return a function that formats lines of an order: in fields of fixed widths, from which the padding is removed.

    A word that is longer than its field is written as its number between two carriage returns, which no word contains,
    and inserted afterwards.
    """
    short = np.array([text if len(text) <= WIDEST else b"\r%d\r" % number for number, text in enumerate(texts)])
    long = any(len(text) > WIDEST for text in texts)
    # Seven decimals, as many as single precision has, in parts whose tables are small.
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
        rows = np.zeros(stop - start, line)
        fill(rows["probability"], table.probabilities.read(start, stop).astype(np.float64))
        for n, word in enumerate(_words(tables.orders[:order], start, stop)):
            rows[f"blank{n}"] = b" " if n else b"\t"
            rows[f"word{n}"] = short[word]
        if order < len(tables.orders):
            rows["tab"] = b"\t"
            fill(rows["backoff"], table.backoffs.read(start, stop).astype(np.float64))
        rows["newline"] = b"\n"
        data = rows[table.kept(start, stop)].tobytes().translate(None, b"\0")
        return re.sub(rb"\r(\d+)\r", lambda match: texts[int(match[1])], data) if long else data

    return lines


def _words(tables: Sequence[Table], start: int, stop: int) -> Iterator[Array]:
    """Yield the words of n-grams, from the first to the last: each table has the first, and points to the one below."""
    at = np.arange(stop - start)
    for table in reversed(tables):
        yield table.words.read(start, stop)[at]
        if len(table.suffixes):
            start, stop, rows = suffix_rows(table, start, stop)
            at = rows[at]


ORDERS = range(2, 7)  # that KenLM reads, unless it is built for more
MEMORY = 1 << 30
LEAST_MEMORY = 16 << 20


@dataclass(frozen=True, slots=True)
class NgramTraining:
    """What a model was made from: the size of its text, the n-grams of each order, and their discounts."""

    order: int
    unit: Unit
    sentences: int
    tokens: int  # without the ends of sentences
    words: int  # distinct
    ngrams: tuple[int, ...]
    counted: tuple[int, ...]  # n-grams of each order before pruning
    smoothing: Smoothing
    new: bool = field(default=True, compare=False)  # False if the model was there already


def train_ngram(
    source: str | Path,
    out: str | Path,
    *,
    order: int = 5,
    unit: Unit = "char",
    prune: str | Sequence[int] = (),
    memory: int | str = MEMORY,
    fallback: Discounts | bool = False,
    field: str = "text",
    force: bool = False,
    seen: SourceCounts | None = None,
    on_progress: OnProgress = lambda step, done, total: None,
) -> NgramTraining:
    """Estimate an n-gram model from the lines of a file or folder; a `.json` beside it says what it was made from.

    A line is a sentence. Empty lines are ignored, though lmplz takes them for sentences without words. See
    `train_ngram_on` for the settings; `prune` may be `0 0 1`, `memory` `500M` or `2G`, and `fallback` True, for
    discounts of 0.5, 1 and 1.5. A model that was made from the same is left as it is; any other file is overwritten
    only with `force`.
    """
    source, out, size = Path(source), Path(out), _bytes(memory)
    discounts = (FALLBACK if fallback else None) if isinstance(fallback, bool) else fallback
    thresholds = pruning_thresholds(prune, order=order)
    sources = {name: file_hash(path) for name, path in source_files(source)[0].items()}
    settings = {"order": order, "unit": unit, "prune": thresholds, "fallback": discounts, "field": field}
    asked = Manifest(json.loads(json.dumps(settings)), sources)
    _refuse_folder(out)
    description = out.with_name(f"{out.name}.json")
    if not force and (there := _made_before(out, description, asked)):
        return there
    documents = read_documents(source, field=field, seen=seen, on_progress=on_progress)
    sentences = (line for document in documents for line in document.split("\n"))

    def describe(model: Path, training: NgramTraining) -> None:
        value = {"bidui": tool_version(), "sha256": file_hash(model), "sources": sources, **asked.settings}
        write_json(description, value | {name: v for name, v in asdict(training).items() if name != "new"})

    return train_ngram_on(
        sentences,
        out,
        order=order,
        unit=unit,
        prune=thresholds,
        memory=size,
        fallback=discounts,
        on_model=describe,  # not afterwards: the next run could not recognize a model without a description
        on_progress=on_progress,
    )


def train_ngram_on(
    sentences: Iterable[str],
    out: Path,
    *,
    order: int = 5,
    unit: Unit = "char",
    prune: Sequence[int] = (),
    memory: int = MEMORY,
    fallback: Discounts | None = None,
    on_model: Callable[[Path, NgramTraining], None] = lambda model, training: None,
    on_progress: OnProgress = lambda step, done, total: None,
) -> NgramTraining:
    """Estimate an n-gram model from sentences as KenLM's lmplz does, and write it to `out`; `.gz` compresses it.

    N-grams that occur no more often than the number in `prune` for their order are left out; the last number is also
    for higher orders. About `memory` bytes are used besides the vocabulary; everything else is in a folder beside
    `out`, which is removed at the end. `fallback` has the discounts of orders for which the text gives none. `on_model`
    gets the file when it is whole, before it takes the place of `out`.
    """
    thresholds = pruning_thresholds(prune, order=order)
    _refuse_folder(out)
    try:
        with scratch_folder(out) as folder:
            text = number_text(sentences, folder / "numbers", unit=unit)
            if not text.tokens:
                raise fail("ngram-no-text", Place(), {"sentences": text.sentences})
            blocks = count_ngrams(text, folder, order=order, memory=memory, on_progress=on_progress)
            most = len(text.numbers) + len(text.words)
            tables = build_tables(blocks, folder, order=order, rows=most, thresholds=thresholds)
            smoothing = estimate(tables, memory=memory, fallback=fallback, on_progress=on_progress)
            model = folder / f"model{out.suffix}"
            write_arpa(tables, text.words, model, on_progress=on_progress)
            kept, counted = tuple(table.kept_count() for table in tables.orders), tuple(map(len, tables.orders))
            types = len(text.words) - len(SPECIAL)
            training = NgramTraining(order, unit, text.sentences, text.tokens, types, kept, counted, smoothing)
            on_model(model, training)
            model.replace(out)
    except OSError as error:
        raise fail("write-failed", Place(str(out)), {"reason": reason(error)}) from error
    return training


def _refuse_folder(out: Path) -> None:
    if out.is_dir():  # not after minutes of work
        raise fail("write-failed", Place(str(out)), {"reason": os.strerror(errno.EISDIR)})


def _made_before(out: Path, description: Path, asked: Manifest) -> NgramTraining | None:
    """Return the description of the model that is there, or None if there is none; another model is refused."""
    if not out.exists():
        return None
    try:
        value = json.loads(description.read_text(encoding="utf-8"))
        before = Manifest({name: value[name] for name in asked.settings}, value["sources"], {out.name: value["sha256"]})
        smoothing = Smoothing(
            tuple(map(tuple, value["smoothing"]["discounts"])), tuple(value["smoothing"]["fallen_back"])
        )
        fields = {name: value[name] for name in ("order", "unit", "sentences", "tokens", "words")}
        fields |= {name: tuple(value[name]) for name in ("ngrams", "counted")}
        training = NgramTraining(**fields, smoothing=smoothing, new=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputRefused(str(Problem("file-not-ours", Place(str(out))))) from error
    if changed := before.differences(asked):
        raise OutputRefused(str(Problem("ngram-differs", Place(str(out)), {"fields": changed})))
    if before.changed(out.parent):
        raise OutputRefused(str(Problem("file-not-ours", Place(str(out)))))
    return training


def pruning_thresholds(prune: str | Sequence[int], *, order: int) -> tuple[int, ...]:
    """Return the threshold of every order, as lmplz takes them: none decreases, and the last is for higher orders."""
    if order not in ORDERS:
        raise fail("ngram-order", Place(), {"order": order, "least": ORDERS[0], "most": ORDERS[-1]})
    parts = prune.split() if isinstance(prune, str) else list(map(str, prune))
    numbers = [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) < 10]
    if len(numbers) < len(parts) or len(parts) > order or numbers != sorted(numbers):
        raise fail("ngram-prune", Place(part="--prune"), {"value": " ".join(parts), "order": order})
    last = numbers[-1] if numbers else 0
    return (*numbers, *[last] * (order - len(numbers)))


def _bytes(memory: int | str) -> int:
    """Return the number of bytes meant by `500M` or `2G`."""
    if isinstance(memory, int):
        return memory
    units = {"K": 10, "M": 20, "G": 30}
    number, unit = memory[:-1], memory[-1:].upper()
    size = int(number) << units[unit] if unit in units and number.isascii() and number.isdecimal() else 0
    if size < LEAST_MEMORY:
        raise fail("ngram-memory", Place("", part="--memory"), {"value": memory, "least": f"{LEAST_MEMORY >> 20}M"})
    return size
