"""A browser that several people share: nobody's unsaved work is seen, or saved, by another."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..store.small import PARADIGM, TEXTS, write_small
from . import hands
from .conftest import Witness
from .running import Running
from .test_team import PASSWORD, invitation, join

WORDS = TEXTS["lexicon.tsv"]


@pytest.fixture
def team(folder: Path, serve: Callable[..., Running], someone: Callable[..., Page], witness: Witness) -> Running:
    """A team of Li and Wang."""
    write_small(folder / "small")
    server = serve("--team", "--owner", "Li")
    owner = someone()
    owner.goto(server.address)
    owner.get_by_role("textbox", name="New password").fill(PASSWORD)
    owner.get_by_role("button", name="Set the password").click()
    expect(owner.locator(".who")).to_have_text("Li")
    owner.goto(f"{server.home}/team")
    join(someone(), invitation(owner, "editor"), "Wang")
    witness.forgive("status of 401|ERR_FAILED")
    return server


@pytest.fixture
def desk(someone: Callable[..., Page]) -> Page:
    """A tab of the browser that they share."""
    return someone()


def sign_in(page: Page, server: Running, name: str) -> None:
    page.goto(f"{server.home}/login")
    page.get_by_label("User name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".who")).to_have_text(name)


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


@contextmanager
def cut_off(page: Page, calls: str) -> Iterator[None]:
    """Some calls never reach the server, until the writer has signed out."""
    page.context.route(calls, lambda route: route.abort() if route.request.method != "GET" else route.continue_())
    yield
    sign_out(page)
    page.context.unroute(calls)


def author(page: Page, server: Running, file: str) -> str:
    return str(hands.ask(page, "GET", f"/api/projects/small/files/{file}")[1]["author"])


def test_a_draft_waits_for_the_account_that_wrote_it(team: Running, desk: Page) -> None:
    sign_in(desk, team, "Li")
    hands.open_paradigm(desk, team, PARADIGM)
    with cut_off(desk, "**/api/**/files/**"):
        hands.rule(desk, "who").click()
        hands.keys(desk, "End", " gender:male")
        hands.state(desk, "Offline")

    sign_in(desk, team, "Wang")
    hands.open_paradigm(desk, team, PARADIGM)
    expect(hands.rule(desk, "who")).to_have_text("pos:NR")
    expect(desk.get_by_role("button", name="Restore")).to_have_count(0)
    desk.get_by_label("Source", exact=True).fill("Wang's")
    hands.saved(desk, team, PARADIGM, "source: Wang's\n")
    sign_out(desk)

    sign_in(desk, team, "Li")
    hands.open_paradigm(desk, team, PARADIGM)
    desk.get_by_role("button", name="Restore").click()
    hands.saved(desk, team, PARADIGM, "  who: pos:NR gender:male\n")
    assert "source: Wang's\n" in team.read(PARADIGM)
    assert author(desk, team, PARADIGM) == "Li"


def test_words_wait_for_the_account_that_wrote_them(team: Running, desk: Page) -> None:
    sign_in(desk, team, "Li")
    hands.open_lexicon(desk, team)
    with cut_off(desk, "**/api/**/tables/**"):
        hands.tab_to(desk, "张三, expression")
        hands.keys(desk, "Control+ArrowDown", "王五", "Tab", "NR", "Tab", "male", "Enter")
        hands.state(desk, "does not respond")

    sign_in(desk, team, "Wang")
    hands.open_lexicon(desk, team)
    hands.come_back(desk)
    hands.state(desk, "Saved")
    expect(desk.locator(".lexicon-tools")).to_contain_text("4 words")
    assert team.read("lexicon.tsv") == WORDS
    sign_out(desk)

    sign_in(desk, team, "Li")
    hands.open_lexicon(desk, team)
    hands.eventually(desk, lambda: team.read("lexicon.tsv") == WORDS + "王五\tNR\tmale\n")
    assert author(desk, team, "lexicon.tsv") == "Li"


def test_a_draft_that_no_account_owns_is_anybodys(team: Running, desk: Page) -> None:
    """Earlier versions kept texts without saying whose they are."""
    sign_in(desk, team, "Wang")
    kept = {"text": TEXTS[PARADIGM] + "source: long ago\n", "base": 1, "steps": [], "time": "2026-01-01T00:00:00.000Z"}
    key = f"bidui:draft:small:{PARADIGM}:earlier"
    desk.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [key, json.dumps(kept)])
    hands.open_paradigm(desk, team, PARADIGM)
    desk.get_by_role("button", name="Restore").click()
    expect(desk.get_by_label("Source", exact=True)).to_have_value("long ago")


def test_an_open_page_does_not_write_as_somebody_else(team: Running, desk: Page) -> None:
    """All tabs of a browser share one session; a page that Li left open must not save her words as Wang's."""
    sign_in(desk, team, "Li")
    hands.open_paradigm(desk, team, PARADIGM)
    other = desk.context.new_page()
    other.goto(f"{team.home}/p/small")
    sign_out(other)
    sign_in(other, team, "Wang")
    desk.get_by_label("Source", exact=True).fill("Li's")
    hands.state(desk, "Cannot save")
    expect(desk.get_by_text("Wang has signed in in this browser").first).to_be_visible()
    desk.wait_for_timeout(1_000)
    assert team.read(PARADIGM) == TEXTS[PARADIGM]

    sign_out(other)
    sign_in(other, team, "Li")
    hands.come_back(desk)
    hands.saved(desk, team, PARADIGM, "source: Li's\n")
    assert author(desk, team, PARADIGM) == "Li"


def test_what_is_typed_after_the_session_has_ended_is_saved_by_the_next(team: Running, desk: Page) -> None:
    """The server makes the place for a field that the file lacks, and refuses now; the words must outlive that."""
    sign_in(desk, team, "Li")
    hands.open_paradigm(desk, team, PARADIGM)
    other = desk.context.new_page()
    other.goto(f"{team.home}/p/small")
    sign_out(other)
    desk.get_by_label("Source", exact=True).fill("after the end")
    hands.state(desk, "Cannot save")
    expect(desk.locator(".saving-notices [role=alert]")).not_to_be_empty()
    sign_in(other, team, "Li")
    hands.come_back(desk)
    hands.saved(desk, team, PARADIGM, "source: after the end\n")


def test_the_lexicon_says_that_nobody_is_signed_in_and_goes_on_with_the_next_session(team: Running, desk: Page) -> None:
    sign_in(desk, team, "Li")
    hands.open_lexicon(desk, team)
    other = desk.context.new_page()
    other.goto(f"{team.home}/p/small")
    sign_out(other)
    hands.tab_to(desk, "张三, expression")
    hands.keys(desk, "Control+ArrowDown", "王五", "Tab", "NR", "Tab", "male", "Enter")
    hands.state(desk, "signed out")
    sign_in(other, team, "Li")
    hands.state(desk, "Saved")
    assert team.read("lexicon.tsv") == WORDS + "王五\tNR\tmale\n"
