"""Documents: what is one, in every kind of file, and that nothing broken passes or stops the rest."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.training import documents
from bidui.training.documents import SourceCounts, read_documents, source_files

HAS_ZSTANDARD = any(
    find_spec(name.split(".")[0]) and find_spec(name) for name in ("compression.zstd", "backports.zstd")
)


def read(folder: Path, *, field: str = "text") -> tuple[list[str], SourceCounts]:
    seen = SourceCounts()
    return list(read_documents(folder, field=field, seen=seen)), seen


def test_a_line_is_a_paragraph_and_an_empty_line_ends_a_document(tmp_path: Path) -> None:
    """Blanks at the ends of lines, the full-width one too, are layout; those within are text."""
    (tmp_path / "a.txt").write_text("\n　　甲 乙\n丙 \n\n \n丁\n\t\n", encoding="utf-8")
    found, seen = read(tmp_path)
    assert found == ["甲 乙\n丙", "丁"]
    assert seen == SourceCounts(documents=2, characters=6)


def test_windows_line_ends_and_a_byte_order_mark_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeff甲\r\n乙\r\n\r\n丙".encode())
    assert read(tmp_path)[0] == ["甲\n乙", "丙"]


def test_a_line_of_jsonl_is_a_document(tmp_path: Path) -> None:
    lines = [{"text": "甲\n\n 乙 "}, {"text": "丙", "title": "丁"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    assert read(tmp_path)[0] == ["甲\n乙", "丙"]


def test_the_text_may_be_in_another_field(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"content": "甲"}\n{"text": "乙"}\n', encoding="utf-8")
    found, seen = read(tmp_path, field="content")
    assert found == ["甲"]
    assert (seen.broken_records, seen.places) == (1, ["a.jsonl:2: broken records"])


@pytest.mark.parametrize(
    ("ending", "packed"),
    [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress), (".GZ", gzip.compress)],
)
def test_compressed_files_are_read_as_they_are(tmp_path: Path, ending: str, packed: Callable[[bytes], bytes]) -> None:
    (tmp_path / f"a.txt{ending}").write_bytes(packed("甲\n\n乙".encode()))
    (tmp_path / f"b.jsonl{ending}").write_bytes(packed('{"text": "丙"}'.encode()))
    assert read(tmp_path)[0] == ["甲", "乙", "丙"]


@pytest.mark.parametrize(("ending", "packed"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)])
def test_a_file_cut_off_is_an_error(tmp_path: Path, ending: str, packed: Callable[[bytes], bytes]) -> None:
    """What is left would be another corpus, and its counts would look right."""
    whole = packed("\n\n".join(map(str, range(20_000))).encode())
    (tmp_path / f"a.txt{ending}").write_bytes(whole[:-20])
    with pytest.raises(InputError, match=r"a\.txt.*: cannot be read to its end"):
        read(tmp_path)
    (tmp_path / f"a.txt{ending}").write_bytes(b"no such thing")
    with pytest.raises(InputError, match=r"a\.txt.*: cannot be read to its end"):
        read(tmp_path)


@pytest.mark.skipif(HAS_ZSTANDARD, reason="this Python reads .zst")
def test_zstandard_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "a.txt.zst").write_bytes(b"")
    with pytest.raises(InputError, match=r"install backports\.zstd"):
        read(tmp_path)


def test_lines_that_are_not_utf8_are_left_out_and_counted(tmp_path: Path) -> None:
    """GBK is not UTF-8; UTF-16 of English looks like it, but for its NULs."""
    gbk = "乙\n".encode("gbk")
    (tmp_path / "a.txt").write_bytes("甲\n".encode() + gbk + "丙\n".encode() + b"w\0o\0r\0d\0\n")
    found, seen = read(tmp_path)
    assert found == ["甲\n丙"]
    assert seen.broken_encodings == 2
    assert seen.places == ["a.txt:2: broken encodings", "a.txt:4: broken encodings"]


@pytest.mark.parametrize(
    ("line", "counted"),
    [
        ('{"text": "甲"', "broken_records"),
        ("甲", "broken_records"),
        ("[1]", "broken_records"),
        ("null", "broken_records"),
        ('{"title": "甲"}', "broken_records"),
        ('{"text": 5}', "broken_records"),
        ('{"text": "\\ud800"}', "broken_records"),  # half of a surrogate pair
        ("[" * 100_000, "broken_records"),
        ('{"text": "甲\\u0000乙"}', "broken_encodings"),
        ('{"text": ""}', "empty"),
        ('{"text": " \\n "}', "empty"),
    ],
)
def test_records_that_hold_no_text_are_left_out_and_counted(tmp_path: Path, line: str, counted: str) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"text": "甲"}}\n{line}\n{{"text": "乙"}}\n', encoding="utf-8")
    found, seen = read(tmp_path)
    assert found == ["甲", "乙"]
    assert getattr(seen, counted) == 1
    assert seen.places == [f"a.jsonl:2: {counted.replace('_', ' ')}"]


def test_only_the_first_places_are_kept(tmp_path: Path) -> None:
    """A damaged file could have millions."""
    (tmp_path / "a.jsonl").write_text("x\n" * 1000, encoding="utf-8")
    _, seen = read(tmp_path)
    assert (seen.broken_records, len(seen.places)) == (1000, documents.MOST_PLACES)


def test_files_of_other_kinds_are_named(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("deep/er/a.txt", "b.pdf", "deep/c.txt.zip", "d", ".hidden.txt", "a.json"):
        (tmp_path / name).write_text("甲")
    found, seen = read(tmp_path)
    assert found == ["甲"]
    assert seen.unknown_files == ["a.json", "b.pdf", "d", "deep/c.txt.zip"]


def test_a_single_file_is_a_source(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    assert read(tmp_path / "b.txt")[0] == ["b.txt"]
    assert list(source_files(tmp_path / "b.txt")[0]) == ["b.txt"]


def test_a_source_that_is_not_there_or_has_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        read(tmp_path / "none")
    (tmp_path / "a.pdf").write_text("甲")
    for source in (tmp_path, tmp_path / "a.pdf"):
        with pytest.raises(InputError, match=r"no file ends in \.txt, \.jsonl"):
            read(source)


def test_long_documents_are_divided_between_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a million sentences without an empty line would else be one document, shuffled as one."""
    monkeypatch.setattr(documents, "LONGEST", 5)
    (tmp_path / "a.txt").write_text("甲乙\n丙丁\n戊己\n\n庚辛壬癸子丑寅\n卯", encoding="utf-8")
    found, seen = read(tmp_path)
    # 甲乙 and the newline are three characters, with 丙丁 five; a line is never cut
    assert found == ["甲乙\n丙丁", "戊己", "庚辛壬癸子丑寅", "卯"]
    assert seen.divided == 2


def test_bytes_are_told_as_they_are_read(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("甲乙\n\n丙")
    told: list[int] = []
    assert len(list(read_documents(tmp_path, on_progress=lambda activity, done, total: told.append(done)))) == 4
    assert told == sorted(told) and told[-1] == 22  # twice three characters of three bytes, and two newlines


@given(st.lists(st.lists(st.text("甲乙a ", min_size=1).map(str.strip).filter(bool), min_size=1), max_size=5))
def test_documents_come_back_from_both_kinds_of_file(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    whole = ["\n".join(lines) for lines in texts]
    (folder / "a.txt").write_text("\n\n".join(whole), encoding="utf-8")
    (folder / "b.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in whole), encoding="utf-8")
    assert read(folder)[0] == whole * 2
