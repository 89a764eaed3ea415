"""Data flows one way: a room of the house imports only from itself and from what stands to its left."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src"
ROOT = "bidui/__init__.py"  # the public API: it may name anything but the commands, and only they import it
ROOMS = [
    *(
        "words",
        "errors",
        "files",
        "notebooks",
        "intervals",
        "signals",
        "scale",
        "pairs",
        "grammar",
        "treebank",
        "people",
        "benchmarks",
        "models",
        "scores",
    ),
    *("training", "analysis", "reports", "web", ROOT, "cli", "__main__"),
]
MODULE = re.compile(r"bidui(\.\w+)+(:\w+)?")


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
    """The lines that import from bidui, with the room; imports inside functions and in strings count as well."""
    for line, name in imported_names(ast.parse(path.read_text(encoding="utf-8")), package):
        if name[0] == "bidui":
            # `import bidui` and `from bidui import generate` take a public name: that is the root.
            isroom = len(name) > 2 or (len(name) == 2 and is_module(path, name[1]))
            yield line, name[1] if isroom else ROOT


def imported_names(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every dotted name that is imported, with its line."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, tuple(alias.name.split("."))) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            start += tuple(node.module.split(".")) if node.module else ()
            yield from ((node.lineno, (*start, alias.name)) for alias in node.names)
        elif isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in docstrings:
            yield from ((node.lineno, name) for name in names_in_text(text_of(node)))


def text_of(node: ast.Constant | ast.JoinedStr) -> str:
    """The text of a string; what an f-string fills in is an x."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in parts)


def names_in_text(text: str) -> Iterator[tuple[str, ...]]:
    """What a string imports: code for another process, or a module named by itself, as for `import_module`."""
    if "bidui" not in text:
        return
    if MODULE.fullmatch(text) and re.split(r"[.:]", text)[1] in ROOMS:  # and not a file such as bidui.json
        yield tuple(text.partition(":")[0].split("."))
    with suppress(SyntaxError):
        yield from (name for _, name in imported_names(ast.parse(text), ()))


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
        ("__init__.py", "from bidui.cli.main import app", f"__init__.py:1 {ROOT} -> cli"),
        ("web/bad.py", "from bidui import generate", f"web/bad.py:1 web -> {ROOT}"),
        ("pairs/bad.py", "from bidui.attic import old", "pairs/bad.py:1 pairs -> attic"),
        ("utils.py", "", "utils.py: unknown room utils"),
        ("scale/bad.py", 'RUN = "from bidui.cli.main import run; run()"', "scale/bad.py:1 scale -> cli"),
        ("scale/bad.py", 'RUN = "import sys, bidui.cli.main"', "scale/bad.py:1 scale -> cli"),
        ("scale/bad.py", 'RUN = "import bidui.cli.main as main"', "scale/bad.py:1 scale -> cli"),
        ("scale/bad.py", 'NAME = ""\nRUN = f"{NAME};from bidui import cli"', "scale/bad.py:2 scale -> cli"),
        ("pairs/bad.py", 'import_module("bidui.grammar.rules")', "pairs/bad.py:1 pairs -> grammar"),
        ("pairs/bad.py", 'START = "bidui.cli.main:run"', "pairs/bad.py:1 pairs -> cli"),
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
        "scale/tasks.py": '"""Not run: from bidui.cli.main import run."""\nRUN = ("python", "-m", "bidui")',
        "models/files.py": 'NAMES = ("bidui.json", "import bidui from text", "bidui.grammar is a room")',
        "__main__.py": "from bidui.cli.main import run",
    }.items():
        (tmp_path / "bidui" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bidui" / file).write_text(code, encoding="utf-8")
    assert backward_imports(tmp_path) == []


def test_commands_import_the_public_api_and_nothing_deeper() -> None:
    """Everything a command does, a script can do with one call; only types that are checked may come from deeper."""
    faults = []
    for path in sorted((SOURCES / "bidui" / "cli").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        blocks = [node for node in tree.body if isinstance(node, ast.If)]  # if TYPE_CHECKING
        types = {id(node) for block in blocks for node in ast.walk(block)}
        for node in ast.walk(tree):
            deeper = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bidui.")
            if deeper and not (node.module or "").startswith("bidui.cli") and id(node) not in types:
                faults.append(f"{path.name}:{node.lineno} {node.module}")
    assert faults == []
