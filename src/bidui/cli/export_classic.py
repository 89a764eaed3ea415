"""`bidui export-classic`: paradigms as the papers' JSON templates."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from bidui.benchmarks import open_project
from bidui.errors import InputError, Problem
from bidui.grammar.classic import export_classic as export_paradigm
from bidui.grammar.classic import export_phrases, export_vocabulary, lost_pairs
from bidui.grammar.nesting import phrases_within
from bidui.grammar.network import Compiler
from bidui.grammar.project import chosen
from bidui.pairs import write_file


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
