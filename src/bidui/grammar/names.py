"""The names that projects and their files may have, and where they lie on disk; a name is never taken for a path."""

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Literal

from bidui.errors import InputError, Place, fail
from bidui.grammar.yaml import Mapping, Scalar, parse_document
from bidui.pairs import uid_fits

Kind = Literal["settings", "lexicon", "features", "phrases", "relation", "paradigm", "notes"]
FOLDERS = ("lexicon", "relations", "paradigms")
DEEPEST = 6  # parts of a file's name; a paradigm needs three
_LONGEST = 400  # characters
_FIXED: dict[str, Kind] = {
    "project.yaml": "settings",
    "lexicon.tsv": "lexicon",
    "features.tsv": "features",
    "phrases.yaml": "phrases",
}


def name_fits(name: str) -> bool:
    """Whether a name can be that of a folder or file everywhere, and is written in one way only."""
    return uid_fits(name) and unicodedata.is_normalized("NFC", name)


def check_project_name(name: str) -> str:
    """Return the name of a project; refuse one that does not fit."""
    if not name_fits(name):
        raise fail("project-name", Place(), {"name": repr(name)})
    return name


@lru_cache(maxsize=20_000)  # every request asks this about every file of a project
def kind_of(name: str) -> Kind | None:
    """Return what a file of a project is by its name, or None where the workbench has nothing to do with it."""
    parts = name.split("/")
    if len(parts) > DEEPEST or len(name) > _LONGEST or not all(map(name_fits, parts)):
        return None
    if name in _FIXED:
        return _FIXED[name]
    if parts[0] == "paradigms" and len(parts) > 1:
        return "paradigm" if name.endswith((".yaml", ".yml")) else None
    if name.endswith(".tsv"):
        return "lexicon" if parts[0] == "lexicon" and len(parts) == 2 else "relation"
    return "notes" if len(parts) == 1 and name.endswith(".md") else None


def expected(name: str) -> bool:
    """Whether a file is one of the project by its place alone; other tables are so if the settings name them."""
    parts = name.split("/")
    kind = kind_of(name)
    return kind is not None and (kind != "relation" or (parts[0] == "relations" and len(parts) == 2))


def check_file_name(name: str) -> Kind:
    """Return what the file is; refuse a name that no file of a project has."""
    kind = kind_of(name)
    if kind is None:
        raise fail("project-file-name", Place(), {"name": repr(name)})
    return kind


def paradigm_file(phenomenon: str, uid: str) -> str:
    """Return the name of a paradigm's file."""
    for name in (phenomenon, uid):
        if not name_fits(name):
            raise fail("paradigm-name", Place(), {"name": repr(name)})
    return f"paradigms/{phenomenon}/{uid}.yaml"


def file_path(folder: Path, name: str) -> Path:
    """Return where a file of the project in `folder` lies; a link on the way is refused, since it may lead anywhere."""
    check_file_name(name)
    path = folder
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            raise fail("file-is-link", Place(name))
    return path


def named_tables(settings: str) -> tuple[str, ...]:
    """Return the files of relations that the text of a `project.yaml` names; none where it cannot be read."""
    try:
        relations = parse_document(settings, name="project.yaml").items.get("relations")
    except InputError:
        return ()
    tables = relations[1] if relations else None
    scalars = [node for _, node in tables.items.values()] if isinstance(tables, Mapping) else []
    return tuple(node.text for node in scalars if isinstance(node, Scalar) and kind_of(node.text) == "relation")
