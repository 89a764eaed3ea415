"""The words of reports: in both languages, all used, and none missing."""

import re
from pathlib import Path
from string import Formatter

import pytest

import bidui.reports
from bidui.words import texts

SOURCES = [path.read_text(encoding="utf-8") for path in Path(bidui.reports.__file__).parent.rglob("*.py")]
TEXT = "\n".join(
    [*SOURCES, (Path(bidui.reports.__file__).parents[1] / "cli" / "report.py").read_text(encoding="utf-8")]
)


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", texts("report", "en"))
def test_both_languages_say_the_same(key: str) -> None:
    """Whoever reads Chinese learns as much as whoever reads English."""
    english, chinese = texts("report", "en")[key], texts("report", "zh")[key]
    assert english.strip() and chinese.strip()
    assert placeholders(english) == placeholders(chinese)


def test_every_word_that_is_said_is_known() -> None:
    """Else a report would end in a KeyError."""
    said = set(re.findall(r'say\("([^"]+)"\)', TEXT)) | set(re.findall(r"say\('([^']+)'\)", TEXT))
    assert said - texts("report", "en").keys() == set()
    assert texts("report", "zh")["accuracy"] == "正确率"


def test_every_known_word_is_said() -> None:
    """Words that nothing says any more mislead translators; some keys are made of a beginning and a value."""
    begun = tuple(re.findall(r'say\(f"([^{"]+)\{', TEXT))
    names = {key: key.removeprefix("figure.") for key in texts("report", "en")}  # figures say `word("mean", language)`
    silent = [key for key, name in names.items() if f'"{name}"' not in TEXT and f"'{name}'" not in TEXT]
    assert [key for key in silent if not key.startswith(begun)] == []
