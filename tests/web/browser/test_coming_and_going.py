"""Files change outside, things are deleted and brought back, projects come in and go out."""

import io
import json
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from ..store.small import PARADIGM, TEXTS
from . import hands
from .running import Running, generated

PHRASES = """format: 1
phrases:
  Self:
    - 自己
"""


def test_a_change_made_outside_is_noticed(page: Page, workbench: Running) -> None:
    """The files are the truth: somebody may write them with any other program."""
    hands.open_paradigm(page, workbench, PARADIGM)
    workbench.write(PARADIGM, TEXTS[PARADIGM].replace("喜欢", "批评"))
    hands.come_back(page)
    expect(page.get_by_text("the new text is shown")).to_be_visible()
    expect(hands.item(page, 2, "good")).to_have_text("批评")
    expect(hands.pair_lines(page).filter(has_text="批评")).to_have_count(2)
    page.get_by_role("main").get_by_role("link", name="History").click()
    expect(page.get_by_role("row").filter(has_text="latest")).to_contain_text("changed outside bidui")


def test_a_deleted_paradigm_is_brought_back(page: Page, workbench: Running) -> None:
    page.get_by_role("button", name="More for gender").click()
    page.get_by_role("button", name="Delete …").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("There are no paradigms yet.")).to_be_visible()
    assert not (workbench.folder / workbench.project / PARADIGM).exists()
    page.get_by_role("link", name="Deleted files").click()
    page.get_by_role("button", name=f"Restore {PARADIGM}").click()
    expect(page.get_by_text("No file of this project has been deleted.")).to_be_visible()
    assert workbench.read(PARADIGM) == TEXTS[PARADIGM]
    hands.open_paradigm(page, workbench, PARADIGM)
    assert len(hands.pairs(page)) == 2


def test_history_shows_what_changed_and_gives_it_back(page: Page, workbench: Running) -> None:
    hands.open_paradigm(page, workbench, PARADIGM)
    hands.rule(page, "who").click()
    hands.keys(page, "End", " gender:male")
    hands.saved(page, workbench, PARADIGM, "gender:male")
    page.get_by_role("main").get_by_role("link", name="History").click()
    latest = page.get_by_role("row").filter(has_text="latest")
    latest.get_by_role("link", name="Changes").click()
    changed = page.get_by_role("row").filter(has_text="changed")
    expect(changed.locator(".old").first).to_contain_text("pos:NR")
    expect(changed.locator(".new").first).to_contain_text("pos:NR gender:male")
    page.get_by_role("button", name="Restore revision").last.click()
    expect(page.get_by_role("row").filter(has_text="latest")).to_contain_text("restored from")
    assert workbench.read(PARADIGM) == TEXTS[PARADIGM]


def test_a_new_alternative_of_a_phrase_is_in_the_pairs(page: Page, workbench: Running) -> None:
    workbench.write("phrases.yaml", PHRASES)
    with_phrase = TEXTS[PARADIGM].replace("slots:\n", "slots:\n  self: phrase:Self\n").replace(" 自己\n", " self\n")
    workbench.write(PARADIGM, with_phrase)
    page.goto(workbench.at("/phrases"))
    page.get_by_role("button", name="Add alternative", exact=True).click()
    expect(page.get_by_role("textbox", name="Rule of Alternative 2")).to_be_focused()
    page.keyboard.type("本人")
    hands.saved(page, workbench, "phrases.yaml", "本人")
    page.get_by_role("link", name="gender").click()
    expect(hands.pair_lines(page)).to_have_count(4)
    assert ("张三喜欢他本人", "张三喜欢她本人") in hands.pairs(page)


def test_a_zip_goes_out_and_comes_in_again(page: Page, workbench: Running, tmp_path: Path) -> None:
    with page.expect_download() as download:
        page.get_by_role("link", name="Export project").click()
    packed = tmp_path / "small.zip"
    download.value.save_as(packed)
    again = f"{workbench.project}-again"
    page.goto(workbench.home)
    page.get_by_role("button", name="Import").click()
    page.get_by_label("Files").set_input_files(packed)
    page.get_by_label("Name of the new project").fill(again)
    page.get_by_role("dialog").get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(again)
    assert {file: workbench.read(file, again) for file in TEXTS} == TEXTS


def test_files_of_the_papers_come_in(page: Page, workbench: Running, tmp_path: Path) -> None:
    """ZhoBLiMP was published as JSON templates, a vocabulary in TSV, and phrases."""
    template = {
        "uid": "anaphor_1",
        "phenomenon": "anaphor",
        "good_rule": ["pos:NR", "phrase:Likes", "pos:PN mPos:0 mPro:gender", "自己"],
        "bad_rule": ["pos:NR", "phrase:Likes", "pos:PN mmPos:0 mmPro:gender", "自己"],
        "strict_MP": False,
        "sep": "",
    }
    texts = {
        "anaphor_1.json": json.dumps(template),
        "vocabulary.tsv": TEXTS["lexicon.tsv"],
        "phrases.json": '{"Likes": [["喜欢"]]}',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    page.goto(workbench.home)
    page.get_by_role("button", name="Import").click()
    page.get_by_label("Files").set_input_files([tmp_path / name for name in texts])
    page.get_by_label("Name of the new project").fill("classic")
    page.get_by_role("dialog").get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("classic")
    page.get_by_role("link", name="anaphor_1", exact=True).click()
    expect(hands.pair_lines(page)).to_have_count(2)
    assert ("李梅喜欢她自己", "李梅喜欢他自己") in hands.pairs(page)


def test_pairs_of_the_whole_project_are_those_of_the_command(page: Page, workbench: Running, tmp_path: Path) -> None:
    page.get_by_role("link", name="Get pairs").click()
    page.get_by_role("button", name="Download pairs").click()
    page.get_by_role("dialog").get_by_label("Pairs per paradigm").fill("2")
    with page.expect_download() as download:
        page.get_by_role("button", name="Generate and download").click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("gender.jsonl")]
        given = archive.read(name)
    written = generated(workbench.folder / workbench.project, tmp_path / "pairs", "-n", "2", "--seed", "0")
    assert given == (written / "gender.jsonl").read_bytes()


def test_a_deleted_project_is_brought_back_from_the_bin(page: Page, workbench: Running) -> None:
    name = workbench.project
    page.goto(workbench.home)
    page.get_by_role("button", name=f"Delete {name}", exact=True).click()
    page.get_by_role("button", name="Move to the bin").click()
    expect(page.get_by_role("button", name=f"Delete {name}", exact=True)).to_have_count(0)
    assert not (workbench.folder / name).exists()
    page.get_by_role("link", name="Bin").click()
    page.get_by_role("button", name=f"Restore {name}", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    assert {file: workbench.read(file) for file in TEXTS} == TEXTS


def test_a_shipped_benchmark_is_copied(page: Page, workbench: Running) -> None:
    page.goto(workbench.home)
    page.get_by_role("button", name="Copy a benchmark").click()
    page.get_by_label("Benchmark", exact=True).select_option("zhoblimp")
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("my-zhoblimp")
    page.get_by_role("searchbox", name="Filter").fill("BA_inversion")
    expect(page.locator("#paradigms tbody tr:visible")).to_have_count(1)
