"""Pages that are opened while the server goes away: they say so, and go on as soon as it is back."""

import pytest
from playwright.sync_api import Page, expect

from ..store.small import PARADIGM
from . import hands
from .conftest import Witness
from .running import Running

AWAY = "The workbench does not respond"


@pytest.fixture(autouse=True)
def server_may_be_away(witness: Witness) -> None:
    """The browser itself notes every request that nobody answered."""
    witness.forgive(r"ERR_CONNECTION_REFUSED")


@pytest.mark.parametrize(
    ("address", "call", "shows"),
    [
        (f"/edit/{PARADIGM}", "**/api/**/files/**", ".about-fields"),
        (f"/edit/{PARADIGM}", "**/api/**/preview", ".about-fields"),
        ("/edit/project.yaml", "**/api/**/files/**", ".cm-content"),
        ("/phrases", "**/api/**/files/**", ".phrases-body"),
        ("/phrases", "**/api/**/diagnose", ".phrases-body"),
        ("/lexicon", "**/api/**/lexicon", ".grid-body"),
    ],
)
def test_a_page_waits_for_the_server(page: Page, workbench: Running, address: str, call: str, shows: str) -> None:
    page.route(call, lambda route: route.abort("connectionrefused"))
    page.goto(workbench.at(address))
    says = page.locator(".notice", has_text=AWAY)
    expect(says).to_be_visible()
    expect(page.locator(shows)).not_to_be_visible()
    page.unroute(call)
    expect(page.locator(shows)).to_be_visible()
    expect(says).not_to_be_visible()


def test_a_file_that_is_not_there_is_not_waited_for(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("404")
    hands.open_paradigm(page, workbench, PARADIGM)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/api/**/files/**", lambda route: route.fulfill(status=404, json={"problems": []}))
    page.reload()
    expect(page.locator("#editor .notice")).to_contain_text("404")
    page.wait_for_timeout(2_000)
    assert sum("/files/" in each for each in asked) == 1


def test_a_page_that_waits_says_so_once(page: Page, workbench: Running) -> None:
    """A screen reader speaks whenever an alert comes, and would do so every other second."""
    page.route("**/api/**/files/**", lambda route: route.abort("connectionrefused"))
    page.goto(workbench.at(f"/edit/{PARADIGM}"))
    said = page.locator(".notice", has_text=AWAY).element_handle()
    page.wait_for_timeout(4_000)  # it has asked again by then
    assert said.is_visible()
