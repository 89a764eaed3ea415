"""Others change a file while somebody types in it: what she types goes where she sees it, and undo is for her own."""

import pytest
from playwright.sync_api import Page, Route, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .conftest import Witness
from .running import Running

PHRASES = "format: 1\nphrases:\n  Above:\n    - 上\n  Who:\n    - pos:NR\n  Below:\n    - 下\n"


def around(text: str) -> str:
    """A paradigm in which another has changed something above the slots, and both lines below them."""
    return text.replace("slots:\n", "source: another's\nslots:\n").replace("喜欢", "批评")


def held(page: Page, call: str) -> None:
    """Answers to a call never come, as on a line that is very slow."""
    waiting: list[Route] = []
    page.route(call, lambda route: waiting.append(route))


def test_a_rule_that_is_typed_before_the_rows_are_read_anew_is_in_its_place(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    held(page, "**/preview")
    workbench.write(PARADIGM, around(TEXTS[PARADIGM]))
    hands.come_back(page)
    expect(page.get_by_text("the new text is shown")).to_be_visible()
    hands.keys(page, "End", " gender:male")
    mine = around(TEXTS[PARADIGM]).replace("  who: pos:NR\n", "  who: pos:NR gender:male\n")
    hands.eventually(page, lambda: workbench.read(PARADIGM) == mine)


def test_a_phrase_that_is_typed_before_the_rows_are_read_anew_is_in_its_place(page: Page, workbench: Running) -> None:
    workbench.write("phrases.yaml", PHRASES)
    page.goto(workbench.at("/phrases#Who"))
    rule = page.get_by_role("textbox", name="Rule of Alternative 1", exact=True)
    expect(rule).to_have_text("pos:NR")
    rule.click()
    held(page, "**/diagnose")
    others = PHRASES.replace("上", "上边").replace("下", "下边")
    workbench.write("phrases.yaml", others)
    hands.come_back(page)
    expect(page.get_by_text("the new text is shown")).to_be_visible()
    hands.keys(page, "End", " gender:male")
    hands.eventually(page, lambda: workbench.read("phrases.yaml") == others.replace("pos:NR\n", "pos:NR gender:male\n"))


def test_a_rule_whose_line_another_wrote_anew_is_typed_without_harm(page: Page, workbench: Running) -> None:
    """Where it stood is gone, so that the server is asked to find its place."""
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    held(page, "**/preview")
    others = TEXTS[PARADIGM].replace("  who: pos:NR\n", "  'who':   'pos:NR gender:male'  # quoted\n")
    workbench.write(PARADIGM, others)
    hands.come_back(page)
    expect(page.get_by_text("the new text is shown")).to_be_visible()
    hands.keys(page, "End", " gender:female")
    hands.eventually(page, lambda: "gender:female" in workbench.read(PARADIGM))
    assert [line for line in workbench.read(PARADIGM).splitlines() if "who'" in line] == [
        "  'who':   pos:NR gender:female  # quoted"
    ]


@pytest.mark.parametrize("view", ["rows", "plain text"])
def test_undo_takes_back_my_own_changes_not_those_of_others(page: Page, workbench: Running, view: str) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:male")
    hands.saved(page, workbench, PARADIGM, "gender:male")
    workbench.write(PARADIGM, around(workbench.read(PARADIGM)))
    hands.come_back(page)
    expect(page.get_by_label("Source", exact=True)).to_have_value("another's")
    if view == "plain text":
        page.keyboard.press("Control+e")
    page.keyboard.press("Control+z")
    hands.eventually(page, lambda: workbench.read(PARADIGM) == around(TEXTS[PARADIGM]))


def test_a_file_keeps_the_ends_of_its_lines(page: Page, workbench: Running) -> None:
    """Written on Windows, typed in here, and renamed: no line is changed that nobody touched."""
    file = workbench.folder / workbench.project / PARADIGM
    file.write_bytes(TEXTS[PARADIGM].replace("\n", "\r\n").encode())
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:male")
    page.get_by_label("Source", exact=True).fill("a book")
    hands.saved(page, workbench, PARADIGM, "source: a book")
    page.get_by_role("button", name="Rename…").click()
    page.get_by_label("uid").fill("sex")
    with page.expect_navigation():
        page.get_by_role("button", name="Rename", exact=True).click()
    text = file.with_name("sex.yaml").read_bytes().decode()
    assert text.count("\r\n") == text.count("\n") == TEXTS[PARADIGM].count("\n") + 1
    assert "uid: sex\r\n" in text
    assert "  who: pos:NR gender:male\r\n" in text


def test_a_conflict_that_settled_itself_leaves_no_dialog_for_the_next(
    page: Page, workbench: Running, witness: Witness
) -> None:
    """A dialog that opens by itself takes the cursor away in the middle of a word."""
    witness.forgive("status of 409")
    hands.open_paradigm(page, workbench, PARADIGM)
    rule = hands.rule(page, "who")
    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("pos:NR\n", "pos:NR gender:male\n"))
    rule.click()
    hands.keys(page, "End", " gender:female")
    hands.state(page, "Conflict")
    hands.keys(page, *["Backspace"] * len("female"), "male")  # after all
    page.get_by_role("button", name="Compare and merge…").click()
    hands.state(page, "Saved")
    expect(page.get_by_role("dialog")).to_have_count(0)

    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("pos:NR\n", "pos:PN\n"))
    rule.click()
    hands.keys(page, "End", *["Backspace"] * len("male"), "female")
    hands.state(page, "Conflict")
    page.wait_for_timeout(500)
    expect(page.get_by_role("dialog")).to_have_count(0)
