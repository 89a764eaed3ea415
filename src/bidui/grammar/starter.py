"""The starter project: a small project that works, in Chinese or English, for people to change into their own."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from bidui.grammar.project_folder import write_texts


def write_starter(folder: Path, *, lang: str) -> None:
    """Put the starter of a language ("zh" or "en") into `folder`, which must be new or empty."""
    write_texts(folder, starter_texts(lang))


def starter_texts(lang: str) -> dict[str, str]:
    """The files of a starter by their names from the project's folder, in the order of these names."""
    return dict(sorted(_texts(files("bidui.grammar") / f"starter_{lang}", "")))


def _texts(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    """Resources and not paths: an installed package need not lie in a folder."""
    for item in folder.iterdir():
        if item.is_dir():
            yield from _texts(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".yaml", ".tsv")):  # and not what an editor left there
            yield f"{prefix}{item.name}", item.read_text(encoding="utf-8")
