"""What can be said of one file without the others: whether it parses, and what it holds."""

from collections import Counter

from bidui.errors import InputError, Problem
from bidui.grammar.documents import Scalar, decode, parse_document
from bidui.grammar.features import parse_features
from bidui.grammar.lexicon_file import parse_lexicon
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.phrase_file import parse_phrases
from bidui.grammar.relations import parse_relation
from bidui.pairs import Json
from bidui.web.store.names import Kind, check_file_name


def file_problems(name: str, text: str) -> list[Problem]:
    """The problems in the text of a project's file, errors and warnings; a `check` for `save`."""
    return _found(check_file_name(name), text, name=name)[1]


def findings(kind: Kind, data: bytes) -> dict[str, Json]:
    """What a file of that kind holds: how many errors and warnings, and what a list shows of it."""
    try:
        found, problems = _found(kind, decode(data, name=""), name="")
    except InputError as error:
        found, problems = {}, list(error.problems)
    counts = Counter(problem.severity for problem in problems)
    return {**found, "errors": counts["error"], "warnings": counts["warning"]}


def _found(kind: Kind, text: str, *, name: str) -> tuple[dict[str, Json], list[Problem]]:
    match kind:
        case "paradigm":
            paradigm, problems = parse_paradigm(text, name=name)
            if paradigm is None:
                return {}, problems
            return {"uid": paradigm.uid, "phenomenon": paradigm.phenomenon, "status": paradigm.status}, problems
        case "lexicon":
            lexicon, problems = parse_lexicon(text, name=name)
            return {"words": len(lexicon.words)}, problems
        case "phrases":
            return {}, parse_phrases(text, name=name)[1]
        case "features":
            return {}, parse_features(text, name=name)[1]
        case "relation":
            return {}, parse_relation(text, name=name, file=name)[1]
        case "settings":
            return _settings(text, name=name)
        case "notes":
            return {}, []


def _settings(text: str, *, name: str) -> tuple[dict[str, Json], list[Problem]]:
    try:
        items = parse_document(text, name=name).items
    except InputError as error:
        return {}, list(error.problems)
    nodes = {key: items[key][1] for key in ("name", "lang") if key in items}
    return {key: node.text for key, node in nodes.items() if isinstance(node, Scalar)}, []
