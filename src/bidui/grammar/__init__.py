"""Grammar: from the files of a project to minimal pairs.

Flows in: a project folder with a lexicon, relations, phrases and paradigms. Flows out: pairs (`generate`), their number
(`count`) and every problem of the project (`check`).

Open `rules.py` for the rule language and `paradigm.py` for what a paradigm is. `project.py` reads the files, `tree.py`
expands a variant into choices and words, `network.py` compiles it into leaves, domains and constraints, `frames.py`
fills and prints it under one choice of alternatives, and `draw.py` picks words. `count.py` counts without drawing;
`ambiguity.py` and `crossing.py` ask whether sentences coincide. `classic/` reads and writes the papers' own format,
`archives.py` zips; `names.py` says which names files may have.
"""

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
