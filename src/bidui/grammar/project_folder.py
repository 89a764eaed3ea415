"""A project written to a new folder, whole or not at all."""

import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.paradigm import Paradigm, PhraseRule
from bidui.grammar.project import Settings
from bidui.grammar.writing import lexicon_text, paradigm_text, phrases_text, settings_text


def project_texts(
    *, settings: Settings, lexicon: Lexicon, phrases: Mapping[str, PhraseRule], paradigms: Iterable[Paradigm]
) -> dict[str, str]:
    """The files of a project by their names from its folder; relations are files of their own and not among them."""
    texts = {"project.yaml": settings_text(settings), "lexicon.tsv": lexicon_text(lexicon)}
    if phrases:
        texts["phrases.yaml"] = phrases_text(phrases)
    for paradigm in paradigms:
        texts[f"paradigms/{paradigm.phenomenon}/{paradigm.uid}.yaml"] = paradigm_text(paradigm)
    return texts


def write_project(
    out: str | Path,
    *,
    settings: Settings,
    lexicon: Lexicon,
    phrases: Mapping[str, PhraseRule],
    paradigms: Iterable[Paradigm],
) -> None:
    """Put a project into `out`, which must be new or empty."""
    write_texts(out, project_texts(settings=settings, lexicon=lexicon, phrases=phrases, paradigms=paradigms))


def write_texts(out: str | Path, texts: Mapping[str, str]) -> None:
    """Put files, by their names from the folder, into `out`; they are built beside it and then moved there."""
    folder = Path(out)
    refuse_unless_free(folder)
    built = folder.resolve().with_name(f".{folder.resolve().name}.{secrets.token_hex(4)}.part")
    try:
        for name, text in texts.items():
            path = built / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        if folder.exists():
            folder.rmdir()  # empty, as was just seen; should something have come in, the system refuses
        built.rename(folder)
    except OSError as error:
        raise fail("write-failed", Place(str(out)), {"reason": error.strerror or str(error)}) from error
    finally:
        shutil.rmtree(built, ignore_errors=True)


def refuse_unless_free(folder: Path) -> None:
    """Refuse a place that holds something; to be asked before long work."""
    if folder.is_dir():
        names = tuple(sorted(path.name for path in folder.iterdir()))
        if names:
            raise OutputRefused(str(Problem("project-not-empty", Place(str(folder)), {"names": names})))
    elif folder.exists() or folder.is_symlink():
        raise OutputRefused(str(Problem("output-not-folder", Place(str(folder)))))
