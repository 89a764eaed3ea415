"""`bidui study`: ask people about pairs, and decide on paradigms by their answers."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import bidui
from bidui.cli import count, messages

app = typer.Typer(
    help="Ask people about pairs: design a study, import answers, and decide on paradigms.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Folder = Annotated[Path, typer.Argument(help="Folder of the study.")]


@app.command()
def new(
    source: Annotated[
        str, typer.Argument(help="Name of a shipped benchmark, a project folder, or a file or folder of pairs.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="New output folder for the study.")] = Path("study"),
    preset: Annotated[
        str, typer.Option(help="Design to start from: bidui, zhoblimp, sling, climp or climp-first.")
    ] = "bidui",
    per_paradigm: Annotated[int | None, typer.Option(min=1, help="Number of pairs per paradigm.")] = None,
    lists: Annotated[int | None, typer.Option(min=0, help="Number of lists of choices between two sentences.")] = None,
    rating_lists: Annotated[
        int | None, typer.Option(min=0, help="Number of lists of single sentences to rate from 1 to 7.")
    ] = None,
    raters: Annotated[int | None, typer.Option(min=1, help="Number of people per list.")] = None,
    most_per_paradigm: Annotated[
        int | None, typer.Option(min=1, help="Largest number of items of a paradigm for one person.")
    ] = None,
    catch: Annotated[int | None, typer.Option(min=0, help="Number of catch trials per list.")] = None,
    catch_failures: Annotated[
        int | None, typer.Option(min=0, help="Number of wrong catch trials allowed. Default: that of the preset.")
    ] = None,
    practice: Annotated[int | None, typer.Option(min=0, help="Number of practice items per list.")] = None,
    fillers: Annotated[int | None, typer.Option(min=0, help="Number of fillers per list.")] = None,
    language: Annotated[str | None, typer.Option(help="Language of the sentences. Default: zh.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same study.")] = 0,
    name: Annotated[str, typer.Option(help="Name of the study. Default: the name of the output folder.")] = "",
    follows: Annotated[
        Path | None, typer.Option(help="Folder of an earlier study of these paradigms, to link to.")
    ] = None,
    agreement: Annotated[
        float, typer.Option(min=0, max=1, help="Agreement assumed for the expected width of intervals.")
    ] = 0.9,
) -> None:
    """Draw a study and pin its pairs, texts and trials; print its size and what its intervals will be."""
    design = bidui.preset(preset)
    given = {
        **{"per_paradigm": per_paradigm, "lists": lists, "rating_lists": rating_lists, "raters": raters},
        **{"most_per_paradigm": most_per_paradigm, "catch": catch, "practice": practice, "fillers": fillers},
        **{"language": language},
    }
    changes = {key: value for key, value in given.items() if value is not None}
    rules = design.rules if catch_failures is None else replace(design.rules, catch_failures=catch_failures)
    if catch is not None and catch_failures is None and rules.catch_failures >= catch:
        rules = replace(rules, catch_failures=0)
    changed = replace(design, **changes, rules=rules, seed=seed)  # type: ignore[arg-type]
    study = bidui.new_study(source, out=out, design=changed, name=name, follows=follows)
    size = bidui.estimate(study.design, paradigms=len(study.pairs.by_uid()), agreement=agreement)
    summary = f"{count(len(study.pairs), 'pair')} in {count(len(study.pairs.by_uid()), 'paradigm')}"
    typer.echo(f"{out}: {summary}")
    typer.echo(size.text())


@app.command()
def lists(
    study: Folder,
    of: Annotated[int | None, typer.Option("--list", min=1, help="Show every trial of this list.")] = None,
) -> None:
    """Print the lists of a study, or the trials of one list as tab-separated rows."""
    opened = bidui.read_study(study)
    if of is not None:
        typer.echo("slot\tposition\tkind\titem\tshown\tgood\tbad")
        items = opened.item
        for trial in (trial for trial in opened.trials if trial.list == of):
            item = items[trial.item]
            cells = (trial.slot, trial.position, trial.kind, trial.item, trial.shown, item.good, item.bad)
            typer.echo("\t".join(map(str, cells)))
        return
    table = Table("list", "task", "slots", "trials", "test items", box=None)
    for number in dict.fromkeys(trial.list for trial in opened.trials):
        own = [trial for trial in opened.trials if trial.list == number]
        first = [trial for trial in own if trial.slot == 1]
        tests = sum(trial.kind == "test" for trial in first)
        table.add_row(*map(str, (number, own[0].task, len(own) // len(first), len(first), tests)))
    Console().print(table)


@app.command("import")
def import_(
    study: Folder,
    file: Annotated[
        Path, typer.Argument(help="File of answers: exported responses, PCIbex results, or a plain table.")
    ],
) -> None:
    """Add answers to a study; every answer is counted once, and nothing is added if a row is wrong."""
    opened = bidui.read_study(study)
    answers = bidui.import_answers(file, opened)
    added = bidui.add_responses(study, opened, answers)
    typer.echo(f"{study}: {count(added, 'new response')} of {count(len(answers), 'response')}")


@app.command()
def results(
    study: Folder,
    by: Annotated[
        Literal["pair", "paradigm", "phenomenon", "overall"], typer.Option(help="What each row is about.")
    ] = "paradigm",
    resamples: Annotated[int, typer.Option(min=100, help="Number of resamples for the crossed intervals.")] = 1000,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the reasons for exclusion.")] = "en",
) -> None:
    """Print agreement with the gold labels, with two intervals, and agreement between people."""
    found = bidui.study_results(study, by=by, resamples=resamples)
    table = Table(by, "agreement", "Wilson", "crossed", "judgements", "people", "majority", box=None)
    for name, one in found.figures.items():
        intervals = [f"{100 * each.low:.1f}–{100 * each.high:.1f}" for each in (one.wilson, one.crossed)]
        cells = (f"{one.correct}/{one.judgements}", str(one.people), f"{one.majority}/{one.pairs}")
        table.add_row(escape(name), f"{100 * one.wilson.value:.1f}", *intervals, *cells)
    Console().print(table)
    for coding, value in found.kappas.items():
        typer.echo(f"Fleiss' kappa, coded by {coding}: {value:.3f}")
    for measure, value in found.alphas.items():
        typer.echo(f"Krippendorff's alpha of ratings, {measure}: {value:.3f}")
    typer.echo(f"{count(found.people, 'person', 'people')}, {count(found.responses, 'response')}, {found.kept:,} used")
    for excluded in found.exclusions:
        what = f"{excluded.participant} {excluded.item}".strip()
        typer.echo(f"left out: {what}: {excluded.text(lang)}")


@app.command()
def decide(
    study: Folder,
    project: Annotated[Path, typer.Argument(help="Folder of the project that the paradigms are from.")],
    threshold: Annotated[float, typer.Option(help="Agreement below which a paradigm is excluded.")] = 0.85,
    write: Annotated[
        bool, typer.Option("--write", help="Write `status: excluded` with the figures into the project.")
    ] = False,
) -> None:
    """Propose to keep or exclude each paradigm by its interval; it is undecided where the interval straddles it."""
    found = bidui.study_results(study)
    proposals = bidui.propose(found.figures, threshold=threshold)
    for one in proposals:
        low, high = one.figure.wider
        typer.echo(
            f"{one.verdict:9}  {one.uid}  {100 * one.figure.wilson.value:.1f}% ({100 * low:.1f}–{100 * high:.1f})"
        )
    if write:
        written = bidui.write_decisions(project, proposals, study=found.study)
        messages().print(f"{escape(str(project))}: {count(len(written), 'paradigm')} excluded", highlight=False)


@app.command()
def export(
    study: Folder,
    out: Annotated[Path, typer.Option("-o", "--out", help="New output folder.")],
    to: Annotated[
        Literal["csv", "jsonl", "pcibex"],
        typer.Option(help="csv or jsonl: the responses with a codebook; pcibex: the experiment for farm.pcibex.net."),
    ] = "csv",
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the pages for PCIbex.")] = "zh",
) -> None:
    """Export the responses of a study, or the study itself as an experiment for PCIbex."""
    files = bidui.export_study(study, out=out, to=to, language=lang)
    typer.echo(f"{out}: {count(files, 'file')}")
