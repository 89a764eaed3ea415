"""A real browser on a real server. Every test fails on an error in the console, and on a request to another host."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from ..store.small import write_small
from .running import SECONDS, Running

HOST = "127.0.0.1"
# What the browser itself notes of a server that was killed: before it answered, or in the middle of an answer. The
# session of a server that was started again is a new one, so a page may be turned away once.
KILLED = (
    r"ERR_CONNECTION_\w+|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED"
    r"|ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED_ENCODING|status of 401"
)
NUMBERS = count(1)  # of projects on the shared server
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The browser says nothing of its own about a policy that is only reported, so each violation is made an error.
TELL_VIOLATIONS = """document.addEventListener("securitypolicyviolation",
    (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));"""


@dataclass
class Witness:
    """What must not happen in a browser: errors, violations of the policy, requests that leave the machine."""

    forgiven: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def forgive(self, pattern: str) -> None:
        """Errors that the test itself brings about, such as a server that is away."""
        self.forgiven.append(pattern)

    def watch(self, context: BrowserContext) -> None:
        context.add_init_script(TELL_VIOLATIONS)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.seen.append(f"uncaught: {error.error}"))
        context.on("request", self._request)

    def complaints(self) -> list[str]:
        return [one for one in self.seen if not any(re.search(pattern, one) for pattern in self.forgiven)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.seen.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != HOST:
            self.seen.append(f"leaves the machine: {request.method} {request.url}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, one for all tests of a process."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no browser: chromium is not installed (Debian: apt install chromium fonts-noto-cjk)")
    expect.set_options(timeout=SECONDS * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace that is served."""
    place = tmp_path / "work"
    place.mkdir(exist_ok=True)
    return place


@pytest.fixture
def serve(chromium: Browser, folder: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., Running]]:
    """Starts servers, where there is a browser for them; a test that asks for `database` runs on each of the two."""
    address = request.getfixturevalue("database") if "database" in request.fixturenames else None
    started: list[Running] = []

    def start(*options: str) -> Running:
        running = Running(folder, (*options, "--database", address) if address else options)
        started.append(running)
        running.start()
        return running

    yield start
    said = "".join(running.stop() for running in started)
    assert "Traceback" not in said, said


@pytest.fixture(scope="session")
def shared(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all tests that neither end it nor are about its database: starting one takes seconds."""
    running = Running(tmp_path_factory.mktemp("shared"))
    running.start()
    running.session = signed_in(chromium, running)
    yield running
    said = running.stop()
    assert "Traceback" not in said, said


@pytest.fixture
def workbench(chromium: Browser, request: pytest.FixtureRequest) -> Running:
    """A server with the project `small`: one of its own where the database matters, else the shared one."""
    if "database" in request.fixturenames:
        write_small(request.getfixturevalue("folder") / "small")
        running: Running = request.getfixturevalue("serve")()
        running.session = signed_in(chromium, running)
        return running
    shared: Running = request.getfixturevalue("shared")
    project = f"small{next(NUMBERS)}"
    write_small(shared.folder / project)
    return replace(shared, project=project)


def signed_in(chromium: Browser, running: Running) -> Any:
    """What a browser keeps that has been at the address that works once."""
    with chromium.new_context() as context:
        context.new_page().goto(running.address)
        return context.storage_state()


@pytest.fixture
def witness() -> Iterator[Witness]:
    """Sees what happens in all browsers of a test; in the end, none of it may have been wrong."""
    found = Witness()
    yield found
    assert found.complaints() == []


@pytest.fixture
def someone(chromium: Browser, witness: Witness) -> Iterator[Callable[..., Page]]:
    """People, each with a browser of their own that has nothing in it yet."""
    contexts: list[BrowserContext] = []

    def make(**settings: Any) -> Page:
        context = chromium.new_context(**{"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **settings})
        context.set_default_timeout(SECONDS * 1000)
        contexts.append(context)
        witness.watch(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(workbench: Running, someone: Callable[..., Page]) -> Page:
    """A tab of whoever started the server, at the page of the project."""
    tab = someone(storage_state=workbench.session)
    tab.goto(workbench.home)  # the list of projects finds those that have come
    tab.goto(workbench.at())
    return tab
