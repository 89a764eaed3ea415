"""Previews: some pairs of a paradigm's text, how many there are, and, where they are few, the reason in words."""

import hashlib
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from bidui.errors import InputError, Place, Problem
from bidui.grammar.check import ENOUGH, derived_edit
from bidui.grammar.generate import as_pair, count_pairs, diagnose, draws
from bidui.grammar.network import Compiler
from bidui.grammar.project import Project, read_project
from bidui.grammar.yaml import node_at, read_bytes, read_text, scalars_of
from bidui.pairs import Pair
from bidui.web.editing.diagnostics import Compiled, Diagnostic, compile_text, located
from bidui.web.editing.fitting import Fitting, SlotWords
from bidui.web.editing.paradigm import ParadigmRows, read_rows
from bidui.web.editing.yaml import lay_out

# An opened project: what paradigms are compiled with and words are looked up in, and the paradigms seen last.

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


MAX_PAIRS = 100


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything a page shows of a paradigm's text: its pairs, rows, the words of each slot, and what is wrong.

    `complete` means that the text has no more pairs than these. `problems` say why there are no rows (the text is not
    YAML) or no pairs (drawing them took too long). `named` are the uid and phenomenon of a text that can be read, to
    be compared with those of other files.
    """

    seed: int
    pairs: tuple[Pair, ...] = ()
    complete: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    named: tuple[str, str] | None = None
    rows: ParadigmRows | None = None
    words: tuple[SlotWords, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """How many distinct pairs there are, exactly or at most, and why there are not more where they are few."""

    value: int
    exact: bool
    reasons: tuple[Diagnostic, ...] = ()


def preview(compiled: Compiled, text: str, *, name: str, n: int = 10, seed: int = 0) -> Preview:
    """`n` pairs drawn from a seed; another sample is the next seed. Of a broken text, what is wrong with it."""
    problems = list(compiled.problems)
    paradigm = compiled.paradigm
    named = (paradigm.uid, paradigm.phenomenon) if paradigm else None
    if compiled.broken or paradigm is None:
        return Preview(seed, diagnostics=located(text, problems, name=name), named=named)
    n = max(0, min(n, MAX_PAIRS))
    drawn = list(islice(draws(paradigm, compiled.networks, seed=seed), n + 1))
    pairs = tuple(as_pair(draw, paradigm, number) for number, draw in enumerate(drawn[:n]))
    derived = derived_edit(compiled.networks)
    if paradigm.edit and derived != paradigm.edit:
        values = {"declared": "+".join(paradigm.edit), "derived": "+".join(derived)}
        problems.append(Problem("edit-differs", paradigm.place, values))
    return Preview(seed, pairs, len(drawn) <= n, located(text, problems, name=name), named)


def with_rows(preview: Preview, text: str) -> Preview:
    """The preview with the rows of its text, or with the reason why it has none."""
    try:
        return replace(preview, rows=read_rows(text))
    except InputError as error:
        return replace(preview, problems=(*preview.problems, *error.problems))


def counted(compiled: Compiled, text: str, *, name: str, enough: int = ENOUGH) -> Counted:
    """The number of pairs, which may take long; with fewer than `enough`, the reasons, unless the file gives one."""
    if compiled.broken or compiled.paradigm is None:
        return Counted(0, True, located(text, compiled.problems, name=name))
    count = count_pairs(compiled.networks)
    few = count.exact and count.value < enough
    if not few or (count.value and compiled.paradigm.closed_class):
        return Counted(count.value, count.exact)
    reasons = [_telling(count.value, enough, compiled.paradigm.place)]
    reasons += diagnose(compiled.networks, asked=enough, given=count.value)[1:]  # the first says that it is short
    # the plain numbers of words that fit each rule stand in the rows
    return Counted(count.value, True, located(text, [r for r in reasons if r.kind != "short-words"], name=name))


def _telling(count: int, enough: int, place: Place) -> Problem:
    """What is short; nobody has asked for a number of pairs."""
    if count == 0:
        return Problem("pairs-no", place)
    return Problem("pairs-few", place, {"count": count, "enough": enough}, "warning")


# What is asked of a worker process, and what it answers: plain values that travel between processes.

Kind = Literal["pairs", "words", "count", "phrases", "open"]
Result = Preview | Counted | tuple[SlotWords, ...] | tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A question about a paradigm's text: pairs of it, the words of its slots, or how many pairs it has.

    Of a text of `phrases`, what is wrong with it. To `open` a project is no question; it makes the next one quick.
    """

    kind: Kind
    text: str = ""
    name: str = ""  # of the file, as messages say it
    n: int = 10
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The result, or the problem that kept it from being worked out; and how long it took."""

    result: Result | None = None
    problem: Problem | None = None
    seconds: float = 0.0


_SECONDS: dict[Kind, float] = {"pairs": 3.0, "words": 3.0, "count": 30.0, "phrases": 3.0, "open": 1.0}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may use: seconds for each kind of question, and bytes beyond what it has when it starts."""

    seconds: dict[Kind, float] = field(default_factory=lambda: dict(_SECONDS))
    memory: int = 1 << 30
    answer: int = 4 << 20  # bytes of an answer
    grace: float = 1.0  # seconds until a worker that does not stop by itself is killed
    opening: float = 60.0  # seconds to start and to open a project
