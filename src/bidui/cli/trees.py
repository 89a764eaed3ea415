"""`bidui trees`: search treebanks, and take the tables of a project from them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

import bidui
from bidui.cli import count, messages

if TYPE_CHECKING:
    from bidui.treebank.trees import TreeCounts

app = typer.Typer(
    help="Search treebanks, bracketed (Penn Chinese Treebank) or CoNLL-U, and take phrases from them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Files = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders or globs of bracketed trees or CoNLL-U, plain or compressed (.gz, .xz, .bz2).",
        show_default=False,
    ),
]


@app.command()
def search(
    pattern: Annotated[str, typer.Argument(help="What to find, such as 'VP[... verb:VV AS? object:NP-OBJ]'.")],
    files: Files,
    format: Annotated[
        Literal["text", "tsv", "jsonl"],
        typer.Option(help="Output format: text for readers, tsv or jsonl with every named part for programs."),
    ] = "text",
    most: Annotated[int | None, typer.Option("-n", min=1, help="Stop after this many matches. Default: all.")] = None,
) -> None:
    """Find nodes in trees and print them with their sentences.

    NP-OBJ is a label with a function tag (in CoNLL-U: NOUN-obj), NN=水稻 a word, NP(QP NN) daughters in this order,
    VP[... VV NP] exactly these daughters, NP(..M) anything below, NP(!CC) none of these, NP(^NN=老师) the head, and
    verb:VV a name for a part. The exit code is 1 if some trees could not be read; they are skipped and listed.
    """
    trees = bidui.read_trees(files)
    matches = sentences = 0
    last: object = None
    for match in bidui.search_trees(trees, pattern):
        if matches == 0 and format == "tsv":
            typer.echo("\t".join(("file", "line", "match", *match.parts, "sentence")))
        matches += 1
        sentences += match.tree is not last
        last = match.tree
        _print(match, format)
        if matches == most:
            break
    console = messages()
    stopped = f"; stopped after {count(matches, 'match', 'matches')}" if matches == most else ""
    summary = f"{count(matches, 'match', 'matches')} in {sentences:,} of {count(trees.counts.trees, 'tree')}{stopped}"
    console.print(summary, highlight=False)
    show_broken(console, trees.counts)
    raise typer.Exit(1 if trees.counts.broken else 0)


def _print(match: bidui.TreeMatch, format: str) -> None:
    tree = match.tree
    parts = {name: node.text for name, node in match.parts.items()}
    if format == "jsonl":
        found = {"file": tree.file, "line": tree.line, "match": match.text, **parts, "sentence": tree.text}
        typer.echo(json.dumps(found, ensure_ascii=False))
    elif format == "tsv":
        cells = (tree.file, str(tree.line), match.text, *parts.values(), tree.text)
        typer.echo("\t".join(" ".join(cell.split()) for cell in cells))
    else:
        named = "".join(f"  {name}={text}" for name, text in parts.items())
        typer.echo(f"{match.place}: {match.text}{named}\n    {tree.text}")


@app.command()
def extract(
    project: Annotated[Path, typer.Argument(help="Folder of a project that declares `trees:` in its project.yaml.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders or globs of trees. Default: those named in project.yaml.", show_default=False
        ),
    ] = None,
) -> None:
    """Take phrases from trees and write them as tables of a project's lexicon, replacing the tables it has.

    The exit code is 1 if some trees could not be read; they are skipped and listed.
    """
    tables = bidui.extract_tables(project, trees=files or ())
    for name, file in tables.files.items():
        typer.echo(f"{project / file}: {count(len(tables.rows[name]), 'row')}")
    console = messages()
    console.print(f"{count(tables.counts.trees, 'tree')} in {count(tables.counts.files, 'file')}", highlight=False)
    show_broken(console, tables.counts)
    raise typer.Exit(1 if tables.counts.broken else 0)


def show_broken(console: Console, counts: "TreeCounts") -> None:
    """Say which trees could not be read, and which files hold none."""
    for problem in counts.problems:
        console.print(escape(str(problem)), style="yellow", highlight=False)
    if counts.broken > len(counts.problems):
        console.print(f"[yellow]and {counts.broken - len(counts.problems):,} more broken trees[/]", highlight=False)
    if counts.broken:
        verb = "was" if counts.broken == 1 else "were"
        console.print(
            f"[yellow]{count(counts.broken, 'tree')} could not be read and {verb} skipped[/]", highlight=False
        )
    if counts.ignored:
        names = ", ".join(Path(name).name for name in counts.ignored[:5])
        console.print(escape(f"{count(len(counts.ignored), 'file')} without trees: {names}"), highlight=False)
