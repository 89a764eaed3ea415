"""Every problem has words in both languages, and the words ask only for values that the problem carries."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from bidui.errors import Problem
from bidui.words import COLUMNS, Language, Table, rows, texts

SOURCES = Path(__file__).parent.parent / "src" / "bidui"
MESSAGES: dict[str, dict[Language, str]] = {  # a key with a full stop is a piece of a message, not a kind of problem
    kind: {language: texts("problems", language)[kind] for language in COLUMNS}
    for kind in texts("problems", "en")
    if "." not in kind
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Maker:
    """A function that makes problems: which arguments hold the kind and the values, or the names of fixed values."""

    kind: int
    values: int | None = None
    fixed: frozenset[str] | None = None


@dataclass(frozen=True)
class Made:
    """One place that makes a problem; no kind if it cannot be read off the code, no names likewise."""

    where: str
    kind: str | None
    names: frozenset[str] | None


def makers_of(files: dict[str, ast.Module]) -> dict[tuple[str, str], Maker]:
    """`Problem`, and every function that hands its own `kind` on to a maker: `fail`, `report`, and what may come.

    A name with an underscore is known in its file only.
    """
    makers = {("", "Problem"): Maker(kind=0, values=2), ("", "Diagnostic"): Maker(kind=0, values=3)}
    found = 0
    while found < len(makers):
        found = len(makers)
        for file, tree in files.items():
            for function in (node for node in ast.walk(tree) if isinstance(node, Function)):
                given = [a.arg for a in (*function.args.posonlyargs, *function.args.args) if a.arg != "self"]
                for call, maker in calls(function, file, makers):
                    kind = argument(call, maker.kind, "kind")
                    if isinstance(kind, ast.Name) and kind.id in given:
                        values = values_of(call, maker)
                        passed = {n.id for n in ast.walk(values) if isinstance(n, ast.Name)} if values else set()
                        index = next((i for i, name in enumerate(given) if name in passed), None)
                        fixed = names_of(values, function, call.lineno)
                        new = Maker(given.index(kind.id), None if fixed is not None else index, fixed)
                        makers[file if function.name[0] == "_" else "", function.name] = new
    return makers


def calls(tree: ast.AST, file: str, makers: dict[tuple[str, str], Maker]) -> Iterator[tuple[ast.Call, Maker]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if maker := makers.get((file if name[0] == "_" else "", name)):
                yield node, maker


def argument(call: ast.Call, index: int, name: str) -> ast.expr | None:
    named = (keyword.value for keyword in call.keywords if keyword.arg == name)
    return call.args[index] if index < len(call.args) else next(named, None)


def values_of(call: ast.Call, maker: Maker) -> ast.expr | None:
    return None if maker.values is None else argument(call, maker.values, "values") or ast.Dict([], [])


def assigned(name: str, function: ast.AST | None, line: int) -> list[ast.stmt]:
    """The assignments to a local name above a line, in order."""
    found: list[ast.stmt] = []
    for node in ast.walk(function) if function else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        mine = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and mine and node.lineno < line:
            found.append(node)
    return sorted(found, key=lambda node: node.lineno)


def kinds_of(kind: ast.expr | None, function: Function | None, line: int) -> list[str | None]:
    if isinstance(kind, ast.Constant) and isinstance(kind.value, str):
        return [kind.value]
    if isinstance(kind, ast.IfExp):
        return [*kinds_of(kind.body, function, line), *kinds_of(kind.orelse, function, line)]
    if isinstance(kind, ast.Attribute) and kind.attr == "kind":
        return []  # an old problem made anew
    if isinstance(kind, ast.Name) and function:
        if kind.id in {a.arg for a in function.args.args}:
            return []  # the function is a maker itself
        if last := assigned(kind.id, function, line)[-1:]:
            return kinds_of(getattr(last[0], "value", None), None, line)
    return [None]


def tabled(function: Function | None, tree: ast.Module) -> list[str | None]:
    """The kinds in the module's tables that a function uses, where it takes its kind from one of them."""
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} if function else set()
    tables = [node for node in tree.body for name in used if node in assigned(name, node, node.lineno + 1)]
    texts = [node.value for table in tables for node in ast.walk(table) if isinstance(node, ast.Constant)]
    kinds = [text for text in texts if isinstance(text, str) and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)+", text)]
    return [*dict.fromkeys(kinds)] or [None]


def names_of(values: ast.expr | None, function: Function | None, line: int) -> frozenset[str] | None:
    """The keys of a dict display, or of one that a local name was last given."""
    if isinstance(values, ast.Name) and (last := assigned(values.id, function, line)[-1:]):
        values = None if isinstance(last[0], ast.AugAssign) else getattr(last[0], "value", None)
    if not isinstance(values, ast.Dict):
        return None
    keys = [key.value for key in values.keys if isinstance(key, ast.Constant)]
    return frozenset(map(str, keys)) if len(keys) == len(values.keys) else None


def problems_made(sources: Path) -> list[Made]:
    """Every place under `sources` that makes a problem."""
    files = {str(p.relative_to(sources)): ast.parse(p.read_text("utf-8")) for p in sorted(sources.rglob("*.py"))}
    makers = makers_of(files)
    made = []
    for file, tree in files.items():
        around: dict[ast.Call, Function] = {}
        for node in ast.walk(tree):  # inner functions come after outer ones
            if isinstance(node, Function):
                around |= {call: node for call, _ in calls(node, file, makers)}
        for call, maker in calls(tree, file, makers):
            function = around.get(call)
            names = maker.fixed if maker.fixed is not None else names_of(values_of(call, maker), function, call.lineno)
            kinds = kinds_of(argument(call, maker.kind, "kind"), function, call.lineno)
            for kind in tabled(function, tree) if kinds == [None] else kinds:
                made.append(Made(f"{file}:{call.lineno}", kind, names))
    return made


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


MADE = problems_made(SOURCES)


def test_every_kind_can_be_read_off_the_code() -> None:
    """Else the tests below would be silent about it: write the kind as a string where the problem is made."""
    assert [made.where for made in MADE if made.kind is None] == []


def test_every_problem_has_words() -> None:
    """A problem without words would end in a traceback instead of a message."""
    assert [f"{made.where} {made.kind}" for made in MADE if made.kind and made.kind not in MESSAGES] == []


def test_every_message_is_used() -> None:
    """Words that nothing says any more mislead those who look for the right ones."""
    assert sorted(MESSAGES.keys() - {made.kind for made in MADE}) == []


@pytest.mark.parametrize("kind", MESSAGES)
def test_both_languages_show_the_same_values(kind: str) -> None:
    """Whoever reads Chinese learns as much as whoever reads English."""
    message = MESSAGES[kind]
    assert message["en"] and message["zh"]
    assert placeholders(message["en"]) == placeholders(message["zh"])


def test_messages_ask_only_for_values_that_are_given() -> None:
    """A placeholder without a value would be a KeyError in the middle of an error message."""
    lacking = [
        f"{made.where} {made.kind}: {sorted(placeholders(MESSAGES[made.kind]['en']) - made.names)}"
        for made in MADE
        if made.kind in MESSAGES and made.names is not None and placeholders(MESSAGES[made.kind]["en"]) - made.names
    ]
    assert lacking == []


@pytest.mark.parametrize("table", get_args(Table))
def test_no_kind_is_in_two_sections(table: Table) -> None:
    """The later row would silently win."""
    keys = [key for key, _, _ in rows(table)]
    assert sorted(keys) == sorted(texts(table, "en")) == sorted(texts(table, "zh"))


@pytest.mark.parametrize("table", get_args(Table))
def test_tables_have_a_head(table: Table) -> None:
    assert (SOURCES / "words" / f"{table}.tsv").read_text("utf-8").splitlines()[0] == "key\ten\tzh"


def test_escapes_are_undone() -> None:
    """Else a message would show a backslash and an n where its second line begins."""
    assert "\n    " in MESSAGES["escape-unknown"]["en"]
    assert "write `\\\\`" in MESSAGES["escape-unknown"]["en"]
    assert "\\n" not in "".join(message["en"] + message["zh"] for message in MESSAGES.values())


@pytest.mark.parametrize(
    ("code", "kind", "names"),
    [
        ('fail("a", place, {"x": 1, "y": 2})', "a", {"x", "y"}),
        ('Problem("a", place)', "a", set()),
        ('Problem("a", severity="warning", values={"x": 1})', "a", {"x"}),
        ('Problem("a", place, make())', "a", None),
        ('def f():\n    values = {"x": 1}\n    raise fail("a", place, values)', "a", {"x"}),
        ('def f():\n    values = {"x": 1}\n    values |= more\n    raise fail("a", place, values)', "a", None),
        ('def _wrong(kind, n):\n    return fail(kind, None, {"n": n})\n_wrong("a", 1)', "a", {"n"}),
        ('KINDS = {int: "not-int"}\ndef f(t):\n    raise fail(KINDS[t], place, {"x": 1})', "not-int", {"x"}),
        ("fail(KINDS[0], place)", None, set()),
    ],
)
def test_the_tests_can_fail(tmp_path: Path, code: str, kind: str | None, names: set[str] | None) -> None:
    """A walk that finds nothing would let everything pass."""
    fail = "def fail(kind, place=None, values=None):\n    return InputError([Problem(kind, place, values or {})])\n"
    (tmp_path / "errors.py").write_text(fail, "utf-8")
    (tmp_path / "more.py").write_text(code, "utf-8")
    found = [made for made in problems_made(tmp_path) if made.where.startswith("more.py")]
    assert [(made.kind, made.names) for made in found] == [(kind, names)]


def test_a_kind_chosen_by_a_condition_counts_as_both(tmp_path: Path) -> None:
    code = 'def f():\n    kind = "a" if x else "b"\n    raise Problem(kind, place)\nProblem("c" if x else "d")'
    (tmp_path / "more.py").write_text(code, "utf-8")
    assert sorted(str(made.kind) for made in problems_made(tmp_path)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_guess_is_left_out_where_there_is_none(language: Language) -> None:
    """`perhaps one of: none` helps nobody; a project without phrases has none to offer."""
    values: dict[str, object] = {"phrase": "X", "near": ["Y", "Z"]}
    said = Problem("phrase-unknown", values=values).text(language)
    bare = Problem("phrase-unknown", values={**values, "near": []}).text(language)
    assert said.startswith(bare) and "Y" in said
    assert bare == {"en": "there is no phrase X", "zh": "没有短语 X"}[language]


@pytest.mark.parametrize(("count", "said"), [(1, "there is 1 more problem"), (2, "there are 2 more problems")])
def test_numbers_agree(count: int, said: str) -> None:
    """`1 problems` looks like a fault of the program."""
    assert Problem("more-problems", values={"count": count}).text() == said
    assert Problem("more-problems", values={"count": count}).text("zh") == f"另有 {count} 个问题"
