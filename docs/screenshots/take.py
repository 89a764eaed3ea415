"""Takes the screenshots of docs/workbench.md anew: `python docs/screenshots/take.py [GROUP …]`.

It needs chromium and CJK fonts.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image
from playwright.sync_api import BrowserContext, Page, sync_playwright

import bidui.benchmarks
from bidui.files import sha256
from bidui.grammar.generate import generate_from
from bidui.grammar.project import load_project, new_project, paradigm_text
from bidui.people.design import Design, Rules
from bidui.people.study import draw_study
from bidui.web.store.disk import open_store, refresh
from bidui.web.store.studies import (
    GivenAnswer,
    Sheet,
    StudyRecord,
    create_study,
    join,
    keep_scores,
    participants_of,
    save_answers,
    set_state,
)
from bidui.web.store.workspace import Store, entry

HERE = Path(__file__).parent
BIDUI = (sys.executable, "-m", "bidui")
BENCHMARK = Path(bidui.benchmarks.__file__).parent / "zhoblimp"
WIDTH, HEIGHT, LOW = 1280, 800, 430
COLOURS = 96  # enough for text, and a third of the bytes
WRITTEN = "paradigms/anaphor/anaphor_gender_agreement.yaml"
DELETED = "paradigms/BA/BA_bare_verb.yaml"
PASSWORD = "correct horse battery"


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[str, str]]:
    """A server over a folder: the address that lets one in, and where it is."""
    command = [*BIDUI, "serve", str(folder), "--port", "0", "--no-browser", *options]
    environment = {**os.environ, "BIDUI_SECRET": "sixteen letters or more"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"(https?://[^/\s]+)\S*", process.stdout.readline())
            assert found
            yield found[0], found[1]
        finally:
            process.terminate()


def keep(page: Page, name: str, *, height: int = HEIGHT) -> None:
    """The page as it is now, as a small PNG."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.wait_for_timeout(1_200)
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide")))
    small = image.convert("RGB").quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(HERE / f"{name}.png", optimize=True)
    print(f"{name}.png {(HERE / f'{name}.png').stat().st_size // 1000} kB", flush=True)


def show(page: Page, address: str, ready: str, name: str, *, height: int = HEIGHT) -> None:
    page.goto(address)
    page.locator(ready).first.wait_for()
    page.wait_for_timeout(2_000)
    keep(page, name, height=height)


def ask(page: Page, method: str, address: str, body: object = None) -> Any:
    """What the page itself would get from the API."""
    answer = page.evaluate(
        """async ([method, address, body]) => {
            const headers = body === null ? {} : {"Content-Type": "application/json"};
            return await (await fetch(address, {method, body, headers})).text();
        }""",
        [method, address, None if body is None else json.dumps(body)],
    )
    return json.loads(answer) if answer else None


def projects(page: Page, home: str) -> None:
    """What one sees before a project is opened, and what was deleted."""
    opened = ask(page, "GET", f"/api/projects/my-project/files/{DELETED}")
    ask(page, "DELETE", f"/api/projects/my-project/files/{DELETED}?base={opened['revision']}")
    ask(page, "DELETE", "/api/projects/old-project")
    show(page, f"{home}/", "table.list", "projects", height=LOW)
    show(page, f"{home}/p/my-project/deleted", "table.list", "deleted", height=LOW)
    show(page, f"{home}/bin", "table.list", "bin", height=LOW)
    page.goto(f"{home}/p/zhoblimp")
    page.locator("#filters").wait_for()
    while page.locator("#counting").inner_text():
        page.wait_for_timeout(500)
    keep(page, "project")


def editor(page: Page, home: str) -> None:
    """A paradigm: in both languages, on a dark screen, with an error, as text, and in a conflict."""
    address = f"{home}/p/my-project/edit/{WRITTEN}"
    show(page, address, ".count:not(.muted)", "paradigm")
    page.emulate_media(color_scheme="dark")
    keep(page, "paradigm-dark")
    page.emulate_media(color_scheme="light")
    show(page, f"{address}?lang=zh", ".count:not(.muted)", "paradigm-zh")
    page.goto(f"{address}?lang=en")
    page.locator(".pairs li").first.wait_for()
    rule = page.locator(".slots .cm-content").nth(2)
    rule.click()
    page.keyboard.press("End")
    page.keyboard.type(" gendr:male")
    page.locator(".underlined.error").first.wait_for()
    keep(page, "paradigm-error")
    page.keyboard.press("Control+z")
    page.wait_for_timeout(2_500)
    conflict(page)
    show(page, f"{home}/p/zhoblimp/edit/project.yaml", ".cm-content", "text", height=560)
    page.goto(f"{home}/p/my-project/history/{WRITTEN}")
    page.locator("#compare button").click()
    page.locator(".difference").wait_for()
    keep(page, "history")


def conflict(page: Page) -> None:
    """Two tabs change the same row: the first one saves while the second has not heard of it."""
    file = f"/api/projects/my-project/files/{WRITTEN}"
    opened = ask(page, "GET", file)
    nothing_new = {"others": [], "revision": opened["revision"]}
    page.route("**/presence/**", lambda route: route.fulfill(json=nothing_new))
    page.reload()
    page.locator(".pairs li").first.wait_for()
    theirs = re.sub(r"(?m)^(  right: .*)$", r"\1 gender:female", opened["text"])
    ask(page, "PUT", file, {"text": theirs, "base": opened["revision"], "tab": "another"})
    page.locator(".slots .cm-content").nth(2).click()
    page.keyboard.press("End")
    page.keyboard.type(" gender:male")
    page.get_by_role("button", name="Compare and merge…").click()
    keep(page, "conflict")
    page.get_by_role("radio").last.check()
    page.get_by_role("button", name="Merge", exact=True).click()
    page.wait_for_timeout(2_000)
    page.unroute("**/presence/**")


def words(page: Page, home: str) -> None:
    """The lexicon and the phrases of the benchmark."""
    page.goto(f"{home}/p/zhoblimp/lexicon")
    page.locator(".grid-row").first.wait_for()
    page.locator("#lexicon-search").fill("pos:NN gender:female")
    page.keyboard.press("Escape")
    page.locator(".grid-row .grid-cell").nth(2).click()
    page.wait_for_timeout(6_000)
    keep(page, "lexicon")
    show(page, f"{home}/p/zhoblimp/phrases", ".alternative", "phrases")


def tables(page: Page, home: str) -> None:
    """The tables, the pairs and the history of the benchmark."""
    show(page, f"{home}/p/zhoblimp/tables", "#tables", "tables")
    page.goto(f"{home}/p/zhoblimp/tables/relations/acts.tsv")
    page.locator(".grid-row .grid-cell").nth(6).click()
    keep(page, "table")
    show(page, f"{home}/p/zhoblimp/pairs", ".pair-group", "pairs")
    show(page, f"{home}/p/zhoblimp/pairs?text=护照&lang=zh", ".pair-group", "pairs-zh")
    page.goto(f"{home}/?lang=en")
    opened = ask(page, "GET", f"/api/projects/my-project/files/{WRITTEN}")
    noted = opened["text"] + "# checked\n"
    ask(page, "PUT", f"/api/projects/my-project/files/{WRITTEN}", {"text": noted, "base": opened["revision"]})
    ask(page, "POST", "/api/projects/my-project/tables", {"name": "meals", "columns": "verb object"})
    show(page, f"{home}/p/my-project/history", "table.list", "project-history", height=560)


def team(context: BrowserContext, folder: Path) -> None:
    """The pages of a team, and the doors by which its people come in."""
    new_project(folder / "my-project", lang="zh")
    page, guest = context.new_page(), context.browser.new_context(locale="en-GB").new_page()  # type: ignore[union-attr]
    with serving(folder, "--team", "--owner", "Li") as (address, home):
        show(guest, f"{home}/login", "#password", "login", height=LOW)
        show(page, address, "#password", "password", height=LOW)
        page.locator("#password").fill(PASSWORD)
        page.locator("form.panel button").click()
        page.locator(".who").wait_for()
        for name, role in (("Wang", "editor"), ("Zhao", "viewer")):
            invited = ask(page, "POST", "/api/team/invitations", {"role": role})["address"]
            person = {"token": invited.rpartition("/")[2], "name": name, "password": PASSWORD}
            ask(guest, "POST", "/api/join", person)
            guest.context.clear_cookies()
        invited = ask(page, "POST", "/api/team/invitations", {"role": "editor"})["address"]
        show(guest, invited, "#password", "join", height=LOW)
        show(page, f"{home}/team", "table.list", "team", height=680)


def answer(store: Store, record: StudyRecord, people: int, rng: Random) -> None:
    """Let some people answer all of their trials; the last two of them stop halfway."""
    hard = {"BA_bare_verb": 0.45, "question_A_not_A_ma": 0.8}
    for number in range(people):
        token, seat = join(store, record.token, language="zh", version=record.study.version, background={})
        who = next(each for each in participants_of(record) if each.pseudonym == seat.pseudonym)
        own = [trial for trial in record.study.trials if (trial.list, trial.slot) == (who.list, who.slot)]
        given = []
        for trial in own[: len(own) // 2 if number >= people - 2 else None]:
            item = record.study.item[trial.item]
            share = hard.get(item.uid, 0.96) if item.kind == "test" else 0.3 if number == 3 else 0.99
            first = (trial.shown == "good-bad") == (rng.random() < share)
            given.append(GivenAnswer(trial.position, 1 if first else 2, rng.randint(900, 6000), 0, "rows", "zh"))
        save_answers(store, [Sheet(token, tuple(given))])


def ask_people(folder: Path) -> None:
    """Three studies of a project: one that is closed, with a model; one that is open; and a draft."""
    rng, project = Random(1), load_project(folder / "my-project")
    hashes = {each.uid: sha256(paradigm_text(each).encode()) for each in project.paradigms}
    design = Design(
        "custom",
        per_paradigm=6,
        lists=3,
        most_per_paradigm=2,
        raters=8,
        catch=3,
        language="zh",
        rules=Rules(catch_failures=1),
    )
    pool = generate_from(project, n=60)
    with closing(open_store(folder)) as store:
        refresh(store)
        here = entry(store, "my-project")

        def make(name: str, seed: int, follows: StudyRecord | None = None) -> StudyRecord:
            earlier = follows.study if follows else None
            study = draw_study(pool, replace(design, seed=seed), name=name, paradigms=hashes, follows=earlier)
            return create_study(here, study, earlier=follows.id if follows else None)

        first = set_state(make("pilot", 1), "open")
        answer(store, first, 24, rng)
        tests = [item.id for item in first.study.items if item.kind == "test"]
        for model, share in (("zh-pythia-14m", 0.75), ("zh-pythia-410m", 0.9)):
            keep_scores(first, model, {item: float(rng.random() < share) for item in tests})
        set_state(first, "closed")
        answer(store, set_state(make("second round", 2, first), "open"), 14, rng)
        make("third round", 3)


def results(page: Page, home: str) -> None:
    """What the model that comes with bidui makes of a project, beside the people of a study."""
    show(page, f"{home}/p/my-project/results", "table.plot", "results", height=1000)


def studies(page: Page, home: str) -> None:
    """The studies of a project, one being designed, one that is open, and the results of one."""
    here = f"{home}/p/my-project/studies"
    show(page, here, "table.list", "studies", height=LOW)
    show(page, f"{here}/new", ".screen li", "new-study", height=1200)
    show(page, f"{here}/new?lang=zh", ".screen li", "new-study-zh", height=1200)
    show(page, f"{here}/2?lang=en", "#live table", "study", height=1000)
    show(page, f"{here}/1/results", ".dots", "study-results", height=1100)
    show(page, f"{here}/1/results?lang=zh", ".dots", "study-results-zh", height=1100)
    page.goto(f"{home}/?lang=en")


def main() -> None:
    """Take them all, or only those of the groups that are named."""
    groups = sys.argv[1:] or ["projects", "editor", "words", "tables", "studies", "results", "team"]
    path = shutil.which("chromium")
    assert path, "chromium is not installed"
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name) / "work"
        new_project(folder / "my-project", lang="zh")
        new_project(folder / "old-project", lang="en")
        shutil.copytree(BENCHMARK, folder / "zhoblimp")
        ask_people(folder)
        bidui.score(folder / "my-project", out=folder / "my-project" / "results", n=100)
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        context = chromium.new_context(locale="en-GB", viewport={"width": WIDTH, "height": HEIGHT})
        context.set_default_timeout(120_000)
        with serving(folder) as (address, home):
            page = context.new_page()
            page.goto(address)
            takes = {"results": results, "projects": projects, "editor": editor, "words": words}
            takes |= {"tables": tables, "studies": studies}
            for group, take in takes.items():
                if group in groups:
                    take(page, home)
        if "team" in groups:
            team(context, Path(name) / "team")
        chromium.close()


if __name__ == "__main__":
    main()
