"""A file is the old one or the whole new one, and the system's reason reaches the user."""

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bidui.errors import InputError, OutputRefused
from bidui.files import hold_lock, read_inside, remove_temporaries, write_file, write_new_folder


def test_writes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.txt"
    write_file(path, b"one")
    write_file(path, "二".encode())
    assert path.read_text(encoding="utf-8") == "二"
    assert [p.name for p in path.parent.iterdir()] == ["a.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no links and pipes without privileges")
def test_nothing_is_read_through_a_link_or_from_a_pipe(tmp_path: Path) -> None:
    """A served folder may hold what anybody put there; a pipe without a writer would make us wait for ever."""
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    (outside / "a.tsv").write_bytes(b"secret")
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "a.tsv").write_bytes(b"mine")
    (folder / "a.tsv").symlink_to(outside / "a.tsv")
    (folder / "lexicon").symlink_to(outside)
    os.mkfifo(folder / "pipe.tsv")
    assert read_inside(folder, "in/a.tsv", limit=4) == b"mine"
    for name, message in {
        "a.tsv": "is a link",
        "lexicon/a.tsv": "is a link",
        "pipe.tsv": "Invalid argument",
        "in": "Is a directory",
        "in/../in/a.tsv": "Invalid argument",
        "none.tsv": "No such file",
    }.items():
        with pytest.raises(InputError, match=message):
            read_inside(folder, name, limit=100)
    with pytest.raises(InputError, match="at most 3"):
        read_inside(folder, "in/a.tsv", limit=3)


def test_a_new_file_is_as_open_as_any_other(tmp_path: Path) -> None:
    """Temporary files are private by default; results in a shared folder must not be."""
    write_file(tmp_path / "a", b"")
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.parametrize(("owner", "step"), [(os, "fsync"), (Path, "replace")])
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, step: str
) -> None:
    path = tmp_path / "a.txt"
    write_file(path, b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(owner, step, full)
    with pytest.raises(InputError, match=r"a\.txt: cannot be written: No space left on device"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_crash_while_writing_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "a.txt", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_folders_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="cannot be written: Not a directory"):
        write_file(tmp_path / "file" / "inner" / "a.txt", b"")


def test_leftovers_of_a_killed_run_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (".a.jsonl.0a1b.part", "a.part", ".hidden"):
        (tmp_path / name).write_bytes(b"")
    remove_temporaries(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".hidden", "a.part"]


@pytest.mark.parametrize("there", [True, False])
def test_a_new_folder_is_written_with_all_its_files(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "deep" / "out"
    if there:
        out.mkdir(parents=True)
    assert write_new_folder(out, [("a.txt", b"a"), ("in/b.txt", b"b")]) == 2
    assert ((out / "a.txt").read_bytes(), (out / "in/b.txt").read_bytes()) == (b"a", b"b")
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_new_folder_is_not_there_if_a_file_of_it_fails(tmp_path: Path) -> None:
    """Half an export would be taken for the whole."""

    def files() -> Iterator[tuple[str, bytes]]:
        yield "a.txt", b"a"
        raise InputError([])

    with pytest.raises(InputError):
        write_new_folder(tmp_path / "out", files())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_anything_in_it_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_bytes(b"mine")
    with pytest.raises(OutputRefused, match=r"the folder is not empty: mine\.txt; give another folder"):
        write_new_folder(tmp_path, [("a.txt", b"a")])
    with pytest.raises(OutputRefused, match="this is a file, but a folder is needed"):
        write_new_folder(tmp_path / "mine.txt", [("a.txt", b"a")])
    with pytest.raises(InputError, match="cannot be written"):
        write_new_folder(tmp_path / "mine.txt" / "out", [("a.txt", b"a")])
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


# Locks


def test_a_lock_is_held_by_one_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "deep" / ".lock"
    with hold_lock(path) as held:
        assert held and path.exists()
        with pytest.raises(BlockingIOError), hold_lock(path):
            pass
    assert not path.exists()
    with hold_lock(path):
        pass


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    """A process that is killed cleans nothing up; the file it leaves locks nothing."""
    code = (
        "import sys, time; from pathlib import Path; from bidui.files import hold_lock\n"
        "with hold_lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(600)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent / "src")}
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    holder = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    with pytest.raises(BlockingIOError), hold_lock(tmp_path / "lock"):
        pass
    holder.kill()
    holder.communicate()
    assert (tmp_path / "lock").exists()
    with hold_lock(tmp_path / "lock") as held:
        assert held


def test_of_many_that_wait_one_at_a_time_goes_on(tmp_path: Path) -> None:
    """The holder removes the file that the others wait for: they must then hold the file that is there instead."""
    inside: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        for _ in range(20):
            with hold_lock(tmp_path / "lock", on_wait=lambda: None):
                inside.append(number)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 120
    assert list(tmp_path.iterdir()) == []
