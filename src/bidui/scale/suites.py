"""The runs of a suite as tasks: one `bidui train` each, done when the run is finished and, if asked for, scored."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import torch

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import Manifest, claim_folder
from bidui.scale.tasks import Task
from bidui.training.checkpoints import FINISHED, RECIPE
from bidui.training.corpus import Corpus, dropped_tokens, read_corpus
from bidui.training.loop import DESCRIPTION, LOG
from bidui.training.run import unscored_steps
from bidui.training.suite import SuiteRun

LATER = "later"  # in the place of what checkpoints are scored on
BIDUI = (sys.executable, "-P", "-m", "bidui")


def open_corpora(runs: Sequence[SuiteRun], folders: Mapping[str, Path]) -> dict[str, Corpus]:
    """The corpora of runs, by tokenizer; all that are missing, unreadable or too small are reported together."""
    most = {run.tokenizer: max(r.tokens for r in runs if r.tokenizer == run.tokenizer) for run in runs}
    problems, found = [], {}
    for tokenizer, tokens in most.items():
        if tokenizer not in folders:
            problems.append(Problem("suite-no-corpus", Place(), {"tokenizer": tokenizer}))
            continue
        try:
            found[tokenizer] = read_corpus(folders[tokenizer])
            dropped_tokens(found[tokenizer], tokens=tokens)  # which looks whether there are so many
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def suite_tasks(
    runs: Sequence[SuiteRun],
    corpora: Mapping[str, Corpus],
    *,
    out: Path,
    device: str = "cpu",
    score: str = LATER,
    options: Sequence[str] = (),
) -> list[Task]:
    """One task a run, each with a folder in `out`; one that holds another run is refused.

    `options` are further ones of `bidui train`. They are not looked at for runs that are finished.
    """
    for run in runs:
        _check_folder(out / run.name, run, corpora[run.tokenizer])
    return [
        _task(run, corpora[run.tokenizer], out=out, score=score, options=("--device", device, *options)) for run in runs
    ]


def suite_workers(device: str, *, processes: int) -> list[dict[str, str]]:
    """What each process adds to its environment: with `cuda` a GPU, in turns, of those that we may use."""
    if device != "cuda":
        return [{}] * processes
    count = torch.cuda.device_count()  # which, unlike using one, takes no memory of it
    if not count:
        raise fail("suite-device", Place(part="--device cuda"), {})
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    names = [name.strip() for name in allowed] if allowed != [""] else [str(number) for number in range(count)]
    return [{"CUDA_VISIBLE_DEVICES": names[number % count]} for number in range(processes)]


def run_progress(folder: Path) -> tuple[int, int | None]:
    """How many steps the run in a folder has done, and of how many, as far as its files say so."""
    done, steps = 0, None
    with suppress(OSError, ValueError, KeyError, IndexError):
        steps = int(json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))["steps"])
        with (folder / LOG).open("rb") as log:
            log.seek(max(0, (folder / LOG).stat().st_size - 4096))
            whole = log.read().split(b"\n")[:-1]  # what follows the last line end is being written
        done = int(json.loads(whole[-1])["step"])
    return done, steps


def _task(run: SuiteRun, corpus: Corpus, *, out: Path, score: str, options: tuple[str, ...]) -> Task:
    asked = ("--corpus", str(corpus.folder), "--tokens", str(run.tokens), "--seed", str(run.seed), "--score", score)
    where = ("--out", str(out), "--name", run.name)
    return Task(
        run.name,
        (*BIDUI, "train", run.size, *asked, *where, *options),
        lambda: _done(out / run.name, scored=score != LATER),
    )


def _done(folder: Path, *, scored: bool) -> bool:
    if not (folder / FINISHED).is_file():
        return False
    with suppress(InputError):  # a table that cannot be read: `bidui train` says so
        return not scored or not unscored_steps(folder)
    return False


def _check_folder(folder: Path, run: SuiteRun, corpus: Corpus) -> None:
    """Refuse the run of another corpus: if it is finished, it would be taken for this one."""
    try:
        there = json.loads((folder / RECIPE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # nothing yet, or `bidui train` says what is wrong with it
    wanted = {"size": run.size, "tokens": run.tokens, "seed": run.seed, "corpus": corpus.hash}
    before = Manifest({name: there[name] for name in wanted if name in there})
    claim_folder(folder, before, Manifest(wanted), "run-of-another")
