"""Diagnostics: the problems of a text, finished or half-typed, each at the characters that caused it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from bidui.errors import InputError, Place, Problem, Severity, distinct
from bidui.grammar.conditions import rule_problems
from bidui.grammar.lines import Line, Use
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm, Slot, Variant
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.phrase_file import parse_phrases
from bidui.grammar.rule_parser import parse_rule
from bidui.grammar.rules import Alternative, Phrase, Ref, Rule
from bidui.web.editing.layout import Path, refuse_unreadable
from bidui.web.editing.paradigm_rows import is_rule
from bidui.web.editing.positions import Lines, Range, Span
from bidui.web.editing.ranges import Located, scalars_in, span_of
from bidui.words import Language

MAX_SHOWN = 100
MAX_ROWS = 1_000  # slots and variants of a paradigm; the largest that is shipped has 60


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem, where it stands, and in which row."""

    kind: str
    severity: Severity
    values: Mapping[str, str | int | list[str]] = field(default_factory=dict)
    range: Range | None = None  # none: it lies in another file
    file: str = ""
    row: Path = ()  # of the scalar it stands in

    @property
    def slot(self) -> str:
        """The slot in whose rule it stands, if it does."""
        return str(self.row[-1]) if self.row[-2:-1] == ("slots",) else ""

    @property
    def variant(self) -> int | None:
        """The variant in which it stands, counted from 0."""
        return int(self.row[1]) if self.row[:1] == ("variants",) and len(self.row) > 1 else None

    def text(self, language: Language = "en") -> str:
        """Its words."""
        return Problem(self.kind, values=self.values).text(language)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a paradigm's text is: a paradigm and its networks, as far as it can be read, and its problems."""

    paradigm: Paradigm | None
    networks: tuple[Network, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether there is an error, so that there can be no pairs."""
        return any(problem.severity == "error" for problem in self.problems)


def compile_text(text: str, *, name: str, compiler: Compiler) -> Compiled:
    """The paradigm in a text, with everything that is wrong in it; never raises for what the text holds.

    Where one rule is broken, the others are still held against the lexicon.
    """
    try:
        refuse_unreadable(text, name=name)
    except InputError as error:
        return Compiled(None, problems=error.problems)
    paradigm, problems = parse_paradigm(text, name=name)
    if paradigm is None:
        problems += islice(_rule_problems(text, name, compiler), MAX_SHOWN)
        return Compiled(None, problems=tuple(distinct(problems)))
    rows = sum(1 + len(variant.slots) for variant in paradigm.variants)
    if rows > MAX_ROWS:
        return Compiled(None, problems=(Problem("too-many-rows", Place(name), {"rows": rows, "limit": MAX_ROWS}),))
    try:
        return Compiled(paradigm, tuple(compiler.networks(paradigm)), tuple(problems))
    except InputError as error:
        return Compiled(paradigm, problems=(*problems, *error.problems))


def paradigm_diagnostics(text: str, *, name: str, compiler: Compiler) -> tuple[Diagnostic, ...]:
    """The problems of a paradigm's text, by position."""
    return located(text, compile_text(text, name=name, compiler=compiler).problems, name=name)


def phrase_diagnostics(text: str, *, compiler: Compiler, name: str = "phrases.yaml") -> tuple[Diagnostic, ...]:
    """The problems of a text of phrases, by position: each phrase is tried by itself."""
    try:
        refuse_unreadable(text, name=name)
    except InputError as error:
        return located(text, error.problems, name=name)
    phrases, problems = parse_phrases(text, name=name)
    problems += islice(_rule_problems(text, name, replace(compiler, phrases=phrases), phrases=True), MAX_SHOWN)
    if not any(problem.severity == "error" for problem in problems):
        trial = replace(compiler, phrases=phrases, endless=None)
        for phrase in phrases:
            rule = Rule((Alternative(Phrase(phrase)),))
            use = Use(Ref("phrase"))
            variant = Variant("", {"phrase": Slot("phrase", rule)}, Line((use,)), Line((use, use)))
            try:
                trial.networks(Paradigm("phrase", "phrase", (variant,)))
            except InputError as error:
                problems += error.problems
    return located(text, distinct(problems), name=name)


def located(text: str, problems: Iterable[Problem], *, name: str) -> tuple[Diagnostic, ...]:
    """Problems with their places in a text; those of other files keep the file's name only."""
    lines, scalars = Lines(text), scalars_in(text)
    ordered = sorted(problems, key=lambda problem: (problem.place.file != name, problem.place.line))
    found = [_diagnostic(problem, name, lines, scalars) for problem in ordered[:MAX_SHOWN]]
    found.sort(key=lambda diagnostic: diagnostic.range.start if diagnostic.range else len(text))
    if len(ordered) > MAX_SHOWN:
        values: dict[str, str | int | list[str]] = {"count": len(ordered) - MAX_SHOWN}
        found.append(Diagnostic("more-problems", "warning", values, lines.range(Span(0, 0)), name))
    return tuple(found)


def _diagnostic(problem: Problem, name: str, lines: Lines, scalars: Sequence[Located]) -> Diagnostic:
    values = {key: _plain(value) for key, value in problem.values.items()}
    if problem.place.file not in {name, ""}:
        return Diagnostic(problem.kind, problem.severity, values, None, problem.place.file)
    span, row = span_of(problem, lines, scalars)
    return Diagnostic(problem.kind, problem.severity, values, lines.range(span), name, row)


def _plain(value: object) -> str | int | list[str]:
    """A value that can travel as JSON."""
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return value if isinstance(value, int) else str(value)


def _rule_problems(text: str, name: str, compiler: Compiler, *, phrases: bool = False) -> Iterable[Problem]:
    """What can be said of each rule by itself, where the file as a whole cannot be read."""
    for at in scalars_in(text):
        if at.key or not is_rule(at.path, phrases=phrases):
            continue
        place = Place(name, at.line, at.column)
        try:
            rule = parse_rule(at.scalar.text, place)
        except InputError:
            continue  # said already
        yield from rule_problems(rule, place, lexicon=compiler.domains.lexicon, phrases=compiler.phrases)
