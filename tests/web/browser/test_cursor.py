"""The cursor is the writer's: an answer that comes late does not move it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from ..store.small import PARADIGM
from . import hands
from .running import Running

PHRASES = """format: 1
phrases:
  Who:
    - parts:
        name: pos:NR
        title: 先生
        mark: 们
      head: name
"""


@pytest.fixture
def paradigm(page: Page, workbench: Running) -> Page:
    hands.open_paradigm(page, workbench, PARADIGM)
    return page


@pytest.fixture
def parts(page: Page, workbench: Running) -> Page:
    workbench.write("phrases.yaml", PHRASES)
    page.goto(workbench.at("/phrases"))
    expect(part(page, "name")).to_be_visible()
    return page


def part(page: Page, name: str) -> Locator:
    return page.get_by_role("textbox", name=f"Rule of {name}", exact=True)


def test_a_slot_that_gets_its_name_late_does_not_take_the_cursor(paradigm: Page, workbench: Running) -> None:
    source = paradigm.get_by_label("Source", exact=True)
    with hands.slow(paradigm) as asked:
        paradigm.get_by_label("Name of slot who", exact=True).fill("whom")
        paradigm.keyboard.press("Enter")
        hands.eventually(paradigm, asked)
        source.click()
        paradigm.keyboard.type("in the ")
    expect(hands.rule(paradigm, "whom")).to_be_visible()
    expect(source).to_be_focused()
    paradigm.keyboard.type("middle")
    hands.saved(paradigm, workbench, PARADIGM, "source: in the middle\n")
    assert "  whom: pos:NR\n" in workbench.read(PARADIGM)


def test_a_rule_is_typed_while_its_slot_gets_another_name(paradigm: Page, workbench: Running) -> None:
    with hands.slow(paradigm) as asked:
        paradigm.get_by_label("Name of slot who", exact=True).fill("whom")
        paradigm.keyboard.press("Enter")
        hands.eventually(paradigm, asked)
        hands.keys(paradigm, "Home", "gender:female")
    expect(hands.rule(paradigm, "whom")).to_be_focused()
    paradigm.keyboard.type(" ")  # where the cursor was
    hands.saved(paradigm, workbench, PARADIGM, "  whom: gender:female pos:NR\n")
    expect(paradigm.get_by_label("Name of slot whom", exact=True)).to_have_value("whom")


def test_a_wording_that_is_added_late_does_not_come_under_the_hands(paradigm: Page, workbench: Running) -> None:
    with hands.slow(paradigm) as asked:
        paradigm.get_by_role("button", name="Add wording").click()
        hands.eventually(paradigm, asked)
        paradigm.get_by_label("Source", exact=True).click()
        paradigm.keyboard.type("in the ")
    expect(paradigm.get_by_role("tab")).to_have_count(2)
    expect(paradigm.get_by_label("Source", exact=True)).to_be_focused()
    expect(paradigm.get_by_role("tab").first).to_have_attribute("aria-selected", "true")


def test_a_wording_that_was_added_is_shown(paradigm: Page) -> None:
    paradigm.get_by_role("button", name="Add wording").click()
    expect(paradigm.get_by_role("tab").last).to_have_attribute("aria-selected", "true")


def test_the_cursor_goes_with_a_wording_that_is_moved(paradigm: Page, workbench: Running) -> None:
    paradigm.get_by_role("button", name="Add wording").click()
    tabs = paradigm.get_by_role("tab")
    expect(tabs.last).to_have_attribute("aria-selected", "true")
    names = tabs.all_inner_texts()
    tabs.last.click()
    hands.keys(paradigm, "Alt+ArrowLeft")
    expect(tabs.first).to_have_text(names[-1])
    expect(tabs.first).to_be_focused()
    expect(tabs.first).to_have_attribute("aria-selected", "true")


def test_a_phrase_keeps_the_cursor_when_it_gets_another_name(parts: Page, workbench: Running) -> None:
    with hands.slow(parts) as asked:
        parts.get_by_label("Name", exact=True).fill("Person")
        parts.keyboard.press("Tab")
        hands.eventually(parts, asked)
        expect(parts.get_by_label("Depth", exact=True)).to_be_focused()
        parts.keyboard.type("1")
    hands.saved(parts, workbench, "phrases.yaml", "  Person:\n")
    expect(parts.get_by_label("Depth", exact=True)).to_be_focused()
    parts.keyboard.type("2")
    hands.eventually(parts, lambda: "depth: 12\n" in workbench.read("phrases.yaml"))


def test_the_cursor_goes_with_a_part_that_is_moved(parts: Page, workbench: Running) -> None:
    part(parts, "name").click()
    hands.keys(parts, "Alt+ArrowDown", "Alt+ArrowDown")
    expect(part(parts, "name")).to_be_focused()
    hands.keys(parts, "End", " gender:male")
    hands.saved(parts, workbench, "phrases.yaml", "        mark: 们\n        name: pos:NR gender:male\n")


@pytest.mark.parametrize(("gone", "next_"), [("name", "title"), ("title", "mark"), ("mark", "title")])
def test_the_cursor_goes_to_the_next_part_of_one_that_is_deleted(parts: Page, gone: str, next_: str) -> None:
    part(parts, gone).click()
    hands.keys(parts, "Alt+Delete")
    expect(part(parts, gone)).to_have_count(0)
    expect(part(parts, next_)).to_be_focused()


def test_a_text_that_another_changed_leaves_the_cursor_where_it_was(page: Page, workbench: Running) -> None:
    page.goto(workbench.at("/edit/project.yaml"))
    text = page.get_by_role("textbox", name="project.yaml")
    text.click()
    hands.keys(page, "Control+Home", "ArrowDown", "End")  # name: small
    workbench.write("project.yaml", workbench.read("project.yaml") + "# by hand\n")
    hands.come_back(page)
    expect(text).to_contain_text("# by hand")
    page.keyboard.type("er")
    hands.saved(page, workbench, "project.yaml", "name: smaller\nlang: zh\n# by hand\n")


def test_the_cursor_stays_between_two_lines_that_another_changed(page: Page, workbench: Running) -> None:
    page.goto(workbench.at("/edit/project.yaml"))
    text = page.get_by_role("textbox", name="project.yaml")
    text.click()
    hands.keys(page, "Control+Home", "ArrowDown", "End")  # name: small
    workbench.write("project.yaml", "# above\n" + workbench.read("project.yaml") + "# below\n")
    hands.come_back(page)
    expect(text).to_contain_text("# below")
    page.keyboard.type("er")
    hands.saved(page, workbench, "project.yaml", "name: smaller\nlang: zh\n# below\n")
