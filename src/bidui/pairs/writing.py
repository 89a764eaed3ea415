"""How languages are written: whether blanks separate words and sentences begin with a capital, and what a word is.

A language is a tag of BCP 47, such as `de`, `ja` or `zh-Hant-TW`. If the tag names a script, the script decides;
otherwise the script that the language is usually written in. What is not listed here has blanks and capitals, as most
languages have; capitals change nothing in a script that has none.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}"  # a language, and its extension: zh, zh-yue
    r"(-(?P<script>[a-z]{4}))?(-([a-z]{2}|\d{3}))?(-([a-z0-9]{5,8}|\d[a-z0-9]{3}))*"  # script, region, variants
    r"(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?",  # extensions, and what is private
    re.IGNORECASE,
)
_NAMES = re.compile(r"\w+")
# Chinese and its relatives, Japanese, Thai, Lao, Khmer, Burmese, Shan, Tibetan, Dzongkha; and their scripts
_UNSPACED = frozenset(
    _NAMES.findall("zh cmn yue wuu hak gan hsn cdo cjy cpx mnp nan lzh ja th lo km my shn bo dz")
    + _NAMES.findall("hani hans hant bopo jpan hira kana hrkt thai laoo khmr mymr tibt")
)
# Korean, Arabic, Hebrew, Hindi, Amharic and others without capitals; and Georgian, whose capitals begin no sentences
_UNCASED = _UNSPACED | frozenset(
    _NAMES.findall("ko ar fa ur ps ckb sd ug he yi hi mr ne sa bn as pa gu or ta te kn ml si am ti dv ka xmf sva")
    + _NAMES.findall("kore hang arab hebr deva beng guru gujr orya taml telu knda mlym sinh ethi thaa geor")
)
_TURKIC = frozenset(("tr", "az", "crh", "tt-latn", "kk-latn"))  # i has the capital İ
CLOSING = frozenset(".,!?;:)]}'”’%，。！？；：、）")
SAMPLE = 1_000  # sentences from which a language is guessed
_HAN, _KANA = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]"), re.compile(r"[\u3041-\u30ff]")


@dataclass(frozen=True, slots=True)
class Writing:
    """How sentences of a language are put together; `language` is the first part of its tag."""

    language: str
    separator: str  # between words
    capital: bool  # whether sentences begin with one

    @property
    def spaced(self) -> bool:
        """Whether words are separated by blanks, so that lengths are counted in words."""
        return bool(self.separator)


def is_tag(lang: str) -> bool:
    """Return whether a text has the form of a tag of BCP 47."""
    return _TAG.fullmatch(lang) is not None


def writing_of(lang: str) -> Writing:
    """Return how a language is written, by its tag."""
    tag = _TAG.fullmatch(lang)
    language = lang.lower().partition("-")[0]
    key = (tag["script"] or language).lower() if tag else language
    return Writing(language, "" if key in _UNSPACED else " ", key not in _UNCASED)


def guess_writing(sentences: Iterable[str]) -> Writing:
    """Return how sentences seem to be written, for pairs whose language nobody named; blanks decide, and characters."""
    sample = [sentence.strip() for sentence in islice(sentences, SAMPLE)]
    letters = sum(char.isalpha() for sentence in sample for char in sentence)
    if any(map(_KANA.search, sample)):
        return writing_of("ja")
    if sum(len(_HAN.findall(sentence)) for sentence in sample) > letters / 2:
        return writing_of("zh")
    spaced = sum(" " in sentence for sentence in sample) >= len(sample) / 2
    return Writing("und", " " if spaced else "", spaced)


def count_words(text: str) -> int:
    """Count the words that are separated by blanks; closing punctuation is not a word."""
    return sum(not CLOSING.issuperset(word) for word in text.split())


def words(sentence: str) -> list[tuple[str, int, int]]:
    """Return the words that blanks separate, with their starts and ends; punctuation around a word stands alone.

    Punctuation and symbols are known by their Unicode category, so that vowel signs stay in their words.
    """
    tokens: list[tuple[str, int, int]] = []
    for match in re.finditer(r"\S+", sentence):
        start, end = match.span()
        while start < end and _is_mark(sentence[start]):
            tokens.append((sentence[start], start, start + 1))
            start += 1
        last = end
        while last > start and _is_mark(sentence[last - 1]):
            last -= 1
        if start < last:
            tokens.append((sentence[start:last], start, last))
        tokens += [(sentence[at], at, at + 1) for at in range(last, end)]
    return tokens


def capitalized(text: str, lang: str = "") -> str:
    """Return a sentence with a capital at its beginning, of the same length; i is İ in Turkish, and ij IJ in Dutch."""
    first, lower = text[:1], lang.lower()
    if first == "i" and (lower.partition("-")[0] in _TURKIC or lower in _TURKIC):
        return "İ" + text[1:]
    if text[:2] == "ij" and lower.partition("-")[0] == "nl":
        return "IJ" + text[2:]
    return first.upper() + text[1:] if len(first.upper()) == 1 else text


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
