"""Two tabs on one paradigm: nobody's change is lost, and what both changed is chosen by row."""

import json

from playwright.sync_api import Page, Route, expect

from ..store.small import PARADIGM
from . import hands
from .conftest import Witness
from .running import Running


def deaf_tab(page: Page, server: Running) -> Page:
    """Another tab on the same paradigm, which does not hear of what others save."""
    tab = page.context.new_page()

    def nothing_new(route: Route) -> None:
        heard = route.fetch()
        route.fulfill(response=heard, body=json.dumps({"others": [], "revision": revision}))

    revision = hands.ask(page, "GET", f"/api/projects/{server.project}/files/{PARADIGM}")[1]["revision"]
    tab.route("**/presence/**", nothing_new)
    hands.open_paradigm(tab, server, PARADIGM)
    return tab


def write(page: Page, field: str, text: str) -> None:
    page.get_by_label(field, exact=True).fill(text)


def test_changes_of_other_rows_are_put_together(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("status of 409")
    hands.open_paradigm(page, workbench, PARADIGM)
    other = deaf_tab(page, workbench)
    write(page, "Description in English", "The first tab was here.")
    hands.saved(page, workbench, PARADIGM, "The first tab was here.")
    write(other, "Source", "the second tab")
    expect(other.get_by_text("was merged with changes")).to_be_visible()
    hands.saved(other, workbench, PARADIGM, "the second tab")
    assert "The first tab was here." in workbench.read(PARADIGM)
    expect(other.get_by_label("Description in English", exact=True)).to_have_value("The first tab was here.")


def test_a_row_that_both_changed_is_chosen(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("status of 409")
    hands.open_paradigm(page, workbench, PARADIGM)
    other = deaf_tab(page, workbench)
    write(page, "Description in English", "The first tab was here.")
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:male")
    hands.saved(page, workbench, PARADIGM, "The first tab was here.")
    hands.saved(page, workbench, PARADIGM, "gender:male")
    write(other, "Source", "the second tab")
    hands.rule(other, "who").click()
    hands.keys(other, "End", " gender:female")
    hands.state(other, "Conflict")
    other.get_by_role("button", name="Compare and merge…").click()
    row = other.get_by_role("group", name="who")
    expect(row).to_contain_text("gender:male")
    expect(row).to_contain_text("gender:female")
    row.get_by_label("Mine").check()
    other.get_by_role("button", name="Merge", exact=True).click()
    hands.saved(other, workbench, PARADIGM, "gender:female")
    text = workbench.read(PARADIGM)
    assert "  who: pos:NR gender:female\n" in text
    assert "The first tab was here." in text
    assert "the second tab" in text
    assert hands.pairs(other) == [("李梅喜欢她自己", "李梅喜欢他自己")]


def test_another_tab_is_seen_and_its_changes_arrive(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    other = page.context.new_page()
    hands.open_paradigm(other, workbench, PARADIGM)
    expect(other.get_by_text("open in another tab")).to_be_visible()
    write(page, "Source", "the first tab")
    hands.saved(page, workbench, PARADIGM, "the first tab")
    hands.come_back(other)
    expect(other.get_by_label("Source", exact=True)).to_have_value("the first tab")
