"""Long runs in the background: scoring pairs with a model, and making the reports of a project's results.

The server runs one process at a time; other runs wait in the order in which people asked for them. What waits, runs and
has ended is kept in a file of the workbench's own folder. So a page may be closed meanwhile, and a run that was stopped
with the server continues when it starts again: pairs that are scored already are not scored twice.
"""

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from bidui.errors import BiduiError, InputError, Place, Problem, fail
from bidui.files import encode, write_file, write_new_folder
from bidui.pairs.formats import pairs_to_bytes
from bidui.web.results import label_in_study, report_folder, results_folder, study_folder, worth_of
from bidui.web.store.disk import copy_sources
from bidui.web.store.studies import keep_scores, study_of
from bidui.web.store.workspace import Entry, Store, entries
from bidui.web.studies import folder_files
from bidui.words import Language

RunKind = Literal["score", "report"]
RunState = Literal["waiting", "running", "done", "failed", "cancelled"]

SECONDS = 6 * 3600.0  # of one run; what is scored by then is kept
GRACE = 5.0  # seconds for a process to save what it has
MOST = 20  # runs that wait or are at work
MOST_EACH = 4  # of one person
MOST_ENDED = 60  # that are remembered
OPEN = ("waiting", "running")
_FILE = "runs.json"
_PROCESS = (sys.executable, "-P", "-c", "from bidui.web.run_process import main; main()")
_LOG = logging.getLogger("bidui.web")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do: score a project or the pairs of a study with a model, or report on either."""

    kind: RunKind
    model: str = ""
    n: int = 0
    seed: int = 0
    study: int | None = None
    link: str = ""  # by which a model is shown beside the people of a study
    language: Language = "en"  # of a report


@dataclass(frozen=True, slots=True)
class Run:
    """A run: what it does, for which project, who asked for it, and how far it is."""

    id: int
    project: int
    plan: Plan
    user: int
    by: str
    queued: datetime
    state: RunState = "waiting"
    label: str = ""  # of the model, once it is loaded
    step: str = ""  # of a report
    done: int = 0
    total: int = 0
    problems: tuple[Problem, ...] = ()


_RUNS = TypeAdapter(list[Run])
_PROBLEMS = TypeAdapter(tuple[Problem, ...])


@dataclass(slots=True)
class _Process:
    """The process of the run at work, and whether its time was up."""

    popen: "subprocess.Popen[str]"
    project: int
    late: bool = False
    timers: list[threading.Timer] = field(default_factory=list)

    def stop(self) -> None:
        """Let it save what it has, and end it soon."""
        self._send(signal.SIGTERM)
        timer = threading.Timer(GRACE, self._send, args=(getattr(signal, "SIGKILL", signal.SIGTERM),))
        timer.daemon = True
        timer.start()
        self.timers.append(timer)

    def expire(self) -> None:
        """End it because it took too long."""
        self.late = True
        self.stop()

    def _send(self, number: int) -> None:
        if self.popen.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.popen.pid, number) if hasattr(os, "killpg") else self.popen.kill()


class Runs:
    """The queue of a workspace: one thread, which lives while something waits, hands one run after another over."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._runs: dict[int, Run] = {run.id: run for run in self._load()}
        self._thread: threading.Thread | None = None
        self._process: _Process | None = None
        self._closed = False

    def of(self, project: int) -> list[Run]:
        """Return the runs of a project, the latest first."""
        with self._lock:
            return [run for run in reversed(self._runs.values()) if run.project == project]

    def check_idle(self, project: int) -> None:
        """Refuse to touch the results of a project while a run of it waits, is at work, or is being stopped."""
        with self._lock:
            waits = any(run.project == project and run.state in OPEN for run in self._runs.values())
            if waits or (self._process is not None and self._process.project == project):
                raise fail("results-busy", Place())

    def ahead(self, run: Run) -> int:
        """Return how many runs, of any project, come before one that waits."""
        with self._lock:
            return sum(other.state in OPEN and other.id < run.id for other in self._runs.values())

    def add(self, entry: Entry, plan: Plan, *, user: int, by: str) -> Run:
        """Put a run at the end of the queue; one that is there already, or a full queue, is refused."""
        with self._lock:
            if self._closed:
                raise fail("work-busy", Place())
            open_runs = [run for run in self._runs.values() if run.state in OPEN]
            if any(run.project == entry.id and run.plan == plan for run in open_runs):
                raise fail("run-there", Place())
            if len(open_runs) >= MOST or sum(run.user == user for run in open_runs) >= MOST_EACH:
                raise fail("runs-full", Place(), {"most": MOST_EACH})
            run = Run(max(self._runs, default=0) + 1, entry.id, plan, user, by, self._store.now())
            self._runs[run.id] = run
            self._save()
            self.resume()
            return run

    def cancel(self, project: int, number: int) -> None:
        """Stop a run, or forget one that has ended."""
        with self._lock:
            run = self._runs.get(number)
            if run is None or run.project != project:
                raise fail("run-unknown", Place(), {"number": number})
            if run.state in OPEN:
                self._runs[number] = replace(run, state="cancelled")
            else:
                del self._runs[number]
            if run.state == "running" and self._process is not None:
                self._process.stop()
            self._save()

    def resume(self) -> None:
        """Begin with what waits, unless something is at work."""
        with self._lock:
            waits = any(run.state == "waiting" for run in self._runs.values())
            if waits and not self._closed and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._work, name="runs", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop what is at work; it waits in the file for the next start."""
        with self._lock:
            self._closed = True
            thread = self._thread
            if self._process is not None:
                self._process.stop()
        if thread is not None:
            thread.join(GRACE + 1)

    # In the thread

    def _work(self) -> None:
        while True:
            with self._lock:
                run = next((run for run in self._runs.values() if run.state == "waiting"), None)
                if run is None or self._closed:
                    self._thread = None
                    return
                self._update(run.id, state="running", problems=(), done=0, total=0)
            problems: tuple[Problem, ...] = ()
            try:
                self._perform(run)
            except InputError as error:
                problems = error.problems
            except (BiduiError, OSError) as error:
                problems = (Problem("run-refused", values={"reason": str(error)}),)
            except Exception as error:  # a mistake of ours must not keep all other runs waiting for ever
                _LOG.exception("run %d failed", run.id)
                problems = (Problem("run-died", values={"reason": type(error).__name__}),)
            with self._lock:
                if not self._closed and self._state(run) == "running":
                    self._update(run.id, state="failed" if problems else "done")
                if problems:
                    self._update(run.id, problems=problems)
                self._save()

    def _perform(self, run: Run) -> None:
        entry = next((entry for entry in entries(self._store) if entry.id == run.project), None)
        if entry is None:
            raise fail("project-unknown", Place(), {"name": str(run.project)})
        with tempfile.TemporaryDirectory(prefix="bidui-run-") as name:
            task = prepare(entry, run.plan, Path(name))
            status = self._run(run, task, log=Path(name) / "log")
            if self._closed or self._state(run) != "running":
                return
            now = self._runs[run.id]
            if status:
                last = (Path(name) / "log").read_text("utf-8", "replace").strip().rpartition("\n")[2]
                raise InputError(now.problems) if now.problems else fail("run-died", Place(), {"reason": last[-300:]})
            complete(entry, now)

    def _run(self, run: Run, task: Mapping[str, Any], *, log: Path) -> int:
        """Run the process of a task, note what it says, and return its exit status."""
        with log.open("wb") as errors:
            popen = subprocess.Popen(
                _PROCESS,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
        process = _Process(popen, run.project)
        with self._lock:
            self._process = process
            if self._closed or self._state(run) != "running":
                process.stop()
        timer = threading.Timer(SECONDS, process.expire)
        timer.daemon = True
        timer.start()
        try:
            assert popen.stdin is not None and popen.stdout is not None
            with suppress(BrokenPipeError):
                popen.stdin.write(json.dumps(task) + "\n")
                popen.stdin.flush()  # and not closed: the process ends when it is
            for line in popen.stdout:
                message = json.loads(line)
                message |= {"problems": _PROBLEMS.validate_python(message["problems"])} if "problems" in message else {}
                with self._lock:
                    self._update(run.id, **message)
            status = popen.wait()
        finally:
            for each in (timer, *process.timers):
                each.cancel()
            for stream in (popen.stdin, popen.stdout):
                with suppress(OSError):
                    stream.close()  # type: ignore[union-attr]
            popen.wait()
            with self._lock:
                self._process = None
        if process.late:
            raise fail("run-too-long", Place(), {"hours": f"{SECONDS / 3600:g}"})
        return status

    def _state(self, run: Run) -> RunState:
        """Return the state of a run now; one that was stopped and forgotten counts as cancelled."""
        return self._runs[run.id].state if run.id in self._runs else "cancelled"

    def _update(self, number: int, **changes: Any) -> None:
        if number in self._runs:
            self._runs[number] = replace(self._runs[number], **changes)

    # The file

    def _load(self) -> list[Run]:
        file = self._store.hidden / _FILE
        try:
            runs = _RUNS.validate_json(file.read_bytes())
        except (OSError, ValidationError):  # there is none, or another version wrote it
            return []
        return [replace(run, state="waiting") if run.state == "running" else run for run in runs]

    def _save(self) -> None:
        ended = [run.id for run in self._runs.values() if run.state not in OPEN]
        for number in ended[: max(0, len(ended) - MOST_ENDED)]:
            del self._runs[number]
        with suppress(BiduiError):  # a full disk: the runs go on, and are forgotten with the server
            write_file(self._store.hidden / _FILE, encode(_RUNS.dump_json(list(self._runs.values())).decode()))


# What a process is to do, and what follows when it has done it


def prepare(entry: Entry, plan: Plan, place: Path) -> dict[str, Any]:
    """Return the arguments of a run's process, with the files that it needs in a temporary folder."""
    results = results_folder(entry)
    if plan.kind == "report":
        out = report_folder(entry, plan.language, study=plan.study)
        out.parent.mkdir(parents=True, exist_ok=True)
        report = {"kind": "report", "results": str(results), "out": str(out), "language": plan.language}
        if plan.study is not None:
            folder = place / "study"
            write_new_folder(folder, folder_files(study_of(entry, plan.study)).items())
            report["study"] = str(folder)
        return report
    common = {"kind": "score", "model": plan.model}
    if plan.study is None:
        source = place / "source" / entry.folder.name
        copy_sources(entry.folder, source)
        return {**common, "pairs": str(source), "n": plan.n, "seed": plan.seed, "out": str(results)}
    pairs = place / "pairs.jsonl"
    pairs.write_bytes(pairs_to_bytes(study_of(entry, plan.study).study.pairs, format="jsonl"))
    return {**common, "pairs": str(pairs), "out": str(study_folder(entry, plan.study))}


def complete(entry: Entry, run: Run) -> None:
    """Show a model that has scored the pairs of a study beside its people; a draft may have got other pairs since."""
    if run.plan.kind == "score" and run.plan.study is not None:
        record = study_of(entry, run.plan.study)
        folder = study_folder(entry, run.plan.study) / run.label
        worth = worth_of(folder, record.study, link=run.plan.link)
        if worth is None:
            raise fail("results-other-pairs", Place(), {"name": run.label, "study": record.name})
        keep_scores(record, label_in_study(run.label, run.plan.link), worth)
