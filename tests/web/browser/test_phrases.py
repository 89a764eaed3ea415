"""Phrases: rows that can be typed in at once, however long the server takes, and that nobody loses."""

import pytest
from playwright.sync_api import Locator, Page, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .conftest import KILLED, Witness
from .running import Running

FILE = "phrases.yaml"
TEXT = "format: 1\nphrases:\n  Who:\n    - pos:NR\n    - pos:PN\n"


def alternative(page: Page, number: int) -> Locator:
    """The editor of an alternative's rule."""
    return page.get_by_role("textbox", name=f"Rule of Alternative {number}", exact=True)


def open_phrases(page: Page, workbench: Running) -> None:
    page.goto(workbench.at("/phrases"))
    expect(alternative(page, 1)).to_be_visible()


@pytest.fixture
def phrases(page: Page, workbench: Running) -> Page:
    """The page of a project whose one phrase has two alternatives."""
    (workbench.folder / workbench.project / FILE).write_text(TEXT, "utf-8", newline="")
    open_phrases(page, workbench)
    return page


def test_a_new_alternative_is_typed_in_before_the_server_has_made_it(phrases: Page, workbench: Running) -> None:
    alternative(phrases, 1).click()
    with hands.slow(phrases) as asked:
        hands.keys(phrases, "Alt+a", "gender:male")
        hands.eventually(phrases, asked)
        hands.state(phrases, "Not saved")
    hands.saved(phrases, workbench, FILE, "    - gender:male\n")


def test_the_cursor_stays_where_the_reader_went(phrases: Page, workbench: Running) -> None:
    """What was asked for before, and is made only now, must not pull the cursor away in the middle of a word."""
    alternative(phrases, 2).click()
    with hands.slow(phrases):
        hands.keys(phrases, "Alt+ArrowUp")
        expect(alternative(phrases, 1)).to_have_text("pos:PN")
        hands.keys(phrases, "Alt+a", "gender:")
    phrases.keyboard.type("male", delay=60)
    hands.saved(phrases, workbench, FILE, "    - pos:PN\n    - pos:NR\n    - gender:male\n")


def test_rules_typed_after_edits_that_wait_go_where_they_are_seen(phrases: Page, workbench: Running) -> None:
    with hands.slow(phrases):
        alternative(phrases, 1).click()
        hands.keys(phrases, "Alt+Delete")  # pos:PN is the first now
        expect(alternative(phrases, 1)).to_have_text("pos:PN")
        hands.keys(phrases, "Alt+a", "gender:female")
        alternative(phrases, 1).click()
        hands.keys(phrases, "End", " gender:male")
    hands.saved(phrases, workbench, FILE, "  Who:\n    - pos:PN gender:male\n    - gender:female\n")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # a server of its own, since it stops
def test_edits_that_the_server_never_saw_are_made_when_it_is_back(
    phrases: Page, workbench: Running, witness: Witness, database: str | None
) -> None:
    witness.forgive(KILLED)
    alternative(phrases, 1).click()
    workbench.kill()
    hands.keys(phrases, "Alt+a", "gender:male")
    hands.state(phrases, "Offline")
    phrases.goto("about:blank")
    hands.restart(phrases, workbench)
    open_phrases(phrases, workbench)
    expect(alternative(phrases, 3)).to_have_text("gender:male")
    hands.saved(phrases, workbench, FILE, "gender:male")


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_sticks_out_of_the_page(phrases: Page, width: int) -> None:
    phrases.set_viewport_size({"width": width, "height": 800})
    alternative(phrases, 1).click()
    hands.keys(phrases, "Control+a", "expression:我/你/他/她/我们/你们/他们/她们/自己/大家/人家/别人/谁/什么/哪里/怎么")
    assert phrases.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


@pytest.mark.parametrize(("deleted", "left"), [(1, ["pos:PN", "gender:male"]), (3, ["pos:NR", "pos:PN"])])
def test_the_cursor_goes_to_the_alternative_that_comes_into_the_place(
    page: Page, workbench: Running, deleted: int, left: list[str]
) -> None:
    workbench.write(FILE, TEXT + "    - gender:male\n")
    open_phrases(page, workbench)
    alternative(page, deleted).click()
    hands.keys(page, "Alt+Delete")
    expect(page.locator(".alternative .cm-content")).to_have_text(left)
    expect(alternative(page, min(deleted, len(left)))).to_be_focused()


def test_a_new_alternative_is_an_error_until_it_has_a_rule(phrases: Page, workbench: Running) -> None:
    """An alternative that nobody wrote must not print nothing in half of the sentences."""
    alternative(phrases, 1).click()
    hands.keys(phrases, "Alt+a")
    hands.state(phrases, "Draft")
    expect(alternative(phrases, 3)).to_have_attribute("aria-invalid", "true")
    assert workbench.read(FILE) == TEXT
    phrases.keyboard.type("gender:male")
    hands.saved(phrases, workbench, FILE, "    - pos:PN\n    - gender:male\n")


def test_a_new_phrase_is_an_error_until_it_has_a_rule(phrases: Page, workbench: Running) -> None:
    phrases.get_by_label("New phrase", exact=True).fill("Dish")
    phrases.keyboard.press("Enter")
    hands.state(phrases, "Draft")
    expect(alternative(phrases, 1)).to_be_focused()
    phrases.keyboard.type("米饭")
    hands.saved(phrases, workbench, FILE, "  Dish:\n    - 米饭\n")


@pytest.mark.parametrize("text", [TEXT, "format: 1\nphrases:\n  Who: [pos:NR, pos:PN]\n"], ids=["block", "flow"])
def test_an_alternative_that_is_cleared_is_an_error(page: Page, workbench: Running, text: str) -> None:
    workbench.write(FILE, text)
    open_phrases(page, workbench)
    alternative(page, 1).click()
    hands.keys(page, "Control+a", "Delete")
    hands.state(page, "Draft")
    expect(alternative(page, 1)).to_have_attribute("aria-invalid", "true")
    assert workbench.read(FILE) == text
    page.keyboard.type("gender:male")
    hands.state(page, "Saved")
    hands.eventually(page, lambda: "gender:male" in workbench.read(FILE))
    assert "''" not in workbench.read(FILE)


def test_a_phrase_that_is_there_already_is_opened(page: Page, workbench: Running) -> None:
    workbench.write(FILE, TEXT + "  What:\n    - 饭\n")
    open_phrases(page, workbench)
    page.get_by_label("New phrase", exact=True).fill("What")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_have_value("What")
    expect(page.locator(".new-phrase")).to_contain_text("The phrase What already exists")
    assert workbench.read(FILE) == TEXT + "  What:\n    - 饭\n"


def test_a_new_name_is_carried_into_the_paradigms_that_use_the_phrase(phrases: Page, workbench: Running) -> None:
    """A name that is only half of it leaves paradigms broken that nobody looked at."""
    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("who: pos:NR", "who: phrase:Who  # a person"))
    open_phrases(phrases, workbench)
    expect(phrases.locator(".phrase-users")).to_contain_text("gender")
    phrases.get_by_label("Name", exact=True).fill("Person")
    phrases.keyboard.press("Enter")
    hands.eventually(phrases, lambda: "  who: phrase:Person  # a person\n" in workbench.read(PARADIGM))
    hands.saved(phrases, workbench, FILE, "  Person:\n    - pos:NR\n")
    expect(phrases.locator(".phrase")).to_contain_text("The new name was also written to the 1 paradigm")
    expect(phrases.locator(".phrase-users")).to_contain_text("gender")
    alternative(phrases, 1).click()
    hands.keys(phrases, "End", " gender:male")
    hands.saved(phrases, workbench, FILE, "  Person:\n    - pos:NR gender:male\n")
    hands.keys(phrases, "Control+z", "Control+z")
    hands.saved(phrases, workbench, FILE, "  Person:\n    - pos:NR\n")


def test_a_name_that_is_taken_is_refused_at_its_field(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive(r"status of 4\d\d")
    workbench.write(FILE, TEXT + "  What:\n    - 饭\n")
    open_phrases(page, workbench)
    name = page.get_by_label("Name", exact=True)
    name.fill("What")
    page.keyboard.press("Enter")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_value("What")
    expect(page.locator("#phrase-name-refused")).to_contain_text("What")


def test_rules_say_which_words_fit_and_the_phrase_what_it_prints(page: Page, workbench: Running) -> None:
    parts = "    - parts:\n        first: pos:NR gender:male\n        last: 先生\n      head: first\n"
    workbench.write(FILE, TEXT + parts)
    open_phrases(page, workbench)
    fits = page.locator(".alternative .words")
    expect(fits).to_have_count(4)
    expect(fits.nth(0)).to_contain_text("2 words fit")
    expect(fits.nth(0)).to_contain_text("张三 · 李梅")
    expect(fits.nth(2)).to_contain_text("1 word fits")
    printed = page.locator(".printed .examples")
    expect(printed).to_contain_text("张三先生")
    found = set((printed.text_content() or "").split(" · "))
    assert found <= {"张三", "李梅", "他", "她", "张三先生"}


def test_a_phrase_in_use_is_deleted_only_after_a_question(page: Page, workbench: Running) -> None:
    workbench.write(FILE, TEXT + "  What:\n    - 饭\n")
    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("who: pos:NR", "who: phrase:Who"))
    open_phrases(page, workbench)
    expect(page.locator(".phrase-users")).to_contain_text("gender")
    delete = page.get_by_role("button", name="Delete Who", exact=True)
    page.wait_for_timeout(600)  # longer than between the clicks of a double click
    delete.click()
    dialog = page.get_by_role("dialog", name="Delete Who")
    expect(dialog).to_contain_text("1 file uses this phrase: gender.")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    delete.click()
    dialog.get_by_role("button", name="Delete").click()
    hands.eventually(page, lambda: "Who" not in workbench.read(FILE))


def test_a_double_click_deletes_one_phrase_only(page: Page, workbench: Running) -> None:
    workbench.write(FILE, TEXT + "  What:\n    - 饭\n  Where:\n    - 家\n")
    open_phrases(page, workbench)
    expect(page.locator(".phrase-users")).to_contain_text("No rule uses this phrase")
    page.wait_for_timeout(600)
    page.get_by_role("button", name="Delete Who", exact=True).dblclick()
    hands.eventually(page, lambda: "Who" not in workbench.read(FILE))
    page.wait_for_timeout(600)
    assert "  What:\n" in workbench.read(FILE)
    expect(page.get_by_text("Who was deleted. Press Ctrl+Z to restore it.")).to_be_visible()
    page.keyboard.press("Control+z")
    hands.saved(page, workbench, FILE, TEXT)


def test_a_name_that_is_half_typed_is_not_half_carried_out(phrases: Page, workbench: Running) -> None:
    """After a reload the phrase has its old name, with which paradigms still call it."""
    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("who: pos:NR", "who: phrase:Who"))
    open_phrases(phrases, workbench)
    phrases.get_by_label("Name", exact=True).fill("Person")
    hands.state(phrases, "Not saved")
    phrases.reload()
    expect(alternative(phrases, 1)).to_be_visible()
    expect(phrases.get_by_label("Name", exact=True)).to_have_value("Who")
    hands.state(phrases, "Saved")
    assert workbench.read(FILE) == TEXT


def test_a_name_waits_until_the_phrases_can_be_written(phrases: Page, workbench: Running) -> None:
    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("who: pos:NR", "who: phrase:Who"))
    open_phrases(phrases, workbench)
    alternative(phrases, 1).click()
    hands.keys(phrases, "Alt+a")
    hands.state(phrases, "Draft")
    name = phrases.get_by_label("Name", exact=True)
    name.fill("Person")
    phrases.keyboard.press("Enter")
    expect(phrases.locator("#phrase-name-refused")).to_contain_text("fix the errors in the phrases first")
    assert "phrase:Who" in workbench.read(PARADIGM)
