"""Writing a report: whole or not at all, and never over anything else."""

import json
from pathlib import Path

import pytest

from bidui.errors import InputError, OutputRefused
from bidui.files import sha256
from bidui.reports.section import Section
from bidui.reports.site import INDEX, MANIFEST, check_place, write_report
from bidui.reports.tables import Column, Table

FIRST = Table("first", "First", (Column("a", "a"),), (("x",),))
SECOND = Table("second", "Second", (Column("a", "a"),), (("y",),))


def written(out: Path, *tables: Table, files: tuple[Table, ...] = ()) -> Path:
    section = Section("one", "One", "", tables, files)
    write_report([section], out=out, title="T", asked={"lang": "en"}, inputs={"a": "b"})
    return out / INDEX


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_every_table_is_written_in_three_formats_with_a_page_and_a_manifest(tmp_path: Path) -> None:
    """Those that the page only links to, too."""
    assert written(tmp_path / "site", FIRST, files=(SECOND,)) == tmp_path / "site" / INDEX
    tables = [f"tables/{name}.{end}" for name in ("first", "second") for end in ("csv", "md", "tex")]
    assert names(tmp_path / "site") == sorted([INDEX, MANIFEST, *tables])
    manifest = json.loads((tmp_path / "site" / MANIFEST).read_text(encoding="utf-8"))
    assert manifest["asked"] == {"lang": "en"} and manifest["inputs"] == {"a": "b"}
    data = (tmp_path / "site" / "tables" / "first.csv").read_bytes()
    assert manifest["files"]["tables/first.csv"] == sha256(data)


def test_a_second_report_replaces_the_first_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    """A table that is no longer made must not lie there as if it were; and nothing half written stays."""
    written(tmp_path / "site", FIRST)
    before = (tmp_path / "site" / INDEX).read_bytes()
    written(tmp_path / "site", FIRST)
    assert (tmp_path / "site" / INDEX).read_bytes() == before
    written(tmp_path / "site", SECOND)
    tables = [f"tables/second.{end}" for end in ("csv", "md", "tex")]
    assert names(tmp_path / "site") == sorted([INDEX, MANIFEST, *tables])
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """`-o .` in a folder of results must not cost anybody their results."""
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputRefused, match=r"thesis\.tex"):
        written(tmp_path, FIRST)
    assert names(tmp_path) == ["thesis.tex"]


def test_a_report_with_a_file_of_the_users_is_refused(tmp_path: Path) -> None:
    """It would be lost with the rest of the folder."""
    written(tmp_path / "site", FIRST)
    (tmp_path / "site" / "notes.txt").write_text("mine")
    with pytest.raises(OutputRefused, match=r"notes\.txt"):
        written(tmp_path / "site", SECOND)
    assert (tmp_path / "site" / "tables" / "first.csv").is_file()


def test_a_table_that_the_user_has_edited_is_not_overwritten(tmp_path: Path) -> None:
    """Tables for a paper are often finished by hand."""
    written(tmp_path / "site", FIRST)
    (tmp_path / "site" / "tables" / "first.tex").write_text("by hand")
    with pytest.raises(OutputRefused, match=r"tables/first\.tex"):
        check_place(tmp_path / "site")


def test_a_broken_manifest_is_told(tmp_path: Path) -> None:
    """Then nobody knows what is the report's."""
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(InputError, match="manifest of a report"):
        check_place(tmp_path)


def test_a_report_that_fails_leaves_the_old_one_as_it_was(tmp_path: Path) -> None:
    """Two tables of one name are a mistake of ours; the old page still opens."""
    written(tmp_path / "site", FIRST)
    with pytest.raises(AssertionError):
        written(tmp_path / "site", SECOND, SECOND)
    assert "tables/first.csv" in names(tmp_path / "site")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
