"""bidui 比对, a workbench for linguistic minimal pairs: the public names, and nothing else."""

from bidui.benchmarks import generate, open_project
from bidui.errors import BiduiError, InputError, OutputRefused, Place, Problem
from bidui.grammar import Count, Lexicon, Paradigm, Project, check_project, count, enumerate_all, read_lexicon
from bidui.pairs import Pair, Pairs, Region, measure_diversity, read_pairs, write_pairs

__all__ = [
    "BiduiError",
    "Count",
    "InputError",
    "Lexicon",
    "OutputRefused",
    "Pair",
    "Pairs",
    "Paradigm",
    "Place",
    "Problem",
    "Project",
    "Region",
    "check_project",
    "count",
    "enumerate_all",
    "generate",
    "measure_diversity",
    "open_project",
    "read_lexicon",
    "read_pairs",
    "write_pairs",
]
