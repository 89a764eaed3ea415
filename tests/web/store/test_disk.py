"""Files are the truth: changes outside are noticed and kept, and nothing accepted is lost when a server dies."""

import errno
import os
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bidui.errors import InputError
from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current, open_store, refresh
from bidui.web.store.drafts import drafts
from bidui.web.store.files import Conflict, delete
from bidui.web.store.overview import coverage
from bidui.web.store.projects import binned, bring_back
from bidui.web.store.revisions import deleted_files, history
from bidui.web.store.workspace import Store, entries, entry

from .killed import NEW, kill_at
from .small import PARADIGM, TEXTS, saved, the_entry, write_small


def reasons(store: Store, file: str) -> list[str]:
    return [each.reason for each in history(the_entry(store), file)]


def aged(path: Path, *, seconds: int = 60) -> None:
    """Make a file look as if it had been there for a while."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_nothing_changed_means_no_revision(store: Store) -> None:
    assert refresh(store).changed == 0
    assert len(history(the_entry(store))) == len(TEXTS)


def test_an_edit_outside_becomes_a_revision_of_nobody(store: Store) -> None:
    (store.root / "small" / PARADIGM).write_text("by vim\n", "utf-8")
    assert refresh(store).changed == 1
    latest = history(the_entry(store), PARADIGM)[0]
    assert (latest.reason, latest.author) == ("outside", "")
    assert current(the_entry(store), PARADIGM).text == "by vim\n"


def test_a_second_edit_of_the_same_length_within_a_tick_of_the_clock_is_noticed(store: Store) -> None:
    """Time, size and number of the file are then the same as after the first."""
    path = store.root / "small" / PARADIGM
    path.write_bytes(b"aaaa\n")
    assert refresh(store).changed == 1
    status = path.stat()
    with path.open("r+b") as file:  # the same file, not a new one
        file.write(b"bbbb\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert refresh(store).changed == 1
    assert current(the_entry(store), PARADIGM).text == "bbbb\n"


def test_a_file_that_looks_as_it_did_is_not_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 paradigms are looked at whenever a list is shown."""
    for file in TEXTS:
        aged(store.root / "small" / file)
    refresh(store)
    read: list[str] = []
    monkeypatch.setattr("bidui.web.store.disk._seen", lambda _, name: read.append(name))
    assert refresh(store).changed == 0
    assert read == []


def test_a_file_removed_outside_can_be_brought_back(store: Store) -> None:
    (store.root / "small" / PARADIGM).unlink()
    refresh(store)
    (gone,) = deleted_files(the_entry(store))
    assert (gone.file, gone.reason, gone.author) == (PARADIGM, "outside", "")
    assert reasons(store, PARADIGM) == ["outside", "outside"]


def test_new_files_are_found_wherever_a_project_has_them(store: Store) -> None:
    home = store.root / "small"
    found = ["features.tsv", "phrases.yaml", "card.md", "relations/gives.tsv", "paradigms/BA/x.yml"]
    for file in (*found, "pairs/x.jsonl", "results/table.tsv", ".hidden.md", "notes.txt", "paradigms/BA/.x.yaml.swp"):
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text("x", "utf-8")
    assert refresh(store).changed == len(found)
    assert {each.file for each in history(the_entry(store))} == {*TEXTS, *found}


def test_a_table_stays_known_while_the_settings_that_name_it_are_broken(store: Store) -> None:
    """Else a slip in project.yaml would look as if the table had been deleted."""
    home = store.root / "small"
    (home / "tables").mkdir()
    (home / "tables" / "fills.tsv").write_text("a\tb\n", "utf-8")
    assert refresh(store).changed == 0
    (home / "project.yaml").write_text(TEXTS["project.yaml"] + "relations:\n  fills: tables/fills.tsv\n", "utf-8")
    assert refresh(store).changed == 2
    (home / "project.yaml").write_text("[", "utf-8")
    assert refresh(store).changed == 1
    assert reasons(store, "tables/fills.tsv") == ["outside"]


def test_links_are_told_and_left_alone(store: Store, tmp_path: Path) -> None:
    """A link may lead out of the workspace, and whoever may edit must not read or write there."""
    secret = tmp_path / "secret.tsv"
    secret.write_text("secret", "utf-8")
    home = store.root / "small"
    (home / "features.tsv").symlink_to(secret)
    (home / "lexicon.tsv").unlink()
    (home / "lexicon.tsv").symlink_to(secret)
    (home / "relations").symlink_to(tmp_path)
    found = refresh(store)
    assert {problem.kind for problem in found.skipped} == {"file-is-link"}
    assert {problem.place.file for problem in found.skipped} == {"features.tsv", "lexicon.tsv", "relations"}
    assert found.changed == 0  # the lexicon that was there before is not taken for deleted
    for file in ("features.tsv", "relations/secret.tsv"):
        with pytest.raises(InputError, match="is a link"):
            current(the_entry(store), file)
        with pytest.raises(InputError, match="is a link"):
            saved(store, "x", base=None, file=file)
    assert secret.read_text("utf-8") == "secret"


def test_a_folder_of_paradigms_that_is_a_link_does_not_look_empty(store: Store, tmp_path: Path) -> None:
    (store.root / "small" / "paradigms").rename(tmp_path / "elsewhere")
    (store.root / "small" / "paradigms").symlink_to(tmp_path / "elsewhere")
    assert refresh(store).changed == 0
    assert reasons(store, PARADIGM) == ["outside"]


def test_what_is_no_text_is_kept_as_it_is(store: Store) -> None:
    """An editor that saved GBK: the bytes are in the history, and the error has its place."""
    (store.root / "small" / PARADIGM).write_bytes("uid: 新\n".encode("gbk"))
    found = current(the_entry(store), PARADIGM)
    assert found.data == "uid: 新\n".encode("gbk")
    with pytest.raises(InputError, match=r"gender\.yaml:1"):
        _ = found.text


def test_a_file_that_is_too_large_is_told_and_not_taken_for_deleted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bidui.web.store.disk.MAX_BYTES", 60)
    found = refresh(store)
    assert [(problem.kind, problem.place.file) for problem in found.skipped] == [
        ("file-too-large", "lexicon.tsv"),
        ("file-too-large", PARADIGM),
    ]
    assert found.changed == 0


def test_projects_come_go_and_come_back_with_their_history(store: Store, tmp_path: Path) -> None:
    """As when somebody changes the branch in git and changes back."""
    write_small(store.root / "other")
    refresh(store)
    assert [each.name for each in entries(store)] == ["other", "small"]
    number = the_entry(store).id
    (store.root / "small").rename(tmp_path / "away")
    refresh(store)
    assert [each.name for each in entries(store)] == ["other"]
    assert [(thrown.name, thrown.by) for thrown in binned(store)] == [("small", "")]
    (tmp_path / "away").rename(store.root / "small")
    refresh(store)
    assert (the_entry(store).id, binned(store)) == (number, [])
    assert reasons(store, PARADIGM) == ["outside", "outside", "outside"]  # there, gone, there


def test_a_project_removed_outside_is_written_anew_from_its_revisions(store: Store, tmp_path: Path) -> None:
    saved(store, "a: b\n", base=current(the_entry(store), PARADIGM).revision.id)
    (store.root / "small" / "lexicon.tsv").unlink()
    refresh(store)
    (store.root / "small").rename(tmp_path / "away")
    refresh(store)
    (thrown,) = binned(store)
    back = bring_back(store, thrown.id, who=local_user(store))
    assert current(back, PARADIGM).text == "a: b\n"
    assert current(back, PARADIGM).revision.reason == "restore"
    assert not (back.folder / "lexicon.tsv").exists()  # that was gone before
    assert refresh(store).changed == 0


def test_a_project_that_is_gone_cannot_be_written_to(store: Store, tmp_path: Path) -> None:
    """A page may still be open; to write would make a folder with one file in it."""
    base = current(the_entry(store), PARADIGM).revision.id
    (store.root / "small").rename(tmp_path / "away")
    with pytest.raises(InputError, match="no project small"):
        saved(store, "a: b\n", base=base)
    assert not (store.root / "small").exists()


def test_folders_that_are_no_projects_or_hidden_or_links_are_not_served(store: Store, tmp_path: Path) -> None:
    (store.root / "notes").mkdir()
    write_small(store.root / ".hidden")
    write_small(tmp_path / "elsewhere")
    (store.root / "linked").symlink_to(tmp_path / "elsewhere")
    found = refresh(store)
    assert [each.name for each in entries(store)] == ["small"]
    assert [(problem.kind, problem.place.file) for problem in found.skipped] == [("file-is-link", "linked")]


def test_a_folder_that_is_itself_a_project_is_one_and_keeps_its_history_when_renamed(tmp_path: Path) -> None:
    write_small(tmp_path / "mine")
    store = open_store(tmp_path / "mine")
    assert [(each.name, each.folder) for each in entries(store)] == [("mine", tmp_path / "mine")]
    store.close()
    (tmp_path / "mine").rename(tmp_path / "ours")
    store = open_store(tmp_path / "ours")
    assert [each.name for each in entries(store)] == ["ours"]
    assert len(history(entry(store, "ours"), PARADIGM)) == 1
    assert coverage(entry(store, "ours")).facts.title == "small"
    store.close()


def test_a_workspace_that_becomes_a_project_itself_does_not_mix_the_two_up(tmp_path: Path) -> None:
    """Somebody puts a project.yaml beside the projects, and takes it away again."""
    write_small(tmp_path / "work" / "small")
    open_store(tmp_path / "work").close()
    write_small(tmp_path / "work")
    store = open_store(tmp_path / "work")
    assert [(each.name, each.folder) for each in entries(store)] == [("work", tmp_path / "work")]
    assert len(history(entry(store, "work"), PARADIGM)) == 1
    store.close()
    (tmp_path / "work" / "project.yaml").unlink()
    store = open_store(tmp_path / "work")
    assert [each.name for each in entries(store)] == ["small"]
    assert len(history(the_entry(store))) == len(TEXTS)
    store.close()


def test_the_folder_of_a_phenomenon_goes_with_its_last_paradigm(store: Store) -> None:
    entry, who = the_entry(store), local_user(store)
    delete(entry, PARADIGM, base=current(entry, PARADIGM).revision.id, who=who)
    assert not (entry.folder / "paradigms" / "anaphor").exists()
    assert (entry.folder / "paradigms").is_dir()


# A server may die at any moment, and nothing that it had accepted is lost


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
    assert current(the_entry(store), PARADIGM).text == OLD
    assert [each.reason for each in history(the_entry(store), PARADIGM)] == ["outside"]
    store.close()


@pytest.mark.parametrize("point", ["committed as pending", "file half written", "file written", "done, not committed"])
def test_what_was_accepted_is_on_disk_after_the_next_start(dead: Dead, point: str) -> None:
    dead.at(point)
    store = dead.start()
    assert (store.root / "small" / PARADIGM).read_text("utf-8") == NEW
    latest, first = history(the_entry(store), PARADIGM)
    assert (latest.reason, latest.author, latest.base, first.reason) == ("edit", "local", first.id, "outside")
    assert drafts(store, who=local_user(store)) == []
    again = saved(store, OLD, base=latest.id)  # and the store works as ever
    assert again.changed
    store.close()


def test_a_deletion_that_had_happened_is_a_deletion(dead: Dead) -> None:
    dead.at("file removed")
    store = dead.start()
    assert [(each.file, each.reason) for each in deleted_files(the_entry(store))] == [(PARADIGM, "delete")]
    store.close()


def test_what_somebody_wrote_into_the_file_meanwhile_wins_and_the_rest_is_a_draft(
    dead: Dead,
) -> None:
    dead.at("committed as pending")
    (dead.root / "small" / PARADIGM).write_text("by hand\n", "utf-8")
    store = dead.start()
    assert current(the_entry(store), PARADIGM).text == "by hand\n"
    assert [each.reason for each in history(the_entry(store), PARADIGM)] == ["outside", "outside"]
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
    assert current(back, PARADIGM).text == OLD
    assert len(history(back, PARADIGM)) == 1
    store.close()


def test_a_project_that_had_come_is_there(dead: Dead) -> None:
    dead.at("project moved into place")
    store = dead.start()
    assert [each.name for each in entries(store)] == ["new", "small"]
    assert {each.reason for each in history(entry(store, "new"))} == {"outside"}
    store.close()


def test_a_writer_finishes_what_another_left_pending(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second transaction of a slow writer may come after the next writer has been through both of hers."""
    who, base = local_user(store), current(the_entry(store), PARADIGM).revision.id
    filing = Store.filing
    numbers = count(1)
    second: list[int] = []

    def slow(self: Store) -> AbstractContextManager[Connection]:
        if next(numbers) == 2:  # the first writer is between her two transactions
            latest = current(the_entry(store), PARADIGM)
            assert latest.text == "one\n"
            second.append(saved(store, "two\n", base=latest.revision.id, who=who).revision.id)
        return filing(self)

    monkeypatch.setattr(Store, "filing", slow)
    first = saved(store, "one\n", base=base, who=who)
    assert [each.id for each in history(the_entry(store), PARADIGM)] == [*second, first.revision.id, base]
    assert (store.root / "small" / PARADIGM).read_text("utf-8") == "two\n"


def test_an_edit_outside_between_accepting_and_writing_is_a_conflict(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    who, base = local_user(store), current(the_entry(store), PARADIGM).revision.id
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

    base = current(the_entry(store), PARADIGM).revision.id
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(InputError, match="No space left on device"):
            saved(store, "yours\n", base=base, tab="mine")
    assert (store.root / "small" / PARADIGM).read_text("utf-8") == OLD
    assert len(history(the_entry(store), PARADIGM)) == 1
    (draft,) = drafts(store, who=local_user(store))
    assert (draft.text, draft.tab, draft.why) == ("yours\n", "mine", "unwritten")
    assert saved(store, "yours\n", base=base, tab="mine").changed  # once there is room again
    assert drafts(store, who=local_user(store)) == []


def test_a_folder_that_cannot_be_read_hides_no_other(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One colleague's closed folder must not take the list of projects away from everybody."""
    closed = ("old", "new")  # one that is known, and one that is not
    for name in ("old", "other", "new"):
        write_small(store.root / name)
        if name == "old":
            refresh(store)
    is_file, scandir = Path.is_file, os.scandir

    def refuse(path: str | Path) -> None:
        if Path(path).name in closed or Path(path).parent.name in closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "is_file", lambda path: refuse(path) or is_file(path))
    monkeypatch.setattr(os, "scandir", lambda path: refuse(path) or scandir(path))
    result = refresh(store)
    assert {problem.place.file for problem in result.skipped if problem.kind == "read-failed"} == {*closed}
    assert "other" in [each.name for each in entries(store)] and "old" in [each.name for each in entries(store)]
