"""The server dies in the middle of a word, and every word is found again; on both databases where they have it."""

import pytest
from playwright.sync_api import Page, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .conftest import KILLED, Witness
from .running import Running

ONLY_IN_THE_PAGE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture(autouse=True)
def server_may_be_away(witness: Witness, database: str | None) -> None:
    """The browser itself notes every request that nobody answered."""
    witness.forgive(KILLED)


@ONLY_IN_THE_PAGE
def test_typing_goes_on_while_the_server_is_away(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    page.get_by_label("Source", exact=True).click()
    page.keyboard.type("before the end, ")
    workbench.kill()
    page.keyboard.type("in the middle, ")
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:male")
    hands.state(page, "Offline")
    expect(page.locator(".preview")).to_contain_text("The server does not respond. These are the previous pairs.")
    hands.restart(page, workbench)
    hands.saved(page, workbench, PARADIGM, "before the end, in the middle,")
    hands.saved(page, workbench, PARADIGM, "  who: pos:NR gender:male\n")
    expect(hands.pair_lines(page)).to_have_count(1)


def test_a_draft_that_the_server_had_is_there_again(page: Page, workbench: Running) -> None:
    """Half a rule is in no file yet: the database has it."""
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:")
    hands.state(page, "Draft")
    workbench.kill()
    page.evaluate("() => localStorage.clear()")  # as in another browser: nothing is left but what the server has
    hands.restart(page, workbench)
    assert workbench.read(PARADIGM) == TEXTS[PARADIGM]
    page.close()
    other = page.context.new_page()
    hands.open_paradigm(other, workbench, PARADIGM)
    other.get_by_role("button", name="Restore").click()
    expect(hands.rule(other, "who")).to_have_text("pos:NR gender:")


@ONLY_IN_THE_PAGE
def test_a_tab_that_was_closed_while_the_server_was_away_offers_its_text(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    workbench.kill()
    page.get_by_label("Source", exact=True).click()
    page.keyboard.type("never seen by the server")
    hands.state(page, "Offline")
    page.close(run_before_unload=False)
    hands.restart(page, workbench)
    other = page.context.new_page()
    hands.open_paradigm(other, workbench, PARADIGM)
    expect(other.get_by_label("Source", exact=True)).to_have_value("")
    other.get_by_role("button", name="Restore").click()
    expect(other.get_by_label("Source", exact=True)).to_have_value("never seen by the server")
    hands.saved(other, workbench, PARADIGM, "never seen by the server")


def test_words_typed_into_the_lexicon_are_found(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "王五", "Tab", "NR", "Tab", "male", "Enter")
    hands.state(page, "Saved")
    hands.keys(page, "Home", "小红", "Tab", "N")
    workbench.kill()
    hands.keys(page, "R", "Tab", "female", "Enter", "Home", "小明", "Tab")
    hands.state(page, "does not respond")
    hands.keys(page, "NR", "Tab", "ma")  # the last cell is not finished
    hands.restart(page, workbench)
    hands.state(page, "Saved")
    hands.keys(page, "le", "Enter")
    expect(hands.cell(page, 7, "gender")).to_have_text("male")
    hands.state(page, "Saved")
    assert workbench.read("lexicon.tsv") == TEXTS["lexicon.tsv"] + "王五\tNR\tmale\n小红\tNR\tfemale\n小明\tNR\tmale\n"


@ONLY_IN_THE_PAGE
def test_a_lexicon_that_was_closed_while_the_server_was_away_brings_its_words(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    workbench.kill()
    hands.keys(page, "Control+ArrowDown", "王五", "Tab", "NR", "Tab", "male", "Enter")
    hands.state(page, "does not respond")
    page.close(run_before_unload=False)
    hands.restart(page, workbench)
    other = page.context.new_page()
    hands.open_lexicon(other, workbench)
    expect(hands.cell(other, 5, "expression")).to_have_text("王五")
    hands.state(other, "Saved")
    assert workbench.read("lexicon.tsv") == TEXTS["lexicon.tsv"] + "王五\tNR\tmale\n"
