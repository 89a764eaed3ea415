"""`bidui study`: ask people about pairs, and decide on paradigms by their answers."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

import bidui
from bidui.cli import AsFormat, count, messages
from bidui.cli.scores import print_whole

if TYPE_CHECKING:
    from bidui.people.progress import Share

app = typer.Typer(
    help="Ask people about pairs: design a study, import answers, and decide on paradigms.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Folder = Annotated[Path, typer.Argument(help="Folder of the study.")]
Project = Annotated[Path, typer.Argument(help="Folder of the project.")]
Number = Annotated[int, typer.Argument(min=1, help="Number of the study, as `bidui study list` prints it.")]
Database = Annotated[
    str | None,
    typer.Option(help="Database URL of the workbench, postgresql://user@host/name. Default: the SQLite file."),
]
LISTS = {"per_paradigm", "lists", "rating_lists", "most_per_paradigm", "catch"}  # what decides how long lists are
TEXT = "for both languages of the page, or en=FILE and zh=FILE"


@app.command()
def new(
    source: Annotated[
        str, typer.Argument(help="Name of a shipped benchmark, a project folder, or a file or folder of pairs.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="New output folder for the study.")] = Path("study"),
    preset: Annotated[
        str, typer.Option(help="Design to start from: bidui, zhoblimp, sling, climp or climp-first.")
    ] = "bidui",
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Ask only about paradigms whose uid matches this glob; may be repeated. Default: all with the status "
            "included."
        ),
    ] = None,
    phenomenon: Annotated[
        list[str] | None, typer.Option(help="Ask only about paradigms of this phenomenon; may be repeated.")
    ] = None,
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
    catch_from: Annotated[
        Path | None,
        typer.Option(help="File of pairs for catch trials. Default: good sentences beside mixed-up ones."),
    ] = None,
    practice: Annotated[int | None, typer.Option(min=0, help="Number of practice items per list.")] = None,
    practice_from: Annotated[
        Path | None, typer.Option(help="File of pairs for practice. Default: ours, in Chinese or English.")
    ] = None,
    fillers: Annotated[int | None, typer.Option(min=0, help="Number of fillers per list.")] = None,
    fillers_from: Annotated[
        Path | None, typer.Option(help="File of pairs for fillers. Default: ours, in Chinese or English.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the sentences. Default: that of the project.")
    ] = None,
    layout: Annotated[
        Literal["rows", "columns"] | None, typer.Option(help="Whether sentences stand below or beside each other.")
    ] = None,
    background: Annotated[
        list[str] | None,
        typer.Option(
            help="Question about the person, which may be skipped: raised, dialect, age or linguistics; none for none. "
            "May be repeated."
        ),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(min=60, help="Seconds after which the slot of somebody who has left is given out again."),
    ] = None,
    consent: Annotated[list[str] | None, typer.Option(help=f"File of the consent form: {TEXT}.")] = None,
    instructions: Annotated[
        list[str] | None, typer.Option(help=f"File of the instructions for choices: {TEXT}.")
    ] = None,
    rating_instructions: Annotated[
        list[str] | None, typer.Option(help=f"File of the instructions for ratings: {TEXT}.")
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="Table (TSV) of any texts for participants, with the columns key, en and zh.")
    ] = None,
    catch_failures: Annotated[
        int | None, typer.Option(min=0, help="Rule: number of wrong or skipped catch trials allowed.")
    ] = None,
    floor_ms: Annotated[
        int | None, typer.Option(min=0, help="Rule: leave out answers that took fewer milliseconds.")
    ] = None,
    fast_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="Rule: leave out people with a larger share of such answers.")
    ] = None,
    side_bias: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Rule: leave out people who lean to one side with a p below this; 0 for none."),
    ] = None,
    filler_accuracy: Annotated[
        float | None, typer.Option(min=0, max=1, help="Rule: leave out people with a smaller share of fillers right.")
    ] = None,
    least_share: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Rule: leave out people who answered a smaller share of their trials."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Rule: agreement below which a paradigm is excluded, such as 0.85.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same study.")] = 0,
    name: Annotated[str, typer.Option(help="Name of the study. Default: the name of the output folder.")] = "",
    follows: Annotated[
        Path | None,
        typer.Option(help="Folder of an earlier study of these paradigms; its figures are shown beside the new ones."),
    ] = None,
    agreement: Annotated[
        float, typer.Option(min=0, max=1, help="Agreement assumed for the expected width of intervals.")
    ] = 0.9,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the size of the study and write nothing.")] = False,
) -> None:
    """Draw a study and pin its pairs, texts, rules and trials; print its size, cost and expected intervals first.

    Options change the preset; numbers of catch trials, practice items and fillers from a file are those of the file
    unless they are given. Where there are too few paradigms for the lists of a preset, it gets fewer, longer lists,
    unless an option says how many lists, items or catch trials there are.
    """
    design = bidui.preset(preset)
    files = {"catch": catch_from, "practice": practice_from, "fillers": fillers_from}
    own = {kind: bidui.read_pairs(path) if path else bidui.Pairs(()) for kind, path in files.items()}
    counts = {"catch": catch, "practice": practice, "fillers": fillers}
    given = {
        **{"per_paradigm": per_paradigm, "lists": lists, "rating_lists": rating_lists, "raters": raters},
        **{"most_per_paradigm": most_per_paradigm, "language": language, "layout": layout},
        **{"patience": patience},
        **{"background": None if background is None else () if background == ["none"] else tuple(background)},
        **{kind: len(own[kind]) if number is None and files[kind] else number for kind, number in counts.items()},
    }
    rules = {
        **{"catch_failures": catch_failures, "floor_ms": floor_ms, "fast_share": fast_share, "side_bias": side_bias},
        **{"filler_accuracy": filler_accuracy, "least_share": least_share, "threshold": threshold},
    }
    fixed = replace(design.rules, **{key: value for key, value in rules.items() if value is not None})  # type: ignore[arg-type]
    if catch_failures is None and given["catch"] is not None and fixed.catch_failures >= int(str(given["catch"])):
        fixed = replace(fixed, catch_failures=0)
    changes = {key: value for key, value in given.items() if value is not None}
    changed = replace(design, **changes, rules=fixed, seed=seed)  # type: ignore[arg-type]
    if not dry_run:
        bidui.check_new_folder(out)
    study = bidui.new_study(
        source,
        design=changed,
        name=name or out.resolve().name,
        only=only or (),
        phenomena=phenomenon or (),
        texts=_texts(texts, consent, instructions, rating_instructions),
        catch=own["catch"],
        practice=own["practice"],
        fillers=own["fillers"],
        follows=follows,
        fit=not changes.keys() & LISTS,
    )
    size = bidui.estimate(study.design, paradigms=len(study.pairs.by_uid()), agreement=agreement)
    summary = f"{count(len(study.pairs), 'pair')} in {count(len(study.pairs.by_uid()), 'paradigm')}"
    typer.echo(f"{out}: {summary}")
    typer.echo(size.text())
    if study.design.lists != changed.lists:
        total, most = study.design.lists + study.design.rating_lists, count(study.design.most_per_paradigm, "item")
        typer.echo(f"{count(total, 'list')}, fewer and longer than in {preset}; up to {most} of a paradigm per person")
    if study.follows:
        kinds = {since: getattr(study.follows, since) for since in ("edited", "same", "new")}
        parts = [f"{len(uids)} {since}" for since, uids in kinds.items() if uids]
        typer.echo(f"follows {study.follows.name}: {', '.join(parts)}")
    if not dry_run:
        bidui.write_study(study, out)


def _texts(
    table: Path | None,
    consent: Sequence[str] | None,
    instructions: Sequence[str] | None,
    rating_instructions: Sequence[str] | None,
) -> "dict[str, dict[Literal['en', 'zh'], str]]":
    """Return the texts that were given, by key and language."""
    texts = bidui.read_texts(table) if table else {}
    options = {
        "consent": consent,
        "instructions-choice": instructions,
        "instructions-rating": rating_instructions,
    }
    for key, specs in options.items():
        for spec in specs or ():
            text = bidui.read_text(Path(spec.removeprefix("en=").removeprefix("zh=")))
            own = texts.setdefault(key, {})
            if not spec.startswith("zh="):
                own["en"] = text
            if not spec.startswith("en="):
                own["zh"] = text
    return texts


@app.command()
def lists(
    study: Folder,
    of: Annotated[int | None, typer.Option("--list", min=1, help="Show every trial of this list.")] = None,
) -> None:
    """Print the lists of a study, or the trials of one list as tab-separated rows."""
    opened = bidui.read_study(study)
    if of is not None:
        numbers = sorted({trial.list for trial in opened.trials})
        if of not in numbers:
            raise typer.BadParameter(f"there are lists 1 to {numbers[-1]}", param_hint="--list")
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
    print_whole(table)


@app.command("import")
def import_(
    study: Folder,
    file: Annotated[
        Path,
        typer.Argument(
            help="File of answers (exported responses, PCIbex results, or a plain table) or of participants."
        ),
    ],
) -> None:
    """Add answers, or facts about participants, to a study; each counts once, and nothing is added if a row is wrong.

    A table with the column participant and without answers is one of participants.
    """
    opened = bidui.read_study(study)
    found = bidui.import_file(file, opened)
    if found.participants:
        added = bidui.add_participants(study, opened, found.participants)
        typer.echo(f"{study}: {count(added, 'new participant')} of {count(len(found.participants), 'participant')}")
        return
    added = bidui.add_responses(study, opened, found.responses)
    typer.echo(f"{study}: {count(added, 'new response')} of {count(len(found.responses), 'response')}")


@app.command()
def progress(
    study: Folder,
    slowest: Annotated[int, typer.Option(min=0, help="Number of items to list among those that take longest.")] = 10,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the reasons for exclusion.")] = "en",
    format: AsFormat = "table",
) -> None:
    """Print how far a study is: who has answered what, agreement and catch trials so far, lists, and times.

    CSV and JSON have percentages, unrounded; JSON has everything, CSV and LaTeX have one row per person only.
    """
    far = bidui.study_progress(study, language=lang, slowest=slowest)
    if format == "json":
        typer.echo(json.dumps(far.summary(), ensure_ascii=False, indent=1))
    elif format != "table":
        typer.echo(bidui.table_text(far.rows(), format, name="progress"), nl=False)
    else:
        _show_progress(far)


def _show_progress(far: "bidui.StudyProgress") -> None:
    _show_persons(far)
    table = Table("list", "task", "trials", "slots", "done", "active", box=None)
    for each in far.lists:
        table.add_row(*map(str, (each.list, each.task, each.trials, each.slots, each.done, each.active)))
    print_whole(table)
    if far.slowest:
        table = Table("slowest items", "median", "answers", "agreement", box=None)
        for item in far.slowest:
            cells = (_seconds(item.median_ms), str(item.answers), _percent(item.agreement))
            table.add_row(escape(item.item), *cells)
        print_whole(table)
    slots = f"{far.done:,} of {count(far.slots, 'slot')} done, {count(far.left_out, 'person', 'people')} left out"
    typer.echo(f"{slots}; {count(far.people, 'person', 'people')}, {count(far.answers, 'answer')}")
    if far.agreement.interval:
        typer.echo(f"agreement {_percent(far.agreement)} ({_interval(far.agreement.interval)}), {_of(far.agreement)}")
    if far.catch.all:
        typer.echo(f"catch trials right: {_of(far.catch)}")
    if far.median_ms is not None:
        minutes = f", {far.median_minutes:.1f} min per person" if far.median_minutes is not None else ""
        typer.echo(f"median {_seconds(far.median_ms)} per answer{minutes}")


def _show_persons(far: "bidui.StudyProgress") -> None:
    if not far.persons:
        typer.echo("nobody has answered yet")
        return
    table = Table("person", "list", "state", "answers", "catch", "agreement", "median", "left out", box=None)
    for one in far.persons:
        answers = f"{one.answered}/{one.trials}" if one.trials else str(one.answered)
        cells = (str(one.list or "–"), one.state, answers, _of(one.catch), _percent(one.agreement))
        table.add_row(escape(one.participant), *cells, _seconds(one.median_ms), escape("; ".join(one.excluded)))
    print_whole(table)


def _of(share: "Share") -> str:
    return f"{share.correct}/{share.all}" if share.all else "–"


def _percent(share: "Share") -> str:
    return f"{100 * share.interval.value:.1f}%" if share.interval else "–"


def _seconds(milliseconds: int | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


@app.command()
def withdraw(
    study: Annotated[Path, typer.Argument(help="Folder of the study; with --number, folder of the project.")],
    participant: Annotated[str, typer.Argument(help="Code name of the person, as in the responses.")],
    number: Annotated[int | None, typer.Option(min=1, help="Number of the study in the project's workbench.")] = None,
    database: Database = None,
) -> None:
    """Delete a person and all of her answers, as she can do herself in the workbench; nothing brings them back."""
    if number is not None:
        bidui.delete_from_workbench(study, number, participant, database=database)
        typer.echo(f"{study}: {participant} is deleted from study {number}")
        return
    answers = bidui.withdraw(study, bidui.read_study(study), participant)
    typer.echo(f"{study}: {participant} is deleted, with {count(answers, 'answer')}")


# Studies in the workbench


@app.command("list")
def list_(project: Project, database: Database = None, format: AsFormat = "table") -> None:
    """List the studies in the workbench of a project: number, state, people, median time and agreement.

    CSV and JSON have percentages, unrounded.
    """
    lines = bidui.workbench_studies(project, database=database)
    if format != "table":
        typer.echo(bidui.table_text([line.row() for line in lines], format, name="studies"), nl=False)
        return
    if not lines:
        typer.echo("there are no studies yet")
        return
    table = Table("number", "study", "state", "pairs", "people", "median", "agreement", box=None)
    for line in lines:
        median = "–" if line.median_minutes is None else f"{line.median_minutes:.1f} min"
        cells = (str(line.pairs), f"{line.done}/{line.slots}", median, _percent(line.agreement))
        table.add_row(str(line.id), escape(line.name), line.state, *cells)
    print_whole(table)


@app.command()
def send(study: Folder, project: Project, database: Database = None) -> None:
    """Add a study to the workbench of a project, as a draft that can be tried and opened there.

    Answers that are in the folder are not copied; they can be imported once the study is open.
    """
    number = bidui.send_study(study, project, database=database)
    typer.echo(f"{project}: study {number} is a draft; open it with `bidui study state {project} {number} open`")


@app.command()
def state(
    project: Project,
    number: Number,
    state: Annotated[
        Literal["open", "paused", "closed"],
        typer.Argument(help="open, also after a pause; paused; or closed, which is for good."),
    ],
    database: Database = None,
) -> None:
    """Open, pause or close a study in the workbench, whether its server is running or not."""
    name, link = bidui.set_study_state(project, number, state, database=database)
    typer.echo(f"{name} is {state}" + (f"; participants open {link} on your server" if state == "open" else ""))


@app.command()
def fetch(
    project: Project,
    number: Number,
    out: Annotated[Path, typer.Option("-o", "--out", help="New output folder for the study.")],
    database: Database = None,
) -> None:
    """Copy a study of the workbench, with its answers so far, to a folder that all other commands take."""
    answers = bidui.fetch_study(project, number, out=out, database=database)
    typer.echo(f"{out}: {count(answers, 'answer')}")


@app.command()
def results(
    study: Folder,
    by: Annotated[
        Literal["pair", "paradigm", "phenomenon", "overall"], typer.Option(help="What each row is about.")
    ] = "paradigm",
    over: Annotated[
        Literal["pairs", "paradigms"],
        typer.Option(
            help="What the crossed intervals draw, besides people: pairs within paradigms, or whole paradigms."
        ),
    ] = "pairs",
    resamples: Annotated[int, typer.Option(min=100, help="Number of resamples for the crossed intervals.")] = 1000,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the reasons for exclusion.")] = "en",
    format: AsFormat = "table",
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="New folder for all tables (CSV): every level, doubtful pairs, who was left out; and JSON.",
        ),
    ] = None,
) -> None:
    """Print agreement with the gold labels, with two intervals, and agreement between people.

    CSV and JSON have percentages, unrounded; JSON has everything, CSV and LaTeX have the table only.
    """
    if out is not None:
        files = bidui.write_results(study, out=out, over=over, resamples=resamples, language=lang)
        typer.echo(f"{out}: {count(files, 'file')}")
        return
    found = bidui.study_results(study, by=by, over=over, resamples=resamples)
    if not found.kept and format != "table":
        messages().print("the rules of the study leave out all answers", style="yellow", highlight=False)
    if format == "json":
        typer.echo(json.dumps(found.summary(), ensure_ascii=False, indent=1))
    elif format != "table":
        typer.echo(bidui.table_text(found.rows(), format, name="study", title=found.study), nl=False)
    else:
        _show(found, lang)


def _show(found: "bidui.StudyResults", lang: Literal["en", "zh"]) -> None:
    if found.figures:
        _show_figures(found)
    if found.ratings:
        table = Table(found.by, "z good", "z bad", "difference", "crossed", "ratings", box=None)
        for name, rated in found.ratings.items():
            gap = rated.difference
            cells = (
                f"{rated.good:+.2f}",
                f"{rated.bad:+.2f}",
                f"{gap.value:+.2f}",
                f"{gap.low:+.2f} to {gap.high:+.2f}",
            )
            table.add_row(escape(name), *cells, str(rated.ratings))
        print_whole(table)
    for coding, value in found.kappas.items():
        alpha = found.choice_alphas[coding]
        typer.echo(
            f"choices coded by {coding}: Fleiss' kappa {_thousandths(value)}, "
            f"Krippendorff's alpha {_thousandths(alpha)}"
        )
    for measure, value in found.alphas.items():
        typer.echo(f"ratings: Krippendorff's alpha, {measure} {_thousandths(value)}")
    if found.doubts:
        typer.echo("more than 30% chose the bad sentence:")
    for doubt in found.doubts:
        typer.echo(f"  {doubt.item}: {doubt.wrong} of {doubt.judgements}\n    {doubt.good}\n    * {doubt.bad}")
    typer.echo(f"{count(found.people, 'person', 'people')}, {count(found.responses, 'response')}, {found.kept:,} used")
    for excluded in found.exclusions:
        what = f"{excluded.participant} {excluded.item}".strip()
        typer.echo(f"left out: {what}: {excluded.text(lang)}")
    for rule, people in found.unchecked.items():
        typer.echo(f"not applied to {count(people, 'person', 'people')}, for lack of data: the rule {rule}")


def _show_figures(found: "bidui.StudyResults") -> None:
    before = bool(found.follows) and found.by == "paradigm"
    heads = ("agreement", "Wilson", "crossed", "judgements", "people", "majority")
    table = Table(found.by, *heads, *(("earlier", "Wilson", "since") if before else ()), box=None)
    for name, one in found.figures.items():
        cells = [f"{100 * one.wilson.value:.1f}", *map(_interval, (one.wilson, one.crossed))]
        cells += [f"{one.correct}/{one.judgements}", str(one.people), f"{one.majority}/{one.pairs}"]
        if found.follows and before:
            earlier = found.earlier(name)
            cells += [f"{100 * earlier.value:.1f}", _interval(earlier)] if earlier else ["–", "–"]
            cells.append(found.follows.change(name))
        table.add_row(escape(name), *cells)
    print_whole(table)


def _thousandths(value: float) -> str:
    return f"{value:.3f}".replace("-0.000", "0.000")


def _interval(estimate: "bidui.Estimate") -> str:
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"


@app.command()
def decide(
    study: Folder,
    project: Annotated[
        Path | None, typer.Argument(help="Folder of the project that the paradigms are from; needed for --write.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Agreement below which a paradigm is excluded. Default: that of the design.")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Keep a paradigm by hand: UID=REASON; may be repeated.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Exclude a paradigm by hand: UID=REASON; may be repeated.")
    ] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Number of resamples for the crossed intervals.")] = 1000,
    format: AsFormat = "table",
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Write `status: excluded` with the figures into the project, and record all decisions."
        ),
    ] = False,
) -> None:
    """Propose to keep or exclude each paradigm by its interval; it is undecided where the interval straddles it.

    What is undecided is never excluded, except by hand. Decisions are recorded in decisions.jsonl of the study.
    """
    if write and project is None:
        raise typer.BadParameter("--write needs the folder of the project")
    proposals = bidui.decide(
        study,
        project=project if write else None,
        threshold=threshold,
        keep=dict(map(_reason, keep or ())),
        exclude=dict(map(_reason, exclude or ())),
        resamples=resamples,
    )
    if format == "table":
        for one in proposals:
            low, high = one.figure.wider
            share = f"{100 * one.figure.wilson.value:.1f}% ({100 * low:.1f}–{100 * high:.1f})"
            by_hand = f"  by hand, figures say {one.proposed}: {one.why}" if one.why else ""
            typer.echo(f"{one.verdict:9}  {one.uid}  {share if one.figure.judgements else 'no judgements'}{by_hand}")
    else:
        typer.echo(bidui.table_text(bidui.decision_rows(proposals), format, name="decisions"), nl=False)
    if write:
        excluded = sum(one.verdict == "exclude" for one in proposals)
        note = f"{escape(str(project))}: {count(excluded, 'paradigm')} excluded; recorded in {escape(str(study))}"
        messages().print(note, highlight=False)


def _reason(spec: str) -> tuple[str, str]:
    uid, _, why = spec.partition("=")
    return uid, why


@app.command()
def export(
    study: Folder,
    out: Annotated[Path, typer.Option("-o", "--out", help="New output folder.")],
    to: Annotated[
        Literal["csv", "jsonl", "pcibex"],
        typer.Option(
            help="csv or jsonl: responses and participants with a codebook; pcibex: the experiment for farm.pcibex.net."
        ),
    ] = "csv",
    external: Annotated[
        bool, typer.Option("--external", help="Also export the ids that a panel gave to participants.")
    ] = False,
    lang: Annotated[
        Literal["en", "zh"] | None,
        typer.Option(help="Language of the pages for PCIbex. Default: zh for Chinese sentences, else en."),
    ] = None,
) -> None:
    """Export the responses of a study, one row each, or the study itself as an experiment for PCIbex."""
    files = bidui.export_study(study, out=out, to=to, external=external, language=lang)
    typer.echo(f"{out}: {count(files, 'file')}")
