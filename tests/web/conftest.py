"""Databases for the tests of the workbench: SQLite always, and a PostgreSQL of our own where one can be started."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import argon2
import pytest

import bidui.web.store.accounts
import bidui.web.store.database
from bidui.web.store.database import metadata, migrate, open_database
from bidui.web.store.workspace import DATABASE, HIDDEN
from bidui.web.workbench import Workbench

from .served import member, served

SECONDS = 120  # for a server to start, on a machine that is busy


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for the disk, which only a power cut could tell; and guessing passwords is cheap for once."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(bidui.web.store.database, "SYNCHRONOUS", "OFF")
    monkeypatch.setattr(bidui.web.store.database, "PATIENCE", 600)  # however busy the machine is
    cheap = partial(argon2.PasswordHasher, time_cost=1, memory_cost=64)
    monkeypatch.setattr(bidui.web.store.accounts, "PasswordHasher", cheap)


def _program(name: str) -> str:
    """Where a program of PostgreSQL lies: Debian keeps most of them off the path."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = shutil.which(name) or (str(places[0]) if places else None)
    if found is None:
        pytest.skip(f"PostgreSQL is not installed: no {name} (Debian: apt install postgresql)")
    return found


def _lowered() -> tuple[list[str], int | None]:
    """PostgreSQL refuses to run as root: the words that make it somebody else, and whose files it needs."""
    if os.geteuid() != 0:
        return [], None
    setpriv = shutil.which("setpriv")
    names = {user.pw_name: user.pw_uid for user in pwd.getpwall()}
    number = names.get("postgres", names.get("nobody"))
    if setpriv is None or number is None:
        pytest.skip("PostgreSQL does not run as root, and there is no setpriv or no user postgres to run it as")
    return [setpriv, f"--reuid={number}", "--clear-groups", "--inh-caps=-all"], number


@pytest.fixture(scope="session")
def server() -> Iterator[Path]:
    """A PostgreSQL server in a temporary folder, reached through a socket there; it forgets all when it ends."""
    initdb, postgres = _program("initdb"), _program("postgres")
    before, owner = _lowered()
    folder = Path(tempfile.mkdtemp(prefix="bidui-"))  # not pytest's: that one is closed to other users
    if owner is not None:
        os.chown(folder, owner, -1)
    data = folder / "data"
    made = subprocess.run(
        [*before, initdb, "-D", data, "-U", "bidui", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        capture_output=True,
        cwd=folder,
        text=True,
        check=False,
    )
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL cannot be set up: {made.stderr.strip().splitlines()[-1:]}")
    quick = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=150"]
    options = [word for option in (*quick, "listen_addresses=") for word in ("-c", option)]
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen([*before, postgres, "-D", data, "-k", folder, *options], stderr=log, cwd=folder)
    try:
        _wait(running, folder)
        yield folder
    finally:
        running.send_signal(signal.SIGINT)  # "fast": does not wait for clients
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(SECONDS)
        running.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(running: "subprocess.Popen[bytes]", folder: Path) -> None:
    import psycopg

    for _ in range(SECONDS * 20):
        if running.poll() is not None:
            break
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(host=str(folder), user="bidui", dbname="postgres").close()
            return
        time.sleep(0.05)
    pytest.skip(f"PostgreSQL did not start: {(folder / 'log').read_text('utf-8', 'replace')[-300:]}")


@pytest.fixture(scope="session")
def new_postgres(server: Path) -> Callable[[], str]:
    """Makes empty databases; their addresses."""
    import psycopg

    numbers = count()

    def make() -> str:
        name = f"d{next(numbers)}"
        with psycopg.connect(host=str(server), user="bidui", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://bidui@/{name}?host={server}"

    return make


@pytest.fixture(scope="session")
def kept_postgres(new_postgres: Callable[[], str]) -> str:
    """A database whose schema is up to date; its tables are emptied for each test, which is quicker than a new one."""
    address = new_postgres()
    engine = open_database(address)
    migrate(engine)
    engine.dispose()
    return address


@pytest.fixture(scope="session")
def kept_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for SQLite: a file to copy."""
    file = tmp_path_factory.mktemp("sqlite") / DATABASE
    engine = open_database(file)
    migrate(engine)
    engine.dispose()
    return file


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str | None:
    """What `open_store` takes for the workspace in `work`: nothing, which is SQLite, or an address of PostgreSQL."""
    if request.param == "sqlite":
        (tmp_path / "work" / HIDDEN).mkdir(parents=True)
        shutil.copy(request.getfixturevalue("kept_sqlite"), tmp_path / "work" / HIDDEN / DATABASE)
        return None
    pytest.importorskip("psycopg", reason="PostgreSQL is reached through psycopg: pip install 'bidui[postgres]'")
    address: str = request.getfixturevalue("kept_postgres")
    engine = open_database(address)
    with engine.begin() as connection:
        for table in reversed(metadata.sorted_tables):  # not TRUNCATE, which makes a new file for each table
            connection.execute(table.delete())
    engine.dispose()
    return address


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Workbench]:
    """A workbench with the project `small`, for whoever sits at the machine."""
    with served(tmp_path, None) as bench:
        yield bench


@pytest.fixture
def team(tmp_path: Path, database: str | None) -> Iterator[Workbench]:
    """The same with accounts, one of them the owner's."""
    with served(tmp_path, database, team=True) as bench:
        member(bench, "Owner", "owner")
        yield bench
