"""Small projects and paradigms from texts, for tests that work out by hand what must come out."""

from collections.abc import Mapping

from bidui.errors import InputError, Problem
from bidui.grammar.draw import enumerate_pairs
from bidui.grammar.generate import as_pair, count_pairs, generate
from bidui.grammar.lexicon import Lexicon, parse_lexicon, parse_relation
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases
from bidui.grammar.project import Project, Settings
from bidui.pairs import Pair, Pairs

HEADER = "format: 1\nuid: small\nphenomenon: tests\n"


def table(text: str) -> str:
    """A TSV from columns set apart by blanks; `_` is an empty cell, a dot in a cell a blank."""
    rows = [[cell.replace("_", "").replace(".", " ") for cell in line.split()] for line in text.strip().splitlines()]
    return "".join("\t".join(row) + "\n" for row in rows)


def lexicon_of(text: str) -> Lexicon:
    lexicon, problems = parse_lexicon(table(text), name="lexicon.tsv")
    _refuse(problems)
    return lexicon


def project_of(
    lexicon: str | Lexicon,
    *,
    phrases: str = "",
    relations: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Project:
    """A project whose lexicon and relations are tables as above, and whose phrases are what stands under the key."""
    words = lexicon if isinstance(lexicon, Lexicon) else lexicon_of(lexicon)
    found, problems = parse_phrases(f"format: 1\nphrases:\n{phrases}" if phrases else "format: 1", name="phrases.yaml")
    _refuse(problems)
    built = {}
    for name, text in (relations or {}).items():
        relation, problems = parse_relation(table(text), name=name, file=f"{name}.tsv")
        _refuse(problems)
        assert relation is not None
        built[name] = relation
    return Project(settings or Settings("small"), words, found, built, ())


def paradigm_of(text: str) -> Paradigm:
    """The paradigm in a text that need not repeat the keys every file has."""
    paradigm, problems = parse_paradigm(text if "uid:" in text else HEADER + text, name="small.yaml")
    _refuse(problems)
    assert paradigm is not None
    return paradigm


def networks_of(project: Project, text: str) -> list[Network]:
    return Compiler.of(project).networks(paradigm_of(text))


def all_pairs(project: Project, text: str) -> list[Pair]:
    """Every pair, in the order of the enumeration."""
    paradigm = paradigm_of(text)
    draws = enumerate_pairs(Compiler.of(project).networks(paradigm))
    return [as_pair(draw, paradigm, number) for number, draw in enumerate(draws)]


def goods(project: Project, text: str) -> set[str]:
    return {pair.good for pair in all_pairs(project, text)}


def bads(project: Project, text: str) -> set[str]:
    return {pair.bad for pair in all_pairs(project, text)}


def sentences(project: Project, text: str) -> set[tuple[str, str]]:
    return {(pair.good, pair.bad) for pair in all_pairs(project, text)}


def drawn(project: Project, text: str, n: int, *, seed: int = 0, draw: str = "even") -> Pairs:
    """`n` pairs as `bidui generate` draws them."""
    paradigm = paradigm_of(text)
    return generate(paradigm, Compiler.of(project).networks(paradigm), n=n, seed=seed, draw=draw)  # type: ignore[arg-type]


def number_of_pairs(project: Project, text: str) -> str:
    """The count as a user reads it: `720`, or `≤ 1,000` where it is a bound."""
    return str(count_pairs(networks_of(project, text)))


def problems_of(project: Project, text: str) -> list[Problem]:
    """What is wrong with a paradigm, in itself or with the project; none if nothing is."""
    paradigm, problems = parse_paradigm(text if "uid:" in text else HEADER + text, name="small.yaml")
    if paradigm is None:
        return problems
    try:
        Compiler.of(project).networks(paradigm)
    except InputError as error:
        return list(error.problems)
    return []


def kinds(problems: list[Problem]) -> list[str]:
    return [problem.kind for problem in problems]


def _refuse(problems: list[Problem]) -> None:
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise InputError(errors)
