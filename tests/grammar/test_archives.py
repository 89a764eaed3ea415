"""A zip from outside is read within limits, and one that plays tricks is refused whole."""

import io
import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.grammar import archives
from bidui.grammar.archives import read_folder, read_zip, write_zip

FILES = {"project.yaml": b"format: 1\n", "paradigms/BA/x.yaml": "uid: 把\n".encode()}


def zipped(files: dict[str, bytes], *, mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            item = zipfile.ZipInfo(name)
            item.external_attr = mode << 16
            item.compress_type = method
            archive.writestr(item, data)
    return out.getvalue()


def test_a_zip_that_we_write_is_the_same_on_any_day_and_reads_back() -> None:
    one, other = write_zip(FILES, top="p"), write_zip(dict(reversed(FILES.items())), top="p")
    assert one == other
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        assert archive.namelist() == ["p/paradigms/BA/x.yaml", "p/project.yaml"]
        assert {(item.date_time, item.create_system, item.compress_type) for item in archive.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 3, zipfile.ZIP_STORED)
        }
    assert read_zip(one).files == FILES


def test_the_folder_that_all_files_lie_in_does_not_matter() -> None:
    assert read_zip(zipped({f"my-project/{name}": data for name, data in FILES.items()})).files == FILES
    assert read_zip(zipped(FILES)).files == FILES


def test_a_file_alone_is_not_taken_for_a_folder() -> None:
    assert [*read_zip(zipped({"project.yaml": b"x"})).files] == ["project.yaml"]


def test_what_systems_leave_behind_is_left_out_and_told() -> None:
    junk = {"__MACOSX/p/._x": b"", "p/.DS_Store": b"", "p/.git/config": b"", "p/pairs.jsonl": b"", "p/con.yaml": b""}
    found = read_zip(zipped({f"p/{name}": data for name, data in FILES.items()} | junk))
    assert found.files == FILES
    assert sorted(found.skipped) == sorted(junk)


@pytest.mark.parametrize(
    "name",
    [
        "../x.yaml",
        "a/../../x.yaml",
        "/etc/x.yaml",
        "C:/x.yaml",
        "..\\x.yaml",
        "a//x.yaml",
        "./x.yaml/../y",
        "a\x00.yaml",
    ],
)
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str) -> None:
    """Zip-slip: unpacking would write anywhere on the disk."""
    data = zipped({**FILES, "nnnn": b"x"})
    raw = name.encode()
    swapped = _renamed(data, raw)
    with pytest.raises(InputError, match="points outside the folder"):
        read_zip(swapped)


def _renamed(data: bytes, name: bytes) -> bytes:
    """The zip with `nnnn` called otherwise, which `zipfile` itself would not write."""
    source = zipfile.ZipFile(io.BytesIO(data))
    item = source.getinfo("nnnn")
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 0, 0, 0, item.CRC, 1, 1, len(name), 0) + name + b"x"
    central = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, item.CRC, 1, 1, len(name), 0, 0, 0, 0, 0, 0)
    central += name
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_a_zip_are_refused(kind: int) -> None:
    with pytest.raises(InputError, match="link or a device"):
        read_zip(zipped({"x.yaml": b"/etc/passwd"}, mode=kind | 0o777))


def test_a_bomb_is_refused_by_its_ratio() -> None:
    with pytest.raises(InputError, match="by a factor of more than 200"):
        read_zip(zipped({"lexicon.tsv": b"0" * 5_000_000}))


def test_too_many_and_too_large_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    monkeypatch.setattr(archives, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="there are 4 files, but at most 3"):
        read_zip(zipped({f"{n}.md": b"" for n in range(4)}))
    with pytest.raises(InputError, match="all files together 100"):
        read_zip(zipped({"a.md": bytes(os.urandom(60)), "b.md": bytes(os.urandom(60))}))


def test_the_size_in_the_header_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_BYTES", 50)
    data = bytearray(zipped({"a.md": b"x" * 100}, method=zipfile.ZIP_STORED))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<L", 1)  # "one byte"
    with pytest.raises(InputError, match=r"may have 50 bytes|cannot be read as a zip file"):
        read_zip(bytes(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_of_packing_that_know_no_limit_are_refused(method: int) -> None:
    """Python unpacks these without a bound, and 4 kB of bzip2 can hold 80 MB."""
    with pytest.raises(InputError, match="cannot be read as a zip file"):
        read_zip(zipped({"a.md": b"x"}, method=method))


def test_names_that_are_one_on_some_machines_are_refused() -> None:
    with pytest.raises(InputError, match="occurs twice"):
        read_zip(zipped({"paradigms/a.yaml": b"", "paradigms/A.yaml": b""}))


def test_chinese_names_from_windows_are_read() -> None:
    """Its own zip writes GBK and does not say so."""
    name = "paradigms/把字句.yaml"
    data = zipped({"nnnn": b"x"})
    found = read_zip(_renamed(data, name.encode("gbk")))
    assert [*found.files] == ["把字句.yaml"]


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x05\x06" + bytes(10), zipped(FILES)[:-40]])
def test_what_is_no_zip_is_told(data: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read as a zip file"):
        read_zip(data)


def test_an_encrypted_zip_is_told() -> None:
    data = bytearray(zipped({"a.md": b"x"}, method=zipfile.ZIP_STORED))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(InputError, match="encrypted"):
        read_zip(bytes(data))


def test_a_folder_is_read_in_the_same_way_and_a_link_in_it_is_refused(tmp_path: Path) -> None:
    for name, data in {**FILES, ".git/config": b"x", "pairs/x.jsonl": b"x"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    found = read_folder(tmp_path)
    assert found.files == FILES
    assert sorted(found.skipped) == [".git", "pairs/x.jsonl"]
    (tmp_path / "lexicon.tsv").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="link or a device"):
        read_folder(tmp_path)
    with pytest.raises(InputError, match="Not a directory"):
        read_folder(tmp_path / "project.yaml")
