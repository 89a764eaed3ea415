"""Lexicon files: a TSV with a header, one word a row, read with every problem found in one pass."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from bidui.errors import InputError, Place, Problem
from bidui.grammar.documents import read_text
from bidui.grammar.lexicon import Lexicon, Word
from bidui.grammar.rules import ESCAPED, KEYWORDS

_FULL_WIDTH = re.compile(r"[\uff01-\uff5e\u3000]")
_FULL_WIDTH_ALNUM = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u3000]")


def read_lexicon(path: str | Path) -> Lexicon:
    """The lexicon in a TSV file; raises `InputError` with every error in it."""
    lexicon, problems = parse_lexicon(read_text(Path(path), name=str(path)), name=str(path))
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise InputError(errors)
    return lexicon


def parse_lexicon(text: str, *, name: str) -> tuple[Lexicon, list[Problem]]:
    """The lexicon in a text, as far as it can be read, and all its problems, warnings too."""
    lines = text.replace("\r\n", "\n").split("\n")
    header = lines[0].split("\t")
    problems = list(_header_problems(header, name))
    if "expression" not in header:
        return Lexicon((), (), name), problems
    # a column without a good name is read under one that no rule can ask for
    first = {feature: n for n, feature in reversed(list(enumerate(header)))}
    header = [
        f"{feature} {n}" if _unusable(feature) or first[feature] < n else feature for n, feature in enumerate(header)
    ]
    expression = header.index("expression")
    words: list[Word] = []
    first_line: dict[tuple[str, ...], int] = {}
    last = len(lines) - 1
    for number, line in enumerate(lines[1:], start=2):
        cells = tuple(line.split("\t"))
        if not line.strip():
            if number <= last:
                problems.append(Problem("lexicon-blank-line", Place(name, number), severity="warning"))
            continue
        found = list(_row_problems(cells, header, number, name))
        problems += found
        cells = (cells + ("",) * len(header))[: len(header)]
        if cells in first_line:
            values = {"form": cells[expression], "line": first_line[cells]}
            problems.append(Problem("lexicon-duplicate", Place(name, number), values))
        elif cells[expression].strip():
            words.append(_word(tuple(map(_cleaned, cells)) if found else cells, header, len(words), (number, name)))
        first_line.setdefault(cells, number)
    features = tuple(feature for feature in header if feature != "expression")
    lexicon = Lexicon(tuple(words), features, name)
    problems += _value_problems(lexicon, name)
    return lexicon, problems


def join_lexicons(parts: Iterable[Lexicon], *, name: str) -> tuple[Lexicon, list[Problem]]:
    """The words of several files as one lexicon, and those that are in two of them with the same features."""
    words: list[Word] = []
    problems: list[Problem] = []
    seen: dict[str, list[Word]] = {}
    features: dict[str, None] = {}
    for part in parts:
        features |= dict.fromkeys(part.features)
        for word in part.words:
            alike = seen.setdefault(word.form, [])
            other = next((one for one in alike if one.values == word.values), None)
            if other is None:
                alike.append(word)
            else:
                values = {"form": word.form, "file": other.file, "line": other.line}
                problems.append(Problem("lexicon-in-two-files", Place(word.file, word.line), values))
            words.append(Word(len(words), word.form, word.values, word.line, word.file))
    return Lexicon(tuple(words), tuple(features), name), problems


def _cleaned(cell: str) -> str:
    """What was meant: a word must not be missing elsewhere because of a blank here."""
    return "/".join(value.strip() for value in cell.split("/") if value.strip()) or cell.strip()


def _word(cells: tuple[str, ...], header: list[str], index: int, place: tuple[int, str]) -> Word:
    values = {
        feature: frozenset(cell.split("/")) if "/" in cell else frozenset((cell,))
        for feature, cell in zip(header, cells, strict=True)
        if cell and feature != "expression"
    }
    return Word(index, cells[header.index("expression")].strip(), values, *place)


def _header_problems(header: list[str], name: str) -> Iterator[Problem]:
    if "expression" not in header:
        yield Problem("lexicon-no-expression", Place(name, 1), {"columns": header})
        return
    seen: set[str] = set()
    for column, feature in enumerate(header):
        place = Place(name, 1, 0, f"column {column + 1}")
        twice = feature in seen
        seen.add(feature)
        if twice:
            yield Problem("lexicon-column-twice", place, {"feature": feature})
        elif not feature or any(c in ESCAPED or c.isspace() for c in feature):
            yield Problem("lexicon-column-name", place, {"feature": feature})
        elif feature in KEYWORDS:
            yield Problem("lexicon-column-keyword", place, {"feature": feature})


def _unusable(feature: str) -> bool:
    return not feature or feature in KEYWORDS or any(c in ESCAPED or c.isspace() for c in feature)


def _row_problems(cells: tuple[str, ...], header: list[str], line: int, name: str) -> Iterator[Problem]:
    if len(cells) > len(header):
        values = {"cells": len(cells), "columns": len(header), "extra": cells[len(header) :]}
        yield Problem("lexicon-too-many-cells", Place(name, line), values)
        return
    for column, cell in enumerate(cells):
        place = Place(name, line, 0, f'column "{header[column]}"')
        if header[column] == "expression":
            if not cell.strip():
                yield Problem("lexicon-empty-expression", place)
            elif cell != cell.strip():
                yield Problem("lexicon-whitespace", place, {"cell": repr(cell)})
        elif cell and any(not value or value != value.strip() for value in cell.split("/")):
            yield Problem("lexicon-whitespace", place, {"cell": repr(cell)})


def _value_problems(lexicon: Lexicon, name: str) -> Iterator[Problem]:
    """Warnings on values: probable misspellings, and full-width characters among half-width ones."""
    for word in lexicon.words:
        if _FULL_WIDTH_ALNUM.search(word.form):
            place = Place(name, word.line, 0, 'column "expression"')
            yield _width_problem(place, word.form)
    for feature in lexicon.features:
        counts = lexicon.counts(feature)
        misspelt = dict(_misspellings(counts))
        odd = {value for value in counts if _FULL_WIDTH.search(value)} | misspelt.keys()
        if not odd:
            continue
        for word in lexicon.words:
            for value in sorted(word.get(feature) & odd):
                place = Place(name, word.line, 0, f'column "{feature}"')
                if value in misspelt:
                    near = misspelt[value]
                    values = {"value": value, "near": near, "count": counts[near]}
                    yield Problem("lexicon-misspelt", place, values, "warning")
                else:
                    yield _width_problem(place, value)


def _width_problem(place: Place, value: str) -> Problem:
    values = {"value": value, "half": unicodedata.normalize("NFKC", value)}
    return Problem("lexicon-full-width", place, values, "warning")


def _misspellings(counts: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Values used once that are one letter away from one used three times or more.

    Only for values of four or more Latin letters: short ones and Chinese words differ by one character by right.
    """
    frequent = {value for value, n in counts.items() if n >= 3 and len(value) >= 4 and value.isascii()}
    deleted: dict[str, str] = {}
    for value in sorted(frequent):
        for shorter in (value, *_without_one(value)):
            deleted.setdefault(shorter, value)
    for value, n in counts.items():
        if n == 1 and value not in frequent and len(value) >= 4 and value.isascii():
            near = next((deleted[v] for v in (value, *_without_one(value)) if v in deleted), None)
            # `person1` beside `person2` is a series, not a slip
            if near and re.sub(r"\d", "", near) != re.sub(r"\d", "", value):
                yield value, near


def _without_one(value: str) -> list[str]:
    return [value[:i] + value[i + 1 :] for i in range(len(value))]
