"""What became of a command that was typed."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


Bidui = Callable[..., Ended]
