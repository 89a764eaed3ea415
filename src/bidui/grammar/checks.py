"""Checks: every problem of a project in one run, in its files and in the pairs that follow from them."""

from bidui.errors import InputError, Problem
from bidui.grammar.consequences import independent
from bidui.grammar.network import Compiler
from bidui.grammar.project import Project


def check_project(project: Project, *, seconds: float = 100) -> list[Problem]:
    """Every problem found, errors and warnings, in the order of the files."""
    problems = list(project.problems)
    compiler = Compiler.of(project)
    for paradigm in project.paradigms:
        try:
            compiler.networks(paradigm)
        except InputError as error:
            problems += error.problems
    return list(independent(project, problems))
