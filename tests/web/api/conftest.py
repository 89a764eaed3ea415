"""A workbench over a small project, with real workers, asked as a browser would ask it."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

import bidui.web.store.accounts
import bidui.web.store.database
from bidui.grammar.project import write_texts
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.store.accounts import Role
from bidui.web.store.disk import open_store
from bidui.web.workbench import Settings, Workbench

from ..editing.small import FILES
from ..served import HOST, SECRET, browser_of, local, member


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a power cut, or a thief of the database, could tell; tests have neither."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(bidui.web.store.database, "SYNCHRONOUS", "OFF")
    monkeypatch.setattr(bidui.web.store.database, "PATIENCE", 600)  # however busy the machine is


@pytest.fixture(scope="session")
def workers() -> Iterator[PreviewWorkers]:
    """Two worker processes for all tests: starting them takes a second."""
    with PreviewWorkers() as running:
        yield running


@pytest.fixture
def bench(tmp_path: Path, database: str | None, workers: PreviewWorkers) -> Iterator[Workbench]:
    """A workspace that holds the project `small` of eighteen words."""
    write_texts(tmp_path / "work" / "small", FILES)
    store = open_store(tmp_path / "work", database=database)
    yield Workbench(store, workers, Settings(hosts=frozenset({HOST})))
    store.close()


@pytest.fixture
def client(bench: Workbench) -> TestClient:
    """The browser of whoever sits at the machine."""
    return local(bench)


@pytest.fixture
def team(
    tmp_path: Path, database: str | None, workers: PreviewWorkers, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, TestClient]]:
    """The browsers of an owner, two editors, and a viewer of the same workspace."""
    cheap = partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(bidui.web.store.accounts, "PasswordHasher", cheap)
    write_texts(tmp_path / "work" / "small", FILES)
    store = open_store(tmp_path / "work", database=database)
    bench = Workbench(store, workers, Settings(team=True, hosts=frozenset({HOST}), secret=SECRET))
    roles: dict[str, Role] = {"Owner": "owner", "Li": "editor", "Wang": "editor", "Viewer": "viewer"}
    yield {name: browser_of(bench, member(bench, name, role)) for name, role in roles.items()}
    store.close()
