"""Suggestions while a rule is written: who asks for them takes one with Enter or Tab; who types on is left alone."""

import pytest
from playwright.sync_api import Page, expect

from ..store.small import PARADIGM
from . import hands
from .running import Running


@pytest.mark.parametrize("key", ["Enter", "Tab"])
def test_the_first_suggestion_that_was_asked_for_is_taken(page: Page, workbench: Running, key: str) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gend")
    page.keyboard.press("Control+Space")
    expect(page.locator(".cm-tooltip-autocomplete [aria-selected=true]")).to_contain_text("gender:")
    page.wait_for_timeout(200)  # a list that has just come takes no keys yet, lest it take those meant for the text
    page.keyboard.press(key)
    expect(hands.rule(page, "who")).to_have_text("pos:NR gender:")
    expect(hands.rule(page, "who")).to_be_focused()


def test_enter_goes_on_where_nobody_asked(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gend")
    expect(page.locator(".cm-tooltip-autocomplete li").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(hands.rule(page, "who")).to_have_text("pos:NR gend")
    expect(hands.rule(page, "who")).not_to_be_focused()
