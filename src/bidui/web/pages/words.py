"""The words of the pages, in English and Chinese, from the tables beside the templates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bidui.messages import Language

FOLDER = Path(__file__).parent / "words"


@dataclass(frozen=True, slots=True)
class Words:
    """What the pages say, by key, in each language."""

    texts: Mapping[Language, Mapping[str, str]]

    def say(self, key: str, language: Language, values: Mapping[str, object]) -> str:
        """A text with its values; a key without words stands for itself, so that a page is never broken for it."""
        text = self.texts[language].get(key, key)
        try:
            return text.format_map(values) if values else text
        except (KeyError, IndexError, ValueError):
            return text

    def of(self, prefixes: Iterable[str], language: Language) -> dict[str, str]:
        """The texts whose keys begin so, for a script."""
        start = tuple(f"{prefix}." for prefix in prefixes)
        return {key: text for key, text in self.texts[language].items() if key.startswith(start)}


def read_words(folder: Path = FOLDER) -> Words:
    """All tables of a folder; columns `key`, `en`, `zh`."""
    english: dict[str, str] = {}
    chinese: dict[str, str] = {}
    for path in sorted(folder.glob("*.tsv")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if number == 1 or not line.strip():
                continue
            key, en, zh = line.split("\t")
            assert key not in english, f"{path.name}:{number}: {key} is there twice"
            english[key], chinese[key] = en, zh
    return Words({"en": english, "zh": chinese})
