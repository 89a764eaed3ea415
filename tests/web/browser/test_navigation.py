"""The pages of a project, by its navigation: tables are filled, pairs are looked at, and the history tells of it."""

from playwright.sync_api import Page, expect

from ..store.small import PARADIGM
from . import hands
from .conftest import Witness
from .running import Running

GROUPS = [["Paradigms", "Lexicon", "Phrases", "Tables"], ["Pairs", "Results", "Studies"], ["History"]]
READ = """(nav) => [...nav.querySelectorAll("ul")].map(
    (list) => [...list.querySelectorAll("a")].map((link) => link.textContent))"""
# How many lines links take: the tops of their boxes, without doubles.
LINES = """(nav) => new Set(
    [...nav.querySelectorAll("a")].map((link) => Math.round(link.getBoundingClientRect().top))).size"""


def test_the_navigation_leads_to_every_page_of_a_project(page: Page, workbench: Running) -> None:
    """Results is another page's business; all others are visited, by the keyboard where one would use it."""
    nav = page.get_by_role("navigation", name="This project")
    assert nav.evaluate(READ) == GROUPS
    expect(page.locator(".project-name")).to_have_text(workbench.project)
    for name, address in (
        ("Lexicon", "/lexicon"),
        ("Phrases", "/phrases"),
        ("Tables", "/tables"),
        ("Pairs", "/pairs"),
        ("Studies", "/studies"),
        ("History", "/history"),
        ("Paradigms", ""),
    ):
        nav.get_by_role("link", name=name, exact=True).focus()
        page.keyboard.press("Enter")
        page.wait_for_url(workbench.at(address))
        expect(nav.locator("[aria-current=page]")).to_have_text(name)
    hands.open_paradigm(page, workbench, PARADIGM)
    expect(nav.locator("[aria-current=true]")).to_have_text("Paradigms")
    assert nav.evaluate(LINES) == 1
    for language in ("中文", "English"):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.get_by_role("link", name=language).click()
        expect(page.get_by_role("link", name="English" if language == "中文" else "中文")).to_be_visible()
        page.set_viewport_size({"width": 360, "height": 800})
        assert page.locator(".sections").evaluate(LINES) == 2  # words and sentences, then what comes of them
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_table_is_made_filled_and_found_in_the_history(page: Page, workbench: Running) -> None:
    """The grid of the lexicon with another file: a new relation, two rows, a cell changed, a row deleted."""
    page.goto(workbench.at("/tables"))
    expect(page.get_by_text("This project has no tables yet.")).to_be_visible()
    page.get_by_role("button", name="New table").click()
    page.get_by_label("Name", exact=True).fill("loves")
    page.get_by_label("Columns", exact=True).fill("who right")
    page.get_by_role("button", name="Create table").click()
    page.wait_for_url(workbench.at("/tables/relations/loves.tsv"))
    page.get_by_role("button", name="Add row").click()
    hands.keys(page, "张三", "Tab", "他", "Enter", "李梅", "Tab", "她", "Enter")
    hands.saved(page, workbench, "relations/loves.tsv", "她")
    assert workbench.read("relations/loves.tsv") == "who\tright\n张三\t他\n李梅\t她\n"
    hands.keys(page, "ArrowUp", "ArrowRight", "她/他", "Enter", "赵六", "Tab", "她", "Enter")
    hands.saved(page, workbench, "relations/loves.tsv", "赵六")
    expect(page.locator(".problems")).to_contain_text("赵六")  # no word of the lexicon
    page.locator(".problems button").first.click()
    expect(page.locator(".whole-row dd").first).to_have_text("赵六")
    page.get_by_role("button", name="Delete rows").click()
    expect(page.locator(".lexicon-side .badge.good")).to_be_visible()
    hands.state(page, "Saved")
    assert workbench.read("relations/loves.tsv") == "who\tright\n张三\t他\n李梅\t她/他\n"
    page.get_by_label("Search", exact=True).fill("right:他")
    expect(page.locator(".shown")).to_have_text("2 of 2 rows")

    page.get_by_role("navigation", name="This project").get_by_role("link", name="Tables").click()
    row = page.get_by_role("row").filter(has_text="loves")
    expect(row).to_contain_text("who · right")
    expect(row).to_contain_text("no paradigm")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("This project has no tables yet.")).to_be_visible()

    page.get_by_role("navigation", name="This project").get_by_role("link", name="History").click()
    changes = page.get_by_role("row").filter(has_text="relations/loves.tsv")
    expect(changes.first).to_contain_text("deleted")
    expect(changes.last).to_contain_text("created")
    changes.nth(1).get_by_role("link", name="Changes of revision").click()
    expect(page.locator(".difference")).to_contain_text("赵六")
    page.go_back()
    page.get_by_role("link", name="Deleted files").click()
    page.get_by_role("button", name="Restore relations/loves.tsv").click()
    expect(page.locator("main .notice.good")).to_have_text("relations/loves.tsv was restored.")


def test_edits_of_a_table_that_a_closed_tab_left_are_made_on_its_own_page(
    page: Page, workbench: Running, witness: Witness
) -> None:
    """The lexicon's page must neither make them nor say that their file is gone."""
    witness.forgive("ERR_FAILED")
    (workbench.folder / workbench.project / "relations").mkdir()
    workbench.write("relations/loves.tsv", "who\tright\n张三\t他\n")
    page.goto(workbench.at("/tables/relations/loves.tsv"))
    expect(page.locator(".grid-row").nth(1)).to_be_visible()
    page.route("**/api/projects/*/tables/**", lambda route: route.abort())
    page.get_by_role("button", name="Add row").click()
    hands.keys(page, "李梅", "Tab", "她", "Enter")
    expect(page.locator("[data-state=offline]")).to_be_visible()
    other = page.context.new_page()
    page.close()
    other.goto(workbench.at("/lexicon"))
    expect(other.locator(".grid-row").nth(1)).to_be_visible()
    expect(other.locator(".notice.bad")).to_have_count(0)
    other.goto(workbench.at("/tables/relations/loves.tsv"))
    hands.saved(other, workbench, "relations/loves.tsv", "李梅")
    assert workbench.read("relations/loves.tsv") == "who\tright\n张三\t他\n李梅\t她\n"


def test_pairs_are_looked_at_without_a_download(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("status of 400")
    page.get_by_role("link", name="Pairs of gender").click()
    page.wait_for_url(workbench.at("/pairs?uid=gender"))
    pairs = page.locator(".pair-group li")
    expect(pairs).to_have_count(2)
    expect(page.locator(".pager p").first).to_have_text("Pairs 1–2 of 2")
    expect(page.locator(".notice.warn")).to_contain_text("2 of 300.")
    marks = pairs.filter(has_text="张三").locator("mark")
    assert marks.all_inner_texts() == ["他", "她"]
    page.get_by_label("Search").fill("李梅")
    expect(pairs).to_have_count(1)
    page.wait_for_url("**text=*")
    page.get_by_label("Pairs per paradigm").first.fill("1")
    page.get_by_label("Search").fill("")
    expect(page.locator(".notice.warn")).to_have_count(0)
    expect(pairs).to_have_count(1)
    page.locator(".pair-group h2 a").click()
    expect(hands.pair_lines(page)).to_have_count(2)
    page.go_back()
    expect(page.get_by_label("Pairs per paradigm").first).to_have_value("1")
    workbench.write(PARADIGM, workbench.read(PARADIGM).replace("pos:NR", "pos:NRR"))
    page.reload()
    expect(page.get_by_role("alert").get_by_role("link", name=PARADIGM)).to_be_visible()
