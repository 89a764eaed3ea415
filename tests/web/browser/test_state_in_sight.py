"""Where the text is safe can be seen wherever one is in the file, and says what it means."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from ..store.small import PARADIGM
from . import hands
from .running import Running

UNUSED = "".join(f"  more{n}: pos:NR\n" for n in range(30))


@pytest.fixture
def long(page: Page, workbench: Running) -> Page:
    """A paradigm that is longer than the screen."""
    workbench.write(PARADIGM, workbench.read(PARADIGM).replace("good:", f"{UNUSED}good:"))
    page.goto(workbench.at(f"/edit/{PARADIGM}"))
    expect(hands.rule(page, "more29")).to_be_attached()
    return page


def test_the_state_stays_in_sight(long: Page) -> None:
    hands.rule(long, "more29").click()
    long.keyboard.type(" gender:male")
    expect(long.locator(".saving-state .state")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("key", ["Shift+Tab", "ArrowUp"])
def test_what_has_the_focus_is_not_under_the_head(long: Page, key: str) -> None:
    hands.rule(long, "more29").click()
    for _ in range(32):
        long.keyboard.press(key)
        covered = long.evaluate(
            """() => {
                const head = document.querySelector(".file-head"), at = document.activeElement;
                if (head.contains(at)) return false;
                return at.getBoundingClientRect().top < head.getBoundingClientRect().bottom - 1;
            }"""
        )
        assert not covered, hands.focused(long)


@pytest.mark.parametrize(("width", "height"), [(320, 640), (320, 256)])
def test_a_small_screen_is_left_to_the_text(long: Page, width: int, height: int) -> None:
    """Also where everything is four times as large, and the screen has room for little."""
    long.set_viewport_size({"width": width, "height": height})
    hands.rule(long, "more29").click()
    expect(long.locator(".saving-state .state")).not_to_be_in_viewport()
    assert long.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_draft_says_that_the_file_has_another_text(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:")
    hands.state(page, "Draft")
    expect(page.locator(".saving-state")).to_contain_text(
        "The file still contains the previous text: this text is written once its 1 error"
    )


def test_a_draft_says_so_in_chinese(someone: Callable[..., Page], workbench: Running) -> None:
    page = someone(storage_state=workbench.session, locale="zh-CN")
    page.goto(workbench.home)
    page.goto(workbench.at(f"/edit/{PARADIGM}?lang=zh"))
    rule = page.get_by_role("textbox", name="who 的规则", exact=True)
    rule.click()
    hands.keys(page, "End", " gender:")
    hands.state(page, "草稿")
    expect(page.locator(".saving-state")).to_contain_text("文件中仍是原来的文本：改正 1 个错误后才会写入")
