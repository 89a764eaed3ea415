"""`bidui suite`: show what the runs of the paper or of a file cost, and train any part of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

import bidui
from bidui.cli import AsFormat, Format, count, messages
from bidui.cli.corpus import needing_models

if TYPE_CHECKING:  # torch and transformers take seconds to load, and other commands do without
    from bidui.scale.tasks import Outcome, Status
    from bidui.training.suite import PlannedRun, Suite


WORDS = {"done": "done", "there": "already there", "failed": "[red]failed[/]"}


def show_outcomes(outcomes: "Sequence[Outcome]", *, out: Path, format: Format) -> None:
    """Print how many runs are done, and why each failed run failed."""
    each = [{"name": outcome.name, "state": outcome.state, "told": outcome.reason} for outcome in outcomes]
    if format == "json":
        typer.echo(json.dumps({"runs": each}, ensure_ascii=False, indent=1))
    elif format != "table":
        typer.echo(bidui.table_text(each, format, name="runs", title="Training runs"), nl=False)
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
    finished: int = 0
    bars: dict[str, TaskID] = field(default_factory=dict)

    def show(self, status: "Status") -> None:
        total = len(status.outcomes) + len(status.running) + len(status.waiting)
        for outcome in status.outcomes[self.finished :]:
            self.finished += 1
            line = f"{escape(outcome.name)}: {WORDS[outcome.state]}, {self.finished} of {total}"
            self.progress.console.print(line, highlight=False)
        others = status.waiting and not status.running
        text = f"waiting for {count(len(status.waiting), 'run')} on other machines" if others else "runs"
        self.progress.update(self.every, completed=self.finished, total=total, description=text)
        names = [task.name for task in status.running]  # in the order of the plan
        for name in self.bars.keys() - set(names):
            self.progress.remove_task(self.bars.pop(name))
        for name in names:
            if name not in self.bars:
                self.bars[name] = self.progress.add_task(escape(name), total=None)
            done, steps = bidui.run_progress(self.out / name)
            self.progress.update(self.bars[name], completed=done, total=steps)


OURS = ("--corpus", "--device", "--name", "--out", "--score", "--seed", "--tokenizer", "--tokens", "-o")
WIDTH = 104  # characters per row; a narrow terminal breaks rows instead of truncating numbers


def suite(
    name: Annotated[str, typer.Argument(help="Suite: zh-pythia, small, or a YAML file.")],
    options: Annotated[
        list[str] | None, typer.Argument(help="With --run, after --: extra options of `bidui train` for every run.")
    ] = None,
    size: Annotated[list[str] | None, typer.Option(help="Select runs of this model size; may be repeated.")] = None,
    tokens: Annotated[
        list[str] | None, typer.Option(help="Select runs on this many tokens, such as 10M or 3B; may be repeated.")
    ] = None,
    tokenizer: Annotated[
        list[str] | None, typer.Option(help="Select runs with this tokenizer, such as cllama; may be repeated.")
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option(min=0, help="Random seed of a run, instead of those of the suite; may be repeated."),
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
    text: Annotated[
        Path | None,
        typer.Option(help="File or folder of text, from which tokenizers and corpora that are missing are made."),
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Train the runs that are not finished.")] = False,
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder; each run gets a subfolder.")] = Path("runs"),
    device: Annotated[
        str, typer.Option(help="Device: cpu, cuda, cuda:1, mps; with cuda, processes are spread over the GPUs.")
    ] = ("cpu"),
    processes: Annotated[int, typer.Option(min=1, help="Number of runs to train at the same time.")] = 1,
    score: Annotated[
        str | None,
        typer.Option(help="Pairs to score every checkpoint on, as in `bidui train`. Default: those of the suite."),
    ] = None,
    stale: Annotated[
        float, typer.Option(min=1, help="Minutes of silence after which another machine's run is taken over.")
    ] = 15,
    format: AsFormat = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
) -> None:
    """Show what a suite costs (parameters, steps, FLOPs, disk, hours) or, with --run, train it.

    The options select a part of the suite. Run the same command again to resume an interrupted suite; finished runs
    are skipped. Several machines can work on one suite in the same folder on a shared disk.
    """
    if as_json and format not in ("table", "json"):
        raise typer.BadParameter("choose one of --format and --json")
    format = "json" if as_json else format
    with needing_models():
        every = bidui.read_suite(name, seeds=seed or ())
    _check_options(options or [])
    runs = bidui.choose_runs(every.runs, sizes=size or (), tokens=tokens or (), tokenizers=tokenizer or ())
    chosen = replace(every, runs=runs)
    folders = _folders(corpus or [], every)
    if not run:
        _show_plan(chosen, _vocabularies(chosen, folders, out), speed or [], format)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages(), transient=True) as progress:
        screen = _Screen(out, progress, progress.add_task("runs", total=len(runs)))
        outcomes = bidui.run_suite(
            chosen,
            folders,
            out=out,
            text=text,
            device=device,
            processes=processes,
            score=score,
            options=options or [],
            stale_seconds=60 * stale,
            on_prepare=lambda status: progress.update(screen.every, description=_preparation(status)),
            on_status=screen.show,
        )
    show_outcomes(outcomes, out=out, format=format)
    raise typer.Exit(1 if any(outcome.state == "failed" for outcome in outcomes) else 0)


def _check_options(options: Sequence[str]) -> None:
    for number, option in enumerate(options):
        if option.split("=")[0] in OURS or option[:2] == "-o" or (number == 0 and not option.startswith("-")):
            raise bidui.InputError([bidui.Problem("suite-option", values={"value": option})])


def _preparation(status: "Status") -> str:
    return f"making {', '.join(task.name for task in status.running)}" if status.running else "runs"


def _folders(given: Sequence[str], suite: "Suite") -> dict[str, Path]:
    """Parse --corpus."""
    known = list(dict.fromkeys(run.tokenizer for run in suite.runs))
    folders = {}
    for text in given:
        tokenizer, _, folder = text.partition("=")
        if tokenizer not in known or not folder:
            values = {"value": text, "known": known}
            raise bidui.InputError([bidui.Problem("suite-corpus", bidui.Place(part="--corpus"), values)])
        folders[tokenizer] = Path(folder)
    return folders


def _vocabularies(suite: "Suite", folders: Mapping[str, Path], out: Path) -> dict[str, int]:
    """Return the sizes of known vocabularies; a suite without corpora is planned without torch."""
    named = any(tokenizer.corpus or tokenizer.source for tokenizer in suite.tokenizers.values())
    if not (folders or named or (out / "corpora").is_dir()):
        return {}
    with needing_models():
        return bidui.suite_vocabularies(suite, folders, out=out)


def _show_plan(suite: "Suite", vocabularies: Mapping[str, int], speed: Sequence[str], format: Format) -> None:
    planned = bidui.plan_suite(suite, speed=speed, vocabularies=vocabularies)
    total = bidui.suite_totals(planned)
    each = [{"name": row.run.name, **asdict(row.run), **_costs(row)} for row in planned]
    if format == "json":
        typer.echo(json.dumps({"runs": each, "totals": asdict(total)}, indent=1))
        return
    if format == "csv":
        typer.echo(bidui.table_text(each, "csv"), nl=False)
        return
    if format == "latex":
        typer.echo(
            bidui.table_text(_rows(planned), "latex", name="suite", title="Costs of the training runs"), nl=False
        )
        return
    if suite.description:
        typer.echo(suite.description)
    table = Table("size", "tokenizer", box=None, padding=(0, 1, 0, 0), pad_edge=False)
    rows = _rows(planned)
    for head in [*rows[0]][2:] if rows else ():
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(escape, row.values()))
    Console(width=max(WIDTH, Console().width)).print(table)
    typer.echo(
        f"{total.runs} runs: {total.steps:,} steps, {total.milestones:,} checkpoints, {total.flops:.3g} FLOPs,"
        f" {_bytes(total.weights)} of weights in fp32, {_bytes(total.scores)} of token scores, {_hours(total.hours)}"
    )
    typer.echo(
        "FLOPs are 6 N per token of training and 2 N per held-out token read at checkpoints, with all parameters; "
        "checkpoints include step 0 and the last step; hours are for one "
        f"{'machine of that speed' if speed or suite.speed else 'H200'}, with validation and without scoring."
    )


def _costs(planned: "PlannedRun") -> dict[str, object]:
    """Return the costs of a run; the tokens of whole steps get a name that differs from the run's own tokens."""
    costs = {name: value for name, value in asdict(planned).items() if name not in ("run", "tokens")}
    return {**costs, "tokens_in_steps": planned.tokens}


def _rows(planned: "Sequence[PlannedRun]") -> list[dict[str, str]]:
    """Return one row for runs that differ only in the seed, as readers see it."""
    rows = []
    for _, group in groupby(planned, key=lambda row: (row.run.size, row.run.tokenizer, row.run.tokens)):
        first, *others = group
        rows.append(
            {
                "size": first.run.size,
                "tokenizer": first.run.tokenizer,
                "tokens": first.run.tokens_name,
                "seeds": " ".join(str(row.run.seed) for row in (first, *others)),
                "parameters": f"{first.parameters:,}",
                "body": f"{first.body / 1e6:,.1f}M",
                "steps": f"{first.steps:,}",
                "warm-up": f"{first.warmup:,}",
                "kept": str(first.milestones),
                "FLOPs": f"{first.flops:.2e}",
                "weights": _bytes(first.weights),
                "scores": _bytes(first.scores),
                "hours": f"{first.hours:.3g}",
            }
        )
    return rows


def _hours(number: float) -> str:
    return f"{number:,.1f} hours" if number >= 10 else f"{number:.3g} hours"


def _bytes(count: int) -> str:
    unit, name = next((u, n) for u, n in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (1, "B")) if count >= u)
    return f"{count / unit:.3g} {name}" if count < 1000 * unit else f"{count / unit:,.0f} {name}"
