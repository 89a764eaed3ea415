"""Steps: the edits of a paradigm's text that a page can ask for, each by its name and what it needs."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from bidui.web.editing import paradigm_edits, renaming, row_edits, variant_edits
from bidui.web.editing.changes import Edit

Number = Annotated[int, Field(ge=0, le=1_000_000)]  # of a row, from 0
Variant = Annotated[int | None, Field(ge=0, le=1_000_000, description="None is the paradigm itself.")]


class Step(BaseModel):
    """The text that is edited, and which edit it is."""

    kind: Literal["paradigm"]
    text: str

    def arguments(self) -> dict[str, Any]:
        """What the edit needs besides the text."""
        return self.model_dump(exclude={"kind", "text", "do"})


class SetField(Step):
    do: Literal["set_field"]
    name: str
    value: str


class SetRule(Step):
    do: Literal["set_rule"]
    slot: str
    rule: str
    variant: Variant = None


class AddSlot(Step):
    do: Literal["add_slot"]
    slot: str
    rule: str
    variant: Variant = None
    at: Number | None = None


class RenameSlot(Step):
    do: Literal["rename_slot"]
    slot: str
    name: str
    variant: Variant = None


class MoveSlot(Step):
    do: Literal["move_slot"]
    slot: str
    to: Number
    variant: Variant = None


class DeleteSlot(Step):
    do: Literal["delete_slot"]
    slot: str
    variant: Variant = None


class SetLine(Step):
    do: Literal["set_line"]
    side: Literal["good", "bad"]
    line: str
    variant: Variant = None


class SetItem(Step):
    do: Literal["set_good", "set_bad"]
    row: Number
    item: str
    variant: Variant = None


class AddRow(Step):
    do: Literal["add_row"]
    at: Number
    item: str
    side: Literal["both", "good", "bad"] = "both"
    variant: Variant = None


class RowTo(Step):
    do: Literal["move_row", "move_bad", "copy_bad"]
    row: Number
    to: Number
    variant: Variant = None


class OneRow(Step):
    do: Literal["delete_row", "drop_bad"]
    row: Number
    variant: Variant = None


class SameAgain(Step):
    do: Literal["same_again"]
    row: Number | None = None
    variant: Variant = None


class AddVariant(Step):
    do: Literal["add_variant"]
    name: str
    copy_of: Number | None = None
    at: Number | None = None


class DeleteVariant(Step):
    do: Literal["delete_variant"]
    variant: Number


class MoveVariant(Step):
    do: Literal["move_variant"]
    variant: Number
    to: Number


class SetOption(Step):
    do: Literal["set_option"]
    key: Literal["name", "weight", "crossed"]
    value: str
    variant: Variant = None


class SetGroup(Step):
    do: Literal["set_group"]
    key: Literal["link", "repeat"]
    groups: Annotated[list[list[str]], Field(max_length=200)]
    variant: Variant = None


ParadigmStep = (
    SetField
    | SetRule
    | AddSlot
    | RenameSlot
    | MoveSlot
    | DeleteSlot
    | SetLine
    | SetItem
    | AddRow
    | RowTo
    | OneRow
    | SameAgain
    | AddVariant
    | DeleteVariant
    | MoveVariant
    | SetOption
    | SetGroup
)
_EDITS: Mapping[str, Callable[..., Edit]] = {
    "set_field": paradigm_edits.set_field,
    "set_rule": paradigm_edits.set_rule,
    "add_slot": paradigm_edits.add_slot,
    "rename_slot": renaming.rename_slot,
    "move_slot": paradigm_edits.move_slot,
    "delete_slot": paradigm_edits.delete_slot,
    "set_line": paradigm_edits.set_line,
    "set_good": row_edits.set_good,
    "set_bad": row_edits.set_bad,
    "add_row": row_edits.add_row,
    "move_row": row_edits.move_row,
    "move_bad": row_edits.move_bad,
    "copy_bad": row_edits.copy_bad,
    "delete_row": row_edits.delete_row,
    "drop_bad": row_edits.drop_bad,
    "same_again": row_edits.same_again,
    "add_variant": variant_edits.add_variant,
    "delete_variant": variant_edits.delete_variant,
    "move_variant": variant_edits.move_variant,
    "set_option": variant_edits.set_option,
    "set_group": paradigm_edits.set_group,
}


def paradigm_edit(step: ParadigmStep) -> Edit:
    """The changes of the text that do what was asked; raises `InputError` where that cannot be done."""
    return _EDITS[step.do](step.text, **step.arguments())
