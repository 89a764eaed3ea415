"""The whole vocabulary in a grid: found, pasted, undone, deleted, and who uses a word."""

from playwright.sync_api import Page, expect

from ..store.small import TEXTS
from . import hands
from .running import Running

WORDS = TEXTS["lexicon.tsv"]


def test_words_are_found_by_text_and_by_features(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    search = page.get_by_label("Search", exact=True)
    search.fill("gender:female pos:NR")
    expect(page.locator(".lexicon-tools")).to_contain_text("1 of 4 words")
    expect(hands.cell(page, 1, "pos")).to_have_text("NR")
    search.fill("三")
    expect(hands.cell(page, 1, "gender")).to_have_text("male")
    search.fill("")
    expect(page.locator(".lexicon-tools")).to_contain_text("4 words")


def test_cells_are_pasted_from_a_spreadsheet_and_taken_back(page: Page, workbench: Running) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hands.open_lexicon(page, workbench)
    page.evaluate("(text) => navigator.clipboard.writeText(text)", "王五\tNR\tmale\n小红\tNR\tfemale\n")
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "Control+v")
    hands.saved(page, workbench, "lexicon.tsv", "小红\tNR\tfemale\n")
    assert workbench.read("lexicon.tsv") == WORDS + "王五\tNR\tmale\n小红\tNR\tfemale\n"
    page.keyboard.press("Control+z")
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS)
    expect(page.locator(".lexicon-tools")).to_contain_text("4 words")


def test_a_row_is_deleted_and_brought_back(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "ArrowDown", "Control+Delete")
    hands.eventually(page, lambda: "李梅" not in workbench.read("lexicon.tsv"))
    page.keyboard.press("Control+z")
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS)


def test_a_word_says_which_paradigms_use_it(page: Page, workbench: Running) -> None:
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    expect(page.get_by_role("link", name="gender", exact=True)).to_be_visible()
