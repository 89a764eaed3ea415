"""`bidui new`, `check`, `import-classic` and `export-classic`: create, check and convert projects."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from bidui.benchmarks import open_project, project_folder
from bidui.cli.console import count, messages
from bidui.errors import InputError, Problem
from bidui.files import write_file
from bidui.grammar.check import check_project
from bidui.grammar.classic import export_classic as export_paradigm
from bidui.grammar.classic import export_phrases, export_vocabulary, losses, lost_pairs, read_classic, write_import
from bidui.grammar.network import Compiler
from bidui.grammar.paradigm import phrases_within
from bidui.grammar.project import chosen, load_project, read_project, write_starter


def new(
    folder: Annotated[Path, typer.Argument(help="Folder of the new project; must be empty or not exist.")],
    lang: Annotated[Literal["zh", "en"], typer.Option(help="Language of the sentences.")] = "zh",
) -> None:
    """Create a small working project: a lexicon, phrases and paradigms to adapt."""
    write_starter(folder, lang=lang)
    messages().print(f"{escape(str(folder))} is ready; next: bidui check {escape(str(folder))}", highlight=False)


# `bidui check`: list every problem of a project, with its place.

SEVERITIES = {"error": "错误", "warning": "警告"}


def check(
    project: Annotated[str, typer.Argument(help="Name of a shipped benchmark, or a project folder.")],
    only: Annotated[list[str] | None, typer.Option(help="Check only this uid; accepts globs; may be repeated.")] = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the messages.")] = "en",
    seconds: Annotated[
        float, typer.Option(min=0, help="Time limit for the checks across paradigms; 0 skips them.")
    ] = 100,
) -> None:
    """Report every problem in the files of a project and in the pairs they produce.

    The exit code is 2 if there are errors, and 0 if there are only warnings.
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


# `bidui import-classic`: convert a project in the papers' format to a bidui project.


def import_classic(
    templates: Annotated[Path, typer.Argument(help="Folder of JSON templates.")],
    vocabulary: Annotated[Path, typer.Option(help="Vocabulary file (TSV).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the new project.")],
    phrases: Annotated[Path | None, typer.Option(help="Phrase file (JSON).")] = None,
) -> None:
    """Convert templates, vocabulary and phrases in the papers' format to a bidui project."""
    console = messages()
    read = read_classic(templates, vocabulary=vocabulary, phrases=phrases)
    for problem in read.problems:
        if problem.severity == "warning":
            console.print(f"[yellow]warning[/]: {escape(str(problem))}", highlight=False)
    write_import(read, out)
    for problem in losses(load_project(out)):
        console.print(f"[yellow]warning[/]: {escape(str(problem))}", highlight=False)
    console.print(f"{escape(str(out))}: {count(len(read.paradigms), 'paradigm')}", highlight=False)


# `bidui export-classic`: write paradigms as the papers' JSON templates.


def export_classic(
    project: Annotated[str, typer.Argument(help="Name of a shipped benchmark, or a project folder.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder for templates, vocabulary and phrases.")],
    only: Annotated[
        list[str] | None, typer.Option(help="Export only this uid; accepts globs; may be repeated.")
    ] = None,
) -> None:
    """Write paradigms as JSON templates in the papers' format.

    A paradigm that uses features the format lacks is skipped with a reason, and the exit code is 1.
    """
    console = messages()
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
        else:  # the template would produce pairs that the paradigm does not
            left.append(Problem("classic-more-pairs", lost.place, lost.values, "warning"))
    (out / "templates").mkdir(parents=True, exist_ok=True)
    for uid, template in templates.items():
        write_file(out / "templates" / f"{uid}.json", _json(template))
    write_file(out / "vocabulary.tsv", export_vocabulary(opened.lexicon).encode())
    if needed:
        kept = {name: phrase for name, phrase in opened.phrases.items() if name in needed}
        write_file(out / "phrases.json", _json(export_phrases(kept)))
    for problem in left:
        console.print(f"[yellow]skipped[/]: {escape(str(problem))}", highlight=False)
    console.print(f"{escape(str(out))}: {count(len(templates), 'template')}", highlight=False)
    raise typer.Exit(1 if left else 0)


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
