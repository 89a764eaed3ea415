"""Running a part of a suite: what is looked at before, shown meanwhile, and said at the end."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from bidui.cli.score import pairs_of
from bidui.scale.suites import LATER, open_corpora, run_progress, suite_tasks, suite_workers
from bidui.scale.tasks import Look, Outcome, run_all
from bidui.train.suite import SuiteRun

TASKS = ".tasks"  # the folder for logs and claims, among those of the runs
WORDS = {"done": "done", "there": "there already", "failed": "[red]failed[/]"}


def run_suite(
    runs: Sequence[SuiteRun],
    folders: Mapping[str, Path],
    *,
    out: Path,
    device: str,
    processes: int,
    score: str,
    options: Sequence[str],
    stale_seconds: float,
) -> Sequence[Outcome]:
    """Train what is not trained yet; what can be known to be wrong is an error before the first run."""
    corpora = open_corpora(runs, folders)
    if score != LATER:
        pairs_of(score, n=1, seed=0)
    tasks = suite_tasks(runs, corpora, out=out, device=device, score=score, options=options)
    workers = suite_workers(device, processes=processes)
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        screen = _Screen(out, progress, progress.add_task("runs", total=len(tasks)), len(tasks))
        return run_all(tasks, folder=out / TASKS, workers=workers, stale=stale_seconds, on_look=screen.show)


def show_outcomes(outcomes: Sequence[Outcome], *, out: Path, as_json: bool) -> None:
    """How many are done, and of each that failed, why."""
    if as_json:
        each = [{"name": one.name, "state": one.state, "told": one.told} for one in outcomes]
        typer.echo(json.dumps({"runs": each}, ensure_ascii=False, indent=1))
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    counts = {state: sum(one.state == state for one in outcomes) for state in WORDS}
    console.print(
        f"{escape(str(out))}: {counts['done']} done, {counts['there']} there already, {counts['failed']} failed",
        highlight=False,
    )
    for outcome in outcomes:
        if outcome.state == "failed":
            log = out / TASKS / f"{outcome.name}.log"
            console.print(f"[red]{escape(outcome.name)}[/], see {escape(str(log))}", highlight=False)
            for line in outcome.told.splitlines():
                console.print(f"    {escape(line)}", highlight=False)


@dataclass(slots=True)
class _Screen:
    """A bar over all runs, one for each that is under way, and a line for each that ended."""

    out: Path
    progress: Progress
    every: TaskID
    count: int
    told: int = 0
    bars: dict[str, TaskID] = field(default_factory=dict)

    def show(self, look: Look) -> None:
        for outcome in look.outcomes[self.told :]:
            self.told += 1
            line = f"{escape(outcome.name)}: {WORDS[outcome.state]}, {self.told} of {self.count}"
            self.progress.console.print(line, highlight=False)
        others = look.waiting and not look.running
        text = f"waiting for {len(look.waiting)} that others have" if others else "runs"
        self.progress.update(self.every, completed=self.told, description=text)
        names = {task.name for task in look.running}
        for name in self.bars.keys() - names:
            self.progress.remove_task(self.bars.pop(name))
        for name in sorted(names):
            if name not in self.bars:
                self.bars[name] = self.progress.add_task(escape(name), total=None)
            done, steps = run_progress(self.out / name)
            self.progress.update(self.bars[name], completed=done, total=steps)
