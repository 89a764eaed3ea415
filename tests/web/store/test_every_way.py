"""Whatever people, editors and crashes do in whatever order: every text that was taken can be found again."""

import contextlib
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from unittest.mock import patch

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy import Connection

from bidui.errors import BiduiError, InputError
from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current, open_store, refresh
from bidui.web.store.drafts import drafts
from bidui.web.store.files import Conflict, NewRevision, delete, rename, restore
from bidui.web.store.revisions import history, revision
from bidui.web.store.workspace import Store

from .small import anything, saved, the_entry, write_small

FILES = ["paradigms/a/x.yaml", "paradigms/a/y.yaml", "lexicon.tsv"]
TEXTS = [f"{letter}: 1\n" for letter in "abcde"]


class Killed(BaseException):
    """The server is gone; no handler runs but the database's own rollback."""


def killed_at_the_second() -> Callable[[Store], AbstractContextManager[Connection]]:
    """`Store.filing`, until it is asked for a second transaction."""
    filing, numbers = Store.filing, count(1)

    def killed(store: Store) -> AbstractContextManager[Connection]:
        if next(numbers) == 2:
            raise Killed
        return filing(store)

    return killed


class Workspace(RuleBasedStateMachine):
    """A store, what a user was told of each file, and every text that was ever saved or put on disk."""

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()
        write_small(Path(self.home.name) / "small")
        self.store = open_store(self.home.name)
        self.taken: set[tuple[str, str]] = set()
        self.known: dict[str, int | None] = dict.fromkeys(FILES)
        self.tabs = map(str, count())  # a new one each time: whoever saves again in one has dealt with her draft

    def path(self, file: str) -> Path:
        return Path(self.home.name) / "small" / file

    def look(self, file: str) -> int | None:
        try:
            return current(the_entry(self.store), file).revision.id
        except BiduiError:
            return None

    @rule(file=st.sampled_from(FILES), text=st.sampled_from(TEXTS), stale=st.booleans())
    def somebody_saves(self, file: str, text: str, stale: bool) -> None:
        """With `stale`, from a page that was loaded some time ago."""
        base = self.known[file] if stale else self.look(file)
        try:
            self.known[file] = saved(self.store, text, base=base, file=file, tab=next(self.tabs)).revision.id
        except Conflict:
            self.known[file] = self.look(file)
        self.taken.add((file, text))

    @rule(file=st.sampled_from(FILES), text=st.sampled_from(TEXTS))
    def an_editor_writes(self, file: str, text: str) -> None:
        self.path(file).parent.mkdir(exist_ok=True)
        self.path(file).write_text(text, "utf-8")
        refresh(self.store)
        self.taken.add((file, text))

    @rule(file=st.sampled_from(FILES))
    def an_editor_removes(self, file: str) -> None:
        self.path(file).unlink(missing_ok=True)

    @rule(file=st.sampled_from(FILES))
    def somebody_deletes(self, file: str) -> None:
        base = self.look(file)
        if base is not None:
            delete(the_entry(self.store), file, base=base, who=local_user(self.store))

    @rule(file=st.sampled_from(FILES[:2]), text=st.sampled_from(TEXTS))
    def somebody_renames(self, file: str, text: str) -> None:
        other = FILES[1 - FILES.index(file)]
        base = self.look(file)
        if base is not None:
            entry, who = the_entry(self.store), local_user(self.store)
            tab = next(self.tabs)
            try:
                done = rename(entry, file, other, text, base=base, who=who, check=anything, tab=tab)
            except Conflict:
                self.taken.add((file, text))  # as a draft
            except InputError as error:  # another name is to be chosen, and nothing was done
                assert error.problems[0].kind == "file-there"
            else:
                assert isinstance(done, NewRevision)
                self.taken.add((other, text))

    @rule(data=st.data())
    def somebody_restores(self, data: st.DataObject) -> None:
        entry, who = the_entry(self.store), local_user(self.store)
        old = data.draw(st.sampled_from(history(entry)))
        if not old.deleted:
            restore(entry, old.id, base=self.look(old.file), who=who, check=anything, tab="none")

    @rule(
        file=st.sampled_from(FILES),
        text=st.sampled_from(TEXTS),
        by_hand=st.sampled_from([None, *TEXTS]),
        renames=st.booleans(),
    )
    def the_server_dies_between_the_two_transactions(
        self, file: str, text: str, by_hand: str | None, renames: bool
    ) -> None:
        """And perhaps somebody uses an editor before it starts again."""
        base, tab, written, refused = self.look(file), next(self.tabs), file, False
        entry, who = the_entry(self.store), local_user(self.store)
        with patch.object(Store, "filing", killed_at_the_second()), contextlib.suppress(Killed, Conflict):
            if renames and base is not None and file != FILES[2]:
                written = FILES[1 - FILES.index(file)]
                try:
                    rename(entry, file, written, text, base=base, who=who, check=anything, tab=tab)
                except InputError:
                    refused = True  # the name is taken
            else:
                saved(self.store, text, base=base, file=file, tab=tab)
        if by_hand is not None:
            self.path(written).parent.mkdir(exist_ok=True)
            self.path(written).write_text(by_hand, "utf-8")
            self.taken.add((written, by_hand))
        self.store.close()
        self.store = open_store(self.home.name)
        found = {(draft.file, draft.text) for draft in drafts(self.store, who=local_user(self.store))}
        if not refused:
            self.taken.add((file if (file, text) in found else written, text))

    @invariant()
    def every_text_can_be_found(self) -> None:
        entry = the_entry(self.store)
        found = {(draft.file, draft.text) for draft in drafts(self.store, who=local_user(self.store))}
        for each in history(entry, most=10_000):
            if not each.deleted:
                found.add((each.file, revision(entry, each.id).text))
        assert self.taken <= found

    @invariant()
    def the_files_are_the_latest_revisions(self) -> None:
        refresh(self.store)
        entry = the_entry(self.store)
        latest = {each.file: each for each in reversed(history(entry, most=10_000))}
        for file in FILES:
            there = self.path(file).read_text("utf-8") if self.path(file).exists() else None
            known = latest.get(file)
            text = revision(entry, known.id).text if known and not known.deleted else None
            assert there == text
        assert not list(self.path("").rglob(".*.part"))

    def teardown(self) -> None:
        self.store.close()
        self.home.cleanup()


TestEveryWay = Workspace.TestCase
# without shrinking, which takes minutes where each step waits for a database
TestEveryWay.settings = settings(max_examples=12, stateful_step_count=15, deadline=None, phases=[Phase.generate])
