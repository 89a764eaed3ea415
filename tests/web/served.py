"""A workbench over a small project, asked as a browser would ask it; no worker process runs."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI
from starlette.testclient import TestClient

from bidui.web.accounts import sealed
from bidui.web.app import make_app
from bidui.web.editing.workers import PreviewWorkers
from bidui.web.store.accounts import Role, User, add_user, local_user, set_role, start_session
from bidui.web.store.disk import open_store
from bidui.web.store.workspace import entry
from bidui.web.workbench import Settings, Workbench

from .store.small import write_small

HOST = "testserver"
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
SECRET = "a secret of sixteen letters or more"
PASSWORD = "correct horse battery"
APPS: dict[Settings, FastAPI] = {}
Result = TypeVar("Result")


def complete(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, in a thread: in that of the tests, a browser may have a loop that never ends."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@contextmanager
def served(folder: Path, database: str | None, *, team: bool = False, **settings: Any) -> Iterator[Workbench]:
    """A workbench over the folder `work`, which holds the project `small`."""
    write_small(folder / "work" / "small")
    store = open_store(folder / "work", database=database)
    chosen = Settings(team=team, hosts=frozenset({HOST}), secret=SECRET if team else "", **settings)
    bench = Workbench(store, PreviewWorkers(), chosen)
    try:
        yield bench
    finally:
        bench.answers.close()
        bench.heavy.close()
        bench.runs.close()
        store.close()


def stranger(bench: Workbench, headers: Mapping[str, str] = SAME_SITE, *, address: str = "testclient") -> TestClient:
    """A browser in which nobody is signed in; pages of this server ask, unless the headers say otherwise."""
    options = {"base_url": f"http://{HOST}", "headers": dict(headers), "follow_redirects": False}
    return TestClient(app_of(bench), client=(address, 50_000), **options)


def app_of(bench: Workbench) -> FastAPI:
    """One app for all browsers, kept from test to test: its routes are worked out at the first request."""
    app = APPS.setdefault(bench.settings, make_app(bench))
    app.state.bench = bench
    return app


def browser_of(bench: Workbench, who: User, headers: Mapping[str, str] = SAME_SITE) -> TestClient:
    """A browser in which somebody is signed in."""
    client = stranger(bench, headers)
    client.cookies.set(bench.settings.cookie, sealed(start_session(bench.store, who), bench.settings))
    return client


def local(bench: Workbench) -> TestClient:
    """The browser of whoever sits at the machine."""
    return browser_of(bench, local_user(bench.store))


def member(bench: Workbench, name: str, role: Role | None, *, project: str | None = None) -> User:
    """Somebody with a role, in the workspace or in one project."""
    who = add_user(bench.store, name, PASSWORD)
    if role is not None:
        set_role(bench.store, who, role, entry(bench.store, project) if project else None)
    return who


def kinds(answer: Any) -> list[str]:
    """What is wrong, by an answer."""
    return [problem["kind"] for problem in answer.json()["problems"]]


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of the workspace that are not the workbench's own."""
    paths = (path for path in (folder / "work").rglob("*") if path.is_file() and ".bidui" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
