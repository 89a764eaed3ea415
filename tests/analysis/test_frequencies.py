"""The words of a benchmark in a list of frequencies, by hand."""

from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest

from bidui.analysis.frequencies import (
    Share,
    compare_frequencies,
    jieba_counts,
    lexicon_counts,
    median_rank,
    rank_bands,
    read_frequencies,
    within_rank,
)
from bidui.errors import InputError
from bidui.pairs import Pair

LIST = {"的": 100.0, "了": 80.0, "书": 50.0, "猫": 50.0, "笔": 10.0, "零": 0.0}
FOUND = compare_frequencies({"獏": 2, "猫": 1, "书": 4, "的": 5}, reference=LIST)


def test_words_come_with_their_place_in_the_list() -> None:
    """书 and 猫 are equally common, so both are third; 獏 is not in the list, which is no rank at all."""
    assert FOUND.words == ("的", "书", "猫", "獏")
    assert dict(zip(FOUND.words, FOUND.ranks.tolist(), strict=True)) == {"的": 1, "书": 3, "猫": 3, "獏": 0}
    assert dict(zip(FOUND.words, FOUND.counts.tolist(), strict=True)) == {"的": 5, "书": 4, "猫": 1, "獏": 2}
    assert FOUND.frequencies.tolist() == [100, 50, 50, 0]
    assert int((FOUND.ranks == 0).sum()) == 1


def test_a_word_listed_with_no_occurrence_is_last_and_not_missing() -> None:
    found = compare_frequencies({"零": 1, "獏": 1}, reference=LIST)
    assert (found.words, found.ranks.tolist()) == (("零", "獏"), [6, 0])


def test_the_share_within_a_rank_is_of_words_and_of_their_occurrences() -> None:
    assert within_rank(FOUND, 2) == Share(1, 1 / 4, 5 / 12)
    assert within_rank(FOUND, 3) == Share(3, 3 / 4, 10 / 12)
    assert within_rank(FOUND, 10**9) == Share(3, 3 / 4, 10 / 12)


def test_bands_part_all_words() -> None:
    bands = rank_bands(FOUND, edges=(1, 2))
    assert {name: share.words for name, share in bands.items()} == {"1-1": 1, "2-2": 0, ">2": 2, "unlisted": 1}
    assert sum(share.of_words for share in bands.values()) == 1
    assert sum(share.of_occurrences for share in bands.values()) == 1


def test_the_median_rank_counts_words_that_are_not_listed_as_rare() -> None:
    """Ranks 1 3 3 and beyond: half of the words do not exceed 3. No rank holds half of 1 and two beyond."""
    assert median_rank(FOUND) == 3
    assert median_rank(replace(FOUND, ranks=np.array([1, 0, 0]))) == inf


def test_words_are_counted_over_both_sides_and_punctuation_is_none() -> None:
    """她买了书。twice and 她书买了。once each."""
    one = Pair("她买了书。", "她书买了。", "u", "p", 0, words=("书", "买"))
    two = Pair("她买了书。", "买了！", "u", "p", 1, words=("书",))
    assert lexicon_counts([one, two]) == {"书": 2, "买": 1}
    counts = jieba_counts([one, two])
    assert counts["她"] == 3 and not {"。", "！"} & counts.keys()
    assert sum(len(word) * times for word, times in counts.items()) == 4 + 4 + 4 + 2  # characters but punctuation


def test_lists_are_read_by_column(tmp_path: Path) -> None:
    leeds = tmp_path / "internet-zh.num"
    leeds.write_text("made by somebody\n\n1 54588.06 的\n2 16210.5 了\n3 9 的\n", encoding="utf-8")
    assert read_frequencies(leeds, word=3, count=2, skip=1) == {"的": 54597.06, "了": 16210.5}
    plain = tmp_path / "list.tsv"
    plain.write_text("的\t5\tu\r\n了\t3\tu\r\n", encoding="utf-8")
    assert read_frequencies(plain) == {"的": 5, "了": 3}


def test_every_bad_line_of_a_list_is_named(tmp_path: Path) -> None:
    """A header, a missing count, a count below zero and one that is not finite."""
    path = tmp_path / "list.tsv"
    path.write_text("word count\n的 5\n了\n书 -1\n猫 inf\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_frequencies(path)
    assert [problem.place.line for problem in caught.value.problems] == [1, 3, 4, 5]
    assert all(problem.text("zh") for problem in caught.value.problems)
    with pytest.raises(InputError, match=r"nowhere\.tsv"):
        read_frequencies(tmp_path / "nowhere.tsv")


def test_a_list_without_words_is_refused_with_its_name(tmp_path: Path) -> None:
    """Before a long report is made without it."""
    empty = tmp_path / "words.tsv"
    empty.write_text("\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="no words") as refused:
        read_frequencies(empty)
    assert refused.value.problems[0].place.file == str(empty)


def test_nothing_to_look_up_or_nowhere_is_refused() -> None:
    for counts, reference in (({}, LIST), ({"的": 1}, {})):
        with pytest.raises(InputError, match="neither may be empty"):
            compare_frequencies(counts, reference=reference)
