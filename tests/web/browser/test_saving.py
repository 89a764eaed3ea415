"""Whoever writes sees where the text is safe."""

from playwright.sync_api import Page, Route, expect

from ..store.small import PARADIGM
from . import hands
from .running import Running


def test_what_is_typed_is_in_the_file_within_moments_and_the_page_says_so(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:male")  # and nothing else: no key, no button saves
    hands.saved(page, workbench, PARADIGM, "  who: pos:NR gender:male\n")


def test_saved_is_never_said_of_what_the_server_does_not_have(page: Page, workbench: Running) -> None:
    """The file has no source yet, so the server is asked to make a place for it; that may take its time."""
    hands.open_paradigm(page, workbench, PARADIGM)
    held: list[Route] = []
    page.route(f"**/api/projects/{workbench.project}/edit", lambda route: held.append(route))
    page.get_by_label("Source", exact=True).click()
    page.keyboard.type("a grammar")
    hands.eventually(page, lambda: bool(held))
    expect(page.locator(".state")).not_to_contain_text("Saved")
    page.unroute(f"**/api/projects/{workbench.project}/edit")  # which lets go what was held
    hands.saved(page, workbench, PARADIGM, "a grammar")


def test_the_same_file_is_written_as_rows_and_as_plain_text(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    page.get_by_role("button", name="Plain text").click()
    text = page.get_by_role("textbox", name="The file of the paradigm as plain text")
    expect(text).to_contain_text("who: pos:NR")
    expect(text).to_be_focused()
    hands.keys(page, "Control+End", "source: plain text", "Enter")
    hands.saved(page, workbench, PARADIGM, "\nsource: plain text\n")
    page.keyboard.press("Control+e")
    expect(page.get_by_label("Source", exact=True)).to_have_value("plain text")
