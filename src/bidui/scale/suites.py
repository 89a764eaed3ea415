"""The runs of a suite as tasks: one `bidui train` each, done when the run is finished and, if wanted, scored."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import torch

from bidui.benchmarks import find_pairs
from bidui.errors import InputError, Place, Problem, fail
from bidui.files import Manifest, claim_folder
from bidui.scale.tasks import Outcome, Status, Task, run_all
from bidui.training.checkpoints import DESCRIPTION, FINISHED, LOG, RECIPE
from bidui.training.corpus import Corpus, dropped_tokens, read_corpus
from bidui.training.run import unscored_steps
from bidui.training.suite import SuiteRun

LATER = "later"  # instead of pairs: checkpoints are not scored now
TASKS = ".tasks"  # the folder for logs and claims, next to those of the runs
BIDUI = (sys.executable, "-P", "-m", "bidui")


def run_suite(
    runs: Sequence[SuiteRun],
    corpora: Mapping[str, Path],
    *,
    out: Path,
    device: str = "cpu",
    processes: int = 1,
    score: str = LATER,
    options: Sequence[str] = (),
    stale_seconds: float = 900.0,
    on_status: Callable[[Status], None] = lambda status: None,
) -> tuple[Outcome, ...]:
    """Train the runs of a suite that are not finished, `processes` at a time, each in a folder of `out`.

    `corpora` are folders by tokenizer, and `options` are further options of `bidui train`. Wrong inputs are reported
    before the first run starts. A run that another machine left for `stale_seconds` is taken over.
    """
    opened = open_corpora(runs, corpora)
    if score != LATER:
        find_pairs(score, n=1)
    tasks = suite_tasks(runs, opened, out=out, device=device, score=score, options=options)
    workers = suite_workers(device, processes=processes)
    return run_all(tasks, folder=out / TASKS, workers=workers, stale=stale_seconds, on_status=on_status)


def open_corpora(runs: Sequence[SuiteRun], folders: Mapping[str, Path]) -> dict[str, Corpus]:
    """Return the corpora of runs by tokenizer; all that are missing, unreadable or too small are reported together."""
    most = {run.tokenizer: max(r.tokens for r in runs if r.tokenizer == run.tokenizer) for run in runs}
    problems, corpora = [], {}
    for tokenizer, tokens in most.items():
        if tokenizer not in folders:
            problems.append(Problem("suite-no-corpus", Place(), {"tokenizer": tokenizer}))
            continue
        try:
            corpora[tokenizer] = read_corpus(folders[tokenizer])
            dropped_tokens(corpora[tokenizer], tokens=tokens)  # raises an error if there are fewer
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return corpora


def suite_tasks(
    runs: Sequence[SuiteRun],
    corpora: Mapping[str, Corpus],
    *,
    out: Path,
    device: str = "cpu",
    score: str = LATER,
    options: Sequence[str] = (),
) -> list[Task]:
    """Return one task per run, each with a folder in `out`; a folder that holds another run is refused.

    `options` are further options of `bidui train`; they are not compared with those of finished runs.
    """
    tasks = []
    for run in runs:
        corpus, folder = corpora[run.tokenizer], out / run.name
        _check_folder(folder, run, corpus)
        data = ("--corpus", str(corpus.folder), "--tokens", str(run.tokens), "--seed", str(run.seed), "--score", score)
        place = ("--out", str(out), "--name", run.name)
        command = (*BIDUI, "train", run.size, *data, *place, "--device", device, *options)
        tasks.append(Task(run.name, command, partial(_done, folder, scored=score != LATER)))
    return tasks


def suite_workers(device: str, *, processes: int) -> list[dict[str, str]]:
    """Return what each process adds to its environment: with `cuda`, the processes take turns at the visible GPUs."""
    if device != "cuda":
        return [{}] * processes
    count = torch.cuda.device_count()  # which, unlike using a GPU, takes none of its memory
    if not count:
        raise fail("suite-device", Place(part="--device cuda"), {})
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    names = [name.strip() for name in allowed] if allowed != [""] else [str(number) for number in range(count)]
    return [{"CUDA_VISIBLE_DEVICES": names[number % count]} for number in range(processes)]


def run_progress(folder: Path) -> tuple[int, int | None]:
    """Return how many steps the run in a folder has done, and of how many, as far as its files say."""
    done, steps = 0, None
    with suppress(OSError, ValueError, KeyError, IndexError):
        steps = int(json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))["steps"])
        with (folder / LOG).open("rb") as log:
            log.seek(max(0, (folder / LOG).stat().st_size - 4096))
            lines = log.read().split(b"\n")[:-1]  # the last part is still being written
        done = int(json.loads(lines[-1])["step"])
    return done, steps


def _done(folder: Path, *, scored: bool) -> bool:
    if not (folder / FINISHED).is_file():
        return False
    with suppress(InputError):  # a table that cannot be read: `bidui train` reports it
        return not scored or not unscored_steps(folder)
    return False


def _check_folder(folder: Path, run: SuiteRun, corpus: Corpus) -> None:
    """Refuse the run of another corpus: if it is finished, it would be taken for this one."""
    try:
        stored = json.loads((folder / RECIPE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # nothing yet, or `bidui train` says what is wrong with it
    settings = {"size": run.size, "tokens": run.tokens, "seed": run.seed, "corpus": corpus.hash}
    before = Manifest({name: stored[name] for name in settings if name in stored})
    claim_folder(folder, before, Manifest(settings), "run-of-another")
