"""The server as a process: its socket, its browser, what it says when it starts, and how it ends."""

import re
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from bidui.web.server import _listening
from bidui.web.store.accounts import add_user, close_account, set_role
from bidui.web.store.disk import open_store

from .browser.running import COMMAND, SECONDS, Running
from .store.small import write_small


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """A server over the project `small` that is not started yet."""
    write_small(tmp_path / "work" / "small")
    server = Running(tmp_path / "work")
    yield server
    server.kill()


def said_at_start(server: Running) -> list[str]:
    """The lines that a server prints after its address, until it is up."""
    assert server.process is not None and server.process.stdout is not None
    lines = list(iter(server.process.stdout.readline, "Ctrl-C ends it; everything written is kept\n"))
    urllib.request.urlopen(f"{server.home}/static/dist/style.css").close()  # it answers
    return lines


def wait_for(path: Path) -> str:
    """The text of a file that another process writes and renames into place."""
    for _ in range(SECONDS * 20):
        if path.exists():
            return path.read_text("utf-8")
        time.sleep(0.05)
    raise AssertionError(f"{path.name} was not written")


def test_small_answers_do_not_wait_for_an_acknowledgement() -> None:
    """40 ms a request, where headers and body are two small packets and the second waits for word of the first."""
    with _listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_no_command_line_holds_the_address_that_lets_somebody_in(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every user of the machine can list the processes; the browser gets a file that only its owner can read."""
    said = tmp_path / "said"
    fake = tmp_path / "browser"
    fake.write_text(f'#!{sys.executable}\nimport os, sys\nopen("{said}.part", "w").write("\\n".join(sys.argv[1:]))\n')
    with fake.open("a") as script:
        script.write(f'os.rename("{said}.part", "{said}")\n')
    fake.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{fake} %s")
    running.options = ("--browser",)
    running.start()
    opened = wait_for(said)
    assert opened.startswith("file:///") and "start" not in opened
    file = Path(urllib.request.url2pathname(opened.removeprefix("file://")))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.findall(r"url=([^\"]+)", file.read_text("utf-8")) == [running.address]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert browser.open(running.address).status == 200
    running.stop()
    assert not file.exists()


def test_a_start_says_what_accounts_the_database_brings(running: Running) -> None:
    """A folder that was copied brings the accounts of its old place along, and nobody sees that in the files."""
    store = open_store(running.folder)
    for name, role in {"Li": "owner", "Wang": "viewer", "Zhao": None}.items():
        user = add_user(store, name, "correct horse battery")
        set_role(store, user, role) if role else None
    close_account(store, add_user(store, "Sun", "correct horse battery"))
    store.close()
    people = "Li (owner of all projects), Wang (viewer of all projects), Zhao (some projects)"
    running.start()
    assert f"accounts in the database, which cannot sign in without --team: {people}\n" in said_at_start(running)
    running.stop()
    running.options = ("--team",)
    running.start()
    assert f"accounts that can sign in: {people}\n" in said_at_start(running)


def refused(*arguments: str | Path) -> str:
    """What a server says that does not start."""
    command = [*COMMAND, "serve", "--port", "0", "--no-browser", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    return done.stderr


def test_a_second_server_for_one_folder_says_where_the_first_is(running: Running) -> None:
    """It would end the sessions of the first, and people would be signed out without a reason."""
    running.start()
    said_at_start(running)
    assert f"already served at {running.home};" in refused(running.folder)
    running.kill()  # a lock ends with its process, however that ends
    running.start()
    said_at_start(running)


def test_the_database_of_another_folder_can_be_adopted(running: Running, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/elsewhere.sqlite"
    running.options = ("--database", database)
    running.start()
    said_at_start(running)
    running.stop()
    write_small(tmp_path / "moved" / "small")
    assert "add --adopt" in refused(tmp_path / "moved", "--database", database)
    moved = Running(tmp_path / "moved", options=("--database", database, "--adopt"))
    moved.start()
    said_at_start(moved)
    moved.stop()
