"""The bundle that the pages load is built from the sources in `frontend/`, byte for byte."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
COMMITTED = ROOT / "src" / "bidui" / "web" / "static" / "dist"
EXACT = re.compile(r"\d+\.\d+\.\d+")


def package() -> dict[str, Any]:
    return read_json(FRONTEND / "package.json")


def locked() -> dict[str, dict[str, Any]]:
    """Return every locked package by the folder it is installed in; the project itself is under ""."""
    packages: dict[str, dict[str, Any]] = read_json(FRONTEND / "package-lock.json")["packages"]
    return packages


def read_json(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600, check=False)


def is_installed(folder: Path) -> bool:
    """Return whether a folder has the locked packages; optional ones for other machines may be missing."""
    record = folder / "node_modules" / ".package-lock.json"
    if not record.exists():
        return False
    present = {name: each.get("integrity") for name, each in read_json(record)["packages"].items()}
    wanted = {name: each for name, each in locked().items() if name}
    return all(name in wanted and wanted[name].get("integrity") == sum for name, sum in present.items()) and all(
        name in present or each.get("optional") for name, each in wanted.items()
    )


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the front end with its packages; where they are not installed, a copy with them."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"the scripts cannot be built: no {program} (Node.js, with npm)")
    if is_installed(FRONTEND):
        return FRONTEND
    copy = tmp_path_factory.mktemp("frontend") / "frontend"
    shutil.copytree(FRONTEND, copy, ignore=shutil.ignore_patterns("node_modules"))
    done = run(copy, "npm", "ci", "--no-audit", "--no-fund", "--fetch-retries=1")
    if done.returncode:
        reason = [line for line in done.stderr.splitlines() if "error" in line][:1]
        pytest.skip(f"the packages of the front end cannot be fetched: {reason}")
    return copy


def built(sources: Path, outcome: Path) -> dict[str, bytes]:
    done = run(sources, "node", "build.mjs", str(outcome))
    assert done.returncode == 0, done.stdout + done.stderr
    return contents(outcome)


def test_what_is_committed_is_what_the_sources_give(sources: Path, tmp_path: Path) -> None:
    """The bundle is committed so that nobody needs Node to run bidui; it must match the sources."""
    fresh, committed = built(sources, tmp_path / "dist"), contents(COMMITTED)
    differing = sorted(name for name in fresh.keys() | committed.keys() if fresh.get(name) != committed.get(name))
    assert not differing, f"{', '.join(differing)}: run `cd frontend && npm run build` and commit what comes out"


def test_two_builds_give_the_same_bytes(sources: Path, tmp_path: Path) -> None:
    """Otherwise the test above would report changes that nobody made."""
    first, second = built(sources, tmp_path / "one"), built(sources, tmp_path / "some" / "where" / "else")
    assert first == second
    assert {"style.css", "paradigm.js", "lexicon.js"} <= first.keys()


def test_the_sources_pass_the_type_check(sources: Path) -> None:
    done = run(sources, "npm", "run", "check", "--silent")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_dependency_is_pinned() -> None:
    """A newer editor may bring back a bug with input methods, so packages are updated only on purpose."""
    wanted = {**package()["dependencies"], **package()["devDependencies"]}
    assert [f"{name} {version}" for name, version in wanted.items() if not EXACT.fullmatch(version)] == []
    assert {name: locked()[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert {**locked()[""]["dependencies"], **locked()[""]["devDependencies"]} == wanted


def test_the_lock_names_sums_and_no_places() -> None:
    """Packages may come from any registry, and are verified by their checksums."""
    assert [name for name, each in locked().items() if "resolved" in each] == []
    assert [name for name, each in locked().items() if name and "integrity" not in each] == []


def test_the_licences_of_the_bundled_packages_are_shipped() -> None:
    """Each of them asks that its notice goes wherever its code goes."""
    text = (COMMITTED / "licences.txt").read_text("utf-8")
    for name, version in package()["dependencies"].items():
        assert f"{name} {version} (" in text
    assert text.count("Permission is hereby granted") >= len(package()["dependencies"])
