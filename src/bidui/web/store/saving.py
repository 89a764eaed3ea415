"""Saving, deleting, restoring and renaming files: each is a new revision, or a draft, or a conflict."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bidui.errors import BiduiError, InputError, Place, Problem, fail
from bidui.grammar.documents import decode
from bidui.pairs.text import encoded
from bidui.web.store.accounts import User
from bidui.web.store.catalogue import Entry
from bidui.web.store.changing import Change, Conflict, commit
from bidui.web.store.drafting import Draft, Why, check_tab, keep_draft
from bidui.web.store.names import check_file_name
from bidui.web.store.revisions import Revision, revision
from bidui.web.store.workspace import Store

Check = Callable[[str], Iterable[Problem]]


@dataclass(frozen=True, slots=True)
class Saved:
    """The file is on disk, and this is its latest revision; not `changed` where it was so before."""

    revision: Revision
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """The text has errors, so the file is as it was and the text is a draft."""

    draft: Draft
    problems: tuple[Problem, ...]


def save(
    store: Store, entry: Entry, file: str, text: str, *, base: int | None, who: User, check: Check, tab: str = ""
) -> Saved | Kept:
    """Make a text the content of a file, if `check` finds no error in it; else it becomes a draft.

    `base` is the revision that the writer started from, None for a new file. Where that is not the latest one any
    more, the text becomes a draft and `Conflict` is raised.
    """
    check_file_name(file)
    check_tab(tab)
    problems, data = _checked(text, check, file=file)
    if data is None:
        return Kept(keep_draft(store, entry, file, text, base=base, who=who, why="unparsed", tab=tab), problems)
    return _written(store, entry, [Change(file, data, base)], text, who=who, tab=tab)


def restore(
    store: Store, entry: Entry, number: int, *, base: int | None, who: User, check: Check, tab: str = ""
) -> Saved | Kept:
    """Make the content of an old revision the latest one again; a deleted file comes back in this way."""
    check_tab(tab)
    old = revision(store, entry, number)
    file = old.revision.file
    if old.revision.deleted:
        raise fail("revision-is-deletion", Place(file), {"number": number})
    text = old.data.decode("utf-8-sig", "replace")
    problems, data = _checked(text, check, file=file)
    if data is None:
        return Kept(keep_draft(store, entry, file, text, base=base, who=who, why="unparsed", tab=tab), problems)
    return _written(store, entry, [Change(file, old.data, base, "restore", number)], text, who=who, tab=tab)


def rename(
    store: Store, entry: Entry, file: str, to: str, text: str, *, base: int, who: User, check: Check, tab: str = ""
) -> Saved | Kept:
    """Save a text under another name and remove the file of the old name; the new one's `origin` leads back.

    A name that is taken is refused, and then there is no draft: nothing is wrong with the text.
    """
    check_tab(tab)
    if "settings" in {check_file_name(file), check_file_name(to)}:
        raise fail("settings-needed", Place(file))
    problems, data = _checked(text, check, file=to)
    if data is None:
        return Kept(keep_draft(store, entry, file, text, base=base, who=who, why="unparsed", tab=tab), problems)
    if file == to:
        return _written(store, entry, [Change(file, data, base)], text, who=who, tab=tab)
    changes = [Change(file, None, base, "delete"), Change(to, data, None, "edit", base)]
    return _written(store, entry, changes, text, who=who, tab=tab)


def delete(store: Store, entry: Entry, file: str, *, base: int, who: User) -> Saved:
    """Remove a file; its last revision can be restored."""
    if check_file_name(file) == "settings":
        raise fail("settings-needed", Place(file))
    done = commit(store, entry, [Change(file, None, base, "delete")], who=who)
    return Saved(done[0].revision, done[0].changed)


def _written(store: Store, entry: Entry, changes: list[Change], text: str, *, who: User, tab: str) -> Saved:
    """Commit changes, the first file being the one that the writer has before her and the last that with her text."""
    try:
        done = commit(store, entry, changes, who=who, taken=(changes[0].file, tab))
    except BiduiError as error:
        renaming = len(changes) > 1
        if renaming and isinstance(error, Conflict) and error.file == changes[-1].file:
            raise fail("file-there", Place(error.file), {"other": error.file}) from None
        if renaming and isinstance(error, InputError) and error.problems[0].kind == "file-taken":
            raise
        why: Why = "conflict" if isinstance(error, Conflict) else "unwritten"
        keep_draft(store, entry, changes[0].file, text, base=changes[0].base, who=who, why=why, tab=tab)
        raise
    return Saved(done[-1].revision, any(one.changed for one in done))


def _checked(text: str, check: Check, *, file: str) -> tuple[tuple[Problem, ...], bytes | None]:
    """The problems of a text, and its bytes where none of them is an error."""
    try:
        data = encoded(text, place=Place(file))
        decode(data, name=file)  # no control characters
    except InputError as error:
        return error.problems, None
    problems = tuple(check(text))
    return problems, None if any(problem.severity == "error" for problem in problems) else data
