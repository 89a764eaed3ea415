"""Scoring at milestones: the checkpoints of a run on pairs, by the code of `bidui score`, in the run or afterwards."""

from itertools import groupby
from pathlib import Path

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.models.specs import load_model
from bidui.models.tokens import Model
from bidui.pairs import Pairs, write_file
from bidui.scores.alphas import alpha_counts, write_alphas
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
    write_alphas(run, alpha_counts(step, good=good, bad=bad))
    return found


def check_pairs(run: Path, pairs: Pairs) -> None:
    """Refuse other pairs than those that the run's table is of: what is in it would be taken for accuracies on these.

    Where the scores are there they are told by their hashes, else by how many each paradigm has. None are refused too.
    """
    from bidui.scores.run import pairs_hash, read_manifest

    if not len(pairs):
        raise fail("run-without-pairs", Place(str(run)), {})
    if not (run / FILE).is_file():
        return
    by_uid = pairs.by_uid()
    counts = {(uid, len(own)) for uid, own in by_uid.items()}
    hashes = {uid: pairs_hash(own) for uid, own in by_uid.items()}
    others: set[str] = set()
    for _, table in groupby(read_milestones(run), key=lambda found: found.step):
        others |= {uid for uid, _ in counts ^ {(found.uid, found.pairs) for found in table}}
    for file in (run / SCORES).glob("*/scores.json"):
        others |= {uid for uid, shard in read_manifest(file.parent).shards.items() if shard.pairs != hashes.get(uid)}
    if others:
        values = {"uid": min(others), "count": len(others)}
        raise OutputRefused(str(Problem("run-of-other-pairs", Place(str(run / FILE)), values)))


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
