"""Installs the wheel of bidui in fresh environments, runs the commands there, and prints the table of what was tried.

    python tests/matrix.py [--python 3.13] [--versions lowest] [--extra lm] [--torch 2.13.0] [--keep FOLDER]

Every environment is one of Python 3.11 to 3.13, with the lowest versions that pyproject.toml allows and that have a
wheel for that Python, or the newest; plain, or with the extra `lm`. `--torch` fixes the version of torch, for machines
that have only one. A Python that is not here is named and skipped. uv resolves and installs: pip cannot choose the
lowest versions. The commands are those of `smoke.py`, run from an empty folder without the repository.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
SHOWN = ("typer", "polars", "numpy", "scipy", "matplotlib", "fastapi", "SQLAlchemy", "torch", "transformers")
SOURCES = "jieba"  # the only package without a wheel


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", choices=PYTHONS)
    parser.add_argument("--versions", action="append", choices=("lowest", "newest"))
    parser.add_argument("--extra", action="append", choices=("plain", "lm"))
    parser.add_argument("--torch", default="")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        uv, wheel = make_tools(folder)
        for version in options.python or PYTHONS:
            python = find_python(version)
            for versions in options.versions or ("lowest", "newest"):
                for extra in options.extra or ("plain", "lm"):
                    home = folder / f"{version}-{versions}-{extra}"
                    if python is None:
                        result, used = "no such Python here", {}
                    else:
                        result, used = try_environment(uv, wheel, home, python, versions, extra, options.torch)
                    failed |= result not in ("passed", "no such Python here")
                    rows.append((version, versions, extra, result, used))
                    print(*rows[-1][:4], flush=True)
    print("\n| Python | versions | extra | result | " + " | ".join(SHOWN) + " |")
    print("|---" * (4 + len(SHOWN)) + "|")
    for *cells, used in rows:
        print("| " + " | ".join([*cells, *(used.get(name.lower(), "") for name in SHOWN)]) + " |")
    return int(failed)


def make_tools(folder: Path) -> tuple[str, Path]:
    """Return uv and a wheel that is built from the files that git knows, as a clean clone has them."""
    tools = folder / "tools"
    if not (tools / "bin").is_dir():
        subprocess.run([sys.executable, "-m", "venv", tools], check=True)
        subprocess.run([tools / "bin/pip", "install", "-q", "uv", "build"], check=True)
    clone = folder / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    subprocess.run([tools / "bin/python", "-m", "build", "-w", "-o", folder / "dist", clone], check=True, stdout=-3)
    [wheel] = (folder / "dist").glob("bidui-*.whl")
    return str(tools / "bin/uv"), wheel


def find_python(version: str) -> str | None:
    """Return a Python of this version: the one on the path, or one of pyenv's."""
    candidates = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    for candidate in filter(None, candidates):
        if subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(candidate)
    return None


def try_environment(
    uv: str, wheel: Path, home: Path, python: str, versions: str, extra: str, torch: str
) -> tuple[str, dict[str, str]]:
    """Return "passed" or what failed, and the versions of all packages by their names in lower case."""
    subprocess.run([uv, "venv", "-q", "--clear", "-p", python, home], check=True)
    wanted = [f"bidui[{extra}] @ {wheel.as_uri()}" if extra != "plain" else str(wheel)]
    wanted += [f"torch=={torch}"] if torch and extra == "lm" else []
    resolution = ["--resolution", "lowest-direct" if versions == "lowest" else "highest"]
    binary = ["--only-binary", ":all:", "--no-binary", SOURCES]
    found = [f"--find-links={place}" for place in os.environ.get("PIP_FIND_LINKS", "").split()]
    if versions == "lowest":  # what the wheel asks for is direct only if it is named
        wanted += requirements(wheel, extra)
    install = [uv, "pip", "install", "-q", "-p", home / "bin/python", *resolution, *binary, *found, *wanted]
    done = subprocess.run(install, capture_output=True, check=False, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return "not installed", {}
    listed = subprocess.run([uv, "pip", "list", "-p", home / "bin/python", "--format", "json"], capture_output=True)
    used = {package["name"].lower(): package["version"] for package in json.loads(listed.stdout)}
    empty = home / "empty"
    shutil.rmtree(empty, ignore_errors=True)
    empty.mkdir()
    shutil.copy(ROOT / "tests/smoke.py", home / "smoke.py")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "BIDUI"))}
    run = subprocess.run([home / "bin/python", home / "smoke.py", extra], cwd=empty, env=clean, check=False)
    return "passed" if run.returncode == 0 else "commands failed", used


def requirements(wheel: Path, extra: str) -> list[str]:
    """Return what the wheel requires, as pyproject.toml says it."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], *(project["optional-dependencies"][extra] if extra != "plain" else ())]


if __name__ == "__main__":
    sys.exit(main())
