"""Counts of the n-grams of a text, in bounded memory: parts of the text are sorted into files, and merged.

Text becomes numbers (`number_text`), numbers become sorted n-grams with their counts (`count_ngrams`), and these become
one table per order with adjusted counts (`build_tables`), all in columns of files. N-grams are in suffix order: sorted
by their last words, then by the ones before, and so on to the first, so that those with the same ending are neighbours.
Before the beginning of a sentence stands `<s>`, as often as needed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bidui.errors import Place, fail
from bidui.models.model import jieba_words
from bidui.pairs.pair import words as plain_words

# Columns: long arrays of numbers in files, read in slices, so that memory does not grow with them. A memory map would
# count as memory of the process, and could not grow.

BLOCK = 1 << 18  # numbers per slice: enough that Python costs little, few enough for the caches


@dataclass(slots=True)
class Column:
    """Numbers of one type in a file."""

    path: Path
    dtype: "np.dtype[Any]"
    length: int = 0

    def __len__(self) -> int:
        return self.length

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the numbers from `start` to before `stop`, or as many as there are."""
        count = min(stop, self.length) - start
        if count <= 0:
            return np.zeros(0, self.dtype)
        return np.fromfile(self.path, self.dtype, count, offset=start * self.dtype.itemsize)

    def write(self, start: int, values: NDArray[Any]) -> None:
        """Write numbers from `start` on, over those that are there, or at the end."""
        with self.path.open("r+b") as file:
            file.seek(start * self.dtype.itemsize)
            file.write(np.ascontiguousarray(values, self.dtype).data)  # `tofile` does not report a full disk
        self.length = max(self.length, start + len(values))

    def append(self, values: NDArray[Any]) -> None:
        """Write numbers at the end."""
        self.write(self.length, values)

    def remove(self) -> None:
        """Delete the file."""
        self.path.unlink()
        self.length = 0


def new_column(path: Path, dtype: DTypeLike) -> Column:
    """Make a column without numbers, in a new file."""
    path.open("xb").close()
    return Column(path, np.dtype(dtype))


def slices(length: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Yield the start and stop of the slices in which `length` numbers are read."""
    for start in range(0, length, size):
        yield start, min(length, start + size)


# Text as numbers: the units of every sentence, numbered in the order of their first occurrence, in one column. Numbers
# 0, 1 and 2 are `<unk>`, `<s>` and `</s>`; every sentence ends with `</s>`.

Unit = Literal["char", "word", "jieba", "blank"]
SPECIAL = ("<unk>", "<s>", "</s>")
UNK, BOS, EOS = range(3)
BATCH = 1 << 20  # characters that are numbered at a time
_FORBIDDEN = frozenset((*SPECIAL, "<UNK>"))  # KenLM reads <UNK> as <unk>
_BLANKS = ("\0", "\t", "\n", "\r")  # these and the blank separate words for lmplz, and for KenLM in ARPA
_SPACES = [code for code in range(0x3001) if chr(code).isspace() or not code]  # no later character is a space
_UNSEEN, _SPACE = -1, -2

Number = Callable[[list[str]], NDArray[Any]]  # from sentences to the numbers of their units


@dataclass(frozen=True, slots=True)
class TextNumbers:
    """The numbers of all sentences, one after the other, and the word that each number stands for."""

    numbers: Column
    words: tuple[str, ...]
    sentences: int

    @property
    def tokens(self) -> int:
        """The number of tokens, without the ends of sentences."""
        return len(self.numbers) - self.sentences


def number_text(sentences: Iterable[str], path: Path, *, unit: Unit = "char") -> TextNumbers:
    """Split sentences into units and write their numbers to `path`.

    The units are: with `char`, all characters except spaces; with `word`, what is separated by blanks, and punctuation
    by itself; with `jieba`, the words that jieba finds; with `blank`, what is separated by blanks, tabs and NULs, as in
    lmplz. A sentence without units has only its end.
    """
    numbers = new_column(path, np.uint32)
    known = {word: number for number, word in enumerate(SPECIAL)}
    number = _number_characters(known) if unit == "char" else _number_words(known, unit)
    count = 0
    for batch in _batches(sentences):
        numbers.append(number(batch))
        count += len(batch)
    return TextNumbers(numbers, tuple(known), count)


def _batches(sentences: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for sentence in sentences:
        batch.append(sentence)
        length += len(sentence) + 1
        if length >= BATCH:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _number_characters(known: dict[str, int]) -> Number:
    """Return a function that numbers characters by a table of all code points, a million of them at once."""
    table = np.full(0x110000, _UNSEEN, np.int32)
    table[_SPACES] = _SPACE
    table[ord("\n")] = EOS

    def number(batch: list[str]) -> NDArray[Any]:
        text = "".join(sentence.replace("\n", " ") + "\n" for sentence in batch)
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        unseen, first = np.unique(codes[table[codes] == _UNSEEN], return_index=True)
        for code in unseen[np.argsort(first)].tolist():
            table[code] = known.setdefault(chr(code), len(known))
        numbers = table[codes]
        units: NDArray[np.int32] = numbers[numbers != _SPACE]
        return units

    return number


def _number_words(known: dict[str, int], unit: Unit) -> Number:
    """Return a function that numbers words; with jieba, the same that `bidui.models.ngram` looks up."""

    def number(batch: list[str]) -> NDArray[Any]:
        numbers: list[int] = []
        for sentence in batch:
            if unit == "jieba":
                words = [word for word, _, _ in jieba_words(sentence)]
            elif unit == "word":
                words = [word for word, _, _ in plain_words(sentence)]
            else:
                spaced = sentence
                for blank in _BLANKS:
                    spaced = spaced.replace(blank, " ")
                words = list(filter(None, spaced.split(" ")))
            if not _FORBIDDEN.isdisjoint(words):
                word = next(filter(_FORBIDDEN.__contains__, words))
                raise fail("ngram-special-word", Place(), {"word": word, "sentence": sentence[:40]})
            numbers += [known.setdefault(word, len(known)) for word in words]
            numbers.append(EOS)
        return np.array(numbers, np.int64)

    return number


Array: TypeAlias = NDArray[Any]
Block: TypeAlias = tuple[Array, Array]  # n-grams as rows of words, the last word first, and their counts
TOKEN_BYTES = 120  # most bytes per token while a part of the text is sorted
ROW_BYTES = 150  # most bytes per n-gram while runs are merged
LEAST_ROWS, MOST_ROWS = 1 << 10, 1 << 22  # sorted or merged at a time; more would not fit the caches and be slower


@dataclass(frozen=True, slots=True)
class Packing:
    """How n-grams become keys: as many of their last words as fit into 64 bits, then single words."""

    order: int
    vocabulary: int

    @property
    def together(self) -> int:
        """The number of words in the first key."""
        return [n for n in range(1, self.order + 1) if self.vocabulary**n <= 1 << 64][-1]

    def pack(self, words: Sequence[Array]) -> list[Array]:
        """Return the keys of n-grams that are given word by word, the last word first."""
        key = words[0].astype(np.uint64)
        for word in words[1 : self.together]:
            key *= np.uint64(self.vocabulary)
            key += word
        return [key, *(word.astype(np.uint32) for word in words[self.together :])]

    def unpack(self, keys: Sequence[Array]) -> Array:
        """Return the words of n-grams as rows, the last word first."""
        words = np.empty((len(keys[0]), self.order), np.uint32, order="F")
        rest = keys[0]
        for column in range(self.together - 1, 0, -1):
            rest, words[:, column] = np.divmod(rest, np.uint64(self.vocabulary))
        words[:, 0] = rest
        for column, key in enumerate(keys[1:], start=self.together):
            words[:, column] = key
        return words


def count_ngrams(
    text: TextNumbers,
    folder: Path,
    *,
    order: int,
    memory: int,
    on_progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Iterator[Block]:
    """Yield all n-grams of a text, each once, in suffix order and in blocks; `folder` is for temporary run files."""
    packing = Packing(order, len(text.words))
    size = max(LEAST_ROWS, min(MOST_ROWS, memory // TOKEN_BYTES))
    runs: list[list[Column]] = []
    for start, stop in slices(len(text.numbers), size):
        runs.append(_sorted_run(text.numbers, start, stop, packing, name=folder / f"run-{len(runs)}"))
        on_progress("sorting", stop, len(text.numbers))
    total = sum(len(run[0]) for run in runs)
    done = 0
    for taken, (*keys, counts) in _merge(runs, min(MOST_ROWS, memory // ROW_BYTES)):
        yield packing.unpack(keys), counts
        done += taken
        on_progress("merging", done, total)
    for column in (column for run in runs for column in run):
        column.remove()


def _sorted_run(numbers: Column, start: int, stop: int, packing: Packing, *, name: Path) -> list[Column]:
    """Write the keys, and last the counts, of the n-grams that end from `start` to `stop`, to files named `name`-n."""
    keys = packing.pack(_windows(numbers, start, stop, packing.order))
    run = []
    for number, values in enumerate(_sum_equal(keys, np.ones(len(keys[0]), np.int64))):
        run.append(new_column(name.with_name(f"{name.name}-{number}"), values.dtype))
        run[-1].append(values)
    return run


def _windows(numbers: Column, start: int, stop: int, order: int) -> list[Array]:
    """Return each token from `start` to `stop`, the token before each, and so on for `order` tokens."""
    before = numbers.read(max(0, start - order + 1), start)
    tokens = np.concatenate([np.full(order - 1 - len(before), EOS, np.uint32), before, numbers.read(start, stop)])
    size = len(tokens) - order + 1
    words = [tokens[order - 1 :]]
    inside = np.ones(size, bool)
    for back in range(1, order):
        word = tokens[order - 1 - back :][:size]
        inside &= word != EOS  # the end of the sentence before
        words.append(np.where(inside, word, np.uint32(BOS)))
    return words


def _sum_equal(keys: list[Array], counts: Array) -> list[Array]:
    """Return the distinct n-grams in order, and last the sum of the counts of each."""
    order = np.argsort(keys[0], kind="stable")
    first = keys[0][order]
    new = np.concatenate([[True], first[1:] != first[:-1]])
    ordered = [first]
    for key in keys[1:]:
        # Rows that are equal so far are sorted among themselves, which sorts numbers that are nearly sorted.
        ranks = np.cumsum(new) << 32
        again = np.argsort(ranks | key[order], kind="stable")
        order = order[again]
        ordered.append(key[order])
        new[1:] |= ordered[-1][1:] != ordered[-1][:-1]
    starts = np.flatnonzero(new)
    return [*(key[starts] for key in ordered), np.add.reduceat(counts[order], starts)]


def _merge(runs: list[list[Column]], most: int) -> Iterator[tuple[int, list[Array]]]:
    """Yield blocks of all runs together, each n-gram once, and the number of rows of the runs in each block.

    Some rows of every run are in memory. The next n-grams in order are among them, up to the least of the last rows;
    beyond that, a run could have more on the disk.
    """
    size = max(LEAST_ROWS, most // len(runs))
    at = [0] * len(runs)
    while True:
        held = [[column.read(start, start + size) for column in run] for run, start in zip(runs, at, strict=True)]
        lasts = [
            tuple(int(key[-1]) for key in rows[:-1])
            for run, rows, start in zip(runs, held, at, strict=True)
            if start + size < len(run[0])
        ]
        cuts = [_rows_up_to(rows[:-1], min(lasts)) if lasts else len(rows[0]) for rows in held]
        taken = sum(cuts)
        if taken:
            parts = [[column[:cut] for column in rows] for rows, cut in zip(held, cuts, strict=True)]
            *keys, counts = (np.concatenate(same) for same in zip(*parts, strict=True))
            yield taken, _sum_equal(keys, counts)
        at = [start + cut for start, cut in zip(at, cuts, strict=True)]
        if not lasts:
            return


def _rows_up_to(keys: list[Array], last: tuple[int, ...]) -> int:
    """Return how many of the ordered rows come no later than `last`."""
    low, high = 0, len(keys[0])
    for key, value in zip(keys, last, strict=True):
        wanted = key.dtype.type(value)
        alike = key[low:high]  # the rows that equal `last` in all keys before
        low, high = low + int(alike.searchsorted(wanted, "left")), low + int(alike.searchsorted(wanted, "right"))
    return high


# Tables of the n-grams of all orders, with adjusted counts.
#
# A table has one row per n-gram, in suffix order: its first word, the row of the rest in the table of the order
# below, and its adjusted count. That is (Kneser and Ney 1995; Chen and Goodman 1998, section 4.1.6) how often it
# occurs, for n-grams of the highest order and those that begin with `<s>`, and else how many different words it
# follows.


@dataclass(slots=True)
class Table:
    """The n-grams of one order; that of unigrams has one row per word of the vocabulary, without suffixes."""

    words: Column  # the first word of each
    suffixes: Column  # the row of the others in the table below
    counts: Column  # adjusted
    contexts: Column  # the row of all words but the last in the table below
    probabilities: Column
    backoffs: Column  # of the n-gram as a context; empty for the highest order
    occurrences: Column | None = None  # how often each occurs, if some are to be pruned
    threshold: int = 0  # n-grams that occur no more often than this are pruned

    def __len__(self) -> int:
        return len(self.words)

    def kept(self, start: int, stop: int) -> Array:
        """Return which n-grams are not pruned."""
        if self.occurrences is None:
            return np.ones(stop - start, bool)
        kept: Array = self.occurrences.read(start, stop) > self.threshold
        return kept

    def kept_count(self) -> int:
        """Return the number of n-grams that are not pruned."""
        return sum(int(self.kept(start, stop).sum()) for start, stop in slices(len(self)))


@dataclass(slots=True)
class Tables:
    """One table per order, the unigrams first."""

    orders: list[Table]
    # How often the last n-gram of each order occurs; 0 if the very last one is shorter than that.
    last_counts: list[int]

    @property
    def ngrams(self) -> int:
        """The number of n-grams of all orders."""
        return sum(map(len, self.orders))


def build_tables(
    blocks: Iterable[Block], folder: Path, *, order: int, rows: int, thresholds: Sequence[int] = ()
) -> Tables:
    """Make tables of n-grams that come in suffix order, each once; no table can have more than `rows` rows.

    `thresholds` says, for each order, how often an n-gram may occur and still be pruned; nothing is removed here, since
    discounts and the weights of contexts depend on all n-grams.
    """
    index = np.uint32 if rows < 1 << 32 else np.int64
    tables = Tables([_new_table(folder, length, index) for length in range(1, order + 1)], [0] * order)
    unigrams = tables.orders[0]
    unigrams.words.append(np.array([UNK, BOS]))  # neither is the last word of any n-gram
    unigrams.counts.append(np.array([0, 0]))
    for length, (table, threshold) in enumerate(zip(tables.orders, thresholds, strict=False), start=1):
        table.threshold = threshold
        if threshold:  # n-grams of the highest order are counted by how often they occur
            table.occurrences = table.counts if length == order else new_column(folder / f"{length}-occurrences", index)
    if unigrams.occurrences is not None:
        unigrams.occurrences.append(np.array([0, 0]))
    last = np.full(order, UNK, np.uint32)
    for words, counts in blocks:
        _add(tables, words, counts, last=last)
        last = words[-1]
    if unigrams.occurrences is not None:
        unigrams.occurrences.write(0, np.full(len(SPECIAL), np.iinfo(index).max))  # these are never pruned
    return tables


def suffix_rows(table: Table, start: int, stop: int) -> tuple[int, int, Array]:
    """Return the slice of the table below that holds the suffixes of some rows, and the place of each in it."""
    rows = table.suffixes.read(start, stop).astype(np.int64)
    low, high = int(rows[0]), int(rows[-1]) + 1
    return low, high, rows - low


def _new_table(folder: Path, order: int, index: type[np.generic]) -> Table:
    columns = (("words", np.uint32), ("suffixes", index), ("counts", index), ("contexts", index))
    values = (("probabilities", np.float32), ("backoffs", np.float32))
    words, suffixes, counts, contexts, probabilities, backoffs = (
        new_column(folder / f"{order}-{name}", kind) for name, kind in (*columns, *values)
    )
    return Table(words, suffixes, counts, contexts, probabilities, backoffs)


def _add(tables: Tables, words: Array, counts: Array, *, last: Array) -> None:
    """Append the new n-grams of a block to the tables; `last` is the n-gram before the block."""
    same = np.ones(len(words), bool)  # whether the last words so far equal those of the n-gram before
    real = np.ones(len(words), bool)  # whether nothing stands before `<s>`
    suffixes = np.zeros(len(words), np.int64)
    for number, table in enumerate(tables.orders):
        word = words[:, number]
        same &= word == np.concatenate([last[number : number + 1], word[:-1]])
        if number:
            real &= words[:, number - 1] != BOS
        new = real & ~same
        if number:
            rows = suffixes[new]
            table.suffixes.append(rows)
            if len(rows):  # each is one more word that an n-gram follows; these are the last of their table
                start, below = int(rows[0]), tables.orders[number - 1].counts
                followed = below.read(start, len(below))
                below.write(start, followed + np.bincount(rows - start, minlength=len(followed)))
        suffixes = len(table) - 1 + np.cumsum(new)
        if table.occurrences is not None and table.occurrences is not table.counts and real.any():
            _add_occurrences(table.occurrences, suffixes[real], counts[real])
        table.words.append(word[new])
        # N-grams of the highest order and those that begin with `<s>` keep this; others count what they follow.
        occurs = (word[new] == BOS) | (number + 1 == len(tables.orders))
        table.counts.append(np.where(occurs, counts[new], 0))
        changes = np.flatnonzero(~same)
        # how often the last n-gram occurs, including its occurrences before the block
        occurrences = counts[changes[-1] :].sum() if len(changes) else tables.last_counts[number] + counts.sum()
        tables.last_counts[number] = int(occurrences) if real[-1] else 0


def _add_occurrences(occurrences: Column, rows: Array, counts: Array) -> None:
    """Add counts to those of rows, which are the last of a column or follow it."""
    start = int(rows[0])
    before = occurrences.read(start, len(occurrences))
    sums = np.bincount(rows - start, weights=counts).astype(np.int64)
    sums[: len(before)] += before
    occurrences.write(start, sums)
