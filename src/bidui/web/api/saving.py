"""What calls answer that write a file: a new revision, or a draft where the text does not parse yet."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from bidui.errors import Problem
from bidui.web.api.conflicts import ConflictAnswer
from bidui.web.problems import ProblemShape, fails, problem_shapes
from bidui.web.store import Kept, Saved, file_problems
from bidui.words import Language


class SavedAnswer(BaseModel):
    """Whether the file is so now; if not, the text is kept as a draft and the problems say why.

    `revision` is the file's latest one, or for a draft the one that it was made from.
    """

    saved: bool
    draft: bool
    changed: bool
    file: str
    revision: int | None
    time: datetime
    problems: list[ProblemShape]


@dataclass(slots=True)
class Checking:
    """A `check` for `save`: what keeps a text from being saved is that it does not parse. What was found is kept."""

    file: str
    problems: list[Problem] = field(default_factory=list)

    def __call__(self, text: str) -> list[Problem]:
        """The problems of a text, errors and warnings."""
        self.problems = file_problems(self.file, text)
        return self.problems


def saved_answer(done: Saved | Kept, *, warnings: Iterable[Problem], language: Language) -> SavedAnswer:
    """The answer to a writer."""
    if isinstance(done, Kept):
        return SavedAnswer(
            saved=False,
            draft=True,
            changed=False,
            file=done.draft.file,
            revision=done.draft.base,
            time=done.draft.time,
            problems=problem_shapes(done.problems, language),
        )
    return SavedAnswer(
        saved=True,
        draft=False,
        changed=done.changed,
        file=done.revision.file,
        revision=done.revision.id,
        time=done.revision.time,
        problems=problem_shapes(warnings, language),
    )


def writing(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that writes a file."""
    conflict = {"model": ConflictAnswer, "description": "Somebody else has changed the file meanwhile"}
    return {**fails(403, 503, *statuses), 409: conflict}
