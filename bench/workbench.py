"""Speed of the workbench in a real browser: from a key to the painted preview, bytes on the wire, and large lists.

    python bench/workbench.py        prints the table that docs/benchmarks.md quotes; needs chromium

`bidui serve` runs as a process, on the shipped benchmark and on a made-up project of 500 paradigms and 5,000 words. A
key is timed from its event to the first message after the frame in which the preview shows the answer, the debounce of
120 ms included. Run it when nothing else runs: the first line says how busy the machine was.
"""

import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, ViewportSize, sync_playwright
from synthetic import write_synthetic

import bidui.benchmarks

KEYS = 40
BETWEEN = 250  # milliseconds from a painted preview to the next key
LOADS = 5
BIDUI = (sys.executable, "-m", "bidui")
BENCHMARK = Path(bidui.benchmarks.__file__).parent / "zhoblimp"
# A condition, most letters of which leave an unfinished rule; and a word, each letter of which makes other pairs: in a
# paradigm of the usual cost, and in the one whose pairs take longest.
TYPED = (
    ("anaphor/anaphor_gender_agreement", "right", " g", "ender:female"),
    ("anaphor/anaphor_gender_agreement", "right", " | s", "heherself"),
    ("question/question_A_not_A_daodi_a", "verb", " | a", "skanswer"),
    ("control_raising/modal_raising_topicalization", "m", " | s", "omepieces"),
)
WRITTEN = "paradigms/anaphor/anaphor_gender_agreement.yaml"
WIRE = {  # pages, and what is there once they can be used
    "/": "table.list",
    "/p/large": "#filters:not([hidden])",
    f"/p/zhoblimp/edit/{WRITTEN}": ".pairs li",
    "/p/zhoblimp/edit/project.yaml": ".cm-content",
    "/p/zhoblimp/phrases": ".alternative",
    "/p/zhoblimp/lexicon": ".grid-row",
    f"/p/zhoblimp/history/{WRITTEN}": "table.list",
}
HARNESS = """() => {
    performance.setResourceTimingBufferSize(100000);
    const channel = new MessageChannel();
    const waiting = [];
    channel.port1.onmessage = () => waiting.splice(0).forEach((done) => done(performance.now()));
    window.painted = () => new Promise((done) => requestAnimationFrame(() => {
        waiting.push(done);
        channel.port2.postMessage(0);
    }));
    window.keys = [];
    window.watchKeys = (selector, {busy}) => {
        const watched = document.querySelector(selector);
        let pressed = null, asked = false;
        addEventListener("keydown", (event) => { pressed = event.timeStamp; asked = !busy; }, true);
        new MutationObserver(async () => {
            const waiting = busy && watched.getAttribute("aria-busy") === "true";
            asked ||= waiting;
            if (pressed === null || waiting || !asked) return;
            const since = pressed;
            pressed = null;
            keys.push(await painted() - since);
        }).observe(watched, {attributes: true, childList: true, characterData: true, subtree: true});
    };
}"""
SHOWN = """(ready) => new Promise((done) => {
    const look = () => document.querySelector(ready) ? painted().then(done) : requestAnimationFrame(look);
    look();
})"""
ASKED = """(part) => performance.getEntriesByType("resource").filter((each) => each.name.includes(part))
    .map((each) => each.duration)"""
PREVIEW_SECONDS = """async ([project, file, times]) => {
    const text = (await (await fetch(`/api/projects/${project}/files/${file}`)).json()).text;
    const found = [];
    for (let at = 0; at < times; at++) {
        const body = JSON.stringify({file, text: `${text}# ${at}\\n`, n: 8, seed: 0, editor: "bench"});
        const headers = {"Content-Type": "application/json"};
        const answer = await fetch(`/api/projects/${project}/preview`, {method: "POST", body, headers});
        found.push(1000 * (await answer.json()).seconds);
    }
    return found;
}"""


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, str]]:
    """The command as people run it: the address that lets one in, and where it is."""
    command = [*BIDUI, "serve", str(folder), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"(https?://[^/\s]+)\S*", process.stdout.readline())
            assert found
            yield found[0], found[1]
        finally:
            process.terminate()


def main() -> None:
    """Measure and print."""
    print(f"{os.cpu_count()} cores, load of the minute before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(BENCHMARK, folder / "zhoblimp")
        write_synthetic(folder / "large", words=5_000, paradigms=500)
        with serving(folder) as (address, home), browsers(address) as fresh:
            print("\n| key to painted preview, zhoblimp | median | p95 | most | request | worker |")
            print("|---|---|---|---|---|---|")
            for file, slot, begun, word in TYPED:
                keys_to_preview(fresh(), home, f"paradigms/{file}.yaml", slot, begun, word)
            print("\n| 500 paradigms, 5,000 words | first | median | p95 |\n|---|---|---|---|")
            lists(fresh, home)
            print("\n| page, with all that it loads, empty cache | kB on the wire | requests |\n|---|---|---|")
            for path, ready in WIRE.items():
                wire(fresh(), home, path, ready)


@contextmanager
def browsers(address: str) -> Iterator[Callable[[], BrowserContext]]:
    """Makes browsers with an empty cache in which one is signed in, and the means to measure."""
    path = shutil.which("chromium")
    assert path, "chromium is not installed"
    screen: ViewportSize = {"width": 1280, "height": 900}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        first = chromium.new_context()
        first.new_page().goto(address)
        kept = first.storage_state()

        def fresh() -> BrowserContext:
            made = chromium.new_context(storage_state=kept, viewport=screen)
            made.set_default_timeout(120_000)
            made.add_init_script(f"({HARNESS})()")
            return made

        yield fresh
        chromium.close()


def keys_to_preview(context: BrowserContext, home: str, file: str, slot: str, begun: str, word: str) -> None:
    """Type something into a rule and take it out again, letter by letter, over and over; then leave all as it was."""
    page = context.new_page()
    page.goto(f"{home}/p/zhoblimp/edit/{file}")
    page.locator(".pairs li").first.wait_for()
    page.wait_for_timeout(2_000)
    page.get_by_role("textbox", name=f"Rule of {slot}", exact=True).click()
    page.keyboard.press("End")
    page.keyboard.type(begun)
    page.wait_for_timeout(2_000)
    pressed = [*word, *["Backspace"] * len(word)] * KEYS
    page.evaluate("() => watchKeys('.preview', {busy: true})")
    before = len(page.evaluate(ASKED, "/preview"))
    times = typed(page, pressed[:KEYS], between=BETWEEN)
    for _ in range(len(begun) + KEYS - 2 * pressed[:KEYS].count("Backspace")):
        page.keyboard.press("Backspace")
    page.wait_for_timeout(3_000)
    asked = page.evaluate(ASKED, "/preview")[before : before + len(times)]
    worker = page.evaluate(PREVIEW_SECONDS, ["zhoblimp", file, 9])
    uid = Path(file).stem
    cells = [*figures(times), f"{statistics.median(asked):.0f} ms", f"{statistics.median(worker):.0f} ms"]
    said = (begun + word).strip().replace("|", "\\|")
    print(f"| {uid}, `{said}`, {len(times)} keys | {' | '.join(cells)} |", flush=True)
    context.close()


def typed(page: Page, pressed: Sequence[str], *, between: int) -> list[float]:
    """Press keys one after the other, each when the one before has been painted; the milliseconds of each."""
    for number, key in enumerate(pressed):
        page.keyboard.press(key)
        for _ in range(1_000):
            if page.evaluate("() => keys.length") > number:
                break
            page.wait_for_timeout(20)
        else:
            raise SystemExit(f"nothing was painted after the key {key} ({number + 1} of {len(pressed)})")
        page.wait_for_timeout(between)
    times: list[float] = page.evaluate("() => keys")
    return times


def lists(fresh: Callable[[], BrowserContext], home: str) -> None:
    """Pages with long lists: until they are shown, and until a key has its effect."""
    for name, path, ready in (
        ("projects: shown", "/", "table.list"),
        ("project page: shown, all 500 rows, while their pairs are counted", "/p/large", "#filters:not([hidden])"),
        ("project page: shown, all 500 rows, counted", "/p/large", "#filters:not([hidden])"),
        ("lexicon: shown, ready to type", "/p/large/lexicon", ".grid-row"),
        ("zhoblimp, 129 paradigms: shown", "/p/zhoblimp", "#filters:not([hidden])"),
        ("zhoblimp, lexicon of 6,100 words: shown", "/p/zhoblimp/lexicon", ".grid-row"),
    ):
        context = fresh()
        page = context.new_page()
        if name.endswith(" counted"):
            wait_for_counts(page, home)
        times = []
        for _ in range(1 + LOADS):
            page.goto(home + path, wait_until="commit")
            times.append(page.evaluate(SHOWN, ready))
        row(name, times[1:], first=times[0])
        context.close()
    page = fresh().new_page()
    page.goto(f"{home}/p/large")
    page.locator("#filter-text").click()
    page.keyboard.type("u")  # all names begin with it
    page.evaluate("() => watchKeys('#paradigms', {busy: false})")
    row("project page: key in the filter to painted rows", typed(page, [*"123", *["Backspace"] * 3], between=100))
    page.context.close()
    grid(fresh().new_page(), home)


def wait_for_counts(page: Page, home: str) -> None:
    """The first visit counts the pairs of every paradigm, which takes a minute and is remembered."""
    page.goto(f"{home}/p/large")
    unknown = "fetch('/api/projects/large').then(a => a.json()).then(a => a.paradigms.some(p => p.count === null))"
    while page.evaluate(unknown):
        page.wait_for_timeout(1_000)


def grid(page: Page, home: str) -> None:
    """The grid with all its words: searching, moving far, and changing a cell."""
    page.goto(f"{home}/p/large/lexicon")
    page.locator(".grid-row").first.wait_for()
    page.locator("#lexicon-search").click()
    page.evaluate("() => watchKeys('.grid-body', {busy: false})")
    found = typed(page, [*"pos:VV", *["Backspace"] * 6], between=300)
    row("lexicon: key in the search to painted rows", found)
    page.locator(".grid-row .grid-cell").nth(2).click()
    before = len(found)
    for number in range(8):
        page.keyboard.press("Control+End" if number % 2 == 0 else "Control+Home")
        page.wait_for_timeout(300)
    row("lexicon: to the last word and back, painted", page.evaluate("() => keys")[before:])
    for _ in range(LOADS + 1):
        page.keyboard.type("x")
        page.keyboard.press("Enter")
        page.wait_for_timeout(1_500)
    saved = page.evaluate(ASKED, "/tables/")
    row("lexicon: a changed cell, saved and checked", saved[1:], first=saved[0])
    page.context.close()


def wire(context: BrowserContext, home: str, path: str, ready: str) -> None:
    """Bytes that travel for a page into an empty cache, until it is ready and two seconds more."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    session.send("Network.enable")
    page.goto(home + path)
    page.locator(ready).first.wait_for()
    page.wait_for_timeout(2_000)
    print(f"| `{path}` | {sum(sizes) / 1000:.0f} | {len(sizes)} |", flush=True)
    context.close()


def row(name: str, times: Sequence[float], *, first: float | None = None) -> None:
    median, high, _ = figures(times)
    print(f"| {name} | {'' if first is None else f'{first:.0f} ms'} | {median} | {high} |", flush=True)


def figures(times: Sequence[float]) -> list[str]:
    """Median, the 95th of a hundred, and the largest."""
    ordered: list[Any] = sorted(times)
    high = ordered[math.ceil(0.95 * len(ordered)) - 1]
    return [f"{value:.0f} ms" for value in (statistics.median(ordered), high, ordered[-1])]


if __name__ == "__main__":
    main()
