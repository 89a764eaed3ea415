"""`bidui score`, `compare` and `export-scores`: score pairs with language models, and compare the models."""

from collections.abc import Iterator
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
from rich.table import Column, Table
from rich.text import Text

import bidui
from bidui.benchmarks import judged_benchmarks
from bidui.cli.console import count, messages
from bidui.files import check_new_folder, write_new_folder
from bidui.models.specs import DEFAULT, KINDS, expand_specs
from bidui.people.agreement import PUBLISHED_PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bidui.models.model import Model
    from bidui.scores.choices import Choices, PairTotals
    from bidui.scores.links import Link
    from bidui.scores.table import ScoreManifest


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
        for kind, text in KINDS.items():
            typer.echo(f"{kind}:  {text}")
        return
    if what is None:
        raise bidui.InputError([bidui.Problem("score-what")])
    pairs = bidui.find_pairs(what, n=n, seed=seed)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("pairs"), _Speed())
    for spec in expand_specs(model or [DEFAULT]):
        progress = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
        task = progress.add_task("", total=len(pairs))

        def start(model: "Model", pairs: "bidui.Pairs", bar: Progress = progress, task: TaskID = task) -> None:
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
USUAL = ("lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm")
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
    # imported here because polars takes a third of a second to load and other commands do not need it
    from bidui.scores.links import parse_link
    from bidui.scores.table import score_folders

    if by != "overall":
        chosen = parse_link((link or ["slln:0.5"])[0])
        _by_group(score_folders(results), chosen, by, unit=unit, unigrams=unigrams, smoothing=smoothing)
        return
    links = [parse_link(name) for name in link or USUAL]
    needed = not link or any(one.needs_unigrams for one in links)
    heads = ("pairs", "accuracy", "D=", "D<", "D>", "delta", "ties", "near ties")
    numbers = (Column(head, justify="right") for head in heads)
    table = Table("model", "link", *numbers, box=None, padding=(0, 1, 0, 0), pad_edge=False)
    notes = []
    for manifest, totals in _stored(score_folders(results), unigrams, smoothing, needed=needed):
        found, note = _choices(totals, links, usual=not link, unit=unit, groups=groups)
        notes += [note] if note in ("", FITTED) else [f"{manifest.model}: {note}"]
        for choices in found:
            table.add_row(escape(manifest.model), choices.link, *_shown(choices))
    _print(table)
    for note in dict.fromkeys(filter(None, notes)):
        typer.echo(note)


def _choices(
    totals: "PairTotals", links: "Sequence[Link]", *, usual: bool, unit: Unit, groups: Unit
) -> "tuple[list[Choices], str]":
    """Return the choices by each linking function; if unigrams are known, also SLOR and MORCELA, with a note."""
    from bidui.scores.choices import choose_from
    from bidui.scores.links import slor

    found = [choose_from(totals, link, unit=unit, groups=groups) for link in links]
    if not usual or totals.unigram is None:
        return found, ""
    from bidui.analysis.length_bias import held_out_morcela

    found.append(choose_from(totals, slor(), unit=unit, groups=groups))
    try:
        fitted = held_out_morcela(totals, seed=0, unit=unit, groups=groups).choices
    except bidui.InputError as error:  # such as for a model that has not learned anything yet
        return found, str(error)
    return [*found, replace(fitted, link="morcela*")], FITTED


def _shown(choices: "Choices") -> tuple[str, ...]:
    from bidui.scores.choices import length_split

    split = length_split(choices)
    numbers = (choices.worth.mean(), split.equal, split.good_shorter, split.good_longer, split.delta)
    shown = ["–" if isnan(number) else f"{100 * number:.2f}" for number in numbers]  # a group may have no pairs
    return (f"{len(choices.good):,}", *shown, str(choices.ties), str(choices.near_ties))


def _stored(
    folders: "Sequence[Path]", unigrams: Path | None, smoothing: float, *, needed: bool
) -> "Iterator[tuple[ScoreManifest, PairTotals]]":
    """Yield the totals of every model, with the unigrams given, or those stored with the scores if needed."""
    from bidui.scores.run import read_totals
    from bidui.scores.unigrams import UNIGRAMS

    for folder in folders:
        own = folder / UNIGRAMS
        known = unigrams or (own if needed and own.is_file() else None)
        yield read_totals(folder, unigrams=known, smoothing=smoothing)


def _by_group(
    folders: "Sequence[Path]",
    link: "Link",
    by: Literal["phenomenon", "paradigm"],
    *,
    unit: Unit,
    unigrams: Path | None,
    smoothing: float,
) -> None:
    """Print one row per paradigm or phenomenon and one column per model, with published human figures if known."""
    from bidui.analysis.accuracy import accuracy
    from bidui.scores.choices import choose_from

    found: dict[str, dict[str, float]] = {}
    groups: dict[str, set[str]] = {}
    for manifest, totals in _stored(folders, unigrams, smoothing, needed=link.needs_unigrams):
        choices = choose_from(totals, link, unit=unit)
        numbers = {**accuracy(choices, by=by), **accuracy(choices)}
        found[manifest.model] = {name: number.value for name, number in numbers.items()}
        names = choices.uids if by == "paradigm" else choices.phenomena
        for name, uid in zip(names.tolist(), choices.uids.tolist(), strict=True):
            groups.setdefault(name, set()).add(uid)
            groups.setdefault("all", set()).add(uid)
    people = _people(groups)
    heads = [Column(escape(model), justify="right") for model in found]
    table = Table(by, *heads, *([Column("humans*", justify="right")] if people else []), box=None)
    for name in [*sorted(groups.keys() - {"all"}), "all"]:
        cells = [f"{100 * numbers[name]:.2f}" if name in numbers else "" for numbers in found.values()]
        table.add_row(escape(name), *cells, *([people.get(name, "")] if people else []))
    _print(table)
    typer.echo(f"accuracy in %, linking function {link.name}")
    if people:
        typer.echo(f"* how often humans chose the good sentence of the {PUBLISHED_PAIRS}, pooled from published counts")


def _print(table: Table) -> None:
    """Print a table at its full width: a name or number broken over two lines cannot be read, copied or searched."""
    console = Console()
    console.width = max(console.width, console.measure(table, options=console.options.update(width=10_000)).maximum)
    console.print(table)


def _people(groups: "Mapping[str, set[str]]") -> dict[str, str]:
    """Return the published human accuracy for each group of paradigms, if it is known for all of them."""
    judged = [one.people for one in judged_benchmarks() if groups and groups["all"] <= one.people.keys()]
    if not judged:
        return {}
    right, judgements = (
        {name: sum(judged[0][uid][part] for uid in uids) for name, uids in groups.items()} for part in (0, 1)
    )
    return {name: f"{100 * right[name] / judgements[name]:.2f}" for name in groups}


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
    # imported here because polars takes a third of a second to load and other commands do not need it
    from bidui.scores.choices import file_of, published_lines
    from bidui.scores.links import parse_link
    from bidui.scores.table import read_scores, score_folders
    from bidui.scores.unigrams import read_unigrams

    check_new_folder(out)
    chosen = parse_link(link)

    def files() -> Iterator[tuple[str, bytes]]:
        for folder in score_folders(results):
            scores = read_scores(folder)
            known = None
            if unigrams is not None:
                wanted = str(scores.declared.get("tokenizer", ""))
                known = read_unigrams(unigrams, tokenizer=wanted).logprobs(smoothing=smoothing)
            yield file_of(folder, results=results), published_lines(scores.table, chosen, unit=unit, unigrams=known)

    models = write_new_folder(out, files())
    console = messages()
    console.print(f"{escape(str(out))}: scores of {count(models, 'model')} by {escape(chosen.name)}", highlight=False)
