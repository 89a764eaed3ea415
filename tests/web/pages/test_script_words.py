"""The words that the browser's scripts ask for."""

import re
from pathlib import Path

import pytest

from bidui.web.pages.words import read_words

SOURCES = Path(__file__).parents[3] / "frontend" / "src"
_ASKED = re.compile(r'\bt\(\s*"([\w.]+)"')


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the sources of the scripts are not installed with the package")
def test_every_key_in_a_script_has_words_in_both_languages() -> None:
    """A key without words would be shown to the reader as it is."""
    asked = {key for path in SOURCES.rglob("*.ts*") for key in _ASKED.findall(path.read_text("utf-8"))}
    words = read_words()
    assert len(asked) > 100
    for language in ("en", "zh"):
        assert sorted(asked - set(words.texts[language])) == []


def test_both_languages_fill_in_the_same_values() -> None:
    """A number that only one language says would be lost on the other's readers."""
    words = read_words()
    for key, english in words.texts["en"].items():
        found = [set(re.findall(r"\{(\w+)\}", text)) for text in (english, words.texts["zh"][key])]
        assert found[0] == found[1], key
