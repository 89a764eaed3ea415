"""The database: made by migrations, refused where it is newer or another's, and told about where it fails."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from bidui.errors import InputError
from bidui.web.store.database import metadata, migrate, open_database, reading, writing
from bidui.web.store.disk import open_store
from bidui.web.store.revisions import history
from bidui.web.store.workspace import DATABASE, HIDDEN, entries

from .small import PARADIGM, the_entry, write_small


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """A database without any tables."""
    if request.param == "sqlite":
        return tmp_path / "empty.sqlite"
    make: Callable[[], str] = request.getfixturevalue("new_postgres")
    return make()


def test_the_migrations_make_just_the_tables_that_the_code_uses(empty: str | Path) -> None:
    engine = open_database(empty)
    migrate(engine)
    with reading(engine) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    migrate(engine)  # again: nothing to do
    engine.dispose()


def test_a_database_from_a_newer_bidui_is_refused_and_left_alone(empty: str | Path) -> None:
    engine = open_database(empty)
    migrate(engine)
    with writing(engine) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '999'")
    with pytest.raises(InputError, match=r"made by a newer version of bidui .*999"):
        migrate(engine)
    with reading(engine) as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "999"
    engine.dispose()


def test_a_migration_that_fails_leaves_nothing_behind(empty: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from alembic import op

    engine = open_database(empty)
    index = op.create_index

    def broken(name: str, *given: object, **named: object) -> None:
        if name == "ix_revisions_project_file":
            raise RuntimeError
        index(name, *given, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(op, "create_index", broken)
        with pytest.raises(RuntimeError):
            migrate(engine)
    migrate(engine)  # finds no table in its way
    engine.dispose()


def test_sqlite_is_set_up_for_readers_beside_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the other tests are more patient
    write_small(tmp_path / "small")
    store = open_store(tmp_path)
    with store.writing() as writer, store.reading() as reader:
        asked = ("journal_mode", "foreign_keys", "busy_timeout")
        assert [reader.exec_driver_sql(f"PRAGMA {each}").scalar() for each in asked] == ["wal", 1, 30000]
        writer.exec_driver_sql("DELETE FROM facts")
        assert len(entries(store)) == 1  # while somebody writes
    store.close()
    assert (tmp_path / HIDDEN).stat().st_mode & 0o077 == 0
    assert (tmp_path / HIDDEN / ".gitignore").read_text("utf-8") == "*\n"


def test_commits_wait_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the other tests do not wait
    engine = open_database(tmp_path / "x.sqlite")
    with reading(engine) as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    engine.dispose()


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    write_small(tmp_path / "small")
    (tmp_path / HIDDEN).mkdir()
    (tmp_path / HIDDEN / DATABASE).write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match="file is not a database"):
        open_store(tmp_path)


def test_a_server_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="PostgreSQL is reached through psycopg: pip install 'bidui[postgres]'")
    with pytest.raises(InputError, match="database does not respond") as caught:
        open_store(tmp_path, database=f"postgresql://li:hunter2@/x?host={tmp_path}")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("address", ["mysql://li:hunter2@host/x", "nonsense", "", "sqlite://"])
def test_what_is_no_address_is_told_without_its_password(tmp_path: Path, address: str) -> None:
    with pytest.raises(InputError, match="not a database address") as caught:
        open_store(tmp_path, database=address)
    assert "hunter2" not in str(caught.value)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        open_store(tmp_path / "none")


def test_the_database_of_another_workspace_is_refused(tmp_path: Path, database: str | None) -> None:
    """Its files would all seem deleted here, and ours new there."""
    address = database or f"sqlite:///{tmp_path / 'shared.sqlite'}"
    for name in ("one", "two"):
        write_small(tmp_path / name / "small")
    open_store(tmp_path / "one", database=address).close()
    with pytest.raises(InputError, match="belongs to another workspace"):
        open_store(tmp_path / "two", database=address)
    (tmp_path / "one").rename(tmp_path / "moved")  # with its hidden folder: the same workspace
    open_store(tmp_path / "moved", database=address).close()
    (tmp_path / "moved" / HIDDEN / "workspace").unlink()
    with pytest.raises(InputError, match="belongs to another workspace"):
        open_store(tmp_path / "moved", database=address)
    store = open_store(tmp_path / "moved", database=address, adopt=True)
    assert len(history(the_entry(store), PARADIGM)) == 1
    store.close()
    open_store(tmp_path / "moved", database=address).close()


def test_revisions_are_never_changed_or_numbered_anew(tmp_path: Path) -> None:
    """A number that was given to a page must not come to mean something else."""
    write_small(tmp_path / "small")
    store = open_store(tmp_path)
    store.close()
    with sqlite3.connect(tmp_path / HIDDEN / DATABASE) as raw:
        (made,) = raw.execute("SELECT sql FROM sqlite_master WHERE name = 'revisions'").fetchone()
    raw.close()
    assert "AUTOINCREMENT" in made
