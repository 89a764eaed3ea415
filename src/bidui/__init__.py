"""bidui 比对, a workbench for linguistic minimal pairs: the public names, and nothing else.

A name is imported when it is first used, so that `import bidui` is quick and a machine that only runs models needs
nothing but their packages.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bidui.analysis import Accuracy, accuracy
    from bidui.benchmarks import generate, open_project
    from bidui.errors import BiduiError, InputError, OutputRefused, Place, Problem
    from bidui.grammar import Count, Lexicon, Paradigm, Project, check_project, count, enumerate_all, read_lexicon
    from bidui.pairs import Pair, Pairs, Region, measure_diversity, read_pairs, told_apart, write_pairs
    from bidui.scores import (
        Choices,
        Link,
        ScoreTable,
        Totals,
        choose,
        log_norm_lp,
        lp,
        mean_lp,
        morcela,
        pen_lp,
        score,
        slln_lp,
        slor,
    )

_HOMES = {
    "bidui.analysis": "Accuracy accuracy",
    "bidui.benchmarks": "generate open_project",
    "bidui.errors": "BiduiError InputError OutputRefused Place Problem",
    "bidui.grammar": "Count Lexicon Paradigm Project check_project count enumerate_all read_lexicon",
    "bidui.pairs": "Pair Pairs Region measure_diversity read_pairs told_apart write_pairs",
    "bidui.scores": "Choices Link ScoreTable Totals choose log_norm_lp lp mean_lp morcela pen_lp score slln_lp slor",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Accuracy",
    "BiduiError",
    "Choices",
    "Count",
    "InputError",
    "Lexicon",
    "Link",
    "OutputRefused",
    "Pair",
    "Pairs",
    "Paradigm",
    "Place",
    "Problem",
    "Project",
    "Region",
    "ScoreTable",
    "Totals",
    "accuracy",
    "check_project",
    "choose",
    "count",
    "enumerate_all",
    "generate",
    "log_norm_lp",
    "lp",
    "mean_lp",
    "measure_diversity",
    "morcela",
    "open_project",
    "pen_lp",
    "read_lexicon",
    "read_pairs",
    "score",
    "slln_lp",
    "slor",
    "told_apart",
    "write_pairs",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'bidui' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
