"""Servers that die at a given point, each in a process of its own, which ends there without a word."""

import contextlib
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bidui.web.store import disk, files
from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current, open_store
from bidui.web.store.files import delete
from bidui.web.store.projects import delete_project, new_project

from .small import PARADIGM, TEXTS, saved, the_entry

NEW = TEXTS[PARADIGM].replace("喜欢", "讨厌")


def die(*_: object, **__: object) -> None:
    os._exit(9)


def then_die(function: Callable[..., Any], *, after: int = 1) -> Callable[..., Any]:
    """The function, and, after so many calls, death before anybody hears of it."""
    calls = count(1)

    def run(*given: Any, **named: Any) -> Any:
        result = function(*given, **named)
        return die() if next(calls) == after else result

    return run


# Where a run dies, in the order in which saving gets there.
POINTS: dict[str, Callable[[], Any]] = {
    "before anything": lambda: patch.object(files, "_accept", die),
    "accepted, not committed": lambda: patch.object(files, "_accept", then_die(files._accept)),
    "committed as pending": lambda: patch.object(files, "_finish", die),
    "new file pending": lambda: patch.object(files, "_finish", die),
    "file half written": lambda: patch.object(Path, "replace", die),
    "file written": lambda: patch.object(disk, "write_file", then_die(disk.write_file)),
    "done, not committed": lambda: patch.object(files, "_finish", then_die(files._finish)),
    "file removed": lambda: patch.object(disk, "remove_file", then_die(disk.remove_file)),
    "project moved to the bin": lambda: patch.object(Path, "rename", then_die(Path.rename)),
    "project moved into place": lambda: patch.object(Path, "rename", then_die(Path.rename, after=2)),
}


def run(root: str, database: str | None, point: str) -> None:
    """What the user did when the server died."""
    store = open_store(root, database=database)
    who, entry = local_user(store), the_entry(store)
    base = current(entry, PARADIGM).revision.id
    with POINTS[point]():
        if point == "file removed":
            delete(entry, PARADIGM, base=base, who=who)
        elif point == "project moved to the bin":
            delete_project(entry, who=who)
        elif point == "project moved into place":
            new_project(store, "new", lang="zh", who=who)
        elif point == "new file pending":
            saved(store, NEW, base=None, file="paradigms/anaphor/new.yaml")
        else:
            saved(store, NEW, base=base)


def kill_at(point: str, root: Path, database: str | None) -> None:
    """Let a server die at that point, in a process of its own."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            run(str(root), database, point)
        os._exit(0)  # it should not have come so far
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
