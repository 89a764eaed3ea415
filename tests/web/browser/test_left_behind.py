"""Edits of the lexicon that a tab left behind are found by another, also by one that was open all the time."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..store.small import TEXTS, write_small
from . import hands
from .conftest import KILLED, Witness
from .running import Running
from .test_team import PASSWORD, invitation, join

WORDS = TEXTS["lexicon.tsv"]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # a server of its own, since it stops
def test_a_tab_that_is_open_takes_over_what_another_left(
    page: Page, workbench: Running, witness: Witness, database: str | None
) -> None:
    witness.forgive(KILLED)
    hands.open_lexicon(page, workbench)
    other = page.context.new_page()
    hands.open_lexicon(other, workbench)
    workbench.kill()
    hands.tab_to(other, "张三, expression")
    hands.keys(other, "Control+ArrowDown", "王五", "Tab", "NR", "Tab", "male", "Enter")
    hands.state(other, "does not respond")
    other.close(run_before_unload=False)
    hands.restart(page, workbench)
    hands.come_back(page)
    expect(hands.cell(page, 5, "expression")).to_have_text("王五")
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS + "王五\tNR\tmale\n")


def test_a_tab_that_lives_keeps_its_own(page: Page, workbench: Running) -> None:
    """A row without an expression is held back in its tab until it is whole; another tab must not send it, too."""
    hands.open_lexicon(page, workbench)
    hands.tab_to(page, "张三, expression")
    hands.keys(page, "Control+ArrowDown", "ArrowRight", "NR", "Tab")
    hands.state(page, "Not saved: errors")
    other = page.context.new_page()
    hands.open_lexicon(other, workbench)
    hands.come_back(other)
    hands.state(other, "Saved")
    expect(other.locator(".lexicon-tools")).to_contain_text("4 words")
    page.bring_to_front()
    hands.keys(page, "Home", "王五", "Enter")
    hands.eventually(page, lambda: workbench.read("lexicon.tsv") == WORDS + "王五\tNR\n")


def test_a_viewer_changes_neither_words_nor_phrases(
    folder: Path, serve: Callable[..., Running], someone: Callable[..., Page]
) -> None:
    write_small(folder / "small")
    (folder / "small" / "phrases.yaml").write_text("format: 1\nphrases:\n  Who:\n    - pos:NR\n    - pos:PN\n", "utf-8")
    server = serve("--team", "--owner", "Li")
    owner, viewer = someone(), someone()
    owner.goto(server.address)
    owner.get_by_role("textbox", name="New password").fill(PASSWORD)
    owner.get_by_role("button", name="Set the password").click()
    expect(owner.locator(".who")).to_have_text("Li")
    owner.goto(f"{server.home}/team")
    join(viewer, invitation(owner, "viewer"), "Zhao")
    asked: list[str] = []
    viewer.on("request", lambda request: asked.append(request.url) if request.method != "GET" else None)

    hands.open_lexicon(viewer, server)
    hands.cell(viewer, 1, "expression").click()
    hands.keys(viewer, "x", "F2", "y", "Delete", "Control+Delete", "Control+Enter", "Control+z", "Home")
    expect(hands.cell(viewer, 5, "expression")).to_have_count(0)
    viewer.goto(server.at("/phrases"))
    rule = viewer.get_by_role("textbox", name="Rule of Alternative 1", exact=True)
    rule.click()
    hands.keys(viewer, "x", "Alt+Delete", "Alt+ArrowDown", "Alt+a")
    expect(rule).to_have_text("pos:NR")
    expect(viewer.locator("#phrases button")).to_have_text(["Plain text"])
    assert not [
        url
        for url in asked
        if url.rpartition("/")[2] in {"edit", "lexicon.tsv", "phrases.yaml"} and "presence" not in url
    ]
    assert server.read("lexicon.tsv") == WORDS
