"""The public surface of bidui: which names there are, and what importing them costs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import bidui

from .snippets import ROOT

NAMES = [
    "Accuracies",
    "Accuracy",
    "AccuracyTable",
    "BiduiError",
    "Choices",
    "ClassicExport",
    "Comparison",
    "Corpus",
    "Count",
    "Design",
    "Diversity",
    "DiversityTable",
    "Estimate",
    "Exclusion",
    "Extraction",
    "Figure",
    "Imported",
    "InputError",
    "Interruption",
    "Lexicon",
    "Link",
    "Model",
    "Origin",
    "OutputRefused",
    "Pair",
    "PairTokens",
    "PairTotals",
    "Pairs",
    "Paradigm",
    "Participant",
    "Place",
    "Problem",
    "Project",
    "Proposal",
    "Published",
    "Recipe",
    "Region",
    "Response",
    "Rules",
    "RunEvents",
    "ScoreTable",
    "Scores",
    "SentenceTypes",
    "Service",
    "Site",
    "Size",
    "SourceCounts",
    "StoredPairs",
    "Study",
    "StudyLine",
    "StudyPeople",
    "StudyProgress",
    "StudyResults",
    "Suite",
    "SuiteRun",
    "SuiteTokenizer",
    "Sweep",
    "TokenScores",
    "Totals",
    "TrainingRun",
    "Tree",
    "TreeMatch",
    "TreeTables",
    "Trees",
    "Written",
    "accuracy",
    "add_participants",
    "add_responses",
    "alpha_grid",
    "beside_people",
    "build_corpus",
    "check",
    "check_new_folder",
    "choose",
    "choose_from",
    "choose_runs",
    "compare",
    "compare_diversity",
    "compare_models",
    "connect",
    "count",
    "decide",
    "decision_rows",
    "delete_from_workbench",
    "derive_project",
    "describe_tokenizer",
    "enumerate_all",
    "estimate",
    "expand_specs",
    "export_classic",
    "export_lm_eval",
    "export_pcibex",
    "export_scores",
    "export_study",
    "extract_phrases",
    "extract_tables",
    "fetch_study",
    "find_pairs",
    "generate",
    "generate_folder",
    "given",
    "held_out",
    "import_answers",
    "import_classic",
    "import_failed",
    "import_file",
    "length_split",
    "load_model",
    "load_tokenizer",
    "log_norm_lp",
    "lp",
    "mean_lp",
    "measure_diversity",
    "model_hint",
    "model_kinds",
    "model_labels",
    "morcela",
    "new_project",
    "new_study",
    "open_pairs",
    "open_project",
    "pair_totals",
    "parse_link",
    "pen_lp",
    "plan_suite",
    "preset",
    "propose",
    "push",
    "read_corpus",
    "read_lexicon",
    "read_pairs",
    "read_participants",
    "read_people",
    "read_published",
    "read_responses",
    "read_scores",
    "read_study",
    "read_suite",
    "read_text",
    "read_texts",
    "read_trees",
    "report",
    "run_progress",
    "run_suite",
    "schedule_hours",
    "score",
    "search_trees",
    "send_study",
    "serve",
    "set_study_state",
    "show",
    "signed_rank",
    "slln_lp",
    "slor",
    "study_exclusions",
    "study_progress",
    "study_results",
    "suite_totals",
    "suite_vocabularies",
    "sweep",
    "table_text",
    "told_apart",
    "train",
    "train_char",
    "train_ngram",
    "train_tokenizer",
    "train_word",
    "use_fonts",
    "withdraw",
    "workbench_studies",
    "write_decisions",
    "write_pairs",
    "write_results",
    "write_study",
    "write_table",
    "zh_pythia",
]
HEAVY = {"torch", "transformers", "polars", "numpy", "jieba", "rich", "typer", "fastapi", "sqlalchemy", "uvicorn"}


def test_the_public_names_are_these() -> None:
    """Others write scripts against them: a name comes or goes on purpose, and in the changelog."""
    assert bidui.__all__ == NAMES
    assert sorted(NAMES) == NAMES


def test_type_checkers_see_the_same_names() -> None:
    """The names are listed twice, for the interpreter and for type checkers; neither may fall behind."""
    tree = ast.parse(Path(bidui.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.name: node.module for node in imports for alias in node.names}
    assert seen == {name: home for home, names in bidui._HOMES.items() for name in names.split()}


def test_every_public_name_is_there_and_documented() -> None:
    assert [name for name in NAMES if not getattr(bidui, name).__doc__] == []


def test_importing_bidui_imports_nothing_heavy() -> None:
    """A command that only prints its help should not wait for torch."""
    code = "import sys, json, bidui; print(json.dumps(sorted(name.split('.')[0] for name in sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, check=True, text=True
    )
    assert HEAVY & set(json.loads(done.stdout)) == set()
