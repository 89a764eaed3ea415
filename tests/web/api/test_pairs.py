"""Pairs to take away: the same bytes as `bidui generate` writes, and no process that outlives its reader."""

import asyncio
import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bidui.errors import InputError
from bidui.web import jobs

from ..served import kinds
from .asking import GENDER, SMALL, read, write


def generated(project: Path, out: Path, *options: str) -> dict[str, bytes]:
    """What the command writes."""
    command = [sys.executable, "-m", "bidui", "generate", str(project), "-o", str(out)]
    done = subprocess.run([*command, *options], capture_output=True, check=False, timeout=600)
    assert done.returncode in {0, 1}, done.stderr
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_all_pairs_are_those_of_the_command(client: TestClient, tmp_path: Path) -> None:
    """104 of one paradigm and 2 of the other, both fewer than 300, which the header says."""
    expected = generated(tmp_path / "work/small", tmp_path / "out", "-n", "300", "--seed", "7")
    answer = client.get(f"{SMALL}/pairs", params={"n": 300, "seed": 7})
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {name.removeprefix("small-pairs/"): archive.read(name) for name in archive.namelist()}
    assert found == expected and set(found) == {"classifier.jsonl", "gender.jsonl", "manifest.json"}
    assert answer.headers["bidui-short"] == "classifier=104, gender=2"


def test_one_paradigm_comes_as_its_file(client: TestClient, tmp_path: Path) -> None:
    options = ("-n", "5", "--only", "classifier", "--format", "csv")
    expected = generated(tmp_path / "work/small", tmp_path / "out", *options)
    answer = client.get(f"{SMALL}/pairs", params={"n": 5, "uid": "classifier", "format": "csv"})
    assert answer.content == expected["classifier.csv"]
    assert "bidui-short" not in answer.headers
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''classifier.csv"


def test_a_paradigm_that_is_not_there_is_said(client: TestClient) -> None:
    for uid in ("nothing", "*", "[a-z]*", "a\x00", ""):
        answer = client.get(f"{SMALL}/pairs", params={"uid": uid})
        assert (answer.status_code, kinds(answer)) == (400, ["uid-unknown"]), uid
    assert client.get(f"{SMALL}/pairs", params={"n": 0}).status_code == 422
    assert client.get(f"{SMALL}/pairs", params={"n": 10**9}).status_code == 422
    assert client.get(f"{SMALL}/pairs", params={"format": "parquet"}).status_code == 422


def test_what_keeps_pairs_from_being_made_is_said(client: TestClient) -> None:
    text = read(client)["text"].replace("  who: pos:NR", "  who: pos:XX")
    assert write(client, text, base=read(client)["revision"]).json()["saved"]
    answer = client.get(f"{SMALL}/pairs", params={"uid": "gender"})
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["place"]["file"] == GENDER


def test_a_fault_in_another_paradigm_keeps_nobody_from_her_pairs(client: TestClient, tmp_path: Path) -> None:
    """A project is half finished most of the time; a file that was changed outside may not even parse."""
    expected = generated(tmp_path / "work/small", tmp_path / "out", "-n", "5", "--only", "classifier")
    (tmp_path / "work/small" / GENDER).write_text("slots: [", encoding="utf-8")
    answer = client.get(f"{SMALL}/pairs", params={"n": 5, "uid": "classifier"})
    assert answer.content == expected["classifier.jsonl"]


def test_an_excluded_paradigm_gives_its_pairs_when_asked_for_by_name(client: TestClient) -> None:
    text = read(client)["text"] + "status: excluded\nreason: people disagreed\n"
    assert write(client, text, base=read(client)["revision"]).json()["saved"]
    answer = client.get(f"{SMALL}/pairs", params={"uid": "gender"})
    assert answer.status_code == 200 and answer.content.count(b"\n") == 2


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_a_command_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that it started, and nothing of it is left behind."""
    mark = tmp_path / "pid"
    sleeper = (
        "import subprocess, sys, pathlib; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    )
    sleeper += f"pathlib.Path({str(mark)!r}).write_text(str(p.pid)); p.wait()"
    monkeypatch.setattr(jobs, "_BIDUI", (sys.executable, "-c", sleeper))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    wait_for = asyncio.wait_for

    async def impatient(process: Coroutine[Any, Any, int], _: float) -> int:
        """Wait no longer than until the command has started its own process, however long that takes."""
        while not (mark.is_file() and mark.read_text()):
            await asyncio.sleep(0.05)
        return await wait_for(process, 0.1)

    monkeypatch.setattr(asyncio, "wait_for", impatient)
    with pytest.raises(InputError) as caught:
        asyncio.run(jobs.export_pairs(tmp_path, name="x", n=1, seed=0, format="jsonl", uid=None, seconds=3.0))
    assert caught.value.problems[0].kind == "pairs-too-long"
    assert _ended(int(mark.read_text()))
    assert not list(tmp_path.glob("bidui-pairs-*"))


def _ended(process: int) -> bool:
    for _ in range(2_400):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
