"""What a language tag says about writing: blanks, capitals and words."""

import pytest

from bidui.pairs.pair import Writing, capitalized, count_words, guess_writing, is_tag, words, writing_of


@pytest.mark.parametrize(
    ("lang", "separator", "capital"),
    [
        ("en", " ", True),
        ("de-CH", " ", True),
        ("zh", "", False),
        ("zh-Hant-TW", "", False),
        ("yue", "", False),
        ("zh-Latn-pinyin", " ", True),  # Pinyin has both
        ("ja", "", False),
        ("ja-Latn", " ", True),
        ("ko", " ", False),
        ("th", "", False),
        ("ar", " ", False),
        ("hi", " ", False),
        ("ka", " ", False),  # its capitals are for headlines only
        ("sr-Cyrl", " ", True),
        ("ZH-hans", "", False),
        ("tlh", " ", True),  # not listed: as most languages
    ],
)
def test_a_tag_says_how_a_language_is_written(lang: str, separator: str, capital: bool) -> None:
    assert is_tag(lang)
    assert writing_of(lang) == Writing(lang.lower().split("-")[0], separator, capital)


@pytest.mark.parametrize("lang", ["", "German", "zh_CN", "e", "de DE", "de-", "中文", "x", "deutsch-DE"])
def test_what_is_no_tag_is_known(lang: str) -> None:
    assert not is_tag(lang)


def test_words_are_found_in_any_script() -> None:
    """Vowel signs of Devanagari are neither letters nor digits for Python, and belong to their words all the same."""
    assert [word for word, _, _ in words("„Ja“, sagt Peter-Paul, don’t!")] == [
        *("„", "Ja", "“", ",", "sagt", "Peter-Paul", ",", "don’t", "!")
    ]
    assert words("मैं हिन्दी।") == [("मैं", 0, 3), ("हिन्दी", 4, 10), ("।", 10, 11)]
    assert words("  ") == []
    assert (count_words("Die Frau schläft ."), count_words("Die Frau schläft.")) == (3, 3)


def test_a_capital_keeps_the_length_so_that_regions_fit() -> None:
    assert (capitalized("äpfel"), capitalized("ßx"), capitalized("")) == ("Äpfel", "ßx", "")
    assert (capitalized("istanbul", "tr-TR"), capitalized("istanbul", "en")) == ("İstanbul", "Istanbul")
    assert (capitalized("ijs", "nl"), capitalized("ijs", "en")) == ("IJS"[:2] + "s", "Ijs")


def test_a_language_is_guessed_from_sentences() -> None:
    assert guess_writing(["The cat sleeps.", "Cats sleep."]).spaced
    assert guess_writing(["我喜欢 cats", "他们喜欢苹果"]).language == "zh"
    assert guess_writing(["猫が寝る。"]).language == "ja"
    assert not guess_writing(["แมวนอนหลับ"]).spaced
    assert guess_writing([]).separator in ("", " ")
