"""Consequences: problems that only follow from a file that could not be read; one mistake gives one message."""

from collections.abc import Iterable, Iterator

from bidui.errors import Problem
from bidui.grammar.project import Project

_OF_LEXICON = {
    "feature-unknown",
    "value-unknown",
    "no-word-fits",
    "literal-not-in-lexicon",
    "relation-values",
}


def independent(project: Project, problems: Iterable[Problem]) -> Iterator[Problem]:
    """The problems that would be there even if every file of the project could be read."""
    errors = [problem for problem in project.problems if problem.severity == "error"]
    files = {problem.place.file for problem in errors}
    no_lexicon = not project.lexicon.features and any(file.startswith("lexicon") for file in files)
    no_phrases = any(problem.place.file == "phrases.yaml" and not problem.place.part for problem in errors)
    broken = {problem.place.part for problem in errors if problem.place.file == "phrases.yaml"}
    for problem in problems:
        name = problem.values.get("phrase")
        if problem.kind in _OF_LEXICON and no_lexicon:
            continue
        relation = problem.values.get("relation")
        named = relation in project.settings.relations or f"relations/{relation}.tsv" in files
        if problem.kind == "relation-unknown" and (named or "project.yaml" in files):
            continue
        if problem.kind == "phrase-unknown" and (no_phrases or any(f'phrase "{name}"' in part for part in broken)):
            continue
        yield problem
