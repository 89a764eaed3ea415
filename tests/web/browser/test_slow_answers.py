"""Answers that come late, or break off in the middle: slow lines and dying servers."""

from playwright.sync_api import APIResponse, Page, Route, expect

from ..store.small import PARADIGM
from . import hands
from .conftest import Witness
from .running import Running


def test_a_late_answer_does_not_open_again_what_was_settled(page: Page, workbench: Running, witness: Witness) -> None:
    """The dialog asks for the rows anew when it opens; the reader may be quicker than the answer."""
    witness.forgive("status of 409")
    hands.open_paradigm(page, workbench, PARADIGM)
    workbench.write(PARADIGM, workbench.read(PARADIGM).replace("  who: pos:NR\n", "  who: pos:NR gender:male\n"))
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:female")
    hands.state(page, "Conflict")
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/merge/**", lambda route: held.append((route, route.fetch())), times=1)
    page.get_by_role("button", name="Compare and merge…").click()
    page.get_by_role("group", name="who").get_by_label("Mine").check()
    hands.eventually(page, lambda: len(held) == 1)
    page.get_by_role("button", name="Merge", exact=True).click()
    page.wait_for_timeout(1_000)
    route, answer = held[0]
    route.fulfill(response=answer)
    hands.saved(page, workbench, PARADIGM, "  who: pos:NR gender:female\n")
    page.wait_for_timeout(1_000)
    hands.state(page, "Saved")


def test_an_answer_that_breaks_off_is_asked_again(page: Page, workbench: Running) -> None:
    """A server that dies between two bytes has said nothing; what was sent to it is sent again."""
    hands.open_paradigm(page, workbench, PARADIGM)
    page.route("**/files/**", lambda route: route.fulfill(status=200, content_type="application/json", body='{"sav'))
    page.get_by_label("Source", exact=True).fill("said twice")
    hands.state(page, "Offline")
    page.unroute("**/files/**")
    hands.saved(page, workbench, PARADIGM, "said twice")
    expect(page.get_by_label("Source", exact=True)).to_have_value("said twice")
