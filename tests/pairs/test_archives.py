"""Archives are read as they were released, in memory; nothing in them can lead out or fill the machine."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.pairs import Pair, archives, read_pairs

LINE = '{"sentence_good": "好", "sentence_bad": "坏"}\n'
CLIMP = ",0,1,2,3\n0,binding,self,她看她自己,1\n1,binding,self,她看他自己,0\n"
FILES = {
    "top/b.jsonl": LINE,
    "top/a.csv": CLIMP,
    "top/.hidden.jsonl": "{",
    "__MACOSX/top/._b.jsonl": "\0",
    "top/in/c.jsonl": LINE,
    "top/README.md": "read me",
    "top/manifest.json": "{}",
}
PAIRS = [Pair("她看她自己", "她看他自己", "self", "binding", 0), *(Pair("好", "坏", uid, "", 0) for uid in "bc")]


def make_zip(path: Path, files: dict[str, str] = FILES) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def make_tar(path: Path, mode: str = "w:gz", files: dict[str, str] = FILES) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            item = tarfile.TarInfo(name)
            item.size = len(text.encode())
            archive.addfile(item, io.BytesIO(text.encode()))
    return path


def message(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    assert all(problem.text("zh") for problem in caught.value.problems)
    return str(caught.value)


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "x.tgz", "x.tar.xz", "x.tar.bz2", "X.ZIP"])
def test_an_archive_has_the_pairs_of_its_folder(tmp_path: Path, name: str) -> None:
    """Files come before folders beside them, by name, as in a folder that was unpacked."""
    mode = {"x.tar": "w", "x.tar.xz": "w:xz", "x.tar.bz2": "w:bz2"}.get(name, "w:gz")
    path = make_zip(tmp_path / name) if name.lower().endswith("zip") else make_tar(tmp_path / name, mode)
    pairs = read_pairs(path)
    assert list(pairs) == PAIRS
    size = len((LINE * 2 + CLIMP).encode())
    assert str(pairs.notes[0]) == f"{path}: 3 files of {size} bytes in the archive"
    assert list(read_pairs(tmp_path)) == PAIRS  # the folder in which it lies


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress)])
def test_a_file_may_be_compressed_alone(tmp_path: Path, suffix: str, pack: object) -> None:
    path = tmp_path / f"verbs.jsonl.{suffix}"
    path.write_bytes(pack(LINE.encode()))  # type: ignore[operator]
    assert list(read_pairs(path)) == [Pair("好", "坏", "verbs", "", 0)]


def test_unpacked_files_come_before_the_archive(tmp_path: Path) -> None:
    """The archive most likely holds the same; that it was not read is said."""
    make_zip(tmp_path / "x.zip")
    (tmp_path / "y.jsonl").write_text(LINE, encoding="utf-8")
    pairs = read_pairs(tmp_path)
    assert [pair.uid for pair in pairs] == ["y"]
    [note] = pairs.notes
    assert "these archives were not read" in note.text() and "x.zip" in note.text()


def test_problems_name_the_archive_and_the_file_in_it(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"top/a.jsonl": f"{LINE}{{\n"})
    assert message(path).startswith(f"{path}/top/a.jsonl:2:2: not valid JSON")
    assert "there are no pairs in this folder or archive" in message(make_zip(tmp_path / "y.zip", {"a.txt": "x"}))


def test_an_archive_in_an_archive_is_named(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a.jsonl": LINE, "more.tar.gz": "x"})
    assert [note.kind for note in read_pairs(path).notes] == ["pairs-unpacked", "pairs-archives-left"]
    assert "more.tar.gz" in read_pairs(path).notes[1].text()


@pytest.mark.parametrize("name", ["x.zip", "x.tar.gz", "x.tar", "x.jsonl.gz", "x.jsonl.xz", "x.csv.bz2"])
def test_a_broken_archive_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PK")
    assert f"{name}: the archive cannot be read: " in message(tmp_path / name)
    whole = make_zip(tmp_path / "whole.zip").read_bytes()
    (tmp_path / "half.zip").write_bytes(whole[: len(whole) // 2])
    assert "half.zip: the archive cannot be read: " in message(tmp_path / "half.zip")


@pytest.mark.parametrize("name", ["x.tar.gz", "x.tar.xz", "x.tar.bz2", "x.tar"])
def test_a_cut_tar_is_told_wherever_it_was_cut(tmp_path: Path, name: str) -> None:
    """A download that broke off must not be a benchmark with fewer pairs; tarfile takes it for whole."""
    modes = {"x.tar": "w", "x.tar.xz": "w:xz", "x.tar.bz2": "w:bz2", "x.tar.gz": "w:gz"}
    whole = make_tar(tmp_path / name, modes[name]).read_bytes()
    blocks = {1024 * n for n in range(1, 7)} if name == "x.tar" else set()  # between two files, too
    for size in sorted({len(whole) // 8 * n for n in range(1, 8)} | blocks):
        if name == "x.tar" and size > 7 * 1024:
            continue  # only zeros are missing
        (tmp_path / name).write_bytes(whole[:size])
        assert f"{name}: the archive cannot be read: " in message(tmp_path / name), size


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of zeros packs into a kilobyte; here 1,000 bytes are the most."""
    monkeypatch.setattr(archives, "MOST_BYTES", 1_000)
    bomb = {"a.jsonl": "0" * 1_000_000}
    for path in (make_zip(tmp_path / "x.zip", bomb), make_tar(tmp_path / "x.tar.gz", files=bomb)):
        assert "unpacks to more than 1,000 bytes; unpack it" in message(path)
    many = {f"{n}.jsonl": LINE for n in range(50)}
    assert "unpacks to more than 1,000 bytes" in message(make_zip(tmp_path / "y.zip", many))


def test_names_and_links_that_lead_out_lead_nowhere(tmp_path: Path) -> None:
    """Nothing is written anywhere, and a link in a tar is not followed."""
    (tmp_path / "secret.jsonl").write_text(LINE, encoding="utf-8")
    inside = tmp_path / "in"
    inside.mkdir()
    path = make_tar(inside / "x.tar", "w", {"../out.jsonl": LINE, "/abs/olute.jsonl": LINE})
    with tarfile.open(path, "a") as archive:
        link = tarfile.TarInfo("link.jsonl")
        link.type, link.linkname = tarfile.SYMTYPE, "../secret.jsonl"
        archive.addfile(link)
    before = sorted(tmp_path.rglob("*"))
    assert sorted(pair.uid for pair in read_pairs(path)) == ["olute", "out"]
    assert sorted(tmp_path.rglob("*")) == before


def test_an_encrypted_zip_is_told(tmp_path: Path) -> None:
    """The flag alone makes it so; Python cannot write a real one."""
    data = bytearray(make_zip(tmp_path / "x.zip", {"a.jsonl": LINE}).read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    (tmp_path / "x.zip").write_bytes(data)
    assert "x.zip: the archive cannot be read: " in message(tmp_path / "x.zip")
