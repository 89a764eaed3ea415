"""Calls for the words of a project: the whole lexicon, searching it, changing its tables, and where a word is used.

Words are read once for each state of their files and kept in the workbench.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Annotated, Any, Union

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool

from bidui.errors import Place, Problem, Severity, fail
from bidui.files import encode
from bidui.grammar.lexicon import Lexicon, parse_lexicon, parse_relation, relation_problems
from bidui.grammar.names import Kind, check_file_name
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.project import read_project
from bidui.grammar.rules import Condition
from bidui.web.accounts import Access, Editor, Reader, Spoken
from bidui.web.api.editing import arguments_of, step_of
from bidui.web.api.files import Base, File, Tab, writing
from bidui.web.editing import tables
from bidui.web.editing.fitting import emptied, phrase_users, relation_users, used_by, word_links, word_places
from bidui.web.editing.merging import Merge, merge_tables
from bidui.web.editing.tables import Row, Table, Vocabulary
from bidui.web.editing.text import Change, Utf16, difference, inverse
from bidui.web.heavy import OPERATIONS, are_light, change_table, is_light
from bidui.web.problems import fails, problem_shape
from bidui.web.store.accounts import may
from bidui.web.store.disk import refresh
from bidui.web.store.files import Conflict, NewDraft, NewRevision, Outcome, save
from bidui.web.store.revisions import Version, heads, latest, revision
from bidui.web.workbench import Places, Words
from bidui.words import Language

router = APIRouter(prefix="/api/projects/{project}", tags=["lexicon"], responses=fails(400, 401, 404, 422))
Text = Annotated[str, Query(max_length=1_000)]
WORDS: frozenset[Kind] = frozenset({"lexicon", "features"})
PLACES: frozenset[Kind] = frozenset({"paradigm", "phrases", "relation", "settings"})  # not the lexicon
NEW = "lexicon.tsv"  # the file that a project without words starts with
EMPTY = "expression\n"
_MOST_VALUES = 50  # of a feature
_MOST_PROBLEMS = 1_000
_TRIES = 5  # of a merge, while others go on saving


@dataclass(frozen=True, slots=True)
class TableProblem:
    """A problem of the lexicon; `column` is the name of a column, empty where it is the whole row."""

    kind: str
    severity: Severity
    text: str
    values: dict[str, Any]
    file: str
    line: int
    column: str


@dataclass(frozen=True, slots=True)
class TableShape:
    """A file of the lexicon: its columns, and of each row its line in the file and its cells.

    No revision where there is no such file yet.
    """

    file: str
    revision: int | None
    columns: list[str]
    rows: Iterable[list[int | str]]


@dataclass(frozen=True, slots=True)
class FeatureShape:
    """A feature: how many words have it, and its most frequent values with how many words have each."""

    name: str
    values: list[tuple[str, int]]
    words: int


@dataclass(frozen=True, slots=True)
class LexiconAnswer:
    """All words of a project."""

    files: list[TableShape]
    features: list[FeatureShape]
    problems: list[TableProblem]
    words: int
    may_edit: bool


@dataclass(frozen=True, slots=True)
class Hits:
    """Rows that were looked for, by file and line."""

    hits: list[tuple[str, int]]
    total: int


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Values for a cell, with how many words have each."""

    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ParadigmUse:
    """A paradigm, with its slots that could take a word."""

    file: str
    uid: str
    slots: list[str]


@dataclass(frozen=True, slots=True)
class WordUses:
    """The paradigms that could take a word."""

    paradigms: list[ParadigmUse]
    total: int


@dataclass(frozen=True, slots=True)
class PhraseUse:
    """A file whose rules name a phrase; no uid where it is not a paradigm."""

    file: str
    uid: str | None


@dataclass(frozen=True, slots=True)
class PhraseUses:
    """The files whose rules name a phrase."""

    files: list[PhraseUse]
    total: int


@router.get("/lexicon", response_model=LexiconAnswer)
def lexicon(access: Reader, language: Spoken) -> Response:
    """Return all words of a project, in their files."""
    refresh(access.entry)
    words = words_of(access)
    vocabulary = words.vocabulary
    files = [table_shape(name, words.versions[name].revision.id, table) for name, table in vocabulary.tables.items()]
    answer = LexiconAnswer(
        files=files or [table_shape(NEW, None, tables.read_table(EMPTY))],
        features=[feature_shape(vocabulary.lexicon, name, name=name) for name in vocabulary.lexicon.features],
        problems=table_problems(vocabulary.problems, language),
        words=len(vocabulary.lexicon.words),
        may_edit=may(access.role, "editor"),
    )
    return as_json(answer)


def as_json(answer: object) -> Response:
    """Return an answer whose rows are made one after the other: all rows of a lexicon at once take much memory."""
    return Response(to_json(answer), media_type="application/json")


@router.get("/lexicon/find")
def find_words(access: Reader, query: Text) -> Hits:
    """Find the rows that meet every term: `feature:value` as in rules, anything else as text in some cell."""
    hits = tables.find(words_of(access).vocabulary, query)
    return Hits(hits, len(hits))


@router.get("/lexicon/suggest")
def suggest_values(access: Reader, column: Text, typed: Text = "") -> Suggestions:
    """Suggest values for a cell of a column."""
    return Suggestions(tables.suggest(words_of(access).vocabulary, column=column, typed=typed))


@router.get("/lexicon/uses")
def word_uses(access: Reader, file: Text, line: int) -> WordUses:
    """List the slots of paradigms that could take the word in a row."""
    refresh(access.entry)
    vocabulary = words_of(access).vocabulary
    word = tables.word_at(vocabulary, file=file, line=line)
    if word is None:
        raise fail("row-missing", Place(file), {"row": line})
    places = places_of(access)
    slots: dict[str, dict[str, None]] = {}
    for place in used_by(word, places=places.places, features=vocabulary.lexicon.features):
        slots.setdefault(place.uid, {})[place.path] = None
    uses = [ParadigmUse(places.files[uid], uid, list(paths)) for uid, paths in slots.items()]
    return WordUses(uses, len(uses))


@router.get("/phrases/uses")
def phrase_uses(access: Reader, phrase: Text) -> PhraseUses:
    """List the files whose rules name a phrase."""
    refresh(access.entry)
    versions = latest(access.entry, {"paradigm", "phrases"})
    names = phrase_users({name: version.shown for name, version in versions.items()}, phrase=phrase)
    files = [PhraseUse(name, PurePosixPath(name).stem if "/" in name else None) for name in names]
    return PhraseUses(files, len(files))


def table_shape(file: str, revision: int | None, table: Table) -> TableShape:
    return TableShape(file, revision, list(table.header), _rows(table.rows))


def _rows(rows: Iterable[Row]) -> Iterator[list[int | str]]:
    """Yield the line and cells of each row."""
    for row in rows:
        yield [row.line, *row.cells]


def feature_shape(lexicon: Lexicon, feature: str, *, name: str) -> FeatureShape:
    """Return the values of a feature, for a column of that name."""
    counts = sorted(lexicon.counts(feature).items(), key=lambda item: (-item[1], item[0]))
    words = lexicon.bits([Condition(feature, "has")]).bit_count()
    return FeatureShape(name, counts[:_MOST_VALUES], words)


def places_of(access: Access) -> Places:
    """Return the places for words in a project's paradigms, computed once for each state of their files."""
    entry = access.entry

    def make() -> Places:
        texts = latest(entry, {"paradigm"})
        parsed = [parse_paradigm(version.shown, name=name)[0] for name, version in texts.items()]
        paradigms = [paradigm for paradigm in parsed if paradigm is not None]
        lexicon = words_of(access).vocabulary.lexicon  # not read once more: it may be large
        project = read_project(entry.folder, paradigms=False, links=False, lexicon=lexicon)
        phrases, relations = project.phrases, project.relations
        files = {paradigm.uid: paradigm.place.file for paradigm in paradigms}
        places = word_places(paradigms, phrases=phrases, relations=relations)
        links = word_links(paradigms, phrases=phrases, relations=relations)
        return Places(places, links, files, relation_users(paradigms, phrases=phrases), project.settings)

    return access.bench.places.get(entry.id, make, state=_state(heads(entry, PLACES)))


def words_of(access: Access) -> Words:
    """Return the words of a project, perhaps read before; `refresh` first, to see what was changed outside."""

    def make() -> Words:
        versions = latest(access.entry, WORDS)
        return Words(versions, _vocabulary({name: version.text for name, version in versions.items()}))

    return access.bench.words.get(access.entry.id, make, state=_state(heads(access.entry, WORDS)))


def misfits(access: Access, file: str, text: str) -> list[Problem]:
    """Return where a relation does not fit the words of the project: columns and values that no word has."""
    relation, _ = parse_relation(text, name=file, file=file)
    return list(relation_problems(relation, words_of(access).vocabulary.lexicon, file=file)) if relation else []


def _state(numbers: Mapping[str, int]) -> Hashable:
    return tuple(sorted(numbers.items()))


def _vocabulary(texts: Mapping[str, str], *, before: Vocabulary | None = None) -> Vocabulary:
    """Read the texts of the lexicon's files and `features.tsv`; files in `lexicon/` come first."""
    lexicon = {name: text for name, text in texts.items() if name != "features.tsv"}
    several = {name: text for name, text in lexicon.items() if name != NEW}
    vocabulary = tables.read_vocabulary(several or lexicon, features=texts.get("features.tsv"), before=before)
    if not several or NEW not in lexicon:
        return vocabulary
    problem = Problem("lexicon-twice", Place(NEW))
    by_file = {**vocabulary.by_file, NEW: tuple(parse_lexicon(lexicon[NEW], name=NEW)[1])}
    return replace(vocabulary, problems=(problem, *vocabulary.problems), by_file=by_file)


def table_problems(problems: Sequence[Problem], language: Language) -> list[TableProblem]:
    """Return problems of a table, each with its row and column."""
    shown = list(problems[:_MOST_PROBLEMS])
    if len(problems) > _MOST_PROBLEMS:
        shown.append(Problem("more-problems", Place(), {"count": len(problems) - _MOST_PROBLEMS}, "warning"))
    return [_table_problem(problem, language) for problem in shown]


def _table_problem(problem: Problem, language: Language) -> TableProblem:
    shape, place = problem_shape(problem, language), problem.place
    named = place.part.startswith('column "') and place.part.endswith('"')
    column = place.part[len('column "') : -1] if named else ""
    return TableProblem(shape.kind, shape.severity, shape.text, shape.values, place.file, place.line, column)


# Changes of tables: cells set, rows added and deleted, columns added, blocks pasted, and changes taken back


class Step(BaseModel):
    """An operation on a table: its name and, in each kind of step, its arguments."""

    do: str


_STEPS = tuple(step_of(edit, Step, do=name) for name, edit in OPERATIONS.items())
Operation: Any = Annotated[Union[_STEPS], Field(discriminator="do")]  # noqa: UP007


class TableEdit(BaseModel):
    """Operations, each on what the one before left; the first on the text of the revision `base`."""

    base: Base = None
    tab: Tab = ""
    ops: Annotated[list[Operation], Field(min_length=1, max_length=5_000)]


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """What became of a table. `moved`: rows have other lines now, and `rows_changed` are all of them.

    `changes` lead from the text of `base` to the new one; `inverse` takes back what was done here. Where the text has
    errors it is not saved, `revision` is the base, and rows and changes are those that would have been.
    """

    saved: bool
    draft: bool
    changed: bool
    merged: bool
    moved: bool
    revision: int | None
    columns: list[str]
    rows_changed: Iterable[list[int | str]]
    changes: tuple[Change, ...]
    inverse: tuple[Change, ...]
    problems: list[TableProblem]
    emptied: list[ParadigmUse]  # paradigms whose slots words fitted until this edit


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A text that was saved or kept, the text before it, and whether somebody else's rows are in it."""

    outcome: Outcome
    text: str
    before: str  # what it was put on top of: the base, or what another had saved
    merged: bool


@dataclass(slots=True)
class _WordCheck:
    """A `check` for `save`: it reads all words as they would be with the new text of a file, and remembers them."""

    words: Words
    file: str
    vocabulary: Vocabulary | None = None

    def __call__(self, text: str) -> tuple[Problem, ...]:
        """Return the problems of the text by itself."""
        texts = {name: version.text for name, version in self.words.versions.items()}
        self.vocabulary = _vocabulary({**texts, self.file: text}, before=self.words.vocabulary)
        return self.vocabulary.by_file.get(self.file, ())


@router.post("/tables/{file:path}", responses=writing(), response_model=TableAnswer)
async def edit_table(access: Editor, language: Spoken, file: File, body: TableEdit) -> Response:
    """Change cells, rows and columns of a table, and save it."""
    kind = check_file_name(file)
    if kind not in {"lexicon", "features", "relation"}:
        raise fail("not-a-table", Place(), {"file": file})
    base = await run_in_threadpool(_base, access, file, body.base)
    steps = [(step.do, arguments_of(step, Step)) for step in body.ops]
    light = are_light(base, steps)
    full = kind != "lexicon"
    mine = await access.bench.heavy.run(change_table, base, steps, full, who=access.user.id, light=light)
    return await run_in_threadpool(_edited, access, language, file, base, mine, body)


def _edited(access: Access, language: Language, file: str, base: str, mine: str, body: TableEdit) -> Response:
    with access.bench.turns.take((access.entry.id, file)):
        check = _WordCheck(words_of(access), file) if check_file_name(file) in WORDS else None
        attempt = _saved(access, file, base, mine, body, check)
        problems = _problems(access, file, attempt, check)
    lost = _emptied(access, attempt, check)
    return as_json(_answer(attempt, base, problems=table_problems(problems, language), lost=lost))


def _emptied(access: Access, attempt: _Attempt, check: _WordCheck | None) -> list[ParadigmUse]:
    """Return the paradigms that a change of the lexicon has just broken, with their slots."""
    if check is None or check.vocabulary is None or not isinstance(attempt.outcome, NewRevision):
        return []
    places = places_of(access)
    before, after = check.words.vocabulary.lexicon, check.vocabulary.lexicon
    lost = emptied(before, after, places=places.places, links=places.links)
    return [ParadigmUse(places.files[uid], uid, list(paths)) for uid, paths in lost.items()]


def _base(access: Access, file: str, number: int | None) -> str:
    if number is None:
        return EMPTY if file == NEW else ""
    version = revision(access.entry, number)
    if version.revision.file != file:
        raise fail("revision-unknown", Place(file), {"number": number})
    return EMPTY if version.revision.deleted and file == NEW else version.text


def _saved(access: Access, file: str, base: str, mine: str, body: TableEdit, check: _WordCheck | None) -> _Attempt:
    """Save a text; where others have saved meanwhile, save the merged text, if no row is in conflict."""
    text, before, number = mine, base, body.base
    for left in reversed(range(_TRIES)):
        try:
            outcome = save(access.entry, file, text, base=number, who=access.user, check=check, tab=body.tab)
            return _Attempt(outcome, text, before, number != body.base)
        except Conflict as conflict:
            theirs = conflict.theirs
            merged = _merged(access, before, text, theirs.shown)
            if merged.conflicts or theirs.revision.deleted or not left:
                raise
            text, before, number = merged.text, theirs.shown, theirs.revision.id
    raise AssertionError


def _merged(access: Access, base: str, mine: str, theirs: str) -> Merge:
    if is_light(base, mine, theirs):
        return merge_tables(base, mine, theirs)
    return access.bench.heavy.submit(merge_tables, base, mine, theirs, who=access.user.id).result()


def _problems(access: Access, file: str, attempt: _Attempt, check: _WordCheck | None) -> Sequence[Problem]:
    """Return the problems of a table, or of all words where the lexicon changed; keep those words for the next call."""
    if check is None:
        return [*attempt.outcome.problems, *misfits(access, file, attempt.text)]
    if check.vocabulary is None:  # what was sent is no text
        return attempt.outcome.problems
    if isinstance(attempt.outcome, NewRevision):
        version = Version(attempt.outcome.revision, encode(attempt.text, place=Place(check.file)))
        versions = {**check.words.versions, check.file: version}
        numbers = {name: each.revision.id for name, each in versions.items()}
        access.bench.words.put(access.entry.id, Words(versions, check.vocabulary), state=_state(numbers))
    return check.vocabulary.problems


def _answer(attempt: _Attempt, base: str, *, problems: list[TableProblem], lost: list[ParadigmUse]) -> TableAnswer:
    outcome = attempt.outcome
    new = tables.read_table(attempt.text)
    moved = attempt.merged or base.count("\n") != attempt.text.count("\n")
    back = inverse(attempt.before, difference(attempt.before, attempt.text))
    return TableAnswer(
        saved=isinstance(outcome, NewRevision),
        draft=isinstance(outcome, NewDraft),
        changed=isinstance(outcome, NewRevision) and outcome.changed,
        merged=attempt.merged,
        moved=moved,
        revision=outcome.revision.id if isinstance(outcome, NewRevision) else outcome.draft.base,
        columns=list(new.header),
        rows_changed=_rows(new.rows if moved else tables.changed_rows(base, new)),
        changes=Utf16(base).edit(difference(base, attempt.text)),
        inverse=Utf16(attempt.text).edit(back),
        problems=problems,
        emptied=lost,
    )
