"""`bidui train`: a language model from scratch."""

from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bidui.cli.corpus import build, needing_models
from bidui.cli.scores import pairs_of
from bidui.errors import Place, fail

if TYPE_CHECKING:
    import torch

    from bidui.pairs import Pairs
    from bidui.training.corpus import Bos, Corpus
    from bidui.training.loop import Data, Progress
    from bidui.training.network import Trainee
    from bidui.training.recipe import Recipe

PAUSE = 30.0  # seconds between two lines on how far a run has come, where no bar is to be seen


def train(
    size: Annotated[str, typer.Argument(help="14m, 70m, 160m, 410m, 1.4b, or lstm.")],
    corpus: Annotated[Path, typer.Option(help="What `bidui corpus build` made; or text, with --tokenizer.")],
    tokenizer: Annotated[str | None, typer.Option(help="Where the corpus is text: what divides it.")] = None,
    tokens: Annotated[
        str | None, typer.Option(help="How many from the beginning: 500000, 10M, 3B; all if none.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the first weights and of the order.")] = 0,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for one folder a run.")] = Path("runs"),
    name: Annotated[
        str | None, typer.Option(help="Of the run's folder; made of size, tokens and seed if none.")
    ] = None,
    recipe: Annotated[
        Literal["hf", "pythia"], typer.Option(help="Optimizer, schedule's end and first weights.")
    ] = "hf",
    epochs: Annotated[int, typer.Option(help="Times through the tokens, in another order each.")] = 1,
    batch: Annotated[int, typer.Option(help="Rows a step.")] = 256,
    context: Annotated[int, typer.Option(help="Tokens a row.")] = 64,
    peak: Annotated[float, typer.Option(help="The highest learning rate.")] = 6e-4,
    warmup: Annotated[float, typer.Option(help="The part of all steps in which it rises.")] = 0.1,
    milestones: Annotated[
        str, typer.Option(help="decades, geometric:47, or last: when checkpoints are made.")
    ] = "decades",
    keep: Annotated[Literal["all", "last"], typer.Option(help="Which checkpoints are kept as weights.")] = "all",
    score: Annotated[
        str, typer.Option(help="Pairs to score every checkpoint on, as `bidui score` takes them; or later.")
    ] = "later",
    n: Annotated[int, typer.Option("-n", min=1, help="Pairs for each paradigm, where they are generated.")] = 300,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps.")] = "cpu",
    precision: Annotated[
        Literal["float32", "bfloat16"] | None, typer.Option(help="bfloat16 on a GPU, else float32.")
    ] = None,
    mode: Annotated[
        Literal["eager", "compiled", "captured"] | None, typer.Option(help="captured on a GPU, else eager.")
    ] = None,
    micro_batch: Annotated[int | None, typer.Option(min=1, help="Rows at a time, where memory is short.")] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="The same bits in every run, more slowly.")
    ] = False,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also log for TensorBoard.")] = False,
    bos: Annotated[
        Literal["line", "document", "row", "none"] | None,
        typer.Option(help="Where the corpus is text: before what BOS stands; every line if not given."),
    ] = None,
) -> None:
    """Train a language model; run again, an interrupted run goes on, and a finished one is left as it is.

    A folder of the run's holds its recipe, a log, and a checkpoint a milestone, which transformers loads. With --score,
    each checkpoint is scored as it is made, or afterwards if it was not.
    """
    with needing_models():
        from bidui.training.loop import processes, together
        from bidui.training.run import (
            be_deterministic,
            check_pairs,
            enough_memory,
            make_data,
            make_recipe,
            make_trainee,
            usable,
        )
        from bidui.training.sizes import check_size
        from bidui.training.suite import short_count

    check_size(size)
    count = None if tokens is None else number_of(tokens)
    run = out / (name or f"{size}-{'all' if count is None else short_count(count)}-{seed}")
    if deterministic:
        be_deterministic()
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    pairs = None if score == "later" else pairs_of(score, n=n, seed=0)
    if pairs is not None:
        check_pairs(run, pairs)
    own = processes()
    where = usable(own.device(device))
    source = _corpus(corpus, tokenizer, bos, out=out, alone=own.world == 1)
    made = make_recipe(
        size,
        source,
        device=where,
        tokens=count,
        seed=seed,
        optimizer=recipe,
        epochs=epochs,
        batch=batch,
        context=context,
        peak=peak,
        warmup=warmup,
        milestones=milestones,
        micro_batch=micro_batch,
        precision=precision,
        mode=mode,
        deterministic=deterministic,
        world=own.world,
    )
    data = make_data(source, made)
    with enough_memory(made), together(own, device=where):
        trainee = make_trainee(made, source, data, device=where)
        fresh = _run(console, made, data, trainee, run=run, keep=keep, pairs=pairs, board=tensorboard, rank=own.rank)
    if own.rank:  # the first process does the rest
        return
    if not fresh:
        console.print(f"{escape(str(run))}: trained already", highlight=False)
    if pairs is not None:
        _score_rest(console, run, pairs, trainee, device=where)
    console.print(_after(run, scored=pairs is not None), highlight=False)


def number_of(text: str) -> int:
    """500000, 10M, 1.5B."""
    factor = {"K": 10**3, "M": 10**6, "B": 10**9}.get(text[-1:].upper(), 1)
    try:
        found = float(text[:-1] if factor > 1 else text) * factor
        if not 1 <= found < 1e15:
            raise ValueError
        return round(found)
    except ValueError as error:
        raise fail("tokens-text", Place(), {"value": text}) from error


def _corpus(path: Path, tokenizer: str | None, bos: "Bos | None", *, out: Path, alone: bool) -> "Corpus":
    """The corpus at a path; one made from text there is put beside the runs, and found again."""
    from bidui.training.corpus import NAME, read_corpus
    from bidui.training.run import open_corpus

    if (path / NAME).is_file():
        return open_corpus(path, tokenizer=tokenizer, bos=bos)
    if tokenizer is None or not alone:  # several processes would build it at the same time
        raise fail("corpus-or-tokenizer" if path.exists() else "corpus-missing", Place(str(path)), {})
    rule = bos or "line"
    folder = out / f"corpus-{path.resolve().name}-{Path(tokenizer).name}-{rule}"
    build(path, tokenizer, folder, rule)
    return read_corpus(folder)


def _run(
    console: Console,
    recipe: "Recipe",
    data: "Data",
    trainee: "Trainee",
    *,
    run: Path,
    keep: Literal["all", "last"],
    pairs: "Pairs | None",
    board: bool,
    rank: int,
) -> bool:
    from bidui.training.loop import Watch, moved, tensorboard, train
    from bidui.training.recipe import steps_of
    from bidui.training.run import score_milestone

    steps = steps_of(len(data.train), batch=recipe.batch, epochs=recipe.epochs)
    for line in () if rank else _before(recipe, data, trainee, steps=steps, differing=moved(run, trainee)):
        console.print(f"{escape(str(run))}: {escape(line)}", highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[shown]}"))
    watched = tensorboard(run / "tensorboard") if board and not rank else nullcontext(lambda progress: None)
    bars = Bar(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True, disable=rank > 0)
    with watched as on_board, bars as bar:
        task = bar.add_task(escape(run.name), total=steps, shown="")
        last = monotonic()

        def tell(text: str, *, pause: float) -> None:  # in a file or a pipe, where no bar is to be seen
            nonlocal last
            if not (console.is_terminal or rank) and monotonic() - last >= pause:
                last = monotonic()
                console.print(f"{escape(run.name)}: {text}", highlight=False)

        def show(progress: "Progress") -> None:
            shown = f"loss {progress.loss:.3f}, {progress.tokens_per_second:,.0f} tokens/s"
            if not bar.tasks[task].completed:  # what an earlier process did would make the time left seem short
                bar.reset(task, completed=progress.step)
            bar.update(task, completed=progress.step, shown=shown)
            tell(f"step {progress.step:,} of {steps:,}, {shown}", pause=PAUSE)
            on_board(progress)

        def milestone(step: int, trainee: "Trainee") -> None:
            if pairs is not None:
                bar.update(task, shown=f"scoring step {step}")
                tell(f"scoring step {step:,}", pause=0)
                model = trainee.model(f"{run.name}@step-{step:06d}")
                score_milestone(step, model, pairs, run=run, unigrams=trainee.unigrams)

        watch = Watch(on_log=show, on_milestone=milestone, keep=keep)
        return train(recipe, data, trainee, out=run, watch=watch, rank=rank)


def _before(recipe: "Recipe", data: "Data", trainee: "Trainee", *, steps: int, differing: list[str]) -> list[str]:
    """What is going to be done, what is not, and what nobody should trust."""
    parameters = sum(parameter.numel() for parameter in trainee.network.parameters())
    a_step = f"steps of {recipe.batch * recipe.context:,} tokens"
    lines = [f"{parameters:,} parameters, {steps:,} {a_step}, {recipe.precision}, {recipe.mode}"]
    rest = len(data.train) % recipe.batch
    if rest and steps:
        lines.append(f"{rest:,} of {len(data.train):,} rows are left out of every epoch, since they fill no step")
    if not len(data.validation):
        lines.append("no row of text is held out, so there is no validation loss; build with a larger --validation")
    if differing:
        lines.append(f"goes on with {', '.join(differing)}: last bits may be others than without the interruption")
    return lines


def _score_rest(console: Console, run: Path, pairs: "Pairs", trainee: "Trainee", *, device: "torch.device") -> None:
    """Checkpoints that were made when nothing was scored, or whose scoring was interrupted."""
    from bidui.scores.milestones import FILE
    from bidui.training.run import kept_steps, score_kept, unscored_steps

    if not kept_steps(run) and not (run / FILE).is_file():
        raise fail("run-no-checkpoints", Place(str(run)), {})
    for step in unscored_steps(run):
        score_kept(run, step, pairs, unigrams=trainee.unigrams, device=str(device))
        console.print(f"{escape(run.name)}: step {step} scored", highlight=False)


def _after(run: Path, *, scored: bool) -> str:
    from bidui.scores.milestones import read_milestones

    if not scored:
        return (
            f"{escape(str(run))}: done; bidui score zhoblimp --model '{escape(str(run))}/step-*' scores its checkpoints"
        )
    table = read_milestones(run)
    step = max(found.step for found in table)
    last = [found for found in table if found.step == step]
    right = sum(found.right["slln:0.5"] for found in last) / sum(found.pairs for found in last)
    told = f"after step {step:,}, slln:0.5 chooses right in {100 * right:.2f} % of pairs"
    return f"{escape(str(run))}: done; {told}; see accuracy.tsv there"
