"""Steps of tables: cells set, rows added and deleted, columns added, blocks pasted, and changes taken back."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from bidui.web.api.spans import ChangeShape
from bidui.web.editing.changes import Change, Edit, apply_edit, make_edit
from bidui.web.editing.tables import Table, add_column, add_rows, delete_rows, paste, read_table, set_cell
from bidui.web.editing.utf16 import Utf16

Line = Annotated[int, Field(ge=1, le=10_000_000)]


class SetCell(BaseModel):
    do: Literal["set"]
    line: Line
    column: str
    value: str


class AddRows(BaseModel):
    do: Literal["add"]
    rows: Annotated[list[list[str]], Field(max_length=20_000)]
    after: Line | None = None


class DeleteRows(BaseModel):
    do: Literal["delete"]
    lines: Annotated[list[Line], Field(max_length=50_000)]


class AddColumn(BaseModel):
    do: Literal["column"]
    name: str


class Paste(BaseModel):
    do: Literal["paste"]
    block: str
    line: Line | None = None
    column: str = ""


class ApplyChanges(BaseModel):
    do: Literal["changes"]
    changes: Annotated[list[ChangeShape], Field(max_length=50_000)]


Operation = Annotated[SetCell | AddRows | DeleteRows | AddColumn | Paste | ApplyChanges, Field(discriminator="do")]


def applied(text: str, steps: Sequence[Operation]) -> str:
    """The text of a table after some steps, each on what the one before left."""
    for group in _groups(steps):
        table = read_table(text)
        text = apply_edit(text, make_edit(change for step in group for change in _edit(table, step)))
    return text


def _groups(steps: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Cells that are set in different lines are set at once: filling a column would take long otherwise."""
    group: list[Operation] = []
    lines: set[int] = set()
    for step in steps:
        line = step.line if isinstance(step, SetCell) else 0
        if group and (not line or line in lines or not lines):
            yield group
            group, lines = [], set()
        group.append(step)
        lines |= {line} - {0}
    if group:
        yield group


def _edit(table: Table, step: Operation) -> Edit:
    match step:
        case SetCell():
            return set_cell(table, line=step.line, column=step.column, value=step.value)
        case AddRows():
            return add_rows(table, step.rows, after=step.after)
        case DeleteRows():
            return delete_rows(table, step.lines)
        case AddColumn():
            return add_column(table, step.name)
        case Paste():
            return paste(table, step.block, line=step.line, column=step.column)
        case ApplyChanges():
            return Utf16(table.text).changes(Change(c.start, c.end, c.text) for c in step.changes)
