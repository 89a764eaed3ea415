"""Scoring at milestones: the checkpoints of a run on pairs, by the code of `bidui score`, in the run or afterwards."""

from pathlib import Path

from bidui.models.specs import load_model
from bidui.models.tokens import Model
from bidui.pairs import Pairs, write_file
from bidui.scores.links import Totals
from bidui.scores.milestones import FILE, Milestone, milestone_accuracy, read_milestones, write_milestones
from bidui.scores.unigrams import UNIGRAMS, Unigrams, write_unigrams
from bidui.train.checkpoints import MANIFEST, milestone_folder

SCORES = "scores"  # the folder in a run's; one folder of token scores a checkpoint is in it


def score_milestone(step: int, model: Model, pairs: Pairs, *, run: Path, unigrams: Unigrams) -> list[Milestone]:
    """Score a checkpoint, and put its accuracies into the run's table; what is scored already is not run again."""
    from bidui.scores.run import read_totals, run_scoring  # tables need polars, which training does not

    folder = milestone_folder(run / SCORES, step)
    run_scoring(pairs, model, out=folder, force=True)  # what is of other weights is from before a resumption
    write_file(folder / UNIGRAMS, write_unigrams(unigrams))
    _, totals = read_totals(folder, unigrams=folder / UNIGRAMS)
    every = totals.totals()
    assert every.unigram is not None
    good, bad = (Totals(every.logprob[n::2], every.length[n::2], every.unigram[n::2]) for n in range(2))
    uids, phenomena = totals.uids.tolist(), totals.phenomena.tolist()
    found = milestone_accuracy(step, uids, phenomena, good=good, bad=bad)
    write_milestones(run, found)
    return found


def kept_steps(run: Path) -> list[int]:
    """The steps whose checkpoints are there, in order."""
    found = (path.parent.name.removeprefix("step-") for path in run.glob(f"step-*/{MANIFEST}"))
    return sorted(int(step) for step in found if step.isdigit())


def unscored_steps(run: Path) -> list[int]:
    """The steps whose checkpoints are there, but no accuracies."""
    done = {found.step for found in read_milestones(run)} if (run / FILE).is_file() else set()
    return [step for step in kept_steps(run) if step not in done]


def score_kept(run: Path, step: int, pairs: Pairs, *, unigrams: Unigrams, device: str = "cpu") -> list[Milestone]:
    """Score a checkpoint that was kept, after the run."""
    model = load_model(str(milestone_folder(run, step)), device=device)
    return score_milestone(step, model, pairs, run=run, unigrams=unigrams)
