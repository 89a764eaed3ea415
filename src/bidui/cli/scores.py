"""`bidui score`, `compare` and `export-scores`: score pairs with language models, and compare the models."""

from math import isnan
from pathlib import Path
from typing import Annotated, Literal

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
from rich.table import Column, Table
from rich.text import Text

import bidui
from bidui.cli import count, messages


def score(
    what: Annotated[
        str | None, typer.Argument(help="Name of a shipped benchmark, a project folder, or a file or folder of pairs.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="Model to score with; may be repeated. Default: the model shipped with bidui."),
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder; each model gets a subfolder.")] = Path(
        "results"
    ),
    n: Annotated[int, typer.Option("-n", min=1, help="Number of pairs to generate per paradigm.")] = 300,
    seed: Annotated[int, typer.Option(help="Random seed for generating the pairs.")] = 0,
    device: Annotated[str, typer.Option(help="Device: cpu, cuda, cuda:1, mps.")] = "cpu",
    dtype: Annotated[
        str, typer.Option(help="Number format: float32, bfloat16 or float16; the softmax is always float32.")
    ] = "float32",
    batch_tokens: Annotated[int | None, typer.Option(min=1, help="Number of token positions per batch.")] = None,
    bos: Annotated[
        str | None,
        typer.Option(
            help="Token before the sentence: bos, eos, cls, none, or a token id. Default: by rule, see docs/scoring.md."
        ),
    ] = None,
    eos: Annotated[bool, typer.Option("--eos", help="Score the end-of-sentence token too.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite scores made with different settings.")] = False,
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
    pairs = bidui.find_pairs(what, n=n, seed=seed)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("pairs"), _Speed())
    for spec in bidui.expand_specs(model or ()):
        progress = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
        task = progress.add_task("", total=len(pairs))

        def start(model: bidui.Model, pairs: bidui.Pairs, bar: Progress = progress, task: TaskID = task) -> None:
            declared = ", ".join(f"{name} {value}" for name, value in model.declared.items() if name != "weights")
            console.print(f"{escape(model.name)}: {escape(declared)}", highlight=False)
            bar.update(task, description=escape(model.name))
            bar.start()

        def advance(uid: str, count: int, bar: Progress = progress, task: TaskID = task) -> None:
            bar.advance(task, count)

        try:
            scores = bidui.score(
                pairs,
                spec,
                out=out,
                device=device,
                dtype=dtype,
                batch_tokens=batch_tokens,
                bos=bos,
                eos=eos,
                force=force,
                on_start=start,
                on_paradigm=advance,
            )
        finally:
            if progress.live.is_started:
                progress.stop()
        _show(console, scores)


class _Speed(ProgressColumn):
    """A column that shows pairs per second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


def _show(console: Console, scores: "bidui.Scores") -> None:
    shards = scores.manifest.shards.values()
    console.print(
        f"{escape(str(scores.folder))}: {count(sum(shard.count for shard in shards), 'pair')} in "
        f"{count(len(shards), 'paradigm')}; {len(scores.done)} scored, {len(scores.kept)} already there",
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
    if scores.unigrams:
        console.print(f"{escape(str(scores.folder))}: copied the model's unigram counts", highlight=False)
    for problem in scores.problems:
        console.print(f"[yellow]unigram counts were not copied: {escape(str(problem))}[/]", highlight=False)


# `bidui compare`: compute accuracies from stored scores, by linking function.

Unit = Literal["tokens", "characters", "bytes"]
FITTED = "* beta and gamma were fitted on one half of each paradigm's pairs and applied to the other half, both ways"


def compare(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or a folder that holds several.")],
    link: Annotated[list[str] | None, typer.Option("--link", help="Linking function; may be repeated.")] = None,
    unit: Annotated[Unit, typer.Option(help="Unit of length for the linking functions.")] = "tokens",
    groups: Annotated[Unit, typer.Option(help="Unit of length for the groups D=, D< and D>.")] = "tokens",
    unigrams: Annotated[
        Path | None,
        typer.Option(
            help="File of unigram counts for the model's tokenizer. Default: the counts stored with the scores."
        ),
    ] = None,
    by: Annotated[
        Literal["overall", "phenomenon", "paradigm"],
        typer.Option(
            help="Show accuracy per phenomenon or paradigm, by the first linking function (default slln:0.5)."
        ),
    ] = "overall",
    smoothing: Annotated[float, typer.Option(min=0, help="Number added to every unigram count.")] = 1.0,
) -> None:
    """Show the accuracy of stored scores by linking function.

    The columns give the accuracy over all pairs, on pairs of equal length (D=), and on pairs whose good sentence is
    shorter (D<) or longer (D>). delta is the mean distance of D< and D> from D=; 0 means that length has no effect.
    A tie counts as half correct. Near ties are pairs that rounding could turn.
    """
    found = bidui.compare(
        results, links=link or (), by=by, unit=unit, groups=groups, unigrams=unigrams, smoothing=smoothing
    )
    marked = {"humans": "humans*", "near_ties": "near ties"}
    first, *others = found.frame.columns
    texts = [name for name in others if name == "link"]
    numbers = [Column(escape(marked.get(name, name)), justify="right") for name in others if name not in texts]
    table = Table(first, *texts, *numbers, box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for row in found.frame.iter_rows():
        table.add_row(*(_cell(value) for value in row))
    _print(table)
    if found.link:
        typer.echo(f"accuracy in %, linking function {found.link}")
    if found.humans:
        typer.echo("* how often humans chose the good sentence of the published pairs, pooled from published counts")
    for note in (*found.notes, *([FITTED] if found.fitted else [])):
        typer.echo(note)


def _cell(value: str | int | float | None) -> str:
    """Return a count as it is, a share in percent, and a dash where a group has no pairs."""
    if isinstance(value, float):
        return "–" if isnan(value) else f"{100 * value:.2f}"
    return f"{value:,}" if isinstance(value, int) else escape(value or "")


def _print(table: Table) -> None:
    """Print a table at its full width: a name or number broken over two lines cannot be read, copied or searched."""
    console = Console()
    console.width = max(console.width, console.measure(table, options=console.options.update(width=10_000)).maximum)
    console.print(table)


# `bidui export-scores`: write stored scores as JSON lines, one file per model.


def export_scores(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or a folder that holds several.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="New output folder; one JSONL file per model.")],
    link: Annotated[str, typer.Option("--link", help="Linking function that gives the scores.")] = "lp",
    unit: Annotated[
        Literal["tokens", "characters", "bytes"], typer.Option(help="Unit of sentence lengths.")
    ] = "tokens",
    unigrams: Annotated[Path | None, typer.Option(help="File of unigram counts for the model's tokenizer.")] = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Number added to every unigram count.")] = 1.0,
) -> None:
    """Write one line per pair for each model: sentences, scores, lengths, and whether the good sentence won.

    The fields are sentence_good, sentence_bad, UID, phenomenon, pairID, score_good, score_bad, length_good,
    length_bad, and correct: 1, 0.5 for a tie, or 0.
    """
    models = bidui.export_scores(results, out=out, link=link, unit=unit, unigrams=unigrams, smoothing=smoothing)
    by = escape(bidui.parse_link(link).name)
    messages().print(f"{escape(str(out))}: scores of {count(models, 'model')} by {by}", highlight=False)
