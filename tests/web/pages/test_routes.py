"""Every page: whole without scripts, strict in what it lets run, in two languages, with a twin in JSON."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter

import pytest

from bidui.web.pages.rendering import TEMPLATES
from bidui.web.store.accounts import invite, password_link
from bidui.web.workbench import Workbench
from bidui.words import texts

from ..served import PASSWORD, browser_of, local, member, served, stranger
from ..store.small import PARADIGM

PAGES = [
    "/",
    "/bin",
    "/p/small",
    f"/p/small/edit/{PARADIGM}",
    "/p/small/edit/project.yaml",
    "/p/small/edit/lexicon.tsv",
    "/p/small/lexicon",
    "/p/small/phrases",
    f"/p/small/history/{PARADIGM}",
    "/p/small/deleted",
    "/p/small/studies",
    "/p/small/studies/new",
]
TEAM_PAGES = ["/team", "/p/small/team"]


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._script = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._script = dict(attrs).get("id") or "" if tag == "script" else ""

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._script = ""

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with served(tmp_path_factory.mktemp("laptop"), None) as bench:
        yield bench


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with served(tmp_path_factory.mktemp("team"), None, team=True) as bench:
        member(bench, "Owner", "owner")
        yield bench


def check_page(text: str, *, lang: str) -> Elements:
    """What holds of every page."""
    page = Elements(text)
    assert page.all("html")[0]["lang"] == {"en": "en", "zh": "zh-Hans"}[lang]
    assert len(page.all("main")) == 1 and len(page.all("h1")) == 1 and len(page.all("title")) == 1
    assert any(link.get("href") == "#main" for link in page.all("a"))  # the skip link
    for script in page.all("script"):
        assert script.get("type") == "application/json" or (script.get("src") or "").startswith("/static/dist/")
    for tag, attributes in page.found:
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (tag, attributes)
        for name in ("src", "href", "action"):
            value = attributes.get(name) or ""
            assert not re.match(r"(https?:)?//|javascript:", value), (tag, value)  # no request leaves the machine
    assert page.all("style") == []
    assert json.loads(page.scripts["page"])["lang"] == lang
    assert all(isinstance(each, str) for each in json.loads(page.scripts["words"]).values())
    keys = set(re.findall(r">\s*([a-z]+\.[a-z_.0-9]+)\s*<", text))
    assert {key for key in keys if not key.endswith((".tsv", ".yaml", ".md"))} == set()  # no key without words
    return page


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_and_strict_and_has_a_twin(laptop: Workbench, path: str, lang: str) -> None:
    client = local(laptop)
    answer = client.get(path, params={"lang": lang})
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert client.cookies["bidui_lang"] == lang  # the language switch is a link
    page = check_page(answer.text, lang=lang)
    nonce = next(meta["content"] for meta in page.all("meta") if meta.get("name") == "csp-nonce")
    assert f"'nonce-{nonce}'" in answer.headers["content-security-policy"]
    twin = next(link["href"] for link in page.all("link") if link.get("rel") == "alternate")
    assert twin and client.get(twin).status_code == 200
    assert client.get(twin).headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", TEAM_PAGES)
def test_the_pages_of_a_team_are_as_strict(team: Workbench, path: str) -> None:
    client = browser_of(team, member(team, f"Second of {path}", "owner"))
    assert check_page(client.get(path).text, lang="en")
    assert client.get(f"/api{path.replace('/p/', '/projects/')}").status_code == 200


def test_a_nonce_is_used_once(laptop: Workbench) -> None:
    client = local(laptop)
    assert len({client.get("/bin").headers["content-security-policy"] for _ in range(3)}) == 3


def test_scripts_and_styles_are_kept_by_their_hash(laptop: Workbench) -> None:
    client = local(laptop)
    page = check_page(client.get("/bin").text, lang="en")
    style = next(link["href"] for link in page.all("link") if link.get("rel") == "stylesheet")
    assert style and "?v=" in style
    assert "immutable" in client.get(style).headers["cache-control"]
    assert client.get(style.partition("?")[0]).headers["cache-control"] == "no-cache"
    assert client.get(style + "0").headers["cache-control"] == "no-cache"  # a hash that is not its own
    assert client.get(style, headers={"Accept-Encoding": "gzip"}).headers["content-encoding"] == "gzip"


def test_where_the_workspace_is_one_project_the_first_page_is_it(tmp_path: Path) -> None:
    with served(tmp_path, None) as holder:
        holder.store.close()
    from bidui.web.editing.workers import PreviewWorkers
    from bidui.web.store.disk import open_store

    store = open_store(tmp_path / "work" / "small")
    try:
        client = local(Workbench(store, PreviewWorkers(), holder.settings))
        answer = client.get("/")
        assert (answer.status_code, answer.headers["location"]) == (303, "/p/small")
        assert client.get("/p/small").status_code == 200
    finally:
        store.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/p/nothing", 404),
        ("/p/small/edit/nothing.md", 404),
        ("/p/small/edit/nothing.exe", 400),
        (f"/p/small/history/{PARADIGM}?before=x", 422),
        (f"/p/small/history/{PARADIGM}?old=1&new=999", 404),
        ("/login", 400),  # there are no accounts here
        ("/start/wrong", 303),  # whoever is in goes on
    ],
)
def test_what_goes_wrong_is_a_page_too(laptop: Workbench, path: str, status: int) -> None:
    answer = local(laptop).get(path)
    assert answer.status_code == status
    if status != 303:
        check_page(answer.text, lang="en")


def test_strangers_of_a_laptop_are_told_which_address_to_open(laptop: Workbench) -> None:
    answer = stranger(laptop).get("/?lang=zh")
    assert answer.status_code == 401
    check_page(answer.text, lang="zh")
    assert "bidui serve" in answer.text


@pytest.mark.parametrize(("lang", "one", "clean"), [("en", "1 draft", "no problem"), ("zh", "1 份草稿", "没有问题")])
def test_a_draft_with_errors_is_shown_instead_of_no_problem(laptop: Workbench, lang: str, one: str, clean: str) -> None:
    """Also by the list of projects; the file without errors is not the text that its author sees."""
    client = local(laptop)
    client.cookies.set("bidui_lang", lang)
    base = client.get(f"/api/projects/small/files/{PARADIGM}").json()["revision"]
    client.put(f"/api/projects/small/files/{PARADIGM}", json={"text": "uid: [<b>", "base": base})
    for path in ("/", "/p/small"):
        page = client.get(path).text.partition("<main")[2]
        assert one in page and clean not in page and "<b>" not in page.partition("</details>")[0]
    assert (
        'id="drafts"' in page and f"/p/small/edit/{PARADIGM}" in page.partition('id="drafts"')[2].partition("</ul>")[0]
    )


def test_two_revisions_can_be_compared_without_scripts(laptop: Workbench) -> None:
    client = local(laptop)
    path = "/api/projects/small/files/notes.md"
    first = client.put(path, json={"text": "one\n", "base": None, "tab": ""}).json()["revision"]
    second = client.put(path, json={"text": "two\n", "base": first, "tab": ""}).json()["revision"]
    page = client.get("/p/small/history/notes.md", params={"old": first, "new": second})
    assert "-one" in page.text and "+two" in page.text


def test_signing_in_and_out_works_by_plain_forms(team: Workbench) -> None:
    client = stranger(team)
    page = check_page(client.get("/login").text, lang="en")
    form = next(form for form in page.all("form") if (form.get("action") or "").startswith("/login"))
    assert form["method"] == "post"
    wrong = client.post("/login", data={"name": "Owner", "password": "wrong"})
    assert wrong.status_code == 401
    assert "the user name or the password is wrong" in wrong.text
    right = client.post("/login?then=/team", data={"name": "Owner", "password": PASSWORD})
    assert (right.status_code, right.headers["location"]) == (303, "/team")
    assert client.get("/team").status_code == 200
    assert client.post("/logout").status_code == 303
    assert client.get("/team").status_code == 303


def test_joining_works_by_a_plain_form(team: Workbench) -> None:
    token = invite(team.store, who=member(team, "Inviter", "owner"), role="viewer")
    client = stranger(team)
    page = client.get(f"/join/{token}")
    assert "Inviter" in page.text
    check_page(page.text, lang="en")
    short = client.post(f"/join/{token}", data={"name": "Chen", "password": "short"})
    assert short.status_code == 400 and "10 to 200" in short.text
    assert client.post(f"/join/{token}", data={"name": "Chen", "password": PASSWORD}).status_code == 303
    assert client.get("/api/me").json()["name"] == "Chen"
    assert stranger(team).get(f"/join/{token}").status_code == 410


def test_choosing_a_password_works_by_a_plain_form(team: Workbench) -> None:
    token = password_link(team.store, member(team, "Forgetful", "viewer"))
    client = stranger(team)
    page = client.get(f"/password/{token}").text
    check_page(page, lang="en")
    assert "For the account Forgetful" in page and " autofocus" in page
    short = client.post(f"/password/{token}", data={"password": "short"})
    assert short.status_code == 400 and "For the account Forgetful" in short.text
    assert client.post(f"/password/{token}", data={"password": PASSWORD}).status_code == 303
    assert client.get("/api/me").json()["name"] == "Forgetful"
    assert stranger(team).post(f"/password/{token}", data={"password": PASSWORD}).status_code == 410
    assert "Forgetful" not in stranger(team).get(f"/password/{token}").text


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_the_words_are_whole_in_both_languages() -> None:
    for key, text in texts("pages", "en").items():
        other = texts("pages", "zh")[key]
        assert text and other, key
        assert placeholders(text) == placeholders(other), key


def test_templates_say_only_what_there_are_words_for() -> None:
    """A key without words would stand on the page as it is."""
    known = texts("pages", "en").keys()
    used = {
        key
        for path in TEMPLATES.glob("*.html")
        for key in re.findall(r"\bt\(\s*[\"']([a-z_.0-9]+)[\"']\s*[,)]", path.read_text("utf-8"))
    }
    assert sorted(used - known) == []
