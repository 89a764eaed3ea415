"""What is wrong in a project is seen from its page, and on the page of the file that it is wrong in."""

from playwright.sync_api import Page, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .conftest import Witness
from .running import Running


def test_the_project_page_tells_what_keeps_a_paradigm_from_pairs_and_leads_to_it(
    page: Page, workbench: Running
) -> None:
    """The file parses, so the error comes with the count: into the row, the sum, and the list; and is there again."""
    file = workbench.folder / workbench.project / PARADIGM
    expect(page.locator("#problem-count")).to_have_text("no problem")
    file.write_text(TEXTS[PARADIGM].replace("who: pos:NR", "who: phrase:Nobody"), "utf-8", newline="\n")
    for _ in range(2):
        page.goto(workbench.at())
        expect(page.locator("#problem-count")).to_have_text("1 error")
        expect(page.locator("#paradigms .badge.bad")).to_have_text("1 error")
        expect(page.locator("#problems li")).to_have_count(1)
        expect(page.locator("#problems li")).to_have_text(f"{PARADIGM}:5 there is no phrase Nobody")
    page.locator("#problems a").click()
    expect(page.locator(".preview")).to_contain_text("there is no phrase Nobody")


def test_a_uid_that_is_there_twice_is_told_on_the_page_of_the_paradigm(
    page: Page, workbench: Running, witness: Witness
) -> None:
    witness.forgive("409 .*rename")
    other = workbench.folder / workbench.project / "paradigms" / "other" / "gender.yaml"
    other.parent.mkdir()
    other.write_text(TEXTS[PARADIGM].replace("anaphor", "other"), "utf-8", newline="\n")
    page.goto(workbench.at())
    expect(page.locator("#problems li")).to_contain_text(
        "paradigms/other/gender.yaml the uid gender is already used by"
    )
    hands.open_paradigm(page, workbench, PARADIGM)
    expect(page.locator(".preview")).to_contain_text("the uid gender is already used by paradigms/other/gender.yaml")
    assert len(hands.pairs(page)) == 2
    page.get_by_role("button", name="Rename", exact=False).click()
    page.locator("dialog input[name=uid]").fill("GENDER")
    page.locator("dialog input[name=phenomenon]").fill("other")
    page.locator("dialog input[name=phenomenon]").press("Enter")
    expect(page.locator("dialog .notice, dialog [role=alert]").first).to_contain_text(
        "the paradigm gender already exists"
    )
