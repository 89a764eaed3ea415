"""`bidui suite`: show what the runs of the paper cost, and train any part of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column, Table

import bidui
from bidui.cli import count, messages
from bidui.cli.corpus import needing_models

if TYPE_CHECKING:  # torch and transformers take seconds to load, and other commands do without
    from bidui.scale.tasks import Outcome, Status
    from bidui.training.suite import PlannedRun, SuiteRun


WORDS = {"done": "done", "there": "already there", "failed": "[red]failed[/]"}


def show_outcomes(outcomes: "Sequence[Outcome]", *, out: Path, as_json: bool) -> None:
    """Print how many runs are done, and why each failed run failed."""
    if as_json:
        each = [{"name": outcome.name, "state": outcome.state, "told": outcome.reason} for outcome in outcomes]
        typer.echo(json.dumps({"runs": each}, ensure_ascii=False, indent=1))
    console = messages()
    counts = {state: sum(outcome.state == state for outcome in outcomes) for state in WORDS}
    console.print(
        f"{escape(str(out))}: {counts['done']} done, {counts['there']} already there, {counts['failed']} failed",
        highlight=False,
    )
    for outcome in outcomes:
        if outcome.state == "failed":
            log = outcome.log
            console.print(f"[red]{escape(outcome.name)}[/], see {escape(str(log))}", highlight=False)
            for line in outcome.reason.splitlines():
                console.print(f"    {escape(line)}", highlight=False)


@dataclass(slots=True)
class _Screen:
    """A bar for all runs, one for each active run, and a line for each finished run."""

    out: Path
    progress: Progress
    every: TaskID
    count: int
    finished: int = 0
    bars: dict[str, TaskID] = field(default_factory=dict)

    def show(self, status: "Status") -> None:
        for outcome in status.outcomes[self.finished :]:
            self.finished += 1
            line = f"{escape(outcome.name)}: {WORDS[outcome.state]}, {self.finished} of {self.count}"
            self.progress.console.print(line, highlight=False)
        others = status.waiting and not status.running
        text = f"waiting for {count(len(status.waiting), 'run')} on other machines" if others else "runs"
        self.progress.update(self.every, completed=self.finished, description=text)
        names = [task.name for task in status.running]  # in the order of the plan
        for name in self.bars.keys() - set(names):
            self.progress.remove_task(self.bars.pop(name))
        for name in names:
            if name not in self.bars:
                self.bars[name] = self.progress.add_task(escape(name), total=None)
            done, steps = bidui.run_progress(self.out / name)
            self.progress.update(self.bars[name], completed=done, total=steps)


SUITES = ("zh-pythia",)
OURS = ("--corpus", "--device", "--name", "--out", "--score", "--seed", "--tokenizer", "--tokens", "-o")
WIDTH = 104  # characters per row; a narrow terminal breaks rows instead of truncating numbers


def suite(
    name: Annotated[str, typer.Argument(help="Name of the suite: zh-pythia.")],
    options: Annotated[
        list[str] | None, typer.Argument(help="With --run, after --: extra options of `bidui train` for every run.")
    ] = None,
    size: Annotated[list[str] | None, typer.Option(help="Select runs of this model size; may be repeated.")] = None,
    tokens: Annotated[
        list[str] | None, typer.Option(help="Select runs on this many tokens, such as 10M or 3B; may be repeated.")
    ] = None,
    tokenizer: Annotated[
        list[str] | None, typer.Option(help="Select runs with this tokenizer: cllama, word or char; may be repeated.")
    ] = None,
    seed: Annotated[
        list[int] | None, typer.Option(help="Random seed of a run; may be repeated. Default: 0, 1 and 2.")
    ] = None,
    speed: Annotated[
        list[str] | None,
        typer.Option(
            help="Training speed in tokens per second, 14m=2.7M, or relative to one H200, 0.5x; may be repeated."
        ),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(help="TOKENIZER=FOLDER, a corpus made by `bidui corpus build`; one per tokenizer."),
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Train the runs that are not finished.")] = False,
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder; each run gets a subfolder.")] = Path("runs"),
    device: Annotated[
        str, typer.Option(help="Device: cpu, cuda, cuda:1, mps; with cuda, processes are spread over the GPUs.")
    ] = ("cpu"),
    processes: Annotated[int, typer.Option(min=1, help="Number of runs to train at the same time.")] = 1,
    score: Annotated[str, typer.Option(help="Pairs to score every checkpoint on, as in `bidui train`.")] = ("later"),
    stale: Annotated[
        float, typer.Option(min=1, help="Minutes of silence after which another machine's run is taken over.")
    ] = 15,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON with one entry per run.")] = False,
) -> None:
    """Show what a suite costs (parameters, steps, FLOPs, disk, hours) or, with --run, train it.

    The options select a part of the suite. Run the same command again to resume an interrupted suite; finished runs
    are skipped. Several machines can work on one suite in the same folder on a shared disk.
    """
    with needing_models():
        every = bidui.zh_pythia(seeds=seed) if seed else bidui.zh_pythia()
    if name not in SUITES:
        raise bidui.InputError([bidui.Problem("suite-unknown", values={"value": name, "known": SUITES})])
    _check_options(options or [])
    runs = bidui.choose_runs(every, sizes=size or (), tokens=tokens or (), tokenizers=tokenizer or ())
    folders = _folders(corpus or [], every)
    if not run:
        _show_plan(runs, folders, speed or [], as_json=as_json)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages(), transient=True) as progress:
        screen = _Screen(out, progress, progress.add_task("runs", total=len(runs)), len(runs))
        outcomes = bidui.run_suite(
            runs,
            folders,
            out=out,
            device=device,
            processes=processes,
            score=score,
            options=options or [],
            stale_seconds=60 * stale,
            on_status=screen.show,
        )
    show_outcomes(outcomes, out=out, as_json=as_json)
    raise typer.Exit(1 if any(outcome.state == "failed" for outcome in outcomes) else 0)


def _check_options(options: Sequence[str]) -> None:
    for number, option in enumerate(options):
        if option.split("=")[0] in OURS or option[:2] == "-o" or (number == 0 and not option.startswith("-")):
            raise bidui.InputError([bidui.Problem("suite-option", values={"value": option})])


def _folders(given: Sequence[str], runs: "Sequence[SuiteRun]") -> dict[str, Path]:
    """Parse --corpus."""
    known = list(dict.fromkeys(run.tokenizer for run in runs))
    folders = {}
    for text in given:
        tokenizer, _, folder = text.partition("=")
        if tokenizer not in known or not folder:
            values = {"value": text, "known": known}
            raise bidui.InputError([bidui.Problem("suite-corpus", bidui.Place(part="--corpus"), values)])
        folders[tokenizer] = Path(folder)
    return folders


def _show_plan(runs: "Sequence[SuiteRun]", folders: Mapping[str, Path], speed: Sequence[str], *, as_json: bool) -> None:
    vocabularies = {tokenizer: bidui.read_corpus(folder).vocabulary for tokenizer, folder in folders.items()}
    planned = bidui.plan_suite(runs, speed=speed, vocabularies=vocabularies)
    total = bidui.suite_totals(planned)
    if as_json:
        each = [{"name": row.run.name, **asdict(row.run), **_costs(row)} for row in planned]
        typer.echo(json.dumps({"runs": each, "totals": asdict(total)}, indent=1))
        return
    Console(width=max(WIDTH, Console().width)).print(_table(planned))
    typer.echo(
        f"{total.runs} runs: {total.steps:,} steps, {total.milestones:,} checkpoints, {total.flops:.3g} FLOPs,"
        f" {_bytes(total.weights)} of weights in fp32, {_bytes(total.scores)} of token scores, {_hours(total.hours)}"
    )
    typer.echo(
        "FLOPs are 6 N D with all parameters; checkpoints include step 0 and the last step; hours are for one "
        f"{'GPU of that speed' if speed else 'H200'}, without scoring."
    )


def _costs(planned: "PlannedRun") -> dict[str, object]:
    """Return the costs of a run; the tokens of whole steps get a name that differs from the run's own tokens."""
    costs = {name: value for name, value in asdict(planned).items() if name not in ("run", "tokens")}
    return {**costs, "tokens_in_steps": planned.tokens}


def _table(planned: "Sequence[PlannedRun]") -> Table:
    """Return a table with one row for runs that differ only in the seed."""
    heads = ("tokens", "seeds", "parameters", "body", "steps", "warm-up", "kept", "FLOPs", "weights", "scores", "hours")
    right = (Column(head, justify="right", no_wrap=True) for head in heads)
    table = Table("size", "tokenizer", *right, box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for _, group in groupby(planned, key=lambda row: (row.run.size, row.run.tokenizer, row.run.tokens)):
        first, *others = group
        table.add_row(
            first.run.size,
            escape(first.run.tokenizer),
            first.run.tokens_name,
            " ".join(str(row.run.seed) for row in (first, *others)),
            f"{first.parameters:,}",
            f"{first.body / 1e6:,.1f}M",
            f"{first.steps:,}",
            f"{first.warmup:,}",
            str(first.milestones),
            f"{first.flops:.2e}",
            _bytes(first.weights),
            _bytes(first.scores),
            f"{first.hours:.3g}",
        )
    return table


def _hours(number: float) -> str:
    return f"{number:,.1f} hours" if number >= 10 else f"{number:.3g} hours"


def _bytes(count: int) -> str:
    unit, name = next((u, n) for u, n in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (1, "B")) if count >= u)
    return f"{count / unit:.3g} {name}" if count < 1000 * unit else f"{count / unit:,.0f} {name}"
