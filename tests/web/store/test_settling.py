"""A server may die at any moment, and nothing that it had accepted is lost."""

import errno
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bidui.errors import InputError
from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current, open_store
from bidui.web.store.drafts import drafts
from bidui.web.store.files import Conflict
from bidui.web.store.projects import binned, bring_back
from bidui.web.store.revisions import deleted_files, history
from bidui.web.store.workspace import Store, entries, entry

from .killed import NEW, kill_at
from .small import PARADIGM, TEXTS, saved, the_entry, write_small

OLD = TEXTS[PARADIGM]


# Forking beside the threads of pytest-xdist is safe here: the child opens its own database and uses no thread.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@dataclass(frozen=True)
class Dead:
    """A workspace whose server can be killed, and started again."""

    root: Path
    database: str | None

    def at(self, point: str) -> None:
        """Let the server die at that point."""
        write_small(self.root / "small")
        kill_at(point, self.root, self.database)

    def start(self) -> Store:
        """Start the next one."""
        return open_store(self.root, database=self.database)


@pytest.fixture
def dead(tmp_path: Path, database: str | None) -> Dead:
    return Dead(tmp_path / "work", database)


@pytest.mark.parametrize("point", ["before anything", "accepted, not committed"])
def test_what_was_not_accepted_leaves_no_trace(dead: Dead, point: str) -> None:
    """The page was never told that it was, and still has the text."""
    dead.at(point)
    store = dead.start()
    assert current(store, the_entry(store), PARADIGM).text == OLD
    assert [each.reason for each in history(store, the_entry(store), PARADIGM)] == ["outside"]
    store.close()


@pytest.mark.parametrize("point", ["committed as pending", "file half written", "file written", "done, not committed"])
def test_what_was_accepted_is_on_disk_after_the_next_start(dead: Dead, point: str) -> None:
    dead.at(point)
    store = dead.start()
    assert (store.root / "small" / PARADIGM).read_text("utf-8") == NEW
    latest, first = history(store, the_entry(store), PARADIGM)
    assert (latest.reason, latest.author, latest.base, first.reason) == ("edit", "local", first.id, "outside")
    assert drafts(store, who=local_user(store)) == []
    again = saved(store, OLD, base=latest.id)  # and the store works as ever
    assert again.changed
    store.close()


def test_a_deletion_that_had_happened_is_a_deletion(dead: Dead) -> None:
    dead.at("file removed")
    store = dead.start()
    assert [(each.file, each.reason) for each in deleted_files(store, the_entry(store))] == [(PARADIGM, "delete")]
    store.close()


def test_what_somebody_wrote_into_the_file_meanwhile_wins_and_the_rest_is_a_draft(
    dead: Dead,
) -> None:
    dead.at("committed as pending")
    (dead.root / "small" / PARADIGM).write_text("by hand\n", "utf-8")
    store = dead.start()
    assert current(store, the_entry(store), PARADIGM).text == "by hand\n"
    assert [each.reason for each in history(store, the_entry(store), PARADIGM)] == ["outside", "outside"]
    assert [(draft.text, draft.why) for draft in drafts(store, who=local_user(store))] == [(NEW, "conflict")]
    store.close()


def test_what_cannot_be_written_is_a_draft(dead: Dead) -> None:
    dead.at("committed as pending")
    path = dead.root / "small" / PARADIGM
    path.unlink()
    path.mkdir()
    store = dead.start()
    assert [(draft.text, draft.why) for draft in drafts(store, who=local_user(store))] == [(NEW, "unwritten")]
    store.close()


@pytest.mark.parametrize("point", ["committed as pending", "new file pending"])
def test_no_folder_is_made_for_a_project_that_is_gone(dead: Dead, point: str) -> None:
    dead.at(point)
    (dead.root / "small").rename(dead.root.parent / "elsewhere")
    store = dead.start()
    assert not (dead.root / "small").exists()
    assert entries(store) == []
    (dead.root.parent / "elsewhere").rename(dead.root / "small")
    store.close()
    store = dead.start()
    assert [draft.text for draft in drafts(store, who=local_user(store))] == [NEW]
    store.close()


def test_a_project_that_had_gone_to_the_bin_is_in_the_bin(dead: Dead) -> None:
    dead.at("project moved to the bin")
    store = dead.start()
    assert entries(store) == []
    (thrown,) = binned(store)
    back = bring_back(store, thrown.id, who=local_user(store))
    assert current(store, back, PARADIGM).text == OLD
    assert len(history(store, back, PARADIGM)) == 1
    store.close()


def test_a_project_that_had_come_is_there(dead: Dead) -> None:
    dead.at("project moved into place")
    store = dead.start()
    assert [each.name for each in entries(store)] == ["new", "small"]
    assert {each.reason for each in history(store, entry(store, "new"))} == {"outside"}
    store.close()


def test_a_writer_finishes_what_another_left_pending(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second transaction of a slow writer may come after the next writer has been through both of hers."""
    who, base = local_user(store), current(store, the_entry(store), PARADIGM).revision.id
    filing = Store.filing
    numbers = count(1)
    second: list[int] = []

    def slow(self: Store) -> AbstractContextManager[Connection]:
        if next(numbers) == 2:  # the first writer is between her two transactions
            latest = current(store, the_entry(store), PARADIGM)
            assert latest.text == "one\n"
            second.append(saved(store, "two\n", base=latest.revision.id, who=who).revision.id)
        return filing(self)

    monkeypatch.setattr(Store, "filing", slow)
    first = saved(store, "one\n", base=base, who=who)
    assert [each.id for each in history(store, the_entry(store), PARADIGM)] == [*second, first.revision.id, base]
    assert (store.root / "small" / PARADIGM).read_text("utf-8") == "two\n"


def test_an_edit_outside_between_accepting_and_writing_is_a_conflict(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    who, base = local_user(store), current(store, the_entry(store), PARADIGM).revision.id
    filing = Store.filing
    numbers = count(1)

    def slow(self: Store) -> AbstractContextManager[Connection]:
        if next(numbers) == 2:
            (store.root / "small" / PARADIGM).write_text("by hand\n", "utf-8")
        return filing(self)

    monkeypatch.setattr(Store, "filing", slow)
    with pytest.raises(Conflict) as caught:
        saved(store, "yours\n", base=base, tab="mine", who=who)
    assert caught.value.theirs.text == "by hand\n"
    (draft,) = drafts(store, who=local_user(store))
    assert (draft.text, draft.tab, draft.why, draft.base) == ("yours\n", "mine", "conflict", base)


def test_a_full_disk_leaves_the_file_and_keeps_the_text(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    base = current(store, the_entry(store), PARADIGM).revision.id
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(InputError, match="No space left on device"):
            saved(store, "yours\n", base=base, tab="mine")
    assert (store.root / "small" / PARADIGM).read_text("utf-8") == OLD
    assert len(history(store, the_entry(store), PARADIGM)) == 1
    (draft,) = drafts(store, who=local_user(store))
    assert (draft.text, draft.tab, draft.why) == ("yours\n", "mine", "unwritten")
    assert saved(store, "yours\n", base=base, tab="mine").changed  # once there is room again
    assert drafts(store, who=local_user(store)) == []
