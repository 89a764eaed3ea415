"""Classic vocabularies: the TSV cleaned of what a lexicon does not take, and a count of everything changed."""

from dataclasses import replace
from pathlib import Path

from bidui.errors import Place, Problem
from bidui.grammar.documents import read_text
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.lexicon_file import parse_lexicon


def read_vocabulary(path: Path, *, name: str) -> tuple[Lexicon, list[Problem]]:
    """The lexicon of a vocabulary file, numbered as it will be written, and problems placed in the original."""
    lines = read_text(path, name=name).replace("\r\n", "\n").split("\n")
    rows = [line.split("\t") for line in lines]
    width = len(rows[0])
    # spreadsheets leave empty columns behind
    while width > 1 and not any(cell.strip() for row in rows for cell in row[width - 1 : width]):
        width -= 1
    header = [cell.strip() for cell in rows[0][:width]]
    key = header.index("expression") if "expression" in header else -1
    cleaned = ["\t".join(header)]
    numbers = [1]
    seen: dict[tuple[str, ...], int] = {}
    blank: list[int] = []
    trimmed = [1] if header != rows[0][:width] else []
    repeated: list[str] = []
    for number, row in enumerate(rows[1:], start=2):
        cells = _cells(row, width, key)
        if key >= 0 and not cells[key]:
            blank += [number] * (number < len(rows) or any(cells))  # the end of the last line is no row
            continue
        if any(old != new for old, new in zip(row, cells, strict=False)):
            trimmed.append(number)
        if tuple(cells) in seen:
            repeated.append(f"{cells[key]} ({number} = {seen[tuple(cells)]})")
            continue
        seen[tuple(cells)] = number
        cleaned.append("\t".join(cells))
        numbers.append(number)
    lexicon, found = parse_lexicon("\n".join(cleaned) + "\n", name="lexicon.tsv")
    problems = [_counted("classic-vocabulary-blank", name, blank)] if blank else []
    problems += [_counted("classic-vocabulary-trimmed", name, trimmed)] if trimmed else []
    if repeated:
        values = {"count": len(repeated), "rows": tuple(repeated)}
        problems.append(Problem("classic-vocabulary-repeated", Place(name), values, "warning"))
    return lexicon, problems + [_placed(problem, name, numbers) for problem in found]


def _cells(row: list[str], width: int, key: int) -> list[str]:
    """The cells of a row without stray blanks and slashes, as many as there are columns."""
    cells = [
        cell.strip() if column == key else "/".join(value for part in cell.split("/") if (value := part.strip()))
        for column, cell in enumerate(row)
    ]
    while len(cells) > width and not cells[-1]:
        cells.pop()
    return cells + [""] * (width - len(cells))


def _counted(kind: str, name: str, lines: list[int]) -> Problem:
    return Problem(kind, Place(name), {"count": len(lines), "lines": tuple(lines)}, "warning")


def _placed(problem: Problem, name: str, numbers: list[int]) -> Problem:
    """The problem where the user's own file has it."""
    old = problem.place
    line = numbers[old.line - 1] if 0 < old.line <= len(numbers) else 0
    return replace(problem, place=Place(name, line, old.column, old.part))
