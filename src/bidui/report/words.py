"""The words of reports, in English and Chinese: titles, heads of columns, notes; `words.tsv` holds them."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from bidui.messages import Language, Message

Say = Callable[[str], str]


def words(language: Language) -> Say:
    """What a key means in a language; placeholders are the caller's to fill."""
    known = all_words()
    return lambda key: known[key][language]


@cache
def all_words() -> dict[str, Message]:
    """All words by their keys."""
    _, *lines = (Path(__file__).parent / "words.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {key: Message(en=english, zh=chinese) for key, english, chinese in rows}
