"""`bidui train` and `push`: train a language model from scratch, and upload its checkpoints to a hub."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

import bidui
from bidui.cli import count, messages
from bidui.cli.corpus import WAITING, needing_models, reading_bar, show_corpus

if TYPE_CHECKING:
    from bidui.training.loop import Progress
    from bidui.training.run import RunStart

FIRST = TaskID(0)
PAUSE = 30.0  # seconds between two lines about progress, where no bar can be shown


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
        str,
        typer.Option(
            help="When to save checkpoints: decades (1 to 9, 10 to 90, ...), geometric:47 (47 in all), or last."
        ),
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
        typer.Option(help="Number format. Default: bfloat16 on a GPU that can compile it, otherwise float32."),
    ] = None,
    mode: Annotated[
        Literal["eager", "compiled", "captured"] | None,
        typer.Option(help="How steps run. Default: captured on a GPU that can compile, otherwise eager."),
    ] = None,
    micro_batch: Annotated[int | None, typer.Option(min=1, help="Rows per forward pass, to save memory.")] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Make runs on a GPU identical bit by bit; slower.")
    ] = False,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Write logs for TensorBoard.")] = False,
    validation_tokens: Annotated[
        str | None,
        typer.Option(help="Held-out tokens to measure the validation loss on, such as 100K, or all. Default: 32768."),
    ] = None,
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
        train_model = bidui.train

    chosen = bidui.Recipe(
        size,
        tokens,
        seed,
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
    )
    console = messages()
    screen = _Screen(console)
    events = bidui.RunEvents(
        on_corpus=screen.encode,
        on_corpus_built=lambda built: show_corpus(console, built),
        on_start=screen.start,
        on_step=screen.step,
        on_log=screen.log,
        on_score=screen.score,
        on_scored_later=lambda step: console.print(f"{screen.name}: step {step} scored", highlight=False),
    )
    try:
        run = train_model(
            chosen,
            corpus=corpus,
            out=out,
            name=name,
            tokenizer=tokenizer,
            bos=bos,
            score=None if score == "later" else score,
            n=n,
            keep=keep,
            device=device,
            tensorboard=tensorboard,
            validation_tokens=validation_tokens,
            events=events,
        )
    finally:
        screen.stop()
    if run.rank:  # the first process does the rest
        return
    if not run.new:
        console.print(f"{escape(str(run.folder))}: already trained", highlight=False)
    console.print(_summary(run, scored=score != "later"), highlight=False)


def push(
    checkpoint: Annotated[Path, typer.Argument(help="Folder of a checkpoint, such as runs/14m-10M-0/step-000610.")],
    repo: Annotated[str, typer.Argument(help="Name of the model on the hub: USER/NAME. It is created if needed.")],
    private: Annotated[bool, typer.Option("--private", help="Create a private model.")] = False,
    revision: Annotated[
        str | None, typer.Option(help="Branch to upload to, created if needed, such as step-000610. Default: main.")
    ] = None,
) -> None:
    """Upload a checkpoint with its model card to the Hugging Face hub, or to the hub at HF_ENDPOINT.

    Log in with `hf auth login` first, or set HF_TOKEN. Edit README.md in the checkpoint's folder before: it has a place
    for the licence.
    """
    console = messages()
    with needing_models():
        upload = bidui.push
    if (card := checkpoint / "README.md").is_file() and "license_name: not-stated" in card.read_text(encoding="utf-8"):
        console.print(f"[yellow]{escape(str(card))} does not state a licence yet[/]", highlight=False)
    console.print(f"{escape(str(checkpoint))}: uploading", highlight=False)
    url = upload(checkpoint, repo, private=private, revision=revision)
    console.print(f"{escape(str(checkpoint))}: uploaded to {escape(url)}", highlight=False)
    console.print(f"to score: --model 'hf:{escape(repo)}{f'@{escape(revision)}' if revision else ''}'", highlight=False)


@dataclass(slots=True)
class _Screen:
    """A bar over the steps, or now and then a line where no bar can be shown."""

    console: Console
    name: str = ""  # of the run
    steps: int = 0
    bar: Bar | None = None
    task: TaskID = FIRST
    shown: str = ""  # the last loss and speed
    counting: bool = False  # whether the first step is known
    first: int = 0  # step that this process began after, and when
    began: float = 0.0
    last: float = field(default_factory=monotonic)  # when a line was printed
    activities: dict[str, TaskID] = field(default_factory=dict)

    def encode(self, activity: str, done: int, total: int) -> None:
        """Show how much of the text has been read or encoded."""
        if activity == "waiting":
            self.console.print(WAITING, highlight=False)
            return
        if self.bar is None:
            self.bar = reading_bar(self.console)
            self.bar.start()
        if activity not in self.activities:
            self.activities[activity] = self.bar.add_task(activity)
        self.bar.update(self.activities[activity], completed=done, total=total)

    def start(self, start: "RunStart") -> None:
        """Describe the run, and begin the bar."""
        self.stop()
        for line in _description(start):
            self.console.print(f"{escape(str(start.folder))}: {escape(line)}", highlight=False)
        self.name, self.steps, self.last = escape(start.folder.name), start.steps, monotonic()
        self.counting = False
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[shown]}"),
        )
        self.bar = Bar(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=self.console, transient=True)
        self.task = self.bar.add_task(self.name, total=start.steps, shown="")
        self.bar.start()

    def log(self, progress: "Progress") -> None:
        """Remember the loss and the speed, which the next step shows."""
        self.shown = f"loss {progress.loss:.3f}, {progress.tokens_per_second:,.0f} tokens/s"

    def step(self, step: int) -> None:
        """Show how many steps are done; the first call says where the run starts or resumes."""
        assert self.bar is not None
        if not self.counting:
            self.counting, self.first, self.began = True, step, monotonic()
            self.bar.reset(self.task, completed=step)  # or the steps of an earlier process would shorten the time shown
            if step:
                self.console.print(f"{self.name}: resumes after step {step:,} of {self.steps:,}", highlight=False)
            return
        self.bar.update(self.task, completed=step, shown=self.shown)
        rest = (monotonic() - self.began) * (self.steps - step) / max(step - self.first, 1)
        facts = (f"step {step:,} of {self.steps:,}", self.shown, f"{timedelta(seconds=round(rest))} left")
        self.print(", ".join(filter(None, facts)), pause=PAUSE)

    def score(self, step: int) -> None:
        """Say that a checkpoint is being scored."""
        assert self.bar is not None
        self.bar.update(self.task, shown=f"scoring step {step}")
        self.print(f"scoring step {step:,}", pause=0)

    def print(self, text: str, *, pause: float) -> None:
        """Print a line in a file or a pipe, where no bar can be shown, if the last one was `pause` seconds ago."""
        if not self.console.is_terminal and monotonic() - self.last >= pause:
            self.last = monotonic()
            self.console.print(f"{self.name}: {text}", highlight=False)

    def stop(self) -> None:
        """Remove the bar."""
        if self.bar is not None:
            self.bar.stop()
        self.bar = None


def _description(start: "RunStart") -> list[str]:
    """Describe the run before it starts: its size, what it skips, and what may differ after a resume."""
    recipe = start.recipe
    a_step = f"steps of {recipe.batch * recipe.context:,} tokens"
    lines = [
        f"{start.parameters:,} parameters, {start.steps:,} {a_step}, {count(start.checkpoints, 'checkpoint')},"
        f" {recipe.precision}, {recipe.mode}"
    ]
    if start.rows_left_out and start.steps:
        lines.append(
            f"{start.rows_left_out:,} of {start.rows:,} rows are left out of every epoch because they do not fill"
            " a step"
        )
    if start.validation_rows and start.steps:
        lines.append(
            f"the validation loss is measured on {start.validation_rows:,} of"
            f" {count(start.held_out_rows, 'held-out row')} at every checkpoint, which adds"
            f" {100 * start.validation_cost:.2g}% to the computation of training"
        )
    if not start.validation_rows:
        lines.append(
            "no row of text is held out, so there is no validation loss; build the corpus from more documents, or"
            " with a larger --validation"
        )
    if start.moved:
        lines.append(f"resumes with {', '.join(start.moved)}: the last bits may differ from an uninterrupted run")
    return lines


def _summary(run: "bidui.TrainingRun", *, scored: bool) -> str:
    folder = escape(str(run.folder))
    if not scored:
        return f"{folder}: done; to score its checkpoints: bidui score zhoblimp --model '{folder}/step-*'"
    step = max(milestone.step for milestone in run.accuracies)
    last = [milestone for milestone in run.accuracies if milestone.step == step]
    right = sum(milestone.right["slln:0.5"] for milestone in last) / sum(milestone.pairs for milestone in last)
    return f"{folder}: done; after step {step:,}, accuracy by slln:0.5 is {100 * right:.2f}%; see accuracy.tsv there"
