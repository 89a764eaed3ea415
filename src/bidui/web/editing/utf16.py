"""Places as browsers count them: in UTF-16, where a rare character such as 𠮷 counts twice."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bidui.errors import fail
from bidui.web.editing.changes import Change, Edit, make_edit
from bidui.web.editing.positions import Range, Span

_WIDE = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Utf16:
    """A text whose places are translated, many of them at little cost."""

    text: str
    wide: list[int] = field(init=False, repr=False)  # where the rare characters stand
    ends: list[int] = field(init=False, repr=False)  # where a browser sees them end

    def __post_init__(self) -> None:
        wide = [] if self.text.isascii() else [found.start() for found in _WIDE.finditer(self.text)]
        object.__setattr__(self, "wide", wide)
        object.__setattr__(self, "ends", [at + number + 2 for number, at in enumerate(wide)])

    def offset(self, offset: int) -> int:
        """Where a browser sees the character at `offset`."""
        return offset + bisect_left(self.wide, offset)

    def span(self, span: Span) -> Span:
        """A stretch as a browser counts it."""
        return Span(self.offset(span.start), self.offset(span.end))

    def range(self, range: Range) -> Range:
        """The same with lines and columns, which stay as people count them."""
        return replace(range, start=self.offset(range.start), end=self.offset(range.end))

    def edit(self, edit: Edit) -> Edit:
        """The changes of this text as a browser counts them."""
        return tuple(Change(self.offset(c.start), self.offset(c.end), c.text) for c in edit)

    def character(self, seen: int) -> int:
        """Where the character is that a browser sees at `seen`; the middle of one counts as its end."""
        return max(0, min(seen - bisect_right(self.ends, seen), len(self.text)))

    def changes(self, changes: Iterable[Change]) -> Edit:
        """Changes that a browser counted, as an edit of this text; raises `InputError` where they do not fit it."""
        found = [Change(self.character(c.start), self.character(c.end), c.text) for c in changes]
        try:
            if any(change.start > change.end for change in found):
                raise ValueError
            return make_edit(found)
        except ValueError:
            raise fail("changes-overlap", None) from None
