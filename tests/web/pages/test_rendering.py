"""The words that the browser's scripts ask for."""

import re
from pathlib import Path

import pytest

from bidui.words import COLUMNS, texts

SOURCES = Path(__file__).parents[3] / "frontend" / "src"
_ASKED = re.compile(r'\bt\(\s*"([\w.]+)"')


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the sources of the scripts are not installed with the package")
def test_every_key_in_a_script_has_words_in_both_languages() -> None:
    """A key without words would be shown to the reader as it is."""
    asked = {key for path in SOURCES.rglob("*.ts*") for key in _ASKED.findall(path.read_text("utf-8"))}
    assert len(asked) > 100
    for language in COLUMNS:
        assert sorted(asked - set(texts("pages", language))) == []


def test_both_languages_fill_in_the_same_values() -> None:
    """A number that only one language says would be lost on the other's readers."""
    for key, english in texts("pages", "en").items():
        found = [set(re.findall(r"\{(\w+)\}", text)) for text in (english, texts("pages", "zh")[key])]
        assert found[0] == found[1], key
