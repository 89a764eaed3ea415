"""Write the two references, `docs/cli.md` from the commands and `docs/api.md` from the public names of `bidui`."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup  # typer's own, since it may or may not bring click along

import bidui
from bidui.cli.main import app

# The steps of the flow: a title, a sentence, and the modules whose public names belong to it. The longest prefix wins.
STEPS = {
    "Write": (
        "Create, open, check and convert projects: lexicons, phrases and paradigms.",
        ("bidui.grammar", "bidui.benchmarks.open_project", "bidui.benchmarks.check", "bidui.web"),
    ),
    "Generate": (
        "Count, enumerate and draw pairs; read, write and measure them.",
        (
            *("bidui.grammar.count", "bidui.grammar.enumerate_all", "bidui.grammar.draw", "bidui.grammar.generate"),
            *("bidui.benchmarks", "bidui.pairs", "bidui.treebank", "bidui.files"),
        ),
    ),
    "Score": ("Score sentences with language models, token by token.", ("bidui.models", "bidui.scores")),
    "Link": (
        "Turn token scores into acceptability scores, and these into choices.",
        ("bidui.scores.links", "bidui.scores.choices"),
    ),
    "Train": (
        "Prepare text, and train tokenizers, language models and n-gram models.",
        ("bidui.training", "bidui.scale"),
    ),
    "Ask": ("Ask people: design studies, read their answers, and decide on paradigms.", ("bidui.people",)),
    "Analyse": ("Compute accuracies and compare models, with intervals.", ("bidui.analysis", "bidui.intervals")),
    "Report": ("Write reports, and read published results.", ("bidui.reports",)),
    "Errors": ("What bidui raises when a user can fix the cause.", ("bidui.errors",)),
}
OTHER = "Other"


def cli_reference() -> str:
    """Return the help of every command as Markdown; subcommands follow their command."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    lines = ["# The command line", "", "Made by `make docs` from the commands themselves; do not edit.", ""]
    helped = {"help_option_names": group.context_settings["help_option_names"]}
    root = typer.Context(group, info_name="bidui", max_content_width=100, terminal_width=100, **helped)
    for path, help_text in _helps(group, root):
        lines += [f"## {path}", "", "```text", *(line.rstrip() for line in help_text.splitlines()), "```", ""]
    return "\n".join(lines)


def _helps(group: TyperGroup, parent: typer.Context) -> Iterator[tuple[str, str]]:
    for name in sorted(group.commands):
        command = group.commands[name]
        context = typer.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
        yield context.command_path, command.get_help(context).rstrip()
        if isinstance(command, TyperGroup):
            yield from _helps(command, context)


def api_reference() -> str:
    """Return every public name of `bidui` as Markdown, by the step of the flow it belongs to."""
    steps: dict[str, list[str]] = {}
    for name in bidui.__all__:
        steps.setdefault(_step(name), []).append(name)
    lines = [
        *("# The Python API", ""),
        "Everything a command does is one call in `bidui`. This page lists all public names, in the order in which",
        "data flows. Made by `make docs` from the code itself; do not edit.",
        *("", "```py", "import bidui", "", 'pairs = bidui.generate("zhoblimp", n=300, seed=0)'),
        *('scores = bidui.score(pairs, "bidui:zh-14m-char")', 'choices = bidui.choose(scores, "slln:0.5")'),
        *('print(bidui.accuracy(choices, by="phenomenon"))', "```", ""),
    ]
    for step in (*STEPS, OTHER):
        if step not in steps:
            continue
        # functions first, since these are what a reader looks for; then the types they take and return
        names = sorted(steps[step], key=lambda name: (inspect.isclass(getattr(bidui, name)), name.lower()))
        lines += [f"## {step}", ""]
        lines += [STEPS[step][0], ""] if step in STEPS else []
        for name in names:
            lines += [f"### {name}", "", *_described(name, getattr(bidui, name)), ""]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _step(name: str) -> str:
    value = getattr(bidui, name)
    home = getattr(value, "__module__", None) or ""
    known = [
        (len(prefix), step)
        for step, (_, prefixes) in STEPS.items()
        for prefix in prefixes
        if f"{home}.{name}".startswith(f"{prefix}.") or f"{home}.{name}" == prefix
    ]
    return max(known)[1] if known else OTHER


def _described(name: str, value: object) -> list[str]:
    """Describe one name: its signature as it is written in the code, its docstring, and what a class holds."""
    node = _source(value)
    if isinstance(node, ast.ClassDef):
        return _class(node, value)
    if isinstance(node, ast.FunctionDef):
        return ["```py", *_signature(node, name), "```", "", inspect.getdoc(value) or ""]
    return ["```py", f"{name} = {value!r}", "```"]


def _source(value: object) -> ast.stmt | None:
    """Return the definition of a function or class; None for values that have none, such as type aliases."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]  # type: ignore[arg-type]
    except (TypeError, OSError):
        return None


def _signature(node: ast.FunctionDef, name: str, *, method: bool = False) -> list[str]:
    """Return a signature in one line or, if that is too long, with one line per parameter."""
    bound = method and "staticmethod" not in map(ast.unparse, node.decorator_list)
    parameters = _parameters(node.args)[bound:]
    returned = f" -> {_annotation(node.returns)}" if node.returns else ""
    line = f"{name}({', '.join(parameters)}){returned}"
    return [line] if len(line) <= 100 else [f"{name}(", *(f"    {part}," for part in parameters), f"){returned}"]


def _parameters(arguments: ast.arguments) -> list[str]:
    """Return the parameters of a function as they are written, each with its annotation and default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(positional) - len(arguments.defaults))
    parts = [_parameter(*pair) for pair in zip(positional, [*missing, *arguments.defaults], strict=True)]
    if arguments.vararg or arguments.kwonlyargs:
        parts.append("*" + (_parameter(arguments.vararg) if arguments.vararg else ""))
    parts += [_parameter(*pair) for pair in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return parts + (["**" + _parameter(arguments.kwarg)] if arguments.kwarg else [])


def _parameter(argument: ast.arg, default: ast.expr | None = None) -> str:
    annotation = f": {_annotation(argument.annotation)}" if argument.annotation else ""
    return argument.arg + annotation + (f" = {ast.unparse(default)}" if default else "")


def _annotation(node: ast.expr) -> str:
    """Return an annotation as written, without the quotes around names that are imported for types only."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _class(node: ast.ClassDef, value: object) -> list[str]:
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    lines = ["```py", f"class {node.name}{bases}", "```", "", inspect.getdoc(value) or ""]
    source = textwrap.dedent(inspect.getsource(value)).splitlines()  # type: ignore[arg-type]
    fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
    rows = [row for statement in fields if (row := _field(statement, source[statement.lineno - 1]))]
    if rows:
        lines += ["", "| field | type | meaning |", "|---|---|---|", *rows]
    lines.append("")
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            lines += _member(member)
    return lines


def _field(statement: ast.AnnAssign, line: str) -> str:
    name = ast.unparse(statement.target)
    if name.startswith("_"):
        return ""
    comment = line.partition("  # ")[2]
    default = f" = {ast.unparse(statement.value)}" if statement.value else ""
    kind = f"{_annotation(statement.annotation)}{default if 'field(' not in default else ''}".replace("|", "\\|")
    return f"| `{name}` | `{kind}` | {comment.replace('|', '&#124;')} |"


def _member(node: ast.FunctionDef) -> list[str]:
    decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
    if decorators & {"property", "cached_property", "functools.cached_property"}:
        head = [f"{node.name}: {_annotation(node.returns)}" if node.returns else node.name]
    else:
        head = _signature(node, node.name, method=True)
    summary = inspect.cleandoc(ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
    shown = "".join(part.strip() + " " * part.endswith(",") for part in head).replace(", )", ")")
    return [f"- `{shown}`: {summary}" if summary else f"- `{shown}`"]


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(api_reference() if page.name == "api.md" else cli_reference(), encoding="utf-8")
