"""Projects brought in: what files make a project of ours, or one of the papers' own format, which is converted."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.classic import read_classic
from bidui.grammar.project_folder import project_texts
from bidui.web.store.archives import Unpacked
from bidui.web.store.names import expected, named_tables


@dataclass(frozen=True, slots=True)
class Incoming:
    """The files of a project that is to be, what was left out, and what was changed on the way, as warnings."""

    files: Mapping[str, bytes]
    skipped: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def incoming(unpacked: Unpacked) -> Incoming:
    """The project in some files: one with a `project.yaml`, else templates in JSON and a vocabulary in TSV."""
    files = unpacked.files
    if "project.yaml" in files:
        tables = named_tables(files["project.yaml"].decode("utf-8-sig", "replace"))
        taken = {name: data for name, data in files.items() if expected(name) or name in tables}
        rest = tuple(sorted(files.keys() - taken.keys()))
        return Incoming(dict(sorted(taken.items())), (*unpacked.skipped, *rest))
    found = _Classic.among(files)
    if found is None:
        raise fail("import-no-project", Place(), {"names": sorted({*files, *unpacked.skipped})})
    return found.converted(files, unpacked.skipped)


@dataclass(frozen=True, slots=True)
class _Classic:
    """Which files are what in a project as the papers published it."""

    templates: tuple[str, ...]
    vocabulary: str
    phrases: str | None

    @classmethod
    def among(cls, files: Mapping[str, bytes]) -> "_Classic | None":
        """Templates have a `good_rule`; another JSON object holds the phrases; a TSV with `expression` the words."""
        keys = {name: _keys(data) for name, data in files.items() if name.lower().endswith(".json")}
        templates = tuple(sorted(name for name, found in keys.items() if found and "good_rule" in found))
        others = sorted(name for name, found in keys.items() if found is not None and name not in templates)
        phrases = [name for name in others if "phrase" in name.lower()] or others
        tables = sorted(name for name, data in files.items() if name.lower().endswith(".tsv") and _has_words(data))
        if not templates or not tables:
            return None
        if len(tables) > 1 or len(phrases) > 1:
            raise fail("import-unclear", Place(), {"tables": tables, "phrases": phrases})
        return cls(templates, tables[0], phrases[0] if phrases else None)

    def converted(self, files: Mapping[str, bytes], skipped: tuple[str, ...]) -> Incoming:
        """The same as a project of ours; raises `InputError` with every error of the templates."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            templates = folder / "templates"
            templates.mkdir()
            for template in self.templates:
                target = templates / PurePosixPath(template).name
                if target.exists():
                    raise fail("archive-twice", Place(target.name))
                target.write_bytes(files[template])
            vocabulary, phrases = (self._put(folder, file, files) for file in (self.vocabulary, self.phrases))
            assert vocabulary is not None
            read = read_classic(templates, vocabulary=vocabulary, phrases=phrases)
        if read.errors:
            raise InputError(read.errors)
        texts = project_texts(
            settings=read.settings, lexicon=read.lexicon, phrases=read.phrases, paradigms=read.paradigms
        )
        used = {*self.templates, self.vocabulary, self.phrases}
        rest = tuple(sorted(name for name in files if name not in used))
        return Incoming({name: text.encode() for name, text in texts.items()}, (*skipped, *rest), read.problems)

    def _put(self, folder: Path, name: str | None, files: Mapping[str, bytes]) -> Path | None:
        if name is None:
            return None
        path = folder / PurePosixPath(name).name
        path.write_bytes(files[name])
        return path


def _keys(data: bytes) -> set[str] | None:
    """The keys of a JSON object; nothing where it is none."""
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {"good_rule"}  # read as a template, so that its fault is told
    return {*found} if isinstance(found, dict) else None


def _has_words(data: bytes) -> bool:
    header = data.decode("utf-8-sig", "replace").partition("\n")[0]
    return "expression" in [cell.strip() for cell in header.split("\t")]
