"""What hands do at the workbench: keys, an input method, and looking at what the page says."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from .running import SECONDS, Running

KEY = re.compile(r"(Control\+|Shift\+|Alt\+)*(Arrow\w+|Home|End|Enter|Tab|Escape|Delete|Backspace|F\d|[ -~])")
# What a screen reader would say of the element that has the focus, nearly.
FOCUSED = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return "";
    const label = at.getAttribute("aria-label") || (at.labels && at.labels[0] && at.labels[0].textContent);
    return (label || at.textContent || "").trim().replace(/\\s+/g, " ");
}"""


def focused(page: Page) -> str:
    """The name of what the cursor is on."""
    name: str = page.evaluate(FOCUSED)
    return name


def tab_to(page: Page, name: str, *, back: bool = False, most: int = 150) -> None:
    """Press Tab until the cursor is on what is called so."""
    passed = []
    for _ in range(most):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        passed.append(focused(page))
        if passed[-1] == name:
            return
    raise AssertionError(f"Tab never came to {name!r}, but to {passed}")


def follow(page: Page, name: str) -> None:
    """Go to a link with Tab and follow it."""
    tab_to(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def keys(page: Page, *pressed: str) -> None:
    """Press keys by their names, or type texts that are no names."""
    for each in pressed:
        if KEY.fullmatch(each):
            page.keyboard.press(each)
        else:
            page.keyboard.type(each)


def begin_composing(page: Page, spelled: Sequence[str]) -> None:
    """Spell something in an input method, and leave it there."""
    session = page.context.new_cdp_session(page)
    for each in spelled:
        place = {"selectionStart": len(each), "selectionEnd": len(each)}
        session.send("Input.imeSetComposition", {"text": each, **place})
    session.detach()


def compose(page: Page, spelled: Sequence[str], text: str) -> None:
    """Type through an input method: it shows each spelling in turn, and then puts the text in its place."""
    begin_composing(page, spelled)
    session = page.context.new_cdp_session(page)
    session.send("Input.insertText", {"text": text})
    session.detach()


def open_paradigm(page: Page, server: Running, file: str) -> None:
    """Open a paradigm in the editor and wait for its rows and its pairs, which come separately."""
    page.goto(server.at(f"/edit/{file}"))
    expect(page.locator(".about-fields")).to_be_visible()
    expect(pair_lines(page).first).to_be_visible()


def open_lexicon(page: Page, server: Running) -> None:
    page.goto(server.at("/lexicon"))
    expect(page.get_by_role("grid")).to_be_visible()


def rule(page: Page, slot: str) -> Locator:
    """The one-line editor of a slot's rule."""
    return page.get_by_role("textbox", name=f"Rule of {slot}", exact=True)


def item(page: Page, row: int, side: str) -> Locator:
    """The editor of one item of the good or bad line."""
    return page.get_by_role("textbox", name=f"Row {row}, {side}", exact=True)


def pair_lines(page: Page) -> Locator:
    return page.locator(".preview .pairs li")


def pairs(page: Page) -> list[tuple[str, str]]:
    """The pairs that the preview shows."""
    sides = [
        [line.strip() for line in each.locator("p > span:last-child").all_inner_texts()]
        for each in pair_lines(page).all()
    ]
    return [(good, bad) for good, bad in sides]


def state(page: Page, says: str) -> None:
    """Wait until the page says where the text is safe: Saved, Draft, Offline …"""
    expect(page.locator(".state, [data-state]").first).to_contain_text(says)


def eventually(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds that the page does not show."""
    for _ in range(SECONDS * 20):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it never came to hold")


def saved(page: Page, server: Running, file: str, text: str) -> None:
    """Wait until the file on disk has a text, and the page says so."""
    eventually(page, lambda: text in server.read(file))
    state(page, "Saved")


def cell(page: Page, row: int, column: str) -> Locator:
    """A cell of the lexicon's grid; rows count from 1, the heading not counted."""
    number = page.get_by_role("columnheader", name=column, exact=True).get_attribute("aria-colindex")
    return page.locator(f'.grid-body [aria-rowindex="{row + 1}"] [aria-colindex="{number}"]')


def ask(page: Page, method: str, address: str, body: Any = None) -> tuple[int, Any]:
    """What the page itself would get from the API: the status and the answer."""
    question = {"method": method, "address": address, "body": None if body is None else json.dumps(body)}
    answer = page.evaluate(
        """async ({method, address, body}) => {
            const headers = body === null ? {} : {"Content-Type": "application/json"};
            const answer = await fetch(address, {method, body, headers});
            return [answer.status, await answer.text()];
        }""",
        question,
    )
    return answer[0], json.loads(answer[1]) if answer[1] else None


def restart(page: Page, workbench: Running) -> None:
    """Start the server again; its new address lets the browser in, since older sessions have ended."""
    workbench.start()
    page.context.request.get(workbench.address)


def come_back(page: Page) -> None:
    """Turn to a tab again after having been elsewhere: it looks at once whether something happened."""
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")


@contextmanager
def slow(page: Page) -> Iterator[Callable[[], bool]]:
    """Answers to edits come only at the end; whether one is waited for."""
    held: list[Route] = []
    waits = True
    page.route("**/edit", lambda route: held.append(route) if waits else route.continue_())
    yield lambda: bool(held)
    waits = False
    for route in held:
        route.continue_()
