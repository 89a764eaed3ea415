"""Counting by sorting gives what counting one by one gives, in suffix order, however little fits into memory."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.models.ngram import _splitter
from bidui.training import ngram_counts
from bidui.training.ngram_counts import (
    BOS,
    EOS,
    Column,
    Packing,
    TextNumbers,
    Unit,
    count_ngrams,
    new_column,
    number_text,
    slices,
)

Counted = list[tuple[tuple[int, ...], int]]


def counted(text: TextNumbers, folder: Path, order: int, *, memory: int = 1) -> tuple[Counted, int]:
    """The n-grams, last word first, with their counts; and in how many blocks they came."""
    blocks = list(count_ngrams(text, folder, order=order, memory=memory))
    rows = [(tuple(row), count) for words, counts in blocks for row, count in zip(words.tolist(), counts, strict=True)]
    return [(row, int(count)) for row, count in rows], len(blocks)


def one_by_one(sentences: list[str], words: tuple[str, ...], order: int) -> Counted:
    found: Counter[tuple[int, ...]] = Counter()
    for sentence in sentences:
        numbers = [BOS] * (order - 1) + [words.index(char) for char in sentence] + [EOS]
        for end in range(order, len(numbers) + 1):
            found[tuple(reversed(numbers[end - order : end]))] += 1
    return sorted(found.items())


@pytest.mark.slow
@given(sentences=st.lists(st.text("abcdefg", max_size=9), min_size=1, max_size=30), order=st.integers(2, 6))
@pytest.mark.parametrize("least", [1, 7, 1 << 10])
def test_sorting_counts_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, least: int, sentences: list[str], order: int
) -> None:
    """With runs of one n-gram each, of seven, and of all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram_counts, "LEAST_ROWS", least)
        folder = tmp_path_factory.mktemp("runs")
        text = number_text(sentences, folder / "numbers")
        found, _ = counted(text, folder, order)
    assert found == one_by_one(sentences, text.words, order)
    assert [path.name for path in folder.iterdir()] == ["numbers"]  # the runs are gone


def test_by_hand(tmp_path: Path) -> None:
    """aab twice and b, with a 3 and b 4: the trigrams that end in </s> come first, then those in a, then in b."""
    found, _ = counted(number_text(["aab", "b", "aab"], tmp_path / "numbers"), tmp_path, 3)
    assert found == [
        ((EOS, 4, BOS), 1),  # <s> b </s>
        ((EOS, 4, 3), 2),  # a b </s>
        ((3, BOS, BOS), 2),  # <s> <s> a
        ((3, 3, BOS), 2),
        ((4, BOS, BOS), 1),
        ((4, 3, 3), 2),
    ]


def test_large_texts_come_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or memory would grow with the text: 2,100 n-grams in memory for some 270 at a time."""
    monkeypatch.setattr(ngram_counts, "LEAST_ROWS", 1)
    random = np.random.default_rng(0)
    sentences = ["".join(map(chr, random.integers(0x4E00, 0x4E40, 20))) for _ in range(100)]
    text = number_text(sentences, tmp_path / "numbers")
    found, blocks = counted(text, tmp_path, 3, memory=40_000)
    assert found == one_by_one(sentences, text.words, 3)
    assert blocks > 2100 / 270


@pytest.mark.parametrize("order", range(2, 7))
@pytest.mark.parametrize(
    ("vocabulary", "together"), [(5, 6), (7131, 5), (7132, 4), (65_536, 4), (65_537, 3), (4_000_000_000, 2)]
)
def test_keys_hold_the_words_and_their_order(vocabulary: int, together: int, order: int) -> None:
    """7131^5 is just below 2^64, and 7132^5 just above; the largest numbers are where a key would overflow."""
    random = np.random.default_rng(0)
    words = random.integers(0, vocabulary, (500, order)).astype(np.uint32)
    words[:250, : order - 1] = vocabulary - 1
    words[0] = vocabulary - 1
    packing = Packing(order, vocabulary)
    assert packing.together == min(order, together)
    keys = packing.pack(list(words.T))
    assert packing.unpack(keys).tolist() == words.tolist()
    ordered = np.lexsort(keys[::-1])
    assert words[ordered].tolist() == sorted(words.tolist())


def test_keys_of_several_columns_are_sorted_and_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vocabulary of which only two words fit into a key, so that five words take four."""
    monkeypatch.setattr(Packing, "together", 2)
    monkeypatch.setattr(ngram_counts, "LEAST_ROWS", 5)
    sentences = ["abcab", "bca", "", "aaaaaaa", "abcabc"] * 4
    text = number_text(sentences, tmp_path / "numbers")
    found, _ = counted(text, tmp_path, 5)
    assert found == one_by_one(sentences, text.words, 5)


# Sentences as numbers: every unit by its first appearance, the same units that models are asked for.


def numbered(folder: Path, sentences: list[str], unit: Unit) -> tuple[list[int], tuple[str, ...]]:
    text = number_text(sentences, folder / unit, unit=unit)
    assert text.sentences == len(sentences)
    assert text.tokens == len(text.numbers) - len(sentences)
    return text.numbers.read(0, len(text.numbers)).tolist(), text.words[3:]


def test_characters_are_numbered_as_they_first_appear(tmp_path: Path) -> None:
    """0, 1 and 2 are <unk>, <s> and </s>, so 乙 is 3; the spaces (U+3000, tab, NUL) are no characters."""
    found = numbered(tmp_path, ["乙　甲\t乙", "", "𠀀\0甲\n"], "char")
    assert found == ([3, 4, 3, 2, 2, 5, 4, 2], ("乙", "甲", "𠀀"))


def test_what_stands_between_blanks_is_kept_as_it_is(tmp_path: Path) -> None:
    """Only what separates words for lmplz: U+3000 and U+00A0 belong to words."""
    found = numbered(tmp_path, [" 你好 a　b\t你好\0c\r\n", "", "\u00a0"], "blank")
    assert found == ([3, 4, 3, 5, 2, 2, 6, 2], ("你好", "a　b", "c", "\u00a0"))


def test_jieba_divides_as_it_does_for_scoring(tmp_path: Path) -> None:
    sentence = "妈妈在 洗苹果，也在洗衣服。"
    numbers, words = numbered(tmp_path, [sentence], "jieba")
    assert [words[number - 3] for number in numbers[:-1]] == _splitter("jieba", None)(sentence)


@pytest.mark.parametrize("unit", ["char", "blank"])
def test_numbers_do_not_depend_on_batches(tmp_path: Path, unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = ["丙 甲 丙", "乙", "", "甲 丁 乙"] * 3
    whole = numbered(tmp_path, sentences, unit)
    monkeypatch.setattr(ngram_counts, "BATCH", 2)
    (tmp_path / unit).unlink()
    assert numbered(tmp_path, sentences, unit) == whole


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>", "<UNK>"])
def test_words_that_mean_something_else_are_refused(tmp_path: Path, word: str) -> None:
    """KenLM would take them for the ends of sentences and for unknown words."""
    with pytest.raises(InputError, match=f"the word {word} has a special meaning .*it is in: 乙 {word} 丙"):
        number_text(["甲", f"乙 {word} 丙"], tmp_path / "n", unit="blank")


def test_as_characters_the_same_text_is_harmless(tmp_path: Path) -> None:
    assert numbered(tmp_path, ["<s>"], "char") == ([3, 4, 5, 2], ("<", "s", ">"))


# Columns hold what was put into them, wherever it was cut.


def test_a_column_is_read_as_it_was_written(tmp_path: Path) -> None:
    column = new_column(tmp_path / "c", np.uint32)
    column.append(np.array([1, 2, 3]))
    column.append(np.array([], np.int64))
    column.append(np.array([4, 5]))
    assert len(column) == 5
    assert column.read(1, 4).tolist() == [2, 3, 4]
    assert column.read(3, 99).tolist() == [4, 5]
    assert column.read(5, 9).tolist() == column.read(9, 3).tolist() == []
    assert (tmp_path / "c").stat().st_size == 20  # four bytes each


def test_numbers_are_written_over(tmp_path: Path) -> None:
    column = new_column(tmp_path / "c", np.float32)
    column.append(np.zeros(3))
    column.write(2, np.array([7.5, 8.5]))
    assert column.read(0, 9).tolist() == [0, 0, 7.5, 8.5]
    column.remove()
    assert list(tmp_path.iterdir()) == [] and len(column) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not every system has a disk that is always full")
def test_a_full_disk_is_named_as_such() -> None:
    """Whoever waits for an n-gram model is to be told that there is no room, not how many numbers were written."""
    with pytest.raises(OSError, match="No space left on device"):
        Column(Path("/dev/full"), np.dtype(np.uint32)).append(np.arange(100_000, dtype=np.uint32))


def test_slices_cover_everything_once() -> None:
    assert list(slices(7, 3)) == [(0, 3), (3, 6), (6, 7)]
    assert list(slices(0, 3)) == []
