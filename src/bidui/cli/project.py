"""`bidui new`: a small project that works, to start from."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from bidui.benchmarks import open_project, project_folder
from bidui.errors import InputError, Problem
from bidui.grammar.check import check_project
from bidui.grammar.classic import export_classic as export_paradigm
from bidui.grammar.classic import export_phrases, export_vocabulary, losses, lost_pairs, read_classic, write_import
from bidui.grammar.network import Compiler
from bidui.grammar.project import chosen, load_project, read_project, write_starter
from bidui.grammar.tree import phrases_within
from bidui.pairs import write_file


def new(
    folder: Annotated[Path, typer.Argument(help="The project's folder; it must not exist or be empty.")],
    lang: Annotated[Literal["zh", "en"], typer.Option(help="The language of the sentences.")] = "zh",
) -> None:
    """Make a small project that works: a lexicon, phrases and paradigms to change."""
    write_starter(folder, lang=lang)
    Console(stderr=True, soft_wrap=True, emoji=False).print(
        f"{escape(str(folder))} is ready; next: bidui check {escape(str(folder))}", highlight=False
    )


# `bidui check`: every problem of a project, with its place.

SEVERITIES = {"error": "错误", "warning": "警告"}


def check(
    project: Annotated[str, typer.Argument(help="A shipped benchmark or a project folder.")],
    only: Annotated[list[str] | None, typer.Option(help="Only these uids; globs work; may be repeated.")] = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the messages.")] = "en",
    seconds: Annotated[
        float, typer.Option(min=0, help="Time for the checks across paradigms; 0 leaves them out.")
    ] = 100,
) -> None:
    """Report every problem of every file, and of the pairs that follow from them.

    Exit code 2 if there is an error; warnings alone leave it at 0.
    """
    console = Console(soft_wrap=True, emoji=False)
    problems = check_project(read_project(project_folder(project)), only=only or (), seconds=seconds)
    for problem in problems:
        where = f"{escape(problem.place.text(lang))}: " if str(problem.place) else ""
        colour = "red" if problem.severity == "error" else "yellow"
        severity = SEVERITIES[problem.severity] if lang == "zh" else problem.severity
        console.print(f"{where}[{colour}]{severity}[/]: {escape(problem.text(lang))}", highlight=False)
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    if lang == "zh":
        console.print(f"{errors} 个错误，{warnings} 个警告")
    else:
        console.print(f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}")
    raise typer.Exit(2 if errors else 0)


# `bidui import-classic`: a ZhoBLiMP project as published, made into a project of ours.


def import_classic(
    templates: Annotated[Path, typer.Argument(help="The folder of JSON templates.")],
    vocabulary: Annotated[Path, typer.Option(help="The vocabulary TSV.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder of the new project.")],
    phrases: Annotated[Path | None, typer.Option(help="The phrase JSON.")] = None,
) -> None:
    """Read templates, vocabulary and phrases in the papers' own format, and write them as a project."""
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    read = read_classic(templates, vocabulary=vocabulary, phrases=phrases)
    for problem in read.problems:
        if problem.severity == "warning":
            console.print(f"[yellow]warning[/]: {escape(str(problem))}", highlight=False)
    write_import(read, out)
    for problem in losses(load_project(out)):
        console.print(f"[yellow]warning[/]: {escape(str(problem))}", highlight=False)
    console.print(f"{len(read.paradigms)} paradigms in {escape(str(out))}", highlight=False)


# `bidui export-classic`: paradigms as the papers' JSON templates.


def export_classic(
    project: Annotated[str, typer.Argument(help="A shipped benchmark or a project folder.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A folder for templates, vocabulary and phrases.")],
    only: Annotated[list[str] | None, typer.Option(help="Only these uids; globs work; may be repeated.")] = None,
) -> None:
    """Write paradigms that use only the papers' means as their JSON templates.

    Exit code 1 if some paradigm uses more than that: it is left out, with the reason.
    """
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    opened = open_project(project)
    compiler = Compiler.of(opened)
    left: list[Problem] = []
    templates: dict[str, dict[str, object]] = {}
    needed: set[str] = set()
    for paradigm in chosen(opened.paradigms, only=only or (), excluded=True):
        try:
            template = export_paradigm(paradigm, settings=opened.settings, phrases=opened.phrases)
            slots = [slot for variant in paradigm.variants for slot in variant.slots.values()]
            phrases = export_phrases(phrases_within(slots, opened.phrases))
            lost = lost_pairs(paradigm, compiler.networks(paradigm))
        except InputError as error:
            left += error.problems
            continue
        if lost is None:
            templates[paradigm.uid] = template
            needed |= set(phrases)
        else:  # the template would make pairs that the paradigm does not
            left.append(Problem("classic-more-pairs", lost.place, lost.values, "warning"))
    (out / "templates").mkdir(parents=True, exist_ok=True)
    for uid, template in templates.items():
        write_file(out / "templates" / f"{uid}.json", _json(template))
    write_file(out / "vocabulary.tsv", export_vocabulary(opened.lexicon).encode())
    if needed:
        kept = {name: phrase for name, phrase in opened.phrases.items() if name in needed}
        write_file(out / "phrases.json", _json(export_phrases(kept)))
    for problem in left:
        console.print(f"[yellow]left out[/]: {escape(str(problem))}", highlight=False)
    console.print(f"{len(templates)} templates in {escape(str(out))}", highlight=False)
    raise typer.Exit(1 if left else 0)


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
