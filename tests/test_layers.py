"""Data flows one way: a room of the house imports only from itself and from what stands to its left."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src"
ROOT = "bidui/__init__.py"  # stands left of web and cli, so it may import anything but these, and only they import it
ROOMS = [
    *("words", "errors", "files", "pairs", "grammar", "treebank", "people", "models", "scores"),
    *("analysis", "report", "train", "scale", "benchmarks", ROOT, "web", "cli"),
]


def backward_imports(sources: Path) -> list[str]:
    """Every import that goes against the order, as "file:line from -> to", and every room that has no place in it."""
    faults = []
    for path in sorted(sources.glob("bidui/**/*.py")):
        module = path.relative_to(sources).with_suffix("").parts
        here = ROOT if module == ("bidui", "__init__") else module[1]
        for line, target in imported_rooms(path, package=module[:-1]):
            if here not in ROOMS or target not in ROOMS or ROOMS.index(target) > ROOMS.index(here):
                faults.append(f"{path.relative_to(sources)}:{line} {here} -> {target}")
        if here not in ROOMS:
            faults.append(f"{path.relative_to(sources)}: unknown room {here}")
    return faults


def imported_rooms(path: Path, *, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """The lines that import from bidui, with the room; imports inside functions count as well."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[tuple[str, ...]] = []
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            start += tuple(node.module.split(".")) if node.module else ()
            names = [(*start, alias.name) for alias in node.names]
        for name in names:
            if name[0] == "bidui":
                # `import bidui` and `from bidui import generate` take a public name: that is the root.
                isroom = len(name) > 2 or (len(name) == 2 and is_module(path, name[1]))
                yield node.lineno, name[1] if isroom else ROOT


def is_module(path: Path, name: str) -> bool:
    package = next(folder for folder in path.parents if folder.name == "bidui")
    return name in ROOMS or (package / name).is_dir() or (package / f"{name}.py").is_file()


def test_no_import_goes_against_the_flow() -> None:
    assert backward_imports(SOURCES) == []


@pytest.mark.parametrize(
    ("file", "code", "fault"),
    [
        ("pairs/bad.py", "from bidui.grammar.rules import Rule", "pairs/bad.py:1 pairs -> grammar"),
        ("pairs/bad.py", "import os\nimport bidui.cli.main", "pairs/bad.py:2 pairs -> cli"),
        ("pairs/bad.py", "def f():\n    from bidui import grammar", "pairs/bad.py:2 pairs -> grammar"),
        ("pairs/bad.py", "from ..grammar import rules", "pairs/bad.py:1 pairs -> grammar"),
        ("pairs/bad.py", "from .. import grammar", "pairs/bad.py:1 pairs -> grammar"),
        ("pairs/deep/bad.py", "from ...grammar import rules", "pairs/deep/bad.py:1 pairs -> grammar"),
        ("grammar/bad.py", "from bidui import generate", f"grammar/bad.py:1 grammar -> {ROOT}"),
        ("errors.py", "from bidui.pairs import Pair", "errors.py:1 errors -> pairs"),
        ("__init__.py", "from bidui.web.app import serve", f"__init__.py:1 {ROOT} -> web"),
        ("pairs/bad.py", "from bidui.attic import old", "pairs/bad.py:1 pairs -> attic"),
        ("utils.py", "", "utils.py: unknown room utils"),
    ],
)
def test_the_test_can_fail(tmp_path: Path, file: str, code: str, fault: str) -> None:
    """A check of imports that passes everything would be worse than none."""
    path = tmp_path / "bidui" / file
    path.parent.mkdir(parents=True)
    path.write_text(code, encoding="utf-8")
    assert backward_imports(tmp_path) == [f"bidui/{fault}"]


def test_imports_with_the_flow_pass(tmp_path: Path) -> None:
    for file, code in {
        "__init__.py": "from bidui.pairs import Pair\nfrom bidui.benchmarks import shipped",
        "grammar/__init__.py": "from .rules import Rule\nfrom ..pairs import Pair",
        "grammar/rules.py": "import json\nfrom bidui.errors import fail\nfrom bidui.grammar import lines",
        "cli/generate.py": "import bidui\nfrom bidui import generate",
    }.items():
        (tmp_path / "bidui" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bidui" / file).write_text(code, encoding="utf-8")
    assert backward_imports(tmp_path) == []
