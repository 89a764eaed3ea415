"""The public surface of bidui: which names there are, and what importing them costs."""

import json
import subprocess
import sys

import bidui

from .snippets import ROOT

NAMES = [
    "Accuracy",
    "BiduiError",
    "Choices",
    "Comparison",
    "Corpus",
    "Count",
    "InputError",
    "Lexicon",
    "Link",
    "Model",
    "OutputRefused",
    "Pair",
    "PairTotals",
    "Pairs",
    "Paradigm",
    "Place",
    "Problem",
    "Project",
    "Published",
    "Recipe",
    "Region",
    "ScoreTable",
    "Scores",
    "Sweep",
    "TokenScores",
    "Totals",
    "TrainingRun",
    "accuracy",
    "alpha_grid",
    "build_corpus",
    "check_project",
    "choose",
    "choose_from",
    "compare_models",
    "count",
    "enumerate_all",
    "find_pairs",
    "generate",
    "given",
    "held_out",
    "length_split",
    "load_model",
    "load_tokenizer",
    "log_norm_lp",
    "lp",
    "mean_lp",
    "measure_diversity",
    "morcela",
    "open_project",
    "pair_totals",
    "pen_lp",
    "read_corpus",
    "read_lexicon",
    "read_pairs",
    "read_published",
    "read_scores",
    "score",
    "signed_rank",
    "slln_lp",
    "slor",
    "sweep",
    "told_apart",
    "train",
    "train_char",
    "train_ngram",
    "train_word",
    "write_pairs",
]
HEAVY = {"torch", "transformers", "polars", "numpy", "jieba", "rich", "typer", "fastapi", "sqlalchemy", "uvicorn"}


def test_the_public_names_are_these() -> None:
    """Others write scripts against them: a name comes or goes on purpose, and in the changelog."""
    assert bidui.__all__ == NAMES
    assert sorted(NAMES) == NAMES


def test_every_public_name_is_there_and_documented() -> None:
    assert [name for name in NAMES if not getattr(bidui, name).__doc__] == []


def test_importing_bidui_imports_nothing_heavy() -> None:
    """A command that only prints its help should not wait for torch."""
    code = "import sys, json, bidui; print(json.dumps(sorted(name.split('.')[0] for name in sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, check=True, text=True
    )
    assert HEAVY & set(json.loads(done.stdout)) == set()
