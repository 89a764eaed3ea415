"""What travels to a browser: no page is heavy, none may run foreign code, and nothing comes from elsewhere."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from playwright.sync_api import CDPSession, Page, expect

import bidui.web.pages
from bidui.grammar.project import new_project
from bidui.people.design import Design

from . import conftest, hands
from .running import Running

MOST = 400_000  # bytes of a page with all that it loads, compressed as they travel, into an empty cache
WRITTEN = "paradigms/anaphor/anaphor_gender_agreement.yaml"
DELETED = "paradigms/BA/BA_bare_verb.yaml"
PASSWORD = "correct horse battery"
NOT_PAGES = {"layout", "parts", "runs"}

# `starter` is small; `large` is the shipped benchmark, with 129 paradigms and 6,100 words.
PAGES = {
    "/": ("projects", "table.list"),
    "/bin": ("bin", "table.list"),
    "/team": ("team", "table.list"),
    "/p/starter": ("project", "#paradigms"),
    f"/p/large/edit/{WRITTEN}": ("paradigm", ".pairs li"),
    "/p/large/edit/project.yaml": ("text", ".cm-content"),
    "/p/large/lexicon": ("lexicon", ".grid-row"),
    "/p/large/phrases": ("phrases", ".alternative"),
    "/p/large/tables": ("tables", "table.list"),
    "/p/large/tables/relations/acts.tsv": ("table", ".grid-row"),
    "/p/starter/pairs?n=10": ("pairs", "main mark"),
    "/p/starter/results": ("results", "table.plot"),
    "/p/starter/history": ("project_history", "table.list"),
    f"/p/starter/history/{WRITTEN}": ("history", "table.list"),
    "/p/starter/deleted": ("deleted", "table.list"),
    "/p/starter/team": ("team", "table.list"),
    "/p/starter/studies": ("studies", "table.list"),
    "/p/starter/studies/new": ("new_study", "form"),
    "/p/starter/studies/1": ("study", "main"),
    "/p/starter/studies/1/results": ("study_results", "main"),
    "/p/starter/studies/1/try": ("answer", "main button"),
    "/p/none": ("error", "main"),
    "/p/large": ("project", "#paradigms"),  # last, since it goes on counting
}


class Meter:
    """Counts what a page gets from the network, and keeps the policy it came with."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self.policy = ""
        self.from_cache: list[str] = []
        session: CDPSession = page.context.new_cdp_session(page)
        session.on("Network.loadingFinished", self._finished)
        session.on("Network.requestServedFromCache", lambda event: self.from_cache.append(event["requestId"]))
        session.send("Network.enable")
        page.on("response", lambda answer: self._answered(answer.request.resource_type, answer.headers))

    def _finished(self, event: dict[str, float]) -> None:
        self.bytes += int(event["encodedDataLength"])

    def _answered(self, kind: str, headers: dict[str, str]) -> None:
        if kind == "document":
            self.policy = headers.get("content-security-policy", "")


def measured(page: Page, address: str, ready: str) -> Meter:
    """A page as it comes into an empty cache, once it is ready and asks for nothing more."""
    meter = Meter(page)
    page.goto(address)
    expect(page.locator(ready).first).to_be_visible()
    if not address.endswith("/p/large"):  # counting 129 paradigms takes a while; the rest is there before
        page.wait_for_load_state("networkidle")
    return meter


@pytest.fixture
def team(folder: Path, serve: Callable[..., Running], someone: Callable[..., Page]) -> tuple[Running, Page]:
    """A server with something to show on every page, and the browser of its owner."""
    new_project(folder / "starter", lang="zh")
    pairs = bidui.generate(folder / "starter", n=2)
    sentences = {sentence: [(sentence, -1.0)] for pair in pairs for sentence in (pair.good, pair.bad)}
    bidui.score(pairs, bidui.given(sentences), out=folder / "starter" / "results")
    new_project(folder / "gone", lang="zh")
    server = serve("--team", "--owner", "Li")
    owner = someone()
    owner.goto(server.address)
    owner.locator("#password").fill(PASSWORD)
    owner.locator("form.panel button").click()
    expect(owner.locator(".who")).to_have_text("Li")
    assert hands.ask(owner, "POST", "/api/projects", {"name": "large", "benchmark": "zhoblimp"})[0] == 201
    opened = hands.ask(owner, "GET", f"/api/projects/starter/files/{DELETED}")[1]
    assert hands.ask(owner, "DELETE", f"/api/projects/starter/files/{DELETED}?base={opened['revision']}")[0] == 200
    assert hands.ask(owner, "DELETE", "/api/projects/gone")[0] == 204
    uid = Path(WRITTEN).stem
    plan = {"name": "pilot", "design": asdict(Design("custom", per_paradigm=4, lists=2, most_per_paradigm=2, catch=0))}
    assert hands.ask(owner, "POST", "/api/projects/starter/studies", {**plan, "uids": [uid]})[0] == 201
    assert hands.ask(owner, "POST", "/api/projects/starter/studies/1/state", {"state": "open"})[0] == 200
    return server, owner


def test_every_page_is_light_and_strict(
    team: tuple[Running, Page], someone: Callable[..., Page], witness: conftest.Witness
) -> None:
    """A slow line, or a class of thirty on one, is enough; and text that somebody wrote stays text."""
    server, owner = team
    witness.forgive("status of 404")
    kept = owner.context.storage_state()
    number = hands.ask(owner, "GET", "/api/team")[1]["members"][0]["id"]
    doors = {
        "/login": ("login", "#password"),
        hands.ask(owner, "POST", "/api/team/invitations", {"role": "editor"})[1]["address"]: ("join", "#password"),
        hands.ask(owner, "POST", f"/api/team/members/{number}/password")[1]["address"]: ("password", "#password"),
    }
    scored = hands.ask(owner, "GET", "/api/projects/starter/results")[1]["sets"][0]["id"]
    of = f"set={scored}&uid={Path(WRITTEN).stem}"
    closer = {
        f"/p/starter/results/pairs?{of}": ("results_pairs", "table.list"),
        f"/p/starter/results/pair?{of}&number=0": ("results_pair", ".tokens"),
    }
    found: dict[str, tuple[int, str]] = {}
    for address, (name, ready) in {**doors, **closer, **PAGES}.items():
        page = someone() if address in doors else someone(storage_state=kept)
        meter = measured(page, address if "://" in address else server.home + address, ready)
        assert meter.from_cache == [], address
        found[f"{name}: {address}"] = meter.bytes, meter.policy
        page.context.close()
    templates = Path(bidui.web.pages.__file__).parent.glob("templates/*.html")
    assert {name.partition(":")[0] for name in found} == {path.stem for path in templates} - NOT_PAGES
    assert {name: size for name, (size, _) in found.items() if not 1_000 < size <= MOST} == {}
    for name, (_, policy) in found.items():
        assert policy.startswith("default-src 'none'; script-src 'self';"), name
        assert "unsafe-" not in policy, name
