"""The call that renames a phrase in a whole project: where it is declared, and wherever a rule names it."""

import codecs
from collections.abc import Mapping

from fastapi import APIRouter
from pydantic import BaseModel

from bidui.errors import InputError, Place, Problem, fail
from bidui.pairs.text import encoded
from bidui.web.api.parameters import Editor
from bidui.web.editing.changes import apply_edit
from bidui.web.editing.phrase_rows import read_phrases
from bidui.web.editing.renaming import rename_phrase
from bidui.web.editing.usage import phrase_users
from bidui.web.problems import fails
from bidui.web.store import Change, Conflict, Version, commit, refresh
from bidui.web.store.texts import latest

router = APIRouter(prefix="/api/projects/{project}", tags=["editing"], responses=fails(400, 401, 404, 422))
FILE = "phrases.yaml"
TRIES = 4  # as often as others may be quicker


class PhraseRenaming(BaseModel):
    """What a phrase is called, and what it is to be called."""

    old: str
    new: str


class PhraseRenamed(BaseModel):
    """The files that have changed, and the latest revision of `phrases.yaml`."""

    files: list[str]
    revision: int


@router.post("/phrases/rename", responses=fails(403, 409, 503))
def rename_everywhere(access: Editor, wanted: PhraseRenaming) -> PhraseRenamed:
    """Rename a phrase, in `phrases.yaml` and in every paradigm that names it: in all of these files, or in none.

    In each file only the name itself changes. What others are typing stays theirs, and is merged when they save it.
    """
    store, entry = access.bench.store, access.entry
    last = FILE
    for _ in range(TRIES):
        refresh(store, entry)
        found = latest(store, entry, {"paradigm", "phrases"})
        changes = [Change(file, data, found[file].revision.id) for file, data in _renamed(found, wanted).items()]
        if not changes:
            return PhraseRenamed(files=[], revision=found[FILE].revision.id)
        try:
            done = commit(store, entry, changes, who=access.user)
        except Conflict as conflict:
            last = conflict.file  # nothing was written, and what is there now can be renamed as well
            continue
        numbers = {one.revision.file: one.revision.id for one in done}
        return PhraseRenamed(files=sorted(numbers), revision=numbers[FILE])
    raise fail("rename-busy", Place(last), {"file": last})


def _renamed(found: Mapping[str, Version], wanted: PhraseRenaming) -> dict[str, bytes]:
    """The new contents of the files that change, all of them worked out before any is written."""
    phrases = [row.name for row in read_phrases(found[FILE].text)] if FILE in found else []
    if wanted.old not in phrases:
        raise fail("phrase-gone", Place(FILE), {"name": wanted.old})
    if wanted.new == wanted.old:
        return {}
    if wanted.new in phrases:
        raise fail("phrase-taken", Place(FILE), {"name": wanted.new})
    texts = {file: version.data.decode("utf-8-sig", "replace") for file, version in found.items()}
    using = {FILE, *phrase_users(texts, phrase=wanted.old)}
    return {file: _rewritten(version, wanted) for file, version in found.items() if file in using}


def _rewritten(version: Version, wanted: PhraseRenaming) -> bytes:
    """A file with the new name; one that cannot be read is an error with its place, since it would be left behind."""
    file = version.revision.file
    try:
        text = version.text
        edit = rename_phrase(text, phrase=wanted.old, name=wanted.new, declared=file == FILE)
    except InputError as error:
        at = [(problem, problem.place) for problem in error.problems]
        raise InputError(
            Problem(problem.kind, Place(file, place.line, place.column), problem.values) for problem, place in at
        ) from None
    mark = codecs.BOM_UTF8 if version.data.startswith(codecs.BOM_UTF8) else b""
    return mark + encoded(apply_edit(text, edit), place=Place(file))
