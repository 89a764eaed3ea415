"""The vocabulary: the lexicon's files as tables, searched by features and text, with their problems and suggestions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bidui.errors import InputError, Place, Problem
from bidui.grammar.features import feature_problems, parse_features, with_ancestors
from bidui.grammar.lexicon import Lexicon, Word
from bidui.grammar.lexicon_file import join_lexicons, parse_lexicon
from bidui.grammar.rule_parser import parse_rule
from bidui.grammar.rules import Condition, Lexical
from bidui.web.editing.diagnostics import Diagnostic
from bidui.web.editing.positions import Lines, Span
from bidui.web.editing.rule_pieces import Piece, pieces_of
from bidui.web.editing.tables import Row, Table, read_table

MOST = 50


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of a project: the tables they stand in, and the lexicon that rules see.

    `own` are those of the problems that each file has by itself, `parts` the words of each.
    """

    tables: Mapping[str, Table]
    lexicon: Lexicon
    problems: tuple[Problem, ...] = ()
    own: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    parts: Mapping[str, Lexicon] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that was looked for."""

    file: str
    row: Row


def read_vocabulary(
    texts: Mapping[str, str], *, features: str | None = None, known: Vocabulary | None = None
) -> Vocabulary:
    """The vocabulary in the texts of the lexicon's files, by name; `features` is the text of `features.tsv`.

    Files that are as they were in a `known` vocabulary are not read again.
    """
    own: dict[str, tuple[Problem, ...]] = {}
    parts: dict[str, Lexicon] = {}
    tables: dict[str, Table] = {}
    for name, text in texts.items():
        if known is not None and name in known.parts and known.tables[name].text == text:
            parts[name], own[name], tables[name] = known.parts[name], known.own[name], known.tables[name]
            continue
        parts[name], found = parse_lexicon(text, name=name)
        own[name], tables[name] = tuple(found), read_table(text)
    problems = [problem for found in own.values() for problem in found]
    if len(parts) == 1:
        joined = next(iter(parts.values()))
    else:
        joined, found = join_lexicons(parts.values(), name="lexicon/" if parts else "lexicon.tsv")
        problems += found
    if features is not None:
        hierarchy, found = parse_features(features, name="features.tsv")
        problems += found
        own["features.tsv"] = tuple(found)
        if hierarchy is not None:
            joined = with_ancestors(joined, hierarchy)
            problems += feature_problems(joined, hierarchy)
    return Vocabulary(tables, joined, tuple(problems), own, parts)


def find(vocabulary: Vocabulary, query: str, *, file: str = "") -> tuple[Hit, ...]:
    """The rows that meet every term: `feature:value` as in rules, anything else as text in some cell.

    A value is also found by what it is a kind of. A term that is not finished (`pos:`) leaves everything in.
    """
    conditions, texts = _terms(query, vocabulary.lexicon)
    kept: set[tuple[str, int]] | None = None
    if conditions:
        kept = {(word.file, word.line) for word in vocabulary.lexicon.select(conditions)}
    found = []
    for name, table in vocabulary.tables.items():
        for row in table.rows if not file or name == file else ():
            if kept is not None and (name, row.line) not in kept:
                continue
            if not texts or _holds(row, texts):
                found.append(Hit(name, row))
    return tuple(found)


def _holds(row: Row, texts: list[str]) -> bool:
    whole = "\t".join(row.cells).casefold()
    return all(text in whole for text in texts)


def _terms(query: str, lexicon: Lexicon) -> tuple[list[Condition], list[str]]:
    conditions: list[Condition] = []
    texts: list[str] = []
    for token, pieces in _tokens(query).items():
        raw = query[slice(*token)]
        known = any(piece.kind == "feature" and lexicon.has_feature(piece.text) for piece in pieces)
        if not known:
            texts.append(raw.strip('"').casefold())
            continue
        try:
            body = parse_rule(raw, Place()).alternatives[0].rule
        except InputError:
            continue
        conditions += body.conditions if isinstance(body, Lexical) else ()
    return conditions, texts


def _tokens(query: str) -> dict[tuple[int, int], list[Piece]]:
    found: dict[tuple[int, int], list[Piece]] = {}
    for piece in pieces_of(query):
        if not piece.inside:
            found.setdefault(piece.token, []).append(piece)
    return found


def suggest(vocabulary: Vocabulary, *, column: str, typed: str, most: int = MOST) -> tuple[tuple[str, int], ...]:
    """Values for a cell, with how many words have each; of several joined by `/`, those for the last."""
    if not vocabulary.lexicon.has_feature(column) or column == "expression":
        return ()
    *before, last = typed.split("/")
    wanted = last.casefold()
    counts = vocabulary.lexicon.counts(column)
    fitting = [value for value in counts if value not in before and wanted in value.casefold()]
    fitting.sort(key=lambda value: (not value.casefold().startswith(wanted), -counts[value], value))
    return tuple((value, counts[value]) for value in fitting[:most])


def word_at(vocabulary: Vocabulary, *, file: str, line: int) -> Word | None:
    """The word in a row, unless the row is no word: without an expression, or the same as another."""
    return next((word for word in vocabulary.lexicon.words if (word.file, word.line) == (file, line)), None)


def table_diagnostics(vocabulary: Vocabulary, *, file: str) -> tuple[Diagnostic, ...]:
    """The problems of one file of the lexicon, each at its cell or line."""
    table = vocabulary.tables[file]
    lines = Lines(table.text)
    found = []
    for problem in vocabulary.problems:
        if problem.place.file == file:
            values = {key: str(value) for key, value in problem.values.items()}
            span = _cell_span(table, problem)
            found.append(Diagnostic(problem.kind, problem.severity, values, lines.range(span), file))
    return tuple(found)


def _cell_span(table: Table, problem: Problem) -> Span:
    line, part = problem.place.line, problem.place.part
    row = table.by_line.get(line)
    if row is None:
        start = sum(len(raw) + 1 for raw in table.text.split("\n")[: max(0, line - 1)])
        return Span(start, len(table.text) if (end := table.text.find("\n", start)) < 0 else end)
    name = part.removeprefix('column "').removesuffix('"')
    if name not in table.header or (number := table.header.index(name)) >= len(row.cells):
        return row.span
    start = row.span.start + sum(len(cell) + 1 for cell in row.cells[:number])
    return Span(start, start + len(row.cells[number]))
