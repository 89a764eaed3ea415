"""`bidui score`, `compare`, `show` and `export-scores`: score pairs with language models, and compare the models."""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

import bidui
from bidui.cli import AsFormat, Bad, Good, OnOption, Paradigm, Phenomenon, count, messages, show_hint, show_notes

if TYPE_CHECKING:
    from bidui.reports.compare import CompareCell
    from bidui.scores.run import Described


def score(
    what: Annotated[
        str | None,
        typer.Argument(help="Name of a benchmark, a project, or a file, archive or folder of pairs."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="Model to score with; may be repeated. Default: the model shipped with bidui."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            help="Label of the scores in tables and folders; one for each --model, in the same order. Default: the "
            "model's name, with as much of its path as tells it from others.",
        ),
    ] = None,
    out: Annotated[
        str,
        typer.Option("-o", "--out", help="Output folder or URL (s3://BUCKET/results); one subfolder per model."),
    ] = "results",
    n: Annotated[int, typer.Option("-n", min=1, help="Number of pairs to generate per paradigm.")] = 300,
    seed: Annotated[int, typer.Option(help="Random seed for generating the pairs.")] = 0,
    device: Annotated[str, typer.Option(help="Device: cpu, cuda, cuda:1, mps.")] = "cpu",
    dtype: Annotated[
        str,
        typer.Option(
            help="Number format: float32, tf32 (float32 with rounded products, on NVIDIA GPUs), bfloat16 or float16; "
            "the softmax is always float32."
        ),
    ] = "float32",
    batch_tokens: Annotated[int | None, typer.Option(min=1, help="Number of token positions per batch.")] = None,
    bos: Annotated[
        str | None,
        typer.Option(
            help="Token before the sentence: bos, eos, cls, none, or a token id. Default: by rule, see docs/scoring.md."
        ),
    ] = None,
    eos: Annotated[bool, typer.Option("--eos", help="Score the end-of-sentence token too.")] = False,
    trust_remote_code: Annotated[
        bool,
        typer.Option(
            "--trust-remote-code", help="Run the Python code that a model brings along; use it only if you trust it."
        ),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite scores of the same model that were made with different settings."),
    ] = False,
    on: OnOption = "local",
    good: Good = None,
    bad: Bad = None,
    paradigm: Paradigm = None,
    phenomenon: Phenomenon = None,
    list_models: Annotated[
        bool, typer.Option("--list-models", help="List the kinds of model that --model accepts, and exit.")
    ] = False,
) -> None:
    """Score every sentence of every pair, and skip pairs that are already scored."""
    console = messages()
    if list_models:
        for kind, text in bidui.model_kinds().items():
            typer.echo(f"{kind}:  {text}")
        return
    if what is None:
        raise bidui.InputError([bidui.Problem("score-what")])
    specs = bidui.expand_specs(model or ())
    labels = _check_labels(label, len(specs)) if label else bidui.model_labels(specs)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("pairs"), _Speed())
    hashes = ("weights", "config", "tokenizer", "pipeline", "code")

    def run(spec: str, own_label: str | None) -> bidui.Scores:
        task: list[TaskID] = []
        show_hint(console, spec)

        def start(model: "Described", pairs: bidui.Pairs | bidui.StoredPairs) -> None:
            declared = ", ".join(f"{name} {value}" for name, value in model.declared.items() if name not in hashes)
            console.print(f"{escape(model.name)}: {escape(declared)}", highlight=False)
            task.append(progress.add_task(escape(model.name), total=len(pairs)))

        def advance(uid: str, count: int) -> None:
            progress.advance(task[0], count)

        scores = bidui.score(
            pairs,
            spec,
            out=out,
            device=device,
            dtype=dtype,
            batch_tokens=batch_tokens,
            bos=bos,
            eos=eos,
            trust_remote_code=trust_remote_code,
            label=own_label,
            force=force,
            on=on,
            share=1 / together,
            on_start=start,
            on_paradigm=advance,
        )
        progress.remove_task(task[0])
        _show(console, scores, f"{out}/{scores.model}" if "://" in out else str(scores.folder))
        return scores

    # On a cluster, several models are scored at once, and share its machines and GPUs.
    together = min(len(specs), 8) if on.startswith("ray") else 1
    progress = Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
    )  # elsewhere it would only print an empty line after the summary
    with bidui.connect(on):  # first: pairs may take a while, and a wrong place is told at once
        pairs = bidui.open_pairs(what, n=n, seed=seed, good=good, bad=bad, paradigm=paradigm, phenomenon=phenomenon)
        show_notes(pairs)
        with progress:
            if together == 1:
                for spec, own_label in zip(specs, labels, strict=True):
                    run(spec, own_label)
                return
            pool = ThreadPoolExecutor(together)
            try:
                list(pool.map(run, specs, labels))
            finally:
                pool.shutdown(wait=False, cancel_futures=True)  # after an error, the connection ends what still runs


def _check_labels(labels: Sequence[str], models: int) -> list[str | None]:
    if len(labels) != models:
        raise bidui.InputError([bidui.Problem("labels-count", values={"labels": len(labels), "models": models})])
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise bidui.InputError([bidui.Problem("labels-twice", values={"label": twice[0]})])
    return [*labels]


class _Speed(ProgressColumn):
    """A column that shows pairs per second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


def _show(console: Console, scores: "bidui.Scores", place: str) -> None:
    shards = scores.manifest.shards.values()
    new = sum(scores.manifest.shards[uid].count for uid in scores.done)
    there = sum(scores.manifest.shards[uid].count for uid in scores.kept)
    console.print(
        f"{escape(place)}: {count(sum(shard.count for shard in shards), 'pair')} in "
        f"{count(len(shards), 'paradigm')}; {count(new, 'pair')} scored now, {there:,} already there",
        highlight=False,
    )
    if scores.repaired:
        names = escape(", ".join(scores.repaired))
        console.print(f"[yellow]scored again because the files were damaged: {names}[/]")
    unknown = sum(shard.unknown for shard in shards)
    if unknown:
        console.print(f"[yellow]{count(unknown, 'token is', 'tokens are')} unknown to the model[/]", highlight=False)
    unseen = sum(shard.unseen for shard in shards)
    if unseen:
        console.print(
            f"[yellow]{count(unseen, 'pair has', 'pairs have')} the same tokens on both sides[/]", highlight=False
        )
    for note in scores.notes:
        console.print(f"[yellow]{escape(str(note))}[/]", highlight=False)
    if scores.unigrams:
        console.print(f"{escape(place)}: copied the model's unigram counts", highlight=False)
    for problem in scores.problems:
        console.print(f"[yellow]unigram counts were not copied: {escape(str(problem))}[/]", highlight=False)


# `bidui compare`: compute accuracies from stored scores, by linking function.

Unseen = Annotated[
    float | None,
    typer.Option(
        min=1e-300, max=1, help="Probability of tokens that a published unigram file lacks. Default: they are an error."
    ),
]
Unit = Literal["tokens", "characters", "bytes"]
HUMANS = "humans"  # the column of published human figures
LINK = "Linking function, such as slln:0.5, or one of your own, module:function or file.py:function"
FITTED = "* beta and gamma were fitted on some paradigms and applied to the others, in folds"


def compare(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or a folder that holds several.")],
    link: Annotated[
        list[str] | None,
        typer.Option("--link", help=f"{LINK}; may be repeated."),
    ] = None,
    unit: Annotated[Unit, typer.Option(help="Unit of length for the linking functions.")] = "tokens",
    groups: Annotated[Unit, typer.Option(help="Unit of length for the groups D=, D< and D>.")] = "tokens",
    unigrams: Annotated[
        Path | None,
        typer.Option(
            help="File of unigram counts for the model's tokenizer, or a published file by token id. "
            "Default: the counts stored with the scores."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Show accuracy per phenomenon, paradigm, variant, or value of any further column of the pairs, by the "
            "first linking function (default slln:0.5). May be repeated to cross columns. Default: overall."
        ),
    ] = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Number added to every unigram count.")] = 1.0,
    unseen: Unseen = None,
    study: Annotated[
        Path | None,
        typer.Option(help="Folder of a study: show its people beside the models, on the pairs that they judged."),
    ] = None,
    format: Annotated[
        Literal["table", "csv", "json", "latex"],
        typer.Option(
            help="Output format. CSV and JSON have percentages, unrounded; notes go to stderr or into the JSON."
        ),
    ] = "table",
    as_csv: Annotated[bool, typer.Option("--csv", help="Same as --format csv.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
) -> None:
    """Show the accuracy of stored scores by linking function.

    The columns give the accuracy over all pairs, on pairs of equal length (D=), and on pairs whose good sentence is
    shorter (D<) or longer (D>). delta is the mean distance of D< and D> from D=; 0 means that length has no effect.
    A tie counts as half correct. Near ties are pairs that rounding could turn. If a table is too wide for a terminal,
    models become numbered columns, or headings above their rows; in pipes and files a row is always one line.
    """
    if as_csv + as_json + (format != "table") > 1:
        raise typer.BadParameter("choose one of --format, --csv and --json")
    wanted = "csv" if as_csv else "json" if as_json else format
    found = bidui.compare(
        results,
        links=link or (),
        by=by or (),
        unit=unit,
        groups=groups,
        unigrams=unigrams,
        smoothing=smoothing,
        unseen=unseen,
        study=study,
    )
    notes = [*found.notes, *([FITTED] if found.fitted else [])]
    if wanted != "table":
        typer.echo(found.write(wanted), nl=False)
        for note in notes if wanted != "json" else ():
            typer.echo(note, err=True)
        return
    _print(found)
    if found.link:
        typer.echo(f"accuracy in %, linking function {found.link}; {found.intervals}")
    if found.study:
        note = f"* how often the people of the study {found.study} chose the good sentence of the same pairs"
        typer.echo(f"{note}; intervals also allow for other people" if "humans" in found.estimates else note)
    elif found.humans:
        typer.echo("* how often humans chose the good sentence of the published pairs, pooled from published counts")
    for note in notes:
        typer.echo(note)


def _print(found: "bidui.AccuracyTable") -> None:
    """Print the table. No name and no number is ever cut or broken over two lines: it could not be read or searched.

    At a terminal that is too narrow, intervals are left out; then models get numbers for heads, which are explained
    above the table; if that is too wide as well, the columns are divided among several tables. Where models are rows,
    their names become headings.
    """
    console = Console()
    table = _table(found.names, found.rows(), groups=len(found.by))
    if not sys.stdout.isatty() or _width(table) <= console.width:
        print_whole(table)
    elif not found.link:
        for (model,), frame in found.frame.group_by("model", maintain_order=True):
            typer.echo(model)
            print_whole(_table(frame.columns[1:], [("  " + row[1], *row[2:]) for row in frame.rows()], first="  link"))
    else:
        narrow = replace(found, estimates={})
        table = _table(narrow.names, narrow.rows(), groups=len(found.by))
        if _width(table) <= console.width:
            print_whole(table)
        else:
            _print_numbered(narrow, console.width)
        typer.echo("the terminal is too narrow for intervals; --format csv has them")


def _print_numbered(found: "bidui.AccuracyTable", width: int) -> None:
    size = len(found.by) + bool(found.pairs)
    groups, names = found.names[:size], found.names[size:]
    places = {name: number for number, name in enumerate(found.names)}
    models = [name for name in names if not (found.humans and name == HUMANS)]
    heads = {name: f"[{number}]" for number, name in enumerate(models, start=1)}
    for name, head in heads.items():
        typer.echo(f"{head} {name}")

    def table(columns: Sequence[str]) -> Table:
        rows = [tuple(row[places[name]] for name in (*groups, *columns)) for row in found.rows()]
        return _table([*groups, *(heads.get(name, name) for name in columns)], rows, groups=len(found.by))

    columns: list[str] = []
    for name in names:
        if columns and _width(table([*columns, name])) > width:
            print_whole(table(columns))
            columns = []
        columns.append(name)
    print_whole(table(columns))


def _table(names: Sequence[str], rows: Sequence[Sequence["CompareCell"]], *, first: str = "", groups: int = 1) -> Table:
    marked = {HUMANS: "humans*", "near_ties": "near ties"}
    table = Table(escape(first or names[0]), box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for number, name in enumerate(names[1:], start=1):
        left = name == "link" or number < groups
        table.add_column(escape(marked.get(name, name)), justify="left" if left else "right")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    return table


def _cell(value: "CompareCell") -> str:
    """Return a count as it is, a share in percent, with its interval, and a dash where a group has no pairs or name."""
    if isinstance(value, float):
        return "–" if isnan(value) else f"{100 * value:.2f}"
    if value is None or isinstance(value, str):
        return escape(value or "–")
    if isinstance(value, int):
        return f"{value:,}"
    return escape(f"{_cell(value.value)} [{_cell(value.low)}, {_cell(value.high)}]")


def _width(table: Table) -> int:
    console = Console()
    return console.measure(table, options=console.options.update(width=1_000_000)).maximum


def print_whole(table: Table) -> None:
    """Print a table at its full width, whatever the width of the terminal."""
    console = Console()
    console.width = max(console.width, _width(table))
    console.print(table)


# `bidui show`: print one pair with the surprisals of its tokens.


def show(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or a folder that holds several.")],
    pair: Annotated[
        str,
        typer.Argument(
            help="The pair: paradigm/number, an id of your own table, or column=value; a number alone if only one pair "
            "has it."
        ),
    ],
    unit: Annotated[Literal["bits", "nats"], typer.Option(help="Unit of surprisal.")] = "bits",
    link: Annotated[
        list[str] | None,
        typer.Option("--link", help=f"{LINK}; may be repeated. Default: all that need no unigrams."),
    ] = None,
    format: AsFormat = "table",
) -> None:
    """Show one pair with the surprisal of each token of both sentences, by every model.

    The surprisal of a token is -log P(token); the sum over a sentence is -LP. Below the tokens, the linking functions
    are listed by the sentence that they prefer. Pairs have the numbers of the column pairID, pair_id or id of their
    file; without such a column, its rows count from 0.
    """
    found = bidui.show(results, pair, unit=unit, links=link or ())
    if format == "table":
        typer.echo(repr(found))
        return
    typer.echo(found.write(format), nl=False)
    for note in found.notes if format != "json" else ():
        typer.echo(note, err=True)


# `bidui export-scores`: write stored scores as JSON lines, one file per model.


def export_scores(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or a folder that holds several.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="New output folder; one JSONL file per model.")],
    link: Annotated[str, typer.Option("--link", help=f"{LINK} that gives the scores.")] = "lp",
    unit: Annotated[
        Literal["tokens", "characters", "bytes"], typer.Option(help="Unit of sentence lengths.")
    ] = "tokens",
    unigrams: Annotated[Path | None, typer.Option(help="File of unigram counts for the model's tokenizer.")] = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Number added to every unigram count.")] = 1.0,
    unseen: Unseen = None,
) -> None:
    """Write one line per pair for each model: sentences, scores, lengths, and whether the good sentence won.

    The fields are sentence_good, sentence_bad, UID, phenomenon, pairID, score_good, score_bad, length_good,
    length_bad, and correct: 1, 0.5 for a tie, or 0; then baseline, if any pairs are SLING's bias baselines, which do
    not belong in an average; then variant and further columns of the pairs, if there are any.
    """
    models = bidui.export_scores(
        results, out=out, link=link, unit=unit, unigrams=unigrams, smoothing=smoothing, unseen=unseen
    )
    by = escape(bidui.parse_link(link).name)
    messages().print(f"{escape(str(out))}: scores of {count(models, 'model')} by {by}", highlight=False)
