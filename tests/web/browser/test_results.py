"""A linguist scores a project, reads the accuracy off the page, and looks closer, without leaving the browser."""

from pathlib import Path

from playwright.sync_api import Page, expect

import bidui

from . import hands
from .conftest import Witness
from .running import Running
from .test_accessible import Faults
from .test_study import post
from .test_study_desk import look_wide_and_narrow


def ended(page: Page) -> None:
    """Wait until no run waits or is at work; the page reloads when one has ended."""
    expect(page.locator('[data-state="waiting"], [data-state="running"]')).to_have_count(0)
    expect(page.locator('[data-state="failed"]')).to_have_count(0)


def accuracy_of(folder: Path, link: str) -> str:
    """What the command prints for the shipped model."""
    estimate = bidui.compare(folder, links=link, by="phenomenon").estimates["zh-14m-char"][-1]
    assert estimate is not None
    return f"{100 * estimate.value:.1f}%"


def test_from_an_empty_page_to_the_report(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("favicon.ico")  # the page of a report has no picture
    faults: Faults = {}
    page.goto(workbench.at("/results"))
    expect(page.get_by_text("No model has been scored yet.")).to_be_visible()
    look_wide_and_narrow(page, "no results", faults)
    page.get_by_label("Pairs per paradigm").fill("2")
    page.get_by_role("button", name="Score", exact=True).click()
    expect(page.locator("#runs li")).to_contain_text("bidui:zh-14m-char")
    page.reload()  # the run continues without the page
    expect(page.locator("table.plot").first).to_be_visible()
    ended(page)
    results = workbench.folder / workbench.project / "results"
    everything = page.locator("tfoot tr").first
    expect(everything).to_contain_text(accuracy_of(results, "slln:0.5"))
    page.get_by_label("Linking function", exact=True).select_option("mean_lp")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page).to_have_url(f"{workbench.at('/results')}?link=mean_lp&alpha=0.5")
    expect(everything).to_contain_text(accuracy_of(results, "mean_lp"))
    page.get_by_text("By linking function").click()
    look_wide_and_narrow(page, "results", faults)
    page.get_by_role("link", name="gender").click()
    expect(page.locator("main tbody tr")).to_have_count(2)
    look_wide_and_narrow(page, "pairs", faults)
    page.get_by_role("link", name="Tokens of pair 0").click()
    shown = bidui.show(results, "gender/0").sides()["zh-14m-char"]["good"]
    expect(page.locator(".tokens").first.locator(".token")).to_have_text(shown["tokens"])  # type: ignore[arg-type]
    expect(page.locator(".side").first).to_contain_text(f"{shown['sum']:.2f} bits")
    look_wide_and_narrow(page, "tokens", faults)
    page.goto(workbench.at("/results"))
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("link", name="Full report")).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Full report").click()
    expect(opened.value.locator("h1")).to_contain_text("Report")
    figures = opened.value.locator("figure img")
    hands.eventually(opened.value, lambda: bool(figures.first.evaluate("(image) => image.naturalWidth > 0")))
    page.reload()
    page.get_by_role("button", name="Delete the scores of zh-14m-char").click()
    page.locator("#delete-scores").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No model has been scored yet.")).to_be_visible()
    assert faults == {}


def test_a_model_on_the_pairs_of_a_study_is_beside_its_people(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("favicon.ico")  # the page of a report has no picture
    faults: Faults = {}
    design = {"name": "custom", "per_paradigm": 2, "lists": 2, "raters": 1, "catch": 0, "practice": 0}
    plan = {"name": "first", "design": design, "uids": ["gender"]}
    here = f"/api/projects/{workbench.project}/studies"
    number = hands.ask(page, "POST", here, plan)[1]["id"]
    hands.ask(page, "POST", f"{here}/{number}/state", {"state": "open"})
    study = hands.ask(page, "GET", f"{here}/{number}")[1]
    for _ in range(2):  # each of the two lists has one pair
        body = {"version": study["version"], "language": "zh"}
        joined = post(f"{workbench.home}/api{study['address']}/join", body)
        given = {"position": 1, "answer": 1, "rt_ms": 1500, "layout": "rows", "language": "zh"}
        post(f"{workbench.home}/api/s/answers", {"answers": [given]}, joined["token"])
    page.goto(workbench.at(f"/studies/{number}/results"))
    page.get_by_role("button", name="Score the pairs of this study with a model").click()
    expect(page.locator(".legend li")).to_have_count(2)
    ended(page)
    folder = workbench.folder / workbench.project / "results" / f"study-{number}"
    legend = page.locator(".legend li").nth(1)
    expect(legend).to_contain_text("zh-14m-char slln:0.5")
    expect(legend).to_contain_text(accuracy_of(folder, "slln:0.5"))  # people judged both pairs
    page.get_by_label("Scored already on these pairs:").select_option(f"study-{number}/zh-14m-char")
    page.locator("#stored-link").select_option("lp")
    page.get_by_role("button", name="Show beside humans").click()
    expect(page.locator(".legend li")).to_have_count(3)
    page.goto(workbench.at("/results"))
    page.get_by_label("Include the people of").select_option("first")
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("link", name="Report with first")).to_be_visible()
    ended(page)
    with page.context.expect_page() as report:
        page.get_by_role("link", name="Report with first").click()
    expect(report.value.locator("h1")).to_contain_text("Report")
    expect(report.value.locator("body")).to_contain_text("the people of the study first")
    look_wide_and_narrow(page, "results with a study", faults)
    assert faults == {}
