"""The guard again: what strangers may send, where links lead, and what is told to whom."""

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bidui.web.accounts
import bidui.web.api.projects
import bidui.web.pages.routes
from bidui.errors import Place, fail
from bidui.web.accounts import Access
from bidui.web.api.projects import _made
from bidui.web.jobs import PairsDownload
from bidui.web.pages.rendering import load_templates
from bidui.web.server import Service, _settings
from bidui.web.store.accounts import set_role
from bidui.web.store.workspace import entry
from bidui.web.workbench import MOST_EXPORTS, Workbench

from .served import PASSWORD, browser_of, kinds, local, member, served, stranger
from .store.small import PARADIGM, TEXTS

FILE = f"/api/projects/small/files/{PARADIGM}"


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
            assert answer.status_code == 413
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

    monkeypatch.setattr(bidui.web.api.projects, "export_pairs", slow)
    access = Access(laptop, entry(laptop.store, "small"), member(laptop, "Li", "viewer"), "viewer")

    async def many() -> list[Any]:
        asked = (_made(access, n=1, seed=0, format="jsonl", uid=None) for _ in range(6))
        return await asyncio.gather(*asked, return_exceptions=True)

    assert len(asyncio.run(many())) == 6
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

    monkeypatch.setattr(bidui.web.accounts, "log_in", slow)
    monkeypatch.setattr(bidui.web.api.projects, "_unpacked", slow)
    monkeypatch.setattr(bidui.web.api.projects, "import_project", broken)
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

    monkeypatch.setattr(bidui.web.pages.routes, "take_start", lost)
    answer = stranger(team).get("/start/x")
    assert answer.status_code == 503
    assert "db.lab.example" not in answer.text
    assert "db.lab.example" in caplog.text


def test_tokens_are_not_logged(
    team: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The address of an invitation is as good as a password, and logs are read by others."""
    monkeypatch.setattr(bidui.web.pages.routes, "take_invitation", broken)
    monkeypatch.setattr(bidui.web.pages.routes, "take_start", broken)
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
