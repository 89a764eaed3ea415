"""An open store for each test, on each database."""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import bidui.web.store.database
from bidui.web.store.disk import open_store
from bidui.web.store.workspace import Store, utc_now

from .small import write_small


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a power cut could tell, and tests have none; killed processes lose nothing that they have written."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(bidui.web.store.database, "SYNCHRONOUS", "OFF")
    monkeypatch.setattr(bidui.web.store.database, "PATIENCE", 600)  # however busy the machine is


class Clock:
    """A clock that can be put forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, database: str | None, clock: Clock) -> Iterator[Store]:
    """A workspace that holds one project, `small`."""
    write_small(tmp_path / "work" / "small")
    opened = open_store(tmp_path / "work", database=database, now=clock)
    yield opened
    opened.close()
