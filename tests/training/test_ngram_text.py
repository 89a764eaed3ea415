"""Sentences as numbers: every unit by its first appearance, the same units that models are asked for."""

from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.models.ngram import _splitter
from bidui.training import ngram_counts
from bidui.training.ngram_counts import Unit, number_text


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
