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
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table

import bidui
from bidui.cli import AsFormat, Format, OnOption, count, messages
from bidui.cli.corpus import needing_models

if TYPE_CHECKING:  # torch and transformers take seconds to load, and other commands do without
    from bidui.scale.tasks import Outcome, Status
    from bidui.training.suite import PlannedRun, Suite


WORDS = {"done": "done", "there": "already there", "failed": "[red]failed[/]"}


def show_outcomes(outcomes: "Sequence[Outcome]", *, out: str, format: Format) -> None:
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
    """A bar for all runs, one for each active run with its machine, speed and time left, and a line for each ended."""

    out: str
    progress: Progress
    every: TaskID
    ended: int = 0
    bars: dict[str, TaskID] = field(default_factory=dict)

    def show(self, status: "Status") -> None:
        total = len(status.outcomes) + len(status.running) + len(status.waiting)
        for outcome in status.outcomes[self.ended :]:
            self.ended += 1
            line = f"{escape(outcome.name)}: {WORDS[outcome.state]}, {self.ended} of {total}"
            self.progress.console.print(line, highlight=False)
        state = f"{len(status.running)} running, {len(status.waiting)} waiting"
        self.progress.update(self.every, completed=self.ended, total=total, description="runs", state=state)
        names = [task.name for task in status.running]  # in the order of the plan
        for name in self.bars.keys() - set(names):
            self.progress.remove_task(self.bars.pop(name))
        for name in names:
            if name not in self.bars:
                self.bars[name] = self.progress.add_task(escape(name), total=None, state="starting")
            run = bidui.run_progress(f"{self.out}/{name}")
            state = f"{run.speed:,.0f} tokens/s" if run.speed else "starting" if not run.steps else "at work"
            state += f", {_left(run.seconds)} left" if run.seconds is not None else ""
            state += f", on {status.hosts[name]}" if name in status.hosts else ""
            self.progress.update(self.bars[name], completed=run.step, total=run.steps, state=escape(state))


def _left(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min" if seconds >= 60 else f"{seconds:.0f} s"


OURS = ("--corpus", "--device", "--name", "--out", "--score", "--seed", "--tokenizer", "--tokens", "-o")
WIDTH = 104  # characters per row; a narrow terminal breaks rows instead of truncating numbers


def suite(
    name: Annotated[str, typer.Argument(help="Suite: zh-pythia, small, or a YAML file.")],
    options: Annotated[
        list[str] | None,
        typer.Argument(help="run: train the runs that are not finished. After --: extra options of `bidui train`."),
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
    run: Annotated[bool, typer.Option("--run", help="Same as the argument run.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Show what the suite costs; this is the default.")] = False,
    gpus: Annotated[
        list[int] | None,
        typer.Option(min=1, help="With --plan: hours on this many GPUs; may be repeated. Default: 1, 8 and 64."),
    ] = None,
    out: Annotated[
        str, typer.Option("-o", "--out", help="Output folder or URL, such as s3://BUCKET/runs; one subfolder per run.")
    ] = "runs",
    device: Annotated[
        str, typer.Option(help="Device: cpu, cuda, cuda:1, mps; with cuda, processes are spread over the GPUs.")
    ] = ("cpu"),
    on: OnOption = "local",
    torchrun: Annotated[
        list[str] | None,
        typer.Option(help="SIZE=GPUS, such as 1.4b=4: train each run of this size on several GPUs; may be repeated."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(help="Pairs to score every checkpoint on, as in `bidui train`. Default: those of the suite."),
    ] = None,
    format: AsFormat = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
) -> None:
    """Show what a suite costs (parameters, steps, FLOPs, disk, hours) or, with run, train it.

    The options select a part of the suite. Run the same command again to resume an interrupted suite, also on another
    number of machines; finished runs are skipped. With --on ray, runs are trained on all machines of a Ray cluster.
    """
    if as_json and format not in ("table", "json"):
        raise typer.BadParameter("choose one of --format and --json")
    format = "json" if as_json else format
    with needing_models():
        every = bidui.read_suite(name, seeds=seed or ())
    options = [*(options or [])]
    if options[:1] == ["run"]:
        options, run = options[1:], True
    if plan and run:
        raise typer.BadParameter("choose one of --plan and run")
    _check_options(options)
    runs = bidui.choose_runs(every.runs, sizes=size or (), tokens=tokens or (), tokenizers=tokenizer or ())
    chosen = replace(every, runs=runs)
    folders = _folders(corpus or [], every)
    if not run:
        at = gpus or [1, 8, 64] if plan else gpus
        _show_plan(chosen, _vocabularies(chosen, folders, out), speed or [], format, at or ())
        return
    spread = _spread(torchrun or [], chosen)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[state]}"))
    console = messages()
    # elsewhere than at a terminal, a bar would only print an empty line
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        screen = _Screen(out, progress, progress.add_task("runs", total=len(runs), state=""))
        outcomes = bidui.run_suite(
            chosen,
            folders,
            out=out,
            text=text,
            device=device,
            on=on,
            gpus=spread,
            score=score,
            options=options,
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


def _folders(given: Sequence[str], suite: "Suite") -> dict[str, str]:
    """Parse --corpus."""
    known = list(dict.fromkeys(run.tokenizer for run in suite.runs))
    folders = {}
    for text in given:
        tokenizer, _, folder = text.partition("=")
        if tokenizer not in known or not folder:
            values = {"value": text, "known": known}
            raise bidui.InputError([bidui.Problem("suite-corpus", bidui.Place(part="--corpus"), values)])
        folders[tokenizer] = folder
    return folders


def _spread(given: Sequence[str], suite: "Suite") -> dict[str, int]:
    """Parse --torchrun."""
    sizes, spread = {run.size for run in suite.runs}, {}
    for text in given:
        size, _, number = text.partition("=")
        if size not in sizes or not number.isdecimal() or not int(number):
            values = {"value": text, "known": sorted(sizes)}
            raise bidui.InputError([bidui.Problem("suite-torchrun", bidui.Place(part="--torchrun"), values)])
        spread[size] = int(number)
    return spread


def _vocabularies(suite: "Suite", folders: Mapping[str, str], out: str) -> dict[str, int]:
    """Return the sizes of known vocabularies; a suite without corpora is planned without torch."""
    named = any(tokenizer.corpus or tokenizer.source for tokenizer in suite.tokenizers.values())
    if not (folders or named or (Path(out) / "corpora").is_dir()):
        return {}
    with needing_models():
        return bidui.suite_vocabularies(suite, folders, out=out)


def _show_plan(
    suite: "Suite", vocabularies: Mapping[str, int], speed: Sequence[str], format: Format, gpus: Sequence[int]
) -> None:
    planned = bidui.plan_suite(suite, speed=speed, vocabularies=vocabularies)
    total = bidui.suite_totals(planned)
    each = [{"name": row.run.name, **asdict(row.run), **_costs(row)} for row in planned]
    if format == "json":
        wall = {str(number): bidui.schedule_hours(planned, gpus=number) for number in gpus}
        totals = asdict(total) | ({"hours_on_gpus": wall} if gpus else {})
        typer.echo(json.dumps({"runs": each, "totals": totals}, indent=1))
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
    for number in gpus:
        hours = bidui.schedule_hours(planned, gpus=number)
        busy = 100 * total.hours / hours / number if hours else 100
        longest = _hours(max((row.hours for row in planned), default=0.0))
        typer.echo(f"on {count(number, 'GPU')}: {_hours(hours)}, {busy:.0f}% busy; the longest run takes {longest}")
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
