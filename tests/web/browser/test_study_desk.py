"""The researcher's path: a study is designed, tried, opened, watched while somebody answers, and read."""

import json

from playwright.sync_api import Page, expect

from . import hands
from .conftest import Witness
from .running import Running
from .test_accessible import AXE, Faults, look
from .test_study import post

GOOD = ("张三喜欢他自己", "李梅喜欢她自己")


def look_wide_and_narrow(page: Page, name: str, faults: Faults) -> None:
    """What axe finds, and whether the page is wider than a small phone."""
    if AXE.exists():
        look(page, name, faults)
    page.set_viewport_size({"width": 360, "height": 700})
    if too_wide := page.evaluate("document.documentElement.scrollWidth - innerWidth"):
        faults[f"{name}, 360 pixels"] = [f"{too_wide} pixels too wide"]
    page.set_viewport_size({"width": 1280, "height": 800})


def show_three_models(page: Page) -> None:
    """Upload the scores of three models; their figures fit into the tables without scrolling sideways."""
    address = f"{page.url.replace('/p/', '/api/projects/').removesuffix('/results')}/export?format=pairs"
    pairs = page.evaluate("async (address) => (await fetch(address)).text()", address).splitlines()
    rows = "".join(json.dumps({**json.loads(pair), "correct": 1}) + "\n" for pair in pairs)
    for name in ("small-model-of-ours", "another-model-0.5B", "the-third"):
        file = {"name": f"{name}.jsonl", "mimeType": "application/jsonl", "buffer": rows.encode()}
        page.get_by_label("Add a model:").set_input_files([file])  # type: ignore[list-item]
        page.get_by_role("button", name="Upload scores").click()
        expect(page.get_by_role("button", name=f"Remove {name}")).to_be_visible()
    expect(page.get_by_role("row", name="gender").locator(".lanes li")).to_have_count(4)
    boxes = "[...document.querySelectorAll('.scroll')].map((box) => box.scrollWidth - box.clientWidth)"
    assert max(page.evaluate(boxes)) == 0


def test_from_a_new_study_to_its_results(page: Page, workbench: Running, witness: Witness) -> None:
    witness.forgive("status of 400")  # a decision without a reason
    faults: Faults = {}
    page.goto(workbench.at("/studies"))
    page.get_by_role("link", name="New study").click()
    screen = page.locator(".screen")
    expect(screen.locator("li")).to_have_count(2)  # a pair of the project
    page.get_by_label("Catch trials", exact=True).fill("50")
    expect(page.locator("#check")).to_contain_text("50 catch trials do not fit")  # beside the button that is disabled
    expect(page.get_by_role("button", name="Draw the pairs and save")).to_be_disabled()
    # The preset is for benchmarks: the one paradigm here has two pairs.
    for label, value in (
        ("Pairs per paradigm", 2),
        ("Catch trials", 0),
        ("Practice items", 0),
        ("Lists of choices", 2),
        ("Lists of ratings", 0),
        ("People per list", 3),
    ):
        page.get_by_label(label, exact=True).fill(str(value))
    expect(page.get_by_role("radio", name="Your own")).to_be_checked()
    expect(page.locator(".cost")).to_contain_text("6 people × 1 min (1 trials)")
    page.locator("summary", has_text="Texts for participants").click()
    page.get_by_label("Question of a choice (English)").fill("Which one would you say?")
    page.get_by_role("group", name="Language of the preview").get_by_role("button", name="English").click()
    expect(screen).to_contain_text("Which one would you say?")
    page.get_by_label("Name of the study").fill("first")
    look_wide_and_narrow(page, "new study", faults)
    page.reload()  # what was chosen is still there
    expect(page.get_by_label("Name of the study")).to_have_value("first")
    page.get_by_role("button", name="Draw the pairs and save").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("first draft")
    look_wide_and_narrow(page, "draft", faults)

    with page.expect_popup() as popup:
        page.get_by_role("link", name="Try it as a participant").click()
    tried = popup.value
    tried.get_by_role("button", name="I agree and take part").click()
    for button in ("Continue", "Start"):
        tried.get_by_role("button", name=button).click()
    expect(tried.get_by_text("Which one would you say?")).to_be_visible()
    tried.close()

    page.get_by_role("button", name="Open", exact=True).click()
    page.locator("#open-study").get_by_role("button", name="Open", exact=True).click()
    link = page.locator("#link")
    expect(link).to_be_visible()
    address = link.input_value()
    assert address.startswith(f"{workbench.home}/s/")
    finished = page.locator("#live dd").first
    expect(finished).to_have_text("0 / 6")
    version = hands.ask(page, "GET", page.locator("link[rel=alternate]").get_attribute("href") or "")[1]["version"]
    study = f"{workbench.home}/api/s/{address.rpartition('/')[2]}"
    for _ in range(2):
        joined = post(f"{study}/join", {"version": version, "language": "zh"})
        sentences = joined["seat"]["trials"][0]["sentences"]
        good = sentences.index(next(each for each in sentences if each in GOOD)) + 1
        given = {"position": 1, "answer": good, "rt_ms": 1500, "layout": "rows", "language": "zh"}
        post(f"{workbench.home}/api/s/answers", {"answers": [given]}, joined["token"])
    expect(finished).to_have_text("2 / 6")  # the page asks again by itself
    # Answers from elsewhere: a wrong row is named, and nothing is imported; a right table counts once.
    for rows, said in (
        ("ann,0,good\nbob,7,good", "answers.csv:3"),
        ("ann,0,good\nbob,0,good", "Read 2 answers by 2 people; 2 of them are new."),
        ("ann,0,good\nbob,0,good", "Read 2 answers by 2 people; 0 of them are new."),
    ):
        table = f"participant,pair,chosen,uid\n{rows}\n".replace("good", "good,gender").encode()
        file = {"name": "answers.csv", "mimeType": "text/csv", "buffer": table}
        page.get_by_label("Answers that were collected elsewhere").set_input_files([file])  # type: ignore[list-item]
        page.get_by_role("button", name="Import", exact=True).click()
        expect(page.locator("#main").get_by_text(said)).to_be_visible()
    look_wide_and_narrow(page, "running", faults)

    page.get_by_role("main").get_by_role("link", name="Results").click()
    overall = page.locator("dl.figures")
    expect(overall).to_contain_text("100.0%")
    expect(overall).to_contain_text("51.0–100.0")  # Wilson's interval of 4 of 4 begins at 1 / (1 + 1.96² / 4)
    show_three_models(page)
    expect(page.get_by_role("row", name="gender")).to_contain_text("undecided")
    page.get_by_label("exclude it").check()
    page.get_by_role("button", name="Write the decision into the project").click()
    expect(page.get_by_role("alert").filter(has_text="give a reason")).to_be_visible()
    page.get_by_label("Reason", exact=True).fill("the verb is rare")
    page.get_by_role("button", name="Write the decision into the project").click()
    expect(page.get_by_role("row", name="gender")).to_contain_text("excluded")
    assert "status: excluded" in workbench.read("paradigms/anaphor/gender.yaml")
    look_wide_and_narrow(page, "results", faults)
    assert faults == {}
