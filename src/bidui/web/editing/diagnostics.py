"""Diagnostics: the problems of a text, finished or half-typed, each at the characters that caused it.

`compile_text` reads a paradigm and collects its problems, which name a line and column. `located` finds the characters
that each problem is about: a whole rule, a token of it, a single character, or the rest of a line.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from bidui.errors import InputError, Place, Problem, Severity, collect, distinct
from bidui.grammar.lexicon import literal_problems, rule_problems
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Line, Paradigm, Slot, Use, Variant
from bidui.grammar.paradigm_file import paradigm_of, phrases_of
from bidui.grammar.rules import Alternative, Phrase, Ref, Rule
from bidui.grammar.yaml import Mapping as MappingNode
from bidui.grammar.yaml import Path, Scalar, keys_and_scalars, offsets, scalars_of
from bidui.web.editing.edits import read_tree, try_read_tree
from bidui.web.editing.paradigm import is_rule
from bidui.web.editing.pieces import items_of, parsed, pieces_of
from bidui.web.editing.text import Lines, Range, Span, Utf16
from bidui.web.problems import plain
from bidui.words import Language

_CHARACTER = {"bracket-stray", "bracket-too-deep", "quote-inside", "escape-unknown"}  # problems of a single character
_REST = {"quote-open"}  # problems of all that follows
_NAMED = {  # the value of a problem that names the piece it is about, and the kinds of such pieces
    "value-unknown": ("value", ("value",)),
    "feature-unknown": ("feature", ("feature", "theirs")),
    "slot-unknown": ("slot", ("slot",)),
    "phrase-unknown": ("phrase", ("phrase",)),
    "relation-unknown": ("relation", ("relation",)),
    "part-unknown": ("part", ("slot", "part")),
    "position-bad": ("position", ("slot",)),
}
_FIELDS = {"edit-differs": "edit", "linked-unequal": "link", "crossed-form": "crossed"}  # that problems are about


@dataclass(frozen=True, slots=True)
class Site:
    """A scalar of a text with its path, and as it is written."""

    path: Path
    scalar: Scalar
    raw: str
    key: bool = False

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        return Span(self.scalar.start, self.scalar.end)

    def at(self, offset: int) -> int:
        """Return where in the text the character number `offset` of the scalar stands."""
        places = offsets(self.raw, self.scalar.text, style=self.scalar.style)
        return self.scalar.start + places[max(0, min(offset, len(places) - 1))]

    def inner(self, span: Span) -> Span | None:
        """Return which of its characters stand in a stretch of the text, as browsers count them."""
        if self.key or not self.scalar.start <= span.start <= span.end <= self.scalar.end:
            return None
        places = offsets(self.raw, self.scalar.text, style=self.scalar.style)
        start, end = (bisect_left(places, at - self.scalar.start) for at in (span.start, span.end))
        return Utf16(self.scalar.text).span(Span(min(start, len(places) - 1), min(end, len(places) - 1)))


def sites_in(text: str, document: MappingNode | None) -> tuple[Site, ...]:
    """Return all scalars of a text, keys too, in order; none where it is not YAML."""
    if document is None:
        return ()
    return tuple(Site(path, at, text[at.start : at.end], key) for path, at, key in keys_and_scalars(document))


def span_of(problem: Problem, lines: Lines, sites: Sequence[Site]) -> tuple[Span, Site | None]:
    """Return the characters that a problem is about, and the scalar they stand in."""
    place = problem.place
    here = [s for s in sites if s.scalar.place.line == place.line and s.scalar.place.column <= max(place.column, 1)]
    field = _FIELDS.get(problem.kind, "" if place.line else "uid")
    if field and (not here or here[-1].key):
        below = [s for s in sites if s.path[-1] == field and s.scalar.place.line >= place.line]
        site = min(below, key=lambda s: s.key, default=None)  # a value before its key
        return (site.span, site) if site else (Span(0, 0), None)
    if not here:  # the rest of the line; at its end, its last character
        start = lines.offset(place.line, place.column)
        end = lines.line_end(start)
        return Span(start if start < end else max(lines.line_start(start), end - 1), end), None
    site = here[-1]
    if problem.kind == "slot-unused" or site.scalar.start == site.scalar.end:
        site = next(s for s in sites if s.path == site.path)  # its key
    elif problem.kind == "slot-unknown" and site.key:  # in a list of names
        named = (s for s in sites if s.path[:-1] == site.path and s.scalar.text == problem.values["slot"])
        site = next(named, site)
    start, end = _within(problem, site, place.column - site.scalar.place.column)
    span = Span(site.at(start), site.at(end))
    return (site.span if span.start == span.end else span), site


def _within(problem: Problem, site: Site, offset: int) -> tuple[int, int]:
    """Return the characters of a scalar that a problem is about, counted from its start."""
    text = site.scalar.text
    offset = max(0, min(offset, len(text)))
    if site.key or not text:
        return 0, len(text)
    if problem.kind in _CHARACTER:
        return offset, min(offset + 1, len(text))
    if problem.kind in _REST:
        return offset, len(text)
    if site.path[-2:-1] in {("slots",), ("parts",)} or isinstance(site.path[-1], int):
        return _in_rule(problem, text, offset)
    if site.path[-1] in {"good", "bad", "line"} and problem.kind != "sides-equal":
        items = items_of(text, slots=())
        return next(((item.start, item.end) for item in items if item.start <= offset < item.end), (0, len(text)))
    return 0, len(text)


def _in_rule(problem: Problem, rule: str, offset: int) -> tuple[int, int]:
    pieces = pieces_of(rule)
    if problem.kind in _NAMED:
        key, kinds = _NAMED[problem.kind]
        name = str(problem.values.get(key, ""))
        for piece in pieces:
            names = piece.text.split(".") if piece.kind in {"slot", "part"} else ()
            if piece.token[0] >= offset and piece.kind in kinds and name in (piece.text, *names):
                return piece.start, piece.end
    if offset == 0 and problem.kind in {"no-word-fits", "column-several", "crossed-form"}:
        return 0, len(rule)
    around = [piece.token for piece in pieces if piece.token[0] <= offset < piece.token[1]]
    if around:
        return min(around, key=lambda token: token[1] - token[0])
    weight = re.compile(r"[^\s|]+").match(rule, offset)
    return weight.span() if weight else (max(0, offset - 1), offset)  # an empty alternative shows at its bar


MAX_SHOWN = 100
MAX_ROWS = 1_000  # slots and variants of a paradigm; the largest that is shipped has 60


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem of a text; without a range it lies in another file.

    `row` is the path of the scalar that it stands in, and `inner` its characters in that rule or line, as browsers
    count them. `slot` and `variant` (from 0) are the slot and the variant that it stands in, if it does. `where` says
    in words what it is about, as the command line does; `part` is the same in English.
    """

    kind: str
    severity: Severity
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = None
    file: str = ""
    slot: str = ""
    variant: int | None = None
    row: Path = ()
    inner: Span | None = None
    where: str = ""
    part: str = ""

    def said(self, language: Language) -> "Diagnostic":
        """Return the same in another language."""
        text = Problem(self.kind, values=self.values).text(language)
        return replace(self, text=text, where=Place(part=self.part).text(language))


@dataclass(frozen=True, slots=True)
class Compilation:
    """A paradigm's text as a tree, a paradigm and its networks, as far as it can be read, and its problems."""

    text: str
    name: str
    document: MappingNode | None
    paradigm: Paradigm | None = None
    networks: tuple[Network, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether there is an error, so that there can be no pairs."""
        return any(problem.severity == "error" for problem in self.problems)

    def diagnostics(self, problems: Iterable[Problem], *, language: Language) -> tuple[Diagnostic, ...]:
        """Return problems with their places in the text."""
        return located(self.text, problems, name=self.name, language=language, document=self.document)


def compile_text(text: str, *, name: str, compiler: Compiler) -> Compilation:
    """Compile the paradigm in a text, with everything that is wrong in it; what the text holds raises no errors.

    Where one rule is broken, the others are still checked against the lexicon.
    """
    try:
        document = read_tree(text, name=name)
    except InputError as error:
        return Compilation(text, name, None, problems=error.problems)
    paradigm, problems = paradigm_of(document)
    made = Compilation(text, name, document, paradigm, problems=tuple(problems))
    if paradigm is None:
        more = [*islice(_rule_problems(document, compiler), MAX_SHOWN)]
        more += islice(_literal_problems(document, compiler), MAX_SHOWN)
        return replace(made, problems=tuple(distinct([*problems, *more])))
    rows = sum(1 + len(variant.slots) for variant in paradigm.variants)
    if rows > MAX_ROWS:
        problem = Problem("too-many-rows", Place(name), {"rows": rows, "limit": MAX_ROWS})
        return replace(made, paradigm=None, problems=(problem,))
    problems += islice(_literal_problems(document, compiler, separator=paradigm.separator), MAX_SHOWN)
    made = replace(made, problems=tuple(problems))
    try:
        return replace(made, networks=tuple(compiler.networks(paradigm)))
    except InputError as error:
        return replace(made, problems=(*problems, *error.problems))


def phrase_problems(document: MappingNode, *, compiler: Compiler) -> list[Problem]:
    """Return the problems of a tree of phrases; each phrase is tried by itself."""
    phrases, problems = phrases_of(document)
    problems += islice(_rule_problems(document, replace(compiler, phrases=phrases), phrases=True), MAX_SHOWN)
    problems += islice(_literal_problems(document, compiler, phrases=True), MAX_SHOWN)
    if not any(problem.severity == "error" for problem in problems):
        trial = replace(compiler, phrases=phrases, endless=None)
        for phrase in phrases:
            rule = Rule((Alternative(Phrase(phrase)),))
            use = Use(Ref("phrase"))
            variant = Variant("", {"phrase": Slot("phrase", rule)}, Line((use,)), Line((use, use)))
            with collect(problems):
                trial.networks(Paradigm("phrase", "phrase", (variant,)))
    return list(distinct(problems))


def located(
    text: str, problems: Iterable[Problem], *, name: str, language: Language = "en", document: MappingNode | None = None
) -> tuple[Diagnostic, ...]:
    """Return problems with their places in a text, by position; those of other files keep only the file's name."""
    ordered = sorted(problems, key=lambda problem: (problem.place.file != name, problem.place.line))
    if not ordered:
        return ()
    lines, sites = Lines(text), sites_in(text, document or try_read_tree(text))
    diagnostics = [_diagnostic(problem, name, lines, sites, language) for problem in ordered[:MAX_SHOWN]]
    diagnostics.sort(key=lambda diagnostic: diagnostic.range.start if diagnostic.range else len(text))
    if len(ordered) > MAX_SHOWN:
        more = Problem("more-problems", Place(name), {"count": len(ordered) - MAX_SHOWN}, "warning")
        start = lines.range(Span(0, 0))
        diagnostics.append(Diagnostic(more.kind, more.severity, more.text(language), more.values, start, name))
    return tuple(diagnostics)


def _diagnostic(problem: Problem, name: str, lines: Lines, sites: Sequence[Site], language: Language) -> Diagnostic:
    values = {key: plain(value) for key, value in problem.values.items()}
    elsewhere = problem.place.file not in {name, ""}
    part = str(problem.place) if elsewhere else problem.place.part
    diagnostic = Diagnostic(problem.kind, problem.severity, "", values, part=part).said(language)
    if elsewhere:
        return replace(diagnostic, file=problem.place.file)
    span, site = span_of(problem, lines, sites)
    row = site.path if site else ()
    value = next((s for s in sites if site and s.path == site.path and not s.key), None)
    return replace(
        diagnostic,
        range=lines.range(span),
        file=name,
        slot=str(row[-1]) if row[-2:-1] == ("slots",) else "",
        variant=int(row[1]) if row[:1] == ("variants",) and len(row) > 1 else None,
        row=row,
        inner=value.inner(span) if value else None,
    )


def _rule_problems(document: MappingNode, compiler: Compiler, *, phrases: bool = False) -> Iterable[Problem]:
    """Return what can be said of each rule by itself, where the file as a whole cannot be read."""
    for rule, place in _rules(document, phrases=phrases):
        yield from rule_problems(rule, place, lexicon=compiler.domains.lexicon, phrases=compiler.phrases)


def _literal_problems(
    document: MappingNode, compiler: Compiler, *, separator: str | None = None, phrases: bool = False
) -> Iterable[Problem]:
    """Return warnings about words that look like something else; `separator` is the paradigm's own."""
    own = compiler.style.separator if separator is None else separator
    for rule, place in _rules(document, phrases=phrases):
        yield from literal_problems(rule, place, lexicon=compiler.domains.lexicon, separator=own)


def _rules(document: MappingNode, *, phrases: bool) -> Iterable[tuple[Rule, Place]]:
    """Yield the rules of a document that can be read; those that cannot have been reported."""
    for path, scalar in scalars_of(document):
        if is_rule(path, phrases=phrases) and (rule := parsed(scalar.text)):
            yield rule, scalar.place
