"""Grammar: lexicon, rules, paradigms and projects, and the pairs that follow from them."""

from collections.abc import Iterator

from bidui.grammar.check import check_project
from bidui.grammar.count import Count
from bidui.grammar.draw import enumerate_pairs
from bidui.grammar.generate import as_pair, count_pairs
from bidui.grammar.lexicon import Lexicon, Word, read_lexicon
from bidui.grammar.network import Compiler
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, load_project, read_project
from bidui.pairs import Pair

__all__ = [
    "Count",
    "Lexicon",
    "Paradigm",
    "Project",
    "Word",
    "check_project",
    "count",
    "enumerate_all",
    "load_project",
    "read_lexicon",
    "read_project",
]


def count(project: Project, uid: str) -> Count:
    """How many distinct pairs a paradigm has."""
    return count_pairs(Compiler.of(project).networks(project.paradigm(uid)))


def enumerate_all(project: Project, uid: str) -> Iterator[Pair]:
    """Every distinct pair of a paradigm, as a stream."""
    paradigm = project.paradigm(uid)
    for number, draw in enumerate(enumerate_pairs(Compiler.of(project).networks(paradigm))):
        yield as_pair(draw, paradigm, number)
