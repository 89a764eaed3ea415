"""Phrases: rows that can be typed in at once, however long the server takes, and that nobody loses."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from . import hands
from .conftest import Witness
from .running import Running

FILE = "phrases.yaml"
TEXT = "format: 1\nphrases:\n  Who:\n    - pos:NR\n    - pos:PN\n"


def alternative(page: Page, number: int) -> Locator:
    """The editor of an alternative's rule."""
    return page.get_by_role("textbox", name=f"Rule of Alternative {number}", exact=True)


def open_phrases(page: Page, workbench: Running) -> None:
    page.goto(workbench.at("/phrases"))
    expect(alternative(page, 1)).to_be_visible()


@pytest.fixture
def phrases(page: Page, workbench: Running) -> Page:
    """The page of a project whose one phrase has two alternatives."""
    (workbench.folder / workbench.project / FILE).write_text(TEXT, "utf-8", newline="")
    open_phrases(page, workbench)
    return page


@contextmanager
def slow(page: Page) -> Iterator[Callable[[], bool]]:
    """Answers to edits come only at the end; whether one is waited for."""
    held: list[Route] = []
    waits = True
    page.route("**/edit", lambda route: held.append(route) if waits else route.continue_())
    yield lambda: bool(held)
    waits = False
    for route in held:
        route.continue_()


def test_a_new_alternative_is_typed_in_before_the_server_has_made_it(phrases: Page, workbench: Running) -> None:
    alternative(phrases, 1).click()
    with slow(phrases) as asked:
        hands.keys(phrases, "Alt+a", "gender:male")
        hands.eventually(phrases, asked)
        hands.state(phrases, "Not saved")
    hands.saved(phrases, workbench, FILE, "    - gender:male\n")


def test_the_cursor_stays_where_the_reader_went(phrases: Page, workbench: Running) -> None:
    """What was asked for before, and is made only now, must not pull the cursor away in the middle of a word."""
    alternative(phrases, 2).click()
    with slow(phrases):
        hands.keys(phrases, "Alt+ArrowUp")
        expect(alternative(phrases, 1)).to_have_text("pos:PN")
        hands.keys(phrases, "Alt+a", "gender:")
    phrases.keyboard.type("male", delay=60)
    hands.saved(phrases, workbench, FILE, "    - pos:PN\n    - pos:NR\n    - gender:male\n")


def test_rules_typed_after_edits_that_wait_go_where_they_are_seen(phrases: Page, workbench: Running) -> None:
    with slow(phrases):
        alternative(phrases, 1).click()
        hands.keys(phrases, "Alt+Delete")  # pos:PN is the first now
        expect(alternative(phrases, 1)).to_have_text("pos:PN")
        hands.keys(phrases, "Alt+a", "gender:female")
        alternative(phrases, 1).click()
        hands.keys(phrases, "End", " gender:male")
    hands.saved(phrases, workbench, FILE, "  Who:\n    - pos:PN gender:male\n    - gender:female\n")


def test_edits_that_the_server_never_saw_are_made_when_it_is_back(
    phrases: Page, workbench: Running, witness: Witness, database: str | None
) -> None:
    witness.forgive(r"ERR_CONNECTION_\w+|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED")
    alternative(phrases, 1).click()
    workbench.kill()
    hands.keys(phrases, "Alt+a", "gender:male")
    hands.state(phrases, "Offline")
    phrases.goto("about:blank")
    workbench.start()
    open_phrases(phrases, workbench)
    expect(alternative(phrases, 3)).to_have_text("gender:male")
    hands.saved(phrases, workbench, FILE, "gender:male")


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_sticks_out_of_the_page(phrases: Page, width: int) -> None:
    phrases.set_viewport_size({"width": width, "height": 800})
    alternative(phrases, 1).fill("expression:我/你/他/她/我们/你们/他们/她们/自己/大家/人家/别人/谁/什么/哪里/怎么")
    assert phrases.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
