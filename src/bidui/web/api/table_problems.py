"""Problems of tables as they travel: each with its row and the name of its column."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from bidui.errors import Place, Problem, Severity
from bidui.web.problems import problem_shape
from bidui.words import Language

_MOST = 1_000  # that are listed


class TableProblem(BaseModel):
    """A problem of the lexicon; `column` is the name of a column, empty where it is the whole row."""

    kind: str
    severity: Severity
    text: str
    values: dict[str, Any]
    file: str
    line: int
    column: str


def table_problems(problems: Sequence[Problem], language: Language) -> list[TableProblem]:
    """Problems of a table, each with its row and column."""
    shown = list(problems[:_MOST])
    if len(problems) > _MOST:
        shown.append(Problem("more-problems", Place(), {"count": len(problems) - _MOST}, "warning"))
    return [_problem(problem, language) for problem in shown]


def _problem(problem: Problem, language: Language) -> TableProblem:
    shape, part = problem_shape(problem, language), problem.place.part
    named = part.startswith('column "') and part.endswith('"')
    return TableProblem(
        kind=shape.kind,
        severity=shape.severity,
        text=shape.text,
        values=shape.values,
        file=problem.place.file,
        line=problem.place.line,
        column=part[len('column "') : -1] if named else "",
    )
