"""A conflict as it travels: what the writer began with, what is there now, and what she wrote."""

from datetime import datetime

from pydantic import BaseModel

from bidui.web.problems import Problems, problem_shapes
from bidui.web.store import Conflict, Version
from bidui.words import Language


class BaseShape(BaseModel):
    """The revision that a writer began with."""

    revision: int
    text: str


class TheirsShape(BaseModel):
    """The revision that is there now; no author where it was made outside the workbench."""

    revision: int
    text: str
    author: str
    time: datetime
    deleted: bool


class ConflictShape(BaseModel):
    """The three versions; no base where the writer took the file for new, no `yours` where she wanted it deleted."""

    file: str
    base: BaseShape | None
    theirs: TheirsShape
    yours: str | None


class ConflictAnswer(Problems):
    """What a call answers that would have overwritten what somebody else wrote."""

    conflict: ConflictShape


def conflict_answer(conflict: Conflict, language: Language) -> ConflictAnswer:
    """The answer to whoever was not the first."""
    theirs, base = conflict.theirs.revision, conflict.base
    shape = ConflictShape(
        file=conflict.file,
        base=BaseShape(revision=base.revision.id, text=text_of(base)) if base else None,
        theirs=TheirsShape(
            revision=theirs.id,
            text=text_of(conflict.theirs),
            author=theirs.author,
            time=theirs.time,
            deleted=theirs.deleted,
        ),
        yours=None if conflict.yours is None else _text(conflict.yours),
    )
    return ConflictAnswer(problems=problem_shapes([conflict.problem], language), conflict=shape)


def text_of(version: Version) -> str:
    """The text of a revision; of one made outside that is no text, what can be shown of it."""
    return _text(version.data)


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")
