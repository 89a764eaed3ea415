"""What is wrong is said where it is wrong, and what was right stays to be seen."""

from playwright.sync_api import Page, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .running import Running

PAIRS = {("张三喜欢他自己", "张三喜欢她自己"), ("李梅喜欢她自己", "李梅喜欢他自己")}


def test_a_broken_rule_is_underlined_where_it_is_broken_until_it_is_mended(page: Page, workbench: Running) -> None:
    """Whoever never programmed needs to see which word is wrong, and must not lose sight of the pairs by it."""
    hands.open_paradigm(page, workbench, PARADIGM)
    assert set(hands.pairs(page)) == PAIRS
    who = hands.rule(page, "who")
    who.click()
    hands.keys(page, "End", " gendr:male")
    underlined = page.locator(".underlined.error")
    expect(underlined).to_have_text("gendr")
    expect(who).to_have_attribute("aria-invalid", "true")
    beneath = page.locator(f"#{who.get_attribute('aria-describedby')}")
    expect(beneath).to_contain_text("gendr")
    expect(beneath).to_contain_text("gender")  # the nearest right word
    expect(page.locator(".pairs.dim")).to_be_visible()
    assert set(hands.pairs(page)) == PAIRS
    for _ in range(len("r:male")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("e")
    expect(underlined).to_have_count(0)
    expect(beneath).to_have_text("")
    expect(page.locator(".pairs.dim")).to_have_count(0)
    expect(hands.pair_lines(page)).to_have_count(1)
    assert hands.pairs(page) == [("张三喜欢他自己", "张三喜欢她自己")]
    hands.saved(page, workbench, PARADIGM, "  who: pos:NR gender:male\n")


def test_a_rule_that_is_half_written_is_kept_as_a_draft(page: Page, workbench: Running) -> None:
    """Others, and the command line, must never meet a file that cannot be read."""
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:")
    hands.state(page, "Draft")
    assert workbench.read(PARADIGM) == TEXTS[PARADIGM]
    whose = page.locator(".download .notice")
    expect(whose).to_contain_text("The draft on this page has errors and is not in them.")
    with page.expect_download():
        page.get_by_role("button", name="Download pairs").click()
    expect(page.locator(".download .outcome")).to_contain_text("without the text on this page")
    page.reload()
    expect(hands.rule(page, "who")).to_have_text("pos:NR gender:")
    hands.rule(page, "who").click()
    hands.keys(page, "End", "male")
    hands.saved(page, workbench, PARADIGM, "  who: pos:NR gender:male\n")
    expect(whose).to_have_count(0)


def test_no_pairs_are_explained_in_words(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:neuter")
    expect(page.locator(".preview")).to_contain_text("neuter")
    expect(page.locator(".preview")).to_contain_text("male")
