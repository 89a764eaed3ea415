"""Grammar: lexicon, rules, paradigms and projects, and the pairs that follow from them."""

from bidui.grammar.check import check_project
from bidui.grammar.count import Count
from bidui.grammar.lexicon import Lexicon, Word, read_lexicon
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, load_project, new_project, read_project

__all__ = [
    "Count",
    "Lexicon",
    "Paradigm",
    "Project",
    "Word",
    "check_project",
    "load_project",
    "new_project",
    "read_lexicon",
    "read_project",
]
