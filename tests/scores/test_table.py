"""The token-score table: sums and lengths by hand, and the way to a file and back."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bidui.errors import InputError
from bidui.files import write_file
from bidui.models.model import TokenScores
from bidui.scores.links import Floats
from bidui.scores.table import SCHEMA, LengthUnit, read_table, score_table, table_bytes

from .small import pair, scores, table_of

# Of <unk>, 甲, 乙, 丙, 丁, 戊.
UNIGRAMS: Floats = np.array([-10.0, -0.5, -1.25, -2.0, -4.0, -8.0])


def test_rows_are_good_and_bad_in_turn_with_every_token() -> None:
    table = table_of(("甲乙", "乙x"), ("丙", "甲甲"))
    assert list(table.frame.columns) == list(SCHEMA)
    assert table.frame["side"].to_list() == ["good", "bad", "good", "bad"]
    assert table.frame["pair"].to_list() == [0, 0, 1, 1]
    assert table.frame["sentence"].to_list() == ["甲乙", "乙x", "丙", "甲甲"]
    assert table.frame["tokens"].to_list() == [["甲", "乙"], ["乙", "<unk>"], ["丙"], ["甲", "甲"]]
    assert table.frame["ids"].to_list() == [[1, 2], [2, 0], [3], [1, 1]]
    assert table.frame["starts"].to_list() == [[0, 1], [0, 1], [0], [0, 1]]
    assert table.frame["ends"].to_list() == [[1, 2], [1, 2], [1], [1, 2]]
    assert table.frame["logprobs"].to_list() == [[-1, -2], [-2, -9], [-3], [-1, -1]]
    good, bad = table.sides()
    assert (good.tolist(), bad.tolist()) == ([0, 2], [1, 3])


def test_lp_is_the_sum_over_the_tokens() -> None:
    assert table_of(("甲乙", "乙x"), ("丙", "甲甲")).totals().logprob.tolist() == [-3, -11, -3, -2]


def test_lp_is_summed_in_double_precision() -> None:
    """Single precision has 24 bits: beside 2^24 it loses every 1 that is added alone."""
    numbers = np.array([-(2.0**24), -1, -1, -1], np.float32)
    at = np.arange(4, dtype=np.int32)
    one = TokenScores("甲甲甲甲", np.ones(4, np.int32), at, at + 1, numbers)
    table = score_table([pair("u", 0, "甲甲甲甲", "甲")], [one, scores("甲")], {1: "甲"})
    assert table.totals().logprob.tolist() == [-(2.0**24) - 3, -1]


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        # 我们喝茶 as 我们 + 喝茶, then a blank, an e with its accent, and a flag of two code points
        ("tokens", [3, 1]),
        ("characters", [8, 2]),  # 4 + blank + é + 2, and tu
        ("bytes", [23, 2]),  # 4 * 3 + 1 + 2 + 2 * 4, and tu
    ],
)
def test_length_is_in_tokens_characters_or_bytes(unit: LengthUnit, expected: list[int]) -> None:
    sentence = "我们喝茶 é🇨🇳"
    one = TokenScores(
        sentence,
        np.array([1, 2, 3], np.int32),
        np.array([0, 2, 5], np.int32),
        np.array([2, 4, 8], np.int32),
        np.array([-1, -1, -1], np.float32),
    )
    other = TokenScores(
        "tu", np.array([4], np.int32), np.array([0], np.int32), np.array([2], np.int32), np.array([-1], np.float32)
    )
    texts = {1: "我们", 2: "喝茶", 3: "é🇨🇳", 4: "tu"}
    table = score_table([pair("u", 0, sentence, "tu")], [one, other], texts)
    assert table.lengths(unit).tolist() == expected
    assert table.totals(unit=unit).length.tolist() == expected


def test_unigrams_are_summed_over_each_sentence() -> None:
    """By hand: 甲乙 -0.5 - 1.25, 乙x -1.25 - 10, 丙 -2, 甲甲戊 -0.5 - 0.5 - 8."""
    table = table_of(("甲乙", "乙x"), ("丙", "甲甲戊"))
    assert table.totals(unigrams=UNIGRAMS).unigram == pytest.approx([-1.75, -11.25, -2.0, -9.0])
    assert table.totals().unigram is None


def test_sentences_of_the_same_tokens_have_the_same_unigram_sum_wherever_they_stand() -> None:
    """With one running sum over the table they would differ in the last bits, and a tie would be a choice."""
    unigrams = np.log(np.array([0.1, 0.3, 0.07, 0.2, 0.11, 0.22]))
    table = table_of(*[("甲乙丙丁戊甲乙", "甲乙丙丁戊甲乙")] * 500)
    found = table.totals(unigrams=unigrams).unigram
    assert found is not None
    assert len(set(found.tolist())) == 1


def test_a_sentence_without_tokens_has_the_sums_zero() -> None:
    """A server gives no score for the first token, so that a sentence of one has none."""
    totals = table_of(("甲", ""), ("", "乙")).totals(unigrams=UNIGRAMS)
    assert totals.unigram is not None
    assert totals.logprob.tolist() == [-1, 0, 0, -2]
    assert totals.unigram.tolist() == [-0.5, 0, 0, -1.25]
    assert totals.length.tolist() == [1, 0, 0, 1]


def test_a_table_of_nothing_has_no_sums() -> None:
    totals = table_of().totals(unigrams=UNIGRAMS)
    assert totals.unigram is not None
    assert (len(totals.logprob), len(totals.length), len(totals.unigram)) == (0, 0, 0)


@pytest.mark.parametrize("sides", [[("甲乙", "乙x"), ("丙", "")], []])
def test_a_table_is_read_back_as_it_was_written(tmp_path: Path, sides: list[tuple[str, str]]) -> None:
    table = table_of(*sides)
    write_file(tmp_path / "t.parquet", table_bytes(table))
    again = read_table(tmp_path / "t.parquet")
    assert again.frame.equals(table.frame)
    assert dict(again.frame.schema) == dict(table.frame.schema)


def test_the_same_table_is_the_same_file() -> None:
    """Manifests hold hashes of files."""
    assert table_bytes(table_of(("甲乙", "乙x"))) == table_bytes(table_of(("甲乙", "乙x")))


def test_columns_of_others_are_left_aside_and_missing_ones_named(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    table = table_of(("甲乙", "乙x"))
    table.frame.with_columns(pl.lit(1).alias("mine")).write_parquet(file)
    assert read_table(file).frame.equals(table.frame)
    table.frame.drop("ids", "ends").write_parquet(file)
    with pytest.raises(InputError, match=r"t\.parquet: columns are missing: ends, ids; score the pairs again"):
        read_table(file)


def test_what_is_no_table_is_a_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    with pytest.raises(InputError, match=r"t\.parquet: cannot be read as scores"):
        read_table(file)
    for data in (b"", b"not parquet at all", table_bytes(table_of(("甲", "乙")))[:-20]):
        file.write_bytes(data)
        with pytest.raises(InputError, match=r"t\.parquet: cannot be read as scores"):
            read_table(file)
