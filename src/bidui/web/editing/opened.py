"""An opened project: what paradigms are compiled with and words are looked up in, and the paradigms seen last."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from bidui.errors import InputError
from bidui.grammar.documents import read_bytes, read_text
from bidui.grammar.network import Compiler
from bidui.grammar.project import Project, read_project
from bidui.web.editing.diagnostics import Compiled, compile_text
from bidui.web.editing.fitting import Fitting
from bidui.web.editing.layout import lay_out, node_at, scalars_of

MAX_WORDS = 200_000  # in the domains that a compiler keeps, about a kilobyte each; then it starts anew
MAX_RECENT = 4


@dataclass(frozen=True, slots=True)
class Source:
    """A project's folder, and the hash of everything in it but the paradigms."""

    folder: str
    key: str


@dataclass(slots=True)
class Opened:
    """A project with what was worked out for it."""

    project: Project
    compiler: Compiler
    fitting: Fitting
    recent: dict[tuple[str, str], Compiled] = field(default_factory=dict)

    def compiled(self, text: str, *, name: str) -> Compiled:
        """A paradigm's text, compiled, perhaps not for the first time."""
        key = (name, text)
        found = self.recent.pop(key, None)
        if found is None:
            if sum(len(domain.words) for domain in self.compiler.domains.built.values()) > MAX_WORDS:
                self.forget()
            found = compile_text(text, name=name, compiler=self.compiler)
        self.recent[key] = found
        while len(self.recent) > MAX_RECENT:
            del self.recent[next(iter(self.recent))]
        return found

    def forget(self) -> None:
        """Starts with a new compiler: the old one has grown, or was interrupted in the middle of something."""
        self.compiler = Compiler.of(self.project)
        self.recent.clear()


def open_source(source: Source) -> Opened:
    """The project of a source; the paradigms in its files are not read."""
    return opened(read_project(source.folder, paradigms=False))


def opened(project: Project) -> Opened:
    """A project that was read already."""
    return Opened(project, Compiler.of(project), Fitting(project.lexicon, project.phrases, project.relations))


def source_of(folder: Path) -> Source:
    """The source of a folder as it is now."""
    digest = hashlib.sha256()
    for name in _names(folder):
        try:
            data = read_bytes(folder / name, name=name)
        except InputError:
            continue  # it is not there, or no file; opening the project says so where it matters
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
    return Source(str(folder), digest.hexdigest())


def _names(folder: Path) -> list[str]:
    """The files that pairs are made from, but for the paradigms."""
    tables = (path for part in ("lexicon", "relations") for path in (folder / part).glob("*.tsv"))
    names = {"project.yaml", "lexicon.tsv", "features.tsv", "phrases.yaml"}
    names |= {path.relative_to(folder).as_posix() for path in tables}
    try:
        settings = lay_out(read_text(folder / "project.yaml", name="project.yaml"))
    except InputError:
        return sorted(names)
    relations = node_at(settings, ("relations",))
    return sorted(names | {scalar.text for _, scalar in scalars_of(relations)} if relations else names)
