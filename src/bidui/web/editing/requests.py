"""What is asked of a worker process, and what it answers: plain values that travel between processes."""

from dataclasses import dataclass, field
from typing import Literal

from bidui.errors import Problem
from bidui.web.editing.diagnostics import Diagnostic
from bidui.web.editing.preview import Counted, Preview
from bidui.web.editing.slot_words import SlotWords

Kind = Literal["pairs", "words", "count", "phrases", "open"]
Result = Preview | Counted | tuple[SlotWords, ...] | tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A question about a paradigm's text: pairs of it, the words of its slots, or how many pairs it has.

    Of a text of `phrases`, what is wrong with it. To `open` a project is no question; it makes the next one quick.
    """

    kind: Kind
    text: str = ""
    name: str = ""  # of the file, as messages say it
    n: int = 10
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The result, or the problem that kept it from being worked out; and how long it took."""

    result: Result | None = None
    problem: Problem | None = None
    seconds: float = 0.0


_SECONDS: dict[Kind, float] = {"pairs": 3.0, "words": 3.0, "count": 30.0, "phrases": 3.0, "open": 1.0}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may use: seconds for each kind of question, and bytes beyond what it has when it starts."""

    seconds: dict[Kind, float] = field(default_factory=lambda: dict(_SECONDS))
    memory: int = 1 << 30
    answer: int = 4 << 20  # bytes of an answer
    grace: float = 1.0  # seconds until a worker that does not stop by itself is killed
    opening: float = 60.0  # seconds to start and to open a project
