"""Changes of files, one or several at once: accepted together if nobody else was quicker, then written."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from bidui.errors import BiduiError, InputError, Place, Problem, fail
from bidui.grammar.yaml import MAX_BYTES, decode
from bidui.pairs.text import encoded
from bidui.web.store.accounts import User
from bidui.web.store.database import files, revisions
from bidui.web.store.disk import Head, catch_up, give_up, head_of, set_head, settle
from bidui.web.store.drafts import Draft, Why, check_tab, claim_drafts, keep_draft, remove_draft
from bidui.web.store.names import check_file_name, file_path
from bidui.web.store.revisions import Reason, Revision, Version, by_number, check_base, record, revision, version
from bidui.web.store.workspace import Entry, Store, check_live, name_key


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of one file: these bytes, or none at all, instead of the revision `base`."""

    file: str
    data: bytes | None
    base: int | None
    reason: Reason = "edit"
    origin: int | None = None

    @property
    def sha256(self) -> str | None:
        """The hash of the bytes."""
        return None if self.data is None else hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Changed:
    """The latest revision of a file after a change; not `changed` where the file was so before."""

    revision: Revision
    changed: bool


class Conflict(BiduiError):
    """Somebody else has changed the file since `base`: all three versions, for a merge by row.

    `base` is None where the writer took the file for new, `yours` where the writer wanted it deleted; `theirs` may be
    a deletion.
    """

    def __init__(self, file: str, *, base: Version | None, theirs: Version, yours: bytes | None) -> None:
        self.file, self.base, self.theirs, self.yours = file, base, theirs, yours
        author = theirs.revision.author
        kind = "revision-conflict" if author else "revision-conflict-outside"
        self.problem = Problem(kind, Place(file), {"author": author})
        super().__init__(str(self.problem))


def commit(
    store: Store, entry: Entry, changes: Sequence[Change], *, who: User, taken: tuple[str, str] | None = None
) -> list[Changed]:
    """Make changes of different files, all or none; `Conflict` where one of the files is not at its `base` any more.

    `taken` is the file and tab of a draft that this takes the place of.
    """
    for change in changes:
        file_path(entry.folder, change.file)  # refuses links and names that are none
        if change.data is not None and len(change.data) > MAX_BYTES:
            raise fail("file-too-large", Place(change.file), {"bytes": len(change.data), "limit": MAX_BYTES})
    with store.filing() as connection:
        accepted = _accept(store, connection, entry, changes, who=who)
    if isinstance(accepted, Conflict):
        raise accepted
    with store.filing() as connection:
        done = _finish(store, connection, entry, changes, accepted)
        if taken:
            remove_draft(connection, entry, taken[0], user=who.id, tab=taken[1])
        if taken and isinstance(done, BiduiError):
            claim_drafts(connection, entry, [number for number in accepted if number], user=who.id, tab=taken[1])
    if isinstance(done, BiduiError):
        raise done
    return done


def _accept(
    store: Store, connection: Connection, entry: Entry, changes: Sequence[Change], *, who: User
) -> list[int | None] | Conflict:
    """Add the revisions as pending; None stands for a file that is already so. What is found on the way stays."""
    check_live(connection, entry)
    for change in changes:
        check_base(connection, entry, change.file, change.base)
    heads = [catch_up(store, connection, entry, change.file) for change in changes]
    for change, head in zip(changes, heads, strict=True):
        if head.id is None and change.data is None:
            raise fail("file-unknown", Place(entry.name), {"file": change.file})
        fits = head.id == change.base or (head.sha256 is None and change.base is None)
        if head.id is not None and head.sha256 != change.sha256 and not fits:
            return _conflict(connection, entry, change)
    new = [change.file for change, head in zip(changes, heads, strict=True) if head.sha256 is None and change.sha256]
    _check_free(connection, entry, new, leaving={change.file for change in changes if change.data is None})
    accepted: list[int | None] = []
    for change, head in zip(changes, heads, strict=True):
        if head.id is not None and head.sha256 == change.sha256:
            accepted.append(None)
            continue
        number, _ = record(
            *(connection, entry, change.file, change.data),
            author=who.id,
            time=store.now(),
            reason=change.reason,
            state="pending",
            base=head.id,
            origin=change.origin,
        )
        set_head(connection, entry, change.file, Head(head.id, head.sha256, number, head.stamp))
        accepted.append(number)
    return accepted


def _finish(
    store: Store, connection: Connection, entry: Entry, changes: Sequence[Change], accepted: Sequence[int | None]
) -> list[Changed] | BiduiError:
    """Bring the files to where the revisions are; after one that cannot be, the rest stay as they were."""
    waiting = _in_order(changes)
    while waiting:
        change = waiting.pop(0)
        settled = settle(store, connection, entry, change.file)
        if not settled.done:
            for other in waiting:
                give_up(store, connection, entry, other.file)
            return InputError(settled.problems) if settled.problems else _conflict(connection, entry, change)
    done = []
    for change, number in zip(changes, accepted, strict=True):
        if number is None:
            head = head_of(connection, entry, change.file)
            assert head.id is not None
            done.append(Changed(by_number(connection, entry, head.id), changed=False))
        elif connection.scalar(select(revisions.c.state).where(revisions.c.id == number)) == "done":
            done.append(Changed(by_number(connection, entry, number), changed=True))
        else:  # another writer looked at the file between our two transactions, after somebody outside
            return _conflict(connection, entry, change)
    return done


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """What comes before what goes, so that a text is never nowhere.

    A new spelling of a name comes after the old one goes: on many machines the two are one file.
    """
    going = {name_key(change.file) for change in changes if change.data is None}
    meet = any(name_key(change.file) in going for change in changes if change.data is not None)
    return sorted(changes, key=lambda change: (change.data is None) != meet)


def _conflict(connection: Connection, entry: Entry, change: Change) -> Conflict:
    base = version(connection, entry, change.base) if change.base is not None else None
    theirs = head_of(connection, entry, change.file).id
    assert theirs is not None
    return Conflict(change.file, base=base, theirs=version(connection, entry, theirs), yours=change.data)


def _check_free(connection: Connection, entry: Entry, new: list[str], *, leaving: set[str]) -> None:
    """Refuse a file whose name another has in other letters: on many machines the two would be one."""
    if not new:
        return
    there = select(files.c.name).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    names = {name_key(name): name for name in connection.scalars(there) if name not in leaving}
    for file in new:
        if other := names.get(name_key(file)):
            raise fail("file-taken", Place(file), {"other": other})


# Saving, deleting, restoring and renaming files: each is a new revision, or a draft, or a conflict.

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
