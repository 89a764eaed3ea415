"""A real browser on a real server. Every test fails on an error in the console, and on a request to another host."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from ..store.small import write_small
from .running import SECONDS, Running

HOST = "127.0.0.1"
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
def serve(folder: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., Running]]:
    """Starts servers; for a test that asks for `database`, once on SQLite and once on PostgreSQL, else on SQLite."""
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


@pytest.fixture
def workbench(folder: Path, serve: Callable[..., Running]) -> Running:
    """A server with the project `small`."""
    write_small(folder / "small")
    return serve()


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
    """A tab of whoever started the server with the project `small`, at the project's page."""
    tab = someone()
    tab.goto(workbench.address)
    tab.goto(f"{workbench.home}/p/small")
    return tab
