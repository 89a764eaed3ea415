"""From an empty workspace to 300 exported pairs, with nothing but a keyboard."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from . import hands
from .running import Running, generated

MEN = [f"{name}先生" for name in "王李张刘陈杨赵黄周吴"]
WOMEN = [f"{name}女士" for name in "徐孙胡朱高林何郭马罗"]
VERBS = re.findall("..", "喜欢讨厌批评表扬相信怀疑责怪鼓励了解佩服埋怨介绍保护安慰欣赏")
WORDS = [(word, "NR", "male") for word in MEN] + [(word, "NR", "female") for word in WOMEN]
WORDS += [("他", "PN", "male"), ("她", "PN", "female")]
PRONOUNS = {"male": "他", "female": "她"}
RULES = {
    "name": "pos:NR",
    "verb": " ".join(VERBS),
    "right": "pos:PN mPos:name mPro:gender",
    "wrong": "pos:PN mmPos:name mmPro:gender",
}


def test_from_empty_to_300_pairs(
    serve: Callable[..., Running], someone: Callable[..., Page], folder: Path, tmp_path: Path
) -> None:
    """A linguist who has never programmed writes a contrast; people who cannot use a mouse must be able to, too."""
    server = serve()
    page = someone()
    page.goto(server.address)
    new_project(page, "mine")
    remove_starter(page)
    write_words(page)
    hands.follow(page, "Paradigms")
    new_paradigm(page, "anaphor_gender_agreement", "anaphor")
    write_contrast(page)
    expect(page.locator(".preview")).to_contain_text("300 distinct pairs")
    hands.state(page, "Saved")
    hands.tab_to(page, "Download pairs")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "anaphor_gender_agreement.jsonl"
    exported = Path(download.value.path()).read_bytes()

    found = [json.loads(line) for line in exported.decode().splitlines()]
    by_hand = {
        (f"{word}{verb}{PRONOUNS[gender]}自己。", f"{word}{verb}{PRONOUNS[other]}自己。")
        for word, pos, gender in WORDS
        if pos == "NR"
        for verb in VERBS
        for other in {"male", "female"} - {gender}
    }
    assert len(found) == 300
    assert {(pair["sentence_good"], pair["sentence_bad"]) for pair in found} == by_hand
    written = generated(folder / "mine", tmp_path / "pairs", "-n", "300", "--seed", "0")
    assert exported == (written / "anaphor_gender_agreement.jsonl").read_bytes()


def new_project(page: Page, name: str) -> None:
    page.keyboard.press("n")
    page.keyboard.type(name)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def remove_starter(page: Page) -> None:
    """A new project comes with a few paradigms and words to learn from: away with them."""
    rows = page.locator("#paradigms tbody tr")
    while left := rows.count():
        uid = rows.first.get_by_role("link").first.inner_text()
        hands.tab_to(page, f"More for {uid}")
        page.keyboard.press("Enter")
        hands.tab_to(page, "Delete …")
        page.keyboard.press("Enter")
        hands.tab_to(page, "Delete")
        page.keyboard.press("Enter")
        expect(rows).to_have_count(left - 1)
    hands.follow(page, "Lexicon")
    hands.tab_to(page, "王先生, expression")
    hands.keys(page, "Control+a", "Control+Delete")
    expect(page.locator(".lexicon-tools")).to_contain_text("0 words")


def write_words(page: Page) -> None:
    """Word after word into the grid: Tab goes to the next column, Enter to the next row."""
    for word, pos, gender in WORDS:
        hands.keys(page, "Home", word, "Tab", pos, "Tab", "Tab", gender, "Enter")
    hands.state(page, "Saved")
    expect(page.locator(".lexicon-tools")).to_contain_text("22 words")


def new_paradigm(page: Page, uid: str, phenomenon: str) -> None:
    page.keyboard.press("n")
    hands.keys(page, uid, "Tab", phenomenon)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(uid)


def write_contrast(page: Page) -> None:
    """Four slots with their rules, the good line, and what the bad line has instead."""
    remove_example(page)
    hands.tab_to(page, "Name of a new slot")
    for name, text in RULES.items():
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(hands.rule(page, name)).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    hands.tab_to(page, "New item, good")
    for number, word in enumerate(["name", "verb", "right", "自己", "。"], start=1):
        page.keyboard.type(word)
        expect(hands.item(page, number, "good")).to_have_text(word)
        page.keyboard.press(" ")
    hands.tab_to(page, "Row 3, bad", back=True)
    page.keyboard.type("wrong")


def remove_example(page: Page) -> None:
    """A new paradigm is a small whole one: away with its rows, and with its slots."""
    for kind, first in ((".line-rows .item:not(.new)", "Row 1, good"), (".slots tr:not(.new)", "Rule of word")):
        rows = page.locator(f"{kind} .cm-content").locator("xpath=ancestor::tr")
        expect(rows.first).to_be_visible()
        hands.tab_to(page, first)
        while left := rows.count():
            page.keyboard.press("Alt+Delete")
            expect(rows).not_to_have_count(left)
