"""Sections: what a report consists of, the settings it is made with, and the helpers that every section uses."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil, isnan
from typing import TypeVar, cast, get_args

from bidui.analysis.accuracy import Accuracy
from bidui.analysis.people import StudyPeople
from bidui.benchmarks import Benchmark
from bidui.errors import InputError, Problem
from bidui.intervals import Estimate, Kind
from bidui.pairs import Pair
from bidui.people.ratings import Rating
from bidui.reports.figures import MOST, Drawing
from bidui.reports.tables import Column, Table, Unit, Value
from bidui.scale.workers import Workers, here
from bidui.scores.links import Link
from bidui.words import Language, Say, texts

Rows = list[tuple[Value, ...]]
Case = TypeVar("Case")
Result = TypeVar("Result")
Name = TypeVar("Name")  # of a model, or of a line of several
Shown = TypeVar("Shown")  # what a figure draws of a model


@dataclass(frozen=True, slots=True)
class Extras:
    """What was given in addition to the results; some tables require it."""

    pairs: tuple[Pair, ...] | None = None  # those that were scored
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # slots by the names of custom regions
    ratings: tuple[Rating, ...] | None = None
    frequencies: Mapping[str, float] | None = None  # of a corpus, by word
    people: StudyPeople | None = None  # of a study, who judged the same pairs


@dataclass(frozen=True, slots=True)
class Settings:
    """What a report shows: by which linking functions, which of them in detail, and in which language."""

    links: tuple[Link, ...]
    main: str  # the name of the linking function used for phenomena, humans and curves
    usual: bool  # whether the links are the usual ones, to which SLOR and MORCELA are added where possible
    language: Language = "en"
    benchmarks: tuple[Benchmark, ...] = ()
    published: bool = True
    extras: Extras = field(default_factory=Extras)
    seed: int = 0
    workers: Workers[None] = field(default_factory=lambda: here(None), repr=False, compare=False)  # for resampling

    def each(self, work: Callable[[Case], Result], cases: Iterable[Case]) -> list[Result | InputError]:
        """Return what `work` makes of each case, or why it cannot, in order; workers divide the cases among them."""
        results = self.workers.map(_attempted, [(work, case) for case in cases])
        return [result[0] if len(result) == 1 else result[1] for result in results]

    @property
    def say(self) -> Say:
        """Return the text of a key in the language of the report; placeholders are the caller's to fill."""
        return texts("report", self.language).__getitem__

    def phenomenon(self, name: str) -> str:
        """Return a phenomenon of a shipped benchmark in the language of the report; others keep their names."""
        known = f"phenomenon.{name}" in texts("report", self.language)
        return self.say(f"phenomenon.{name}") if known else name

    @property
    def main_link(self) -> Link:
        """The linking function used in detail."""
        return next(link for link in self.links if link.name == self.main)

    def benchmark(self, uids: Iterable[str]) -> Benchmark | None:
        """Return the benchmark that has all these paradigms."""
        wanted = set(uids)
        return next((known for known in self.benchmarks if wanted and wanted <= known.kinds.keys()), None)

    def about_people(self, key: str) -> str:
        """Return a note on where human figures come from: published counts, or a study of the same pairs."""
        if self.extras.people is None:
            return self.say(key)
        return self.say(f"{key}-study").format(study=self.extras.people.study)

    def columns(self, specs: str) -> tuple[Column, ...]:
        """Return columns from specifications separated by spaces: `name`, `name:unit`, `name:unit=key`.

        The head is the text of the key, which is by default the name with hyphens; `='x` makes x itself the head.
        """
        columns = []
        for spec in specs.split():
            start, _, key = spec.partition("=")
            name, _, unit = start.partition(":")
            assert not unit or unit in get_args(Unit), spec
            head = key[1:] if key.startswith("'") else self.say(key or name.replace("_", "-"))
            columns.append(Column(name, head, cast(Unit, unit or "text")))
        return tuple(columns)

    def table(
        self,
        name: str,
        columns: str | Sequence[Column],
        rows: Iterable[tuple[Value, ...]],
        *,
        title: str = "",
        note: str = "",
        whole: bool = False,
        linked: bool = False,
    ) -> Table:
        """Return a table, titled by the text of its name unless a title is given; the note says what intervals mean."""
        heads = self.columns(columns) if isinstance(columns, str) else tuple(columns)
        cells = tuple(rows)
        text = joined(note, self.interval_note(cells, whole=whole))
        return Table(name, title or self.say(name), heads, cells, text, whole, linked)

    def interval_note(self, rows: Sequence[Sequence[Value]], *, whole: bool = False) -> str:
        """Say what the intervals of a table are for; where rows differ, which are for what. Empty without intervals."""
        kinds = [{kind for value in row if (kind := kind_of(value))} for row in rows]
        if not (every := set().union(*kinds)):
            return ""
        first, last = set().union(*kinds[:-1]), kinds[-1]
        if len(every) == 1:
            return self.say(f"intervals-{every.pop()}")
        if whole and len(first) == len(last) == 1:
            return joined(
                self.say(f"intervals-{first.pop()}"), self.say("intervals-last").format(kind=self._for(*last))
            )
        by_kind = {
            kind: dict.fromkeys(str(row[0]) for row, own in zip(rows, kinds, strict=True) if kind in own)
            for kind in sorted(every)
        }
        if sum(map(len, by_kind.values())) > len(set().union(*by_kind.values())):  # a row has several kinds
            return joined(*(self.say(f"intervals-{kind}") for kind in by_kind))
        return joined(
            *(
                self.say("intervals-rows").format(rows="; ".join(names), kind=self._for(kind))
                for kind, names in by_kind.items()
            )
        )

    def _for(self, kind: Kind) -> str:
        return self.say(f"for-{kind}")


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with the name of its files, a title, and a note on how to read it."""

    name: str
    title: str
    drawing: Drawing
    note: str = ""


@dataclass(frozen=True, slots=True)
class Absent:
    """What cannot be shown, and why; listed at the end of the page, or `here` where readers must see it."""

    title: str
    problems: tuple[Problem, ...]
    here: bool = False


Item = Table | Picture | Absent


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; `files` are tables that it does not show but links to."""

    name: str
    title: str
    about: str
    items: tuple[Item, ...]
    files: tuple[Table, ...] = ()


def kind_of(value: Value) -> Kind:
    """Return what the interval of a cell allows for; empty where it has none, or where another sort is meant."""
    estimate = value.estimate if isinstance(value, Accuracy) else value
    return estimate.kind if isinstance(estimate, Estimate) and not isnan(estimate.low) else ""


def _attempted(_: None, task: tuple[Callable[[Case], Result], Case]) -> tuple[Result] | tuple[None, InputError]:
    """Return a result, or an error as a value: it stands in a cell of a table, and stops nothing."""
    work, case = task
    try:
        return (work(case),)
    except InputError as error:
        return None, error


def absent(title: str, kind: str, values: Mapping[str, object] | None = None) -> Absent:
    """Return what cannot be shown for one reason."""
    return Absent(title, (Problem(kind, values=values or {}),))


def attempt(title: str, make: Callable[[], Item]) -> Item:
    """Return what is made; or, where the analysis refuses, its reasons."""
    try:
        return make()
    except InputError as error:
        return Absent(title, error.problems)


def picture(name: str, title: str, draw: Callable[[], Drawing], *, note: str = "") -> Item:
    """Return a figure; or, where it cannot be drawn, the reasons."""
    return attempt(title, lambda: Picture(name, title, draw(), note))


def pictures(
    name: str,
    title: str,
    models: Mapping[Name, Shown],
    draw: Callable[[Mapping[Name, Shown]], Drawing],
    *,
    note: str = "",
) -> Iterator[Item]:
    """Yield a figure of all models; or several, where there are more than can be told apart in one."""
    parts = ceil(len(models) / MOST) or 1
    size = ceil(len(models) / parts)
    names = list(models)
    for number in range(parts):
        some = {model: models[model] for model in names[number * size : (number + 1) * size]}
        end, which = (f"-part{number + 1}", f" ({number + 1}/{parts})") if parts > 1 else ("", "")
        yield picture(f"{name}{end}", f"{title}{which}", partial(draw, some), note=note)


def joined(*sentences: str) -> str:
    """Join the sentences of a note, with a blank unless the stop before it is a Chinese one; empty ones are dropped."""
    return " ".join(filter(None, sentences)).replace("。 ", "。")


def reasons(error: InputError, language: Language) -> str:
    """Return the texts of all problems in one line, for a cell of remarks."""
    return " ".join(problem.text(language) for problem in error.problems)


def sentence(problem: Problem, language: Language) -> str:
    """Return a reason as it stands on the page: with a capital, unless it begins with an option or with a name."""
    text = problem.text(language)
    return text if texts("problems", language)[problem.kind].startswith("{") else f"{text[:1].upper()}{text[1:]}"


def file_name(text: str) -> str:
    """Return a part of a file's name: slln:0.5 becomes slln-0.5."""
    return "-".join(filter(None, "".join(c if c.isalnum() or c in "._" else " " for c in text).split()))
