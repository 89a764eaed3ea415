"""Speed and memory of the workbench: in a real browser, with many people at once, and with a very large lexicon.

    python bench/workbench.py [pages | sessions | memory]        prints the tables that docs/benchmarks.md quotes

`bidui serve` runs as a process. Run this when nothing else runs: the first line says how busy the machine was.

pages (needs chromium): the shipped benchmark, and a made-up project of 500 paradigms and 5,000 words. A key is timed
from its event to the first message after the frame in which the preview shows the answer, the debounce of 120 ms
included; bytes on the wire, and large lists.

sessions: 50 people (`--people`), each with a session and a paradigm of the shipped benchmark of her own. Each changes a
rule, waits for the preview, and changes it again one to three seconds later; half a second after a preview the number
of pairs is asked for, as the page does. They run on the same machine, which is part of what is measured.

memory: a lexicon of 17 MB is read and checked by commands, and served: its project, words and a paradigm are opened,
its pairs counted, and a cell is changed. The largest memory of each process is counted, as the system tells it.
"""

import argparse
import asyncio
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from httpx2 import AsyncClient, Client, Response
from playwright.sync_api import BrowserContext, Page, ViewportSize, sync_playwright
from synthetic import write_synthetic

import bidui.benchmarks
from bidui.web.accounts import sealed
from bidui.web.store.accounts import add_user, set_role, start_session
from bidui.web.store.disk import open_store
from bidui.web.workbench import Settings

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
def serving(folder: Path, *options: str) -> Iterator[tuple[str, str, int]]:
    """The command as people run it: the address that lets one in, where it is, and its process."""
    command = [*BIDUI, "serve", str(folder), "--port", "0", "--no-browser", *options]
    environment = {**os.environ, "BIDUI_SECRET": SECRET}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"(https?://[^/\s]+)\S*", process.stdout.readline())
            assert found
            yield found[0], found[1], process.pid
        finally:
            process.terminate()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", choices=("pages", "sessions", "memory"), default="pages")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load of the minute before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        if options.what == "pages":
            pages(Path(name))
        elif options.what == "sessions":
            sessions(Path(name), people=options.people, seconds=options.seconds)
        else:
            memory(Path(name))


def pages(folder: Path) -> None:
    """What one person sees in a browser."""
    shutil.copytree(BENCHMARK, folder / "zhoblimp")
    write_synthetic(folder / "large", words=5_000, paradigms=500)
    with serving(folder) as (address, home, _), browsers(address) as fresh:
        print("\n| key to painted preview, zhoblimp | median | p95 | most | request | worker |")
        print("|---|---|---|---|---|---|")
        for file, slot, begun, word in TYPED:
            keys_to_preview(fresh(), home, f"paradigms/{file}.yaml", slot, begun, word)
        print("\n| 500 paradigms, 5,000 words | first | median | p95 |\n|---|---|---|---|")
        lists(fresh, home)
        print("\n| page, with all that it loads, empty cache | kB on the wire | requests |\n|---|---|---|")
        for path, ready in WIRE.items():
            wire(fresh(), home, path, ready)


# Many people at once

SECRET = "sixteen letters or more"
PAUSES = (1.0, 3.0)  # seconds from a preview to the next change of the text
COUNT_PAUSE = 0.5  # seconds from a preview to the question how many pairs there are
WARM = 10.0  # seconds at the beginning that are not measured: workers open the project


def sessions(folder: Path, *, people: int, seconds: float) -> None:
    """How long people wait for a preview, and what the server's processes do meanwhile."""
    shutil.copytree(BENCHMARK, folder / "zhoblimp")
    store = open_store(folder)
    tokens = []
    for number in range(people):
        who = add_user(store, f"Person {number}", "correct horse battery")
        set_role(store, who, "editor")
        tokens.append(sealed(start_session(store, who), Settings(team=True, secret=SECRET)))
    store.close()
    files = sorted((folder / "zhoblimp").glob("paradigms/*/*.yaml"))
    with serving(folder, "--team", "--owner", "Li") as (_, home, pid):
        before = busy_seconds(pid)
        typing = [Typing(home, token, files[n % len(files)], n) for n, token in enumerate(tokens)]
        asyncio.run(all_typing(typing, seconds=seconds))
        used = {name: value - before.get(name, 0) for name, value in busy_seconds(pid).items()}
    answers = [time for each in typing for time in each.previews]
    counts = [time for each in typing for time in each.counts]
    print(f"\n| {people} people, {seconds:.0f} s | median | p95 | p99 | most |\n|---|---|---|---|---|")
    for name, times in (("preview", answers), ("count", counts)):
        cells = (f"{1000 * value:.0f} ms" for value in quantiles(times))
        print(f"| {name} ({len(times)}) | {' | '.join(cells)} |")
    print(f"\nCPU seconds: {', '.join(f'{name} {value:.1f}' for name, value in used.items())}", flush=True)


class Typing:
    """Somebody who changes a rule of a paradigm again and again; the seconds that each answer took."""

    def __init__(self, home: str, token: str, file: Path, number: int) -> None:
        self.home, self.token, self.rng = home, token, random.Random(number)
        self.name = "/".join(file.parts[-3:])
        self.text = file.read_text("utf-8")
        self.previews: list[float] = []
        self.counts: list[float] = []
        rows = re.findall(r"(?m)^ +\w+: \S.*$", self.text.partition("slots:")[2].partition("good:")[0])
        self.row = rows[number % len(rows)]

    async def run(self, end: float, start: float) -> None:
        """Type until the end; what was asked for before the start is not measured."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with AsyncClient(base_url=f"{self.home}/api/projects/zhoblimp", headers=headers, timeout=300) as client:
            await asyncio.sleep(self.rng.uniform(0, PAUSES[1]))
            typed = 0
            while time.monotonic() < end:
                typed += 1
                word = "甲乙丙丁"[: 1 + typed % 4]
                row = f"{self.row[:-1]} | {word}{self.row[-1]}" if self.row[-1] in "'\"" else f"{self.row} | {word}"
                body = {"file": self.name, "text": self.text.replace(self.row, row), "editor": "tab", "n": 8}
                begun = time.monotonic()
                answer = await client.post("/preview", json=body)
                assert answer.status_code == 200, answer.text
                if begun > start:
                    self.previews.append(time.monotonic() - begun)
                pause = self.rng.uniform(*PAUSES)
                await asyncio.sleep(COUNT_PAUSE)
                counting = asyncio.create_task(self.count(client, body, begun > start))
                await asyncio.sleep(pause - COUNT_PAUSE)
                counting.cancel()  # as a page does when something is typed

    async def count(self, client: AsyncClient, body: dict[str, Any], measured: bool) -> None:
        """Ask for the number of pairs."""
        begun = time.monotonic()
        answer = await client.post("/count", json={key: body[key] for key in ("file", "text", "editor")})
        if measured and answer.status_code == 200:
            self.counts.append(time.monotonic() - begun)


async def all_typing(typing: Sequence[Typing], *, seconds: float) -> None:
    """Let everybody type."""
    now = time.monotonic()
    await asyncio.gather(*(each.run(now + WARM + seconds, now + WARM) for each in typing))


def quantiles(times: Sequence[float]) -> list[float]:
    """Median, the 95th and the 99th of a hundred, and the largest."""
    ordered = sorted(times) or [math.nan]
    return [ordered[max(0, math.ceil(part * len(ordered)) - 1)] for part in (0.5, 0.95, 0.99, 1)]


# Processes, as Linux tells about them


def processes(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


def busy_seconds(pid: int) -> dict[str, float]:
    """Seconds of a processor that the server and the processes below it have used, those that live."""
    seconds: dict[str, float] = {}
    for number, each in enumerate(processes(pid)):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        seconds["server" if number == 0 else f"process {number} (nice {fields[16]})"] = used
    return seconds


def largest(pid: int) -> int:
    """The largest resident memory that a process has had, in megabytes."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) // 1024 if found else 0


# A very large lexicon

MEGABYTES = 17


def write_large(folder: Path) -> int:
    """A project with a lexicon of so many megabytes and five paradigms; the number of its words."""
    rng = random.Random(0)
    forms: dict[str, None] = {}
    lines = ["expression\tpos\tclass\tclassifier\tgender\tanimacy\ttakes\tpolarity\tconcept"]
    size = 0
    while size < MEGABYTES * 1_000_000:
        form = "".join(chr(rng.randrange(0x4E00, 0x9000)) for _ in range(rng.choice((2, 2, 3, 4))))
        if form in forms:
            continue
        forms[form] = None
        classifiers = "/".join(rng.sample("个条只本张把", rng.choice((1, 2))))
        cells = [form, rng.choice(("NN", "VV", "VA", "NR", "AD", "M")), f"class{rng.randrange(200)}", classifiers]
        cells += [rng.choice(("male", "female", "")), rng.choice(("animate", "inanimate"))]
        cells += [f"class{rng.randrange(200)}/class{rng.randrange(200)}", rng.choice(("positive", "negative", ""))]
        lines.append("\t".join([*cells, f"c{len(lines)}" if len(lines) % 3 == 0 else ""]))
        size += len(lines[-1].encode()) + 1
    (folder / "paradigms" / "p").mkdir(parents=True)
    (folder / "project.yaml").write_text("format: 1\nname: large\nlang: zh\n", "utf-8")
    (folder / "lexicon.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    for n in range(5):
        slots = (
            f"  who: pos:NR class:class{n}\n  verb: pos:VV takes:class{n}\n  what: pos:NN mPos:verb mPro:class=takes\n"
        )
        text = f"format: 1\nuid: u{n}\nphenomenon: p\nslots:\n{slots}good: who verb what\nbad: verb who what\n"
        (folder / "paradigms" / "p" / f"u{n}.yaml").write_text(text, "utf-8")
    return len(forms)


def memory(folder: Path) -> None:
    """What a large lexicon costs: read, checked, and served."""
    words = write_large(folder / "work" / "large")
    print(f"\n| lexicon of {MEGABYTES} MB, {words:,} words | largest memory | seconds |\n|---|---|---|")
    read = f"import bidui; bidui.read_lexicon({str(folder / 'work' / 'large' / 'lexicon.tsv')!r})"
    for name, command in (
        ("`bidui.read_lexicon`", (sys.executable, "-c", read)),
        ("`bidui check`", (*BIDUI, "check", str(folder / "work" / "large"))),
        ("`bidui generate -n 300`", (*BIDUI, "generate", str(folder / "work" / "large"), "-o", str(folder / "pairs"))),
    ):
        begun = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            most = 0
            while process.poll() is None:
                most = max(most, largest(process.pid))
                time.sleep(0.02)
        print(f"| {name} | {most} MB | {time.monotonic() - begun:.0f} |", flush=True)
    with serving(folder / "work") as (address, home, pid), Client(base_url=home, timeout=600) as client:
        client.headers["Sec-Fetch-Site"] = "same-origin"
        client.get(address)
        project = "/api/projects/large"
        file = "paradigms/p/u1.yaml"
        text = (folder / "work" / "large" / file).read_text("utf-8")
        asked = {"file": file, "text": text}
        calls: dict[str, Callable[[], Response]] = {
            "project": lambda: client.get(project),
            "all words": lambda: client.get(f"{project}/lexicon"),
            "preview": lambda: client.post(f"{project}/preview", json=asked),
            "counts": lambda: client.post(f"{project}/counts", json={}),
            "a changed cell": lambda: client.post(f"{project}/tables/lexicon.tsv", json=changed_cell(client, project)),
            "preview after it": lambda: client.post(f"{project}/preview", json=asked),
        }
        for name, call in calls.items():
            begun = time.monotonic()
            answer = call()
            assert answer.status_code == 200, answer.text[:1_000]
            sizes = [largest(each) for each in processes(pid)]
            cells = f"{sum(sizes)} MB: {' + '.join(map(str, sizes))}"
            print(f"| served: {name} | {cells} | {time.monotonic() - begun:.0f} |", flush=True)


def changed_cell(client: Client, project: str) -> dict[str, Any]:
    """An edit of the lexicon: a feature of its first word."""
    base = client.get(f"{project}/lexicon").json()["files"][0]["revision"]
    return {"base": base, "ops": [{"do": "set", "line": 2, "column": "gender", "value": "male/female"}]}


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
