"""The guard: only this server's own pages, in their own size, change anything; strangers learn nothing."""

import asyncio
import io
import json
import random
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import sqlalchemy

import bidui.web.accounts
import bidui.web.api.projects
import bidui.web.api.team
import bidui.web.jobs
import bidui.web.store.accounts
import bidui.web.store.projects
from bidui.errors import Place, fail
from bidui.web.accounts import Access
from bidui.web.api.pairs import _made
from bidui.web.jobs import PairsDownload
from bidui.web.pages.rendering import load_templates
from bidui.web.server import Service, _settings
from bidui.web.store.accounts import local_user, members, set_role, start_session
from bidui.web.store.workspace import entry
from bidui.web.workbench import MOST_EXPORTS, Workbench, host_names

from .served import HOST, PASSWORD, app_of, browser_of, complete, files_of, kinds, local, member, served, stranger
from .store.small import PARADIGM, TEXTS

FILE = f"/api/projects/small/files/{PARADIGM}"


def edit(bench: Workbench, client: Any, text: str = TEXTS[PARADIGM] + "# more\n", **headers: str) -> Any:
    """Save the paradigm as a page does."""
    base = local(bench).get(FILE).json()["revision"] if not bench.settings.team else 1
    return client.put(FILE, json={"text": text, "base": base, "tab": "t"}, headers=headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},  # another port, or a neighbour's name
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{HOST}"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://{HOST}.evil.example"},
        {"Origin": f"http://{HOST}:81"},
        {},
    ],
)
def test_other_sites_change_nothing(laptop: Workbench, tmp_path: Path, headers: dict[str, str]) -> None:
    """The browser sends its cookie along with what another site asks; only where the page comes from tells."""
    before = files_of(tmp_path)
    client = local(laptop)
    client.headers.pop("Sec-Fetch-Site")
    for answer in (
        edit(laptop, client, **headers),
        client.delete("/api/projects/small", headers=headers),
        client.post("/api/projects", json={"name": "new", "lang": "zh"}, headers=headers),
        client.post("/logout", headers=headers),
        client.post("/api/login", content="name=x", headers=headers),
    ):
        assert answer.status_code == 403, answer.text
    assert kinds(client.post("/api/logout", headers=headers)) == ["cross-site"]
    assert files_of(tmp_path) == before
    assert client.get("/api/me").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "same-origin", "Origin": f"http://{HOST}"},
        {"Origin": f"http://{HOST}"},
    ],
)
def test_pages_of_this_server_may_change_things(laptop: Workbench, headers: dict[str, str]) -> None:
    client = local(laptop)
    client.headers.pop("Sec-Fetch-Site")
    assert edit(laptop, client, **headers).status_code == 200


def test_a_program_with_a_token_needs_no_browser(laptop: Workbench) -> None:
    token = start_session(laptop.store, local_user(laptop.store))
    client = stranger(laptop, headers={"Authorization": f"Bearer {token}"})
    assert edit(laptop, client).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", f"{HOST}:8000", f"{HOST}.evil.example", "", f"{HOST}@evil.example"])
def test_a_foreign_host_gets_nothing(laptop: Workbench, host: str) -> None:
    """A name of the attacker's that points here (DNS rebinding) makes her page one of the same origin."""
    client = local(laptop)
    for path in ("/", "/api/me", "/static/dist/style.css", "/api/openapi.json"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 421
        assert "small" not in answer.text


def test_names_of_the_server_have_its_port() -> None:
    assert host_names(("127.0.0.1", "[::1]"), port=8000) == {"127.0.0.1:8000", "[::1]:8000"}
    assert host_names(("Lab.example",), port=80) == {"lab.example", "lab.example:80"}
    assert host_names(("lab.example:8443",), port=8000) == {"lab.example:8443"}
    assert host_names(("lab.example",), port=8000, secure=True) == {"lab.example", "lab.example:8000"}


def test_a_body_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with served(tmp_path, None, body=2000, form=500, upload=3000) as bench:
        client = local(bench)
        before = files_of(tmp_path)

        def never() -> Iterator[bytes]:
            raise AssertionError("the body was read")
            yield b""

        told = {"Content-Length": "2001", "Content-Type": "application/json"}
        assert client.put(FILE, content=never(), headers=told).status_code == 413
        assert client.post("/api/login", content=b" " * 501).status_code == 413
        assert client.post("/api/projects/import", content=b" " * 3001).status_code == 413
        assert kinds(client.put(FILE, content=b" " * 2001)) == ["body-too-large"]
        assert files_of(tmp_path) == before


def test_a_body_that_does_not_tell_its_length_is_cut_off(tmp_path: Path) -> None:
    """A chunked body may go on for ever."""
    with served(tmp_path, None, body=100_000, upload=100_000) as bench:
        client = local(bench)
        taken = 0

        def endless() -> Iterator[bytes]:
            nonlocal taken
            yield b'{"text": "'
            while taken < 300_000:
                taken += 1000
                yield b"x" * 1000

        assert client.put(FILE, content=endless()).status_code == 413
        form = {"Content-Type": "multipart/form-data; boundary=b"}
        taken = 0
        assert client.post("/api/projects/import", content=endless(), headers=form).status_code in {400, 413}


@pytest.mark.parametrize("session", ["", "made up"])
def test_the_body_of_a_stranger_is_not_read(laptop: Workbench, session: str) -> None:
    """24 MB of JSON are parsed before the app looks who sent them: a made-up cookie must not be enough."""
    cookie = f"{laptop.settings.cookie}={session}"
    headers = {"Host": HOST, "Sec-Fetch-Site": "same-origin", "Cookie": cookie, "Transfer-Encoding": "chunked"}
    scope = {
        "type": "http",
        "method": "PUT",
        "path": FILE,
        "raw_path": FILE.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("the body was read")

    async def send(message: Any) -> None:
        sent.append(message)

    complete(app_of(laptop)(scope, receive, send))
    assert sent[0]["status"] == 401


@pytest.mark.parametrize("length", ["-1", "x", "1e9", "9" * 40, "\xb2"])
def test_a_length_that_is_no_number_is_refused(laptop: Workbench, length: str) -> None:
    client = local(laptop)
    answer = client.post("/api/logout", headers={b"Content-Length": length.encode("latin-1")})
    assert answer.status_code == 413
    assert client.get("/api/me").status_code == 200


TRICKS = [
    "../secret.tsv",
    "..%2Fsecret.tsv",
    "%2e%2e/secret.tsv",
    "lexicon/../../secret.tsv",
    "/etc/passwd",
    "%2Fetc%2Fpasswd",
    "paradigms/x/..%2F..%2F..%2Fsecret.tsv",
    "lexicon%5C..%5C..%5Csecret.tsv",
    "project.yaml%00.tsv",
    ".bidui/workbench.sqlite",
    "con.md",
    "lexicon.tsv/",
]


@pytest.mark.parametrize("name", TRICKS)
def test_names_that_lead_elsewhere_are_refused(laptop: Workbench, tmp_path: Path, name: str) -> None:
    (tmp_path / "work" / "secret.tsv").write_text("secret", "utf-8")
    before = files_of(tmp_path)
    client = local(laptop)
    for path in (f"/api/projects/small/files/{name}", f"/p/small/edit/{name}", f"/static/{name}"):
        answer = client.get(path)
        assert answer.status_code in {400, 404}, (path, answer.status_code)
        assert "secret" not in answer.text.replace("secret.tsv", "")
    answer = client.put(f"/api/projects/small/files/{name}", json={"text": "x", "base": None, "tab": ""})
    assert answer.status_code in {400, 404, 405}
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("project", ["..", "%2e%2e", ".bidui", "small%2F..", "nul", "a%00b", "small%20"])
def test_names_of_projects_that_lead_elsewhere_are_refused(laptop: Workbench, tmp_path: Path, project: str) -> None:
    before = files_of(tmp_path)
    client = local(laptop)
    assert client.get(f"/api/projects/{project}/files/project.yaml").status_code in {400, 404}
    assert client.delete(f"/api/projects/{project}").status_code in {400, 404, 405}
    answer = client.post("/api/projects", json={"name": unquote(project), "lang": "zh"})
    assert answer.status_code == 400
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("name", ["../out.tsv", "/out.tsv", "a/../../out.tsv", "..\\out.tsv"])
def test_a_zip_that_leads_out_of_its_folder_brings_nothing(laptop: Workbench, tmp_path: Path, name: str) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        packed.writestr("project.yaml", TEXTS["project.yaml"])
        packed.writestr("lexicon.tsv", TEXTS["lexicon.tsv"])
        packed.writestr(name, "out")
    before = files_of(tmp_path)
    files = [("files", ("p.zip", data.getvalue(), "application/zip"))]
    answer = local(laptop).post("/api/projects/import", data={"name": "evil"}, files=files)
    assert (answer.status_code, kinds(answer)) == (400, ["archive-name"])
    assert files_of(tmp_path) == before


def test_code_in_a_text_is_only_text(laptop: Workbench, tmp_path: Path) -> None:
    """The papers' own page ran what stood in a template; and a page must not run it either."""
    code = "</script><script>alert(1)</script>{{ 7 * 7 }}${7*7}__import__('os').mkdir('hacked')"
    text = f"format: 1\nuid: gender\nphenomenon: anaphor\nabout: {json.dumps(code)}\nslots:\n  who: pos:NR\n"
    text += f"  what: {json.dumps(code)}\ngood: who what\nbad: what who\n"
    client = local(laptop)
    assert edit(laptop, client, text).status_code == 200
    for path in (f"/p/small/edit/{PARADIGM}", f"/p/small/history/{PARADIGM}", "/p/small"):
        page = client.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    assert not list(tmp_path.rglob("hacked")) and not Path("hacked").exists()


def test_code_in_a_name_or_an_address_is_only_text(team: Workbench) -> None:
    owner = browser_of(team, member(team, "<script>alert(1)</script>", "owner"))
    for path in ("/team", "/p/small/team", "/x/<script>alert(1)</script>", "/?lang=<script>alert(1)</script>"):
        page = owner.get(path)
        assert "<script>alert" not in page.text
        assert page.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("role", "method", "path", "body", "status"),
    [
        (None, "GET", FILE, None, 404),  # whoever may not see it does not learn that it is there
        (None, "PUT", FILE, {"text": "x", "base": 1, "tab": ""}, 404),
        (None, "GET", "/api/team", None, 403),
        ("viewer", "GET", FILE, None, 200),
        ("viewer", "PUT", FILE, {"text": "x", "base": 1, "tab": ""}, 403),
        ("viewer", "DELETE", f"{FILE}?base=1", None, 403),
        ("viewer", "POST", "/api/projects", {"name": "new", "lang": "zh"}, 403),
        ("viewer", "POST", "/api/projects/small/rename", {"file": PARADIGM, "to": "a.md", "text": "x", "base": 1}, 403),
        ("viewer", "POST", "/api/projects/small/restore", {"revision": 1, "base": 1, "tab": ""}, 403),
        ("viewer", "POST", "/api/projects/small/paradigms", {"uid": "a", "phenomenon": "b"}, 403),
        ("viewer", "POST", "/api/projects/small/tables/lexicon.tsv", {"base": 1, "tab": "", "ops": []}, 403),
        ("editor", "DELETE", "/api/projects/small", None, 403),
        ("editor", "POST", "/api/team/invitations", {"role": "owner"}, 403),
        ("editor", "POST", "/api/team/invitations", {"role": "viewer", "project": "small"}, 403),
        ("editor", "PUT", "/api/team/members/1", {"role": "owner"}, 403),
        ("editor", "POST", "/api/team/members/1/password", None, 403),
        ("editor", "DELETE", "/api/team/members/1", None, 403),
    ],
)
def test_a_role_does_only_what_it_may(
    team: Workbench, tmp_path: Path, role: Any, method: str, path: str, body: Any, status: int
) -> None:
    before = files_of(tmp_path)
    client = browser_of(team, member(team, "Li", role))
    answer = client.request(method, path, json=body)
    assert answer.status_code == status, answer.text
    assert files_of(tmp_path) == before
    assert {each.name: each.role for each in members(team.store)} == {"Owner": "owner"} | ({"Li": role} if role else {})


def test_an_owner_of_one_project_does_not_manage_others(team: Workbench) -> None:
    client = browser_of(team, member(team, "Li", "owner", project="small"))
    assert client.post("/api/team/invitations", json={"role": "viewer", "project": "small"}).status_code == 201
    assert client.post("/api/team/invitations", json={"role": "viewer"}).status_code == 403
    assert client.put("/api/team/members/1", json={"role": "owner"}).status_code == 403
    head = browser_of(team, member(team, "Second", "owner"))
    head.post("/api/team/invitations", json={"role": "owner"})
    number = head.get("/api/team").json()["invitations"][0]["id"]
    assert client.delete(f"/api/team/invitations/{number}").status_code == 403


@pytest.mark.parametrize("path", [FILE, "/api/projects", "/api/drafts", "/api/bin", "/api/projects/small/export"])
def test_without_a_session_nothing_is_told(laptop: Workbench, path: str) -> None:
    answer = stranger(laptop).get(path)
    assert (answer.status_code, kinds(answer)) == (401, ["not-signed-in"])


def test_a_page_sends_strangers_to_sign_in_and_back(team: Workbench) -> None:
    client = stranger(team)
    answer = client.get("/p/small/deleted")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?then=%2Fp%2Fsmall%2Fdeleted")
    for away in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"):
        form = {"name": "Owner", "password": PASSWORD}
        answer = stranger(team).post("/login", params={"then": away}, data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_the_headers_are_on_every_answer(laptop: Workbench) -> None:
    client = local(laptop)
    for path in ("/", "/api/me", "/api/nothing", "/nothing", "/static/nothing", "/api/openapi.json"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


def test_a_mistake_of_ours_is_said_without_its_insides(
    laptop: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A traceback tells strangers about the machine; the log tells those who can mend it."""

    def broken(*_: object) -> None:
        raise RuntimeError("inner workings")

    monkeypatch.setattr(bidui.web.api.team, "role_of", broken)
    answer = local(laptop).get("/api/me")
    assert (answer.status_code, kinds(answer)) == (500, ["server-fault"])
    assert "inner workings" not in answer.text
    assert "inner workings" in caplog.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


# The guard again: what strangers may send, where links lead, and what is told to whom


def broken(*_: object, **__: object) -> None:
    """In place of something that works."""
    raise RuntimeError("inner workings")


def test_strangers_send_no_more_than_a_form(tmp_path: Path) -> None:
    """Bodies are read before sessions are looked up: without a limit, anybody could fill the disk with uploads."""
    with served(tmp_path, None, team=True, form=500, body=2000, upload=3000) as bench:
        client = stranger(bench)

        def never() -> Iterator[bytes]:
            raise AssertionError("the body was read")
            yield b""

        for forged in ("", "forged", "forged.signature"):
            client.cookies.set(bench.settings.cookie, forged)
            for path in (FILE, "/api/projects/import"):
                answer = client.request("PUT", path, content=never(), headers={"Content-Length": "501"})
                assert (answer.status_code, kinds(answer)) == (401, ["not-signed-in"])
            answer = client.put(FILE, content=iter([b" " * 400, b" " * 400]))  # does not tell its length
            assert answer.status_code == 401
        editor = browser_of(bench, member(bench, "Li", "editor"))
        base = editor.get(FILE).json()["revision"]
        assert editor.put(FILE, json={"text": TEXTS[PARADIGM] + "#" * 600, "base": base}).status_code == 200


@pytest.mark.parametrize("then", ["/{x}/evil.example", "/{x}{y}/evil.example/", "/p/{name}?{password}"])
def test_no_address_to_go_on_to_is_filled_in_by_the_page(tmp_path: Path, then: str) -> None:
    """The script of a form fills `{x}` in: with nothing for it, the first one would become `//evil.example`."""
    with served(tmp_path, None, team=True) as bench:
        page = stranger(bench).get("/login", params={"then": then}).text
        address = page.partition('data-api="/api/login" data-then="')[2].partition('"')[0]
        assert address == then.replace("{", "%7B").replace("}", "%7D")


def test_an_owner_no_more_has_no_way_back_by_her_own_invitation(team: Workbench) -> None:
    li = member(team, "Li", "owner")
    client = browser_of(team, li)
    tokens = [
        client.post("/api/team/invitations", json=wanted).json()["address"].rpartition("/")[2]
        for wanted in ({"role": "owner"}, {"role": "owner", "project": "small"})
    ]
    set_role(team.store, li, "viewer")
    for token in tokens:
        assert kinds(client.post("/api/join", json={"token": token})) == ["token-unknown"]
        assert stranger(team).get(f"/join/{token}").status_code == 410
        new = {"token": token, "name": "Li again", "password": PASSWORD}
        assert stranger(team).post("/api/join", json=new).status_code == 410
    assert client.get("/api/me").json()["role"] == "viewer"
    set_role(team.store, li, "owner", entry(team.store, "small"))
    assert kinds(client.post("/api/join", json={"token": tokens[0]})) == ["token-unknown"]
    assert client.post("/api/join", json={"token": tokens[1]}).status_code == 204


def test_only_some_exports_run_at_once(laptop: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a process of five minutes at most; a hundred clicks must not be a hundred processes."""
    running, most = 0, 0

    async def slow(*_: Any, **__: Any) -> PairsDownload:
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        await asyncio.sleep(0.01)
        running -= 1
        raise AssertionError("nobody reads it")

    monkeypatch.setattr(bidui.web.jobs, "export_pairs", slow)
    access = Access(laptop, entry(laptop.store, "small"), member(laptop, "Li", "viewer"), "viewer")

    async def many() -> list[Any]:
        asked = (_made(access, n=1, seed=0, format="jsonl", uid=None) for _ in range(6))
        return await asyncio.gather(*asked, return_exceptions=True)

    assert len(complete(many())) == 6
    assert most == MOST_EXPORTS


@pytest.mark.parametrize("what", ["passwords", "imports"])
def test_what_takes_much_memory_is_done_one_at_a_time(
    team: Workbench, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A hash takes 64 MB on purpose, and an import may take more: forty at once would take all there is."""
    running, most = 0, 0

    def slow(*_: Any, **__: Any) -> None:
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        time.sleep(0.02)
        running -= 1

    monkeypatch.setattr(bidui.web.store.accounts, "log_in", slow)
    monkeypatch.setattr(bidui.web.api.projects, "_unpacked", slow)
    monkeypatch.setattr(bidui.web.store.projects, "import_project", broken)
    given = {"name": "Li", "password": PASSWORD}
    editor = member(team, "Li", "editor")

    def ask() -> None:
        if what == "passwords":
            stranger(team).post("/api/login", json=given)
        else:
            browser_of(team, editor).post("/api/projects/import", data={"name": "a"}, files={"files": ("a.md", b"a")})

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert most == 1


def test_no_path_on_the_disk_is_told(laptop: Workbench, tmp_path: Path) -> None:
    """Where the server keeps its files is nobody's business, least of all that of a viewer in a team."""
    client = local(laptop)
    (tmp_path / "work" / "small" / "project.yaml").unlink()
    answer = client.post("/api/projects/small/complete", json={"kind": "rule", "text": "p", "cursor": 1})
    assert kinds(answer) == ["no-project"]
    assert answer.json()["problems"][0]["place"]["file"] == "small"
    assert str(tmp_path) not in answer.text


def test_where_the_database_is_is_told_to_the_log_only(
    team: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What a driver says names its host and its user; strangers who try to sign in would read it."""

    def lost(*_: object, **__: object) -> None:
        raise fail("database-unreachable", Place(), {"reason": 'connection to "db.lab.example" as "bidui" failed'})

    monkeypatch.setattr(bidui.web.accounts, "take_start", lost)
    answer = stranger(team).get("/start/x")
    assert answer.status_code == 503
    assert "db.lab.example" not in answer.text
    assert "db.lab.example" in caplog.text


def test_tokens_are_not_logged(
    team: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The address of an invitation is as good as a password, and logs are read by others."""
    monkeypatch.setattr(bidui.web.accounts, "take_invitation", broken)
    monkeypatch.setattr(bidui.web.accounts, "take_start", broken)
    assert stranger(team).get("/start/a-token").status_code == 500
    assert stranger(team).post("/join/a-token", data={"name": "x", "password": PASSWORD}).status_code == 500
    assert "/join/{token}" in caplog.text and "/start/{token}" in caplog.text
    assert "a-token" not in caplog.text


def test_behind_https_no_neighbour_can_set_the_cookie() -> None:
    """A page of `evil.lab.example` may set cookies for `lab.example`, but none whose name begins like this."""
    service = Service(Path(), team=True, secret="x" * 20, public_hosts=("lab.example",))
    assert _settings(service, 8000).cookie == "bidui_session_8000"
    secure = Service(Path(), team=True, secret="x" * 20, public_hosts=("lab.example",), secure=True)
    assert _settings(secure, 8000).cookie == "__Host-bidui_session_8000"


def test_a_number_of_any_size_can_be_shown() -> None:
    """One paradigm with more pairs than a float can count must not take the page of the project away."""
    number: Any = load_templates().get_template("parts.html").module.number  # type: ignore[attr-defined]
    assert [str(number(value)) for value in (1234, 10**15, 2 * 10**400)] == ["1,234", "1.00e+15", "2.00e+400"]


def test_on_a_full_disk_pages_can_be_read_and_saving_says_why(laptop: Workbench, tmp_path: Path) -> None:
    """SQLite says so when its file may not grow; nothing is lost, and nobody sees a fault of the server."""
    client = local(laptop)
    assert client.get("/api/projects/small").status_code == 200
    base = client.get(FILE).json()["revision"]

    def fill(connection: Any, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # that is, as many as there are

    laptop.store.engine.dispose()
    sqlalchemy.event.listen(laptop.store.engine, "connect", fill)
    noise = [random.Random(number).randbytes(40).hex() for number in range(5_000)]  # cannot be compressed to nothing
    more = "".join(f"# {each}\n" for each in noise)
    file = tmp_path / "work" / "small" / "lexicon.tsv"
    file.write_text(file.read_text("utf-8") + "".join(f"词{each}\tNN\n" for each in noise), "utf-8")
    for path in ("/api/projects", "/api/projects/small", "/api/projects/small/history/" + PARADIGM, FILE, "/p/small"):
        assert client.get(path).status_code == 200, path
    answer = client.put(FILE, json={"text": TEXTS[PARADIGM] + more, "base": base})
    assert (answer.status_code, kinds(answer)) == (503, ["disk-full"])
    assert (tmp_path / "work" / "small" / PARADIGM).read_text("utf-8") == TEXTS[PARADIGM]
    sqlalchemy.event.remove(laptop.store.engine, "connect", fill)
    laptop.store.engine.dispose()
    assert client.put(FILE, json={"text": TEXTS[PARADIGM] + more, "base": base}).json()["saved"]
