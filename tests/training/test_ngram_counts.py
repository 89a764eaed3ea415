"""Counting by sorting gives what counting one by one gives, in suffix order, however little fits into memory."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.training import ngram_counts
from bidui.training.ngram_counts import BOS, EOS, Packing, TextNumbers, count_ngrams, number_text

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
