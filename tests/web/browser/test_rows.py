"""Rows of a paradigm: where the cursor goes when one is deleted, and where it is said what is wrong with one."""

import pytest
from playwright.sync_api import Page, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .conftest import Witness
from .running import Running

NAME = "Name of slot who"


@pytest.fixture
def paradigm(page: Page, workbench: Running) -> Page:
    hands.open_paradigm(page, workbench, PARADIGM)
    return page


@pytest.fixture
def refusing(witness: Witness) -> None:
    """The server will not make some edit of the test."""
    witness.forgive(r"status of 400 .*/edit")


def test_rows_are_deleted_from_one_on_by_the_same_key(paradigm: Page, workbench: Running) -> None:
    """As in every grid: what is pressed again must not eat the sentence before."""
    hands.item(paradigm, 2, "good").click()
    for left in (3, 2):
        paradigm.keyboard.press("Alt+Delete")
        expect(hands.item(paradigm, left + 1, "good")).to_have_count(0)
        expect(hands.item(paradigm, 2, "good")).to_be_focused()
    expect(hands.item(paradigm, 1, "good")).to_have_text("who")
    expect(hands.item(paradigm, 2, "good")).to_have_text("自己")


def test_the_cursor_goes_up_from_the_last_row_and_stays_on_its_side(paradigm: Page) -> None:
    hands.item(paradigm, 4, "bad").click()
    paradigm.keyboard.press("Alt+Delete")
    expect(hands.item(paradigm, 4, "good")).to_have_count(0)
    expect(hands.item(paradigm, 3, "bad")).to_be_focused()


@pytest.mark.parametrize(("gone", "next_"), [("who", "right"), ("wrong", "right")])
def test_the_cursor_goes_to_the_slot_that_comes_into_the_place(paradigm: Page, gone: str, next_: str) -> None:
    hands.rule(paradigm, gone).click()
    paradigm.keyboard.press("Alt+Delete")
    expect(hands.rule(paradigm, gone)).to_have_count(0)
    expect(hands.rule(paradigm, next_)).to_be_focused()


def test_lines_that_are_the_same_are_told_at_the_bad_one(page: Page, workbench: Running) -> None:
    """It is the bad line that has to change."""
    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("wrong 自己", "right 自己"))
    page.goto(workbench.at(f"/edit/{PARADIGM}"))
    says = page.locator(".line-rows .messages", has_text="the same")
    expect(says).to_have_count(1)
    expect(page.locator(".line-rows td:nth-child(3) .messages", has_text="the same")).to_have_count(1)
    bad = hands.item(page, 1, "bad")
    expect(page.locator(f"#{bad.get_attribute('aria-describedby')}")).to_contain_text("the same")


def test_a_rule_that_is_cleared_is_missing_and_not_nothing(paradigm: Page, workbench: Running) -> None:
    """An empty field must not silently take a word out of thousands of sentences."""
    hands.rule(paradigm, "who").click()
    hands.keys(paradigm, "Control+a", "Delete")
    hands.state(paradigm, "Draft")
    expect(hands.rule(paradigm, "who")).to_have_attribute("aria-invalid", "true")
    assert workbench.read(PARADIGM) == TEXTS[PARADIGM]
    paradigm.keyboard.press("Control+e")
    expect(paradigm.locator(".plain-text .cm-content")).to_contain_text("who:")
    expect(paradigm.locator(".plain-text .cm-content")).not_to_contain_text("''")
    paradigm.keyboard.press("Control+e")
    hands.rule(paradigm, "who").click()
    paradigm.keyboard.type("gender:male")
    hands.saved(paradigm, workbench, PARADIGM, "  who: gender:male\n")


@pytest.mark.usefixtures("refusing")
def test_a_name_that_is_refused_stays_in_its_field_with_the_reason(paradigm: Page, workbench: Running) -> None:
    name = paradigm.get_by_label(NAME, exact=True)
    name.fill("who else")
    paradigm.keyboard.press("Tab")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_value("who else")
    expect(paradigm.locator(f"#{name.get_attribute('aria-describedby')}")).to_contain_text("who else")
    name.fill("whoever")
    paradigm.keyboard.press("Tab")
    hands.saved(paradigm, workbench, PARADIGM, "  whoever: pos:NR\n")
    expect(paradigm.locator(".slots [aria-invalid=true]")).to_have_count(0)


@pytest.mark.usefixtures("refusing")
def test_escape_gives_a_refused_name_up(paradigm: Page) -> None:
    name = paradigm.get_by_label(NAME, exact=True)
    name.fill("who else")
    paradigm.keyboard.press("Tab")
    expect(name).to_have_attribute("aria-invalid", "true")
    name.press("Escape")
    expect(name).to_have_value("who")
    expect(paradigm.locator(".slots [aria-invalid=true]")).to_have_count(0)


@pytest.mark.usefixtures("refusing")
def test_a_new_slot_that_is_refused_can_be_mended(paradigm: Page, workbench: Running) -> None:
    name = paradigm.get_by_label("Name of a new slot", exact=True)
    name.fill("a b")
    paradigm.keyboard.press("Enter")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_value("a b")
    expect(name).to_be_focused()
    hands.keys(paradigm, "Control+a", "ab", "Enter")
    expect(hands.rule(paradigm, "ab")).to_be_focused()


def test_a_new_paradigm_is_begun_where_its_page_begins(page: Page) -> None:
    """Whoever has made a paradigm wants to write in it, without looking for the mouse."""
    page.keyboard.press("n")
    hands.keys(page, "number", "Tab", "anaphor")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_label("Description in English")).to_be_focused()
    assert "#" not in page.url
    page.reload()
    expect(page.locator(".about-fields")).to_be_visible()
    assert hands.focused(page) == ""


def test_a_pause_in_typing_sends_the_text_once(paradigm: Page, workbench: Running) -> None:
    """One answer has the rows, the pairs, the words and the problems; only the count and the save come later."""
    expect(paradigm.locator(".preview .count")).to_contain_text("pair")
    sent: list[str] = []
    paradigm.on("request", lambda request: sent.append(request.url.rsplit("/", 1)[1]) if request.post_data else None)
    hands.rule(paradigm, "who").click()
    hands.keys(paradigm, "End")
    paradigm.keyboard.insert_text(" gender:male")
    hands.saved(paradigm, workbench, PARADIGM, "gender:male")
    hands.eventually(paradigm, lambda: "count" in sent)
    elsewhere = ("complete", PARADIGM.rsplit("/", 1)[1])  # options at the cursor; the save, and who else is there
    assert [name for name in sent if name not in elsewhere] == ["preview", "count"]
