"""The words of reports: in both languages, all used, and none missing."""

import re
from pathlib import Path
from string import Formatter

import pytest

import bidui.report
from bidui.report.words import all_words, words

SOURCES = [path.read_text(encoding="utf-8") for path in Path(bidui.report.__file__).parent.rglob("*.py")]
TEXT = "\n".join([*SOURCES, (Path(bidui.report.__file__).parents[1] / "cli" / "report.py").read_text(encoding="utf-8")])


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", all_words())
def test_both_languages_say_the_same(key: str) -> None:
    """Whoever reads Chinese learns as much as whoever reads English."""
    message = all_words()[key]
    assert message["en"].strip() and message["zh"].strip()
    assert placeholders(message["en"]) == placeholders(message["zh"])


def test_every_word_that_is_said_is_known() -> None:
    """Else a report would end in a KeyError."""
    said = set(re.findall(r'say\("([^"]+)"\)', TEXT)) | set(re.findall(r"say\('([^']+)'\)", TEXT))
    assert said - all_words().keys() == set()
    assert words("zh")("accuracy") == "正确率"


def test_every_known_word_is_said() -> None:
    """Words that nothing says any more mislead translators; some keys are made of a beginning and a value."""
    begun = tuple(re.findall(r'say\(f"([^{"]+)\{', TEXT))
    silent = [key for key in all_words() if f'"{key}"' not in TEXT and f"'{key}'" not in TEXT]
    assert [key for key in silent if not key.startswith(begun)] == []
