"""Uids: in a project a paradigm's name is one file's alone, whatever its letters, and says where that file lies."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from bidui.errors import Place, Problem


@dataclass(frozen=True, slots=True)
class Named:
    """A paradigm's file, and what the paradigm in it calls itself."""

    file: str
    uid: str
    phenomenon: str

    @property
    def key(self) -> str:
        """The uid as case-blind file systems compare it, and so does the grammar."""
        return self.uid.casefold()


def placing_problem(mine: Named, others: Iterable[Named]) -> Problem | None:
    """What is wrong with a file's name, or with its uid beside those of other files."""
    other = next((each for each in others if each.key == mine.key and each.file != mine.file), None)
    if other is not None:
        return Problem("paradigm-twice", Place(mine.file), {"uid": mine.uid, "other": other.file})
    right = f"paradigms/{mine.phenomenon}/{mine.uid}.yaml"
    return None if mine.file == right else Problem("file-misplaced", Place(mine.file), {"right": right})


def placing_problems(named: Iterable[Named]) -> dict[str, Problem]:
    """The same for all files of a project, by file: as `bidui check` has it, the first of a uid may keep it."""
    first: dict[str, Named] = {}
    found: dict[str, Problem] = {}
    for each in sorted(named, key=lambda one: PurePosixPath(one.file).parts):
        if problem := placing_problem(each, [first[each.key]] if each.key in first else []):
            found[each.file] = problem
        first.setdefault(each.key, each)
    return found
