"""The words of reports: in both languages, all used, and none missing."""

import ast
import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

import bidui.reports
from bidui.reports.tables import Unit
from bidui.words import texts

ROOM = Path(bidui.reports.__file__).parent
SOURCES = [path.read_text(encoding="utf-8") for path in ROOM.rglob("*.py")]
TEXT = "\n".join([*SOURCES, (ROOM / "page.html").read_text(encoding="utf-8")])


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", texts("report", "en"))
def test_both_languages_say_the_same(key: str) -> None:
    """Whoever reads Chinese learns as much as whoever reads English."""
    english, chinese = texts("report", "en")[key], texts("report", "zh")[key]
    assert english.strip() and chinese.strip()
    assert placeholders(english) == placeholders(chinese)


def specifications() -> set[str]:
    """The columns of tables, which are specified as `name`, `name:unit` or `name:unit=key`, separated by spaces."""
    literals = [
        node.value for source in SOURCES for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)
    ]
    return {word for literal in literals if isinstance(literal, str) for word in literal.split()}


def test_every_word_that_is_said_is_known() -> None:
    """Else a report would end in a KeyError."""
    said = set(re.findall(r'say\("([^"]+)"\)', TEXT)) | set(re.findall(r"say\('([^']+)'\)", TEXT))
    assert said - texts("report", "en").keys() == set()
    columns = [re.fullmatch(rf"(\w+):({'|'.join(get_args(Unit))})(?:=(.+))?", word) for word in specifications()]
    keys = {found[3] or found[1].replace("_", "-") for found in columns if found}
    assert len(keys) > 50 and {key for key in keys if not key.startswith("'")} - texts("report", "en").keys() == set()
    assert texts("report", "zh")["accuracy"] == "正确率"


def test_every_known_word_is_said() -> None:
    """Words that nothing says any more mislead translators; some keys are made of a beginning and a value."""
    begun = tuple(re.findall(r"""(?:say\(f["']|table\(f"|=)([^{"'=\s]+)\{""", TEXT))
    names = {key: key.removeprefix("figure.") for key in texts("report", "en")}  # figures say `word("mean", language)`
    silent = [key for key, name in names.items() if f'"{name}"' not in TEXT and f"'{name}'" not in TEXT]
    heads = {word.split("=")[-1] if "=" in word else word.split(":")[0].replace("_", "-") for word in specifications()}
    sections = {f"about-{name}" for name in re.findall(r'section\("([^"]+)"', TEXT)}
    assert [key for key in silent if not key.startswith(begun) and key not in heads | sections] == []
