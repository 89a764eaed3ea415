"""Steps of the phrases: the edits of `phrases.yaml` that a page can ask for."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from bidui.web.api.paradigm_steps import Number
from bidui.web.editing import phrase_rows, renaming
from bidui.web.editing.changes import Edit


class Parts(BaseModel):
    """An alternative with parts, as the file writes it."""

    parts: Annotated[dict[str, str], Field(min_length=1, max_length=60)]
    line: str = ""
    head: str = ""
    weight: str = ""


class PhraseStepBase(BaseModel):
    """The text that is edited, and which edit it is."""

    kind: Literal["phrases"]
    text: str

    def arguments(self) -> dict[str, Any]:
        """What the edit needs besides the text."""
        return self.model_dump(exclude={"kind", "text", "do"})


class AddPhrase(PhraseStepBase):
    do: Literal["add_phrase"]
    name: str
    rule: str
    at: Number | None = None


class RenamePhrase(PhraseStepBase):
    do: Literal["rename_phrase"]
    name: str
    to: str


class DeletePhrase(PhraseStepBase):
    do: Literal["delete_phrase"]
    name: str


class MovePhrase(PhraseStepBase):
    do: Literal["move_phrase"]
    name: str
    to: Number


class SetDepth(PhraseStepBase):
    do: Literal["set_depth"]
    name: str
    depth: str


class AddAlternative(PhraseStepBase):
    do: Literal["add_alternative"]
    phrase: str
    value: str | Parts
    at: Number | None = None

    def arguments(self) -> dict[str, Any]:
        """The same, without the fields of the alternative that are blank."""
        value = self.value
        if isinstance(value, Parts):
            return {**super().arguments(), "value": {key: item for key, item in value.model_dump().items() if item}}
        return super().arguments()


class DeleteAlternative(PhraseStepBase):
    do: Literal["delete_alternative"]
    phrase: str
    number: Number


class MoveAlternative(PhraseStepBase):
    do: Literal["move_alternative"]
    phrase: str
    number: Number
    to: Number


class SetAlternative(PhraseStepBase):
    do: Literal["set_alternative"]
    phrase: str
    number: Number
    key: Literal["rule", "line", "head", "weight"]
    value: str


class SetPart(PhraseStepBase):
    do: Literal["set_part"]
    phrase: str
    number: Number
    part: str
    rule: str


class AddPart(PhraseStepBase):
    do: Literal["add_part"]
    phrase: str
    number: Number
    part: str
    rule: str
    at: Number | None = None


class DeletePart(PhraseStepBase):
    do: Literal["delete_part"]
    phrase: str
    number: Number
    part: str


class MovePart(PhraseStepBase):
    do: Literal["move_part"]
    phrase: str
    number: Number
    part: str
    to: Number


class RenamePart(PhraseStepBase):
    do: Literal["rename_part"]
    phrase: str
    number: Number
    part: str
    name: str


PhraseStep = (
    AddPhrase
    | RenamePhrase
    | DeletePhrase
    | MovePhrase
    | SetDepth
    | AddAlternative
    | DeleteAlternative
    | MoveAlternative
    | SetAlternative
    | SetPart
    | AddPart
    | DeletePart
    | MovePart
    | RenamePart
)


def _renamed(text: str, *, name: str, to: str) -> Edit:
    return renaming.rename_phrase(text, phrase=name, name=to, declared=True)


_EDITS: Mapping[str, Callable[..., Edit]] = {
    "add_phrase": phrase_rows.add_phrase,
    "rename_phrase": _renamed,
    "delete_phrase": phrase_rows.delete_phrase,
    "move_phrase": phrase_rows.move_phrase,
    "set_depth": phrase_rows.set_depth,
    "add_alternative": phrase_rows.add_alternative,
    "delete_alternative": phrase_rows.delete_alternative,
    "move_alternative": phrase_rows.move_alternative,
    "set_alternative": phrase_rows.set_alternative,
    "set_part": phrase_rows.set_part,
    "add_part": phrase_rows.add_part,
    "delete_part": phrase_rows.delete_part,
    "move_part": phrase_rows.move_part,
    "rename_part": phrase_rows.rename_part,
}


def phrase_edit(step: PhraseStep) -> Edit:
    """The changes of the text that do what was asked; raises `InputError` where that cannot be done."""
    return _EDITS[step.do](step.text, **step.arguments())
