"""bidui 比对, a workbench for linguistic minimal pairs: the public names, and nothing else.

A name is imported when it is first used, so that `import bidui` is quick and a machine that only runs models needs
nothing but their packages.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from bidui.analysis import Accuracies, Accuracy, accuracy
    from bidui.analysis.length_bias import Sweep, alpha_grid, held_out, sweep
    from bidui.analysis.people import StudyPeople, beside_people, read_people
    from bidui.analysis.significance import Comparison, compare_models, signed_rank
    from bidui.benchmarks import (
        check,
        count,
        derive_project,
        enumerate_all,
        export_classic,
        find_pairs,
        generate,
        generate_folder,
        new_study,
        open_pairs,
        open_project,
    )
    from bidui.errors import BiduiError, InputError, Interruption, OutputRefused, Place, Problem, import_failed
    from bidui.files import check_new_folder
    from bidui.grammar import Count, Lexicon, Paradigm, Project, new_project, read_lexicon
    from bidui.grammar.classic import ClassicExport, import_classic
    from bidui.intervals import Estimate
    from bidui.models.given import given
    from bidui.models.model import Model, TokenScores
    from bidui.models.specs import expand_specs, load_model, model_hint, model_kinds, model_labels
    from bidui.pairs import (
        Diversity,
        DiversityTable,
        Origin,
        Pair,
        Pairs,
        Region,
        SentenceTypes,
        StoredPairs,
        Written,
        compare_diversity,
        export_lm_eval,
        measure_diversity,
        read_pairs,
        told_apart,
        write_pairs,
    )
    from bidui.people.agreement import Figure, StudyResults, study_results
    from bidui.people.decisions import Proposal, decide, decision_rows, propose, write_decisions
    from bidui.people.design import Design, Rules, Size, estimate, preset
    from bidui.people.exchange import (
        Imported,
        export_pcibex,
        export_study,
        import_answers,
        import_file,
        write_results,
    )
    from bidui.people.participants import Participant, add_participants, read_participants, withdraw
    from bidui.people.progress import StudyProgress, study_progress
    from bidui.people.responses import Exclusion, Response, add_responses, read_responses, study_exclusions
    from bidui.people.study import Study, read_study, read_text, read_texts, write_study
    from bidui.reports.compare import AccuracyTable, compare
    from bidui.reports.figures.style import use_fonts
    from bidui.reports.published import Published, read_published
    from bidui.reports.show import PairTokens, show
    from bidui.reports.site import Site, report
    from bidui.reports.tables import table_text, write_table
    from bidui.scale.workers import connect
    from bidui.scores.choices import Choices, PairTotals, choose, choose_from, length_split, pair_totals
    from bidui.scores.links import Link, Totals, log_norm_lp, lp, mean_lp, morcela, parse_link, pen_lp, slln_lp, slor
    from bidui.scores.run import export_scores, score
    from bidui.scores.table import Scores, ScoreTable, read_scores
    from bidui.training.build import build_corpus
    from bidui.training.corpus import Corpus, read_corpus
    from bidui.training.documents import SourceCounts
    from bidui.training.ngram import train_ngram
    from bidui.training.publish import push
    from bidui.training.recipe import Recipe
    from bidui.training.run import RunEvents, TrainingRun, train
    from bidui.training.suite import (
        Suite,
        SuiteRun,
        SuiteTokenizer,
        choose_runs,
        plan_suite,
        schedule_hours,
        suite_totals,
        zh_pythia,
    )
    from bidui.training.suite_file import read_suite
    from bidui.training.suite_runs import run_progress, run_suite, suite_vocabularies
    from bidui.training.tokenizers import describe_tokenizer, load_tokenizer, train_char, train_tokenizer, train_word
    from bidui.treebank.extract import Extraction, extract_phrases
    from bidui.treebank.search import TreeMatch, search_trees
    from bidui.treebank.tables import TreeTables, extract_tables
    from bidui.treebank.trees import Tree, Trees, read_trees
    from bidui.web.server import Service, serve
    from bidui.web.studies import (
        StudyLine,
        delete_from_workbench,
        fetch_study,
        send_study,
        set_study_state,
        workbench_studies,
    )

# The module that each public name is imported from when it is first used.
_HOMES = {
    "bidui.analysis": "Accuracies Accuracy accuracy",
    "bidui.intervals": "Estimate",
    "bidui.analysis.length_bias": "Sweep alpha_grid held_out sweep",
    "bidui.analysis.people": "StudyPeople beside_people read_people",
    "bidui.analysis.significance": "Comparison compare_models signed_rank",
    "bidui.benchmarks": "check count derive_project enumerate_all export_classic find_pairs generate generate_folder "
    "new_study open_pairs open_project",
    "bidui.errors": "BiduiError InputError Interruption OutputRefused Place Problem import_failed",
    "bidui.files": "check_new_folder",
    "bidui.grammar": "Count Lexicon Paradigm Project new_project read_lexicon",
    "bidui.grammar.classic": "ClassicExport import_classic",
    "bidui.models.given": "given",
    "bidui.models.model": "Model TokenScores",
    "bidui.models.specs": "expand_specs load_model model_hint model_kinds model_labels",
    "bidui.pairs": "Diversity DiversityTable Origin Pair Pairs Region SentenceTypes StoredPairs Written "
    "compare_diversity export_lm_eval measure_diversity read_pairs told_apart write_pairs",
    "bidui.people.agreement": "Figure StudyResults study_results",
    "bidui.people.decisions": "Proposal decide decision_rows propose write_decisions",
    "bidui.people.design": "Design Rules Size estimate preset",
    "bidui.people.exchange": "Imported export_pcibex export_study import_answers import_file write_results",
    "bidui.people.participants": "Participant add_participants read_participants withdraw",
    "bidui.people.progress": "StudyProgress study_progress",
    "bidui.people.responses": "Exclusion Response add_responses read_responses study_exclusions",
    "bidui.people.study": "Study read_study read_text read_texts write_study",
    "bidui.reports.compare": "AccuracyTable compare",
    "bidui.reports.figures.style": "use_fonts",
    "bidui.reports.published": "Published read_published",
    "bidui.reports.show": "PairTokens show",
    "bidui.reports.site": "Site report",
    "bidui.reports.tables": "table_text write_table",
    "bidui.scale.workers": "connect",
    "bidui.scores.choices": "Choices PairTotals choose choose_from length_split pair_totals",
    "bidui.scores.links": "Link Totals log_norm_lp lp mean_lp morcela parse_link pen_lp slln_lp slor",
    "bidui.scores.run": "export_scores score",
    "bidui.scores.table": "ScoreTable Scores read_scores",
    "bidui.training.build": "build_corpus",
    "bidui.training.corpus": "Corpus read_corpus",
    "bidui.training.documents": "SourceCounts",
    "bidui.training.ngram": "train_ngram",
    "bidui.training.publish": "push",
    "bidui.training.recipe": "Recipe",
    "bidui.training.run": "RunEvents TrainingRun train",
    "bidui.training.suite": "Suite SuiteRun SuiteTokenizer choose_runs plan_suite schedule_hours "
    "suite_totals zh_pythia",
    "bidui.training.suite_file": "read_suite",
    "bidui.training.suite_runs": "run_progress run_suite suite_vocabularies",
    "bidui.training.tokenizers": "describe_tokenizer load_tokenizer train_char train_tokenizer train_word",
    "bidui.treebank.extract": "Extraction extract_phrases",
    "bidui.treebank.search": "TreeMatch search_trees",
    "bidui.treebank.tables": "TreeTables extract_tables",
    "bidui.treebank.trees": "Tree Trees read_trees",
    "bidui.web.server": "Service serve",
    "bidui.web.studies": "StudyLine delete_from_workbench fetch_study send_study set_study_state workbench_studies",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
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


def __getattr__(name: str) -> object:
    if name == "__version__":
        from bidui.files import tool_version

        return tool_version()
    if name not in _HOME:
        raise AttributeError(f"module 'bidui' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
