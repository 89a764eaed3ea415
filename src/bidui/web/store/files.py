"""Saving, renaming, restoring and deleting files: each gives a new revision, or a draft, or a conflict."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from bidui.errors import BiduiError, InputError, Place, Problem, fail
from bidui.files import encode, sha256
from bidui.grammar.names import check_file_name, file_path
from bidui.grammar.yaml import MAX_BYTES, decode
from bidui.web.store.accounts import User
from bidui.web.store.database import files, revisions
from bidui.web.store.disk import Head, catch_up, give_up, head_of, set_head, settle
from bidui.web.store.drafts import Draft, Why, check_tab, claim_drafts, keep_draft, remove_draft
from bidui.web.store.overview import file_problems
from bidui.web.store.revisions import Reason, Revision, Version, by_number, check_base, record, revision, version
from bidui.web.store.workspace import Entry, check_live, name_key

Check = Callable[[str], Iterable[Problem]]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one file: it gets these bytes, or is deleted (None), instead of the revision `base`.

    `study` is the study whose results decided it.
    """

    file: str
    data: bytes | None
    base: int | None
    reason: Reason = "edit"
    origin: int | None = None
    study: int | None = None

    @property
    def sha256(self) -> str | None:
        """The hash of the bytes; None for a deletion."""
        return None if self.data is None else sha256(self.data)


@dataclass(frozen=True, slots=True)
class NewRevision:
    """The latest revision of a file after a change; not `changed` where the file was so before.

    `problems` are warnings about its text.
    """

    revision: Revision
    changed: bool
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class NewDraft:
    """A text with errors, kept as a draft; the file is as it was."""

    draft: Draft
    problems: tuple[Problem, ...]


Outcome = NewRevision | NewDraft


class Conflict(BiduiError):
    """Somebody else has changed the file since `base`; it carries all three versions, for a merge by row.

    `base` is None where the writer took the file for new, `yours` where the writer wanted it deleted; `theirs` may be
    a deletion.
    """

    def __init__(self, file: str, *, base: Version | None, theirs: Version, yours: bytes | None) -> None:
        self.file, self.base, self.theirs, self.yours = file, base, theirs, yours
        author = theirs.revision.author
        kind = "revision-conflict" if author else "revision-conflict-outside"
        self.problem = Problem(kind, Place(file), {"author": author})
        super().__init__(str(self.problem))


# One file


def save(
    entry: Entry, file: str, text: str, *, base: int | None, who: User, check: Check | None = None, tab: str = ""
) -> Outcome:
    """Make a text the content of a file, if `check` finds no error in it; otherwise keep it as a draft.

    `base` is the revision that the writer started from, None for a new file. Where that is not the latest one any
    more, the text becomes a draft and `Conflict` is raised. Without a `check` the text must parse.
    """
    data, problems = _checked(text, check, file=file)
    return _written(entry, text, [Change(file, data, base)], problems, who=who, tab=tab)


def restore(
    entry: Entry, number: int, *, base: int | None, who: User, check: Check | None = None, tab: str = ""
) -> Outcome:
    """Make the content of an old revision the latest one again; a deleted file comes back in this way."""
    old = revision(entry, number)
    file = old.revision.file
    if old.revision.deleted:
        raise fail("revision-is-deletion", Place(file), {"number": number})
    _, problems = _checked(old.shown, check, file=file)
    change = Change(file, old.data, base, "restore", number)
    return _written(entry, old.shown, [change], problems, who=who, tab=tab)


def rename(
    entry: Entry, file: str, to: str, text: str, *, base: int, who: User, check: Check | None = None, tab: str = ""
) -> Outcome:
    """Save a text under another name and remove the file of the old name; the new one's `origin` leads back.

    A name that is taken is refused, and then there is no draft: nothing is wrong with the text.
    """
    if "settings" in {check_file_name(file), check_file_name(to)}:
        raise fail("settings-needed", Place(file))
    data, problems = _checked(text, check, file=to)
    move = [Change(file, None, base, "delete"), Change(to, data, None, "edit", base)]
    changes = [Change(file, data, base)] if file == to else move
    return _written(entry, text, changes, problems, who=who, tab=tab)


def delete(entry: Entry, file: str, *, base: int, who: User) -> NewRevision:
    """Remove a file; its last revision can be restored."""
    if check_file_name(file) == "settings":
        raise fail("settings-needed", Place(file))
    return commit(entry, [Change(file, None, base, "delete")], who=who)[0]


def _checked(text: str, check: Check | None, *, file: str) -> tuple[bytes, tuple[Problem, ...]]:
    """Return the bytes of a text for a file, and its problems."""
    check_file_name(file)
    try:
        data = encode(text, place=Place(file))
        decode(data, name=file)  # no control characters
    except InputError as error:
        return b"", error.problems
    return data, tuple(check(text) if check else file_problems(file, text))


def _written(
    entry: Entry, text: str, changes: list[Change], problems: tuple[Problem, ...], *, who: User, tab: str
) -> Outcome:
    """Commit changes if the text has no errors; otherwise, or where they fail, keep it as a draft of the first file.

    The first file is the one that the writer has before her, the last is the one that gets her text.
    """
    check_tab(tab)
    first, last = changes[0], changes[-1]

    def draft(why: Why) -> Draft:
        return keep_draft(entry, first.file, text, base=first.base, who=who, why=why, tab=tab)

    if any(problem.severity == "error" for problem in problems):
        return NewDraft(draft("unparsed"), problems)
    try:
        results = commit(entry, changes, who=who, taken=(first.file, tab))
    except BiduiError as error:
        if first is not last and isinstance(error, Conflict) and error.file == last.file:
            raise fail("file-there", Place(error.file), {"other": error.file}) from None
        if first is not last and isinstance(error, InputError) and error.problems[0].kind == "file-taken":
            raise
        draft("conflict" if isinstance(error, Conflict) else "unwritten")
        raise
    return NewRevision(results[-1].revision, any(each.changed for each in results), problems)


# Several files at once: accepted together if nobody else was quicker, then written


def commit(
    entry: Entry, changes: Sequence[Change], *, who: User, taken: tuple[str, str] | None = None
) -> list[NewRevision]:
    """Make changes of different files, all or none; raises `Conflict` where a file is not at its `base` any more.

    `taken` is the file and tab of a draft that these changes replace.
    """
    for change in changes:
        file_path(entry.folder, change.file)  # refuses links and bad names
        if change.data is not None and len(change.data) > MAX_BYTES:
            raise fail("file-too-large", Place(change.file), {"bytes": len(change.data), "limit": MAX_BYTES})
    with entry.store.filing() as connection:
        accepted = _accept(connection, entry, changes, who=who)
    if isinstance(accepted, Conflict):
        raise accepted
    with entry.store.filing() as connection:
        outcome = _finish(connection, entry, changes, accepted)
        if taken:
            remove_draft(connection, entry, taken[0], user=who.id, tab=taken[1])
        if taken and isinstance(outcome, BiduiError):
            claim_drafts(connection, entry, [number for number in accepted if number], user=who.id, tab=taken[1])
    if isinstance(outcome, BiduiError):
        raise outcome
    return outcome


def _accept(
    connection: Connection, entry: Entry, changes: Sequence[Change], *, who: User
) -> list[int | None] | Conflict:
    """Add the revisions as pending; None stands for a file that is already so. Changes found outside are recorded."""
    check_live(connection, entry)
    for change in changes:
        check_base(connection, entry, change.file, change.base)
    heads = [catch_up(connection, entry, change.file) for change in changes]
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
            reason=change.reason,
            state="pending",
            base=head.id,
            origin=change.origin,
            study=change.study,
        )
        set_head(connection, entry, change.file, Head(head.id, head.sha256, number, head.stamp))
        accepted.append(number)
    return accepted


def _finish(
    connection: Connection, entry: Entry, changes: Sequence[Change], accepted: Sequence[int | None]
) -> list[NewRevision] | BiduiError:
    """Write the files of the revisions; after one that cannot be written, the rest stay as they were."""
    waiting = _in_order(changes)
    while waiting:
        change = waiting.pop(0)
        settled = settle(connection, entry, change.file)
        if not settled.done:
            for other in waiting:
                give_up(connection, entry, other.file)
            return InputError(settled.problems) if settled.problems else _conflict(connection, entry, change)
    results = []
    for change, number in zip(changes, accepted, strict=True):
        if number is None:
            head = head_of(connection, entry, change.file)
            assert head.id is not None
            results.append(NewRevision(by_number(connection, entry, head.id), changed=False))
        elif connection.scalar(select(revisions.c.state).where(revisions.c.id == number)) == "done":
            results.append(NewRevision(by_number(connection, entry, number), changed=True))
        else:  # somebody outside changed the file between our two transactions, and another writer noticed
            return _conflict(connection, entry, change)
    return results


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """Sort additions before deletions, so that a text is never nowhere.

    Where only the case of a name changes, delete first: on many machines the two are one file.
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
    """Refuse a file whose name another has in another case: on many machines the two would be one."""
    if not new:
        return
    there = select(files.c.name).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    names = {name_key(name): name for name in connection.scalars(there) if name not in leaving}
    for file in new:
        if other := names.get(name_key(file)):
            raise fail("file-taken", Place(file), {"other": other})
