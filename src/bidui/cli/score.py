"""`bidui score`: token scores of pairs by language models."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from bidui.benchmarks import generate, shipped
from bidui.errors import InputError, Place, fail
from bidui.models.specs import DEFAULT, KINDS, expand_specs, load_model, parse_spec
from bidui.pairs import Pairs, read_pairs

if TYPE_CHECKING:  # numpy and polars take a third of a second to load, and other commands do without
    from bidui.models.tokens import Model
    from bidui.scores.run import Scored


def score(
    what: Annotated[
        str | None, typer.Argument(help="A shipped benchmark, a project folder, or a file or folder of pairs.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="What to score with; may be repeated. The model that comes with bidui if none."),
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for one folder of scores a model.")] = Path(
        "results"
    ),
    n: Annotated[int, typer.Option("-n", min=1, help="Pairs for each paradigm, where they are generated.")] = 300,
    seed: Annotated[int, typer.Option(help="Of the pairs, where they are generated.")] = 0,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps.")] = "cpu",
    dtype: Annotated[str, typer.Option(help="float32, bfloat16, float16; the softmax is always float32.")] = "float32",
    batch_tokens: Annotated[int | None, typer.Option(min=1, help="Positions run at a time.")] = None,
    bos: Annotated[str | None, typer.Option(help="bos, eos, none, or an id; by rule unless given.")] = None,
    eos: Annotated[bool, typer.Option("--eos", help="Also score the end of the sentence.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over scores made otherwise.")] = False,
    list_models: Annotated[bool, typer.Option("--list-models", help="Explain what --model takes.")] = False,
) -> None:
    """Score every sentence of every pair; what is there already is kept."""
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    if list_models:
        for kind, text in KINDS.items():
            typer.echo(f"{kind}:  {text}")
        return
    if what is None:
        raise fail("score-what", Place(), {})
    pairs = pairs_of(what, n=n, seed=seed)
    for spec in expand_specs(model or [DEFAULT]):
        loaded = load_model(
            spec, device=device, dtype=dtype, batch_tokens=batch_tokens, bos=bos, eos=eos, cache=out / "api"
        )
        _show(console, _scored(console, pairs, loaded, out=out / loaded.name, force=force))
        _take_unigrams(console, Path(parse_spec(spec).name), loaded, out=out / loaded.name)


def _scored(console: Console, pairs: Pairs, model: "Model", *, out: Path, force: bool) -> "Scored":
    from bidui.scores.run import run_scoring

    declared = ", ".join(f"{name} {value}" for name, value in model.declared.items() if name != "weights")
    console.print(f"{escape(model.name)}: {escape(declared)}", highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("pairs"), _Speed())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(escape(model.name), total=len(pairs))
        return run_scoring(
            pairs, model, out=out, force=force, on_paradigm=lambda uid, count: progress.advance(task, count)
        )


def _take_unigrams(console: Console, folder: Path, model: "Model", *, out: Path) -> None:
    """Unigrams that do not fit are told and left: the scores are good without them."""
    from bidui.scores.unigrams import take_unigrams

    try:
        if take_unigrams(folder, tokenizer=str(model.declared.get("tokenizer", "")), scores=out):
            console.print(f"{escape(str(out))}: with the unigrams of the model", highlight=False)
    except InputError as error:
        console.print(f"[yellow]unigrams not taken along: {escape(str(error))}[/]", highlight=False)


class _Speed(ProgressColumn):
    """Pairs a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


def pairs_of(what: str, *, n: int, seed: int) -> Pairs:
    """Pairs made from a benchmark or project, or read from a file or folder of pairs."""
    if what in shipped() or (Path(what) / "project.yaml").is_file():
        return generate(what, n=n, seed=seed)
    return read_pairs(what)


def _show(console: Console, done: "Scored") -> None:
    shards = done.manifest.shards.values()
    console.print(
        f"{escape(str(done.folder))}: {sum(shard.count for shard in shards):,} pairs of {len(shards)} paradigms; "
        f"scored {len(done.done)}, there already {len(done.kept)}",
        highlight=False,
    )
    if done.repaired:
        console.print(f"[yellow]made anew, since the files were broken: {escape(', '.join(done.repaired))}[/]")
    unknown = sum(shard.unknown for shard in shards)
    if unknown:
        console.print(f"[yellow]{unknown:,} tokens are unknown to the model[/]", highlight=False)
    unseen = sum(shard.unseen for shard in shards)
    if unseen:
        console.print(f"[yellow]{unseen:,} pairs look the same to the model on both sides[/]", highlight=False)
