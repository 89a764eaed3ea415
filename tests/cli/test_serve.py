"""`bidui serve`, as a process: its address works, it refuses what is unsafe, and it ends when told."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from bidui.cli import main
from bidui.grammar.project import new_project

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from bidui.cli.main import run; run()", "serve"]
SECRET = {"BIDUI_SECRET": "sixteen letters or more"}


@contextmanager
def serving(*arguments: str | Path, env: dict[str, str] | None = None) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A server that has said where it is; killed in the end if it still runs."""
    running = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **(env or {})},
        text=True,
    )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        found = re.search(r"https?://\S+", line)
        assert found, line + running.stdout.read()
        yield running, found[0]
    finally:
        running.kill()
        running.communicate()


def opened(address: str) -> httpx2.Client:
    """A browser that starts at an address."""
    home = address.partition("/start/")[0]
    return httpx2.Client(base_url=home, follow_redirects=True, timeout=120)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What is printed where the server does not start, in this process; one that starts after all is ended at once."""

    def printed(*arguments: str | Path) -> str:
        monkeypatch.setattr(sys, "argv", ["bidui", "serve", *map(str, arguments), "--no-browser"])
        monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: pytest.fail("the server starts"))
        with pytest.raises(SystemExit) as ended:
            main.run()
        errors = capsys.readouterr().err
        assert ended.value.code == 2, errors
        assert "Traceback" not in errors
        return errors

    monkeypatch.delenv("BIDUI_SECRET", raising=False)
    return printed


@pytest.fixture
def project(tmp_path: Path) -> Path:
    new_project(tmp_path / "demo", lang="zh")
    return tmp_path / "demo"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_printed_address_opens_the_project_and_a_signal_ends_it(project: Path, how: signal.Signals) -> None:
    with serving(project, "--port", "0") as (running, address):
        home = address.partition("/start/")[0]
        with opened(address) as browser:
            assert browser.get("/api/me").status_code == 401
            page = browser.get(address)
            assert page.status_code == 200
            assert str(page.url) == f"{home}/p/demo"
            assert browser.get("/api/me").json()["alone"] is True
            assert browser.get("/", headers={"Host": "evil.example"}).status_code == 421
            assert "server" not in page.headers
        running.send_signal(how)
        said, _ = running.communicate(timeout=120)
        assert running.returncode == 0
        assert "Traceback" not in said
        assert said.splitlines()[-1] == "ended"


def test_a_folder_that_holds_no_project_is_an_empty_workspace(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", "--lang", "zh") as (_, address), opened(address) as browser:
        page = browser.get(address)
        assert page.status_code == 200
        assert 'lang="zh-Hans"' in page.text
        assert browser.get("/api/projects").json()["projects"] == []


def test_a_start_ends_the_sessions_before_it_and_lets_its_own_address_in(project: Path) -> None:
    """A session must not be good for ever, nor for whoever copied the folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as browser:
        with serving(project, "--port", str(port)) as (_, address):
            assert browser.get(address).status_code == 303
        with serving(project, "--port", str(port)) as (_, address):
            assert browser.get("/api/me").status_code == 401
            assert browser.get(address).status_code == 303
            assert browser.get("/api/me").status_code == 200


def test_a_port_in_use_is_said(refused: Callable[..., str], project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "in use" in refused(project, "--port", str(taken.getsockname()[1]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing"], "no such folder"),
        ([".", "--host", "0.0.0.0"], "--team"),
        ([".", "--public-host", "lab.example"], "--team"),
        ([".", "--host", "0.0.0.0", "--team"], "--public-host"),
        ([".", "--host", "0.0.0.0", "--public-host", "lab.example", "--team"], "BIDUI_SECRET"),
        ([".", "--port", "80000"], "65535"),
        ([".", "--database", "mysql://x/y"], "not a database address"),
        ([".", "--database", "postgresql://nobody@127.0.0.1:1/none"], "does not respond"),
    ],
)
def test_what_cannot_be_served_is_said(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refused("--port", "0", *arguments)


def test_a_team_needs_an_owner_first(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BIDUI_SECRET", SECRET["BIDUI_SECRET"])
    assert "--owner" in refused(tmp_path, "--team", "--port", "0")


def test_the_first_owner_of_a_team_chooses_a_password_by_the_printed_link(tmp_path: Path) -> None:
    with serving(tmp_path, "--team", "--owner", "Li", "--port", "0", env=SECRET) as (_, address):
        home, token = address.split("/password/")
        with httpx2.Client(base_url=home, timeout=120, headers={"Origin": home}) as browser:
            assert browser.get("/").headers["location"].startswith("/login")
            assert browser.get(address).status_code == 200
            chosen = {"password": "long enough now"}
            assert browser.post(f"/password/{token}", data=chosen).status_code == 303
            assert browser.get("/api/me").json() | {"lang": "en"} == {
                "name": "Li",
                "mode": "team",
                "role": "owner",
                "lang": "en",
                "alone": False,
            }
            assert browser.post(f"/password/{token}", data=chosen).status_code == 410
    with serving(tmp_path, "--team", "--port", "0", env=SECRET) as (_, again):
        assert "/password/" not in again


def test_help_does_not_wait_for_the_web() -> None:
    """`bidui --help` is asked for more often than a server is started."""
    code = "import sys, bidui.cli.main; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"fastapi", "sqlalchemy", "uvicorn", "torch", "transformers", "matplotlib"}
    assert heavy & {*done.stdout.split()} == set()
