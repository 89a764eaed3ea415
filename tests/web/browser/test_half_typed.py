"""Names and lists that take effect when their field is left: what is half-typed in one is not lost with the page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .running import Running

PHRASES = "phrases.yaml"
TWO_WORDINGS = """format: 1
uid: gender
phenomenon: anaphor
slots:
  who: pos:NR
  right: pos:PN mPos:who mPro:gender
  wrong: pos:PN mmPos:who mmPro:gender
variants:
  - name: likes
    good: who 喜欢 right 自己
    bad: who 喜欢 wrong 自己
  - name: knows
    good: who 认识 right 自己
    bad: who 认识 wrong 自己
"""
PARTS = """format: 1
phrases:
  Who:
    - parts:
        name: pos:NR
        title: 先生
      head: name
  Self:
    - 自己
"""


def field(name: str) -> Callable[[Page], Locator]:
    """A field by what it is called."""
    return lambda page: page.get_by_role("textbox", name=name, exact=True)


def open_page(page: Page, workbench: Running, file: str) -> None:
    if file == PHRASES:
        page.goto(workbench.at("/phrases"))
        expect(page.locator(".phrase-list a").first).to_be_visible()
    else:
        hands.open_paradigm(page, workbench, file)
        page.evaluate("() => document.querySelectorAll('details.options').forEach((each) => { each.open = true; })")


FIELDS = [
    pytest.param(PARADIGM, TEXTS[PARADIGM], field("Name of slot who"), "whom", "good: whom 喜欢", id="slot"),
    pytest.param(PARADIGM, TEXTS[PARADIGM], field("Name of a new slot"), "verb", "  verb:", id="new slot"),
    pytest.param(PARADIGM, TWO_WORDINGS, field("Name"), "adores", "- name: adores\n", id="wording"),
    pytest.param(PARADIGM, TEXTS[PARADIGM], field("Can hold the same word"), "who, right", "repeat:", id="list"),
    pytest.param(PHRASES, PARTS, field("Name"), "Person", "  Person:\n", id="phrase"),
    pytest.param(PHRASES, PARTS, field("New phrase"), "Thing", "  Thing:", id="new phrase"),
    pytest.param(PHRASES, PARTS, field("Name of the part title"), "rank", "        rank: 先生\n", id="part"),
    pytest.param(PHRASES, PARTS, field("New part of alternative 1"), "mark", "        mark:", id="new part"),
]


@pytest.mark.parametrize(("file", "text", "where", "typed", "written"), FIELDS)
def test_what_is_half_typed_is_there_after_a_reload(
    page: Page, workbench: Running, file: str, text: str, where: Callable[[Page], Locator], typed: str, written: str
) -> None:
    workbench.write(file, text)
    open_page(page, workbench, file)
    where(page).fill(typed)  # and nothing else: the cursor stays in the field
    hands.state(page, "Not saved")
    assert workbench.read(file) == text
    page.reload()
    expect(page.get_by_text("Your unsaved text was restored.")).to_be_visible()
    page.get_by_role("button", name="Plain text").click()
    expect(page.locator(".cm-content:visible")).to_contain_text(written.strip())


def test_a_closed_tab_leaves_what_was_half_typed_to_another(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    field("Name of slot who")(page).fill("whom")
    page.close(run_before_unload=False)
    other = page.context.new_page()
    hands.open_paradigm(other, workbench, PARADIGM)
    other.get_by_role("button", name="Restore").click()
    hands.saved(other, workbench, PARADIGM, "good: whom 喜欢 right 自己\n")


def test_what_is_given_up_or_typed_back_leaves_nothing_behind(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    name = field("Name of slot who")(page)
    for giving_up in ("Escape", "Backspace"):
        name.press("End")
        name.press("m")
        hands.state(page, "Not saved")
        name.press(giving_up)
        expect(name).to_have_value("who")
        hands.state(page, "Saved")
    page.reload()
    expect(page.locator(".about-fields")).to_be_visible()
    assert workbench.read(PARADIGM) == TEXTS[PARADIGM]
    expect(page.get_by_text("was restored")).to_have_count(0)


def test_a_half_typed_name_takes_effect_when_the_plain_text_is_shown(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    field("Name of slot who")(page).fill("whom")
    page.keyboard.press("Control+e")
    hands.saved(page, workbench, PARADIGM, "good: whom 喜欢 right 自己\n")


def test_a_half_typed_name_takes_effect_when_another_phrase_is_opened(page: Page, workbench: Running) -> None:
    workbench.write(PHRASES, PARTS)
    open_page(page, workbench, PHRASES)
    field("Name")(page).fill("Person")
    page.keyboard.press("Alt+PageDown")
    expect(field("Name")(page)).to_have_value("Self")
    hands.saved(page, workbench, PHRASES, "  Person:\n")
    expect(field("Name")(page)).to_have_value("Self")


def test_undo_in_a_half_typed_name_takes_back_letters_not_edits(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    page.get_by_label("Source", exact=True).fill("a grammar")
    hands.saved(page, workbench, PARADIGM, "source: a grammar\n")
    name = field("Name of slot who")(page)
    name.click()
    hands.keys(page, "End", "m", "Control+z")
    expect(name).to_have_value("who")
    expect(page.get_by_label("Source", exact=True)).to_have_value("a grammar")
