"""Calls for the words of a project: the whole lexicon, searching it, and where a word or a phrase is used."""

from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from bidui.errors import Place, fail
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.rules import Condition
from bidui.web.api.conflicts import text_of
from bidui.web.api.parameters import Reader
from bidui.web.api.table_problems import TableProblem, table_problems
from bidui.web.editing.tables import Table, read_table
from bidui.web.editing.usage import phrase_users, used_by, word_places
from bidui.web.editing.vocabulary import find, suggest, word_at
from bidui.web.identity import Access, Spoken
from bidui.web.problems import fails
from bidui.web.store import may, refresh
from bidui.web.store.names import Kind
from bidui.web.store.texts import heads, latest
from bidui.web.words import EMPTY, NEW, Places, Words, words_of
from bidui.words import Language

router = APIRouter(prefix="/api/projects/{project}", tags=["lexicon"], responses=fails(400, 401, 404, 422))
Text = Annotated[str, Query(max_length=1_000)]
PLACING: frozenset[Kind] = frozenset({"paradigm", "phrases", "relation", "settings"})  # not the lexicon
_MOST_VALUES = 50


class TableShape(BaseModel):
    """A file of the lexicon: its columns, and of each row its line in the file and its cells.

    No revision where there is no such file yet.
    """

    file: str
    revision: int | None
    columns: list[str]
    rows: list[list[int | str]]


class FeatureShape(BaseModel):
    """A feature: how many words have it, and its most frequent values with how many words have each."""

    name: str
    values: list[tuple[str, int]]
    words: int


class LexiconAnswer(BaseModel):
    """All words of a project."""

    files: list[TableShape]
    features: list[FeatureShape]
    problems: list[TableProblem]
    words: int
    may_edit: bool


class Hits(BaseModel):
    """Rows that were looked for, by file and line."""

    hits: list[tuple[str, int]]
    total: int


class Suggestions(BaseModel):
    """Values for a cell, with how many words have each."""

    values: list[tuple[str, int]]


class ParadigmUse(BaseModel):
    """A paradigm, with its slots that could take a word."""

    file: str
    uid: str
    slots: list[str]


class WordUses(BaseModel):
    """The paradigms that could take a word."""

    paradigms: list[ParadigmUse]
    total: int


class PhraseUse(BaseModel):
    """A file whose rules name a phrase; no uid where it is not a paradigm."""

    file: str
    uid: str | None


class PhraseUses(BaseModel):
    """The files whose rules name a phrase."""

    files: list[PhraseUse]
    total: int


@router.get("/lexicon")
def lexicon(access: Reader, language: Spoken) -> LexiconAnswer:
    """All words of a project, in their files."""
    return lexicon_answer(access, language)


def lexicon_answer(access: Access, language: Language) -> LexiconAnswer:
    """The same for a page."""
    refresh(access.bench.store, access.entry)
    words = _words(access)
    found = words.vocabulary
    files = [table_shape(name, words.versions[name].revision.id, table) for name, table in found.tables.items()]
    return LexiconAnswer(
        files=files or [table_shape(NEW, None, read_table(EMPTY))],
        features=_features(found.lexicon),
        problems=table_problems(found.problems, language),
        words=len(found.lexicon.words),
        may_edit=may(access.role, "editor"),
    )


@router.get("/lexicon/find")
def find_words(access: Reader, query: Text) -> Hits:
    """The rows that meet every term: `feature:value` as in rules, anything else as text in some cell."""
    hits = [(hit.file, hit.row.line) for hit in find(_words(access).vocabulary, query)]
    return Hits(hits=hits, total=len(hits))


@router.get("/lexicon/suggest")
def suggest_values(access: Reader, column: Text, typed: Text = "") -> Suggestions:
    """Values for a cell of a column."""
    return Suggestions(values=list(suggest(_words(access).vocabulary, column=column, typed=typed)))


@router.get("/lexicon/uses")
def word_uses(access: Reader, file: Text, line: int) -> WordUses:
    """The slots of paradigms that could take the word in a row."""
    refresh(access.bench.store, access.entry)
    vocabulary = _words(access).vocabulary
    word = word_at(vocabulary, file=file, line=line)
    if word is None:
        raise fail("row-missing", Place(file), {"row": line})
    known = _places(access)
    slots: dict[str, dict[str, None]] = {}
    for place in used_by(word, places=known.places, features=vocabulary.lexicon.features):
        slots.setdefault(place.uid, {})[place.path] = None
    uses = [ParadigmUse(file=known.files[uid], uid=uid, slots=list(paths)) for uid, paths in slots.items()]
    return WordUses(paradigms=uses, total=len(uses))


@router.get("/phrases/uses")
def phrase_uses(access: Reader, phrase: Text) -> PhraseUses:
    """The files whose rules name a phrase."""
    refresh(access.bench.store, access.entry)
    found = latest(access.bench.store, access.entry, {"paradigm", "phrases"})
    names = phrase_users({name: text_of(version) for name, version in found.items()}, phrase=phrase)
    files = [PhraseUse(file=name, uid=PurePosixPath(name).stem if "/" in name else None) for name in names]
    return PhraseUses(files=files, total=len(files))


def table_shape(file: str, revision: int | None, table: Table) -> TableShape:
    """A table as it travels; built without a check, since it is large and comes from a text of ours."""
    rows: list[list[int | str]] = [[row.line, *row.cells] for row in table.rows]
    return TableShape.model_construct(file=file, revision=revision, columns=list(table.header), rows=rows)


def _words(access: Access) -> Words:
    return words_of(access.bench.store, access.entry, recent=access.bench.words)


def _features(lexicon: Lexicon) -> list[FeatureShape]:
    found = []
    for name in lexicon.features:
        counts = sorted(lexicon.counts(name).items(), key=lambda item: (-item[1], item[0]))
        having = lexicon.bits([Condition(name, "has")]).bit_count()
        found.append(FeatureShape(name=name, values=counts[:_MOST_VALUES], words=having))
    return found


def _places(access: Access) -> Places:
    """The places for words in a project's paradigms, worked out once for each state of the files that make them."""
    store, entry = access.bench.store, access.entry

    def make() -> Places:
        texts = latest(store, entry, {"paradigm"})
        parsed = [parse_paradigm(text_of(version), name=name)[0] for name, version in texts.items()]
        paradigms = [paradigm for paradigm in parsed if paradigm is not None]
        with access.bench.opened.use(entry) as opened:
            phrases, relations = opened.project.phrases, opened.project.relations
        files = {paradigm.uid: paradigm.place.file for paradigm in paradigms}
        return Places(word_places(paradigms, phrases=phrases, relations=relations), files)

    return access.bench.places.get((entry.id, *heads(store, entry, PLACING).items()), make)
