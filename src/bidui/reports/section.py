"""Sections: what a report is made of, and what was asked for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bidui.benchmarks import Benchmark
from bidui.errors import InputError, Problem
from bidui.pairs import Pair
from bidui.people.ratings import Rating
from bidui.reports.tables import Table
from bidui.scores.links import Link
from bidui.words import Language, Say, texts

if TYPE_CHECKING:  # matplotlib takes half a second to load
    from bidui.reports.figures import Drawing


@dataclass(frozen=True, slots=True)
class Given:
    """What was given beside the results, each of which some tables cannot do without."""

    pairs: tuple[Pair, ...] | None = None  # that were scored
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # slots by the names of regions of one's own
    ratings: tuple[Rating, ...] | None = None
    frequencies: Mapping[str, float] | None = None  # of a corpus, by word


@dataclass(frozen=True, slots=True)
class Asked:
    """What a report is to show: by which linking functions, of them one in detail, and in which language."""

    links: tuple[Link, ...]
    main: str  # the name of the linking function by which phenomena, people and curves are shown
    usual: bool  # whether the links are the usual ones, to which SLOR and MORCELA are added if they can be
    say: Say
    language: Language = "en"
    benchmarks: tuple[Benchmark, ...] = ()
    published: bool = True
    given: Given = field(default_factory=Given)
    seed: int = 0

    def benchmark(self, uids: Iterable[str]) -> Benchmark | None:
        """The benchmark that has all these paradigms."""
        wanted = set(uids)
        return next((known for known in self.benchmarks if wanted and wanted <= known.kinds.keys()), None)


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with the name of its files, a title, and a note on how to read it."""

    name: str
    title: str
    drawing: "Drawing"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Absent:
    """What cannot be shown, and why."""

    title: str
    problems: tuple[Problem, ...]


Item = Table | Picture | Absent


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; `files` are tables that it does not show but links to."""

    name: str
    title: str
    about: str
    items: tuple[Item, ...]
    files: tuple[Table, ...] = ()


def absent(title: str, kind: str, values: Mapping[str, object] | None = None) -> Absent:
    """What cannot be shown for one reason."""
    return Absent(title, (Problem(kind, values=values or {}),))


def attempt(title: str, make: Callable[[], Item]) -> Item:
    """What is made; or, where the analysis refuses, its reasons."""
    try:
        return make()
    except InputError as error:
        return Absent(title, error.problems)


def sentence(problem: Problem, language: Language) -> str:
    """A reason as it stands on the page: with a capital, unless it begins with an option or with a name."""
    text = problem.text(language)
    return text if texts("problems", language)[problem.kind].startswith("{") else f"{text[:1].upper()}{text[1:]}"


def file_name(text: str) -> str:
    """A part of a file's name: slln:0.5 becomes slln-0.5."""
    return "-".join(filter(None, "".join(c if c.isalnum() or c in "._" else " " for c in text).split()))
