"""Diversity counts what SLING's Table 6 counts, and the classifier finds what gives pairs away."""

import csv
import io
import os
import zipfile
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.pairs import Diversity, Pair, Shares, compare_diversity, measure_diversity, told_apart


def test_counts_worked_out_by_hand() -> None:
    """Four sentences, three distinct: 我看书 (twice), 我书看, 你看书了."""
    pairs = [
        Pair("我看书", "我书看", "a", "x", 0, words=("我", "看", "书")),
        Pair("我看书", "你看书了", "a", "x", 1, words=("看", "书", "你")),
    ]
    found = measure_diversity(pairs)
    assert found == Diversity(
        sentences=4,
        distinct_sentences=3,
        # 我看书你了; 我看 看书 我书 书看 你看 书了; 我看书 我书看 你看书 看书了; 你看书了
        ngrams=(5, 6, 4, 1),
        word_types=found.word_types,
        lexicon_words=4,
        mean_length=13 / 4,
        median_length=3.0,
        equal=1,
        good_shorter=1,
        good_longer=0,
    )
    assert (found.pairs, found.shares) == (2, Shares(0.5, 0.5, 0.0))


def test_sets_are_compared_as_wholes_and_at_the_size_of_the_smallest() -> None:
    """b has two sentences, so two of the four of a are drawn. By hand, for all of a: 我看书你了, as above.

    Each sample of two has as many 1-gram types as its characters: the same for the same seed.
    """
    sets = {"a": [("我看书", "我书看"), ("我看书", "你看书了")], "b": [("我看", "看我")]}
    found = compare_diversity(sets, seed=1)
    assert [one.head for one in found.columns] == ["a (2 of 4)", "a (4)", "b (2)"]
    sample, whole, small = found.columns
    assert (whole.ngrams, whole.mean_length, whole.median_length) == ((5, 6, 4, 1), 13 / 4, 3.0)
    assert (small.ngrams, small.sentences, small.of) == ((2, 2, 0, 0), 2, 2)
    assert sample.ngrams[0] in (3, 5)  # 我看书 twice or with 我书看; or 你看书了 and another
    assert compare_diversity(sets, seed=1) == found
    assert found.rows[0]["SD of a (2 of 4)"] is None
    assert found.rows[1]["SD of a (2 of 4)"] == f"{sample.deviations[0]:.1f}"
    assert found.rows[1]["measure"] == "1-gram types"
    assert [found.rows[1][head] for head in ("a (2 of 4)", "a (4)", "b (2)")] == [sample.ngrams[0], 5, 2]
    assert found.frame["1-grams_sd"].to_list() == [sample.deviations[0], None, None]
    assert found.frame["1-grams"].to_list() == [sample.ngrams[0], 5, 2]
    smaller = compare_diversity(sets, sentences=1, seed=1)
    assert [one.sentences for one in smaller.columns] == [1, 4, 1, 2]


def test_samples_tell_how_far_their_counts_vary() -> None:
    """Sentences that are all alike have one type in any sample; one of 甲 and 乙乙 has no 2-gram, or one."""
    same = compare_diversity({"a": [("甲", "甲"), ("甲", "甲")]}, sentences=2).columns[0]
    assert same.deviations == (0, 0, 0, 0, 0)
    two = compare_diversity({"a": [("甲", "乙乙")]}, sentences=1).columns[0]
    assert two.deviations[0] == 0 and 0 < two.deviations[1] <= 0.53  # ten zeros and ones


def test_samples_of_nothing_are_refused() -> None:
    """A negative number would leave sentences out from the end, and an empty set would empty all samples."""
    with pytest.raises(InputError, match="samples of -3 sentences"):
        compare_diversity({"a": [("甲", "乙")]}, sentences=-3)
    with pytest.raises(InputError, match="no pairs in b"):
        compare_diversity({"a": [("甲", "乙")], "b": []})


def test_jieba_counts_word_types_and_no_blanks() -> None:
    """By eye: 我们 / 喜欢 / 苹果 and 他们 / 喜欢 / 苹果."""
    assert measure_diversity([Pair("我们 喜欢 苹果", "他们喜欢苹果", "a", "x", 0)]).word_types == 4


def test_lengths_are_in_words_where_blanks_separate_them() -> None:
    """English pairs of equal length once had D= of 0%: this -> these has another letter, and no other word."""
    pairs = [
        Pair("This cat sleeps.", "These cat sleeps.", "a", "x", 0),
        Pair("Cats sleep.", "Cats do sleep.", "a", "x", 1),
    ]
    found = measure_diversity(pairs)
    assert (found.unit, found.segmenter, found.shares) == ("words", "blanks", Shares(0.5, 0.5, 0.0))
    assert (found.mean_length, found.median_length) == (11 / 4, 3.0)
    # This These cat sleeps Cats sleep do; This-cat These-cat cat-sleeps Cats-sleep Cats-do do-sleep; 3 of three
    assert (found.ngrams, found.word_types) == ((7, 6, 3, 0), 7)


def test_a_language_without_blanks_or_jieba_has_words_by_your_own_segmenter() -> None:
    pairs = [Pair("猫が寝る。", "猫を寝る。", "a", "x", 0)]
    assert (measure_diversity(pairs).word_types, measure_diversity(pairs).segmenter) == (None, "")
    own = measure_diversity(pairs, segment=lambda sentence: [sentence[0], sentence[1], sentence[2:4]])
    assert (own.word_types, own.segmenter, own.unit) == (4, "custom", "characters")  # 猫 が を 寝る
    with pytest.raises(InputError, match="`lang` must be a language tag"):
        measure_diversity(pairs, lang="Japanese")


def test_no_ngram_crosses_a_sentence() -> None:
    assert measure_diversity([Pair("甲", "乙", "a", "x", 0)]).ngrams == (2, 0, 0, 0)


def test_nothing_has_no_diversity() -> None:
    assert measure_diversity([], lang="zh") == Diversity(0, 0, (0, 0, 0, 0), 0, 0, 0.0, 0.0, 0, 0, 0)
    assert measure_diversity([]).shares == Shares(0.0, 0.0, 0.0)


def climp(archive: Path) -> list[Pair]:
    """CLiMP as released: good and bad sentences take turns; one file of the 16 has no header and one column."""
    pairs = []
    with zipfile.ZipFile(archive) as files:
        for name in sorted(files.namelist()):
            if not name.endswith(".csv") or "__MACOSX" in name:
                continue
            rows = list(csv.reader(io.StringIO(files.read(name).decode("utf-8-sig"), newline="")))
            sentences = [row[0] for row in rows] if len(rows[0]) == 1 else [row[3] for row in rows[1:]]
            uid = Path(name).stem
            turns = zip(sentences[::2], sentences[1::2], strict=True)
            pairs += [Pair(good, bad, uid, "", number) for number, (good, bad) in enumerate(turns)]
    return pairs


def test_climp_has_the_published_counts() -> None:
    """Table 6 of Song et al. 2022, and the lengths in its appendix A: mean 11.8, median 11."""
    shared = os.environ.get("BIDUI_SHARED")
    if not shared:
        pytest.skip("BIDUI_SHARED does not name the folder of published data, so CLiMP was not counted")
    found = measure_diversity(climp(Path(shared) / "data" / "climp" / "CLiMP_corpus.zip"))
    assert found.ngrams == (1033, 22289, 62353, 102772)
    assert (found.sentences, found.equal, round(found.mean_length, 1), found.median_length) == (32000, 16000, 11.8, 11)
    # The paper has 2,335 by an older jieba; ours should be near it.
    assert found.word_types == pytest.approx(2335, rel=0.03)


def pairs(*sides: tuple[str, str]) -> list[Pair]:
    return [Pair(good, bad, "u", "p", n) for n, (good, bad) in enumerate(sides)]


NOUNS = "茶书饭鱼花车门灯伞笔碗帽鞋琴画"


def test_a_reordering_gives_nothing_away() -> None:
    assert told_apart(pairs(*((f"我买{n}", f"{n}买我") for n in NOUNS))) == 0.5


def test_a_word_on_one_side_gives_everything_away() -> None:
    assert told_apart(pairs(*((f"我买了{n}", f"我买过{n}") for n in NOUNS))) == 1.0


def test_so_does_a_length() -> None:
    assert told_apart(pairs(*((f"我买{n}", f"我买买{n}") for n in NOUNS))) == 1.0


def test_words_that_stand_as_often_on_both_sides_give_nothing_away() -> None:
    """他 is right as often as wrong, as a crossed paradigm makes it."""
    made = [("王先生爱他", "王先生爱她"), ("李太太爱她", "李太太爱他")] * 10
    assert told_apart(pairs(*made)) <= 0.5


def test_too_few_pairs_say_nothing() -> None:
    assert told_apart(pairs(("我", "你"))) == 0.5
