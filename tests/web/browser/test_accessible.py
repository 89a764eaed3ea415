"""No page has a fault that axe can find, in either language, on a light or a dark screen."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import bidui
from bidui.grammar.project import new_project

from . import hands
from .conftest import Witness
from .running import Running

AXE = Path(__file__).parents[3] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async (rules) => {
    const only = rules.length ? {runOnly: {type: "rule", values: rules}} : {};
    const found = await axe.run(document, {resultTypes: ["violations"], ...only});
    return found.violations.flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.target.join(" ")}`));
}"""
WRITTEN = "paradigms/anaphor/anaphor_gender_agreement.yaml"
WORDINGS = "paradigms/question/question_A_not_A_ma.yaml"
DELETED = "paradigms/BA/BA_bare_verb.yaml"
PASSWORD = "correct horse battery"

Faults = dict[str, list[str]]

needs_axe = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (in frontend: npm ci)")
languages = pytest.mark.parametrize("lang", ["en", "zh"])


def look(page: Page, name: str, faults: Faults) -> None:
    """What axe finds on the page as it is. Its policy stays in force: the script comes in as a debugger's does."""
    page.evaluate(AXE.read_text("utf-8"))
    for scheme, rules in (("light", []), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        if found := page.evaluate(RUN, rules):
            faults[f"{name}, {scheme}"] = found


def look_at(page: Page, address: str, ready: str, faults: Faults) -> None:
    page.goto(address)
    expect(page.locator(ready).first).to_be_visible()
    look(page, address.partition("//")[2].partition("/")[2], faults)


def look_into_dialogs(page: Page, faults: Faults) -> None:
    """Every dialog that a button of the page opens."""
    names = page.locator("button[data-open]:visible").evaluate_all("(all) => all.map((each) => each.dataset.open)")
    for name in dict.fromkeys(names):
        page.locator(f'button[data-open="{name}"]:visible').first.click()
        expect(page.locator(f"#{name}")).to_be_visible()
        look(page, f"dialog {name}", faults)
        page.keyboard.press("Escape")
        expect(page.locator(f"#{name}")).to_be_hidden()


@needs_axe
@languages
def test_the_pages_of_a_project(
    lang: str, folder: Path, serve: Callable[..., Running], someone: Callable[..., Page], witness: Witness
) -> None:
    for name in ("one", "gone"):
        new_project(folder / name, lang="zh")
    bidui.score(folder / "one", out=folder / "one" / "results", n=2)
    server = serve("--lang", lang)
    page = someone()
    page.goto(server.address)
    opened = hands.ask(page, "GET", f"/api/projects/one/files/{DELETED}")[1]
    assert hands.ask(page, "DELETE", f"/api/projects/one/files/{DELETED}?base={opened['revision']}")[0] == 200
    assert hands.ask(page, "DELETE", "/api/projects/gone")[0] == 204
    faults: Faults = {}
    one = f"{server.home}/p/one"
    look_at(page, f"{server.home}/", "table.list", faults)
    look_into_dialogs(page, faults)
    look_at(page, one, "#paradigms", faults)
    look_into_dialogs(page, faults)
    look_at(page, f"{one}/pairs?n=20", ".pair-group", faults)
    look_into_dialogs(page, faults)
    look_at(page, f"{one}/edit/{WORDINGS}", ".pairs li", faults)
    look_at(page, f"{one}/edit/{WRITTEN}", ".pairs li", faults)
    page.locator(".slots .cm-content").nth(2).click()
    hands.keys(page, "End", " gendr:male")
    expect(page.locator(".underlined.error")).to_be_visible()
    look(page, "a paradigm with an error", faults)
    page.keyboard.press("Control+e")
    expect(page.locator(".plain-text")).to_be_visible()
    look(page, "a paradigm as plain text", faults)
    hands.eventually(page, lambda: "gendr" in server.read(WRITTEN, "one"))
    look_at(page, f"{one}/history/{WRITTEN}", "table.list", faults)
    page.locator("#compare button").click()
    expect(page.locator(".difference")).to_be_visible()
    look(page, "a difference", faults)
    look_at(page, f"{one}/edit/project.yaml", ".cm-content", faults)
    look_at(page, f"{one}/lexicon", ".grid-row", faults)
    look_at(page, f"{one}/phrases", ".alternative", faults)
    look_at(page, f"{one}/deleted", "table.list", faults)
    look_at(page, f"{one}/results", "table.plot", faults)
    look_into_dialogs(page, faults)
    page.locator("table.plot a").first.click()
    expect(page.locator("table.list")).to_be_visible()
    look(page, "the pairs of a paradigm", faults)
    page.locator("table.list a").first.click()
    expect(page.locator(".tokens").first).to_be_visible()
    look(page, "the tokens of a pair", faults)
    look_at(page, f"{one}/history", "table.list", faults)
    assert hands.ask(page, "POST", "/api/projects/one/tables", {"name": "acts", "columns": "verb object"})[0] == 201
    look_at(page, f"{one}/tables", "table.list", faults)
    look_into_dialogs(page, faults)
    look_at(page, f"{one}/tables/relations/acts.tsv", ".grid-row", faults)
    witness.forgive("status of 400")  # the paradigm has an error now
    look_at(page, f"{one}/pairs?n=20", ".notice.bad", faults)
    look_at(page, f"{server.home}/bin", "table.list", faults)
    witness.forgive("status of 404")
    look_at(page, f"{server.home}/p/none", "main", faults)
    assert faults == {}


@needs_axe
@languages
def test_the_pages_of_a_team(
    lang: str, folder: Path, serve: Callable[..., Running], someone: Callable[..., Page]
) -> None:
    new_project(folder / "one", lang="zh")
    server = serve("--team", "--owner", "Li", "--lang", lang)
    page, guest = someone(), someone()
    faults: Faults = {}
    look_at(page, f"{server.home}/login", "#password", faults)
    look_at(page, server.address, "#password", faults)
    page.locator("#password").fill(PASSWORD)
    page.locator("form.panel button").click()
    expect(page.locator(".who")).to_have_text("Li")
    invited = hands.ask(page, "POST", "/api/team/invitations", {"role": "viewer"})[1]["address"]
    look_at(page, f"{server.home}/team", "table.list", faults)
    look_at(page, f"{server.home}/p/one/team", "table.list", faults)
    look_at(guest, invited, "#password", faults)
    guest.locator("#name").fill("Zhao")
    guest.locator("#password").fill(PASSWORD)
    guest.locator("form.panel button").click()
    expect(guest.locator(".who")).to_have_text("Zhao")
    look_at(guest, f"{server.home}/p/one/edit/{WRITTEN}", ".pairs li", faults)
    look_at(guest, f"{server.home}/p/one/lexicon", ".grid-row", faults)
    look_at(guest, f"{server.home}/p/one/phrases", ".alternative", faults)
    look_at(guest, f"{server.home}/p/one/tables", "main", faults)
    look_at(guest, f"{server.home}/p/one/history", "table.list", faults)
    assert faults == {}
