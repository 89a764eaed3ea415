"""The same pages in English and in Chinese."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from ..store.small import PARADIGM
from . import hands
from .conftest import Witness
from .running import Running

HAN = re.compile(r"[\u4e00-\u9fff]")


def test_the_language_is_switched_on_the_page_and_stays(page: Page, workbench: Running) -> None:
    html = page.locator("html")
    expect(html).to_have_attribute("lang", "en")
    page.get_by_role("link", name="中文").click()
    expect(html).to_have_attribute("lang", "zh-Hans")
    expect(page.get_by_role("heading", name="句型", exact=True)).to_be_visible()
    page.goto(workbench.at("/lexicon"))
    expect(page.get_by_role("heading", level=1)).to_have_text("词库")
    expect(page.get_by_role("button", name="添加行")).to_be_visible()
    page.get_by_role("link", name="English").click()
    expect(html).to_have_attribute("lang", "en")
    expect(page.get_by_role("button", name="Add row")).to_be_visible()


def test_what_is_wrong_is_said_in_chinese(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("status of 404")
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    hands.open_paradigm(page, workbench, PARADIGM)
    page.get_by_role("textbox", name="who 的规则", exact=True).click()
    hands.keys(page, "End", " gendr:male")
    said = page.locator(".messages .error")
    expect(said).to_contain_text("gendr")
    assert HAN.search(said.inner_text())
    expect(page.locator(".preview")).to_contain_text("1 个错误")
    refused, answer = hands.ask(
        page, "PUT", "/api/projects/none/files/lexicon.tsv", {"text": "", "base": None, "tab": ""}
    )
    assert refused == 404
    assert HAN.search(answer["problems"][0]["text"])


def test_a_browser_gets_the_language_it_asks_for(workbench: Running, someone: Callable[..., Page]) -> None:
    page = someone(locale="zh-CN", storage_state=workbench.session)
    page.goto(workbench.home)
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.get_by_role("heading", level=1)).to_have_text("项目")


def test_sentences_are_marked_as_chinese_on_an_english_page(page: Page, workbench: Running) -> None:
    """A screen reader, and the choice of glyphs, go by the language that the page names."""
    hands.open_paradigm(page, workbench, PARADIGM)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator(".pairs")).to_have_attribute("lang", "zh-Hans")
