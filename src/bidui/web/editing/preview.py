"""Previews: everything a page shows of a paradigm's text, worked out from an open project, and its count of pairs.

`Request` and `Answer` are what the server and its worker processes say to each other (see `workers`). A `Preview` is
sent to pages as it is.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from bidui.errors import InputError, Problem
from bidui.files import sha256
from bidui.grammar.check import ENOUGH, derived_edit
from bidui.grammar.generate import MANY, as_pair, count_pairs, diagnose, draws
from bidui.grammar.network import Compiler
from bidui.grammar.project import Project, read_project
from bidui.grammar.yaml import read_bytes, read_text, scalars_of
from bidui.pairs import Pair
from bidui.web.editing.diagnostics import Compilation, Diagnostic, compile_text, located, phrase_problems
from bidui.web.editing.edits import read_tree
from bidui.web.editing.fitting import Fitting, SlotWords, slot_words
from bidui.web.editing.paradigm import LineRow, ParadigmRows, paradigm_rows
from bidui.web.editing.phrases import PhraseRow, phrase_rows
from bidui.web.editing.pieces import Item
from bidui.web.editing.text import Range, Span, Utf16
from bidui.web.problems import ProblemShape, problem_shapes
from bidui.words import Language

MAX_PAIRS = 100
MAX_WORDS = 200_000  # in the domains that a compiler keeps, about a kilobyte each; then it starts anew
MAX_RECENT = 4
_CLOCK = 2_000_000_000  # nanoseconds; a file may change again within the resolution of its time stamps
Rows = TypeVar("Rows")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Source:
    """A project's folder, the hash of everything in it but the paradigms, and how many bytes that has."""

    folder: str
    key: str
    size: int = 0


@dataclass(slots=True)
class OpenProject:
    """A project with what paradigms are compiled with and words are looked up in, and the last compilations."""

    project: Project
    compiler: Compiler
    fitting: Fitting
    recent: dict[tuple[str, str], Compilation] = field(default_factory=dict)

    def compiled(self, text: str, *, name: str) -> Compilation:
        """Compile a paradigm's text, unless that was done a moment ago."""
        key = (name, text)
        compilation = self.recent.pop(key, None)
        if compilation is None:
            if sum(len(domain.words) for domain in self.compiler.domains.built.values()) > MAX_WORDS:
                self.forget()
            compilation = compile_text(text, name=name, compiler=self.compiler)
        self.recent[key] = compilation
        while len(self.recent) > MAX_RECENT:
            del self.recent[next(iter(self.recent))]
        return compilation

    def forget(self) -> None:
        """Start with a new compiler: the old one has grown, or was interrupted in the middle of something."""
        self.compiler = Compiler.of(self.project)
        self.recent.clear()


def open_source(source: Source) -> OpenProject:
    """Open the project of a source; the paradigms in its files are not read."""
    return open_project(read_project(source.folder, paradigms=False, links=False))


def open_project(project: Project) -> OpenProject:
    """Open a project that was read already."""
    return OpenProject(project, Compiler.of(project), Fitting(project.lexicon, project.phrases, project.relations))


def source_of(folder: Path) -> Source:
    """Return the source of a folder as it is now."""
    root = str(folder)
    files = [(name, *_file_hash(f"{root}/{name}", name)) for name in _names(folder)]
    hashes = "".join(f"{name}\0{content}\0" for name, content, _ in files)
    return Source(root, sha256(hashes.encode()), sum(size for _, _, size in files))


def _file_hash(path: str, name: str) -> tuple[str, int]:
    """Return the hash and size of a file; a file that has not changed for a while is not read again."""
    try:
        status = os.stat(path)  # noqa: PTH116 (every preview asks about hundreds of files: `Path` takes milliseconds)
    except (OSError, ValueError):
        return "", 0
    stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
    settled = time.time_ns() - max(stamp[:2]) > _CLOCK
    return (_hash if settled else _hash.__wrapped__)(path, name, stamp), status.st_size


@lru_cache(maxsize=10_000)
def _hash(path: str, name: str, stamp: tuple[int, ...]) -> str:
    try:
        return sha256(read_bytes(Path(path), name=name))
    except InputError:
        return ""  # it is missing, or no file; opening the project says so where it matters


def _names(folder: Path) -> list[str]:
    """Return the files that pairs are made from, except the paradigms."""
    names = {"project.yaml", "lexicon.tsv", "features.tsv", "phrases.yaml"}
    for part in ("lexicon", "relations"):
        with suppress(OSError):
            listed = os.listdir(folder / part)  # noqa: PTH208
            names |= {f"{part}/{name}" for name in listed if name.endswith(".tsv")}
    with suppress(InputError):
        names |= _named_relations(read_text(folder / "project.yaml", name="project.yaml"))
    return sorted(names)


@lru_cache(maxsize=100)
def _named_relations(settings: str) -> frozenset[str]:
    with suppress(InputError):
        tree = read_tree(settings)
        return frozenset(scalar.text for path, scalar in scalars_of(tree) if path[0] == "relations")
    return frozenset()


@dataclass(frozen=True, slots=True)
class PreviewRegion:
    """A stretch of a sentence that differs from the other one, as browsers count; empty where something was dropped."""

    start: int
    end: int
    slot: str
    edit: str


@dataclass(frozen=True, slots=True)
class PreviewPair:
    """A pair, with where its sentences differ and what filled each slot."""

    good: str
    bad: str
    good_regions: tuple[PreviewRegion, ...]
    bad_regions: tuple[PreviewRegion, ...]
    variant: str
    slots: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything that a page shows of a paradigm's text at a pause in typing, except the exact count.

    `complete` means that there are no more pairs than these. `diagnostics` are problems in the text, by position.
    `rows` is null where the text is not YAML, and `problems` say why. Where there are rows, `problems` say why there
    are no pairs (drawing them took too long, or the project's other files cannot be read); `words` is empty then.
    `names` are the uid and phenomenon of a paradigm that can be read.
    """

    seed: int
    pairs: tuple[PreviewPair, ...] = ()
    complete: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    rows: ParadigmRows | None = None
    words: tuple[SlotWords, ...] = ()
    problems: tuple[ProblemShape, ...] = ()
    names: tuple[str, str] | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PhraseDiagnostics:
    """Everything that a page shows of a text of phrases at a pause in typing; without rows, `problems` say why."""

    diagnostics: tuple[Diagnostic, ...] = ()
    rows: tuple[PhraseRow, ...] | None = None
    problems: tuple[ProblemShape, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """How many distinct pairs there are, exactly or at most (null: not known), and why not more where they are few.

    Where the number is not exact, there are at least `least`.
    """

    value: int | None
    exact: bool
    reasons: tuple[Diagnostic, ...] = ()
    least: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of a paradigm, and a hash of what they owe to the lexicon; none where the asker knows that hash."""

    basis: str
    counts: Counts | None = None


def preview(compilation: Compilation, *, n: int = 10, seed: int = 0, language: Language = "en") -> Preview:
    """Draw `n` pairs from a seed, or say what is wrong with the text; the words of each slot are not looked up."""
    problems = list(compilation.problems)
    paradigm, pairs, complete = compilation.paradigm, [], False
    if paradigm is not None and not compilation.broken:
        n = max(0, min(n, MAX_PAIRS))
        given_up: list[bool] = []
        more = draws(paradigm, compilation.networks, seed=seed, on_give_up=lambda: given_up.append(True))
        drawn = list(islice(more, n + 1))
        pairs = [preview_pair(as_pair(draw, paradigm, number)) for number, draw in enumerate(drawn[:n])]
        complete = len(drawn) <= n and not given_up
        derived = derived_edit(compilation.networks)
        if paradigm.edit and derived != paradigm.edit:
            values = {"declared": "+".join(paradigm.edit), "derived": "+".join(derived)}
            problems.append(Problem("edit-differs", paradigm.place, values))
    document = compilation.document
    return Preview(
        *(seed, tuple(pairs), complete),
        diagnostics=compilation.diagnostics(problems, language=language),
        rows=paradigm_rows(document) if document else None,
        problems=() if document else tuple(problem_shapes(compilation.problems, language)),
        names=(paradigm.uid, paradigm.phenomenon) if paradigm else None,
    )


def words_of(compilation: Compilation, rows: ParadigmRows, *, fitting: Fitting) -> tuple[SlotWords, ...]:
    """Look up the words that may fill each slot of a paradigm."""
    networks = () if compilation.broken else compilation.networks
    return slot_words(rows, fitting=fitting, paradigm=compilation.paradigm, networks=networks)


def preview_phrases(text: str, *, name: str, compiler: Compiler, language: Language = "en") -> PhraseDiagnostics:
    """Return the rows of a text of phrases, and its problems by position."""
    try:
        document = read_tree(text, name=name)
    except InputError as error:
        diagnostics = located(text, error.problems, name=name, language=language)
        return PhraseDiagnostics(diagnostics, problems=tuple(problem_shapes(error.problems, language)))
    problems = phrase_problems(document, compiler=compiler)
    diagnostics = located(text, problems, name=name, language=language, document=document)
    return PhraseDiagnostics(diagnostics, phrase_rows(document))


def rows_alone(
    read: Callable[[str], Rows], text: str, problem: Problem, language: Language
) -> tuple[Rows | None, tuple[ProblemShape, ...]]:
    """Return the rows of a text of which no pairs could be drawn, or that could not be checked, and why."""
    try:
        return read(text), tuple(problem_shapes([problem], language))
    except InputError as error:
        return None, tuple(problem_shapes([problem, *error.problems], language))


def counts_of(compilation: Compilation, *, enough: int = ENOUGH, language: Language = "en") -> Counts:
    """Count the pairs, which may take long; with fewer than `enough`, say why, unless the file gives a reason."""
    paradigm = compilation.paradigm
    if compilation.broken or paradigm is None:
        return Counts(0, True, compilation.diagnostics(compilation.problems, language=language))
    count = count_pairs(compilation.networks, most=MANY)
    if not count.exact or count.value >= enough or (count.value and paradigm.closed_class):
        return Counts(count.value, count.exact, least=count.least)
    few = Problem("pairs-few", paradigm.place, {"count": count.value, "enough": enough}, "warning")
    reasons = [few if count.value else Problem("pairs-no", paradigm.place)]
    reasons += diagnose(compilation.networks, asked=enough, given=count.value)[1:]  # the first says that it is short
    # the plain numbers of words that fit each rule stand in the rows
    shown = [reason for reason in reasons if reason.kind != "short-words"]
    return Counts(count.value, True, compilation.diagnostics(shown, language=language))


def basis_of(compilation: Compilation) -> str:
    """Return a hash of what a paradigm's pairs owe to the lexicon; beside it, only the other files matter to its count.

    It is empty where the paradigm has errors: they may speak of any word.
    """
    if compilation.broken or compilation.paradigm is None:
        return ""
    domains = (column.domain for network in compilation.networks for column in network.columns)
    return sha256("".join(domain.fingerprint for domain in domains).encode())


def preview_pair(pair: Pair) -> PreviewPair:
    """Return a pair as pages show it, with its regions in UTF-16."""
    places = {"good": Utf16(pair.good).offset, "bad": Utf16(pair.bad).offset}
    regions: dict[str, list[PreviewRegion]] = {"good": [], "bad": []}
    for r in pair.regions:
        at = places[r.side]
        regions[r.side].append(PreviewRegion(at(r.start), at(r.end), r.slot, r.edit))
    return PreviewPair(pair.good, pair.bad, tuple(regions["good"]), tuple(regions["bad"]), pair.variant, pair.slots)


def as_browsers_count(value: Value, text: str) -> Value:
    """Return a value about a text with its positions in UTF-16, where a rare character such as 𠮷 counts twice."""
    places = Utf16(text)
    if not places.wide and "\\" not in text:  # an escape may stand for a rare character, too
        return value
    return cast(Value, _in_utf16(value, places))


def _in_utf16(value: Any, places: Utf16) -> Any:
    if isinstance(value, Span | Range | Item):
        return replace(value, start=places.offset(value.start), end=places.offset(value.end))
    if isinstance(value, LineRow):  # items count from the start of the line's own text
        return replace(value, span=places.span(value.span), items=_in_utf16(value.items, Utf16(value.text)))
    if isinstance(value, Diagnostic):  # `inner` is counted like this already
        return replace(value, range=places.range(value.range) if value.range else None)
    if isinstance(value, tuple):
        return tuple(_in_utf16(item, places) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _in_utf16(getattr(value, f.name), places) for f in fields(value)})
    return value


Kind = Literal["pairs", "count", "phrases", "open"]
Result = Preview | PhraseDiagnostics | Tally


@dataclass(frozen=True, slots=True)
class Request:
    """A question for a worker: the preview of a paradigm (`pairs`) or of `phrases`, or the number of pairs (`count`).

    A count whose basis is `known` is not made again. To `open` a project is no question; it makes the next one quick.
    """

    kind: Kind
    text: str = ""
    name: str = ""  # of the file, as messages say it
    n: int = 10
    seed: int = 0
    language: Language = "en"
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The result, or the problem that prevented it, and how long it took; to `open` a project has no result."""

    result: Result | None = None
    problem: Problem | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may use: seconds for each kind of question, and bytes beyond what it has when it starts.

    A count takes as long as it takes; its seconds are those in which the machine works at it and at nothing else.
    """

    seconds: dict[Kind, float] = field(
        default_factory=lambda: {"pairs": 3.0, "count": 30.0, "phrases": 3.0, "open": 1.0}
    )
    memory: int = 1 << 30
    answer: int = 4 << 20  # bytes of an answer
    grace: float = 1.0  # seconds until a worker that does not stop by itself is killed
    opening: float = 60.0  # seconds to start and to open a project
    patience: int = 20  # times as long may a count take on a machine that also does other things
