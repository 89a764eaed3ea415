"""Tables of a project's lexicon that are taken from trees: one row per phrase, with the sentence it comes from.

A project names its trees and its tables in `project.yaml`. The tables are ordinary files of its lexicon, so that the
grammar, the workbench and people read them like any other; `extract_tables` writes them. Other trees can take their
place for one run: `project_with_trees` reads the project with tables of these trees, and writes nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bidui.errors import Place, Problem, fail
from bidui.files import encode, write_file
from bidui.grammar.project import Project, Settings, load_project, read_settings
from bidui.treebank.extract import Compound, Extraction, NounPhrase, VerbObject, extract_phrases
from bidui.treebank.trees import OnProgress, TreeCounts, read_trees

Row = tuple[str, ...]
COLUMNS: dict[str, Row] = {
    "verb_objects": ("expression", "pos", "verb", "object", "noun", "shape", "numeral", "sentence", "source"),
    "noun_phrases": (
        *("expression", "pos", "before", "numeral", "classifier", "rest", "noun", "classifiers", "sentence", "source"),
    ),
    "nouns": ("expression", "pos", "classifier", "sentence", "source"),
    "compounds": ("expression", "pos", "first", "second", "classifier", "distractor", "sentence", "source"),
}


@dataclass(frozen=True, slots=True)
class TreeTables:
    """Tables as they were taken from trees: the rows of each, by extraction, and what was read."""

    files: Mapping[str, str]  # the file of each extraction
    rows: Mapping[str, tuple[Row, ...]]
    counts: TreeCounts

    def texts(self) -> dict[str, str]:
        """Return the texts of the files, by name."""
        return {file: _text(COLUMNS[name], self.rows[name]) for name, file in self.files.items()}

    def problems(self) -> Iterator[Problem]:
        """Yield what whoever gave the trees must know: those that were skipped, and extractions without a row."""
        for problem in self.counts.problems:
            yield replace(problem, severity="warning")
        if self.counts.broken:
            yield Problem("trees-skipped", Place(), {"count": self.counts.broken}, "warning")
        for name, rows in self.rows.items():
            if not rows:
                yield Problem("trees-give-none", Place(), {"extraction": name}, "warning")


def extract_tables(
    project: str | Path,
    *,
    trees: str | Path | Iterable[str | Path] = (),
    on_progress: OnProgress = lambda done, total: None,
) -> TreeTables:
    """Take the tables of a project from its trees, or from other ones, and write them to its folder."""
    folder = Path(project)
    tables = _taken(folder, read_settings(folder), trees, on_progress)
    for name, text in tables.texts().items():
        write_file(folder / name, encode(text))
    return tables


def project_with_trees(
    project: str | Path,
    *,
    trees: str | Path | Iterable[str | Path],
    on_progress: OnProgress = lambda done, total: None,
) -> Project:
    """Return the project in a folder with the tables of these trees instead of its own; its problems include theirs."""
    folder = Path(project)
    tables = _taken(folder, read_settings(folder), trees, on_progress)
    texts = tables.texts()
    opened = load_project(folder, texts=texts)
    own = [problem for problem in opened.problems if problem.place.file not in texts]  # nobody wrote those tables
    return replace(opened, problems=(*own, *tables.problems()))


def _taken(
    folder: Path, settings: Settings, trees: str | Path | Iterable[str | Path], on_progress: OnProgress
) -> TreeTables:
    if not settings.tables:
        raise fail("trees-undeclared", Place(str(folder / "project.yaml")))
    given = [trees] if isinstance(trees, str | Path) else list(trees)
    if not given and not settings.trees:
        raise fail("trees-unnamed", Place(str(folder / "project.yaml")))
    sources = given or [str(folder / pattern) for pattern in settings.trees]
    opened = read_trees(sources, on_progress=on_progress)
    return TreeTables(settings.tables, table_rows(extract_phrases(opened), settings.tables), opened.counts)


def table_rows(extraction: Extraction, tables: Iterable[str]) -> dict[str, tuple[Row, ...]]:
    """Return the rows of each table: one per phrase, for the first sentence that has it."""
    makers: dict[str, Callable[[Extraction], Iterator[Row]]] = {
        "verb_objects": _verb_objects,
        "noun_phrases": _noun_phrases,
        "nouns": _nouns,
        "compounds": _compounds,
    }
    return {name: tuple(_distinct(makers[name](extraction), len(COLUMNS[name]) - 2)) for name in tables}


def _verb_objects(extraction: Extraction) -> Iterator[Row]:
    for each in extraction.verb_objects:
        words = (each.verb + each.object, "VO", each.verb, each.object, each.noun, each.shape, each.numeral)
        yield (*_cells(words), *_source(each))


def _noun_phrases(extraction: Extraction) -> Iterator[Row]:
    for each in extraction.noun_phrases:
        words = (each.text, "CN", each.before, each.numeral, each.classifier, each.between + each.noun, each.noun)
        yield (*_cells(words), _values(extraction.classifiers[each.noun]), *_source(each))


def _nouns(extraction: Extraction) -> Iterator[Row]:
    first = {phrase.noun: phrase for phrase in reversed(extraction.noun_phrases)}
    for noun, classifiers in extraction.classifiers.items():
        yield (*_cells((noun, "NN")), _values(classifiers), *_source(first[noun]))


def _compounds(extraction: Extraction) -> Iterator[Row]:
    """Yield compounds of nouns whose classifiers are known; those of the first noun are what may mislead."""
    known = extraction.classifiers
    for each in extraction.compounds:
        if each.first in known and each.second in known:
            words = _cells((each.first + each.second, "NC", each.first, each.second))
            yield (*words, _values(known[each.second]), _values(known[each.first]), *_source(each))


def _values(classifiers: Mapping[str, int]) -> str:
    """Return a set of classifiers as a cell, the most frequent first."""
    return "/".join(_cells(sorted(classifiers, key=lambda m: (-classifiers[m], m))))


def _cells(words: Iterable[str]) -> list[str]:
    """Return words as cells: in a cell, a slash would separate values."""
    return [" ".join(word.split()).replace("/", "／") for word in words]


def _source(each: NounPhrase | VerbObject | Compound) -> Row:
    """Return the sentence, and the file and line; not the folder, which differs from machine to machine."""
    return (" ".join(each.sentence.split()), f"{Path(each.file).name}:{each.line}")


def _distinct(rows: Iterable[Row], key: int) -> Iterator[Row]:
    seen = set()
    for row in rows:
        if row[:key] not in seen:
            seen.add(row[:key])
            yield row


def _text(columns: Row, rows: Sequence[Row]) -> str:
    return "".join("\t".join(row) + "\n" for row in (columns, *rows))
