"""`bidui train`: train a language model from scratch."""

from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bidui.benchmarks import find_pairs
from bidui.cli.console import messages
from bidui.cli.corpus import build, needing_models
from bidui.errors import Place, fail

if TYPE_CHECKING:
    import torch

    from bidui.pairs import Pairs
    from bidui.training.corpus import Bos, Corpus
    from bidui.training.loop import Data, Progress
    from bidui.training.network import Trainee
    from bidui.training.recipe import Recipe

PAUSE = 30.0  # seconds between two lines of progress where no bar can be shown


def train(
    size: Annotated[str, typer.Argument(help="Model size: 14m, 70m, 160m, 410m, 1.4b, or lstm.")],
    corpus: Annotated[
        Path, typer.Option(help="Corpus made by `bidui corpus build`, or text together with --tokenizer.")
    ],
    tokenizer: Annotated[str | None, typer.Option(help="Tokenizer, if the corpus is text.")] = None,
    tokens: Annotated[
        str | None, typer.Option(help="Number of tokens from the start of the corpus: 500000, 10M, 3B. Default: all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the initial weights and the order of data.")] = 0,
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder; each run gets a subfolder.")] = Path("runs"),
    name: Annotated[str | None, typer.Option(help="Name of the run's folder. Default: size, tokens and seed.")] = None,
    recipe: Annotated[
        Literal["hf", "pythia"], typer.Option(help="Optimizer settings, final learning rate and initial weights.")
    ] = "hf",
    epochs: Annotated[int, typer.Option(help="Number of passes over the tokens, each in a different order.")] = 1,
    batch: Annotated[int, typer.Option(help="Rows per step.")] = 256,
    context: Annotated[int, typer.Option(help="Tokens per row.")] = 64,
    peak: Annotated[float, typer.Option(help="Highest learning rate.")] = 6e-4,
    warmup: Annotated[float, typer.Option(help="Fraction of all steps in which the learning rate rises.")] = 0.1,
    milestones: Annotated[
        str, typer.Option(help="When to save checkpoints: decades, geometric:47, or last.")
    ] = "decades",
    keep: Annotated[
        Literal["all", "last"], typer.Option(help="Keep the weights of all checkpoints or only of the last.")
    ] = "all",
    score: Annotated[
        str, typer.Option(help="Pairs to score every checkpoint on, as in `bidui score`; later: do not score now.")
    ] = "later",
    n: Annotated[int, typer.Option("-n", min=1, help="Number of pairs to generate per paradigm.")] = 300,
    device: Annotated[str, typer.Option(help="Device: cpu, cuda, cuda:1, mps.")] = "cpu",
    precision: Annotated[
        Literal["float32", "bfloat16"] | None,
        typer.Option(help="Number format. Default: bfloat16 on a GPU, otherwise float32."),
    ] = None,
    mode: Annotated[
        Literal["eager", "compiled", "captured"] | None,
        typer.Option(help="How steps run. Default: captured on a GPU, otherwise eager."),
    ] = None,
    micro_batch: Annotated[int | None, typer.Option(min=1, help="Rows per forward pass, to save memory.")] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Make runs on a GPU identical bit by bit; slower.")
    ] = False,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Write logs for TensorBoard.")] = False,
    bos: Annotated[
        Literal["line", "document", "row", "none"] | None,
        typer.Option(
            help="Where to insert BOS if the corpus is text: before every line (default), document or row, or nowhere."
        ),
    ] = None,
) -> None:
    """Train a language model from scratch.

    Run the same command again to resume an interrupted run; a finished run is left unchanged. The run's folder holds
    its recipe, a log, and one checkpoint per milestone, which transformers can load. With --score, each checkpoint is
    scored when it is saved, or afterwards if it was not.
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
    console = messages()
    pairs = None if score == "later" else find_pairs(score, n=n, seed=0)
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
        console.print(f"{escape(str(run))}: already trained", highlight=False)
    if pairs is not None:
        _score_rest(console, run, pairs, trainee, device=where)
    console.print(_after(run, scored=pairs is not None), highlight=False)


def number_of(text: str) -> int:
    """Parse a number of tokens: 500000, 10M, 1.5B."""
    factor = {"K": 10**3, "M": 10**6, "B": 10**9}.get(text[-1:].upper(), 1)
    try:
        number = float(text[:-1] if factor > 1 else text) * factor
        if not 1 <= number < 1e15:
            raise ValueError
        return round(number)
    except ValueError as error:
        raise fail("tokens-text", Place(), {"value": text}) from error


def _corpus(path: Path, tokenizer: str | None, bos: "Bos | None", *, out: Path, alone: bool) -> "Corpus":
    """Open the corpus at a path, or build one from text there, next to the runs, where the next run finds it."""
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

        def tell(text: str, *, pause: float) -> None:  # in a file or a pipe, where no bar can be shown
            nonlocal last
            if not (console.is_terminal or rank) and monotonic() - last >= pause:
                last = monotonic()
                console.print(f"{escape(run.name)}: {text}", highlight=False)

        def show(progress: "Progress") -> None:
            shown = f"loss {progress.loss:.3f}, {progress.tokens_per_second:,.0f} tokens/s"
            if not bar.tasks[task].completed:  # or steps of an earlier process would shorten the time shown
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
    """Describe the run before it starts: its size, what it skips, and what may differ after a resume."""
    parameters = sum(parameter.numel() for parameter in trainee.network.parameters())
    a_step = f"steps of {recipe.batch * recipe.context:,} tokens"
    lines = [f"{parameters:,} parameters, {steps:,} {a_step}, {recipe.precision}, {recipe.mode}"]
    rest = len(data.train) % recipe.batch
    if rest and steps:
        lines.append(
            f"{rest:,} of {len(data.train):,} rows are left out of every epoch because they do not fill a step"
        )
    if not len(data.validation):
        lines.append(
            "no row of text is held out, so there is no validation loss; build the corpus with a larger --validation"
        )
    if differing:
        lines.append(f"resumes with {', '.join(differing)}: the last bits may differ from an uninterrupted run")
    return lines


def _score_rest(console: Console, run: Path, pairs: "Pairs", trainee: "Trainee", *, device: "torch.device") -> None:
    """Score the checkpoints that were saved without scoring, or whose scoring was interrupted."""
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
        folder = escape(str(run))
        return f"{folder}: done; to score its checkpoints: bidui score zhoblimp --model '{folder}/step-*'"
    table = read_milestones(run)
    step = max(found.step for found in table)
    last = [found for found in table if found.step == step]
    right = sum(found.right["slln:0.5"] for found in last) / sum(found.pairs for found in last)
    accuracy = f"after step {step:,}, accuracy by slln:0.5 is {100 * right:.2f}%"
    return f"{escape(str(run))}: done; {accuracy}; see accuracy.tsv there"
